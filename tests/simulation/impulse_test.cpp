// Impulses as results, and jumps that have none because they are refused.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bondgraph/simulation/simulate.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::simulation {
namespace {

using test::Pipeline;

TEST(Impulses, OfAnImpactAreTheMomentaThatChange) {
    Pipeline p(R"(
components:
  weight: {type: Se, e: -9.81 N}
  j: {type: 1}
  ball: {type: I, I: 2 kg, initial: {f: 0 m/s}}
  floor: {type: EndStop, lower: 0 m, restitution: 0.5, initial: {q: 1 m}}
bonds: [weight -> j, j -> ball, j -> floor]
)");
    const auto run = p.run({.stop = 0.9, .tolerance = 1e-9},
                           {"floor.e.impulse", "ball.force.impulse", "weight.e.impulse", "ball.f.impulse", "ball.p"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    // The weight is 2 kg·4.905 m/s²: the ball falls at √(2·4.905) m/s and goes up at half of that.
    const double fall = std::sqrt(2.0 * 4.905);
    for (std::size_t k = 0; k < run.result.time.size(); ++k) {
        const bool after = run.result.at(k, 4) > 0.0;  // before, it falls
        EXPECT_NEAR(run.result.at(k, 0), after ? -3.0 * fall : 0.0, 1e-6) << run.result.time[k];
        EXPECT_NEAR(run.result.at(k, 1), after ? 3.0 * fall : 0.0, 1e-6);
        EXPECT_NEAR(run.result.at(k, 2), 0.0, 1e-9);
        EXPECT_NEAR(run.result.at(k, 3), 0.0, 1e-9);
    }
    EXPECT_EQ(run.result.signals[0].unit, "N.s");
    EXPECT_EQ(run.result.signals[3].unit, "m");
}

TEST(Impulses, AddUpOverJumps) {
    // 1 F at 10 V shares with 1 F three times: after each the second is emptied.
    Pipeline p(R"(
components:
  n:  {type: 0}
  C1: {type: C, C: 1 F, initial: {e: 8 V}}
  l:  {type: 1}
  sw: {type: Sw, open: time < 1 or time > 2}
  C2: {type: C, C: 1 F, initial: {q: 0}}
  far: {type: 1}
  sw2: {type: Sw, open: time < 3}
  m: {type: 0}
  C3: {type: C, C: 3 F, initial: {q: 0}}
bonds: [n -> C1, loop: n -> l, l -> sw, l -> m, m -> C2, m -> far, far -> sw2, far -> C3]
)");
    const auto run = p.run({.stop = 4.0, .tolerance = 1e-9, .interval = 0.5},
                           {"sw.f.impulse", "C2.f.impulse", "C3.current.impulse", "loop.f.impulse", "C1.f.impulse"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const std::size_t last = run.result.time.size() - 1;
    const auto row_at = [&](double time) {
        std::size_t k = 0;
        while (run.result.time[k] < time) ++k;
        return k;
    };
    EXPECT_NEAR(run.result.at(row_at(0.5), 0), 0.0, 1e-12);
    EXPECT_NEAR(run.result.at(row_at(1.5), 0), 4.0, 1e-9);
    EXPECT_NEAR(run.result.at(row_at(1.5), 1), 4.0, 1e-9);
    EXPECT_NEAR(run.result.at(row_at(2.5), 1), 4.0, 1e-9);
    EXPECT_NEAR(run.result.at(last, 0), 4.0, 1e-9);
    EXPECT_NEAR(run.result.at(last, 1), 1.0, 1e-9);
    EXPECT_NEAR(run.result.at(last, 2), 3.0, 1e-9);
    EXPECT_NEAR(run.result.at(last, 3), 4.0, 1e-9);
    EXPECT_NEAR(run.result.at(last, 4), -4.0, 1e-9);
    EXPECT_EQ(run.result.signals[2].unit, "C");
}

TEST(Impulses, AreOfEffortsAndFlowsOnly) {
    Pipeline p(R"(
components:
  n:  {type: 0}
  C1: {type: C, C: 1 F, initial: {e: 10 V}}
  R1: {type: R, R: 1 ohm}
bonds: [n -> C1, n -> R1]
)");
    for (const char* name : {"C1.q.impulse", "C1.power.impulse", "C1.impulse", "time.impulse", "C1.g.impulse"})
        EXPECT_FALSE(find_impulse(p.graph(), name)) << name;
    EXPECT_TRUE(find_impulse(p.graph(), "n.e.impulse"));
}

// Capacitors that follow their sources rigidly.
constexpr const char* kRigid = R"(
components:
  s0: {type: Sf, f: 1}
  n0: {type: 0}
  c0: {type: C, C: 1, initial: {q: 0}}
  s: {type: Se, e: "SOURCE"}
  n: {type: 0}
  c: {type: C, C: 2}
bonds: [s0 -> n0, n0 -> c0, s -> n, n -> c]
)";

std::string rigid(const std::string& source) {
    std::string text = kRigid;
    return text.replace(text.find("SOURCE"), 6, source);
}

TEST(RigidJump, OfAStatesRelationIsRefusedAsThatOfTimeIs) {
    Pipeline of_state(rigid("if c0.q > 1 then 10 else 0"));
    const auto run = of_state.run({.stop = 2.0}, {});
    ASSERT_TRUE(run.summary.failure);
    EXPECT_NEAR(run.summary.failure->time, 1.0, 1e-9);
    EXPECT_EQ(run.summary.failure->component, "'c' (C)");
    EXPECT_EQ(run.summary.failure->message,
              "'c.q' would have to jump from 0 to 20: it follows rigidly what jumps here, which would take an infinite "
              "effort or flow; make the change continuous (a Ramp), or add the small R that limits it");
    EXPECT_THAT(test::errors_in(rigid("if time > 1 then 10 else 0")), testing::ElementsAre("BG-E003"));
}

/// A wheel leads a mass along a place that time or the wheel's angle gives.
std::string led(const std::string& place) {
    return R"(
types:
  Cam:
    ports: {a: {domain: rotational}, b: {domain: translational}}
    variables: {phi: {start: 0}, place: {}}
    equations: [der(phi) = a.f, "place = )" +
           place + R"(", b.f + der(place) = 0, a.e*a.f + b.e*b.f = 0]
components:
  wheel: {type: I, I: 0.5, initial: {f: 1}}
  shaft: {type: 1}
  cam: {type: Cam}
  x: {type: 1}
  m: {type: I, I: 2}
bonds: [shaft -> wheel, shaft -> cam.a, x -> cam.b, x -> m]
)";
}

TEST(RigidJump, AtTheBendsOfATableIsRefused) {
    // A mass that follows straight lines rigidly jumps in its velocity where they meet.
    for (const std::string place :
         {"interpolate(phi, [0, 0.5, 1, 2], [0, 0.1, 0.4, 0.4])", "interpolate(phi, [0, 1], [0, 1])",
          "interpolate(time, [0, 1, 2], [0, 1, 4])", "interpolate(time, [0, 1, 2], [0, 1, 4], linear)",
          "akima(phi, [0, 1, 2, 3], [0, 1, 4, 9])"}) {
        EXPECT_THAT(test::errors_in(led(place)), testing::Contains("BG-E003")) << place;
    }
    // Straight on, rounded, or flat at the ends beyond which it holds: no jump.
    for (const std::string place :
         {"interpolate(phi, [0, 1], [0, 1], linear)", "akima(phi, [0, 1, 2, 3, 4, 5], [0, 0, 0, 1, 1, 1])",
          "akima(phi, [0, 1, 2, 3], [0, 1, 4, 9], linear)"}) {
        EXPECT_THAT(test::errors_in(led(place)), testing::IsEmpty()) << place;
    }
}

TEST(RigidJump, OfASampledValueIsRefused) {
    Pipeline p(R"(
types:
  Held:
    inputs: [u]
    outputs: {y: {type: real}}
    equations:
      - y = if sample(0.5, 1) then u else pre(y)
components:
  hold: {type: Held}
  clock: {type: Sf, f: 1}
  n0: {type: 0}
  c0: {type: C, C: 1, initial: {q: 1}}
  s: {type: Se, e: hold.y}
  n: {type: 0}
  c: {type: C, C: 2}
signals: [c0.q -> hold.u]
bonds: [clock -> n0, n0 -> c0, s -> n, n -> c]
)");
    const auto run = p.run({.stop = 2.0}, {});
    ASSERT_TRUE(run.summary.failure);
    EXPECT_NEAR(run.summary.failure->time, 0.5, 1e-9);
}

TEST(RigidJump, IsNoneWhereARelationBendsWithoutAJump) {
    Pipeline p(rigid("if c0.q > 1 then 10*(c0.q - 1) else 0"));
    const auto run = p.run({.stop = 2.0, .tolerance = 1e-9}, {"c.q"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), 20.0, 1e-6);
    EXPECT_NEAR(run.summary.energy.supplied, 102.0, 1e-6);
    EXPECT_NEAR(run.summary.energy.imbalance, 0.0, 1e-6);
}

// Both ports of the gyrator stand in one junction: their impulses, r times the charge that jumps, cancel in it.
TEST(Impulses, ThatCancelLeaveTheStatesExact) {
    Pipeline p(R"(
components:
  n: {type: 1}
  C: {type: C, C: 2}
  S: {type: Sw, Goff: 1, open: "time < 0.5"}
  c: {type: 0}
  V: {type: Se, e: '1 + sin(time)'}
  G: {type: GY, r: 3}
bonds: [n -> C, V -> c, G.p2 -> n, n -> G.p1, n -> c, n -> S]
)");
    const auto run = p.run({.stop = 1.0, .tolerance = 1e-9, .interval = 0.25}, {"C.e", "G.p1.e.impulse"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const std::size_t last = run.result.time.size() - 1;
    EXPECT_NEAR(run.result.at(last, 0), -1.0 - std::sin(1.0), 1e-9);
    const auto after = std::ranges::find(run.result.time, 0.5) - run.result.time.begin() + 1;
    const double charge = 2.0 * (run.result.at(after, 0) - run.result.at(after - 1, 0));
    EXPECT_NEAR(run.result.at(last, 1), 3.0 * charge, 1e-9 * std::abs(charge));
}

}  // namespace
}  // namespace bondgraph::simulation
