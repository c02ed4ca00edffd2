#include "bondgraph/compile/kinematics.hpp"

#include <array>
#include <optional>

#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::compile {

using expression::Op;

Kinematics::Kinematics(const EquationSystem& system, const model::Connector* at_rest)
    : graph_(*system.causal->graph->expressions),
      equation_of_(system.is_state.size(), kNone),
      known_(system.is_state.size(), false),
      value_(system.is_state.size(), Expr(0.0)),
      s_(system) {
    const model::BondGraph& g = *system.causal->graph;
    const std::size_t bonds = 2 * std::size_t{g.bond_components};
    for (std::uint32_t r = 0; r < system.equations.size(); ++r) {
        const OrientedEquation& e = system.equations[r];
        if (e.lhs.is_literal() || graph_[e.lhs.node()].op != Op::variable) continue;
        const std::uint32_t v = graph_[e.lhs.node()].a;
        if (v < bonds || system.is_state[v]) continue;
        // A signal of a connector is the variable "connector.signal" of the component that computes it.
        const auto& slot = g.slot_variables[v - bonds];
        const model::Element& element = g.elements[slot.element.index()];
        const std::string& name = element.slots[slot.slot].name;
        if (element.connector(name.substr(0, name.find('.'))) != nullptr && slot.element == e.element)
            equation_of_[v] = r;
    }
    for (std::size_t k = 0; at_rest != nullptr && k < at_rest->signals.size(); ++k) {
        const model::ConnectorSignal& signal = at_rest->type->signals[k];
        for (std::uint32_t i = 0; i < signal.rows * signal.cols; ++i) {
            const VariableId v = g.slot_variable(at_rest->signals[k] + i);
            known_[v.index()] = true;
            value_[v.index()] = signal.cols > 1 && i / signal.cols == i % signal.cols ? 1.0 : 0.0;
        }
    }
}

std::vector<std::uint32_t> Kinematics::open_variables(Expr e) const {
    std::vector<std::uint32_t> open;
    if (e.is_literal()) return open;
    const std::array roots{e.node()};
    for (const std::uint32_t n : expression::reachable(graph_, roots)) {
        const expression::Node& node = graph_[n];
        if (node.op == Op::variable && equation_of_[node.a] != kNone && !known_[node.a]) open.push_back(node.a);
    }
    return open;
}

Expr Kinematics::replaced(Expr e) {
    if (e.is_literal()) return e;
    const std::array roots{e};
    return expression::substitute(graph_, roots, [&](std::uint32_t n) -> std::optional<Expr> {
        const expression::Node& node = graph_[n];
        if (node.op != Op::variable || !known_[node.a]) return std::nullopt;
        return value_[node.a];
    })[0];
}

// A stack of its own: chains may be long.
void Kinematics::resolve(std::uint32_t variable) {
    std::vector<std::uint32_t> stack{variable};
    while (!stack.empty()) {
        const std::uint32_t v = stack.back();
        if (known_[v]) {
            stack.pop_back();
            continue;
        }
        const Expr value = s_.equations[equation_of_[v]].rhs;
        const auto open = open_variables(value);
        if (open.empty()) {
            value_[v] = replaced(value);
            known_[v] = true;
            stack.pop_back();
        }
        stack.insert(stack.end(), open.begin(), open.end());
    }
}

Expr Kinematics::in_coordinates(Expr e) {
    for (const std::uint32_t v : open_variables(e)) resolve(v);
    return replaced(e);
}

std::vector<Expr> pose_of(const model::BondGraph& g, const model::Connector& connector,
                          const std::function<Expr(Expr)>& in_coordinates) {
    std::vector<Expr> pose;
    for (std::size_t i = 0; i < connector.signals.size(); ++i) {
        const model::ConnectorSignal& signal = connector.type->signals[i];
        for (std::uint32_t j = 0; j < signal.rows * signal.cols; ++j)
            pose.push_back(in_coordinates(g.variable(g.slot_variable(connector.signals[i] + j))));
    }
    constexpr std::size_t kPlanarFrame = 3;
    if (pose.size() != kPlanarFrame) return pose;
    const Expr c = expression::cos(pose[2]);
    const Expr s = expression::sin(pose[2]);
    return {pose[0], pose[1], 0.0, c, s, 0.0, -s, c, 0.0, 0.0, 0.0, 1.0};
}

}  // namespace bondgraph::compile
