#include "bondgraph/compile/eliminate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/structure/integer_linear.hpp"

namespace bondgraph::compile {

using expression::Op;
using model::ElementId;

namespace {

constexpr double kLargestCoefficient = 1e6;

double value(std::int64_t x) { return static_cast<double>(x); }
double value(const structure::ExactNumber& x) { return x.value(); }
bool is_one(std::int64_t x) { return x == 1; }
bool is_one(const structure::ExactNumber& x) { return x.is_unit() && x.value() == 1.0; }
std::int64_t converted(double x, std::int64_t /*to*/) { return static_cast<std::int64_t>(x); }
structure::ExactNumber converted(double x, const structure::ExactNumber& /*to*/) { return structure::ExactNumber(x); }

structure::IntegerSolution solve(std::span<const structure::IntegerEquation> equations, std::size_t unknowns,
                                 std::span<const std::uint8_t> levels = {}) {
    return structure::solve_integer_linear(equations, unknowns, levels);
}
structure::ExactSolution solve(std::span<const structure::ExactEquation> equations, std::size_t unknowns,
                               std::span<const std::uint8_t> levels = {}) {
    return structure::solve_exact_linear(equations, unknowns, levels);
}

class Eliminating {
   public:
    Eliminating(const EquationSystem& s, bool all)
        : s_(s), all_(all), g_(*s.causal->graph), graph_(*g_.expressions), unknown_(s.is_state.size(), kNone) {}

    Elimination run() {
        for (const OrientedEquation& e : s_.equations) residuals_.push_back(e.lhs - e.rhs);
        mark_differentiated();
        collect_linear();
        // Integers where they do: what people write by hand stays readable. Else numbers whose zeros are exact.
        if (only_integers_ && finish<std::int64_t>()) return std::move(out_);
        finish<structure::ExactNumber>();
        return std::move(out_);
    }

   private:
    void mark_differentiated() {
        out_.differentiated.assign(s_.is_state.size(), false);
        std::vector<std::uint32_t> roots;
        for (const Expr& x : residuals_) {
            if (!x.is_literal()) roots.push_back(x.node());
        }
        for (const std::uint32_t n : expression::reachable(graph_, roots)) {
            if (graph_[n].op == Op::derivative) out_.differentiated[graph_[n].a] = true;
        }
        if (!s_.loops) return;
        // The rates of joints and free bodies are states rather than the momenta that follow from them.
        for (const model::Element& e : g_.elements) {
            if (!e.type->free_rates) continue;
            for (const model::Element::Slot& slot : e.slots) {
                if (slot.kind != model::Element::Slot::Kind::state) continue;
                for (std::uint32_t k = 0; k < slot.size; ++k)
                    out_.differentiated[g_.slot_variable(slot.first + k).index()] = true;
            }
        }
    }

