// Causal paths: who computes what from what, along the strokes.

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>

#include "bondgraph/causality/assignment.hpp"
#include "bondgraph/causality/loop_bonds.hpp"
#include "bondgraph/causality/own_type_paths.hpp"
#include "bondgraph/model/modes.hpp"

namespace bondgraph::causality {

using model::BondGraph;
using model::Element;
using model::ElementId;
using model::VariableId;

namespace {

/// One end of a bond component.
struct End {
    std::uint32_t c;
    bool head;
};

std::vector<End> ends(const BondGraph& g, const Element& e) {
    std::vector<End> all;
    for (const model::Port& p : e.ports) {
        const model::Bond& b = g.bonds[p.bond.index()];
        for (std::uint32_t k = 0; k < b.size; ++k) all.push_back({b.first + k, p.at_head});
    }
    return all;
}

// The graph of computation: vertices are variables (2 per bond component), arcs v → w mean "w is computed from v".
// Storages in integral causality and sources start paths and end them.
class Signals {
   public:
    Signals(const BondGraph& g, const std::vector<Stroke>& strokes, const ScalarGraph* scalar)
        : g_(g), strokes_(strokes) {
        successors_.resize(2 * std::size_t{g.bond_components});
        for (const Element& e : g.elements) element(e, scalar);
        if (scalar != nullptr) meshes(*scalar);
    }

    [[nodiscard]] const std::vector<std::vector<std::uint32_t>>& successors() const { return successors_; }

    [[nodiscard]] bool effort_in(std::uint32_t c, bool at_head) const {
        return strokes_[c] == (at_head ? Stroke::at_to : Stroke::at_from);
    }
    /// The variable that enters the component at this end, and the one it answers with.
    [[nodiscard]] std::uint32_t input(std::uint32_t c, bool at_head) const {
        return 2 * c + (effort_in(c, at_head) ? 0 : 1);
    }
    [[nodiscard]] std::uint32_t output(std::uint32_t c, bool at_head) const {
        return 2 * c + (effort_in(c, at_head) ? 1 : 0);
    }

   private:
    void arc(std::uint32_t from, std::uint32_t to) { successors_[from].push_back(to); }

    // What a two-port computed one way takes in at one port answers at the other.
    void directed(const Element& e) {
        for (const model::Port& p : e.ports) {
            for (const model::Port& q : e.ports) {
                if (&p == &q) continue;
                const std::uint32_t from = g_.bonds[p.bond.index()].first;
                const std::uint32_t to = g_.bonds[q.bond.index()].first;
                for (std::uint32_t i = 0; i < p.size; ++i) {
                    for (std::uint32_t j = 0; j < q.size; ++j)
                        arc(input(from + i, p.at_head), output(to + j, q.at_head));
                }
            }
        }
    }

    void element(const Element& e, const ScalarGraph* scalar) {
        if (e.directed) return directed(e);
        // Junction structure is taken from the scalar graph below.
        if (scalar != nullptr && e.type->in_junction_structure()) return;
        if (e.is_junction()) return junction(e);
        const auto all = ends(g_, e);
        if (e.type->is_own_type()) return own_type(e, all);
        if (e.type->is_resistor()) return resistor(e, all);
        if (!e.type->in_junction_structure()) return;  // sources and storages break paths; sensors end them
        for (const End& x : all) {
            for (const End& y : all) {
                if (x.c != y.c) arc(input(x.c, x.head), output(y.c, y.head));
            }
        }
    }

    void resistor(const Element& e, const std::vector<End>& all) {
        const bool matrix = std::any_of(e.parameters.begin(), e.parameters.end(),
                                        [](const auto& q) { return q && q->value.cols() > 1; });
        const bool heated = e.ports.size() > 1 && !e.type->ports.empty() && e.type->ports.back().heat;
        const bool apart = e.type->pattern == model::PortPattern::fixed && (e.ports.size() == 1 || heated) && !matrix &&
                           e.given_equations.size() <= 1;
        for (const End& x : all) {
            for (const End& y : all) {
                const bool heat = heated && x.c == all.front().c && y.c == all.back().c;
                if (!apart || x.c == y.c || heat) arc(input(x.c, x.head), output(y.c, y.head));
            }
        }
    }

