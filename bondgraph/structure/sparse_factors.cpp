#include "bondgraph/structure/sparse_factors.hpp"

#include <klu.h>

#include <algorithm>
#include <cmath>
#include <utility>

namespace bondgraph::structure {

namespace {

/// Smallest pivot, as a share of the largest, with which the pivots of an earlier matrix still serve.
constexpr double kSmallPivot = 1e-10;

/// Of the order in which numbers stand: -1 where an odd number of exchanges sorts them.
double sign_of(std::span<const int> order) {
    std::vector<int> sorted(order.begin(), order.end());
    std::ranges::sort(sorted);
    std::vector<std::size_t> place;
    for (const int n : order)
        place.push_back(static_cast<std::size_t>(std::ranges::lower_bound(sorted, n) - sorted.begin()));
    double sign = 1.0;
    for (std::size_t k = 0; k < place.size(); ++k) {
        while (place[k] != k) {
            std::swap(place[k], place[place[k]]);
            sign = -sign;
        }
    }
    return sign;
}

std::vector<std::uint32_t> ascending(std::span<const int> numbers) {
    std::vector<std::uint32_t> result(numbers.begin(), numbers.end());
    std::ranges::sort(result);
    return result;
}

}  // namespace

Incidence pattern_of_columns(const Eigen::SparseMatrix<double>& matrix) {
    Incidence result;
    std::vector<std::uint32_t> rows;
    for (Eigen::Index c = 0; c < matrix.cols(); ++c) {
        rows.clear();
        for (Eigen::SparseMatrix<double>::InnerIterator entry(matrix, c); entry; ++entry)
            rows.push_back(static_cast<std::uint32_t>(entry.row()));
        result.add_row(rows);
    }
    return result;
}

struct SparseOrder::Klu {
    klu_common common{};
    klu_symbolic* symbolic = nullptr;

    Klu() { klu_defaults(&common); }
    ~Klu() { klu_free_symbolic(&symbolic, &common); }
    Klu(const Klu&) = delete;
    Klu& operator=(const Klu&) = delete;
};

SparseOrder::SparseOrder(const Incidence& pattern)
    : size_(static_cast<int>(pattern.rows())), place_(pattern.columns.size()), klu_(std::make_unique<Klu>()) {
    const Incidence by_column = pattern.transposed(pattern.rows());
    starts_.assign(by_column.starts.begin(), by_column.starts.end());
    rows_.assign(by_column.columns.begin(), by_column.columns.end());
    std::vector<std::uint32_t> next(by_column.starts.begin(), by_column.starts.end() - 1);
    for (std::size_t entry = 0; entry < place_.size(); ++entry) place_[entry] = next[pattern.columns[entry]]++;
    klu_->symbolic = klu_analyze(size_, starts_.data(), rows_.data(), &klu_->common);
}

SparseOrder::~SparseOrder() = default;

// KLU's functions take what they only read by pointers to what may change.
struct SparseFactors::Klu {
    klu_common common{};
    klu_symbolic* symbolic = nullptr;  ///< the order's
    int* starts = nullptr;             ///< likewise
    int* rows = nullptr;
    klu_numeric* numeric = nullptr;
    double chosen_above = 0.0;  ///< the smallest pivot, as a share of the largest, when they were chosen
    std::vector<double> signs;  ///< of the rows' and columns' order in each block, once asked for

    explicit Klu(Scaling scaling) {
        klu_defaults(&common);
        if (scaling == Scaling::none) common.scale = -1;
    }
    ~Klu() { klu_free_numeric(&numeric, &common); }
    Klu(const Klu&) = delete;
    Klu& operator=(const Klu&) = delete;

