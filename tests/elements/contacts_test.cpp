// What contacts do at given displacements and flows.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/elements/element_at.hpp"

namespace bondgraph {
namespace {

using model::PortCausality;
using test::ElementAt;

constexpr std::size_t kForce = 1;  // the first equation is dq/dt = f

double backlash_effort(double q, double f) {
    ElementAt x("type: Backlash, K: 100, R: 5, b: 0.4");
    x.set("q", q).set("f", f).set("der(q)", f);
    return x.solve("e", kForce);
}

TEST(Backlash, HasNoEffortInItsGap) {
    for (const double q : {-0.2, -0.1, 0.0, 0.1, 0.2}) {
        EXPECT_EQ(backlash_effort(q, 3.0), 0.0);
        EXPECT_EQ(backlash_effort(q, -3.0), 0.0);
    }
}

TEST(Backlash, ItsDamperGivesAtMostAsMuchAsItsSpring) {
    EXPECT_DOUBLE_EQ(backlash_effort(0.3, 1.0), 10.0 + 5.0);
    EXPECT_NEAR(backlash_effort(0.3, 100.0), 10.0 + 10.0, 1e-12);
    EXPECT_NEAR(backlash_effort(-0.3, -1.0), -(10.0 + 5.0), 1e-12);
}

TEST(Backlash, NeverPulls) {
    EXPECT_NEAR(backlash_effort(0.3, -1.0), 10.0 - 5.0, 1e-12);
    EXPECT_EQ(backlash_effort(0.3, -3.0), 0.0);
    EXPECT_EQ(backlash_effort(-0.3, 3.0), 0.0);
}

// Its law as the Modelica Standard Library writes it, branch by branch.
TEST(Backlash, IsElastoBacklashOfModelica) {
    const auto reference = [](double phi, double w) {
        const double half = 0.2;
        if (phi > half) {
            const double c = 100 * (phi - half);
            const double d = 5 * w;
            return c + d <= 0 ? 0.0 : c + std::min(c, d);
        }
        if (phi < -half) {
            const double c = 100 * (phi + half);
            const double d = 5 * w;
            return c + d >= 0 ? 0.0 : c + std::max(c, d);
        }
        return 0.0;
    };
    for (double q = -0.5; q < 0.51; q += 0.0625) {
        for (double f = -6; f < 6.1; f += 0.75) EXPECT_NEAR(backlash_effort(q, f), reference(q, f), 1e-12) << q << f;
    }
}

double stop_effort(const std::string& settings, double q, double f) {
    ElementAt x("type: ElasticStop, " + settings);
    x.set("q", q).set("f", f).set("der(q)", f);
    return x.solve("e", kForce);
}

// Its law as the Modelica Standard Library writes it: f = f_c + f_d with f_c = −c |s − s0|ⁿ, f_d between f_c and −f_c.
TEST(ElasticStop, IsElastoGapOfModelica) {
    for (double q = 0.5; q < 1.6; q += 0.125) {
        for (double f = -6; f < 6.1; f += 0.75) {
            const double spring = q < 1 ? -10 * std::pow(1 - q, 1.5) : 0.0;
            const double damper = q < 1 ? std::max(spring, std::min(1.5 * f, -spring)) : 0.0;
            EXPECT_NEAR(stop_effort("K: 10, R: 1.5, q0: 1, n: 1.5", q, f), spring + damper, 1e-12) << q << f;
        }
    }
}

TEST(ElasticStop, NeverPulls) {
    for (const double f : {-100.0, -1.0, 0.0, 1.0, 100.0}) EXPECT_LE(stop_effort("K: 10, R: 1.5", -0.5, f), 0.0) << f;
}

constexpr double kFree = 0;
constexpr double kImpact = 1;
constexpr double kRest = 2;

ElementAt end_stop(const std::string& settings = "lower: -1, upper: 2, restitution: 0.5, rest: 0.01") {
    ElementAt x("type: EndStop, " + settings);
    x.set("e", 0).set("f", 0).set("q", 0).set("mode", kFree).set("before", 0).set("fastest", 0);
    return x;
}

TEST(EndStop, IsHitOnTheWayTowardsALimitOnly) {
    auto x = end_stop();
    EXPECT_EQ(x.set("q", 1.9).set("f", 3).next("mode"), kFree);
    EXPECT_EQ(x.set("q", 2.000001).set("f", 3).next("mode"), kImpact);
    EXPECT_EQ(x.set("f", -3).next("mode"), kFree) << "after the impact it is beyond the limit by rounding";
    EXPECT_EQ(x.set("q", -1.000001).set("f", -3).next("mode"), -kImpact);
    EXPECT_EQ(x.set("f", 3).next("mode"), kFree);
}

TEST(EndStop, StartsAtRestOnALimitAndNotBesideIt) {
    const auto excess = [](double q) { return end_stop().set("q", q).set("mode", kRest).excess(); };
    EXPECT_LT(excess(2.0), 0.0);
    EXPECT_LT(excess(2.0 * (1.0 + 1e-12)), 0.0) << "rounding";
    EXPECT_GT(excess(2.0001), 0.0);
    EXPECT_GT(excess(1.9999), 0.0);
}

TEST(EndStop, ReversesTheFlowBeforeTheImpact) {
    auto x = end_stop();
    x.set("q", 2.000001).set("f", 3);
    EXPECT_EQ(x.next("before"), 3.0);
    x.set("mode", kImpact).set("before", 3).set("der(q)", 3);
    EXPECT_DOUBLE_EQ(x.solve("f", kForce), -1.5);
    EXPECT_EQ(x.next("before"), 3.0) << "kept during the impact";
    EXPECT_EQ(x.next("mode"), kFree);
}

TEST(EndStop, ComesToRestAfterASlowImpact) {
    auto x = end_stop();
    x.set("mode", -kImpact).set("f", 0.005);
    EXPECT_EQ(x.next("mode"), -kRest);
    x.set("mode", -kRest).set("der(q)", 0);
    EXPECT_EQ(x.solve("f", kForce), 0.0);
}

TEST(EndStop, RestsAfterAnImpactThatIsNothingBesideEarlierOnes) {
    auto x = end_stop("lower: -1, restitution: 0.5, rest: 0");
    x.set("mode", -kImpact).set("before", -4).set("f", 2);
    EXPECT_EQ(x.next("mode"), kFree);
    EXPECT_EQ(x.next("fastest"), 4.0);
    x.set("fastest", 4).set("before", -9e-6).set("f", 4.5e-6);
    EXPECT_EQ(x.next("mode"), kFree);
    x.set("before", -7e-6).set("f", 3.5e-6);
    EXPECT_EQ(x.next("mode"), -kRest);
    EXPECT_EQ(x.next("fastest"), 4.0);
}

TEST(EndStop, IsLeftWhenItWouldPull) {
    auto x = end_stop();
    x.set("q", 2).set("mode", kRest);
    EXPECT_EQ(x.set("e", 4).next("mode"), kRest);
    EXPECT_EQ(x.set("e", -4).next("mode"), kFree);
    x.set("q", -1).set("mode", -kRest);
    EXPECT_EQ(x.set("e", -4).next("mode"), -kRest);
    EXPECT_EQ(x.set("e", 4).next("mode"), kFree);
}

TEST(EndStop, MayHaveOneLimit) {
    auto floor = end_stop("lower: 0");
    EXPECT_EQ(floor.set("q", 1e6).set("f", 3).next("mode"), kFree);
    EXPECT_EQ(floor.set("q", -1e-6).set("f", -3).next("mode"), -kImpact);
    auto ceiling = end_stop("upper: 0");
    EXPECT_EQ(ceiling.set("q", -1e6).set("f", -3).next("mode"), kFree);
    EXPECT_EQ(ceiling.set("q", 1e-6).set("f", 3).next("mode"), kImpact);
}

TEST(EndStop, StrokeByMode) {
    auto x = end_stop();
    EXPECT_EQ(x.causality({kFree, 0}), PortCausality::effort_out);
    EXPECT_EQ(x.causality({kImpact, 0}), PortCausality::flow_out);
    EXPECT_EQ(x.causality({-kRest, 0}), PortCausality::flow_out);
}

}  // namespace
}  // namespace bondgraph
