#include "bondgraph/structure/least_change.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <vector>

#include "bondgraph/structure/dense.hpp"
#include "bondgraph/structure/sparse_elimination.hpp"

namespace bondgraph::structure {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using Sparse = Eigen::SparseMatrix<double>;

constexpr double kRank = 1e-11;  // of rows and columns of size 1
constexpr double kGone = 1e-14;  // what elimination leaves of a column where it is zero

std::vector<Index> columns_of(std::span<const std::uint8_t> reluctance, std::uint8_t which) {
    std::vector<Index> columns;
    for (std::size_t c = 0; c < reluctance.size(); ++c) {
        if (reluctance[c] == which) columns.push_back(static_cast<Index>(c));
    }
    return columns;
}

Sparse sparse_columns(const Sparse& matrix, const std::vector<Index>& columns) {
    std::vector<Eigen::Triplet<double>> entries;
    for (std::size_t k = 0; k < columns.size(); ++k) {
        for (Sparse::InnerIterator it(matrix, columns[k]); it; ++it)
            entries.emplace_back(static_cast<int>(it.row()), static_cast<int>(k), it.value());
    }
    Sparse result(matrix.rows(), static_cast<Index>(columns.size()));
    result.setFromTriplets(entries.begin(), entries.end());
    return result;
}

/// What is left of columns after a projection, without the noise where nothing is left.
void clear_noise(Eigen::Ref<MatrixXd> left, const VectorXd& length) {
    for (Index c = 0; c < left.cols(); ++c) {
        if (left.col(c).norm() <= kRank * length(c)) left.col(c).setZero();
    }
}

VectorXd smallest(const MatrixXd& matrix, const VectorXd& right) {
    if (matrix.cols() == 0) return {};
    if (matrix.rows() == 0 || matrix.isZero(0.0)) return VectorXd::Zero(matrix.cols());
    return shortest_solution(matrix, right, kRank);
}

/// The part of x in first · … + second · x = right that `first` can't take, of minimum norm.
VectorXd what_others_leave(const MatrixXd& first, const MatrixXd& second, const VectorXd& right) {
    MatrixXd rest(right.size(), second.cols() + 1);
    rest << second, right;
    const VectorXd length = second.colwise().norm().transpose();
    Index rank = 0;
    if (first.cols() > 0 && !first.isZero(0.0)) {
        OrthogonalTriangular qr = orthogonal_triangular(first, rest, kRank);
        rank = qr.rank;
        rest = std::move(qr.Q_transposed);
    }
    MatrixXd below = rest.bottomRows(right.size() - rank);
    clear_noise(below.leftCols(second.cols()), length);
    return smallest(below.leftCols(second.cols()), below.rightCols(1));
}

/// matrix · x = right; `ends`: the columns of the first level end at the first of them, and so on. Each level takes
/// only what those before it can't.
VectorXd level_by_level(const MatrixXd& matrix, const std::vector<Index>& ends, VectorXd right) {
    VectorXd x = VectorXd::Zero(matrix.cols());
    for (std::size_t level = ends.size(); level-- > 0;) {
        const Index begin = level == 0 ? 0 : ends[level - 1];
        const Index width = ends[level] - begin;
        if (width == 0) continue;
        x.segment(begin, width) = what_others_leave(matrix.leftCols(begin), matrix.middleCols(begin, width), right);
        right -= matrix.middleCols(begin, width) * x.segment(begin, width);
    }
    return x;
}

/// Columns that take what they can, each scaled to a size of 1.
struct Ready {
    Sparse columns;
    VectorXd size;
};
Ready scaled_columns(const Sparse& matrix, const std::vector<Index>& which) {
    Ready result{sparse_columns(matrix, which), VectorXd::Ones(std::ssize(which))};
    for (Index c = 0; c < result.columns.cols(); ++c) {
        const double norm = result.columns.col(c).norm();
        if (norm == 0.0) continue;
        result.columns.col(c) /= norm;
        result.size(c) = norm;
    }
    return result;
}

VectorXd by_factorization(const Sparse& matrix, const VectorXd& right, std::span<const std::uint8_t> reluctance) {
    const auto ready = columns_of(reluctance, 0);
    std::vector<Index> later;
    std::vector<Index> ends;
    for (std::uint8_t level = 1; later.size() + ready.size() < reluctance.size(); ++level) {
        for (const Index c : columns_of(reluctance, level)) later.push_back(c);
        ends.push_back(std::ssize(later));
    }
    const auto kept = static_cast<Index>(later.size());
    MatrixXd rest(matrix.rows(), kept + 1);
    rest << MatrixXd(sparse_columns(matrix, later)), right;
    const VectorXd length = rest.leftCols(kept).colwise().norm().transpose();
    const Ready taken = scaled_columns(matrix, ready);
    const SparseElimination elimination(taken.columns, rest, kGone);
    MatrixXd below = elimination.below();
    clear_noise(below.leftCols(kept), length);
    const VectorXd x = level_by_level(below.leftCols(kept), ends, below.rightCols(1));
    VectorXd result = VectorXd::Zero(matrix.cols());
    result(later) = x;
    VectorXd factors(kept + 1);
    factors << -x, 1.0;
    const VectorXd solved = elimination.solve(factors);
    for (std::size_t k = 0; k < ready.size(); ++k)
        result(ready[k]) = solved(static_cast<Index>(k)) / taken.size(static_cast<Index>(k));
    return result;
}

/// What rows with a single unknown column determine, and what is left when these columns are known.
class OneByOne {
   public:
    OneByOne(const Sparse& matrix, const VectorXd& right)
        : columns_(matrix),
          rows_(matrix),
          value_(VectorXd::Zero(matrix.cols())),
          rest_(right),
          size_(right.cwiseAbs()),
          known_(static_cast<std::size_t>(matrix.cols()), false),
          used_(static_cast<std::size_t>(matrix.rows()), false) {
        std::vector<Index> ready;
        for (Index r = 0; r < rows_.rows(); ++r) {
            open_.push_back(rows_.row(r).nonZeros());
            if (open_.back() == 1) ready.push_back(r);
        }
        while (!ready.empty()) {
            const Index r = ready.back();
            ready.pop_back();
            if (open_[at(r)] == 1) take(r, ready);
        }
    }

