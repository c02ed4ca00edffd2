#include "bondgraph/structure/sparse_factors.hpp"

#include <klu.h>

#include <cmath>

namespace bondgraph::structure {

namespace {

/// Smallest pivot, as a share of the largest, with which the pivots of an earlier matrix still serve.
constexpr double kSmallPivot = 1e-10;

double sign_of(const int* permutation, int size) {
    std::vector<bool> seen(static_cast<std::size_t>(size), false);
    double sign = 1.0;
    for (int first = 0; first < size; ++first) {
        for (int k = permutation[first]; k != first && !seen[static_cast<std::size_t>(k)]; k = permutation[k]) {
            seen[static_cast<std::size_t>(k)] = true;
            sign = -sign;
        }
        seen[static_cast<std::size_t>(first)] = true;
    }
    return sign;
}

}  // namespace

struct SparseFactors::Klu {
    klu_common common{};
    klu_symbolic* symbolic = nullptr;
    klu_numeric* numeric = nullptr;

    explicit Klu(Scaling scaling) {
        klu_defaults(&common);
        if (scaling == Scaling::none) common.scale = -1;
    }
    ~Klu() {
        klu_free_numeric(&numeric, &common);
        klu_free_symbolic(&symbolic, &common);
    }
    Klu(const Klu&) = delete;
    Klu& operator=(const Klu&) = delete;

    [[nodiscard]] bool pivots_above(double share) {
        return common.status == KLU_OK && klu_rcond(symbolic, numeric, &common) == 1 && common.rcond > share;
    }
};

SparseFactors::SparseFactors(const Incidence& pattern, Scaling scaling)
    : size_(static_cast<int>(pattern.rows())),
      place_(pattern.columns.size()),
      values_(pattern.columns.size()),
      klu_(std::make_unique<Klu>(scaling)) {
    const Incidence by_column = pattern.transposed(pattern.rows());
    starts_.assign(by_column.starts.begin(), by_column.starts.end());
    rows_.assign(by_column.columns.begin(), by_column.columns.end());
    std::vector<std::uint32_t> next(by_column.starts.begin(), by_column.starts.end() - 1);
    for (std::size_t entry = 0; entry < place_.size(); ++entry) place_[entry] = next[pattern.columns[entry]]++;
    klu_->symbolic = klu_analyze(size_, starts_.data(), rows_.data(), &klu_->common);
}

SparseFactors::~SparseFactors() = default;

double SparseFactors::expected_entries() const {
    return klu_->symbolic == nullptr ? 0.0 : klu_->symbolic->lnz + klu_->symbolic->unz;
}

bool SparseFactors::factorize(std::span<const double> entries) {
    if (klu_->symbolic == nullptr) return false;
    for (std::size_t entry = 0; entry < place_.size(); ++entry) values_[place_[entry]] = entries[entry];
    if (klu_->numeric != nullptr) {
        klu_refactor(starts_.data(), rows_.data(), values_.data(), klu_->symbolic, klu_->numeric, &klu_->common);
        if (klu_->pivots_above(kSmallPivot)) return true;
        klu_free_numeric(&klu_->numeric, &klu_->common);
    }
    klu_->numeric = klu_factor(starts_.data(), rows_.data(), values_.data(), klu_->symbolic, &klu_->common);
    return klu_->numeric != nullptr && klu_->pivots_above(0.0);
}

Determinant SparseFactors::determinant() const {
    if (klu_->numeric == nullptr || klu_->common.status != KLU_OK) return {};
    Determinant d{sign_of(klu_->numeric->Pnum, size_) * sign_of(klu_->symbolic->Q, size_), 0.0};
    const auto* pivots = static_cast<const double*>(klu_->numeric->Udiag);
    for (int k = 0; k < size_; ++k) {
        const double factor = pivots[k] * (klu_->numeric->Rs != nullptr ? klu_->numeric->Rs[k] : 1.0);
        if (factor == 0.0 || !std::isfinite(factor)) return {};
        if (factor < 0.0) d.sign = -d.sign;
        d.log_size += std::log(std::abs(factor));
    }
    return d;
}

void SparseFactors::solve(std::span<double> x) {
    if (size_ == 0) return;
    const auto count = static_cast<int>(x.size() / static_cast<std::size_t>(size_));
    klu_solve(klu_->symbolic, klu_->numeric, size_, count, x.data(), &klu_->common);
}

void SparseFactors::solve_transposed(std::span<double> x) {
    if (size_ == 0) return;
    const auto count = static_cast<int>(x.size() / static_cast<std::size_t>(size_));
    klu_tsolve(klu_->symbolic, klu_->numeric, size_, count, x.data(), &klu_->common);
}

}  // namespace bondgraph::structure
