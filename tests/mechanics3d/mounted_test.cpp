// Parts of 1-D drive trains on moving frames, gears between hinges, rolling bodies and elastic bearings: against the
// same mechanisms made of other parts, closed forms, and the conservation of energy.

#include <gtest/gtest.h>

#include <cmath>
#include <iomanip>
#include <numbers>
#include <sstream>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

constexpr double kGravity = 9.81;

/// The last row of results, and a run whose energies have to add up.
std::vector<double> balanced_at_end(const std::string& text, double stop, const std::vector<std::string>& names,
                                    double tolerance = 1e-9) {
    Pipeline p(text);
    const auto run = p.run({.stop = stop, .tolerance = tolerance, .interval = stop / 10}, names);
    EXPECT_FALSE(run.summary.failure);
    EXPECT_LT(std::abs(run.summary.energy.imbalance), 1e-6 * std::max(1.0, run.summary.energy.moved));
    std::vector<double> values;
    for (std::size_t k = 0; k < names.size(); ++k) values.push_back(run.result.at(run.result.time.size() - 1, k));
    return values;
}

void expect_equal(const std::vector<double>& a, const std::vector<double>& b, double tolerance = 1e-6) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], tolerance) << "result " << k;
}

/// A body on two hinges, whose last frame carries what a test adds.
std::string carrier(const std::string& parts, const std::string& connect, const std::string& bonds = "",
                    const std::string& inertia = "I_11: 0.3, I_22: 0.4, I_33: 0.35") {
    return "components:\n"
           "  world: {type: World}\n"
           "  first: {type: Revolute, n: [0, 1, 1], initial: {phi: 0.3, w: 1.5}}\n"
           "  second: {type: Revolute, n: [1, 0, 2], initial: {phi: -0.2, w: 2}}\n"
           "  body: {type: Body, m: 1, r_CM: [0.3, 0.1, 0], " +
           inertia + "}\n" + parts +
           "connect:\n"
           "  - [world.frame_b, first.frame_a]\n"
           "  - [first.frame_b, second.frame_a]\n"
           "  - [second.frame_b, body.frame_a" +
           connect + "]\n" + (bonds.empty() ? "" : "bonds:\n" + bonds);
}

const std::vector<std::string> kMotion{"first.phi", "first.w", "second.phi", "second.w"};

std::vector<std::string> with(std::vector<std::string> names) {
    names.insert(names.end(), kMotion.begin(), kMotion.end());
    return names;
}

TEST(Rotor1D, IsABodyOnAHinge) {
    const std::string torque = "  torque: {type: Se, e: 0.4*sin(3*time)}\n";
    const auto rotor =
        balanced_at_end(carrier(torque + "  mass: {type: PointMass, m: 0.5}\n"
                                         "  rotor: {type: Rotor1D, J: 0.2, n: [1, 2, 2], initial: {phi: 0, w: 30}}\n",
                                ", mass.frame_a, rotor.frame_a", "  - torque -> rotor.axis\n"),
                        2.0, with({"rotor.phi", "rotor.w", "rotor.a"}));
    const auto body =
        balanced_at_end(carrier(torque + "  towards: {type: FixedRotation, n_x: [1, 2, 2], n_y: [0, 1, 0]}\n"
                                         "  rotor: {type: Revolute, n: [1, 0, 0], initial: {phi: 0, w: 30}}\n"
                                         "  wheel: {type: Body, m: 0.5, I_11: 0.2}\n",
                                ", towards.frame_a]\n  - [towards.frame_b, rotor.frame_a]\n"
                                "  - [rotor.frame_b, wheel.frame_a",
                                "  - torque -> rotor.axis\n"),
                        2.0, with({"rotor.phi", "rotor.w", "rotor.a"}));
    expect_equal(rotor, body, 1e-5);
}

