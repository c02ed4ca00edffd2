// Rates of mechanisms that nothing gives: joints keep still where they can, and what moves doesn't depend on how the
// model is written.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Cholesky>
#include <Eigen/Core>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <random>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using testing::Contains;
using testing::IsEmpty;

/// A model as lists of lines, which come in any order.
struct Lines {
    std::string types;
    std::vector<std::string> components;
    std::vector<std::string> connections;
    std::vector<std::string> bonds;

    [[nodiscard]] std::string text() const {
        std::string all = types + "components:\n";
        for (const std::string& line : components) all += "  " + line + "\n";
        all += "connect:\n";
        for (const std::string& line : connections) all += "  - " + line + "\n";
        if (!bonds.empty()) all += "bonds:\n";
        for (const std::string& line : bonds) all += "  - " + line + "\n";
        return all;
    }
    [[nodiscard]] Lines shuffled(unsigned seed) const {
        Lines result = *this;
        std::mt19937 random(seed);
        for (auto* list : {&result.components, &result.connections, &result.bonds})
            std::shuffle(list->begin(), list->end(), random);
        return result;
    }
};

std::vector<std::string> defaulted(const simulation::Summary& summary) {
    std::vector<std::string> names;
    for (const auto& d : summary.defaulted) names.push_back(d.name);
    return names;
}

constexpr const char* kAxle =
    "type: RollingWheelSet, radius: 0.2 m, track: 0.8 m, m: 4 kg, I_axis: 0.08 kg.m2, I_long: 0.4 kg.m2, n: [0, 0, 1]";

/// Two axles in line: the speeds of the rear wheels are given, and with them the steering angle, but not its rate.
Lines cart() {
    return {
        "",
        {"world: {type: World, n: [0, 0, -1]}",
         fmt::format("rear: {{{}, initial: {{x: 0, y: 0, phi: 0, w_1: 2, w_2: 2.2}}}}", kAxle),
         "hub: {type: Revolute, n: [0, 1, 0]}",
         "body: {type: Body, m: 40 kg, r_CM: [0.4, 0, 0.1], I_11: 2, I_22: 5, I_33: 6}",
         "length: {type: FixedTranslation, r: [0.9, 0, 0]}", "pitch: {type: Revolute, n: [0, 1, 0]}",
         "steer: {type: Revolute, n: [0, 0, 1], guess: {phi: 0.1}}",
         fmt::format("front: {{{}, guess: {{x: 0.9}}}}", kAxle), "spring: {type: C, K: 40, initial: {q: 0.05}}"},
        {"[rear.frame_middle, hub.frame_a]", "[hub.frame_b, body.frame_a, length.frame_a]",
         "[length.frame_b, pitch.frame_a]", "[pitch.frame_b, steer.frame_a]", "[steer.frame_b, front.frame_middle]"},
        {"steer.axis -> spring"}};
}

/// The same, its steering a type of its own.
Lines cart_of_types() {
    Lines lines = cart();
    lines.types = fmt::format(R"(types:
  Steering:
    connectors: {{a: frame}}
    components:
      front: {{{}, guess: {{x: 0.9}}}}
      spring: {{type: C, K: 40, initial: {{q: 0.05}}}}
      pitch: {{type: Revolute, n: [0, 1, 0]}}
      steer: {{type: Revolute, n: [0, 0, 1], guess: {{phi: 0.1}}}}
    connect:
      - [a, pitch.frame_a]
      - [pitch.frame_b, steer.frame_a]
      - [steer.frame_b, front.frame_middle]
    bonds: [spring -> steer.axis]
)",
                              kAxle);
    lines.components.resize(5);
    lines.components.emplace_back("of: {type: Steering}");
    lines.connections.resize(2);
    lines.connections.emplace_back("[length.frame_b, of.a]");
    lines.bonds.clear();
    return lines;
}

/// Where steering and wheels have come to after 1 s.
std::vector<double> steered(const std::string& text, const std::string& prefix = "") {
    SCOPED_TRACE(text);
    Pipeline p(text);
    const std::vector<std::string> names{prefix + "steer.phi", prefix + "steer.w", prefix + "front.w_1",
                                         prefix + "front.w_2", "rear.w_1",         "rear.w_2"};
    const auto run = p.run({.stop = 1.0, .tolerance = 1e-8, .interval = 1.0}, names);
    EXPECT_FALSE(run.summary.failure);
    // v = 0.2 (2 + 2.2) / 2, yaw rate 0.2 * 0.2 / 0.8: the front axle, 0.9 m ahead, goes where it is led and turns with
    // the cart.
    const double speed = std::hypot(0.42, 0.9 * 0.05) / 0.2;
    EXPECT_NEAR(run.result.at(0, 0), std::atan(0.9 * 0.05 / 0.42), 1e-12);
    EXPECT_NEAR(run.result.at(0, 1), 0.0, 1e-14);
    EXPECT_NEAR(run.result.at(0, 2), speed - 0.1, 1e-12);
    EXPECT_NEAR(run.result.at(0, 3), speed + 0.1, 1e-12);
    EXPECT_EQ(run.result.at(0, 4), 2.0);
    EXPECT_EQ(run.result.at(0, 5), 2.2);
    std::vector<double> end;
    for (std::size_t k = 0; k < names.size(); ++k) end.push_back(run.result.at(run.result.time.size() - 1, k));
    return end;
}

