#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "bondgraph/compile/compiled_model.hpp"
#include "bondgraph/compile/equations.hpp"
#include "bondgraph/compile/facts.hpp"
#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::compile {

using expression::Op;

namespace {

constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();

/// An intermediate variable that depends on more unknowns than this and is used more than once becomes an unknown.
/// Mechanisms: every link depends on all before it. The integrator cuts values on the way itself (CutTangents); only
/// where the pattern of a full matrix would be a burden are links cut apart here. Large networks: each row of a torn
/// mesh would name dozens of the torn unknowns, which fills its factors.
std::size_t widest(const SortedSystem& system) {
    constexpr std::size_t kUsual = 64;
    constexpr std::size_t kLargestMechanism = 2500;
    constexpr std::ptrdiff_t kLargeNetwork = 1000;  // torn unknowns
    constexpr std::size_t kCutApart = 8;
    const model::BondGraph& graph = system.graph();
    const bool mechanism = std::any_of(graph.elements.begin(), graph.elements.end(),
                                       [](const model::Element& e) { return e.type->free_rates; });
    if (!mechanism) return std::ranges::count(system.torn, true) > kLargeNetwork ? kCutApart : kUsual;
    return system.states.size() <= kLargestMechanism ? kAny : kCutApart;
}

class Compilation {
   public:
    explicit Compilation(const SortedSystem& s) : s_(s), graph_(*s.graph().expressions) {
        m_.causal = s.causal;
        m_.derived = s.derived;
        m_.inputs = s.inputs;
        m_.events = s.events;
        m_.equation_count = s.equation_count;
        m_.reduced = s.reduced;
        m_.choice = s.choice;
        m_.chosen_at = s.chosen_at;
        m_.closed_forms = s.closed_forms;
        m_.values.resize(s.graph().variable_count() + s.derived.size());
        unknown_of_.assign(m_.values.size(), kNone);
        widest_ = widest(s);
        // What comes out of a delay stays an unknown: nothing but its own equation then sees a value that changes with
        // time without being a function of it.
        kept_apart_ = s.torn;
        for (std::size_t i = 0; i < kept_apart_.size() && !s.graph().delays.empty(); ++i)
            kept_apart_[i] = kept_apart_[i] || holds_delay(s.graph(), s.assignments[i].value);
    }

    CompiledModel run() {
        for (const VariableId v : s_.states) add_unknown(v, true);
        m_.state_count = m_.unknowns.size();
        count_uses();
        substitute_assignments();
        const auto residuals = residual_expressions();
        assemble(m_, residuals);
        m_.linear = is_linear(graph_, residuals);
        m_.conditions = start_conditions(m_);
        m_.energy = energy_terms(m_);
        m_.delays = delay_tapes(m_, s_.causal->modes);
        m_.linear = m_.linear && !m_.delays.any_varying();
        const EventExpressions at_events = m_.events->empty() ? EventExpressions{} : compile_events();
        std::vector<Expr> discrete = at_events.updates;
        discrete.insert(discrete.end(), at_events.conditions.begin(), at_events.conditions.end());
        // What no state follows may jump and swing all the same: its jumps belong to the results, its power to the
        // energy.
        discrete.insert(discrete.end(), m_.values.begin(), m_.values.end());
        std::vector<Expr> followed = residuals;
        for (const EnergyTerm& term : m_.energy) followed.push_back(term.power);
        m_.timely = find_time_functions(graph_, m_.size() == 0 ? m_.values : followed, at_events.differences, discrete);
        return std::move(m_);
    }

   private:
    EventExpressions compile_events() {
        EventExpressions at = s_.at_events;
        at.transform([&](Expr e) { return substituted(e); });
        m_.at_events.differences = m_.tape(at.differences);
        m_.at_events.updates = m_.tape(at.updates);
        m_.at_events.conditions = m_.tape(at.conditions);
        m_.at_events.actions = m_.tape(at.actions);
        for (const model::When& w : m_.events->whens) {
            for (const model::WhenAction& a : w.actions) m_.at_events.targets.push_back(substituted(a.target));
        }
        return at;
    }

    void add_unknown(VariableId v, bool differential) {
        unknown_of_[v.index()] = static_cast<std::uint32_t>(m_.unknowns.size());
        double nominal = 0.0;
        const auto& g = s_.graph();
        if (v.index() >= 2 * std::size_t{g.bond_components} && v.index() < g.variable_count()) {
            const auto& slot = g.slot_variables[v.index() - 2 * std::size_t{g.bond_components}];
            const auto& e = g.elements[slot.element.index()];
            for (const auto& [name, values] : e.nominals) {
                if (name == e.slots[slot.slot].name) nominal = values[values.size() > 1 ? slot.component : 0];
            }
        }
        m_.unknowns.push_back({v, differential, nominal});
        m_.values[v.index()] = graph_.variable(v.value);
    }

    void count_uses() {
        uses_.assign(m_.values.size(), 0);
        const auto count = [&](Expr e) {
            if (e.is_literal()) return;
            const std::array roots{e.node()};
            for (const std::uint32_t n : expression::reachable(graph_, roots)) {
                if (graph_[n].op == Op::variable) ++uses_[graph_[n].a];
            }
        };
        for (const Assignment& a : s_.assignments) count(a.value);
        for (const StateEquation& e : s_.state_equations) count(e.rate);
    }

