#include "bondgraph/simulation/new_values.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Core>
#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/simulation/run_failures.hpp"
#include "bondgraph/simulation/start.hpp"
#include "bondgraph/structure/choice_levels.hpp"
#include "bondgraph/structure/dense.hpp"
#include "bondgraph/structure/pivoting.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;

namespace {

/// Coordinates, or their rates, that conditions of closed loops tie to each other.
struct Tied {
    std::vector<std::uint32_t> all;    ///< variables, of joints
    std::vector<std::size_t> states;   ///< unknowns
    std::optional<std::size_t> rates;  ///< of coordinates: the set of their rates
};

std::vector<std::uint32_t> lower_of(const compile::ReducedSystem& s) {
    std::vector<std::uint32_t> lower(s.derivative_of.size(), kNone);
    for (std::uint32_t v = 0; v < s.derivative_of.size(); ++v) {
        if (s.derivative_of[v] != kNone) lower[s.derivative_of[v]] = v;
    }
    return lower;
}

/// The candidates of a level, numbered within it, in sets that its rows tie together.
std::vector<std::vector<std::size_t>> sets_of(const compile::ReducedSystem& s, const structure::DerivativeBlock& block,
                                              const structure::ChoiceLevel& level) {
    std::vector<std::size_t> root(level.candidates.size());
    for (std::size_t k = 0; k < root.size(); ++k) root[k] = k;
    const auto find = [&](std::size_t k) {
        while (root[k] != k) k = root[k] = root[root[k]];
        return k;
    };
    for (const Eigen::Index r : level.rows) {
        const std::uint32_t row = s.coefficients.row_of[block.rows[static_cast<std::size_t>(r)]];
        if (row == kNone) continue;
        std::optional<std::size_t> first;
        for (std::size_t k = 0; k < root.size(); ++k) {
            const std::uint32_t column = block.columns[static_cast<std::size_t>(level.candidates[k])];
            const auto named = s.coefficients.pattern.row(row);
            if (std::ranges::find(named, column) == named.end()) continue;
            if (first) root[find(k)] = find(*first);
            first = k;
        }
    }
    std::vector<std::vector<std::size_t>> sets(root.size());
    for (std::size_t k = 0; k < root.size(); ++k) sets[find(k)].push_back(k);
    return sets;
}

/// All sets: of rates, and of the coordinates whose rates they are.
std::vector<Tied> tied_by_loops(const CompiledModel& m) {
    std::vector<Tied> result;
    if (!m.reduced || !m.reduced->loops) return result;
    const compile::ReducedSystem& s = *m.reduced;
    std::vector<std::size_t> unknown_of(s.variable_count(), m.size());
    for (std::size_t i = 0; i < m.state_count; ++i) unknown_of[m.unknowns[i].variable.index()] = i;
    const std::vector<std::uint32_t> lower = lower_of(s);
    const auto levels = structure::choice_levels(s.plan, m.choice->details);
    for (std::size_t b = 0; b < levels.size(); ++b) {
        if (levels[b].empty()) continue;
        const structure::ChoiceLevel& level = levels[b].front();
        for (const auto& set : sets_of(s, m.choice->details.blocks[b], level)) {
            Tied rates;
            Tied coordinates;
            bool of_loop = false;
            for (const std::size_t k : set) {
                const std::uint32_t v = level.state[k];
                const bool of_joint = s.wishes[v].size > 0.0;
                of_loop = of_loop || of_joint;
                if (of_joint) rates.all.push_back(v);
                if (unknown_of[v] < m.state_count) rates.states.push_back(unknown_of[v]);
                if (lower[v] == kNone) continue;
                if (of_joint) coordinates.all.push_back(lower[v]);
                if (unknown_of[lower[v]] < m.state_count) coordinates.states.push_back(unknown_of[lower[v]]);
            }
            if (!of_loop) continue;
            coordinates.rates = result.size();
            result.push_back(std::move(rates));
            result.push_back(std::move(coordinates));
        }
    }
    return result;
}

class Giving {
   public:
    Giving(Mode& mode, Point& point) : mode_(mode), m_(*mode.model), point_(point), tied_(tied_by_loops(m_)) {}

    void give(std::span<const NewValue> given) {
        for (const NewValue& g : given) {
            if (const auto state = only_state(g)) {
                by_one(g, *state);
            } else {
                goals_.push_back({&g, m_.at_events.targets[g.action], g.value});
            }
        }
        if (!goals_.empty()) all_together();
    }

