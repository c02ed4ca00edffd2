// A point that satisfies all equations, hidden constraints included, and what the model fixes at the start.

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "bondgraph/compile/assembly.hpp"
#include "bondgraph/compile/forward_substitution.hpp"
#include "bondgraph/compile/given_values.hpp"
#include "bondgraph/compile/input_leaves.hpp"
#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/compile/start_givens.hpp"
#include "bondgraph/compile/start_refusals.hpp"
#include "bondgraph/compile/start_steps.hpp"

namespace bondgraph::compile {

namespace {

constexpr double kLargest = 1e8;  // numbers in the dense part of a step: beyond, it would take minutes
constexpr int kAttempts = 4;

class StartSearch {
   public:
    StartSearch(const ReducedSystem& s, double time, std::vector<double> held)
        : s_(s), g_(s.graph()), graph_(*g_.expressions), givens_(s), refusals_(s, givens_) {
        const std::size_t count = givens_.unknown_count();
        point_ = {std::vector<double>(count, 0.0), time, std::move(held), givens_.reluctance(),
                  std::vector<std::uint32_t>(count, 0)};
        // Relations are false.
        if (point_.held.empty())
            point_.held = g_.held_at_start(s_.causal->modes, s_.events ? s_.events->held_count : g_.held_count());
        for (std::size_t k = 0; k < g_.free_parameters.size(); ++k)
            point_.x[s_.variable_count() + k] = point_.held[givens_.first_free() + k];
    }

    ChoicePoint run(Given given) {
        // Guesses first, alone: they only say where to begin.
        for (const bool fixed : {false, true}) {
            if (const auto alone = givens_.residuals(fixed); !alone.empty()) approach(tape(alone), {});
        }
        assemble();
        const std::vector<double> begin = point_.x;
        assembled_ = begin;
        const std::vector<Expr> rows = givens_.equations();
        std::vector<Expr> all = rows;
        for (const Expr& c : givens_.residuals(true)) all.push_back(c);
        if (search(all, begin)) {
            std::vector<Expr> given_first = givens_.residuals(true);
            given_first.insert(given_first.end(), rows.begin(), rows.end());
            solve_singly(tape(given_first), point_.x, point_.time, point_.held, structure::ScaledRows::kMet);
            return finished();
        }
        NearestStart reached = nearest_;
        if (reached.x.empty()) reached = {begin, 0, 0.0, 0, 0.0};  // no attempt came to anything finite
        if (search(rows, begin)) {
            if (given == Given::where_possible) return finished();
            const std::vector<Expr> fixed = givens_.residuals(true);
            refusals_.contradiction(reached, tape(fixed).values(reached.x, point_.time, point_.held),
                                    tape(fixed).values(assembled_, point_.time, point_.held));
        }
        refusals_.no_solution(nearest_, point_.time);
    }

   private:
    /// Closed loops are brought together already, where that was found out about them.
    void assemble() {
        if (!s_.loops) return;
        point_.longest.assign(point_.x.size(), 0.0);
        for (const ClosedLoops::Coordinate& c : s_.loops->position) {
            point_.x[c.variable] = c.value;
            if (c.number) point_.longest[c.variable] = kLongestTurn;
        }
        std::vector<std::uint32_t> all(g_.variable_count());
        std::iota(all.begin(), all.end(), 0U);
        point_.unit_length = quaternions(g_, all);
    }

    PointTape tape(std::span<const Expr> rows) const {
        return {graph_, point_.x.size(), input_leaf_count(graph_, rows, s_.inputs.size()),
                s_.events ? s_.events->held_count : 0, rows};
    }

    void refuse_large(const PointTape& tape) const {
        std::vector<bool> occurs(point_.x.size(), false);
        for (const std::uint32_t c : tape.pattern().columns) occurs[c] = true;
        std::size_t kept = 0;
        for (std::size_t c = 0; c < occurs.size(); ++c) kept += occurs[c] && point_.reluctance[c] != kFollows ? 1 : 0;
        if (static_cast<double>(kept) * static_cast<double>(tape.size()) > kLargest)
            refusals_.too_large(static_cast<std::size_t>(std::count(occurs.begin(), occurs.end(), true)));
    }

