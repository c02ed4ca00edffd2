#include "bondgraph/structure/sparse_factors.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <random>

#include "tests/structure/lists.hpp"

namespace bondgraph::structure {
namespace {

// One matrix after another, whose pivots have to be others every time: what was remembered of their order mustn't stay.
TEST(SparseFactors, DeterminantsFollowThePivots) {
    constexpr int kSize = 4;
    SparseFactors factors(incidence({{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}}));
    std::minstd_rand random(7);
    std::uniform_real_distribution<double> part(-1.0, 1.0);
    int negative = 0;
    for (int k = 0; k < 40; ++k) {
        Eigen::Matrix<double, kSize, kSize, Eigen::RowMajor> m;
        for (double& x : m.reshaped()) x = 0.1 * part(random);
        Eigen::Vector4i order(0, 1, 2, 3);
        std::shuffle(order.begin(), order.end(), random);
        for (int r = 0; r < kSize; ++r) m(r, order(r)) = part(random) > 0.0 ? 1e6 : -1e6;
        ASSERT_TRUE(factors.factorize({m.data(), kSize * kSize}));
        const std::vector<Determinant> found = factors.determinants();
        ASSERT_EQ(found.size(), 1U);
        const double exact = m.determinant();
        EXPECT_EQ(found[0].sign, exact > 0.0 ? 1.0 : -1.0) << m;
        EXPECT_NEAR(found[0].log_size, std::log(std::abs(exact)), 1e-9);
        EXPECT_EQ(factors.determinants()[0].sign, found[0].sign);
        negative += exact < 0.0 ? 1 : 0;
    }
    EXPECT_GT(negative, 10);
    EXPECT_LT(negative, 30);
}

// Matrices with small pivots, a singular one and others between them: each is solved as if it came first.
TEST(SparseFactors, AMatrixIsSolvedWhateverCameBeforeIt) {
    constexpr int kSize = 4;
    SparseFactors factors(incidence({{0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}, {0, 1, 2, 3}}));
    std::minstd_rand random(3);
    std::uniform_real_distribution<double> part(-1.0, 1.0);
    for (int k = 0; k < 40; ++k) {
        Eigen::Matrix<double, kSize, kSize, Eigen::RowMajor> m;
        for (double& x : m.reshaped()) x = part(random);
        const bool singular = k % 7 == 3;
        m.diagonal() *= k % 2 == 0 ? 100.0 : 1e-15;  // pivots for the next matrix, and such as would leave it no digit
        if (k % 3 == 1) m.col(k % kSize) *= 1e-14;
        if (singular) m.col(2).setZero();
        ASSERT_EQ(factors.factorize({m.data(), kSize * kSize}), !singular) << k;
        if (singular) continue;
        const Eigen::Vector4d exact = Eigen::Vector4d::NullaryExpr([&] { return part(random); });
        Eigen::Vector4d x = m * exact;
        factors.solve({x.data(), kSize});
        EXPECT_LT((m * (x - exact)).norm(), 1e-12 * m.norm()) << k;
    }
}

}  // namespace
}  // namespace bondgraph::structure
