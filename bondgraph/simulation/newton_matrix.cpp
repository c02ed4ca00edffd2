#include "bondgraph/simulation/newton_matrix.hpp"

#include <algorithm>

namespace bondgraph::simulation {

namespace {

/// Up to so many unknowns a full matrix costs less than the sparse one with values on the way cut
/// (docs/performance.md).
constexpr std::size_t kMostFull = 150;

}  // namespace

NewtonMatrix::Form NewtonMatrix::form_for(const compile::CompiledModel& m, std::size_t dense_limit) {
    const std::size_t n = m.size();
    if (dense_limit == 0) return Form::sparse;
    // A full matrix gains nothing from being stored as a sparse one.
    const bool nearly_full = 4 * m.pattern.columns.size() > n * n;
    if (nearly_full && n > kMostFull) return Form::cut;
    return nearly_full || n <= dense_limit ? Form::full : Form::sparse;
}

NewtonMatrix::NewtonMatrix(Evaluator& evaluator, Form form) : ev_(evaluator), form_(form) {
    const structure::Incidence& pattern = ev_.model().pattern;
    const auto n = static_cast<std::uint32_t>(ev_.size());
    if (form == Form::cut) {
        std::vector<CutTangents::Seed> seeds;
        for (std::uint32_t j = 0; j < n; ++j) seeds.push_back({1 + j, j});
        for (std::uint32_t j = 0; j < n; ++j) seeds.push_back({1 + n + j, j});
        tangents_.emplace(ev_.model().residual, std::move(seeds), n);
        speeds_.assign(std::size_t{2} * n, 1.0);
        sparse_.emplace(tangents_->pattern());
    } else if (form == Form::sparse) {
        sparse_.emplace(ev_.findings().of<PatternOrder>().order);
    } else {
        matrix_ = Eigen::MatrixXd::Zero(n, n);
    }
    const structure::Incidence& kept = form == Form::cut ? tangents_->pattern() : pattern;
    entries_.resize(kept.columns.size());
    extended_.resize(kept.rows());
}

bool NewtonMatrix::evaluate(double time, std::span<const double> y, std::span<const double> yp, double c) {
    if (form_ == Form::cut) {
        std::fill(speeds_.begin() + static_cast<std::ptrdiff_t>(ev_.size()), speeds_.end(), c);
        return tangents_->evaluate(ev_.inputs(time, y, yp), speeds_, entries_);
    }
    return ev_.jacobian(time, y, yp, 1.0, c, entries_);
}

bool NewtonMatrix::factorize() {
    if (form_ != Form::full) return sparse_->factorize(entries_);
    std::size_t entry = 0;
    for (std::size_t row = 0; row < ev_.size(); ++row) {
        for (const std::uint32_t column : ev_.model().pattern.row(row)) {
            matrix_(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column)) = entries_[entry++];
        }
    }
    full_.compute(matrix_);
    return full_.matrixLU().allFinite() && (full_.matrixLU().diagonal().array() != 0.0).all();
}

void NewtonMatrix::solve(std::span<double> x) {
    if (form_ == Form::full) {
        Eigen::Map<Eigen::VectorXd> solution(x.data(), static_cast<Eigen::Index>(x.size()));
        solution = full_.permutationP() * solution;
        full_.matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(solution);
        full_.matrixLU().triangularView<Eigen::Upper>().solveInPlace(solution);
        return;
    }
    std::copy(x.begin(), x.end(), extended_.begin());
    std::fill(extended_.begin() + static_cast<std::ptrdiff_t>(x.size()), extended_.end(), 0.0);
    sparse_->solve(extended_);
    std::copy_n(extended_.begin(), x.size(), x.begin());
}

}  // namespace bondgraph::simulation
