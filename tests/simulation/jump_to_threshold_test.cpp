// Relations whose sides jump exactly to where they are equal, and stay there: what they say is what they mean.

#include <gtest/gtest.h>

#include <string>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

constexpr const char* kUnrelated = "  p: {type: Pulse, period: 0.3, width: 0.1}\n  k: {type: Integrator}\n";

/// How long a relation is true of three periods of a pulse that is 1 for half of each, and 0 for the other half.
double true_for(const std::string& relation, const std::string& more = "", const std::string& signals = "") {
    Pipeline p("components:\n" + more +
               "  b: {type: Pulse, period: 1, width: 0.5}\n  i: {type: Integrator}\nsignals: [" + signals + "\"if " +
               relation + " then 1 else 0 -> i.u\"]\n");
    const auto run = p.run({.stop = 3.0, .tolerance = 1e-8}, {"i.y"});
    EXPECT_FALSE(run.summary.failure) << relation;
    return run.result.at(run.result.time.size() - 1, 0);
}

TEST(JumpToThreshold, OfAPulseIsDecidedByEquality) {
    for (const std::string more : {"", kUnrelated}) {
        const std::string signals = more.empty() ? "" : "\"p.y -> k.u\", ";
        EXPECT_NEAR(true_for("b.y > 0", more, signals), 1.5, 1e-6);
        EXPECT_NEAR(true_for("b.y >= 0", more, signals), 3.0, 1e-6);
        EXPECT_NEAR(true_for("b.y <= 0", more, signals), 1.5, 1e-6);
        EXPECT_NEAR(true_for("b.y < 0", more, signals), 0.0, 1e-6);
        EXPECT_NEAR(true_for("b.y >= 1", more, signals), 1.5, 1e-6);
        EXPECT_NEAR(true_for("b.y > 1", more, signals), 0.0, 1e-6);
        EXPECT_NEAR(true_for("b.y < 1", more, signals), 1.5, 1e-6);
        EXPECT_NEAR(true_for("b.y <= 1", more, signals), 3.0, 1e-6);
        EXPECT_NEAR(true_for("0 < b.y", more, signals), 1.5, 1e-6);
        EXPECT_NEAR(true_for("not b.y > 0", more, signals), 1.5, 1e-6);
        EXPECT_NEAR(true_for("b.y > 0.5", more, signals), 1.5, 1e-6);
    }
}

TEST(JumpToThreshold, OfASwitchClosesIt) {
    // 1 V on 2 ohm while the switch is closed: half of the time.
    Pipeline p(R"(components:
  b: {type: Pulse, period: 1, width: 0.5}
  s: {type: Se, e: 1}
  j: {type: 1}
  w: {type: Sw, open: b.y > 0}
  r: {type: R, R: 2}
  i: {type: Integrator}
bonds: [s -> j, j -> w, j -> r]
signals: [r.f -> i.u]
)");
    const auto run = p.run({.stop = 3.0, .tolerance = 1e-8}, {"i.y"});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), 0.75, 1e-6);
}

// Going on from there it counts where it goes: a saw tooth is above 0 all the time but for instants.
TEST(JumpToThreshold, OfWhatGoesOnIsDecidedByWhereItGoes) {
    for (const auto& [relation, expected] : {std::pair{"x.y > 0", 3.0}, {"x.y < 0", 0.0}, {"x.y >= 0", 3.0}}) {
        Pipeline p(std::string(R"(components:
  x: {type: Integrator}
  i: {type: Integrator}
signals: ["1 -> x.u", "if )") +
                   relation + R"( then 1 else 0 -> i.u"]
when: [{if: x.y > 1, reinit: {x.y: 0}}]
)");
        const auto run = p.run({.stop = 3.0, .tolerance = 1e-8}, {"i.y"});
        ASSERT_FALSE(run.summary.failure) << relation;
        EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), expected, 1e-5) << relation;
    }
}

// A state that `reinit:` sets to where it is equal, and that stays there, by every way to say so.
TEST(JumpToThreshold, OfAStateThatIsGivenIsDecidedByEquality) {
    const auto after_given = [](const std::string& given, const std::string& relation) {
        Pipeline p(std::string(R"(components:
  c: {type: C, C: 2, initial: {q: 3}}
  r: {type: R, R: 1e30}
  j: {type: 0}
  i: {type: Integrator}
bonds: [c -> j, j -> r]
signals: ["if )") + relation +
                   R"( then 1 else 0 -> i.u"]
when: [{if: time > 1, reinit: {)" +
                   given + "}}]\n");
        const auto run = p.run({.stop = 3.0, .tolerance = 1e-8}, {"i.y"});
        EXPECT_FALSE(run.summary.failure) << relation;
        return run.result.at(run.result.time.size() - 1, 0);
    };
    for (const std::string given : {"c.q: 0", "c.e: 0"}) {
        const std::string of = given.substr(0, 3);
        EXPECT_NEAR(after_given(given, of + " > 0"), 1.0, 1e-6) << given;
        EXPECT_NEAR(after_given(given, of + " >= 0"), 3.0, 1e-6) << given;
        EXPECT_NEAR(after_given(given, of + " <= 0"), 2.0, 1e-6) << given;
        EXPECT_NEAR(after_given(given, of + " < 0"), 0.0, 1e-6) << given;
        EXPECT_NEAR(after_given(given, "0 < " + of), 1.0, 1e-6) << given;
    }
    // What follows from the state is there as well.
    EXPECT_NEAR(after_given("c.q: 0", "c.e > 0"), 1.0, 1e-6);
    EXPECT_NEAR(after_given("c.e: 0", "c.q >= 0"), 3.0, 1e-6);
    EXPECT_NEAR(after_given("c.q: 1", "c.e > 0.5"), 1.0, 1e-6);
    EXPECT_NEAR(after_given("c.q: 0", "r.f <= 0"), 2.0, 1e-6);
    EXPECT_NEAR(after_given("c.q: 2", "c.q > 2"), 1.0, 1e-6);
    EXPECT_NEAR(after_given("c.q: 2", "c.q >= 2"), 3.0, 1e-6);
    EXPECT_NEAR(after_given("c.q: 4", "c.q > 4"), 0.0, 1e-6);
    EXPECT_NEAR(after_given("c.q: 4", "c.q >= 4"), 2.0, 1e-6);
}

}  // namespace
}  // namespace bondgraph
