// Dry friction in whole runs, where sticking ends when nothing but an effort says so.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

class Interval : public testing::TestWithParam<double> {};

// A force of 1 N/s on 1 kg: 5 N are reached at 5 s, at a row of the output or not, and v = (t - 5)^2/2 from there.
TEST_P(Interval, DoesNotDecideWhenFrictionBreaksLoose) {
    for (const char* type : {"{type: Friction, level: 5 N}", "{type: Clutch, fn_max: 10, mu: 0.5}"}) {
        Pipeline p(std::string(R"(
components:
  pull: {type: Se, e: time, domain: translational}
  j: {type: 1}
  m: {type: I, I: 1 kg, initial: {f: 0 m/s}}
  fr: )") + type + "\nbonds: [pull -> j, j -> m, j -> fr]\n");
        const auto run = p.run({.stop = 10.0, .tolerance = 1e-9, .interval = GetParam()}, {"m.f"});
        ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
        EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), 12.5, 1e-9) << type;
    }
}
INSTANTIATE_TEST_SUITE_P(Of, Interval, testing::Values(0.03, 0.1, 0.5, 1.0, 5.0, 10.0));

// A mass on a spring, dragged by a belt whose friction fades: stick-slip. The speed at 10 s is that of an eighth-order
// Runge-Kutta method between the instants at which it sticks and breaks loose. Extrapolated backwards in its flow, the
// exponential of the fading is beyond all bounds; no magnitude may be learned from that.
TEST(StickSlip, OfAFadingFrictionGoesOnToTheEnd) {
    Pipeline p(R"(
components:
  belt: {type: Sf, f: 0.3 m/s}
  n: {type: 0}
  fr: {type: Friction, level: 3 N, static: 5 N, fade: 0.1 m/s, R: 0.5 N.s/m}
  j: {type: 1}
  m: {type: I, I: 1 kg, initial: {f: 0 m/s}}
  k: {type: C, K: 20 N/m, initial: {q: 0}}
bonds: [belt -> n, n -> fr, n -> j, j -> m, j -> k]
)");
    const auto run = p.run({.stop = 10.0, .tolerance = 1e-9}, {"m.f", "fr.e"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), -0.209374273, 1e-6);
    for (std::size_t k = 0; k < run.result.time.size(); ++k) EXPECT_LE(std::abs(run.result.at(k, 1)), 5.0 * (1 + 1e-9));
}

// A bearing that slides, loses its load at 1 s and gets it back at 3 s. From 2 m/s: dv/dt = -(1 N + 0.5 N.s/m v)/2 kg,
// so v + 2 falls by exp(-t/4); between 1 s and 3 s v does.
TEST(Friction, OfLiftedBearingsIsTheViscousPartAlone) {
    for (const std::string arrow : {"j -> fr", "fr -> j"}) {
        Pipeline p(R"(
components:
  j: {type: 1}
  m: {type: I, I: 2 kg, initial: {f: 2 m/s}}
  fr: {type: Friction, level: 1 N, R: 0.5 N.s/m, load: "if time < 1 then 1 elseif time < 3 then -2 else 1"}
bonds: [j -> m, )" +
                   arrow + "]\n");
        const auto run = p.run({.stop = 4.0, .tolerance = 1e-10, .interval = 0.5}, {"m.f"});
        ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
        const double lifted = 4.0 * std::exp(-0.25) - 2.0;
        const double pressed = lifted * std::exp(-0.5);
        double most = 0.0;
        for (std::size_t k = 0; k < run.result.time.size(); ++k) {
            const double t = run.result.time[k];
            const double v = t <= 1.0   ? 4.0 * std::exp(-t / 4.0) - 2.0
                             : t <= 3.0 ? lifted * std::exp(-(t - 1.0) / 4.0)
                                        : std::max(0.0, (pressed + 2.0) * std::exp(-(t - 3.0) / 4.0) - 2.0);
            most = std::max(most, std::abs(run.result.at(k, 0) - v));
        }
        EXPECT_LE(most, 1e-8);  // of 2 m/s, at a tolerance of 1e-10
    }
}

