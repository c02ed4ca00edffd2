#include <gtest/gtest.h>

#include <array>
#include <string>

#include "bondgraph/expression/derivative.hpp"
#include "tests/expression/evaluate.hpp"

namespace bondgraph::expression {
namespace {

class SolveTest : public ::testing::Test {
   protected:
    std::optional<Expr> solve(Expr lhs, Expr rhs, Expr leaf) { return solve_for(g, lhs, rhs, leaf, {}); }

    /// The solution for x put into the equation makes both sides equal, at many points.
    void expect_solved_for_x(Expr lhs, Expr rhs, const std::string& what, const AllowDivision& allow = {}) {
        const std::optional<Expr> solution = solve_for(g, lhs, rhs, x, allow);
        ASSERT_TRUE(solution) << what;
        const std::uint32_t root = solution->node();
        for (const std::uint32_t node : reachable(g, std::span(&root, 1))) ASSERT_NE(node, x.node()) << what;
        for (unsigned seed = 0; seed < 20; ++seed) {
            std::vector<double> at = random_inputs(4, seed);
            at[1] = evaluate<double>(g, *solution, at);
            const auto v = evaluate<double>(g, std::array{lhs, rhs}, at);
            EXPECT_NEAR(v[0], v[1], 1e-12 * (1.0 + std::abs(v[0]) + std::abs(at[1]))) << what << " seed " << seed;
        }
    }

