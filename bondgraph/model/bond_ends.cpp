#include "bondgraph/model/bond_ends.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "bondgraph/model/parts.hpp"

namespace bondgraph::model {
namespace {

class BondEnds {
   public:
    explicit BondEnds(Flattening& work) : work_(work) {}

    std::optional<RawEnd> resolve(std::uint32_t scope, const Text& reference) {
        const Scope& s = work_.scopes[scope];
        if (const auto b = s.boundary_ports.find(reference.text); b != s.boundary_ports.end())
            return RawEnd{.boundary = b->second, .inside = true};
        const auto dot = reference.text.find('.');
        const std::string head = reference.text.substr(0, dot);
        const auto member = s.members.find(head);
        if (member == s.members.end()) {
            if (s.body->gaps.components || s.body->gaps.ports) return std::nullopt;
            if (is_of_unknown_kind(s, head)) return std::nullopt;
            if (const ConnectorPlace* own = own_connector(s, head)) return not_inside(s, *own, head, reference);
            const auto names = member_names(scope);
            work_.diagnostics.error("BG-M005", reference.position,
                                    fmt::format("unknown component '{}'{}", head, did_you_mean(head, names)));
            return std::nullopt;
        }
        if (!member->second.element.valid() && member->second.scope == kNone) {
            return std::nullopt;  // its type is unknown: already reported
        }
        const std::string port = dot == std::string::npos ? "" : reference.text.substr(dot + 1);
        return port_of(member->second, head, port, reference);
    }

   private:
    std::optional<RawEnd> port_of(const Member& member, const std::string& name, const std::string& port,
                                  const Text& reference) {
        if (member.element.valid() && work_.graph.elements[member.element.index()].type->build != nullptr)
            return exposed_port(work_.graph.elements[member.element.index()], name, port, reference);
        if (member.scope != kNone) {
            const Scope& inner = work_.scopes[member.scope];
            const std::vector<std::string> ports = port_names(inner);
            const std::string wanted = port.empty() && ports.size() == 1 ? ports.front() : port;
            if (const auto b = inner.boundary_ports.find(wanted); b != inner.boundary_ports.end()) {
                return RawEnd{.boundary = b->second, .inside = false};
            }
            if (member.element.valid()) {
                const auto& own = work_.graph.elements[member.element.index()].ports;
                for (std::uint32_t i = 0; i < own.size(); ++i) {
                    if (own[i].name == wanted) return RawEnd{.element = member.element, .port = i};
                }
            }
            if (const auto node = node_of(inner, wanted)) return raw_end(work_, {*node});
            if (const auto part = handed_on_to(inner, wanted)) return resolve(member.scope, *part);
            if (inner.body->gaps.connections() || inner.body->gaps.equations) return std::nullopt;
            if (is_of_unknown_kind(inner, port.substr(0, port.find('.')))) return std::nullopt;
            if (const ConnectorPlace* own = own_connector(inner, port.substr(0, port.find('.'))))
                return not_outside(*own, name, port, ports, reference);
            return no_such_port(name, port, ports, reference);
        }
        Element& element = work_.graph.elements[member.element.index()];
        return element_port(member.element, element, name, port, reference);
    }

    /// The junction of a connector that is handed on to several parts, or joined to others as well: "p", "axle.turn".
    std::optional<ElementId> node_of(const Scope& s, const std::string& port) const {
        const auto place = work_.connector_by_name.find(s.prefix + port.substr(0, port.find('.')));
        if (place == work_.connector_by_name.end()) return std::nullopt;
        const ConnectorPlace& c = work_.connectors[place->second];
        for (std::size_t b = 0; b < c.type->bonds.size(); ++b) {
            const auto node = work_.node_of_connector.find({place->second, b});
            const bool meant = s.prefix + port == c.type->port_of(c.name, b);
            if (meant && node != work_.node_of_connector.end()) return node->second;
        }
        return std::nullopt;
    }

    /// Of a type: those it declares, and the bonds of its connectors that are ports.
    std::vector<std::string> port_names(const Scope& s) const {
        std::vector<std::string> names;
        if (s.declaration == nullptr) return names;
        for (const PortDeclaration& p : s.declaration->ports) names.push_back(p.name.text);
        const auto of_connectors = work_.connector_ports.find(s.declaration);
        if (of_connectors == work_.connector_ports.end()) return names;
        for (const PortDeclaration& p : of_connectors->second) names.push_back(p.name.text);
        return names;
    }

    const ConnectorPlace* own_connector(const Scope& s, const std::string& name) const {
        const auto found = work_.connector_by_name.find(s.prefix + name);
        if (s.declaration == nullptr || name.empty() || found == work_.connector_by_name.end()) return nullptr;
        return &work_.connectors[found->second];
    }

    /// A connector that a type declares and its instance hasn't got: reported.
    bool is_of_unknown_kind(const Scope& s, const std::string& connector) const {
        return s.declaration != nullptr && own_connector(s, connector) == nullptr &&
               std::ranges::any_of(s.declaration->connectors,
                                   [&](const ConnectorDeclaration& c) { return c.name.text == connector; });
    }

