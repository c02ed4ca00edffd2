#include "bondgraph/structure/exchange_gain.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>

#include "tests/structure/lists.hpp"

namespace bondgraph::structure {
namespace {

// Pendulum x'' = T x, y'' = T y − g, x² + y² = 1; columns x, y, T, x', y', x'', y''. Its constraint, differentiated
// twice, has the coefficients 2x and 2y of x'' and y''; the choice is made near the bottom: x is the state.
struct PendulumBottom {
    std::vector<std::uint32_t> derivative_of{3, 4, no, 5, 6, no, no};
    IndexReduction plan = reduce_index(incidence({{5, 0, 2}, {6, 1, 2}, {0, 1}}), derivative_of);
    Incidence pattern = incidence({{5, 6}});
    std::vector<std::uint32_t> row_of;
    DummyChoice choice;

    PendulumBottom() {
        for (std::size_t r = 0; r < plan.order.size(); ++r) row_of.push_back(plan.order[r] == 2 ? 0 : no);
        choice = choose_dummies(plan, derivative_blocks(plan),
                                [&](std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns) {
                                    Eigen::MatrixXd m(rows.size(), columns.size());
                                    for (std::size_t r = 0; r < rows.size(); ++r) {
                                        for (std::size_t c = 0; c < columns.size(); ++c)
                                            m(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) =
                                                coefficient(plan.origin[rows[r]], columns[c]);
                                    }
                                    return m;
                                },
                                {});
    }
    static double coefficient(std::uint32_t equation, std::uint32_t column) {
        if (equation == 2) return column == 5 ? 0.2 : column == 6 ? -2.0 : 0.0;
        if (column == 2) return equation == 0 ? -0.1 : 1.0;
        return column == 5 + equation ? 1.0 : 0.0;
    }
    double at(double x, double y, const std::vector<StateWish>& wishes = {}) const {
        return ExchangeGain(plan, choice, pattern, row_of, wishes).at(std::array{2 * x, 2 * y});
    }
};

TEST(ExchangeGain, IsTheSlopeAtWhichTheDependentCoordinateFollows) {
    const PendulumBottom p;
    EXPECT_NEAR(p.at(0.1, -0.99), 0.1 / 0.99, 1e-12);
    EXPECT_NEAR(p.at(0.6, -0.8), 0.75, 1e-12);
    EXPECT_NEAR(p.at(0.99, 0.1), 9.9, 1e-12);
}

TEST(ExchangeGain, IsInfiniteWhereNothingDeterminesTheDependentCoordinate) {
    const PendulumBottom p;
    EXPECT_TRUE(std::isinf(p.at(1.0, 0.0)));
    EXPECT_TRUE(std::isinf(p.at(std::nan(""), 0.5)));
}

TEST(ExchangeGain, CountsLittleWhereItWouldGiveUpAWantedState) {
    const PendulumBottom p;
    std::vector<StateWish> wishes(p.derivative_of.size());
    wishes[0] = wishes[3] = {60, 3};
    EXPECT_NEAR(p.at(0.99, 0.1, wishes), 9.9e-3, 1e-12);
    wishes[1] = wishes[4] = {60, 3};
    EXPECT_NEAR(p.at(0.99, 0.1, wishes), 9.9, 1e-12);
}

// Two conditions on three variables, a law for the sum of rates: two dummies, one other candidate.
TEST(ExchangeGain, SolvesForSeveralDummiesTogether) {
    const std::vector<std::uint32_t> derivative_of{3, 4, 5, no, no, no};
    const IndexReduction plan = reduce_index(incidence({{0, 1, 2}, {0, 1, 2}, {3, 4, 5, 0}}), derivative_of);
    Eigen::Matrix3d m;
    m << 1.0, 0.4, 0.3, 0.2, 1.0, -0.5, 0.1, 0.1, 1.0;
    const auto jacobian = [&](std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns) {
        Eigen::MatrixXd result(rows.size(), columns.size());
        for (std::size_t r = 0; r < rows.size(); ++r) {
            for (std::size_t c = 0; c < columns.size(); ++c)
                result(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)) =
                    m(plan.origin[rows[r]], columns[c] - 3);
        }
        return result;
    };
    const DummyChoice choice = choose_dummies(plan, derivative_blocks(plan), jacobian, {});
    ASSERT_EQ(choice.dummies.size(), 2U);
    std::vector<std::uint32_t> row_of(plan.order.size(), no);
    for (std::size_t r = 0; r < plan.order.size(); ++r) {
        if (plan.order[r] == 1) row_of[r] = plan.origin[r];
    }
    ExchangeGain gain(plan, choice, incidence({{3, 4, 5}, {3, 4, 5}}), row_of, {});
    // By hand: the largest entry of each of these rows and columns is 1, so that nothing is scaled.
    const auto first = static_cast<Eigen::Index>(choice.dummies[0] - 3);
    const auto second = static_cast<Eigen::Index>(choice.dummies[1] - 3);
    const Eigen::Index other = 3 - first - second;
    Eigen::Matrix2d square;
    square << m(0, first), m(0, second), m(1, first), m(1, second);
    const Eigen::Vector2d expected = square.inverse() * Eigen::Vector2d(m(0, other), m(1, other));
    const std::vector<double> entries{1.0, 0.4, 0.3, 0.2, 1.0, -0.5};
    EXPECT_NEAR(gain.at(entries), expected.cwiseAbs().maxCoeff(), 1e-12);
}

}  // namespace
}  // namespace bondgraph::structure
