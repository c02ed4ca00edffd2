// Events: located, iterated, booked; modes with their own causality; what goes on from there.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <numbers>

#include "tests/simulation/event_times.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using testing::DoubleNear;
using testing::HasSubstr;

constexpr double kGravity = 9.81;

constexpr std::string_view kBall = R"(
components:
  g: {type: Se, e: -9.81 N}
  j: {type: 1}
  ball: {type: I, I: 1 kg, initial: {f: 0 m/s}}
  h: {type: Dq, initial: {y: 1 m}}
bonds: [g -> j, j -> ball, j -> h]
when: [{if: h.y < 0, reinit: {ball.f: -0.8*ball.f}}]
)";

TEST(Events, ABallBouncesAtTheTimesOfTheClosedForm) {
    Pipeline p(kBall);
    simulation::Settings s{.stop = 3.9, .tolerance = 1e-10, .interval = 0.5};
    const auto run = p.run(s, {"h.y", "ball.f"});
    ASSERT_FALSE(run.summary.failure);
    // Falls for t0 first, then flies for 2 t0 0.8^n.
    std::vector<double> expected;
    double t = std::sqrt(2.0 / kGravity);
    for (double flight = 2.0 * t * 0.8; t < s.stop; flight *= 0.8) {
        expected.push_back(t);
        t += flight;
    }
    const auto times = event_times(run.result);
    ASSERT_EQ(times.size(), expected.size());
    for (std::size_t k = 0; k < times.size(); ++k) EXPECT_NEAR(times[k], expected[k], 1e-9);
    EXPECT_EQ(run.summary.state_events, static_cast<int>(expected.size()));
}

TEST(Events, TheEnergyLostInBouncesIsBooked) {
    Pipeline p(kBall);
    const auto run = p.run({.stop = 2.0, .tolerance = 1e-9}, {"ball.f"});
    const auto& e = run.summary.energy;
    EXPECT_GT(e.events, 1.0);
    EXPECT_NEAR(e.imbalance, 0.0, 1e-6 * e.moved);
}

TEST(Events, AZenoPointEndsTheRunWithItsTime) {
    Pipeline p(kBall);
    const auto run = p.run({.stop = 5.0, .tolerance = 1e-9}, {"h.y"});
    ASSERT_TRUE(run.summary.failure);
    EXPECT_NEAR(run.summary.failure->time, 9.0 * std::sqrt(2.0 / kGravity), 1e-3);
    EXPECT_THAT(run.summary.failure->message, HasSubstr("accumulate at t = 4.0637"));
    EXPECT_FALSE(run.result.time.empty());
}

TEST(Events, ARunThatTheUserEndsHasTheFirstRowsOfTheWholeOne) {
    Pipeline p(kBall);
    for (const auto& [interval, from] : {std::pair{0.25, 0.0}, {0.01, 0.0}, {0.001, 0.3}, {0.001, 0.5}}) {
        const simulation::Settings s{.stop = 2.0, .interval = interval};
        const auto whole = p.run(s, {"h.y"});
        const simulation::Run run =
            simulation::simulate(p.compiled(), s, {}, [from = from](double time) { return time < from; });
        ASSERT_TRUE(run.summary.failure);
        // All until then, and none that lies behind an event nobody has looked for (the first impact is at 0.45 s).
        std::vector<double> rows = whole.result.time;
        std::erase_if(rows, [&](double time) { return time > run.summary.failure->time; });
        ASSERT_LT(rows.size(), whole.result.time.size());
        EXPECT_EQ(run.result.time, rows) << interval;
    }
}

TEST(Events, AnImpactKeepsMomentum) {
    Pipeline p(R"(
components:
  track1: {type: 1}
  wagon1: {type: I, I: 2 kg, initial: {f: 3 m/s}}
  force:  {type: 0}
  buffer: {type: EndStop, upper: 0 m, restitution: 0.6, initial: {q: -1 m}}
  track2: {type: 1}
  wagon2: {type: I, I: 5 kg, initial: {f: -0.7 m/s}}
bonds: [track1 -> wagon1, track1 -> force, force -> buffer, force -> track2, track2 -> wagon2]
)");
    const auto run = p.run({.stop = 1.0, .tolerance = 1e-8}, {"wagon1.p", "wagon2.p", "wagon1.f", "wagon2.f"});
    ASSERT_FALSE(run.summary.failure);
    const std::size_t last = run.result.time.size() - 1;
    const auto at = [&](std::size_t k) { return run.result.at(last, k); };
    EXPECT_NEAR(at(0) + at(1), 2 * 3.0 - 5 * 0.7, 1e-12);
    EXPECT_NEAR(at(3) - at(2), 0.6 * 3.7, 1e-9);
    EXPECT_NEAR(run.summary.energy.imbalance, 0.0, 1e-9 * run.summary.energy.moved);
}