   private:
    /// What shall have which value: what a file says, or the rate of a coordinate that it gives a new value.
    struct Goal {
        const NewValue* given;
        compile::Expr target;
        double value;
    };

    [[nodiscard]] std::optional<std::size_t> set_of(std::size_t state) const {
        for (std::size_t k = 0; k < tied_.size(); ++k) {
            if (std::ranges::find(tied_[k].states, state) != tied_[k].states.end()) return k;
        }
        return std::nullopt;
    }

    /// The state that alone determines a value, whatever the others are.
    [[nodiscard]] std::optional<std::size_t> only_state(const NewValue& g) const {
        const std::array outputs{m_.at_events.targets[g.action]};
        std::vector<bool> wanted(m_.input_size(), false);
        std::fill_n(wanted.begin() + 1, m_.size(), true);
        const auto depends = m_.tape(outputs).dependencies(wanted)[0];
        if (depends.size() != 1 || depends[0] - 1 >= m_.state_count || set_of(depends[0] - 1)) return std::nullopt;
        return depends[0] - 1;
    }

    void by_one(const NewValue& g, std::size_t state) {
        given_.push_back(state);
        using J = expression::Jet<1>;
        const std::array outputs{m_.at_events.targets[g.action]};
        const expression::Tape tape = m_.tape(outputs);
        auto work = tape.make_workspace<J>();
        std::vector<J> in(m_.input_size());
        std::array<J, 1> out;
        for (int iteration = 0; iteration < 50; ++iteration) {
            const auto plain = mode_.evaluator->inputs(point_.time, point_.y, point_.yp);
            std::copy(plain.begin(), plain.end(), in.begin());
            in[1 + state].d[0] = 1.0;
            tape.evaluate<J>(in, out, work);
            const double step = (g.value - out[0].v) / out[0].d[0];
            if (!std::isfinite(step)) break;
            point_.y[state] += step;
            if (std::abs(step) <= 1e-15 * std::abs(point_.y[state])) return;
        }
    }

    void all_together() {
        solve_rates(*mode_.evaluator, point_);
        std::vector<std::size_t> states = states_of_goals();
        refuse_undetermined(slopes(states), states);
        if (states.empty()) return;  // what they follow from has been given: whether they agree is looked at elsewhere
        if (keep_rates()) states = states_of_goals();
        refuse_undetermined(slopes(states), states);
        // In small steps where one leads nowhere: mechanisms then stay as they are assembled.
        const Point from = point_;
        const Eigen::VectorXd first = values(point_);
        for (const int steps : {1, 8, 64}) {
            point_ = from;
            if (step_by_step(states, first, steps)) return;
        }
        if (goals_.size() == states.size())
            refuse(*goals_.front().given,
                   "on the way from the old values to the new ones no states were found that have them");
        // Two values of one name are told apart elsewhere.
        std::vector<std::string> names;
        for (const Goal& g : goals_) names.push_back(g.given->what->name);
        std::ranges::sort(names);
        if (std::ranges::adjacent_find(names) != names.end()) return;
        refuse(*goals_.front().given,
               fmt::format("of {} that are given at once, {} determine the rest; they contradict "
                           "each other",
                           fmt::join(names, ", "), states.size()));
    }

    /// Whether the values were reached.
    bool step_by_step(std::span<const std::size_t> states, const Eigen::VectorXd& first, int steps) {
        try {
            for (int k = 1; k <= steps; ++k) {
                const double share = static_cast<double>(k) / steps;
                if (!approach((1.0 - share) * first + share * wanted(), states)) return false;
            }
            return true;
        } catch (const ModelError&) {  // what follows from such states has no solution
            return false;
        }
    }

    /// Newton's method, down to what no step makes less: whether that is rounding.
    bool approach(const Eigen::VectorXd& goal, std::span<const std::size_t> states) {
        constexpr int kMost = 20;
        constexpr double kReached = 1e-10;
        const auto left = [&] { return Eigen::VectorXd(goal - values(point_)); };
        double last = std::numeric_limits<double>::infinity();
        for (int k = 0; k < kMost; ++k) {
            const Eigen::VectorXd missing = left();
            const double size = missing.norm();
            if (size == 0.0 || !(size < 0.5 * last)) break;
            last = size;
            const Eigen::VectorXd step = scaled_solution(slopes(states), missing);
            for (std::size_t j = 0; j < states.size(); ++j) point_.y[states[j]] += step(static_cast<Eigen::Index>(j));
            solve_rates(*mode_.evaluator, point_);
        }
        return (left().array().abs() <= kReached * values(point_).cwiseAbs().cwiseMax(goal.cwiseAbs()).array()).all();
    }

