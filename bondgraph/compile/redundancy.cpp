#include "bondgraph/compile/redundancy.hpp"

#include <algorithm>
#include <cmath>
#include <random>

#include "bondgraph/compile/input_leaves.hpp"
#include "bondgraph/compile/start_steps.hpp"
#include "bondgraph/structure/dense.hpp"
#include "bondgraph/structure/least_change.hpp"

namespace bondgraph::compile {

namespace {

constexpr int kNeighbours = 4;
constexpr double kBesidePoint = 0.01;  // of the magnitude of what is moved; a share like it is left of a singular row
constexpr double kInTime = 1e-6;       // of the time, or of a second
constexpr double kNothing = 1e-6;      // of a column: far above what is left of it where the constraints hold to 1e-9
constexpr double kAccurate = 1e-9;     // what the constraints hold to, beside their terms

std::uint32_t highest(const ReducedSystem& s, std::uint32_t equation) {
    while (s.plan.equation_derivative[equation] != kNone) equation = s.plan.equation_derivative[equation];
    return equation;
}

/// Whether what makes constraints redundant depends on the point at all.
bool varies(const ReducedSystem& s, const structure::DummyChoice& choice) {
    const Coefficients& c = s.coefficients;
    for (const auto& redundant : choice.redundant) {
        for (const auto& [equation, weight] : redundant.combination) {
            const std::uint32_t row = c.row_of[highest(s, equation)];
            if (row == kNone) continue;
            for (std::size_t k = c.pattern.starts[row]; k < c.pattern.starts[row + 1]; ++k) {
                if (std::isnan(c.constant[k])) return true;
            }
        }
    }
    return false;
}

/// The undifferentiated constraints.
std::vector<std::uint32_t> constraints(const ReducedSystem& s) {
    std::vector<std::uint32_t> result;
    for (std::uint32_t r = 0; r < s.plan.differentiations.size(); ++r) {
        if (s.plan.differentiations[r] > 0 && !s.equations[r].residual.is_literal()) result.push_back(r);
    }
    return result;
}

bool closes_a_loop(const ReducedSystem& s, std::uint32_t equation) {
    return s.loops && s.graph().elements[s.equations[equation].element.index()].type->holds_positions;
}

std::vector<Expr> residuals_of(const ReducedSystem& s, std::span<const std::uint32_t> equations) {
    std::vector<Expr> result;
    for (const std::uint32_t r : equations) result.push_back(s.equations[r].residual);
    return result;
}

PointTape tape_of(const ReducedSystem& s, const std::vector<Expr>& residuals) {
    return {*s.graph().expressions, s.variable_count(),
            input_leaf_count(*s.graph().expressions, residuals, s.inputs.size()), s.events ? s.events->held_count : 0,
            residuals};
}

/// By variable, how far it has to be moved for the constraints to notice: the size of their terms over their slopes, or
/// where these vanish the largest variable in them.
std::vector<double> magnitudes(const PointTape& tape, const ChoicePoint& at) {
    const std::vector<double> entries = tape.jacobian(at.values, at.time, at.held);
    const std::vector<double> rounding = tape.rounding(at.values, at.time, at.held);
    std::vector<double> terms(at.values.size(), 0.0);
    std::vector<double> slopes(at.values.size(), 0.0);
    std::vector<double> beside(at.values.size(), 0.0);
    const structure::Incidence& pattern = tape.pattern();
    for (std::size_t r = 0; r < pattern.rows(); ++r) {
        double largest = 0.0;
        for (const std::uint32_t v : pattern.row(r)) largest = std::max(largest, std::abs(at.values[v]));
        for (std::size_t k = pattern.starts[r]; k < pattern.starts[r + 1]; ++k) {
            const std::uint32_t v = pattern.columns[k];
            beside[v] = std::max(beside[v], largest);
            if (std::isfinite(rounding[r]))
                terms[v] = std::max(terms[v], rounding[r] / std::numeric_limits<double>::epsilon());
            slopes[v] = std::max(slopes[v], std::abs(entries[k]));
        }
    }
    for (std::size_t v = 0; v < terms.size(); ++v)
        terms[v] = slopes[v] > 0.0 ? std::max(terms[v] / slopes[v], std::abs(at.values[v])) : beside[v];
    return terms;
}

/// Configurations beside a point that the constraints admit.
class Neighbours {
   public:
    Neighbours(const ReducedSystem& s, const ChoicePoint& at)
        : at_(at),
          tape_(tape_of(s, residuals_of(s, constraints(s)))),
          moving_(tape_.pattern().columns),
          by_(magnitudes(tape_, at)) {
        // What coefficients depend on moves, too, where no constraint says how: the heading of a wheel that rolls.
        const auto& read = s.coefficients.tape->pattern().columns;
        moving_.insert(moving_.end(), read.begin(), read.end());
        std::ranges::sort(moving_);
        moving_.erase(std::unique(moving_.begin(), moving_.end()), moving_.end());
        for (const std::uint32_t equation : constraints(s)) of_loops_.push_back(closes_a_loop(s, equation));
        if (!s.loops) return;
        // A mechanism drawn with all coordinates at 0 has terms that vanish, but an angle says itself what is far.
        for (const ClosedLoops::Coordinate& c : s.loops->position) {
            if (c.number) by_[c.variable] = std::max(by_[c.variable], 1.0);
            coordinates_.push_back(c.variable);
        }
    }