// Where the ground gives the effort, what is lubricated has a flow: no storage has to.
TEST(Friction, WithoutLoadFollowsAnEffort) {
    Pipeline p(R"(
components:
  pull: {type: Se, e: 3 N}
  fr: {type: Friction, level: 1 N, R: 0.5 N.s/m, load: 0}
bonds: [pull -> fr]
)");
    const auto run = p.run({.stop = 1.0, .tolerance = 1e-9, .interval = 0.5}, {"fr.f"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_NEAR(run.result.at(0, 0), 6.0, 1e-12);
}

// Sliding backward on B, which its friction with the ground soon holds, A comes to rest. With B held it would break
// loose the other way at once (1.4 N beyond 1.3 N), and B then moves; but once it does, A stays on it: 1.05 N.
TEST(Friction, HoldsWhereItMayOnceTheOthersHaveSettled) {
    Pipeline p(R"(
components:
  a: {type: 1, domain: translational}
  b: {type: 1, domain: translational}
  A: {type: I, I: 1 kg, initial: {f: -1 m/s}}
  B: {type: I, I: 1 kg, initial: {f: -0.01 m/s}}
  FA: {type: Se, e: 1.4 N}
  FB: {type: Se, e: 0.8 N}
  s: {type: 0}
  between: {type: Friction, level: 0.9 N, static: 1.3 N}
  ground: {type: Friction, level: 1.5 N}
bonds: [a -> A, b -> B, FA -> a, FB -> b, a -> s, s -> b, s -> between, b -> ground]
)");
    const auto run = p.run({.stop = 1.0, .tolerance = 1e-9}, {"A.f", "B.f", "between.mode"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const std::size_t last = run.result.time.size() - 1;
    EXPECT_NEAR(run.result.at(last, 0), 0.35 * (1.0 - 1.0 / 2.3), 1e-8);
    EXPECT_NEAR(run.result.at(last, 1), 0.35 * (1.0 - 1.0 / 2.3), 1e-8);
    EXPECT_EQ(run.result.at(last, 2), 0.0);
}

// Three masses at rest: the first leaves the second, whose frictions hold it and the third. Taken to slide while
// another was looked at, the third must not be found at rest by an event a moment later.
TEST(Friction, ThatHoldsAtTheStartDoesSoFromTheFirstRow) {
    Pipeline p(R"(
components:
  a: {type: 1, domain: translational}
  b: {type: 1, domain: translational}
  c: {type: 1, domain: translational}
  A: {type: I, I: 1}
  B: {type: I, I: 1}
  C: {type: I, I: 1}
  FA: {type: Se, e: 2.86}
  FB: {type: Se, e: -0.28}
  FC: {type: Se, e: -0.07}
  s: {type: 0}
  t: {type: 0}
  one: {type: OneWayClutch}
  two: {type: Friction, level: 1.06}
  three: {type: Friction, level: 0.72}
bonds: [a -> A, b -> B, c -> C, FA -> a, FB -> b, FC -> c, a -> s, s -> b, s -> one, b -> t, t -> c, t -> two, c -> three]
)");
    const auto run = p.run({.stop = 1.0, .tolerance = 1e-9}, {"A.f", "two.mode", "three.mode"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_EQ(run.summary.state_events, 0);
    EXPECT_EQ(run.result.at(0, 1), 0.0);
    EXPECT_EQ(run.result.at(0, 2), 0.0);
    EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), 2.86, 1e-8);
}

// A mass that a stop on a belt takes along until the force on it pulls: let go at the speed of the belt but for
// rounding, it is not hit by the stop again. From there it has v = belt + ∫F/m.
TEST(Stop, LetsGoOnce) {
    Pipeline p(R"(
components:
  belt: {type: Sf, f: 0.211, domain: rotational}
  n: {type: 1, domain: rotational}
  w: {type: 1, domain: rotational}
  other: {type: 1, domain: rotational}
  m: {type: I, I: 0.005050000000000001, initial: {f: 0.059}}
  o: {type: I, I: 0.012829999999999998}
  s: {type: 0}
  stop: {type: EndStop, lower: -5.48, upper: 1.6900000000000002, rest: 0.05, initial: {q: -3.312}}
  force: {type: Se, e: '0.003519*sin(0.3003*time + 1.194)'}
  load: {type: Se, e: -0.001379}
bonds: [belt -> n, w -> m, other -> o, w -> s, s -> n, s -> stop, force -> w, load -> other]
)");
    const auto run = p.run({.stop = 8.0, .tolerance = 1e-9, .interval = 0.25}, {"m.f", "stop.mode"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const auto& time = run.result.time;
    const auto twice = [&](std::size_t k) { return time[k] == time[k + 1]; };
    int events = 0;
    for (std::size_t k = 0; k + 1 < time.size(); ++k) events += twice(k) ? 1 : 0;
    EXPECT_EQ(events, 2);  // it hits, it lets go
    EXPECT_EQ(run.result.at(time.size() - 1, 1), 0.0);
    const double phase = 0.3003 * 8.0 + 1.194;
    const double pi = 3.14159265358979323846;
    const double expected = 0.211 + 0.003519 / (0.3003 * 0.005050000000000001) * (std::cos(pi) - std::cos(phase));
    EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), expected, 1e-6);
}

}  // namespace
}  // namespace bondgraph
