// The sorted system of a choice of states: what is left is solved for by symbols where that is safe at every point.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "bondgraph/compile/equations.hpp"
#include "bondgraph/compile/forms_in_place.hpp"
#include "bondgraph/compile/input_leaves.hpp"
#include "bondgraph/compile/rate_matching.hpp"
#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/compile/small_blocks.hpp"
#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/structure/matching.hpp"
#include "bondgraph/structure/regular_rest.hpp"

namespace bondgraph::compile {

using expression::Op;

namespace {

/// A constant coefficient that is so small beside the others of its row is looked at more closely.
constexpr double kSuspicious = 1e-8;
// Beside others of a row of a mechanism with loops: what a constant turn (to an axis and back) leaves of a right angle
// is of that size, is no difference of terms by now, and would be divided by.
constexpr double kTurnedAway = 1e-13;

class Arranging {
   public:
    Arranging(const ReducedSystem& s, const StateChoice& choice, const ChoicePoint& at)
        : s_(s),
          choice_(choice),
          at_(at),
          graph_(*s.graph().expressions),
          is_state_(s.variable_count(), false),
          surroundings_(s, at) {
        if (s.loops) forms_.emplace(s, at);
        out_.causal = s.causal;
        out_.derived = s.derived;
        out_.inputs = s.inputs;
        out_.events = s.events;
        out_.equation_count = s.equation_count;
        out_.states = choice.states;
        for (const VariableId v : choice.states) is_state_[v.index()] = true;
    }

    SortedSystem run() {
        number_unknowns();
        choose_equations();
        match(false);
        if (forms_) use_closed_forms();
        for (std::size_t r = 0; r < equations_.size(); ++r) solve(r);
        for (const VariableId x : choice_.states) {
            const std::uint32_t d = s_.derivative_of[x.index()];
            if (is_state_[d] || is_followed(d)) {
                out_.state_equations.push_back(
                    {x, graph_.variable(d), element_of(x), s_.graph().variable_position(base_of(x))});
            } else if (std::ranges::find(choice_.released, VariableId(std::size_t{d})) != choice_.released.end()) {
                out_.state_equations.push_back({x, 0.0, element_of(x), s_.graph().variable_position(base_of(x))});
            } else {
                out_.assignments.push_back({VariableId(std::size_t{d}), graph_.derivative(x.value), element_of(x),
                                            s_.graph().variable_position(base_of(x)), false});
            }
        }
        for (const Assignment& a : s_.eliminated) {
            out_.assignments.push_back(a);
            out_.assignments.back().value = with_rates(a.value);
        }
        for (const VariableId v : choice_.released)
            out_.assignments.push_back({v, 0.0, element_of(v), s_.graph().variable_position(base_of(v)), false});
        if (s_.events && !s_.events->empty()) {
            out_.at_events = event_expressions(s_.graph(), *s_.events, s_.causal->modes);
            out_.at_events.transform([&](Expr e) { return with_rates(s_.in_variables(e)); });
        }
        if (forms_) {
            SmallBlocks blocks(s_, surroundings_, forms_->closed_forms());
            for (const auto& [residuals, unknowns] : forms_->regular()) blocks.stays_regular(residuals, unknowns);
            sort_assignments(out_, &blocks);
        } else {
            sort_assignments(out_);
        }
        return std::move(out_);
    }

   private:
    /// In closed loops, a velocity that follows from others although its position is integrated: an unknown like
    /// others, which the loop's conditions determine wherever the choice is a good one. As a rate it would be given to
    /// whoever solves for the others, and these need not follow from it (a wheel's quaternion says nothing of the
    /// lean).
    [[nodiscard]] bool is_followed(std::uint32_t rate) const {
        return s_.loops != nullptr && s_.derivative_of[rate] != kNone;
    }

