#include "bondgraph/model/modes.hpp"

#include <array>
#include <cmath>

#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::model {

using expression::Expr;
using expression::Op;

std::vector<Update> updates_of(const BondGraph& graph) {
    std::vector<Update> updates;
    if (graph.discretes.empty()) return updates;
    std::vector<Equation> unused;
    for (std::size_t i = 0; i < graph.elements.size(); ++i) {
        const Element& e = graph.elements[i];
        if (e.type->law == nullptr || (e.type->discretes.empty() && e.given_updates.empty())) continue;
        LawContext context(graph, ElementId(i), unused, &updates);
        e.type->law(context);
        unused.clear();
    }
    return updates;
}

namespace {

std::optional<double> known_at_start(const BondGraph& graph, Expr e, std::span<const double> values) {
    if (!e.is_literal()) {
        const std::array roots{e};
        e = expression::substitute(*graph.expressions, roots, [&](std::uint32_t n) -> std::optional<Expr> {
            const expression::Node& node = (*graph.expressions)[n];
            if (node.op == Op::time) return Expr(graph.start_time);
            if (node.op == Op::held && node.a < 2 * values.size()) return Expr(values[node.a / 2]);
            if (node.op != Op::variable) return std::nullopt;
            if (const auto d = graph.discrete_of(VariableId(std::size_t{node.a}))) return Expr(values[*d]);
            return std::nullopt;
        })[0];
    }
    if (!e.is_constant() || !std::isfinite(e.constant())) return std::nullopt;
    return e.constant();
}

}  // namespace

std::vector<double> start_modes(const BondGraph& graph) {
    std::vector<double> values(graph.discretes.size(), 0.0);
    for (std::size_t d = 0; d < values.size(); ++d)
        values[d] = known_at_start(graph, graph.discretes[d].start, values).value_or(0.0);
    for (const Update& u : updates_of(graph)) {
        if (const auto value = known_at_start(graph, u.value, values)) values[u.discrete] = *value;
    }
    return values;
}

PortCausality demanded_causality(const BondGraph& graph, std::span<const double> modes, ElementId element,
                                 std::size_t port, std::size_t component) {
    const Element& e = graph.elements[element.index()];
    // Of a two-port computed one way, the far port gives the flow and the near one the effort.
    if (e.directed) return *e.directed == (port == 0) ? PortCausality::effort_out : PortCausality::flow_out;
    if (e.type->mode_causality != nullptr) {
        std::vector<double> own;
        for (const Element::Slot& s : e.slots) {
            if (s.kind == Element::Slot::Kind::discrete) own.push_back(modes[s.first_discrete]);
        }
        return e.type->mode_causality(e, port, component, own);
    }
    return e.type->causality == nullptr ? PortCausality::free : e.type->causality(e, port, component);
}

}  // namespace bondgraph::model
