// The point at which equations are violated least, where they have no common solution.

#include <Eigen/Cholesky>
#include <cmath>

#include "bondgraph/simulation/start_factors.hpp"
#include "bondgraph/simulation/start_nonlinear.hpp"

namespace bondgraph::simulation {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

constexpr std::size_t kLargest = 100;
constexpr int kSteps = 200;
constexpr double kGone = 1e-12;  // a step beside the unknowns
constexpr double kMostDamping = 1e16;

class Descent {
   public:
    Descent(const NonlinearSystem& s, std::span<const double> start)
        : s_(s),
          x_(Eigen::Map<const VectorXd>(start.data(), static_cast<Eigen::Index>(start.size()))),
          f_(x_.size()),
          jacobian_(x_.size(), x_.size()),
          entries_(s.pattern.columns.size()) {}

    /// False where the start has no finite value.
    bool run() {
        if (!residual(x_, f_) || !linearize()) return false;
        ScaledFactors scales(s_.pattern);
        scales.factorize(entries_);
        rows_ = scales.rows().unaryExpr([](double r) { return r > 0.0 ? 1.0 / r : 1.0; });
        double damping = 1e-3;
        for (int k = 0; k < kSteps && damping < kMostDamping; ++k) {
            const MatrixXd a = rows_.asDiagonal() * jacobian_;
            const MatrixXd normal = a.transpose() * a;
            const VectorXd downhill = a.transpose() * rows_.cwiseProduct(f_);
            MatrixXd damped = normal;
            damped.diagonal() += damping * normal.diagonal().cwiseMax(1e-12 * normal.diagonal().maxCoeff());
            const VectorXd step = damped.ldlt().solve(-downhill);
            VectorXd f(f_.size());
            const VectorXd next = x_ + step;
            if (!step.allFinite() || !residual(next, f) || !(size(f) < size(f_))) {
                damping *= 4.0;
                continue;
            }
            const VectorXd before = x_;
            x_ = next;
            f_ = f;
            if (!linearize()) {
                x_ = before;
                return true;
            }
            if (step.norm() <= kGone * x_.norm()) return true;
            damping *= 0.25;
        }
        return true;
    }

    [[nodiscard]] const VectorXd& x() const { return x_; }

   private:
    [[nodiscard]] double size(const VectorXd& f) const { return rows_.cwiseProduct(f).norm(); }

    bool residual(const VectorXd& x, VectorXd& f) const {
        return s_.residual({x.data(), s_.size()}, {f.data(), s_.size()}) && f.allFinite();
    }

    bool linearize() {
        if (!s_.jacobian({x_.data(), s_.size()}, entries_)) return false;
        jacobian_.setZero();
        std::size_t e = 0;
        for (std::size_t r = 0; r < s_.size(); ++r) {
            for (const std::uint32_t c : s_.pattern.row(r)) jacobian_(static_cast<Eigen::Index>(r), c) = entries_[e++];
        }
        return jacobian_.allFinite();
    }

    const NonlinearSystem& s_;
    VectorXd x_;
    VectorXd f_;
    VectorXd rows_;
    MatrixXd jacobian_;
    std::vector<double> entries_;
};

}  // namespace

NonlinearResult solve_least_squares(const NonlinearSystem& s, std::span<const double> start) {
    const NonlinearResult here = judge(s, start);
    if (s.size() > kLargest) return here;
    Descent descent(s, start);
    if (!descent.run()) return here;
    const std::span<const double> x(descent.x().data(), s.size());
    // Least squares stop where the matrix is singular as well: a solution is what Newton's method makes of it.
    const NonlinearResult end = solve_newton(s, x);
    if (end.solved()) return end;
    return judge(s, x);
}

}  // namespace bondgraph::simulation