    void own_type(const Element& e, const std::vector<End>& all) {
        std::vector<OwnTypeEnd> ends;
        for (const End& x : all) ends.push_back({input(x.c, x.head), output(x.c, x.head)});
        own_type_paths(g_, e, ends, [&](std::size_t from, std::size_t to) { arc(ends[from].input, ends[to].output); });
    }

    void junction(const Element& e) {
        const bool zero = e.type->structure == model::Structure::junction0;
        for (std::uint32_t k = 0; k < e.ports[0].size; ++k) {
            std::vector<End> all;
            for (const model::Port& p : e.ports) all.push_back({g_.bonds[p.bond.index()].first + k, p.at_head});
            junction(all, zero);
        }
    }

    void junction(const std::vector<End>& all, bool zero) {
        // Inside a mesh whose equations only together decide nothing is computed from anything else.
        if (std::any_of(all.begin(), all.end(), [&](const End& x) { return strokes_[x.c] == Stroke::open; })) return;
        const auto strong =
            std::find_if(all.begin(), all.end(), [&](const End& x) { return effort_in(x.c, x.head) == zero; });
        if (strong == all.end()) return;
        for (const End& x : all) {
            if (x.c == strong->c && x.head == strong->head) continue;
            arc(input(strong->c, strong->head), output(x.c, x.head));
            arc(input(x.c, x.head), output(strong->c, strong->head));
        }
    }

    void meshes(const ScalarGraph& s) {
        for (std::uint32_t v = 0; v < s.vertices.size(); ++v) {
            const ScalarVertex& vertex = s.vertices[v];
            const std::uint32_t mesh = s.mesh_of[v];
            if (mesh != kNoVertex && s.vertices[mesh].kind != ScalarVertex::Kind::planned) continue;
            if (vertex.kind == ScalarVertex::Kind::own_type || vertex.kind == ScalarVertex::Kind::planned) continue;
            std::vector<End> all;
            for (const ScalarEnd& e : vertex.ends) all.push_back({e.component, e.at_head});
            if (vertex.kind == ScalarVertex::Kind::junction0 || vertex.kind == ScalarVertex::Kind::junction1) {
                junction(all, vertex.kind == ScalarVertex::Kind::junction0);
                continue;
            }
            for (std::size_t i = 0; i < all.size(); ++i) {
                for (std::size_t o = 0; o < all.size(); ++o) {
                    const std::uint32_t in = input(all[i].c, all[i].head);
                    const std::uint32_t out = output(all[o].c, all[o].head);
                    if (vertex.kind == ScalarVertex::Kind::dirac && mesh == kNoVertex) {
                        // Only where the transfer through the mesh does not cancel.
                        if (s.diracs[vertex.dirac].transfer(2 * o + (out % 2), 2 * i + (in % 2)) != 0.0) arc(in, out);
                    } else if (i != o) {
                        arc(in, out);
                    }
                }
            }
        }
    }

