// Arrows of forces, torques, gravity and the world's axes, and shapes of joints: against vectors known in closed form.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/cli/animation.hpp"

namespace bondgraph::cli {
namespace {

using Eigen::Vector3d;

void expect_equal(const Vector3d& got, const Vector3d& wanted, double tolerance) {
    EXPECT_LE((got - wanted).norm(), tolerance) << got.transpose() << " instead of " << wanted.transpose();
}

constexpr const char* kBody = "{type: Body, m: 1 kg, I_11: 1 kg.m2, I_22: 1 kg.m2, I_33: 1 kg.m2";

std::string on_a_body(const std::string& load, const std::string& initial = "x: [1 m, 2 m, 3 m]") {
    return "model: load\nparameters: {period: 1 s, F: 6 N}\ncomponents:\n  world: {type: World, gravity: none}\n"
           "  body: " +
           std::string(kBody) + ", initial: {" + initial + "}}\n  load: {" + load +
           "}\nconnect: [[load.frame_b, body.frame_a]]\nexperiment: {stop: 1 s, interval: 0.125 s}\n";
}

TEST(AnimatedLoads, AForceThatTurnsIsShownAtEveryTime) {
    const Animation run = animation_of(
        on_a_body("type: WorldForce, f: [F*cos(2*pi*time/period), F*sin(2*pi*time/period), F*time/period]"));
    const auto forces = run.measured("load", 0);
    ASSERT_EQ(forces.size(), 9U);
    for (std::size_t t = 0; t < forces.size(); ++t) {
        const double turn = 2.0 * std::numbers::pi * run.time[t];
        expect_equal(forces[t], 6.0 * Vector3d(std::cos(turn), std::sin(turn), run.time[t]), 1e-9);
        const Posed& arrow = run.shapes.at("load")[t].front();
        EXPECT_EQ(arrow.measures, "force");
        const Posed& ball = run.shapes.at("body")[t].back();
        expect_equal(arrow.x, ball.centre(), 1e-9);
    }
}

// The body's x-axis is the world's y-axis, and turns no further.
TEST(AnimatedLoads, AForceResolvedInTheBodyTurnsWithIt) {
    const Animation run = animation_of(
        on_a_body("type: WorldForce, f: [2 N, 0, 0], resolve: frame_b", "angles: [0, 0, 90 deg], w: [0, 0, 0]"));
    for (const Vector3d& f : run.measured("load", 0)) expect_equal(f, Vector3d(0, 2, 0), 1e-9);
}

TEST(AnimatedLoads, ATorqueHasItsOwnMeasure) {
    const Animation run = animation_of(on_a_body("type: WorldTorque, t: [0, 0, 3 N.m]"));
    for (const auto& shapes : run.shapes.at("load")) EXPECT_EQ(shapes.at(0).measures, "torque");
    for (const Vector3d& t : run.measured("load", 0)) expect_equal(t, Vector3d(0, 0, 3), 1e-9);
    EXPECT_EQ(run.scale.size(), 1U);
}

// Along every axis, both ways, and along the direction the sides of arrows follow otherwise. Orientations are checked
// where they are read.
class Direction : public testing::TestWithParam<Vector3d> {};

TEST_P(Direction, OfAForceIsThatOfItsArrow) {
    const Vector3d f = GetParam();
    const Animation run =
        animation_of(on_a_body(fmt::format("type: WorldForce, f: [{} N, {} N, {} N]", f(0), f(1), f(2))));
    expect_equal(run.shapes.at("load").front().at(0).axis(), f.normalized(), 1e-12);
}

INSTANTIATE_TEST_SUITE_P(Ways, Direction,
                         testing::Values(Vector3d(1, 0, 0), Vector3d(-1, 0, 0), Vector3d(0, 1, 0), Vector3d(0, -1, 0),
                                         Vector3d(0, 0, 1), Vector3d(0, 0, -1), Vector3d(0.31, 0.53, 0.79),
                                         Vector3d(-0.62, -1.06, -1.58), Vector3d(0.3100001, 0.53, 0.79)));

// 0 in the middle of the run, where it reverses. Nothing else tells the arrow's direction there.
TEST(AnimatedLoads, AForceThatReversesHasNoLengthInBetween) {
    const Animation run = animation_of(on_a_body("type: WorldForce, f: [0 N, F*(1 - 2*time/period), 0 N]"));
    const auto& arrows = run.shapes.at("load");
    expect_equal(arrows.front().at(0).axis(), Vector3d(0, 1, 0), 1e-12);
    expect_equal(arrows.back().at(0).axis(), Vector3d(0, -1, 0), 1e-12);
    EXPECT_EQ(arrows.at(4).at(0).size.norm(), 0.0);
}

TEST(AnimatedLoads, ForcesThatAreZeroThroughoutHaveAScale) {
    const Animation run = animation_of(on_a_body("type: WorldForce, f: [0 N, 0 N, 0 N]"));
    EXPECT_EQ(run.scale.at("force"), 1.0);
    EXPECT_EQ(run.measured("load", 0).back(), Vector3d::Zero());
}

// Squares of these leave the range of numbers.
TEST(AnimatedLoads, AForceMayBeOfAnySize) {
    for (const std::string f : {"1e-200 N", "1e-300 N"}) {
        const Animation run = animation_of(on_a_body("type: WorldForce, f: [" + f + ", " + f + ", 0 N]"));
        expect_equal(run.shapes.at("load").front().at(0).axis(), Vector3d(1, 1, 0).normalized(), 1e-12);
    }
}

// Two arrows of the same measure have one scale; the longest is a third as long as the place the bodies take.
TEST(AnimatedLoads, TheLongestForceIsAThirdOfTheMechanism) {
    const Animation run = animation_of(R"(model: two
components:
  world: {type: World, gravity: none}
  corner: {type: Fixed, r: [-2 m, 0, 0]}
  far: {type: Fixed, r: [1 m, 0, 0]}
  a: {type: Body, m: 1e6 kg, I_11: 1 kg.m2, I_22: 1 kg.m2, I_33: 1 kg.m2}
  b: {type: Body, m: 1e6 kg, I_11: 1 kg.m2, I_22: 1 kg.m2, I_33: 1 kg.m2}
  strong: {type: WorldForce, f: [0, 8 N, 0]}
  weak: {type: WorldForce, f: [0, 0, -2 N]}
connect: [[strong.frame_b, a.frame_a], [weak.frame_b, b.frame_a]]
experiment: {stop: 1 ms, interval: 1 ms}
)");
    // From the middle of one box to the far end of the other, of 0.1 m each.
    const double longest = 3.1 / 3.0;
    EXPECT_NEAR(run.shapes.at("strong").front().at(0).size(0), longest, 1e-9);
    EXPECT_NEAR(run.shapes.at("weak").front().at(0).size(0), longest / 4.0, 1e-9);
    EXPECT_NEAR(run.scale.at("force"), 8.0 / longest, 1e-9);
}

const std::string kBetween = R"(model: between
components:
  world: {type: World, gravity: none}
  a: {type: Body, m: 1 kg, I_11: 1 kg.m2, I_22: 1 kg.m2, I_33: 1 kg.m2, initial: {x: [1 m, 0, 0]}}
  b: {type: Body, m: 1 kg, I_11: 1 kg.m2, I_22: 1 kg.m2, I_33: 1 kg.m2, initial: {x: [0, 2 m, 0]}}
  load: {type: ForceAndTorque, f: [0, 4 N, 3 N], t: [0, 0, 5 N.m]}
connect: [[load.frame_a, a.frame_a], [load.frame_b, b.frame_a]]
experiment: {stop: 0.5 s, interval: 0.25 s}
)";

TEST(AnimatedLoads, BetweenTwoFramesBothEndsHaveOppositeArrows) {
    const Animation run = animation_of(kBetween);
    const std::vector<Vector3d> wanted{{0, 4, 3}, {0, -4, -3}, {0, 0, 5}, {0, 0, -5}};
    for (std::size_t arrow = 0; arrow < wanted.size(); ++arrow) {
        for (const Vector3d& value : run.measured("load", arrow)) expect_equal(value, wanted[arrow], 1e-9);
        const char* at = arrow % 2 == 0 ? "b" : "a";
        for (std::size_t t = 0; t < run.time.size(); ++t)
            expect_equal(run.shapes.at("load")[t][arrow].x, run.shapes.at(at)[t].back().centre(), 1e-9);
    }
}

// Newton's law for the arrows: b moves by f t²/(2 m).
TEST(AnimatedLoads, ABodyMovesAlongItsForce) {
    const Animation run = animation_of(kBetween);
    const auto& b = run.shapes.at("b");
    expect_equal(b.back().back().centre() - b.front().back().centre(), 0.125 * run.measured("load", 0)[0], 1e-5);
}

TEST(AnimatedLoads, TheWorldShowsItsAxesAndGravity) {
    const Animation run = animation_of(
        "model: world\ncomponents:\n  world: {type: World, g: 2 m/s2, n: [3, 0, -4]}\n"
        "experiment: {stop: 1 s, interval: 1 s}\n");
    const auto& arrows = run.shapes.at("world").front();
    ASSERT_EQ(arrows.size(), 4U);
    for (int i = 0; i < 3; ++i) {
        expect_equal(arrows[std::size_t(i)].along(), 0.3 * Vector3d::Unit(i), 1e-12);
        EXPECT_EQ(arrows[std::size_t(i)].measures, "");
    }
    EXPECT_EQ(arrows[3].measures, "acceleration");
    expect_equal(run.measured("world", 3)[0], Vector3d(1.2, 0, -1.6), 1e-12);
    EXPECT_NEAR(arrows[3].size(0), 0.1, 1e-12);
}

TEST(AnimatedLoads, GravityThatDependsOnThePlaceHasNoArrow) {
    for (const std::string gravity : {"gravity: none", "gravity: point", "field: [0, '-9 - x[2]', 0]"}) {
        const Animation run = animation_of("model: world\ncomponents:\n  world: {type: World, " + gravity +
                                           "}\nexperiment: {stop: 1 s, interval: 1 s}\n");
        EXPECT_EQ(run.shapes.at("world").front().size(), 3U) << gravity;
        EXPECT_TRUE(run.scale.empty()) << gravity;
    }
}

TEST(AnimatedLoads, FixedPlacesAreBoxes) {
    const Animation run = animation_of(R"(model: fixed
components:
  world: {type: World}
  wall: {type: Fixed, r: [1 m, 2 m, 3 m]}
  post: {type: PlanarFixed, r: [4 m, 5 m], angle: 90 deg}
experiment: {stop: 1 s, interval: 1 s}
)");
    const Posed& wall = run.shapes.at("wall").front().at(0);
    EXPECT_EQ(wall.kind, "box");
    expect_equal(wall.centre(), Vector3d(1, 2, 3), 1e-12);
    const Posed& post = run.shapes.at("post").front().at(0);
    EXPECT_EQ(post.kind, "box");
    expect_equal(post.centre(), Vector3d(4, 5, 0), 1e-12);
    expect_equal(post.axis(), Vector3d(0, 1, 0), 1e-12);
}

// The body turns by a quarter; what is resolved in it turns too.
TEST(AnimatedLoads, InThePlaneForceAndTorqueOfOneComponentAreTwoArrows) {
    const Animation run = animation_of(R"(model: plane
components:
  world: {type: World, gravity: none}
  body: {type: PlanarBody, m: 1 kg, J: 1 kg.m2, initial: {x: [1 m, 2 m], phi: 90 deg}}
  load: {type: PlanarWorldForce, f: [3 N, 4 N], t: -2 N.m, resolve: frame_b}
connect: [[load.frame_b, body.frame_a]]
experiment: {stop: 1 ms, interval: 1 ms}
)");
    ASSERT_EQ(run.shapes.at("load").front().size(), 2U);
    expect_equal(run.measured("load", 0)[0], Vector3d(-4, 3, 0), 1e-9);
    expect_equal(run.measured("load", 1)[0], Vector3d(0, 0, -2), 1e-9);
    expect_equal(run.shapes.at("load").front()[1].x, Vector3d(1, 2, 0), 1e-9);
}

// ---- joints -----------------------------------------------------------------------------------------------------

std::string jointed(const std::string& joint) {
    return "model: joint\ncomponents:\n  world: {type: World, gravity: none}\n  joint: {" + joint +
           "}\n  body: " + kBody +
           "}\nconnect: [[world.frame_b, joint.frame_a], [joint.frame_b, body.frame_a]]\n"
           "experiment: {stop: 1 s, interval: 1 s}\n";
}

TEST(AnimatedJoints, WithoutAnAxisAreDrawnAlongTheOneTheyHave) {
    for (const std::string type : {"Cylindrical", "Universal"}) {
        SCOPED_TRACE(type);
        const Posed shape = shapes_of(jointed("type: " + type), "joint").front().at(0);
        EXPECT_EQ(shape.kind, "cylinder");
        expect_equal(shape.axis(), Vector3d::UnitX(), 1e-12);
    }
    expect_equal(shapes_of(jointed("type: Revolute"), "joint").front().at(0).axis(), Vector3d::UnitZ(), 1e-12);
}

// On either side of frame_a, with an offset, the rail joins both frames.
TEST(AnimatedJoints, ARailReachesFromFrameToFrame) {
    for (const double s : {0.5, -0.75}) {
        const std::string text =
            "type: Prismatic, n: [0, 2, 0], offset: 0.25 m, initial: {s: " + std::to_string(s) + " m, v: 0 m/s}";
        const Posed rail = shapes_of(jointed(text), "joint").front().at(0);
        expect_equal(rail.x, Vector3d(0, std::min(s + 0.25, 0.0), 0), 1e-9);
        expect_equal(rail.end(), Vector3d(0, std::max(s + 0.25, 0.0), 0), 1e-9);
    }
}

// A plate: its width lies where the moments of inertia take it to be, along y.
TEST(AnimatedBodies, ABoxHasItsWidthAcross) {
    const Posed box = shapes_of(R"(model: plate
components:
  world: {type: World, gravity: none}
  plate: {type: BodyBox, r: [1 m, 0, 0], width: 20 cm, height: 1 cm}
connect: [[world.frame_b, plate.frame_a]]
experiment: {stop: 1 s, interval: 1 s}
)",
                                "plate")
                          .front()
                          .at(0);
    expect_equal(box.size, Vector3d(1, 0.2, 0.01), 1e-12);
    EXPECT_LT((box.R - Eigen::Matrix3d::Identity()).norm(), 1e-12);
}

}  // namespace
}  // namespace bondgraph::cli