    [[nodiscard]] bool pivots_above(double share) {
        return common.status == KLU_OK && klu_rcond(symbolic, numeric, &common) == 1 && common.rcond > share;
    }
};

SparseFactors::SparseFactors(const Incidence& pattern, Scaling scaling)
    : SparseFactors(std::make_shared<const SparseOrder>(pattern), scaling) {}

SparseFactors::SparseFactors(std::shared_ptr<const SparseOrder> order, Scaling scaling)
    : order_(std::move(order)), values_(order_->place_.size()), klu_(std::make_unique<Klu>(scaling)) {
    klu_->symbolic = order_->klu_->symbolic;
    klu_->starts = const_cast<int*>(order_->starts_.data());
    klu_->rows = const_cast<int*>(order_->rows_.data());
}

SparseFactors::~SparseFactors() = default;

double SparseFactors::expected_entries() const {
    return klu_->symbolic == nullptr ? 0.0 : klu_->symbolic->lnz + klu_->symbolic->unz;
}

bool SparseFactors::factorize(std::span<const double> entries) {
    if (klu_->symbolic == nullptr) return false;
    for (std::size_t entry = 0; entry < values_.size(); ++entry) values_[order_->place_[entry]] = entries[entry];
    // Where the pivots were small when they were chosen, others would have to be chosen again.
    if (klu_->numeric != nullptr && klu_->chosen_above > kSmallPivot) {
        klu_refactor(klu_->starts, klu_->rows, values_.data(), klu_->symbolic, klu_->numeric, &klu_->common);
        if (klu_->pivots_above(kSmallPivot)) return true;
    }
    klu_free_numeric(&klu_->numeric, &klu_->common);
    klu_->signs.clear();
    klu_->numeric = klu_factor(klu_->starts, klu_->rows, values_.data(), klu_->symbolic, &klu_->common);
    const bool regular = klu_->numeric != nullptr && klu_->pivots_above(0.0);
    klu_->chosen_above = regular ? klu_->common.rcond : 0.0;
    return regular;
}

bool SparseFactors::take_largest_pivots() {
    if (klu_->common.tol == 1.0) return false;
    klu_->common.tol = 1.0;
    klu_free_numeric(&klu_->numeric, &klu_->common);
    return true;
}

std::vector<SparseFactors::Block> SparseFactors::blocks() const {
    std::vector<Block> result;
    if (klu_->symbolic == nullptr) return result;
    const klu_symbolic& order = *klu_->symbolic;
    for (int b = 0; b < order.nblocks; ++b) {
        const auto size = static_cast<std::size_t>(order.R[b + 1] - order.R[b]);
        result.push_back({ascending({order.P + order.R[b], size}), ascending({order.Q + order.R[b], size})});
    }
    return result;
}

std::vector<Determinant> SparseFactors::determinants() const {
    if (klu_->numeric == nullptr || klu_->common.status != KLU_OK) return {};
    const klu_symbolic& order = *klu_->symbolic;
    if (klu_->signs.empty()) {
        for (int b = 0; b < order.nblocks; ++b) {
            const auto size = static_cast<std::size_t>(order.R[b + 1] - order.R[b]);
            klu_->signs.push_back(sign_of({klu_->numeric->Pnum + order.R[b], size}) *
                                  sign_of({order.Q + order.R[b], size}));
        }
    }
    const auto* pivots = static_cast<const double*>(klu_->numeric->Udiag);
    std::vector<Determinant> result;
    for (int b = 0; b < order.nblocks; ++b) {
        Determinant d{klu_->signs[static_cast<std::size_t>(b)], 0.0};
        for (int k = order.R[b]; k < order.R[b + 1]; ++k) {
            const double factor = pivots[k] * (klu_->numeric->Rs != nullptr ? klu_->numeric->Rs[k] : 1.0);
            if (factor == 0.0 || !std::isfinite(factor)) return {};
            if (factor < 0.0) d.sign = -d.sign;
            d.log_size += std::log(std::abs(factor));
        }
        result.push_back(d);
    }
    return result;
}

void SparseFactors::solve(std::span<double> x) {
    if (order_->size_ == 0) return;
    const auto count = static_cast<int>(x.size() / static_cast<std::size_t>(order_->size_));
    klu_solve(klu_->symbolic, klu_->numeric, order_->size_, count, x.data(), &klu_->common);
}

void SparseFactors::solve_transposed(std::span<double> x) {
    if (order_->size_ == 0) return;
    const auto count = static_cast<int>(x.size() / static_cast<std::size_t>(order_->size_));
    klu_tsolve(klu_->symbolic, klu_->numeric, order_->size_, count, x.data(), &klu_->common);
}

}  // namespace bondgraph::structure
