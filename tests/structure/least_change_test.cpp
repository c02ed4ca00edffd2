#include "bondgraph/structure/least_change.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
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
        for (auto& l : level) l = static_cast<std::uint8_t>(random() % 3);
        const VectorXd x = change(a, b, level);
        EXPECT_LT((a * x - b).norm(), 1e-9 * (1.0 + b.norm()));
        // The norm of the last level is the least possible: whatever the others can't, by the pseudo-inverse.
        const auto part = [&](int wanted, bool below) {
            std::vector<int> list;
            for (int c = 0; c < n; ++c) {
                const int l = level[static_cast<std::size_t>(c)];
                if (below ? l < wanted : l == wanted) list.push_back(c);
            }
            return MatrixXd(a(Eigen::all, list));
        };
        const MatrixXd lower = part(2, true);
        const MatrixXd last = part(2, false);
        if (last.cols() == 0) continue;
        MatrixXd project = MatrixXd::Identity(m, m);
        if (lower.cols() > 0) {
            project -= lower * inverse_of(lower).pseudoInverse();
        }
        MatrixXd left = project * last;
        left = left.unaryExpr([](double v) { return std::abs(v) < 1e-10 ? 0.0 : v; });
        const VectorXd least =
            left.isZero(0.0) ? VectorXd(VectorXd::Zero(last.cols())) : VectorXd(inverse_of(left).solve(project * b));
        double norm = 0.0;
        for (int c = 0; c < n; ++c) norm += level[static_cast<std::size_t>(c)] == 2 ? x(c) * x(c) : 0.0;
        EXPECT_NEAR(std::sqrt(norm), least.norm(), 1e-8 * (1.0 + least.norm())) << k;
    }
}

}  // namespace
}  // namespace bondgraph::structure
