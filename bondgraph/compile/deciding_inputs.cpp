#include "bondgraph/compile/deciding_inputs.hpp"

#include <set>

#include "bondgraph/compile/equations.hpp"

namespace bondgraph::compile {
namespace {

class Roots {
   public:
    void add(Expr e) {
        if (!e.is_literal()) nodes.push_back(e.node());
    }
    void add(const std::vector<Expr>& all) {
        for (const Expr& e : all) add(e);
    }
    void add(const std::vector<model::GivenEquation>& all) {
        for (const model::GivenEquation& e : all) {
            add(e.lhs);
            add(e.rhs);
        }
    }
    std::vector<std::uint32_t> nodes;
};

/// A storage's own law, p = I f or q = C e: each has a state to itself, so whatever its value is (but 0), as many
/// constraints are independent, and of the same variables.
bool is_law_of_storage(const model::BondGraph& graph, const ReducedEquation& equation) {
    if (!equation.element.valid()) return false;
    const model::ComponentType& type = *graph.elements[equation.element.index()].type;
    return type.is_storage() && type.energy == model::Energy::stored && !type.free_rates;
}

/// Equations that have been differentiated, with all that comes of them, and what else holds positions together.
void add_constraints(const ReducedSystem& reduced, Roots& roots) {
    for (std::size_t e = 0; e < reduced.equations.size(); ++e) {
        const ReducedEquation& equation = reduced.equations[e];
        if (is_law_of_storage(reduced.graph(), equation)) continue;
        const bool derived = equation.order > 0;
        if (derived || reduced.plan.equation_derivative[e] != kNone) roots.add(equation.residual);
    }
    if (reduced.loops == nullptr) return;
    roots.add(reduced.loops->gaps);
    roots.add(reduced.loops->upright);
    for (const ClosedLoops::Place& place : reduced.loops->places) {
        for (const auto& pose : place.poses) roots.add(pose);
    }
}

/// Where coordinates are searched from, and in which modes.
void add_starts(const model::BondGraph& graph, Roots& roots) {
    for (const model::Element& e : graph.elements) {
        for (const model::StartValue& start : e.starts) {
            for (const Expr& x : start.value.value.reshaped()) roots.add(x);
        }
        roots.add(e.initial_equations);
    }
    roots.add(graph.initial_equations);
    for (const model::DiscreteVariable& d : graph.discretes) roots.add(d.start);
}

}  // namespace

std::vector<std::size_t> deciding_inputs(const ReducedSystem& reduced) {
    const model::BondGraph& graph = reduced.graph();
    if (graph.adjustable.empty()) return {};
    Roots roots;
    add_constraints(reduced, roots);
    add_starts(graph, roots);
    std::set<std::size_t> found;
    for (const std::uint32_t n : expression::reachable(*graph.expressions, roots.nodes)) {
        const expression::Node& node = (*graph.expressions)[n];
        if (node.op != expression::Op::held) continue;
        if (node.a >= graph.first_adjustable() && node.a < graph.first_free())
            found.insert(node.a - graph.first_adjustable());
    }
    return {found.begin(), found.end()};
}

}  // namespace bondgraph::compile