TEST(Events, AClosingSwitchSharesChargeBetweenCapacitors) {
    Pipeline p(R"(
components:
  n1: {type: 0}
  c1: {type: C, C: 1 uF, initial: {e: 10 V}}
  j: {type: 1}
  s: {type: Sw, open: "time < 0.001"}
  n2: {type: 0}
  c2: {type: C, C: 3 uF, initial: {e: 0 V}}
bonds: [j -> s, n2 -> c2, n1 -> c1, n1 -> j, j -> n2]
)");
    const auto run = p.run({.stop = 2e-3, .tolerance = 1e-8}, {"c1.q", "c2.q", "c1.e", "c2.e"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const std::size_t last = run.result.time.size() - 1;
    EXPECT_NEAR(run.result.at(last, 0) + run.result.at(last, 1), 1e-5, 1e-17);
    EXPECT_NEAR(run.result.at(last, 2), 2.5, 1e-9);
    EXPECT_NEAR(run.result.at(last, 3), 2.5, 1e-9);
    // Half the energy of two equal voltages' difference over the series capacitance is lost.
    EXPECT_NEAR(run.summary.energy.events, 0.5 * 0.75e-6 * 100.0, 1e-12);
}

// False at the start, and true at once: at 0 as at any other time.
TEST(Events, WhatChangesJustBehindTheStartIsSeen) {
    for (const double start : {0.0, 0.7}) {
        SCOPED_TRACE(start);
        Pipeline p(fmt::format(R"(
components:
  s: {{type: Se, e: 5 V}}
  j: {{type: 1}}
  r: {{type: R, R: 1 ohm}}
  c: {{type: C, C: 1 F, initial: {{q: 0 C}}}}
  w: {{type: Sw, open: "time <= {0}"}}
bonds: [s -> j, j -> r, j -> c, j -> w]
experiment: {{start: {0} s}}
)",
                               start));
        const auto run = p.run({.start = start, .stop = start + 1.0, .tolerance = 1e-9}, {"c.q"});
        ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
        EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), 5.0 * (1.0 - std::exp(-1.0)), 1e-7);
    }
}

