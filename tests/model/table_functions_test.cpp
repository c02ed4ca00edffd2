// interpolate(), akima(), monotone(), staircase() and random() in expressions.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using testing::HasSubstr;
using Codes = std::vector<std::string>;

double at(const std::string& expression, double time, const std::string& parameters = "") {
    Pipeline p("parameters: {xs: [0, 1, 3], ys: [0, 2, 3]" + parameters + "}\ncomponents: {a: {type: Constant, k: \"" +
               expression + "\"}}\n");
    const auto run = p.run({.stop = 10.0, .tolerance = 1e-6, .interval = 0.5}, {"a.y"}).result;
    for (std::size_t row = run.time.size(); row-- > 0;) {
        if (std::abs(run.time[row] - time) < 1e-9) return run.at(row, 0);
    }
    return NAN;
}

TEST(TableFunctions, StraightLines) {
    EXPECT_DOUBLE_EQ(at("interpolate(time, xs, ys)", 0.5), 1.0);
    EXPECT_DOUBLE_EQ(at("interpolate(time, xs, ys)", 7.0), 3.0);
    EXPECT_DOUBLE_EQ(at("interpolate(time, xs, ys, hold)", 7.0), 3.0);
    EXPECT_DOUBLE_EQ(at("interpolate(time, xs, ys, linear)", 7.0), 5.0);
    EXPECT_DOUBLE_EQ(at("interpolate(time, xs, ys, periodic)", 6.5), 1.0);
}

// A parameter of such a name is a parameter everywhere else.
TEST(TableFunctions, WordsAreNoNames) {
    EXPECT_DOUBLE_EQ(at("linear + interpolate(time, xs, ys, linear)", 7.0, ", linear: 100"), 105.0);
}

TEST(TableFunctions, Steps) {
    EXPECT_DOUBLE_EQ(at("staircase(time, xs, ys)", 0.5), 0.0);
    EXPECT_DOUBLE_EQ(at("staircase(time, xs, ys)", 2.5), 2.0);
    EXPECT_DOUBLE_EQ(at("staircase(time, xs, ys)", 7.0), 3.0);
    EXPECT_DOUBLE_EQ(at("staircase(time, xs, ys, periodic)", 4.5), 2.0);
}

// Three points: scipy 1.10.
TEST(TableFunctions, Cubics) {
    EXPECT_NEAR(at("monotone(time, xs, ys)", 0.5), 1.2053571428571428, 1e-12);
    EXPECT_NEAR(at("akima(time, xs, ys)", 0.5), 1.1875, 1e-12);
}

// Where one period ends and the next begins, the slope is the same from both sides, and the curve is that of points
// repeated by hand.
TEST(TableFunctions, PeriodicCubicsGoOnSmoothly) {
    const std::string lists =
        ", xp: [0, 1, 2.5, 4], yp: [0, 2, -1, 0], xl: [-4, -3, -1.5, 0, 1, 2.5, 4, 5, 6.5, 8], "
        "yl: [0, 2, -1, 0, 2, -1, 0, 2, -1, 0]";
    for (const std::string name : {"akima", "monotone"}) {
        for (const double time : {0.0, 0.5, 1.5, 3.5, 4.0})
            EXPECT_NEAR(at(name + "(time, xp, yp, periodic)", time, lists), at(name + "(time, xl, yl)", time, lists),
                        1e-12)
                << name << " " << time;
        EXPECT_NEAR(at(name + "(time, xp, yp, periodic)", 8.5, lists),
                    at(name + "(time, xp, yp, periodic)", 0.5, lists), 1e-12);
        const auto slope = [&](const std::string& shift) {
            return at("(" + name + "(time + " + shift + " + 1e-6, xp, yp, periodic) - " + name + "(time + " + shift +
                          ", xp, yp, periodic))/1e-6",
                      4.0, lists);
        };
        EXPECT_NEAR(slope("(-1e-6)"), slope("0"), 1e-4) << name;  // a difference quotient: its error is of that size
    }
    // Of two points there is one value, and three repeat without an end either.
    EXPECT_DOUBLE_EQ(at("akima(time, [0, 1], [3, 3], periodic)", 5.5), 3.0);
    EXPECT_NEAR(at("akima(time, [0, 1, 2], [0, 1, 0], periodic)", 2.5),
                at("akima(time, [0, 1, 2], [0, 1, 0], periodic)", 0.5), 1e-12);
    // Ends of two values leave a jump, as before.
    EXPECT_NEAR(at("akima(time, xs, ys, periodic)", 0.5), 1.1875, 1e-12);
}

