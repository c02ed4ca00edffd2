// Loops that a dyad closes in a plane: its coordinates are functions of the others, and the integrator is left with the
// states. Closed positions, angles that go on beyond half turns, and energy tell whether the functions are right.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "bondgraph/compile/reduce.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using Names = std::vector<std::string>;

/// What follows the crank: its parts, connections, joints whose angles or places are looked at, and pairs of frames
/// that must be one point.
struct Dyad {
    const char* name;
    std::string parts;
    std::string connect;
    Names joints;
    std::vector<std::pair<std::string, std::string>> together;
    double crank = 0.1;  ///< m
};

std::string rod(const char* name, double length) {
    return fmt::format("  {}: {{type: BodyShape, r: [{}, 0, 0], r_CM: [{}, 0, 0], m: 0.7, I_33: 0.003}}\n", name,
                       length, length / 2);
}
std::string hinge(const char* name, double guess) {
    return fmt::format("  {}: {{type: Revolute, n: N, guess: {{phi: {}}}}}\n", name, guess);
}
std::string bearing(double x, double y) {
    return fmt::format("  bed: {{type: FixedTranslation, r: [{}, {}, 0]}}\n", x, y);
}
const char* const kRodOnCrank = "  - [crank.frame_b, big.frame_a]\n  - [big.frame_b, rod.frame_a]\n";
const char* const kRockerOnBed = "  - [bed.frame_b, far.frame_a]\n  - [far.frame_b, rocker.frame_a]\n";
const char* const kPinOnRod = "  - [rod.frame_b, small.frame_a]\n";

Dyad three_hinges(const char* name, double crank, double coupler, double rocker, double ground, double side) {
    return {name,
            bearing(ground, 0.0) + rod("rod", coupler) + rod("rocker", rocker) + hinge("big", 0.8 * side) +
                hinge("small", 0.0) + hinge("far", 1.6 * side),
            std::string(kRodOnCrank) + kRockerOnBed + kPinOnRod + "  - [small.frame_b, rocker.frame_b]\n",
            {"big.phi", "small.phi", "far.phi"},
            {{"crank.frame_b", "rod.frame_a"}, {"rod.frame_b", "rocker.frame_b"}, {"bed.frame_b", "rocker.frame_a"}},
            crank};
}

std::vector<Dyad> dyads() {
    const std::string slider = "  slider: {type: Body, m: 0.5}\n";
    const auto guide = [](const char* direction, double guess) {
        return fmt::format("  guide: {{type: Prismatic, n: {}, guess: {{s: {}}}}}\n", direction, guess);
    };
    std::vector<Dyad> all{
        three_hinges("crank_rocker", 0.1, 0.35, 0.25, 0.3, 1.0),
        three_hinges("crank_rocker_below", 0.1, 0.35, 0.25, 0.3, -1.0),
        three_hinges("both_turn", 0.3, 0.32, 0.28, 0.1, 1.0),
        three_hinges("both_turn_below", 0.3, 0.32, 0.28, 0.1, -1.0),
    };
    const std::vector<std::pair<std::string, std::string>> closed{{"crank.frame_b", "rod.frame_a"},
                                                                  {"rod.frame_b", "slider.frame_a"}};
    for (const double side : {1.0, -1.0}) {
        all.push_back({side > 0.0 ? "slider" : "slider_behind",
                       bearing(0.02, 0.03) + rod("rod", 0.3) + hinge("big", side > 0.0 ? 0.0 : 2.8) +
                           hinge("small", 0.0) + guide("[1, 0, 0]", 0.3 * side) + slider,
                       std::string(kRodOnCrank) + kPinOnRod + "  - [bed.frame_b, guide.frame_a]\n" +
                           "  - [small.frame_b, slider.frame_a, guide.frame_b]\n",
                       {"big.phi", "small.phi", "guide.s"},
                       closed});
    }
    // A block on the crank's pin slides on a rod that turns about a bearing, swinging or all the way round.
    for (const double far : {0.3, 0.04}) {
        all.push_back({far > 0.1 ? "swinging_guide" : "turning_guide",
                       bearing(-far, 0.0) + hinge("big", 0.0) + hinge("far", 0.0) + guide("[1, 0, 0]", far + 0.1) +
                           slider + rod("rocker", 0.5),
                       std::string(kRockerOnBed) + "  - [far.frame_b, guide.frame_a]\n" +
                           "  - [crank.frame_b, big.frame_a]\n  - [guide.frame_b, big.frame_b, slider.frame_a]\n",
                       {"big.phi", "far.phi", "guide.s"},
                       {{"crank.frame_b", "slider.frame_a"}, {"bed.frame_b", "rocker.frame_a"}}});
    }
    return all;
}

