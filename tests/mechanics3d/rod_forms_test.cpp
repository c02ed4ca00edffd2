// Loops that a rod closes in space: its coordinates are functions of the others, and the integrator is left with the
// states. Ends that meet, angles that go on beyond half turns, energy, and the same mechanisms by conditions alone tell
// whether the functions are right.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>
#include <ranges>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using Names = std::vector<std::string>;

/// Two frames and how far they are apart.
struct Apart {
    std::string one, two;
    double distance = 0.0;
};

/// What leads from the crank to the bed.
struct Chain {
    const char* name;
    std::string parts;
    std::string connect;
    Names joints;  ///< solved for
    std::vector<Apart> apart;
    const char* by_conditions = nullptr;  ///< the same mechanism, joint by joint
};

const std::string kRodBody =
    "  rod_body: {type: Body, r_CM: [0.2, 0, 0], m: 0.2, I_11: 1e-4, I_22: 2e-3, I_33: 2e-3}\n";
const std::string kTip = "  tip: {type: FixedTranslation, r: [0.45, 0, 0]}\n";
const std::string kRocker =
    "  lever: {type: FixedTranslation, r: [0, 0.25, 0]}\n"
    "  rocker: {type: Body, r_CM: [0, 0.12, 0], m: 0.7, I_11: 4e-3, I_22: 1e-3, I_33: 4e-3}\n";
const std::string kSlider =
    "  lever: {type: FixedTranslation, r: [0, 0.02, 0]}\n"
    "  rocker: {type: Body, m: 0.7}\n";
const std::string kCross = "  u: {type: Universal, n_a: [0, 0, 1], n_b: [0, 1, 0]}\n" + kTip + kRodBody;
const std::string kOnCross = "  - [crank.frame_b, u.frame_a]\n  - [u.frame_b, tip.frame_a, rod_body]\n";
const std::string kDriven =
    "  - [lever.frame_a, d.frame_b, rocker]\n"
    "  - [d.frame_a, bed.frame_b]\n";

std::string hinge(double guess) {
    return fmt::format("  d: {{type: Revolute, n: [1, 0, 0], guess: {{phi: {}}}}}\n", guess);
}
std::string slide(double guess) {
    return fmt::format("  d: {{type: Prismatic, n: [1, 0, 0], guess: {{s: {}}}}}\n", guess);
}
std::string to_lever(const std::string& rod) {
    return "  - [crank.frame_b, " + rod + ".frame_a]\n  - [" + rod + ".frame_b, lever.frame_b]\n" + kDriven;
}

Chain rod(const char* name, const std::string& type, bool turns, double guess, const std::string& more = "",
          const std::string& at = "", Names joints = {}) {
    joints.insert(joints.begin(), turns ? "d.phi" : "d.s");
    return {name,
            "  j: {type: " + type + "}\n" + more + (turns ? kRocker + hinge(guess) : kSlider + slide(guess)),
            to_lever("j") + at,
            joints,
            {{"crank.frame_b", "lever.frame_b", 0.45}}};
}

Chain assembly(const char* name, const std::string& type, bool turns, double guess, const char* plain = nullptr) {
    const bool crossed = type.starts_with("JointU");
    Chain c{name};
    c.parts = fmt::format("  j: {{type: {}, {}, n_b: [1, 0, 0], rRod2_ib: [0, {}, 0], guess: {{{}: {}}}}}\n", type,
                          crossed ? "rRod1_ia: [0.45, 0, 0]" : "rod1Length: 0.45", turns ? 0.25 : 0.02,
                          turns ? "phi" : "s", guess);
    c.parts += (turns ? kRocker : kSlider) + (crossed ? kTip + kRodBody : "");
    c.connect =
        "  - [crank.frame_b, j.frame_a]\n  - [bed.frame_b, j.frame_b]\n  - [j.frame_ib, lever.frame_a, rocker]\n";
    c.joints = {turns ? "j.phi" : "j.s"};
    c.apart = {{"crank.frame_b", "lever.frame_b", 0.45}, {"j.frame_im", "lever.frame_b"}};
    if (crossed) {
        c.connect += "  - [j.frame_ia, tip.frame_a, rod_body]\n";
        c.joints.insert(c.joints.end(), {"j.phi_1", "j.phi_2"});
        c.apart.push_back({"tip.frame_b", "lever.frame_b"});
    }
    c.by_conditions = plain;
    return c;
}

