#include "bondgraph/structure/dense.hpp"

#include <Eigen/LU>
#include <Eigen/QR>
#include <Eigen/SVD>
#include <Eigen/SparseCore>

#include "bondgraph/structure/sparse_factors.hpp"

namespace bondgraph::structure {

using Eigen::MatrixXd;
using Eigen::VectorXd;

MatrixXd linear_solution(const MatrixXd& A, const MatrixXd& B) {
    constexpr Eigen::Index kLarge = 100;
    const Eigen::Index n = A.rows();
    if (n > kLarge && (A.array() != 0.0).count() < n * n / 20) {
        const Eigen::SparseMatrix<double> sparse = A.sparseView();
        SparseFactors transposed(pattern_of_columns(sparse));
        if (transposed.factorize({sparse.valuePtr(), static_cast<std::size_t>(sparse.nonZeros())})) {
            MatrixXd X = B;
            if (X.size() > 0) transposed.solve_transposed({X.data(), static_cast<std::size_t>(X.size())});
            return X;
        }
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

VectorXd singular_values(const MatrixXd& A) { return singular_vectors(A).values; }

SingularVectors singular_vectors(const MatrixXd& A) {
    const Eigen::JacobiSVD<MatrixXd> svd(A, Eigen::ComputeFullV);
    return {svd.singularValues(), svd.matrixV()};
}

}  // namespace bondgraph::structure
