// Vehicles: wheels that roll on the ground close loops.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <Eigen/Eigenvalues>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <complex>

#include "bondgraph/compile/reduce.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

constexpr const char* kBicycle = "mechanics3d/bicycle.yaml";

/// The linear equations of lean and steer (both to the right) of the benchmark bicycle, M q'' + v C1 q' + (g K0 + v²
/// K2) q = 0, as d/dt (q, q') = A (q, q'). Meijaard, Papadopoulos, Ruina, Schwab, Proc. R. Soc. A 463 (2007).
Eigen::Matrix4d bicycle_matrix(double v) {
    Eigen::Matrix2d M, K0, K2, C1;
    M << 80.81722, 2.31941332208709, 2.31941332208709, 0.29784188199686;
    K0 << -80.95, -2.59951685249872, -2.59951685249872, -0.80329488458618;
    K2 << 0, 76.59734589573222, 0, 2.65431523794604;
    C1 << 0, 33.86641391492494, -0.85035641456978, 1.68540397397560;
    Eigen::Matrix4d A = Eigen::Matrix4d::Zero();
    A.topRightCorner<2, 2>().setIdentity();
    A.bottomLeftCorner<2, 2>() = -M.inverse() * (9.81 * K0 + v * v * K2);
    A.bottomRightCorner<2, 2>() = -M.inverse() * v * C1;
    return A;
}

/// How far the nearest of some eigenvalues is from each of others, at most.
double farthest(const Eigen::Vector4cd& wanted, const std::vector<std::complex<double>>& among) {
    double most = 0.0;
    for (const std::complex<double>& w : wanted) {
        const auto distance = [&](const std::complex<double>& x) { return std::abs(x - w); };
        most = std::max(most, distance(*std::ranges::min_element(among, {}, distance)));
    }
    return most;
}

// From standing, where it falls over, to fast, where it falls over slowly.
TEST(RollingLoops, TheBenchmarkBicycleHasItsPublishedEigenvalues) {
    for (int v = 0; v <= 10; ++v) {
        SCOPED_TRACE(v);
        Pipeline p(test::load_file(test::model_path(kBicycle)));
        p.set(fmt::format("v={}", v));
        const auto linear = p.linear();
        EXPECT_EQ(linear.states.size(), 10U);
        EXPECT_LT(farthest(bicycle_matrix(v).eigenvalues(), linear.eigenvalues), 1e-6);
    }
}

struct LeanAndSteer {
    double lean, steer;
};

LeanAndSteer ridden(double v, double rate, double stop) {
    Pipeline p(test::load_file(test::model_path(kBicycle)));
    p.set(fmt::format("v={}", v)).set(fmt::format("lean={}", rate));
    const auto run = p.run({.stop = stop, .tolerance = 1e-9, .interval = stop}, {"rear.angles[2]", "steer.phi"});
    EXPECT_FALSE(run.summary.failure);
    EXPECT_LT(std::abs(run.summary.energy.imbalance), 1e-8 * run.summary.energy.moved);
    const std::size_t last = run.result.time.size() - 1;
    return {run.result.at(last, 0), run.result.at(last, 1)};
}

// A push so small that what its square does is a thousandth: weaving that grows, weaving that dies out, and falling
// over.
TEST(RollingLoops, ThePushedBicycleWeavesRidesOnOrFallsOver) {
    constexpr double kPush = 1e-3, kStop = 3.0;
    for (const double v : {4.0, 5.0, 6.5}) {
        SCOPED_TRACE(v);
        const Eigen::EigenSolver<Eigen::Matrix4d> modes(bicycle_matrix(v));
        const Eigen::Matrix4cd vectors = modes.eigenvectors();
        const Eigen::Vector4cd parts = vectors.inverse() * Eigen::Vector4cd(0.0, 0.0, kPush, 0.0);
        const Eigen::Vector4cd later = (modes.eigenvalues() * kStop).array().exp() * parts.array();
        const Eigen::Vector4d wanted = (vectors * later).real();
        const LeanAndSteer end = ridden(v, kPush, kStop);
        EXPECT_NEAR(end.lean, wanted(0), 2e-3 * kPush);
        // The matrices count steer to the right, about an axis that points down.
        EXPECT_NEAR(-end.steer, wanted(1), 2e-3 * kPush);
    }
}

