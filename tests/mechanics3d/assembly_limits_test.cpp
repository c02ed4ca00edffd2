// Assemblies carried from any of their frames, mirrored ones, and what can't be assembled.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/mechanics3d/assembly_models.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::crank;
using test::errors_in;
using test::message_in;
using test::Pipeline;
using test::rows_of;
using test::with_rrp;
using test::with_rrr;
using test::with_ssr;
using test::with_usr;

/// An assembly that hangs on a ball joint at one of its frames, with bodies on others.
std::string hanging(const std::string& type, const std::string& root, const std::vector<std::string>& others) {
    std::string text = "components:\n  world: {type: World}\n  j: {type: " + type +
                       "}\n  ball: {type: Spherical, initial: {w: [1, 2, 3]}}\n";
    std::string connect = "connect:\n  - [world, ball.frame_a]\n  - [ball.frame_b, j." + root + "]\n";
    for (const std::string& other : others) {
        text += "  at_" + other + ": {type: Body, m: 1, r_CM: [0.1, 0.2, 0], I_11: 0.01, I_22: 0.01, I_33: 0.01}\n";
        connect += "  - [j." + other + ", at_" + other + "]\n";
    }
    return text + connect;
}

struct Carried {
    const char* type;
    const char* root;
    std::vector<std::string> others;
};

class CarriedAssemblies : public testing::TestWithParam<Carried> {};

TEST_P(CarriedAssemblies, KeepEnergy) {
    const auto& [type, root, others] = GetParam();
    Pipeline p(hanging(type, root, others));
    const auto balance = test::audited(p, {.stop = 0.2, .tolerance = 1e-8});
    EXPECT_NEAR(balance.imbalance, 0.0, 1e-6 * balance.moved);
}

constexpr const char* kUsr =
    "JointUSR, rRod1_ia: [0.45, 0, 0], n_b: [1, 0, 0], rRod2_ib: [0, 0.25, 0], guess: {phi: 0.2}";
constexpr const char* kUps = "JointUPS, guess: {s: 0.4}";
INSTANTIATE_TEST_SUITE_P(From, CarriedAssemblies,
                         testing::Values(Carried{kUsr, "frame_im", {"frame_a", "frame_b", "frame_ia"}},
                                         Carried{kUsr, "frame_ib", {"frame_a", "frame_b", "frame_im"}},
                                         Carried{kUsr, "frame_ia", {"frame_a", "frame_b", "frame_ib"}},
                                         Carried{kUsr, "frame_b", {"frame_b", "frame_a", "frame_ia"}},
                                         Carried{kUps, "frame_ib", {"frame_a", "frame_b"}},
                                         Carried{kUps, "frame_ia", {"frame_a", "frame_b", "frame_ib"}}));

// With the second angle beyond a right angle, or a negative distance, the conditions would hold as well.
TEST(AssemblyLimits, AreNotMirrored) {
    const std::string text = crank("  j: {type: JointUPS, guess: {s: -0.3}}\n",
                                   "  - [bed.frame_b, j.frame_a]\n  - [crank.frame_b, j.frame_b]\n");
    const auto rows = rows_of(text, 0.2, {"j.s", "j.phi_2", "a.phi"}, 0.02);
    for (const auto& r : rows) {
        const double x = 0.1 * std::cos(r[2]) - 0.3, y = 0.1 * std::sin(r[2]);
        EXPECT_NEAR(r[0], std::sqrt(x * x + y * y + 0.04), 1e-8);
        EXPECT_LT(std::abs(r[1]), std::numbers::pi / 2);
    }
}

/// The rod doesn't reach all the way round: somewhere rod and lever are in line.
TEST(AssemblyLimits, SayWhichOfThemIsAtTheEndOfItsReach) {
    std::string text = with_ssr(0.0);
    text.replace(text.find("rod1Length: 0.45"), 16, "rod1Length: 0.40");
    text.replace(text.find("initial: {phi: 0.3, w: 8}"), 25, "initial: {phi: 0.3}");
    text.insert(text.find("connect:"), "  drive: {type: Sf, f: 2}\nbonds: [drive -> a.axis]\n");
    Pipeline p(text);
    const auto run = p.run({.stop = 3.0, .tolerance = 1e-7, .interval = 0.1}, {"j.phi"});
    ASSERT_TRUE(run.summary.failure);
    ASSERT_FALSE(run.summary.failure->notes.empty()) << run.summary.failure->message;
    EXPECT_EQ(run.summary.failure->notes[0].text,
              "the joints of 'j' are at the end of their reach: rod 1 can't move the axis there");
}

