#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>
#include <unordered_set>

#include "bondgraph/compile/closures.hpp"
#include "bondgraph/compile/equations.hpp"
#include "bondgraph/compile/time_functions.hpp"
#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/expression/operations.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::compile {

using causality::CausalGraph;
using causality::Stroke;
using expression::Op;
using model::BondGraph;
using model::Element;
using model::ElementId;

std::vector<std::uint32_t> unknowns_of(const EquationSystem& s, const OrientedEquation& e) {
    const expression::Graph& graph = *s.causal->graph->expressions;
    std::vector<std::uint32_t> roots;
    for (const Expr& x : {e.lhs, e.rhs}) {
        if (!x.is_literal()) roots.push_back(x.node());
    }
    std::vector<std::uint32_t> result;
    for (const std::uint32_t n : expression::reachable(graph, roots)) {
        const expression::Node& node = graph[n];
        if (node.op == Op::variable && !s.is_state[node.a]) result.push_back(node.a);
        if (node.op == Op::derivative && s.is_state[node.a]) result.push_back(node.a);
    }
    std::sort(result.begin(), result.end());
    result.erase(std::unique(result.begin(), result.end()), result.end());
    return result;
}

std::vector<std::uint32_t> variables_in(const expression::Graph& graph, std::span<const Expr> all) {
    std::vector<std::uint32_t> roots;
    for (const Expr& e : all) {
        if (!e.is_literal()) roots.push_back(e.node());
    }
    std::vector<std::uint32_t> result;
    for (const std::uint32_t n : expression::reachable(graph, roots)) {
        if (graph[n].op == Op::variable) result.push_back(graph[n].a);
    }
    std::sort(result.begin(), result.end());
    return result;
}

namespace {

// What logic joins jumps where its relations do.
bool jumps(Op op) { return is_relation(op) || expression::operation(op).course == expression::Course::stepped; }

/// Where a slope jumps from one piece of a table to the next, or at an end beyond which the table holds. Of time it may
/// be that no run gets there.
bool slope_jumps(const expression::Graph& graph, const expression::Node& node) {
    if (node.op == Op::table2_slope_x || node.op == Op::table2_slope_y) return true;
    if (node.op == Op::table1_slope) {
        const expression::Table1& table = graph.tables().one[node.a];
        return table.x.size() > 2 || table.extrapolation != expression::Extrapolation::linear;
    }
    if (node.op != Op::table1) return false;
    const expression::Table1& table = graph.tables().one[node.a];
    if (table.polynomials.empty()) return false;
    if (table.continuous < 0) return true;
    if (table.extrapolation != expression::Extrapolation::zero) return false;
    const auto& c = table.polynomials.back();
    const double last = table.x.back() - table.x[table.x.size() - 2];
    const bool ends = table.polynomials.front()[0] != 0.0 || c[0] + last * (c[1] + last * (c[2] + last * c[3])) != 0.0;
    return ends && !follows_time(graph, node.b);
}

bool keeps_slopes(const expression::Graph& graph, const expression::Node& node) {
    return node.op == Op::no_event ||
           (node.op == Op::smooth && graph[node.a].op == Op::constant && graph[node.a].number() >= 1.0);
}

/// Of `nodes`, operands first: those that follow time and held values alone, so that a run knows when they jump.
std::unordered_set<std::uint32_t> foreseen(const expression::Graph& graph, std::span<const std::uint32_t> nodes) {
    std::unordered_set<std::uint32_t> result;
    std::unordered_set<std::uint32_t> timely;
    for (const std::uint32_t n : nodes) {
        const expression::Node& node = graph[n];
        if (node.op == Op::variable || node.op == Op::derivative || node.op == Op::parameter) continue;
        const auto operands = node.operands();
        const auto in = [](const auto& set) { return [&](std::uint32_t child) { return set.contains(child); }; };
        const bool of_time = node.op == Op::time || std::ranges::any_of(operands, in(timely));
        if (of_time) timely.insert(n);
        const bool at_one_instant = of_time && (node.op == Op::equal || node.op == Op::not_equal);
        if (!at_one_instant && std::ranges::all_of(operands, in(result))) result.insert(n);
    }
    return result;
}

}  // namespace

