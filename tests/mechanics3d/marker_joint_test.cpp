// JointRevoluteZ: its motion against a revolute joint, its results against closed forms.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::errors_in;
using test::Pipeline;

using Names = std::vector<std::string>;

std::vector<double> marker_at_end(std::string_view text, double stop, const Names& names) {
    Pipeline p(text);
    const auto run = p.run({.stop = stop, .tolerance = 1e-10, .interval = stop}, names);
    EXPECT_FALSE(run.summary.failure) << (run.summary.failure ? run.summary.failure->message : "");
    std::vector<double> values;
    for (std::size_t k = 0; k < names.size(); ++k) values.push_back(run.result.at(run.result.time.size() - 1, k));
    return values;
}

constexpr const char* kAboutX =
    "rotation0: [[0, 0, 1], [1, 0, 0], [0, 1, 0]], rotation1: [[0, 0, 1], [1, 0, 0], [0, 1, 0]]";

// A body at the origin with a constant torque about the axis: angle t^2/2, beyond whole turns.
TEST(JointRevoluteZ, CountsTurnsUnderAConstantTorque) {
    const auto text = [](const std::string& joint, const std::string& torque) {
        return "components:\n"
               "  world: {type: World, gravity: none}\n"
               "  j: {type: JointRevoluteZ" +
               joint +
               "}\n"
               "  body: {type: Body, m: 1, I_11: 1, I_22: 1, I_33: 1}\n"
               "  load: {type: WorldTorque, t: " +
               torque +
               "}\n"
               "connect: [[world, j.frame_a], [j.frame_b, body, load]]\n";
    };
    const Names names{"j.rotation[1]",
                      "j.rotation[2]",
                      "j.rotation[3]",
                      "j.angular_velocity_local[1]",
                      "j.angular_velocity_local[3]",
                      "j.torque_local[3]"};
    for (const auto& model : {text("", "[0.3, 0, 1]"), text(std::string(", ") + kAboutX, "[1, 0.3, 0]")}) {
        const auto v = marker_at_end(model, 5.0, names);
        EXPECT_NEAR(v[0], 0.0, 1e-9);
        EXPECT_NEAR(v[1], 0.0, 1e-9);
        EXPECT_NEAR(v[2], 12.5, 1e-7);
        EXPECT_NEAR(v[3], 0.0, 1e-9);
        EXPECT_NEAR(v[4], 5.0, 1e-8);
        EXPECT_NEAR(v[5], 0.0, 1e-9);
    }
    // What the load turns across the axis the joint takes.
    EXPECT_NEAR(marker_at_end(text("", "[0.3, 0, 1]"), 1.0, {"j.torque_local[1]"})[0], 0.3, 1e-9);
}

/// A body hanging at rest from a hinge about x.
std::string hanging(const std::string& active) {
    std::string text =
        "components:\n  world: {type: World}\n  place: {type: FixedTranslation, r: [1, 2, 3]}\n"
        "  j: {type: JointRevoluteZ, ";
    text += kAboutX;
    text += active;
    text +=
        "}\n  body: {type: Body, m: 2, r_CM: [0, -0.5, 0], I_11: 1, I_22: 1, I_33: 1, guess: {x: [1, 2, 3]}}\n"
        "connect: [[world, place.frame_a], [place.frame_b, j.frame_a], [j.frame_b, body]]\n";
    return text;
}

TEST(JointRevoluteZ, GivesForcesInItsOwnAxes) {
    const auto v = marker_at_end(hanging(""), 0.5,
                                 {"j.force_local[1]", "j.force_local[2]", "j.force_local[3]", "j.position[1]",
                                  "j.position[2]", "j.displacement_local[1]", "j.velocity[2]", "j.velocity_local[2]"});
    EXPECT_NEAR(v[0], -2 * 9.81, 1e-8);
    EXPECT_NEAR(v[1], 0.0, 1e-9);
    EXPECT_NEAR(v[2], 0.0, 1e-9);
    EXPECT_NEAR(v[3], 1.0, 1e-12);
    EXPECT_NEAR(v[4], 2.0, 1e-12);
    for (const std::size_t k : {5U, 6U, 7U}) EXPECT_NEAR(v[k], 0.0, 1e-9);
}

TEST(JointRevoluteZ, LetsGoWhereItIsNotActive) {
    std::string text = hanging(", active: false");
    text.replace(text.find("guess"), 5, "initial");
    const auto v = marker_at_end(text, 0.5,
                                 {"j.force_local[1]", "j.torque_local[1]", "j.displacement_local[1]",
                                  "j.velocity_local[1]", "body.frame_a.x[2]"});
    EXPECT_EQ(v[0], 0.0);
    EXPECT_EQ(v[1], 0.0);
    EXPECT_NEAR(v[2], -9.81 / 8, 1e-8);
    EXPECT_NEAR(v[3], -9.81 / 2, 1e-8);
    EXPECT_NEAR(v[4], 2.0 - 9.81 / 8, 1e-8);
}