// A strut as a prop: it holds the crank against its weight, then gives way.
TEST(AssemblyLimits, LockedTheyHold) {
    std::string text = crank("  j: {type: JointUPS, locked: time < 0.5, guess: {s: 0.3}}\n",
                             "  - [bed.frame_b, j.frame_a]\n  - [crank.frame_b, j.frame_b]\n");
    text.replace(text.find("initial: {phi: 0.3, w: 8}"), 25, "initial: {phi: 0.3}");
    const auto rows = rows_of(text, 0.8, {"a.phi", "j.s", "j.frame_b.f[1]", "j.frame_b.f[2]", "j.frame_b.f[3]"}, 0.4);
    const double c = std::cos(0.3), s = std::sin(0.3);
    const double x = 0.1 * c - 0.3, y = 0.1 * s;
    EXPECT_NEAR(rows[1][0], 0.3, 1e-9);
    EXPECT_NEAR(rows[1][1], std::sqrt(x * x + y * y + 0.04), 1e-9);
    // Moments about the bearing: the force on the strut is along it.
    const double pull = 0.5 * 9.81 * 0.05 * c / (0.1 * c * y - 0.1 * s * x);
    EXPECT_NEAR(rows[1][2], -pull * x, 1e-7);
    EXPECT_NEAR(rows[1][3], -pull * y, 1e-7);
    EXPECT_NEAR(rows[1][4], pull * 0.2, 1e-7);
    EXPECT_GT(std::abs(rows.back()[0] - 0.3), 0.05);
}

TEST(AssemblyLimits, RefuseWhatHasNoPosition) {
    const auto with = [](std::string text, const std::string& before, const std::string& after) {
        EXPECT_NE(text.find(before), std::string::npos) << before;
        return errors_in(text.replace(text.find(before), before.size(), after));
    };
    using Codes = std::vector<std::string>;
    EXPECT_EQ(with(with_usr(), "rRod1_ia: [0.45, 0, 0]", "rRod1_ia: [0, 0, 0]"), Codes{"BG-F002"});
    EXPECT_EQ(with(with_usr(), "rRod1_ia: [0.45, 0, 0]", "rRod1_ia: [0, 0, 1]"), Codes{"BG-F008"});
    EXPECT_EQ(with(with_usr(), "n_b: [1, 0, 0]", "n_b: [0, 1, 0]"), Codes{"BG-F008"});
    EXPECT_EQ(with(with_usr(), "n_b: [1, 0, 0]", "n_b: [0, 0, 0]"), Codes{"BG-F002"});
    EXPECT_EQ(with(with_ssr(0.0), "rod1Length: 0.45", "rod1Length: 0.05"), Codes{"BG-I007"});
    EXPECT_EQ(with(with_ssr(0.0), "rod1Length: 0.45", "rod1Length: 0"), Codes{"BG-M013"});
    EXPECT_EQ(with(with_rrp(), "n_b: [1, 0, 0]", "n_b: [1, 0, 1]"), Codes{"BG-I006"});
    EXPECT_EQ(with(with_rrp(), "rRod1_ia: [0.4, 0, 0]", "rRod1_ia: [0, 0, 0.4]"), Codes{"BG-F008"});
    EXPECT_EQ(errors_in(with_rrr(", n_b: [0, 1, 1]", "phi_a: 0.5, phi: 0.1")), Codes{"BG-I006"});
    EXPECT_NE(message_in(with_rrr(", n_b: [0, 1, 1]", "phi_a: 0.5, phi: 0.1")).find("axes of 'j' (JointRRR)"),
              std::string::npos);
}

}  // namespace
}  // namespace bondgraph