void expect_steered(const std::string& text, const std::string& prefix = "") {
    const std::vector<double> first = steered(cart().text());
    EXPECT_GT(std::abs(first[0] - 0.107), 0.01);  // the spring turns it
    const std::vector<double> end = steered(text, prefix);
    for (std::size_t k = 0; k < end.size(); ++k) EXPECT_NEAR(end[k], first[k], 1e-6) << k << "\n" << text;
}

TEST(StartRates, AJointKeepsStillAndWheelsFollow) {
    expect_steered(cart().text());
    for (const unsigned seed : {1U, 2U, 3U, 4U, 5U, 6U}) expect_steered(cart().shuffled(seed).text());
}

TEST(StartRates, TheSameWithinATypeAndBesideOtherThings) {
    expect_steered(cart_of_types().text(), "of.");
    for (const unsigned seed : {1U, 2U, 3U}) expect_steered(cart_of_types().shuffled(seed).text(), "of.");
    Lines beside = cart();
    beside.bonds[0] = "spring -> steer.axis";
    for (const char* line : {"source: {type: Se, e: if time < 0.5 then 1 else -1}", "j: {type: 1}",
                             "mass: {type: I, I: 1, initial: {f: 3}}", "other: {type: C, C: 0.01}"})
        beside.components.emplace_back(line);
    for (const char* line : {"source -> j", "j -> mass", "j -> other"}) beside.bonds.emplace_back(line);
    for (const unsigned seed : {1U, 2U, 3U}) expect_steered(beside.shuffled(seed).text());
}

TEST(StartRates, WhatNothingGivesIsTold) {
    Lines lines = cart();
    lines.components.insert(lines.components.end(), {"turn: {type: 1}", "meter: {type: Dq}"});
    lines.bonds = {"steer.axis -> turn", "turn -> spring", "turn -> meter"};
    Pipeline p(lines.text());
    const auto run = p.run({.stop = 1e-3, .tolerance = 1e-6, .interval = 1e-3}, {"steer.w"});
    EXPECT_THAT(defaulted(run.summary), Contains("steer.w"));
    EXPECT_THAT(defaulted(run.summary), Contains("meter.y"));  // which no equation names
}

// The orientation of a body that is held is a quaternion, whose length is no freedom.
TEST(StartRates, AnOrientationThatFollowsIsNotTold) {
    Pipeline p(R"(components:
  ground: {type: World}
  body: {type: Body, m: 1, I_11: 0.1, I_22: 0.1, I_33: 0.1, guess: {x: [0, 0, -0.5]}}
  hip: {type: Revolute, n: [0, 1, 0], initial: {phi: 0.3, w: 0.2}}
  arm: {type: FixedTranslation, r: [0, 0, -0.5]}
  hold: {type: CutRigid}
connect:
  - [ground.frame_b, hip.frame_a]
  - [hip.frame_b, arm.frame_a]
  - [arm.frame_b, hold.frame_a]
  - [hold.frame_b, body.frame_a]
)");
    const auto run = p.run({.stop = 1e-3, .tolerance = 1e-6, .interval = 1e-3}, {"hip.w"});
    EXPECT_THAT(defaulted(run.summary), IsEmpty());
}

/// Five hinges in a plane: two freedoms.
Lines five_bar(const std::string& of_j1, const std::string& of_j5) {
    const auto link = [](const char* name, double length) {
        return fmt::format("{}: {{type: BodyShape, r: [{}, 0, 0], m: 1, I_11: 1e-3, I_22: 2e-3, I_33: 2e-3}}", name,
                           length);
    };
    const auto hinge = [](const char* name, const std::string& start) {
        return fmt::format("{}: {{type: Revolute, n: [0, 0, 1]{}}}", name, start);
    };
    return {
        "",
        {"ground: {type: World}", "base: {type: FixedTranslation, r: [0.4, 0, 0]}", hinge("j1", of_j1),
         link("l1", 0.15), hinge("j2", ", guess: {phi: -1.4}"), link("l2", 0.35), hinge("j3", ", guess: {phi: -1.2}"),
         link("l3", 0.3), hinge("j4", ", guess: {phi: -1}"), link("l4", 0.2), hinge("j5", of_j5)},
        {"[ground.frame_b, j1.frame_a, base.frame_a]", "[j1.frame_b, l1.frame_a]", "[l1.frame_b, j2.frame_a]",
         "[j2.frame_b, l2.frame_a]", "[l2.frame_b, j3.frame_a]", "[j3.frame_b, l3.frame_a]", "[l3.frame_b, j4.frame_a]",
         "[j4.frame_b, l4.frame_a]", "[l4.frame_b, j5.frame_a]", "[j5.frame_b, base.frame_b]"},
        {}};
}

