#include <fmt/format.h>

#include <filesystem>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/output_file.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/models.hpp"

namespace bondgraph::cli {
namespace {

using Format = api::DrawOptions::Format;

struct DrawOptions {
    std::string model;
    std::string output;
    bool expand = false;
    bool variables = false;
    bool circuit = false;
    bool simplify = false;
    std::string theme = "colour";
    std::optional<std::string> at;
    std::vector<std::string> settings;
    bool all_errors = false;
};

std::string output_name(const DrawOptions& options) {
    if (!options.output.empty()) return options.output;
    return std::filesystem::path(options.model).stem().string() + ".svg";
}

Format drawing_format(const std::string& file) {
    const std::string extension = std::filesystem::path(file).extension().string();
    if (file == "-" || extension == ".svg") return Format::svg;
    if (extension == ".dot" || extension == ".gv") return Format::dot;
    if (extension == ".tex") return Format::tex;
    throw UsageError(fmt::format("can't draw '{}': the name has to end with .svg, .dot or .tex", file));
}

std::string summary(const api::Drawing& drawing, const std::string& file, bool circuit) {
    if (circuit) {
        return fmt::format("{}\n  written     {} ({}, {})\n", drawing.title, file,
                           counted(drawing.components, "component"), counted(drawing.bonds, "connection"));
    }
    return fmt::format("{}\n  written     {} ({}, {})\n", drawing.title, file, counted(drawing.components, "component"),
                       counted(drawing.bonds, "bond"));
}

int draw(const DrawOptions& options) {
    const Format format = drawing_format(output_name(options));
    const api::Model model = load_and_warn(options.model, options.settings);
    api::OutputFile file(output_name(options), model.files());
    const api::Drawing drawing = value_of(
        model.draw({.values = {},
                    .format = format,
                    .theme = options.theme == "grey" ? api::DrawOptions::Theme::grey : api::DrawOptions::Theme::colour,
                    .expand = options.expand,
                    .variables = options.variables,
                    .circuit = options.circuit,
                    .simplify = options.simplify,
                    .mode = mode_at(model, options.at)}));
    file.write(drawing.text);
    if (!file.is_standard_output()) say(summary(drawing, file.name(), options.circuit));
    // A conflict is drawn, and reported as `causality` does.
    if (drawing.conflict) throw Refused{*drawing.conflict};
    return kDone;
}

}  // namespace

void add_draw(Commands& commands) {
    CLI::App* command = commands.application.add_subcommand(
        "draw", "Draw the bond graph: half arrows, causal strokes, domains by colour");
    const auto options = std::make_shared<DrawOptions>();
    command->add_option("MODEL", options->model, "The model file")->required();
    command
        ->add_option("-o,--output", options->output,
                     "FILE.svg, FILE.dot (Graphviz), FILE.tex (TikZ), or - for SVG on standard output (default: "
                     "MODEL.svg)")
        ->type_name("FILE");
    CLI::Option* const expand =
        command->add_flag("--expand", options->expand, "Look into sub-models, joints and bodies");
    command
        ->add_flag("--simplify", options->simplify,
                   "Look into parts that are bond graphs of elements, and simplify the junctions by the textbook rules")
        ->excludes(expand);
    command->add_flag("--variables", options->variables, "Name effort and flow at every bond");
    command
        ->add_flag("--circuit", options->circuit,
                   "Draw the circuit: components by their symbols, wires between their connectors")
        ->excludes("--expand")
        ->excludes("--simplify")
        ->excludes("--variables");
    add_at_option(*command, options->at)->excludes("--circuit");
    command->add_option("--theme", options->theme, "colour or grey")->check(CLI::IsMember({"colour", "grey"}));
    add_set_option(*command, options->settings);
    add_all_errors_option(*command, options->all_errors);
    commands.actions[command] = [options] {
        return report_mistakes(
            options->model, [&] { return draw(*options); }, options->all_errors);
    };
}

}  // namespace bondgraph::cli
