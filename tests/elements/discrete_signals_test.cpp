// Signals that change at events, at given inputs and times.

#include <gtest/gtest.h>

#include "tests/elements/element_at.hpp"

namespace bondgraph {
namespace {

using test::ElementAt;

TEST(Greater, ComparesWithItsThreshold) {
    ElementAt x("type: Greater, threshold: 2, high: 5, low: -5");
    EXPECT_EQ(x.set("u", 2.1).solve("y"), 5.0);
    EXPECT_EQ(x.set("u", 1.9).solve("y"), -5.0);
}

TEST(Relay, ClosesAboveOneLevelAndOpensBelowAnother) {
    ElementAt x("type: Relay, closes_above: 1, opens_below: -1");
    x.set("closed", 0);
    EXPECT_EQ(x.set("u", 0.9).next("closed"), 0.0);
    EXPECT_EQ(x.set("u", 1.1).next("closed"), 1.0);
    EXPECT_EQ(x.solve("y"), 0.0);
    x.set("closed", 1);
    EXPECT_EQ(x.set("u", -0.9).next("closed"), 1.0);
    EXPECT_EQ(x.set("u", -1.1).next("closed"), 0.0);
    EXPECT_EQ(x.solve("y"), 1.0);
}

TEST(SampleHold, TakesItsInputAtItsInstantsOnly) {
    ElementAt x("type: SampleHold, period: 0.1");
    x.set("held", 7).set("u", 3);
    EXPECT_EQ(x.solve("y"), 7.0);
    EXPECT_EQ(x.sampling(false).next("held"), 7.0);
    EXPECT_EQ(x.sampling(true).next("held"), 3.0);
}

TEST(Pulse, OfStraightEdges) {
    ElementAt x("type: Pulse, period: 2, width: 0.5, start: 1, amplitude: 3, offset: 10");
    const auto y = [&](double begin, double t) { return x.time(t).set("begin", begin).solve("y"); };
    EXPECT_EQ(y(1, 0.5), 10.0) << "before the start";
    EXPECT_EQ(y(1, 1.0), 13.0);
    EXPECT_EQ(y(1, 1.4), 13.0);
    EXPECT_EQ(y(1, 1.6), 10.0);
    EXPECT_EQ(y(3, 3.2), 13.0);
}

TEST(Pulse, OfTrapezoids) {
    ElementAt x("type: Pulse, period: 10, rising: 2, width: 3, falling: 4");
    const auto y = [&](double t) { return x.time(t).set("begin", 0).solve("y"); };
    EXPECT_DOUBLE_EQ(y(1.0), 0.5);
    EXPECT_DOUBLE_EQ(y(2.5), 1.0);
    EXPECT_DOUBLE_EQ(y(6.0), 0.75);
    EXPECT_DOUBLE_EQ(y(8.0), 0.25);
    EXPECT_DOUBLE_EQ(y(9.5), 0.0);
}

TEST(Pulse, FindsThePeriodOfATime) {
    ElementAt x("type: Pulse, period: 0.1, width: 0.05, start: -0.25");
    EXPECT_NEAR(x.time(0.0).next("begin"), -0.05, 1e-15);
    // 0.35 − 2·0.1 and the like are rounded: the instant itself already counts.
    EXPECT_NEAR(x.time(0.35).next("begin"), 0.35, 1e-12);
    EXPECT_NEAR(x.time(0.4499).next("begin"), 0.35, 1e-12);
    ElementAt later("type: Pulse, period: 1, width: 0.5, start: 3");
    EXPECT_EQ(later.time(0.5).next("begin"), 3.0) << "waits for its start";
}

}  // namespace
}  // namespace bondgraph