/// The start of a five-bar: angles, rates and places (1, x, y) of j1 to j5, and what is told.
struct Begun {
    std::vector<double> phi, w;
    Eigen::Matrix<double, 3, 5> turns;
    std::vector<std::string> moved, defaulted;
};
Begun begun(const std::string& text) {
    SCOPED_TRACE(text);
    Pipeline p(text);
    std::vector<std::string> names;
    for (int k = 1; k <= 5; ++k) {
        for (const char* of : {"phi", "w", "frame_a.x[1]", "frame_a.x[2]"})
            names.push_back(fmt::format("j{}.{}", k, of));
    }
    const auto run = p.run({.stop = 1e-3, .tolerance = 1e-6, .interval = 1e-3}, names);
    EXPECT_FALSE(run.summary.failure);
    Begun result;
    for (std::size_t k = 0; k < 5; ++k) {
        result.phi.push_back(run.result.at(0, 4 * k));
        result.w.push_back(run.result.at(0, 4 * k + 1));
        result.turns.col(static_cast<Eigen::Index>(k)) << 1.0, run.result.at(0, 4 * k + 2), run.result.at(0, 4 * k + 3);
    }
    for (const auto& m : run.summary.moved) result.moved.push_back(m.name);
    result.defaulted = defaulted(run.summary);
    return result;
}

// The rates about all hinges add up to nothing, and so do the velocities that they give to a point: those not given are
// as small as they can be together.
void expect_least_rates(const std::string& text) {
    SCOPED_TRACE(text);
    const Begun start = begun(text);
    const Eigen::Matrix<double, 3, 4> others = start.turns.rightCols<4>();
    const Eigen::Vector4d rates =
        others.transpose() * (others * others.transpose()).ldlt().solve(-2.0 * start.turns.col(0));
    EXPECT_NEAR(start.w[0], 2.0, 1e-12);
    for (std::size_t k = 1; k < 5; ++k) EXPECT_NEAR(start.w[k], rates(static_cast<Eigen::Index>(k) - 1), 1e-9) << k;
    EXPECT_EQ(start.defaulted.size(), 1U);
}

TEST(StartRates, JointsOfALoopShareWhatNothingGives) {
    const Lines lines = five_bar(", initial: {phi: 2, w: 2}", "");
    expect_least_rates(lines.text());
    for (const unsigned seed : {1U, 2U, 3U, 4U}) expect_least_rates(lines.shuffled(seed).text());
    Lines held = lines;  // a spring on a hinge is no further coordinate
    held.components.emplace_back("spring: {type: C, K: 5, initial: {q: 0}}");
    held.bonds.emplace_back("j3.axis -> spring");
    for (const unsigned seed : {0U, 1U, 2U, 3U, 4U}) expect_least_rates(held.shuffled(seed).text());
}

// With j1 alone given the linkage may still move: it is found where what the guesses are off by has no part along that
// motion.
TEST(StartPositions, AreNearestToTheGuessesWhateverTheOrder) {
    const Lines lines = five_bar(", initial: {phi: 2}", "");
    const Begun first = begun(lines.text());
    const Eigen::Matrix<double, 3, 4> others = first.turns.rightCols<4>();
    const Eigen::Matrix4d square = others.transpose() * others;
    const Eigen::Vector4d motion = square.fullPivLu().kernel().col(0).normalized();
    const Eigen::Vector3d off(first.phi[1] + 1.4, first.phi[2] + 1.2, first.phi[3] + 1.0);
    EXPECT_GT(off.norm(), 0.1);
    EXPECT_NEAR(off.dot(motion.head<3>()), 0.0, 1e-8);
    EXPECT_THAT(first.moved, testing::UnorderedElementsAre("j2.phi", "j3.phi", "j4.phi"));
    for (const unsigned seed : {1U, 2U, 3U, 4U, 5U}) {
        const Begun again = begun(lines.shuffled(seed).text());
        for (std::size_t k = 0; k < 5; ++k) EXPECT_NEAR(again.phi[k], first.phi[k], 1e-9) << seed << " " << k;
    }
}

