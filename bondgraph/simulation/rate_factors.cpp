#include "bondgraph/simulation/rate_factors.hpp"

#include <algorithm>

namespace bondgraph::simulation {

using Eigen::VectorXd;

VectorXd EarlierSolutions::solve(const ScaledFactors& lu, const VectorXd& right) {
    constexpr std::size_t kMost = 8;
    constexpr double kNoise = 1e-9;  // of the largest right side: too much of such a small one is rounding
    constexpr double kGone = 1e-9;   // of this right side: mostly rounding, and if not, the residual will show it
    VectorXd left = right.cwiseQuotient(lu.rows());
    const double size = left.norm();
    largest_ = std::max(largest_, size);
    if (!(size > kNoise * largest_)) return lu.solve(right);
    VectorXd solution = VectorXd::Zero(right.size());
    for (const Pair& pair : pairs_) {
        const double part = pair.right.dot(left);
        left -= part * pair.right;
        solution += part * pair.solution;
    }
    const double rest = left.norm();
    if (rest <= kGone * size) return solution;
    left /= rest;
    VectorXd of_left = lu.solve(left.cwiseProduct(lu.rows()));
    solution += rest * of_left;
    if (pairs_.size() == kMost) pairs_.clear();
    if (rest > kNoise * largest_) pairs_.push_back({std::move(left), std::move(of_left)});
    return solution;
}

}  // namespace bondgraph::simulation
