#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bondgraph/model/law_context.hpp"
#include "bondgraph/model/port_quantities.hpp"
#include "bondgraph/model/shown_unit.hpp"

namespace bondgraph::model {

using expression::Expr;
using expression::ExprMatrix;
using expression::ExprVector;

Catalogue::Catalogue(std::vector<const ComponentType*> types, std::vector<const ConnectorType*> connectors)
    : types_(std::move(types)), connectors_(std::move(connectors)) {}

const ConnectorType* Catalogue::find_connector(std::string_view name) const {
    for (const ConnectorType* c : connectors_) {
        if (c->name == name) return c;
    }
    return nullptr;
}

const ComponentType* Catalogue::find(std::string_view name) const {
    for (const ComponentType* t : types_) {
        if (t->name == name) return t->alias_of.empty() ? t : find(t->alias_of);
    }
    return nullptr;
}

std::vector<std::string> Catalogue::names() const {
    std::vector<std::string> result;
    for (const ComponentType* t : types_) result.emplace_back(t->name);
    return result;
}

const Quantity* Element::parameter(std::string_view parameter_name) const {
    for (std::size_t k = 0; k < type->parameters.size() && k < parameters.size(); ++k) {
        if (type->parameters[k].name == parameter_name && parameters[k]) return &*parameters[k];
    }
    return nullptr;
}

std::uint32_t Element::port_components() const {
    std::uint32_t n = 0;
    for (const Port& p : ports) n += p.size;
    return n;
}

const Element::Slot* Element::slot(std::string_view slot_name) const {
    if (slot_numbers != nullptr) {
        const auto found = slot_numbers->find(std::string(slot_name));
        return found == slot_numbers->end() ? nullptr : &slots[found->second];
    }
    for (const Slot& s : slots) {
        if (s.name == slot_name) return &s;
    }
    return nullptr;
}

const Connector* Element::connector(std::string_view connector_name) const {
    for (const Connector& c : connectors) {
        if (c.name == connector_name) return &c;
    }
    return nullptr;
}

Topology BondGraph::topology() const {
    Topology t(elements.size());
    for (std::size_t i = 0; i < bonds.size(); ++i) boost::add_edge(bonds[i].from.index(), bonds[i].to.index(), i, t);
    return t;
}

namespace {

// The end a bond is named after: a one-port, else a port of a component that is no junction.
std::optional<std::string> port_label(const BondGraph& g, const Bond& b) {
    const std::array ends{std::pair{b.to, b.to_port}, std::pair{b.from, b.from_port}};
    for (const bool single : {true, false}) {
        for (const auto& [id, port] : ends) {
            const Element& e = g.elements[id.index()];
            if (e.is_junction()) continue;
            if (single && e.ports.size() == 1) return e.name;
            if (!single && e.ports.size() > 1) return e.name + "." + e.ports[port].name;
        }
    }
    return std::nullopt;
}

}  // namespace

std::string BondGraph::bond_label(BondId id) const {
    const Bond& b = bonds[id.index()];
    if (!b.name.empty()) return b.name;
    if (auto label = port_label(*this, b)) return *std::move(label);
    const Element& from = elements[(b.reversed ? b.to : b.from).index()];
    const Element& to = elements[(b.reversed ? b.from : b.to).index()];
    return from.name + "->" + to.name;
}

std::string BondGraph::variable_name(VariableId id) const {
    if (id.value < 2 * bond_components) {
        const std::uint32_t component = id.value / 2;
        const BondId bond = bond_of_component(component);
        const Bond& b = bonds[bond.index()];
        const auto label = port_label(*this, b);
        const std::string index = b.size > 1 ? fmt::format("[{}]", component - b.first + 1) : "";
        return (label ? *label : bond_label(bond)) + (id.value % 2 == 0 ? ".e" : ".f") + index;
    }
    const SlotVariable& s = slot_variables[id.value - 2 * bond_components];
    const Element& e = elements[s.element.index()];
    const Element::Slot& slot = e.slots[s.slot];
    return e.name + "." + slot.name + (slot.size > 1 ? fmt::format("[{}]", s.component + 1) : "");
}

namespace {

Measure slot_measure(const Element& e, const Element::Slot& slot, const Port& port) {
    if (slot.measure) return *slot.measure;
    for (const StateSpec& s : e.type->states) {
        if (s.name != slot.name) continue;
        if (const auto d = s.dimension.in(port.domain); d && port.domain != kGeneric)
            return Measure::of(*d, port.domain);
    }
    for (const SignalSpec& s : e.type->outputs) {
        if (s.name != slot.name || !s.dimension.checked || port.domain == kGeneric) continue;
        if (const auto d = s.dimension.in(port.domain)) return Measure::of(*d, port.domain);
    }
    return {};
}

bool is_field_of_ports(const Element& e) { return e.type->pattern == PortPattern::field && e.ports.size() > 1; }

// Of a field across domains the whole has none; its components have.
Measure slot_measure(const Element& e, const Element::Slot& slot) {
    static const Port kNoPort{};
    const Port& first = e.ports.empty() ? kNoPort : e.ports[0];
    if (is_field_of_ports(e) && !slot.measure) {
        for (const Port& p : e.ports) {
            if (p.domain != first.domain) return {};
        }
    }
    return slot_measure(e, slot, first);
}

}  // namespace

std::optional<Quantity> element_variable(const BondGraph& g, ElementId id, const std::string& rest) {
    const Element& e = g.elements[id.index()];
    if (auto q = connector_quantity(g, e, rest)) return q;
    if (const Element::Slot* slot = e.slot(rest)) {
        ExprMatrix m(static_cast<Eigen::Index>(slot->size), 1);
        for (std::uint32_t k = 0; k < slot->size; ++k) m(k, 0) = g.variable(g.slot_variable(slot->first + k));
        return Quantity{m, slot_measure(e, *slot)};
    }
    if (e.ports.size() == 1 && !e.is_junction()) {
        if (auto q = port_quantity(g, e.ports[0], rest)) return q;
    }
    if (auto q = exposed_quantity(g, e, rest)) return q;
    if (e.is_junction() && !e.ports.empty()) {
        // What is common at a junction may be read from it.
        const bool effort = e.type->structure == Structure::junction0;
        const Domain& d = domains()[e.ports[0].domain];
        if (rest == (effort ? "e" : "f") || (!d.effort.empty() && rest == (effort ? d.effort : d.flow))) {
            return port_quantity(g, e.ports[0], rest);
        }
        return std::nullopt;
    }
    if (e.type->pattern == PortPattern::field && (rest == "e" || rest == "f")) {
        // A field bonded by p1 … pn has one vector of efforts and of flows, as if bonded by p.
        ExprMatrix all(static_cast<Eigen::Index>(e.ports.size()), 1);
        for (std::size_t i = 0; i < e.ports.size(); ++i) {
            all(static_cast<Eigen::Index>(i), 0) = port_quantity(g, e.ports[i], rest)->value(0, 0);
        }
        return Quantity{all, {}};
    }
    const auto dot = rest.rfind('.');
    if (dot == std::string::npos) return std::nullopt;
    for (const Port& p : e.ports) {
        if (p.name == rest.substr(0, dot)) return port_quantity(g, p, rest.substr(dot + 1));
    }
    return std::nullopt;
}

namespace {

// Where ports differ in domain, each component of a field has its own measure.
std::optional<Measure> own_measure(const BondGraph& g, const Element& e, const std::string& rest,
                                   std::size_t component) {
    if (!is_field_of_ports(e) || component >= e.ports.size()) return std::nullopt;
    const Port& port = e.ports[component];
    if (rest == "e" || rest == "f") return port_quantity(g, port, rest)->measure;
    const Element::Slot* slot = e.slot(rest);
    if (slot == nullptr || slot->size != e.ports.size()) return std::nullopt;
    return slot_measure(e, *slot, port);
}

}  // namespace

std::vector<Measure> component_measures(const BondGraph& g, ElementId id, const std::string& rest) {
    const Element& e = g.elements[id.index()];
    const auto q = element_variable(g, id, rest);
    if (!q) return {};
    std::vector<Measure> measures(static_cast<std::size_t>(q->value.size()), q->measure);
    for (std::size_t k = 0; k < measures.size() && is_field_of_ports(e); ++k) {
        if (const auto own = own_measure(g, e, rest, k)) measures[k] = *own;
    }
    return measures;
}

std::vector<std::string> element_variable_names(const BondGraph& g, ElementId id) {
    const Element& e = g.elements[id.index()];
    std::vector<std::string> names;
    for (const Element::Slot& s : e.slots) names.push_back(s.name);
    for (const Connector& c : e.connectors) {
        for (const ConnectorSignal& s : c.type->signals) names.push_back(c.name + "." + std::string(s.name));
        for (std::size_t b = 0; b < c.ends.size(); ++b) {
            names.push_back(c.name + "." + std::string(c.type->bonds[b].effort));
            names.push_back(c.name + "." + std::string(c.type->bonds[b].flow));
        }
    }
    if (e.is_junction() && !is_exposed(g, e)) {
        names.emplace_back(e.type->structure == Structure::junction0 ? "e" : "f");
        return names;
    }
    for (const Port& p : e.ports) {
        const std::string prefix = e.ports.size() == 1 || e.is_junction() ? "" : p.name + ".";
        for (const char* what : {"e", "f", "power"}) names.push_back(prefix + what);
        const Domain& d = domains()[p.domain];
        if (!d.effort.empty()) {
            names.push_back(prefix + std::string(d.effort));
            names.push_back(prefix + std::string(d.flow));
        }
        if (e.is_junction()) break;  // its ports have no names
    }
    return names;
}

std::optional<Quantity> bond_variable(const BondGraph& g, const BondGraph::NamedBond& named, const std::string& rest) {
    const Bond& b = g.bonds[named.bond.index()];
    const Port& port = g.elements[b.to.index()].ports[b.to_port];
    Port neutral = port;
    neutral.sign = 1;
    auto q = port_quantity(g, neutral, rest);
    if (!q || !named.reversed) return q;
    // The half arrow is drawn against the internal direction: power changes sign, and with it the effort at a
    // 1-junction (whose flow is common) or else the flow.
    const bool at_one = g.elements[b.from.index()].type->structure == Structure::junction1 ||
                        g.elements[b.to.index()].type->structure == Structure::junction1;
    const Domain& d = domains()[port.domain];
    const bool effort = rest == "e" || (!d.effort.empty() && rest == d.effort);
    if (rest == "power" || effort == at_one) {
        for (Expr& x : q->value.reshaped()) x = -x;
    }
    return q;
}

namespace {

// The unnamed bond "a->b" between two junctions, of several the first; looked for from the end with fewer bonds, so
// that naming every bond of a large model stays linear.
std::optional<BondId> unnamed_bond(const BondGraph& g, const std::string& label) {
    const auto arrow = label.find("->");
    const auto from = g.element_by_name.find(label.substr(0, arrow));
    const auto to = g.element_by_name.find(label.substr(arrow + 2));
    if (from == g.element_by_name.end() || to == g.element_by_name.end()) return std::nullopt;
    const std::vector<Port>& a = g.elements[from->second.index()].ports;
    const std::vector<Port>& b = g.elements[to->second.index()].ports;
    std::optional<BondId> first;
    for (const Port& p : a.size() <= b.size() ? a : b) {
        if (p.bond.valid() && (!first || p.bond < *first) && g.bond_label(p.bond) == label) first = p.bond;
    }
    return first;
}

// A torque shares its dimension with energy, an angular velocity with a frequency: what they are tells the port.
std::string shown_unit(const Quantity& q, DomainIndex domain, const std::string& rest) {
    if (!q.measure.known()) return "";
    const Domain& d = domains()[domain];
    const auto is = [&](const std::string& name) { return rest == name || rest.ends_with("." + name); };
    if (d.name == "rotational") {
        if (q.measure.dimension == d.effort_dimension && (is("e") || is("torque"))) return "N.m";
        if (q.measure.dimension == d.flow_dimension && (is("f") || is("angular_velocity"))) return "rad/s";
    }
    return unit_name(q.measure.dimension);
}

// Whether an own type declares a variable in a unit of angles.
bool declared_angular(const Element& e, const std::string& name) {
    if (e.declaration == nullptr) return false;
    const auto angular = [&](const VariableDeclaration& v) {
        if (v.name.text != name || !v.unit) return false;
        const std::string_view unit = v.unit->text;
        return unit.starts_with("rad") || unit.starts_with("deg/") || unit == "deg" || unit.starts_with("rev") ||
               unit == "rpm";
    };
    const auto any = [&](const auto& list) { return std::any_of(list.begin(), list.end(), angular); };
    return any(e.declaration->body.variables) || any(e.declaration->outputs);
}

// Also what an element's states and outputs measure may be a torque or an angle. In mechanisms nothing else is measured
// in plain numbers.
std::string shown_unit(const Quantity& q, const Element& e, const std::string& rest) {
    if (!q.measure.known()) return "";
    for (const SignalSpec& s : e.type->outputs) {
        if (s.name == rest) return shown_unit(s.dimension, q.measure.dimension);
    }
    for (const StateSpec& s : e.type->states) {
        if (s.name == rest && !e.ports.empty() && e.type->build == nullptr)
            return shown_unit(s.dimension, q.measure.dimension);
    }
    if (e.type->build != nullptr || !e.connectors.empty() || declared_angular(e, rest))
        return angular_unit(q.measure.dimension);
    return shown_unit(q, e.ports.empty() ? kGeneric : e.ports.back().domain, rest);
}

/// "3" or "2,3": indices from 1; none where the text is something else.
std::vector<std::size_t> indices_in(std::string_view text) {
    std::vector<std::size_t> indices{0};
    bool digit = false;
    for (const char c : text) {
        if (c == ',' && digit && indices.size() == 1) {
            indices.push_back(0);
            digit = false;
        } else if (c >= '0' && c <= '9' && indices.back() < 100000) {
            indices.back() = 10 * indices.back() + static_cast<std::size_t>(c - '0');
            digit = true;
        } else if (c != ' ') {
            return {};
        }
    }
    return digit && indices.front() > 0 && indices.back() > 0 ? indices : std::vector<std::size_t>{};
}

/// A scalar of a result: of a matrix by row and column, or counted row by row.
std::optional<Expr> component(const ExprMatrix& m, const std::vector<std::size_t>& indices) {
    const auto rows = static_cast<std::size_t>(m.rows());
    const auto cols = static_cast<std::size_t>(m.cols());
    if (indices.empty()) return m.size() == 1 ? std::optional(m(0, 0)) : std::nullopt;
    std::size_t row = indices[0] - 1;
    std::size_t column = indices.size() == 2 ? indices[1] - 1 : row % cols;
    if (indices.size() == 1) row /= cols;
    if (row >= rows || column >= cols) return std::nullopt;
    return m(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column));
}

/// The signals and flows of a composite's connector.
std::optional<Quantity> shared_quantity(const BondGraph& g, const BondGraph::SharedConnector& shared,
                                        const std::string& rest) {
    const Element& e = g.elements[shared.element.index()];
    const Connector& c = e.connectors[shared.connector];
    for (const ConnectorBond& bond : c.type->bonds) {
        if (bond.effort == rest) return std::nullopt;
    }
    return connector_quantity(g, e, c.name + "." + rest);
}

std::string describe(const Element& e, const std::string& rest) {
    return fmt::format("{} of {} '{}'", rest, e.type->name, e.name);
}

}  // namespace

