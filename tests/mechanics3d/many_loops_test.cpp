// Mechanisms of many loops, and long chains: short loops whatever fixes their ends, and a start by sparse factors.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>

#include "bondgraph/compile/reduce.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

enum class Feet : std::uint8_t { fixed, carried };

/// Four-bars side by side, of rods of 1 m and 1 kg that share the upright ones. Feet are fixed each by itself, or
/// carried by a rigid part from the world. `draw`: lines in an order of its own.
std::string four_bars(int bars, Feet feet, double angle, unsigned draw = 0) {
    std::vector<std::string> parts{"  world: {type: World, g: 9.81}\n"};
    std::vector<std::string> joins;
    for (int k = 0; k <= bars; ++k) {
        const std::string given = k == 0 ? "initial" : "guess";
        parts.push_back(
            fmt::format("  p{}: {{type: Revolute, n: [0, 0, 1], {}: {{phi: {}, w: 1}}}}\n", k, given, angle));
        parts.push_back(fmt::format(
            "  rod{}: {{type: BodyShape, r: [0, 1, 0], r_CM: [0, 0.5, 0], m: 1, I_11: 1/12, I_33: 1/12}}\n", k));
        std::string foot = "world.frame_b";
        if (k > 0) {
            foot = fmt::format("foot{}.frame_b", k);
            parts.push_back(fmt::format("  foot{}: {{type: {}, r: [{}, 0, 0]}}\n", k,
                                        feet == Feet::fixed ? "Fixed" : "FixedTranslation", k));
            if (feet == Feet::carried) joins.push_back(fmt::format("  - [world.frame_b, foot{}.frame_a]\n", k));
        }
        joins.push_back(fmt::format("  - [{}, p{}.frame_a]\n  - [p{}.frame_b, rod{}.frame_a]\n", foot, k, k, k));
        if (k == bars) break;
        parts.push_back(fmt::format("  a{}: {{type: Revolute, n: [0, 0, 1], guess: {{phi: {}, w: -1}}}}\n", k, -angle));
        parts.push_back(fmt::format("  b{}: {{type: Revolute, n: [0, 0, 1], guess: {{phi: {}, w: 1}}}}\n", k, angle));
        parts.push_back(fmt::format(
            "  bar{}: {{type: BodyShape, r: [1, 0, 0], r_CM: [0.5, 0, 0], m: 1, I_22: 1/12, I_33: 1/12}}\n", k));
        joins.push_back(
            fmt::format("  - [rod{}.frame_b, a{}.frame_a]\n  - [a{}.frame_b, bar{}.frame_a]\n", k, k, k, k));
        joins.push_back(
            fmt::format("  - [bar{}.frame_b, b{}.frame_a]\n  - [b{}.frame_b, rod{}.frame_b]\n", k, k, k, k + 1));
    }
    std::mt19937 random(draw);
    if (draw > 0) std::ranges::shuffle(parts, random);
    if (draw > 0) std::ranges::shuffle(joins, random);
    std::string text = "components:\n";
    for (const std::string& part : parts) text += part;
    text += "connect:\n";
    for (const std::string& join : joins) text += join;
    return text;
}

/// The rate of a state at the start.
double start_rate(Pipeline& p, const std::string& name) {
    const simulation::Point start = p.start();
    const compile::CompiledModel& m = p.compiled();
    for (std::size_t i = 0; i < m.state_count; ++i) {
        if (m.name(m.unknowns[i].variable) == name) return start.yp[i];
    }
    ADD_FAILURE() << name << " is no state";
    return 0.0;
}

TEST(ManyLoops, AreEachClosedBetweenTheirOwnFeet) {
    for (const Feet feet : {Feet::fixed, Feet::carried}) {
        for (const unsigned draw : {0U, 1U, 2U}) {
            Pipeline p(four_bars(12, feet, 0.0, draw));
            const auto& mechanisms = p.sorted().reduced->loops->mechanisms;
            ASSERT_EQ(mechanisms.size(), 1U);
            ASSERT_EQ(mechanisms[0].closures.size(), 24U);  // forces and torques
            for (const compile::Closure& closure : mechanisms[0].closures) EXPECT_LE(closure.coordinates.size(), 4U);
            EXPECT_EQ(mechanisms[0].redundant(), 36U);
        }
    }
}

