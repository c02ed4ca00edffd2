// Stops that are moved on the way: under what rests on them, and into what stands in their way.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "bondgraph/api/bondgraph.hpp"

namespace bondgraph::api {
namespace {

using ::testing::HasSubstr;

constexpr double kPush = 20.0;  // N, on 2 kg
constexpr double kOnLower = -2.0;
constexpr double kOnUpper = 2.0;

/// A body between two stops that a force pushes downwards.
Model body_between_stops(const std::string& start) {
    auto model = Model::parse(R"(
model: body_between_stops
parameters: {low: 0.5, high: 2, push: 20}
components:
  force: {type: Se, e: -push}
  j: {type: 1}
  body: {type: I, I: 2, initial: {f: 0}}
  stops: {type: EndStop, lower: low, upper: high, initial: {q: )" +
                              start + R"(}}
bonds: [force -> j, j -> body, j -> stops]
outputs: [stops.q, body.f, stops.mode]
experiment: {stop: 6, tolerance: 1e-9}
)");
    EXPECT_TRUE(model) << model.error().text();
    return std::move(model).value();
}

const RunOptions kOpen{.values = {{"low", 0.5}, {"high", 2.0}, {"push", kPush}}};

TEST(MovedStops, LetGoOfWhatRestsOnThemAndCatchItAgain) {
    for (const char* start : {"0.5", "0.55"}) {  // at rest from the beginning, or after an impact
        Simulation s = body_between_stops(start).start(kOpen).value();
        ASSERT_TRUE(s.advance(1.0));
        EXPECT_NEAR(s.values()[0], 0.5, 1e-9);
        EXPECT_EQ(s.values()[2], kOnLower);
        const auto moved = s.set({{"low", 0.2}});
        ASSERT_TRUE(moved) << moved.error().text();
        EXPECT_EQ((*moved)[2], 0.0) << start;
        ASSERT_TRUE(s.advance(1.1));
        EXPECT_NEAR(s.values()[0], 0.5 - 0.5 * 0.1 * 0.1 * kPush / 2.0, 1e-7);
        EXPECT_NEAR(s.values()[1], -0.1 * kPush / 2.0, 1e-7);
        ASSERT_TRUE(s.advance(2.0));
        EXPECT_NEAR(s.values()[0], 0.2, 1e-9);
        EXPECT_EQ(s.values()[2], kOnLower);
        const auto run = s.finish();
        EXPECT_FALSE(run.failure);
        EXPECT_NEAR(run.energy.imbalance, 0.0, 1e-6);
    }
}

TEST(MovedStops, AboveWorkAsThoseBelow) {
    Simulation s = body_between_stops("1").start(kOpen).value();
    ASSERT_TRUE(s.set({{"push", -kPush}}));
    ASSERT_TRUE(s.advance(1.0));
    EXPECT_EQ(s.values()[2], kOnUpper);
    ASSERT_TRUE(s.set({{"low", 0.7}}));  // the other one
    EXPECT_EQ(s.values()[2], kOnUpper);
    ASSERT_TRUE(s.set({{"high", 2.4}}));
    ASSERT_TRUE(s.advance(1.1));
    EXPECT_NEAR(s.values()[0], 2.05, 1e-7);
    ASSERT_TRUE(s.advance(2.0));
    EXPECT_NEAR(s.values()[0], 2.4, 1e-9);
    EXPECT_EQ(s.values()[2], kOnUpper);
}

TEST(MovedStops, OthersThatAreSetMoveNothing) {
    Simulation s = body_between_stops("0.5").start(kOpen).value();
    ASSERT_TRUE(s.advance(1.0));
    ASSERT_TRUE(s.set({{"push", 35.0}}));
    ASSERT_TRUE(s.set({{"low", 0.5}}));
    EXPECT_EQ(s.values()[2], kOnLower);
    ASSERT_TRUE(s.advance(2.0));
    EXPECT_NEAR(s.values()[0], 0.5, 1e-9);
    ASSERT_TRUE(s.set({{"push", -35.0}}));
    ASSERT_TRUE(s.advance(2.1));
    EXPECT_NEAR(s.values()[0], 0.5 + 0.5 * 0.1 * 0.1 * 35.0 / 2.0, 1e-7);
}

// A stop has no way of its own along which it could push something.
TEST(MovedStops, IntoABodyAreRefusedAndTheWayGoesOn) {
    Simulation s = body_between_stops("1.5").start(kOpen).value();
    ASSERT_TRUE(s.advance(0.1));
    const double place = s.values()[0];
    const auto refused = s.set({{"low", 1.6}});
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().text(), HasSubstr("'stops' (EndStop) would be outside its limits: stops.q = 1.45"));
    EXPECT_THAT(refused.error().text(), HasSubstr("a stop that is moved at once pushes nothing out of its way"));
    EXPECT_EQ(s.values()[0], place);
    ASSERT_TRUE(s.advance(2.0));
    EXPECT_NEAR(s.values()[0], 0.5, 1e-9);
    ASSERT_FALSE(s.set({{"low", 0.6}})) << "under a body at rest";
    ASSERT_TRUE(s.advance(3.0));
    EXPECT_NEAR(s.values()[0], 0.5, 1e-9);
    EXPECT_EQ(s.values()[2], kOnLower);
    EXPECT_FALSE(s.finish().failure);
}

}  // namespace
}  // namespace bondgraph::api
