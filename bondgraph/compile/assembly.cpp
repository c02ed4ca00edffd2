#include "bondgraph/compile/assembly.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <random>
#include <span>
#include <tuple>

#include "bondgraph/compile/closure_gradients.hpp"
#include "bondgraph/compile/come_nearer.hpp"
#include "bondgraph/compile/no_position.hpp"
#include "bondgraph/compile/settle.hpp"
#include "bondgraph/compile/start_steps.hpp"
#include "bondgraph/expression/derivative.hpp"

namespace bondgraph::compile {

using expression::Op;
using model::Element;

namespace {

class Assembling {
   public:
    explicit Assembling(const AssemblyProblem& p)
        : p_(p), s_(*p.system), g_(*s_.causal->graph), graph_(*g_.expressions) {
        const std::size_t count = s_.is_state.size();
        point_.x.assign(count, 0.0);
        point_.time = g_.start_time;
        point_.held = g_.held_at_start(s_.causal->modes, s_.events ? s_.events->held_count : g_.held_count());
        point_.reluctance.assign(count, kDefault);
        point_.column_depth.assign(count, 0);
        point_.longest.assign(count, 0.0);
        for (const std::uint32_t v : p.variables) {
            if (is_number(g_, v)) point_.longest[v] = kLongestTurn;
        }
        point_.unit_length = quaternions(g_, p.variables);
        given_.assign(count, false);
    }

    Assembly run() {
        collect_starts();
        if (!guesses_.empty()) approach(tape_of(p_, guesses_), point_, {});
        if (!fixed_.empty()) approach(tape_of(p_, fixed_), point_, {});
        const std::vector<double> begin = point_.x;
        std::vector<double> before;
        std::vector<bool> given;
        for (const std::uint32_t v : p_.variables) {
            before.push_back(point_.x[v]);
            given.push_back(given_[v]);
        }
        find_void_rows();
        // Each loop by itself first, so that one with poor guesses doesn't upset the others.
        const std::vector<Loop> loops = single_loops();
        for (const Loop& loop : loops) {
            if (loops.size() > 1) search(loop, true);
        }
        Loop all{.upright = p_.upright, .variables = p_.variables};
        for (std::size_t r = 0; r < p_.residuals.size(); ++r) {
            if (!void_[r]) add(all, r);
        }
        const bool as_given = search(all, true);
        if (!as_given && (fixed_.empty() || !search(all, false)))
            refuse_position(p_, {nearest_.x, point_.time, point_.held}, turned_over_);
        if (as_given) come_nearer_to(begin, goal_of(all, true));
        take_back(all, as_given, begin);
        return {{point_.x, point_.time, point_.held},
                std::move(before),
                std::move(given),
                as_given ? std::nullopt : out_of_reach(p_, {begin, point_.time, point_.held}, held_)};
    }

   private:
    static constexpr std::uint8_t kDefault = 1;
    static constexpr std::uint8_t kGuessed = 2;
    static constexpr int kAttempts = 36;
    static constexpr int kNear = 4;         // of them from beside the guesses,
    static constexpr int kOthersOnly = 16;  // and to here from anywhere in what nobody guessed

    /// Start values of coordinates, and of what follows from these alone.
    void collect_starts() {
        for (std::size_t i = 0; i < g_.elements.size(); ++i) {
            for (const model::StartValue& s : g_.elements[i].starts) {
                const auto variable = model::element_variable(g_, model::ElementId(i), s.variable);
                if (!variable) continue;
                for (Eigen::Index k = 0; k < variable->value.size(); ++k)
                    add_start(variable->value.data()[k], s.value.value.data()[k], s);
            }
        }
    }