// Cut at other places, as it is by names, the same loop was closed in its mirror image.
TEST(StartPositions, AreOfTheBranchThatIsNearerWhateverTheNames) {
    Lines lines = five_bar(", initial: {phi: 2}", "");
    lines.components[6] = "j3: {type: Revolute, n: [0, 0, 1], initial: {phi: -1.2}}";
    for (const char* name : {"l2", "a2", "z2"}) {
        std::string text = lines.text();
        for (std::size_t at = text.find("l2"); at != std::string::npos; at = text.find("l2", at + 2))
            text.replace(at, 2, name);
        const Begun result = begun(text);
        EXPECT_NEAR(result.phi[1], -1.35933, 1e-5) << name;
        EXPECT_NEAR(result.phi[3], -1.38217, 1e-5) << name;
    }
}

// A bicycle of which the guesses hardly fit: kept to the last, they bent the rest to where it didn't come together.
TEST(StartPositions, GuessesGiveWayWhereTheyHardlyFit) {
    const std::string bicycle = R"(components:
  ground: {type: World, n: [0, 0, -1]}
  rear: {type: RollingWheel, radius: 0.3, m: 2, I_axis: 0.12, I_long: 0.06, n: [0, 0, 1], n_x: [1, 0, 0], orientation: angles, sequence: [3, 1, 2], initial: {x: 0, y: 0}, guess: {angles: [0, 0.05, 0]}}
  rhub: {type: Revolute, n: [0, 1, 0]}
  body: {type: BodyShape, r: [1.1, 0, -0.3], r_CM: [0.3, 0, 0.6], m: 85, I_11: 9.2, I_22: 11, I_33: 2.8, I_31: -2.4}
  steer: {type: Revolute, n: [-0.309, 0, 0.951], initial: {phi: 0.1}}
  fork: {type: BodyShape, r: [-0.08, 0, 0.35], r_CM: [-0.2, 0, 0.7], m: 4, I_11: 0.0589, I_22: 0.06, I_33: 0.007, I_31: 0.0075}
  fhub: {type: Revolute, n: [0, 1, 0], initial: {w: 12}}
  front: {type: RollingWheel, radius: 0.35, m: 3, I_axis: 0.28, I_long: 0.14, n: [0, 0, 1], n_x: [1, 0, 0], orientation: angles, sequence: [3, 1, 2], guess: {x: 1.02}}
connect:
  - [rear.frame_a, rhub.frame_a]
  - [rhub.frame_b, body.frame_a]
  - [body.frame_b, steer.frame_a]
  - [steer.frame_b, fork.frame_a]
  - [fork.frame_b, fhub.frame_a]
  - [fhub.frame_b, front.frame_a]
)";
    using Names = std::vector<std::pair<std::string, std::string>>;
    for (const Names& names : {Names{}, Names{{"rhub", "a"},
                                              {"ground", "b"},
                                              {"steer", "c"},
                                              {"fhub", "d1"},
                                              {"rear", "d2"},
                                              {"fork", "e"},
                                              {"front", "h1"},
                                              {"body", "h2"}}}) {
        std::string text = bicycle;
        std::vector<std::string> wanted{"steer.phi", "fhub.w", "rear.x", "rear.y"};
        for (const auto& [from, to] : names) {
            const std::regex name("\\b" + from + "\\b");
            text = std::regex_replace(text, name, to);
            for (std::string& w : wanted) w = std::regex_replace(w, name, to);
        }
        Pipeline p(text);
        const auto run = p.run({.stop = 1e-3, .tolerance = 1e-6, .interval = 1e-3}, wanted);
        ASSERT_FALSE(run.summary.failure) << text;
        EXPECT_NEAR(run.result.at(0, 0), 0.1, 1e-12);
        EXPECT_NEAR(run.result.at(0, 1), 12.0, 1e-9);
        EXPECT_NEAR(run.result.at(0, 2), 0.0, 1e-12);
        EXPECT_NEAR(run.result.at(0, 3), 0.0, 1e-12);
    }
}

TEST(StartRates, NothingIsToldOfWhatIsGivenOrGuessed) {
    const auto told = [](const char* of_j1, const char* of_j5) {
        return begun(five_bar(of_j1, of_j5).text()).defaulted;
    };
    EXPECT_THAT(told(", initial: {phi: 2, w: 2}", ", guess: {w: 1}"), IsEmpty());
    EXPECT_THAT(told(", initial: {phi: 2, w: 2}", ", initial: {w: 1}"), IsEmpty());
    EXPECT_EQ(told(", initial: {phi: 2}", "").size(), 2U);  // the rates
}

}  // namespace
}  // namespace bondgraph
