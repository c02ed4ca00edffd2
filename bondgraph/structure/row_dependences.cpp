#include "bondgraph/structure/row_dependences.hpp"

#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <vector>

#include "bondgraph/structure/dense.hpp"

namespace bondgraph::structure {

using Eigen::Index;
using Eigen::MatrixXd;

namespace {

constexpr double kNothing = 1e-13;          // of an entry: what rounding leaves of a row without any
constexpr double kIndependentPivot = 1e-6;  // of the largest pivot: rows nearer to dependence are a singular position's
constexpr double kDependentPivot = 1e-3;  // of the last pivot that counts: what the rows' own errors leave of the next

/// The same, of rows each of which has entries; not orthonormal.
std::optional<MatrixXd> dependences(const MatrixXd& rows, Index count) {
    const Index rank = rows.rows() - count;
    if (rank < 0 || rank > rows.cols()) return std::nullopt;
    if (rows.rows() == 0) return MatrixXd(0, 0);
    const OrthogonalTriangular qr = orthogonal_triangular(rows.transpose(), MatrixXd(rows.cols(), 0), kDependentPivot);
    const MatrixXd& R = qr.R;
    if (rank > 0 && !(std::abs(R(rank - 1, rank - 1)) > kIndependentPivot * std::abs(R(0, 0)))) return std::nullopt;
    if (rank > 0 && rank < std::min(R.rows(), R.cols()) &&
        !(std::abs(R(rank, rank)) < kDependentPivot * std::abs(R(rank - 1, rank - 1))))
        return std::nullopt;
    MatrixXd kernel(rows.rows(), count);
    kernel.topRows(rank) =
        -R.topLeftCorner(rank, rank).triangularView<Eigen::Upper>().solve(R.topRightCorner(rank, count));
    kernel.bottomRows(count).setIdentity();
    return MatrixXd(Eigen::PermutationMatrix<Eigen::Dynamic>(qr.order) * kernel);
}

MatrixXd orthonormal(const MatrixXd& independent) {
    const Eigen::HouseholderQR<MatrixXd> qr(independent);
    return qr.householderQ() * MatrixXd::Identity(independent.rows(), independent.cols());
}

}  // namespace

std::optional<MatrixXd> row_dependences(const MatrixXd& rows, Index count) {
    std::vector<Index> telling, silent;
    for (Index r = 0; r < rows.rows(); ++r)
        (rows.row(r).cwiseAbs().maxCoeff() > kNothing ? telling : silent).push_back(r);
    const auto lone = static_cast<Index>(silent.size());
    if (lone > count) return std::nullopt;
    MatrixXd result = MatrixXd::Zero(rows.rows(), count);
    for (Index k = 0; k < lone; ++k) result(silent[static_cast<std::size_t>(k)], k) = 1.0;
    MatrixXd left = rows(telling, Eigen::all);
    for (Index c = 0; c < left.cols() && left.rows() > 0; ++c) {
        const double largest = left.col(c).cwiseAbs().maxCoeff();
        if (largest > 0.0) left.col(c) /= largest;
    }
    const auto kernel = dependences(left, count - lone);
    if (!kernel) return std::nullopt;
    if (count > lone) result(telling, Eigen::seq(lone, count - 1)) = orthonormal(*kernel);
    return result;
}

}  // namespace bondgraph::structure