    /// Whether one of them is as asked. What is off the constraints by so much of their terms may be off by its root
    /// where gradients depend on each other.
    using Asked = std::function<bool(const ChoicePoint& at, double off)>;
    bool any(const Asked& as_asked) const {
        return any(as_asked, [&](StartPoint& point) {
            const structure::ScaledRows end = approach(tape_, point, {});
            if (!end.finite || end.violation > kAccurate || far(point)) return -1.0;
            return std::sqrt(end.violation);
        });
    }

    /// The same of configurations that they, but for one of them, admit to first order only.
    bool any_nearly(std::size_t but_for, const Asked& as_asked) const {
        return any(
            as_asked, [](const StartPoint&) { return 0.0; }, but_for);
    }

    /// Whether the gradient of a condition of a closed loop, by its number among all constraints, is none of the
    /// others' there, all of them in the loops' coordinates. True of other constraints.
    bool stands_alone(std::size_t constraint, const ChoicePoint& there) const {
        constexpr double kOwn = 0.1;    // of its length: what depends on the others there is by less beside them
        constexpr double kRank = 1e-6;  // of gradients of length 1
        if (!of_loops_[constraint]) return true;
        const structure::Incidence& pattern = tape_.pattern();
        const std::vector<double> entries = tape_.jacobian(there.values, there.time, there.held);
        Eigen::MatrixXd gradients = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(coordinates_.size()),
                                                          static_cast<Eigen::Index>(pattern.rows()));
        for (std::size_t r = 0; r < pattern.rows(); ++r) {
            if (!of_loops_[r]) continue;
            for (std::size_t k = pattern.starts[r]; k < pattern.starts[r + 1]; ++k) {
                const auto c = std::ranges::find(coordinates_, pattern.columns[k]);
                if (c != coordinates_.end())
                    gradients(c - coordinates_.begin(), static_cast<Eigen::Index>(r)) = entries[k] * by_[*c];
            }
        }
        for (auto gradient : gradients.colwise()) gradient.normalize();
        const auto at = static_cast<Eigen::Index>(constraint);
        const Eigen::MatrixXd own = gradients.col(at);
        gradients.col(at).setZero();
        const auto others = structure::orthogonal_triangular(gradients, own, kRank);
        return others.Q_transposed.bottomRows(own.rows() - others.rank).norm() > kOwn;
    }

   private:
    /// `settle` says how far off a configuration is then, or something negative where it doesn't count.
    template <class Settle>
    bool any(const Asked& as_asked, const Settle& settle, std::size_t but_for = kNone) const {
        std::minstd_rand random(1);  // the same for every run
        std::uniform_real_distribution<double> part(-kBesidePoint, kBesidePoint);
        StartPoint point = start_at(at_);
        PointJacobian jacobian(tape_);
        const structure::ScaledRows here = linearize(jacobian, point, {});
        for (int k = 1; k <= kNeighbours; ++k) {
            point.x = at_.values;
            point.time = at_.time + k * kInTime * std::max(1.0, std::abs(at_.time));
            for (const std::uint32_t v : moving_) point.x[v] += part(random) * by_[v];
            keep_admitted(here, but_for, point);
            const double off = settle(point);
            if (off >= 0.0 && as_asked({point.x, point.time, point.held}, off)) return true;
        }
        return false;
    }

    static StartPoint start_at(const ChoicePoint& at) {
        const std::vector<std::uint8_t> reluctance(at.values.size(), 0);
        const std::vector<std::uint32_t> column_depth(at.values.size(), 0);
        return {at.values, at.time, at.held, reluctance, column_depth};
    }

    /// Of a move, only what the constraints admit to first order. From elsewhere the way back may be long: where
    /// constraints depend on each other they tell next to nothing of it, and it may end in a position of another kind
    /// (with an axis turned over).
    void keep_admitted(const structure::ScaledRows& here, std::size_t but_for, StartPoint& point) const {
        if (!here.finite) return;
        Eigen::SparseMatrix<double> matrix = here.matrix;
        matrix.prune([&](Eigen::Index row, Eigen::Index, double) { return static_cast<std::size_t>(row) != but_for; });
        Eigen::VectorXd move(matrix.cols());
        for (Eigen::Index c = 0; c < matrix.cols(); ++c) {
            const std::uint32_t v = here.columns[static_cast<std::size_t>(c)];
            if (by_[v] > 0.0) matrix.col(c) *= by_[v];
            move[c] = by_[v] > 0.0 ? (point.x[v] - at_.values[v]) / by_[v] : 0.0;
        }
        const std::vector<std::uint8_t> reluctance(here.columns.size(), 0);
        move -= structure::least_change(matrix, matrix * move, reluctance);
        for (Eigen::Index c = 0; c < matrix.cols(); ++c) {
            const std::uint32_t v = here.columns[static_cast<std::size_t>(c)];
            if (by_[v] > 0.0) point.x[v] = at_.values[v] + by_[v] * move[c];
        }
    }

