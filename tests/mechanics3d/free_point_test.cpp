// Points without mass: where forces meet, their balance gives the place.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using Vec = Eigen::Vector3d;

simulation::Run run_of(Pipeline& p, const std::vector<std::string>& names, double stop, double tolerance = 1e-9) {
    auto run = p.run({.stop = stop, .tolerance = tolerance, .interval = stop / 4}, names);
    EXPECT_FALSE(run.summary.failure) << run.summary.failure->message;
    return run;
}

// 1/c = 1/c1 + 1/c2: both springs stretch in the proportion of their compliances.
TEST(FreePoint, BetweenTwoSpringsMakesThemOneSpring) {
    Pipeline p(
        "components:\n  world: {type: World, g: 9.81}\n  node: {type: FreePoint, guess: {x: [0, -0.9, 0]}}\n"
        "  ball: {type: PointMass, m: 3, initial: {x: [0, -2.3, 0], v: [0, 0, 0]}}\n"
        "  s1: {type: Spring, c: 100, s_unstretched: 0.9}\n  s2: {type: Spring, c: 300, s_unstretched: 1}\n"
        "connect: [[world, s1.frame_a], [node, s1.frame_b, s2.frame_a], [ball, s2.frame_b]]\n");
    const double c = 1.0 / (1.0 / 100.0 + 1.0 / 300.0);
    const double rest = -1.9 - 3.0 * 9.81 / c;
    const double w = std::sqrt(c / 3.0);
    const auto run = run_of(p, {"ball.x[2]", "node.x[2]", "node.v[2]", "s1.f", "s2.f"}, 2.0, 1e-10);
    for (std::size_t k = 0; k < run.result.time.size(); ++k) {
        const double t = run.result.time[k];
        const double y = rest + (-2.3 - rest) * std::cos(w * t);
        EXPECT_NEAR(run.result.at(k, 0), y, 1e-7);
        EXPECT_NEAR(run.result.at(k, 1), -0.9 + (y + 1.9) * c / 100.0, 1e-7);
        EXPECT_NEAR(run.result.at(k, 2), -(-2.3 - rest) * w * std::sin(w * t) * c / 100.0, 1e-6);
        EXPECT_NEAR(run.result.at(k, 3), run.result.at(k, 4), 1e-9);
    }
    EXPECT_EQ(run.result.at(0, 0), -2.3);
    const auto balance = test::audited(p, {.stop = 2.0, .tolerance = 1e-9});
    EXPECT_LT(std::abs(balance.imbalance), 1e-6);
}

struct Line {
    Vec hook;
    double c;
    double d;
    double length;
};

const std::array<Line, 4> kLines{Line{{1.0, 0.0, 0.0}, 100.0, 5.0, 0.5}, Line{{-1.0, 0.2, 0.0}, 150.0, 6.0, 0.5},
                                 Line{{0.0, 1.0, 0.5}, 200.0, 7.0, 0.5}, Line{{0.0, 0.1, -1.0}, 250.0, 8.0, 0.5}};

Vec load_at(double time) { return {0.5, -10.0 * (1.0 + std::sin(3.0 * time)), 1.0}; }

/// A star of lines about a point, loaded; `carrier` stands for the point.
std::string star(std::size_t count, const std::string& line, const std::string& carrier = "{type: FreePoint}") {
    std::string text = "components:\n  world: {type: World, gravity: none}\n  node: " + carrier +
                       "\n  load: {type: WorldForce, f: [0.5, -10*(1 + sin(3*time)), 1]}\n";
    std::string joined = "node, load.frame_b";
    std::string connect;
    for (std::size_t k = 0; k < count; ++k) {
        const Line& l = kLines[k];
        const std::string damping = line == "Spring" ? "" : fmt::format(", d: {}", l.d);
        text += fmt::format(
            "  h{0}: {{type: Fixed, r: [{1}, {2}, {3}]}}\n  s{0}: {{type: {4}, c: {5}, s_unstretched: {6}{7}}}\n", k,
            l.hook.x(), l.hook.y(), l.hook.z(), line, l.c, l.length, damping);
        connect += fmt::format(", [h{0}, s{0}.frame_a]", k);
        joined += fmt::format(", s{}.frame_b", k);
    }
    return text + "connect: [[" + joined + "]" + connect + "]\n";
}

const std::vector<std::string> kPlace{"node.x[1]", "node.x[2]", "node.x[3]"};

Vec place_in(const simulation::Run& run, std::size_t row) {
    return {run.result.at(row, 0), run.result.at(row, 1), run.result.at(row, 2)};
}

Vec springs_at(const Vec& x, std::size_t count) {
    Vec sum = Vec::Zero();
    for (std::size_t k = 0; k < count; ++k) {
        const Vec r = kLines[k].hook - x;
        sum += kLines[k].c * (r.norm() - kLines[k].length) / r.norm() * r;
    }
    return sum;
}