TEST(Rotor1D, MayBePartOfTheInertiaOfItsBody) {
    const std::string start = "J: 0.2, n: [1, 0, 0], initial: {phi: 0, w: 30}";
    const auto own = balanced_at_end(carrier("  rotor: {type: Rotor1D, " + start + "}\n", ", rotor.frame_a"), 2.0,
                                     with({"rotor.phi", "rotor.w"}));
    const auto counted = balanced_at_end(carrier("  rotor: {type: Rotor1D, locked_inertia: body, " + start + "}\n",
                                                 ", rotor.frame_a", "", "I_11: 0.5, I_22: 0.4, I_33: 0.35"),
                                         2.0, with({"rotor.phi", "rotor.w"}));
    expect_equal(own, counted);
}

TEST(Mounting1D, TakesTheReactionOfAMotor) {
    const std::string parts =
        "  torque: {type: Se, e: 0.4}\n  rotor: {type: Rotor1D, J: 0.2, initial: {phi: 0, w: 5}}\n";
    const auto inside =
        balanced_at_end(carrier(parts, ", rotor.frame_a", "  - torque -> rotor.axis\n"), 2.0, with({"rotor.w"}));
    const auto between = balanced_at_end(
        carrier(parts + "  stator: {type: Mounting1D}\n  gap: {type: 0}\n", ", rotor.frame_a, stator.frame_a",
                "  - torque -> gap\n  - stator.flange -> gap\n  - gap -> rotor.shaft\n"),
        2.0, with({"rotor.w"}));
    expect_equal(inside, between);
}

TEST(BevelGear1D, IsATransformerBetweenTheSpins) {
    const std::string parts =
        "  torque: {type: Se, e: 4}\n"
        "  fast: {type: Rotor1D, J: 0.02, n: [1, 0, 0], initial: {phi: 0}}\n"
        "  slow: {type: Rotor1D, J: 0.5, n: [0, 1, 0], initial: {phi: 0, w: 3}}\n";
    const std::string frames = ", fast.frame_a, slow.frame_a";
    const std::vector<std::string> names = with({"slow.w", "slow.phi", "fast.phi"});
    const auto gear =
        balanced_at_end(carrier(parts + "  bevel: {type: BevelGear1D, ratio: 4, n_a: [1, 0, 0], n_b: [0, 1, 0]}\n",
                                frames + ", bevel.frame_a]\n  - [fast.shaft, bevel.flange_a]\n"
                                         "  - [bevel.flange_b, slow.shaft",
                                "  - torque -> fast.axis\n"),
                        1.0, names, 1e-11);
    const auto spins = balanced_at_end(carrier(parts + "  gear: {type: TF, m: 1/4}\n  in: {type: 1}\n", frames,
                                               "  - torque -> in\n  - in -> fast.axis\n  - in -> gear.p1\n"
                                               "  - gear.p2 -> slow.axis\n"),
                                       1.0, names, 1e-11);
    expect_equal(gear, spins, 5e-6);  // of angles of about 10 rad, found with different states
    EXPECT_NEAR(gear[2], 4 * gear[1], 1e-7);
}

// The frame that is carried, and the bodies on the others.
struct Carried {
    const char* by;
    const char* other;
    const char* last;
};

class GearConstraint : public testing::TestWithParam<Carried> {};

TEST_P(GearConstraint, ConservesEnergyWhicheverFrameIsCarried) {
    const std::string parts =
        "  gear: {type: GearConstraint, ratio: -2.5, n_a: [1, 0, 0], n_b: [0, 1, 1], r_a: [0.1, 0, 0.2], "
        "r_b: [0, 0.3, 0], initial: {phi_b: 0.1, w_b: 2}}\n"
        "  left: {type: Body, m: 0.5, r_CM: [0.2, 0, 0.1], I_11: 0.02, I_22: 0.03, I_33: 0.03}\n"
        "  right: {type: Body, m: 0.7, r_CM: [0, 0, 0.2], I_11: 0.04, I_22: 0.03, I_33: 0.02}\n";
    const Carried c = GetParam();
    balanced_at_end(carrier(parts, std::string(", gear.") + c.by + "]\n  - [gear." + c.other +
                                       ", left.frame_a]\n  - [gear." + c.last + ", right.frame_a"),
                    1.5, with({"gear.phi_b"}));
}