    static std::vector<std::string> bonds_of(const ConnectorPlace& place, const std::string& name) {
        std::vector<std::string> names;
        for (std::size_t b = 0; b < place.type->bonds.size(); ++b) names.push_back(place.type->port_of(name, b));
        return names;
    }

    /// A connector of the type around, seen from inside, whose name alone or with something else is no end of a bond.
    std::optional<RawEnd> not_inside(const Scope& s, const ConnectorPlace& own, const std::string& head,
                                     const Text& reference) {
        const auto names = bonds_of(own, head);
        if (!own.type->signals.empty()) {
            work_.diagnostics.error(
                "BG-M006", reference.position, fmt::format("the connector '{}' has no port: it can't be bonded", head),
                {{"try", fmt::format("hand it on to a part: connect: [[{}, part.{}]]", head, head)}});
            return std::nullopt;
        }
        const bool handed_on = std::ranges::any_of(s.body->connects, [&](const ConnectDeclaration& c) {
            return std::ranges::any_of(c.members, [&](const Text& member) { return member.text == head; });
        });
        if (handed_on) {
            work_.diagnostics.error(
                "BG-M008", reference.position,
                fmt::format("the connector '{}' is handed on to a part by 'connect:'; no bond can lead to it as well",
                            head),
                {{"try", "bond the part, or bond all that is inside and leave out the connection"}});
            return std::nullopt;
        }
        return no_such_bond(own, head, reference.text.substr(std::min(reference.text.size(), head.size() + 1)), names,
                            reference);
    }

    /// The same seen from outside.
    std::optional<RawEnd> not_outside(const ConnectorPlace& own, const std::string& name, const std::string& port,
                                      const std::vector<std::string>& ports, const Text& reference) {
        const auto dot = port.find('.');
        const std::string connector = port.substr(0, dot);
        if (own.type->bonds.size() == 1 || !own.type->signals.empty())
            return no_such_port(name, port, ports, reference);
        return no_such_bond(own, name + "." + connector, dot == std::string::npos ? "" : port.substr(dot + 1),
                            bonds_of(own, name + "." + connector), reference);
    }

    std::optional<RawEnd> no_such_bond(const ConnectorPlace& own, const std::string& connector, const std::string& bond,
                                       const std::vector<std::string>& all, const Text& reference) {
        const std::string advice = fmt::format("{}", fmt::join(all, ", "));
        if (bond.empty()) {
            work_.diagnostics.error(
                "BG-M007", reference.position,
                fmt::format("the connector '{}' has {} bonds: say which one", connector, all.size()),
                {{"try", advice}});
            return std::nullopt;
        }
        std::vector<std::string> names;
        for (const ConnectorBond& b : own.type->bonds) names.push_back(b.name);
        work_.diagnostics.error("BG-M006", reference.position,
                                fmt::format("the connector '{}' of type '{}' has no bond '{}'{}", connector,
                                            own.type->name, bond, did_you_mean(bond, names)),
                                {{"try", advice}});
        return std::nullopt;
    }

    std::optional<RawEnd> element_port(ElementId id, Element& element, const std::string& name, const std::string& port,
                                       const Text& reference) {
        switch (element.type->pattern) {
            case PortPattern::junction: {
                if (!port.empty()) {
                    work_.diagnostics.error(
                        "BG-M006", reference.position,
                        fmt::format("junction '{}' has no named ports: write just '{}'", name, name));
                    return std::nullopt;
                }
                element.ports.push_back({.name = std::to_string(element.ports.size() + 1)});
                return RawEnd{.element = id, .port = static_cast<std::uint32_t>(element.ports.size() - 1)};
            }
            case PortPattern::fixed: {
                if (port.empty() && element.ports.size() == 1) return RawEnd{.element = id, .port = 0};
                std::vector<std::string> ports;
                for (const Port& p : element.ports) ports.push_back(p.name);
                const auto found = std::find(ports.begin(), ports.end(), port);
                if (found != ports.end())
                    return RawEnd{.element = id, .port = static_cast<std::uint32_t>(found - ports.begin())};
                return no_such_port(name, port, ports, reference);
            }
            default:
                return numbered_port(id, element, name, port.empty() ? "p" : port, reference);
        }
    }

