// Each equation solved for its unknown; derivative causality resolved by differentiating what determines a variable.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>

#include "bondgraph/compile/delays.hpp"
#include "bondgraph/compile/equations.hpp"
#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/expression/print.hpp"
#include "bondgraph/structure/components.hpp"

namespace bondgraph::compile {

using expression::Op;
using model::BondGraph;

namespace {

bool any_divisor(Expr coefficient) { return !coefficient.is_constant(0.0); }

class Solving {
   public:
    explicit Solving(const EquationSystem& s) : s_(s), g_(*s.causal->graph), graph_(*g_.expressions) {
        out_.causal = s.causal;
        out_.inputs = s.inputs;
        out_.events = s.events;
        out_.equation_count = s.equations.size();
        assignment_of_.assign(s.is_state.size(), kNone);
        for (const model::DeclaredRate& r : s.rates) rates_.emplace(r.variable.value, r.value);
    }

    SortedSystem run() {
        for (std::uint32_t v = 0; v < s_.is_state.size(); ++v) {
            if (s_.is_state[v]) out_.states.emplace_back(std::size_t{v});
        }
        find_steep();
        for (std::size_t i = 0; i < s_.equations.size(); ++i) solve(s_.equations[i], kept_[i]);
        for (std::size_t i = 0; i < out_.assignments.size(); ++i)
            assignment_of_[out_.assignments[i].target.index()] = static_cast<std::uint32_t>(i);
        // Replacing derivatives may ask for further ones: the list grows while it is walked.
        for (std::size_t i = 0; i < out_.assignments.size(); ++i)
            out_.assignments[i].value = resolve(out_.assignments[i].value, out_.assignments[i].element);
        for (StateEquation& e : out_.state_equations) e.rate = resolve(e.rate, e.element);
        if (!s_.events->empty()) {
            out_.at_events = event_expressions(g_, *s_.events, s_.causal->modes);
            out_.at_events.transform([&](Expr e) { return resolve(e, {}); });
        }
        while (next_ < out_.derived.size()) differentiate(next_++);
        diagnostics_.throw_if_errors();
        return std::move(out_);
    }

   private:
    // Laws that solving turns into a root with infinite slope at 0 (k f^3 = e for f). In a loop they stay as they are:
    // what the loop gives for f is smooth, the root beside 0 is not. Elsewhere the root is the answer.
    void find_steep() {
        kept_.assign(s_.equations.size(), false);
        std::vector<std::uint32_t> steep;
        for (std::uint32_t i = 0; i < s_.equations.size(); ++i) {
            const OrientedEquation& e = s_.equations[i];
            if (s_.is_state[e.target.index()] || !has_power(e.lhs - e.rhs)) continue;
            const Expr leaf = graph_.variable(e.target.value);
            const auto solved = expression::solve_for(graph_, e.lhs, e.rhs, leaf, any_divisor);
            if (!solved || !expression::is_steep(graph_, *solved)) continue;
            if (!expression::is_steep(graph_, e.lhs - e.rhs)) steep.push_back(i);
        }
        if (steep.empty()) return;
        std::vector<std::uint32_t> equation_of(s_.is_state.size(), kNone);
        for (std::uint32_t i = 0; i < s_.equations.size(); ++i) equation_of[s_.equations[i].target.index()] = i;
        structure::Incidence needs;
        std::vector<std::uint32_t> row;
        for (const OrientedEquation& e : s_.equations) {
            row.clear();
            for (const std::uint32_t v : unknowns_of(s_, e)) {
                if (v != e.target.value && equation_of[v] != kNone) row.push_back(equation_of[v]);
            }
            needs.add_row(row);
        }
        const auto components = structure::strong_components(needs);
        std::vector<bool> looped(s_.equations.size(), false);
        for (std::size_t c = 0; c < components.rows(); ++c) {
            if (components.row(c).size() == 1) continue;
            for (const std::uint32_t i : components.row(c)) looped[i] = true;
        }
        for (const std::uint32_t i : steep) kept_[i] = looped[i];
    }

    // Whether anything stands in an expression that solving could turn into a root.
    bool has_power(Expr e) const {
        if (e.is_literal()) return false;
        const std::array roots{e.node()};
        const auto nodes = expression::reachable(graph_, roots);
        return std::any_of(nodes.begin(), nodes.end(),
                           [&](std::uint32_t n) { return graph_[n].op == Op::power || graph_[n].op == Op::abs; });
    }

    void solve(const OrientedEquation& e, bool kept) {
        const bool state = s_.is_state[e.target.index()];
        const Expr leaf = state ? graph_.derivative(e.target.value) : graph_.variable(e.target.value);
        if (e.forced && state) {
            out_.state_equations.push_back({e.target, e.lhs - e.rhs, e.element, e.position, true});
            return;
        }
        const auto solved = kept ? std::nullopt : expression::solve_for(graph_, e.lhs, e.rhs, leaf, any_divisor);
        if (state) {
            // An equation that gives the rate only implicitly stays as it is: der(x) = der(x) + residual.
            out_.state_equations.push_back(
                {e.target, solved ? *solved : leaf + (e.lhs - e.rhs), e.element, e.position});
        } else {
            out_.assignments.push_back({e.target, solved ? *solved : e.lhs - e.rhs, e.element, e.position, !solved});
        }
    }

