// Systems of equations at the start: Newton, KINSOL, other starting points. Homotopy is in start_homotopy.cpp.

#include "bondgraph/simulation/start_nonlinear.hpp"

#include <kinsol/kinsol.h>
#include <nvector/nvector_serial.h>
#include <sunlinsol/sunlinsol_klu.h>
#include <sunmatrix/sunmatrix_sparse.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bondgraph/simulation/damped_step.hpp"
#include "bondgraph/simulation/interruption.hpp"
#include "bondgraph/simulation/start_factors.hpp"
#include "bondgraph/simulation/sundials.hpp"

namespace bondgraph::simulation {

using Eigen::VectorXd;
using Status = NonlinearResult::Status;

namespace {

constexpr Eigen::Index kDense = 100;       // matrices up to this size are factorized with complete pivoting
constexpr double kSmallestPivot = 1e-12;   // below that, nothing is left of 16 digits worth having
constexpr double kLargestInverse = 1e14;   // the same for sparse factors
constexpr double kResidualGone = 1e-9;     // beside the terms of its row
constexpr double kCorrectionGone = 1e-10;  // beside the unknowns
constexpr double kRoundingOfTerms = 1e-7;
constexpr double kVanished =
    1e-100;  // in any unit: steps towards 0 halve for ever, and nothing is as large beside itself
// What a residual may be in any case, beside the terms of its row: a thousand times what rounding leaves.
constexpr double kViolated = 1e3 * std::numeric_limits<double>::epsilon();
constexpr int kIterations = 200;

Eigen::Map<const VectorXd> as_vector(std::span<const double> x) {
    return {x.data(), static_cast<Eigen::Index>(x.size())};
}

std::vector<double> as_list(const VectorXd& x) { return {x.begin(), x.end()}; }

}  // namespace

/// False where a row or a column is 0.
bool ScaledFactors::bring_to_scale(std::span<const double> entries) {
    const auto n = static_cast<Eigen::Index>(pattern_.rows());
    rows_ = VectorXd::Zero(n);
    columns_ = VectorXd::Zero(n);
    std::size_t e = 0;
    for (Eigen::Index r = 0; r < n; ++r) {
        const auto row = pattern_.row(static_cast<std::size_t>(r));
        for (std::size_t k = 0; k < row.size(); ++k) rows_(r) = std::max(rows_(r), std::abs(entries[e + k]));
        if (rows_(r) > 0.0) {
            for (std::size_t k = 0; k < row.size(); ++k)
                columns_(row[k]) = std::max(columns_(row[k]), std::abs(entries[e + k]) / rows_(r));
        }
        e += row.size();
    }
    return n == 0 || (rows_.minCoeff() > 0.0 && columns_.minCoeff() > 0.0);
}

bool ScaledFactors::factorize(std::span<const double> entries) {
    const auto n = static_cast<Eigen::Index>(pattern_.rows());
    if (!bring_to_scale(entries)) return false;
    if (n == 0) return true;
    if (n <= kDense) {
        Eigen::MatrixXd a = Eigen::MatrixXd::Zero(n, n);
        std::size_t e = 0;
        for (Eigen::Index r = 0; r < n; ++r) {
            for (const std::uint32_t c : pattern_.row(static_cast<std::size_t>(r)))
                a(r, c) += entries[e++] / (rows_(r) * columns_(c));
        }
        dense_.compute(a);
        dense_.setThreshold(kSmallestPivot);
        otherwise_.reset();
        if (dense_.isInvertible()) return true;
        a.setZero();
        e = 0;
        for (Eigen::Index r = 0; r < n; ++r) {
            for (const std::uint32_t c : pattern_.row(static_cast<std::size_t>(r))) a(r, c) += entries[e++];
        }
        otherwise_ = columns_before_rows(a);
        dense_.compute(a);
        return dense_.isInvertible();
    }
    std::vector<double> scaled;
    scaled.reserve(entries.size());
    for (Eigen::Index r = 0; r < n; ++r) {
        for (const std::uint32_t c : pattern_.row(static_cast<std::size_t>(r)))
            scaled.push_back(entries[scaled.size()] / (rows_(r) * columns_(c)));
    }
    constexpr auto kPlain = structure::SparseFactors::Scaling::none;
    if (!sparse_ && order_) sparse_ = std::make_unique<structure::SparseFactors>(order_, kPlain);
    if (!sparse_) sparse_ = std::make_unique<structure::SparseFactors>(pattern_, kPlain);
    return sparse_->factorize(scaled) && far_from_singular();
}

bool ScaledFactors::factorize(std::span<const double> entries, const structure::Incidence& cut,
                              std::span<const double> cut_entries) {
    if (!bring_to_scale(entries)) return false;
    if (!sparse_) sparse_ = std::make_unique<structure::SparseFactors>(cut);
    extended_ = cut.rows();
    return sparse_->factorize(cut_entries) && far_from_singular();
}

bool ScaledFactors::far_from_singular() const {
    VectorXd probe(rows_.size());
    for (Eigen::Index i = 0; i < probe.size(); ++i) probe(i) = std::cos(1.0 + 2.3 * static_cast<double>(i));
    const VectorXd answer = solve(probe.cwiseProduct(rows_)).cwiseProduct(columns_);
    return answer.allFinite() && answer.lpNorm<Eigen::Infinity>() < kLargestInverse;
}

VectorXd ScaledFactors::solve(const VectorXd& right) const {
    if (extended_ > 0) {
        VectorXd whole = VectorXd::Zero(static_cast<Eigen::Index>(extended_));
        whole.head(right.size()) = right;
        sparse_->solve({whole.data(), extended_});
        return whole.head(right.size());
    }
    VectorXd scaled = right.cwiseQuotient(rows_);
    if (otherwise_) return dense_.solve(right.cwiseQuotient(otherwise_->rows)).cwiseQuotient(otherwise_->columns);
    if (rows_.size() <= kDense) return dense_.solve(scaled).cwiseQuotient(columns_);
    sparse_->solve({scaled.data(), static_cast<std::size_t>(scaled.size())});
    return scaled.cwiseQuotient(columns_);
}

namespace {

// The magnitude of each row's terms at x, by its linear part; terms that vanish are judged by what rounding of the
// others leaves.
VectorXd row_magnitudes(const NonlinearSystem& s, const ScaledFactors& lu, std::span<const double> entries,
                        const VectorXd& x) {
    VectorXd scale = 1e-6 * lu.size_of(x) * lu.rows();
    std::size_t e = 0;
    for (std::size_t r = 0; r < s.size(); ++r) {
        for (const std::uint32_t c : s.pattern.row(r))
            scale(static_cast<Eigen::Index>(r)) =
                std::max(scale(static_cast<Eigen::Index>(r)), std::abs(entries[e++] * x(c)));
    }
    return scale;
}

VectorXd relative(const VectorXd& f, const VectorXd& scale) {
    VectorXd result(f.size());
    for (Eigen::Index i = 0; i < f.size(); ++i)
        result(i) = f(i) == 0.0 ? 0.0 : std::abs(f(i)) / std::max(scale(i), std::numeric_limits<double>::min());
    return result;
}

// One point with everything Newton's method wants to know about it.
class NewtonPoint {
   public:
    explicit NewtonPoint(const NonlinearSystem& s)
        : s_(s), factors_(s.pattern), f_(static_cast<Eigen::Index>(s.size())), entries_(s.pattern.columns.size()) {}