// All loops are parallelograms: uprights turn together and bars only move, so that they are one pendulum.
TEST(ManyLoops, MoveAsThePendulumTheyMake) {
    constexpr int kBars = 12;
    constexpr double kAngle = 0.3;
    constexpr double kMoment = 0.5 * (kBars + 1) + kBars;
    constexpr double kInertia = (kBars + 1) / 3.0 + kBars;
    const double expected = 9.81 * kMoment / kInertia * std::sin(kAngle);
    for (const Feet feet : {Feet::fixed, Feet::carried}) {
        for (const unsigned draw : {0U, 7U}) {
            Pipeline p(four_bars(kBars, feet, kAngle, draw));
            EXPECT_NEAR(start_rate(p, "p0.w"), expected, 1e-10 * expected);
        }
    }
}

// All loops fold into a line at the instant at which the pendulum that they make lies flat. The determinant of two of
// them together keeps its sign there; each one is looked at by itself, and the first is named.
TEST(ManyLoops, ThatFoldAtOnceAreWarnedOfAsOneIs) {
    constexpr double kFlat = std::numbers::pi / 2.0;
    constexpr double kBesideAStep = 0.01;
    for (const int bars : {1, 2, 3, 4}) {
        const double pull = 9.81 * (0.5 * (bars + 1) + bars) / ((bars + 1) / 3.0 + bars);
        double flat = 0.0;
        constexpr int kParts = 2000;
        for (int k = 0; k < kParts; ++k) {
            const double phi = kFlat * (k + 0.5) / kParts;
            flat += kFlat / kParts / std::sqrt(1.0 + 2.0 * pull * (1.0 - std::cos(phi)));
        }
        Pipeline p(four_bars(bars, Feet::fixed, 0.0));
        const auto run = p.run({.stop = 1.0, .tolerance = 1e-7, .interval = 0.1}, {"p0.phi"});
        ASSERT_FALSE(run.summary.failure) << bars;
        ASSERT_TRUE(run.summary.branching) << bars;
        EXPECT_NEAR(run.summary.branching->time, flat, kBesideAStep) << bars;
        EXPECT_EQ(run.summary.branching->coordinates,
                  (std::vector<std::string>{"a0.phi", "b0.phi", "p0.phi", "p1.phi"}));
    }
}

// Just before a fold, rounding is looked at: what it makes of forces there must widen no test of the loops' angles, or
// their errors grow from step to step and from loop to loop, nor any of the states, whose errors stay what the
// tolerance says. Angles are solved for to rounding, 100 loops in a row. All are one pendulum, whose angle at 3 s is
// from an integration of that pendulum at 1e-13.
TEST(ManyLoops, StayOnTheirBranchThroughThreeFolds) {
    constexpr int kBars = 100;
    constexpr double kPull = 9.81 * (0.5 * (kBars + 1) + kBars) / ((kBars + 1) / 3.0 + kBars);
    Pipeline p(four_bars(kBars, Feet::fixed, 0.0));
    const auto run = p.run({.stop = 3.0, .tolerance = 1e-8, .interval = 0.1},
                           {"p0.phi", "p0.w", fmt::format("p{}.phi", kBars / 2), fmt::format("p{}.phi", kBars)});
    ASSERT_FALSE(run.summary.failure);
    const auto& r = run.result;
    ASSERT_EQ(r.time.size(), 31U);
    // One rate of 1 102 unknowns counts by a thirtieth in the mean that is tested; over three folds 2.7e-6 is left.
    EXPECT_NEAR(r.at(30, 0), 9.76159497408932, 2e-5);
    for (std::size_t k = 0; k < r.time.size(); ++k) {
        const double phi = r.at(k, 0);
        EXPECT_NEAR(r.at(k, 2), phi, 1e-11) << r.time[k];
        EXPECT_NEAR(r.at(k, 3), phi, 1e-11) << r.time[k];
        // Twice the pendulum's energy, of up to 60: as the angle, by up to 6 rad/s.
        EXPECT_NEAR(r.at(k, 1) * r.at(k, 1) + 2.0 * kPull * (std::cos(phi) - 1.0), 1.0, 1e-4) << r.time[k];
    }
}

