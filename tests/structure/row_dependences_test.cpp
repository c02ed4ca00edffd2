#include "bondgraph/structure/row_dependences.hpp"

#include <gtest/gtest.h>

#include <random>

namespace bondgraph::structure {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

MatrixXd random_matrix(Index rows, Index columns, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> entry(-1.0, 1.0);
    return MatrixXd::NullaryExpr(rows, columns, [&] { return entry(random); });
}

/// Whether the columns are orthonormal and make nothing of the rows.
void expect_dependences(const MatrixXd& rows, const MatrixXd& found, Index count) {
    ASSERT_EQ(found.rows(), rows.rows());
    ASSERT_EQ(found.cols(), count);
    EXPECT_LT((found.transpose() * found - MatrixXd::Identity(count, count)).cwiseAbs().maxCoeff(), 1e-13);
    EXPECT_LT((found.transpose() * rows).cwiseAbs().maxCoeff(), 1e-12);
}

TEST(RowDependences, AreTheKernelOfTheTransposedRows) {
    for (unsigned seed = 1; seed <= 20; ++seed) {
        MatrixXd rows(7, 6);
        rows.topRows(4) = random_matrix(4, 6, seed);
        rows.bottomRows(3) = random_matrix(3, 4, seed + 100) * rows.topRows(4);
        const auto found = row_dependences(rows, 3);
        ASSERT_TRUE(found) << seed;
        expect_dependences(rows, *found, 3);
    }
}

TEST(RowDependences, OfRowsWithoutEntriesAreTheseRows) {
    MatrixXd rows = random_matrix(6, 5, 3);
    rows.row(1).setConstant(1e-15);
    rows.row(4).setZero();
    const auto alone = row_dependences(rows, 2);
    ASSERT_TRUE(alone);
    EXPECT_EQ((*alone)(1, 0), 1.0);
    EXPECT_EQ((*alone)(4, 1), 1.0);
    expect_dependences(rows, *alone, 2);
    rows.row(5) = 0.3 * rows.row(0) - rows.row(2);
    const auto among_others = row_dependences(rows, 3);
    ASSERT_TRUE(among_others);
    expect_dependences(rows, *among_others, 3);
    const auto nothing_else = row_dependences(MatrixXd::Zero(2, 3), 2);
    ASSERT_TRUE(nothing_else);
    expect_dependences(MatrixXd::Zero(2, 3), *nothing_else, 2);
}

TEST(RowDependences, AreNotToldWhereMoreOrFewerRowsDependOnOthers) {
    MatrixXd rows = random_matrix(5, 5, 4);
    EXPECT_FALSE(row_dependences(rows, 1));
    rows.row(3) = rows.row(0) + rows.row(1);
    EXPECT_TRUE(row_dependences(rows, 1));
    EXPECT_FALSE(row_dependences(rows, 0));
    rows.row(2).setZero();
    EXPECT_FALSE(row_dependences(rows, 1));
    rows.row(0).setZero();
    rows.row(1).setZero();
    EXPECT_FALSE(row_dependences(rows, 2));
}

TEST(RowDependences, DontChangeWithTheSizeOfColumns) {
    MatrixXd rows = random_matrix(4, 4, 5);
    rows.row(3) = rows.row(1) - 2.0 * rows.row(2);
    MatrixXd scaled = rows;
    scaled.col(0) *= 1e-9;
    const auto one = row_dependences(rows, 1), other = row_dependences(scaled, 1);
    ASSERT_TRUE(one && other);
    EXPECT_NEAR(std::abs(one->col(0).dot(other->col(0))), 1.0, 1e-12);
}

}  // namespace
}  // namespace bondgraph::structure
