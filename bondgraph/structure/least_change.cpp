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

/// first · x + second · y = right, with y only as far as x can't, both of minimum norm.
std::pair<VectorXd, VectorXd> in_two_steps(const MatrixXd& first, const MatrixXd& second, const VectorXd& right) {
    VectorXd y = VectorXd::Zero(second.cols());
    if (second.cols() > 0) {
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
        y = smallest(below.leftCols(second.cols()), below.rightCols(1));
    }
    return {smallest(first, right - second * y), y};
}

VectorXd by_factorization(const Sparse& matrix, const VectorXd& right, std::span<const std::uint8_t> reluctance) {
    const auto ready = columns_of(reluctance, 0);
    const auto second = columns_of(reluctance, 1);
    const auto last = columns_of(reluctance, 2);
    const auto middle = static_cast<Index>(second.size());
    const auto kept = middle + static_cast<Index>(last.size());
    MatrixXd rest(matrix.rows(), kept + 1);
    rest << MatrixXd(sparse_columns(matrix, second)), MatrixXd(sparse_columns(matrix, last)), right;
    const VectorXd length = rest.leftCols(kept).colwise().norm().transpose();
    VectorXd size = VectorXd::Ones(static_cast<Index>(ready.size()));
    Sparse part = sparse_columns(matrix, ready);
    for (Index c = 0; c < part.cols(); ++c) {
        const double norm = part.col(c).norm();
        if (norm == 0.0) continue;
        part.col(c) /= norm;
        size(c) = norm;
    }
    const SparseElimination elimination(part, rest, kGone);
    MatrixXd below = elimination.below();
    clear_noise(below.leftCols(kept), length);
    const auto [x, y] =
        in_two_steps(below.leftCols(middle), below.middleCols(middle, kept - middle), below.rightCols(1));
    VectorXd result = VectorXd::Zero(matrix.cols());
    for (Index k = 0; k < middle; ++k) result(second[static_cast<std::size_t>(k)]) = x(k);
    for (Index k = middle; k < kept; ++k) result(last[static_cast<std::size_t>(k - middle)]) = y(k - middle);
    VectorXd factors(kept + 1);
    factors << -x, -y, 1.0;
    const VectorXd solved = elimination.solve(factors);
    for (std::size_t k = 0; k < ready.size(); ++k)
        result(ready[k]) = solved(static_cast<Index>(k)) / size(static_cast<Index>(k));
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
        std::vector<Index> number(known_.size(), -1);
        std::vector<Index> columns;
        std::vector<std::uint8_t> kinds;
        for (std::size_t c = 0; c < known_.size(); ++c) {
            if (known_[c]) continue;
            number[c] = static_cast<Index>(columns.size());
            columns.push_back(static_cast<Index>(c));
            kinds.push_back(reluctance[c]);
        }
        std::vector<Eigen::Triplet<double>> entries;
        std::vector<Index> rows;
        for (Index r = 0; r < rows_.rows(); ++r) {
            if (used_[at(r)]) continue;
            if (open_[at(r)] == 0 && !met(r, rest_(r))) return std::nullopt;
            if (open_[at(r)] == 0) continue;
            for (Rows::InnerIterator it(rows_, r); it; ++it) {
                if (!known_[at(it.col())])
                    entries.emplace_back(static_cast<int>(rows.size()), static_cast<int>(number[at(it.col())]),
                                         it.value());
            }
            rows.push_back(r);
        }
        Sparse left(static_cast<Index>(rows.size()), static_cast<Index>(columns.size()));
        left.setFromTriplets(entries.begin(), entries.end());
        VectorXd result = value_;
        if (rows.empty()) return result;
        const VectorXd right = rest_(rows);
        const VectorXd x = by_factorization(left, right, kinds);
        const VectorXd missed = right - left * x;
        const VectorXd terms = left.cwiseAbs() * x.cwiseAbs();
        for (std::size_t k = 0; k < rows.size(); ++k) {
            const auto i = static_cast<Index>(k);
            if (!(std::abs(missed(i)) <= kMissed * (size_(rows[k]) + terms(i)))) return std::nullopt;
        }
        result(columns) = x;
        return result;
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

VectorXd least_change(const Sparse& matrix, const VectorXd& right, std::span<const std::uint8_t> reluctance) {
    const OneByOne first(matrix, right);
    if (first.found()) {
        if (auto result = first.complete(reluctance)) return *result;
    }
    return by_factorization(matrix, right, reluctance);
}

}  // namespace bondgraph::structure