std::optional<expression::Expr> where_it_may_jump(const BondGraph& g, expression::Expr value, Jumps refused) {
    expression::Graph& graph = *g.expressions;
    if (value.is_literal()) return std::nullopt;
    const std::array roots{value.node()};
    const auto nodes = expression::reachable(graph, roots);
    std::unordered_set<std::uint32_t> met;
    const auto hides = [&](std::uint32_t n) { return graph[n].op == Op::smooth && !keeps_slopes(graph, graph[n]); };
    if (refused == Jumps::unforeseen && std::ranges::none_of(nodes, hides)) met = foreseen(graph, nodes);
    std::unordered_map<std::uint32_t, bool> excused;
    for (auto it = nodes.rbegin(); it != nodes.rend(); ++it) {
        const expression::Node& node = graph[*it];
        const bool safe = excused[*it] || keeps_slopes(graph, node) || met.contains(*it);
        if (g.is_delayed(node) || (!safe && (jumps(node.op) || slope_jumps(graph, node)))) return graph.at(*it);
        for (const std::uint32_t child : node.operands()) excused[child] = excused[child] || safe;
    }
    return std::nullopt;
}

Jumps refused_jumps(const BondGraph& graph) {
    return std::ranges::any_of(graph.discretes, [](const auto& d) { return d.structural; }) ? Jumps::unforeseen
                                                                                            : Jumps::all;
}

model::VariableId base_of(const BondGraph& graph, const std::vector<model::VariableId>& derived, model::VariableId id) {
    const std::size_t n = graph.variable_count();
    while (id.index() >= n) id = derived[id.index() - n];
    return id;
}

std::string name_of(const BondGraph& graph, const std::vector<model::VariableId>& derived, model::VariableId id) {
    const std::size_t n = graph.variable_count();
    std::string before;
    std::string after;
    for (; id.index() >= n; id = derived[id.index() - n]) {
        before += "der(";
        after += ")";
    }
    return before + graph.variable_name(id) + after;
}

std::string some_names(const std::vector<std::string>& names) {
    std::string text;
    for (std::size_t i = 0; i < names.size() && i < 8; ++i) text += (i == 0 ? "'" : ", '") + names[i] + "'";
    return names.size() > 8 ? text + ", …" : text;
}

namespace {

class Gathering {
   public:
    Gathering(const CausalGraph& causal, bool perturb, std::shared_ptr<const EventTable> events, bool any_mode)
        : c_(causal), g_(*causal.graph), perturb_(perturb), any_mode_(any_mode) {
        s_.causal = &causal;
        s_.events = std::move(events);
        s_.is_state.assign(g_.variable_count(), false);
    }

    EquationSystem run() {
        mark_states();
        for (std::uint32_t i = 0; i < g_.elements.size(); ++i) {
            const Element& e = g_.elements[i];
            if (e.is_junction()) {
                for (std::uint32_t k = 0; k < e.ports[0].size; ++k) junction(i, k);
            } else {
                element(i);
            }
        }
        // Between events a discrete variable is a number.
        for (std::size_t d = 0; d < g_.discretes.size(); ++d) {
            const auto& v = g_.discretes[d];
            const Expr value = v.structural && !any_mode_ ? Expr(c_.modes[d]) : g_.held_value(d);
            s_.equations.push_back({g_.variable(v.variable), value, v.element, v.position, v.variable});
        }
        return std::move(s_);
    }

   private:
    void mark_states() {
        for (const auto& storage : c_.storages) {
            const Element& e = g_.elements[storage.element.index()];
            // Slots list the components of all ports in order, one state each.
            std::uint32_t before = 0;
            for (const Element::Slot& slot : e.slots) {
                if (slot.kind != Element::Slot::Kind::state) continue;
                if (storage.number < before + slot.size) {
                    s_.is_state[g_.slot_variable(slot.first + storage.number - before).index()] = storage.integral;
                    break;
                }
                before += slot.size;
            }
        }
        for (const Element& e : g_.elements) {
            std::uint32_t number = 0;  // of a state within its element
            for (const Element::Slot& slot : e.slots) {
                if (slot.kind != Element::Slot::Kind::state) continue;
                for (std::uint32_t k = 0; k < slot.size; ++k, ++number) {
                    // As many as the ports have components are storages, and follow their causality.
                    if (e.type->is_storage() && number < e.port_components()) continue;
                    s_.is_state[g_.slot_variable(slot.first + k).index()] = true;
                }
            }
        }
    }

    void add(std::uint32_t element, Expr lhs, Expr rhs, VariableId target) {
        s_.equations.push_back({lhs, rhs, ElementId(element), g_.elements[element].position, target});
    }

