// Shapes of wheels, gears and rotors: against the geometry their laws stand for.

#include "tests/cli/animation.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "tests/cli/command.hpp"

namespace bondgraph::cli {
namespace {

using Eigen::Vector3d;

// How far a disc reaches down: its rim lies below the centre by the part of the radius across the axis.
double lowest(const Posed& disc) {
    const double up = disc.axis().y();
    return disc.centre().y() - 0.5 * disc.size(1) * std::sqrt(1.0 - up * up);
}

TEST(Animation, AModelWithoutShapesIsRemarkedUpon) {
    const Folder folder;
    const Outcome o = folder.run({"run", folder.write("m.yaml", kCharging), "--animation", "a.json", "--quiet"});
    EXPECT_EQ(o.status, 0);
    EXPECT_THAT(o.err,
                testing::HasSubstr("warning: the model has nothing to animate: shapes come from the parts of 3-D "
                                   "mechanics\n"));
}

TEST(Animation, AWheelThatLeansTouchesThePlane) {
    const auto times = shapes_of(R"(model: wheel
components:
  world: {type: World}
  wheel: {type: RollingWheel, radius: 0.3 m, m: 2 kg, I_axis: 0.06 kg.m2, I_long: 0.12 kg.m2,
          initial: {angles: [15 deg, 0, 0], w: [0, 8 rad/s, 0]}}
experiment: {stop: 1 s, interval: 0.25 s}
)",
                                 "wheel");
    ASSERT_EQ(times.size(), 5U);
    for (const auto& shapes : times) {
        ASSERT_EQ(shapes.size(), 1U);
        EXPECT_EQ(shapes[0].kind, "cylinder");
        EXPECT_GT(std::abs(shapes[0].axis().y()), 0.1);
        EXPECT_NEAR(lowest(shapes[0]), 0.0, 1e-6);
    }
    EXPECT_GT((times.back()[0].centre() - times.front()[0].centre()).norm(), 1.0);
}

TEST(Animation, TheWheelsOfASetStandATrackApart) {
    const auto times = shapes_of(R"(model: set
components:
  world: {type: World}
  set: {type: RollingWheelSet, radius: 0.1 m, track: 0.5 m, m: 0.5 kg, I_axis: 0.01 kg.m2, I_long: 0.02 kg.m2,
        initial: {w_1: 5 rad/s, w_2: 12 rad/s}}
experiment: {stop: 1 s, interval: 0.25 s}
)",
                                 "set");
    ASSERT_EQ(times.size(), 5U);
    for (const auto& shapes : times) {
        ASSERT_EQ(shapes.size(), 3U);
        const Posed &axle = shapes[0], &left = shapes[1], &right = shapes[2];
        EXPECT_NEAR((left.centre() - right.centre()).norm(), 0.5, 1e-9);
        EXPECT_NEAR(lowest(left), 0.0, 1e-9);
        EXPECT_NEAR(lowest(right), 0.0, 1e-9);
        EXPECT_NEAR((axle.x - right.centre()).norm(), 0.0, 1e-9);
        EXPECT_NEAR((axle.end() - left.centre()).norm(), 0.0, 1e-9);
    }
}

TEST(Animation, AMarbleRestsOnThePlane) {
    const auto times = shapes_of(R"(model: marble
components:
  world: {type: World}
  marble: {type: Marble, radius: 1 cm, m: 10 g, initial: {x: 0.1 m, w: [1 rad/s, 0, 30 rad/s]}}
experiment: {stop: 1 s, interval: 0.5 s}
)",
                                 "marble");
    for (const auto& shapes : times) {
        ASSERT_EQ(shapes.size(), 1U);
        EXPECT_EQ(shapes[0].kind, "sphere");
        EXPECT_NEAR(shapes[0].centre().y() - 0.5 * shapes[0].size(0), 0.0, 1e-9);
    }
}

// A rotor about the vertical, driven so fast that it has turned by a quarter at the end.
TEST(Animation, ARotorTurnsByItsAngle) {
    const auto times = shapes_of(R"(model: rotor
components:
  world: {type: World, gravity: none}
  rotor: {type: Rotor1D, J: 0.1 kg.m2, n: [0, 0, 2], initial: {phi: 0, w: 90 deg/s}}
connect: [[world.frame_b, rotor.frame_a]]
experiment: {stop: 1 s, interval: 1 s}
)",
                                 "rotor");
    ASSERT_EQ(times.size(), 2U);
    ASSERT_EQ(times[0].size(), 1U);
    const Posed &before = times[0][0], &after = times[1][0];
    EXPECT_NEAR((before.axis() - Vector3d::UnitZ()).norm(), 0.0, 1e-12);
    EXPECT_NEAR(before.centre().norm(), 0.0, 1e-12);
    const Vector3d spoke = before.R.row(1).transpose();
    const Vector3d turned = after.R.row(1).transpose();
    EXPECT_NEAR((Vector3d(-spoke.y(), spoke.x(), 0.0) - turned).norm(), 0.0, 1e-6);
}

