#include "bondgraph/model/own_connectors.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace bondgraph::model {
namespace {

bool connected_inside(const TypeDeclaration& type, const std::string& connector) {
    for (const ConnectDeclaration& c : type.body.connects) {
        if (std::ranges::any_of(c.members, [&](const Text& member) { return member.text == connector; })) return true;
    }
    return false;
}

/// "el.wire" → "wire": the name in the file that declares it.
std::string own_name(std::string_view name) {
    name = name.substr(0, name.find(' '));
    return std::string(name.substr(name.rfind('.') + 1));
}

PortDeclaration port_of(const ConnectorDeclaration& connector, const ConnectorType& kind, std::size_t bond) {
    const ConnectorBond& of = kind.bonds[bond];
    PortDeclaration port{.name = {kind.port_of(connector.name.text, bond), connector.name.position},
                         .doc = connector.doc,
                         .causality = connector.causality,
                         .causality_position = connector.causality_position};
    port.domain = Text{of.domain, connector.type.position};
    if (of.size > 1) port.size = Value{.scalar = {std::to_string(of.size), connector.type.position}};
    return port;
}

}  // namespace

void add_connector(Flattening& work, ConnectorPlace place) {
    work.connector_by_name.emplace(place.name, static_cast<std::uint32_t>(work.connectors.size()));
    work.connectors.push_back(std::move(place));
}

OwnConnectors::OwnConnectors(Flattening& work) : work_(work) {
    for (const ConnectorTypeDeclaration& c : work.model.connector_types) {
        const std::string name = own_name(c.name.text);
        if (work.catalogue.find_connector(name) == nullptr) continue;
        work.diagnostics.error("BG-M017", c.name.position, fmt::format("there is a built-in connector type '{}'", name),
                               {{"try", "give this one another name"}});
    }
}

const ConnectorType* OwnConnectors::find(const ConnectorDeclaration& connector) const {
    if (connector.own_type) return &work_.model.connector_types[*connector.own_type].type;
    return work_.catalogue.find_connector(connector.type.text);
}

bool OwnConnectors::is_kind(const std::string& name) const {
    return work_.catalogue.find_connector(name) != nullptr ||
           std::ranges::any_of(work_.model.connector_types, [&](const auto& c) { return c.name.text == name; });
}

void OwnConnectors::declare(std::uint32_t scope, const TypeDeclaration& type, ElementId own) {
    if (!type.body.components.empty()) declare_boundary(scope, type, own);
    const Scope& s = work_.scopes[scope];
    for (const ConnectorDeclaration& c : type.connectors) {
        const ConnectorType* kind = find(c);
        if (kind == nullptr) {
            report_unknown(c);
            continue;
        }
        if (s.unconnected.contains(c.name.text)) continue;
        const auto* own_kind = c.own_type ? &work_.model.connector_types[*c.own_type] : nullptr;
        if (own_kind != nullptr && own_kind->flawed) continue;  // which has been reported
        ConnectorPlace place{.name = s.prefix + c.name.text, .type = kind, .element = {}, .position = s.position};
        place.scope = scope;
        if (own_kind != nullptr && !own_kind->signals.empty()) place.kind = own_kind;
        if (kind->signals.empty() && !kind->bonds.empty() && !connected_inside(type, c.name.text)) {
            place.ends = ends_of(scope, c, *kind, own);
            report_loose(type, c, *kind, place.ends);
        }
        add_connector(work_, std::move(place));
    }
}

/// Where the bonds of a connector end that is not handed on; nothing where none of them leads anywhere.
std::vector<std::optional<RawEnd>> OwnConnectors::ends_of(std::uint32_t scope, const ConnectorDeclaration& connector,
                                                          const ConnectorType& kind, ElementId own) {
    const Scope& s = work_.scopes[scope];
    std::vector<std::optional<RawEnd>> ends(kind.bonds.size());
    for (std::size_t b = 0; b < kind.bonds.size(); ++b) {
        const std::string name = kind.port_of(connector.name.text, b);
        if (const auto boundary = s.boundary_ports.find(name); boundary != s.boundary_ports.end()) {
            ends[b] = RawEnd{.boundary = boundary->second, .inside = false};
        } else if (own.valid()) {
            const auto& ports = work_.graph.elements[own.index()].ports;
            for (std::uint32_t p = 0; p < ports.size(); ++p) {
                if (ports[p].name == name) ends[b] = RawEnd{.element = own, .port = p};
            }
        }
    }
    if (std::ranges::none_of(ends, [](const auto& end) { return end.has_value(); })) ends.clear();
    return ends;
}

