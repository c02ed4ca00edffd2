#include "bondgraph/model/port_quantities.hpp"

#include <algorithm>

namespace bondgraph::model {

using expression::Expr;
using expression::ExprMatrix;

std::optional<Quantity> port_quantity(const BondGraph& g, const Port& port, const std::string& what) {
    const Domain& d = domains()[port.domain];
    const bool power = what == "power";
    const bool effort = what == "e" || (!d.effort.empty() && what == d.effort);
    const bool flow = what == "f" || (!d.flow.empty() && what == d.flow);
    if (!power && !effort && !flow) return std::nullopt;
    ExprMatrix m(power ? 1 : static_cast<Eigen::Index>(port.size), 1);
    Expr sum = 0.0;
    for (std::uint32_t k = 0; k < port.size; ++k) {
        const Expr e = g.expressions->variable(port.first_effort + 2 * k);
        const Expr f = g.expressions->variable(port.first_effort + 2 * k + 1);
        if (power) {
            sum += Expr(port.sign) * e * f;
        } else {
            m(k, 0) = effort ? e : Expr(port.sign) * f;
        }
    }
    if (power) m(0, 0) = sum;
    Measure measure;
    if (port.domain != kGeneric) {
        measure = power ? Measure::of(d.effort_dimension * d.flow_dimension)
                        : Measure::of(effort ? d.effort_dimension : d.flow_dimension, port.domain);
    }
    return Quantity{m, measure};
}

namespace {

// Where a bond of a connector ends. A component without part in it (the rotation of a point mass) has no effort there;
// the flow is that of the others who share the signal, which is its integral.
const Connector::End* end_of(const BondGraph& g, const Connector& connector, std::size_t bond, bool or_others) {
    const auto own = [&](const Connector& c) {
        return bond < c.ends.size() && c.ends[bond].element.valid() ? &c.ends[bond] : nullptr;
    };
    if (const auto* end = own(connector); end != nullptr || !or_others) return end;
    if (bond >= connector.signals.size()) return nullptr;
    for (const Element& e : g.elements) {
        for (const Connector& c : e.connectors) {
            if (c.type != connector.type || bond >= c.signals.size()) continue;
            if (c.signals[bond] != connector.signals[bond]) continue;
            if (const auto* end = own(c)) return end;
        }
    }
    return nullptr;
}

}  // namespace

std::optional<Quantity> connector_quantity(const BondGraph& g, const Element& e, const std::string& rest) {
    const auto dot = rest.find('.');
    if (dot == std::string::npos) return std::nullopt;
    const Connector* c = e.connector(rest.substr(0, dot));
    const std::string what = rest.substr(dot + 1);
    if (c == nullptr) return std::nullopt;
    for (std::size_t s = 0; s < c->signals.size(); ++s) {
        const ConnectorSignal& spec = c->type->signals[s];
        if (spec.name != what) continue;
        ExprMatrix m(spec.rows, spec.cols);
        for (std::uint32_t k = 0; k < spec.rows * spec.cols; ++k)
            m(k / spec.cols, k % spec.cols) = g.variable(g.slot_variable(c->signals[s] + k));
        return Quantity{m, spec.unit == "m" ? Measure::of({.metre = 1}) : Measure{}};
    }
    for (std::size_t b = 0; b < c->type->bonds.size(); ++b) {
        const ConnectorBond& spec = c->type->bonds[b];
        const bool effort = spec.effort == what;
        if (!effort && spec.flow != what) continue;
        const Domain& domain = domains()[*find_domain(spec.domain)];
        ExprMatrix m(spec.size, 1);
        const Connector::End* end = end_of(g, *c, b, !effort);
        if (end == nullptr) {
            if (!effort || c->ends.empty()) return std::nullopt;
            m.setConstant(0.0);
            return Quantity{m, Measure::of(domain.effort_dimension)};
        }
        const Port& port = g.elements[end->element.index()].ports[end->port];
        for (std::uint32_t k = 0; k < spec.size; ++k) {
            const Expr x = g.expressions->variable(port.first_effort + 2 * k + (effort ? 0 : 1));
            m(k, 0) = effort && !port.at_head ? -x : x;
        }
        return Quantity{m, Measure::of(effort ? domain.effort_dimension : domain.flow_dimension, port.domain)};
    }
    return std::nullopt;
}

bool is_exposed(const BondGraph& g, const Element& e) {
    if (!e.is_junction() || !e.owner.valid() || e.ports.empty()) return false;
    const Element& owner = g.elements[e.owner.index()];
    const std::string_view name = std::string_view(e.name).substr(std::min(e.name.size(), owner.name.size() + 1));
    return std::any_of(owner.type->ports.begin(), owner.type->ports.end(),
                       [&](const PortSpec& p) { return p.name == name; }) ||
           (!owner.motions.empty() && name.starts_with("axis_"));
}

std::optional<Quantity> exposed_quantity(const BondGraph& g, const Element& e, const std::string& what) {
    if (!is_exposed(g, e)) return std::nullopt;
    Port neutral = e.ports[0];
    neutral.sign = 1;
    auto shared = port_quantity(g, neutral, what);
    if (!shared) return std::nullopt;
    const Domain& d = domains()[neutral.domain];
    const bool effort = what == "e" || (!d.effort.empty() && what == d.effort);
    const bool power = what == "power";
    if (!power && effort == (e.type->structure == Structure::junction0)) return shared;
    for (Expr& x : shared->value.reshaped()) x = 0.0;
    for (const Port& p : e.ports) {
        const Bond& b = g.bonds[p.bond.index()];
        const ElementId other = p.at_head ? b.from : b.to;
        if (g.elements[other.index()].owner == e.owner || other == e.owner) continue;
        Port inwards = p;
        inwards.sign = 1;
        const auto brought = port_quantity(g, inwards, what);
        for (Eigen::Index k = 0; k < shared->value.rows(); ++k)
            shared->value(k, 0) = shared->value(k, 0) + (p.at_head ? brought->value(k, 0) : -brought->value(k, 0));
    }
    return shared;
}

}  // namespace bondgraph::model