/// How it is mounted: the plane against the world, the sense of all hinges, and the joint at which it is held together.
struct Mount {
    const char* name;
    const char* tilt;
    const char* axis;
    std::string last = "";  ///< in place of the last hinge
};

std::vector<Mount> mounts() {
    return {{"upright", "n: [0, 0, 1], angle: 0", "[0, 0, 1]"},
            {"reversed", "n: [0, 0, 1], angle: 0.4", "[0, 0, -1]"},
            {"tilted", "n: [1, 2, 2], angle: 0.7", "[0, 0, 1]"},
            {"pinned", "n: [0, 0, 1], angle: 0", "[0, 0, 1]", "{type: CutRevolute2D}"},
            {"pinned_tilted", "n: [1, 2, 2], angle: 0.7", "[0, 0, 1]", "{type: CutRevolute}"}};
}

std::string text_of(const Dyad& d, const Mount& m) {
    std::string text = "components:\n  world: {type: World}\n  tilt: {type: FixedRotation, " + std::string(m.tilt) +
                       "}\n  main: {type: Revolute, n: N, initial: {phi: 0.4, w: 17}}\n" + rod("crank", d.crank) +
                       d.parts +
                       "connect:\n  - [world.frame_b, tilt.frame_a]\n  - [tilt.frame_b, main.frame_a, bed.frame_a]\n"
                       "  - [main.frame_b, crank.frame_a]\n" +
                       d.connect;
    if (!m.last.empty()) {
        const bool small = text.find("  small:") != std::string::npos;
        const std::string key = small ? "  small:" : "  big:";
        const std::size_t at = text.find(key) + key.size();
        text.replace(at, text.find('\n', at) - at, " " + m.last);
    }
    for (std::size_t at = text.find("n: N"); at != std::string::npos; at = text.find("n: N", at))
        text.replace(at, 4, std::string("n: ") + m.axis);
    return text;
}

class Dyads : public testing::TestWithParam<std::tuple<Dyad, Mount>> {};

TEST_P(Dyads, AreClosedAtEveryInstantAndLeaveTheStates) {
    const auto& [dyad, mount] = GetParam();
    Pipeline p(text_of(dyad, mount));
    EXPECT_EQ(p.compiled().state_count, 2u);
    EXPECT_EQ(p.compiled().size(), 2u);
    const bool pinned = !mount.last.empty();
    EXPECT_EQ(p.compiled().closed_forms.size(), pinned ? 2u : 3u);
    Names names{"main.phi"};
    for (const std::string& j : dyad.joints) {
        if (!pinned || j != (dyad.parts.find("  small:") != std::string::npos ? "small.phi" : "big.phi"))
            names.push_back(j);
    }
    const std::size_t joints = names.size();
    for (const auto& [one, two] : dyad.together) {
        for (const std::string& frame : {one, two}) {
            for (int k = 1; k <= 3; ++k) names.push_back(fmt::format("{}.x[{}]", frame, k));
        }
    }
    const auto run = p.run({.stop = 1.5, .tolerance = 1e-9, .interval = 0.01, .energy = true}, names);
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const auto& r = run.result;
    for (std::size_t row = 0; row < r.time.size(); ++row) {
        for (std::size_t pair = 0; pair < dyad.together.size(); ++pair) {
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t at = joints + 6 * pair + k;
                ASSERT_NEAR(r.at(row, at), r.at(row, at + 3), 1e-13) << names[at] << " in row " << row;
            }
        }
        // In a hundredth of a second no joint turns by more than a radian or slides by more than 0.1 m.
        for (std::size_t j = 0; row > 0 && j < joints; ++j)
            ASSERT_LT(std::abs(r.at(row, j) - r.at(row - 1, j)), names[j].ends_with(".s") ? 0.1 : 1.2) << names[j];
    }
    EXPECT_GT(std::abs(r.at(r.time.size() - 1, 0)), 12.0);           // two turns
    EXPECT_LT(std::abs(run.summary.energy.imbalance), 1e-6 * 10.0);  // J; the crank turns with about 10 J
}