    bool residual_at(const VectorXd& x, VectorXd& f) const {
        return s_.residual({x.data(), s_.size()}, {f.data(), s_.size()});
    }

    /// solved stands for "usable" here.
    Status look(const VectorXd& x) {
        if (!residual_at(x, f_)) return Status::not_finite;
        if (!s_.jacobian({x.data(), s_.size()}, entries_)) return Status::not_finite;
        if (!factors_.factorize(entries_)) return Status::singular;
        correction_ = factors_.solve(-f_);
        if (!correction_.allFinite()) return Status::singular;
        const VectorXd next = x + correction_;
        size_ = std::max(factors_.size_of(x), factors_.size_of(next));
        relative_ = relative(f_, row_magnitudes(s_, factors_, entries_, x));
        return Status::solved;
    }

    /// What is left of each residual beside the largest term of its row, as it is computed here: beside what the
    /// linear part makes of the unknowns, and beside what its rounding tells of the terms inside. Of any point at which
    /// look() found values and slopes, singular or not.
    [[nodiscard]] VectorXd violation(const VectorXd& x) const {
        VectorXd scale = row_magnitudes(s_, factors_, entries_, x);
        if (s_.rounding) {
            const std::vector<double> bounds = s_.rounding({x.data(), s_.size()});
            for (Eigen::Index r = 0; r < scale.size(); ++r) {
                const double terms = bounds[static_cast<std::size_t>(r)] / std::numeric_limits<double>::epsilon();
                if (std::isfinite(terms)) scale(r) = std::max(scale(r), terms);
            }
        }
        return relative(f_, scale);
    }