std::optional<NameLookup::Named> NameLookup::look_up(const std::string& head, const std::string& rest) const {
    const BondGraph& g = graph_;
    const auto named = [&](std::optional<Quantity> q, std::string unit, std::string description,
                           std::optional<ElementId> element = std::nullopt) -> std::optional<Named> {
        if (!q) return std::nullopt;
        return Named{*std::move(q), std::move(unit), std::move(description), element, rest};
    };
    const auto of_bond = [&](const BondGraph::NamedBond& bond, std::string description) {
        auto q = bond_variable(g, bond, rest);
        std::string unit = q ? shown_unit(*q, g.bonds[bond.bond.index()].domain, rest) : "";
        return named(std::move(q), std::move(unit), std::move(description));
    };
    if (const auto e = g.element_by_name.find(head); e != g.element_by_name.end()) {
        const Element& element = g.elements[e->second.index()];
        auto q = element_variable(g, e->second, rest);
        std::string unit = q ? shown_unit(*q, element, rest) : "";
        return named(std::move(q), std::move(unit), describe(element, rest), e->second);
    }
    if (const auto b = g.bond_by_name.find(head); b != g.bond_by_name.end()) {
        return of_bond(b->second, fmt::format("{} of bond '{}'", rest, head));
    }
    if (const auto c = g.shared_connectors.find(head); c != g.shared_connectors.end()) {
        return named(shared_quantity(g, c->second, rest), "", fmt::format("{} of '{}'", rest, head));
    }
    if (head.find("->") == std::string::npos) return std::nullopt;
    const auto bond = unnamed_bond(g, head);
    if (!bond) return std::nullopt;
    return of_bond({*bond, g.bonds[bond->index()].reversed}, fmt::format("{} of bond {}", rest, head));
}

