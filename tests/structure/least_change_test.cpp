#include "bondgraph/structure/least_change.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <Eigen/SVD>
#include <random>
#include <vector>

namespace bondgraph::structure {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

VectorXd change(const MatrixXd& a, const VectorXd& b, const std::vector<std::uint8_t>& reluctance) {
    return least_change(a.sparseView(), b, reluctance);
}

Eigen::CompleteOrthogonalDecomposition<MatrixXd> inverse_of(const MatrixXd& matrix) {
    Eigen::CompleteOrthogonalDecomposition<MatrixXd> decomposition;
    decomposition.setThreshold(1e-9);
    return decomposition.compute(matrix);
}

TEST(LeastChange, WhatIsReadyTakesAllItCan) {
    MatrixXd a(1, 3);
    a << 1, 1, 1;
    const VectorXd b = VectorXd::Constant(1, 6.0);
    EXPECT_EQ(change(a, b, {1, 0, 2}), VectorXd(Eigen::Vector3d(0, 6, 0)));
    EXPECT_TRUE(change(a, b, {1, 1, 2}).isApprox(Eigen::Vector3d(3, 3, 0)));
    EXPECT_TRUE(change(a, b, {2, 2, 2}).isApprox(Eigen::Vector3d(2, 2, 2)));
}

TEST(LeastChange, WhatNothingAsksForIsExactlyZero) {
    MatrixXd a(2, 3);
    a << 1, 0.3, 0, 0, 0, 1;  // the second column only together with the first
    const VectorXd x = change(a, Eigen::Vector2d(1, 2), {0, 1, 1});
    EXPECT_EQ(x(1), 0.0);
    EXPECT_DOUBLE_EQ(x(0), 1.0);
    EXPECT_DOUBLE_EQ(x(2), 2.0);
}

// Against the same by dense pseudo-inverses, level by level, with dependent rows and columns among them.
TEST(LeastChange, AgreesWithPseudoInversesLevelByLevel) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    for (int k = 0; k < 300; ++k) {
        const int m = 1 + static_cast<int>(random() % 12);
        const int n = 1 + static_cast<int>(random() % 16);
        MatrixXd a = MatrixXd::NullaryExpr(m, n, [&] { return random() % 3 == 0 ? number(random) : 0.0; });
        if (m > 2) a.row(1) = 2.0 * a.row(0);
        const VectorXd truth = VectorXd::NullaryExpr(n, [&] { return number(random); });
        const VectorXd b = a * truth;  // can be met
        std::vector<std::uint8_t> level(static_cast<std::size_t>(n));
        for (auto& l : level) l = static_cast<std::uint8_t>(random() % 4);
        const VectorXd x = change(a, b, level);
        EXPECT_LT((a * x - b).norm(), 1e-9 * (1.0 + b.norm()));
        // The norm of each level is the least possible: whatever those before it can't, by the pseudo-inverse.
        const auto part = [&](int wanted, bool below) {
            std::vector<int> list;
            for (int c = 0; c < n; ++c) {
                const int l = level[static_cast<std::size_t>(c)];
                if (below ? l < wanted : l == wanted) list.push_back(c);
            }
            return MatrixXd(a(Eigen::all, list));
        };
        VectorXd rest = b;
        for (int at = 3; at > 0; --at) {
            const MatrixXd lower = part(at, true);
            const MatrixXd its = part(at, false);
            if (its.cols() == 0) continue;
            MatrixXd project = MatrixXd::Identity(m, m);
            if (lower.cols() > 0) project -= lower * inverse_of(lower).pseudoInverse();
            MatrixXd left = project * its;
            left = left.unaryExpr([](double v) { return std::abs(v) < 1e-10 ? 0.0 : v; });
            const VectorXd least = left.isZero(0.0) ? VectorXd(VectorXd::Zero(its.cols()))
                                                    : VectorXd(inverse_of(left).solve(project * rest));
            std::vector<int> list;
            for (int c = 0; c < n; ++c) {
                if (level[static_cast<std::size_t>(c)] == at) list.push_back(c);
            }
            EXPECT_LT((x(list) - least).norm(), 1e-8 * (1.0 + least.norm())) << k << " level " << at;
            rest -= its * least;
        }
    }
}

// Against the null space by singular values.
TEST(OpenColumns, AreThoseThatMoveInTheNullSpace) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> number(-1.0, 1.0);
    int open = 0;
    int tied = 0;
    for (int k = 0; k < 300; ++k) {
        const int m = 1 + static_cast<int>(random() % 10);
        const int n = 1 + static_cast<int>(random() % 12);
        MatrixXd a = MatrixXd::NullaryExpr(m, n, [&] { return random() % 3 == 0 ? number(random) : 0.0; });
        if (m > 2) a.row(1) = 2.0 * a.row(0);
        std::vector<std::uint8_t> level(static_cast<std::size_t>(n));
        for (auto& l : level) l = static_cast<std::uint8_t>(random() % 4);
        Eigen::JacobiSVD<MatrixXd> svd(a, Eigen::ComputeFullV);
        svd.setThreshold(1e-10);
        const MatrixXd null = svd.matrixV().rightCols(n - svd.rank());
        std::vector<std::uint32_t> expected;
        for (int c = 0; c < n; ++c) {
            if (level[static_cast<std::size_t>(c)] == 0) continue;
            const bool moves = null.row(c).norm() > 1e-8;
            ++(moves ? open : tied);
            if (moves) expected.push_back(static_cast<std::uint32_t>(c));
        }
        EXPECT_EQ(open_columns(a.sparseView(), level), expected) << k;
    }
    EXPECT_GT(open, 100);
    EXPECT_GT(tied, 100);
}

}  // namespace
}  // namespace bondgraph::structure
