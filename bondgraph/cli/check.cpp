#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/json_text.hpp"
#include "bondgraph/api/mode_report.hpp"
#include "bondgraph/cli/commands.hpp"
#include "bondgraph/cli/console.hpp"
#include "bondgraph/cli/models.hpp"

namespace bondgraph::cli {
namespace {

using api::ClosedCoordinate;
using api::ClosedLoop;
using api::DependentStorage;
using api::RemovedConstraint;
using api::SolvedLoop;
using api::Structure;

struct CheckOptions {
    std::string model;
    std::string format = "text";
    std::string stage;
    bool simplify = false;
    std::vector<std::string> settings;
    bool all_errors = false;
};

std::string check_json(const Structure& structure) {
    nlohmann::ordered_json report;
    report["states"] = structure.states;
    report["dependent_storages"] = nlohmann::ordered_json::array();
    for (const DependentStorage& s : structure.dependent_storages) {
        report["dependent_storages"].push_back({{"name", s.name}, {"depends_on", s.depends_on}});
    }
    report["dependent_variables"] = structure.dependent_variables;
    report["closed_loops"] = nlohmann::ordered_json::array();
    for (const ClosedLoop& loop : structure.closed_loops) {
        auto position = nlohmann::ordered_json::array();
        for (const ClosedCoordinate& c : loop.position)
            position.push_back({{"name", c.name}, {"before", c.before}, {"after", c.after}, {"given", c.given}});
        report["closed_loops"].push_back({{"joints", loop.joints},
                                          {"held_at", loop.closures},
                                          {"coordinates", loop.coordinates},
                                          {"conditions", loop.conditions},
                                          {"redundant", loop.redundant},
                                          {"closed_form", loop.closed_form},
                                          {"freedoms", loop.freedoms()},
                                          {"position", position}});
    }
    report["algebraic_loops"] = nlohmann::ordered_json::array();
    for (const SolvedLoop& loop : structure.algebraic_loops) {
        report["algebraic_loops"].push_back({{"elements", loop.elements}, {"torn", loop.torn}});
    }
    report["constraints_removed"] = nlohmann::ordered_json::array();
    for (const RemovedConstraint& removed : structure.removed_constraints) {
        report["constraints_removed"].push_back({{"element", removed.element}, {"implied_by", removed.implied_by}});
    }
    report["set_to_zero"] = structure.set_to_zero;
    report["modes"] = api::mode_json(structure.modes);
    report["equations"] = structure.equations;
    report["unknowns"] = structure.unknowns;
    report["operations"] = structure.operations;
    return api::json_text(report);
}

std::string removed_text(const Structure& structure) {
    const auto& removed = structure.removed_constraints;
    std::string text =
        heading(fmt::format("Removed constraints: {}", removed.empty() ? "none" : fmt::format("{}", removed.size())));
    for (const RemovedConstraint& r : removed)
        text += fmt::format("  one of {}, implied by {}\n", r.element, fmt::join(r.implied_by, ", "));
    const auto& released = structure.set_to_zero;
    if (!released.empty()) text += fmt::format("  set to 0, as nothing determines it: {}\n", fmt::join(released, ", "));
    return text;
}

std::string number_of(std::ptrdiff_t n, std::string_view one, std::string_view more) {
    return fmt::format("{} {}", n, n == 1 ? one : more);
}

/// "j2.phi = 1.0472 (from 0.9)": what the start values say, as far as the number shown is another one.
std::string coordinate_text(const ClosedCoordinate& c) {
    const std::string after = fmt::format("{:.6g}", c.after);
    const std::string before = fmt::format("{:.6g}", c.before);
    if (before == after) return fmt::format("{} = {} ({})", c.name, after, c.given ? "given" : "not given");
    return fmt::format("{} = {} (from {}{})", c.name, after, before, c.given ? "" : ", not given");
}

/// In lines of a readable width.
std::string position_text(const std::vector<ClosedCoordinate>& position) {
    constexpr std::size_t kWidth = 120;
    std::string text;
    std::string line = "    closed at: ";
    bool fresh = true;
    for (std::size_t k = 0; k < position.size(); ++k) {
        const std::string next = coordinate_text(position[k]) + (k + 1 < position.size() ? "," : "");
        if (!fresh && line.size() + 1 + next.size() > kWidth) {
            text += line + "\n";
            line = "      ";
            fresh = true;
        }
        line += (fresh ? "" : " ") + next;
        fresh = false;
    }
    return text + line + "\n";
}

std::string closed_loops_text(const std::vector<ClosedLoop>& loops) {
    if (loops.empty()) return "";
    std::string text = heading(fmt::format("Mechanisms with closed loops: {}", loops.size()));
    for (const ClosedLoop& loop : loops) {
        text += fmt::format("  joints {}, held together at {}\n", fmt::join(loop.joints, ", "),
                            fmt::join(loop.closures, ", "));
        text += fmt::format("    {}, {}",
                            loop.by_rates
                                ? fmt::format("{} rates (parts roll)", loop.coordinates)
                                : number_of(static_cast<std::ptrdiff_t>(loop.coordinates), "coordinate", "coordinates"),
                            number_of(static_cast<std::ptrdiff_t>(loop.conditions), "condition", "conditions"));
        if (loop.redundant > 0)
            text += fmt::format(", {} redundant (the reactions that would hold {} are set to 0)",
                                loop.redundant == 1 ? "1 of them" : fmt::format("{} of them", loop.redundant),
                                loop.redundant == 1 ? "it" : "them");
        text += ": " + number_of(loop.freedoms(), "freedom", "freedoms") + "\n";
        if (!loop.closed_form.empty())
            text += fmt::format("    in closed form: {}\n", fmt::join(loop.closed_form, ", "));
        if (!loop.released.empty()) text += fmt::format("    set to 0: {}\n", fmt::join(loop.released, ", "));
        text += position_text(loop.position);
    }
    return text;
}

std::string check_text(const std::string& name, const Structure& structure) {
    const auto& states = structure.states;
    const auto& dependent = structure.dependent_storages;
    const auto& variables = structure.dependent_variables;
    const auto& loops = structure.algebraic_loops;
    std::string text = heading(name);
    if (const std::string mode = api::mode_text(structure.modes); !mode.empty())
        text += fmt::format("  structure with {}\n", mode);
    Table counts({Align::right, Align::left});
    const auto count = [&](std::size_t n, const std::string& what) { counts.add({fmt::format("{}", n), what}); };
    const std::size_t parts = structure.parts;
    count(structure.components, "components, junctions included");
    if (parts > 0) count(parts, "elements and junctions inside wrapped components");
    count(structure.bonds, parts > 0 ? "bonds, those inside included" : "bonds");
    count(structure.equations, "equations");
    count(structure.unknowns, "unknowns");
    count(structure.integrated,
          fmt::format("unknowns left for the integrator, {} of them states", structure.integrated_states));
    if (parts > 0) count(structure.operations, "operations to evaluate their equations");
    text += counts.text();
    text += heading(fmt::format("States: {}", states.empty() ? "none" : fmt::format("{}", states.size())));
    for (const std::string& state : states) text += fmt::format("  {}\n", state);
    text += heading(fmt::format("Dependent storages (derivative causality): {}",
                                dependent.empty() ? "none" : fmt::format("{}", dependent.size())));
    for (const DependentStorage& s : dependent) {
        text += fmt::format("  {}", s.name);
        if (!s.depends_on.empty()) text += fmt::format(" depends on {}", fmt::join(s.depends_on, ", "));
        text += '\n';
    }
    if (!variables.empty()) {
        text += heading(fmt::format("Variables that constraints make dependent: {}", variables.size()));
        for (const std::string& name : variables) text += fmt::format("  {}\n", name);
    }
    text += closed_loops_text(structure.closed_loops);
    text += heading(fmt::format("Algebraic loops: {}", loops.empty() ? "none" : fmt::format("{}", loops.size())));
    for (const SolvedLoop& loop : loops) {
        text +=
            fmt::format("  through {}; solved for {}\n", fmt::join(loop.elements, ", "), fmt::join(loop.torn, ", "));
    }
    return text + removed_text(structure);
}

api::FlatteningStage stage_of(std::string_view word) {
    using Stage = api::FlatteningStage;
    if (word == "instances") return Stage::instances;
    if (word == "connected") return Stage::connected;
    return word == "sized" ? Stage::sized : Stage::evaluated;
}

std::string simplification_json(const api::Simplification& simplification) {
    nlohmann::ordered_json report;
    report["steps"] = nlohmann::ordered_json::array();
    for (const api::SimplificationStep& s : simplification.steps)
        report["steps"].push_back({{"rule", s.rule}, {"text", s.text}, {"removed", s.removed}, {"remains", s.remains}});
    report["components_before"] = simplification.components_before;
    report["bonds_before"] = simplification.bonds_before;
    report["components"] = simplification.components;
    report["bonds"] = simplification.bonds;
    return api::json_text(report);
}

std::string simplification_text(const std::string& name, const api::Simplification& s) {
    std::string text = heading(name);
    text += fmt::format("  {} and {}, simplified to {} and {}\n", counted(s.components_before, "component"),
                        counted(s.bonds_before, "bond"), s.components, s.bonds);
    text += heading(fmt::format("Steps: {}", s.steps.empty() ? "none" : fmt::format("{}", s.steps.size())));
    Table steps({Align::right, Align::left, Align::left});
    for (std::size_t k = 0; k < s.steps.size(); ++k)
        steps.add({fmt::format("{}.", k + 1), s.steps[k].rule, s.steps[k].text});
    return text + steps.text();
}

int check(const CheckOptions& options) {
    constexpr std::size_t kMostUnknowns = 5000;
    const api::Model model = load_and_warn(options.model, options.settings);
    if (!options.stage.empty()) {
        put(value_of(model.flattened(stage_of(options.stage))));
        return kDone;
    }
    if (options.simplify) {
        const api::Simplification found = value_of(model.simplification());
        put(options.format == "json" ? simplification_json(found) : simplification_text(model.name(), found));
        return kDone;
    }
    const api::Inspection found = value_of(model.inspect({.values = {}, .most_unknowns = kMostUnknowns}));
    put(options.format == "json" ? check_json(found.structure) : check_text(model.name(), found.structure));
    if (found.refused) throw Refused{*found.refused};
    if (!found.start_solved) say("note: the start was not solved for, the model is large; run does that\n");
    return kDone;
}

}  // namespace

void add_check(Commands& commands) {
    CLI::App* command = commands.application.add_subcommand("check", "Validate a model and report its structure");
    const auto options = std::make_shared<CheckOptions>();
    command->add_option("MODEL", options->model, "The model file")->required();
    CLI::Option* const format =
        command->add_option("--format", options->format, "text or json")->check(CLI::IsMember({"text", "json"}));
    CLI::Option* const simplify =
        command->add_flag("--simplify", options->simplify,
                          "Only list the steps in which the textbook rules simplify the junctions of the bond graph");
    command
        ->add_option("--stage", options->stage,
                     "Only show what the model consists of on its way to a bond graph: instances (types and arrays "
                     "written out), connected (bonds and junctions), sized or evaluated (values and domains)")
        ->check(CLI::IsMember({"instances", "connected", "sized", "evaluated"}))
        ->type_name("STAGE")
        ->excludes(format)
        ->excludes(simplify);
    add_set_option(*command, options->settings);
    add_all_errors_option(*command, options->all_errors);
    commands.actions[command] = [options] {
        return report_mistakes(
            options->model, [&] { return check(*options); }, options->all_errors);
    };
}

}  // namespace bondgraph::cli