    // The strong bond's effort (0) or flow (1) goes to the others; the sum gives its other variable.
    void junction(std::uint32_t i, std::uint32_t k) {
        const Element& e = g_.elements[i];
        const bool zero = e.type->structure == model::Structure::junction0;
        struct End {
            VariableId common, other;
            int common_sign, into;
            bool strong, known;
        };
        std::vector<End> ends;
        for (const model::Port& p : e.ports) {
            const std::uint32_t c = p.first_effort / 2 + k;
            const int into = p.at_head ? 1 : -1;
            ends.push_back({zero ? BondGraph::effort(c) : BondGraph::flow(c),
                            zero ? BondGraph::flow(c) : BondGraph::effort(c), zero ? 1 : p.sign,
                            zero ? into : into * p.sign, c_.effort_in(c, p.at_head) == zero,
                            c_.strokes[c] != Stroke::open});
        }
        const auto strong = std::find_if(ends.begin(), ends.end(), [](const End& x) { return x.known && x.strong; });
        const bool decided =
            strong != ends.end() && std::all_of(ends.begin(), ends.end(), [](const End& x) { return x.known; });
        if (!decided) return undecided_junction(i, ends);
        Expr sum = 0.0;
        for (const End& x : ends) {
            if (&x == &*strong) continue;
            const Expr common = Expr(x.common_sign * strong->common_sign) * g_.variable(strong->common);
            add(i, g_.variable(x.common), common, x.common);
            sum += Expr(-x.into * strong->into) * g_.variable(x.other);
        }
        add(i, g_.variable(strong->other), sum, strong->other);
    }

    template <class Ends>
    void undecided_junction(std::uint32_t i, const Ends& ends) {
        Expr sum = 0.0;
        for (std::size_t n = 0; n < ends.size(); ++n) {
            sum += Expr(ends[n].into) * g_.variable(ends[n].other);
            if (n == 0) continue;
            add(i, Expr(ends[0].common_sign) * g_.variable(ends[0].common),
                Expr(ends[n].common_sign) * g_.variable(ends[n].common), {});
        }
        add(i, sum, 0.0, {});
    }

    void element(std::uint32_t i) {
        const Element& e = g_.elements[i];
        if (e.type->law == nullptr) return;
        std::vector<model::Equation> raw;
        model::LawContext context(g_, ElementId(i), raw, nullptr, &s_.rates);
        e.type->law(context);
        // The sources inside wrapped components are fixed points, no inputs.
        if (perturb_ && e.type->is_source() && !e.owner.valid()) perturb(i, raw);
        if (perturb_ && gives_signal(e, raw)) perturb_signal(i, raw.front());
        const std::size_t first = s_.equations.size();
        for (const model::Equation& q : raw)
            s_.equations.push_back({frozen(q.lhs), frozen(q.rhs), q.element, q.position, {}});
        orient(e, first);
        if (e.type->free_rates) force(e, first);
    }

    // What is left over of a component whose rates are free: the effort that has to vanish determines the rate.
    void force(const Element& e, std::size_t first) {
        std::size_t at = first;
        for (const Element::Slot& slot : e.slots) {
            if (slot.kind != Element::Slot::Kind::state) continue;
            for (std::uint32_t k = 0; k < slot.size; ++k) {
                const VariableId v = g_.slot_variable(slot.first + k);
                const auto has = [&](const OrientedEquation& q) { return q.target == v; };
                if (!s_.is_state[v.index()] ||
                    std::any_of(s_.equations.begin() + static_cast<std::ptrdiff_t>(first), s_.equations.end(), has))
                    continue;
                while (at < s_.equations.size() && s_.equations[at].target.valid()) ++at;
                if (at == s_.equations.size()) return;
                s_.equations[at].target = v;
                s_.equations[at].forced = true;
            }
        }
    }

    Expr frozen(Expr e) const {
        return freeze(g_, *s_.events, e, any_mode_ ? std::span<const double>() : std::span<const double>(c_.modes));
    }

    void perturb(std::uint32_t i, std::vector<model::Equation>& raw) {
        for (std::size_t k = 0; k < raw.size(); ++k) {
            const auto index = static_cast<std::uint32_t>(s_.inputs.size());
            raw[k].rhs = raw[k].rhs + g_.expressions->parameter(index);
            const std::string suffix = raw.size() > 1 ? fmt::format("[{}]", k + 1) : "";
            s_.inputs.push_back(
                {g_.elements[i].name + "." + std::string(g_.elements[i].type->parameters[0].name) + suffix,
                 ElementId(i)});
        }
    }

    /// Whether the law of a signal block says what its only output is; that of an integrator only says how it changes.
    bool gives_signal(const Element& e, const std::vector<model::Equation>& raw) const {
        if (e.type->structure != model::Structure::block || e.type->outputs.size() != 1 || raw.size() != 1 ||
            e.owner.valid())
            return false;
        const Element::Slot* slot = e.slot(e.type->outputs.front().name);
        return slot != nullptr && same(raw.front().lhs, g_.variable(g_.slot_variable(slot->first)));
    }

    void perturb_signal(std::uint32_t i, model::Equation& equation) {
        equation.rhs = equation.rhs + g_.expressions->parameter(static_cast<std::uint32_t>(s_.inputs.size()));
        const Element& e = g_.elements[i];
        s_.inputs.push_back({e.name + "." + std::string(e.type->outputs.front().name), ElementId(i)});
    }

