// Trees that no World carries: which body is their root, and that a point mass among them never holds an orientation.

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

std::vector<double> free_at_end(const std::string& text, double stop, const std::vector<std::string>& names) {
    Pipeline p(text);
    const auto run = p.run({.stop = stop, .tolerance = 1e-10, .interval = stop / 10}, names);
    EXPECT_FALSE(run.summary.failure);
    std::vector<double> values;
    for (std::size_t k = 0; k < names.size(); ++k) values.push_back(run.result.at(run.result.time.size() - 1, k));
    return values;
}

/// Masses of 1 kg at the ends of a rod of 1 m along x, at rest, the far one with an inertia J of its own; 1 N along y
/// acts on it. About the common centre of mass (0.5^2 + 0.5^2 + J) phi'' = 0.5 cos(phi).
std::array<double, 2> pushed_dumbbell(double J, double stop) {
    constexpr int kSteps = 2000;
    const double h = stop / kSteps;
    const auto acceleration = [&](double phi) { return 0.5 * std::cos(phi) / (0.5 + J); };
    double phi = 0.0;
    double w = 0.0;
    for (int k = 0; k < kSteps; ++k) {  // Runge-Kutta
        const double a1 = acceleration(phi);
        const double a2 = acceleration(phi + 0.5 * h * w);
        const double a3 = acceleration(phi + 0.5 * h * w + 0.25 * h * h * a1);
        const double a4 = acceleration(phi + h * w + 0.5 * h * h * a2);
        phi += h * w + h * h / 6.0 * (a1 + a2 + a3);
        w += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
    }
    const double middle = 0.5 * 0.5 * stop * stop;
    return {middle - 0.5 * std::sin(phi), middle + 0.5 * std::sin(phi)};
}

struct Order {
    const char* first;
    const char* second;
};

class FreeTree : public testing::TestWithParam<Order> {};

TEST_P(FreeTree, TurnsWhicheverComponentComesFirst) {
    const std::string text = std::string("components:\n  world: {type: World, gravity: none}\n") + GetParam().first +
                             GetParam().second +
                             "  rod: {type: FixedTranslation, r: [1, 0, 0]}\n"
                             "  push: {type: WorldForce, f: [0, 1, 0]}\n"
                             "connect: [[near.frame_a, rod.frame_a], [rod.frame_b, far.frame_a, push.frame_b]]\n";
    const auto y = free_at_end(text, 1.0, {"near.frame_a.x[2]", "far.frame_a.x[2]", "near.frame_a.t[3]"});
    const auto expected = pushed_dumbbell(0.01, 1.0);
    EXPECT_NEAR(y[0], expected[0], 1e-8);
    EXPECT_NEAR(y[1], expected[1], 1e-8);
    EXPECT_NEAR(y[2], 0.0, 1e-8) << "a point mass carries no torque";
}

INSTANTIATE_TEST_SUITE_P(Orders, FreeTree,
                         testing::Values(Order{"  near: {type: PointMass, m: 1}\n",
                                               "  far: {type: Body, m: 1, I_11: 0.01, I_22: 0.01, I_33: 0.01, "
                                               "initial: {x: [1, 0, 0], v: [0, 0, 0], w: [0, 0, 0]}}\n"},
                                         Order{
                                             "  near: {type: PointMass, m: 1, initial: {x: [0, 0, 0], v: [0, 0, 0]}}\n",
                                             "  far: {type: Body, m: 1, I_11: 0.01, I_22: 0.01, I_33: 0.01}\n"},
                                         Order{"  far: {type: Body, m: 1, I_11: 0.01, I_22: 0.01, I_33: 0.01, "
                                               "initial: {x: [1, 0, 0], v: [0, 0, 0], w: [0, 0, 0]}}\n",
                                               "  near: {type: PointMass, m: 1}\n"}));

TEST(FreeTree, OfThePlaneTurnsThoughAPointMassIsItsRoot) {
    const auto y = free_at_end(
        "components:\n"
        "  world: {type: World, gravity: none}\n"
        "  near: {type: PlanarPointMass, m: 1, initial: {x: [0, 0], v: [0, 0]}}\n"
        "  rod: {type: PlanarRod, r: [1, 0]}\n"
        "  far: {type: PlanarPointMass, m: 1}\n"
        "  push: {type: PlanarWorldForce, f: [0, 1]}\n"
        "connect: [[near.frame_a, rod.frame_a], [rod.frame_b, far.frame_a, push.frame_b]]\n",
        1.0, {"near.frame_a.x[2]", "far.frame_a.x[2]"});
    const auto expected = pushed_dumbbell(0.0, 1.0);
    EXPECT_NEAR(y[0], expected[0], 1e-8);
    EXPECT_NEAR(y[1], expected[1], 1e-8);
}