void OwnConnectors::report_unknown(const ConnectorDeclaration& c) {
    const bool prefixed = c.type.text.find('.') != std::string::npos;  // reported as the file was read
    if (work_.model.types_missing || prefixed || c.type.text.empty() || !reported_.insert(&c).second) return;
    std::vector<std::string> names;
    std::string hint;
    for (const ConnectorTypeDeclaration& t : work_.model.connector_types) {
        names.push_back(t.name.text);
        const bool from_here = c.type.position.file == work_.model.name.position.file;
        if (from_here && t.name.text.ends_with("." + c.type.text))
            hint = fmt::format("; did you mean '{}'?", t.name.text);
    }
    for (const ConnectorType* t : work_.catalogue.connectors()) names.push_back(t->name);
    work_.diagnostics.error("BG-M050", c.type.position,
                            fmt::format("unknown connector type '{}'{}", c.type.text,
                                        hint.empty() ? did_you_mean(c.type.text, names) : hint),
                            {{"try", fmt::format("one of {}", fmt::join(names, ", "))}});
}

void OwnConnectors::report_loose(const TypeDeclaration& type, const ConnectorDeclaration& connector,
                                 const ConnectorType& kind, const std::vector<std::optional<RawEnd>>& ends) {
    for (std::size_t b = 0; b < ends.size(); ++b) {
        if (ends[b] || type.body.gaps.connections() || !reported_.insert(&connector).second) continue;
        const std::string name = kind.port_of(connector.name.text, b);
        const ConnectorBond& bond = kind.bonds[b];
        work_.diagnostics.error(
            "BG-M058", connector.name.position,
            fmt::format("the bond '{}' of a connector leads to nothing inside type '{}'", name, type.name.text),
            {{"because", "other bonds of the connector do lead to parts"},
             {"try", fmt::format("a bond '{} -> part' in the type; {} takes no part in it", name,
                                 bond.common_flow ? "an Se with e: 0" : "an Sf with f: 0")}});
    }
}

bool OwnConnectors::bonded_inside(const TypeDeclaration& type, const std::string& port) {
    return std::ranges::any_of(type.body.bonds,
                               [&](const BondDeclaration& b) { return b.from.text == port || b.to.text == port; });
}

void OwnConnectors::declare_boundary(std::uint32_t scope, const TypeDeclaration& type, ElementId own) {
    const auto add_boundary = [&](const PortDeclaration& port, bool of_connector) {
        work_.scopes[scope].boundary_ports.emplace(port.name.text,
                                                   static_cast<std::uint32_t>(work_.boundary_ports.size()));
        work_.boundary_ports.push_back({.declaration = &port,
                                        .scope = scope,
                                        .name = work_.scopes[scope].prefix + port.name.text,
                                        .position = work_.scopes[scope].position,
                                        .of_connector = of_connector});
    };
    for (const PortDeclaration& port : type.ports) {
        if (!own.valid() || bonded_inside(type, port.name.text)) add_boundary(port, false);
    }
    for (const PortDeclaration& port : ports(type)) {
        const std::string connector = port.name.text.substr(0, port.name.text.find('.'));
        if (work_.scopes[scope].unconnected.contains(connector)) continue;
        if (bonded_inside(type, port.name.text)) add_boundary(port, true);
    }
}

const std::vector<PortDeclaration>& OwnConnectors::ports(const TypeDeclaration& type) {
    const auto [at, fresh] = work_.connector_ports.try_emplace(&type);
    if (!fresh) return at->second;
    for (const ConnectorDeclaration& c : type.connectors) {
        const ConnectorType* kind = find(c);
        if (kind == nullptr || !kind->signals.empty() || connected_inside(type, c.name.text)) continue;
        for (std::size_t b = 0; b < kind->bonds.size(); ++b) at->second.push_back(port_of(c, *kind, b));
    }
    return at->second;
}

}  // namespace bondgraph::model