    /// Variables to be computed: all but the states, their rates among them.
    void number_unknowns() {
        std::vector<bool> known = is_state_;
        unknowns_.clear();
        for (const auto& [share, of] : shares_) known[share] = true;
        for (const Assignment& a : s_.eliminated) known[a.target.index()] = true;
        for (const VariableId v : choice_.released) known[v.index()] = true;
        unknown_of_.assign(s_.variable_count(), kNone);
        state_of_rate_.assign(s_.variable_count(), kNone);
        for (const VariableId x : choice_.states) {
            const std::uint32_t d = s_.derivative_of[x.index()];
            if (!is_state_[d] && !is_followed(d)) state_of_rate_[d] = x.value;
        }
        for (std::uint32_t v = 0; v < s_.variable_count(); ++v) {
            if (known[v]) continue;
            unknown_of_[v] = static_cast<std::uint32_t>(unknowns_.size());
            unknowns_.push_back(v);
        }
        for (const auto& [share, of] : shares_) unknown_of_[share] = unknown_of_[of.rate];
    }

    /// In closed loops, what is the rate of a state times a number (the torque of an inertia that turns with a joint)
    /// stands for that rate wherever it occurs, so that the joint's own balance gives the rate and not this equation:
    /// the forces then follow from the balances of what depends on the states.
    void fold_shares_of_rates() {
        std::erase_if(equations_, [&](const ReducedEquation* e) {
            if (e->residual.is_literal() || s_.graph().elements[e->element.index()].type->holds_positions) return false;
            const std::array roots{e->residual.node()};
            std::vector<std::uint32_t> variables;
            for (const std::uint32_t n : expression::reachable(graph_, roots)) {
                if (expression::operand_count(graph_[n].op) == 0 && graph_[n].op != Op::constant)
                    variables.push_back(graph_[n].op == Op::variable ? graph_[n].a : kNone);
            }
            if (variables.size() != 2 || std::ranges::find(variables, kNone) != variables.end()) return false;
            const auto is_rate = [&](std::uint32_t v) {
                return state_of_rate_[v] != kNone && s_.derivative_of[v] == kNone;
            };
            if (!is_rate(variables[1])) std::swap(variables[0], variables[1]);
            const auto [share, rate] = std::pair(variables[0], variables[1]);
            if (!is_rate(rate) || share >= 2 * std::size_t{s_.graph().bond_components} || unknown_of_[share] == kNone ||
                state_of_rate_[share] != kNone || s_.derivative_of[share] != kNone || shares_.contains(share))
                return false;
            const std::array leaves{graph_.variable(share), graph_.variable(rate)};
            const auto slopes = expression::gradient(e->residual, leaves);
            if (!slopes[0].is_constant() || !slopes[1].is_constant() || slopes[0].constant() == 0.0) return false;
            if (!vanishes_at_zero(e->residual)) return false;
            shares_.emplace(share, Share{rate, -slopes[1].constant() / slopes[0].constant()});
            out_.assignments.push_back({VariableId(std::size_t{share}),
                                        Expr(shares_.at(share).times) * graph_.derivative(state_of_rate_[rate]),
                                        e->element, e->position, false});
            return true;
        });
        if (!shares_.empty()) number_unknowns();
    }

    bool vanishes_at_zero(Expr e) const {
        const std::array roots{e};
        return expression::substitute(graph_, roots,
                                      [&](std::uint32_t n) -> std::optional<Expr> {
                                          return graph_[n].op == Op::variable ? std::optional(Expr(0.0)) : std::nullopt;
                                      })[0]
            .is_constant(0.0);
    }

    void choose_equations() {
        equations_.clear();
        std::vector<bool> dropped(s_.equations.size(), false);
        for (const auto& redundant : choice_.details.redundant) dropped[redundant.equation] = true;
        for (const ReducedEquation& e : s_.equations) {
            if (!dropped[e.origin]) equations_.push_back(&e);
        }
    }

