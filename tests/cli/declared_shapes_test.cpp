// Shapes that types of the file declare: those that the built-in parts inside show of themselves, written out.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/animation.hpp"
#include "tests/cli/command.hpp"

namespace bondgraph::cli {
namespace {

using testing::HasSubstr;

/// An arm that swings about all axes, and a spring from its end to the world.
std::string swinging_arm(const std::string& shapes, const std::string& body = "BodyBox, r: [l, 0, 0], width: 6 cm") {
    return R"(model: arm
types:
  Arm:
    parameters: {l: 0.5 m, thick: 6 cm}
    connectors: {frame_a: frame, frame_b: frame}
    components: {body: {type: )" +
           body + R"(}}
    connect: [[frame_a, body.frame_a], [frame_b, body.frame_b]]
    shapes:
)" + shapes +
           R"(
  Wrapped:
    connectors: {frame_a: frame}
    components:
      arm: {type: Arm}
      spring: {type: Spring, c: 20 N/m, s_unstretched: 0.2 m}
      post: {type: Fixed, r: [0.3 m, -0.9 m, 0.2 m]}
    connect: [[frame_a, arm.frame_a], [arm.frame_b, spring.frame_a], [post.frame_b, spring.frame_b]]
    shapes:
      - {shape: spring, frame: arm.frame_b, to: post.frame_b}
components:
  world: {type: World}
  ball: {type: Spherical, initial: {angles: [10 deg, 20 deg, 30 deg], w: [1, 2, 3]}}
  set: {type: Wrapped}
connect:
  - [world.frame_b, ball.frame_a]
  - [ball.frame_b, set.frame_a]
experiment: {stop: 0.4 s, interval: 0.1 s}
)";
}

void expect_same_shapes(const Animation& a, const std::string& one, const std::string& other) {
    ASSERT_TRUE(a.shapes.contains(one) && a.shapes.contains(other));
    const auto& x = a.shapes.at(one);
    const auto& y = a.shapes.at(other);
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t t = 0; t < x.size(); ++t) {
        ASSERT_EQ(x[t].size(), y[t].size());
        for (std::size_t k = 0; k < x[t].size(); ++k) {
            EXPECT_EQ(x[t][k].kind, y[t][k].kind);
            EXPECT_LT((x[t][k].x - y[t][k].x).norm(), 1e-9);
            EXPECT_LT((x[t][k].along() - y[t][k].along()).norm(), 1e-9);
            EXPECT_LT((x[t][k].size - y[t][k].size).norm(), 1e-9);
        }
    }
}

TEST(DeclaredShapes, ABoxIsThatOfTheBodyInside) {
    const Animation a = animation_of(swinging_arm("      - {shape: box, frame: frame_a, length: l, width: thick}"));
    expect_same_shapes(a, "set.arm", "set.arm.body");
    for (std::size_t t = 0; t < a.time.size(); ++t)
        EXPECT_LT((a.shapes.at("set.arm")[t][0].R - a.shapes.at("set.arm.body")[t][0].R).norm(), 1e-9);
    EXPECT_GT((a.shapes.at("set.arm").front()[0].R - a.shapes.at("set.arm").back()[0].R).norm(), 0.1);
}

TEST(DeclaredShapes, ADirectionIsThatOfTheBodyInside) {
    const Animation a = animation_of(
        swinging_arm("      - {shape: cylinder, frame: body.frame_a, lengthDirection: [1, 2, 2], length: 30 cm, "
                     "width: 2*thick}",
                     "BodyCylinder, r: [l, 0, 0], lengthDirection: [1, 2, 2], length: 0.3 m, diameter: 12 cm"));
    expect_same_shapes(a, "set.arm", "set.arm.body");
}

TEST(DeclaredShapes, FromFrameToFrameAreAsLongAsThatIs) {
    const Animation a = animation_of(swinging_arm("      - {shape: cylinder, frame: frame_a, to: frame_b}"));
    expect_same_shapes(a, "set", "set.spring");
    for (const auto& shapes : a.shapes.at("set.arm")) EXPECT_NEAR(shapes[0].size(0), 0.5, 1e-9);
}

