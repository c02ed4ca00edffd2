// Stops, locks and friction in mechanisms with closed loops: whatever closes the loop, also where its conditions imply
// each other, and where the motion begins at a dead centre.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <iterator>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::errors_in;
using test::message_in;
using test::Pipeline;

/// A slider-crank that a stop throws back. `pin` and `guide`: what leads the slider; `more`: what acts on it besides.
std::string slider_crank(std::string_view pin, std::string_view guide, std::string_view start, std::string_view more) {
    return fmt::format(R"(
components:
  world: {{type: World}}
  main: {{type: Revolute, initial: {{{2}}}}}
  crank: {{type: BodyShape, r: [0.1, 0, 0], r_CM: [0.05, 0, 0], m: 1, I_22: 8e-4, I_33: 8e-4}}
  big: {{type: Revolute}}
  rod: {{type: BodyShape, r: [0.3, 0, 0], r_CM: [0.15, 0, 0], m: 0.8, I_22: 6e-3, I_33: 6e-3}}
  small: {{{0}}}
  guide: {{{1}, guess: {{s: 0.4 m}}}}
  slider: {{type: Body, m: 0.5, I_11: 1e-3, I_22: 1e-3, I_33: 1e-3}}
  on_slide: {3}
connect:
  - [world, main.frame_a, guide.frame_a]
  - [main.frame_b, crank.frame_a]
  - [crank.frame_b, big.frame_a]
  - [big.frame_b, rod.frame_a]
  - [rod.frame_b, small.frame_a]
  - [small.frame_b, slider, guide.frame_b]
)",
                       pin, guide, start, more);
}

constexpr const char* kPin = "type: Revolute";
constexpr const char* kCross = "type: Universal, n_a: [0, 0, 1], n_b: [0, 1, 0]";
constexpr const char* kSlide = "type: Prismatic";
constexpr const char* kSleeve = "type: Cylindrical, n: [1, 0, 0]";

struct Ends {
    simulation::Run run;
    double phi = 0.0, w = 0.0;
};

Ends end_of(const std::string& text, double stop) {
    Pipeline p(text);
    Ends ends{p.run({.stop = stop, .tolerance = 1e-9, .interval = 0.05}, {"main.phi", "main.w"})};
    EXPECT_FALSE(ends.run.summary.failure) << ends.run.summary.failure->message << text;
    const std::size_t last = ends.run.result.time.size() - 1;
    ends.phi = ends.run.result.at(last, 0);
    ends.w = ends.run.result.at(last, 1);
    return ends;
}

// A cross in place of the pin, or a sleeve in place of the slide: one more coordinate that doesn't move, and one more
// condition, which others imply in the plane. Each bounce asks for a jump of all velocities.
TEST(JumpsInLoops, AreTheSameWhereConditionsImplyEachOther) {
    const auto stop = [](std::string_view axis) {
        return fmt::format(
            "{{type: EndStop, lower: -5 cm, restitution: 0.5, initial: {{q: 0}}}}\nbonds: [guide.{} -> on_slide]",
            axis);
    };
    const std::string start = "phi: 30 deg, w: 2";
    const Ends plain = end_of(slider_crank(kPin, kSlide, start, stop("axis")), 1.0);
    EXPECT_GT(plain.run.summary.state_events, 5u);
    EXPECT_LT(std::abs(plain.run.summary.energy.imbalance), 1e-7 * plain.run.summary.energy.moved);
    for (const auto& [pin, guide] : {std::pair(kCross, kSlide), std::pair(kPin, kSleeve)}) {
        const Ends other = end_of(slider_crank(pin, guide, start, stop(guide == kSlide ? "axis" : "axis_s")), 1.0);
        // What 14 bounces have made of errors of 1e-9.
        EXPECT_NEAR(other.phi, plain.phi, 1e-6) << pin << guide;
        EXPECT_NEAR(other.w, plain.w, 1e-5) << pin << guide;
        EXPECT_FALSE(other.run.summary.left_out.empty());
        EXPECT_LT(std::abs(other.run.summary.energy.imbalance), 1e-7 * other.run.summary.energy.moved);
    }
}