    const BondGraph& g_;
    const std::vector<Stroke>& strokes_;
    std::vector<std::vector<std::uint32_t>> successors_;
};

// Tarjan's algorithm without recursion; only components with a cycle are returned.
std::vector<std::vector<std::uint32_t>> cyclic_components(const std::vector<std::vector<std::uint32_t>>& successors) {
    const auto n = static_cast<std::uint32_t>(successors.size());
    std::vector<std::uint32_t> index(n, kNoVertex);
    std::vector<std::uint32_t> low(n, 0);
    std::vector<bool> on_stack(n, false);
    std::vector<std::uint32_t> stack;
    std::vector<std::pair<std::uint32_t, std::size_t>> calls;
    std::vector<std::vector<std::uint32_t>> result;
    std::uint32_t counter = 0;
    for (std::uint32_t root = 0; root < n; ++root) {
        if (index[root] != kNoVertex) continue;
        calls.emplace_back(root, 0);
        while (!calls.empty()) {
            auto& [v, next] = calls.back();
            if (next == 0) {
                index[v] = low[v] = counter++;
                stack.push_back(v);
                on_stack[v] = true;
            }
            bool descended = false;
            while (next < successors[v].size()) {
                const std::uint32_t w = successors[v][next++];
                if (index[w] == kNoVertex) {
                    calls.emplace_back(w, 0);
                    descended = true;
                    break;
                }
                if (on_stack[w]) low[v] = std::min(low[v], index[w]);
            }
            if (descended) continue;
            const std::uint32_t done = v;
            calls.pop_back();
            if (!calls.empty()) low[calls.back().first] = std::min(low[calls.back().first], low[done]);
            if (low[done] != index[done]) continue;
            std::vector<std::uint32_t> component;
            for (;;) {
                const std::uint32_t w = stack.back();
                stack.pop_back();
                on_stack[w] = false;
                component.push_back(w);
                if (w == done) break;
            }
            const bool self =
                std::find(successors[done].begin(), successors[done].end(), done) != successors[done].end();
            if (component.size() > 1 || self) {
                std::sort(component.begin(), component.end());
                result.push_back(std::move(component));
            }
        }
    }
    std::sort(result.begin(), result.end());
    return result;
}

// The shortest cycle through the component's first variable.
std::vector<VariableId> cycle_through(const std::vector<std::vector<std::uint32_t>>& successors,
                                      const std::vector<std::uint32_t>& component) {
    const std::unordered_set<std::uint32_t> inside(component.begin(), component.end());
    std::unordered_map<std::uint32_t, std::uint32_t> parent;
    std::deque<std::uint32_t> queue{component.front()};
    while (!queue.empty()) {
        const std::uint32_t v = queue.front();
        queue.pop_front();
        for (const std::uint32_t w : successors[v]) {
            if (w == component.front()) {
                std::vector<VariableId> path;
                for (std::uint32_t x = v; x != component.front(); x = parent.at(x)) path.emplace_back(std::size_t{x});
                path.emplace_back(std::size_t{component.front()});
                std::reverse(path.begin(), path.end());
                return path;
            }
            if (inside.contains(w) && parent.emplace(w, v).second) queue.push_back(w);
        }
    }
    return {};
}

}  // namespace

void find_loops(CausalGraph& causal, const Assignment& a) {
    const BondGraph& g = *causal.graph;
    const Signals signals(g, causal.strokes, &a.scalar);
    const auto components = cyclic_components(signals.successors());
    std::vector<std::uint32_t> member(2 * std::size_t{g.bond_components}, kNoVertex);
    for (std::uint32_t k = 0; k < components.size(); ++k) {
        for (const std::uint32_t v : components[k]) member[v] = k;
    }
    std::vector<std::vector<ElementId>> elements(components.size());
    for (std::size_t i = 0; i < g.elements.size(); ++i) {
        const Element& e = g.elements[i];
        if (!e.type->is_resistor() && !e.type->is_own_type()) continue;
        for (const model::Port& p : e.ports) {
            for (std::uint32_t k = 0; k < p.size; ++k) {
                const std::uint32_t at = member[signals.output(p.first_effort / 2 + k, p.at_head)];
                if (at == kNoVertex) continue;
                auto& list = elements[at];
                if (list.empty() || list.back() != ElementId(i)) list.emplace_back(i);
            }
        }
    }
    for (std::size_t k = 0; k < components.size(); ++k) {
        if (!elements[k].empty())
            causal.loops.push_back({elements[k], cycle_through(signals.successors(), components[k])});
    }
}

std::vector<std::vector<std::uint32_t>> bonds_of_loops(const CausalGraph& causal) {
    const BondGraph& g = *causal.graph;
    std::vector<std::vector<std::uint32_t>> bonds(causal.loops.size());
    if (bonds.empty()) return bonds;
    const Signals signals(g, causal.strokes, nullptr);
    const auto components = cyclic_components(signals.successors());
    std::vector<std::uint32_t> member(2 * std::size_t{g.bond_components}, kNoVertex);
    for (std::uint32_t k = 0; k < components.size(); ++k) {
        for (const std::uint32_t v : components[k]) member[v] = k;
    }
    for (std::size_t k = 0; k < bonds.size(); ++k) {
        std::vector<std::uint32_t> taken;
        for (const VariableId v : causal.loops[k].path) {
            if (v.value < 2 * g.bond_components) bonds[k].push_back(v.value / 2);
        }
        for (const ElementId id : causal.loops[k].elements) {
            for (const End& x : ends(g, g.elements[id.index()])) {
                const std::uint32_t at = member[signals.output(x.c, x.head)];
                if (at != kNoVertex) taken.push_back(at);
            }
        }
        std::sort(taken.begin(), taken.end());
        taken.erase(std::unique(taken.begin(), taken.end()), taken.end());
        for (const std::uint32_t at : taken) {
            for (const std::uint32_t v : components[at]) bonds[k].push_back(v / 2);
        }
        std::sort(bonds[k].begin(), bonds[k].end());
        bonds[k].erase(std::unique(bonds[k].begin(), bonds[k].end()), bonds[k].end());
    }
    return bonds;
}

void find_dependencies(CausalGraph& causal, const Assignment& a) {
    const BondGraph& g = *causal.graph;
    if (causal.dependent_storage_count() == 0) return;
    const Signals signals(g, causal.strokes, &a.scalar);
    std::vector<std::vector<std::uint32_t>> predecessors(signals.successors().size());
    for (std::uint32_t v = 0; v < signals.successors().size(); ++v) {
        for (const std::uint32_t w : signals.successors()[v]) predecessors[w].push_back(v);
    }
    std::unordered_map<std::uint32_t, ElementId> origin;  // output variables of integral storages and sources
    for (const StorageCausality& s : causal.storages) {
        if (s.integral)
            origin.emplace(signals.output(s.bond_component, g.elements[s.element.index()].ports[s.port].at_head),
                           s.element);
    }
    for (std::size_t i = 0; i < g.elements.size(); ++i) {
        if (!g.elements[i].type->is_source()) continue;
        const model::Port& p = g.elements[i].ports[0];
        for (std::uint32_t k = 0; k < p.size; ++k)
            origin.emplace(signals.output(p.first_effort / 2 + k, p.at_head), ElementId(i));
    }
    // So does what holds a flow in its present state: a diode that blocks, an open switch, a friction that sticks.
    for (std::size_t i = 0; i < g.elements.size(); ++i) {
        const Element& e = g.elements[i];
        if (e.type->mode_causality == nullptr || e.ports.empty()) continue;
        const model::Port& p = e.ports[0];
        for (std::uint32_t k = 0; k < p.size; ++k) {
            if (model::demanded_causality(g, causal.modes, ElementId(i), 0, k) != model::PortCausality::flow_out)
                continue;
            const std::uint32_t v = signals.output(p.first_effort / 2 + k, p.at_head);
            origin.emplace(v, ElementId(i));
            predecessors[v].clear();
        }
    }
    // An own type that answers with what its states give starts paths like a storage.
    for (std::size_t i = 0; i < g.elements.size(); ++i) {
        if (!g.elements[i].type->is_own_type()) continue;
        for (const model::Port& p : g.elements[i].ports) {
            for (std::uint32_t k = 0; k < p.size; ++k) {
                const std::uint32_t v = signals.output(p.first_effort / 2 + k, p.at_head);
                if (predecessors[v].empty()) origin.emplace(v, ElementId(i));
            }
        }
    }
    for (StorageCausality& s : causal.storages) {
        if (s.integral) continue;
        std::vector<std::uint32_t> stack{
            signals.input(s.bond_component, g.elements[s.element.index()].ports[s.port].at_head)};
        std::unordered_set<std::uint32_t> seen;
        while (!stack.empty() && seen.size() < 100000) {
            const std::uint32_t v = stack.back();
            stack.pop_back();
            if (!seen.insert(v).second) continue;
            if (const auto o = origin.find(v); o != origin.end()) s.depends_on.push_back(o->second);
            stack.insert(stack.end(), predecessors[v].begin(), predecessors[v].end());
        }
        std::sort(s.depends_on.begin(), s.depends_on.end());
        s.depends_on.erase(std::unique(s.depends_on.begin(), s.depends_on.end()), s.depends_on.end());
    }
}

std::vector<CausalPath> causal_paths(const CausalGraph& causal, std::size_t limit) {
    const BondGraph& g = *causal.graph;
    const Signals signals(g, causal.strokes, nullptr);
    const auto is_end = [&](const Element& e) {
        const model::ComponentType& t = *e.type;
        return t.is_source() || t.is_storage() || t.is_resistor() || t.is_constraint() || t.is_own_type();
    };
    std::unordered_map<std::uint32_t, ElementId> inputs;
    for (std::size_t i = 0; i < g.elements.size(); ++i) {
        if (!is_end(g.elements[i]) && !g.elements[i].type->is_sensor()) continue;
        for (const model::Port& p : g.elements[i].ports) {
            for (std::uint32_t k = 0; k < p.size; ++k)
                inputs.emplace(signals.input(p.first_effort / 2 + k, p.at_head), ElementId(i));
        }
    }
    std::vector<CausalPath> paths;
    for (std::size_t i = 0; i < g.elements.size(); ++i) {
        if (!is_end(g.elements[i])) continue;
        for (const model::Port& p : g.elements[i].ports) {
            for (std::uint32_t k = 0; k < p.size; ++k) {
                const std::uint32_t start = signals.output(p.first_effort / 2 + k, p.at_head);
                std::unordered_map<std::uint32_t, std::uint32_t> parent{{start, start}};
                std::deque<std::uint32_t> queue{start};
                while (!queue.empty()) {
                    const std::uint32_t v = queue.front();
                    queue.pop_front();
                    if (const auto end = inputs.find(v); end != inputs.end() && end->second != ElementId(i)) {
                        CausalPath path{ElementId(i), end->second, {}};
                        for (std::uint32_t x = v;; x = parent.at(x)) {
                            path.variables.emplace_back(std::size_t{x});
                            if (x == start) break;
                        }
                        std::reverse(path.variables.begin(), path.variables.end());
                        paths.push_back(std::move(path));
                        if (paths.size() >= limit) return paths;
                        continue;
                    }
                    if (const auto end = inputs.find(v); end != inputs.end() && v != start) continue;
                    for (const std::uint32_t w : signals.successors()[v]) {
                        if (parent.emplace(w, v).second) queue.push_back(w);
                    }
                }
            }
        }
    }
    return paths;
}

std::string reason_text(const CausalGraph& causal, std::uint32_t component) {
    const BondGraph& g = *causal.graph;
    const Reason& r = causal.reasons[component];
    if (!r.at.valid()) return "the equations of the mesh decide together";
    const Element& e = g.elements[r.at.index()];
    const auto shared = [&] { return e.type->structure == model::Structure::junction0 ? "effort" : "flow"; };
    const auto who = [&] { return fmt::format("{} '{}'", e.type->name, e.name); };
    const auto bond = [&](std::uint32_t c) { return fmt::format("'{}'", g.bond_label(g.bond_of_component(c))); };
    using Kind = Reason::Kind;
    switch (r.kind) {
        case Kind::source:
            return fmt::format("{} fixes its {}", who(),
                               e.type->causality(e, 0, 0) == model::PortCausality::effort_out ? "effort" : "flow");
        case Kind::fixed_law:
            return fmt::format("the law of {} can be computed in this direction only", who());
        case Kind::integral:
            return fmt::format("{} takes integral causality", who());
        case Kind::refused_state:
            return fmt::format("{} shall not be a state", who());
        case Kind::junction_decided:
            return fmt::format("the {} of {}-junction '{}' is decided by {}", shared(), e.type->name, e.name,
                               bond(r.cause));
        case Kind::junction_last:
            return fmt::format("the only bond left to decide the {} of {}-junction '{}'", shared(), e.type->name,
                               e.name);
        case Kind::two_port:
            return r.cause == kNoVertex ? fmt::format("{} passes it on", who())
                                        : fmt::format("{} passes on what {} decided", who(), bond(r.cause));
        case Kind::mesh:
            return fmt::format("the mesh around '{}' leaves no other choice", e.name);
        case Kind::own_type:
            return fmt::format("the equations of '{}' leave no other choice", e.name);
        case Kind::written_law:
            return fmt::format("the law of '{}' is written, or smooth, this way", e.name);
        case Kind::resistive_choice:
            return fmt::format("free: chosen for {}", who());
        case Kind::free_choice:
            return "free: chosen";
        case Kind::none:
            break;
    }
    return "the equations of the mesh decide together";
}

}  // namespace bondgraph::causality
