#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <limits>

#include "bondgraph/simulation/interruption.hpp"
#include "bondgraph/simulation/start_nonlinear.hpp"
#include "bondgraph/simulation/start_rank.hpp"

namespace bondgraph::simulation {
namespace {

using Status = NonlinearResult::Status;

structure::Incidence full(std::size_t n) {
    structure::Incidence pattern;
    std::vector<std::uint32_t> row(n);
    for (std::size_t i = 0; i < n; ++i) row[i] = static_cast<std::uint32_t>(i);
    for (std::size_t i = 0; i < n; ++i) pattern.add_row(row);
    return pattern;
}

NonlinearSystem scalar(const std::function<double(double)>& f, const std::function<double(double)>& slope) {
    NonlinearSystem s;
    s.pattern = full(1);
    s.residual = [f](std::span<const double> x, std::span<double> out) { return std::isfinite(out[0] = f(x[0])); };
    s.jacobian = [slope](std::span<const double> x, std::span<double> out) {
        return std::isfinite(out[0] = slope(x[0]));
    };
    return s;
}

const NonlinearSystem kCycling =
    scalar([](double x) { return x * x * x - 2.0 * x + 2.0; }, [](double x) { return 3.0 * x * x - 2.0; });
constexpr double kRoot = -1.7692923542386314;

TEST(Newton, GetsStuckWhereTheResidualHasALocalMinimum) {
    const std::vector<double> zero{0.0};
    EXPECT_EQ(solve_newton(kCycling, zero).status, Status::not_converged);
    EXPECT_NE(solve_line_search(kCycling, zero).status, Status::solved);
}

TEST(Homotopy, OfAFixedPointFindsTheRootThatNewtonMisses) {
    const std::vector<double> zero{0.0};
    const auto result = solve_homotopy(kCycling, zero, Homotopy::fixed_point);
    ASSERT_TRUE(result.solved());
    EXPECT_NEAR(result.x[0], kRoot, 1e-12);
}

TEST(Homotopy, OfNewtonFindsItFromTheOtherSideOfTheMaximum) {
    const std::vector<double> start{-1.0};
    const auto result = solve_homotopy(kCycling, start, Homotopy::newton);
    ASSERT_TRUE(result.solved());
    EXPECT_NEAR(result.x[0], kRoot, 1e-12);
}

TEST(AllMeans, FindARootWhereNewtonDoesNot) {
    const std::vector<double> zero{0.0};
    const auto result = solve_by_all_means(kCycling, zero);
    ASSERT_TRUE(result.solved());
    EXPECT_NEAR(result.x[0], kRoot, 1e-12);
    EXPECT_NE(result.method, "Newton");
}

TEST(AllMeans, DontTakeAVanishingResidualAtInfinityForASolution) {
    const auto decaying = scalar([](double x) { return std::exp(-x); }, [](double x) { return -std::exp(-x); });
    const std::vector<double> zero{0.0};
    EXPECT_FALSE(solve_by_all_means(decaying, zero).solved());
}

TEST(AllMeans, DontInventASolution) {
    const auto none = scalar([](double x) { return x * x + 1.0; }, [](double x) { return 2.0 * x; });
    for (const double start : {0.0, 0.3, -20.0}) {
        EXPECT_FALSE(solve_by_all_means(none, std::vector<double>{start}).solved());
    }
}

TEST(AllMeans, EndWhereTheUserAsksForIt) {
    const std::atomic<bool> asked{true};
    auto none = kCycling;
    none.interrupted = &asked;
    EXPECT_THROW(solve_by_all_means(none, std::vector<double>{0.0}), Interrupted);
}

TEST(AllMeans, LeaveAPointWithoutValueForOneThatHasOne) {
    const auto root = scalar([](double x) { return std::sqrt(x) - 3.0; }, [](double x) { return 0.5 / std::sqrt(x); });
    const auto result = solve_by_all_means(root, std::vector<double>{-2.0});
    ASSERT_TRUE(result.solved());
    EXPECT_NEAR(result.x[0], 9.0, 1e-10);
}

// A picofarad beside a gigapascal: rows and unknowns of very different magnitude.
TEST(Newton, IsIndifferentToUnits) {
    for (const double unit : {1e-12, 1.0, 1e12}) {
        NonlinearSystem s;
        s.pattern = full(2);
        s.residual = [unit](std::span<const double> x, std::span<double> f) {
            f[0] = (x[0] / unit) * (x[0] / unit) + x[1] * unit - 5.0;
            f[1] = unit * (x[0] / unit - x[1] * unit + 1.0);
            return true;
        };
        s.jacobian = [unit](std::span<const double> x, std::span<double> e) {
            e[0] = 2.0 * x[0] / unit / unit;
            e[1] = unit;
            e[2] = 1.0;
            e[3] = -unit * unit;
            return true;
        };
        const auto result = solve_newton(s, std::vector<double>{2.0 * unit, 0.0});
        ASSERT_TRUE(result.solved());
        const double x = (-1.0 + std::sqrt(17.0)) / 2.0;
        EXPECT_NEAR(result.x[0] / unit, x, 1e-12);
        EXPECT_NEAR(result.x[1] * unit, x + 1.0, 1e-12);
    }
}

// A diode with a leakage of 1e-75 in the other direction: near 0 its law is 0 or a whole rounding of 1.
TEST(Newton, IsDoneWhereOnlyRoundingInsideATermIsLeft) {
    auto diode = scalar([](double x) { return 1e-6 * (std::exp(x) - 1.0) + 1e-75; },
                        [](double x) { return 1e-6 * std::exp(x); });
    const std::vector<double> zero{0.0};
    EXPECT_FALSE(solve_newton(diode, zero).solved());
    diode.rounding = [](std::span<const double>) { return std::vector<double>{2.3e-22}; };
    const auto result = solve_newton(diode, zero);
    ASSERT_TRUE(result.solved());
    EXPECT_NEAR(result.x[0], 0.0, 1e-15);
}

TEST(Newton, TakesNoPointForASolutionForTheSakeOfRounding) {
    auto none = scalar([](double x) { return x * x + 1e-3; }, [](double x) { return 2.0 * x; });
    for (const double bound : {1e-4, std::numeric_limits<double>::infinity()}) {
        none.rounding = [bound](std::span<const double>) { return std::vector<double>{bound}; };
        EXPECT_FALSE(solve_newton(none, std::vector<double>{0.7}).solved()) << bound;
    }
}

/// f(x + y) = 0.
NonlinearSystem of_sum(const std::function<double(double)>& f, const std::function<double(double)>& slope) {
    NonlinearSystem s;
    s.pattern.add_row({{0, 1}});
    s.residual = [f](std::span<const double> x, std::span<double> out) {
        return std::isfinite(out[0] = f(x[0] + x[1]));
    };
    s.jacobian = [slope](std::span<const double> x, std::span<double> out) {
        return std::isfinite(out[0] = out[1] = slope(x[0] + x[1]));
    };
    return s;
}

TEST(Underdetermined, StepsThatLeadAwayAreShortened) {
    const auto s = of_sum([](double x) { return std::atan(3.0 * x - 1.5); },
                          [](double x) { return 3.0 / (1.0 + (3.0 * x - 1.5) * (3.0 * x - 1.5)); });
    std::vector<double> x{3.0, 3.0};
    ASSERT_TRUE(solve_underdetermined(s, {true, true}, x));
    EXPECT_NEAR(x[0], 0.25, 1e-12);
    EXPECT_NEAR(x[1], 0.25, 1e-12);
}

// Each step divides the residual and its slope by e: it is less only beside what it was.
TEST(Underdetermined, ASteepSlopeIsFollowedDown) {
    const auto s = of_sum([](double x) { return std::exp(x) - 2.0; }, [](double x) { return std::exp(x); });
    std::vector<double> x{15.0, 5.0};
    ASSERT_TRUE(solve_underdetermined(s, {true, false}, x));
    EXPECT_EQ(x[0], 15.0) << "y alone gives way";
    EXPECT_NEAR(x[1], std::log(2.0) - 15.0, 1e-12);
}

TEST(Underdetermined, WhatHasNoSolutionIsNone) {
    const auto s = of_sum([](double x) { return x * x + 1e-6; }, [](double x) { return 2.0 * x; });
    std::vector<double> x{1.0, 0.5};
    EXPECT_FALSE(solve_underdetermined(s, {true, true}, x));
}

TEST(Rank, TheLastOfDependentRowsGivesWay) {
    const std::vector<double> entries{1.0, 2.0, 3.0, 2.0, 4.0, 6.0, 0.0, 1.0, 1.0};
    const std::vector<std::uint32_t> forward{0, 1, 2};
    const std::vector<std::uint32_t> backward{2, 1, 0};
    EXPECT_EQ(dependent_rows(full(3), entries, forward), std::vector<std::uint32_t>{1});
    EXPECT_EQ(dependent_rows(full(3), entries, backward), std::vector<std::uint32_t>{0});
}

/// 1e13 F + a = 1, 1e13 F + 2 a = 3, a + b = 5: scaled by rows first, what tells the first two apart is a
/// ten-trillionth, since a stands with 1 in the third.
constexpr std::array kLargeForce{1e13, 1.0, 0.0, 1e13, 2.0, 0.0, 0.0, 1.0, 1.0};

TEST(Newton, SolvesForAForceWithALargeCoefficientBesideRates) {
    NonlinearSystem s;
    s.pattern = full(3);
    s.residual = [](std::span<const double> x, std::span<double> out) {
        constexpr std::array kRight{1.0, 3.0, 5.0};
        for (std::size_t r = 0; r < 3; ++r) {
            out[r] = -kRight[r];
            for (std::size_t c = 0; c < 3; ++c) out[r] += kLargeForce[3 * r + c] * x[c];
        }
        return true;
    };
    s.jacobian = [](std::span<const double>, std::span<double> out) {
        std::ranges::copy(kLargeForce, out.begin());
        return true;
    };
    const auto result = solve_newton(s, std::vector<double>(3, 0.0));
    ASSERT_TRUE(result.solved());
    EXPECT_NEAR(result.x[0], -1e-13, 1e-25);
    EXPECT_NEAR(result.x[1], 2.0, 1e-12);
    EXPECT_NEAR(result.x[2], 3.0, 1e-12);
}

TEST(Rank, RowsThatOnlyALargeCoefficientMakesAlikeAreIndependent) {
    const std::vector<std::uint32_t> order{0, 1, 2};
    EXPECT_TRUE(dependent_rows(full(3), kLargeForce, order).empty());
}

TEST(Rank, APlaceThatOnlyHappensToBeSingularHasNoDependentRows) {
    const auto square = scalar([](double x) { return x * x; }, [](double x) { return 2.0 * x; });
    const auto dependent = generically_dependent_rows(square, std::vector<double>{0.0}, std::vector<std::uint32_t>{0});
    ASSERT_TRUE(dependent);
    EXPECT_TRUE(dependent->empty());
}

}  // namespace
}  // namespace bondgraph::simulation
