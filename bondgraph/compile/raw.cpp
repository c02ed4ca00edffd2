#include <algorithm>
#include <array>
#include <optional>

#include "bondgraph/compile/compiled_model.hpp"
#include "bondgraph/compile/equations.hpp"
#include "bondgraph/compile/facts.hpp"
#include "bondgraph/compile/input_leaves.hpp"
#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::compile {

using expression::Op;

void assemble(CompiledModel& m, std::span<const Expr> residuals) {
    const auto n = static_cast<std::uint32_t>(m.size());
    auto& layout = m.layout;
    layout.time = 0;
    layout.variable.assign(m.values.size(), Id<void>::kNone);
    layout.derivative.assign(m.values.size(), Id<void>::kNone);
    for (std::uint32_t i = 0; i < n; ++i) {
        layout.variable[m.unknowns[i].variable.index()] = 1 + i;
        if (m.unknowns[i].differential) layout.derivative[m.unknowns[i].variable.index()] = 1 + n + i;
    }
    std::vector<Expr> outputs(residuals.begin(), residuals.end());
    outputs.insert(outputs.end(), m.values.begin(), m.values.end());
    const std::size_t leaves = input_leaf_count(*m.graph().expressions, outputs, m.inputs.size());
    // Second and higher derivatives of an input share the place of its first: no step needs their values.
    const auto inputs = static_cast<std::uint32_t>(m.inputs.size());
    for (std::uint32_t u = 0; u < leaves; ++u)
        layout.parameter.push_back(1 + 2 * n + (u < 2 * inputs ? u : inputs + u % inputs));
    for (std::uint32_t h = 0; h < m.held_count(); ++h)
        layout.held.push_back(static_cast<std::uint32_t>(m.first_held()) + h);
    layout.size = static_cast<std::uint32_t>(m.input_size());
    m.residual = m.tape(residuals);
    std::vector<bool> wanted(m.input_size(), false);
    std::fill(wanted.begin() + 1, wanted.begin() + 1 + 2 * static_cast<std::ptrdiff_t>(n), true);
    for (std::vector<std::uint32_t> row : m.residual.dependencies(wanted)) {
        for (std::uint32_t& c : row) c = (c - 1) % n;
        std::sort(row.begin(), row.end());
        row.erase(std::unique(row.begin(), row.end()), row.end());
        m.pattern.add_row(row);
    }
    m.colouring = structure::colour_columns(m.pattern, n);
}

namespace {

struct RawEquation {
    Expr residual;
    RowLabel label;
};

std::vector<RawEquation> as_written(const EquationSystem& s) {
    std::vector<RawEquation> list;
    for (const OrientedEquation& e : s.equations) list.push_back({e.lhs - e.rhs, {e.target, e.element, e.position}});
    return list;
}

/// The same equations with position constraints replaced by what they say of velocities. Over a step of vanishing
/// length h positions stand still; held by the positions themselves, velocities would be found to rounding over h only.
/// Nothing where no constraint lies that deep.
std::optional<std::vector<RawEquation>> by_velocities(const EquationSystem& s) {
    std::optional<ReducedSystem> reduced;
    try {
        reduced = reduce_index(s);
    } catch (const ModelError&) {  // in some mode only: nothing is known of all of them
        return std::nullopt;
    }
    const auto& order = reduced->plan.differentiations;
    if (std::none_of(order.begin(), order.end(), [](std::uint32_t k) { return k >= 2; })) return std::nullopt;
    const std::size_t n = reduced->graph().variable_count();
    expression::Graph& graph = *reduced->graph().expressions;
    bool first_order = true;
    // Derivatives as leaves again.
    const auto with_rates = [&](Expr e) {
        const std::array roots{e};
        return expression::substitute(graph, roots, [&](std::uint32_t k) -> std::optional<Expr> {
            const expression::Node& node = graph[k];
            if (node.op != Op::variable || node.a < n) return std::nullopt;
            const VariableId of = reduced->derived[node.a - n];
            first_order = first_order && of.index() < n;
            return graph.derivative(of.value);
        })[0];
    };
    std::vector<RawEquation> list;
    for (const Assignment& a : reduced->eliminated)
        list.push_back({graph.variable(a.target.value) - a.value, {a.target, a.element, a.position}});
    for (std::uint32_t v = 0; v < n; ++v) {
        const std::uint32_t rate = reduced->derivative_of[v];
        if (rate >= n) continue;
        const model::BondGraph& g = reduced->graph();
        const VariableId x(std::size_t{v});
        const std::size_t bonds = 2 * std::size_t{g.bond_components};
        const auto element =
            v >= bonds ? g.slot_variables[v - bonds].element : g.bonds[g.bond_of_component(v / 2).index()].from;
        list.push_back({graph.derivative(v) - graph.variable(rate), {x, element, g.variable_position(x)}});
    }
    for (std::size_t r = 0; r < order.size(); ++r) {
        const std::size_t used = order[r] >= 2 ? reduced->plan.equation_derivative[r] : r;
        const ReducedEquation& e = reduced->equations[used];
        list.push_back({with_rates(e.residual), {{}, e.element, e.position}});
    }
    if (!first_order || list.size() != n) return std::nullopt;
    return list;
}

}  // namespace

CompiledModel compile_raw(const causality::CausalGraph& causal, std::shared_ptr<const EventTable> events) {
    const EquationSystem s = gather_equations(causal, false, std::move(events), true);
    const model::BondGraph& g = *causal.graph;
    const expression::Graph& graph = *g.expressions;
    CompiledModel m;
    m.causal = &causal;
    m.events = s.events;
    m.equation_count = s.equations.size();
    std::vector<bool> differential(g.variable_count(), false);
    std::vector<Expr> residuals;
    const auto velocities = by_velocities(s);
    for (const RawEquation& e : velocities ? *velocities : as_written(s)) {
        residuals.push_back(e.residual);
        m.rows.push_back(e.label);
        if (residuals.back().is_literal()) continue;
        const std::array roots{residuals.back().node()};
        for (const std::uint32_t n : expression::reachable(graph, roots)) {
            if (graph[n].op == Op::derivative) differential[graph[n].a] = true;
        }
    }
    for (std::size_t v = 0; v < differential.size(); ++v) {
        m.unknowns.push_back({VariableId(v), differential[v], 0.0});
        m.values.push_back(g.variable(VariableId(v)));
    }
    m.state_count = static_cast<std::size_t>(std::count(differential.begin(), differential.end(), true));
    assemble(m, residuals);
    m.energy = energy_terms(m);
    // In any mode: discrete variables are held values here, too.
    EventExpressions at = event_expressions(g, *m.events, {});
    m.at_events.differences = m.tape(at.differences);
    m.at_events.updates = m.tape(at.updates);
    m.at_events.conditions = m.tape(at.conditions);
    m.at_events.actions = m.tape(at.actions);
    return m;
}

}  // namespace bondgraph::compile