    structure::ScaledRows approach(const PointTape& tape, const RowHints& hints) {
        refuse_large(tape);
        return compile::approach(tape, point_, hints);
    }

    /// How often each row is still to be differentiated: constraints on positions come first, then those on rates, then
    /// the laws of forces (Pryce: A simple structural analysis method for DAEs, BIT 41, 2001). A condition comes as
    /// soon as all that it is about has come.
    std::vector<std::uint32_t> depths(const structure::Incidence& pattern) {
        std::vector<std::uint32_t> most(s_.equations.size(), 0);
        for (const ReducedEquation& e : s_.equations) most[e.origin] = std::max(most[e.origin], e.order);
        point_.column_depth.assign(point_.x.size(), 0);
        std::vector<std::uint32_t> result;
        for (std::size_t r = 0; r < pattern.rows(); ++r) {
            std::uint32_t depth = kNone;
            if (r < s_.equations.size()) {
                depth = most[s_.equations[r].origin] - s_.equations[r].order;
                for (const std::uint32_t c : pattern.row(r))
                    point_.column_depth[c] = std::max(point_.column_depth[c], depth);
            } else {
                for (const std::uint32_t c : pattern.row(r)) depth = std::min(depth, point_.column_depth[c]);
            }
            result.push_back(depth);
        }
        return result;
    }

    /// A part of the rows, and which of them.
    struct Level {
        std::vector<std::uint32_t> rows;
        std::vector<std::uint32_t> depth;
        std::vector<std::uint8_t> of_loops;
        std::vector<Expr> residuals;
        PointTape tape;
        [[nodiscard]] RowHints hints() const { return {depth, of_loops}; }
    };

    [[nodiscard]] std::uint8_t is_of_loops(std::uint32_t row) const {
        if (!s_.loops || row >= s_.equations.size()) return 0;
        const model::ElementId element = s_.equations[row].element;
        return element.valid() && g_.elements[element.index()].type->holds_positions ? 1 : 0;
    }

    Level all_levels(const std::vector<Expr>& rows) {
        Level all{std::vector<std::uint32_t>(rows.size()), {}, {}, rows, tape(rows)};
        std::iota(all.rows.begin(), all.rows.end(), 0U);
        for (const std::uint32_t r : all.rows) all.of_loops.push_back(is_of_loops(r));
        all.depth = depths(all.tape.pattern());
        std::uint32_t first = 0;
        for (std::size_t r = 0; r < std::min(rows.size(), s_.equations.size()); ++r)
            first = std::max(first, all.depth[r]);
        for (std::uint32_t& depth : all.depth) depth = std::min(depth, first);
        return all;
    }

    /// From the rows that come first to all of them.
    std::vector<Level> levels(Level all) {
        std::vector<Level> result;
        for (std::uint32_t d = std::ranges::max(all.depth); d > 0; --d) result.push_back(down_to(d, all));
        result.push_back(std::move(all));
        return result;
    }

    [[nodiscard]] Level down_to(std::uint32_t depth, const Level& all) const {
        std::vector<std::uint32_t> which;
        std::vector<std::uint32_t> its_depth;
        std::vector<std::uint8_t> of_loops;
        std::vector<Expr> list;
        for (std::size_t r = 0; r < all.depth.size(); ++r) {
            if (all.depth[r] < depth) continue;
            which.push_back(all.rows[r]);
            its_depth.push_back(all.depth[r]);
            of_loops.push_back(all.of_loops[r]);
            list.push_back(all.residuals[r]);
        }
        PointTape its_tape = tape(list);
        return {std::move(which), std::move(its_depth), std::move(of_loops), std::move(list), std::move(its_tape)};
    }

