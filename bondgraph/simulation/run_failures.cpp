#include "bondgraph/simulation/run_failures.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <limits>

#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/expression/print.hpp"
#include "bondgraph/simulation/branching.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;

Failure power_failure(const Situation& now, const EnergyLedger& ledger) {
    const Mode& mode = *now.mode;
    const auto hold = mode.model->hold();
    Point point = now.point;
    const Integrator* integrator = mode.integrator.get();
    if (const auto time = integrator != nullptr ? integrator->not_finite_at() : std::nullopt) {
        point.time = *time;
        mode.integrator->interpolate(point.time, point.y, point.yp);
    } else if (const auto& met = ledger.not_finite(); met && met->y.size() == point.y.size()) {
        point = *met;
    }
    NotFinite why = explain_not_finite(*mode.evaluator, mode.audit->powers(), point);
    if (const auto whose = mode.audit->not_finite(*mode.evaluator, point)) {
        const model::Element& e = mode.model->graph().elements[whose->index()];
        why.component = fmt::format("'{}' ({})", e.name, e.type->name);
        if (!why.position.known()) why.position = e.position;
    }
    return {.message = fmt::format("a power has no finite value at t = {:.6g} s, so that energy can't be balanced",
                                   point.time),
            .component = why.component,
            .equation = why.expression,
            .time = now.point.time,
            .position = why.position};
}

Failure failure_of(const ModelError& error, double time, std::string_view what) {
    const Diagnostic& d = error.diagnostics().front();
    return {.message = fmt::format("{}{}", what, d.message), .time = time, .position = d.position, .notes = d.notes};
}

void advise_on_the_way(Failure& failure) {
    std::erase_if(failure.notes, [](const DiagnosticNote& n) { return n.label == "note" || n.label == "try"; });
    failure.notes.push_back({"because",
                             "close to positions in which constraints depend on each other (links in line), where "
                             "their equations say next to nothing, errors of the steps are magnified"});
    failure.notes.push_back(
        {"try", "choose lengths that avoid such positions, let one part be elastic, or run with a smaller tolerance"});
}

Failure contradiction_failure(const CompiledModel& model, std::size_t left_out, double time) {
    const auto& equation = model.reduced->equations[model.choice->details.redundant[left_out].equation];
    const model::Element& e = model.graph().elements[equation.element.index()];
    return {.message = fmt::format("the constraint of '{}' was left out because others seemed to imply it, but it no "
                                   "longer holds: the constraints contradict each other here",
                                   e.name),
            .component = fmt::format("'{}' ({})", e.name, e.type->name),
            .time = time,
            .position = equation.position};
}

std::string expression_text(const CompiledModel& model, std::uint32_t node) {
    const model::BondGraph& graph = model.graph();
    const auto name = [&](const expression::Node& leaf) -> std::string {
        if (leaf.op == expression::Op::held) return compile::held_text(graph, *model.events, leaf.a);
        return leaf.op == expression::Op::variable ? model.name(compile::VariableId(std::size_t{leaf.a})) : "input";
    };
    const std::string text = expression::to_text(graph.expressions->at(node), name);
    constexpr std::size_t kLongest = 120;
    return text.size() > kLongest ? text.substr(0, kLongest) + "…" : text;
}

namespace {

std::vector<std::string> sorted_states(const CompiledModel& m) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < m.state_count; ++i) names.push_back(m.name(m.unknowns[i].variable));
    std::sort(names.begin(), names.end());
    return names;
}

}  // namespace

namespace {

/// How badly a good choice of states determines the rest there; infinite where none does.
double condition_of(const compile::ReducedSystem& system, const compile::ChoicePoint& at, std::size_t implied) {
    try {
        return compile::choose_states(system, at, implied).condition;
    } catch (const ModelError&) {
        return std::numeric_limits<double>::infinity();
    }
}

/// States that the file demands (`states: always`), where others would determine the rest far better.
std::vector<std::string> demanded_in_vain(const CompiledModel& model, const compile::ChoicePoint& at) {
    constexpr double kFarBetter = 100.0;
    compile::ReducedSystem free = *model.reduced;
    std::vector<std::string> names;
    for (std::uint32_t v = 0; v < free.wishes.size(); ++v) {
        if (free.wishes[v].firmness < compile::kDemanded) continue;
        free.wishes[v] = {};
        names.push_back(free.name(compile::VariableId(std::size_t{v})));
    }
    if (names.empty()) return {};
    const std::size_t implied = model.choice->details.redundant.size();
    const double without = std::max(condition_of(free, at, implied), 1.0);
    return kFarBetter * without < condition_of(*model.reduced, at, implied) ? names : std::vector<std::string>{};
}

}  // namespace

// No choice of states is a good one there, although one was where the present states were chosen.
std::string branching_text(const CompiledModel& model, const compile::ChoicePoint& at) {
    constexpr double kSingular = 1e5;
    constexpr double kWorse = 1e3;
    if (!model.reduced || !model.choice) return {};
    if (const auto names = demanded_in_vain(model, at); !names.empty()) {
        return fmt::format(
            "; {} shall always be {} (states: always), but in this position the rest does not follow from "
            "{}: a coordinate turns round there while others move on; 'states: prefer' lets another one "
            "take over near it",
            fmt::join(names, ", "), names.size() > 1 ? "states" : "a state", names.size() > 1 ? "them" : "it");
    }
    if (!constraints_depend(model, at, std::max(kSingular, kWorse * model.choice->condition))) return {};
    return "; the constraints depend on each other in this position (of links in line, say): the motion may branch "
           "here, "
           "and neither the way on nor the forces of the constraints follow from the equations; choose lengths that "
           "avoid the position, or let one part be elastic";
}

Reselection reselection(const CompiledModel& from, const CompiledModel& to, double time) {
    const auto before = sorted_states(from);
    const auto after = sorted_states(to);
    Reselection r{.time = time, .from = {}, .to = {}};
    std::set_difference(before.begin(), before.end(), after.begin(), after.end(), std::back_inserter(r.from));
    std::set_difference(after.begin(), after.end(), before.begin(), before.end(), std::back_inserter(r.to));
    return r;
}

}  // namespace bondgraph::simulation