TEST(FreePoint, IsWhereTheForcesOfThreeSpringsAndALoadBalance) {
    for (const std::size_t count : {std::size_t{3}, std::size_t{4}}) {
        Pipeline p(star(count, "Spring", "{type: FreePoint, guess: {x: [0.1, -0.3, 0.2]}}"));
        const auto run = run_of(p, kPlace, 2.0);
        for (std::size_t row = 0; row < run.result.time.size(); ++row)
            EXPECT_LT((springs_at(place_in(run, row), count) + load_at(run.result.time[row])).norm(), 1e-6);
        EXPECT_TRUE(p.sorted().states.empty());
    }
}

// Dampers in all directions: D(x) dx/dt is the sum of all other forces.
Vec velocity(const Vec& x, double time) {
    Eigen::Matrix3d D = Eigen::Matrix3d::Zero();
    for (const Line& l : kLines) {
        const Vec u = (l.hook - x).normalized();
        D += l.d * u * u.transpose();
    }
    return D.partialPivLu().solve(springs_at(x, kLines.size()) + load_at(time));
}

TEST(FreePoint, MovesAtTheRateAtWhichDampersBalanceTheOtherForces) {
    constexpr int kSteps = 4000;
    constexpr double kStop = 2.0;
    const double h = kStop / kSteps;
    Vec x(0.1, -0.3, 0.2);
    for (int k = 0; k < kSteps; ++k) {  // Runge-Kutta
        const double t = k * h;
        const Vec a = velocity(x, t);
        const Vec b = velocity(x + 0.5 * h * a, t + 0.5 * h);
        const Vec c = velocity(x + 0.5 * h * b, t + 0.5 * h);
        x += h / 6.0 * (a + 2.0 * b + 2.0 * c + velocity(x + h * c, t + h));
    }
    const std::string line = "SpringDamperParallel";
    Pipeline p(star(4, line, "{type: FreePoint, initial: {x: [0.1, -0.3, 0.2]}}"));
    const auto run = run_of(p, kPlace, kStop);
    EXPECT_LT((place_in(run, run.result.time.size() - 1) - x).norm(), 1e-7);

    // It is what a mass there comes to as it vanishes.
    double last = 0.0;
    for (const double m : {1e-2, 1e-3}) {
        Pipeline massive(star(4, line, fmt::format("{{type: PointMass, m: {}, initial: {{x: [0.1, -0.3, 0.2]}}}}", m)));
        const auto other = run_of(massive, kPlace, kStop);
        const double off = (place_in(other, other.result.time.size() - 1) - x).norm();
        if (last > 0.0) {
            EXPECT_NEAR(off / last, 0.1, 0.02);
        }
        last = off;
    }
}

TEST(FreePoint, IsTheSameInAnyOrderUnderAnyNameAndInATypeOfItsOwn) {
    Pipeline p(star(4, "Spring", "{type: FreePoint, guess: {x: [0.1, -0.3, 0.2]}}"));
    const Vec expected = place_in(run_of(p, kPlace, 1.0), 4);
    for (std::uint32_t seed = 1; seed <= 2; ++seed) {
        std::mt19937 random(seed);
        model::Model shuffled = p.model();
        std::ranges::shuffle(shuffled.body.components, random);
        std::ranges::shuffle(shuffled.body.connects, random);
        Pipeline again(shuffled);
        EXPECT_LT((place_in(run_of(again, kPlace, 1.0), 4) - expected).norm(), 1e-9);
    }
    std::string text = star(4, "Spring", "{type: Knot}");
    text =
        "types:\n  Knot:\n    connectors: {frame_a: frame}\n    components: {a: {type: FreePoint, guess: {x: [0.1, "
        "-0.3, "
        "0.2]}}}\n    connect: [[frame_a, a.frame_a]]\n" +
        text;
    Pipeline wrapped(text);
    EXPECT_LT((place_in(run_of(wrapped, {"node.a.x[1]", "node.a.x[2]", "node.a.x[3]"}, 1.0), 4) - expected).norm(),
              1e-9);
}

