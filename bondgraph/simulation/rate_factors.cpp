#include "bondgraph/simulation/rate_factors.hpp"

#include <algorithm>
#include <cmath>

namespace bondgraph::simulation {

namespace {

constexpr double kSmallest = 1e-12;  // ratio of pivots below which nothing is left worth having
constexpr Eigen::Index kLargestFull = 100;

}  // namespace

std::shared_ptr<RateFactors> RateFactors::of(Eigen::SparseMatrix<double> matrix) {
    auto factors = std::make_shared<RateFactors>();
    factors->matrix_ = std::move(matrix);
    if (!factors->scale()) return nullptr;
    if (factors->matrix_.rows() > kLargestFull) {
        factors->sparse_.compute(factors->matrix_);
        return factors->sparse_.info() == Eigen::Success ? factors : nullptr;
    }
    factors->dense_.setThreshold(kSmallest);
    factors->dense_.compute(Eigen::MatrixXd(factors->matrix_));
    return factors->dense_.isInvertible() ? factors : nullptr;
}

// In place: a product of three factors copies a diagonal for every column.
bool RateFactors::scale() {
    using Entry = Eigen::SparseMatrix<double>::InnerIterator;
    rows_ = Eigen::VectorXd::Zero(matrix_.rows());
    columns_ = Eigen::VectorXd::Zero(matrix_.cols());
    for (Eigen::Index c = 0; c < matrix_.cols(); ++c) {
        for (Entry it(matrix_, c); it; ++it) rows_(it.row()) = std::max(rows_(it.row()), std::abs(it.value()));
    }
    for (Eigen::Index c = 0; c < matrix_.cols(); ++c) {
        for (Entry it(matrix_, c); it; ++it) {
            if (rows_(it.row()) > 0) columns_(c) = std::max(columns_(c), std::abs(it.value()) / rows_(it.row()));
        }
    }
    if (rows_.minCoeff() == 0.0 || columns_.minCoeff() == 0.0) return false;
    for (Eigen::Index c = 0; c < matrix_.cols(); ++c) {
        for (Entry it(matrix_, c); it; ++it) it.valueRef() /= rows_(it.row()) * columns_(c);
    }
    return true;
}

std::optional<Eigen::VectorXd> RateFactors::solve(const Eigen::VectorXd& right) const {
    if (dense_.rows() > 0) return Eigen::VectorXd(dense_.solve(right));
    Eigen::VectorXd step = sparse_.solve(right);
    if (!step.allFinite()) return std::nullopt;
    const double left = (matrix_ * step - right).lpNorm<Eigen::Infinity>();
    if (left > 1e-6 * (right.lpNorm<Eigen::Infinity>() + step.lpNorm<Eigen::Infinity>() * kSmallest))
        return std::nullopt;
    return step;
}

}  // namespace bondgraph::simulation
