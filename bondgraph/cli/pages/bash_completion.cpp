#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "bondgraph/cli/pages/completion.hpp"

namespace bondgraph::cli {
namespace {

std::vector<std::string> all_names(const Command& command, bool with_value_only) {
    std::vector<std::string> names;
    for (const Argument& option : command.options) {
        if (with_value_only && option.value.empty()) continue;
        names.insert(names.end(), option.names.begin(), option.names.end());
    }
    return names;
}

std::string from_words(const std::vector<std::string>& words) {
    return fmt::format("COMPREPLY=($(compgen -W '{}' -- \"$cur\"))", joined(words, " "));
}

/// The statement that completes a value, or nothing where no shell can know it.
std::string completes(const Argument& argument) {
    if (!argument.words.empty()) return from_words(argument.words);
    if (!argument.file) return "";
    if (argument.endings.empty()) return "_filedir";
    return fmt::format("_filedir '@({})'", joined(argument.endings, "|"));
}

/// The values of options, those that are completed alike together.
std::string values_case(const Command& command) {
    std::vector<std::pair<std::string, std::vector<std::string>>> groups;
    for (const Argument& option : command.options) {
        if (option.value.empty()) continue;
        const std::string statement = completes(option);
        auto group = std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == statement; });
        if (group == groups.end()) group = groups.insert(groups.end(), {statement, {}});
        group->second.insert(group->second.end(), option.names.begin(), option.names.end());
    }
    std::string text;
    for (const auto& [statement, names] : groups) {
        text += fmt::format("                {})\n", joined(names, " | "));
        if (!statement.empty()) text += fmt::format("                    {}\n", statement);
        text += "                    return\n                    ;;\n";
    }
    return text.empty() ? "" : "            case $prev in\n" + text + "            esac\n";
}

/// Where an argument is due: what it takes, or the options when all are there.
std::string command_case(const Command& command) {
    std::string text = fmt::format("        {})\n", command.name) + values_case(command);
    text += fmt::format("            options='{}'\n", joined(all_names(command, false), " "));
    const auto valued = all_names(command, true);
    if (!valued.empty()) text += fmt::format("            valued='{}'\n", joined(valued, " "));
    if (!command.positionals.empty()) {
        const Argument& first = command.positionals.front();
        text += fmt::format("            takes={}\n", first.repeated ? "any" : "one");
    }
    return text + "            ;;\n";
}

std::string positional_case(const Command& command) {
    if (command.positionals.empty()) return "";
    const std::string statement = completes(command.positionals.front());
    if (statement.empty()) return "";
    return fmt::format("        {})\n            {}\n            ;;\n", command.name, statement);
}

constexpr const char* kScript =
    R"(# bash completion for @name@. Written from what the program declares; not meant to be changed.

_@name@()
{
    local cur prev words cword split
    _init_completion -s || return

    local command=0
    while ((++command < cword)); do
        [[ ${words[command]} == -* ]] || break
    done
    if ((command >= cword)); then
        @first@
        return
    fi

    local options= valued= takes=none
    case ${words[command]} in
@commands@        *)
            return
            ;;
    esac
    $split && return

    local given=0 i
    for ((i = command + 1; i < cword; ++i)); do
        if [[ ${words[i]} != -* ]]; then
            ((++given))
        elif [[ " $valued " == *" ${words[i]} "* ]]; then
            ((++i))
        fi
    done
    if [[ $cur == -* || $takes == none || $takes == one && $given -gt 0 ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$cur"))
        return
    fi
    case ${words[command]} in
@positionals@    esac
} &&
    complete -F _@name@ @name@
)";

std::string replaced(std::string text, const std::string& old, const std::string& by) {
    for (auto at = text.find(old); at != std::string::npos; at = text.find(old, at + by.size()))
        text.replace(at, old.size(), by);
    return text;
}

}  // namespace

std::string bash_completion(const Outline& outline) {
    std::vector<std::string> first;
    std::string commands;
    std::string positionals;
    for (const Command& command : outline.commands) {
        first.push_back(command.name);
        commands += command_case(command);
        positionals += positional_case(command);
    }
    for (const std::string& option : all_names(outline.program, false)) first.push_back(option);
    std::string script = replaced(kScript, "@name@", outline.name);
    script = replaced(script, "@first@", from_words(first));
    script = replaced(script, "@commands@", commands);
    return replaced(script, "@positionals@", positionals);
}

}  // namespace bondgraph::cli
