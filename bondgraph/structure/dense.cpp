#include "bondgraph/structure/dense.hpp"

#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <algorithm>

#include "bondgraph/structure/sparse_factors.hpp"

namespace bondgraph::structure {

using Eigen::MatrixXd;
using Eigen::VectorXd;

bool worth_sparse_factors(const MatrixXd& A) {
    constexpr Eigen::Index kLarge = 100;  // the equations are few in each unknown: only beyond some size that counts
    const Eigen::Index n = A.rows();
    return n > kLarge && (A.array() != 0.0).count() < n * n / 20;
}

std::optional<MatrixXd> sparse_solution(const Eigen::SparseMatrix<double>& A, const MatrixXd& B) {
    SparseFactors transposed(pattern_of_columns(A));
    if (!transposed.factorize({A.valuePtr(), static_cast<std::size_t>(A.nonZeros())})) return std::nullopt;
    MatrixXd X = B;
    if (X.size() > 0) transposed.solve_transposed({X.data(), static_cast<std::size_t>(X.size())});
    return X;
}

MatrixXd linear_solution(const MatrixXd& A, const MatrixXd& B) {
    if (worth_sparse_factors(A)) {
        if (auto X = sparse_solution(A.sparseView(), B)) return *std::move(X);
    }
    return Eigen::PartialPivLU<MatrixXd>(A).solve(B);
}

MatrixXd least_squares(const MatrixXd& A, const MatrixXd& B) {
    return Eigen::ColPivHouseholderQR<MatrixXd>(A).solve(B);
}

VectorXd shortest_solution(const MatrixXd& A, const VectorXd& b, double threshold) {
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition;
    decomposition.setThreshold(threshold);
    decomposition.compute(A);
    return decomposition.solve(MatrixXd(b));
}

OrthogonalTriangular orthogonal_triangular(const MatrixXd& A, const MatrixXd& B, double threshold) {
    Eigen::ColPivHouseholderQR<MatrixXd> qr;
    qr.setThreshold(threshold);
    qr.compute(A);
    OrthogonalTriangular result{.R = qr.matrixR().triangularView<Eigen::Upper>(),
                                .Q_transposed = B,
                                .order = qr.colsPermutation().indices(),
                                .rank = qr.rank()};
    if (B.size() > 0) result.Q_transposed.applyOnTheLeft(qr.householderQ().adjoint());
    return result;
}

// The symmetric matrix [0 A; A' 0] has them as eigenvalues, with both signs: as exact as by rotations, and a tenth of
// the work where vectors aren't asked for.
VectorXd singular_values(const MatrixXd& A) {
    const Eigen::Index count = std::min(A.rows(), A.cols());
    MatrixXd both = MatrixXd::Zero(A.rows() + A.cols(), A.rows() + A.cols());
    both.bottomLeftCorner(A.cols(), A.rows()) = A.transpose();
    const Eigen::SelfAdjointEigenSolver<MatrixXd> eigen(both, Eigen::EigenvaluesOnly);
    return eigen.eigenvalues().tail(count).reverse().cwiseMax(0.0);
}

SingularVectors singular_vectors(const MatrixXd& A) {
    const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeFullV);
    return {svd.singularValues(), svd.matrixV()};
}

}  // namespace bondgraph::structure