    [[nodiscard]] Eigen::VectorXd wanted() const {
        Eigen::VectorXd result(static_cast<Eigen::Index>(goals_.size()));
        for (std::size_t k = 0; k < goals_.size(); ++k) result(static_cast<Eigen::Index>(k)) = goals_[k].value;
        return result;
    }

    [[nodiscard]] Eigen::VectorXd values(const Point& p) {
        Eigen::VectorXd result(static_cast<Eigen::Index>(goals_.size()));
        mode_.evaluator->run(tape_, work_, p.time, p.y, p.yp, std::span(result.data(), goals_.size()));
        return result;
    }

    /// Where a file moves coordinates of a loop and says nothing of rates, those of the coordinates that it names stay.
    bool keep_rates() {
        std::vector<bool> moving(tied_.size(), false);  // sets of rates with a new value
        for (const auto& sets : sets_) {
            for (const std::size_t k : sets) moving[k] = true;
        }
        std::vector<Goal> kept;
        for (std::size_t k = 0; k < sets_.size(); ++k) {
            for (const std::size_t set : sets_[k]) {
                if (!tied_[set].rates || moving[*tied_[set].rates]) continue;
                const auto rate = rate_of(*goals_[k].given);
                if (!rate) {
                    refuse(*goals_[k].given,
                           "closed loops leave open which rates it keeps; give rates new values as well, or the "
                           "coordinates of joints");
                }
                const compile::Expr target = m_.in_unknowns(m_.graph().expressions->variable(*rate));
                kept.push_back({goals_[k].given, target, value_of(target)});
            }
        }
        goals_.insert(goals_.end(), kept.begin(), kept.end());
        return !kept.empty();
    }

    [[nodiscard]] std::optional<std::uint32_t> rate_of(const NewValue& g) const {
        const auto& node = (*m_.graph().expressions)[g.what->target.node()];
        if (node.op != expression::Op::variable) return std::nullopt;
        const std::uint32_t rate = m_.reduced->derivative_of[node.a];
        return rate == kNone ? std::nullopt : std::optional(rate);
    }

    [[nodiscard]] double value_of(compile::Expr e) const {
        const std::array outputs{e};
        const expression::Tape tape = m_.tape(outputs);
        auto work = tape.make_workspace<double>();
        std::array<double, 1> value;
        mode_.evaluator->run(tape, work, point_.time, point_.y, point_.yp, value);
        return value[0];
    }

    /// How the values follow states, with all that these determine: by differences, which are exact where it matters
    /// (rates follow rates linearly) and good enough for Newton's method elsewhere.
    [[nodiscard]] Eigen::MatrixXd slopes(std::span<const std::size_t> states) {
        constexpr double kShare = 1e-4;
        constexpr double kNothing = 1e-11;  // of a value: what its own rounding makes of it
        const Eigen::VectorXd here = values(point_);
        Eigen::MatrixXd result(here.size(), static_cast<Eigen::Index>(states.size()));
        for (std::size_t j = 0; j < states.size(); ++j) {
            Point beside = point_;
            const double way = kShare * std::max(std::abs(point_.y[states[j]]), size_of(states[j]));
            beside.y[states[j]] += way;
            solve_rates(*mode_.evaluator, beside);
            Eigen::VectorXd change = values(beside) - here;
            for (Eigen::Index k = 0; k < change.size(); ++k) {
                if (std::abs(change(k)) <= kNothing * std::abs(here(k))) change(k) = 0.0;
            }
            result.col(static_cast<Eigen::Index>(j)) = change / (beside.y[states[j]] - point_.y[states[j]]);
        }
        return result;
    }

    /// A magnitude for a state that may be 0.
    [[nodiscard]] double size_of(std::size_t state) const {
        constexpr double kSmall = 1e-2;
        const double known = m_.reduced ? m_.reduced->wishes[m_.unknowns[state].variable.index()].size : 0.0;
        return known > 0.0 ? known : kSmall;
    }