    [[nodiscard]] bool found() const { return std::ranges::find(used_, true) != used_.end(); }

    /// The solution, or nothing where some row can't be met: then all of them are to share that.
    [[nodiscard]] std::optional<VectorXd> complete(std::span<const std::uint8_t> reluctance) const {
        for (Index r = 0; r < rows_.rows(); ++r) {
            if (!used_[at(r)] && open_[at(r)] == 0 && !met(r, rest_(r))) return std::nullopt;
        }
        VectorXd result = value_;
        const Left left = rest(reluctance);
        if (left.rows.empty()) return result;
        VectorXd right(std::ssize(left.rows));
        for (Index k = 0; k < right.size(); ++k) right(k) = rest_(left.rows[at(k)]);
        const VectorXd x = by_factorization(left.matrix, right, left.reluctance);
        const VectorXd missed = right - left.matrix * x;
        const VectorXd terms = left.matrix.cwiseAbs() * x.cwiseAbs();
        for (Index k = 0; k < right.size(); ++k) {
            if (!(std::abs(missed(k)) <= kMissed * (size_(left.rows[at(k)]) + terms(k)))) return std::nullopt;
        }
        for (Index k = 0; k < x.size(); ++k) result(left.columns[at(k)]) = x(k);
        return result;
    }

    /// Rows and columns that are not used up.
    struct Left {
        Sparse matrix;
        std::vector<Index> rows;
        std::vector<Index> columns;
        std::vector<std::uint8_t> reluctance;  ///< of the columns
    };
    [[nodiscard]] Left rest(std::span<const std::uint8_t> reluctance) const {
        Left left;
        std::vector<Index> number(known_.size(), -1);
        for (std::size_t c = 0; c < known_.size(); ++c) {
            if (known_[c]) continue;
            number[c] = std::ssize(left.columns);
            left.columns.push_back(static_cast<Index>(c));
            left.reluctance.push_back(reluctance[c]);
        }
        std::vector<Eigen::Triplet<double>> entries;
        for (Index r = 0; r < rows_.rows(); ++r) {
            if (used_[at(r)] || open_[at(r)] == 0) continue;
            for (Rows::InnerIterator it(rows_, r); it; ++it) {
                if (!known_[at(it.col())])
                    entries.emplace_back(static_cast<int>(left.rows.size()), static_cast<int>(number[at(it.col())]),
                                         it.value());
            }
            left.rows.push_back(r);
        }
        left.matrix.resize(std::ssize(left.rows), std::ssize(left.columns));
        left.matrix.setFromTriplets(entries.begin(), entries.end());
        return left;
    }