    [[nodiscard]] bool converged() const {
        return relative_.maxCoeff() <= kResidualGone || factors_.size_of(correction_) <= kCorrectionGone * size_;
    }
    /// Whether every residual is gone beside the terms of its row, or beside the rounding of what they are made of: a
    /// diode's Is (exp(u) - 1) near u = 0 is no more exact than Is.
    [[nodiscard]] bool gone_in_rounding(const VectorXd& x) const {
        if (!s_.rounding) return false;
        const std::vector<double> bounds = s_.rounding({x.data(), s_.size()});
        for (std::size_t i = 0; i < bounds.size(); ++i) {
            const auto row = static_cast<Eigen::Index>(i);
            const bool drowned = std::isfinite(bounds[i]) && std::abs(f_(row)) <= bounds[i];
            if (relative_(row) > kResidualGone && !drowned) return false;
        }
        return true;
    }
    /// Where no step brings more, rounding in the terms themselves may be what is left.
    [[nodiscard]] bool at_rounding() const {
        return relative_.maxCoeff() <= kRoundingOfTerms && factors_.size_of(correction_) <= kRoundingOfTerms * size_;
    }
    [[nodiscard]] bool exact() const {
        return f_.isZero(0.0) || relative_.maxCoeff() <= 1e-15 || factors_.size_of(correction_) <= 1e-16 * size_;
    }

    [[nodiscard]] const ScaledFactors& factors() const { return factors_; }
    [[nodiscard]] const VectorXd& f() const { return f_; }
    [[nodiscard]] const VectorXd& correction() const { return correction_; }
    [[nodiscard]] const VectorXd& relative_residual() const { return relative_; }
    [[nodiscard]] double size() const { return size_; }

