#include <fmt/format.h>

#include "bondgraph/cli/pages/completion.hpp"

namespace bondgraph::cli {
namespace {

std::string fish_text(const std::string& text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        out += c;
    }
    return out + "'";
}

/// What completes a value, as further arguments of complete.
std::string value_options(const Argument& argument) {
    if (!argument.words.empty()) return " -x -a " + fish_text(joined(argument.words, " "));
    if (!argument.file) return " -x";
    if (argument.endings.empty()) return " -r -F";
    return fmt::format(
        R"( -x -a '(__fish_complete_path (commandline -ct) | string match -r "^[^\t]*(?:/|\.(?:{}))(?:\t.*)?\$")')",
        joined(argument.endings, "|"));
}

std::string option_line(const std::string& start, const Argument& option) {
    std::string line = start;
    for (const std::string& name : option.names)
        line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
    if (!option.value.empty()) line += value_options(option);
    return line + " -d " + fish_text(option.description) + "\n";
}

}  // namespace

std::string fish_completion(const Outline& outline) {
    const std::string complete = "complete -c " + outline.name;
    std::string text = fmt::format(
        "# fish completion for {}. Written from what the program declares; not meant to be changed.\n\n{} -f\n",
        outline.name, complete);
    const std::string first = complete + " -n __fish_use_subcommand";
    for (const Argument& option : outline.program.options) text += option_line(first, option);
    for (const Command& command : outline.commands)
        text += fmt::format("{} -a {} -d {}\n", first, command.name, fish_text(command.description));
    for (const Command& command : outline.commands) {
        const std::string start = fmt::format("{} -n '__fish_seen_subcommand_from {}'", complete, command.name);
        text += "\n";
        for (const Argument& option : command.options) text += option_line(start, option);
        for (const Argument& positional : command.positionals)
            if (positional.file || !positional.words.empty()) text += start + value_options(positional) + "\n";
    }
    return text;
}

}  // namespace bondgraph::cli