    // der(v) of a variable that is no state becomes the variable der(v), to be computed.
    VariableId derived(std::uint32_t v) {
        const auto [it, fresh] = derived_.emplace(v, s_.is_state.size() + out_.derived.size());
        if (fresh) out_.derived.emplace_back(std::size_t{v});
        return VariableId(it->second);
    }

    Expr resolve(Expr e, model::ElementId) {
        if (e.is_literal()) return e;
        const std::array roots{e.node()};
        const auto nodes = expression::reachable(graph_, roots);
        const bool needed = std::any_of(nodes.begin(), nodes.end(), [&](std::uint32_t n) {
            return graph_[n].op == Op::derivative && !s_.is_state[graph_[n].a];
        });
        if (!needed) return e;
        const std::array values{e};
        return expression::substitute(graph_, values, [&](std::uint32_t n) -> std::optional<Expr> {
            const expression::Node& node = graph_[n];
            if (node.op != Op::derivative || s_.is_state[node.a]) return std::nullopt;
            return graph_.variable(derived(node.a).value);
        })[0];
    }

    void check_smooth(const Assignment& of, std::uint32_t variable) {
        if (const auto where = where_it_may_jump(g_, of.value, refused_jumps(g_))) refuse(of, variable, *where);
    }

    void refuse(const Assignment& of, std::uint32_t variable, Expr where) {
        const auto name = [&](const expression::Node& leaf) {
            return g_.is_delayed(leaf) ? delayed_text(g_, leaf) : out_.name(VariableId(std::size_t{leaf.a}));
        };
        diagnostics_.error(
            "BG-E003", of.position,
            fmt::format("'{}' would have to be differentiated, but it may jump",
                        g_.variable_name(VariableId(std::size_t{variable}))),
            {{"where", fmt::format("'{}' depends on {}", g_.elements[of.element.index()].name,
                                   expression::to_text(where, name))},
             {"because",
              "a storage in derivative causality follows it rigidly: a jump would need an infinite effort or flow"},
             {"try",
              "make the change continuous (a Ramp), add the small R that limits it, or wrap the expression in "
              "smooth(1, …) if it is smooth"}});
    }

    void differentiate(std::size_t index) {
        const std::uint32_t v = out_.derived[index].value;
        const VariableId target(s_.is_state.size() + index);
        const std::uint32_t at = assignment_of_[v];
        const Assignment of = out_.assignments[at];
        if (const auto declared = rates_.find(v); declared != rates_.end()) {
            out_.assignments.push_back({target, resolve(declared->second, of.element), of.element, of.position, false});
            return;
        }
        check_smooth(of, v);
        const auto rate = [&](std::uint32_t n) -> std::optional<Expr> {
            const expression::Node& node = graph_[n];
            switch (node.op) {
                case Op::variable:
                    if (node.a >= s_.is_state.size()) return higher(of, v);
                    if (s_.is_state[node.a]) return graph_.derivative(node.a);
                    return graph_.variable(derived(node.a).value);
                case Op::derivative:
                    return higher(of, v);
                case Op::parameter:
                    // Beyond the perturbations of sources: a constant that goes by its name.
                    if (node.a >= s_.inputs.size()) return Expr(0.0);
                    return graph_.parameter(node.a + static_cast<std::uint32_t>(s_.inputs.size()));
                default:
                    return std::nullopt;
            }
        };
        const std::array roots{of.value};
        const Expr d = expression::time_derivative(graph_, roots, rate)[0];
        if (!of.implicit) {
            out_.assignments.push_back({target, d, of.element, of.position, false});
            return;
        }
        const auto solved = expression::solve_for(graph_, d, 0.0, graph_.variable(target.value), any_divisor);
        out_.assignments.push_back({target, solved ? *solved : d, of.element, of.position, !solved});
    }

    std::optional<Expr> higher(const Assignment& of, std::uint32_t v) {
        if (refused_) return Expr(0.0);
        refused_ = true;
        diagnostics_.error(
            "BG-E002", of.position,
            fmt::format("this model needs more index reduction than differentiating once: a second derivative of '{}' "
                        "would be needed",
                        g_.variable_name(VariableId(std::size_t{v}))),
            {{"where", fmt::format("'{}' ({})", g_.elements[of.element.index()].name,
                                   g_.elements[of.element.index()].type->name)},
             {"because", "a constraint ties states together that are more than one integration away from it"},
             {"try",
              "describe the mechanism by independent coordinates, or put a stiff C in place of the constraint"}});
        return Expr(0.0);
    }

    const EquationSystem& s_;
    const BondGraph& g_;
    expression::Graph& graph_;
    SortedSystem out_;
    std::vector<bool> kept_;  ///< per equation: not to be solved by symbols
    std::vector<std::uint32_t> assignment_of_;
    std::unordered_map<std::uint32_t, std::size_t> derived_;
    std::unordered_map<std::uint32_t, Expr> rates_;  ///< declared
    std::size_t next_ = 0;
    Diagnostics diagnostics_;
    bool refused_ = false;
};

}  // namespace

SortedSystem solve_equations(const EquationSystem& system) { return Solving(system).run(); }

std::string SortedSystem::name(VariableId id) const { return name_of(graph(), derived, id); }

SourcePosition SortedSystem::position(VariableId id) const {
    return graph().variable_position(base_of(graph(), derived, id));
}

}  // namespace bondgraph::compile