    void add_start(Expr value, Expr target, const model::StartValue& given) {
        const Expr of = p_.kinematics(value);
        if (of.is_literal() || !only_coordinates(of) || !(target.is_literal() || only_coordinates(target))) return;
        (given.fixed ? fixed_ : guesses_).push_back(of - target);
        if (given.fixed && graph_[of.node()].op == Op::variable) held_.push_back(graph_[of.node()].a);
        if (!given.by_default) {
            for (const std::uint32_t v : variables_in(graph_, std::span(&of, 1))) given_[v] = true;
        }
        if (given.fixed || given.by_default || graph_[of.node()].op != Op::variable) return;
        point_.reluctance[graph_[of.node()].a] = kGuessed;
    }

    bool only_coordinates(Expr e) const {
        const std::array roots{e.node()};
        return std::ranges::all_of(expression::reachable(graph_, roots), [&](std::uint32_t n) {
            return graph_[n].op != Op::derivative &&
                   (graph_[n].op != Op::variable || std::ranges::binary_search(p_.variables, graph_[n].a));
        });
    }

    /// What holds one place together, and the coordinates in it.
    using Loop = AssemblyProblem;

    void add(Loop& loop, std::size_t row) const {
        loop.system = p_.system;
        loop.residuals.push_back(p_.residuals[row]);
        loop.parts.push_back(p_.parts[row]);
    }

    /// What a search is to meet.
    struct Goal {
        const Loop& loop;
        std::vector<Expr> fixed;
        PointTape tape;
        PointTape upright;
    };

    /// Conditions that nothing changes but rounding, as those across a plane that lies anyhow: scaled like others they
    /// would ask for places that don't exist. Where they are not met, no place meets them.
    void find_void_rows() {
        void_.assign(p_.residuals.size(), false);
        if (p_.variables.empty()) return;
        const ClosureGradients gradients(p_);
        const auto places = gradients_elsewhere(p_, gradients, {point_.x, point_.time, point_.held});
        const auto values = gradients.tape().values(point_.x, point_.time, point_.held);
        const std::vector<double> sizes = sizes_of(p_, gradients, {point_.x, point_.time, point_.held});
        for (std::size_t r = 0; r < void_.size(); ++r) {
            void_[r] = std::abs(values[r]) < kTogether * sizes[r] &&
                       std::ranges::all_of(places, [&](const Eigen::MatrixXd& m) {
                           return m.row(static_cast<Eigen::Index>(r)).isZero(0.0);
                       });
        }
    }

    model::ElementId closure_of(model::ElementId part) const { return g_.elements[part.index()].owner; }

    std::vector<Loop> single_loops() const {
        std::vector<model::ElementId> closures;
        for (const model::ElementId part : p_.parts) closures.push_back(closure_of(part));
        // By names: where a search ends must not depend on the order of the file.
        const auto name = [&](model::ElementId id) { return std::string_view(g_.elements[id.index()].name); };
        std::ranges::sort(closures, {}, name);
        closures.erase(std::unique(closures.begin(), closures.end()), closures.end());
        std::vector<Loop> loops(closures.size());
        const auto loop_of = [&](model::ElementId part) -> Loop& {
            const auto at = std::ranges::lower_bound(closures, name(closure_of(part)), {}, name);
            return loops[static_cast<std::size_t>(at - closures.begin())];
        };
        for (std::size_t r = 0; r < p_.parts.size(); ++r) {
            if (!void_[r]) add(loop_of(p_.parts[r]), r);
        }
        for (std::size_t u = 0; u < p_.upright.size(); ++u)
            loop_of(p_.upright_parts[u]).upright.push_back(p_.upright[u]);
        for (Loop& loop : loops) loop.variables = variables_in(graph_, loop.residuals);
        return loops;
    }

    /// Of the fixed start values, those that concern some of these variables.
    std::vector<Expr> fixed_among(const std::vector<std::uint32_t>& variables) const {
        std::vector<Expr> result;
        for (const Expr& e : fixed_) {
            const auto own = variables_in(graph_, std::span(&e, 1));
            if (std::ranges::any_of(own, [&](std::uint32_t v) { return std::ranges::binary_search(variables, v); }))
                result.push_back(e);
        }
        return result;
    }