    Graph g;
    Expr x = g.variable(0);
    Expr a = g.variable(1);
    Expr b = g.variable(2);
    Expr R = g.variable(3);
    AllowDivision by_R = [this](Expr e) { return same(e, R); };
    AllowDivision by_anything = [](Expr) { return true; };
};

TEST_F(SolveTest, SolutionsReadAsOneWouldWriteThem) {
    EXPECT_TRUE(same(*solve_for(g, a, R * x, x, by_R), a / R)) << "e = R f for f";
    EXPECT_TRUE(same(*solve(a - x - b, 0.0, x), a - b)) << "f1 - f2 - f3 = 0 for f2";
    EXPECT_TRUE(same(*solve(x - a - b, 0.0, x), a + b));
    EXPECT_TRUE(same(*solve(0.0, a + x, x), -a));
    EXPECT_TRUE(same(*solve(-x, a, x), -a));
    EXPECT_TRUE(same(*solve(x / R, a, x), a * R));
    EXPECT_TRUE(same(*solve(x, a * b, x), a * b));
    EXPECT_TRUE(same(*solve(4.0 * x, a, x), a / 4.0));
    EXPECT_TRUE(same(*solve(-2.0 * x, a, x), -(a / 2.0)));
    EXPECT_TRUE(same(*solve((1.0 / R) * x, a, x), a * R)) << "a factor 1/R is undone by R";
    EXPECT_TRUE(same(*solve_for(g, R * x, 0.0, x, by_R), 0.0));
}

TEST_F(SolveTest, LinearOccurrencesInSeveralPlacesAreCollected) {
    expect_solved_for_x(3.0 * x + a, x - b, "both sides");
    expect_solved_for_x(2.0 * (x - a) + 5.0 * (b - x), 1.0, "brackets");
    expect_solved_for_x((x + a) / 4.0 - 2.0 * x, b, "quotient");
    expect_solved_for_x(x + if_else(apply(Op::less, a, b), a - 0.5 * x, 1.0 - 0.5 * x), b, "branches of equal slope");
    expect_solved_for_x(x, R * R * (a - x), "implicit", by_anything);
    EXPECT_TRUE(same(*solve_for(g, x, a + R * x, x, by_anything), a / (1.0 - R)));
}

TEST_F(SolveTest, InvertibleOperationsAreUndone) {
    expect_solved_for_x(log(x), a, "log");
    expect_solved_for_x(apply(Op::log10, 2.0 * x), a, "log10");
    expect_solved_for_x(pow(x, 3.0), a, "cube");
    expect_solved_for_x(pow(x - b, 5.0) + a, b, "fifth power");
    expect_solved_for_x(x * abs(x), a, "x|x|");
    expect_solved_for_x(sign(x) * sqrt(abs(x)), a, "turbulent flow");
    expect_solved_for_x(sign(x - b) * pow(abs(x - b), 1.75), a, "power law");
    expect_solved_for_x(0.6 * 0.01 * sqrt(Expr(2.0) / 850.0) * sign(x) * sqrt(abs(x)), a, "orifice");
    expect_solved_for_x(3.0 * abs(x - a) / 4.0 * (x - a) + b, 2.0, "quadratic drag");
    expect_solved_for_x(3.0 * sign(x) * sqrt(abs(x) / 2.0), a, "a law in units of its own");
    expect_solved_for_x(sqrt(abs(x) * 4.0 / 7.0) * sign(x) / 5.0, a, "a law in units of its own");
    expect_solved_for_x(sqrt(abs(x)) * x, a, "three halves");
    expect_solved_for_x(apply(Op::no_event, 2.0 * x + a), b, "noEvent");
    expect_solved_for_x(R / x, a, "reciprocal", by_anything);
    EXPECT_TRUE(same(*solve(x * abs(x), a, x), sign(a) * sqrt(abs(a))));
    EXPECT_TRUE(same(*solve(sign(x) * sqrt(abs(x)), a, x), a * abs(a)));
}

TEST_F(SolveTest, DivisionNeedsPermission) {
    EXPECT_FALSE(solve(R * x, a, x));
    EXPECT_FALSE(solve_for(g, b * x, a, x, by_R));
    EXPECT_FALSE(solve(x * a - x, b, x));
    EXPECT_FALSE(solve(a / x, b, x)) << "b may be 0";
    EXPECT_TRUE(solve_for(g, R * x, a, x, by_R));
    const auto solution = solve(0.5 * x * R, R, a);
    EXPECT_FALSE(solution) << "a doesn't occur";
}

TEST_F(SolveTest, WhatHasNoSolutionForAllValuesIsLeftAlone) {
    for (const Expr e : {exp(x), sqrt(x), x * x, pow(x, 4.0), sin(x), abs(x), sign(x), x + sin(x), x + sign(x),
                         pow(x, 0.5), apply(Op::floor, x), x + apply(Op::floor, x), apply(Op::tanh, x), x * sign(x),
                         x * exp(x), min(x, a), if_else(apply(Op::less, x, a), 2.0 * x, 2.0 * x - 1.0)}) {
        EXPECT_FALSE(solve_for(g, e, b, x, by_anything));
    }
    EXPECT_FALSE(solve(a, b, x));
    EXPECT_FALSE(solve(x + a, x + b, x));
    EXPECT_FALSE(solve(x, x, x));
}

TEST_F(SolveTest, ALongSumIsSolvedInGoodTime) {
    Expr sum = 0.0;
    for (std::uint32_t i = 0; i < 100'000; ++i) sum = i % 2 == 0 ? sum + g.variable(i) : sum - g.variable(i);
    EXPECT_TRUE(solve(sum, 0.0, x));
    EXPECT_TRUE(solve(sum, x, g.variable(99'999)));
}

TEST_F(SolveTest, RootsOfWhatMayVanishAreSteep) {
    EXPECT_TRUE(is_steep(g, sqrt(abs(x))));
    EXPECT_TRUE(is_steep(g, 3.0 * sign(x) * sqrt(abs(x) / 2.0)));
    EXPECT_TRUE(is_steep(g, sign(x) * pow(abs(x), 1.0 / 3.0) + x));
    EXPECT_TRUE(is_steep(g, exp(2.0 * sqrt(abs(x)))));
    EXPECT_FALSE(is_steep(g, x * sqrt(abs(x))));
    EXPECT_FALSE(is_steep(g, x * abs(x)));
    EXPECT_FALSE(is_steep(g, pow(x, 3.0) + 2.0 * x));
    EXPECT_FALSE(is_steep(g, abs(x)));
    EXPECT_FALSE(is_steep(g, x));
}

}  // namespace
}  // namespace bondgraph::expression
