// Loops in a plane as people draw them: digits left out of a place or an axis, a cross in place of a hinge, drawn with
// all angles at 0, in a plane that lies anyhow. What rounding leaves decides nothing.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "bondgraph/compile/reduce.hpp"
#include "tests/mechanics3d/edited_models.hpp"
#include "tests/mechanics3d/ways_of_closing.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using Rows = std::vector<std::vector<double>>;

std::string body(const std::string& r) {
    return "{type: BodyShape, r: " + r + ", r_CM: [0.05, 0.1, 0], m: 1, I_11: 0.02, I_22: 0.03, I_33: 0.04}\n";
}

/// A crank, a coupler and a rocker, drawn with all angles at 0.
struct FourBar {
    std::string foot = "[0.5, -0.1, 0]";
    std::string foot_axis = "[0, 0, 1]";
    std::string top = "{type: Revolute, n: [0, 0, 1], guess: {phi: 0.02}}";
    std::string start = "{phi: 0, w: 3}";

    [[nodiscard]] std::string text() const {
        return "components:\n  world: {type: World, n: [0, -1, 0]}\n  main: {type: Revolute, n: [0, 0, 1], initial: " +
               start + "}\n  crank: " + body("[0, 0.3, 0]") + "  top: " + top + "\n  coupler: " + body("[0.5, 0, 0]") +
               "  pin: {type: Revolute, n: [0, 0, 1], guess: {phi: 0.02}}\n  rocker: " + body("[0, 0.4, 0]") +
               "  foot: {type: Revolute, n: " + foot_axis + ", guess: {phi: 0.02}}\n  stand: {type: Fixed, r: " + foot +
               "}\nconnect:\n  - [world.frame_b, main.frame_a]\n  - [main.frame_b, crank.frame_a]\n"
               "  - [crank.frame_b, top.frame_a]\n  - [top.frame_b, coupler.frame_a]\n"
               "  - [coupler.frame_b, pin.frame_a]\n  - [pin.frame_b, rocker.frame_b]\n"
               "  - [rocker.frame_a, foot.frame_b]\n  - [foot.frame_a, stand.frame_b]\n"
               "experiment: {stop: 1 s, tolerance: 1e-10}\n";
    }
};

/// Two cranks, and two bars between them that meet at `top`, where the loop is closed; mounted on a plane turned by
/// this angle.
std::string five_bar(const std::string& top, double turned = 0.0) {
    const std::string mass = ", m: 1, r_CM: [0, 0, 0], I_11: 0.1, I_22: 0.1, I_33: 0.1}\n";
    const std::string hinge = "{type: Revolute, n: [0, 0, 1], ";
    return "components:\n  world: {type: World, n: [0, -1, 0]}\n  base: {type: FixedRotation, r: [-0.6, 0.35, 0.8], n: "
           "[1, 1, 1], angle: " +
           fmt::format("{}}}\n", turned) +
           "  foot1: {type: FixedTranslation, r: [-0.528, 0.261, 0]}\n"
           "  foot2: {type: FixedTranslation, r: [0.102, 0.272, 0]}\n  j1: " +
           hinge + "initial: {phi: 0, w: 1}}\n  b1: {type: BodyShape, r: [-0.004, -0.185, 0]" + mass +
           "  j2: " + hinge + "guess: {phi: 0.02}}\n  b2: {type: BodyShape, r: [0.176, 0.202, 0]" + mass +
           "  l2: {type: FixedTranslation, r: [0.124, -0.194, 0]}\n  u: " + top +
           "  l3: {type: FixedTranslation, r: [-0.108, 0.346, 0]}\n  b3: {type: Body" + mass + "  j4: " + hinge +
           "initial: {phi: 0, w: -0.5}}\n  l4: {type: FixedTranslation, r: [0.57, 0.568, 0]}\n  b4: {type: Body" +
           mass + "  j5: " + hinge +
           "guess: {phi: 0.01}}\nconnect:\n  - [world.frame_b, base.frame_a]\n"
           "  - [base.frame_b, foot1.frame_a, foot2.frame_a]\n  - [foot1.frame_b, j1.frame_a]\n"
           "  - [j1.frame_b, b1.frame_b]\n  - [b1.frame_a, j2.frame_a]\n  - [j2.frame_b, b2.frame_b]\n"
           "  - [b2.frame_a, l2.frame_a]\n  - [l2.frame_b, u.frame_a]\n  - [u.frame_b, l3.frame_b]\n"
           "  - [l3.frame_a, b3.frame_a, j4.frame_b]\n  - [j4.frame_a, l4.frame_a, b4.frame_a]\n"
           "  - [l4.frame_b, j5.frame_a]\n  - [j5.frame_b, foot2.frame_b]\n"
           "experiment: {stop: 0.3 s, tolerance: 1e-9}\n";
}

