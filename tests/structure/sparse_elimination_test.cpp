#include "bondgraph/structure/sparse_elimination.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <random>
#include <tuple>
#include <vector>

namespace bondgraph::structure {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double kNothing = 1e-13;

// Rows whose dense part the sparse columns can't reach are those of the complement of their space: what is below has
// the products of what a projection onto it leaves, and what is above gives a solution of the rest.
TEST(SparseElimination, RankComplementAndSolutionAreThoseOfADenseFactorization) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    int deficient = 0;
    for (int k = 0; k < 300; ++k) {
        const Index m = 1 + static_cast<Index>(random() % 14);
        const Index n = 1 + static_cast<Index>(random() % 12);
        MatrixXd a = MatrixXd::NullaryExpr(m, n, [&] { return random() % 3 == 0 ? number(random) : 0.0; });
        if (n > 2) a.col(1) = a.col(0) - 2.0 * a.col(2);
        if (m > 3) a.row(2) = -3.0 * a.row(0);
        const MatrixXd dense = MatrixXd::NullaryExpr(m, 3, [&] { return number(random); });
        Eigen::CompleteOrthogonalDecomposition<MatrixXd> full;
        full.setThreshold(1e-10);
        full.compute(a);
        const SparseElimination e(a.sparseView(), dense, kNothing);
        ASSERT_EQ(e.rank(), full.rank()) << k;
        deficient += e.rank() < std::min(m, n) ? 1 : 0;
        ASSERT_EQ(e.below().rows(), m - e.rank());
        const MatrixXd left = dense - a * full.solve(dense);
        EXPECT_TRUE((left.transpose() * dense).isApprox(e.below().transpose() * e.below(), 1e-9) || left.norm() < 1e-9)
            << k;
        const VectorXd factors = VectorXd::NullaryExpr(3, [&] { return number(random); });
        const VectorXd missed = dense * factors - a * e.solve(factors);
        EXPECT_NEAR(missed.norm(), (left * factors).norm(), 1e-9) << k;
    }
    EXPECT_GT(deficient, 100);
}

TEST(SparseElimination, EmptyRowsAndColumnsAreNoPivots) {
    Eigen::SparseMatrix<double> a(4, 3);
    a.insert(2, 1) = 2.0;
    const SparseElimination e(a, VectorXd::LinSpaced(4, 1.0, 4.0), kNothing);
    EXPECT_EQ(e.rank(), 1);
    EXPECT_NEAR(e.below().squaredNorm(), 1.0 + 4.0 + 16.0, 1e-12);
    EXPECT_EQ(e.solve(VectorXd::Ones(1)), VectorXd(Eigen::Vector3d(0.0, 1.5, 0.0)));
    const SparseElimination none(Eigen::SparseMatrix<double>(2, 0), VectorXd::Ones(2), kNothing);
    EXPECT_EQ(none.rank(), 0);
    EXPECT_EQ(none.below().rows(), 2);
    EXPECT_EQ(none.solve(VectorXd::Ones(1)).size(), 0);
}

// Springs between the nodes of a grid, none to the ground: the last of many columns depends on the others.
TEST(SparseElimination, FreeGridLacksOneOfItsColumns) {
    constexpr Index kSide = 40;
    std::vector<Eigen::Triplet<double>> entries;
    const auto tie = [&](Index a, Index b) {
        const double stiffness = 0.25 + 0.1 * static_cast<double>((a * 7 + b * 3) % 5);
        for (const auto& [r, c, sign] : {std::tuple{a, a, 1.0}, {b, b, 1.0}, {a, b, -1.0}, {b, a, -1.0}})
            entries.emplace_back(static_cast<int>(r), static_cast<int>(c), sign * stiffness);
    };
    for (Index r = 0; r < kSide; ++r) {
        for (Index c = 0; c < kSide; ++c) {
            if (r + 1 < kSide) tie(r * kSide + c, (r + 1) * kSide + c);
            if (c + 1 < kSide) tie(r * kSide + c, r * kSide + c + 1);
        }
    }
    Eigen::SparseMatrix<double> a(kSide * kSide, kSide * kSide);
    a.setFromTriplets(entries.begin(), entries.end());
    const VectorXd right = a * VectorXd::Random(a.cols());
    const SparseElimination e(a, right, kNothing);
    EXPECT_EQ(e.rank(), a.cols() - 1);
    EXPECT_LT(e.below().norm(), 1e-11);
    EXPECT_LT((a * e.solve(VectorXd::Ones(1)) - right).norm(), 1e-10);
}

}  // namespace
}  // namespace bondgraph::structure
