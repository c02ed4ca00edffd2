// Mechanisms with closed loops: positions, redundancy, motion and energy against closed forms, and the same mechanism
// described in several ways.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <random>
#include <regex>

#include "bondgraph/compile/reduce.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::errors_in;
using test::Pipeline;

/// Lengths of a four-bar linkage in a plane, and its closed form: the coupler's and the rocker's angles for the
/// crank's.
struct FourBar {
    double crank = 0.1, coupler = 0.35, rocker = 0.25, ground = 0.3;
    double density = 3.0;  // kg/m

    struct Position {
        double coupler, rocker;
    };
    /// The branch with the joint between coupler and rocker above the line from the crank's end to the far bearing.
    [[nodiscard]] Position at(double phi) const {
        const double x = ground - crank * std::cos(phi), y = -crank * std::sin(phi);
        const double d = std::hypot(x, y);
        const double along = (coupler * coupler - rocker * rocker + d * d) / (2 * d);
        const double high = std::sqrt(coupler * coupler - along * along);
        const double px = (along * x - high * y) / d, py = (along * y + high * x) / d;
        return {std::atan2(py, px), std::atan2(py - y, px - x)};
    }

    /// Kinetic energy at a speed of 1 and the potential energy, of uniform rods under g.
    struct Energies {
        double half_inertia, potential;
    };
    [[nodiscard]] Energies energies(double phi, double g) const {
        const Position p = at(phi);
        // Ratios of the angular velocities, from the closure's derivative.
        const double s = std::sin(p.coupler - p.rocker);
        const double w2 = -crank / coupler * std::sin(phi - p.rocker) / s;
        const double w3 = -crank / rocker * std::sin(phi - p.coupler) / s;
        const double m1 = density * crank, m2 = density * coupler, m3 = density * rocker;
        const double vx = -crank * std::sin(phi) - coupler / 2 * w2 * std::sin(p.coupler);
        const double vy = crank * std::cos(phi) + coupler / 2 * w2 * std::cos(p.coupler);
        const double kinetic = 0.5 * (m1 * crank * crank / 3 + m3 * rocker * rocker / 3 * w3 * w3 +
                                      m2 * (vx * vx + vy * vy) + m2 * coupler * coupler / 12 * w2 * w2);
        const double height = m1 * crank / 2 * std::sin(phi) +
                              m2 * (crank * std::sin(phi) + coupler / 2 * std::sin(p.coupler)) +
                              m3 * rocker / 2 * std::sin(p.rocker);
        return {kinetic, g * height};
    }

    /// Speed at an angle after a start, by conservation of energy.
    [[nodiscard]] double speed(double phi, double phi0, double w0, double g) const {
        const Energies first = energies(phi0, g), now = energies(phi, g);
        return std::sqrt((first.half_inertia * w0 * w0 + first.potential - now.potential) / now.half_inertia);
    }

    /// Time from one angle to another by Simpson's rule.
    [[nodiscard]] double time(double to, double phi0, double w0, double g) const {
        constexpr int kParts = 4000;
        double sum = 0.0;
        for (int k = 0; k <= kParts; ++k) {
            const double phi = phi0 + (to - phi0) * k / kParts;
            sum += (k == 0 || k == kParts ? 1.0 : k % 2 == 1 ? 4.0 : 2.0) / speed(phi, phi0, w0, g);
        }
        return sum * (to - phi0) / (3 * kParts);
    }
};

constexpr double kStart = 1.0, kSpeed = 25.0, kGravity = 9.81;

/// A uniform rod along x of the plane as a body; `axis`: how the plane lies (x, y and normal in the frames).
std::string rod(const FourBar& f, const std::string& name, double length) {
    const double m = f.density * length, J = m * length * length / 12;
    return fmt::format("  {}: {{type: BodyShape, r: [{}, 0, 0], r_CM: [{}, 0, 0], m: {}, I_22: {}, I_33: {}}}\n", name,
                       length, length / 2, m, J, J);
}