INSTANTIATE_TEST_SUITE_P(Mounted, Dyads, testing::Combine(testing::ValuesIn(dyads()), testing::ValuesIn(mounts())),
                         [](const auto& info) {
                             return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name;
                         });

/// Lengths of a four-bar: crank, coupler, rocker, ground.
class InLine : public testing::TestWithParam<std::array<double, 4>> {};

// A formula is for one way of bending: a run that passes from one to the other, or along the line, must not have one.
TEST_P(InLine, RodsThatMayComeThereHaveNoClosedForm) {
    const auto& [crank, coupler, rocker, ground] = GetParam();
    Pipeline p(text_of(three_hinges("", crank, coupler, rocker, ground, 1.0), mounts()[0]));
    EXPECT_TRUE(p.compiled().closed_forms.empty());
    EXPECT_GT(p.compiled().size(), p.compiled().state_count);
}

INSTANTIATE_TEST_SUITE_P(Of, InLine,
                         testing::Values(std::array{0.2, 0.3, 0.2, 0.3},      // a parallelogram
                                         std::array{0.1, 0.35, 0.25, 0.2},    // in line where the crank lies along
                                         std::array{0.3, 0.32, 0.28, 0.35},   // no rod turns over
                                         std::array{0.1, 0.35, 0.2501, 0.2},  // by a hair's breadth
                                         std::array{1.0, 1.2, 1.2, 1.0},      // Galloway's: rods lie on each other
                                         std::array{1.01, 1.2, 1.2, 1.0}      // nearly
                                         ));

// Where the pin of a crank passes the bearing of the guide, or comes close, the guide may go on either way.
TEST(Dyads, OnAGuideThatThePinPassesHaveNone) {
    const auto all = dyads();
    const auto guide = std::ranges::find(all, std::string_view("turning_guide"),
                                         [](const Dyad& d) { return std::string_view(d.name); });
    ASSERT_NE(guide, all.end());
    for (const auto& [place, forms] : {std::pair("-0.04", 3U), std::pair("-0.1", 0U), std::pair("-0.099", 0U)}) {
        std::string text = text_of(*guide, mounts()[0]);
        const std::string key = "bed: {type: FixedTranslation, r: [-0.04";
        text.replace(text.find(key), key.size(), std::string("bed: {type: FixedTranslation, r: [") + place);
        EXPECT_EQ(Pipeline(text).compiled().closed_forms.size(), forms) << place;
    }
}

// A joint of one's own may turn by half of its coordinate, or its arm may grow with it: after a turn of the coordinate
// nothing is as before, and rods may come to lie in line later.
TEST(Dyads, OnACrankThatIsNoPlainHingeHaveNone) {
    const std::string text = text_of(three_hinges("", 0.1, 0.35, 0.25, 0.3, 1.0), mounts()[0]);
    const auto with = [&](const std::string& angle, const std::string& arm) {
        std::string own =
            "types:\n  Odd: {parameters: {c: {value: 1 mm}}, joint: {coordinates: {phi: rad}, motion: [{rotate: {axis: "
            "[0, 0, 1], angle: " +
            angle + "}}, {translate: [" + arm + ", 0, 0]}]}}\n" + text;
        const std::string key = "main: {type: Revolute, n: [0, 0, 1], initial: {phi: 0.4, w: 17}}";
        own.replace(own.find(key), key.size(), "main: {type: Odd, initial: {phi: 0.4, der_phi: 17}}");
        return own;
    };
    EXPECT_FALSE(Pipeline(with("phi", "0")).compiled().closed_forms.empty());
    EXPECT_TRUE(Pipeline(with("0.5*phi", "0")).compiled().closed_forms.empty());
    EXPECT_TRUE(Pipeline(with("0.9999*phi", "0")).compiled().closed_forms.empty());
    EXPECT_TRUE(Pipeline(with("phi", "c*phi")).compiled().closed_forms.empty());
}