    Goal goal_of(const Loop& loop, bool with_fixed) const {
        std::vector<Expr> rows = loop.residuals;
        std::vector<Expr> fixed = with_fixed ? fixed_among(loop.variables) : std::vector<Expr>{};
        rows.insert(rows.end(), fixed.begin(), fixed.end());
        return {loop, std::move(fixed), tape_of(p_, rows), tape_of(p_, loop.upright)};
    }

    /// From where guesses lead to; from beside it, where that is a singular position (all zeros, mostly); with what
    /// nobody guessed anywhere; then from farther and farther away. Without success the point stays where it was.
    bool search(const Loop& loop, bool with_fixed) {
        const std::vector<double> begin = point_.x;
        const Goal goal = goal_of(loop, with_fixed);
        for (int attempt = 0; attempt < kAttempts; ++attempt) {
            point_.x = begin;
            move(attempt, loop, begin);
            if (comes_together(goal) || (attempt == 0 && comes_together_evenly(goal, begin))) {
                look_nearer(goal, begin);
                return true;
            }
        }
        point_.x = begin;
        return false;
    }

    /// Guesses give way like the rest: kept to the last, one that hardly fits bends all others to where they can't go
    /// on.
    bool comes_together_evenly(const Goal& goal, const std::vector<double>& begin) {
        const std::vector<std::uint8_t> reluctance = point_.reluctance;
        std::ranges::replace(point_.reluctance, kGuessed, kDefault);
        point_.x = begin;
        const bool closed = comes_together(goal);
        point_.reluctance = reluctance;
        return closed;
    }

    /// From the point, by the shortest way; where it ends otherwise, how far apart is noted.
    bool comes_together(const Goal& goal) {
        const structure::ScaledRows end = approach(goal.tape, point_, {});
        const bool closed = end.finite && settle(goal.loop, goal.fixed, point_, end.violation <= kClosed);
        const auto values = goal.upright.values(point_.x, point_.time, point_.held);
        const bool upside = std::ranges::all_of(values, [](double u) { return u > 0.0; });
        if (closed && upside) return true;
        note_gap();
        turned_over_ = turned_over_ || (!upside && closed);
        return false;
    }

    /// A position far from the guesses may be the mirror image of the one that is meant: coordinates nobody guessed
    /// begin at 0, and pull the others over. From other places for these, whichever comes nearest to the guesses.
    void look_nearer(const Goal& goal, const std::vector<double>& begin) {
        const Loop& loop = goal.loop;
        constexpr double kNear = 0.1;  // rad, or of the mechanism's lengths: what people guess to
        constexpr int kOthers = 12;    // of two positions, all lead to the same one in one case of 4000
        const double length = length_for_slides(loop);
        double most = 0.0;
        for (const std::uint32_t v : loop.variables) {
            if (point_.reluctance[v] == kGuessed)
                most = std::max(most, std::abs(point_.x[v] - begin[v]) / (point_.longest[v] > 0.0 ? 1.0 : length));
        }
        if (most <= kNear) return;
        const Gap gap = nearest_;
        const bool turned_over = turned_over_;
        come_nearer_to(begin, goal);
        std::vector<double> nearest = point_.x;
        Distance best = distance(point_, begin, loop.variables);
        std::minstd_rand random(7);
        std::uniform_real_distribution<double> part(-1.0, 1.0);
        for (int k = 0; k < kOthers; ++k) {
            point_.x = begin;
            for (const std::uint32_t v : by_name(loop.variables)) {
                const double way = part(random) * (point_.longest[v] > 0.0 ? std::numbers::pi : length);
                if (point_.reluctance[v] != kGuessed) point_.x[v] += way;
            }
            point_.normalize();
            if (!comes_together(goal)) continue;
            turn_back(goal, begin);
            come_nearer_to(begin, goal);
            const Distance here = distance(point_, begin, loop.variables);
            if (!here.below(best)) continue;
            best = here;
            nearest = point_.x;
        }
        point_.x = std::move(nearest);
        nearest_ = gap;
        turned_over_ = turned_over;
    }