/// Two wheels in line under a stiff frame, with further parameters of each.
std::string two_in_line(const std::string& rear, const std::string& front = "") {
    return "components:\n"
           "  world: {type: World, n: [0, 0, -1]}\n"
           "  rear: {type: RollingWheel, radius: 0.3, m: 2, I_axis: 0.12, I_long: 0.06, n: [0, 0, 1], n_x: [1, 0, 0]" +
           rear +
           "}\n"
           "  rear_hub: {type: Revolute, n: [0, 1, 0]}\n"
           "  frame: {type: BodyShape, r: [1, 0, 0], r_CM: [0.5, 0, 0.1], m: 85, I_11: 9.2, I_22: 11, I_33: 2.8}\n"
           "  front_hub: {type: Revolute, n: [0, 1, 0]}\n"
           "  front: {type: RollingWheel, radius: 0.3, m: 3, I_axis: 0.28, I_long: 0.14, n: [0, 0, 1], n_x: [1, 0, 0]" +
           front +
           "}\n"
           "connect:\n"
           "  - [rear.frame_a, rear_hub.frame_a]\n"
           "  - [rear_hub.frame_b, frame.frame_a]\n"
           "  - [frame.frame_b, front_hub.frame_a]\n"
           "  - [front_hub.frame_b, front.frame_a]\n";
}

// Exactly upright and straight, where all that acts sideways is 0 but for rounding, and a component of each quaternion
// passes 0 at every half turn.
TEST(RollingLoops, RollOnUprightAndStraight) {
    Pipeline p(two_in_line(", guess: {w: [0, 6, 0]}", ", guess: {x: 1}"));
    const auto run =
        p.run({.stop = 2.0, .tolerance = 1e-9, .interval = 0.5}, {"rear.x", "front.x", "rear.y", "front_hub.w"});
    ASSERT_FALSE(run.summary.failure);
    const double speed = 0.3 * run.result.at(0, 3);
    EXPECT_GT(std::abs(speed), 0.1);
    for (std::size_t k = 0; k < run.result.time.size(); ++k) {
        EXPECT_NEAR(run.result.at(k, 0), speed * run.result.time[k], 1e-8);
        EXPECT_NEAR(run.result.at(k, 1) - run.result.at(k, 0), 1.0, 1e-8);
        EXPECT_NEAR(run.result.at(k, 2), 0.0, 1e-12);
    }
    EXPECT_LT(run.summary.steps, 2000);
}

// An inverted pendulum about the line of contact, at any speed: what stands on two wheels in line can't steer. Its lean
// a obeys (J + m h²) a'' = m g h a at first.
TEST(RollingLoops, TwoWheelsInLineFallOverSideways) {
    const std::string turning = ", orientation: angles, sequence: [3, 1, 2]";
    Pipeline p(two_in_line(turning + ", initial: {der_angles: [0, 1e-4, 0]}", turning + ", guess: {x: 1}"));
    const auto run = p.run({.stop = 1.0, .tolerance = 1e-9, .interval = 1.0}, {"rear.angles[2]"});
    ASSERT_FALSE(run.summary.failure);
    // Wheels of 2 and 3 kg with their centres at 0.3 m, the frame's 85 kg at 0.4 m.
    const double inertia = 9.2 + 0.06 + 0.14 + 5 * 0.09 + 85 * 0.16;
    const double rate = std::sqrt(9.81 * (5 * 0.3 + 85 * 0.4) / inertia);
    EXPECT_NEAR(run.result.at(1, 0), 1e-4 / rate * std::sinh(rate), 1e-8);
}

