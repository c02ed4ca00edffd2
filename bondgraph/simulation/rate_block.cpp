#include "bondgraph/simulation/rate_block.hpp"

#include <algorithm>

namespace bondgraph::simulation {

using expression::Tangents;

namespace {

/// Up to here a full matrix costs less (docs/performance.md).
constexpr std::size_t kMostRates = 30;

/// Where among a tape's inputs what a row is solved for stands.
std::uint32_t input_of(const compile::CompiledModel& m, std::uint32_t row) {
    const auto n = static_cast<std::uint32_t>(m.size());
    return row < m.state_count ? 1 + n + row : 1 + row;
}

template <class Seed>
std::vector<Seed> seeds_of(const compile::CompiledModel& m, std::span<const std::uint32_t> rows) {
    std::vector<Seed> seeds;
    for (const std::uint32_t row : rows) seeds.push_back({input_of(m, row), static_cast<std::uint32_t>(seeds.size())});
    return seeds;
}

}  // namespace

std::vector<std::uint32_t> rows_of_rates_together(const compile::CompiledModel& m, bool with_forces) {
    const auto n = static_cast<std::uint32_t>(m.size());
    std::vector<bool> inputs(m.input_size(), false);
    for (std::uint32_t row = 0; row < n; ++row) inputs[input_of(m, row)] = true;
    const auto needed = m.residual.dependencies(inputs);
    std::vector<std::uint32_t> rows;
    bool together = with_forces;
    for (std::uint32_t row = 0; row < n; ++row) {
        if (needed[row] == std::vector<std::uint32_t>{input_of(m, row)}) continue;
        rows.push_back(row);
        for (const std::uint32_t input : needed[row])
            together |= row < m.state_count && input > n && input != input_of(m, row);
    }
    return together ? rows : std::vector<std::uint32_t>{};
}

RateBlock::RateBlock(Evaluator& evaluator, std::vector<std::uint32_t> rows)
    : ev_(evaluator), rows_(std::move(rows)), speeds_(rows_.size(), 1.0) {
    const expression::Tape& tape = ev_.model().residual;
    const auto size = static_cast<Eigen::Index>(rows_.size());
    part_.resize(size);
    if (rows_.size() <= kMostRates) {
        tangents_.emplace(tape, seeds_of<Tangents::Seed>(ev_.model(), rows_));
        matrix_.resize(size, size);
        return;
    }
    cut_at(CutTangents::kWide);
    // Where far ends hang together, many cuts fill the factors: fewer, with longer rows, may then cost less.
    constexpr double kFilled = 2.0;
    if (factors_->expected_entries() > kFilled * static_cast<double>(pattern_.columns.size())) {
        std::size_t best = 1;
        double fewest = factors_->expected_entries();
        for (const std::size_t times : {2, 4}) {
            cut_at(times * CutTangents::kWide);
            if (factors_->expected_entries() >= fewest) continue;
            fewest = factors_->expected_entries();
            best = times;
        }
        cut_at(best * CutTangents::kWide);
    }
    entries_.resize(pattern_.columns.size());
    extended_.resize(pattern_.rows());
}

void RateBlock::cut_at(std::size_t wide) {
    cut_.emplace(ev_.model().residual, seeds_of<CutTangents::Seed>(ev_.model(), rows_),
                 static_cast<std::uint32_t>(rows_.size()), wide);
    const structure::Incidence& all = cut_->pattern();
    pattern_ = {};
    for (const std::uint32_t row : rows_) pattern_.add_row(all.row(row));
    for (std::size_t row = all.rows() - cut_->cuts(); row < all.rows(); ++row) pattern_.add_row(all.row(row));
    factors_.emplace(pattern_, structure::SparseFactors::Scaling::none);
}

bool RateBlock::residual(double time, std::span<const double> y, std::span<const double> yp, std::span<double> out) {
    factored_ = false;
    const auto at = ev_.inputs(time, y, yp);
    double sum = 0.0;
    if (cut_) {
        if (!cut_->evaluate(at, speeds_, entries_)) return false;
    } else {
        tangents_->evaluate(at, speeds_);
        for (std::size_t i = 0; i < rows_.size(); ++i) tangents_->slopes(rows_[i], matrix_.data() + i * rows_.size());
        if (!matrix_.allFinite()) return false;
    }
    for (std::size_t row = 0; row < out.size(); ++row) {
        out[row] = cut_ ? cut_->value(row) : tangents_->value(row);
        sum += out[row] * 0.0;
    }
    return sum == 0.0;
}

void RateBlock::keep() {
    kept_ = true;
    kept_matrix_ = matrix_;
    kept_entries_ = entries_;
}

bool RateBlock::factorize() {
    if (factored_) return regular_;
    factored_ = true;
    if (cut_) {
        regular_ = factors_->factorize(entries_);
    } else {
        factorize_full();
    }
    return regular_;
}

void RateBlock::factorize_full() {
    // The mass matrix of a tree of joints is symmetric and positive definite, with half the work.
    const double asymmetry = (matrix_ - matrix_.transpose()).cwiseAbs().maxCoeff();
    definite_ = asymmetry <= 1e-10 * matrix_.diagonal().cwiseAbs().maxCoeff();
    regular_ = true;
    if (definite_) {
        sign_ = matrix_(0, 0) > 0.0 ? 1.0 : -1.0;
        cholesky_.compute(sign_ * matrix_);
        definite_ = cholesky_.info() == Eigen::Success;
    }
    if (definite_) return;
    lu_.compute(matrix_.transpose());
    regular_ = lu_.matrixLU().diagonal().cwiseAbs().minCoeff() > 0.0;
}

void RateBlock::divide_full() {
    if (definite_) {
        cholesky_.solveInPlace(part_);
        part_ *= sign_;
    } else {
        part_ = lu_.solve(part_).eval();
    }
    part_ = kept_matrix_.transpose() * part_;
}

// The rows of the cuts, in their order, say what each becomes; then the rows of F can be summed.
void RateBlock::multiply_cut(std::span<double> extended, Eigen::VectorXd& into) const {
    const std::size_t block = rows_.size();
    const auto sum = [&](std::size_t row, std::size_t count) {
        const auto columns = pattern_.row(row);
        const double* entry = kept_entries_.data() + pattern_.starts[row];
        double total = 0.0;
        for (std::size_t e = 0; e < count; ++e) total += entry[e] * extended[columns[e]];
        return total;
    };
    for (std::size_t row = block; row < pattern_.rows(); ++row) {
        extended[row] = sum(row, pattern_.row(row).size() - 1);  // the last entry is the −1 of the cut itself
    }
    for (std::size_t k = 0; k < block; ++k) into(static_cast<Eigen::Index>(k)) = sum(k, pattern_.row(k).size());
}

void RateBlock::correct(std::span<double> right) {
    if (!kept_ || !factorize()) return;
    for (std::size_t k = 0; k < rows_.size(); ++k) part_(static_cast<Eigen::Index>(k)) = right[rows_[k]];
    if (cut_) {
        std::fill(extended_.begin(), extended_.end(), 0.0);
        std::copy(part_.begin(), part_.end(), extended_.begin());
        factors_->solve(extended_);
        multiply_cut(extended_, part_);
    } else {
        divide_full();
    }
    if (!part_.allFinite()) return;
    for (std::size_t k = 0; k < rows_.size(); ++k) right[rows_[k]] = part_(static_cast<Eigen::Index>(k));
}

void RateBlock::multiply(std::span<double> vector) const {
    Eigen::VectorXd part(static_cast<Eigen::Index>(rows_.size()));
    for (std::size_t k = 0; k < rows_.size(); ++k) part(static_cast<Eigen::Index>(k)) = vector[rows_[k]];
    if (cut_) {
        std::vector<double> extended(pattern_.rows(), 0.0);
        std::copy(part.begin(), part.end(), extended.begin());
        multiply_cut(extended, part);
    } else {
        part = kept_matrix_.transpose() * part;
    }
    for (std::size_t k = 0; k < rows_.size(); ++k) vector[rows_[k]] = part(static_cast<Eigen::Index>(k));
}

}  // namespace bondgraph::simulation