// Bricard's linkage has a condition that others imply wherever it moves, though not anywhere: locked for a while and
// let go again it loses the energy of its motion and no more.
TEST(JumpsInLoops, BricardsLinkageIsLockedAndLetGo) {
    std::ifstream file(test::model_path("mechanics3d/bricard.yaml"));
    std::string text{std::istreambuf_iterator<char>(file), {}};
    const std::string before = "\nconnect:";
    text.replace(text.find(before), before.size(),
                 "\n  brake: {type: Lock, locked: time > 0.2 and time < 0.4}\nbonds: [h1.axis -> brake]\nconnect:");
    text = text.substr(0, text.find("\nexperiment:"));
    Pipeline p(text);
    const auto run = p.run({.stop = 1.0, .tolerance = 1e-8, .interval = 0.05}, {"h1.phi", "h1.w"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    for (std::size_t k = 0; k < run.result.time.size(); ++k) {
        const double t = run.result.time[k];
        if (t > 0.2001 && t < 0.3999) {
            EXPECT_NEAR(run.result.at(k, 1), 0.0, 1e-12) << t;
        }
    }
    EXPECT_LT(run.result.at(run.result.time.size() - 1, 1), -1.0);
    EXPECT_LT(std::abs(run.summary.energy.imbalance), 1e-6 * run.summary.energy.moved);
}

// At a dead centre, while friction holds the slider, one condition of the loop says nothing: there, and only there.
TEST(JumpsInLoops, FrictionHoldsASliderAtItsDeadCentre) {
    const std::string friction =
        "{type: Friction, level: 2 N}\n  torque: {type: Se, e: 3 N.m}\nbonds: [guide.axis -> on_slide, torque -> "
        "main.axis]";
    const Ends there = end_of(slider_crank(kPin, kSlide, "phi: 0, w: 0", friction), 0.5);
    const Ends beside = end_of(slider_crank(kPin, kSlide, "phi: 1e-9, w: 0", friction), 0.5);
    EXPECT_GT(there.phi, 1.0);
    EXPECT_NEAR(there.phi, beside.phi, 1e-5);
    EXPECT_LT(std::abs(there.run.summary.energy.imbalance), 1e-6 * there.run.summary.energy.moved);
}

// Hinges out of line: the door can't turn. Turned by half a revolution against the frame its axes would fit, but a door
// is not put on so.
TEST(JumpsInLoops, ADoorOnHingesOutOfLineStaysShut) {
    const auto door = [](std::string_view start) {
        return fmt::format(R"(
components:
  world: {{type: World}}
  lower: {{type: Revolute, n: [0, 1, 0], {}}}
  door: {{type: BodyShape, r: [0, 2, 0], r_CM: [0.5, 1, 0], m: 20, I_11: 6, I_22: 2, I_33: 8}}
  upper: {{type: Revolute, n: [0.1, 1, 0]}}
  frame: {{type: FixedTranslation, r: [0, 2, 0]}}
connect:
  - [world, lower.frame_a, frame.frame_a]
  - [lower.frame_b, door.frame_a]
  - [door.frame_b, upper.frame_b]
  - [frame.frame_b, upper.frame_a]
)",
                           start);
    };
    for (const std::string start : {"initial: {phi: 30 deg}", "initial: {phi: 1e-3}", "initial: {phi: 3}"}) {
        EXPECT_EQ(errors_in(door(start)), std::vector<std::string>{"BG-I001"}) << start;
        EXPECT_EQ(message_in(door(start)), "start values contradict the constraints: 'lower.phi' can't be met")
            << start;
    }
    EXPECT_TRUE(errors_in(door("guess: {phi: 30 deg}")).empty());
}

// Links in line at the start, along the axes or at an angle, at rest or moving; and an assembly at the end of its
// reach.
TEST(JumpsInLoops, AStartInASingularPositionIsRefused) {
    for (const std::string start : {"phi: 0", "phi: 0, w: 1 rad/s"}) {
        for (const std::string turned : {"0", "30 deg", "77 deg"}) {
            for (const std::string lengths :
                 {"a: 0.2 m, b: 0.6 m, c: 0.2 m, d: 0.6 m", "a: 0.5 m, b: 0.9 m, c: 0.8 m, d: 0.6 m"}) {
                const std::string text = fmt::format(R"(
parameters: {{{0}}}
components:
  world: {{type: World}}
  turned: {{type: FixedRotation, n: [0, 0, 1], angle: {1}}}
  bed: {{type: FixedTranslation, r: [d, 0, 0]}}
  j1: {{type: Revolute, initial: {{{2}}}}}
  left: {{type: BodyShape, r: [a, 0, 0], r_CM: [a/2, 0, 0], m: 1 kg}}
  j2: {{type: Revolute}}
  coupler: {{type: BodyShape, r: [b, 0, 0], r_CM: [b/2, 0, 0], m: 1 kg}}
  j3: {{type: Revolute}}
  right: {{type: BodyShape, r: [c, 0, 0], r_CM: [c/2, 0, 0], m: 1 kg}}
  j4: {{type: Revolute}}
connect:
  - [world, turned.frame_a]
  - [turned.frame_b, j1.frame_a, bed.frame_a]
  - [j1.frame_b, left.frame_a]
  - [left.frame_b, j2.frame_a]
  - [j2.frame_b, coupler.frame_a]
  - [coupler.frame_b, j3.frame_a]
  - [bed.frame_b, j4.frame_a]
  - [j4.frame_b, right.frame_a]
  - [right.frame_b, j3.frame_b]
)",
                                                     lengths, turned, start);
                EXPECT_EQ(errors_in(text), std::vector<std::string>{"BG-E006"}) << text;
            }
        }
    }
}

