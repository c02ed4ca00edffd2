#pragma once

#include <Eigen/Core>
#include <Eigen/SparseCore>
#include <optional>

namespace bondgraph::structure {

/// Factorizations of full matrices, by Eigen's (Guennebaud, Jacob et al., version 3.4), as functions: a factorization
/// is thousands of lines of templates, which are compiled here once.

/// Whether a square matrix is large and has few entries.
[[nodiscard]] bool worth_sparse_factors(const Eigen::MatrixXd& A);

/// The solution of A X = B by LU factors of few entries; nothing where A is singular. A compressed.
[[nodiscard]] std::optional<Eigen::MatrixXd> sparse_solution(const Eigen::SparseMatrix<double>& A,
                                                             const Eigen::MatrixXd& B);

/// The solution of A X = B, A square and regular: by LU factors; where A is large and has few entries, by sparse ones.
[[nodiscard]] Eigen::MatrixXd linear_solution(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// x with the least |A x - B|, column by column, by Householder reflections with exchanges of columns. Where A leaves x
/// open, unknowns that exchanges put last are 0. B as many rows as A.
[[nodiscard]] Eigen::MatrixXd least_squares(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B);

/// Of all x with the least |A x - b|, the shortest. Directions of which A makes less than `threshold` of what it makes
/// of others count as left open.
[[nodiscard]] Eigen::VectorXd shortest_solution(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double threshold);

/// A P = Q R, where the diagonal of R descends.
struct OrthogonalTriangular {
    Eigen::MatrixXd R;             ///< as large as A, zero below the diagonal
    Eigen::MatrixXd Q_transposed;  ///< Qᵀ B
    Eigen::VectorXi order;         ///< column k of A P is column order(k) of A
    Eigen::Index rank = 0;         ///< pivots above `threshold` of the first
};
/// B as many rows as A.
[[nodiscard]] OrthogonalTriangular orthogonal_triangular(const Eigen::MatrixXd& A, const Eigen::MatrixXd& B,
                                                         double threshold);

/// Descending.
[[nodiscard]] Eigen::VectorXd singular_values(const Eigen::MatrixXd& A);

/// A = U diag(values) Vᵀ, by Jacobi's method: `values` descending, V square.
struct SingularVectors {
    Eigen::VectorXd values;
    Eigen::MatrixXd V;
};
[[nodiscard]] SingularVectors singular_vectors(const Eigen::MatrixXd& A);

}  // namespace bondgraph::structure
