#include "bondgraph/drawing/wires.hpp"

#include <algorithm>

namespace bondgraph::drawing {
namespace {

using expression::Expr;
using model::BondGraph;
using model::Element;
using model::ElementId;

/// Roots of everything an element computes with.
std::vector<std::uint32_t> roots_of(const Element& element) {
    std::vector<std::uint32_t> roots;
    const auto add = [&](Expr e) {
        if (!e.is_literal()) roots.push_back(e.node());
    };
    const auto add_all = [&](const model::Quantity& q) {
        for (Eigen::Index i = 0; i < q.value.size(); ++i) add(q.value.data()[i]);
    };
    for (const auto& parameter : element.parameters) {
        if (parameter) add_all(*parameter);
    }
    for (const auto& [name, value] : element.inputs) add_all(value);
    for (const auto* equations : {&element.given_equations, &element.given_updates}) {
        for (const model::GivenEquation& equation : *equations) {
            add(equation.lhs);
            add(equation.rhs);
        }
    }
    return roots;
}

ElementId outermost(const BondGraph& graph, ElementId id) {
    while (graph.elements[id.index()].owner.valid()) id = graph.elements[id.index()].owner;
    return id;
}

/// Whom a variable belongs to. One of a bond belongs to the element at its end, a junction only where there is no
/// other.
ElementId owner_of(const BondGraph& graph, model::VariableId variable, ElementId reader) {
    if (variable.value >= 2 * graph.bond_components)
        return graph.slot_variables[variable.value - 2 * graph.bond_components].element;
    const model::Bond& bond = graph.bonds[graph.bond_of_component(variable.value / 2).index()];
    if (bond.from == reader || bond.to == reader) return reader;
    return graph.elements[bond.to.index()].is_junction() ? bond.from : bond.to;
}

/// The variables among the nodes below `roots`, in ascending order.
std::vector<model::VariableId> variables_below(const BondGraph& graph, const std::vector<std::uint32_t>& roots) {
    std::vector<model::VariableId> found;
    for (const std::uint32_t n : expression::reachable(*graph.expressions, roots)) {
        const expression::Node& node = (*graph.expressions)[n];
        if (node.op == expression::Op::variable || node.op == expression::Op::derivative)
            found.emplace_back(std::size_t{node.a});
        if (node.op == expression::Op::held && node.a < 2 * graph.discretes.size())
            found.push_back(graph.discretes[node.a / 2].variable);
    }
    std::sort(found.begin(), found.end());
    return found;
}

}  // namespace

std::vector<Wire> signal_wires(const BondGraph& graph) {
    std::vector<Wire> wires;
    for (std::size_t i = 0; i < graph.elements.size(); ++i) {
        const Element& element = graph.elements[i];
        if (element.owner.valid() || element.is_junction()) continue;
        const std::vector<std::uint32_t> roots = roots_of(element);
        if (roots.empty()) continue;
        std::vector<ElementId> seen{ElementId(i)};
        for (const model::VariableId v : variables_below(graph, roots)) {
            const ElementId from = outermost(graph, owner_of(graph, v, ElementId(i)));
            if (std::find(seen.begin(), seen.end(), from) != seen.end()) continue;
            seen.push_back(from);
            wires.push_back({from, ElementId(i)});
        }
    }
    return wires;
}

std::vector<Wire> frames_read(const BondGraph& graph) {
    std::vector<Wire> wires;
    for (std::size_t i = 0; i < graph.elements.size(); ++i) {
        for (const model::Connector& c : graph.elements[i].connectors) {
            const bool bonded = std::any_of(c.ends.begin(), c.ends.end(),
                                            [](const model::Connector::End& e) { return e.element.valid(); });
            if (!c.given || bonded || c.signals.empty()) continue;
            const ElementId from = outermost(graph, graph.slot_variables[c.signals.front()].element);
            if (from != ElementId(i)) wires.push_back({from, ElementId(i)});
        }
    }
    return wires;
}

}  // namespace bondgraph::drawing
