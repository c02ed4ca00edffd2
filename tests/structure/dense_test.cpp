#include "bondgraph/structure/dense.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace bondgraph::structure {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Numbers without pattern.
MatrixXd numbers(Index rows, Index columns) {
    MatrixXd result(rows, columns);
    for (Index k = 0; k < result.size(); ++k) result(k) = std::sin(1.0 + 1.7 * static_cast<double>(k * k));
    return result;
}

MatrixXd of_rank_two(Index rows, Index columns) { return numbers(rows, 2) * numbers(2, columns); }

// Full, and large with few entries, where the factors are sparse ones.
TEST(Dense, LinearSolutionOfSmallAndOfSparseMatrices) {
    for (const Index n : {1, 5, 150}) {
        MatrixXd A = n < 100 ? numbers(n, n) : MatrixXd::Zero(n, n);
        A.diagonal().array() += 3.0;
        for (Index k = 0; k + 1 < n; ++k) A(k + 1, k) = 2.0;
        if (n > 100) A(0, n - 1) = 1.0;  // not symmetric: a transposed solution is another one
        const MatrixXd X = numbers(n, 3);
        EXPECT_LT((linear_solution(A, A * X) - X).cwiseAbs().maxCoeff(), 1e-12) << n;
    }
}

TEST(Dense, LeastSquaresLeaveWhatIsNormalToTheColumns) {
    const MatrixXd A = numbers(7, 3);
    const MatrixXd B = numbers(7, 5).rightCols(2);
    const MatrixXd X = least_squares(A, B);
    ASSERT_EQ(X.rows(), 3);
    EXPECT_LT((A.transpose() * (A * X - B)).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_GT((A * X - B).norm(), 0.1);
}

// A direction of which A makes 1e-12 of what it makes of others: the solution stays away from it.
TEST(Dense, ShortestSolutionIsNormalToWhatIsLeftOpen) {
    const MatrixXd A = of_rank_two(6, 4) + 1e-12 * numbers(6, 4);
    const VectorXd b = numbers(6, 1);
    const VectorXd x = shortest_solution(A, b, 1e-8);
    const MatrixXd rows = of_rank_two(6, 4);
    const VectorXd residual = rows * x - b;
    EXPECT_LT((rows.transpose() * residual).norm(), 1e-9);
    // In the span of A's rows: two of them are enough to make it.
    const MatrixXd basis = rows.topRows(2).transpose();
    EXPECT_LT((basis * least_squares(basis, x) - x).norm(), 1e-9);
    EXPECT_LT(x.norm(), 1e3);
}

TEST(Dense, OrthogonalTriangularRebuildsTheColumnsInTheirOrder) {
    const MatrixXd A = of_rank_two(5, 4);
    const MatrixXd one = MatrixXd::Identity(5, 5);
    const OrthogonalTriangular qr = orthogonal_triangular(A, one, 1e-10);
    EXPECT_EQ(qr.rank, 2);
    for (Index k = 0; k < 4; ++k)
        EXPECT_LT((qr.Q_transposed.transpose() * qr.R.col(k) - A.col(qr.order(k))).norm(), 1e-13);
    EXPECT_EQ(qr.R(3, 1), 0.0);
    EXPECT_EQ(orthogonal_triangular(A, MatrixXd(5, 0), 1e-10).Q_transposed.cols(), 0);
}

TEST(Dense, SingularVectorsAreTheAxesOfAnEllipsoid) {
    const MatrixXd A = of_rank_two(3, 5);
    const SingularVectors svd = singular_vectors(A);
    ASSERT_EQ(svd.V.cols(), 5);
    EXPECT_LT((svd.V.transpose() * svd.V - MatrixXd::Identity(5, 5)).norm(), 1e-13);
    EXPECT_GE(svd.values(0), svd.values(1));
    for (Index k = 0; k < 5; ++k)
        EXPECT_NEAR((A * svd.V.col(k)).norm(), k < svd.values.size() ? svd.values(k) : 0.0, 1e-13);
    EXPECT_LT((singular_values(A) - svd.values).norm(), 1e-13);
    EXPECT_LT((singular_values(A.transpose()) - svd.values).norm(), 1e-13);
}

}  // namespace
}  // namespace bondgraph::structure