std::optional<NameLookup::Named> NameLookup::look_up(const std::string& base) const {
    if (base == "time") return Named{Quantity::scalar(graph_.expressions->time()), "s", "time", std::nullopt, base};
    if (const auto handed = graph_.handed_signals.find(base); handed != graph_.handed_signals.end()) {
        const Quantity& q = handed->second;
        return Named{q, q.measure.known() ? unit_name(q.measure) : "", fmt::format("signal '{}'", base), std::nullopt,
                     base};
    }
    for (auto dot = base.rfind('.'); dot != std::string::npos && dot > 0; dot = base.rfind('.', dot - 1)) {
        if (auto found = look_up(base.substr(0, dot), base.substr(dot + 1))) return found;
    }
    return std::nullopt;
}

std::optional<ResolvedName> NameLookup::resolve(const std::string& name) {
    std::string base = name;
    std::vector<std::size_t> indices;
    if (base.ends_with(']')) {
        const auto open = base.rfind('[');
        if (open == std::string::npos) return std::nullopt;
        indices = indices_in(std::string_view(base).substr(open + 1, base.size() - open - 2));
        if (indices.empty()) return std::nullopt;
        base.resize(open);
    }
    if (base != base_) {
        named_ = look_up(base);
        base_ = std::move(base);
    }
    if (!named_) return std::nullopt;
    const auto value = component(named_->quantity.value, indices);
    if (!value) return std::nullopt;
    std::string unit = named_->unit;
    if (named_->element && !named_->quantity.measure.known() && indices.size() == 1) {
        const Element& e = graph_.elements[named_->element->index()];
        if (const auto own = own_measure(graph_, e, named_->rest, indices[0] - 1)) {
            unit = shown_unit({{}, *own}, e, named_->rest);
        }
    }
    return ResolvedName{*value, std::move(unit), named_->description};
}