/// The linkage closed by the pin between coupler and rocker, given as `last`.
std::string four_bar(const FourBar& f, const std::string& last = "{type: Revolute}",
                     const std::string& root = "  world: {type: World}\n", const std::string& base = "world.frame_b") {
    const FourBar::Position p = f.at(kStart);
    return "components:\n" + root + "  bed: {type: FixedTranslation, r: [" + fmt::format("{}", f.ground) +
           ", 0, 0]}\n" + fmt::format("  a: {{type: Revolute, initial: {{phi: {}, w: {}}}}}\n", kStart, kSpeed) +
           rod(f, "crank", f.crank) +
           fmt::format("  b: {{type: Revolute, guess: {{phi: {}}}}}\n", p.coupler - kStart + 0.1) +
           rod(f, "coupler", f.coupler) + "  c: " + last + "\n" + rod(f, "rocker", f.rocker) +
           fmt::format("  d: {{type: Revolute, guess: {{phi: {}}}}}\n", p.rocker - 0.1) + "connect:\n  - [" + base +
           ", a.frame_a, bed.frame_a]\n"
           "  - [a.frame_b, crank.frame_a]\n"
           "  - [crank.frame_b, b.frame_a]\n"
           "  - [b.frame_b, coupler.frame_a]\n"
           "  - [coupler.frame_b, c.frame_a]\n"
           "  - [rocker.frame_b, c.frame_b]\n"
           "  - [bed.frame_b, d.frame_a]\n"
           "  - [d.frame_b, rocker.frame_a]\n";
}

std::vector<double> loop_at_end(std::string_view text, double stop, const std::vector<std::string>& names,
                                double tolerance = 1e-9) {
    Pipeline p(text);
    const auto run = p.run({.stop = stop, .tolerance = tolerance, .interval = stop}, names);
    EXPECT_FALSE(run.summary.failure) << (run.summary.failure ? run.summary.failure->message : "");
    std::vector<double> values;
    for (std::size_t k = 0; k < names.size(); ++k) values.push_back(run.result.at(run.result.time.size() - 1, k));
    return values;
}

/// That a run of the linkage arrives at some angle when its energy says, and with that speed.
void expect_motion_of(const FourBar& f, std::string_view text, double g = kGravity) {
    constexpr double kStop = 0.5;
    const auto end = loop_at_end(text, kStop, {"a.phi", "a.w", "d.phi", "d.w"});
    ASSERT_GT(end[0], kStart + 2 * std::numbers::pi);  // more than a turn
    EXPECT_NEAR(end[1], f.speed(end[0], kStart, kSpeed, g), 2e-6 * kSpeed);
    EXPECT_NEAR(f.time(end[0], kStart, kSpeed, g), kStop, 1e-6);  // some hundred steps of 1e-9 each
    EXPECT_NEAR(std::remainder(end[2] - f.at(end[0]).rocker, 2 * std::numbers::pi), 0.0, 1e-8);
}

TEST(ClosedLoops, APlanarFourBarKeepsItsEnergyAndTime) { expect_motion_of({}, four_bar({})); }

// Rods longer and shorter, so that the rocker turns over or nothing but the coupler does.
TEST(ClosedLoops, RandomCrankRockers) {
    std::mt19937 random(3);
    std::uniform_real_distribution<double> length(0.2, 0.5);
    int taken = 0;
    while (taken < 12) {
        const FourBar f{.crank = 0.1, .coupler = length(random), .rocker = length(random), .ground = length(random)};
        const double longest = std::max({f.coupler, f.rocker, f.ground});
        // The crank turns over with some distance to where the others are in line.
        if (0.13 + 2 * longest > f.coupler + f.rocker + f.ground) continue;
        SCOPED_TRACE(fmt::format("{} {} {}", f.coupler, f.rocker, f.ground));
        ++taken;
        expect_motion_of(f, four_bar(f));
    }
}

class LastJoint : public testing::TestWithParam<const char*> {};

TEST_P(LastJoint, IsCutOrNot) { expect_motion_of({}, four_bar({}, GetParam())); }

INSTANTIATE_TEST_SUITE_P(Of, LastJoint,
                         testing::Values("{type: CutRevolute}", "{type: CutRevolute2D}", "{type: CutSpherical}",
                                         "{type: CutUniversal, n_a: [0, 0, 1]}", "{type: CutJoint, holds: [x, y]}",
                                         "{type: CutJoint, holds: [x, y, z, rx, ry]}", "{type: Spherical}",
                                         "{type: Cylindrical, n: [0, 0, 1]}", "{type: Universal, n_a: [0, 0, 1]}"));