class BevelGear : public testing::TestWithParam<double> {};

// Pitch cones roll on each other: tips together, bases as the ratio, and at the line where they touch the same
// velocity.
TEST_P(BevelGear, ShowsItsPitchCones) {
    const double ratio = GetParam();
    const auto times = shapes_of(
        "model: bevel\ncomponents:\n"
        "  world: {type: World}\n"
        "  bevel: {type: BevelGear1D, ratio: " +
            std::to_string(ratio) +
            ", n_a: [1, 0, 0], n_b: [1, 2, 0]}\n"
            "  fast: {type: I, I: 1 kg.m2, initial: {f: 1 rad/s}}\n"
            "  slow: {type: I, I: 1 kg.m2}\n"
            "bonds: [bevel.flange_b -> slow, fast -> bevel.flange_a]\n"
            "connect: [[world.frame_b, bevel.frame_a]]\n"
            "experiment: {stop: 1 s, interval: 1 s}\n",
        "bevel");
    ASSERT_EQ(times.size(), 2U);
    ASSERT_EQ(times[0].size(), 2U);
    const Posed &a = times[0][0], &b = times[0][1];
    EXPECT_EQ(a.kind, "cone");
    EXPECT_NEAR(a.end().norm() + b.end().norm(), 0.0, 1e-12);
    EXPECT_NEAR(b.size(1) / a.size(1), std::abs(ratio), 1e-9);
    EXPECT_GT(std::min(a.size(0), b.size(0)), 0.0);
    // In the plane of both axes each base has two points on its rim; two of them coincide and move alike.
    const auto rim = [](const Posed& cone, double side) {
        return Vector3d(cone.x + side * 0.5 * cone.size(1) * cone.axis().cross(Vector3d::UnitZ()));
    };
    const Vector3d n_b = Vector3d(1, 2, 0).normalized();
    int touching = 0;
    for (const double side_a : {-1.0, 1.0}) {
        for (const double side_b : {-1.0, 1.0}) {
            const Vector3d touch = rim(a, side_a);
            if ((touch - rim(b, side_b)).norm() > 1e-9) continue;
            ++touching;
            EXPECT_NEAR((ratio * Vector3d::UnitX().cross(touch) - n_b.cross(touch)).norm(), 0.0, 1e-9);
        }
    }
    EXPECT_EQ(touching, 1);
}

INSTANTIATE_TEST_SUITE_P(Ratios, BevelGear, testing::Values(3.0, -3.0, 1.0, -0.25));

TEST(Animation, HingesOfAGearAndABearingStandWhereTheirFramesAre) {
    const std::string model = R"(model: gear
components:
  world: {type: World, gravity: none}
  mount: {type: Bushing, c: 1e4 N/m, c_phi: 100 N.m, d: 10 N.s/m, d_phi: 1 N.m.s}
  gear: {type: GearConstraint, ratio: 2, n_a: [0, 1, 0], n_b: [1, 0, 0], r_a: [0, 0, 0.5 m], initial: {phi_b: 0.3, w_b: 1}}
  a: {type: Body, m: 1 kg, I_11: 0.1 kg.m2, I_22: 0.1 kg.m2, I_33: 0.1 kg.m2}
  b: {type: Body, m: 1 kg, I_11: 0.1 kg.m2, I_22: 0.1 kg.m2, I_33: 0.1 kg.m2}
connect:
  - [world.frame_b, mount.frame_a]
  - [world.frame_b, gear.bearing]
  - [gear.frame_a, a.frame_a]
  - [gear.frame_b, b.frame_a, mount.frame_b]
experiment: {stop: 0.1 s, interval: 0.1 s}
)";
    const auto gear = shapes_of(model, "gear");
    ASSERT_EQ(gear[0].size(), 2U);
    EXPECT_NEAR((gear[0][0].centre() - Vector3d(0, 0, 0.5)).norm(), 0.0, 1e-9);
    EXPECT_NEAR((gear[0][0].axis() - Vector3d::UnitY()).norm(), 0.0, 1e-9);
    EXPECT_NEAR((gear[0][1].axis() - Vector3d::UnitX()).norm(), 0.0, 1e-9);
    const auto mount = shapes_of(model, "mount");
    ASSERT_EQ(mount[0].size(), 1U);
    EXPECT_EQ(mount[0][0].kind, "box");
    EXPECT_NEAR(mount[0][0].centre().norm(), 0.0, 1e-9);
}

}  // namespace
}  // namespace bondgraph::cli
