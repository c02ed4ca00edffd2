#pragma once

#include <Eigen/Dense>

#include "bondgraph/simulation/evaluator.hpp"

namespace bondgraph::simulation {

/// The rows of F in which several rates stand together, solved for these rates: for a mechanism, the inverse dynamics
/// divided by the mass matrix of the point itself.
///
/// Newton's iteration with a Jacobian from earlier steps converges as fast as that Jacobian resembles the present one.
/// In F = M(y) y' + h(y) the mass matrix stands before y', which BDF multiplies by 1/step: its change since then
/// counts in full however short the step is, magnified by the condition of M. In M⁻¹F what stands before y' is always
/// the identity, and what has changed is of the order of the step (Hairer, Wanner: Solving Ordinary Differential
/// Equations II, 2nd ed., section IV.8 on M u' = φ(u)).
class RateBlock {
   public:
    explicit RateBlock(Evaluator& evaluator);

    /// Whether there is something to solve and few enough rates for a full matrix.
    [[nodiscard]] bool useful() const { return rows_.size() > 1 && rows_.size() <= kMost; }
    /// F with the block's rows solved; factors the matrix of the point for solve(). False when an entry isn't finite
    /// or the matrix is singular.
    bool residual(double time, std::span<const double> y, std::span<const double> yp, std::span<double> out);
    /// The same for the columns of a full Jacobian (column-major) at the same point.
    bool solve(double time, std::span<const double> y, std::span<const double> yp, std::span<double> jacobian);

   private:
    static constexpr std::size_t kMost = 150;

    bool factor(double time, std::span<const double> y, std::span<const double> yp);
    void divide(Eigen::MatrixXd& right) const;

    Evaluator& ev_;
    std::vector<std::uint32_t> rows_;  ///< of F; as many columns of y'
    std::vector<expression::Tangents> tangents_;
    std::vector<double> speeds_;
    Eigen::MatrixXd matrix_;  ///< transposed: its columns are rows of F
    double sign_ = 1.0;       ///< what makes the matrix positive definite
    bool definite_ = false;
    Eigen::LLT<Eigen::MatrixXd> cholesky_;
    Eigen::PartialPivLU<Eigen::MatrixXd> lu_;
    Eigen::MatrixXd part_;
};

}  // namespace bondgraph::simulation
