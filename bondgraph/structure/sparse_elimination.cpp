#include "bondgraph/structure/sparse_elimination.hpp"

#include <Eigen/Householder>
#include <Eigen/OrderingMethods>
#include <algorithm>
#include <utility>

namespace bondgraph::structure {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

SparseElimination::SparseElimination(const Eigen::SparseMatrix<double>& matrix, const MatrixXd& dense, double gone)
    : gone_(gone), dense_(dense.cols()), column_(static_cast<std::size_t>(matrix.cols())), waiting_(column_.size()) {
    Eigen::SparseMatrix<double> columns = matrix;
    columns.makeCompressed();
    Eigen::PermutationMatrix<Eigen::Dynamic, Eigen::Dynamic, int> order;
    Eigen::COLAMDOrdering<int>()(columns, order);  // the place of each column
    for (Index c = 0; c < matrix.cols(); ++c) column_[static_cast<std::size_t>(order.indices()(c))] = c;
    const Eigen::SparseMatrix<double, Eigen::RowMajor> by_rows = matrix;
    for (Index r = 0; r < matrix.rows(); ++r) {
        std::vector<std::pair<Index, double>> entries;
        for (decltype(by_rows)::InnerIterator it(by_rows, r); it; ++it) {
            if (it.value() != 0.0) entries.emplace_back(order.indices()(it.col()), it.value());
        }
        std::ranges::sort(entries);
        Front front;
        front.rows.resize(1, static_cast<Index>(entries.size()) + dense_);
        for (const auto& [place, value] : entries) {
            front.rows(0, static_cast<Index>(front.columns.size())) = value;
            front.columns.push_back(place);
        }
        front.rows.rightCols(dense_) = dense.row(r);
        pass_on(std::move(front));
    }
    for (std::vector<Front>& parts : waiting_) {
        if (!parts.empty()) eliminate(merged(std::exchange(parts, {})));
    }
    Index rows = 0;
    for (const Front& front : done_) rows += front.rows.rows();
    below_.resize(rows, dense_);
    rows = 0;
    for (const Front& front : done_) {
        below_.middleRows(rows, front.rows.rows()) = front.rows;
        rows += front.rows.rows();
    }
    done_.clear();
}

void SparseElimination::pass_on(Front front) {
    if (front.rows.rows() == 0) return;
    auto& next = front.columns.empty() ? done_ : waiting_[static_cast<std::size_t>(front.columns[0])];
    next.push_back(std::move(front));
}

SparseElimination::Front SparseElimination::merged(std::vector<Front> parts) const {
    if (parts.size() == 1) return std::move(parts[0]);
    Front all;
    Index rows = 0;
    for (const Front& part : parts) {
        all.columns.insert(all.columns.end(), part.columns.begin(), part.columns.end());
        rows += part.rows.rows();
    }
    std::ranges::sort(all.columns);
    all.columns.erase(std::unique(all.columns.begin(), all.columns.end()), all.columns.end());
    all.rows.setZero(rows, static_cast<Index>(all.columns.size()) + dense_);
    rows = 0;
    for (const Front& part : parts) {
        auto here = all.rows.middleRows(rows, part.rows.rows());
        auto at = all.columns.begin();
        for (std::size_t k = 0; k < part.columns.size(); ++k) {
            at = std::lower_bound(at, all.columns.end(), part.columns[k]);
            here.col(at - all.columns.begin()) = part.rows.col(static_cast<Index>(k));
        }
        here.rightCols(dense_) = part.rows.rightCols(dense_);
        rows += part.rows.rows();
    }
    return all;
}

void SparseElimination::eliminate(Front front) {
    const Index others = front.rows.cols() - 1;
    const bool used = front.rows.col(0).norm() > gone_;
    if (used && front.rows.rows() > 1) {
        double tau = 0.0;
        double left = 0.0;
        front.rows.col(0).makeHouseholderInPlace(tau, left);
        const VectorXd reflector = front.rows.col(0).tail(front.rows.rows() - 1);
        VectorXd workspace(others);
        front.rows.rightCols(others).applyHouseholderOnTheLeft(reflector, tau, workspace.data());
        front.rows(0, 0) = left;
    }
    const Index consumed = used ? 1 : 0;
    Front rest{{front.columns.begin() + 1, front.columns.end()},
               front.rows.bottomRightCorner(front.rows.rows() - consumed, others)};
    if (used) pivots_.push_back({std::move(front.columns), front.rows.topRows(1)});
    pass_on(std::move(rest));
}

VectorXd SparseElimination::solve(const VectorXd& factors) const {
    VectorXd result = VectorXd::Zero(static_cast<Index>(column_.size()));
    for (std::size_t p = pivots_.size(); p-- > 0;) {
        const Front& pivot = pivots_[p];
        double value = pivot.rows.rightCols(dense_).row(0).dot(factors);
        for (std::size_t k = 1; k < pivot.columns.size(); ++k)
            value -= pivot.rows(0, static_cast<Index>(k)) * result(column_[static_cast<std::size_t>(pivot.columns[k])]);
        result(column_[static_cast<std::size_t>(pivot.columns[0])]) = value / pivot.rows(0, 0);
    }
    return result;
}

}  // namespace bondgraph::structure