// The plane lies anyhow: conditions across it are no longer zero by their form, but redundant all the same.
TEST(ClosedLoops, InATiltedPlaneNumbersTellWhatIsRedundant) {
    const std::string root =
        "  world: {type: World, gravity: none}\n  tilt: {type: FixedRotation, n: [1, 2, 3], angle: 0.7}\n";
    std::string text = four_bar({}, "{type: Revolute}", root, "tilt.frame_b");
    text += "  - [world.frame_b, tilt.frame_a]\n";
    expect_motion_of({}, text, 0.0);
}

TEST(ClosedLoops, WithAxesAskewInTheirFrames) {
    std::string text = four_bar({}, "{type: Revolute}", "  world: {type: World, gravity: none}\n");
    // Every part in a frame turned against the plane: x stays in it, the normal becomes [0, 0.6, 0.8].
    for (const std::string joint : {"a", "b", "c", "d"}) {
        const std::string key = "  " + joint + ": {type: Revolute";
        text.replace(text.find(key), key.size(), key + ", n: [0, 0.6, 0.8]");
    }
    expect_motion_of({}, text, 0.0);
    Pipeline p(text);
    const auto& loops = *p.compiled().reduced->loops;
    ASSERT_EQ(loops.mechanisms.size(), 1);
    EXPECT_EQ(loops.mechanisms[0].coordinates, 4);
    EXPECT_EQ(loops.mechanisms[0].conditions(), 6);
    EXPECT_EQ(loops.mechanisms[0].redundant(), 3);
}

// Where the loop is cut follows names, and what is cut must not matter.
TEST(ClosedLoops, NamesAndOrderDontMatter) {
    const std::string text = four_bar({});
    std::mt19937 random(5);
    for (int k = 0; k < 6; ++k) {
        SCOPED_TRACE(k);
        std::vector<std::string> lines;
        std::string head, rest;
        const auto connect = text.find("connect:\n");
        const auto split = [&](const std::string& part) {
            std::vector<std::string> all;
            for (std::size_t at = 0, end = 0; (end = part.find('\n', at)) != std::string::npos; at = end + 1)
                all.push_back(part.substr(at, end - at + 1));
            std::ranges::shuffle(all, random);
            std::string joined;
            for (const std::string& line : all) joined += line;
            return joined;
        };
        std::string shuffled =
            "components:\n" + split(text.substr(12, connect - 12)) + "connect:\n" + split(text.substr(connect + 9));
        for (const std::string name : {"crank", "coupler", "rocker", "bed", "b", "c"}) {
            const std::string other = std::string(1, static_cast<char>('a' + random() % 26)) + "_" + name;
            shuffled = std::regex_replace(shuffled, std::regex("\\b" + name + "(?=[:.])"), other);
        }
        expect_motion_of({}, shuffled);
    }
}

TEST(ClosedLoops, ThroughTwoPlacesInTheWorld) {
    std::string text = four_bar({});
    text = std::regex_replace(text, std::regex("bed: .*"), "bed: {type: Fixed, r: [0.3, 0, 0]}");
    text = std::regex_replace(text, std::regex(", bed.frame_a"), "");
    expect_motion_of({}, text);
}

TEST(ClosedLoops, MountedFromEitherSide) {
    std::string text = four_bar({});
    text = std::regex_replace(text, std::regex("coupler.frame_b, c.frame_a"), "coupler.frame_b, c.frame_b");
    text = std::regex_replace(text, std::regex("rocker.frame_b, c.frame_b"), "rocker.frame_b, c.frame_a");
    expect_motion_of({}, text);
}

TEST(ClosedLoops, InOwnTypesTwice) {
    const std::string inside =
        std::regex_replace(four_bar({}, "{type: Revolute}", ""), std::regex("world.frame_b"), "foot");
    std::string text = "types:\n  Linkage:\n    connectors: {foot: {type: frame}}\n";
    for (std::size_t at = 0, end = 0; (end = inside.find('\n', at)) != std::string::npos; at = end + 1)
        text += "    " + inside.substr(at, end - at + 1);
    text +=
        "components:\n  world: {type: World}\n  one: {type: Linkage}\n  two: {type: Linkage}\n"
        "connect:\n  - [world.frame_b, one.foot, two.foot]\n";
    const auto end = loop_at_end(text, 0.5, {"one.a.phi", "one.a.w", "two.a.phi"});
    EXPECT_NEAR(end[1], FourBar{}.speed(end[0], kStart, kSpeed, kGravity), 2e-6 * kSpeed);
    // The last digit of a start decides when matrices are made anew: not nearer than the run is to the motion.
    EXPECT_NEAR(end[0], end[2], 1e-7);
}