    /// What states determine, through one law or several, is solved for last: currents of inductors stay while those of
    /// diodes go, and what ties the former is found whatever the order of the equations.
    std::vector<std::uint8_t> levels() const {
        constexpr std::uint8_t kDeepest = 3;
        constexpr std::uint8_t kOpen = kDeepest + 1;
        std::vector<std::vector<std::uint32_t>> equations_of(s_.is_state.size());
        std::vector<std::uint32_t> open(residuals_.size(), 0);
        std::vector<std::vector<std::uint32_t>> named(residuals_.size());
        for (std::uint32_t r = 0; r < residuals_.size(); ++r) {
            if (residuals_[r].is_literal()) continue;
            const std::array roots{residuals_[r].node()};
            for (const std::uint32_t n : expression::reachable(graph_, roots)) {
                if (graph_[n].op == Op::derivative) ++open[r];  // never known beforehand
                if (graph_[n].op != Op::variable || out_.differentiated[graph_[n].a]) continue;
                ++open[r];
                named[r].push_back(graph_[n].a);
                equations_of[graph_[n].a].push_back(r);
            }
        }
        std::vector<std::uint8_t> depth(s_.is_state.size(), kOpen);
        std::vector<std::uint32_t> next;
        for (std::uint32_t r = 0; r < open.size(); ++r) {
            if (open[r] == 1 && named[r].size() == 1) next.push_back(r);
        }
        for (std::uint8_t d = 1; !next.empty(); d = std::min<std::uint8_t>(d + 1, kDeepest)) {
            std::vector<std::uint32_t> found;
            for (const std::uint32_t r : next) {
                for (const std::uint32_t v : named[r]) {
                    if (depth[v] != kOpen) continue;
                    depth[v] = d;
                    found.push_back(v);
                }
            }
            next.clear();
            for (const std::uint32_t v : found) {
                for (const std::uint32_t r : equations_of[v]) {
                    const auto unknown = std::count_if(named[r].begin(), named[r].end(),
                                                       [&](std::uint32_t u) { return depth[u] == kOpen; });
                    if (--open[r] == 1 && unknown == 1) next.push_back(r);
                }
            }
        }
        std::vector<std::uint8_t> result;
        for (const std::uint32_t v : variables_) result.push_back(static_cast<std::uint8_t>(kOpen - depth[v]));
        return result;
    }

    /// Whether nothing below the node varies with the model's variables.
    bool timely(std::uint32_t node) const {
        const std::array roots{node};
        for (const std::uint32_t n : expression::reachable(graph_, roots)) {
            if (graph_[n].op == Op::variable || graph_[n].op == Op::derivative) return false;
        }
        return true;
    }

    /// Coefficients that are no integers are taken from junction structures only, unless `all` are wanted: there they
    /// decide what is tied to what, and networks of resistors are better torn than eliminated.
    void collect_linear() {
        for (std::uint32_t r = 0; r < residuals_.size(); ++r) {
            if (s_.equations[r].explicit_signal) {
                others_.push_back(r);
                continue;
            }
            auto equation = linear_equation(residuals_[r]);
            const bool whole = equation && has_integers(*equation);
            if (!equation || (!whole && !all_ && !in_junction_structure(r))) {
                others_.push_back(r);
                continue;
            }
            only_integers_ = only_integers_ && whole;
            for (const auto& [n, k] : equation->unknowns) number(n);
            linear_rows_.push_back(r);
            equations_.push_back(std::move(*equation));
        }
    }

    bool in_junction_structure(std::uint32_t equation) const {
        return g_.elements[s_.equations[equation].element.index()].type->in_junction_structure();
    }

    static bool has_integers(const structure::LinearEquation<double>& q) {
        const auto whole = [](const auto& term) {
            return term.second == std::round(term.second) && std::abs(term.second) <= kLargestCoefficient;
        };
        return std::all_of(q.unknowns.begin(), q.unknowns.end(), whole) &&
               std::all_of(q.givens.begin(), q.givens.end(), whole);
    }

    /// In nodes: variables that are not differentiated, and what is given.
    std::optional<structure::LinearEquation<double>> linear_equation(Expr residual) const {
        if (residual.is_literal()) return std::nullopt;
        std::vector<std::pair<std::uint32_t, double>> stack{{residual.node(), 1.0}};
        structure::LinearEquation<double> equation;
        while (!stack.empty()) {
            const auto [n, k] = stack.back();
            stack.pop_back();
            const expression::Node& node = graph_[n];
            if (node.op == Op::negate) {
                stack.emplace_back(node.a, -k);
            } else if (node.op == Op::add || node.op == Op::subtract) {
                stack.emplace_back(node.a, k);
                stack.emplace_back(node.b, node.op == Op::add ? k : -k);
            } else if (node.op == Op::multiply && graph_[node.a].op == Op::constant && !timely(node.b)) {
                stack.emplace_back(node.b, k * graph_[node.a].number());
            } else if (node.op == Op::variable) {
                (out_.differentiated[graph_[n].a] ? equation.givens : equation.unknowns).emplace_back(n, k);
            } else if (timely(n)) {
                equation.givens.emplace_back(n, k);
            } else {
                return std::nullopt;
            }
        }
        return equation;
    }

