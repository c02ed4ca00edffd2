// Pass of flattening for wrapped connectors: which of them the entries under `connect:` join.

#include "bondgraph/model/connection_sets.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/pending/disjoint_sets.hpp>
#include <set>
#include <unordered_map>

namespace bondgraph::model {
namespace {

class ConnectionReader {
   public:
    explicit ConnectionReader(Flattening& work) : work_(work), joined_(work.connectors.size()) {}

    ConnectionSets run() {
        for (std::uint32_t s = 0; s < work_.scopes.size(); ++s) {
            for (const ConnectDeclaration& c : work_.scopes[s].body->connects) connect(s, c);
        }
        for (const Scope& s : work_.scopes) sets_.complete = sets_.complete && !s.body->gaps.connections();
        check_handed_on();
        number_nodes();
        return std::move(sets_);
    }

   private:
    void connect(std::uint32_t scope, const ConnectDeclaration& declaration) {
        std::optional<std::uint32_t> first;
        const Text* first_text = nullptr;
        for (const Text& text : declaration.members) {
            const auto place = resolve(scope, text);
            sets_.complete = sets_.complete && place;
            if (!place) continue;
            if (text.text.find('.') == std::string::npos && work_.scopes[scope].declaration != nullptr)
                handed_on_.insert(*place);
            work_.connected.insert(work_.connectors[*place].name);
            if (!first) {
                first = place;
                first_text = &text;
                continue;
            }
            const ConnectorType* a = work_.connectors[*first].type;
            const ConnectorType* b = work_.connectors[*place].type;
            if (a != b) {
                work_.diagnostics.error(
                    "BG-M051", text.position,
                    fmt::format("'{}' is {} {}, but '{}' is {} {}: they can't be connected", text.text, article(*b),
                                b->name, first_text->text, article(*a), a->name),
                    {{"try", "join different kinds through a component that has both, as a joint's axis"}});
                continue;
            }
            joined_.union_set(*first, *place);
        }
    }

    static std::string_view article(const ConnectorType& type) {
        return std::string_view("aeiou").find(type.name.front()) == std::string_view::npos ? "a" : "an";
    }

    std::optional<std::uint32_t> resolve(std::uint32_t scope, const Text& text) {
        const Scope& s = work_.scopes[scope];
        const auto found = work_.connector_by_name.find(s.prefix + text.text);
        const auto dot = text.text.find('.');
        const std::string head = text.text.substr(0, dot);
        if (found != work_.connector_by_name.end() && std::count(text.text.begin(), text.text.end(), '.') <= 1)
            return found->second;
        if (dot == std::string::npos) {
            if (const auto only = only_connector(s.prefix + head)) return only;
        }
        const auto member = s.members.find(head);
        if (member == s.members.end() && !(dot == std::string::npos && s.declaration != nullptr)) {
            if (s.body->gaps.components || s.body->gaps.ports) return std::nullopt;
            std::vector<std::string> names;
            for (const ComponentDeclaration& c : s.body->components) names.push_back(c.name.text);
            work_.diagnostics.error("BG-M005", text.position,
                                    fmt::format("unknown component '{}'{}", head, did_you_mean(head, names)));
            return std::nullopt;
        }
        if (member != s.members.end() && !member->second.element.valid() && member->second.scope == kNone)
            return std::nullopt;  // its type is unknown: already reported
        if (!names_a_bond(s, text) && !may_have(member == s.members.end() ? nullptr : &member->second, text))
            report_no_connector(s, head, dot, text);
        return std::nullopt;
    }

    /// A name that goes on behind that of a connector: reported.
    bool names_a_bond(const Scope& s, const Text& text) {
        const auto last = text.text.rfind('.');
        if (last == std::string::npos) return false;
        const std::string connector = text.text.substr(0, last);
        if (!work_.connector_by_name.contains(s.prefix + connector)) return false;
        work_.diagnostics.error("BG-M050", text.position,
                                fmt::format("'{}' is no connector, but '{}' is", text.text, connector),
                                {{"because", "'connect:' joins whole connectors, all bonds of them at once"},
                                 {"try", fmt::format("'{}'; single bonds are joined under 'bonds:'", connector)}});
        return true;
    }

    /// Whether a connector of that name is one of a kind that is unknown or flawed, which has been reported.
    bool may_have(const Member* member, const Text& text) const {
        if (member == nullptr || member->scope == kNone) return false;
        const Scope& inner = work_.scopes[member->scope];
        if (inner.body->gaps.ports) return true;
        const auto named = [&](const ConnectorDeclaration& c) {
            const std::string prefix = inner.prefix + c.name.text;
            return !work_.connector_by_name.contains(prefix) && !inner.unconnected.contains(c.name.text) &&
                   (text.text.find('.') == std::string::npos || text.text.ends_with("." + c.name.text));
        };
        return inner.declaration != nullptr && std::ranges::any_of(inner.declaration->connectors, named);
    }

    /// The connector of a component that has just one.
    std::optional<std::uint32_t> only_connector(const std::string& component) {
        std::optional<std::uint32_t> found;
        for (const std::uint32_t k : connectors_of(component)) {
            const ConnectorPlace& c = work_.connectors[k];
            if (c.element.valid() && work_.graph.elements[c.element.index()].type->connectors[c.index].optional)
                continue;
            if (found) return std::nullopt;
            found = k;
        }
        return found;
    }

