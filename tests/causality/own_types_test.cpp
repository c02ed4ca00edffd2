// Own types take and give strokes as what is built in does.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

// Stores at two ports: charge and displacement.
constexpr std::string_view kTwo = R"(
types:
  Two:
    parameters: {c: {}, k: {}}
    ports: {m: {domain: electrical}, flange: {domain: translational}}
    variables: {q: {unit: C, start: 0}, x: {unit: m, start: 0.5}}
    equations: [der(q) = m.f, der(x) = flange.f, m.e = q/c, flange.e = k*x]
)";

std::string with_two(std::string_view model) { return fmt::format("{}{}", kTwo, model); }

TEST(OwnTypes, StoreAtTwoPortsOneOfThemAtASource) {
    Pipeline p(with_two(R"(
components:
  s: {type: Se, e: 5*sin(time)}
  b: {type: Two, c: 1e-4 F, k: 4 N/m}
  m: {type: I, I: 1 kg}
  j: {type: 1}
bonds: [s -> b.m, j -> b.flange, j -> m]
)"));
    const auto run = p.run({.stop = 3.0, .tolerance = 1e-9, .interval = 0.5}, {"s.f", "b.x"});
    for (std::size_t row = 0; row < run.result.time.size(); ++row) {
        const double t = run.result.time[row];
        EXPECT_NEAR(run.result.at(row, 0), 5e-4 * std::cos(t), 1e-9);
        EXPECT_NEAR(run.result.at(row, 1), 0.5 * std::cos(2.0 * t), 1e-6);
    }
}

TEST(OwnTypes, StoreAtTwoPortsBothDrivenThroughResistors) {
    Pipeline p(with_two(R"(
components:
  s: {type: Se, e: 1 V}
  je: {type: 1}
  r: {type: R, R: 2 ohm}
  b: {type: Two, c: 0.5 F, k: 4 N/m}
  d: {type: R, R: 4 N*s/m}
  j: {type: 1}
bonds: [s -> je, je -> r, je -> b.m, j -> b.flange, j -> d]
)"));
    const auto run = p.run({.stop = 3.0, .tolerance = 1e-9, .interval = 0.5}, {"b.q", "b.x"});
    for (std::size_t row = 0; row < run.result.time.size(); ++row) {
        const double decay = std::exp(-run.result.time[row]);
        EXPECT_NEAR(run.result.at(row, 0), 0.5 * (1.0 - decay), 1e-7);
        EXPECT_NEAR(run.result.at(row, 1), 0.5 * decay, 1e-7);
    }
}

/// Two capacitances side by side, one of them an own type; the free flow is what both take at the same rate of voltage.
std::string side_by_side(std::string_view own_preference, bool own_first) {
    const std::string own = fmt::format("  o: {{type: Own, c: 3 F, states: {}}}\n", own_preference);
    const std::string built_in = "  c: {type: C, C: 1 F}\n";
    return fmt::format(R"(
types:
  Own:
    parameters: {{c: {{}}}}
    ports: {{p: {{domain: electrical}}, n: {{domain: electrical}}}}
    variables: {{q: {{unit: C, start: 0}}}}
    equations: [der(q) = p.f, p.e - n.e = q/c, n.f = -p.f]
components:
{}{}  s: {{type: Sf, f: 8 A}}
  g: {{type: Se, e: 0 V}}
  j: {{type: 0}}
bonds: [s -> j, j -> o.p, g -> o.n, j -> c]
)",
                       own_first ? own : built_in, own_first ? built_in : own);
}

TEST(OwnTypes, ShareAVoltageWithACapacitorWhateverIsTheState) {
    for (const std::string_view preference : {"prefer", "avoid"}) {
        for (const bool own_first : {true, false}) {
            SCOPED_TRACE(fmt::format("{} {}", preference, own_first));
            Pipeline p(side_by_side(preference, own_first));
            const auto run = p.run({.stop = 1.0, .tolerance = 1e-9, .interval = 0.5}, {"o.q", "c.q"});
            EXPECT_NEAR(run.result.at(2, 0), 6.0, 1e-7);
            EXPECT_NEAR(run.result.at(2, 1), 2.0, 1e-7);
        }
    }
}

TEST(OwnTypes, AvoidedStatesLeaveTheChoiceToWhatIsBuiltIn) {
    for (const bool own_first : {true, false}) {
        Pipeline preferred(side_by_side("prefer", own_first));
        EXPECT_EQ(preferred.causal().dependent_storage_count(), 1U);
        Pipeline avoided(side_by_side("avoid", own_first));
        EXPECT_EQ(avoided.causal().dependent_storage_count(), 0U);
    }
}

// An ideal amplifier: what comes in vanishes, and what goes out does whatever that takes.
std::string amplifier(std::string_view feedback) {
    return fmt::format(R"(
types:
  Nullor:
    ports: {{in: {{domain: electrical}}, out: {{domain: electrical}}}}
    equations: [in.e = 0, in.f = 0]
components:
  V: {{type: Se, e: 2 V}}
  j1: {{type: 1}}
  R1: {{type: R, R: 5 ohm}}
  n: {{type: 0}}
  j2: {{type: 1}}
  F: {{{}}}
  o: {{type: 0}}
  RL: {{type: R, R: 100 ohm}}
  A: {{type: Nullor}}
bonds: [V -> j1, j1 -> R1, j1 -> n, n -> A.in, n -> j2, j2 -> F, j2 -> o, o -> A.out, o -> RL]
)",
                       feedback);
}

TEST(OwnTypes, ANullorInvertsByTheRatioOfItsResistors) {
    Pipeline p(amplifier("type: R, R: 15 ohm"));
    const auto run = p.run({.stop = 1.0, .interval = 1.0}, {"RL.e", "A.in.f"});
    EXPECT_NEAR(run.result.at(1, 0), -6.0, 1e-12);
    EXPECT_NEAR(run.result.at(1, 1), 0.0, 1e-12);
}

TEST(OwnTypes, ANullorWithACapacitorIntegrates) {
    Pipeline p(amplifier("type: C, C: 0.1 F"));
    const auto run = p.run({.stop = 3.0, .interval = 1.0}, {"RL.e"});
    for (std::size_t row = 0; row < 4; ++row) EXPECT_NEAR(run.result.at(row, 0), -4.0 * run.result.time[row], 1e-6);
}

TEST(OwnTypes, ThatFixTheSameEffortTwiceAreStillAConflict) {
    EXPECT_THAT(test::errors_in(R"(
types:
  Both:
    ports: {a: {domain: electrical}, b: {domain: electrical}}
    equations: [a.e = 1, b.e = 2]
components:
  x: {type: Both}
  j: {type: 0}
  r: {type: R, R: 1 ohm}
bonds: [j -> x.a, j -> x.b, j -> r]
)"),
                testing::ElementsAre("BG-C003"));
}

}  // namespace
}  // namespace bondgraph