    /// Positions, then rates where these positions stay, then forces: the conditions of closed loops are met already,
    /// and for rates and forces they are linear. False where a level asks for more. Wheels that roll may ask for
    /// positions by rates that are given (`places_stay` is false): then both are searched for together, and guesses
    /// give way like the rest, as a guessed angle of steering kept to the last would ask for any speed in its place.
    bool one_after_another(std::span<const Level> list, bool places_stay) {
        const std::vector<double> begin = point_.x;
        point_.frozen.assign(point_.x.size(), false);
        const std::vector<std::uint8_t> reluctance = point_.reluctance;
        const bool met = std::ranges::all_of(list, [&](const Level& level) {
            substitute(level);
            const bool together = !places_stay && &level == list.data() + 1;
            if (!(together ? meet_together(level, begin) : approach(level.tape, level.hints()).holds())) return false;
            if (&level == list.data() && !places_stay) return true;
            const std::uint32_t first = std::ranges::min(level.depth);
            for (const std::uint32_t c : level.tape.pattern().columns) {
                if (point_.column_depth[c] >= first) point_.frozen[c] = true;
            }
            return true;
        });
        point_.frozen.clear();
        point_.reluctance = reluctance;
        return met;
    }

    /// Positions at which rates meet what is asked of these, and the rates. Positions move only as far as no rates do
    /// that, guesses of positions like the rest: a step for both tells how far, and whither; then positions are put in
    /// order, and rates found anew. Carried along they would grow where positions are still off: a spin of thousands of
    /// rad/s for a hundredth of a rad.
    bool meet_together(const Level& level, const std::vector<double>& begin) {
        constexpr int kSteps = 30;
        constexpr int kMore = 2;  // once all is met: each squares what is left
        const std::vector<std::uint8_t> rates_alone = point_.reluctance;
        const std::vector<std::uint8_t> both = reluctance_of_both(level);
        const Level whole = with_lengths(level);
        const Level positions = down_to(std::ranges::max(level.depth), whole);
        std::vector<double> met;
        for (int step = 0, more = kMore; step < kSteps && more >= 0; ++step) {
            hold_positions(level, false);
            point_.reluctance = both;
            const bool in_order = approach(positions.tape, positions.hints()).holds();
            point_.reluctance = rates_alone;
            if (!in_order) break;
            hold_positions(level, true, &begin);
            substitute(level);
            if (approach(level.tape, level.hints()).holds()) met = point_.x;
            if (!met.empty()) --more;
            hold_positions(level, false);
            if (!step_of_positions(whole, both)) break;
        }
        if (met.empty()) return false;
        point_.x = std::move(met);
        return true;
    }

    /// False where there is none.
    bool step_of_positions(const Level& whole, const std::vector<std::uint8_t>& reluctance) {
        PointJacobian jacobian(whole.tape);
        const structure::ScaledRows rows = linearize(jacobian, point_, whole.hints());
        if (!rows.finite) return false;
        const Eigen::VectorXd change = structure::least_step(rows, -rows.residual, reluctance);
        for (std::size_t k = 0; k < rows.columns.size(); ++k) {
            const std::uint32_t c = rows.columns[k];
            if (point_.column_depth[c] < std::ranges::max(whole.depth)) continue;
            const double most = point_.longest[c] > 0.0 ? point_.longest[c] : std::numeric_limits<double>::max();
            point_.x[c] += std::clamp(change(static_cast<Eigen::Index>(k)), -most, most);
        }
        return change.allFinite();
    }

    /// Rates before positions.
    [[nodiscard]] std::vector<std::uint8_t> reluctance_of_both(const Level& level) const {
        std::vector<std::uint8_t> result = point_.reluctance;
        const std::uint32_t positions = std::ranges::max(level.depth);
        for (const std::uint32_t c : level.tape.pattern().columns) {
            if (result[c] != kFollows) result[c] = point_.column_depth[c] >= positions ? kDefaults : kCarries;
        }
        return result;
    }

    /// Positions stay, or not; rates go back to where they began.
    void hold_positions(const Level& level, bool held, const std::vector<double>* begin = nullptr) {
        const std::uint32_t positions = std::ranges::max(level.depth);
        for (const std::uint32_t c : level.tape.pattern().columns) {
            const bool position = point_.column_depth[c] >= positions;
            point_.frozen[c] = held && position;
            if (begin != nullptr && !position) point_.x[c] = (*begin)[c];
        }
    }