// At constant speed the angle of a crank is a straight line, over which steps are as long as they like: powers swing
// within them.
TEST(JumpsInLoops, PowersOfWhatTurnsAtConstantSpeedAreIntegrated) {
    Pipeline p(R"(
components:
  world: {type: World}
  drive: {type: Sf, f: 10 rad/s}
  main: {type: Revolute, initial: {phi: 0}}
  crank: {type: BodyShape, r: [1, 0, 0], m: 1, r_CM: [0.5, 0, 0], I_33: 0.1}
  arm: {type: Revolute, n: [0, 1, 0], initial: {phi: 0}}
  tool: {type: BodyShape, r: [1, 0, 0], m: 1, r_CM: [0.5, 0, 0], I_22: 0.1, I_33: 0.1}
  drive2: {type: Sf, f: 7 rad/s}
bonds: [drive -> main.axis, drive2 -> arm.axis]
connect:
  - [world, main.frame_a]
  - [main.frame_b, crank.frame_a]
  - [crank.frame_b, arm.frame_a]
  - [arm.frame_b, tool.frame_a]
)");
    const auto run = p.run({.stop = 20.0, .tolerance = 1e-6, .interval = 1.0}, {"main.phi"});
    EXPECT_LT(run.summary.steps, 200);
    EXPECT_LT(std::abs(run.summary.energy.imbalance), 1e-5 * run.summary.energy.moved);
}

/// A crank, a block on it under a spring, and a rocker that a stop throws back, in a plane askew to all axes. `beyond`:
/// from the block to the pin of the rocker.
std::string quick_return_askew(std::string_view beyond) {
    return fmt::format(R"(
components:
  world: {{type: World, gravity: none}}
  main: {{type: Revolute, n: [-0.5907900092795356, -0.6167639330219263, 0.5201628743564952], initial: {{phi: 0, w: -5}}}}
  crank: {{type: Body, m: 0.6, r_CM: [0, -0.01, -0.01], I_11: 0.008, I_22: 0.008, I_33: 0.008}}
  beyond: {{type: FixedTranslation, r: {0}}}
  spring: {{type: C, K: 20 N/m, initial: {{q: 0}}}}
  side: {{type: FixedTranslation, r: [0.05519916279043139, 0.032661554357452056, 0.10142127633879716]}}
  pin: {{type: Revolute, n: [-0.5907900092795356, -0.6167639330219263, 0.5201628743564952]}}
  arm: {{type: FixedTranslation, r: [0.3145637922772654, 0.2063938985186718, 0.6019988618910663]}}
  hinge: {{type: Revolute, n: [-0.5907900092795356, -0.6167639330219263, 0.5201628743564952]}}
  block: {{type: Body, m: 0.7, r_CM: [0.01, -0.01, -0.004], I_11: 0.009, I_22: 0.009, I_33: 0.009}}
  stop: {{type: EndStop, lower: -0.4, restitution: 0.9, initial: {{q: 0}}}}
  rocker: {{type: Body, m: 2, r_CM: [0, 0.1, 0.07], I_11: 0.06, I_22: 0.06, I_33: 0.06}}
  slide: {{type: Prismatic, n: [-0.37799961228749573, 0.7811556652089016, 0.4969025254741028]}}
  post: {{type: FixedTranslation, r: [-0.3607801345439664, 0.4230569597616617, 0.09185771940934885]}}
connect:
  - [world.frame_b, main.frame_a, post.frame_a]
  - [post.frame_b, hinge.frame_a]
  - [crank.frame_a, main.frame_b, side.frame_a]
  - [rocker.frame_a, hinge.frame_b, arm.frame_a]
  - [block.frame_a, beyond.frame_a, pin.frame_a]
  - [arm.frame_b, pin.frame_b]
  - [beyond.frame_b, slide.frame_b]
  - [side.frame_b, slide.frame_a]
bonds: [hinge.axis -> stop, slide.axis -> spring]
)",
                       beyond);
}

// In the equations of the impact the rate of the slide's place stands beside velocities 1e12 times smaller: the pivots
// on the diagonal of a sparse matrix lost all digits there, and the run ended. A length of rounding changes nothing.
TEST(JumpsInLoops, AStopInAnyPlane) {
    const Ends plain = end_of(quick_return_askew("[0, 0, 0]"), 0.1);
    const Ends rounded = end_of(quick_return_askew("[1.8572602363077522e-17, -3.98e-19, 2.0622118925934262e-17]"), 0.1);
    EXPECT_NEAR(rounded.phi, plain.phi, 1e-6);
    EXPECT_NEAR(rounded.w, plain.w, 1e-5);
}

}  // namespace
}  // namespace bondgraph
