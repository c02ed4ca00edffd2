// What a model says of its own run: `warn:` and `fail:` of entries of `when:`.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using simulation::Summary;
using test::Pipeline;
using testing::HasSubstr;

/// A circuit whose capacitor swings between -1 V and 1 V with a period of 1 s.
Summary run_of(const std::string& when, const std::string& types = "", const std::string& components = "") {
    Pipeline p(types +
               "components:\n"
               "  j: {type: 1}\n"
               "  c: {type: C, C: 1 F, initial: {e: 1 V}}\n"
               "  l: {type: I, I: 1/(4*pi^2)}\n" +
               components + "bonds: [j -> c, j -> l]\n" + when);
    return p.run({.stop = 3.0, .tolerance = 1e-8, .interval = 0.1}, {"c.e"}).summary;
}

TEST(Told, OnceWithTheFirstTimeAndHowOften) {
    const Summary s = run_of("when:\n  - {if: c.e < -0.5, warn: the voltage is low}\n");
    ASSERT_EQ(s.told.size(), 1U);
    EXPECT_NEAR(s.told[0].time, 1.0 / 3.0, 1e-6);  // cos(2 pi t) = -1/2
    EXPECT_EQ(s.told[0].times, 3);
    EXPECT_EQ(s.told[0].text, "the voltage is low");
    EXPECT_EQ(s.told[0].condition, "c.e < -0.5");
    EXPECT_FALSE(s.failure);
}

TEST(Told, AlsoWhatIsTrueFromTheStart) {
    const Summary s = run_of("when: {if: c.e > 0.5, warn: high}\n");
    ASSERT_EQ(s.told.size(), 1U);
    EXPECT_EQ(s.told[0].time, 0.0);
    EXPECT_EQ(s.told[0].times, 4);  // and at 5/6 s, 11/6 s, 17/6 s
}

TEST(Told, NothingWhereNothingBecomesTrue) { EXPECT_TRUE(run_of("when: {if: c.e > 1.5, warn: high}\n").told.empty()); }

TEST(Told, AFailureEndsTheRunThere) {
    const Summary s = run_of("when: {if: c.e < -0.5, fail: the capacitor breaks through}\n");
    ASSERT_TRUE(s.failure);
    EXPECT_THAT(s.failure->message, HasSubstr("the capacitor breaks through"));
    EXPECT_NEAR(s.failure->time, 1.0 / 3.0, 1e-6);
    EXPECT_EQ(s.failure->position.line > 0, true);
}

TEST(Told, AFailureFromTheStart) {
    const Summary s = run_of("when: {if: c.e > 0.5, fail: too high}\n");
    ASSERT_TRUE(s.failure);
    EXPECT_EQ(s.failure->time, 0.0);
}

TEST(Told, ByTypesForEachOfTheirComponents) {
    const std::string types = R"(
types:
  Watch:
    inputs: [u]
    parameters: {low: -0.5}
    outputs: [y]
    equations: [y = u]
    when: {if: u < low, warn: below the limit}
  Two:
    inputs: [u]
    components: {a: {type: Watch}, b: {type: Watch, low: -2}}
    signals: [u -> a.u, u -> b.u]
)";
    const Summary s = run_of("signals: [c.e -> w.u]\n", types, "  w: {type: Two}\n");
    ASSERT_EQ(s.told.size(), 1U);
    EXPECT_EQ(s.told[0].text, "'w.a': below the limit");
}

// What is only told changes nothing of the motion.
TEST(Told, TheRunGoesOnAsWithout) {
    const auto at_end = [](const std::string& when) {
        Pipeline p(
            "components:\n  j: {type: 1}\n  c: {type: C, C: 1 F, initial: {e: 1 V}}\n  l: {type: I, I: 1 H}\n"
            "bonds: [j -> c, j -> l]\n" +
            when);
        const auto run = p.run({.stop = 3.0, .tolerance = 1e-9, .interval = 1.0}, {"c.e"});
        return run.result.at(run.result.time.size() - 1, 0);
    };
    EXPECT_NEAR(at_end("when: {if: c.e < 0, warn: low}\n"), at_end(""), 1e-7);
}

// Beside an action of its own, both are done.
TEST(Told, BesideNewValues) {
    const Summary s = run_of("when: {if: c.e < -0.5, reinit: {c.e: 1}, warn: set back}\n");
    ASSERT_EQ(s.told.size(), 1U);
    EXPECT_GT(s.told[0].times, 3);
}

}  // namespace
}  // namespace bondgraph
