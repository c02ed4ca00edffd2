#include <algorithm>
#include <array>

#include "bondgraph/compile/compiled_model.hpp"
#include "bondgraph/compile/equations.hpp"
#include "bondgraph/compile/facts.hpp"

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
    for (std::uint32_t u = 0; u < 2 * m.inputs.size(); ++u) layout.parameter.push_back(1 + 2 * n + u);
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
    for (const OrientedEquation& e : s.equations) {
        residuals.push_back(e.lhs - e.rhs);
        m.rows.push_back({e.target, e.element, e.position});
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
