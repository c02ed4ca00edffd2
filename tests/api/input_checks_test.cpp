// What is asked of parameters holds for them as inputs, too.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/decay.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::api {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

TEST(ApiInputChecks, AZeroIsNoInput) {
    const Model model = parsed(kDecay);
    ASSERT_TRUE(model.run({.values = {{"q0", 1.0}}}));
    const auto zero = model.run({.values = {{"q0", 0}}});
    ASSERT_TRUE(zero) << zero.error().text();
    EXPECT_EQ(last(*zero, "C.q"), 0.0);
    const auto one = model.run({.values = {{"q0", 1.0}}});
    EXPECT_NEAR(last(*one, "C.q"), std::exp(-1.0), 1e-7);
}

TEST(ApiInputChecks, BoundsHoldForInputs) {
    const Model model = parsed(kDecay);
    ASSERT_TRUE(model.run({.values = {{"R.R", 1.0}}}));
    const auto negative = model.run({.values = {{"R.R", -1.0}}});
    ASSERT_FALSE(negative);
    EXPECT_EQ(negative.error().kind, Error::Kind::model);
    EXPECT_EQ(negative.error().messages.front().code, "BG-M013");
    EXPECT_THAT(negative.error().text(), HasSubstr("must be at least 0, it is -1"));
    EXPECT_THAT(model.deciding(), IsEmpty()) << "a wrong value says nothing of the parameter";
}

TEST(ApiInputChecks, BoundsOfDeclaredParametersHoldForInputs) {
    const Model model = parsed(R"(
model: m
parameters: {a: {value: 2, min: 1}, b: {value: 2*a, below: 10}}
components: {j: {type: 0}, C: {type: C, C: 1, initial: {q: 1}}, R: {type: R, R: b}}
bonds: [j -> C, j -> R]
outputs: [C.q]
)");
    ASSERT_TRUE(model.run({.values = {{"a", 3.0}}}));
    for (const double a : {0.5, 5.0, 6.0}) {
        const auto run = model.run({.values = {{"a", a}}});
        ASSERT_FALSE(run) << a;
        EXPECT_EQ(run.error().messages.front().code, "BG-M013");
    }
    const auto run = model.run({.values = {{"a", 4.0}}});
    ASSERT_TRUE(run);
    EXPECT_NEAR(last(*run, "C.q"), std::exp(-1.0 / 8.0), 1e-5);
    EXPECT_THAT(model.deciding(), IsEmpty()) << "bounds were looked at with the inputs";
}

TEST(ApiInputChecks, WhatIsCheckedOfSeveralParametersHoldsForInputs) {
    const Model model = parsed(R"(
model: m
components:
  s: {type: 1}
  m: {type: I, I: 1 kg, initial: {f: 1 m/s}}
  f: {type: Friction, level: 1 N, static: 2 N}
bonds: [s -> m, s -> f]
outputs: [m.f]
)");
    ASSERT_TRUE(model.run({.values = {{"f.level", 1.5}}}));
    const auto above = model.run({.values = {{"f.level", 3.0}}});
    ASSERT_FALSE(above);
    EXPECT_EQ(above.error().messages.front().code, "BG-M013");
    EXPECT_NEAR(last(*model.run({.values = {{"f.level", 0.5}}}), "m.f"), 0.5, 1e-5);
}

// What stands in no constraint leaves states and redundant conditions as they are.
TEST(ApiInputChecks, ModelsWithClosedLoopsCompileForWhatHoldsPositions) {
    const std::string file = test::source_folder() + "/models/mechanics3d/slider_crank.yaml";
    const Model model = Model::load(file).value();
    for (const double mass : {0.4, 0.6, 0.9}) {
        const auto run = model.run({.values = {{"m3", mass}, {"g", 9.0}}});
        ASSERT_TRUE(run) << run.error().text();
        const auto of_file = Model::load(file, {.values = {{"m3", mass}, {"g", 9.0}}}).value().run().value();
        for (const Series::Column& column : of_file.series.columns()) {
            const auto a = run->series[column.name];
            const auto b = of_file.series[column.name];
            double largest = 0.0;
            for (const double x : b) largest = std::max(largest, std::abs(x));
            ASSERT_EQ(a.size(), b.size());
            EXPECT_NEAR(a.back(), b.back(), 1e-4 * largest) << column.name;  // runs of a tolerance of 1e-6
        }
    }
    EXPECT_EQ(model.compilations(), 1U);
    EXPECT_THAT(model.deciding(), IsEmpty());
    for (const char* name : {"l", "r", "phi0"}) {
        const double value = name == std::string("phi0") ? 0.5 : name == std::string("l") ? 0.32 : 0.09;
        ASSERT_TRUE(model.run({.values = {{name, value}}}));
        EXPECT_THAT(model.deciding(), Contains(name));
    }
}

// Two transformers side by side: what they hold between them depends on whether their ratios are equal.
TEST(ApiInputChecks, RatiosInAMeshGiveWhatTheFileWouldGive) {
    const std::string text = R"(
model: mesh
parameters: {n: 3}
components:
  S: {type: Se, e: 1}
  a: {type: 1}
  L: {type: I, I: 1}
  c: {type: 1}
  T1: {type: TF, m: n}
  T2: {type: TF, m: 2}
  b: {type: 0}
  R: {type: R, R: 1}
bonds: [S -> a, a -> L, a -> c, c -> T1.p1, c -> T2.p1, T1.p2 -> b, T2.p2 -> b, b -> R]
outputs: [L.f]
)";
    const Model model = parsed(text);
    for (const double n : {3.0, 2.0, -2.0, 4.0, 2.0}) {
        LoadOptions as_file;
        as_file.values = {{"n", n}};
        const auto expected = parsed(text, as_file).run();
        const auto run = model.run({.values = {{"n", n}}});
        ASSERT_EQ(run.ok(), expected.ok()) << n;
        if (run) {
            EXPECT_NEAR(last(*run, "L.f"), last(*expected, "L.f"), 1e-6) << n;
        }
    }
}

TEST(ApiInputChecks, GravityAndMassesOfTreesAreInputs) {
    const Model model = Model::load(test::source_folder() + "/models/mechanics3d/double_pendulum.yaml").value();
    for (const double factor : {0.5, 2.0}) {
        const auto run = model.run({.values = {{"world.g", factor * 9.81}, {"upper.m", 3.0}}});
        ASSERT_TRUE(run) << run.error().text();
    }
    EXPECT_THAT(model.deciding(), IsEmpty());
    EXPECT_EQ(model.compilations(), 1U);
}

TEST(ApiInputChecks, WhatFollowsFromInputsHasToHaveAValue) {
    const Model model = parsed(R"(
model: m
parameters: {a: 4, b: sqrt(a)}
components: {j: {type: 0}, C: {type: C, C: 1, initial: {q: 1}}, R: {type: R, R: 1}}
bonds: [j -> C, j -> R]
outputs: [C.q]
)");
    ASSERT_TRUE(model.run({.values = {{"a", 2.0}}}));
    const auto none = model.run({.values = {{"a", -2.0}}});
    ASSERT_FALSE(none);
    EXPECT_EQ(none.error().messages.front().code, "BG-X003");
}

}  // namespace
}  // namespace bondgraph::api