TEST(ClosedLoops, OfPlanarFrames) {
    std::string text =
        four_bar({}, "{type: PlanarRevolute}", "  up: {type: World, gravity: none}\n  world: {type: PlanarFixed}\n");
    text = std::regex_replace(text, std::regex("type: Revolute"), "type: PlanarRevolute");
    text = std::regex_replace(text, std::regex("bed: .*"), "bed: {type: PlanarRod, r: [0.3, 0]}");
    std::string bodies;
    const FourBar f;
    for (const auto& [name, length] : {std::pair("crank", f.crank), {"coupler", f.coupler}, {"rocker", f.rocker}}) {
        const double m = f.density * length;
        const std::string n = name;
        text =
            std::regex_replace(text, std::regex("  " + n + ": .*"),
                               fmt::format("  {0}: {{type: PlanarRod, r: [{1}, 0]}}\n  {0}_body: {{type: PlanarBody, "
                                           "m: {2}, r_CM: [{3}, 0], J: {4}}}",
                                           n, length, m, length / 2, m * length * length / 12));
        bodies += "  - [" + n + ".frame_a, " + n + "_body.frame_a]\n";
    }
    expect_motion_of({}, text + bodies, 0.0);
}

// At constant speed the state is a straight line: steps must follow what depends on it.
TEST(ClosedLoops, DrivenAtConstantSpeedTheyStayOnTheirBranch) {
    const FourBar f;
    std::string text = four_bar(f);
    text = std::regex_replace(text, std::regex("initial: .phi: 1, w: 25."), "initial: {phi: 1}");
    text = std::regex_replace(text, std::regex("connect:"),
                              "  drive: {type: Sf, f: 8}\nbonds: [drive -> a.axis]\nconnect:");
    Pipeline p(text);
    const auto run = p.run({.stop = 20.0, .tolerance = 1e-6, .interval = 0.1}, {"d.phi", "a.phi"});
    ASSERT_FALSE(run.summary.failure);
    for (std::size_t k = 0; k < run.result.time.size(); ++k)
        EXPECT_NEAR(run.result.at(k, 0), f.at(run.result.at(k, 1)).rocker, 1e-5) << run.result.time[k];
}

TEST(ClosedLoops, TheGuessDecidesTheBranch) {
    const FourBar f;
    std::string text = four_bar(f);
    const double above = loop_at_end(text, 1e-3, {"d.phi"})[0];
    EXPECT_NEAR(above, f.at(kStart).rocker, 0.02);
    text = std::regex_replace(text, std::regex("\n  d: .*"), "\n  d: {type: Revolute, guess: {phi: -1.5}}");
    text = std::regex_replace(text, std::regex("\n  b: .*"), "\n  b: {type: Revolute, guess: {phi: -1.9}}");
    const double below = loop_at_end(text, 1e-3, {"d.phi"})[0];
    // The mirror image of the triangle of coupler and rocker about the line to the far bearing.
    const double line = std::atan2(-f.crank * std::sin(kStart), f.ground - f.crank * std::cos(kStart));
    const FourBar::Position p = f.at(kStart);
    EXPECT_NEAR(std::remainder(below - (2 * line - p.rocker), 2 * std::numbers::pi), 0.0, 0.05);
}

std::string bricard() {
    const char* axes[] = {"0, 0, 1", "0, 1, 0", "1, 0, 0"};
    const char* links[] = {"1, 0, 0", "0, 0, 1", "0, 1, 0", "-1, 0, 0", "0, 0, -1"};
    const char* centres[] = {"0.5, 0, 0", "0, 0, 0.5", "0, 0.5, 0", "-0.5, 0, 0", "0, 0, -0.5"};
    std::string components = "components:\n  world: {type: World}\n  last: {type: FixedTranslation, r: [0, 1, 0]}\n";
    std::string connect = "connect:\n  - [world.frame_b, j0.frame_a, last.frame_a]\n";
    for (int i = 0; i < 6; ++i) {
        components += fmt::format("  j{}: {{type: Revolute, n: [{}]{}}}\n", i, axes[i % 3],
                                  i == 0 ? ", initial: {phi: 0, w: 0}" : "");
        if (i == 5) continue;
        components +=
            fmt::format("  l{}: {{type: BodyShape, r: [{}], r_CM: [{}], m: 1, I_11: 0.08, I_22: 0.08, I_33: 0.08}}\n",
                        i, links[i], centres[i]);
        connect += fmt::format("  - [j{0}.frame_b, l{0}.frame_a]\n  - [l{0}.frame_b, j{1}.frame_a]\n", i, i + 1);
    }
    return components + connect + "  - [j5.frame_b, last.frame_b]\n";
}