Chain on_cross(const char* name, bool turns, double guess) {
    return {name,
            kCross + "  ball: {type: CutSpherical}\n" + (turns ? kRocker + hinge(guess) : kSlider + slide(guess)),
            kOnCross + "  - [tip.frame_b, ball.frame_a]\n  - [lever.frame_b, ball.frame_b]\n" + kDriven,
            {turns ? "d.phi" : "d.s", "u.phi_a", "u.phi_b"},
            {{"tip.frame_b", "lever.frame_b"}, {"crank.frame_b", "lever.frame_b", 0.45}}};
}

const std::string kStrut =
    "  lower: {type: Body, r_CM: [0.1, 0, 0], m: 0.3, I_11: 1e-3, I_22: 2e-3, I_33: 3e-3}\n"
    "  upper: {type: Body, r_CM: [-0.1, 0, 0], m: 0.2, I_11: 1e-3, I_22: 2e-3, I_33: 3e-3}\n"
    "  damper: {type: R, R: 2}\n";

std::vector<Chain> chains() {
    std::vector<Chain> all{
        rod("rod_and_hinge", "ConnectingRod, length: 0.45", true, 0.2),
        rod("rod_and_hinge_other_side", "ConnectingRod, length: 0.45", true, 3.0),
        rod("rod_and_slide", "ConnectingRod, length: 0.45", false, 0.2),
        rod("rod_and_slide_other_side", "ConnectingRod, length: 0.45", false, -0.7),
        rod("heavy_rod", "SphericalSpherical, length: 0.45, m: 0.3", true, 0.2),
        rod("rod_with_cross", "UniversalSpherical, rRod_ia: [0.45, 0, 0]", true, 0.2, kRodBody,
            "  - [j.frame_ia, rod_body]\n", {"j.phi_1", "j.phi_2"}),
        rod("rod_with_frame", "ConnectingRod2, length: 0.45", true, 0.2, kRodBody, "  - [j.frame_c, rod_body]\n",
            {"j.phi_1", "j.phi_2"}),
        assembly("ssr", "JointSSR", true, 0.2, "rod_and_hinge"),
        assembly("ssp", "JointSSP", false, -0.7, "rod_and_slide_other_side"),
        assembly("usr", "JointUSR", true, 0.2, "cross_and_hinge"),
        assembly("usp", "JointUSP", false, 0.2, "cross_and_slide"),
        on_cross("cross_and_hinge", true, 0.2),
        on_cross("cross_and_hinge_other_side", true, 3.0),
        on_cross("cross_and_slide", false, 0.2),
    };
    all.push_back(
        {"ups",
         "  j: {type: JointUPS, n1_a: [0, 0, 1], nAxis_ia: [-1, 0, 0], s_offset: 0.1, guess: {s: 0.1}}\n" + kStrut,
         "  - [bed.frame_b, j.frame_a]\n  - [crank.frame_b, j.frame_b]\n  - [j.frame_ia, lower]\n"
         "  - [j.frame_ib, upper]\nbonds: [j.axis -> damper]\n",
         {"j.s", "j.phi_1", "j.phi_2"},
         {{"j.frame_ib", "crank.frame_b"}},
         "telescope"});
    all.push_back(
        {"telescope",
         "  u: {type: Universal, n_a: [0, 0, 1], n_b: [0, -1, 0]}\n"
         "  d: {type: Prismatic, n: [-1, 0, 0], offset: 0.1, guess: {s: 0.1}}\n  ball: {type: CutSpherical}\n" +
             kStrut,
         "  - [bed.frame_b, u.frame_a]\n  - [u.frame_b, d.frame_a, lower]\n"
         "  - [d.frame_b, upper, ball.frame_a]\n  - [ball.frame_b, crank.frame_b]\nbonds: [d.axis -> damper]\n",
         {"d.s", "u.phi_a", "u.phi_b"},
         {{"d.frame_b", "crank.frame_b"}}});
    // A strut beside its line, on a foot that the crank carries.
    all.push_back({"carried_strut",
                   "  u: {type: Universal, n_a: [0, 0, 1], n_b: [0, 1, 0]}\n"
                   "  beside: {type: FixedTranslation, r: [0.1, 0.03, 0.05]}\n"
                   "  d: {type: Prismatic, n: [1, 0, 0], guess: {s: 0.3}}\n  ball: {type: CutSpherical}\n" +
                       kStrut,
                   "  - [crank.frame_b, u.frame_a]\n  - [u.frame_b, beside.frame_a, lower]\n"
                   "  - [beside.frame_b, d.frame_a]\n  - [d.frame_b, upper, ball.frame_a]\n"
                   "  - [ball.frame_b, bed.frame_b]\nbonds: [d.axis -> damper]\n",
                   {"d.s", "u.phi_a", "u.phi_b"},
                   {{"d.frame_b", "bed.frame_b"}}});
    return all;
}