    /// Those of the component itself, by its full name.
    const std::vector<std::uint32_t>& connectors_of(const std::string& component) {
        if (by_component_.empty()) {
            for (std::uint32_t k = 0; k < work_.connectors.size(); ++k) {
                const std::string& name = work_.connectors[k].name;
                const auto dot = name.rfind('.');
                if (dot != std::string::npos) by_component_[name.substr(0, dot)].push_back(k);
            }
        }
        return by_component_[component];
    }

    /// A composite's connector that is joined outside has to lead to a part inside.
    void check_handed_on() {
        for (std::uint32_t k = 0; k < work_.connectors.size(); ++k) {
            const ConnectorPlace& c = work_.connectors[k];
            if (c.element.valid() || !c.ends.empty() || c.part || c.type->bonds.empty() || handed_on_.contains(k) ||
                !work_.connected.contains(c.name))
                continue;
            const std::string local = c.name.substr(c.name.rfind('.') + 1);
            work_.diagnostics.error(
                "BG-M058", c.position, fmt::format("'{}' leads to nothing inside its component", c.name),
                {{"try",
                  c.type->signals.empty()
                      ? fmt::format("'{} -> part' under the type's 'bonds:', or hand it on: connect: [[{}, part.{}]]",
                                    c.type->port_of(local, 0), local, local)
                      : "hand it on in the type: connect: [[frame_a, part.frame_a]]"}});
        }
    }

    /// Those that nothing is connected to and that may stay so are left out of the model, but are there to be named.
    std::vector<std::string> connector_names(const std::string& component) {
        std::vector<std::string> names;
        const auto inside = std::ranges::find(work_.scopes, component + ".", &Scope::prefix);
        if (inside != work_.scopes.end() && inside->declaration != nullptr) {
            for (const ConnectorDeclaration& c : inside->declaration->connectors) names.push_back(c.name.text);
            return names;
        }
        for (const std::uint32_t k : connectors_of(component))
            names.push_back(work_.connectors[k].name.substr(component.size() + 1));
        return names;
    }

    void report_no_connector(const Scope& s, const std::string& head, std::size_t dot, const Text& text) {
        const std::vector<std::string> names = connector_names(s.prefix + head);
        std::string all;
        for (const std::string& n : names) all += (all.empty() ? "" : ", ") + head + "." + n;
        const std::string rest = dot == std::string::npos ? "" : text.text.substr(dot + 1);
        if (names.empty()) {
            work_.diagnostics.error("BG-M050", text.position,
                                    fmt::format("'{}' has no connector: it can't stand under 'connect:'", head),
                                    {{"try", "join its ports under 'bonds:'"}});
        } else {
            work_.diagnostics.error(
                "BG-M050", text.position,
                rest.empty() ? fmt::format("'{}' has {} connectors: say which one", head, names.size())
                             : fmt::format("'{}' has no connector '{}'{}", head, rest, did_you_mean(rest, names)),
                {{"try", all}});
        }
    }

    void number_nodes() {
        std::vector<std::uint32_t> node_of(work_.connectors.size(), kNone);
        for (std::uint32_t k = 0; k < work_.connectors.size(); ++k) {
            const std::size_t root = joined_.find_set(k);
            if (node_of[root] == kNone) {
                node_of[root] = static_cast<std::uint32_t>(sets_.nodes.size());
                sets_.nodes.emplace_back();
            }
            node_of[k] = node_of[root];
            sets_.nodes[node_of[k]].push_back(k);
        }
        sets_.node_at.assign(work_.graph.elements.size(), {});
        for (std::uint32_t k = 0; k < work_.connectors.size(); ++k) {
            const ConnectorPlace& c = work_.connectors[k];
            if (!c.element.valid()) continue;
            auto& at = sets_.node_at[c.element.index()];
            if (at.size() <= c.index) at.resize(c.index + 1, kNone);
            at[c.index] = node_of[k];
        }
        for (const auto& node : sets_.nodes) name_shared_connectors(node);
    }

    /// What a composite's connector has in common with those of parts that it leads to is a result under its own name.
    void name_shared_connectors(const std::vector<std::uint32_t>& node) {
        const auto of_a_part = [&](std::uint32_t k) { return work_.connectors[k].element.valid(); };
        const auto part = std::find_if(node.begin(), node.end(), of_a_part);
        if (part == node.end() || work_.connectors[*part].type->signals.empty()) return;
        const ConnectorPlace& from = work_.connectors[*part];
        for (const std::uint32_t k : node) {
            if (!of_a_part(k)) work_.graph.shared_connectors[work_.connectors[k].name] = {from.element, from.index};
        }
    }

    Flattening& work_;
    ConnectionSets sets_;
    boost::disjoint_sets_with_storage<> joined_;
    std::unordered_map<std::string, std::vector<std::uint32_t>> by_component_;  ///< made when first asked for
    std::set<std::uint32_t> handed_on_;  ///< connectors of composites that are joined to something inside
};

}  // namespace

ConnectionSets connection_sets(Flattening& work) { return ConnectionReader(work).run(); }

}  // namespace bondgraph::model