   private:
    const NonlinearSystem& s_;
    ScaledFactors factors_;
    VectorXd f_;
    std::vector<double> entries_;
    VectorXd correction_;
    VectorXd relative_;
    double size_ = 0.0;
};

bool shortened_step(const NewtonPoint& at, VectorXd& x) {
    const double length = at.factors().size_of(at.correction());
    VectorXd f(x.size());
    const auto contraction = [&](double share) {
        return at.residual_at(x + share * at.correction(), f) ? at.factors().size_of(at.factors().solve(-f)) / length
                                                              : std::numeric_limits<double>::infinity();
    };
    const std::optional<double> share = damped_share(contraction);
    if (share) x += *share * at.correction();
    return share.has_value();
}

}  // namespace

NonlinearResult solve_newton(const NonlinearSystem& s, std::span<const double> start) {
    NonlinearResult result{.method = "Newton"};
    VectorXd x = as_vector(start);
    NewtonPoint at(s);
    bool moving = true;
    for (int iteration = 0; iteration < kIterations; ++iteration) {
        end_if_asked(s.interrupted);
        const Status looked = at.look(x);
        result.x = as_list(x);
        if (looked != Status::solved) {
            result.status = looked;
            const bool zero = at.f().isZero(0.0);
            result.zero_residual = iteration == 0 && zero;
            if (looked == Status::singular) {
                result.residual = as_list(at.violation(x));
            } else {
                result.residual.assign(s.size(), zero ? 0.0 : 1.0);
            }
            return result;
        }
        if (at.exact() || !moving) break;
        moving = shortened_step(at, x);
        if (!moving) break;
        for (double& value : x) {
            if (std::abs(value) < kVanished) value = 0.0;
        }
    }
    x = as_vector(result.x);
    result.residual = as_list(at.violation(x));
    const bool drowned = at.gone_in_rounding(x);
    const bool ended = drowned || at.converged() || (!moving && at.at_rounding());
    const bool holds = drowned || as_vector(result.residual).maxCoeff() <= kViolated;
    result.status = ended && holds ? Status::solved : Status::not_converged;
    return result;
}

NonlinearResult judge(const NonlinearSystem& s, std::span<const double> x) {
    NonlinearResult result{.x = {x.begin(), x.end()}, .residual = std::vector<double>(s.size(), 1.0)};
    NewtonPoint at(s);
    result.status = at.look(as_vector(x));
    if (result.status == Status::not_finite) return result;
    result.residual = as_list(at.violation(as_vector(x)));
    result.status = Status::not_converged;
    return result;
}

NonlinearResult solve_line_search(const NonlinearSystem& s, std::span<const double> start, int most) {
    NonlinearResult result{.x = {start.begin(), start.end()}, .residual = std::vector<double>(s.size(), 1.0)};
    NewtonPoint first(s);
    const VectorXd x0 = as_vector(start);
    result.status = first.look(x0);
    if (result.status != Status::solved) return result;
    struct Call {
        const NonlinearSystem& system;
        const SparseMatrix* matrix;
        std::vector<double> entries;
    };
    const std::size_t n = s.size();
    const Context context;
    const Vector x(n, context);
    const Vector x_scale(n, context);
    const Vector f_scale(n, context);
    std::copy(start.begin(), start.end(), x.data());
    for (std::size_t i = 0; i < n; ++i) {
        const auto k = static_cast<Eigen::Index>(i);
        x_scale.data()[i] = first.factors().columns()(k) / std::max(first.size(), 1e-290);
        f_scale.data()[i] = 1.0 / (first.factors().rows()(k) * std::max(first.size(), 1e-290));
    }
    const SparseMatrix matrix(s.pattern, n, context);
    const LinearSolver solver(SUNLinSol_KLU(x.get(), matrix.get(), context.get()));
    Call call{s, &matrix, std::vector<double>(s.pattern.columns.size())};
    void* memory = KINCreate(context.get());
    const auto residual = [](N_Vector at, N_Vector f, void* self) {
        const auto& system = static_cast<Call*>(self)->system;
        return system.residual({N_VGetArrayPointer(at), system.size()}, {N_VGetArrayPointer(f), system.size()}) ? 0 : 1;
    };
    const auto jacobian = [](N_Vector at, N_Vector, SUNMatrix j, void* self, N_Vector, N_Vector) {
        auto& c = *static_cast<Call*>(self);
        if (c.system.interrupted != nullptr && *c.system.interrupted) return -1;
        if (!c.system.jacobian({N_VGetArrayPointer(at), c.system.size()}, c.entries)) return 1;
        c.matrix->fill(j, c.entries);
        return 0;
    };
    KINInit(memory, residual, x.get());
    KINSetUserData(memory, &call);
    KINSetErrHandlerFn(
        memory, [](int, const char*, const char*, char*, void*) {}, nullptr);
    KINSetInfoHandlerFn(
        memory, [](const char*, const char*, char*, void*) {}, nullptr);
    KINSetLinearSolver(memory, solver.get(), matrix.get());
    KINSetJacFn(memory, jacobian);
    KINSetFuncNormTol(memory, 1e-12);
    KINSetScaledStepTol(memory, 1e-13);
    KINSetNumMaxIters(memory, most);
    KINSetMaxSetupCalls(memory, 1);
    KINSol(memory, x.get(), KIN_LINESEARCH, x_scale.get(), f_scale.get());
    KINFree(&memory);
    end_if_asked(s.interrupted);
    // Whatever KINSOL says of itself, the point is judged as all others are.
    result = solve_newton(s, x.span());
    result.method = "line search";
    return result;
}

std::vector<std::vector<double>> other_starts(const NonlinearSystem& s, std::span<const double> start) {
    struct Distance {
        double factor;
        bool upward;  ///< roots and logarithms have values on one side only
    };
    constexpr std::array kDistances{Distance{0.1, false}, Distance{1.0, true},   Distance{1.0, false},
                                    Distance{10.0, true}, Distance{10.0, false}, Distance{1e3, true}};
    std::vector<std::vector<double>> result;
    for (std::size_t d = 0; d < kDistances.size(); ++d) {
        std::vector<double> x(start.begin(), start.end());
        for (std::size_t j = 0; j < x.size(); ++j) {
            const double typical = !s.typical.empty() && s.typical[j] > 0.0 ? s.typical[j] : 0.0;
            double size = std::max(typical, std::abs(x[j]));
            if (size == 0.0) size = 1.0;
            double away = std::cos(1.0 + 3.7 * static_cast<double>(j + x.size() * (d + 1)));
            if (kDistances[d].upward) away = 1.0 + 0.5 * away;
            x[j] += kDistances[d].factor * size * away;
        }
        result.push_back(std::move(x));
    }
    return result;
}

namespace {

// Points at which the system has values, where `start` has none: every unknown takes a magnitude of its own, since an
// overflow is often avoided by a few of them only (the drop of a resistor before a diode).
std::vector<std::vector<double>> finite_points(const NonlinearSystem& s, std::span<const double> start) {
    constexpr int kTries = 300;
    constexpr std::size_t kWanted = 4;
    constexpr std::array kAway{0.0, 0.0, 0.1, -0.1, 1.0, -1.0, 10.0, -10.0, 100.0, -100.0, 1e3, -1e3};
    std::vector<std::vector<double>> result;
    std::vector<double> f(s.size());
    std::uint32_t seed = 1;
    for (int k = 0; k < kTries && result.size() < kWanted; ++k) {
        std::vector<double> x(start.begin(), start.end());
        for (std::size_t j = 0; j < x.size(); ++j) {
            seed = seed * 1664525U + 1013904223U;  // Numerical Recipes' generator: the same points every time
            const double typical = !s.typical.empty() && s.typical[j] > 0.0 ? s.typical[j] : 1.0;
            x[j] += kAway[(seed >> 16U) % kAway.size()] * typical;
        }
        if (s.residual(x, f)) result.push_back(std::move(x));
    }
    return result;
}

}  // namespace

NonlinearResult solve_by_all_means(const NonlinearSystem& s, std::span<const double> start) {
    const NonlinearResult first = solve_newton(s, start);
    if (first.solved() || first.zero_residual) return first;
    NonlinearResult best = first;
    // Of points that are no solution the one where the worst residual is least.
    const auto worst = [](const NonlinearResult& r) { return as_vector(r.residual).maxCoeff(); };
    const auto better = [&](NonlinearResult r, const char* method) {
        if (r.solved()) {
            best = std::move(r);
            best.method = method;
        } else if (r.status != Status::not_finite && (best.status == Status::not_finite || worst(r) < worst(best))) {
            best = std::move(r);
        }
        return best.solved();
    };
    if (better(solve_line_search(s, start), "line search")) return best;
    auto others = other_starts(s, start);
    if (first.status == Status::not_finite) {
        for (auto& x : finite_points(s, start)) others.push_back(std::move(x));
    }
    for (const auto& x : others) {
        end_if_asked(s.interrupted);
        if (better(solve_newton(s, x), "another start")) return best;
    }
    for (const Homotopy kind : {Homotopy::newton, Homotopy::fixed_point}) {
        if (better(solve_homotopy(s, start, kind), "homotopy")) return best;
        for (const auto& x : others) {
            if (better(solve_homotopy(s, x, kind), "homotopy")) return best;
        }
    }
    if (best.status == Status::not_finite) return best;
    // Beside terms that have grown any residual looks small: the sum of squares tells what is nearest.
    NonlinearResult last = solve_least_squares(s, best.x);
    last.method = "least squares";
    if (best.status == Status::singular && !last.solved() && worst(last) <= kResidualGone)
        last.status = Status::singular;
    return last;
}

}  // namespace bondgraph::simulation