std::string wagon(const std::string& steer) {
    return "components:\n"
           "  world: {type: World, n: [0, 0, -1]}\n"
           "  rear: {type: RollingWheelSet, radius: 0.3, track: 0.6, m: 2, I_axis: 0.12, I_long: 0.06, n: [0, 0, 1], "
           "n_x: [1, 0, 0], initial: {x: 0, y: 0, phi: 0}, guess: {w_1: 1, w_2: 1}}\n"
           "  frame: {type: BodyShape, r: [1, 0, 0], r_CM: [0.5, 0, 0], m: 85, I_11: 9.2, I_22: 11, I_33: 2.8}\n"
           "  steer: {type: Revolute, n: [0, 0, 1]" +
           steer +
           "}\n"
           "  front: {type: RollingWheelSet, radius: 0.3, track: 0.6, m: 2, I_axis: 0.12, I_long: 0.06, n: [0, 0, 1], "
           "n_x: [1, 0, 0], guess: {x: 1}}\n"
           "connect:\n"
           "  - [rear.frame_middle, frame.frame_a]\n"
           "  - [frame.frame_b, steer.frame_a]\n"
           "  - [steer.frame_b, front.frame_middle]\n";
}

// Two axles on a plane share what lifts, rolls and pitches the wagon: statically indeterminate, and said so. Locked at
// an angle it drives on a circle about the point where the axles meet.
TEST(RollingLoops, AWagonOnTwoAxlesDrivesOnACircle) {
    constexpr double kAngle = 0.3;
    Pipeline p(wagon(fmt::format(", locked: true, initial: {{phi: {}}}", kAngle)));
    const auto& loops = *p.compiled().reduced->loops;
    ASSERT_EQ(loops.mechanisms.size(), 1U);
    EXPECT_EQ(loops.mechanisms[0].redundant(), 3U);
    const auto run = p.run({.stop = 3.0, .tolerance = 1e-9, .interval = 0.5},
                           {"rear.x", "rear.y", "front.x", "front.y", "rear.phi"});
    ASSERT_FALSE(run.summary.failure);
    const double radius = 1.0 / std::tan(kAngle);
    const std::size_t last = run.result.time.size() - 1;
    EXPECT_GT(run.result.at(last, 4), 0.1);
    for (std::size_t k = 0; k <= last; ++k) {
        EXPECT_NEAR(std::hypot(run.result.at(k, 0), run.result.at(k, 1) - radius), radius, 1e-7);
        EXPECT_NEAR(std::hypot(run.result.at(k, 2), run.result.at(k, 3) - radius), 1.0 / std::sin(kAngle), 1e-7);
    }
}

/// Four wheels at the corners of a chassis, 1 m apart from side to side; those in front 1.2 m before those behind, and
/// turned about the vertical as if they rolled about a point `left` of the middle between those behind (0: straight).
/// One hangs on a hinge that turns at `speed`, the others on joints of type `hinge`.
std::string car(double left, std::string_view hinge, double speed = 0.0) {
    std::string parts =
        "components:\n"
        "  world: {type: World, n: [0, 0, -1]}\n"
        "  chassis: {type: Body, m: 100, r_CM: [0.5, 0, 0.1], I_11: 10, I_22: 20, I_33: 25}\n"
        "  push: {type: WorldForce, f: [fx, 0, 0]}\n";
    std::string joined = "connect:\n  - [push.frame_b, chassis.frame_a]\n";
    struct Corner {
        std::string_view name;
        double x, y;
    };
    for (const Corner c : {Corner{"fl", 1.2, 0.5}, {"fr", 1.2, -0.5}, {"rl", 0.0, 0.5}, {"rr", 0.0, -0.5}}) {
        const bool first = c.name == "rl";
        parts += fmt::format(
            "  a_{0}: {{type: FixedTranslation, r: [{1}, {2}, 0]}}\n"
            "  k_{0}: {{type: FixedRotation, n: [0, 0, 1], angle: {3}}}\n"
            "  h_{0}: {{type: {4}, n: [0, 1, 0]{5}}}\n"
            "  {0}: {{type: RollingWheel, radius: 0.3, m: 5, I_axis: 0.2, I_long: 0.1, n: [0, 0, 1], n_x: [1, 0, 0], "
            "{6}: {{x: {1}, y: {2}}}}}\n",
            c.name, c.x, c.y, left != 0.0 ? std::atan2(c.x, left - c.y) : 0.0, first ? "Revolute" : hinge,
            first ? fmt::format(", initial: {{w: {}}}", speed) : "", first ? "initial" : "guess");
        joined += fmt::format(
            "  - [chassis.frame_a, a_{0}.frame_a]\n  - [a_{0}.frame_b, k_{0}.frame_a]\n"
            "  - [k_{0}.frame_b, h_{0}.frame_a]\n  - [h_{0}.frame_b, {0}.frame_a]\n",
            c.name);
    }
    return "parameters: {fx: 0 N}\n" + parts + joined;
}

