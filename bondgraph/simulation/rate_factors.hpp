#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "bondgraph/simulation/start_factors.hpp"

namespace bondgraph::simulation {

/// Solutions of one linear system for right sides that came up before. Where time alone changes right sides, as in a
/// network of resistors, they are combinations of a few: as many as there are different functions of time. A new one
/// then costs a few sums instead of a pass through the factors.
class EarlierSolutions {
   public:
    /// The solution for a right side by its parts along earlier ones, and by the factors for what is left.
    [[nodiscard]] Eigen::VectorXd solve(const ScaledFactors& lu, const Eigen::VectorXd& right);

   private:
    struct Pair {
        Eigen::VectorXd right;  ///< beside the magnitudes of the rows; all of them orthonormal
        Eigen::VectorXd solution;
    };
    std::vector<Pair> pairs_;
    double largest_ = 0.0;  ///< right side that was seen
};

/// A factorized Jacobian by rates and algebraic unknowns. Beside the point it is of, Newton's steps with it converge as
/// well: it is kept from one solve_rates() to the next.
struct RateFactors {
    RateFactors(const structure::Incidence& pattern, std::shared_ptr<const structure::SparseOrder> order)
        : lu(pattern, std::move(order)) {}

    ScaledFactors lu;
    std::vector<double> entries;       ///< of the Jacobian
    std::vector<double> held;          ///< the held values it is of
    mutable EarlierSolutions earlier;  ///< by these factors, as they come up
};

}  // namespace bondgraph::simulation
