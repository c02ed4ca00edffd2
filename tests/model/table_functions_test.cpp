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

}  // namespace
}  // namespace bondgraph