// The fourth wheel stands where three let it (one condition of places too many), and once they roll the same way, two
// more say nothing new of the rates: there are more conditions than rates. It has one freedom, to roll ahead.
TEST(RollingLoops, ACarRollsAheadOnFourWheels) {
    Pipeline p(car(0.0, "CutRevolute"));
    p.set("fx=20");
    const auto& loops = *p.compiled().reduced->loops;
    ASSERT_EQ(loops.mechanisms.size(), 1U);
    EXPECT_EQ(loops.mechanisms[0].rates, 13U);
    EXPECT_EQ(loops.mechanisms[0].conditions(), 15U);
    EXPECT_EQ(loops.mechanisms[0].redundant(), 3U);
    const auto run =
        p.run({.stop = 6.0, .tolerance = 1e-9, .interval = 1.0}, {"chassis.frame_a.x[1]", "chassis.frame_a.x[2]"});
    ASSERT_FALSE(run.summary.failure);
    const double acceleration = 20.0 / (100 + 4 * (5 + 0.2 / 0.09));
    for (std::size_t k = 0; k < run.result.time.size(); ++k) {
        const double t = run.result.time[k];
        EXPECT_NEAR(run.result.at(k, 0), 0.5 * acceleration * t * t, 1e-7);
        EXPECT_NEAR(run.result.at(k, 1), 0.0, 1e-9);
    }
}

// Nothing drives it: its speed and its distance from where all axles meet stay, over three turns of its wheels.
TEST(RollingLoops, ACarDrivesOnACircle) {
    constexpr double kLeft = 6.0;
    constexpr double kSpin = 2.0;
    Pipeline p(car(kLeft, "CutRevolute", kSpin));
    const auto run = p.run({.stop = 10.0, .tolerance = 1e-9, .interval = 1.0},
                           {"chassis.frame_a.x[1]", "chassis.frame_a.x[2]", "fr.x", "fr.y", "chassis.frame_a.w[3]"});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_LT(std::abs(run.summary.energy.imbalance), 1e-6);
    const double rate = 0.3 * kSpin / (kLeft - 0.5);
    for (std::size_t k = 0; k < run.result.time.size(); ++k) {
        const double turned = rate * run.result.time[k];
        EXPECT_NEAR(run.result.at(k, 0), kLeft * std::sin(turned), 1e-6);
        EXPECT_NEAR(run.result.at(k, 1), kLeft - kLeft * std::cos(turned), 1e-6);
        EXPECT_NEAR(std::hypot(run.result.at(k, 2), run.result.at(k, 3) - kLeft), std::hypot(1.2, kLeft + 0.5), 1e-6);
        EXPECT_NEAR(run.result.at(k, 4), rate, 1e-8);
    }
}

// The frames of its wheels turn, and with them which conditions repeat others: on plain hinges, and where the side in
// which a joint's conditions are told is that of a wheel.
TEST(RollingLoops, ACarWhoseConditionsTurnWithItsWheelsIsRefused) {
    std::string swapped = car(6.0, "CutRevolute", 2.0);
    for (const auto& [from, to] : {std::pair("k_rr.frame_b, h_rr.frame_a", "k_rr.frame_b, h_rr.frame_b"),
                                   std::pair("h_rr.frame_b, rr.frame_a", "h_rr.frame_a, rr.frame_a")})
        swapped.replace(swapped.find(from), std::string_view(from).size(), to);
    for (const std::string& text : {car(0.0, "Revolute"), car(6.0, "Revolute", 2.0), swapped}) {
        Pipeline p(text);
        EXPECT_EQ(test::errors_of([&] { p.compiled(); }), std::vector<std::string>{"BG-M073"});
    }
}