std::optional<ResolvedName> resolve_name(const BondGraph& g, const std::string& name) {
    return NameLookup(g).resolve(name);
}

std::vector<std::string> result_names(const BondGraph& g) {
    std::vector<std::string> names{"time"};
    for (std::size_t i = 0; i < g.elements.size(); ++i) {
        for (const std::string& rest : element_variable_names(g, ElementId(i)))
            names.push_back(g.elements[i].name + "." + rest);
    }
    for (const auto& [name, bond] : g.bond_by_name) {
        for (const char* what : {".e", ".f", ".power"}) names.push_back(name + what);
    }
    for (const auto& [name, shared] : g.shared_connectors) {
        const ConnectorType& type = *g.elements[shared.element.index()].connectors[shared.connector].type;
        for (const ConnectorSignal& signal : type.signals) names.push_back(name + "." + std::string(signal.name));
        for (const ConnectorBond& bond : type.bonds) names.push_back(name + "." + std::string(bond.flow));
    }
    for (const auto& [name, signal] : g.handed_signals) names.push_back(name);
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> default_bond_outputs(const BondGraph& g) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < g.bonds.size(); ++i) {
        // Those inside joints and bodies, and between them, are there by name only.
        if (g.elements[g.bonds[i].from.index()].owner.valid() && g.elements[g.bonds[i].to.index()].owner.valid())
            continue;
        if (g.elements[g.bonds[i].from.index()].type->build != nullptr ||
            g.elements[g.bonds[i].to.index()].type->build != nullptr)
            continue;
        const std::string label = g.bond_label(BondId(i));
        for (const char* what : {".e", ".f"}) {
            for (std::uint32_t k = 0; k < g.bonds[i].size; ++k) {
                names.push_back(label + what + (g.bonds[i].size > 1 ? fmt::format("[{}]", k + 1) : ""));
            }
        }
    }
    return names;
}

}  // namespace bondgraph::model
