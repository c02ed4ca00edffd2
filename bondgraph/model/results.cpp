#include "bondgraph/model/results.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <unordered_set>

#include "bondgraph/model/array_text.hpp"
#include "bondgraph/model/impulse_names.hpp"
#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {
namespace {

std::vector<const Text*> names_of_results(const Model& model) {
    std::vector<const Text*> names;
    for (const Text& name : model.outputs) names.push_back(&name);
    for (const Plot& plot : model.plots) {
        for (const Text& name : plot.y) names.push_back(&name);
    }
    return names;
}

void report(const Text& name, const std::vector<std::string>& known, Diagnostics& found) {
    found.error("BG-O002", name.position, no_such_result(name.text, known));
}

bool all_digits(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// "c.p[2]" → "c.p": how many components there are follows from the bonds.
std::string without_index(const std::string& name) {
    const auto open = name.rfind('[');
    if (open == std::string::npos || !name.ends_with(']')) return name;
    const std::string_view index = std::string_view(name).substr(open + 1, name.size() - open - 2);
    const bool indices =
        std::all_of(index.begin(), index.end(), [](char c) { return (c >= '0' && c <= '9') || c == ',' || c == ' '; });
    return indices ? name.substr(0, open) : name;
}

/// "m.e.impulse" → "m.e".
std::string without_impulse(const std::string& name) {
    constexpr std::string_view kSuffix = ".impulse";
    return name.ends_with(kSuffix) ? name.substr(0, name.size() - kSuffix.size()) : name;
}

/// "m.force" → "m.e": what effort and flow are called follows from the bonds.
std::string in_generic_terms(const std::string& name) {
    const auto dot = name.rfind('.');
    if (dot == std::string::npos) return name;
    const std::string_view what = std::string_view(name).substr(dot + 1);
    for (const Domain& d : domains()) {
        if (!d.effort.empty() && what == d.effort) return name.substr(0, dot) + ".e";
        if (!d.flow.empty() && what == d.flow) return name.substr(0, dot) + ".f";
    }
    return name;
}

/// The names of a model as far as they don't depend on how its components are joined.
class UnjoinedNames {
   public:
    UnjoinedNames(const Model& model, const Catalogue& catalogue, const UnitSystem& units)
        : work_{.model = model, .catalogue = catalogue, .units = units} {
        instantiate(work_);
        connect_signals(work_);
        connect_connectors(work_);
        connect_bonds(work_);
        give_every_port_a_bond();
        create_variables(work_);
        for (const ConnectorPlace& place : work_.connectors) {
            if (place.kind == nullptr) continue;
            for (const VariableDeclaration& signal : place.kind->signals)
                of_bonds_.insert(place.name + "." + signal.name.text);
        }
        for (const Scope& scope : work_.scopes) {
            for (const BondDeclaration& bond : scope.body->bonds) {
                if (!bond.name) continue;
                for (const char* what : {".e", ".f", ".power"}) of_bonds_.insert(scope.prefix + bond.name->text + what);
            }
            for (const auto& [port, index] : scope.boundary_ports) {
                for (const char* what : {".e", ".f", ".power"}) of_bonds_.insert(scope.prefix + port + what);
            }
        }
    }

    [[nodiscard]] bool may_exist(const std::string& text) const {
        const std::string name = in_generic_terms(without_impulse(without_index(text)));
        if (resolve_name(work_.graph, name) || resolve_name(work_.graph, name + "[1]")) return true;
        if (of_bonds_.contains(name)) return true;
        return name.find("->") != std::string::npos || may_be_left_out(name);
    }

    [[nodiscard]] std::vector<std::string> known() const {
        std::vector<std::string> names = result_names(work_.graph);
        names.insert(names.end(), of_bonds_.begin(), of_bonds_.end());
        std::sort(names.begin(), names.end());
        return names;
    }

   private:
    // What a bond decides besides, size and domain, no name asked for here shows.
    void give_every_port_a_bond() {
        BondGraph& g = work_.graph;
        const std::size_t built = g.bonds.size();  // until all are, a port has the number its bond has in the file
        for (std::uint32_t i = 0; i < g.elements.size(); ++i) {
            Element& e = g.elements[i];
            if (e.ports.empty() && e.type->pattern != PortPattern::fixed) e.ports.push_back({.name = "p"});
            for (Port& p : e.ports) {
                if (!p.bond.valid() || p.bond.index() >= built) {
                    p.bond = BondId(g.bonds.size());
                    g.bonds.push_back({.from = ElementId(i), .to = ElementId(i), .position = e.position});
                }
                g.bonds[p.bond.index()].size = 1;
                p.size = 1;
            }
        }
    }

    // Whether a name leads to where something has not been read, or to what its bonds alone decide.
    [[nodiscard]] bool may_be_left_out(const std::string& name) const {
        std::uint32_t scope = 0;
        for (std::size_t begin = 0;;) {
            const std::size_t dot = name.find('.', begin);
            const std::string key = name.substr(begin, dot - begin);
            const Scope& s = work_.scopes[scope];
            const auto member = s.members.find(key);
            if (member == s.members.end()) return leaves_out(scope);
            if (is_declared_twice(s, key)) return true;
            if (member->second.scope == Id<void>::kNone) {
                if (!member->second.element.valid()) return true;  // its type is unknown
                return dot != std::string::npos && follows_from_bonds(member->second.element, name.substr(dot + 1));
            }
            scope = member->second.scope;
            if (leaves_out(scope)) return true;
            if (dot != std::string::npos && is_output(work_.scopes[scope], name.substr(dot + 1))) return true;
            if (dot == std::string::npos) return false;
            begin = dot + 1;
        }
    }

    /// Of a type: what its parts determine is worked out with everything else.
    static bool is_output(const Scope& scope, const std::string& name) {
        return scope.declaration != nullptr &&
               std::ranges::any_of(scope.declaration->outputs, [&](const auto& o) { return o.name.text == name; });
    }

    [[nodiscard]] bool leaves_out(std::uint32_t scope) const {
        const Gaps& gaps = work_.gaps(scope);
        return scope == 0 ? gaps.components || gaps.bonds : gaps.any();
    }

    static bool is_declared_twice(const Scope& scope, const std::string& name) {
        const auto& all = scope.body->components;
        return std::count_if(all.begin(), all.end(),
                             [&](const ComponentDeclaration& c) { return c.name.text == name; }) > 1;
    }

    // The ports p1, p2 … of a field, a Compose or a Decompose are those with bonds; so are the states of a field.
    [[nodiscard]] bool follows_from_bonds(ElementId id, const std::string& rest) const {
        const ComponentType& type = *work_.graph.elements[id.index()].type;
        if (type.build != nullptr) return true;  // its states and variables depend on what it is connected to
        if (type.pattern == PortPattern::fixed || type.pattern == PortPattern::junction) return false;
        const auto dot = rest.find('.');
        if (dot == std::string::npos) return (rest[0] == 'p' || rest[0] == 'q') && all_digits(rest.substr(1));
        const std::string what = rest.substr(dot + 1);
        return rest[0] == 'p' && all_digits(rest.substr(1, dot - 1)) && (what == "e" || what == "f" || what == "power");
    }

    Flattening work_;
    std::unordered_set<std::string> of_bonds_;
};

}  // namespace

namespace {

/// What a result of a component that exists was meant to be; empty where no component begins the name.
std::string hint_within(const std::string& name, const std::vector<std::string>& known) {
    for (auto dot = name.rfind('.'); dot != std::string::npos && dot > 0; dot = name.rfind('.', dot - 1)) {
        const std::string head = name.substr(0, dot + 1);
        std::vector<std::string> own;
        std::set<std::string> short_ones;  // without parts, and once where there are several components
        for (const std::string& n : known) {
            if (!n.starts_with(head)) continue;
            own.push_back(n.substr(head.size()));
            if (own.back().find('.') == std::string::npos)
                short_ones.insert(own.back().substr(0, own.back().find('[')));
        }
        if (own.empty()) continue;
        const std::string rest = name.substr(head.size());
        std::string nearest = nearest_name(rest, own);
        // "b.x" of a body that is carried: its frame has it.
        const auto deeper = std::find_if(own.begin(), own.end(), [&](const std::string& n) {
            return n.size() > rest.size() + 1 && n.find('.') == n.size() - rest.size() - 1 && n.ends_with(rest);
        });
        if (nearest.empty() && deeper != own.end()) nearest = *deeper;
        if (!nearest.empty()) return fmt::format("; did you mean '{}{}'?", head, nearest);
        if (short_ones.empty()) return "";
        return fmt::format("; '{}' has {}", head.substr(0, head.size() - 1), fmt::join(short_ones, ", "));
    }
    return "";
}

}  // namespace

std::string hint_for_name(const std::string& name, const std::vector<std::string>& known) {
    if (std::ranges::find(known, name) != known.end()) return {};  // it is one, but of no use here
    const std::string hint = hint_within(name, known);
    return hint.empty() ? did_you_mean(name, known) : hint;
}

std::string no_such_result(const std::string& name, const std::vector<std::string>& known) {
    return fmt::format("the model has no result '{}'{}", name, hint_for_name(name, known));
}

std::string no_such_result(const std::string& name, const BondGraph& graph) {
    if (is_left_out(graph, name))
        return fmt::format("'{}' is of a component that is not there: its 'if:' is false", name);
    const std::string base = without_index(name);
    NameLookup lookup(graph);
    const auto count = [&](std::string_view index) {
        std::size_t n = 0;
        while (base != name && lookup.resolve(base + fmt::format(fmt::runtime(index), n + 1))) ++n;
        return n;
    };
    const std::size_t components = count("[{}]");
    if (components == 0) return no_such_result(name, result_names(graph));
    if (const std::size_t columns = count("[1,{}]"); columns > 1)
        return fmt::format("'{0}' has {1} rows and {2} columns, '{0}[1,1]' to '{0}[{1},{2}]'", base, count("[{},1]"),
                           columns);
    return components == 1 ? fmt::format("'{}' is a single value, without components", base)
                           : fmt::format("'{0}' has {1} components, '{0}[1]' to '{0}[{1}]'", base, components);
}

void check_results(const Model& model, const BondGraph& graph, Diagnostics& found) {
    for (const Text* name : names_of_results(model)) {
        const auto meant = results_of_arrays(graph, name->text);
        const bool known = std::ranges::any_of(meant, [&](const std::string& one) {
            return resolve_result(graph, one) || resolve_result(graph, one + "[1]");
        });
        if (known || is_left_out(graph, name->text)) continue;
        found.error("BG-O002", name->position, no_such_result(name->text, graph));
    }
}

std::vector<Diagnostic> find_unknown_results(const Model& model, const Catalogue& catalogue, const UnitSystem& units) {
    const std::vector<const Text*> names = names_of_results(model);
    if (names.empty()) return {};
    const UnjoinedNames unjoined(model, catalogue, units);
    Diagnostics found;
    std::vector<std::string> known;
    for (const Text* name : names) {
        if (has_open_index(name->text) || unjoined.may_exist(name->text)) continue;
        if (known.empty()) known = unjoined.known();
        report(*name, known, found);
    }
    return found.items();
}

}  // namespace bondgraph::model