TEST(TableFunctions, Increasing) {
    EXPECT_EQ(at("increasing(xs)", 1.0), 1.0);
    EXPECT_EQ(at("increasing([1, 2, 2])", 1.0), 0.0);
    EXPECT_EQ(at("increasing([3, 1, 2])", 1.0), 0.0);
    EXPECT_EQ(at("increasing(-xs)", 1.0), 0.0);
    EXPECT_EQ(at("increasing([5])", 1.0), 1.0);
    EXPECT_EQ(at("increasing([1, time])", 2.0), 1.0);
    EXPECT_EQ(at("increasing([3, time])", 2.0), 0.0);
}

TEST(TableFunctions, Contains) {
    EXPECT_EQ(at("contains(xs, 3)", 1.0), 1.0);
    EXPECT_EQ(at("contains(xs, 2)", 1.0), 0.0);
    EXPECT_EQ(at("contains([5, 4], 5)", 1.0), 1.0) << "the first";
    EXPECT_EQ(at("contains([5, 4], 4)", 1.0), 1.0) << "the last";
    EXPECT_EQ(at("contains([[1, 2], [3, 4]], 3)", 1.0), 1.0) << "of a matrix";
    EXPECT_EQ(at("contains([[1, 2], [3, 4]], 6)", 1.0), 0.0);
    EXPECT_EQ(at("contains(7, 7)", 1.0), 1.0) << "a list of one";
    EXPECT_EQ(at("contains([1, if time > 1.5 then 2 else 0, 3], 2)", 2.0), 1.0);
    EXPECT_EQ(at("contains([1, if time > 1.5 then 2 else 0, 3], 2)", 1.0), 0.0);
    EXPECT_EQ(at("contains([1, 3], floor(time))", 3.5), 1.0);
    EXPECT_EQ(at("contains([1, 3], floor(time))", 2.5), 0.0);
}

TEST(TableFunctions, ContainsComparesLikeWithLike) {
    const auto message = [](const std::string& expression) {
        return test::message_in(
            "parameters: {xs: [0, 1, 3], l: [1 m, 2 m], t: 1 s, d: 1 m}\ncomponents: {a: {type: Constant, k: \"" +
            expression + "\"}}\n");
    };
    EXPECT_EQ(message("contains(l, d)"), "");
    EXPECT_THAT(message("contains(l, t)"), HasSubstr("'contains' joins"));
    EXPECT_THAT(message("contains(xs, xs)"), HasSubstr("takes a list and a scalar, and not a vector of 3"));
    EXPECT_THAT(message("contains(xs)"), HasSubstr("takes 2 arguments"));
}

TEST(TableFunctions, Mistakes) {
    const auto message = [](const std::string& expression) {
        return test::message_in("parameters: {xs: [0, 1, 3], ys: [0, 2, 3]}\ncomponents: {a: {type: Constant, k: \"" +
                                expression + "\"}}\n");
    };
    EXPECT_THAT(message("interpolate(time, xs, ys, cubic)"), HasSubstr("takes 'hold', 'linear' or 'periodic'"));
    EXPECT_THAT(message("interpolate(time, xs)"), HasSubstr("takes 3 arguments"));
    EXPECT_THAT(message("staircase(time, xs, ys, linear)"), HasSubstr("no slope"));
    EXPECT_THAT(message("akima(time, ys, [1, 2])"), HasSubstr("these have 3 and 2"));
    EXPECT_THAT(message("monotone(time, [0, 0, 1], ys)"), HasSubstr("must increase"));
}

TEST(TableFunctions, ChanceIsTheSameEveryTime) {
    EXPECT_DOUBLE_EQ(at("random(3, 4)", 1.0), 0.09660312142930194);  // by the algorithm in Python
    EXPECT_DOUBLE_EQ(at("random(3, time)", 4.0), 0.09660312142930194);
    EXPECT_DOUBLE_EQ(at("random(3, time)", 3.5), at("random(3, 4)", 1.0));  // rounded
    EXPECT_NE(at("random(4, 4)", 1.0), at("random(3, 4)", 1.0));
}

TEST(TableFunctions, SizesOfListsAreNumbers) {
    EXPECT_DOUBLE_EQ(at("size(xs)", 1.0), 3.0);
    EXPECT_DOUBLE_EQ(at("size(m) + 10*size(m, 2) + 100*size(m, 1)", 1.0, ", m: [[1, 2, 3], [4, 5, 6]]"), 232.0);
    EXPECT_DOUBLE_EQ(at("size(time)", 1.0), 1.0);
    EXPECT_THAT(test::message_of([] { at("size(xs, 3)", 1.0); }), HasSubstr("size(A, 2) columns"));
    // in the size of an array
    Pipeline p("parameters: {xs: [5, 6, 7, 8]}\ncomponents:\n  c[size(xs)]: {type: Constant, k: \"xs[i]\"}\n");
    EXPECT_DOUBLE_EQ(p.run({.stop = 1.0}, {"c[4].y"}).result.data.back(), 8.0);
}

