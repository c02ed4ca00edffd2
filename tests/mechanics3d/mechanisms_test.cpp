// Whole mechanisms: joints in both directions, compositions, conservation, coupling with other domains.

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

/// The last row of results at a time.
std::vector<double> at_end(std::string_view text, double stop, const std::vector<std::string>& names,
                           double tolerance = 1e-9) {
    Pipeline p(text);
    const auto run = p.run({.stop = stop, .tolerance = tolerance, .interval = stop / 10}, names);
    EXPECT_FALSE(run.summary.failure);
    std::vector<double> values;
    for (std::size_t k = 0; k < names.size(); ++k) values.push_back(last(run, k));
    return values;
}

std::string chain(const std::string& joint, bool reversed, const std::string& start) {
    const std::string near = reversed ? "frame_b" : "frame_a";
    const std::string far = reversed ? "frame_a" : "frame_b";
    return "components:\n"
           "  world: {type: World}\n"
           "  base: {type: Revolute, n: [0, 1, 1], initial: {phi: 0.3, w: 1.5}}\n"
           "  arm: {type: BodyShape, r: [0.6, 0.1, 0], m: 1, r_CM: [0.3, 0, 0.1], I_11: 0.2, I_22: 0.3, I_33: 0.25, "
           "I_21: 0.02}\n"
           "  joint: {" +
           joint + ", initial: {" + start +
           "}}\n"
           "  body: {type: Body, m: 1.5, r_CM: [0.4, 0, 0.2], I_11: 0.1, I_22: 0.2, I_33: 0.15}\n"
           "connect:\n"
           "  - [world.frame_b, base.frame_a]\n"
           "  - [base.frame_b, arm.frame_a]\n"
           "  - [arm.frame_b, joint." +
           near +
           "]\n"
           "  - [joint." +
           far + ", body.frame_a]\n";
}

// A joint's coordinate counts the other way when the joint is turned round; the motion is the same.
struct Reversible {
    const char* joint;
    const char* forward;
    const char* backward;
};

class Reversal : public testing::TestWithParam<Reversible> {};

TEST_P(Reversal, TheMotionIsTheSame) {
    const std::vector<std::string> names{"body.frame_a.x[1]",
                                         "body.frame_a.x[2]",
                                         "body.frame_a.x[3]",
                                         "body.frame_a.R[1]",
                                         "body.frame_a.R[6]",
                                         "base.phi",
                                         "base.w"};
    const auto forward = at_end(chain(GetParam().joint, false, GetParam().forward), 1.0, names);
    const auto backward = at_end(chain(GetParam().joint, true, GetParam().backward), 1.0, names);
    for (std::size_t k = 0; k < names.size(); ++k) EXPECT_NEAR(forward[k], backward[k], 2e-7) << names[k];
}

INSTANTIATE_TEST_SUITE_P(
    Joints, Reversal,
    testing::Values(Reversible{"type: Revolute, n: [1, 2, 0]", "phi: 0.4, w: -1", "phi: -0.4, w: 1"},
                    Reversible{"type: Prismatic, n: [1, 2, 2]", "s: 0.4, v: -0.5", "s: -0.4, v: 0.5"},
                    Reversible{"type: Cylindrical, n: [0, 1, 1]", "s: 0.2, v: 0.3, phi: 0.4, w: -1",
                               "s: -0.2, v: -0.3, phi: -0.4, w: 1"}));

double energy(const simulation::Run& run) { return std::abs(run.summary.energy.imbalance); }

// Every joint on a moving base: what the parts take up is what the weight gives.
class Joints : public testing::TestWithParam<const char*> {};

TEST_P(Joints, ConserveEnergyInBothDirections) {
    for (const bool reversed : {false, true}) {
        Pipeline p(chain(GetParam(), reversed, ""));
        const auto run = p.run({.stop = 2.0, .tolerance = 1e-9, .interval = 0.1}, {"base.phi"});
        ASSERT_FALSE(run.summary.failure) << GetParam();
        // Ten times the tolerance, of what has moved.
        EXPECT_LT(energy(run), 1e-8 * run.summary.energy.moved) << GetParam() << (reversed ? " reversed" : "");
    }
}

INSTANTIATE_TEST_SUITE_P(Types, Joints,
                         testing::Values("type: Revolute, n: [1, 0, 2]", "type: Prismatic, n: [0, 1, 1]",
                                         "type: Cylindrical, n: [1, 1, 0]", "type: Universal", "type: Planar",
                                         "type: Spherical", "type: FreeMotion",
                                         "type: Spherical, orientation: angles"));

