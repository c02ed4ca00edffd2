// What an animation says besides poses: which sizes no length of the model gives, and which way things fall.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/page_json.hpp"
#include "tests/api/charging.hpp"
#include "tests/api/decay.hpp"

namespace bondgraph::api {
namespace {

using ::testing::ElementsAre;

std::string arm(const std::string& world, const std::string& more = "") {
    return "model: arm\ncomponents:\n  world: {type: World" + world +
           "}\n  slide: {type: Prismatic, n: [1, 0, 0], initial: {s: 0.5 m, v: 0}}\n"
           "  hinge: {type: Revolute, n: [0, 0, 1], initial: {phi: 0, w: 0}}\n"
           "  arm: {type: BodyShape, r: [1 m, 0, 0], r_CM: [0.5 m, 0, 0], m: 1 kg, I_11: 1 kg.m2, I_22: 1 kg.m2, "
           "I_33: 1 kg.m2}\n" +
           more +
           "connect:\n  - [world.frame_b, slide.frame_a]\n  - [slide.frame_b, hinge.frame_a]\n"
           "  - [hinge.frame_b, arm.frame_a]\nexperiment: {stop: 0.2 s, interval: 0.1 s}\n";
}

Animation animated(const std::string& text) {
    const auto run = parsed(text).run({.animation = true});
    EXPECT_TRUE(run && run->animation) << run.error().text();
    return *run->animation;
}

/// By component, each of its shapes with what is nominal of it: length, thickness.
std::vector<std::pair<std::string, std::array<bool, 2>>> nominal_sizes(const Animation& animation) {
    std::vector<std::pair<std::string, std::array<bool, 2>>> result;
    for (const AnimatedShape& s : animation.shapes)
        result.push_back({s.component + " " + s.kind, {s.nominal_length, s.nominal_thickness}});
    return result;
}

constexpr std::array kAll{true, true};
constexpr std::array kThickness{false, true};
constexpr std::array kOwn{false, false};

TEST(ApiAnimation, TellsWhichSizesNoLengthOfTheModelGives) {
    EXPECT_THAT(nominal_sizes(animated(arm(""))),
                ElementsAre(std::pair("world arrow", kAll), std::pair("world arrow", kAll),
                            std::pair("world arrow", kAll), std::pair("world arrow", kOwn),  // gravity
                            std::pair("slide box", kThickness), std::pair("hinge cylinder", kAll),
                            std::pair("arm cylinder", kOwn), std::pair("arm sphere", kAll)));
}

TEST(ApiAnimation, ShapesOfTheFileHaveTheirSizes) {
    const std::string text = arm(", gravity: none, shapes: [{shape: sphere, frame: frame_b, length: 0.1 m}]");
    EXPECT_EQ(nominal_sizes(animated(text)).back(), std::pair(std::string("world sphere"), kOwn));
}

TEST(ApiAnimation, ThePageHasTheSame) {
    const auto shapes = animation_json(animated(arm("")), 1000)["shapes"];
    EXPECT_EQ(shapes[0]["nominal"], "all");
    EXPECT_FALSE(shapes[3].contains("nominal"));
    EXPECT_EQ(shapes[4]["nominal"], "thickness");
    EXPECT_EQ(shapes[5]["nominal"], "all");
    EXPECT_FALSE(shapes[6].contains("nominal"));
}

TEST(ApiAnimation, GravityIsTakenWhereItIsTheSameEverywhereHoweverItIsWritten) {
    const auto gravity = [](const std::string& world) {
        const auto g = animated(arm(world)).gravity;
        return std::vector<double>(g.begin(), g.end());
    };
    EXPECT_THAT(gravity(""), ElementsAre(0.0, -9.81, 0.0));
    EXPECT_THAT(gravity(", g: 2 m/s2, n: [0, 3, 4]"), ElementsAre(0.0, testing::DoubleEq(1.2), testing::DoubleEq(1.6)));
    EXPECT_THAT(gravity(", field: [9.81, 0, 0]"), ElementsAre(9.81, 0.0, 0.0));
    EXPECT_THAT(gravity(", field: [1, '2*3', -1.5 m/s2]"), ElementsAre(1.0, 6.0, -1.5));
    // Of the start, where it changes.
    EXPECT_THAT(gravity(", field: ['-5*cos(time)', 0, time]"), ElementsAre(-5.0, 0.0, 0.0));
    for (const std::string nowhere :
         {", gravity: none", ", gravity: point", ", field: [0, '-9 - x[2]', 0]", ", field: [0, 0, '-9 + x[1]']"})
        EXPECT_THAT(gravity(nowhere), ElementsAre(0.0, 0.0, 0.0)) << nowhere;
}

TEST(ApiAnimation, ThePageHasGravity) {
    EXPECT_EQ(animation_json(animated(arm(", field: [9.81, 0, 0]")), 1000)["gravity"],
              (std::vector<double>{9.81, 0.0, 0.0}));
}

TEST(ApiAnimation, AnArrowShowsGravityWhereItIsTheSameEverywhere) {
    const Animation animation = animated(arm(", field: [0, 0, 2.5]"));
    const auto arrow = std::ranges::find(animation.shapes, "acceleration", &AnimatedShape::measures);
    ASSERT_NE(arrow, animation.shapes.end());
    EXPECT_EQ(arrow->size[0], 2.5);
    EXPECT_NEAR(arrow->R[2], 1.0, 1e-12);
}

}  // namespace
}  // namespace bondgraph::api
