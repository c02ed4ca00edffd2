// Units of what sensors and frames give, as results show them and as expressions are judged by them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

// An arm on a hinge, and a sensor of the type at its end, from `from` where it measures between two frames.
std::string arm_with(const std::string& type, const std::string& from, const std::string& more = "") {
    return "components:\n  world: {type: World}\n  hinge: {type: Revolute, initial: {phi: 0.1}}\n"
           "  arm: {type: BodyShape, r: [1, 0, 0], r_CM: [0.5, 0, 0], m: 1 kg, I_33: 0.1 kg.m2}\n  tip: {type: " +
           type + "}\n" + more + "connect:\n  - [world.frame_b, hinge.frame_a]\n  - [hinge.frame_b, arm.frame_a]\n" +
           (from.empty() ? "  - [arm.frame_b, tip.frame_a]\n"
                         : "  - [" + from + ", tip.frame_a]\n  - [arm.frame_b, tip.frame_b]\n");
}

std::string unit_of(const std::string& text, const std::string& name) {
    Pipeline p(text);
    return p.run({.stop = 0.1}, {name}).result.signals[0].unit;
}

struct Measured {
    const char* type;
    const char* from;
    const char* result;
    const char* unit;
};

TEST(SensorUnits, AreThoseOfWhatIsMeasured) {
    const std::vector<Measured> all{{"AbsolutePosition", "", "tip.y[1]", "m"},
                                    {"AbsoluteVelocity", "", "tip.y[2]", "m/s"},
                                    {"AbsoluteAngularVelocity", "", "tip.y[3]", "rad/s"},
                                    {"AbsoluteAngles", "", "tip.y[3]", "rad"},
                                    {"RelativePosition", "world.frame_b", "tip.y[1]", "m"},
                                    {"RelativeVelocity", "world.frame_b", "tip.y[2]", "m/s"},
                                    {"RelativeAngularVelocity", "world.frame_b", "tip.y[3]", "rad/s"},
                                    {"RelativeAngles", "world.frame_b", "tip.y[3]", "rad"},
                                    {"Distance", "world.frame_b", "tip.y", "m"},
                                    {"AbsolutePosition", "", "arm.frame_b.x[1]", "m"}};
    for (const Measured& m : all) EXPECT_EQ(unit_of(arm_with(m.type, m.from), m.result), m.unit) << m.type;
}

TEST(SensorUnits, AreCheckedWhereASignalLeads) {
    const auto with_force = [](const std::string& sensor) {
        Pipeline p(arm_with(sensor, "", "  push: {type: Se, e: '0.1*tip.y[1]*k'}\n") +
                   "bonds: [push -> hinge.axis]\nparameters: {k: 1 N}\n");
        return p.graph().elements.size();
    };
    EXPECT_GT(with_force("AbsolutePosition"), 0U);
    EXPECT_THROW(with_force("AbsoluteVelocity"), ModelError);
}

// The length of a line held fast: statics give the force, tension on a rod at 45 degrees under half of a weight.
TEST(SensorUnits, ALineHeldByAResidualSourceIsARod) {
    Pipeline p(R"(
components:
  world: {type: World}
  hinge: {type: Revolute}
  arm: {type: BodyShape, r: [1, 0, 0], r_CM: [0.5, 0, 0], m: 2 kg, I_33: 0.1 kg.m2}
  anchor: {type: Fixed, r: [2, 1, 0]}
  rod: {type: LineForce}
  hold: {type: rSe}
connect:
  - [world.frame_b, hinge.frame_a]
  - [hinge.frame_b, arm.frame_a]
  - [arm.frame_b, rod.frame_a]
  - [anchor.frame_b, rod.frame_b]
bonds: [rod.line -> hold]
)");
    const auto run = p.run({.stop = 1.0}, {"hold.e", "hinge.phi"});
    ASSERT_FALSE(run.summary.failure);
    const std::size_t last = run.result.time.size() - 1;
    EXPECT_NEAR(std::abs(run.result.at(last, 0)), 9.81 * std::sqrt(2.0), 1e-6);
    EXPECT_NEAR(run.result.at(last, 1), 0.0, 1e-9);
}

}  // namespace
}  // namespace bondgraph