TEST(Mechanisms, AUniversalJointIsTwoRevolutes) {
    const std::string body = "  body: {type: Body, m: 2, r_CM: [0.3, 0.1, 0.2], I_11: 0.1, I_22: 0.2, I_33: 0.15}\n";
    const std::string one =
        "components:\n  world: {type: World}\n"
        "  u: {type: Universal, initial: {phi_a: 0.2, w_a: 1, phi_b: -0.3, w_b: 2}}\n" +
        body + "connect: [[world.frame_b, u.frame_a], [u.frame_b, body.frame_a]]\n";
    const std::string two =
        "components:\n  world: {type: World}\n"
        "  a: {type: Revolute, n: [1, 0, 0], initial: {phi: 0.2, w: 1}}\n"
        "  b: {type: Revolute, n: [0, 1, 0], initial: {phi: -0.3, w: 2}}\n" +
        body + "connect: [[world.frame_b, a.frame_a], [a.frame_b, b.frame_a], [b.frame_b, body.frame_a]]\n";
    const auto u = at_end(one, 2.0, {"u.phi_a", "u.phi_b"});
    const auto r = at_end(two, 2.0, {"a.phi", "b.phi"});
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(u[k], r[k], 1e-7);
}

// The six-digit figures of planar_double_pendulum, with the angles counted counter-clockwise here.
TEST(Mechanisms, ADoublePendulumMeetsPublishedFigures) {
    constexpr std::string_view kModel = R"(
components:
  world: {type: World}
  rev1: {type: Revolute, initial: {phi: 0, w: 0}}
  rod1: {type: FixedTranslation, r: [2, 2, 0]}
  body1: {type: Body, m: 2}
  rev2: {type: Revolute, initial: {phi: 0, w: 0}}
  rod2: {type: FixedTranslation, r: [0, -1.5, 0]}
  body2: {type: Body, m: 1}
connect:
  - [world.frame_b, rev1.frame_a]
  - [rev1.frame_b, rod1.frame_a]
  - [rod1.frame_b, rev2.frame_a, body1.frame_a]
  - [rev2.frame_b, rod2.frame_a]
  - [rod2.frame_b, body2.frame_a]
)";
    const auto v = at_end(kModel, 1.0, {"rev1.phi", "rev2.phi", "body2.frame_a.x[1]", "body2.frame_a.x[2]"}, 1e-10);
    EXPECT_NEAR(v[0], -1.535479456, 1e-6);
    EXPECT_NEAR(v[1], 1.456804538, 1e-6);
    EXPECT_NEAR(v[2], 1.951481238, 1e-6);
    EXPECT_NEAR(v[3], -3.423493876, 1e-6);
}

TEST(Mechanisms, AFreeBodyKeepsItsAngularMomentum) {
    constexpr std::string_view kModel = R"(
components:
  world: {type: World, gravity: none}
  body: {type: Body, m: 1, I_11: 1, I_22: 2, I_33: 2.5, initial: {w: [0.01, 3, 0.02], v: [1, 0, 0]}}
)";
    Pipeline p(kModel);
    const auto run = p.run({.stop = 50.0, .tolerance = 1e-10, .interval = 0.5},
                           {"body.w[1]", "body.w[2]", "body.w[3]", "body.frame_a.x[1]"});
    ASSERT_FALSE(run.summary.failure);
    const simulation::Result& r = run.result;
    const auto momentum = [&](std::size_t k) {
        return std::hypot(1.0 * r.at(k, 0), 2.0 * r.at(k, 1), 2.5 * r.at(k, 2));
    };
    for (std::size_t k = 0; k < run.result.time.size(); ++k) EXPECT_NEAR(momentum(k), momentum(0), 1e-6);
    EXPECT_NEAR(last(run, 3), 50.0, 1e-8);
}

TEST(Mechanisms, AScrewDeclaredInTheFileFallsByItsClosedForm) {
    constexpr std::string_view kModel = R"(
types:
  Screw:
    parameters: {pitch: {unit: m}}
    joint:
      coordinates: {phi: rad}
      motion:
        - rotate: {axis: [1, 0, 0], angle: phi}
        - translate: [pitch*phi/(2*pi), 0, 0]
components:
  world: {type: World, n: [1, 0, 0]}
  nut: {type: Screw, pitch: 0.1 m, initial: {phi: 0, der_phi: 0}}
  body: {type: Body, m: 2 kg, I_11: 0.1, I_22: 0.1, I_33: 0.1}
connect: [[world.frame_b, nut.frame_a], [nut.frame_b, body.frame_a]]
)";
    const double lead = 0.1 / (2.0 * std::numbers::pi);
    const double acceleration = 2.0 * 9.81 * lead / (0.1 + 2.0 * lead * lead);
    EXPECT_NEAR(at_end(kModel, 1.0, {"nut.phi"})[0], acceleration / 2.0, 1e-8);
}

TEST(Mechanisms, AMotorOnAnAxisFeelsTheArmThroughItsGear) {
    // J n² on the arm's side adds to m r²: the small oscillation of a pendulum with a geared flywheel.
    constexpr std::string_view kModel = R"(
components:
  world: {type: World}
  rev: {type: Revolute, initial: {phi: -1.5697963268, w: 0}}
  body: {type: Body, m: 2 kg, r_CM: [0.5 m, 0, 0]}
  gear: {type: TF, m: 10}
  rotor: {type: I, I: 0.01 kg.m2}
bonds: [rev.axis -> gear.p1, gear.p2 -> rotor]
connect: [[world.frame_b, rev.frame_a], [rev.frame_b, body.frame_a]]
)";
    const double inertia = 2.0 * 0.25 + 0.01 * 100.0;
    const double omega = std::sqrt(2.0 * 9.81 * 0.5 / inertia);
    const double quarter = std::numbers::pi / 2.0 / omega;
    EXPECT_NEAR(at_end(kModel, quarter, {"rev.phi"})[0], -std::numbers::pi / 2.0, 1e-7);
}

