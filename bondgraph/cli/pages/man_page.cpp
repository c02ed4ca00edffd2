#include "bondgraph/cli/pages/man_page.hpp"

#include <fmt/format.h>

#include <cctype>

#include "bondgraph/cli/commands.hpp"

namespace bondgraph::cli {
namespace {

bool is_letter(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0; }

/// A text as troff prints it: a hyphen where it joins words, and a minus, which readers may copy, everywhere else.
std::string troff(const std::string& text) {
    std::string out;
    bool option = false;  // within a word like --audit-json
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        const char before = i == 0 ? ' ' : text[i - 1];
        const char after = i + 1 == text.size() ? ' ' : text[i + 1];
        const bool inside = is_letter(before) && is_letter(after);
        if (c == ' ') option = false;
        if (c == '-') {
            option = option || !is_letter(before);
            out += inside && !option ? "-" : "\\-";
        } else if (c == '\'') {
            out += inside ? "'" : "\\(aq";
        } else if (c == '\\') {
            out += "\\(rs";
        } else if (c == '^') {
            out += "\\(ha";
        } else if (c == '~') {
            out += "\\(ti";
        } else if (c == '`') {
            out += "\\(ga";
        } else {
            out += c;
        }
    }
    return out.starts_with('.') ? "\\&" + out : out;
}

std::string bold(const std::string& text) { return "\\fB" + troff(text) + "\\fR"; }
std::string italic(const std::string& text) { return "\\fI" + troff(text) + "\\fR"; }

/// A text that begins in the middle of a sentence, as one.
std::string sentence(const std::string& text) {
    std::string out = troff(text);
    out.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(out.front())));
    return out.ends_with('.') ? out : out + ".";
}

/// Words to choose from are typed as they are; what stands for something is not.
std::string value_text(const Argument& argument) {
    return argument.value.find('|') == std::string::npos ? italic(argument.value) : bold(argument.value);
}

std::string names_text(const Argument& option) {
    std::vector<std::string> names;
    for (const std::string& name : option.names) names.push_back(bold(name));
    return joined(names, ", ") + (option.value.empty() ? "" : " " + value_text(option));
}

std::string synopsis(const Outline& outline, const Command& command) {
    if (command.name.empty())
        return fmt::format("{0} {1} [{2}].\\|.\\|.\n.br\n{0} {3} | {4}\n", bold(outline.name), italic("COMMAND"),
                           italic("OPTION"), bold("--help"), bold("--version"));
    std::string text = fmt::format("{} [{}].\\|.\\|.", bold(outline.name + " " + command.name), italic("OPTION"));
    for (const Argument& a : command.positionals) {
        const std::string name = italic(a.value) + (a.repeated ? ".\\|.\\|." : "");
        text += a.required ? " " + name : " [" + name + "]";
    }
    return text + "\n";
}

std::string item(const std::string& name, const std::string& meaning) { return ".TP\n" + name + "\n" + meaning + "\n"; }

std::string arguments_text(const Command& command) {
    std::string text;
    for (const Argument& a : command.positionals) text += item(value_text(a), sentence(a.description));
    for (const Argument& a : command.options) {
        std::string meaning = sentence(a.description);
        if (a.required) meaning += " Must be given.";
        text += item(names_text(a), meaning);
    }
    return text;
}

std::string commands_text(const Outline& outline) {
    std::string text = ".SH COMMANDS\n";
    for (const Command& c : outline.commands)
        text += item(".BR " + troff(page_name(outline, c)) + " (1)", sentence(c.description));
    return text;
}

std::string statuses_text() {
    std::string text = ".SH EXIT STATUS\n";
    for (const ExitStatus& exit : exit_statuses())
        text += item(bold(fmt::format("{}", exit.status)), sentence(exit.meaning));
    return text;
}

std::string environment_text() {
    return ".SH ENVIRONMENT\n" +
           item(bold("BONDGRAPH_PATH"),
                "Folders, with colons between them, in which imports of models are looked for that are not beside the "
                "model.") +
           item(bold("NO_COLOR"), "If set, headings on a terminal are plain.");
}

/// The program's page refers to all others, they refer to it.
std::string see_also(const Outline& outline, const Command& command) {
    std::vector<std::string> pages;
    if (!command.name.empty()) {
        pages.push_back(outline.name);
    } else {
        for (const Command& c : outline.commands) pages.push_back(page_name(outline, c));
    }
    std::string text = ".SH SEE ALSO\n";
    for (const std::string& page : pages)
        text += fmt::format(".BR {} (1){}\n", troff(page), page == pages.back() ? "" : ",");
    return text;
}

}  // namespace

std::string page_name(const Outline& outline, const Command& command) {
    return command.name.empty() ? outline.name : outline.name + "-" + command.name;
}

std::string man_page(const Outline& outline, const Command& command) {
    const std::string name = page_name(outline, command);
    std::string title = name;
    for (char& c : title) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    const std::string description = sentence(command.description);
    std::string text = fmt::format(
        ".\\\" Written from what the program declares; not meant to be changed.\n"
        ".TH {} 1 \"\" \"{} {}\" \"User Commands\"\n",
        troff(title), outline.name, outline.version);
    text += fmt::format(".SH NAME\n{} \\- {}\n", troff(name), description.substr(0, description.size() - 1));
    text += ".SH SYNOPSIS\n" + synopsis(outline, command);
    text += ".SH DESCRIPTION\n" + description + "\n";
    if (command.name.empty()) text += commands_text(outline);
    text += ".SH OPTIONS\n" + arguments_text(command);
    text += statuses_text() + environment_text() + see_also(outline, command);
    return text;
}

}  // namespace bondgraph::cli