Rows motion(const std::string& text, const std::vector<std::string>& names) {
    Pipeline p(text);
    simulation::Settings settings = p.settings();
    settings.interval = settings.stop / 10.0;
    const auto run = p.run(settings, names);
    EXPECT_FALSE(run.summary.failure) << (run.summary.failure ? run.summary.failure->message : "");
    return test::rows_at(run.result, settings.interval);
}

void expect_same(const Rows& a, const Rows& b, double tolerance) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t row = 0; row < a.size(); ++row) {
        for (std::size_t c = 0; c < a[row].size(); ++c)
            EXPECT_NEAR(a[row][c], b[row][c], tolerance * std::max(1.0, std::abs(a[row][c]))) << row << ", " << c;
    }
}

const std::vector<std::string> kAngles{"main.phi", "main.w", "foot.phi", "main.frame_a.f[1]"};

TEST(NearlyPlanar, AHingeBesideThePlaneByLessThanAMicrometre) {
    const Rows exact = motion(FourBar{}.text(), kAngles);
    for (const char* beside : {"1e-12", "1e-10", "-1e-8", "5e-7"})
        expect_same(exact, motion(FourBar{.foot = fmt::format("[0.5, -0.1, {}]", beside)}.text(), kAngles), 1e-7);
}

TEST(NearlyPlanar, AnAxisWithSevenDigits) {
    const Rows exact = motion(FourBar{}.text(), kAngles);
    for (const char* off : {"1e-12", "1e-10", "-1e-8", "1e-7"})
        expect_same(exact, motion(FourBar{.foot_axis = fmt::format("[{}, 0, 1]", off)}.text(), kAngles), 1e-6);
}

// With axes that are farther off nothing can move: a mechanism that stands where it is drawn does so.
TEST(NearlyPlanar, AxesFartherOffHoldItStill) {
    const Rows rows = motion(FourBar{.foot_axis = "[1e-3, 0, 1]", .start = "{phi: 0}"}.text(), {"main.phi", "main.w"});
    for (const auto& row : rows) EXPECT_LT(std::abs(row[0]) + std::abs(row[1]), 1e-9);
}

// What it could do about its second axis the hinges don't let it do: one of two conditions says so, another one about
// the third axis nothing, where it is drawn, and where it moves to the same as the first.
class Cross : public testing::TestWithParam<std::tuple<const char*, const char*, double>> {};

TEST_P(Cross, InPlaceOfAHinge) {
    const auto& [axis, guess, turned] = GetParam();
    const std::vector<std::string> names{"j1.phi", "j1.w", "j4.phi", "j4.w", "j5.phi"};
    const Rows hinge = motion(five_bar("{type: Revolute, n: [0, 0, 1], guess: {phi: 0.02}}\n", turned), names);
    ASSERT_GT(std::abs(hinge.back()[0]), 0.1);
    const std::string cross = fmt::format("{{type: Universal, n_a: [0, 0, 1], n_b: {}, guess: {{{}}}}}\n", axis, guess);
    Pipeline p(five_bar(cross, turned));
    const auto& mechanism = p.sorted().reduced->loops->mechanisms.at(0);
    EXPECT_EQ(mechanism.coordinates, 6U);
    expect_same(hinge, motion(five_bar(cross, turned), names), 1e-6);
}

/// A four-bar drawn in the coordinates of the world on a plane across (1, 2, 2), so large, and with one pin beside it.
std::string across_the_world(double size, double beside) {
    const std::string n = "n: [1/3, 2/3, 2/3], ";
    const auto rod = [&](double x, double y, double z, double off) {
        return fmt::format(
            "{{type: BodyShape, r: [{:.17g}, {:.17g}, {:.17g}], m: 1, I_11: {:.17g}, I_22: {:.17g}, I_33: {:.17g}}}\n",
            size * x + off / 3, size * y + 2 * off / 3, size * z + 2 * off / 3, 0.01 * size * size, 0.01 * size * size,
            0.01 * size * size);
    };
    return "components:\n  world: {type: World, gravity: none}\n  main: {type: Revolute, " + n +
           "initial: {phi: 0, w: 2}}\n  crank: " + rod(-0.34 / 3, 0.58 / 3, -0.41 / 3, 0.0) +
           "  j1: {type: Revolute, " + n + "guess: {phi: 0}}\n  coupler: " + rod(0.28, 0.24, -0.38, 0.0) +
           "  j2: {type: Revolute, " + n + "guess: {phi: 0}}\n  rocker: " + rod(0.7 / 3, -1.0 / 3, 0.65 / 3, beside) +
           "  j3: {type: Revolute, " + n +
           fmt::format("guess: {{phi: 0}}}}\n  foot: {{type: Fixed, r: [{:.17g}, {:.17g}, {:.17g}]}}\n", 0.4 * size,
                       0.1 * size, -0.3 * size) +
           "connect:\n  - [world.frame_b, main.frame_a]\n  - [main.frame_b, crank.frame_a]\n"
           "  - [crank.frame_b, j1.frame_a]\n  - [j1.frame_b, coupler.frame_a]\n  - [coupler.frame_b, j2.frame_a]\n"
           "  - [j2.frame_b, rocker.frame_a]\n  - [rocker.frame_b, j3.frame_a]\n  - [j3.frame_b, foot.frame_b]\n"
           "experiment: {stop: 0.5 s, tolerance: 1e-9}\n";
}