// Velocities of a loop follow linearly once its position is found: no guess of any has to be near.
TEST(RollingLoops, StartsWithoutGuessesOfVelocities) {
    Pipeline p(two_in_line(", initial: {w: [0, 6, 0]}", ", guess: {x: 1}"));
    const auto run = p.run({.stop = 0.1, .tolerance = 1e-9, .interval = 0.1}, {"rear_hub.w", "front_hub.w", "front.x"});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_NEAR(run.result.at(0, 0), -6.0, 1e-9);
    EXPECT_NEAR(run.result.at(0, 1), 6.0, 1e-9);
    EXPECT_NEAR(run.result.at(1, 2), 1.18, 1e-8);
}

// Speeds of one axle are given, and with them the angle of steering: its guess gives way, whatever it is. Left to the
// last it would ask for a front axle that spins at thousands of rad/s. The trailer stays in line.
TEST(RollingLoops, SpeedsThatAreGivenTurnTheSteering) {
    const auto text = [](const char* ball, const char* speeds, double steering = 0.05) {
        const std::string axle =
            "type: RollingWheelSet, radius: 0.3 m, track: 1.4 m, m: 10 kg, I_axis: 0.4, I_long: 0.3";
        return "components:\n  world: {type: World, n: [0, 0, -1]}\n  rear: {" + axle +
               ", initial: {x: 0, y: 0, phi: 0, " + speeds + "}}\n  front: {" + axle + ", guess: {x: 1.5}}\n  axle: {" +
               axle + ", guess: {x: -2.3}}\n  ball: {type: Spherical" + ball + R"(}
  hub: {type: Revolute, n: [0, 1, 0]}
  car: {type: Body, m: 600, r_CM: [0.6, 0, 0.2], I_11: 80, I_22: 200, I_33: 220}
  to_front: {type: FixedTranslation, r: [1.5, 0, 0.1]}
  steer: {type: Revolute, n: [0, 0, 1], guess: {phi: )" +
               fmt::format("{}", steering) + R"(}}
  pitch: {type: Revolute, n: [0, 1, 0]}
  drop: {type: FixedTranslation, r: [0, 0, -0.1]}
  to_hitch: {type: FixedTranslation, r: [-0.5, 0, 0.05]}
  drawbar: {type: FixedTranslation, r: [1.8, 0, 0.05]}
  trailer: {type: Body, m: 200, r_CM: [0.1, 0, 0.3], I_11: 30, I_22: 60, I_33: 70}
  trailer_hub: {type: Revolute, n: [0, 1, 0]}
connect:
  - [rear.frame_middle, hub.frame_a]
  - [hub.frame_b, car.frame_a, to_front.frame_a, to_hitch.frame_a]
  - [to_front.frame_b, pitch.frame_a]
  - [pitch.frame_b, steer.frame_a]
  - [steer.frame_b, drop.frame_a]
  - [drop.frame_b, front.frame_middle]
  - [to_hitch.frame_b, ball.frame_a]
  - [drawbar.frame_b, ball.frame_b]
  - [trailer.frame_a, drawbar.frame_a, trailer_hub.frame_b]
  - [trailer_hub.frame_a, axle.frame_middle]
)";
    };
    std::vector<double> ends;
    for (const char* ball : {"", ", orientation: quaternion"}) {
        Pipeline standing(text(ball, "w_1: 0, w_2: 0"));
        const auto at_rest =
            standing.run({.stop = 1e-3, .tolerance = 1e-6, .interval = 1e-3},
                         {"axle.y", "axle.phi", "trailer_hub.phi", "pitch.phi", "steer.phi", "front.phi"});
        ASSERT_FALSE(at_rest.summary.failure) << ball;
        for (std::size_t k = 0; k < 4; ++k) EXPECT_NEAR(at_rest.result.at(0, k), 0.0, 1e-12) << ball << k;
        EXPECT_NEAR(at_rest.result.at(0, 4), at_rest.result.at(0, 5), 1e-12);
        for (const double steering : {0.05, 0.3, -0.2, 0.6, -0.3, -0.4, 1.0, 1.5}) {
            Pipeline p(text(ball, "w_1: 12, w_2: 12.4", steering));
            const auto run = p.run({.stop = 0.2, .tolerance = 1e-8, .interval = 0.2},
                                   {"steer.phi", "steer.w", "front.w_1", "axle.y"});
            ASSERT_FALSE(run.summary.failure) << ball << steering;
            EXPECT_LT(run.summary.steps, 300) << ball << steering;
            // v = 0.3 (12 + 12.4) / 2, yaw rate 0.3 * 0.4 / 1.4: the front axle, 1.5 m ahead, rolls where it is led.
            EXPECT_NEAR(run.result.at(0, 0), std::atan(1.5 * (0.3 * 0.4 / 1.4) / (0.3 * 12.2)), 1e-9)
                << ball << steering;
            EXPECT_NEAR(run.result.at(0, 1), 0.0, 1e-13) << ball << steering;  // nothing turns it
            const double speed = std::hypot(0.3 * 12.2, 1.5 * (0.3 * 0.4 / 1.4)) / 0.3;
            EXPECT_NEAR(run.result.at(0, 2), speed - 0.2, 1e-12) << ball << steering;
            // Steps that turn a steering which is far off move the rest by their squares: 6e-6 m from 1.5 rad.
            EXPECT_NEAR(run.result.at(0, 3), 0.0, 1e-5) << ball << steering;
            ends.push_back(run.result.at(1, 0));
        }
    }
    for (const double end : ends) EXPECT_NEAR(end, ends[0], 1e-6);
}

