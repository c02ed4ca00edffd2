#include "bondgraph/drawing/draw.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>

#include "bondgraph/api/experiment.hpp"
#include "bondgraph/api/output_file.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/structure_report.hpp"
#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/drawing/dot.hpp"

namespace bondgraph::cli {
namespace {

struct DrawOptions {
    std::string model;
    std::string output;
    bool expand = false;
    bool variables = false;
    std::string theme = "colour";
    std::vector<std::string> settings;
};

enum class Format : std::uint8_t { svg, dot, tex };

std::string output_name(const DrawOptions& options) {
    if (!options.output.empty()) return options.output;
    return std::filesystem::path(options.model).stem().string() + ".svg";
}

Format format_of(const std::string& file) {
    const std::string extension = std::filesystem::path(file).extension().string();
    if (file == "-" || extension == ".svg") return Format::svg;
    if (extension == ".dot" || extension == ".gv") return Format::dot;
    if (extension == ".tex") return Format::tex;
    throw UsageError(fmt::format("can't draw '{}': the name has to end with .svg, .dot or .tex", file));
}

std::map<std::string, std::string> overrides_of(const std::vector<std::string>& settings) {
    std::map<std::string, std::string> overrides;
    for (const std::string& setting : settings) {
        const auto equals = setting.find('=');
        if (equals != std::string::npos)
            overrides.insert_or_assign(setting.substr(0, equals), setting.substr(equals + 1));
    }
    return overrides;
}

std::string drawn(const drawing::Picture& picture, Format format, const drawing::Theme& theme) {
    if (format == Format::dot) return drawing::to_dot(picture, theme);
    const drawing::Sheet sheet = drawing::draw(picture, drawing::lay_out(picture), theme);
    return format == Format::tex ? drawing::to_tex(sheet) : drawing::to_svg(sheet);
}

std::string summary(const drawing::Picture& picture, const std::string& file) {
    const auto bonds = static_cast<std::size_t>(std::count_if(
        picture.edges.begin(), picture.edges.end(), [](const auto& e) { return e.kind == drawing::EdgeKind::bond; }));
    return fmt::format("{}\n  written     {} ({}, {})\n", picture.title, file,
                       counted(picture.nodes.size(), "component"), counted(bonds, "bond"));
}

/// The conditions of closed loops whose forces are set to 0: those that others imply wherever the loops' coordinates
/// are by their components, those that depend on others where the loops are closed by their element only.
std::vector<drawing::ReleasedCondition> released_conditions(const compile::SortedSystem& system) {
    std::vector<drawing::ReleasedCondition> result;
    if (!system.reduced->loops) return result;
    const auto& elements = system.graph().elements;
    for (const compile::ClosedMechanism& mechanism : system.reduced->loops->mechanisms) {
        for (const compile::Closure& closure : mechanism.closures) {
            for (const std::uint32_t i : closure.redundant)
                result.push_back({elements[closure.hold.index()].name, i + 1});
        }
    }
    for (const compile::RemovedConstraint& removed : system.choice->removed) {
        if (!removed.element.valid()) continue;
        const model::Element& element = elements[removed.element.index()];
        if (element.type->holds_positions) result.push_back({element.name, std::nullopt});
    }
    return result;
}

/// Of a model whose states are chosen by numbers: its dependent storages, and what is set to 0. Where the strokes tell
/// everything, nothing.
void take_choice(const causality::CausalGraph& causal, drawing::PictureOptions& wanted) {
    try {
        const compile::SortedSystem system = compile::sort_equations(causal);
        if (!system.choice) return;
        std::vector<std::string> names;
        for (const DependentStorage& s : dependent_storages(system)) names.push_back(s.name);
        wanted.released = released_conditions(system);
        wanted.dependent = std::move(names);
    } catch (const ModelError&) {  // `check` tells; the strokes are drawn
    }
}

int draw(Session& session, const DrawOptions& options) {
    const Format format = format_of(output_name(options));
    prepare(session, options.settings, Stage::flattened);
    OutputFile file(output_name(options), files_read(session));
    causality::PartialCausality partial = causality::assign_as_far_as_possible(*session.graph);
    drawing::PictureOptions wanted{options.expand, options.variables, overrides_of(session.settings)};
    wanted.layout = session.layout;
    if (partial.mistakes.empty()) {
        session.causal = std::make_unique<causality::CausalGraph>(std::move(partial.causal));
        take_modes_of_start(session);
        take_choice(*session.causal, wanted);
        partial.causal = std::move(*session.causal);
    }
    drawing::Picture picture = drawing::picture_of(partial, session.model, wanted);
    for (const ModeValue& m : mode_of(partial.causal)) picture.mode.push_back(fmt::format("{} = {}", m.name, m.text()));
    const auto theme = options.theme == "grey" ? drawing::ThemeName::grey : drawing::ThemeName::colour;
    file.write(drawn(picture, format, drawing::theme_named(theme)));
    if (!file.is_standard_output()) say(summary(picture, file.name()));
    // A conflict is drawn, and reported as `causality` does.
    if (!partial.mistakes.empty()) throw ModelError(partial.mistakes);
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
    command->add_flag("--expand", options->expand, "Look into sub-models, joints and bodies");
    command->add_flag("--variables", options->variables, "Name effort and flow at every bond");
    command->add_option("--theme", options->theme, "colour or grey")->check(CLI::IsMember({"colour", "grey"}));
    add_set_option(*command, options->settings);
    commands.actions[command] = [options](const Environment& environment) {
        Session session{.environment = &environment, .file = options->model};
        return report_mistakes(session, [&] { return draw(session, *options); });
    };
}

}  // namespace bondgraph::cli
