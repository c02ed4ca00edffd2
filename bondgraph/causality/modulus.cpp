#include "bondgraph/causality/modulus.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::causality {

using expression::Expr;
using expression::Op;
using model::BondGraph;
using model::Element;

namespace {

constexpr double kVanishes = 1e-9;  // beside what the modulus is at other values of the states

/// The value of a variable at the start, where that is plain without solving anything.
std::optional<Expr> start_of(const BondGraph& g, std::uint32_t variable) {
    if (variable < 2 * g.bond_components) return std::nullopt;
    const auto& place = g.slot_variables[variable - 2 * std::size_t{g.bond_components}];
    const Element& e = g.elements[place.element.index()];
    const Element::Slot& slot = e.slots[place.slot];
    const std::size_t k = variable - g.slot_variable(slot.first).index();
    for (const model::StartValue& s : e.starts) {
        if (s.variable == slot.name && k < static_cast<std::size_t>(s.value.value.size()))
            return s.value.value.data()[k];
    }
    if (slot.kind != Element::Slot::Kind::state) return std::nullopt;
    return Expr(k < slot.start.size() ? slot.start[k] : 0.0);
}

/// The modulus at the start values, each shifted by `shift`; nothing where more is needed to know it.
std::optional<double> modulus_at(const BondGraph& g, Expr modulus, double shift) {
    expression::Graph& graph = *g.expressions;
    const std::array roots{modulus};
    const Expr value = expression::substitute(graph, roots, [&](std::uint32_t n) -> std::optional<Expr> {
        const expression::Node& node = graph[n];
        if (node.op == Op::time) return Expr(g.start_time + shift);
        if (node.op != Op::variable) return std::nullopt;
        const auto start = start_of(g, node.a);
        return start ? std::optional(*start + Expr(shift)) : std::nullopt;
    })[0];
    if (!value.is_constant() || !std::isfinite(value.constant())) return std::nullopt;
    return value.constant();
}

bool varies(const expression::Graph& graph, Expr e) {
    if (e.is_literal()) return false;
    const std::array roots{e.node()};
    const auto nodes = expression::reachable(graph, roots);
    return std::any_of(nodes.begin(), nodes.end(), [&](std::uint32_t n) {
        const Op op = graph[n].op;
        return op == Op::variable || op == Op::time || op == Op::derivative || op == Op::held;
    });
}

Division division(const BondGraph& g, Expr modulus) {
    const auto now = modulus_at(g, modulus, 0.0);
    if (!now) return Division::risky;
    double elsewhere = 0.0;
    for (const double shift : {-1.0, -0.3, 0.2, 0.7}) {
        if (const auto value = modulus_at(g, modulus, shift)) elsewhere = std::max(elsewhere, std::abs(*value));
    }
    return std::abs(*now) <= kVanishes * elsewhere || *now == 0.0 ? Division::singular : Division::risky;
}

/// e1 = m e2, f2 = m f1 and e1 = r f2, e2 = r f1: inverse where e1 is given, of a gyrator with e2 as well.
bool is_inverse(const Element& e, const BondGraph& g, const Assignment& a) {
    const auto effort_in = [&](const model::Port& port) {
        return a.effort_in(g.bonds[port.bond.index()].first, port.at_head);
    };
    return effort_in(e.ports[0]) && (e.type->structure == model::Structure::transformer || effort_in(e.ports[1]));
}

}  // namespace

Division worst_division(const BondGraph& g, std::span<const ModulatedTwoPort> two_ports, const Assignment& before,
                        const Assignment& after) {
    Division worst = Division::harmless;
    for (const ModulatedTwoPort& t : two_ports) {
        const Element& e = g.elements[t.element.index()];
        if (is_inverse(e, g, after) && !is_inverse(e, g, before)) worst = std::max(worst, t.division);
    }
    return worst;
}

std::vector<ModulatedTwoPort> modulated_two_ports(const BondGraph& g) {
    std::vector<ModulatedTwoPort> list;
    for (std::size_t i = 0; i < g.elements.size(); ++i) {
        const Element& e = g.elements[i];
        if (!e.type->is_two_port() || e.directed || e.ports.size() != 2 || e.ports[0].size != 1 || e.ports[1].size != 1)
            continue;
        const auto modulus = std::ranges::find_if(e.parameters, [](const auto& p) { return p.has_value(); });
        if (modulus == e.parameters.end() || (*modulus)->value.size() != 1) continue;
        const Expr value = (*modulus)->value.data()[0];
        if (varies(*g.expressions, value)) list.push_back({model::ElementId(i), division(g, value)});
    }
    return list;
}

}  // namespace bondgraph::causality
