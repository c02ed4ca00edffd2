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

/// A discharge whose parameters mean something at different times.
constexpr const char* kDischargeFrom = R"(
model: discharge_from
types:
  Counter:
    parameters: {first: 3}
    outputs: {y: {type: real}}
    variables: {n: {type: real, start: first}}
    equations: [n = pre(n), y = n]
parameters: {q0: 6, rest: 2, both: 2, energy: 1, unused: 4, gain: 3}
components:
  j: {type: 0}
  C: {type: C, C: both, initial: {q: q0}}
  R: {type: R, R: 1}
  show: {type: Gain, k: gain}
  S: {type: Se, e: 1}
  k: {type: 1}
  L: {type: I, I: 3, initial: {p: both}}
  T: {type: R, R: 1}
  count: {type: Counter, first: rest}
bonds: [j -> C, j -> R, S -> k, k -> L, k -> T]
signals: [C.e -> show.u]
outputs: [C.q, show.y]
experiment: {stop: 4}
)";

TEST(SetOnTheWay, WhatOnlyTheStartDependsOnIsRefused) {
    auto model = Model::parse(kDischargeFrom);
    ASSERT_TRUE(model) << model.error().text();
    auto started = model->start({.values = {{"q0", 6.0}, {"both", 2.0}, {"gain", 3.0}, {"unused", 4.0}}});
    ASSERT_TRUE(started) << started.error().text();
    Simulation s = std::move(started).value();
    ASSERT_TRUE(s.advance(1.0));
    const double charge = s.values()[0];
    const auto refused = s.set({{"q0", 5.0}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::usage);
    EXPECT_EQ(refused.error().text(),
              "error: 'q0' can't be set on the way: only the start depends on it, and the simulation has started\n");
    ASSERT_FALSE(s.set({{"gain", 1.0}, {"q0", 5.0}}));
    EXPECT_EQ(s.values()[0], charge);
    EXPECT_NEAR(s.values()[1], 3.0 * charge / 2.0, 1e-9);
    // What means something later as well, or only in results, is as good as ever.
    ASSERT_TRUE(s.set({{"gain", 1.0}, {"both", 4.0}}));
    EXPECT_NEAR(s.values()[1], charge / 4.0, 1e-9);
    ASSERT_TRUE(s.set({{"unused", 1.0}}));
}

}  // namespace
}  // namespace bondgraph::api