// Four point masses of 1 kg at +-1 m on x and +-0.5 m on y: principal moments 0.5, 2 and 2.5 kg.m2.
TEST(FreeTree, OfPointMassesTumblesAsTheBodyTheyMake) {
    const std::vector<double> masses = free_at_end(
        "components:\n"
        "  world: {type: World, gravity: none}\n"
        "  east: {type: PointMass, m: 1, initial: {x: [1, 0, 0], v: [0.03, 0, -1], w: [0.1, 1, 0.03]}}\n"
        "  west: {type: PointMass, m: 1}\n"
        "  north: {type: PointMass, m: 1}\n"
        "  south: {type: PointMass, m: 1}\n"
        "  to_west: {type: FixedTranslation, r: [-2, 0, 0]}\n"
        "  to_north: {type: FixedTranslation, r: [-1, 0.5, 0]}\n"
        "  to_south: {type: FixedTranslation, r: [-1, -0.5, 0]}\n"
        "connect:\n"
        "  - [east.frame_a, to_west.frame_a, to_north.frame_a, to_south.frame_a]\n"
        "  - [to_west.frame_b, west.frame_a]\n"
        "  - [to_north.frame_b, north.frame_a]\n"
        "  - [to_south.frame_b, south.frame_a]\n",
        4.0, {"east.w[1]", "east.w[2]", "east.w[3]"});
    const std::vector<double> body = free_at_end(
        "components:\n"
        "  world: {type: World, gravity: none}\n"
        "  body: {type: Body, m: 4, I_11: 0.5, I_22: 2, I_33: 2.5, initial: {w: [0.1, 1, 0.03]}}\n",
        4.0, {"body.w[1]", "body.w[2]", "body.w[3]"});
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(masses[k], body[k], 1e-7);
}

TEST(FreeTree, OfAPointMassAndForcesAloneHasNoOrientation) {
    Pipeline p(
        "components:\n"
        "  world: {type: World, gravity: none}\n"
        "  mass: {type: PointMass, m: 1, initial: {x: [1, 0, 0], v: [0, 0, 0]}}\n"
        "  spring: {type: Spring, c: 1}\n"
        "  speed: {type: AbsoluteAngularVelocity}\n"
        "connect: [[world.frame_b, spring.frame_a], [spring.frame_b, mass.frame_a, speed.frame_a]]\n");
    const auto run = p.run({.stop = 1.0, .tolerance = 1e-10, .interval = 0.1}, {"mass.x[1]"});
    EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), std::cos(1.0), 1e-8);
    EXPECT_EQ(p.graph().elements[p.graph().element_by_name.at("mass").index()].slot("w"), nullptr);
}

TEST(FreeTree, HasItsStatesAtTheBodyWithStartValues) {
    const auto x = free_at_end(
        "components:\n"
        "  world: {type: World, gravity: none}\n"
        "  first: {type: Body, m: 1, I_11: 1, I_22: 1, I_33: 1}\n"
        "  second: {type: Body, m: 1, I_11: 1, I_22: 1, I_33: 1, initial: {x: [2, 0, 0], v: [0, 3, 0]}}\n"
        "connect: [[first.frame_a, second.frame_a]]\n",
        1.0, {"second.x[2]", "first.frame_a.x[1]"});
    EXPECT_NEAR(x[0], 3.0, 1e-9);
    EXPECT_NEAR(x[1], 2.0, 1e-9);
}

// What a carried point mass has no part in are results all the same.
TEST(PointMass, HasNoTorqueAndTheAngularVelocityOfItsFrame) {
    const auto values = free_at_end(
        "components:\n"
        "  world: {type: World}\n"
        "  hinge: {type: Revolute, initial: {phi: 0, w: 2}}\n"
        "  rod: {type: FixedTranslation, r: [1, 0, 0]}\n"
        "  mass: {type: PointMass, m: 1}\n"
        "connect: [[world.frame_b, hinge.frame_a], [hinge.frame_b, rod.frame_a], [rod.frame_b, mass.frame_a]]\n",
        0.3, {"mass.frame_a.t[3]", "mass.frame_a.w[3]", "hinge.w"});
    EXPECT_EQ(values[0], 0.0);
    EXPECT_NEAR(values[1], values[2], 1e-12);
}

TEST(Quaternion, OfAnyLengthStandsForItsDirection) {
    const auto turned = [](const std::string& q) {
        return free_at_end(
            "components:\n  world: {type: World, gravity: none}\n  body: {type: Body, m: 1, I_11: 1, I_22: 2, "
            "I_33: 3, initial: {q: " +
                q + ", w: [1, 0.5, 0]}}\n",
            1.0, {"body.q[1]", "body.q[4]", "body.frame_a.R[1,2]", "body.frame_a.R[2,3]"});
    };
    const auto given = turned("[3, 0, 0, 4]");
    const auto unit = turned("[0.6, 0, 0, 0.8]");
    for (std::size_t k = 0; k < given.size(); ++k) EXPECT_NEAR(given[k], unit[k], 1e-12);
}

}  // namespace
}  // namespace bondgraph
