// Pass of flattening: components between frames whose motion something at their ports prescribes or holds, and which
// then are built otherwise.

#include "bondgraph/model/given_flows.hpp"

#include <algorithm>
#include <iterator>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "bondgraph/expression/syntax.hpp"
#include "bondgraph/model/parts.hpp"

namespace bondgraph::model {
namespace {

enum class What : std::uint8_t { effort, flow };

What other(What w) { return w == What::flow ? What::effort : What::flow; }

/// Whether what is bonded somewhere decides an effort or a flow there, whatever happens on this side: found along the
/// bonds as drawn, before any parameter has a value. What decides it at times only (a lock, friction that sticks)
/// counts; a storage doesn't, which takes the other causality as well.
class Given {
   public:
    explicit Given(const Flattening& work) : work_(work) {}

    /// Of a junction of flow that is part of `component`: whether anything bonded to it from outside gives its flow.
    bool flow_at(const Element& junction, ElementId component) {
        seen_.clear();
        return std::ranges::any_of(junction.ports, [&](const Port& port) {
            if (!port.bond.valid()) return false;
            const Far far = beyond(port.bond.value, junction, port);
            if (!far.element.valid()) return false;
            const Element& there = at(far.element);
            const bool own = there.directed && there.owner == component;  // what would have to give way
            if (own) return false;
            return gives(far, What::flow);
        });
    }

   private:
    /// The other end of a bond: an element and its port.
    struct Far {
        ElementId element;
        std::uint32_t port = 0;
    };

    const Element& at(ElementId id) const { return work_.graph.elements[id.index()]; }

    Far beyond(std::uint32_t bond, const Element& from, const Port& port) const {
        const auto here = [&](const RawEnd& end) {
            return end.element.valid() && &at(end.element) == &from && &from.ports[end.port] == &port;
        };
        bool forward = here(work_.raw_bonds[bond].from);
        for (;;) {
            const RawBond& raw = work_.raw_bonds[bond];
            const RawEnd& end = forward ? raw.to : raw.from;
            if (end.boundary == Id<void>::kNone) return {end.element, end.port};
            const BoundaryPort& b = work_.boundary_ports[end.boundary];
            const std::uint32_t next = end.inside ? b.outer : b.inner;
            if (next == Id<void>::kNone) return {};
            const RawBond& through = work_.raw_bonds[next];
            forward = through.from.boundary == end.boundary && through.from.inside != end.inside;
            bond = next;
        }
    }

    /// What an element does at one of its ports.
    bool gives(Far end, What what) {
        if (!seen_.insert({end.element.value, end.port, what}).second) return false;
        const Element& e = at(end.element);
        const ComponentType& type = *e.type;
        if (type.is_junction())
            return junction_gives(e, end.port, (type.structure == Structure::junction1) == (what == What::flow));
        if (type.is_two_port()) {
            if (e.directed) return (*e.directed == (end.port == 1)) == (what == What::flow);
            return across(e, end.port, type.structure == Structure::gyrator ? other(what) : what);
        }
        if (type.structure == Structure::wiring && type.pattern == PortPattern::fixed) return across(e, end.port, what);
        if (type.is_source()) {
            return type.causality != nullptr &&
                   type.causality(e, end.port, 0) ==
                       (what == What::flow ? PortCausality::flow_out : PortCausality::effort_out);
        }
        if (type.is_own_type()) return own_type_gives(e, end.port, what);
        return type.mode_causality != nullptr;
    }

    /// What a junction has in common is given by any other bond, the sum by all of them together.
    bool junction_gives(const Element& junction, std::uint32_t port, bool common) {
        const What shared = junction.type->structure == Structure::junction1 ? What::flow : What::effort;
        const auto one = [&](const Port& p) {
            if (!p.bond.valid()) return false;
            const Far far = beyond(p.bond.value, junction, p);
            return far.element.valid() && gives(far, common ? shared : other(shared));
        };
        const auto self = [&](const Port& p) { return &p == &junction.ports[port]; };
        if (common) return std::ranges::any_of(junction.ports, [&](const Port& p) { return !self(p) && one(p); });
        return std::ranges::all_of(junction.ports, [&](const Port& p) { return self(p) || one(p); });
    }

    bool across(const Element& e, std::uint32_t port, What what) {
        if (e.ports.size() != 2 || !e.ports[1 - port].bond.valid()) return false;
        const Far far = beyond(e.ports[1 - port].bond.value, e, e.ports[1 - port]);
        return far.element.valid() && gives(far, what);
    }