TEST(Mechanisms, ALockedJointHoldsAndIsReleased) {
    constexpr std::string_view kModel = R"(
components:
  world: {type: World}
  rev: {type: Revolute, locked: time < 1, initial: {phi: 0, w: 0}}
  body: {type: Body, m: 1 kg, r_CM: [1 m, 0, 0]}
connect: [[world.frame_b, rev.frame_a], [rev.frame_b, body.frame_a]]
)";
    Pipeline p(kModel);
    const auto run = p.run({.stop = 1.1, .tolerance = 1e-9, .interval = 0.55}, {"rev.phi", "rev.lock.e"});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_NEAR(run.result.at(1, 0), 0.0, 1e-12);
    EXPECT_NEAR(std::abs(run.result.at(1, 1)), 9.81, 1e-9);
    // Released from rest at the horizontal: phi = -g t²/2 to fourth order in t.
    EXPECT_NEAR(last(run, 0), -9.81 * 0.01 / 2.0, 1e-4);
}

// The cart stops at once; the bob keeps its momentum across the rod: w = v cos(phi) / L.
TEST(Mechanisms, ACartThatIsLockedThrowsItsPendulum) {
    constexpr std::string_view kModel = R"(
components:
  world: {type: World, gravity: none}
  slide: {type: Prismatic, initial: {s: 0, v: 1 m/s}, locked: time > 0.3}
  cart: {type: PointMass, m: 2 kg}
  hinge: {type: Revolute, initial: {phi: 0.5, w: 0}}
  rod: {type: FixedTranslation, r: [0, -1 m, 0]}
  bob: {type: PointMass, m: 1 kg}
connect: [[world, slide.frame_a], [slide.frame_b, cart, hinge.frame_a], [hinge.frame_b, rod.frame_a], [rod.frame_b, bob]]
)";
    EXPECT_NEAR(at_end(kModel, 0.5, {"hinge.w"})[0], std::cos(0.5), 1e-9);
}

// Held at 30 degrees for a second, a rod on a ball joint then moves as one let go a second earlier.
TEST(Mechanisms, ALockedBallJointStandsStillUntilReleased) {
    const auto rod = [](const std::string& lock) {
        return "components:\n"
               "  world: {type: World}\n"
               "  ball: {type: Spherical, initial: {angles: [0, 0, 30 deg]}" +
               lock +
               "}\n"
               "  rod: {type: BodyShape, r: [1, 0, 0], r_CM: [0.5, 0, 0], m: 1, I_11: 0.01, I_22: 0.08, I_33: 0.08}\n"
               "connect: [[world, ball.frame_a], [ball.frame_b, rod.frame_a]]\n";
    };
    const std::vector<std::string> names{"rod.frame_b.x[1]", "rod.frame_b.x[2]", "ball.w[3]"};
    const auto held = at_end(rod(", locked: time < 1"), 1.0, names);
    EXPECT_NEAR(held[0], std::cos(std::numbers::pi / 6), 1e-12);
    EXPECT_EQ(held[2], 0.0);
    const auto released = at_end(rod(", locked: time < 1"), 3.0, names);
    const auto free = at_end(rod(""), 2.0, names);
    for (std::size_t k = 0; k < names.size(); ++k) EXPECT_NEAR(released[k], free[k], 1e-7) << names[k];
}

TEST(Mechanisms, ALockedFreeBodyFallsOnceReleased) {
    constexpr std::string_view kModel = R"(
components:
  world: {type: World}
  free: {type: FreeMotion, locked: time < 0.5, orientation: angles}
  body: {type: Body, m: 1, I_11: 0.1, I_22: 0.2, I_33: 0.3}
connect: [[world.frame_b, free.frame_a], [free.frame_b, body.frame_a]]
)";
    EXPECT_NEAR(at_end(kModel, 1.0, {"body.frame_a.x[2]"})[0], -0.5 * 9.81 * 0.25, 1e-9);
}

TEST(Mechanisms, AnAxisDrivenAtAGivenSpeedNeedsNoState) {
    constexpr std::string_view kModel = R"(
components:
  world: {type: World}
  rev: {type: Revolute, initial: {phi: 0}}
  drive: {type: Sf, f: 2}
  body: {type: Body, m: 1 kg, r_CM: [1 m, 0, 0]}
bonds: [drive -> rev.axis]
connect: [[world.frame_b, rev.frame_a], [rev.frame_b, body.frame_a]]
)";
    const auto v = at_end(kModel, 1.0, {"rev.phi", "drive.e"});
    EXPECT_NEAR(v[0], 2.0, 1e-9);
    EXPECT_NEAR(v[1], 9.81 * std::cos(2.0), 1e-7);
}

}  // namespace
}  // namespace bondgraph