    /// A level and the lengths of quaternions: what a search makes of them is put right at its end, too late for rates.
    Level with_lengths(const Level& level) const {
        std::vector<std::uint32_t> depth = level.depth;
        std::vector<std::uint8_t> of_loops = level.of_loops;
        std::vector<Expr> rows = level.residuals;
        for (const Expr& length : lengths_of(graph_, point_.unit_length)) rows.push_back(length);
        for (const auto& members : point_.unit_length) depth.push_back(point_.column_depth[members.front()]);
        of_loops.resize(rows.size(), 0);
        PointTape its_tape = tape(rows);
        return {std::vector<std::uint32_t>(rows.size(), 0), std::move(depth), std::move(of_loops), std::move(rows),
                std::move(its_tape)};
    }

    /// From `begin` with what follows from it one by one; in closed loops first level by level; from `begin` alone,
    /// level by level, and from other points: those moved a little where that is a singular one (all zeros, mostly),
    /// then others about the guesses; at last all levels at once.
    bool search(const std::vector<Expr>& rows, const std::vector<double>& begin) {
        nearest_ = {};
        met_ = 0;
        if (rows.empty()) return true;
        Level all = all_levels(rows);
        point_.x = begin;
        std::vector<Level> list;
        if (s_.loops) {
            list = levels(all);
            for (const bool places_stay : {true, false}) {
                if (one_after_another(list, places_stay) && closed(begin)) return true;
                point_.x = begin;
            }
        }
        substitute(all);
        if (in_levels({&all, 1}) && closed(begin)) return true;
        if (list.empty()) list = levels(std::move(all));
        for (int attempt = 0; attempt < 3 * kAttempts; ++attempt) {
            point_.x = begin;
            move(attempt % (2 * kAttempts), begin);
            const bool met = attempt < 2 * kAttempts ? in_levels(list) : in_levels({&list.back(), 1});
            if (met && closed(begin)) return true;
        }
        return false;
    }

    /// Whether closed loops are so at the point: conditions that others imply may not be, nor those on directions that
    /// hold with one side turned over as well. What stays of a loop that was found closed (a hinge drawn beside the
    /// plane of the others by a micrometre) is no gap. Where they are not, what was known to be closed is the nearest
    /// to it.
    bool closed(const std::vector<double>& begin) {
        // Beside its terms: conditions that count hold to 1e-9, those they imply nearly so; torn loops lack their size.
        constexpr double kGap = 1e-5;
        constexpr double kNoGap = 1e-12;  // m, rad: rounding, where the terms vanish as well
        constexpr double kStayed = 1.1;
        constexpr double kLength = 1e-6;
        if (!s_.loops || s_.loops->gaps.empty()) return true;
        const std::vector<double> x = with_eliminated(point_.x);
        const PointTape gaps = tape(s_.loops->gaps);
        const std::vector<double> off = gaps.values(x, point_.time, point_.held);
        const std::vector<double> at_first = gaps.values(with_eliminated(begin), point_.time, point_.held);
        const std::vector<double> rounding = gaps.rounding(x, point_.time, point_.held);
        const std::vector<double> contributions = gaps.contributions(x, point_.time, point_.held);
        bool met = true;
        for (std::size_t r = 0; r < off.size(); ++r) {
            const double size = std::max(rounding[r] / std::numeric_limits<double>::epsilon(), contributions[r]);
            met = met && std::abs(off[r]) <= std::max({kGap * size, kNoGap, kStayed * std::abs(at_first[r])});
        }
        for (const auto& q : point_.unit_length) {
            double square = 0.0;
            for (const std::uint32_t v : q) square += x[v] * x[v];
            met = met && std::abs(square - 1.0) <= kLength;  // without a length it turns in any way
        }
        const auto upright = tape(s_.loops->upright).values(x, point_.time, point_.held);
        met = met && std::ranges::all_of(upright, [](double u) { return u > 0.0; });
        if (!met && nearest_.x.empty()) torn(begin);
        return met;
    }

    /// Of the fixed start values, what the closed position misses most.
    void torn(const std::vector<double>& begin) {
        const auto list = givens_.residuals(true);
        nearest_ = {begin, s_.equations.size(), 0.0, 0, 0.0};
        if (list.empty()) return;
        const auto values = tape(list).values(begin, point_.time, point_.held);
        for (std::size_t k = 0; k < values.size(); ++k) {
            if (std::abs(values[k]) <= nearest_.left) continue;
            nearest_.left = std::abs(values[k]);
            nearest_.worst = static_cast<std::uint32_t>(s_.equations.size() + k);
        }
    }