// What follows from a closed form is the same where another joint of the loop is integrated, which has none then.
TEST(Dyads, MoveAsTheyDoByConditionsAlone) {
    const std::string text = text_of(three_hinges("", 0.1, 0.35, 0.25, 0.3, 1.0), mounts()[0]);
    std::string other = text;
    const std::string key = "big: {type: Revolute, ";
    other.replace(other.find(key), key.size(), key + "states: always, ");
    const std::string given = "initial: {phi: 0.4, w: 17}";
    Pipeline closed(text);
    Pipeline by_conditions(other);
    EXPECT_FALSE(closed.compiled().closed_forms.empty());
    EXPECT_TRUE(by_conditions.compiled().closed_forms.empty());
    const Names names{"main.phi", "main.w", "far.phi", "far.w", "small.frame_a.f[1]", "small.frame_a.f[2]"};
    const simulation::Settings settings{.stop = 0.4, .tolerance = 1e-10, .interval = 0.4};
    const auto a = closed.run(settings, names);
    const auto b = by_conditions.run(settings, names);
    ASSERT_FALSE(a.summary.failure || b.summary.failure);
    // The motion passes places where big.phi says little of the rest: some hundred steps of 1e-10 lose two digits
    // there.
    for (std::size_t k = 0; k < names.size(); ++k)
        EXPECT_NEAR(a.result.at(1, k), b.result.at(1, k), 1e-6 * std::max(1.0, std::abs(a.result.at(1, k))))
            << names[k];
}

// A flywheel on the crank, as a body, as an inertia on its port, or as a small one that a gear turns ten times as fast:
// whatever of them names the rate of the crank, forces are solved for by symbols, and all three move alike.
TEST(Dyads, OnACrankWithAFlywheelLeaveTheStates) {
    const std::string text =
        "components:\n  world: {type: World}\n  main: {type: Revolute, initial: {phi: 0.4, w: 17}}\n"
        "  arm: {type: FixedTranslation, r: [0.1, 0, 0]}\n"
        "  rest: {type: JointRRP, n_b: [1, 0, 0], rRod1_ia: [0.3, 0, 0], rRod2_ib: [0, 0, 0], guess: {phi_a: 0, s: "
        "0.3}}\n"
        "  rod: {type: Body, r_CM: [0.15, 0, 0], m: 0.7, I_33: 0.003}\n  piston: {type: Body, m: 0.5}\n"
        "connect:\n  - [world.frame_b, main.frame_a, rest.frame_b]\n  - [main.frame_b, arm.frame_a]\n"
        "  - [arm.frame_b, rest.frame_a]\n  - [rest.frame_ia, rod]\n  - [rest.frame_ib, piston]\n";
    const auto with = [&](const std::string& parts, const std::string& rest) {
        std::string all = text;
        return all.insert(all.find("  arm:"), parts) + rest;
    };
    std::vector<std::vector<double>> ends;
    for (const std::string& wheel : {with("  wheel: {type: Body, m: 2, I_33: 0.05}\n", "  - [main.frame_b, wheel]\n"),
                                     with("  wheel: {type: I, I: 0.05}\n", "bonds: [main.axis -> wheel]\n"),
                                     with("  gear: {type: TF, m: 10}\n  wheel: {type: I, I: 5e-4}\n",
                                          "bonds: [main.axis -> gear.p1, gear.p2 -> wheel]\n")}) {
        Pipeline p(wheel);
        EXPECT_EQ(p.compiled().state_count, 2u) << wheel;
        EXPECT_EQ(p.compiled().size(), 2u) << wheel;
        const auto run = p.run({.stop = 0.4, .tolerance = 1e-10, .interval = 0.4, .energy = false},
                               {"main.phi", "main.w", "rest.s", "rest.frame_a.f[1]"});
        ASSERT_FALSE(run.summary.failure);
        ends.push_back({run.result.at(1, 0), run.result.at(1, 1), run.result.at(1, 2), run.result.at(1, 3)});
    }
    EXPECT_GT(ends[0][0], 6.0);
    for (std::size_t k = 0; k < ends[0].size(); ++k) {
        for (const std::size_t other : {1U, 2U})
            EXPECT_NEAR(ends[other][k], ends[0][k], 1e-7 * std::max(1.0, std::abs(ends[0][k]))) << other << " " << k;
    }
}

}  // namespace
}  // namespace bondgraph
