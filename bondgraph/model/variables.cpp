// Pass of flattening that gives elements and connections their variables.

#include <fmt/format.h>

#include <algorithm>

#include "bondgraph/model/law_context.hpp"
#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

namespace {

const Setting* find_state_setting(const ComponentDeclaration& declaration, std::string_view name) {
    for (const Setting& s : declaration.settings) {
        if (s.key.text == name) return &s;
    }
    return nullptr;
}

// The variables of one connection set's signals belong to the component that computes them; signals that are equal at
// both of its connectors need none of their own.
template <class AddSlot>
void create_signals(Flattening& work, const Flattening::ComputedSignals& computed, const AddSlot& add_slot) {
    auto& elements = work.graph.elements;
    Element& e = elements[computed.element.index()];
    const Connector& connector = e.connectors[computed.connector];
    // Of several paths at one connector, that from a connector which has its signals already.
    const SignalPath* path = nullptr;
    for (const SignalPath& p : e.type->paths) {
        const bool by_itself = e.root && computed.connector == 0;
        if (by_itself || (p.from != computed.connector && p.to != computed.connector)) continue;
        if (!e.connectors[p.from == computed.connector ? p.to : p.from].signals.empty()) path = &p;
    }
    std::vector<std::uint32_t> first;
    for (std::size_t s = 0; s < connector.type->signals.size(); ++s) {
        const ConnectorSignal& spec = connector.type->signals[s];
        if (path != nullptr && std::find(path->same.begin(), path->same.end(), spec.name) != path->same.end()) {
            first.push_back(e.connectors[path->from == computed.connector ? path->to : path->from].signals[s]);
            continue;
        }
        add_slot(computed.element.value, connector.name + "." + std::string(spec.name), spec.rows * spec.cols,
                 Element::Slot::Kind::internal);
        first.push_back(e.slots.back().first);
    }
    elements[computed.element.index()].connectors[computed.connector].signals = first;
    for (const auto& [element, index] : computed.joined) elements[element.index()].connectors[index].signals = first;
}

std::shared_ptr<const std::unordered_map<std::string, std::uint32_t>> numbers_of(
    const std::vector<Element::Slot>& slots) {
    auto numbers = std::make_shared<std::unordered_map<std::string, std::uint32_t>>();
    for (std::uint32_t k = 0; k < slots.size(); ++k) numbers->emplace(slots[k].name, k);
    return numbers;
}

}  // namespace

void create_variables(Flattening& work) {
    BondGraph& g = work.graph;
    for (Bond& b : g.bonds) {
        b.first = g.bond_components;
        g.bond_components += b.size;
    }
    const auto add_slot = [&](std::uint32_t element, std::string name, std::uint32_t size, Element::Slot::Kind kind) {
        Element& e = g.elements[element];
        e.slots.push_back({std::move(name), static_cast<std::uint32_t>(g.slot_variables.size()), size, kind});
        for (std::uint32_t k = 0; k < size; ++k) {
            g.slot_variables.push_back({ElementId(element), static_cast<std::uint32_t>(e.slots.size() - 1), k});
        }
    };
    using Kind = Element::Slot::Kind;
    const auto add_discrete = [&](std::uint32_t element, std::string name, ValueType type, bool structural,
                                  double start, SourcePosition position) {
        add_slot(element, std::move(name), 1, Kind::discrete);
        Element::Slot& slot = g.elements[element].slots.back();
        slot.first_discrete = static_cast<std::uint32_t>(g.discretes.size());
        // The variable's number is known once all slots are: it is set at the end.
        g.discretes.push_back(
            {VariableId(std::size_t{slot.first}), ElementId(element), type, structural, start, position});
    };
    for (std::uint32_t i = 0; i < g.elements.size(); ++i) {
        Element& e = g.elements[i];
        for (Port& p : e.ports) p.first_effort = 2 * g.bonds[p.bond.index()].first;
        const std::uint32_t n = e.port_components();
        if (!e.type->kinds.empty()) {
            // One state per component, named by its kind: p for an inertial one, q for a compliant one.
            const Setting* kinds = find_state_setting(*work.origins[i].declaration, e.type->kinds);
            for (std::uint32_t k = 0; k < n; ++k) {
                const bool inertial =
                    kinds != nullptr && k < kinds->value.items.size() && kinds->value.items[k].scalar.text == "I";
                add_slot(i, fmt::format("{}{}", inertial ? "p" : "q", k + 1), 1, Kind::state);
            }
        } else if (e.type->build == nullptr) {
            for (const StateSpec& s : e.type->states) add_slot(i, std::string(s.name), n, Kind::state);
        }
        for (const Element::Slot& s : work.origins[i].slots) {
            add_slot(i, s.name, s.size, s.kind);
            g.elements[i].slots.back().measure = s.measure;
            g.elements[i].slots.back().start = s.start;
            g.elements[i].slots.back().unit_length = s.unit_length;
        }
        for (const SignalSpec& s : e.type->outputs) {
            const std::uint32_t size = e.ports.empty() ? 1 : (s.single ? 1 : e.ports[0].size);
            add_slot(i, std::string(s.name), size, s.state ? Kind::state : Kind::output);
        }
        for (const DiscreteSpec& s : e.type->discretes) {
            add_discrete(i, std::string(s.name), s.type, false, s.start, e.position);
            DiscreteVariable& d = g.discretes.back();
            d.reacts_to_impulse = s.reacts_to_impulse;
            d.at_events_only = s.at_events_only;
            if (s.start_values.empty()) continue;
            d.start_values = {s.start};
            d.start_values.insert(d.start_values.end(), s.start_values.begin(), s.start_values.end());
        }
        if (e.declaration != nullptr) {
            const auto add_declared = [&](const VariableDeclaration& v, Kind kind) {
                if (!v.discrete) {
                    add_slot(i, v.name.text, 1, kind);
                    if (!v.unit) return;
                    if (const auto unit = parse_unit(work, *v.unit))
                        g.elements[i].slots.back().measure = Measure::of(*unit);
                    return;
                }
                add_discrete(i, v.name.text, *v.discrete, false, 0.0, v.name.position);
            };
            for (const VariableDeclaration& v : e.declaration->body.variables) add_declared(v, Kind::internal);
            const auto& by_signal = work.scopes[work.origins[i].inner_scope].values;  // outputs that parts determine
            for (const VariableDeclaration& v : e.declaration->outputs) {
                if (!by_signal.contains(v.name.text)) add_declared(v, Kind::output);
            }
        }
    }
    for (const auto& computed : work.signal_order) create_signals(work, computed, add_slot);
    for (DiscreteVariable& d : g.discretes) d.variable = g.slot_variable(d.variable.value);
    constexpr std::size_t kMany = 16;
    for (Element& e : g.elements) {
        if (e.slots.size() > kMany) e.slot_numbers = numbers_of(e.slots);
    }
}

}  // namespace bondgraph::model