    /// The leaf that stands for an unknown in a residual.
    Expr leaf(std::uint32_t unknown) {
        const std::uint32_t v = unknowns_[unknown];
        return state_of_rate_[v] == kNone ? graph_.variable(v) : graph_.derivative(state_of_rate_[v]);
    }

    /// Rates of states are leaves of their own in a sorted system; released variables are 0.
    Expr with_rates(Expr e) {
        if (e.is_literal()) return e;
        if (released_.empty() && !choice_.released.empty()) {
            released_.assign(s_.variable_count(), false);
            for (const VariableId v : choice_.released) released_[v.index()] = true;
        }
        const std::array roots{e};
        return expression::substitute(graph_, roots, [&](std::uint32_t n) -> std::optional<Expr> {
            const expression::Node& node = graph_[n];
            if (node.op != Op::variable) return std::nullopt;
            if (!released_.empty() && released_[node.a]) return Expr(0.0);
            if (const auto share = shares_.find(node.a); share != shares_.end())
                return Expr(share->second.times) * graph_.derivative(state_of_rate_[share->second.rate]);
            if (state_of_rate_[node.a] == kNone) return std::nullopt;
            return graph_.derivative(state_of_rate_[node.a]);
        })[0];
    }

    /// Unknowns that occur in each equation; those with a constant coefficient can be solved for whatever the values.
    /// `by_balances`: the rates of states, in closed loops.
    void match(bool by_balances) {
        residuals_.clear();
        structure::Incidence all;
        structure::Incidence safe;
        std::vector<std::uint32_t> row;
        for (const ReducedEquation* e : equations_) {
            const Expr residual = with_rates(e->residual);
            residuals_.push_back(residual);
            row.clear();
            std::vector<Expr> leaves;
            if (!e->residual.is_literal()) {
                const std::array roots{e->residual.node()};
                for (const std::uint32_t n : expression::reachable(graph_, roots)) {
                    if (graph_[n].op == Op::variable && unknown_of_[graph_[n].a] != kNone)
                        row.push_back(unknown_of_[graph_[n].a]);
                }
            }
            std::sort(row.begin(), row.end());
            row.erase(std::unique(row.begin(), row.end()), row.end());
            all.add_row(row);
            for (const std::uint32_t u : row) leaves.push_back(leaf(u));
            std::vector<std::uint32_t> constant;
            if (!row.empty()) {
                const auto gradient = expression::gradient(residual, leaves);
                double largest = 0.0;
                for (const Expr& c : gradient)  // one that varies is about 1: angles, lengths beside 1 m
                    largest = std::max(largest, c.is_constant() ? std::abs(c.constant()) : 1.0);
                for (std::size_t k = 0; k < row.size(); ++k) {
                    if (!gradient[k].is_constant() || gradient[k].constant() == 0.0) continue;
                    const double c = std::abs(gradient[k].constant());
                    if (c < kSuspicious * largest && is_rounding(c, e->residual, unknowns_[row[k]])) continue;
                    if (s_.loops && c < kTurnedAway * largest) continue;
                    constant.push_back(row[k]);
                }
            }
            safe.add_row(constant);
        }
        structure::Matching matching = match_rates(rates_and_laws(), all, safe, s_.loops != nullptr, by_balances);
        if (matching.size() < unknowns_.size() || equations_.size() != unknowns_.size()) unmatched(matching);
        std::vector<bool> rate;
        for (const std::uint32_t v : unknowns_) rate.push_back(state_of_rate_[v] != kNone);
        matching = structure::with_regular_rest(all, safe, std::move(matching), rate,
                                                [&](std::span<const std::uint32_t> rows) { return jacobian(rows); });
        safe_ = std::move(safe);
        target_ = std::move(matching.column_of);
    }

