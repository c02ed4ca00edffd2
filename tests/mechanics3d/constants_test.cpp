// What may change with time between frames, and what may not: every parameter of every mechanical type is one or the
// other.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>
#include <string>

#include "tests/mechanics3d/examples.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using model::ComponentType;
using model::ParameterKind;
using model::ParameterSpec;
using model::Shape;

/// Forces, what forces follow from, and what is given from outside. Lengths, directions and masses are not among them.
const std::set<std::string> kMayVary{"World.g",
                                     "World.mue",
                                     "World.field",
                                     "MBG2Mech.x",
                                     "MBG2Mech.R",
                                     "PlanarMBG2Mech.x",
                                     "PlanarMBG2Mech.phi",
                                     "Spring.c",
                                     "Spring.s_unstretched",
                                     "Damper.d",
                                     "SpringDamperParallel.c",
                                     "SpringDamperParallel.s_unstretched",
                                     "SpringDamperParallel.d",
                                     "SpringDamperSeries.c",
                                     "SpringDamperSeries.d",
                                     "PlanarSpring.c",
                                     "PlanarSpring.s_unstretched",
                                     "PlanarDamper.d",
                                     "PlanarSpringDamper.c",
                                     "PlanarSpringDamper.s_unstretched",
                                     "PlanarSpringDamper.d",
                                     "WorldForce.f",
                                     "WorldTorque.t",
                                     "Force.f",
                                     "Torque.t",
                                     "ForceAndTorque.f",
                                     "ForceAndTorque.t",
                                     "PlanarWorldForce.f",
                                     "PlanarWorldForce.t",
                                     "Bushing.c",
                                     "Bushing.d",
                                     "Bushing.c_phi",
                                     "Bushing.d_phi",
                                     "Bushing.r_0",
                                     "BevelGear1D.ratio"};

/// The example of a type with one parameter changing with time, in place of what it gives for that.
std::string with_varying(const ComponentType& type, const ParameterSpec& p) {
    const bool planar = type.name.starts_with("Planar") && type.name != "Planar";
    std::string value = "1 + time";
    if (p.shape == Shape::vector) value = planar ? "[1 + time, 0]" : "[1 + time, 0, 0]";
    std::string text = test::model_with(type);
    const std::string example(type.example);
    std::string changed = example;
    const std::string key = std::string(p.name) + ": ";
    auto at = changed.find(", " + key);
    if (at != std::string::npos) {
        at += 2;
        auto end = at;
        for (int depth = 0; depth > 0 || (changed[end] != ',' && changed[end] != '}'); ++end)
            depth += changed[end] == '[' ? 1 : changed[end] == ']' ? -1 : 0;
        changed.replace(at, end - at, key + value);
    } else {
        changed.insert(changed.rfind('}'), ", " + key + value);
    }
    text.replace(text.find(example), example.size(), changed);
    return text;
}

class Constants : public testing::TestWithParam<const ComponentType*> {};

TEST_P(Constants, OnlyWhatFollowsFromForcesMayVary) {
    const ComponentType& type = *GetParam();
    for (const ParameterSpec& p : type.parameters) {
        if (p.kind != ParameterKind::number || p.condition) continue;
        const std::string name = std::string(type.name) + "." + std::string(p.name);
        const std::string text = with_varying(type, p);
        const auto errors = test::errors_of([&] { test::Pipeline(text).graph(); });
        if (kMayVary.contains(name)) {
            EXPECT_THAT(errors, testing::IsEmpty()) << name << "\n" << text;
            continue;
        }
        // A direction is refused as such; every other parameter as one that changes.
        EXPECT_THAT(errors, testing::Contains(testing::AnyOf("BG-M057", "BG-M020"))) << name << "\n" << text;
    }
}

INSTANTIATE_TEST_SUITE_P(Types, Constants, testing::ValuesIn(test::mechanical_types()),
                         [](const auto& info) { return std::string(info.param->name); });

std::string with_slide(const std::string& motion, const std::string& slide, const std::string& rest) {
    return "types:\n  Slide:\n    parameters: {L: 1 m}\n    joint:\n      coordinates: {s: m, c: m}\n      motion: [" +
           motion + "]\ncomponents:\n  world: {type: World, gravity: none}\n  slide: {type: Slide" + slide +
           "}\n  body: {type: Body, m: 2, I_11: 1, I_22: 1, I_33: 1}\n" + rest +
           "connect: [[world.frame_b, slide.frame_a], [slide.frame_b, body.frame_a]]\n";
}

TEST(OwnJoints, MoveByTheirCoordinatesAlone) {
    const std::string simple = "{translate: [s, c + L, 0]}";
    EXPECT_THAT(test::errors_in(with_slide(simple, ", L: 2*time", "")), testing::ElementsAre("BG-M057"));
    EXPECT_THAT(test::errors_in(with_slide(simple, ", L: \"body.frame_a.x[1]\"", "")), testing::ElementsAre("BG-M057"));
    EXPECT_THAT(test::errors_in(with_slide(simple, "", "  step: {type: Step}\nsignals: [step.y -> slide.L]\n")),
                testing::ElementsAre("BG-M057"));
    EXPECT_THAT(test::errors_in(with_slide("{translate: [s + time, c, 0]}", "", "")), testing::ElementsAre("BG-M057"));
    EXPECT_THAT(test::errors_in(with_slide(simple, ", L: 2", "")), testing::IsEmpty());
}

// What the error advises: the body follows, and its velocity with it.
TEST(OwnJoints, ACoordinateIsDrivenAtItsPort) {
    test::Pipeline p(with_slide("{translate: [s, c*c/L, 0]}", ", initial: {c: 1, der_s: 3}",
                                "  drive: {type: Sf, f: 2*time}\nbonds: [drive -> slide.axis_c]\n"));
    const auto run = p.run({.stop = 1.0, .tolerance = 1e-9, .interval = 0.5},
                           {"body.frame_a.x[1]", "body.frame_a.x[2]", "body.frame_a.v[2]"});
    ASSERT_FALSE(run.summary.failure);
    const auto last = run.result.time.size() - 1;
    EXPECT_NEAR(run.result.at(last, 0), 3.0, 1e-7);
    EXPECT_NEAR(run.result.at(last, 1), 4.0, 1e-7);
    EXPECT_NEAR(run.result.at(last, 2), 8.0, 1e-6);
}

}  // namespace
}  // namespace bondgraph