    /// Whole turns that the places drawn have added are taken back, unless a gear counts them.
    void turn_back(const Goal& goal, const std::vector<double>& begin) {
        const double turn = 2.0 * std::numbers::pi;
        const std::vector<double> x = point_.x;
        for (const std::uint32_t v : goal.loop.variables) {
            if (is_angle(g_, v)) point_.x[v] -= turn * std::round((point_.x[v] - begin[v]) / turn);
        }
        if (point_.x != x && !comes_together(goal)) point_.x = x;
    }

    /// Along the mechanism's motion, where it is found closed but not drawn so: which of its positions is found first
    /// depends on where loops were cut.
    void come_nearer_to(const std::vector<double>& begin, const Goal& goal) {
        constexpr double kNextToNothing = 1e-4;  // rad or m: what is gained then is its square
        const std::vector<std::uint32_t>& among = goal.loop.variables;
        const Distance found = distance(point_, begin, among);
        if (std::max(found.of_guessed, found.of_others) < kNextToNothing) return;
        const std::vector<double> x = point_.x;
        std::vector<Expr> rows = goal.loop.residuals;
        rows.insert(rows.end(), goal.fixed.begin(), goal.fixed.end());
        for (const Expr& length : lengths_of(graph_, point_.unit_length)) rows.push_back(length);
        come_nearer(tape_of(p_, rows), point_, begin);
        const Gap gap = nearest_;
        const bool turned_over = turned_over_;
        // At the nearest point distances hardly change: what is as near is the better one.
        if (!comes_together(goal) || found.below(distance(point_, begin, among))) point_.x = x;
        nearest_ = gap;
        turned_over_ = turned_over;
    }

    /// Steps share what is to move among all that may, and what one has moved by next to nothing the others don't take
    /// back: a chain that stood straight would be bent by a millionth, where it needs no bend. Tried once, by the
    /// shortest way: the place that was found is as good.
    void take_back(const Loop& loop, bool with_fixed, const std::vector<double>& begin) {
        constexpr double kNextToNothing = 1e-4;  // rad, or of the mechanism's lengths
        constexpr double kRounding = 1e-10;
        constexpr double kLess = 0.1;  // of what it was before
        const std::vector<double> found = point_.x;
        const double length = length_for_slides(loop);
        const auto way = [&](std::uint32_t v) {
            return std::abs(point_.x[v] - begin[v]) / (point_.longest[v] > 0.0 ? 1.0 : length);
        };
        std::vector<std::uint32_t> moved;
        double most = 0.0;
        for (const std::uint32_t v : loop.variables) {
            if (!(way(v) > 0.0) || way(v) > kNextToNothing) continue;
            moved.push_back(v);
            most = std::max(most, way(v));
        }
        if (most < kRounding) return;
        for (const std::uint32_t v : moved) point_.x[v] = begin[v];
        point_.normalize();
        const bool closed = comes_together(goal_of(loop, with_fixed));
        const bool nearer = std::ranges::all_of(moved, [&](std::uint32_t v) { return way(v) < kLess * most; });
        if (!closed || !nearer) point_.x = found;
    }

    /// What slides are compared by where turns are compared as they are.
    double length_for_slides(const Loop& loop) {
        const bool any = std::ranges::any_of(loop.variables, [&](std::uint32_t v) { return point_.longest[v] == 0.0; });
        return any ? lever(loop) : 1.0;
    }

    /// The longest lever of an angle at the point: a length of the mechanism.
    double lever(const Loop& loop) {
        if (!whole_) whole_.emplace(tape_of(p_, p_.residuals));
        const PointTape& tape = *whole_;
        const std::vector<double> entries = tape.jacobian(point_.x, point_.time, point_.held);
        const structure::Incidence& pattern = tape.pattern();
        double longest = 0.0;
        for (std::size_t r = 0; r < p_.residuals.size(); ++r) {
            if (g_.elements[p_.parts[r].index()].ports[0].domain == *model::find_domain("rotational")) continue;
            for (std::size_t k = pattern.starts[r]; k < pattern.starts[r + 1]; ++k) {
                const std::uint32_t v = pattern.columns[k];
                if (point_.longest[v] > 0.0 && std::ranges::binary_search(loop.variables, v))
                    longest = std::max(longest, std::abs(entries[k]));
            }
        }
        return longest > 0.0 ? longest : extent(loop, point_.x);
    }

