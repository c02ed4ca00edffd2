// More frictions in a closed loop than it has freedoms: not all of them can stick.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

/// A five-bar with two freedoms, driven at one crank. `friction`: what acts at three of its joints, by the level there.
template <class Friction>
std::string five_bar(const Friction& friction) {
    return fmt::format(R"(
types:
  Smooth:
    parameters: {{level: 1 N.m, fade: {{value: 2e-4 rad/s}}}}
    ports: {{p: {{domain: rotational}}}}
    equations: [p.e = level*tanh(p.f/fade)]
components:
  world: {{type: World, n: [0, -1, 0]}}
  a: {{type: Revolute, initial: {{phi: 81.536 deg, w: 1.4594}}}}
  crank: {{type: BodyBox, r: [0.3032, 0, 0], width: 0.03}}
  b: {{type: Revolute, guess: {{phi: -60 deg}}}}
  rod: {{type: BodyBox, r: [0.59302, 0, 0], width: 0.03}}
  c: {{type: Revolute}}
  bed: {{type: FixedTranslation, r: [0.58346, 0, 0]}}
  d: {{type: Revolute, guess: {{phi: 100 deg}}}}
  rocker: {{type: BodyBox, r: [0.30382, 0, 0], width: 0.03}}
  e: {{type: Revolute, initial: {{phi: 0.72018, w: 3.3556}}}}
  link: {{type: BodyBox, r: [0.14075, 0, 0], width: 0.03}}
  fc: {}
  fe: {}
  fd: {}
  drive: {{type: Se, e: 4.25*sin(8.351*time)}}
connect:
  - [world, a.frame_a, bed.frame_a]
  - [a.frame_b, crank.frame_a]
  - [crank.frame_b, b.frame_a]
  - [b.frame_b, rod.frame_a]
  - [bed.frame_b, d.frame_a]
  - [d.frame_b, rocker.frame_a]
  - [rod.frame_b, e.frame_a]
  - [e.frame_b, link.frame_a]
  - [link.frame_b, c.frame_a]
  - [c.frame_b, rocker.frame_b]
bonds: [c.axis -> fc, e.axis -> fe, d.axis -> fd, drive -> d.axis]
)",
                       friction(1.4865), friction(0.5579), friction(1.3819));
}

double angle_at_end(const std::string& text, double tolerance) {
    Pipeline p(text);
    const auto run = p.run({.stop = 3.0, .tolerance = tolerance, .interval = 3.0}, {"a.phi"});
    EXPECT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_LT(std::abs(run.summary.energy.imbalance), 30.0 * tolerance * run.summary.energy.moved);
    return run.result.at(run.result.time.size() - 1, 0);
}

// In one of the events the joint that stops asks for one more to stick than the loop can bear.
TEST(FrictionInLoops, OfMoreJointsThanThereAreFreedoms) {
    const std::string smooth = five_bar([](double level) { return fmt::format("{{type: Smooth, level: {}}}", level); });
    const double about = angle_at_end(smooth, 1e-7);
    const std::string dry = five_bar([](double level) { return fmt::format("{{type: Friction, level: {}}}", level); });
    const double fine = angle_at_end(dry, 1e-8);
    // What creeps instead of sticking: 2e-4 rad/s for a third of 3 s, and what five swings make of that.
    EXPECT_NEAR(fine, about, 2e-3);
    EXPECT_NEAR(angle_at_end(dry, 1e-7), fine, 1e-3);
}

}  // namespace
}  // namespace bondgraph