TEST(DeclaredShapes, BeginWhereTheFrameHasThem) {
    const Animation a =
        animation_of(swinging_arm("      - {shape: box, frame: frame_a, length: l, width: thick}\n"
                                  "      - {shape: sphere, frame: frame_b, r: [-l, 0, 0], length: l}"));
    for (const auto& shapes : a.shapes.at("set.arm")) EXPECT_LT((shapes[0].x - shapes[1].x).norm(), 1e-9);
}

TEST(DeclaredShapes, ReplaceTheBallOfAJointAndFollowItsCoordinates) {
    const auto times = shapes_of(R"(model: lift
types:
  Lift:
    joint:
      coordinates: {s: m}
      motion: [{translate: [0, s, 0]}]
    shapes:
      - {shape: box, frame: frame_a, lengthDirection: [0, 1, 0], length: s, width: 2 cm}
components:
  world: {type: World, gravity: none}
  lift: {type: Lift, initial: {s: 0.3 m, der_s: 0.5 m/s}}
  body: {type: Body, m: 1 kg}
connect: [[world.frame_b, lift.frame_a], [lift.frame_b, body.frame_a]]
experiment: {stop: 1 s, interval: 0.5 s}
)",
                                 "lift");
    ASSERT_EQ(times.size(), 3U);
    for (std::size_t t = 0; t < 3; ++t) {
        ASSERT_EQ(times[t].size(), 1U);
        const double s = 0.3 + 0.25 * static_cast<double>(t);
        EXPECT_LT((times[t][0].along() - Eigen::Vector3d(0, s, 0)).norm(), 1e-6);
    }
}

TEST(DeclaredShapes, InThePlaneTakeTwoNumbers) {
    const Animation a = animation_of(R"(model: plane
types:
  Arm:
    connectors: {frame_a: planar_frame}
    components: {rod: {type: PlanarRod, r: [0.3 m, 0.4 m]}, end: {type: PlanarBody, m: 1 kg, J: 0.1 kg.m2}}
    connect: [[frame_a, rod.frame_a], [rod.frame_b, end.frame_a]]
    shapes: [{shape: cylinder, frame: frame_a, lengthDirection: [0.3, 0.4], length: 0.5, width: 0.025}]
components:
  world: {type: World, gravity: none}
  fixed: {type: PlanarFixed}
  hinge: {type: PlanarRevolute, initial: {phi: 0.3, w: 2}}
  arm: {type: Arm}
connect: [[fixed.frame_b, hinge.frame_a], [hinge.frame_b, arm.frame_a]]
experiment: {stop: 0.4 s, interval: 0.1 s}
)");
    expect_same_shapes(a, "arm", "arm.rod");
}

TEST(DeclaredShapes, OfNegativeLengthAreShownAs0AndWarnedOf) {
    const Folder folder;
    folder.write("m.yaml", swinging_arm("      - {shape: box, frame: frame_a, length: l - 2*l*time/0.4}"));
    const Outcome o = folder.run({"run", "m.yaml", "--animation", "a.json"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.err, HasSubstr("the length of a box that 'set.arm' shows is negative: -0.25 m at 0.3 s [BG-S010]"));
    const Animation a = animation_of(folder.read("m.yaml"));
    for (const auto& shapes : a.shapes.at("set.arm")) EXPECT_GE(shapes[0].size(0), 0.0);
    folder.write("n.yaml", swinging_arm("      - {shape: box, frame: frame_a, length: l - l*time/0.4}"));
    EXPECT_THAT(folder.run({"run", "n.yaml", "--animation", "a.json"}).err, testing::Not(HasSubstr("BG-S010")));
}

TEST(DeclaredShapes, AreInCompiledModels) {
    const Folder folder;
    folder.write("m.yaml", swinging_arm("      - {shape: box, frame: frame_a, length: l, width: thick}"));
    ASSERT_EQ(folder.run({"compile", "m.yaml"}).status, 0);
    ASSERT_EQ(folder.run({"run", "m.yaml", "--animation", "a.json", "--quiet"}).status, 0);
    ASSERT_EQ(folder.run({"run", "m.bgc", "--animation", "b.json", "--quiet"}).status, 0);
    EXPECT_EQ(folder.read("a.json"), folder.read("b.json"));
    EXPECT_THAT(folder.read("a.json"), HasSubstr("\"set.arm\""));
}

}  // namespace
}  // namespace bondgraph::cli
