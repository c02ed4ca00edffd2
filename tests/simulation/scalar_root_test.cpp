#include "bondgraph/simulation/scalar_root.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

#include "tests/simulation/bisection.hpp"

namespace bondgraph::simulation {
namespace {

double no_rounding(double) { return 0.0; }

ScalarRoot root_of(const std::function<ScalarValue(double)>& f, double start, double size = 0.0) {
    return find_root(f, no_rounding, start, size);
}

/// A sum of increasing functions of random sizes minus a random number; the same in double and in more digits.
struct MonotoneLaw {
    double a, b, c, d, kink, target;

    template <class T>
    T value(T x) const {
        return T(a) * x + T(b) * x * x * x + (c == 0.0 ? T(0) : T(c) * std::sinh(x)) +
               T(d) * std::max(T(0), x - T(kink)) - T(target);
    }
    double slope(double x) const {
        return a + 3 * b * x * x + (c == 0.0 ? 0.0 : c * std::cosh(x)) + (x > kink ? d : 0.0);
    }

    double exact() const {
        return test::root_of_increasing([this](long double x) { return value(x); });
    }
};

TEST(ScalarRoot, OfRandomMonotoneLawsIsFoundFromFarAway) {
    std::mt19937 random(20261);
    const auto any = [&](double low, double high) { return std::uniform_real_distribution(low, high)(random); };
    for (int k = 0; k < 500; ++k) {
        const MonotoneLaw law{std::pow(10, any(-4, 4)),
                              k % 3 == 0 ? 0.0 : std::pow(10, any(-3, 5)),
                              k % 2 == 0 ? 0.0 : std::pow(10, any(-3, 3)),
                              std::pow(10, any(-2, 6)),
                              any(-1, 1),
                              any(-50, 50)};
        const auto f = [&](double x) { return ScalarValue{law.value(x), law.slope(x)}; };
        const ScalarRoot found = root_of(f, any(-30, 30));
        const double exact = law.exact();
        ASSERT_TRUE(found.found) << k;
        EXPECT_NEAR(found.x, exact, 1e-12 * std::max(std::abs(exact), 1e-3)) << k;
        EXPECT_LT(found.evaluations, 80) << k;
    }
}

TEST(ScalarRoot, WhereTheSlopeIsInfiniteIsFound) {
    for (const double target : {0.3, -0.02, 1e-9, -1e-14}) {
        const auto f = [&](double x) {
            return ScalarValue{std::cbrt(x) - target, 1.0 / (3.0 * std::pow(std::cbrt(x), 2))};
        };
        const ScalarRoot found = root_of(f, 1.0);
        ASSERT_TRUE(found.found) << target;
        EXPECT_NEAR(found.x, std::pow(target, 3), 1e-12 * std::abs(std::pow(target, 3))) << target;
    }
}

TEST(ScalarRoot, WhereTheSlopeIsZeroIsFound) {
    const auto cube = [](double x) { return ScalarValue{x * x * x - 1e-9, 3 * x * x}; };
    for (const double start : {0.0, 1.0, -5.0, 1e-8}) {
        const ScalarRoot found = root_of(cube, start, 1.0);
        ASSERT_TRUE(found.found) << start;
        EXPECT_NEAR(found.x, 1e-3, 1e-12) << start;
    }
}

TEST(ScalarRoot, OfAFunctionWithoutOneIsNotInvented) {
    const auto parabola = [](double x) { return ScalarValue{x * x + 1.0, 2 * x}; };
    const auto pole = [](double x) { return ScalarValue{1.0 / (x - 0.3), -1.0 / ((x - 0.3) * (x - 0.3))}; };
    const auto jump = [](double x) { return ScalarValue{x < 0.7 ? x - 3.0 : x + 3.0, 1.0}; };
    const auto decay = [](double x) { return ScalarValue{std::exp(-x), -std::exp(-x)}; };
    for (const double start : {0.0, 2.0, -7.0}) {
        EXPECT_FALSE(root_of(parabola, start).found) << start;
        EXPECT_FALSE(root_of(pole, start).found) << start;
        EXPECT_FALSE(root_of(jump, start).found) << start;
        EXPECT_FALSE(root_of(decay, start).found) << start;
    }
}

TEST(ScalarRoot, IsNotLookedForWhereTheFunctionHasNoValue) {
    const auto root = [](double x) { return ScalarValue{std::sqrt(x) - 2.0, 0.5 / std::sqrt(x)}; };
    EXPECT_FALSE(root_of(root, -1.0).found);
    const ScalarRoot found = root_of(root, 100.0);
    ASSERT_TRUE(found.found);
    EXPECT_NEAR(found.x, 4.0, 1e-12);
}

TEST(ScalarRoot, OfWhatIsZeroButForRoundingIsWhereItIs) {
    const auto f = [](double x) { return ScalarValue{x * x + 1e-17, 2 * x}; };
    const auto bound = [](double) { return 1e-16; };
    EXPECT_TRUE(find_root(f, bound, 1e-9, 1.0).found);
    EXPECT_FALSE(find_root(f, no_rounding, 1e-9, 1.0).found);
}

TEST(ScalarRoot, BesideAPlaceWithoutSlopeHasAnySize) {
    for (const double size : {1e-200, 1e-9, 1e7}) {  // a root of |x|, as derivatives at a kink see it
        const auto f = [&](double x) {
            const double root = std::sqrt(std::abs(x) / size);
            return ScalarValue{std::copysign(root, x) - 0.7, x == 0.0 ? 0.0 : 0.5 * root / std::abs(x)};
        };
        const ScalarRoot found = root_of(f, 0.0);
        EXPECT_TRUE(found.found) << size;
        EXPECT_NEAR(found.x / size, 0.49, 1e-13) << size;
        EXPECT_LT(found.evaluations, 400) << size;
    }
}

}  // namespace
}  // namespace bondgraph::simulation