    /// A type given by equations gives what follows from them by what is given at its other ports, one by one. States
    /// count as given as long as their rates are: others store what comes in here, and may be dependent.
    bool own_type_gives(const Element& e, std::uint32_t port, What what) {
        if (e.declaration == nullptr) return false;
        std::vector<std::set<std::string>> equations;
        std::set<std::string> states;
        for (const Text& text : e.declaration->body.equations) {
            try {
                equations.push_back(names_in(expression::parse_equation(text.text), states));
            } catch (const expression::SyntaxError&) {
                return false;  // reported where equations are read
            }
        }
        const std::set<std::string> open = unknowns(e, port);
        for (;;) {
            std::set<std::string> left = open;
            for (const std::string& state : states) {
                left.erase(state);
                left.insert(rate(state));
            }
            close(equations, left);
            if (std::erase_if(states, [&](const std::string& state) { return left.contains(rate(state)); }) == 0)
                return !left.contains(variable(e.ports[port], what));
        }
    }

    /// What the equations of a type have to determine, seen from one of its ports.
    std::set<std::string> unknowns(const Element& e, std::uint32_t port) {
        std::set<std::string> open;
        for (const auto* declared : {&e.declaration->body.variables, &e.declaration->outputs}) {
            for (const VariableDeclaration& v : *declared) {
                if (!v.discrete) open.insert(v.name.text);
            }
        }
        for (std::uint32_t p = 0; p < e.ports.size(); ++p) {
            for (const What w : {What::effort, What::flow}) {
                if (p == port || !e.ports[p].bond.valid() || !given_from_outside(e, p, w))
                    open.insert(variable(e.ports[p], w));
            }
        }
        return open;
    }

    bool given_from_outside(const Element& e, std::uint32_t port, What what) {
        const Far far = beyond(e.ports[port].bond.value, e, e.ports[port]);
        return far.element.valid() && gives(far, what);
    }

    static std::string variable(const Port& port, What what) { return port.name + (what == What::flow ? ".f" : ".e"); }

    static std::string rate(const std::string& state) { return "der(" + state + ")"; }

    /// The names in an equation, rates among them; their states are noted.
    static std::set<std::string> names_in(const expression::Syntax& equation, std::set<std::string>& states) {
        std::set<std::string> names;
        std::set<std::uint32_t> of_rates;
        for (const expression::SyntaxNode& node : equation.nodes) {
            if (node.kind != expression::SyntaxKind::call || node.text != "der" || node.children.size() != 1) continue;
            const std::string& state = equation.nodes[node.children[0]].text;
            of_rates.insert(node.children[0]);
            states.insert(state);
            names.insert(rate(state));
        }
        for (std::uint32_t n = 0; n < equation.nodes.size(); ++n) {
            if (equation.nodes[n].kind == expression::SyntaxKind::name && !of_rates.contains(n))
                names.insert(equation.nodes[n].text);
        }
        return names;
    }

    /// Takes away what equations with nothing else that is open determine.
    static void close(const std::vector<std::set<std::string>>& equations, std::set<std::string>& open) {
        for (bool progress = true; progress;) {
            progress = false;
            for (const auto& names : equations) {
                std::vector<std::string> left;
                std::ranges::set_intersection(names, open, std::back_inserter(left));
                if (left.size() != 1) continue;
                open.erase(left.front());
                progress = true;
            }
        }
    }

    const Flattening& work_;
    std::set<std::tuple<std::uint32_t, std::uint32_t, What>> seen_;
};

}  // namespace

void build_driven(Flattening& work) {
    std::vector<ElementId> candidates;
    for (std::uint32_t i = 0; i < work.graph.elements.size(); ++i) {
        if (work.graph.elements[i].type->driven != nullptr) candidates.emplace_back(i);
    }
    // Of two whose ports are joined, the first gives way: no matter where they stand in the file.
    std::ranges::sort(candidates, {},
                      [&](ElementId id) { return std::string_view(work.graph.elements[id.index()].name); });
    Given given(work);
    for (const ElementId id : candidates) {
        const Element& e = work.graph.elements[id.index()];
        const auto junction = work.graph.element_by_name.find(e.name + "." + std::string(e.type->ports.front().name));
        if (junction == work.graph.element_by_name.end()) continue;
        if (!given.flow_at(work.graph.elements[junction->second.index()], id)) continue;
        Element& driven = work.graph.elements[id.index()];
        driven.type = driven.type->driven;
        if (!driven.states_asked) driven.preference = StatePreference::prefer;  // as of all coordinates
        PartsBuilder parts(work, id);
        driven.type->build(parts);
    }
}

}  // namespace bondgraph::model