/// How it is mounted.
struct Mount {
    const char* name;
    std::string tilt = "n: [0, 0, 1], angle: 0";
    std::string crank = "n: [0, 0, 1]";
    bool reversed = false;  ///< the crank hangs on its joint's other frame
};

std::vector<Mount> mounts() {
    return {{"upright"},
            {"tilted", "n: [1, 2, 2], angle: 0.7, r: [0.3, -0.2, 0.5]"},
            {"reversed", "n: [1, 0, 0], angle: 0.3", "n: [0, 0, -1]", true}};
}

std::string text_of(const Chain& c, const Mount& m = {"upright"}) {
    return "components:\n  world: {type: World}\n  tilt: {type: FixedRotation, " + m.tilt +
           "}\n  main: {type: Revolute, " + m.crank +
           ", initial: {phi: 0.3, w: 15}}\n"
           "  crank: {type: BodyShape, r: [0.1, 0, 0], r_CM: [0.05, 0, 0], m: 0.5, I_11: 1e-3, I_22: 1e-3, I_33: "
           "1e-2}\n"
           "  bed: {type: FixedTranslation, r: [0.3, 0, 0.2]}\n" +
           c.parts + "connect:\n  - [world.frame_b, tilt.frame_a]\n" +
           (m.reversed ? "  - [tilt.frame_b, main.frame_b, bed.frame_a]\n  - [main.frame_a, crank.frame_a]\n"
                       : "  - [tilt.frame_b, main.frame_a, bed.frame_a]\n  - [main.frame_b, crank.frame_a]\n") +
           c.connect;
}

Chain chain(std::string_view name) {
    const auto all = chains();
    const auto at = std::ranges::find(all, name, [](const Chain& c) { return std::string_view(c.name); });
    EXPECT_NE(at, all.end()) << name;
    return *at;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const std::size_t at = text.find(what);
    EXPECT_NE(at, std::string::npos) << what;
    return text.replace(at, what.size(), by);
}

class RodForms : public testing::TestWithParam<std::tuple<Chain, Mount>> {};

TEST_P(RodForms, CloseAtEveryInstantAndLeaveTheStates) {
    const auto& [chain, mount] = GetParam();
    Pipeline p(text_of(chain, mount));
    EXPECT_EQ(p.compiled().state_count, 2u);
    EXPECT_EQ(p.compiled().size(), 2u);
    EXPECT_EQ(p.compiled().closed_forms.size(), chain.joints.size());
    Names names{"main.phi"};
    names.insert(names.end(), chain.joints.begin(), chain.joints.end());
    const std::size_t joints = names.size();
    for (const Apart& a : chain.apart) {
        for (const std::string& frame : {a.one, a.two}) {
            for (int k = 1; k <= 3; ++k) names.push_back(fmt::format("{}.x[{}]", frame, k));
        }
    }
    const auto run = p.run({.stop = 1.0, .tolerance = 1e-9, .interval = 0.01, .energy = true}, names);
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const auto& r = run.result;
    for (std::size_t row = 0; row < r.time.size(); ++row) {
        for (std::size_t pair = 0; pair < chain.apart.size(); ++pair) {
            const std::size_t at = joints + 6 * pair;
            const double distance = std::hypot(r.at(row, at) - r.at(row, at + 3), r.at(row, at + 1) - r.at(row, at + 4),
                                               r.at(row, at + 2) - r.at(row, at + 5));
            ASSERT_NEAR(distance, chain.apart[pair].distance, 1e-12) << names[at] << " in row " << row;
        }
        // In a hundredth of a second no joint turns by half a radian or slides by 0.1 m.
        for (std::size_t j = 0; row > 0 && j < joints; ++j)
            ASSERT_LT(std::abs(r.at(row, j) - r.at(row - 1, j)), names[j].ends_with(".s") ? 0.1 : 0.5) << names[j];
    }
    EXPECT_GT(std::abs(r.at(r.time.size() - 1, 0) - 0.3), 3.0 * std::numbers::pi);
    EXPECT_LT(std::abs(run.summary.energy.imbalance), 1e-6);  // J; the crank turns with about 2 J
}

