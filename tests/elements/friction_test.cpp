// What friction elements do at given efforts and flows, mode by mode.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/elements/element_at.hpp"

namespace bondgraph {
namespace {

using model::PortCausality;
using test::ElementAt;

constexpr double kBackward = -1;
constexpr double kStuck = 0;
constexpr double kForward = 1;
constexpr double kUnstuck = 2;

TEST(Friction, SlidesAgainstTheFlowWithItsViscousPart) {
    ElementAt x("type: Friction, level: 10, R: 2");
    x.set("f", 3).set("mode", kForward);
    EXPECT_DOUBLE_EQ(x.solve("e"), 16.0);
    x.set("f", -3).set("mode", kBackward);
    EXPECT_DOUBLE_EQ(x.solve("e"), -16.0);
}

TEST(Friction, SticksWithWhateverEffortItTakesUpToTheStaticLevel) {
    ElementAt x("type: Friction, level: 10, static: 14");
    x.set("mode", kStuck).set("e", 13.9);
    EXPECT_EQ(x.solve("f"), 0.0);
    EXPECT_EQ(x.set("e", 13.9).next("mode"), kStuck);
    EXPECT_EQ(x.set("e", 14.1).next("mode"), kForward);
    EXPECT_EQ(x.set("e", -13.9).next("mode"), kStuck);
    EXPECT_EQ(x.set("e", -14.1).next("mode"), kBackward);
}

TEST(Friction, StopsSlidingWhereTheFlowEnds) {
    ElementAt x("type: Friction, level: 10, static: 14");
    x.set("mode", kForward).set("e", 10);
    EXPECT_EQ(x.set("f", 1e-9).next("mode"), kForward);
    EXPECT_EQ(x.set("f", -1e-9).next("mode"), kStuck);
    x.set("mode", kBackward).set("e", -10);
    EXPECT_EQ(x.set("f", -1e-9).next("mode"), kBackward);
    EXPECT_EQ(x.set("f", 1e-9).next("mode"), kStuck);
}

TEST(Friction, BeginsFreeAndTakesTheDirectionOfTheFlow) {
    ElementAt x("type: Friction, level: 10");
    x.set("mode", kUnstuck);
    x.set("f", 2);
    EXPECT_EQ(x.solve("e"), 0.0);
    EXPECT_EQ(x.next("mode"), kForward);
    EXPECT_EQ(x.set("f", -2).next("mode"), kBackward);
    EXPECT_EQ(x.set("f", 0).next("mode"), kStuck);
}

TEST(Friction, FallsFromTheStaticLevelWithTheSpeed) {
    ElementAt x("type: Friction, level: 5, static: 15, fade: 0.5, R: 1");
    x.set("f", -0.25).set("mode", kBackward);
    EXPECT_DOUBLE_EQ(x.solve("e"), -(5 + 10 * std::exp(-0.5) + 0.25));
}

TEST(Friction, TakesATableOfEffortOverFlow) {
    ElementAt x("type: Friction, stribeck: [[0, 15], [1, 8], [3, 9]]");
    x.set("mode", kBackward).set("f", -2);
    EXPECT_DOUBLE_EQ(x.solve("e"), -8.5);
    x.set("f", -5);
    EXPECT_DOUBLE_EQ(x.solve("e"), -10.0) << "straight beyond its end";
    x.set("mode", kStuck).set("f", 0);
    EXPECT_EQ(x.set("e", 14.9).next("mode"), kStuck);
    EXPECT_EQ(x.set("e", 15.1).next("mode"), kForward);
}

TEST(Friction, IsFreeWithoutLoad) {
    ElementAt x("type: Friction, level: 10, load: 2 - time");
    x.set("mode", kForward).set("f", 1);
    x.time(1.5);
    EXPECT_DOUBLE_EQ(x.solve("e"), 5.0);
    EXPECT_EQ(x.next("mode"), kForward);
    x.time(3);
    EXPECT_EQ(x.next("mode"), kUnstuck);
    x.set("mode", kStuck).set("e", 1);
    EXPECT_EQ(x.next("mode"), kUnstuck);
}

// What lubricates goes on where nothing presses.
TEST(Friction, KeepsItsViscousPartWithoutLoad) {
    ElementAt x("type: Friction, level: 10, R: 2, load: 2 - time");
    x.time(3).set("mode", kUnstuck);
    EXPECT_DOUBLE_EQ(x.set("f", 3).solve("e"), 6.0);
    EXPECT_DOUBLE_EQ(x.set("f", -3).solve("e"), -6.0);
    EXPECT_EQ(x.next("mode"), kUnstuck);
    x.time(1).set("f", 3).set("mode", kForward);
    EXPECT_DOUBLE_EQ(x.solve("e"), 16.0);
}

TEST(Friction, MayDifferBackward) {
    ElementAt x("type: Friction, level: 2, backward: 5");
    x.set("mode", kBackward).set("f", -1);
    EXPECT_DOUBLE_EQ(x.solve("e"), -5.0);
    x.set("mode", kStuck).set("f", 0);
    EXPECT_EQ(x.set("e", -4.9).next("mode"), kStuck);
    EXPECT_EQ(x.set("e", -5.1).next("mode"), kBackward);
    EXPECT_EQ(x.set("e", 2.1).next("mode"), kForward);
}

TEST(Friction, StrokeByMode) {
    ElementAt constant("type: Friction, level: 10");
    EXPECT_EQ(constant.causality({kStuck}), PortCausality::flow_out);
    EXPECT_EQ(constant.causality({kForward}), PortCausality::effort_out) << "no flow follows from a fixed effort";
    EXPECT_EQ(constant.causality({kUnstuck}), PortCausality::effort_out);
    ElementAt viscous("type: Friction, level: 10, R: 1");
    EXPECT_EQ(viscous.causality({kBackward}), PortCausality::likes_effort_out);
    EXPECT_EQ(viscous.causality({kUnstuck}), PortCausality::likes_effort_out) << "a resistor";
}

// Modelica Standard Library: tau = cgeo·fn_max·f_normalized·mu(w), sticks up to peak times that at w = 0.
TEST(Clutch, PressesByItsEngagement) {
    ElementAt x("type: Clutch, fn_max: 160, engagement: time, mu: [[0, 0.5], [10, 0.3]], cgeo: 2, peak: 1.1");
    x.time(0.5);
    x.set("mode", kForward).set("f", 5);
    EXPECT_DOUBLE_EQ(x.solve("e"), 2 * 80 * 0.4);
    x.set("mode", kStuck).set("f", 0);
    EXPECT_EQ(x.set("e", 87).next("mode"), kStuck);
    EXPECT_EQ(x.set("e", 89).next("mode"), kForward);
    EXPECT_EQ(x.set("e", -89).next("mode"), kBackward);
    x.time(0);
    EXPECT_EQ(x.next("mode"), kUnstuck);
}

TEST(Brake, IsAClutchAtOneShaft) {
    ElementAt x("type: Brake, fn_max: 10");
    x.set("mode", kBackward).set("f", -1);
    EXPECT_DOUBLE_EQ(x.solve("e"), -5.0);
}

TEST(OneWayClutch, RunsForwardAndLocksBackward) {
    ElementAt x("type: OneWayClutch");
    x.set("sliding", 1).set("f", 3);
    EXPECT_EQ(x.solve("e"), 0.0);
    EXPECT_EQ(x.next("sliding"), 1.0);
    EXPECT_EQ(x.set("f", -1e-9).next("sliding"), 0.0);
    x.set("sliding", 0).set("f", 0);
    EXPECT_EQ(x.set("e", -100).next("sliding"), 0.0);
    EXPECT_EQ(x.set("e", 0.01).next("sliding"), 1.0);
}

TEST(OneWayClutch, EngagedItRubsAndSticks) {
    ElementAt x("type: OneWayClutch, fn_max: 3, peak: 25, engagement: 0.5");
    x.set("sliding", 1).set("f", 3);
    EXPECT_DOUBLE_EQ(x.solve("e"), 0.75);
    x.set("sliding", 0).set("f", 0);
    EXPECT_EQ(x.set("e", 18).next("sliding"), 0.0);
    EXPECT_EQ(x.set("e", 19).next("sliding"), 1.0);
}

}  // namespace
}  // namespace bondgraph