    /// Whether its rate is a state as well.
    [[nodiscard]] bool is_coordinate(std::size_t state) const {
        if (!m_.reduced) return false;
        const std::uint32_t rate = m_.reduced->derivative_of[m_.unknowns[state].variable.index()];
        return rate != kNone && std::ranges::any_of(m_.unknowns, [&](const compile::Unknown& u) {
                   return u.differential && u.variable.index() == rate;
               });
    }

    /// The states that the values follow from, without coordinates where these have rates, with all that loops tie to
    /// them. Notes which sets each value is of.
    [[nodiscard]] std::vector<std::size_t> states_of_goals() {
        std::vector<compile::Expr> targets;
        for (const Goal& g : goals_) targets.push_back(g.target);
        tape_ = m_.tape(targets);
        work_ = tape_.make_workspace<double>();
        std::vector<std::size_t> every(m_.state_count);
        for (std::size_t j = 0; j < every.size(); ++j) every[j] = j;
        const Eigen::MatrixXd all = slopes(every);
        std::vector<std::size_t> states;
        sets_.assign(goals_.size(), {});
        for (std::size_t k = 0; k < goals_.size(); ++k) {
            std::vector<std::size_t> coordinates;
            std::vector<std::size_t> rates;
            for (const std::size_t j : every) {
                if (all(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(j)) != 0.0)
                    (is_coordinate(j) ? coordinates : rates).push_back(j);
            }
            if (rates.empty() && coordinates.empty()) refuse(*goals_[k].given, "no state determines it");
            for (const std::size_t j : rates.empty() ? coordinates : rates) {
                if (std::ranges::find(given_, j) != given_.end()) continue;
                states.push_back(j);
                const auto set = set_of(j);
                if (!set) continue;
                states.insert(states.end(), tied_[*set].states.begin(), tied_[*set].states.end());
                if (std::ranges::find(sets_[k], *set) == sets_[k].end()) sets_[k].push_back(*set);
            }
        }
        std::ranges::sort(states);
        states.erase(std::unique(states.begin(), states.end()), states.end());
        return states;
    }

    /// By least squares, with rows and columns scaled: too many values may agree all the same.
    [[nodiscard]] static Eigen::VectorXd scaled_solution(const Eigen::MatrixXd& matrix, const Eigen::VectorXd& right) {
        const Eigen::VectorXd rows =
            matrix.cwiseAbs().rowwise().maxCoeff().unaryExpr([](double x) { return x > 0.0 ? x : 1.0; });
        return structure::least_squares(structure::scaled(matrix), right.cwiseQuotient(rows))
            .cwiseQuotient(structure::column_magnitudes(matrix));
    }

    void refuse_undetermined(const Eigen::MatrixXd& matrix, std::span<const std::size_t> states) const {
        constexpr double kRank = 1e-8;
        const Eigen::MatrixXd none(matrix.rows(), 0);
        if (structure::orthogonal_triangular(structure::scaled(matrix), none, kRank).rank == matrix.cols()) return;
        for (const std::size_t j : states) {
            const auto set = set_of(j);
            if (!set || tied_[*set].states.size() == 1) continue;
            const Tied& tied = tied_[*set];
            std::vector<std::string> names;
            for (const std::uint32_t v : tied.all)
                names.push_back(m_.reduced->name(compile::VariableId(std::size_t{v})));
            std::ranges::sort(names);
            refuse(
                *goals_.front().given,
                fmt::format("closed loops leave {0} of {1} free; give {0} of them new values that determine the others",
                            tied.states.size(), fmt::join(names, ", ")));
        }
        refuse(*goals_.front().given, "more than one state determines it, give these new values");
    }

    [[noreturn]] void refuse(const NewValue& g, const std::string& why) const {
        throw SimulationError(Failure{.message = fmt::format("'{}' can't be given a new value: {}", g.what->name, why),
                                      .time = point_.time,
                                      .position = g.what->position});
    }

    Mode& mode_;
    const CompiledModel& m_;
    Point& point_;
    std::vector<Tied> tied_;
    std::vector<std::size_t> given_;  ///< states that have their new values already
    std::vector<Goal> goals_;
    std::vector<std::vector<std::size_t>> sets_;  ///< by goal
    expression::Tape tape_;
    std::vector<double> work_;
};

}  // namespace

void give_new_values(Mode& mode, Point& point, std::span<const NewValue> given) { Giving(mode, point).give(given); }

}  // namespace bondgraph::simulation