/// Straight lines along both axes of [0, 1, 3] by [0, 2] with values 1, 2; 4, 8; 3, 5.
double bilinear(double x, double y) {
    const auto row = [&](double low, double high) { return low + (high - low) * y / 2.0; };
    const double a = row(1.0, 2.0);
    const double b = row(4.0, 8.0);
    const double c = row(3.0, 5.0);
    return x < 1.0 ? a + (b - a) * x : b + (c - b) * (x - 1.0) / 2.0;
}

TEST(Grids, AreStraightAlongEachAxis) {
    const std::string grid = "grid([0.5*time, 0.3*time], [3, 2], [0, 1, 3, 0, 2], [1, 2, 4, 8, 3, 5]";
    for (const double time : {0.0, 0.5, 1.5, 2.0, 4.0, 5.5, 6.0})
        EXPECT_NEAR(at(grid + ")", time), bilinear(0.5 * time, 0.3 * time), 1e-14) << time;
    EXPECT_NEAR(at(grid + ")", 10.0), bilinear(3.0, 2.0), 1e-14) << "held at the corner";
    EXPECT_NEAR(at(grid + ", linear)", 10.0), bilinear(5.0, 3.0), 1e-13);
    EXPECT_DOUBLE_EQ(at("grid([time, 1], [3, 2], [0, 1, 3, 0, 2], [[1, 2], [4, 8], [3, 5]])", 0.5), bilinear(0.5, 1.0))
        << "of a matrix";
    EXPECT_DOUBLE_EQ(at("grid(time, 3, xs, ys)", 0.5), 1.0) << "one axis";
}

// A grid of one axis, and one whose other axes say nothing, is interpolate().
TEST(Grids, AgreeWithTablesOfOneAxis) {
    for (const double time : {0.5, 2.0, 5.0}) {
        const double line = at("interpolate(time, xs, ys)", time);
        EXPECT_NEAR(at("grid([7, time, 3], [2, 3, 2], [0, 9, 0, 1, 3, 2, 4], "
                       "[0, 0, 2, 2, 3, 3, 0, 0, 2, 2, 3, 3])",
                       time),
                    line, 1e-14);
    }
}

TEST(Grids, TellWhatDoesNotFit) {
    const auto said = [](const std::string& text) { return test::message_of([&] { at(text, 1.0); }); };
    EXPECT_THAT(said("grid([1, 2], [2], [0, 1], [1, 2])"), HasSubstr("2 coordinates and 1 number of places"));
    EXPECT_THAT(said("grid([1, 2], [2, 2], [0, 1, 0], [1, 2, 3, 4])"), HasSubstr("4 places by their numbers, and 3"));
    EXPECT_THAT(said("grid([1, 2], [2, 2], [0, 1, 1, 1], [1, 2, 3, 4])"), HasSubstr("along axis 2"));
    EXPECT_THAT(said("grid([1, 2], [2, 2], [0, 1, 0, 1], [1, 2, 3])"), HasSubstr("4 places and 3 values"));
    EXPECT_THAT(said("grid([1, 2], [2, 1], [0, 1, 0], [1, 2])"), HasSubstr("at least 2"));
    EXPECT_THAT(said("grid([1, 2], [2, 2], [0, 1, 0, 1], [1, 2, 3, 4], periodic)"), HasSubstr("'hold' or 'linear'"));
}

TEST(Grids, HaveAnInside) {
    EXPECT_EQ(at("inside([time, 1], [3, 2], [0, 1, 3, 0, 2])", 2.0), 1.0);
    EXPECT_EQ(at("inside([time, 1], [3, 2], [0, 1, 3, 0, 2])", 3.5), 0.0);
    EXPECT_EQ(at("inside([time, 2.5], [3, 2], [0, 1, 3, 0, 2])", 2.0), 0.0);
}

// Bends that time meets are events: the integral of a tent is exact to the tolerance.
TEST(Grids, BendAtEvents) {
    Pipeline p(
        "components:\n  c: {type: Constant, k: \"grid([time, 0.5], [3, 2], [0, 5.003, 10, 0, 1], [0, 0, 1, 1, 0, "
        "0])\"}\n"
        "  i: {type: Integrator}\nsignals: [c.y -> i.u]\n");
    const auto run = p.run({.stop = 10.0, .tolerance = 1e-9}, {"i.y"});
    EXPECT_NEAR(run.result.data.back(), 5.0, 1e-8);
}

}  // namespace
}  // namespace bondgraph