// Lengths of a change point: after the second position in line a run at these tolerances is taken back to the last
// step's end, and has to get on from there in steps in which forces still converge.
TEST(ChangePoint, IsPassedTwiceAtFineTolerances) {
    const std::string text = R"(
components:
  world: {type: World, g: 9.81}
  base: {type: FixedTranslation, r: [0.35, 0, 0]}
  A: {type: Revolute, n: [0, 0, 1], initial: {phi: 0.7, w: 8}}
  crank: {type: BodyShape, r: [0.2, 0, 0], r_CM: [0.1, 0, 0], m: 0.5, I_33: 0.5*0.2^2/12}
  B: {type: Revolute, n: [0, 0, 1], guess: {phi: 0}}
  coupler: {type: BodyShape, r: [0.3, 0, 0], r_CM: [0.15, 0, 0], m: 0.8, I_33: 0.8*0.3^2/12}
  D: {type: Revolute, n: [0, 0, 1], guess: {phi: 1.3}}
  rocker: {type: BodyShape, r: [0.25, 0, 0], r_CM: [0.125, 0, 0], m: 0.7, I_33: 0.7*0.25^2/12}
  C: {type: Revolute, n: [0, 0, 1], guess: {phi: 1}}
connect:
  - [world.frame_b, A.frame_a, base.frame_a]
  - [base.frame_b, D.frame_a]
  - [A.frame_b, crank.frame_a]
  - [crank.frame_b, B.frame_a]
  - [B.frame_b, coupler.frame_a]
  - [D.frame_b, rocker.frame_a]
  - [rocker.frame_b, C.frame_a]
  - [C.frame_b, coupler.frame_b]
)";
    constexpr std::array kTolerances{1e-8, 1e-9, 1e-10, 1e-11};
    std::vector<double> ends;
    for (const double tolerance : kTolerances) {
        Pipeline p(text);
        const auto run = p.run({.stop = 1.0, .tolerance = tolerance, .interval = 0.01}, {"A.phi"});
        ASSERT_FALSE(run.summary.failure) << tolerance;
        ends.push_back(run.result.at(run.result.time.size() - 1, 0));
    }
    EXPECT_GT(ends.back(), 3.0 * std::numbers::pi + 1.0);
    // In line, what a step is off by decides on the force's peak: errors are some hundred times those of smooth motion,
    // and as small as the tolerance is.
    constexpr double kAmplified = 2e3;
    for (std::size_t k = 0; k + 1 < ends.size(); ++k)
        EXPECT_NEAR(ends[k], ends.back(), kAmplified * kTolerances[k]) << kTolerances[k];
}

// Just before bars come to lie in line, forces follow from positions to fewer digits than such tolerances ask for, and
// steps can get as short as rounding and stay so. A run ends all the same, at its end or with what is wrong.
TEST(ManyLoops, ARunEndsWhereForcesAreNoise) {
    std::string text = four_bars(5, Feet::fixed, 4.674920048537341);
    for (const auto& [old, now] : {std::pair("w: 1}", "w: 4.925730512707299}"), {"w: -1}", "w: -4.925730512707299}"}}) {
        for (std::size_t at = text.find(old); at != std::string::npos; at = text.find(old))
            text.replace(at, std::string(old).size(), now);
    }
    for (const double tolerance : {1e-10, 1e-11}) {
        for (const double stop : {0.1, 3.0}) {
            Pipeline p(text);
            simulation::Settings settings = p.settings();
            settings.tolerance = tolerance;
            settings.stop = stop;
            settings.interval = 0.01;
            const auto run = p.run(settings, {"p0.phi"});
            EXPECT_LT(run.summary.steps, 100'000) << tolerance << ", " << stop;
        }
    }
}

// The mass matrix of so many links is full, and is not formed. Of long chains the first link's acceleration tends to a
// limit, known from the mass matrix of 20.
TEST(LongChains, StartWithTheAccelerationOfLongChains) {
    for (const auto& [links, joint, rate] :
         {std::tuple(90, "Revolute, n: [0, 0, 1], initial: {phi: 0, w: 0}", "j1.w"),
          std::tuple(40, "Spherical, initial: {angles: [0, 0, 0], w: [0, 0, 0]}", "j1.w[3]")}) {
        std::string text = "components:\n  world: {type: World, g: 9.81}\n";
        std::string joins = "connect:\n";
        for (int k = 1; k <= links; ++k) {
            text += fmt::format("  j{}: {{type: {}}}\n", k, joint);
            text += fmt::format(
                "  l{}: {{type: BodyShape, r: [1, 0, 0], r_CM: [0.5, 0, 0], m: 1, I_11: 1e-3, I_22: 1/12, I_33: "
                "1/12}}\n",
                k);
            joins += fmt::format("  - [{}.frame_b, j{}.frame_a]\n  - [j{}.frame_b, l{}.frame_a]\n",
                                 k == 1 ? "world" : fmt::format("l{}", k - 1), k, k, k);
        }
        Pipeline p(text + joins);
        ASSERT_GT(p.compiled().size(), 150U);
        EXPECT_NEAR(start_rate(p, rate), -12.4385815777493, 1e-8);
    }
}

}  // namespace
}  // namespace bondgraph