// A car whose pitch and whose hubs stand still: their accelerations are products of roundings, 1e-30 and less.
TEST(RollingLoops, WhatIsZeroButForRoundingIsNotSolvedFor) {
    Pipeline p(R"(components:
  to_hitch: {type: FixedTranslation, r: [-0.5,0,0.05]}
  chassis: {type: Body, m: 600, r_CM: [0.1,0,0.1], I_11: 1.1, I_22: 2, I_33: 2.5}
  steer: {type: Revolute, n: [0,0,1], initial: {phi: 0.15}}
  trailer: {type: Body, m: 200, r_CM: [0.1,0,0.1], I_11: 1.1, I_22: 2, I_33: 2.5}
  ball: {type: Spherical}
  drop: {type: FixedTranslation, r: [0,0,-0.1]}
  front: {type: RollingWheelSet, radius: 0.3, track: 1.4, m: 10, I_axis: 0.4, I_long: 0.3, n: [0,0,1], guess: {x: 1.5}}
  to_front: {type: FixedTranslation, r: [1.5,0,0.1]}
  hub: {type: Revolute, n: [0,1,0]}
  pitch: {type: Revolute, n: [0,1,0]}
  drawbar: {type: FixedTranslation, r: [1.8,0,0.05]}
  rear: {type: RollingWheelSet, radius: 0.3, track: 1.4, m: 10, I_axis: 0.4, I_long: 0.3, n: [0,0,1], initial: {x: 0, y: 0, phi: 0, w_1: 5}}
  world: {type: World, n: [0,0,-1]}
  taxle: {type: RollingWheelSet, radius: 0.3, track: 1.4, m: 10, I_axis: 0.4, I_long: 0.3, n: [0,0,1], guess: {x: -2.3}}
  thub: {type: Revolute, n: [0,1,0]}
connect:
  - [hub.frame_b, to_hitch.frame_a, chassis.frame_a, to_front.frame_a]
  - [drawbar.frame_b, ball.frame_b]
  - [rear.frame_middle, hub.frame_a]
  - [pitch.frame_a, to_front.frame_b]
  - [drawbar.frame_a, trailer.frame_a, thub.frame_b]
  - [steer.frame_a, pitch.frame_b]
  - [drop.frame_a, steer.frame_b]
  - [front.frame_middle, drop.frame_b]
  - [taxle.frame_middle, thub.frame_a]
  - [to_hitch.frame_b, ball.frame_a]
)");
    for (const double tolerance : {1e-8, 1e-10}) {
        const auto run = p.run({.stop = 1.0, .tolerance = tolerance, .interval = 1.0}, {"rear.w_2"});
        ASSERT_FALSE(run.summary.failure) << tolerance;
        EXPECT_LT(run.summary.steps, 300) << tolerance;
    }
}

