#include <fmt/format.h>

#include <filesystem>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/output_file.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/models.hpp"

namespace bondgraph::cli {
namespace {

struct TypesOptions {
    std::string name;
    bool all = false;
    bool parts = false;
    std::string draw;
};

int draw_type(const std::string& type, const std::string& name) {
    const std::string extension = std::filesystem::path(name).extension().string();
    using Format = api::DrawOptions::Format;
    Format format = Format::svg;
    if (extension == ".dot" || extension == ".gv")
        format = Format::dot;
    else if (extension == ".tex")
        format = Format::tex;
    else if (name != "-" && extension != ".svg")
        throw UsageError(fmt::format("can't draw '{}': the name has to end with .svg, .dot or .tex", name));
    const auto drawing = api::draw_type(type, {.format = format}, import_folders());
    if (!drawing) throw UsageError(drawing.error().messages.front().text);
    api::OutputFile file(name, {});
    file.write(drawing->text);
    if (!file.is_standard_output()) say(fmt::format("{}\n  written     {}\n", drawing->title, file.name()));
    return kDone;
}

int types(const TypesOptions& options) {
    if (int{options.all} + int{options.parts} + int{!options.name.empty()} > 1)
        throw UsageError("types takes one of TYPE, --all and --parts");
    if (!options.draw.empty()) {
        if (options.name.empty()) throw UsageError("types --draw takes the name of a type");
        return draw_type(options.name, options.draw);
    }
    if (options.parts) {
        put(api::all_part_pages());
    } else if (options.all) {
        put(api::all_type_pages());
    } else if (options.name.empty()) {
        put(api::type_list(bold_headings(), import_folders()));
    } else {
        const auto page = api::type_page(options.name, bold_headings(), import_folders());
        if (!page) throw UsageError(page.error().messages.front().text);
        put(*page);
    }
    return kDone;
}

}  // namespace

void add_types(Commands& commands) {
    CLI::App* command = commands.application.add_subcommand("types", "List the component types, or document one");
    const auto options = std::make_shared<TypesOptions>();
    command->add_option("TYPE", options->name, "The name of a type");
    command->add_flag("--all", options->all, "The pages of all types, as Markdown");
    command->add_flag("--parts", options->parts, "The pages of the library of parts, as Markdown");
    command
        ->add_option("--draw", options->draw,
                     "Draw the bond graph inside the type, of the library of parts: FILE.svg, FILE.dot, FILE.tex or -")
        ->type_name("FILE");
    commands.actions[command] = [options] { return types(*options); };
}

}  // namespace bondgraph::cli
