#include "bondgraph/structure/sparse_reflections.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <algorithm>
#include <random>
#include <vector>

#include "bondgraph/structure/pivoting.hpp"

namespace bondgraph::structure {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// The length of what a column has beside others, by a dense factorization of these.
double beside(const MatrixXd& matrix, const std::vector<Index>& taken, Index column) {
    if (taken.empty()) return matrix.col(column).norm();
    const MatrixXd others = matrix(Eigen::all, taken);
    return (matrix.col(column) - others * others.colPivHouseholderQr().solve(matrix.col(column))).norm();
}

TEST(SparseReflections, LeaveOfEachColumnWhatAProjectionLeaves) {
    std::mt19937 random(5);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (int k = 0; k < 200; ++k) {
        const Index m = 1 + static_cast<Index>(random() % 14);
        const Index n = 1 + static_cast<Index>(random() % 14);
        MatrixXd a = MatrixXd::NullaryExpr(m, n, [&] { return random() % 3 == 0 ? number(random) : 0.0; });
        if (n > 2) a.col(1) = a.col(0) - 2.0 * a.col(2);
        SparseReflections left(a);
        std::vector<Index> order(static_cast<std::size_t>(n));
        for (Index c = 0; c < n; ++c) order[static_cast<std::size_t>(c)] = c;
        std::ranges::shuffle(order, random);
        for (const Index c : order) {
            for (Index other = 0; other < n; ++other) {
                if (left.is_taken(other)) continue;
                ASSERT_NEAR(left.rest(other), beside(a, left.taken(), other), 1e-11) << k;
                ASSERT_EQ(left.length(other), SparseReflections(a.col(other)).rest(0)) << k;
            }
            if (!left.full() && left.rest(c) > 1e-9) left.take(c);
        }
        Eigen::ColPivHouseholderQR<MatrixXd> full(a);
        full.setThreshold(1e-10);
        EXPECT_EQ(left.rank(), full.rank()) << k;
    }
}

// A ladder of loops: pieces that share a coordinate with the next. Each column touches its own piece and its neighbours
// however many there are, and all that hangs together is taken before anything is told to depend on it.
TEST(SparseReflections, ALongLadderLosesTheRowsThatRepeatOthersAndNoMore) {
    constexpr Index kPieces = 60;
    std::mt19937 random(9);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    MatrixXd a = MatrixXd::Zero(3 * kPieces + 1, 4 * kPieces);
    for (Index p = 0; p < kPieces; ++p) {
        a.block(3 * p, 4 * p, 4, 3) = MatrixXd::NullaryExpr(4, 3, [&] { return number(random); });
        a.col(4 * p + 3) = a.col(4 * p) + 0.5 * a.col(4 * p + 2);
    }
    const std::vector<Index> kept = independent_columns(a, {}, 1e-9, 0.0);
    EXPECT_EQ(static_cast<Index>(kept.size()), 3 * kPieces);
    EXPECT_EQ(a(Eigen::all, kept).colPivHouseholderQr().rank(), 3 * kPieces);
}

}  // namespace
}  // namespace bondgraph::structure