INSTANTIATE_TEST_SUITE_P(Mounted, RodForms, testing::Combine(testing::ValuesIn(chains()), testing::ValuesIn(mounts())),
                         [](const auto& info) {
                             return std::string(std::get<0>(info.param).name) + "_" + std::get<1>(info.param).name;
                         });

class AgainstConditions : public testing::TestWithParam<Chain> {};

/// The same with its foot on a locked slide: nobody knows where that may go, so loops are solved by their conditions.
std::string on_a_slide(const std::string& text) {
    return replaced(replaced(text, "  bed:",
                             "  lift: {type: Prismatic, n: [0, 1, 0], initial: {s: 0, v: 0}, locked: true}\n  bed:"),
                    ", bed.frame_a]", ", lift.frame_a]\n  - [lift.frame_b, bed.frame_a]");
}

TEST_P(AgainstConditions, MoveAndPushAlike) {
    const Chain& closed = GetParam();
    const std::string text =
        on_a_slide(text_of(closed.by_conditions != nullptr ? chain(closed.by_conditions) : closed));
    Pipeline one(text_of(closed)), two(text);
    EXPECT_FALSE(one.compiled().closed_forms.empty());
    EXPECT_TRUE(two.compiled().closed_forms.empty());
    Names names{"main.phi", "main.w", "main.a"};
    for (const char* load : {"f", "t"}) {
        for (int k = 1; k <= 3; ++k) names.push_back(fmt::format("main.frame_a.{}[{}]", load, k));
        for (int k = 1; k <= 3; ++k) names.push_back(fmt::format("bed.frame_b.{}[{}]", load, k));
    }
    const simulation::Settings settings{.stop = 0.5, .tolerance = 1e-11, .interval = 0.05};
    const auto a = one.run(settings, names);
    const auto b = two.run(settings, names);
    ASSERT_FALSE(a.summary.failure) << a.summary.failure->message;
    ASSERT_FALSE(b.summary.failure) << b.summary.failure->message;
    for (std::size_t k = 0; k < names.size(); ++k) {
        double size = 1.0;
        for (std::size_t row = 0; row < b.result.time.size(); ++row)
            size = std::max(size, std::abs(b.result.at(row, k)));
        for (std::size_t row = 0; row < b.result.time.size(); ++row)
            EXPECT_NEAR(a.result.at(row, k), b.result.at(row, k), 1e-6 * size) << names[k] << " in row " << row;
    }
}

INSTANTIATE_TEST_SUITE_P(Of, AgainstConditions,
                         testing::Values(chain("rod_and_hinge"), chain("rod_and_slide"), chain("ssr"), chain("ssp"),
                                         chain("usr"), chain("usp"), chain("cross_and_hinge_other_side"), chain("ups"),
                                         chain("carried_strut")),
                         [](const auto& info) { return std::string(info.param.name); });

// ---- none --------------------------------------------------------------------------------------------------------

struct Spoilt {
    const char* name;
    std::string chain;
    std::string what;
    std::string by;
};

class NoRodForm : public testing::TestWithParam<Spoilt> {};

// A formula is for one way of bending, and for angles that tell a direction wherever the crank is.
TEST_P(NoRodForm, WhereTheCrankCannotGoRound) {
    const auto& [name, of, what, by] = GetParam();
    Pipeline p(replaced(text_of(chain(of)), what, by));
    EXPECT_TRUE(p.compiled().closed_forms.empty());
}

INSTANTIATE_TEST_SUITE_P(
    Of, NoRodForm,
    testing::Values(Spoilt{"reach_of_the_rod", "rod_and_hinge", "length: 0.45", "length: 0.33"},
                    Spoilt{"reach_of_the_lever", "rod_and_hinge", "r: [0, 0.25, 0]", "r: [0, 0.2, 0]"},
                    Spoilt{"slide_too_far", "rod_and_slide", "r: [0, 0.02, 0]", "r: [0, -0.32, 0]"},
                    Spoilt{"slide_by_a_hair", "rod_and_slide", "r: [0, 0.02, 0]", "r: [0, -0.303, 0]"},
                    Spoilt{"rod_along_the_first_axis", "cross_and_slide", "n_a: [0, 0, 1], n_b: [0, 1, 0]",
                           "n_a: [0.9, 0, 0.44], n_b: [0, 1, 0]"},
                    Spoilt{"strut_without_length", "telescope", "r: [0.3, 0, 0.2]", "r: [0.1, 0, 0]"},
                    Spoilt{"strut_along_the_first_axis", "telescope", "r: [0.3, 0, 0.2]", "r: [0.1, 0, 0.2]"}),
    [](const auto& info) { return std::string(info.param.name); });