// Six coordinates, six conditions, and yet it moves: one condition depends on the others in all positions that the
// linkage can take, and in no others.
TEST(ClosedLoops, BricardsLinkageMoves) {
    Pipeline p(bricard());
    const auto& m = p.compiled();
    ASSERT_EQ(m.reduced->loops->mechanisms.size(), 1);
    EXPECT_EQ(m.reduced->loops->mechanisms[0].coordinates, 6);
    EXPECT_EQ(m.reduced->loops->mechanisms[0].conditions(), 6);
    EXPECT_EQ(m.choice->removed.size(), 1);
    const auto run = p.run({.stop = 3.0, .tolerance = 1e-8, .interval = 0.01}, {"j0.phi", "l1.frame_b.x[2]"});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_FALSE(run.summary.branching);
    double least = 0.0, most = 0.0;
    for (std::size_t k = 0; k < run.result.time.size(); ++k) {
        least = std::min(least, run.result.at(k, 0));
        most = std::max(most, run.result.at(k, 0));
    }
    EXPECT_GT(most - least, 1.0);
    const auto balance = test::audited(p, {.stop = 3.0, .tolerance = 1e-8});
    EXPECT_NEAR(balance.imbalance, 0.0, 1e-3);
}

// A crank and a rocker in planes across each other, joined by a rod with a cross at one end and a ball at the other.
TEST(ClosedLoops, ASpatialFourBarCutAnywhere) {
    const std::string ends =
        "components:\n"
        "  world: {type: World}\n"
        "  a: {type: Revolute, n: [0, 0, 1], initial: {phi: 0.3, w: 8}}\n"
        "  crank: {type: BodyShape, r: [0.1, 0, 0], r_CM: [0.05, 0, 0], m: 0.5, I_11: 1e-3, I_22: 1e-3, I_33: 1e-3}\n"
        "  bed: {type: FixedTranslation, r: [0.3, 0, 0.1]}\n"
        "  d: {type: Revolute, n: [1, 0, 0], guess: {phi: 0.2}}\n"
        "  rocker: {type: BodyShape, r: [0, 0.25, 0], r_CM: [0, 0.12, 0], m: 0.7, I_11: 4e-3, I_22: 1e-3, I_33: "
        "4e-3}\n";
    const std::string joined =
        "connect:\n"
        "  - [world.frame_b, a.frame_a, bed.frame_a]\n"
        "  - [a.frame_b, crank.frame_a]\n"
        "  - [bed.frame_b, d.frame_a]\n"
        "  - [d.frame_b, rocker.frame_a]\n";
    const std::string body =
        "  rod: {type: BodyShape, r: [0.4, 0, 0], r_CM: [0.2, 0, 0], m: 0.2, I_22: 2e-3, I_33: 2e-3";
    const std::vector<std::string> names{"a.phi", "a.w", "d.phi", "d.w"};
    const std::string to_rod =
        "  - [crank.frame_b, b.frame_a]\n  - [b.frame_b, rod.frame_a]\n"
        "  - [rod.frame_b, c.frame_a]\n  - [c.frame_b, rocker.frame_b]\n";
    const std::string axes = ", n_a: [0, 0, 1], n_b: [0, 1, 0]}\n";
    const auto with = [&](const std::string& b, const std::string& c) {
        return loop_at_end(
            ends + body + ", I_11: 1e-4}\n  b: {type: " + b + "  c: {type: " + c + "}\n" + joined + to_rod, 0.5, names);
    };
    const auto plain = with("Universal" + axes, "Spherical");
    EXPECT_GT(std::abs(plain[0] - 0.3), 0.05);
    for (const auto& other : {with("Universal" + axes, "CutSpherical"), with("CutUniversal" + axes, "Spherical")}) {
        for (std::size_t k = 0; k < names.size(); ++k)
            EXPECT_NEAR(other[k], plain[k], 1e-6 * std::max(1.0, std::abs(plain[k]))) << names[k];
    }
}

