#include "bondgraph/equivalence/kept_nodes.hpp"

#include <functional>

#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::equivalence {
namespace {

using expression::Expr;
using expression::ExprMatrix;
using expression::Node;
using expression::Op;
using model::BondGraph;
using model::Element;
using model::GivenEquation;

void visit_expressions(const Element& e, const std::function<void(Expr)>& visit) {
    const auto matrix = [&](const ExprMatrix& m) {
        for (const Expr x : m.reshaped()) visit(x);
    };
    for (const auto& p : e.parameters) {
        if (p) matrix(p->value);
    }
    for (const auto& [name, q] : e.inputs) matrix(q.value);
    for (const auto* equations : {&e.given_equations, &e.given_updates, &e.initial_equations}) {
        for (const GivenEquation& g : *equations) {
            visit(g.lhs);
            visit(g.rhs);
        }
    }
    for (const model::StartValue& s : e.starts) matrix(s.value.value);
}

}  // namespace

std::vector<bool> kept_nodes(const BondGraph& graph, const Network& network) {
    std::vector<std::uint32_t> roots;
    const auto visit = [&](Expr e) {
        if (!e.is_literal()) roots.push_back(e.node());
    };
    for (const Element& e : graph.elements) visit_expressions(e, visit);
    for (const model::When& w : graph.whens) {
        visit(w.condition);
        for (const model::WhenAction& a : w.actions) {
            visit(a.target);
            visit(a.value);
        }
    }
    for (const GivenEquation& g : graph.initial_equations) {
        visit(g.lhs);
        visit(g.rhs);
    }
    std::vector<bool> kept(network.gone.size());
    for (const std::uint32_t n : expression::reachable(*graph.expressions, roots)) {
        const Node& node = (*graph.expressions)[n];
        if ((node.op != Op::variable && node.op != Op::derivative) || node.a >= 2 * graph.bond_components) continue;
        const model::Bond& b = graph.bonds[graph.bond_of_component(node.a / 2).index()];
        if (!graph.elements[b.from.index()].is_junction() || !graph.elements[b.to.index()].is_junction()) continue;
        kept[network.node(graph, b.from, b.from_port)] = true;
        kept[network.node(graph, b.to, b.to_port)] = true;
    }
    return kept;
}

}  // namespace bondgraph::equivalence