    /// Whether a coefficient is what rounding has left of terms that cancel: 38.4 (x / 96) - 0.4 x.
    [[nodiscard]] bool is_rounding(double coefficient, Expr residual, std::uint32_t variable) const {
        constexpr double kRoundings = 100.0;
        const std::array rows{residual};
        const PointValues one(graph_, s_.variable_count(), input_leaf_count(graph_, rows, s_.inputs.size()),
                              s_.events ? s_.events->held_count : 0, rows);
        std::vector<double> alone(s_.variable_count(), 0.0);
        alone[variable] = 1.0;
        return coefficient < kRoundings * one.rounding(alone, at_.time, at_.held)[0];
    }

    /// Of some equations by the unknowns, at the point of the choice.
    Eigen::SparseMatrix<double, Eigen::RowMajor> jacobian(std::span<const std::uint32_t> rows) const {
        std::vector<Expr> residuals;
        for (const std::uint32_t r : rows) residuals.push_back(equations_[r]->residual);
        const PointTape tape(graph_, s_.variable_count(), input_leaf_count(graph_, residuals, s_.inputs.size()),
                             s_.events ? s_.events->held_count : 0, residuals);
        std::vector<double> values = at_.values;
        for (const VariableId v : choice_.released) values[v.index()] = 0.0;
        const std::vector<double> entries = tape.jacobian_beyond_rounding(values, at_.time, at_.held);
        const structure::Incidence& pattern = tape.pattern();
        std::vector<Eigen::Triplet<double>> list;
        for (std::size_t r = 0; r < rows.size(); ++r) {
            for (std::size_t k = pattern.starts[r]; k < pattern.starts[r + 1]; ++k) {
                const std::uint32_t u = unknown_of_[pattern.columns[k]];
                const auto share = shares_.find(pattern.columns[k]);
                const double times = share == shares_.end() ? 1.0 : share->second.times;
                if (u != kNone) list.emplace_back(static_cast<int>(r), static_cast<int>(u), times * entries[k]);
            }
        }
        Eigen::SparseMatrix<double, Eigen::RowMajor> result(static_cast<Eigen::Index>(rows.size()),
                                                            static_cast<Eigen::Index>(unknowns_.size()));
        result.setFromTriplets(list.begin(), list.end());
        return result;
    }

    RatesAndLaws rates_and_laws() const {
        RatesAndLaws what;
        for (std::size_t r = 0; r < equations_.size(); ++r)
            what.rows.push_back({equations_[r]->order > 0, of_loop(r), equations_[r]->element});
        for (const std::uint32_t v : unknowns_) {
            const bool rate = state_of_rate_[v] != kNone;
            what.unknowns.push_back(
                {rate, rate && s_.derivative_of[v] == kNone, element_of(VariableId(std::size_t{v}))});
        }
        return what;
    }

    /// Whether a row says that a loop stays closed.
    [[nodiscard]] bool of_loop(std::size_t row) const {
        return s_.graph().elements[equations_[row]->element.index()].type->holds_positions;
    }

    /// Structure and numbers disagree: the choice can't be arranged.
    [[noreturn]] void unmatched(const structure::Matching& matching) const {
        std::string names;
        for (std::uint32_t u = 0; u < unknowns_.size(); ++u) {
            if (matching.row_of[u] == structure::kUnmatched && names.size() < 200)
                names += (names.empty() ? "'" : ", '") + s_.name(VariableId(std::size_t{unknowns_[u]})) + "'";
        }
        Diagnostics d;
        d.error("BG-E001", s_.graph().model_position, "the equations don't determine all variables",
                {{"where", "nothing determines " + (names.empty() ? std::string("the forces of constraints") : names)},
                 {"because", "constraints that depend on each other were left out"},
                 {"try", "remove the constraints that are given twice"}});
        d.throw_if_errors();
        throw std::logic_error("unreachable");
    }

    /// Where positions have closed forms, rates are matched anew, so that forces follow from what depends on the
    /// states.
    void use_closed_forms() {
        forms_->find(loop_rows());
        if (forms_->empty()) return;
        const std::set<std::uint32_t> before = forms_->determined(loop_rows());
        fold_shares_of_rates();
        match(true);
        if (forms_->determined(loop_rows()) == before) {
            forms_->differentiate(loop_rows(), [&](Expr e) { return with_rates(e); });
            out_.closed_forms = forms_->forms();
            return;
        }
        shares_.clear();
        forms_->clear();
        out_.assignments.clear();
        number_unknowns();
        choose_equations();
        match(false);
    }