/// A four-bar linkage whose last joint is given.
std::string marker_four_bar(const std::string& last) {
    return "components:\n"
           "  world: {type: World}\n"
           "  bed: {type: FixedTranslation, r: [0.3, 0, 0]}\n"
           "  a: {type: Revolute, initial: {phi: 1, w: 20}}\n"
           "  crank: {type: BodyShape, r: [0.1, 0, 0], r_CM: [0.05, 0, 0], m: 0.3, I_22: 2.5e-4, I_33: 2.5e-4}\n"
           "  b: {type: Revolute, guess: {phi: -0.6}}\n"
           "  rod: {type: BodyShape, r: [0.35, 0, 0], r_CM: [0.17, 0, 0], m: 1, I_22: 0.01, I_33: 0.01}\n"
           "  c: {type: " +
           last +
           "}\n"
           "  rocker: {type: BodyShape, r: [0.25, 0, 0], r_CM: [0.12, 0, 0], m: 0.7, I_22: 4e-3, I_33: 4e-3}\n"
           "  d: {type: Revolute, guess: {phi: 1.2}}\n"
           "connect:\n"
           "  - [world, a.frame_a, bed.frame_a]\n"
           "  - [a.frame_b, crank.frame_a]\n"
           "  - [crank.frame_b, b.frame_a]\n"
           "  - [b.frame_b, rod.frame_a]\n"
           "  - [rod.frame_b, c.frame_a]\n"
           "  - [c.frame_b, rocker.frame_b]\n"
           "  - [rocker.frame_a, d.frame_b]\n"
           "  - [d.frame_a, bed.frame_b]\n";
}

TEST(JointRevoluteZ, ClosesALoopAsARevoluteJointDoes) {
    const auto plain = marker_at_end(marker_four_bar("Revolute"), 0.5, {"a.phi", "a.w", "d.phi", "c.phi"});
    const auto marked = marker_at_end(marker_four_bar("JointRevoluteZ"), 0.5,
                                      {"a.phi", "a.w", "d.phi", "c.rotation[3]", "c.torque_local[3]"});
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(marked[k], plain[k], 1e-6 * std::max(1.0, std::abs(plain[k])));
    EXPECT_NEAR(std::remainder(marked[3] - plain[3], 2 * std::numbers::pi), 0.0, 1e-6);
    EXPECT_NEAR(marked[4], 0.0, 1e-9);
}

// A pendulum that is let go flies on as a thrown body does.
TEST(JointRevoluteZ, LetsGoDuringARun) {
    const std::string text =
        "components:\n"
        "  world: {type: World}\n"
        "  j: {type: JointRevoluteZ, active: time < 0.4}\n"
        "  arm: {type: FixedTranslation, r: [0.5, 0, 0]}\n"
        "  body: {type: Body, m: 2, I_11: 0.1, I_22: 0.1, I_33: 0.1, guess: {x: [0.5, 0, 0]}}\n"
        "connect: [[world, j.frame_a], [j.frame_b, arm.frame_a], [arm.frame_b, body]]\n";
    Pipeline p(text);
    const Names names{"body.frame_a.x[1]", "body.frame_a.x[2]",           "body.frame_a.v[1]", "body.frame_a.v[2]",
                      "j.rotation[3]",     "j.angular_velocity_local[3]", "j.force_local[1]"};
    const auto run = p.run({.stop = 0.9, .tolerance = 1e-10, .interval = 0.3}, names);
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const auto& r = run.result;
    std::size_t at = 0;
    while (r.time[at] < 0.5) ++at;
    const std::size_t end = r.time.size() - 1;
    const double t = r.time[end] - r.time[at];
    EXPECT_NEAR(r.at(end, 0), r.at(at, 0) + r.at(at, 2) * t, 1e-8);
    EXPECT_NEAR(r.at(end, 1), r.at(at, 1) + r.at(at, 3) * t - 9.81 / 2 * t * t, 1e-8);
    EXPECT_NEAR(r.at(end, 4), r.at(at, 4) + r.at(at, 5) * t, 1e-8);
    EXPECT_EQ(r.at(at, 6), 0.0);
    EXPECT_GT(std::abs(r.at(0, 6)) + std::abs(r.at(1, 6)), 0.1);
    // Up to there it was the pendulum: by energy.
    const double height = r.at(1, 1);
    EXPECT_NEAR(r.at(1, 5), -std::sqrt(-2 * 2 * 9.81 * height / (0.1 + 2 * 0.25)), 1e-7);
}

TEST(JointRevoluteZ, OpensALoopDuringARun) {
    Pipeline p(marker_four_bar("JointRevoluteZ, active: time < 0.2"));
    const auto balance = test::audited(p, {.stop = 0.4, .tolerance = 1e-9});
    EXPECT_NEAR(balance.imbalance, 0.0, 1e-6 * balance.moved);
    const auto closed = marker_at_end(marker_four_bar("Revolute"), 0.19, {"a.phi", "d.phi"});
    const auto with = marker_at_end(marker_four_bar("JointRevoluteZ, active: time < 0.2"), 0.19, {"a.phi", "d.phi"});
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(with[k], closed[k], 1e-7);
    const auto open = marker_at_end(marker_four_bar("JointRevoluteZ, active: time < 0.2"), 0.3,
                                    {"c.displacement_local[1]", "c.displacement_local[2]", "c.displacement_local[3]"});
    EXPECT_GT(std::hypot(open[0], open[1]), 0.01);
    EXPECT_NEAR(open[2], 0.0, 1e-9);
}

TEST(JointRevoluteZ, RefusesWhatIsNoRotation) {
    for (const std::string r : {"[[1, 0, 0], [0, 2, 0], [0, 0, 1]]", "[[1, 0, 0], [0, 1, 0], [0, 0, -1]]", "[1, 0, 0]"})
        EXPECT_EQ(errors_in(marker_four_bar("JointRevoluteZ, rotation0: " + r)), std::vector<std::string>{"BG-M013"})
            << r;
}

}  // namespace
}  // namespace bondgraph
