// Efforts, flows and powers at the ports of joints and line forces, by the names a user would give them: against the
// elements bonded there.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

std::vector<double> last_of(const std::string& text, const std::vector<std::string>& names) {
    Pipeline p(text);
    const auto run = p.run({.stop = 1.0, .tolerance = 1e-9, .interval = 0.5}, names);
    EXPECT_FALSE(run.summary.failure);
    std::vector<double> values;
    for (std::size_t k = 0; k < names.size(); ++k) values.push_back(run.result.at(run.result.time.size() - 1, k));
    return values;
}

std::string arm_on(const std::string& hinge, const std::string& rest) {
    return "components:\n  world: {type: World}\n  hinge: " + hinge +
           "\n  arm: {type: BodyShape, r: [1, 0, 0], r_CM: [0.5, 0, 0], m: 1, I_22: 0.1, I_33: 0.1}\n" + rest +
           "connect:\n  - [world.frame_b, hinge.frame_a]\n  - [hinge.frame_b, arm.frame_a]\n";
}

TEST(PortResults, TheTorqueAtAnAxisIsWhatItsBondsBring) {
    const auto v = last_of(arm_on("{type: Revolute, n: [0, 0, 1], initial: {phi: 0, w: 1}}",
                                  "  motor: {type: Se, e: 3*sin(time)}\n  bearing: {type: R, R: 0.5}\n"
                                  "bonds: [motor -> hinge.axis, hinge.axis -> bearing]\n"),
                           {"hinge.axis.e", "hinge.axis.torque", "hinge.axis.power", "hinge.axis.angular_velocity",
                            "motor.e", "bearing.e", "hinge.w"});
    EXPECT_NEAR(v[0], v[4] - v[5], 1e-12);
    EXPECT_EQ(v[0], v[1]);
    EXPECT_NEAR(v[2], v[0] * v[6], 1e-12);
    EXPECT_EQ(v[3], v[6]);
    EXPECT_GT(std::abs(v[0]), 0.1);
}

TEST(PortResults, NothingComesToAnAxisWithoutBonds) {
    const auto v = last_of(arm_on("{type: Revolute, n: [0, 0, 1], initial: {phi: 0, w: 1}}", ""),
                           {"hinge.axis.e", "hinge.axis.power"});
    EXPECT_EQ(v, (std::vector<double>{0.0, 0.0}));
}

TEST(PortResults, AxesOfDeclaredJointsHaveThemToo) {
    const auto v = last_of(
        "types:\n  Screw:\n    joint:\n      coordinates: {phi: rad}\n      motion:\n"
        "        - rotate: {axis: [0, 0, 1], angle: phi}\n" +
            arm_on("{type: Screw}", "  motor: {type: Se, e: 3}\nbonds: [motor -> hinge.axis_phi]\n"),
        {"hinge.axis_phi.torque"});
    EXPECT_EQ(v[0], 3.0);
}

TEST(PortResults, WhatActsAlongALineGivesItsTension) {
    const std::string rail =
        "components:\n"
        "  world: {type: World}\n"
        "  rail: {type: Prismatic, n: [1, 0, 0], initial: {s: 2, v: 1}}\n"
        "  mass: {type: PointMass, m: 4}\n"
        "  line: LINE\n"
        "BONDSconnect:\n"
        "  - [world.frame_b, rail.frame_a, line.frame_a]\n"
        "  - [rail.frame_b, mass.frame_a, line.frame_b]\n";
    const auto with = [&](const std::string& line, const std::string& more) {
        std::string text = rail;
        text.replace(text.find("LINE"), 4, line);
        return text.replace(text.find("BONDS"), 5, more);
    };
    const std::string spring = "c: 3, s_unstretched: 1.5";
    for (const std::string& line : {"{type: Spring, " + spring + "}", std::string("{type: Damper, d: 2}"),
                                    "{type: SpringDamperParallel, d: 2, " + spring + "}",
                                    std::string("{type: SpringDamperSeries, c: 3, d: 2}")}) {
        const auto v = last_of(with(line, ""), {"line.f", "line.s", "rail.s", "rail.a"});
        EXPECT_NEAR(v[0], -4.0 * v[3], 1e-7) << line;  // rates at output times are interpolated
        EXPECT_NEAR(v[1], v[2], 1e-12) << line;
        EXPECT_GT(std::abs(v[0]), 0.1) << line;
    }
    EXPECT_NEAR(
        last_of(with("{type: LineForce}", "  push: {type: Se, e: 12}\nbonds: [push -> line.line]\n"), {"line.f"})[0],
        -12.0, 1e-12);
}

TEST(PortResults, ALineIsPushedByItsEffort) {
    const std::string text =
        "components:\n"
        "  world: {type: World}\n"
        "  rail: {type: Prismatic, n: [1, 0, 0], initial: {s: 2, v: 0}}\n"
        "  mass: {type: PointMass, m: 4}\n"
        "  ram: {type: LineForce}\n"
        "  push: {type: Se, e: 12}\n"
        "bonds: [push -> ram.line]\n"
        "connect:\n"
        "  - [world.frame_b, rail.frame_a, ram.frame_a]\n"
        "  - [rail.frame_b, mass.frame_a, ram.frame_b]\n";
    const auto v = last_of(text, {"ram.line.e", "ram.line.force", "ram.line.velocity", "ram.line.power", "rail.a"});
    EXPECT_EQ(v[0], 12.0);
    EXPECT_EQ(v[1], 12.0);
    EXPECT_NEAR(v[2], 3.0, 1e-8);
    EXPECT_NEAR(v[3], 36.0, 1e-7);
    EXPECT_NEAR(v[4], 3.0, 1e-12);
    const auto names = model::result_names(Pipeline(text).graph());
    for (const char* name : {"ram.line.e", "ram.line.force", "ram.line.power"})
        EXPECT_THAT(names, testing::Contains(name));
}

}  // namespace
}  // namespace bondgraph
