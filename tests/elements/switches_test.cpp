// What switches, diodes and locks do at given efforts and flows, mode by mode.

#include <gtest/gtest.h>

#include "tests/elements/element_at.hpp"

namespace bondgraph {
namespace {

using model::PortCausality;
using test::ElementAt;

TEST(Switch, ClosedHasNoEffortAndOpenNoFlow) {
    ElementAt x("type: Sw, open: time > 1");
    x.set("f", 3).set("closed", 1);
    EXPECT_EQ(x.solve("e"), 0.0);
    x.set("e", 5).set("closed", 0);
    EXPECT_EQ(x.solve("f"), 0.0);
}

TEST(Switch, FollowsItsCondition) {
    ElementAt x("type: Sw, open: time > 1");
    x.set("closed", 0).set("e", 0).set("f", 0);
    EXPECT_EQ(x.time(0.5).next("closed"), 1.0);
    EXPECT_EQ(x.time(1.5).next("closed"), 0.0);
}

TEST(Switch, WithResistanceAndConductanceIsOneLineOfFreeCausality) {
    ElementAt x("type: Sw, open: time > 1, Ron: 0.1, Goff: 0.01");
    EXPECT_FALSE(x.structural("closed"));
    x.set("f", 3).set("closed", 1);
    EXPECT_DOUBLE_EQ(x.solve("e"), 0.3);
    x.set("closed", 0);
    EXPECT_DOUBLE_EQ(x.solve("e"), 300.0);
    EXPECT_EQ(x.causality({0}), PortCausality::free);
    EXPECT_EQ(x.causality({1}), PortCausality::free);
}

TEST(Switch, IdealOnEitherSideDecidesTheStroke) {
    ElementAt ideal("type: Sw, open: time > 1");
    EXPECT_TRUE(ideal.structural("closed"));
    EXPECT_EQ(ideal.causality({1}), PortCausality::effort_out);
    EXPECT_EQ(ideal.causality({0}), PortCausality::flow_out);
    ElementAt resistive("type: Sw, open: time > 1, Ron: 0.1, Goff: 0");
    EXPECT_TRUE(resistive.structural("closed"));
    EXPECT_EQ(resistive.causality({1}), PortCausality::free);
    EXPECT_EQ(resistive.causality({0}), PortCausality::flow_out);
}

TEST(Diode, ConductsFromItsKneeUntilItsFlowEnds) {
    ElementAt x("type: D, e_knee: 0.7");
    x.set("on", 0).set("f", 0);
    EXPECT_EQ(x.set("e", 0.6).next("on"), 0.0);
    EXPECT_EQ(x.set("e", 0.8).next("on"), 1.0);
    x.set("on", 1).set("e", 0.7);
    EXPECT_EQ(x.set("f", 1e-6).next("on"), 1.0);
    EXPECT_EQ(x.set("f", -1e-6).next("on"), 0.0);
}

TEST(Diode, ItsTwoLinesMeetAtTheKnee) {
    for (const char* settings : {"type: D, Ron: 0.2, Goff: 0.1, e_knee: 5", "type: D, Goff: 0.1, e_knee: 5"}) {
        ElementAt x(settings);
        x.set("on", 0).set("e", 5);
        EXPECT_DOUBLE_EQ(x.solve("f"), 0.5) << settings;
        x.set("on", 1);
        EXPECT_NEAR(x.solve("e"), 5.0, 1e-12) << settings;
    }
}

// Modelica Standard Library: e = Vknee + Ron (i − Goff Vknee) conducting.
TEST(Diode, ConductsWithItsResistanceBeyondTheKnee) {
    ElementAt x("type: D, Ron: 0.2, Goff: 0.1, e_knee: 5");
    x.set("on", 1).set("f", 10);
    EXPECT_DOUBLE_EQ(x.solve("e"), 5.0 + 0.2 * (10 - 0.5));
    EXPECT_EQ(x.set("f", 0.51).next("on"), 1.0);
    EXPECT_EQ(x.set("f", 0.49).next("on"), 0.0);
}

TEST(Thyristor, BlocksUntilFiredAndConductsUntilItsFlowEnds) {
    ElementAt x("type: Thyristor, fire: time > 1, e_knee: 1");
    x.set("on", 0).set("f", 0).set("e", 5);
    EXPECT_EQ(x.time(0).next("on"), 0.0);
    EXPECT_EQ(x.time(2).next("on"), 1.0);
    x.set("e", 0.5);
    EXPECT_EQ(x.time(2).next("on"), 0.0);
    x.set("on", 1).set("f", 2).set("e", 1);
    EXPECT_EQ(x.time(0).next("on"), 1.0);
    x.set("f", -1e-9);
    EXPECT_EQ(x.time(2).next("on"), 0.0);
}

TEST(GateTurnOffThyristor, ConductsOnlyWhileFired) {
    ElementAt x("type: GTO, fire: time > 1, e_knee: 1");
    x.set("on", 1).set("f", 2).set("e", 1);
    EXPECT_EQ(x.time(2).next("on"), 1.0);
    EXPECT_EQ(x.time(0).next("on"), 0.0);
}

TEST(CheckValve, OpensAtItsCrackingPressure) {
    ElementAt x("type: CheckValve, cracking: 0.1 bar, G: 1e-8 m3/(s.Pa)");
    EXPECT_TRUE(x.structural("on"));
    x.set("on", 0).set("f", 0);
    EXPECT_EQ(x.set("e", 0.9e4).next("on"), 0.0);
    EXPECT_EQ(x.set("e", 1.1e4).next("on"), 1.0);
    x.set("on", 1).set("e", 3e4);
    EXPECT_DOUBLE_EQ(x.solve("f"), 2e-4);
}

TEST(CheckValve, WithLeakageAndConductanceKeepsItsStructure) {
    ElementAt x("type: CheckValve, G: 1e-8 m3/(s.Pa), leak: 1e-12 m3/(s.Pa)");
    EXPECT_FALSE(x.structural("on"));
    x.set("on", 0).set("f", -1e-9);
    EXPECT_DOUBLE_EQ(x.solve("e"), -1e3);
}

TEST(ArcSwitch, BurnsWhenOpenedUntilItsFlowIsWhatLeaks) {
    ElementAt x("type: ArcSwitch, open: time >= 1, V0: 30, dVdt: 1e4, Vmax: 60, Ron: 0.1, Goff: 0.01");
    x.time(0.5).set("mode", 1).set("f", -5).set("opened", 0).set("direction", 0);
    EXPECT_DOUBLE_EQ(x.solve("e"), -0.5);
    EXPECT_EQ(x.next("mode"), 1.0);
    x.time(1.0);
    EXPECT_EQ(x.next("mode"), 2.0);
    EXPECT_EQ(x.next("opened"), 1.0);
    EXPECT_EQ(x.next("direction"), -1.0);
    x.time(1.001).set("mode", 2).set("opened", 1).set("direction", -1);
    EXPECT_NEAR(x.solve("e"), -40.0, 1e-9);
    EXPECT_EQ(x.set("f", -0.41).next("mode"), 2.0);
    EXPECT_EQ(x.set("f", -0.39).next("mode"), 0.0);
    x.time(1.1);
    EXPECT_DOUBLE_EQ(x.solve("e"), -60.0) << "its limit";
    x.set("mode", 0).set("e", -50);
    EXPECT_DOUBLE_EQ(x.solve("f"), -0.5);
    EXPECT_EQ(x.next("mode"), 0.0) << "does not light again";
}

TEST(Lock, HoldsWhereLockedAndIsNotThereOtherwise) {
    ElementAt x("type: Lock, locked: time > 1");
    x.set("e", 4).set("on", 1);
    EXPECT_EQ(x.solve("f"), 0.0);
    x.set("f", 4).set("on", 0);
    EXPECT_EQ(x.solve("e"), 0.0);
    EXPECT_EQ(x.time(2).next("on"), 1.0);
    EXPECT_EQ(x.causality({1}), PortCausality::flow_out);
    EXPECT_EQ(x.causality({0}), PortCausality::effort_out);
}

}  // namespace
}  // namespace bondgraph