// A rod of constant length holds it on a sphere: what is left along the sphere balances.
TEST(FreePoint, OnARodIsWhereNoForceIsLeftAcrossIt) {
    Pipeline p(
        "components:\n  world: {type: World, gravity: none}\n  node: {type: FreePoint, guess: {x: [0.1, -1, 0.1]}}\n"
        "  rod: {type: ConnectingRod, length: 1}\n  e: {type: Fixed, r: [1, -0.5, 0.3]}\n"
        "  s: {type: Spring, c: 100, s_unstretched: 0.2}\n  load: {type: WorldForce, f: [0, -10*(1 + sin(2*time)), "
        "0]}\n"
        "connect: [[world, rod.frame_a], [e, s.frame_a], [node, rod.frame_b, s.frame_b, load.frame_b]]\n");
    const auto run = run_of(p, kPlace, 2.0);
    for (std::size_t row = 0; row < run.result.time.size(); ++row) {
        const Vec x = place_in(run, row);
        const Vec r = Vec(1.0, -0.5, 0.3) - x;
        const Vec f = 100.0 * (r.norm() - 0.2) / r.norm() * r +
                      Vec(0.0, -10.0 * (1.0 + std::sin(2.0 * run.result.time[row])), 0.0);
        EXPECT_NEAR(x.norm(), 1.0, 1e-9);
        EXPECT_LT(x.cross(f).norm(), 1e-6);
    }
}

// A rope of given length over it, loaded: both parts pull alike, so that the load halves the angle between them.
TEST(FreePoint, OnARopeOfGivenLengthIsWhereItsPartsPullAlike) {
    Pipeline p(
        "components:\n  world: {type: World, gravity: none}\n  node: {type: FreePoint, guess: {x: [0.5, -1, 0]}}\n"
        "  a: {type: LineForce}\n  b: {type: LineForce}\n  rope: {type: 0}\n  winch: {type: Sf, f: -0.1}\n"
        "  e: {type: Fixed, r: [1, 0, 0]}\n  load: {type: WorldForce, f: [2, -10, 0.5]}\n"
        "bonds: [a.line -> rope, b.line -> rope, winch -> rope]\n"
        "connect: [[world, a.frame_a], [e, b.frame_a], [node, a.frame_b, b.frame_b, load.frame_b]]\n");
    const auto run = run_of(p, {"node.x[1]", "node.x[2]", "node.x[3]", "a.f", "b.f", "a.s", "b.s"}, 2.0);
    const std::size_t last = run.result.time.size() - 1;
    const Vec x = place_in(run, last);
    EXPECT_NEAR(run.result.at(last, 3), run.result.at(last, 4), 1e-9);
    const Vec pull = run.result.at(last, 3) * ((-x).normalized() + (Vec(1.0, 0.0, 0.0) - x).normalized());
    EXPECT_LT((pull + Vec(2.0, -10.0, 0.5)).norm(), 1e-6);
    const double change = run.result.at(last, 5) + run.result.at(last, 6) - run.result.at(0, 5) - run.result.at(0, 6);
    EXPECT_NEAR(std::abs(change), 0.2, 1e-7);
}

TEST(FreePoint, OnABodyChangesNothing) {
    const std::string text =
        "components:\n  world: {type: World}\n  hinge: {type: Revolute, initial: {phi: 1}}\n"
        "  rod: {type: BodyShape, r: [1, 0, 0], r_CM: [0.5, 0, 0], m: 1, I_33: 0.1}\n  p: {type: FreePoint}\n"
        "connect: [[world, hinge.frame_a], [hinge.frame_b, rod.frame_a], [rod.frame_b, p]]\n";
    std::string without = text;
    without.replace(without.find("  p: {type: FreePoint}\n"), 23, "");
    without.replace(without.find(", [rod.frame_b, p]"), 18, "");
    Pipeline p(text);
    Pipeline q(without);
    EXPECT_EQ(run_of(p, {"hinge.phi"}, 1.0).result.at(4, 0), run_of(q, {"hinge.phi"}, 1.0).result.at(4, 0));
}

// What has a mass carries it, whichever comes first by name and in the file: it adds no place to those of the body.
TEST(FreePoint, OnAThrownBodyChangesNothing) {
    for (const std::string body : {"a", "z"}) {
        const std::string text = "components:\n  world: {type: World}\n  m: {type: FreePoint}\n  " + body +
                                 ": {type: Body, m: 1, I_11: 1, I_22: 2, I_33: 3, initial: {x: [1, 2, 3], v: [1, 0, "
                                 "0], w: [1, 2, 3]}}\n  pull: "
                                 "{type: Spring, c: 5, s_unstretched: 1}\nconnect: [[" +
                                 body + ", m, pull.frame_b], [world, pull.frame_a]]\n";
        std::string without = text;
        without.replace(without.find("  m: {type: FreePoint}\n"), 23, "");
        without.replace(without.find(", m, pull"), 9, ", pull");
        const std::vector<std::string> names{body + ".x[1]", body + ".w[3]"};
        Pipeline p(text);
        Pipeline q(without);
        const auto with_point = run_of(p, names, 1.0).result;
        const auto alone = run_of(q, names, 1.0).result;
        for (std::size_t k = 0; k < names.size(); ++k) EXPECT_EQ(with_point.at(4, k), alone.at(4, k)) << names[k];
    }
}

}  // namespace
}  // namespace bondgraph
