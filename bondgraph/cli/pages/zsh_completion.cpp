#include <fmt/format.h>

#include "bondgraph/cli/pages/completion.hpp"

namespace bondgraph::cli {
namespace {

/// A text within single quotes, with a backslash before each of `special`.
std::string zsh_text(const std::string& text, const std::string& special) {
    std::string out;
    for (const char c : text) {
        if (c == '\'') {
            out += "'\\''";
            continue;
        }
        if (c == '\\' || special.find(c) != std::string::npos) out += '\\';
        out += c;
    }
    return out;
}

/// ":MESSAGE:ACTION" of _arguments.
std::string value_spec(const Argument& argument) {
    const std::string message = ":" + zsh_text(argument.value, ":") + ":";
    if (!argument.words.empty()) return message + "(" + joined(argument.words, " ") + ")";
    if (!argument.file) return message + " ";
    if (argument.endings.empty()) return message + "_files";
    const std::string& first = argument.endings.front();
    const std::string any = argument.endings.size() == 1 ? first : "(" + joined(argument.endings, "|") + ")";
    return fmt::format("{}_files -g \"*.{}(-.)\"", message, any);
}

/// One line for each option; names of the same option exclude each other unless it may be repeated.
std::string option_spec(const Argument& option) {
    const bool ends = option.names.back() == "--help" || option.names.back() == "--version";
    const std::string excluded = ends ? "- *" : joined(option.names, " ");
    std::vector<std::string> names;
    for (const std::string& name : option.names) {
        const bool is_long = name.starts_with("--");
        names.push_back(name + (option.value.empty() ? "" : is_long ? "=" : "+"));
    }
    const std::string start = option.repeated ? "'*'" : "'(" + excluded + ")'";
    const std::string list = names.size() == 1 ? names.front() : "{" + joined(names, ",") + "}";
    return fmt::format("{}{}'[{}]{}'", start, list, zsh_text(option.description, "[]"),
                       option.value.empty() ? "" : value_spec(option));
}

std::string positional_spec(const Argument& positional) {
    const char* start = positional.repeated ? "*" : positional.required ? "1" : "1:";
    return fmt::format("'{}{}'", start, value_spec(positional));
}

std::string specs(const Command& command, const std::string& indent) {
    std::string text;
    for (const Argument& option : command.options) text += " \\\n" + indent + option_spec(option);
    for (const Argument& positional : command.positionals) text += " \\\n" + indent + positional_spec(positional);
    return text;
}

}  // namespace

std::string zsh_completion(const Outline& outline) {
    std::string list;
    std::string cases;
    for (const Command& command : outline.commands) {
        list += fmt::format("    '{}:{}'\n", command.name, zsh_text(command.description, ""));
        cases += fmt::format("        {})\n          _arguments -s -S{}\n          ;;\n", command.name,
                             specs(command, "            "));
    }
    return fmt::format(
        "#compdef {0}\n"
        "# Written from what the program declares; not meant to be changed.\n\n"
        "_{0}() {{\n"
        "  local curcontext=\"$curcontext\" state line\n"
        "  local -a commands=(\n{1}  )\n"
        "  _arguments -C{2} \\\n    '1: :->command' \\\n    '*:: :->argument' && return\n"
        "  case $state in\n"
        "    command)\n      _describe command commands\n      ;;\n"
        "    argument)\n"
        "      curcontext=\"${{curcontext%:*:*}}:{0}-$words[1]:\"\n"
        "      case $words[1] in\n{3}      esac\n"
        "      ;;\n"
        "  esac\n"
        "}}\n\n"
        "_{0} \"$@\"\n",
        outline.name, list, specs(outline.program, "    "), cases);
}

}  // namespace bondgraph::cli