// A rod without mass is a distance: two balls hold it as well, about whose line it could turn for nothing.
TEST(ClosedLoops, AMasslessRodIsADistance) {
    FourBar f;
    f.density = 3.0;
    std::string text = four_bar(f);
    text = std::regex_replace(text, std::regex("coupler: .*"), "coupler: {type: FixedTranslation, r: [0.35, 0, 0]}");
    const std::vector<std::string> names{"a.phi", "a.w", "d.phi", "d.w"};
    const auto jointed = loop_at_end(text, 0.4, names);
    text = std::regex_replace(text, std::regex("coupler: .*"), "coupler: {type: ConnectingRod, length: 0.35}");
    for (const std::string gone : {"  b: .*\\n", "  c: .*\\n", ".*crank.frame_b, b.*\\n", ".*rocker.frame_b, c.*\\n"})
        text = std::regex_replace(text, std::regex(gone), "");
    text = std::regex_replace(text, std::regex("b.frame_b, coupler"), "crank.frame_b, coupler");
    text = std::regex_replace(text, std::regex("coupler.frame_b, c.frame_a"), "coupler.frame_b, rocker.frame_b");
    const auto distance = loop_at_end(text, 0.4, names);
    for (std::size_t k = 0; k < names.size(); ++k)
        EXPECT_NEAR(distance[k], jointed[k], 1e-6 * std::max(1.0, std::abs(jointed[k]))) << names[k];
}

TEST(ClosedLoops, WhatCannotBeClosedSaysHowFarItStaysApart) {
    FourBar f;
    std::string text = four_bar(f);
    text = std::regex_replace(text, std::regex("bed: .*"), "bed: {type: FixedTranslation, r: [1.2, 0, 0]}");
    EXPECT_EQ(errors_in(text), std::vector<std::string>{"BG-I007"});
}

TEST(ClosedLoops, ContradictoryStartValuesAreNamed) {
    std::string text = four_bar({});
    text = std::regex_replace(text, std::regex("guess"), "initial");
    EXPECT_EQ(errors_in(text), std::vector<std::string>{"BG-I001"});
}

TEST(ClosedLoops, ThatCannotMoveAreRefused) {
    EXPECT_EQ(errors_in("components:\n  world: {type: World}\n  a: {type: FixedTranslation, r: [1, 0, 0]}\n"
                        "  b: {type: FixedTranslation, r: [1, 0, 0]}\n  m: {type: Body, m: 1}\n"
                        "connect:\n  - [world.frame_b, a.frame_a, b.frame_a]\n  - [a.frame_b, b.frame_b, m.frame_a]\n"),
              std::vector<std::string>{"BG-M052"});
}

