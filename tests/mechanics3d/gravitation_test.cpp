// Gravity between bodies against what is known of two and three of them.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numbers>
#include <string>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

constexpr double kG = 6.67430e-11;

std::string two_bodies(const std::string& pull, const std::string& start_a, const std::string& start_b) {
    return "components:\n  world: {type: World, gravity: none}\n"
           "  a: {type: PointMass, m: 3e10, initial: {" +
           start_a + "}}\n  b: {type: PointMass, m: 1e10, initial: {" + start_b +
           "}}\n  pull: {type: Gravitation, m_a: 3e10, m_b: 1e10}\nconnect: " + pull + "\n";
}
constexpr const char* kFromAToB = "[[a.frame_a, pull.frame_a], [b.frame_a, pull.frame_b]]";

TEST(Gravitation, HasTheForceOfNewtonsLaw) {
    Pipeline p(two_bodies(kFromAToB, "x: [1, 2, 3], v: [0, 0, 0]", "x: [4, 6, 3], v: [0, 0, 0]"));
    const auto run = p.run({.stop = 1e-3, .tolerance = 1e-9, .interval = 1e-3},
                           {"pull.s", "pull.f", "a.frame_a.f[1]", "b.frame_a.f[1]", "b.frame_a.f[2]"});
    const double f = kG * 3e10 * 1e10 / 25.0;
    EXPECT_NEAR(run.result.at(0, 0), 5.0, 1e-14);
    EXPECT_NEAR(run.result.at(0, 1), f, 1e-12 * f);
    EXPECT_NEAR(run.result.at(0, 2), 0.6 * f, 1e-12 * f) << "a is pulled to b";
    EXPECT_NEAR(run.result.at(0, 3), -0.6 * f, 1e-12 * f);
    EXPECT_NEAR(run.result.at(0, 4), -0.8 * f, 1e-12 * f);
}

// Let go at rest at the distance d two bodies meet after pi sqrt(d^3/(8 mu)); at half the distance (pi + 2)/4
// sqrt(d^3/(2 mu)) have passed.
TEST(Gravitation, OfBodiesLetGoIsAFreeFallAndItsEnergyIsAccountedFor) {
    const double mu = kG * 4e10;
    const double half_way = (std::numbers::pi + 2.0) / 4.0 * std::sqrt(8.0 / (2.0 * mu));
    Pipeline p(two_bodies(kFromAToB, "x: [0, 0, 0], v: [0, 0, 0]", "x: [0, 2, 0], v: [0, 0, 0]"));
    const auto run = p.run({.stop = half_way, .tolerance = 1e-10, .interval = half_way}, {"pull.s", "b.v[2]"});
    ASSERT_FALSE(run.summary.failure);
    const std::size_t last = run.result.time.size() - 1;
    EXPECT_NEAR(run.result.at(last, 0), 1.0, 1e-8);
    EXPECT_NEAR(run.result.at(last, 1), -0.75 * std::sqrt(2.0 * mu * (1.0 - 0.5)), 1e-7);

    const auto balance = test::audited(p, {.stop = half_way, .tolerance = 1e-10, .interval = half_way});
    const double released = kG * 3e10 * 1e10 * (1.0 - 0.5);
    EXPECT_NEAR(test::of(balance, "pull.attraction").stored, -released, 1e-7 * released);
    EXPECT_LT(std::abs(balance.imbalance), 1e-7 * released);
}

TEST(Gravitation, ActsTheSameWhicheverEndIsFirst) {
    const simulation::Settings settings{.stop = 3.0, .tolerance = 1e-10, .interval = 3.0};
    const std::vector<std::string> names{"a.x[1]", "a.x[2]", "b.x[3]"};
    std::array<std::vector<double>, 2> ends;
    for (const bool turned : {false, true}) {
        std::string text = two_bodies(turned ? "[[b.frame_a, pull.frame_a], [a.frame_a, pull.frame_b]]" : kFromAToB,
                                      "x: [0, 0, 0], v: [0, 0.1, 0]", "x: [2, 0, 0], v: [0, -0.5, 0.3]");
        if (turned) text.replace(text.find("m_a: 3e10, m_b: 1e10"), 20, "m_a: 1e10, m_b: 3e10");
        Pipeline p(text);
        const auto run = p.run(settings, names);
        for (std::size_t k = 0; k < names.size(); ++k)
            ends[turned ? 1 : 0].push_back(run.result.at(run.result.time.size() - 1, k));
    }
    for (std::size_t k = 0; k < names.size(); ++k) EXPECT_NEAR(ends[0][k], ends[1][k], 1e-8) << names[k];
}