    /// What the conditions that close loops say, and what they determine.
    std::vector<LoopRow> loop_rows() {
        std::vector<LoopRow> rows;
        for (std::size_t r = 0; r < equations_.size(); ++r) {
            const model::ElementId part = equations_[r]->element;
            if (!part.valid() || !of_loop(r)) continue;
            const std::uint32_t u = target_[r];
            rows.push_back(
                {s_.graph().elements[part.index()].owner, equations_[r]->order, residuals_[r], unknowns_[u], leaf(u)});
        }
        return rows;
    }

    void solve(std::size_t r) {
        const std::uint32_t u = target_[r];
        const VariableId v(std::size_t{unknowns_[u]});
        const Expr x = leaf(u);
        const ReducedEquation& e = *equations_[r];
        if (const auto closed = forms_ ? forms_->value(v.value) : std::nullopt) {
            out_.assignments.push_back({v, *closed, e.element, e.position, false});
            return;
        }
        const auto row = safe_.row(r);
        std::optional<Expr> solved;
        if (std::binary_search(row.begin(), row.end(), u)) {
            const auto constant = [](Expr c) { return c.is_constant() && c.constant() != 0.0; };
            solved = expression::solve_for(graph_, residuals_[r], 0.0, x, constant);
            if (!solved) solved = by_coefficient(residuals_[r], x);
        }
        const std::uint32_t state = state_of_rate_[v.index()];
        if (state != kNone) {
            // What gives the rate only implicitly stays as it is: der(x) = der(x) + residual.
            out_.state_equations.push_back(
                {VariableId(std::size_t{state}), solved ? *solved : x + residuals_[r], e.element, e.position});
        } else {
            out_.assignments.push_back({v, solved ? *solved : residuals_[r], e.element, e.position, !solved});
        }
    }

    Expr by_coefficient(Expr residual, Expr x) {
        const double coefficient = expression::derivative(residual, x).constant();
        const std::array roots{residual};
        const std::uint32_t node = x.node();
        const Expr rest = expression::substitute(graph_, roots, [&](std::uint32_t n) -> std::optional<Expr> {
            return n == node ? std::optional(Expr(0.0)) : std::nullopt;
        })[0];
        return rest / Expr(-coefficient);
    }

    VariableId base_of(VariableId v) const { return compile::base_of(s_.graph(), s_.derived, v); }
    model::ElementId element_of(VariableId v) const { return s_.graph().element_of(base_of(v)); }

    const ReducedSystem& s_;
    const StateChoice& choice_;
    const ChoicePoint& at_;
    expression::Graph& graph_;
    std::vector<bool> is_state_;
    /// A variable that is a rate times a number.
    struct Share {
        std::uint32_t rate = 0;
        double times = 1.0;
    };
    std::map<std::uint32_t, Share> shares_;  ///< by variable
    Surroundings surroundings_;
    std::optional<FormsInPlace> forms_;  ///< where there are closed loops
    std::vector<bool> released_;
    std::vector<std::uint32_t> unknown_of_;     ///< variable → number among the unknowns
    std::vector<std::uint32_t> state_of_rate_;  ///< variable → the state it is the rate of
    std::vector<std::uint32_t> unknowns_;
    std::vector<const ReducedEquation*> equations_;
    std::vector<Expr> residuals_;
    structure::Incidence safe_;
    std::vector<std::uint32_t> target_;
    SortedSystem out_;
};

}  // namespace

SortedSystem sort_equations(const ReducedSystem& system, const StateChoice& choice, const ChoicePoint& at) {
    return Arranging(system, choice, at).run();
}

}  // namespace bondgraph::compile