// The rate of a quaternion's component may be a state beside the component: no result that a table could show.
TEST(ClosedLoops, StatesThatAreNoResultsAreNoColumns) {
    Pipeline p(R"YAML(
components:
  hinge71: {type: Revolute, n: [0.0, 0.0, 1.0], initial: {phi: -0.251, w: 2.86493201231667}}
  Rx60: {type: Body, m: 1.813, I_11: 0.13215, I_22: 0.07896, I_33: 0.10022, I_21: 0.01823, I_31: 0.00391, I_32: 0.04406}
  hinge87: {type: FixedRotation, r: [-0.157, 0.138, 0.0], n: [0.5534130010710993, 0.5889541791368322, 0.5889541791368321], angle: 2.130673093020179}
  p20: {type: CutJoint, holds: [x, rx, y, rz, z]}
  q94: {type: FixedRotation, r: [0.0, 0.0, 0.0], n_x: [1.0, 0.0, 0.0], n_y: [0.0, 0.0, 1.0]}
  Rx91: {type: CutRevolute2D, n: [0.0, 0.0, 1.0]}
  beam9: {type: Fixed, r: [-0.096, 0.219, 0.0]}
  w75: {type: FixedRotation, r: [0.114, 0.116, 0.0], n: [0.0, 0.0, -1.0], angle: 0.251}
  Rx85: {type: World}
  link_59: {type: Revolute, n: [0.0, 0.0, 1.0], guess: {phi: -0.02650512888676352}}
  Rx14: {type: BodyShape, r: [-0.003, 0.321, 0.0], m: 0.859, I_11: 0.0112, I_22: 0.03414, I_33: 0.03808, I_21: 0.0047, I_31: -0.00471, I_32: -0.00063, guess: {x: [0.024289383611431997, -0.31281955136341816, -0.0013631877047276298], q: [-0.0036588168836146537, -0.009967860354562472, -0.0077160106994928306, 0.9999138552884691]}}
  hinge46: {type: Body, m: 2.939, r_CM: [-0.07836219686259564, 0.08417461673727901, 0.182], I_11: 0.09325269267976588, I_22: 0.16034730732023422, I_33: 0.15016, I_21: -0.022406790746596517, I_31: 0.03164351559662478, I_32: -0.0002896906732439567}
  w92: {type: FixedTranslation, r: [0.015, -0.01, 0.0]}
  p67: {type: FixedTranslation, r: [0.071, -0.296, 0.0]}
connect:
  - [Rx14.frame_a, link_59.frame_a]
  - [beam9.frame_b, hinge71.frame_a]
  - [q94.frame_a, w75.frame_a]
  - [p67.frame_b, link_59.frame_b]
  - [hinge46.frame_a, w75.frame_b, hinge71.frame_b]
  - [Rx60.frame_a, p67.frame_a, hinge87.frame_a]
  - [hinge87.frame_b, p20.frame_b]
  - [Rx85.frame_b, w92.frame_a]
  - [q94.frame_b, p20.frame_a]
  - [Rx91.frame_b, w92.frame_b]
  - [Rx91.frame_a, Rx14.frame_b]
)YAML");
    const auto& m = p.compiled();
    std::size_t rates = 0;
    for (std::size_t i = 0; i < m.state_count; ++i)
        rates += m.unknowns[i].variable.index() >= p.graph().variable_count() ? 1 : 0;
    ASSERT_GT(rates, 0U);
    model::NameLookup lookup(p.graph());
    for (const std::string& name : simulation::default_outputs(m))
        EXPECT_TRUE(simulation::find_signal(lookup, name)) << name;
}

// A bevel differential: two wheels against a carrier, and a planet that turns with it and between them. Two loops
// through gears, whose bearing is reached in two ways.
TEST(ClosedLoops, GoThroughGears) {
    for (const char* carrier : {"main", "carrier", "a"}) {
        std::string text = R"(components:
  world: {type: World, gravity: none}
  MAIN: {type: Revolute, n: [1, 0, 0], initial: {phi: 0.2, w: 1}}
  left: {type: Revolute, n: [1, 0, 0], initial: {phi: 0.7, w: 3}}
  right: {type: Revolute, n: [1, 0, 0]}
  gear1: {type: GearConstraint, ratio: 1, n_a: [1, 0, 0], n_b: [0, 1, 0]}
  gear2: {type: GearConstraint, ratio: -1, n_a: [1, 0, 0], n_b: [0, 1, 0]}
  wheel1: {type: Body, m: 10, I_11: 0.5, I_22: 0.3, I_33: 0.3}
  wheel2: {type: Body, m: 10, I_11: 0.7, I_22: 0.4, I_33: 0.4}
  planet: {type: Body, m: 1, I_11: 0.2, I_22: 0.35, I_33: 0.5}
connect:
  - [world.frame_b, MAIN.frame_a, left.frame_a, right.frame_a]
  - [MAIN.frame_b, gear1.bearing, gear2.bearing]
  - [gear1.frame_a, left.frame_b, wheel1.frame_a]
  - [gear2.frame_a, right.frame_b, wheel2.frame_a]
  - [gear1.frame_b, gear2.frame_b, planet.frame_a]
)";
        for (std::size_t at = text.find("MAIN"); at != std::string::npos; at = text.find("MAIN"))
            text.replace(at, 4, carrier);
        Pipeline p(text);
        const std::string name = carrier;
        const auto run = p.run({.stop = 2.0, .tolerance = 1e-9, .interval = 1.0},
                               {name + ".phi", name + ".w", "left.w", "right.phi", "right.w"});
        ASSERT_FALSE(run.summary.failure) << carrier;
        // Lagrange's equations for the carrier's angle and the planet's, by a Runge-Kutta method of order 8.
        const std::array expected{2.0948932581, 0.8718766736, 2.8860490413, -2.4167366533, -1.1422956943};
        for (std::size_t k = 0; k < expected.size(); ++k)
            EXPECT_NEAR(run.result.at(run.result.time.size() - 1, k), expected[k], 2e-7) << carrier << k;
    }
}

}  // namespace
}  // namespace bondgraph
