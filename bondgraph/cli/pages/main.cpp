// Writes the program's man pages and its completion in shells into a folder, laid out as under share/ of a system.
#include <fmt/format.h>

#include <exception>
#include <filesystem>
#include <fstream>

#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/pages/completion.hpp"
#include "bondgraph/cli/pages/man_page.hpp"

namespace bondgraph::cli {
namespace {

void write_page(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::create_directories(file.parent_path());
    std::ofstream out(file, std::ios::binary);
    out << text;
    out.close();
    if (!out) throw UsageError(fmt::format("'{}' can't be written", file.string()));
}

void write_pages(const std::filesystem::path& folder) {
    const Outline outline = program_outline();
    const auto write_man_page = [&](const Command& command) {
        write_page(folder / "man" / "man1" / (page_name(outline, command) + ".1"), man_page(outline, command));
    };
    write_man_page(outline.program);
    for (const Command& command : outline.commands) write_man_page(command);
    write_page(folder / "bash-completion" / "completions" / outline.name, bash_completion(outline));
    write_page(folder / "zsh" / "site-functions" / ("_" + outline.name), zsh_completion(outline));
    write_page(folder / "fish" / "vendor_completions.d" / (outline.name + ".fish"), fish_completion(outline));
}

}  // namespace
}  // namespace bondgraph::cli

int main(int argument_count, char** arguments) {
    using namespace bondgraph::cli;
    if (argument_count != 2) {
        say("usage: bondgraph_pages FOLDER\n");
        return kWrongUsage;
    }
    try {
        write_pages(arguments[1]);
    } catch (const std::exception& e) {
        say(fmt::format("error: {}\n", e.what()));
        return kWrongUsage;
    }
    return kDone;
}