INSTANTIATE_TEST_SUITE_P(Frames, GearConstraint,
                         testing::Values(Carried{"bearing", "frame_a", "frame_b"},
                                         Carried{"frame_a", "bearing", "frame_b"},
                                         Carried{"frame_b", "frame_a", "bearing"}));

TEST(GearConstraint, IsTwoHingesWithATransformer) {
    const std::string bodies =
        "  left: {type: Body, m: 0.5, r_CM: [0.2, 0, 0.1], I_11: 0.02, I_22: 0.03, I_33: 0.03}\n"
        "  right: {type: Body, m: 0.7, r_CM: [0, 0, 0.2], I_11: 0.04, I_22: 0.03, I_33: 0.02}\n";
    const auto gear =
        balanced_at_end(carrier(bodies + "  gear: {type: GearConstraint, ratio: 3, n_b: [0, 1, 0], r_b: [0, 0.3, 0],"
                                         " initial: {phi_b: 0, w_b: 2}}\n",
                                ", gear.bearing]\n  - [gear.frame_a, left.frame_a]\n"
                                "  - [gear.frame_b, right.frame_a"),
                        1.5, with({"gear.phi_b", "gear.w_b"}));
    const auto hinges = balanced_at_end(
        carrier(bodies + "  a: {type: Revolute, n: [1, 0, 0], initial: {phi: 0}}\n"
                         "  arm: {type: FixedTranslation, r: [0, 0.3, 0]}\n"
                         "  b: {type: Revolute, n: [0, 1, 0], initial: {phi: 0, w: 2}}\n  gear: {type: TF, m: 1/3}\n",
                ", a.frame_a, arm.frame_a]\n  - [arm.frame_b, b.frame_a]\n  - [a.frame_b, left.frame_a]\n"
                "  - [b.frame_b, right.frame_a",
                "  - a.axis -> gear.p1\n  - gear.p2 -> b.axis\n"),
        1.5, with({"b.phi", "b.w"}));
    expect_equal(gear, hinges);
}

std::string digits(double value) {
    std::ostringstream out;
    out << std::setprecision(17) << value;
    return out.str();
}

/// A plane that falls towards +x by an angle.
std::string slope(double angle) {
    return "components:\n  world: {type: World, n: [" + digits(std::sin(angle)) + ", " + digits(-std::cos(angle)) +
           ", 0]}\n";
}

TEST(RollingWheel, RollsDownASlopeByItsClosedForm) {
    const auto v =
        balanced_at_end(slope(0.2) + "  wheel: {type: RollingWheel, radius: 0.3, m: 2, I_axis: 0.06, I_long: 0.12}\n",
                        2.0, {"wheel.x", "wheel.w[2]", "wheel.frame_a.x[2]"});
    const double a = kGravity * std::sin(0.2) / (1.0 + 0.06 / (2.0 * 0.09));
    EXPECT_NEAR(v[0], 0.5 * a * 4.0, 1e-5);
    EXPECT_NEAR(v[1], a * 2.0 / 0.3, 1e-5);
    EXPECT_NEAR(v[2], 0.3, 1e-9);
}

TEST(RollingWheel, LeansAndTurnsTheSameInAnglesAndQuaternions) {
    const std::string start =
        "  world: {type: World}\n  wheel: {type: RollingWheel, radius: 0.3, m: 2, I_axis: 0.06, "
        "I_long: 0.12, ";
    const std::vector<std::string> names{"wheel.x", "wheel.y", "wheel.frame_a.R[1]", "wheel.frame_a.R[6]",
                                         "wheel.frame_a.x[2]"};
    // Angles at 0: their rates about the axes 3, 2, 1 are the components of w in reverse order.
    const auto q = balanced_at_end("components:\n" + start + "initial: {w: [1, 5, 0.5]}}\n", 1.5, names);
    const auto angles = balanced_at_end("components:\n" + start +
                                            "orientation: angles, sequence: [3, 2, 1], "
                                            "initial: {angles: [0, 0, 0], der_angles: [0.5, 5, 1]}}\n",
                                        1.5, names);
    expect_equal(q, angles);
    EXPECT_GT(std::abs(q[1]), 0.1);  // it has turned
    EXPECT_LT(q[4], 0.299);          // and leans
}

