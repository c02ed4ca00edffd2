#include "bondgraph/simulation/rate_block.hpp"

#include <algorithm>

namespace bondgraph::simulation {

using expression::Tangents;

RateBlock::RateBlock(Evaluator& evaluator) : ev_(evaluator) {
    const auto& m = ev_.model();
    const auto n = static_cast<std::uint32_t>(m.size());
    std::vector<bool> rates(m.input_size(), false);
    std::fill_n(rates.begin() + 1 + n, m.state_count, true);
    const auto needed = m.residual.dependencies(rates);
    for (std::uint32_t row = 0; row < m.state_count; ++row) {
        const std::uint32_t own = 1 + n + row;
        if (needed[row] != std::vector<std::uint32_t>{own}) rows_.push_back(row);
    }
    if (!useful()) return;
    std::vector<Tangents::Seed> seeds;
    for (const std::uint32_t row : rows_) seeds.push_back({1 + n + row, static_cast<std::uint32_t>(seeds.size())});
    tangents_.emplace_back(m.residual, std::move(seeds));
    speeds_.assign(rows_.size(), 1.0);
    const auto size = static_cast<Eigen::Index>(rows_.size());
    matrix_.resize(size, size);
}

bool RateBlock::factor(double time, std::span<const double> y, std::span<const double> yp) {
    Tangents& tangents = tangents_.front();
    tangents.evaluate(ev_.inputs(time, y, yp), speeds_);
    for (std::size_t i = 0; i < rows_.size(); ++i) tangents.slopes(rows_[i], matrix_.data() + i * rows_.size());
    if (!matrix_.allFinite()) return false;
    // The mass matrix of a tree of joints is symmetric and positive definite, with half the work.
    const double asymmetry = (matrix_ - matrix_.transpose()).cwiseAbs().maxCoeff();
    definite_ = asymmetry <= 1e-10 * matrix_.diagonal().cwiseAbs().maxCoeff();
    if (definite_) {
        sign_ = matrix_(0, 0) > 0.0 ? 1.0 : -1.0;
        cholesky_.compute(sign_ * matrix_);
        definite_ = cholesky_.info() == Eigen::Success;
    }
    if (definite_) return true;
    lu_.compute(matrix_.transpose());
    return lu_.matrixLU().diagonal().cwiseAbs().minCoeff() > 0.0;
}

void RateBlock::divide(Eigen::MatrixXd& right) const {
    if (definite_) {
        cholesky_.solveInPlace(right);
        right *= sign_;
    } else {
        right = lu_.solve(right).eval();
    }
}

bool RateBlock::residual(double time, std::span<const double> y, std::span<const double> yp, std::span<double> out) {
    if (!factor(time, y, yp)) return false;
    double sum = 0.0;
    for (std::size_t row = 0; row < out.size(); ++row) {
        out[row] = tangents_.front().value(row);
        sum += out[row] * 0.0;
    }
    part_.resize(static_cast<Eigen::Index>(rows_.size()), 1);
    for (std::size_t i = 0; i < rows_.size(); ++i) part_(static_cast<Eigen::Index>(i), 0) = out[rows_[i]];
    divide(part_);
    for (std::size_t i = 0; i < rows_.size(); ++i) out[rows_[i]] = part_(static_cast<Eigen::Index>(i), 0);
    return sum == 0.0 && part_.allFinite();
}

bool RateBlock::solve(double time, std::span<const double> y, std::span<const double> yp, std::span<double> jacobian) {
    if (!factor(time, y, yp)) return false;
    const auto n = static_cast<Eigen::Index>(ev_.size());
    Eigen::Map<Eigen::MatrixXd> all(jacobian.data(), n, n);
    part_.resize(static_cast<Eigen::Index>(rows_.size()), n);
    for (std::size_t i = 0; i < rows_.size(); ++i) part_.row(static_cast<Eigen::Index>(i)) = all.row(rows_[i]);
    divide(part_);
    for (std::size_t i = 0; i < rows_.size(); ++i) all.row(rows_[i]) = part_.row(static_cast<Eigen::Index>(i));
    return part_.allFinite();
}

}  // namespace bondgraph::simulation
