// What has no finite value at a point, in the words of who wrote it.

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "bondgraph/expression/print.hpp"
#include "bondgraph/simulation/start.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;

namespace {

// The component in whose parameters or law the expression stands as it was written; of parts of wrapped components
// also as it reads when what others compute has been put in (the length of a spring, by the angles of the joints).
bool find_origin(const CompiledModel& m, std::uint32_t node, NotFinite& result) {
    const model::BondGraph& g = m.graph();
    const auto holds = [&](const expression::Expr& x) {
        if (x.is_literal()) return false;
        const std::array roots{x.node()};
        const auto nodes = expression::reachable(*g.expressions, roots);
        return std::find(nodes.begin(), nodes.end(), node) != nodes.end();
    };
    const auto blame = [&](const model::Element& e, SourcePosition position) {
        result.component = fmt::format("'{}' ({})", e.name, e.type->name);
        result.position = position.known() ? position : e.position;
        return true;
    };
    for (const model::Element& e : g.elements) {
        for (std::size_t k = 0; k < e.parameters.size(); ++k) {
            if (!e.parameters[k]) continue;
            for (const auto& x : e.parameters[k]->value.reshaped()) {
                if (holds(x)) return blame(e, e.parameter_positions[k]);
            }
        }
        for (const auto& equation : e.given_equations) {
            if (holds(equation.lhs) || holds(equation.rhs)) return blame(e, equation.position);
        }
    }
    for (const model::Element& e : g.elements) {
        if (!e.owner.valid()) continue;
        const model::Element& owner = g.elements[e.owner.index()];
        for (const auto& parameter : e.parameters) {
            if (!parameter) continue;
            for (const auto& x : parameter->value.reshaped()) {
                if (!x.is_constant() && holds(m.in_unknowns(x))) return blame(owner, owner.position);
            }
        }
    }
    return false;
}

// The expression itself, and who wrote it, where that can be found.
void blame_node(const CompiledModel& m, std::uint32_t node, NotFinite& result) {
    if (node == expression::kNoNode) return;
    const auto name = [&](const expression::Node& leaf) {
        const std::string v =
            leaf.op == expression::Op::parameter ? "input" : m.name(compile::VariableId(std::size_t{leaf.a}));
        return leaf.op == expression::Op::derivative ? fmt::format("der({})", v) : v;
    };
    result.expression = expression::to_text(m.graph().expressions->at(node), name);
    const expression::Node& culprit = (*m.graph().expressions)[node];
    // A modulus or a resistance of 0 is divided by where causality wants it, not where it was written.
    if (!find_origin(m, node, result) && culprit.op == expression::Op::divide) find_origin(m, culprit.b, result);
    if (result.expression.size() > 200) result.expression = result.expression.substr(0, 200) + "…";
}

}  // namespace

NotFinite explain_not_finite(Evaluator& ev, const expression::Tape& tape, const Point& point) {
    NotFinite result;
    blame_node(ev.model(), tape.first_not_finite(ev.inputs(point.time, point.y, point.yp)), result);
    return result;
}

NotFinite explain_not_finite(Evaluator& ev, double time, std::span<const double> y, std::span<const double> yp) {
    const CompiledModel& m = ev.model();
    const auto inputs = ev.inputs(time, y, yp);
    NotFinite result;
    const std::uint32_t node = m.residual.first_not_finite(inputs);
    std::vector<double> f(m.size());
    ev.residual(time, y, yp, f);
    for (std::size_t i = 0; i < f.size(); ++i) {
        if (std::isfinite(f[i])) continue;
        const auto& e = m.graph().elements[m.rows[i].element.index()];
        result.component = fmt::format("'{}' ({})", e.name, e.type->name);
        result.position = m.rows[i].position.known() ? m.rows[i].position : e.position;
        break;
    }
    blame_node(m, node, result);
    return result;
}

}  // namespace bondgraph::simulation