   private:
    using Rows = Eigen::SparseMatrix<double, Eigen::RowMajor>;
    static constexpr double kPivot = 1e-3;   ///< of a row's size: smaller ones are for what reveals ranks
    static constexpr double kMissed = 1e-9;  ///< of the terms in a row

    static std::size_t at(Index i) { return static_cast<std::size_t>(i); }
    [[nodiscard]] bool met(Index r, double missed) const { return std::abs(missed) <= kMissed * size_(r); }

    void take(Index r, std::vector<Index>& ready) {
        Rows::InnerIterator pivot(rows_, r);
        while (known_[at(pivot.col())]) ++pivot;
        if (!(std::abs(pivot.value()) >= kPivot)) return;
        const Index c = pivot.col();
        used_[at(r)] = true;
        known_[at(c)] = true;
        value_(c) = rest_(r) / pivot.value();
        for (Sparse::InnerIterator it(columns_, c); it; ++it) {
            rest_(it.row()) -= it.value() * value_(c);
            size_(it.row()) += std::abs(it.value() * value_(c));
            if (--open_[at(it.row())] == 1) ready.push_back(it.row());
        }
    }

    const Sparse& columns_;
    Rows rows_;
    VectorXd value_;
    VectorXd rest_;
    VectorXd size_;            ///< of the terms in each row
    std::vector<Index> open_;  ///< columns of each row that are not known
    std::vector<bool> known_;
    std::vector<bool> used_;
};

}  // namespace

std::vector<std::uint32_t> open_columns(const Sparse& matrix, std::span<const std::uint8_t> reluctance) {
    constexpr double kOpen = 1e-9;  // of directions of size 1
    const OneByOne first(matrix, VectorXd::Zero(matrix.rows()));
    const auto left = first.rest(reluctance);
    std::vector<Index> kept;
    for (std::size_t k = 0; k < left.columns.size(); ++k) {
        if (left.reluctance[k] > 0) kept.push_back(static_cast<Index>(k));
    }
    MatrixXd below(0, std::ssize(kept));  // what rows say of these alone
    if (!left.rows.empty() && !kept.empty()) {
        const MatrixXd dense(sparse_columns(left.matrix, kept));
        const auto ready = scaled_columns(left.matrix, columns_of(left.reluctance, 0));
        below = SparseElimination(ready.columns, dense, kGone).below();
        clear_noise(below, dense.colwise().norm().transpose());
    }
    std::vector<bool> open(kept.size(), true);
    if (below.size() > 0) {
        // Unknowns whose turn never came move freely; the others, as these make them.
        const OrthogonalTriangular qr = orthogonal_triangular(below, MatrixXd(below.rows(), 0), kRank);
        const MatrixXd along = qr.R.topLeftCorner(qr.rank, qr.rank)
                                   .triangularView<Eigen::Upper>()
                                   .solve(qr.R.topRightCorner(qr.rank, below.cols() - qr.rank));
        for (Index k = 0; k < qr.rank; ++k)
            open[static_cast<std::size_t>(qr.order(k))] = along.row(k).cwiseAbs().sum() > kOpen;
    }
    std::vector<std::uint32_t> result;
    for (std::size_t k = 0; k < kept.size(); ++k) {
        if (open[k]) result.push_back(static_cast<std::uint32_t>(left.columns[static_cast<std::size_t>(kept[k])]));
    }
    return result;
}

VectorXd least_change(const Sparse& matrix, const VectorXd& right, std::span<const std::uint8_t> reluctance) {
    const OneByOne first(matrix, right);
    if (first.found()) {
        if (auto result = first.complete(reluctance)) return *result;
    }
    return by_factorization(matrix, right, reluctance);
}

}  // namespace bondgraph::structure
