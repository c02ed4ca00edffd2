// Friction on a coordinate that turns round while the mechanism moves on: at a dead centre its speed is zero, and no
// finite force could hold it there.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

double last(const simulation::Run& run, std::size_t column) {
    return run.result.at(run.result.time.size() - 1, column);
}

// What the friction takes is 5 N along the way of the slider, whatever its direction: the crank's speed by energy.
TEST(FrictionTurns, TheSliderOfACrankPassesItsDeadCentres) {
    constexpr double kRadius = 0.3;
    constexpr double kStart = 0.4;
    const auto place = [&](double a) {
        return kRadius * std::cos(a) + std::sqrt(1.0 - std::pow(kRadius * std::sin(a), 2));
    };
    const auto per_turn = [&](double a) {
        return -kRadius * std::sin(a) *
               (1.0 + kRadius * std::cos(a) / std::sqrt(1.0 - std::pow(kRadius * std::sin(a), 2)));
    };
    const auto inertia = [&](double a) { return 0.5 + std::pow(per_turn(a), 2); };
    for (const double speed : {4.0, 6.0, 9.0}) {
        for (const double torque : {1.5, 3.0}) {
            Pipeline p(fmt::format(R"(
types:
  SliderCrank:
    ports: {{c: {{domain: rotational}}, s: {{domain: translational}}}}
    variables: {{a: {{start: 0.4}}, x: , b: , along: , across: }}
    equations:
      - der(a) = c.f
      - der(x) = s.f
      - x = 0.3*cos(a) + cos(b)
      - 0 = 0.3*sin(a) - sin(b)
      - s.e = along
      - 0 = along*sin(b) - across*cos(b)
      - c.e = along*0.3*sin(a) + across*0.3*cos(a)
components:
  jc: {{type: 1}}
  js: {{type: 1}}
  J: {{type: I, I: 0.5, initial: {{f: {}}}}}
  m: {{type: I, I: 1}}
  sc: {{type: SliderCrank, guess: {{b: 0.1, x: 1.2}}}}
  fr: {{type: Friction, level: 5}}
  T: {{type: Se, e: {}}}
bonds: [T -> jc, jc -> J, jc -> sc.c, js -> sc.s, js -> m, js -> fr]
)",
                                   speed, torque));
            const auto run = p.run({.stop = 2.0, .tolerance = 1e-9, .interval = 0.1}, {"sc.a", "J.f", "fr.e"});
            ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
            const double a = last(run, 0);
            ASSERT_GT(a, 3.0 * std::numbers::pi) << "too few dead centres";
            double way = 0.0;
            double before = kStart;
            for (double dead = std::numbers::pi; dead < a; dead += std::numbers::pi) {
                way += std::abs(place(dead) - place(before));
                before = dead;
            }
            way += std::abs(place(a) - place(before));
            const double energy = 0.5 * inertia(kStart) * speed * speed + torque * (a - kStart) - 5.0 * way;
            EXPECT_NEAR(last(run, 1), std::sqrt(2.0 * energy / inertia(a)), 1e-6) << speed << ", " << torque;
            EXPECT_EQ(std::abs(last(run, 2)), 5.0);
        }
    }
}

// One friction, or two that share its level. Angles and speed after 1.4 s by minimal coordinates and DOP853 at 1e-11
// between the dead points, in Python.
TEST(FrictionTurns, TheRockerOfAFourBarPassesItsDeadPoints) {
    struct Case {
        double level;
        double speed;
        double crank;
        double rocker;
        double at_end;
    };
    for (const Case& c :
         {Case{3, 5, 4.08114223, 2.29965503, 0.99743494}, Case{2, 7, 7.71171722, 1.56227005, 3.57689607},
          Case{1, 9, 11.48734631, 2.12999276, 7.04366028}}) {
        for (const bool shared : {false, true}) {
            const std::string frictions =
                shared ? fmt::format("  fr: {{type: Friction, level: {}}}\n  fs: {{type: Friction, level: {}}}",
                                     0.4 * c.level, 0.6 * c.level)
                       : fmt::format("  fr: {{type: Friction, level: {}}}", c.level);
            Pipeline p(fmt::format(R"(
types:
  Loop:
    ports: {{p1: {{domain: rotational}}, p2: {{domain: rotational}}, p3: {{domain: rotational}}}}
    variables: {{p: , q: , g: , lx: , ly: }}
    equations:
      - der(p) = p1.f
      - der(q) = p2.f
      - der(g) = p3.f
      - 0.3*cos(p) + cos(q) = 0.9 + 0.8*cos(g)
      - 0.3*sin(p) + sin(q) = 0.8*sin(g)
      - p1.e = -lx*0.3*sin(p) + ly*0.3*cos(p)
      - p2.e = -lx*sin(q) + ly*cos(q)
      - p3.e = lx*0.8*sin(g) - ly*0.8*cos(g)
components:
  j1: {{type: 1}}
  j2: {{type: 1}}
  j3: {{type: 1}}
  J1: {{type: I, I: 0.2, initial: {{f: {}}}}}
  J2: {{type: I, I: 0.3}}
  J3: {{type: I, I: 0.4}}
  loop: {{type: Loop, initial: {{p: 0.7}}, guess: {{q: 0.64, g: 1.40}}}}
{}
bonds: [j1 -> J1, j2 -> J2, j3 -> J3, j1 -> loop.p1, j2 -> loop.p2, j3 -> loop.p3, {}]
)",
                                   c.speed, frictions, shared ? "j3 -> fr, j3 -> fs" : "j3 -> fr"));
            const auto run = p.run({.stop = 1.4, .tolerance = 1e-9, .interval = 0.1}, {"loop.p", "loop.g", "J1.f"});
            ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
            EXPECT_NEAR(last(run, 0), c.crank, 1e-6) << c.speed;
            EXPECT_NEAR(last(run, 1), c.rocker, 1e-6) << c.speed;
            EXPECT_NEAR(last(run, 2), c.at_end, 1e-6) << c.speed;
        }
    }
}

// A block behind a lever, whose speed is a dependent one, comes to rest and is held.
TEST(FrictionTurns, WhatTheOtherDirectionWouldPushBackSticks) {
    Pipeline p(R"(
components:
  j: {type: 1}
  k: {type: 1}
  lever: {type: TF, m: 2}
  m: {type: I, I: 1, initial: {f: 1}}
  n: {type: I, I: 1}
  fr: {type: Friction, level: 5}
  push: {type: Se, e: 1}
bonds: [push -> j, j -> m, j -> lever.p1, lever.p2 -> k, k -> n, k -> fr]
)");
    const auto run = p.run({.stop = 2.0}, {"m.f", "fr.mode", "fr.e"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_EQ(last(run, 0), 0.0);
    EXPECT_EQ(last(run, 1), 0.0);
    EXPECT_LT(std::abs(last(run, 2)), 5.0);
}

// 6 N would overcome 5 N of sliding but not the 8 N at which it breaks loose.
TEST(FrictionTurns, WhatBreaksLooseLaterThanItSlidesSticksFirst) {
    Pipeline p(R"(
components:
  j: {type: 1}
  m: {type: I, I: 1, initial: {f: 1}}
  fr: {type: Friction, level: 5, static: 8}
  push: {type: Se, e: -6}
bonds: [push -> j, j -> m, j -> fr]
)");
    const auto run = p.run({.stop = 1.0}, {"m.f", "fr.mode"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_EQ(last(run, 0), 0.0);
    EXPECT_EQ(last(run, 1), 0.0);
}

}  // namespace
}  // namespace bondgraph