    /// Whether the way back has led a mechanism elsewhere. Its coordinates tell: what follows from them may be 0 at the
    /// point, and then anything is far.
    bool far(const StartPoint& point) const {
        constexpr double kFar = 20.0 * kBesidePoint;
        return std::ranges::any_of(coordinates_, [&](std::uint32_t v) {
            return std::abs(point.x[v] - at_.values[v]) > kFar * std::max(by_[v], std::abs(at_.values[v]));
        });
    }

    const ChoicePoint& at_;
    PointTape tape_;
    std::vector<std::uint32_t> moving_;
    std::vector<double> by_;
    std::vector<std::uint32_t> coordinates_;  ///< of closed loops
    std::vector<bool> of_loops_;              ///< by constraint
};

/// By row of the coefficients, its largest entry beside the largest in the same column.
std::vector<double> shares(const ReducedSystem& s, const ChoicePoint& at) {
    const structure::Incidence& pattern = s.coefficients.pattern;
    const std::vector<double> entries = coefficients_at(s, at);
    std::vector<double> largest(s.variable_count(), 0.0);
    for (std::size_t k = 0; k < entries.size(); ++k)
        largest[pattern.columns[k]] = std::max(largest[pattern.columns[k]], std::abs(entries[k]));
    std::vector<double> result(pattern.rows(), 0.0);
    for (std::size_t r = 0; r < pattern.rows(); ++r) {
        for (std::size_t k = pattern.starts[r]; k < pattern.starts[r + 1]; ++k) {
            if (entries[k] != 0.0) result[r] = std::max(result[r], std::abs(entries[k]) / largest[pattern.columns[k]]);
        }
    }
    return result;
}

}  // namespace

bool singular_here(const ReducedSystem& s, const structure::DummyChoice& choice, const ChoicePoint& at,
                   const RedundantAt& redundant) {
    if (choice.redundant.empty() || !s.coefficients.tape || !varies(s, choice)) return false;
    return Neighbours(s, at).any([&](const ChoicePoint& beside, double off) {
        return redundant(beside, std::max(kNothing, 10.0 * off)) < choice.redundant.size();
    });
}

const std::vector<ChoicePoint>& Surroundings::points() {
    if (!points_.empty()) return points_;
    points_.push_back(at_);
    if (!s_.coefficients.tape) return points_;
    Neighbours(s_, at_).any([&](const ChoicePoint& beside, double) {
        points_.push_back(beside);
        return false;
    });
    return points_;
}

std::optional<std::uint32_t> vanishing_here(const ReducedSystem& s, const ChoicePoint& at) {
    constexpr double kGone = 1e-6;  // of the largest entry of a column
    constexpr double kThere =
        0.01 * kBesidePoint;  // what is more than that beside the point was not small for its units
    if (!s.coefficients.tape) return std::nullopt;
    const std::vector<double> here = shares(s, at);
    std::optional<Neighbours> neighbours;
    const std::vector<std::uint32_t> all = constraints(s);
    for (std::size_t k = 0; k < all.size(); ++k) {
        const std::uint32_t equation = all[k];
        const std::uint32_t row = s.coefficients.row_of[highest(s, equation)];
        if (row == kNone || !(here[row] < kGone)) continue;
        if (!neighbours) neighbours.emplace(s, at);
        const auto says_something = [&](const ChoicePoint& beside, double off) {
            return shares(s, beside)[row] > std::max(kThere, 30.0 * off) && neighbours->stands_alone(k, beside);
        };
        if (neighbours->any(says_something)) return equation;
        // Bars in line between fixed points: nothing moves that would show it, and yet no force across them is borne.
        // They yield to first order, and the condition says no to second.
        if (closes_a_loop(s, equation) && neighbours->any_nearly(k, says_something)) return equation;
    }
    return std::nullopt;
}

std::vector<double> contributions(const ReducedSystem& s, const structure::DummyChoice& choice, const ChoicePoint& at) {
    std::vector<std::uint32_t> equations;
    for (const auto& redundant : choice.redundant) equations.push_back(redundant.equation);
    return tape_of(s, residuals_of(s, equations)).contributions(at.values, at.time, at.held);
}

}  // namespace bondgraph::compile
