#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "bondgraph/model/law_context.hpp"
#include "bondgraph/model/shown_unit.hpp"

namespace bondgraph::model {

using expression::Expr;
using expression::ExprMatrix;
using expression::ExprVector;

Catalogue::Catalogue(std::vector<const ComponentType*> types) : types_(std::move(types)) {}

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

const Element::Slot* Element::slot(std::string_view slot_name) const {
    for (const Slot& s : slots) {
        if (s.name == slot_name) return &s;
    }
    return nullptr;
}

Topology BondGraph::topology() const {
    Topology t(elements.size());
    for (std::size_t i = 0; i < bonds.size(); ++i) boost::add_edge(bonds[i].from.index(), bonds[i].to.index(), i, t);
    return t;
}

BondId BondGraph::bond_of_component(std::uint32_t component) const {
    const auto next = std::upper_bound(bonds.begin(), bonds.end(), component,
                                       [](std::uint32_t c, const Bond& b) { return c < b.first; });
    return BondId(static_cast<std::size_t>(next - bonds.begin()) - 1);
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

std::optional<std::size_t> BondGraph::discrete_of(VariableId id) const {
    if (id.value < 2 * bond_components || id.index() >= variable_count()) return std::nullopt;
    const SlotVariable& s = slot_variables[id.value - 2 * bond_components];
    const Element::Slot& slot = elements[s.element.index()].slots[s.slot];
    if (slot.kind != Element::Slot::Kind::discrete) return std::nullopt;
    return slot.first_discrete;
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

SourcePosition BondGraph::variable_position(VariableId id) const {
    if (id.value < 2 * bond_components) return bonds[bond_of_component(id.value / 2).index()].position;
    return elements[slot_variables[id.value - 2 * bond_components].element.index()].position;
}

namespace {

struct PortQuantity {
    std::string_view name;
    enum class What : std::uint8_t { effort, flow, power } what;
};

std::optional<Quantity> port_quantity(const BondGraph& g, const Port& port, const std::string& what) {
    const Domain& d = domains()[port.domain];
    const bool power = what == "power";
    const bool effort = what == "e" || (!d.effort.empty() && what == d.effort);
    const bool flow = what == "f" || (!d.flow.empty() && what == d.flow);
    if (!power && !effort && !flow) return std::nullopt;
    ExprMatrix m(static_cast<Eigen::Index>(port.size), 1);
    Expr sum = 0.0;
    for (std::uint32_t k = 0; k < port.size; ++k) {
        const Expr e = g.expressions->variable(port.first_effort + 2 * k);
        const Expr f = g.expressions->variable(port.first_effort + 2 * k + 1);
        m(k, 0) = effort ? e : Expr(port.sign) * f;
        sum += Expr(port.sign) * e * f;
    }
    Measure measure;
    if (port.domain != kGeneric) {
        measure = Measure::of(effort ? d.effort_dimension : d.flow_dimension);
        if (power) measure = Measure::of(d.effort_dimension * d.flow_dimension);
    }
    if (power) return Quantity::scalar(sum, measure);
    return Quantity{m, measure};
}

Measure slot_measure(const Element& e, const Element::Slot& slot) {
    if (e.ports.empty()) return {};
    for (const StateSpec& s : e.type->states) {
        if (s.name != slot.name) continue;
        if (const auto d = s.dimension.in(e.ports[0].domain); d && e.ports[0].domain != kGeneric)
            return Measure::of(*d);
    }
    for (const SignalSpec& s : e.type->outputs) {
        if (s.name != slot.name || !s.dimension.checked || e.ports[0].domain == kGeneric) continue;
        if (const auto d = s.dimension.in(e.ports[0].domain)) return Measure::of(*d);
    }
    return {};
}

}  // namespace

std::optional<Quantity> element_variable(const BondGraph& g, ElementId id, const std::string& rest) {
    const Element& e = g.elements[id.index()];
    if (const Element::Slot* slot = e.slot(rest)) {
        ExprMatrix m(static_cast<Eigen::Index>(slot->size), 1);
        for (std::uint32_t k = 0; k < slot->size; ++k) m(k, 0) = g.variable(g.slot_variable(slot->first + k));
        return Quantity{m, slot_measure(e, *slot)};
    }
    if (e.ports.size() == 1 && !e.is_junction()) {
        if (auto q = port_quantity(g, e.ports[0], rest)) return q;
    }
    if (e.is_junction() && !e.ports.empty()) {
        // What is common at a junction may be read from it.
        const bool effort = e.type->role == Role::junction0;
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

std::vector<std::string> element_variable_names(const BondGraph& g, ElementId id) {
    const Element& e = g.elements[id.index()];
    std::vector<std::string> names;
    for (const Element::Slot& s : e.slots) names.push_back(s.name);
    if (e.is_junction()) {
        names.emplace_back(e.type->role == Role::junction0 ? "e" : "f");
        return names;
    }
    for (const Port& p : e.ports) {
        const std::string prefix = e.ports.size() == 1 ? "" : p.name + ".";
        for (const char* what : {"e", "f", "power"}) names.push_back(prefix + what);
        const Domain& d = domains()[p.domain];
        if (!d.effort.empty()) {
            names.push_back(prefix + std::string(d.effort));
            names.push_back(prefix + std::string(d.flow));
        }
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
    const bool at_one = g.elements[b.from.index()].type->role == Role::junction1 ||
                        g.elements[b.to.index()].type->role == Role::junction1;
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

// A torque shares its dimension with energy; as an effort it is shown as a torque.
std::string shown_unit(const Quantity& q, DomainIndex domain, const std::string& rest) {
    if (!q.measure.known()) return "";
    const bool torque = domains()[domain].name == "rotational" &&
                        q.measure.dimension == domains()[domain].effort_dimension &&
                        (rest == "e" || rest == "torque" || rest.ends_with(".e") || rest.ends_with(".torque"));
    return torque ? "N.m" : unit_name(q.measure.dimension);
}

// Also what an element's output measures may be a torque.
std::string shown_unit(const Quantity& q, const Element& e, const std::string& rest) {
    if (q.measure.known()) {
        for (const SignalSpec& s : e.type->outputs) {
            if (s.name == rest) return shown_unit(s.dimension, q.measure.dimension);
        }
    }
    return shown_unit(q, e.ports.back().domain, rest);
}

std::string describe(const Element& e, const std::string& rest) {
    return fmt::format("{} of {} '{}'", rest, e.type->name, e.name);
}

}  // namespace

std::optional<ResolvedName> resolve_name(const BondGraph& g, const std::string& name) {
    std::string base = name;
    std::size_t index = 0;
    if (base.ends_with(']')) {
        const auto open = base.rfind('[');
        if (open == std::string::npos) return std::nullopt;
        for (std::size_t i = open + 1; i + 1 < base.size(); ++i) {
            if (base[i] < '0' || base[i] > '9' || index > 100000) return std::nullopt;
            index = 10 * index + static_cast<std::size_t>(base[i] - '0');
        }
        if (index == 0) return std::nullopt;
        base = base.substr(0, open);
    }
    if (base == "time") return ResolvedName{g.expressions->time(), "s", "time"};
    std::optional<Quantity> q;
    std::string description;
    std::string unit;
    for (auto dot = base.rfind('.'); dot != std::string::npos && dot > 0; dot = base.rfind('.', dot - 1)) {
        const std::string head = base.substr(0, dot);
        const std::string rest = base.substr(dot + 1);
        if (const auto e = g.element_by_name.find(head); e != g.element_by_name.end()) {
            q = element_variable(g, e->second, rest);
            const Element& element = g.elements[e->second.index()];
            description = describe(element, rest);
            if (q && !element.ports.empty()) unit = shown_unit(*q, element, rest);
        } else if (const auto b = g.bond_by_name.find(head); b != g.bond_by_name.end()) {
            q = bond_variable(g, b->second, rest);
            description = fmt::format("{} of bond '{}'", rest, head);
            if (q) unit = shown_unit(*q, g.bonds[b->second.bond.index()].domain, rest);
        } else if (head.find("->") != std::string::npos) {
            if (const auto bond = unnamed_bond(g, head))
                q = bond_variable(g, {*bond, g.bonds[bond->index()].reversed}, rest);
            description = fmt::format("{} of bond {}", rest, head);
        }
        if (q) break;
    }
    if (!q) return std::nullopt;
    const auto n = static_cast<std::size_t>(q->value.size());
    if (index > n || (index == 0 && n != 1)) return std::nullopt;
    return ResolvedName{q->value(static_cast<Eigen::Index>(index == 0 ? 0 : index - 1), 0),
                        !unit.empty() ? unit : (q->measure.known() ? unit_name(q->measure.dimension) : ""),
                        description};
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
    std::sort(names.begin(), names.end());
    return names;
}

std::vector<std::string> default_bond_outputs(const BondGraph& g) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < g.bonds.size(); ++i) {
        const std::string label = g.bond_label(BondId(i));
        for (const char* what : {".e", ".f"}) {
            for (std::uint32_t k = 0; k < g.bonds[i].size; ++k) {
                names.push_back(label + what + (g.bonds[i].size > 1 ? fmt::format("[{}]", k + 1) : ""));
            }
        }
    }
    return names;
}

// ---- LawContext -----------------------------------------------------------------------------------------------------

ExprVector LawContext::effort(std::size_t port) const {
    const Port& p = element_.ports[port];
    ExprVector v(p.size);
    for (std::uint32_t k = 0; k < p.size; ++k) v(k) = expressions().variable(p.first_effort + 2 * k);
    return v;
}

ExprVector LawContext::flow(std::size_t port) const {
    const Port& p = element_.ports[port];
    ExprVector v(p.size);
    for (std::uint32_t k = 0; k < p.size; ++k) v(k) = Expr(p.sign) * expressions().variable(p.first_effort + 2 * k + 1);
    return v;
}

namespace {

template <class Get>
ExprVector stack(std::size_t ports, const Get& get) {
    std::vector<Expr> all;
    for (std::size_t i = 0; i < ports; ++i) {
        for (const Expr& x : get(i)) all.push_back(x);
    }
    ExprVector v(static_cast<Eigen::Index>(all.size()));
    std::copy(all.begin(), all.end(), v.begin());
    return v;
}

}  // namespace

ExprVector LawContext::all_efforts() const {
    return stack(port_count(), [&](std::size_t i) { return effort(i); });
}
ExprVector LawContext::all_flows() const {
    return stack(port_count(), [&](std::size_t i) { return flow(i); });
}

ExprMatrix LawContext::matrix(std::string_view name, std::size_t rows, std::size_t cols) const {
    const Quantity* q = element_.parameter(name);
    const auto r = static_cast<Eigen::Index>(rows);
    const auto c = static_cast<Eigen::Index>(cols);
    if (q->value.rows() == r && q->value.cols() == c) return q->value;
    ExprMatrix m = ExprMatrix::Constant(r, c, Expr(0.0));
    for (Eigen::Index i = 0; i < std::min(r, c); ++i) m(i, i) = q->is_scalar() ? q->value(0, 0) : q->value(i, 0);
    return m;
}

ExprVector LawContext::vector(std::string_view name, std::size_t size) const {
    const Quantity* q = element_.parameter(name);
    const auto n = static_cast<Eigen::Index>(size);
    if (q->is_scalar()) return ExprVector::Constant(n, q->value(0, 0));
    return q->value.col(0);
}

Expr LawContext::scalar(std::string_view name) const { return element_.parameter(name)->value(0, 0); }

ExprVector LawContext::slot(std::string_view name) const {
    const Element::Slot& s = *element_.slot(name);
    ExprVector v(s.size);
    for (std::uint32_t k = 0; k < s.size; ++k) v(k) = graph_.variable(graph_.slot_variable(s.first + k));
    return v;
}

ExprVector LawContext::derivative(std::string_view name) const {
    const Element::Slot& s = *element_.slot(name);
    ExprVector v(s.size);
    for (std::uint32_t k = 0; k < s.size; ++k) v(k) = expressions().derivative(graph_.slot_variable(s.first + k).value);
    return v;
}

Expr LawContext::previous(std::string_view name) const {
    return graph_.previous_value(element_.slot(name)->first_discrete);
}

void LawContext::update(std::string_view name, Expr value) {
    if (updates_ != nullptr) updates_->push_back({element_.slot(name)->first_discrete, value, id_, element_.position});
}

Expr LawContext::input(std::string_view name) const {
    for (const auto& [input, q] : element_.inputs) {
        if (input == name) return q.value(0, 0);
    }
    return 0.0;
}

std::vector<Expr> LawContext::inputs() const {
    std::vector<std::pair<std::string, Expr>> sorted;
    for (const auto& [input, q] : element_.inputs) sorted.emplace_back(input, q.value(0, 0));
    std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
        return std::pair(a.first.size(), a.first) < std::pair(b.first.size(), b.first);
    });
    std::vector<Expr> result;
    for (const auto& [name, value] : sorted) result.push_back(value);
    return result;
}

void LawContext::equation(Expr lhs, Expr rhs) { equations_.push_back({lhs, rhs, id_, element_.position}); }

void LawContext::equations(const ExprVector& lhs, const ExprVector& rhs) {
    for (Eigen::Index i = 0; i < lhs.size(); ++i) equation(lhs(i), rhs(i));
}

void LawContext::given_equations() {
    for (const GivenEquation& g : element_.given_equations) equations_.push_back({g.lhs, g.rhs, id_, g.position});
}

void LawContext::given_updates() {
    if (updates_ == nullptr) return;
    for (const GivenEquation& g : element_.given_updates) {
        const VariableId target(std::size_t{expressions()[g.lhs.node()].a});
        updates_->push_back({*graph_.discrete_of(target), g.rhs, id_, g.position});
    }
}

}  // namespace bondgraph::model
