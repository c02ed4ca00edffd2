// The poses of parts in space, against motions that are known.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <span>
#include <string>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/charging.hpp"
#include "tests/api/decay.hpp"

namespace bondgraph::api {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

// About the z-axis of the world, a quarter turn per second.
const std::string kRotor = R"(model: rotor
components:
  world: {type: World, gravity: none}
  rotor: {type: Rotor1D, J: 0.1 kg.m2, n: [0, 0, 2], initial: {phi: 0, w: 90 deg/s}}
connect: [[world.frame_b, rotor.frame_a]]
experiment: {stop: 1 s, interval: 0.25 s}
outputs: [rotor.phi]
)";

const std::string kPushed = R"(model: pushed
components:
  world: {type: World, gravity: none}
  body: {type: Body, m: 2 kg, I_11: 1 kg.m2, I_22: 1 kg.m2, I_33: 1 kg.m2, initial: {x: [1 m, 2 m, 3 m]}}
  load: {type: WorldForce, f: [0, 6 N, 0]}
connect: [[load.frame_b, body.frame_a]]
experiment: {stop: 1 s, interval: 0.5 s}
outputs: [body.v]
)";

TEST(ApiAnimation, ARotorTurnsAboutItsAxis) {
    const auto run = parsed(kRotor).run({.animation = true});
    ASSERT_TRUE(run) << run.error().text();
    ASSERT_TRUE(run->animation);
    const Animation& animation = *run->animation;
    EXPECT_EQ(animation.model, "rotor");
    ASSERT_EQ(animation.time.size(), 5U);
    const auto at = std::ranges::find(animation.shapes, "rotor", &AnimatedShape::component);
    ASSERT_NE(at, animation.shapes.end());
    const AnimatedShape& rotor = *at;
    EXPECT_EQ(rotor.kind, "cylinder");
    EXPECT_THAT(rotor.measures, IsEmpty());
    ASSERT_EQ(rotor.x.size(), 15U);
    ASSERT_EQ(rotor.R.size(), 45U);
    ASSERT_EQ(rotor.size.size(), 15U);
    for (std::size_t row = 0; row < 5; ++row) {
        const auto R = std::span(rotor.R).subspan(9 * row, 9);
        EXPECT_NEAR(R[2], 1.0, 1e-12);  // its length lies along z
        const double turned = 0.5 * std::numbers::pi * animation.time[row];
        const auto first = std::span(rotor.R).first(9);
        EXPECT_NEAR(R[3], std::cos(turned) * first[3] - std::sin(turned) * first[4], 1e-6);
        EXPECT_NEAR(R[4], std::sin(turned) * first[3] + std::cos(turned) * first[4], 1e-6);
    }
}

TEST(ApiAnimation, ArrowsHaveTheSizeOfWhatTheyMeasureAndAScale) {
    const auto run = parsed(kPushed).run({.animation = true});
    ASSERT_TRUE(run && run->animation) << run.error().text();
    const auto& shapes = run->animation->shapes;
    const auto arrow = std::ranges::find(shapes, "force", &AnimatedShape::measures);
    ASSERT_NE(arrow, shapes.end());
    EXPECT_EQ(arrow->component, "load");
    EXPECT_EQ(arrow->kind, "arrow");
    for (std::size_t row = 0; row < 3; ++row) {
        const double t = run->animation->time[row];
        EXPECT_NEAR(arrow->size[3 * row], 6.0, 1e-12);                            // N
        EXPECT_NEAR(arrow->x[3 * row + 1], 2.0 + 0.5 * 6.0 / 2.0 * t * t, 1e-5);  // x + f/m t^2/2
        EXPECT_NEAR(arrow->R[9 * row + 1], 1.0, 1e-12);
    }
    ASSERT_EQ(run->animation->scale.count("force"), 1U);
    EXPECT_GT(run->animation->scale.at("force"), 0.0);
    EXPECT_THAT(run->animation->json(), HasSubstr("\"measures\": \"force\""));
}

TEST(ApiAnimation, AddsNothingToTheRowsOfARun) {
    const Model model = parsed(kPushed);
    const auto run = model.run({.animation = true});
    const auto plain = model.run();
    ASSERT_TRUE(run && plain);
    EXPECT_FALSE(plain->animation);
    ASSERT_EQ(run->series.columns().size(), 3U);
    for (std::size_t c = 0; c < 3; ++c) {
        EXPECT_EQ(run->series.columns()[c].name, plain->series.columns()[c].name);
        EXPECT_THAT(run->series.column(c), testing::ElementsAreArray(plain->series.column(c)));
    }
    EXPECT_NEAR(last(*run, "body.v[2]"), 3.0, 1e-5);
}

TEST(ApiAnimation, OfASimulationHasARowPerAdvance) {
    Simulation simulation = parsed(kPushed).start({.animation = true}).value();
    ASSERT_EQ(simulation.columns().size(), 3U);
    const auto values = simulation.advance(0.2);
    ASSERT_TRUE(values);
    ASSERT_EQ(values->size(), 3U);
    EXPECT_NEAR((*values)[1], 0.6, 1e-5);
    ASSERT_TRUE(simulation.advance(0.7));
    const auto run = simulation.finish();
    ASSERT_TRUE(run.animation);
    EXPECT_THAT(run.animation->time, testing::ElementsAre(0.0, 0.2, 0.7));
    EXPECT_EQ(run.series.columns().size(), 3U);
    EXPECT_NEAR(run.series.column(1).back(), 2.1, 1e-5);
    EXPECT_NEAR(simulation.values()[1], 2.1, 1e-5);
}

TEST(ApiAnimation, OfAModelWithoutMechanicsIsEmpty) {
    const auto run = parsed(kCharging).run({.animation = true});
    ASSERT_TRUE(run && run->animation);
    EXPECT_THAT(run->animation->shapes, IsEmpty());
    EXPECT_EQ(run->series.columns().size(), 1U);
}

}  // namespace
}  // namespace bondgraph::api