    std::uint32_t number(std::uint32_t node) {
        const std::uint32_t v = graph_[node].a;
        if (unknown_[v] == kNone) {
            unknown_[v] = static_cast<std::uint32_t>(variables_.size());
            variables_.push_back(v);
        }
        return unknown_[v];
    }

    /// False where coefficients leave 64 bits: nothing has happened then.
    template <class Number>
    bool finish() {
        std::vector<structure::LinearEquation<Number>> equations;
        for (const auto& q : equations_) {
            auto& taken = equations.emplace_back();
            for (const auto& [n, k] : q.givens) taken.givens.emplace_back(given(n), converted(k, Number{}));
            for (const auto& [n, k] : q.unknowns) taken.unknowns.emplace_back(number(n), converted(k, Number{}));
        }
        const auto solution = solve(equations, variables_.size(), levels());
        if (solution.overflow) return false;
        define(solution);
        leave<Number>(solution.residues);
        diagnostics_.throw_if_errors();
        for (const std::uint32_t r : others_)
            out_.equations.push_back({substituted(residuals_[r]), s_.equations[r].element, s_.equations[r].position});
        return true;
    }

    std::uint32_t given(std::uint32_t node) {
        const auto [it, fresh] = given_of_.emplace(node, static_cast<std::uint32_t>(givens_.size()));
        if (fresh) givens_.push_back(node);
        return it->second;
    }

    template <class Number>
    Expr sum_of(const structure::LinearTerms<Number>& terms) {
        Expr sum = 0.0;
        for (const auto& [g, k] : terms) sum += Expr(value(k)) * graph_.at(givens_[g]);
        return sum;
    }

    template <class Number>
    void define(const structure::LinearSolution<Number>& solution) {
        values_.assign(s_.is_state.size(), std::nullopt);
        std::vector<std::uint32_t> equation_of(s_.is_state.size(), kNone);
        for (const std::uint32_t r : linear_rows_) {
            const VariableId target = s_.equations[r].target;
            if (target.valid() && target.index() < equation_of.size()) equation_of[target.index()] = r;
        }
        for (std::size_t k = 0; k < equations_.size(); ++k) {
            for (const auto& [n, coefficient] : equations_[k].unknowns) {
                std::uint32_t& at = equation_of[graph_[n].a];
                if (at == kNone) at = linear_rows_[k];
            }
        }
        for (const auto& row : solution.solved) {
            Expr sum = sum_of(row.givens);
            for (const auto& [u, k] : row.free_unknowns) sum += Expr(value(k)) * graph_.variable(variables_[u]);
            if (!is_one(row.denominator)) sum = sum / Expr(value(row.denominator));
            const std::uint32_t v = variables_[row.unknown];
            values_[v] = sum;
            const OrientedEquation& from = s_.equations[equation_of[v]];
            out_.eliminated.push_back({VariableId(std::size_t{v}), sum, from.element, from.position, false});
        }
    }