TEST(Events, AFreewheelingDiodeTakesOverTheCurrentOfACoil) {
    Pipeline p(R"(
components:
  u: {type: Se, e: 10 V}
  a: {type: 1}
  s: {type: Sw, open: "time >= 0.001"}
  n: {type: 0}
  back: {type: 1}
  d: {type: D}
  l: {type: 1}
  coil: {type: I, I: 10 mH, initial: {f: 0 A}}
  r: {type: R, R: 1 ohm}
bonds: [u -> a, a -> s, a -> n, n -> l, l -> coil, l -> r, back -> d, back -> n]
)");
    const auto run = p.run({.stop = 3e-3, .tolerance = 1e-9}, {"coil.f", "d.f"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const std::size_t last = run.result.time.size() - 1;
    const double peak = 10.0 * (1.0 - std::exp(-0.1));
    EXPECT_NEAR(run.result.at(last, 0), peak * std::exp(-0.2), 1e-7);
    EXPECT_NEAR(run.result.at(last, 1), peak * std::exp(-0.2), 1e-7);
    EXPECT_NEAR(run.summary.energy.events, 0.0, 1e-12);
}

TEST(Events, ALeakyDiodeSwitchesTwiceAPeriod) {
    Pipeline p(R"(
components:
  u: {type: Se, e: 10*cos(2*pi*time)}
  m: {type: 1}
  d: {type: D, Ron: 0.1 ohm, Goff: 1e-6 S}
  r: {type: R, R: 10 ohm}
  l: {type: I, I: 1e-6 H, initial: {f: 0 A}}
bonds: [u -> m, m -> d, m -> r, m -> l]
)");
    const auto run = p.run({.stop = 10.0, .tolerance = 1e-9, .interval = 0.1}, {"d.f"});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_EQ(run.summary.state_events, 20);
    EXPECT_EQ(run.summary.mode_changes, 0);
    for (std::size_t k = 0; const double t : event_times(run.result)) EXPECT_NEAR(t, 0.5 * double(k++) + 0.25, 1e-6);
}

TEST(Events, ABrakeThatCannotHoldItsLoadSlipsFromTheStart) {
    Pipeline p(R"(
components:
  weight: {type: Se, e: -10 N}
  j: {type: 1}
  m: {type: I, I: 2 kg, initial: {f: 0 m/s}}
  brake: {type: Friction, level: 1 N, static: 4 N}
bonds: [weight -> j, j -> m, j -> brake]
)");
    const auto run = p.run({.stop = 1.0, .tolerance = 1e-9}, {"m.f", "brake.e", "brake.mode"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const std::size_t last = run.result.time.size() - 1;
    EXPECT_NEAR(run.result.at(last, 0), -4.5, 1e-9);
    EXPECT_NEAR(run.result.at(last, 1), -1.0, 1e-12);
    EXPECT_EQ(run.result.at(last, 2), -1.0);
}

TEST(Events, ChatteringIsNamed) {
    Pipeline p(R"(
types:
  Relay2:
    ports: {p: {}}
    variables: {x: {start: 1}}
    equations: [der(x) = p.f, p.e = if x > 0 then 1 else -1]
components:
  s: {type: 1}
  m: {type: R, R: 1}
  r: {type: Relay2}
bonds: [s -> m, s -> r]
)");
    const auto run = p.run({.stop = 5.0, .tolerance = 1e-6}, {"r.x"});
    ASSERT_TRUE(run.summary.failure);
    EXPECT_THAT(run.summary.failure->message, HasSubstr("chatters"));
    EXPECT_THAT(run.summary.failure->component, HasSubstr("'r'"));
}

TEST(Events, ConditionsOnTheTimeHoldFromALateStartOn) {
    Pipeline p(R"(
parameters: {t0: 10 s}
components:
  s: {type: Se, e: 10 V}
  j: {type: 1}
  sw: {type: Sw, open: time < 5}
  r: {type: R, R: 1 ohm}
  l: {type: I, I: 1 H, initial: {f: 2 A}}
bonds: [s -> j, j -> sw, j -> l, j -> r]
experiment: {start: t0, stop: 11 s}
)");
    const auto run = p.run(p.settings(), {"l.f"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_EQ(run.result.at(0, 0), 2.0);
    EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), 10.0 - 8.0 * std::exp(-1.0), 1e-4);
}

TEST(Events, SamplingIsExact) {
    Pipeline p(R"yaml(
types:
  Counter:
    variables: {n: {type: integer, start: 0}, x: {start: 0}}
    equations: ["n = if sample(0.1, 0.1) then pre(n) + 1 else pre(n)", der(x) = n]
components:
  c: {type: Counter}
bonds: []
)yaml");
    const auto run = p.run({.stop = 1.05, .tolerance = 1e-8}, {"c.n", "c.x"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const std::size_t last = run.result.time.size() - 1;
    EXPECT_EQ(run.result.at(last, 0), 10.0);
    EXPECT_NEAR(run.result.at(last, 1), 4.5 + 0.5, 1e-7);  // 0.1·(1 + … + 9) + 0.05·10
}

TEST(Events, AnInterruptKeepsWhatThereIs) {
    Pipeline p(kBall);
    std::atomic<bool> interrupted{false};
    simulation::Settings s{.stop = 2.0};
    s.interrupted = &interrupted;
    s.on_event = [&](const simulation::Happening&) { interrupted = true; };
    const auto run = p.run(s, {"h.y"});
    ASSERT_TRUE(run.summary.failure);
    EXPECT_THAT(run.summary.failure->message, HasSubstr("ended by the user"));
    ASSERT_FALSE(run.result.time.empty());
    EXPECT_GT(run.result.time.back(), 0.0);
    EXPECT_LT(run.result.time.back(), 2.0);
    s.on_event = {};
    const auto none = p.run(s, {"h.y"});  // asked for before there is anything
    ASSERT_TRUE(none.summary.failure);
    EXPECT_THAT(none.summary.failure->message, HasSubstr("ended by the user"));
    EXPECT_TRUE(none.result.time.empty());
}

TEST(Events, StatesAreChosenAgainOnTheWayRound) {
    Pipeline p(R"(
types:
  Pendulum:
    parameters: {m: 1, L: 1, g: 9.81}
    variables: {x: {start: 1}, y: , vx: , vy: {start: 7}, force: }
    equations: [der(x) = vx, der(y) = vy, m*der(vx) = -force*x, m*der(vy) = -force*y - m*g, x^2 + y^2 = L^2]
components:
  p: {type: Pendulum}
bonds: []
)");
    const auto run = p.run({.stop = 10.0, .tolerance = 1e-8, .interval = 0.01}, {"p.x", "p.y", "p.vx", "p.vy"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_GT(run.summary.reselections, 20);
    for (std::size_t k = 0; k < run.result.time.size(); ++k) {
        const auto at = [&](std::size_t c) { return run.result.at(k, c); };
        ASSERT_NEAR(std::hypot(at(0), at(1)), 1.0, 1e-12);
        // Energy within the error that 1e-8 a step leaves in 10 s.
        ASSERT_NEAR(0.5 * (at(2) * at(2) + at(3) * at(3)) + kGravity * at(1), 24.5, 1e-3);
    }
}

TEST(Events, AModelIsLinearizedInTheModeItIsIn) {
    Pipeline p(R"(
components:
  u: {type: Se, e: 1 V}
  m: {type: 1}
  s: {type: Sw, open: "time < 1"}
  r: {type: R, R: 2}
  c: {type: C, C: 1, initial: {e: 0}}
bonds: [u -> m, m -> s, m -> r, m -> c]
)");
    const auto linear = p.linear_at_end({.stop = 2.0});
    ASSERT_EQ(linear.A.rows(), 1);
    EXPECT_NEAR(linear.A(0, 0), -0.5, 1e-12);
}

TEST(Events, RepeatedConstraintsAreLeftOutAndContradictoryOnesRefused) {
    const std::string ties = R"(
types:
  Tie:
    parameters: {v: 0}
    ports: {a: {}, b: {}}
    equations: [a.f + b.f = v, a.e = b.e]
components:
  m1: {type: I, I: 1, initial: {f: 1}}
  j1: {type: 1}
  m2: {type: I, I: 2}
  j2: {type: 1}
  s1: {type: Tie}
  s2: {type: Tie, v: SECOND}
bonds: [j1 -> m1, j2 -> m2, j1 -> s1.a, j2 -> s1.b, j1 -> s2.a, j2 -> s2.b]
)";
    const auto with = [&](const std::string& second) {
        std::string text = ties;
        return text.replace(text.find("SECOND"), 6, second);
    };
    Pipeline repeated(with("0"));
    const auto run = repeated.run({.stop = 1.0}, {"m1.f", "m2.f"});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_EQ(run.summary.left_out.size(), 1U);
    EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 1), -1.0, 1e-12);
    Pipeline contradictory(with("0.1"));
    EXPECT_THAT(test::errors_of([&] { contradictory.run({.stop = 1.0}, {"m1.f"}); }),
                testing::Contains(testing::AnyOf("BG-E004", "BG-I001")));
}

TEST(Discrete, ATypeMayHoldNothingButWhatOthersSet) {
    Pipeline p(
        "types:\n"
        "  Counter: {variables: {n: {type: integer, start: 2}}}\n"
        "components:\n"
        "  wave: {type: Sine, frequency: 1}\n"
        "  count: {type: Counter}\n"
        "when:\n"
        "  - {if: wave.y > 0.5, set: {count.n: count.n + 1}}\n");
    const auto run = p.run({.stop = 2.5, .interval = 0.5}, {"count.n"});
    EXPECT_EQ(run.result.at(run.result.time.size() - 1, 0), 5.0);
}

// Sampled at the start, the value is above the level from the first row on; a sample of the condition's own is due.
TEST(When, WhatIsSampledAtTheStartIsTrueFromTheStart) {
    const auto at_start = [](const std::string& condition) {
        Pipeline p(R"(
types:
  T: {variables: {n: {type: real, start: 0.25}}}
components:
  c: {type: Constant, k: 1}
  d: {type: SampleHold, period: 0.26 s}
  m: {type: T}
signals: [c.y -> d.u]
when: {if: ')" + condition +
                   R"(', set: {m.n: 'm.n + 1'}}
)");
        const auto run = p.run({.stop = 1.0, .interval = 0.5}, {"m.n", "d.y"});
        EXPECT_FALSE(run.summary.failure);
        EXPECT_EQ(run.result.at(0, 1), 1.0);
        return run.result.at(0, 0);
    };
    EXPECT_EQ(at_start("d.y >= 0.5"), 0.25);
    EXPECT_EQ(at_start("sample(0, 2)"), 1.25);
    EXPECT_EQ(at_start("sample(0, 2) and d.y >= 0.5"), 1.25);
}

// A latch lets go at a limit, and what it lets go falls below the limit again at once: it is not caught again.
TEST(Events, ALatchThatHasLetGoStaysSo) {
    constexpr std::string_view kLatch = R"(
types:
  Latch:
    inputs: [x]
    parameters: {limit: 6}
    outputs: [y]
    variables: {on: {type: boolean, start: true}}
    equations: [on = pre(on) and x < limit, y = if on then 4 else 0]
components:
  source: {type: Se}
  ramp: {type: Se, e: 3*time}
  j: {type: 1}
  r: {type: R, R: 4}
  latch: {type: Latch}
signals: [latch.y -> source.e, r.e -> latch.x]
bonds: [source -> j, ramp -> j, j -> r]
)";
    Pipeline p(kLatch);
    const auto run = p.run({.stop = 3.0, .interval = 1.0}, {"latch.y", "r.e"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const auto times = event_times(run.result);
    ASSERT_FALSE(times.empty());
    EXPECT_NEAR(times[0], 2.0 / 3.0, 1e-9);
    EXPECT_EQ(run.result.at(run.result.time.size() - 1, 0), 0.0);
    EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 1), 9.0, 1e-12);
}

}  // namespace
}  // namespace bondgraph