// A leaning wheel on a circle: the lean and the rate of turning that belong together.
TEST(RollingWheel, StaysOnACircle) {
    const double r = 0.3, m = 2.0, axis = 0.06, across = 0.12, lean = 0.2, turning = 0.6;
    // Moments about the direction of rolling, through the contact, with T the whole angular velocity about the axis:
    // (axis + m r^2) T turning cos(lean) + across turning^2 sin(lean) cos(lean) = m g r sin(lean).
    const double total = std::sin(lean) * (m * kGravity * r - across * turning * turning * std::cos(lean)) /
                         ((axis + m * r * r) * turning * std::cos(lean));
    // In the wheel: y along the axis, z up the plane of the wheel; the axis dips to the inside.
    const std::string w = "[0, " + digits(total) + ", " + digits(turning * std::cos(lean)) + "]";
    const auto v = balanced_at_end(
        "components:\n  world: {type: World}\n  wheel: {type: RollingWheel, radius: 0.3, m: 2, "
        "I_axis: 0.06, I_long: 0.12, orientation: quaternion, sequence: [3, 1, 2], initial: {angles: "
        "[0, " +
            digits(-lean) + ", 0], w: " + w + "}}\n",
        2.0 * std::numbers::pi / turning, {"wheel.x", "wheel.y", "wheel.frame_a.x[2]"});
    EXPECT_NEAR(v[0], 0.0, 1e-4);
    EXPECT_NEAR(v[1], 0.0, 1e-4);
    EXPECT_NEAR(v[2], r * std::cos(lean), 1e-5);
}

TEST(Marble, RollsDownASlopeByItsClosedForm) {
    const auto v =
        balanced_at_end(slope(0.3) + "  marble: {type: Marble, radius: 0.02, m: 0.1, initial: {w: [3, 0, 20]}}\n", 1.0,
                        {"marble.x", "marble.y", "marble.frame_a.x[2]"});
    EXPECT_NEAR(v[0], 0.5 * 5.0 / 7.0 * kGravity * std::sin(0.3), 1e-5);
    EXPECT_NEAR(v[1], -0.02 * 3.0, 1e-5);  // uniform across the slope, whatever the spin about the normal
    EXPECT_NEAR(v[2], 0.02, 1e-9);
}

TEST(RollingWheelSet, RollsDownASlopeAndTurnsAboutItsMiddle) {
    const std::string set =
        "  set: {type: RollingWheelSet, radius: 0.1, track: 0.5, m: 0.5, I_axis: 0.01, I_long: 0.02, ";
    const auto down =
        balanced_at_end(slope(0.2) + set + "initial: {x: 0, w_1: 0, w_2: 0}}\n", 2.0, {"set.x", "set.y", "set.phi"});
    EXPECT_NEAR(down[0], 0.5 * kGravity * std::sin(0.2) / (1.0 + 0.01 / (0.5 * 0.01)) * 4.0, 1e-5);
    EXPECT_NEAR(down[1], 0.0, 1e-9);
    const auto turn = balanced_at_end("components:\n  world: {type: World}\n" + set + "initial: {w_1: -3, w_2: 3}}\n",
                                      2.0, {"set.x", "set.phi", "set.w_2", "set.frame_1.x[3]"});
    EXPECT_NEAR(turn[0], 0.0, 1e-9);
    EXPECT_NEAR(turn[1], 0.1 / 0.5 * 6.0 * 2.0, 1e-7);
    EXPECT_NEAR(turn[2], 3.0, 1e-7);
    EXPECT_NEAR(turn[3], -0.25 * std::cos(turn[1]), 1e-7);  // y of the axle is -z of the world at the start
}

