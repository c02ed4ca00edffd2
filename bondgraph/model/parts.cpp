#include "bondgraph/model/parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>

namespace bondgraph::model {

std::uint32_t numbered_port(Element& element, std::string_view name) {
    for (std::uint32_t i = 0; i < element.ports.size(); ++i) {
        if (element.ports[i].name == name) return i;
    }
    const PortPattern pattern = element.type->pattern;
    const bool outward =
        (pattern == PortPattern::compose && name == "p") || (pattern == PortPattern::decompose && name != "p");
    element.ports.push_back({.name = std::string(name), .direction = outward ? PortDirection::out : PortDirection::in});
    return static_cast<std::uint32_t>(element.ports.size() - 1);
}

RawEnd raw_end(Flattening& work, const PartEnd& end) {
    Element& e = work.graph.elements[end.element.index()];
    if (e.type->pattern == PortPattern::junction) {
        e.ports.push_back({.name = std::to_string(e.ports.size() + 1)});
        return {.element = end.element, .port = static_cast<std::uint32_t>(e.ports.size() - 1)};
    }
    for (std::uint32_t p = 0; p < e.ports.size(); ++p) {
        if (end.port.empty() || e.ports[p].name == end.port) return {.element = end.element, .port = p};
    }
    if (e.type->pattern == PortPattern::decompose || e.type->pattern == PortPattern::compose) {
        return {.element = end.element, .port = numbered_port(e, end.port)};
    }
    throw std::logic_error(fmt::format("part '{}' has no port '{}'", e.name, end.port));
}

void add_raw_bond(Flattening& work, const RawEnd& from, const RawEnd& to, SourcePosition position,
                  std::uint32_t scope) {
    const auto index = static_cast<std::uint32_t>(work.raw_bonds.size());
    const auto attach = [&](const RawEnd& end) {
        if (end.boundary != Id<void>::kNone) {
            BoundaryPort& b = work.boundary_ports[end.boundary];
            (end.inside ? b.inner : b.outer) = index;
            return;
        }
        Port& port = work.graph.elements[end.element.index()].ports[end.port];
        port.bond = BondId(index);
        port.position = position;
    };
    attach(from);
    attach(to);
    work.raw_bonds.push_back({.from = from, .to = to, .position = position, .scope = scope});
}

bool PartsBuilder::reversed() const {
    const auto& connectors = component().connectors;
    return connectors.size() > 1 && connectors[1].given && !connectors[0].given;
}

bool PartsBuilder::has(std::string_view parameter) const {
    const auto& origin = work_.origins[id_.index()];
    const auto named = [&](const Setting& s) { return s.key.text == parameter; };
    const auto fed = [&](const auto& signal) { return signal.first == parameter; };
    return std::any_of(origin.declaration->settings.begin(), origin.declaration->settings.end(), named) ||
           std::any_of(origin.signals.begin(), origin.signals.end(), fed) || origin.driven.contains(parameter);
}

std::string PartsBuilder::word(std::string_view parameter, std::string_view otherwise) const {
    for (const Setting& s : work_.origins[id_.index()].declaration->settings) {
        if (s.key.text == parameter) return s.value.scalar.text;
    }
    return std::string(otherwise);
}

std::vector<std::string> PartsBuilder::words(std::string_view parameter) const {
    std::vector<std::string> list;
    for (const Setting& s : work_.origins[id_.index()].declaration->settings) {
        if (s.key.text != parameter) continue;
        for (const Value& item : s.value.items) list.push_back(item.scalar.text);
        if (s.value.items.empty()) list.push_back(s.value.scalar.text);
    }
    return list;
}

bool PartsBuilder::connected(std::string_view connector) const {
    const std::string name = component().name + "." + std::string(connector);
    return work_.connected.contains(name);
}

bool PartsBuilder::exchanges_power(std::string_view connector, std::string_view bond) const {
    for (const Flattening::ComputedSignals& computed : work_.signal_order) {
        if (computed.element != id_ || component().connectors[computed.connector].name != connector) continue;
        return std::any_of(computed.joined.begin(), computed.joined.end(), [&](const auto& other) {
            const auto& bonds = work_.graph.elements[other.first.index()].connectors[other.second].type->bonds;
            for (std::size_t b = 0; b < bonds.size(); ++b) {
                const auto end = work_.inner_ends.find({other.first, other.second, b});
                if (bonds[b].name != bond || end == work_.inner_ends.end()) continue;
                const Element& inner = work_.graph.elements[end->second.element.index()];
                const bool bare = inner.is_junction() && inner.ports.empty();  // nothing is bonded there but this
                return !inner.type->is_sensor() && !bare;
            }
            return false;
        });
    }
    return false;
}

ElementId PartsBuilder::element(std::string name, const ComponentType& type) {
    const ElementId id(work_.graph.elements.size());
    Element e;
    e.name = id_.valid() ? component().name + "." + name : name;
    e.type = &type;
    e.position = id_.valid() ? component().position : SourcePosition{};
    e.owner = id_;
    if (type.pattern == PortPattern::fixed) {
        for (const PortSpec& spec : type.ports)
            e.ports.push_back({.name = std::string(spec.name), .direction = spec.direction});
    }
    ComponentDeclaration declaration;
    declaration.name = {std::move(name), e.position};
    declaration.type = {std::string(type.name), e.position};
    work_.graph.element_by_name.emplace(e.name, id);
    work_.graph.elements.push_back(std::move(e));
    work_.part_declarations.push_back(std::move(declaration));
    work_.origins.push_back(
        {.declaration = &work_.part_declarations.back(), .scope = id_.valid() ? work_.origins[id_.index()].scope : 0});
    return id;
}

ElementId PartsBuilder::junction(std::string_view name, const char* type, std::uint32_t size, std::string_view domain) {
    const ElementId id = element(std::string(name), *work_.catalogue.find(type));
    ComponentDeclaration& declaration = work_.part_declarations.back();
    set_size({id}, size);
    declaration.domain = std::make_shared<const Text>(Text{std::string(domain), declaration.name.position});
    return id;
}

const ComponentType& PartsBuilder::type_of(const PartEnd& part) const {
    return *work_.graph.elements[part.element.index()].type;
}

std::string PartsBuilder::local_name(const PartEnd& part) const {
    return work_.graph.elements[part.element.index()].name.substr(component().name.size() + 1);
}

std::string PartsBuilder::unique(const std::string& name) const {
    std::string candidate = name;
    for (int n = 2; work_.graph.element_by_name.contains(component().name + "." + candidate); ++n)
        candidate = name + std::to_string(n);
    return candidate;
}

PartEnd PartsBuilder::junction0(std::string_view name, std::uint32_t size, std::string_view domain) {
    return {junction(name, "0", size, domain)};
}
PartEnd PartsBuilder::junction1(std::string_view name, std::uint32_t size, std::string_view domain) {
    return {junction(name, "1", size, domain)};
}

PartEnd PartsBuilder::add(std::string_view name, const ComponentType& type, std::vector<PartParameter> parameters) {
    const ElementId id = element(std::string(name), type);
    // A body's inertia follows the joints; that is not the user's choice.
    if (type.is_storage()) work_.graph.elements[id.index()].preference = StatePreference::never;
    work_.origins[id.index()].parameters = std::move(parameters);
    return {id};
}

void PartsBuilder::set_size(const PartEnd& part, std::uint32_t size) {
    ComponentDeclaration& declaration = work_.part_declarations[part_of(part.element)];
    Value number;
    number.scalar = {std::to_string(size), declaration.name.position};
    declaration.size = std::make_shared<const Value>(number);
}

void PartsBuilder::keep_state(const PartEnd& part) {
    work_.graph.elements[part.element.index()].preference = component().preference;
}

void PartsBuilder::direct(const PartEnd& part, bool forward) {
    work_.graph.elements[part.element.index()].directed = forward;
}

void PartsBuilder::hand_on(const PartEnd& part, std::string_view parameter) {
    const auto& own = work_.origins[id_.index()];
    auto& target = work_.origins[part.element.index()];
    for (const Setting& s : own.declaration->settings) {
        if (s.key.text == parameter) work_.part_declarations[part_of(part.element)].settings.push_back(s);
    }
    for (const auto& signal : own.signals) {
        if (signal.first == parameter) target.signals.push_back(signal);
    }
}

std::size_t PartsBuilder::part_of(ElementId element) const {
    // Parts are the last elements, in the order of their declarations.
    return work_.part_declarations.size() - (work_.graph.elements.size() - element.index());
}

PartEnd PartsBuilder::own_port(std::string_view name, PortDirection direction) {
    work_.graph.elements[id_.index()].ports.push_back({.name = std::string(name), .direction = direction});
    return {id_, name};
}

void PartsBuilder::bond(const PartEnd& from, const PartEnd& to) {
    const RawEnd tail = raw_end(work_, from);
    const RawEnd head = raw_end(work_, to);
    add_raw_bond(work_, tail, head, component().position, work_.origins[id_.index()].scope);
}

PartEnd PartsBuilder::split(const PartEnd& port, std::string_view name, std::uint32_t size, std::string_view domain) {
    const PartEnd middle = junction0(name, size, domain);
    const RawEnd tail = raw_end(work_, port);
    const std::uint32_t before = work_.graph.elements[tail.element.index()].ports[tail.port].bond.value;
    const RawEnd head = work_.raw_bonds[before].to;
    work_.raw_bonds[before].to = raw_end(work_, middle);
    const RawEnd& in = work_.raw_bonds[before].to;
    work_.graph.elements[in.element.index()].ports[in.port].bond = BondId(before);
    add_raw_bond(work_, raw_end(work_, middle), head, component().position, work_.origins[id_.index()].scope);
    return middle;
}

PartEnd PartsBuilder::part(std::string_view name) const {
    return {work_.graph.element_by_name.at(component().name + "." + std::string(name))};
}

void PartsBuilder::attach(std::string_view connector, std::string_view bond, const PartEnd& end) {
    for (std::size_t c = 0; c < component().connectors.size(); ++c) {
        Connector& k = work_.graph.elements[id_.index()].connectors[c];
        if (k.name != connector) continue;
        for (std::size_t b = 0; b < k.type->bonds.size(); ++b) {
            if (k.type->bonds[b].name == bond) work_.inner_ends[{id_, c, b}] = end;
        }
    }
}

void PartsBuilder::slot(std::string_view name, std::uint32_t size, std::string_view unit, Element::Slot::Kind kind) {
    Element::Slot slot{.name = std::string(name), .size = size, .kind = kind};
    slot.measure = Measure::of(unit.empty() ? Unit{} : *work_.units.parse(std::string(unit)));
    work_.origins[id_.index()].slots.push_back(std::move(slot));
}

void PartsBuilder::state(std::string_view name, std::uint32_t size, std::string_view unit) {
    slot(name, size, unit, Element::Slot::Kind::state);
}
void PartsBuilder::quaternion(std::string_view name) {
    slot(name, 4, "", Element::Slot::Kind::state);
    work_.origins[id_.index()].slots.back().start = {0.0, 0.0, 0.0, 1.0};
    work_.origins[id_.index()].slots.back().unit_length = true;
}
void PartsBuilder::variable(std::string_view name, std::uint32_t size, std::string_view unit) {
    slot(name, size, unit, Element::Slot::Kind::internal);
}

}  // namespace bondgraph::model