    std::vector<std::uint32_t> own_unknowns(const Element& e) const {
        std::vector<std::uint32_t> unknowns;
        for (const model::Port& p : e.ports) {
            for (std::uint32_t k = 0; k < p.size; ++k) {
                const std::uint32_t c = p.first_effort / 2 + k;
                if (c_.strokes[c] == Stroke::open) return {};
                // What comes out of the element: the effort where it does not come in.
                unknowns.push_back(c_.effort_in(c, p.at_head) ? 2 * c + 1 : 2 * c);
            }
        }
        std::uint32_t number = 0;
        for (const Element::Slot& s : e.slots) {
            if (s.kind == Element::Slot::Kind::discrete) continue;
            for (std::uint32_t k = 0; k < s.size; ++k) {
                const VariableId v = g_.slot_variable(s.first + k);
                const bool rate = s.kind == Element::Slot::Kind::state && number++ < e.port_components();
                // What the vanishing effort determines is no matter of this element alone.
                if (!(e.type->free_rates && rate && s_.is_state[v.index()])) unknowns.push_back(v.value);
            }
        }
        std::sort(unknowns.begin(), unknowns.end());
        return unknowns;
    }

    // Matching inside one element: equations written for a variable first, then solvable ones, then any occurrence.
    void orient(const Element& e, std::size_t first) {
        const auto unknowns = own_unknowns(e);
        const std::size_t n = s_.equations.size() - first;
        if (unknowns.empty()) return;
        std::vector<std::uint32_t> owner(unknowns.size(), kNone);
        std::vector<bool> done(n, false);
        std::vector<std::vector<std::uint32_t>> occurs(n);
        for (std::size_t k = 0; k < n; ++k) {
            for (const std::uint32_t u : unknowns_of(s_, s_.equations[first + k])) {
                const auto at = std::lower_bound(unknowns.begin(), unknowns.end(), u);
                if (at != unknowns.end() && *at == u)
                    occurs[k].push_back(static_cast<std::uint32_t>(at - unknowns.begin()));
            }
        }
        for (const int level : {0, 1, 2}) {
            std::vector<std::vector<std::uint32_t>> rows(n);
            for (std::size_t k = 0; k < n; ++k) {
                for (const std::uint32_t u : occurs[k]) {
                    if (quality(s_.equations[first + k], unknowns[u]) <= level) rows[k].push_back(u);
                }
            }
            for (std::uint32_t k = 0; k < n; ++k) {
                if (done[k]) continue;
                std::vector<bool> seen(unknowns.size(), false);
                done[k] = augment(rows, owner, seen, k);
            }
        }
        for (std::size_t u = 0; u < unknowns.size(); ++u) {
            if (owner[u] != kNone) s_.equations[first + owner[u]].target = VariableId(std::size_t{unknowns[u]});
        }
    }

    // Depth is bounded by the number of equations of one element. What nobody has is taken before somebody has to give
    // way: so the rows of a full matrix get the unknowns of its diagonal.
    static bool augment(const std::vector<std::vector<std::uint32_t>>& rows, std::vector<std::uint32_t>& owner,
                        std::vector<bool>& seen, std::uint32_t row) {
        for (const std::uint32_t u : rows[row]) {
            if (owner[u] != kNone) continue;
            owner[u] = row;
            return true;
        }
        for (const std::uint32_t u : rows[row]) {
            if (seen[u]) continue;
            seen[u] = true;
            if (augment(rows, owner, seen, owner[u])) {
                owner[u] = row;
                return true;
            }
        }
        return false;
    }

    int quality(const OrientedEquation& q, std::uint32_t unknown) const {
        const Expr leaf =
            s_.is_state[unknown] ? g_.expressions->derivative(unknown) : g_.expressions->variable(unknown);
        if (same(q.lhs, leaf) && !expression::depends_on(q.rhs, leaf)) return 0;
        if (same(q.rhs, leaf) && !expression::depends_on(q.lhs, leaf)) return 0;
        const auto solved = expression::solve_for(*g_.expressions, q.lhs, q.rhs, leaf, [](Expr) { return true; });
        return solved ? 1 : 2;
    }

    const CausalGraph& c_;
    const BondGraph& g_;
    bool perturb_;
    bool any_mode_;
    EquationSystem s_;
};

}  // namespace

EquationSystem gather_equations(const CausalGraph& causal, bool perturb_sources,
                                std::shared_ptr<const EventTable> events, bool any_mode, LoopRows loop_rows) {
    EquationSystem system = Gathering(causal, perturb_sources, std::move(events), any_mode).run();
    close_loops(system, loop_rows);
    return system;
}

}  // namespace bondgraph::compile
