#include "bondgraph/compile/delays.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bondgraph/compile/compiled_model.hpp"
#include "bondgraph/compile/events.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::compile {

using expression::Expr;
using expression::Op;

namespace {

bool varies(const model::BondGraph& graph, Expr e) {
    if (e.is_literal()) return false;
    const std::array roots{e.node()};
    const auto nodes = expression::reachable(*graph.expressions, roots);
    return std::ranges::any_of(nodes, [&](std::uint32_t n) {
        const Op op = (*graph.expressions)[n].op;
        return op == Op::variable || op == Op::derivative || op == Op::time;
    });
}

}  // namespace

namespace {

/// The unknowns that what comes out of delays has a part in, through storages too. Algebraic equations say nothing of
/// which of their unknowns follows from the others.
std::vector<bool> moved_by_delays(const CompiledModel& model) {
    const model::BondGraph& g = model.graph();
    std::vector<bool> is_output(g.variable_count(), false);
    for (const model::Delay& delay : g.delays)
        is_output[g.slot_variable(g.elements[delay.element.index()].slot("y")->first).index()] = true;
    std::vector<std::vector<std::uint32_t>> rows_of(model.size());
    for (std::uint32_t r = 0; r < model.pattern.rows(); ++r) {
        for (const std::uint32_t column : model.pattern.row(r)) rows_of[column].push_back(r);
    }
    std::vector<bool> moved(model.size(), false);
    std::vector<std::uint32_t> open;
    const auto reach = [&](std::uint32_t unknown) {
        if (moved[unknown]) return;
        moved[unknown] = true;
        open.push_back(unknown);
    };
    for (std::uint32_t j = 0; j < model.size(); ++j) {
        const std::size_t variable = model.unknowns[j].variable.index();
        if (variable < is_output.size() && is_output[variable]) reach(j);
    }
    while (!open.empty()) {
        const std::uint32_t unknown = open.back();
        open.pop_back();
        for (const std::uint32_t r : rows_of[unknown]) {
            reach(r);
            if (model.unknowns[r].differential) continue;
            for (const std::uint32_t column : model.pattern.row(r)) {
                if (!model.unknowns[column].differential) reach(column);
            }
        }
    }
    return moved;
}

}  // namespace

bool DelayTapes::any_varying() const { return std::ranges::find(varying, true) != varying.end(); }

DelayTapes delay_tapes(const CompiledModel& model, std::span<const double> modes) {
    const model::BondGraph& g = model.graph();
    DelayTapes result;
    if (g.delays.empty()) return result;
    std::vector<Expr> inputs;
    std::vector<Expr> times;
    const auto ready = [&](Expr e) { return model.in_unknowns(freeze(g, *model.events, e, modes)); };
    for (const model::Delay& delay : g.delays) {
        std::vector<model::Equation> none;
        const model::LawContext k(g, delay.element, none);
        const Expr time = k.scalar("T");
        inputs.push_back(ready(k.input("u") - k.scalar("past")));
        times.push_back(ready(time));
        result.varying.push_back(varies(g, time));
        times.push_back(ready(result.varying.back() ? k.scalar("T_max") : time));
    }
    result.inputs = model.tape(inputs);
    result.times = model.tape(times);
    const std::vector<bool> moved = moved_by_delays(model);
    std::vector<bool> wanted(model.input_size(), false);
    for (std::size_t j = 0; j < moved.size(); ++j) wanted[1 + j] = wanted[1 + moved.size() + j] = moved[j];
    for (const auto& needed : result.inputs.dependencies(wanted)) result.fed_back.push_back(!needed.empty());
    return result;
}

bool holds_delay(const model::BondGraph& graph, Expr e) {
    if (graph.delays.empty() || e.is_literal()) return false;
    const std::array roots{e.node()};
    const auto nodes = expression::reachable(*graph.expressions, roots);
    return std::ranges::any_of(nodes, [&](std::uint32_t n) { return graph.is_delayed((*graph.expressions)[n]); });
}

std::string delayed_text(const model::BondGraph& graph, std::size_t delay) {
    return fmt::format("{}.u(time - {}.T)", graph.elements[graph.delays[delay].element.index()].name,
                       graph.elements[graph.delays[delay].element.index()].name);
}

std::string delayed_text(const model::BondGraph& graph, const expression::Node& leaf) {
    return delayed_text(graph, leaf.a - graph.first_delay());
}

}  // namespace bondgraph::compile
