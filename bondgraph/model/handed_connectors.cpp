// Results of connectors that types hand on to their parts, by the names they have outside.

#include <algorithm>
#include <optional>
#include <string>
#include <unordered_map>

#include "bondgraph/model/bond_ends.hpp"

namespace bondgraph::model {
namespace {

class HandedConnectors {
   public:
    explicit HandedConnectors(Flattening& work) : work_(work) {
        for (std::uint32_t s = 0; s < work.scopes.size(); ++s) {
            const Scope& scope = work.scopes[s];
            if (scope.declaration != nullptr && !scope.declaration->record) scope_by_prefix_.emplace(scope.prefix, s);
        }
    }

    void run() {
        for (const ConnectorPlace& place : work_.connectors) {
            if (!is_handed_on(place)) continue;
            for (std::size_t b = 0; b < place.type->bonds.size(); ++b) {
                const std::string port = place.type->port_of(place.name, b);
                if (const auto bond = bond_at(port, 0)) work_.graph.bond_by_name.emplace(port, *bond);
            }
        }
    }

   private:
    static bool is_handed_on(const ConnectorPlace& place) {
        return !place.element.valid() && place.ends.empty() && !place.part && place.type->signals.empty();
    }

    /// The bond at a port, by what it is inside; power is positive into it.
    std::optional<BondGraph::NamedBond> bond_at(const std::string& port, int depth) const {
        if (depth > kDeepestType) return std::nullopt;
        const BondGraph& g = work_.graph;
        if (const auto known = g.bond_by_name.find(port); known != g.bond_by_name.end()) return known->second;
        for (auto dot = port.rfind('.'); dot != std::string::npos && dot > 0; dot = port.rfind('.', dot - 1)) {
            const auto element = g.element_by_name.find(port.substr(0, dot));
            if (element != g.element_by_name.end()) {
                for (const Port& p : g.elements[element->second.index()].ports) {
                    if (p.name == port.substr(dot + 1) && p.bond.valid())
                        return BondGraph::NamedBond{p.bond, !p.at_head};
                }
            }
            if (const auto inner = part_of(port, dot)) return bond_at(*inner, depth + 1);
        }
        return std::nullopt;
    }

    /// "wheel.end.turn" → "wheel.rotor.p.turn", where the only other thing that `connect:` of the type joins to `end`
    /// is the rotor's p. `dot`: that before the connector's name.
    std::optional<std::string> part_of(const std::string& port, std::size_t dot) const {
        const auto scope = scope_by_prefix_.find(port.substr(0, dot + 1));
        if (scope == scope_by_prefix_.end()) return std::nullopt;
        const Scope& s = work_.scopes[scope->second];
        const auto end = port.find('.', dot + 1);
        const std::string connector = port.substr(dot + 1, end == std::string::npos ? end : end - dot - 1);
        const auto place = work_.connector_by_name.find(s.prefix + connector);
        if (place == work_.connector_by_name.end() || !is_handed_on(work_.connectors[place->second]))
            return std::nullopt;
        std::optional<std::string> part;
        for (const ConnectDeclaration& c : s.body->connects) {
            const auto is_it = [&](const Text& member) { return member.text == connector; };
            if (std::ranges::none_of(c.members, is_it)) continue;
            for (const Text& member : c.members) {
                if (is_it(member)) continue;
                if (part) return std::nullopt;  // what several parts take together is no bond of the graph
                part = member.text;
            }
        }
        if (!part) return std::nullopt;
        if (part->find('.') == std::string::npos) {
            const auto only = std::ranges::find_if(work_.connectors, [&](const ConnectorPlace& p) {
                return p.name.starts_with(s.prefix + *part + ".") &&
                       p.name.find('.', s.prefix.size() + part->size() + 1) == std::string::npos;
            });
            if (only == work_.connectors.end()) return std::nullopt;
            part = only->name.substr(s.prefix.size());
        }
        return s.prefix + *part + (end == std::string::npos ? "" : port.substr(end));
    }

    Flattening& work_;
    std::unordered_map<std::string, std::uint32_t> scope_by_prefix_;
};

}  // namespace

void name_handed_connectors(Flattening& work) { HandedConnectors(work).run(); }

}  // namespace bondgraph::model