    /// What a type hands a port on to with its connector (`connect: [[shaft, hinge.axis]]`): "hinge.axis", or of
    /// several bonds "inner.axle.turn" for "axle.turn".
    std::optional<Text> handed_on_to(const Scope& inner, const std::string& port) const {
        const auto dot = port.find('.');
        const std::string connector = port.substr(0, dot);
        const ConnectorPlace* place = own_connector(inner, connector);
        if (place == nullptr || !place->type->signals.empty()) return std::nullopt;
        if ((dot == std::string::npos) != (place->type->bonds.size() == 1)) return std::nullopt;
        for (const ConnectDeclaration& c : inner.body->connects) {
            const auto named = [&](const Text& member) { return member.text == connector; };
            if (std::none_of(c.members.begin(), c.members.end(), named)) continue;
            const auto other = std::find_if_not(c.members.begin(), c.members.end(), named);
            if (other == c.members.end()) continue;
            Text part = *other;
            if (dot == std::string::npos) return part;
            if (part.text.find('.') == std::string::npos) part.text += "." + only_connector(inner.prefix + part.text);
            part.text += port.substr(dot);
            return part;
        }
        return std::nullopt;
    }

    /// Of a component that has just one, which `connect:` need not name.
    std::string only_connector(const std::string& component) const {
        for (const ConnectorPlace& place : work_.connectors) {
            if (place.name.starts_with(component + ".")) return place.name.substr(component.size() + 1);
        }
        return {};
    }

    // The ports of a wrapped component are junctions among its parts: they take any number of bonds.
    std::optional<RawEnd> exposed_port(const Element& element, const std::string& name, const std::string& port,
                                       const Text& reference) {
        std::vector<std::string> ports;
        for (const PortSpec& p : element.type->ports) ports.emplace_back(p.name);
        const auto index = static_cast<std::size_t>(&element - work_.graph.elements.data());
        if (const JointDeclaration* joint = work_.origins[index].joint) {
            for (const auto& c : joint->coordinates) ports.push_back("axis_" + c.name.text);
        }
        const std::string& wanted = port.empty() && ports.size() == 1 ? ports.front() : port;
        const auto part = work_.graph.element_by_name.find(element.name + "." + wanted);
        if (std::find(ports.begin(), ports.end(), wanted) == ports.end() || part == work_.graph.element_by_name.end())
            return no_such_port(name, port, ports, reference);
        return raw_end(work_, {part->second});
    }

    // Fields and Compose/Decompose make their ports p, p1, p2 … as they are bonded.
    std::optional<RawEnd> numbered_port(ElementId id, Element& element, const std::string& name,
                                        const std::string& port, const Text& reference) {
        const bool digits =
            port.size() > 1 && std::all_of(port.begin() + 1, port.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (port[0] != 'p' || (port.size() > 1 && (!digits || port[1] == '0' || port.size() > 5))) {
            return no_such_port(name, port, {"p", "p1", "p2"}, reference);
        }
        return RawEnd{.element = id, .port = model::numbered_port(element, port)};
    }

    std::optional<RawEnd> no_such_port(const std::string& name, const std::string& port,
                                       const std::vector<std::string>& ports, const Text& reference) {
        std::string all;
        for (const std::string& p : ports) all += (all.empty() ? "" : ", ") + name + "." + p;
        const bool connector = work_.connector_by_name.contains(name + "." + port);
        if (ports.empty()) {
            work_.diagnostics.error(
                "BG-M006", reference.position, fmt::format("'{}' has no power port: it can't be bonded", name),
                {{"try", connector ? "a connector is joined under 'connect:'" : "connect it under 'signals:'"}});
        } else if (connector) {
            work_.diagnostics.error("BG-M006", reference.position, fmt::format("'{}' has no port '{}'", name, port),
                                    {{"try", "a connector is joined under 'connect:'; the ports are " + all}});
        } else if (port.empty()) {
            work_.diagnostics.error("BG-M007", reference.position,
                                    fmt::format("'{}' has {} ports: say which one", name, ports.size()),
                                    {{"try", all}});
        } else {
            std::string advice = all;
            if (port.find("heat") != std::string::npos && did_you_mean(port, ports).empty()) advice += heat_advice();
            work_.diagnostics.error("BG-M006", reference.position,
                                    fmt::format("'{}' has no port '{}'{}", name, port, did_you_mean(port, ports)),
                                    {{"try", advice}});
        }
        return std::nullopt;
    }

    // "; a heat port is one of RS: heat"
    [[nodiscard]] std::string heat_advice() const {
        std::string types;
        for (const ComponentType* type : work_.catalogue.types()) {
            for (const PortSpec& p : type->ports) {
                if (p.heat) types += fmt::format("{}{}", types.empty() ? "" : ", ", type->name);
            }
        }
        return types.empty() ? types : fmt::format("; losses leave as heat at the port 'heat' of: {}", types);
    }

    std::vector<std::string> member_names(std::uint32_t scope) const {
        std::vector<std::string> names;
        for (const ComponentDeclaration& c : work_.scopes[scope].body->components) names.push_back(c.name.text);
        for (const auto& [name, b] : work_.scopes[scope].boundary_ports) names.push_back(name);
        return names;
    }

    Flattening& work_;
};

}  // namespace

std::optional<RawEnd> bond_end(Flattening& work, std::uint32_t scope, const Text& reference) {
    return BondEnds(work).resolve(scope, reference);
}

}  // namespace bondgraph::model