TEST(RollingWheelSet, ConservesEnergyWithALoadOffTheAxle) {
    balanced_at_end(
        "components:\n  world: {type: World}\n"
        "  set: {type: RollingWheelSet, radius: 0.1, track: 0.5, m: 0.5, I_axis: 0.01, I_long: 0.02, "
        "initial: {w_1: 5, w_2: 12}}\n"
        "  tray: {type: FixedTranslation, r: [0.2, 0.1, 0.3]}\n"
        "  joint: {type: Revolute, n: [0, 1, 0], initial: {phi: 0.3, w: 0}}\n"
        "  load: {type: Body, m: 3, r_CM: [0.2, 0, 0], I_11: 0.1, I_22: 0.2, I_33: 0.2}\n"
        "connect:\n  - [set.frame_middle, tray.frame_a]\n  - [tray.frame_b, joint.frame_a]\n"
        "  - [joint.frame_b, load.frame_a]\n",
        2.0, {"set.x"});
}

TEST(Bushing, CarriesABodyThatSpinsAndSwings) {
    const std::string motion =
        "  load: {type: Body, m: 2, r_CM: [0.1, 0, 0.05], I_11: 0.05, I_22: 0.06, I_33: 0.07, "
        "initial: {w: [2, -3, 1], v: [0.2, 0, 0.3]}}\n";
    for (const char* damping : {"", ", d: 20, d_phi: [0.3, 0.2, 0.1]"}) {
        balanced_at_end(
            carrier(motion +
                        "  mount: {type: Bushing, c: [900, 500, 700], c_phi: [[40, 5, 0], [5, 30, 0], [0, 0, 20]], "
                        "r_0: [0.1, 0, 0]" +
                        std::string(damping) + "}\n",
                    ", mount.frame_a]\n  - [mount.frame_b, load.frame_a"),
            1.0, with({"mount.r[1]", "mount.phi[2]"}));
    }
}

TEST(Bushing, TurnsAtItsNaturalFrequency) {
    const auto v = balanced_at_end(
        "components:\n  world: {type: World, gravity: none}\n"
        "  mount: {type: Bushing, c: 800, c_phi: 18}\n"
        "  body: {type: Body, m: 2, I_11: 0.5, I_22: 0.5, I_33: 0.5, initial: {x: [0.1, 0, 0], "
        "angles: [0, 0.2, 0]}}\n"
        "connect:\n  - [world.frame_b, mount.frame_a]\n  - [mount.frame_b, body.frame_a]\n",
        0.7, {"mount.r[1]", "mount.phi[2]"});
    EXPECT_NEAR(v[0], 0.1 * std::cos(20.0 * 0.7), 1e-6);
    EXPECT_NEAR(v[1], 0.2 * std::cos(6.0 * 0.7), 1e-6);
}

// d.w = h.w + (c.w + h.w - h.w)/ratio - h.w: the housing's velocity stands in it and cancels.
TEST(MountedParts, ARotorBehindABevelGearMayHaveTheStartValue) {
    const auto v = balanced_at_end(
        "components:\n  world: {type: World, gravity: none}\n"
        "  body: {type: Body, m: 1, I_11: 1, I_22: 1, I_33: 1}\n  hinge: {type: Revolute, n: [1, 0, 0]}\n"
        "  c: {type: Rotor1D, J: 1}\n  d: {type: Rotor1D, J: 1, initial: {w: 1}}\n"
        "  gear: {type: BevelGear1D, ratio: 2}\n"
        "connect:\n  - [world.frame_b, hinge.frame_a]\n"
        "  - [hinge.frame_b, body.frame_a, c.frame_a, d.frame_a, gear.frame_a]\n"
        "  - [c.shaft, gear.flange_a]\n  - [d.shaft, gear.flange_b]\n",
        1.0, {"c.w", "d.w", "hinge.w"});
    EXPECT_NEAR(v[0], 2.0, 1e-9);
    EXPECT_NEAR(v[1], 1.0, 1e-9);
    EXPECT_NEAR(v[2], 0.0, 1e-9);
}

}  // namespace
}  // namespace bondgraph