    Expr substituted(Expr e) {
        if (e.is_literal()) return e;
        if (const auto direct = m_.known(e.node())) return *direct;
        const std::array roots{e};
        return expression::substitute(graph_, roots, [&](std::uint32_t n) { return m_.known(n); })[0];
    }

    // The unknowns a value depends on.
    std::vector<std::uint32_t> width(Expr e) const {
        std::vector<std::uint32_t> all;
        if (e.is_literal()) return all;
        const std::array roots{e.node()};
        for (const std::uint32_t n : expression::reachable(graph_, roots)) {
            const expression::Node& node = graph_[n];
            if (node.op != Op::variable) {
                if (node.op == Op::derivative) all.push_back(unknown_of_[node.a]);
                continue;
            }
            if (unknown_of_[node.a] != kNone) {
                all.push_back(unknown_of_[node.a]);
            } else {
                const auto& d = depends_[node.a];
                all.insert(all.end(), d.begin(), d.end());
            }
        }
        std::sort(all.begin(), all.end());
        all.erase(std::unique(all.begin(), all.end()), all.end());
        return all;
    }

    void substitute_assignments() {
        depends_.resize(m_.values.size());
        std::map<std::uint32_t, const std::array<Expr, 2>*> turn_of;
        for (const ClosedForm& f : s_.closed_forms) {
            if (f.turn) turn_of.emplace(f.variable.value, &*f.turn);
        }
        for (std::size_t i = 0; i < s_.assignments.size(); ++i) {
            if (kept_apart_[i]) add_unknown(s_.assignments[i].target, false);
        }
        for (std::size_t i = 0; i < s_.assignments.size(); ++i) {
            const Assignment& a = s_.assignments[i];
            if (kept_apart_[i]) continue;
            // Where nothing is too wide, nobody asks how wide: along a chain of bodies the lists would grow as its
            // square.
            auto d = widest_ < kAny ? width(a.value) : std::vector<std::uint32_t>{};
            if (d.size() > widest_ && uses_[a.target.index()] > 1) {
                add_unknown(a.target, false);
                kept_.push_back(i);
                continue;
            }
            depends_[a.target.index()] = std::move(d);
            m_.values[a.target.index()] = substituted(a.value);
            if (const auto turn = turn_of.find(a.target.value); turn != turn_of.end())
                m_.turns.emplace(a.target.value,
                                 std::array{substituted((*turn->second)[0]), substituted((*turn->second)[1])});
        }
    }

    std::vector<Expr> residual_expressions() {
        std::vector<Expr> residuals(m_.size());
        m_.rows.resize(m_.size());
        for (const StateEquation& e : s_.state_equations) {
            const std::uint32_t row = unknown_of_[e.state.index()];
            const Expr value = substituted(e.rate);
            residuals[row] = e.implicit ? value : graph_.derivative(e.state.value) - value;
            m_.rows[row] = {e.state, e.element, e.position};
        }
        const auto algebraic = [&](const Assignment& a) {
            const std::uint32_t row = unknown_of_[a.target.index()];
            const Expr value = substituted(a.value);
            residuals[row] = a.implicit ? value : graph_.variable(a.target.value) - value;
            m_.rows[row] = {a.target, a.element, a.position};
        };
        for (std::size_t i = 0; i < s_.assignments.size(); ++i) {
            if (kept_apart_[i]) algebraic(s_.assignments[i]);
        }
        for (const std::size_t i : kept_) algebraic(s_.assignments[i]);
        for (RowLabel& row : m_.rows) {
            if (!row.element.valid())
                row.element = s_.graph().element_of(base_of(s_.graph(), s_.derived, row.variable));
        }
        return residuals;
    }

    const SortedSystem& s_;
    expression::Graph& graph_;
    CompiledModel m_;
    std::vector<std::uint32_t> unknown_of_;
    std::vector<std::uint32_t> uses_;
    std::vector<std::vector<std::uint32_t>> depends_;
    std::vector<std::size_t> kept_;
    std::vector<bool> kept_apart_;  ///< per assignment: its target is an unknown
    std::size_t widest_ = 0;
};

}  // namespace

CompiledModel compile(const SortedSystem& system) { return Compilation(system).run(); }

std::string CompiledModel::name(VariableId id) const { return name_of(graph(), derived, id); }

std::vector<Expr> CompiledModel::in_unknowns(std::span<const Expr> all) const {
    expression::Graph& graph = *this->graph().expressions;
    return expression::substitute(graph, all, [&](std::uint32_t n) { return known(n); });
}

std::optional<Expr> CompiledModel::known(std::uint32_t node) const {
    const expression::Graph& graph = *this->graph().expressions;
    const expression::Node& n = graph[node];
    if (n.op == Op::variable) return values[n.a];
    if (turns.empty() || (n.op != Op::sin && n.op != Op::cos) || graph[n.a].op != Op::variable) return std::nullopt;
    const auto turn = turns.find(graph[n.a].a);
    return turn == turns.end() ? std::nullopt : std::optional(turn->second[n.op == Op::cos ? 0 : 1]);
}

Expr CompiledModel::in_unknowns(Expr e) const {
    const std::array roots{e};
    return e.is_literal() ? e : in_unknowns(roots)[0];
}

expression::Tape CompiledModel::tape(std::span<const Expr> outputs) const {
    return expression::Tape(*graph().expressions, outputs, layout);
}

}  // namespace bondgraph::compile