    /// Coordinates in an order that is not that of the file.
    std::vector<std::uint32_t> by_name(std::vector<std::uint32_t> variables) const {
        const std::size_t bonds = 2 * std::size_t{g_.bond_components};
        const auto key = [&](std::uint32_t v) {
            if (v < bonds) return std::tuple(std::string_view(), v, std::uint32_t{0});
            const auto& slot = g_.slot_variables[v - bonds];
            return std::tuple(std::string_view(g_.elements[slot.element.index()].name), std::uint32_t{slot.slot},
                              std::uint32_t{slot.component});
        };
        std::ranges::sort(variables, {}, key);
        return variables;
    }

    void move(int attempt, const Loop& loop, const std::vector<double>& begin) {
        if (attempt == 0) return;
        std::minstd_rand random(static_cast<std::uint32_t>(attempt));
        std::uniform_real_distribution<double> part(-1.0, 1.0);
        const double far = attempt < kNear         ? std::pow(10.0, attempt - kNear)
                           : attempt < kOthersOnly ? std::numbers::pi
                                                   : std::numbers::pi * (attempt - kOthersOnly + 1) / 8.0;
        const double length = extent(loop, begin);
        for (const std::uint32_t v : by_name(loop.variables)) {
            const double size = point_.longest[v] > 0.0 ? 1.0 : std::max(std::abs(begin[v]), length);
            const double way = part(random) * far * size;
            if (point_.reluctance[v] != kGuessed || attempt >= kOthersOnly) point_.x[v] += way;
        }
        point_.normalize();
    }

    /// Lengths of the mechanism, where coordinates that slide stand at 0.
    double extent(const Loop& loop, const std::vector<double>& at) const {
        double most = 0.0;
        const PointTape tape = tape_of(p_, loop.residuals);
        const auto rounding = tape.rounding(at, point_.time, point_.held);
        for (const double r : rounding) {
            if (std::isfinite(r)) most = std::max(most, r / std::numeric_limits<double>::epsilon());
        }
        return most > 0.0 ? most : 1.0;
    }

    /// The largest gap at a place that is held, m and rad alike, and the point it belongs to.
    struct Gap {
        double size = std::numeric_limits<double>::infinity();
        std::vector<double> x;
    };

    void note_gap() {
        const auto values = tape_of(p_, p_.gaps).values(point_.x, point_.time, point_.held);
        double largest = 0.0;
        for (std::size_t r = 0; r < values.size();) {
            const model::ElementId part = p_.parts[r];
            double sum = 0.0;
            for (; r < values.size() && p_.parts[r] == part; ++r) sum += values[r] * values[r];
            largest = std::sqrt(sum) <= largest ? largest : std::sqrt(sum);
        }
        if (largest < nearest_.size) nearest_ = {largest, point_.x};
    }

    const AssemblyProblem& p_;
    const EquationSystem& s_;
    const model::BondGraph& g_;
    expression::Graph& graph_;
    StartPoint point_;
    std::vector<Expr> fixed_, guesses_;
    std::vector<std::uint32_t> held_;  ///< coordinates with a start value that must hold
    std::vector<bool> given_;          ///< by variable: a start value of the file concerns it
    std::vector<bool> void_;           ///< by residual
    std::optional<PointTape> whole_;   ///< of all residuals, once it has been asked for
    bool turned_over_ = false;
    Gap nearest_;
};

}  // namespace

Assembly assemble(const AssemblyProblem& problem) { return Assembling(problem).run(); }

}  // namespace bondgraph::compile