// A joint of one's own whose coordinate is not its angle: after a turn of it nothing is as before.
TEST(RodForms, OnACrankThatIsNoPlainHingeThereIsNone) {
    const auto with = [&](const char* angle) {
        return "types:\n  Odd: {joint: {coordinates: {phi: rad}, motion: [{rotate: {axis: [0, 0, 1], angle: " +
               std::string(angle) + "}}]}}\n" +
               replaced(text_of(chain("rod_and_hinge")), "{type: Revolute, n: [0, 0, 1], initial: {phi: 0.3, w: 15}}",
                        "{type: Odd, initial: {phi: 0.3, der_phi: 15}}");
    };
    EXPECT_EQ(Pipeline(with("phi")).compiled().closed_forms.size(), 1u);
    EXPECT_TRUE(Pipeline(with("0.5*phi")).compiled().closed_forms.empty());
}

// ---- the same otherwise drawn ------------------------------------------------------------------------------------

/// Components or connections in another order.
std::string shuffled(const std::string& text, unsigned seed) {
    std::minstd_rand random(seed);
    std::string result;
    Names block;
    const auto flush = [&] {
        std::ranges::shuffle(block, random);
        for (const std::string& line : block) result += line + "\n";
        block.clear();
    };
    for (const auto part : std::views::split(text, '\n')) {
        const std::string line(part.begin(), part.end());
        if (line.starts_with("  ")) {
            block.push_back(line);
            continue;
        }
        flush();
        if (!line.empty()) result += line + "\n";
    }
    flush();
    return result;
}

double end_of(const std::string& text, const std::string& name, std::size_t forms) {
    Pipeline p(text);
    EXPECT_EQ(p.compiled().closed_forms.size(), forms) << text;
    const auto run = p.run({.stop = 0.5, .tolerance = 1e-10, .interval = 0.5}, {name});
    EXPECT_FALSE(run.summary.failure) << run.summary.failure->message;
    return run.result.at(run.result.time.size() - 1, 0);  // events have rows of their own
}

TEST(RodForms, AreFoundInAnyOrderOfTheLines) {
    for (const char* name : {"rod_and_slide", "cross_and_hinge", "usp", "telescope"}) {
        const Chain c = chain(name);
        const double expected = end_of(text_of(c), "main.w", c.joints.size());
        for (const unsigned seed : {1U, 2U})
            EXPECT_NEAR(end_of(shuffled(text_of(c), seed), "main.w", c.joints.size()), expected, 1e-6) << name;
    }
}

TEST(RodForms, AreFoundInOwnTypesAndBesideWhatSwitches) {
    for (const char* name : {"rod_and_hinge", "ssp", "usr"}) {
        const Chain c = chain(name);
        std::string inside = replaced(replaced(text_of(c), "  world: {type: World}\n", ""), "world.frame_b", "foot");
        std::string text = "types:\n  Linkage:\n    connectors: {foot: {type: frame}}\n";
        for (const auto part : std::views::split(inside, '\n')) {
            const std::string line(part.begin(), part.end());
            if (!line.empty()) text += "    " + line + "\n";
        }
        text +=
            "components:\n  world: {type: World}\n  one: {type: Linkage}\n  two: {type: Linkage}\n"
            "  supply: {type: Se, e: \"10*sin(40*time)\"}\n  loop: {type: 1}\n  diode: {type: D}\n"
            "  coil: {type: I, I: 0.1}\n  copper: {type: R, R: 2}\n"
            "connect:\n  - [world.frame_b, one.foot, two.foot]\n"
            "bonds: [supply -> loop, loop -> diode, loop -> coil, loop -> copper]\n";
        const double expected = end_of(text_of(c), "main.w", c.joints.size());
        EXPECT_NEAR(end_of(text, "two.main.w", 2 * c.joints.size()), expected, 1e-6) << name;
    }
}

}  // namespace
}  // namespace bondgraph
