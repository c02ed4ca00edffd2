#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/json_text.hpp"
#include "bondgraph/cli/structure_report.hpp"

namespace bondgraph::cli {
namespace {

struct Options {
    std::string model;
    std::string format = "text";
    std::vector<std::string> settings;
};

std::string check_json(const Session& session) {
    nlohmann::ordered_json report;
    report["states"] = state_names(*session.system);
    report["dependent_storages"] = nlohmann::ordered_json::array();
    for (const DependentStorage& s : dependent_storages(*session.causal)) {
        report["dependent_storages"].push_back({{"name", s.name}, {"depends_on", s.depends_on}});
    }
    report["algebraic_loops"] = nlohmann::ordered_json::array();
    for (const LoopNames& loop : algebraic_loops(*session.system)) {
        report["algebraic_loops"].push_back({{"elements", loop.elements}, {"torn", loop.torn}});
    }
    report["constraints_removed"] = nlohmann::ordered_json::array();
    report["equations"] = session.compiled->equation_count;
    report["unknowns"] = session.graph->variable_count();
    return json_text(report);
}

std::string check_text(const Session& session) {
    const auto states = state_names(*session.system);
    const auto dependent = dependent_storages(*session.causal);
    const auto loops = algebraic_loops(*session.system);
    std::string text = heading(session.graph->model_name);
    Table counts({Align::right, Align::left});
    const auto count = [&](std::size_t n, const std::string& what) { counts.add({fmt::format("{}", n), what}); };
    count(session.graph->elements.size(), "components, junctions included");
    count(session.graph->bonds.size(), "bonds");
    count(session.compiled->equation_count, "equations");
    count(session.graph->variable_count(), "unknowns");
    count(session.compiled->size(),
          fmt::format("unknowns left for the integrator, {} of them states", session.compiled->state_count));
    text += counts.text();
    text += heading(fmt::format("States: {}", states.empty() ? "none" : fmt::format("{}", states.size())));
    for (const std::string& state : states) text += fmt::format("  {}\n", state);
    text += heading(fmt::format("Dependent storages (derivative causality): {}",
                                dependent.empty() ? "none" : fmt::format("{}", dependent.size())));
    for (const DependentStorage& s : dependent) {
        text += fmt::format("  {} depends on {}\n", s.name, fmt::join(s.depends_on, ", "));
    }
    text += heading(fmt::format("Algebraic loops: {}", loops.empty() ? "none" : fmt::format("{}", loops.size())));
    for (const LoopNames& loop : loops) {
        text +=
            fmt::format("  through {}; solved for {}\n", fmt::join(loop.elements, ", "), fmt::join(loop.torn, ", "));
    }
    return text + heading("Removed constraints: none");
}

int check(Session& session, const Options& options) {
    prepare(session, options.settings, Stage::compiled);
    put(options.format == "json" ? check_json(session) : check_text(session));
    return kDone;
}

}  // namespace

void add_check(Commands& commands) {
    CLI::App* command = commands.application.add_subcommand("check", "Validate a model and report its structure");
    const auto options = std::make_shared<Options>();
    command->add_option("MODEL", options->model, "The model file")->required();
    command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
    add_set_option(*command, options->settings);
    commands.actions[command] = [options](const Environment& environment) {
        Session session{.environment = &environment, .file = options->model};
        return report_mistakes(session, [&] { return check(session, *options); });
    };
}

}  // namespace bondgraph::cli