    void substitute(const Level& level) {
        std::vector<bool> assumed;
        for (std::size_t i = 0; i < point_.x.size(); ++i)
            assumed.push_back(point_.reluctance[i] != kFollows || (!point_.frozen.empty() && point_.frozen[i]));
        const ForwardSubstitution follow(graph_, level.residuals, level.tape.pattern(), assumed,
                                         input_leaf_count(graph_, level.residuals, s_.inputs.size()),
                                         s_.events ? s_.events->held_count : 0);
        follow.apply(point_.x, point_.time, point_.held);
    }

    void move(int attempt, const std::vector<double>& begin) {
        for (std::size_t i = 0; attempt > 0 && i < point_.x.size(); ++i) {
            const double way =
                std::cos(1.0 + 3.7 * static_cast<double>(i + point_.x.size() * static_cast<std::size_t>(attempt)));
            if (attempt >= kAttempts) {
                point_.x[i] +=
                    way * std::pow(3.0, attempt - kAttempts - 1) * (begin[i] == 0.0 ? 1.0 : std::abs(begin[i]));
            } else if (begin[i] == 0.0) {
                point_.x[i] = way * std::pow(10.0, attempt - 3);
            }
        }
    }

    bool in_levels(std::span<const Level> list) {
        for (std::size_t k = 0; k < list.size(); ++k) {
            const Level& level = list[k];
            structure::ScaledRows l = approach(level.tape, level.hints());
            if (!l.holds() && k > 0) {
                // Large rates and forces leave their rounding in places that are 0.
                for (std::size_t before = 0; before < k; ++before) approach(list[before].tape, list[before].hints());
                PointJacobian jacobian(level.tape);
                l = linearize(jacobian, point_, level.hints());
            }
            if (l.holds()) {
                met_ = std::max(met_, level.rows.size());
                if (nearest_.rows <= met_) nearest_ = {};
                continue;
            }
            const bool nearer = level.rows.size() == nearest_.rows ? l.violation < nearest_.violation
                                                                   : level.rows.size() < nearest_.rows;
            if (level.rows.size() > met_ && (nearest_.x.empty() || (l.finite && nearer)))
                nearest_ = {point_.x, level.rows.size(), l.violation, level.rows[l.worst], l.left};
            return false;
        }
        return true;
    }

    ChoicePoint finished() {
        for (std::size_t k = 0; k < g_.free_parameters.size(); ++k)
            point_.held[givens_.first_free() + k] = point_.x[s_.variable_count() + k];
        point_.x = with_eliminated(point_.x);
        point_.x.resize(s_.variable_count());
        return {std::move(point_.x), point_.time, std::move(point_.held)};
    }

    /// A point with what exact elimination has put in terms of others.
    std::vector<double> with_eliminated(std::vector<double> x) const {
        std::vector<Expr> eliminated;
        for (const Assignment& a : s_.eliminated) {
            x[a.target.index()] = 0.0;
            eliminated.push_back(a.value);
        }
        if (eliminated.empty()) return x;
        const auto values = tape(eliminated).values(x, point_.time, point_.held);
        for (std::size_t i = 0; i < values.size(); ++i) x[s_.eliminated[i].target.index()] = values[i];
        return x;
    }

    const ReducedSystem& s_;
    const model::BondGraph& g_;
    expression::Graph& graph_;
    StartGivens givens_;
    StartRefusals refusals_;
    StartPoint point_;               ///< unknowns: variables, then free parameters
    std::vector<double> assembled_;  ///< closed loops brought together
    NearestStart nearest_;
    std::size_t met_ = 0;  ///< rows of the largest level that an attempt passed
};

}  // namespace

ChoicePoint consistent_start(const ReducedSystem& system, double time, std::vector<double> held, Given given) {
    return StartSearch(system, time, std::move(held)).run(given);
}

}  // namespace bondgraph::compile