    /// What ties differentiated variables stays an equation, unless others of these imply it.
    template <class Number>
    void leave(const std::vector<typename structure::LinearSolution<Number>::Residue>& residues) {
        std::vector<structure::LinearEquation<Number>> constraints;
        for (const auto& residue : residues) {
            auto& q = constraints.emplace_back();
            for (const auto& [g, k] : residue.givens)
                (graph_[givens_[g]].op == Op::variable ? q.unknowns : q.givens).emplace_back(g, k);
        }
        const auto solution = solve(constraints, givens_.size());
        std::vector<bool> dropped(residues.size(), false);
        for (const auto& dependent : solution.residues) {
            std::uint32_t culprit = kNone;
            std::vector<ElementId> elements;
            for (const auto& [c, weight] : dependent.equations) {
                if (!dropped[c] && (culprit == kNone || readiness(residues[c]) >= readiness(residues[culprit])))
                    culprit = c;
                for (const ElementId id : elements_of(residues[c])) elements.push_back(id);
            }
            std::sort(elements.begin(), elements.end());
            elements.erase(std::unique(elements.begin(), elements.end()), elements.end());
            const OrientedEquation& at = s_.equations[spokesman(residues[culprit])];
            const Expr sum = sum_of(dependent.givens);
            if (!sum.is_constant(0.0)) contradiction(at, elements, sum);
            dropped[culprit] = true;
            std::erase(elements, at.element);
            out_.removed.push_back({at.element, at.position, std::move(elements)});
        }
        for (std::size_t c = 0; c < residues.size(); ++c) {
            const OrientedEquation& at = s_.equations[spokesman(residues[c])];
            if (!dropped[c]) out_.equations.push_back({sum_of(residues[c].givens), at.element, at.position});
        }
    }

    template <class Residue>
    std::vector<ElementId> elements_of(const Residue& residue) const {
        std::vector<ElementId> elements;
        for (const auto& [k, weight] : residue.equations) elements.push_back(s_.equations[linear_rows_[k]].element);
        return elements;
    }

    /// Of the equations combined, the one that most plainly states a constraint; among equals the last.
    template <class Residue>
    std::uint32_t spokesman(const Residue& residue) const {
        std::uint32_t best = linear_rows_[residue.equations.front().first];
        for (const auto& [k, weight] : residue.equations) {
            if (readiness(linear_rows_[k]) >= readiness(best)) best = linear_rows_[k];
        }
        return best;
    }

    template <class Residue>
    int readiness(const Residue& residue) const {
        return readiness(spokesman(residue));
    }

    /// Residual sinks state constraints; junctions only carry them.
    int readiness(std::uint32_t equation) const {
        return static_cast<int>(g_.elements[s_.equations[equation].element.index()].type->firmness);
    }

    void contradiction(const OrientedEquation& at, const std::vector<ElementId>& elements, Expr sum) {
        std::string names;
        std::size_t shown = 0;
        for (const ElementId id : elements) {
            const model::Element& e = g_.elements[id.index()];
            if (e.is_junction() && elements.size() > 8) continue;
            if (++shown > 8) break;
            names += fmt::format("{}'{}' ({})", names.empty() ? "" : ", ", e.name, e.type->name);
        }
        const std::string left = sum.is_constant() ? fmt::format("0 = {:g}", sum.constant()) : "0 = a function of time";
        diagnostics_.error("BG-E004", at.position, "constraints contradict each other",
                           {{"where", names},
                            {"because", fmt::format("their equations together say {}", left)},
                            {"try", "remove one of them"}});
    }

    Expr substituted(Expr e) {
        if (e.is_literal()) return e;
        const std::array roots{e};
        return expression::substitute(graph_, roots, [&](std::uint32_t n) -> std::optional<Expr> {
            if (graph_[n].op != Op::variable) return std::nullopt;
            return values_[graph_[n].a];
        })[0];
    }

    const EquationSystem& s_;
    bool all_;
    const model::BondGraph& g_;
    expression::Graph& graph_;
    std::vector<std::uint32_t> unknown_;    ///< variable → number in the elimination
    std::vector<std::uint32_t> variables_;  ///< and back
    std::unordered_map<std::uint32_t, std::uint32_t> given_of_;
    std::vector<std::uint32_t> givens_;  ///< nodes
    std::vector<Expr> residuals_;
    std::vector<std::uint32_t> linear_rows_, others_;
    std::vector<structure::LinearEquation<double>> equations_;  ///< in nodes
    bool only_integers_ = true;
    std::vector<std::optional<Expr>> values_;
    Diagnostics diagnostics_;
    Elimination out_;
};

}  // namespace

Elimination eliminate_exactly(const EquationSystem& system, bool all) { return Eliminating(system, all).run(); }

}  // namespace bondgraph::compile