// A torque that is 0 goes to and fro by its last bit, in this order of lines: no step would be short enough.
TEST(RollingLoops, WhatGoesToAndFroByItsLastBitIsMet) {
    Pipeline p(R"(types:
  Box:
    components:
      hub: {type: Revolute, n: [0,1,0]}
      fr: {type: R, R: 0.05}
      trailer: {type: Body, m: 200, r_CM: [0.1,0,0.1], I_11: 1.1, I_22: 2, I_33: 2.5}
      chassis: {type: Body, m: 600, r_CM: [0.1,0,0.1], I_11: 1.1, I_22: 2, I_33: 2.5}
      engine: {type: I, I: 0.3}
      front: {type: RollingWheelSet, radius: 0.3, track: 1.4, m: 10, I_axis: 0.4, I_long: 0.3, n: [0,0,1], guess: {x: 1.5}}
      to_hitch: {type: FixedTranslation, r: [-0.5,0,0.05]}
      rear: {type: RollingWheelSet, radius: 0.3, track: 1.4, m: 10, I_axis: 0.4, I_long: 0.3, n: [0,0,1], initial: {x: 0, y: 0, phi: 0, w_1: 5}}
      ball: {type: Spherical}
      eng: {type: 1}
      h1: {type: TF, m: 2}
      h2: {type: TF, m: 2}
      gear: {type: TF, m: 0.125}
      to_front: {type: FixedTranslation, r: [1.5,0,0.1]}
      mot: {type: Se, e: 20}
      j1: {type: 1}
      j2: {type: 1}
      drop: {type: FixedTranslation, r: [0,0,-0.1]}
      case: {type: 0}
      thub: {type: Revolute, n: [0,1,0]}
      drawbar: {type: FixedTranslation, r: [1.8,0,0.05]}
      taxle: {type: RollingWheelSet, radius: 0.3, track: 1.4, m: 10, I_axis: 0.4, I_long: 0.3, n: [0,0,1], guess: {x: -2.3}}
      steer: {type: Revolute, n: [0,0,1], initial: {phi: 0.15}}
      pitch: {type: Revolute, n: [0,1,0]}
    connect:
      - [drawbar.frame_a, thub.frame_b, trailer.frame_a]
      - [drop.frame_b, front.frame_middle]
      - [pitch.frame_a, to_front.frame_b]
      - [drawbar.frame_b, ball.frame_b]
      - [rear.frame_middle, hub.frame_a]
      - [hub.frame_b, to_hitch.frame_a, to_front.frame_a, chassis.frame_a]
      - [drop.frame_a, steer.frame_b]
      - [ball.frame_a, to_hitch.frame_b]
      - [pitch.frame_b, steer.frame_a]
      - [taxle.frame_middle, thub.frame_a]
    bonds:
      - gear.p2 -> case
      - j2 -> rear.axis_2
      - eng -> gear.p1
      - mot -> eng
      - h2.p2 -> j2
      - case -> h1.p1
      - h1.p2 -> j1
      - case -> h2.p1
      - eng -> engine
      - eng -> fr
      - j1 -> rear.axis_1
components:
  box: {type: Box}
  world: {type: World, n: [0,0,-1]}
)");
    for (const double tolerance : {1e-4, 1e-8, 1e-10}) {
        const auto run = p.run({.stop = 1.0, .tolerance = tolerance, .interval = 1.0}, {"box.rear.w_2"});
        ASSERT_FALSE(run.summary.failure) << tolerance;
        EXPECT_LT(run.summary.steps, 300) << tolerance;
    }
}

}  // namespace
}  // namespace bondgraph