// Conditions across such a plane are told together with others; what is left of them is a share of the lengths.
TEST(NearlyPlanar, InThePlaneOfNoAxis) {
    const std::vector<std::string> names{"main.phi", "j1.phi", "j3.phi"};
    const Rows exact = motion(across_the_world(1.0, 0.0), names);
    ASSERT_GT(std::abs(exact.back()[0]), 0.5);
    for (const double size : {1e-6, 1.0, 300.0}) {
        for (const double beside : {1e-9, -1e-8, 3e-7})
            expect_same(exact, motion(across_the_world(size, beside * size), names), 2e-6);
        EXPECT_THROW(Pipeline(across_the_world(size, 1e-5 * size)).compiled(), ModelError) << size;
    }
}

// Coordinates that follow from each other are 0 to rounding where they are given as 0.
TEST(NearlyPlanar, RoundingOfAGivenAngleIsNoContradiction) {
    for (const double turned : {0.7, 0.876812434315, 1.3}) {
        std::string text = five_bar("{type: CutRevolute, n: [0, 0, 1]}\n", turned);
        text = test::edited(text, {{"initial: {phi: 0, w: 1}", "initial: {phi: 0, w: 0}"},
                                   {"initial: {phi: 0, w: -0.5}", "initial: {phi: 0, w: 0}"}});
        EXPECT_NO_THROW(motion(text, {"j1.phi"})) << turned;
    }
}

// Both feet by numbers of their own, of which one may have lost some digits.
TEST(NearlyPlanar, ACrossBetweenFeetByNumbers) {
    const auto mounted = [](const std::string& top, const std::string& y) {
        return test::edited(five_bar(top),
                            {{"r: [-0.6, 0.35, 0.8], n: [1, 1, 1], angle: 0",
                              "r: [-0.596, 0.35, 0.792], n: [1, 1, 1], angle: 40.10704565915762 deg"},
                             {"foot2: {type: FixedTranslation, r: [0.102, 0.272, 0]}",
                              "foot2: {type: FixedRotation, r: [-0.5898372336441196, " + y +
                                  ", 0.884546014026245], n: [1, 1, 1], angle: 40.10704565915762 deg}"},
                             {"[base.frame_b, foot1.frame_a, foot2.frame_a]", "[base.frame_b, foot1.frame_a]"},
                             {"[world.frame_b, base.frame_a]", "[world.frame_b, base.frame_a, foot2.frame_a]"},
                             {"initial: {phi: 0, w: 1}", "initial: {phi: 0, w: 0}"},
                             {"initial: {phi: 0, w: -0.5}", "initial: {phi: 0, w: 0}"}});
    };
    const std::vector<std::string> names{"j1.phi", "j1.w", "j4.phi", "j4.w", "j5.phi"};
    for (const char* y : {"0.62529121", "0.62529121961787472"}) {
        SCOPED_TRACE(y);
        const Rows hinge = motion(mounted("{type: Revolute, n: [0, 0, 1], guess: {phi: 0.02}}\n", y), names);
        for (const char* guess : {"phi_a: 0.02", "phi_a: 0.0512, phi_b: -0.0522", "phi_a: 0.02, phi_b: 0"})
            expect_same(
                hinge,
                motion(
                    mounted(fmt::format("{{type: Universal, n_a: [0, 0, 1], n_b: [1, 0, 0], guess: {{{}}}}}\n", guess),
                            y),
                    names),
                1e-6);
    }
}

INSTANTIATE_TEST_SUITE_P(Drawn, Cross,
                         testing::Combine(testing::Values("[1, 0, 0]", "[0, 1, 0]", "[0.6, 0.8, 0]"),
                                          testing::Values("phi_a: 0.02", "phi_a: 0, phi_b: 0",
                                                          "phi_a: 0.05, phi_b: -0.052", "phi_b: 0.05"),
                                          testing::Values(0.0, 0.7)));

}  // namespace
}  // namespace bondgraph