// The period of a pair grows with the power 3/2 of its distance, whatever that is.
TEST(Gravitation, OfAPairSwingsItRoundAtAnyScale) {
    for (const double d : {1e-9, 1.0, 1e9}) {
        const double mu = kG * 4e10;
        const double speed = std::sqrt(mu / d);
        const double quarter = 0.5 * std::numbers::pi * d / speed;
        Pipeline p(two_bodies(kFromAToB, "x: [0, 0, 0], v: [0, 0, 0]",
                              fmt::format("x: [{:.17g}, 0, 0], v: [0, {:.17g}, 0]", d, speed)));
        const auto run =
            p.run({.stop = quarter, .tolerance = 1e-9, .interval = quarter}, {"a.x[1]", "b.x[1]", "a.x[2]", "b.x[2]"});
        ASSERT_FALSE(run.summary.failure) << d << ": " << run.summary.failure->message;
        const auto& r = run.result;
        const std::size_t last = r.time.size() - 1;
        EXPECT_NEAR((r.at(last, 1) - r.at(last, 0)) / d, 0.0, 1e-6) << d;
        EXPECT_NEAR((r.at(last, 3) - r.at(last, 2)) / d, 1.0, 1e-6) << d;
    }
}

// Three bodies of any masses at the corners of an equilateral triangle that turns about their centre of mass at
// sqrt(G (m1 + m2 + m3)/d^3) stay there (Lagrange 1772).
TEST(Gravitation, KeepsAnEquilateralTriangleOfThreeBodies) {
    constexpr std::array kMasses{1.0, 2.0, 3.0};
    const double w = std::sqrt(6.0);
    const double h = std::sqrt(0.75);
    std::array<std::array<double, 2>, 3> x{{{0.0, 0.0}, {1.0, 0.0}, {0.5, h}}};
    std::array<double, 2> centre{};
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t k = 0; k < 2; ++k) centre[k] += kMasses[i] * x[i][k] / 6.0;
    }
    std::string text = "components:\n  world: {type: World, gravity: none}\n";
    for (std::size_t i = 0; i < 3; ++i) {
        for (std::size_t k = 0; k < 2; ++k) x[i][k] -= centre[k];
        const std::string n = std::to_string(i + 1);
        const auto text_of = [](double v) { return fmt::format("{:.17g}", v); };
        text += "  m" + n + ": {type: PointMass, m: " + n + ", initial: {x: [" + text_of(x[i][0]) + ", " +
                text_of(x[i][1]) + ", 0], v: [" + text_of(-w * x[i][1]) + ", " + text_of(w * x[i][0]) + ", 0]}}\n";
    }
    text +=
        "  p12: {type: Gravitation, m_a: 1, m_b: 2, G: 1}\n  p23: {type: Gravitation, m_a: 2, m_b: 3, G: 1}\n"
        "  p31: {type: Gravitation, m_a: 3, m_b: 1, G: 1}\n"
        "connect: [[m1, p12.frame_a, p31.frame_b], [m2, p23.frame_a, p12.frame_b], [m3, p31.frame_a, p23.frame_b]]\n";
    Pipeline p(text);
    const double third = 2.0 * std::numbers::pi / 3.0 / w;
    const auto run = p.run({.stop = third, .tolerance = 1e-11, .interval = third}, {"m1.x[1]", "m1.x[2]", "m3.x[1]"});
    ASSERT_FALSE(run.summary.failure);
    const std::size_t last = run.result.time.size() - 1;
    const double s = std::sqrt(0.75);
    EXPECT_NEAR(run.result.at(last, 0), -0.5 * x[0][0] - s * x[0][1], 1e-8);
    EXPECT_NEAR(run.result.at(last, 1), s * x[0][0] - 0.5 * x[0][1], 1e-8);
    EXPECT_NEAR(run.result.at(last, 2), -0.5 * x[2][0] - s * x[2][1], 1e-8);
}

TEST(Gravitation, SaysWhereBodiesFallIntoEachOtherAtAnyScale) {
    for (const std::string d : {"1e-6", "1e-3", "1e3", "1e6"}) {
        Pipeline p(two_bodies(kFromAToB, "x: [0, 0, 0], v: [0, 0, 0]", "x: [" + d + ", 0, 0], v: [0, 0, 0]"));
        const auto run = p.run({.stop = 1e9, .tolerance = 1e-6, .interval = 1e9}, {"pull.s"});
        ASSERT_TRUE(run.summary.failure) << d;
        EXPECT_THAT(run.summary.failure->message,
                    testing::HasSubstr("the ends of 'pull' coincide: the attraction is infinite there"));
    }
}

}  // namespace
}  // namespace bondgraph
