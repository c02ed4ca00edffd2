// Where a mechanism stands at its start, of several positions in which its loops close.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

double start_of(const std::string& text, const std::string& result) {
    Pipeline p(text);
    return p.run({.stop = 1e-6, .tolerance = 1e-8, .interval = 1e-6}, {result}).result.at(0, 0);
}

// A boom of 1 m and a ram of 1.5 m to a point 1 m beside its hinge: the boom stands at 97.2 degrees, up or down. The
// ram's own angles, which nobody guessed, begin at 0, where it points away.
TEST(NearestPosition, IsTheOneNearestToWhatIsGuessed) {
    const double up = std::acos((1.0 + 1.0 - 1.5 * 1.5) / 2.0);
    for (const double guess : {60.0, 90.0, 97.0, 120.0, -60.0, -90.0, -120.0}) {
        const std::string text = fmt::format(R"(
components:
  world: {{type: World}}
  bed: {{type: FixedTranslation, r: [1 m, 0, 0]}}
  hinge: {{type: Revolute, guess: {{phi: {} deg}}}}
  boom: {{type: BodyShape, r: [1 m, 0, 0], r_CM: [0.5 m, 0, 0], m: 10 kg}}
  ram: {{type: JointUPS, initial: {{s: 1.5 m, v: 0}}}}
connect:
  - [world, hinge.frame_a, bed.frame_a]
  - [hinge.frame_b, boom.frame_a]
  - [boom.frame_b, ram.frame_b]
  - [bed.frame_b, ram.frame_a]
)",
                                             guess);
        EXPECT_NEAR(start_of(text, "hinge.phi"), std::copysign(up, guess), 1e-8) << guess;
    }
}

// A platform whose pose is given stands on three legs, each a hinge and a slide in an upright plane, drawn as they
// stand: the sideways conditions hold but for the digits left out, and leave nothing to move. Turned over by half a
// turn, with a negative length, a leg would end at the same place.
std::string platform_on_legs(int digits, const std::string& rates) {
    constexpr double kHeight = 0.8;
    constexpr double kBase = 0.6;
    constexpr double kTop = 0.35;
    std::string parts = fmt::format(
        "components:\n  world: {{type: World, n: [0, 0, -1]}}\n  plat: {{type: Body, m: 10 kg, I_11: 0.4, I_22: 0.5, "
        "I_33: "
        "0.3, initial: {{x: [0, 0, {}], angles: [0, 0, 0]{}}}}}\n",
        kHeight, rates);
    std::string joined = "connect:\n";
    const auto vector = [&](double x, double y, double z) {
        return fmt::format("[{:.{}f}, {:.{}f}, {:.{}f}]", x, digits, y, digits, z, digits);
    };
    const double length = std::hypot(kBase - kTop, kHeight);
    for (int k = 0; k < 3; ++k) {
        const double c = std::cos(0.1 + 2.0 * std::numbers::pi / 3.0 * k);
        const double s = std::sin(0.1 + 2.0 * std::numbers::pi / 3.0 * k);
        const std::string along = vector((kTop - kBase) * c / length, (kTop - kBase) * s / length, kHeight / length);
        parts += fmt::format(
            "  foot{0}: {{type: Fixed, r: {1}}}\n  hinge{0}: {{type: Revolute, n: {2}}}\n"
            "  lower{0}: {{type: Body, m: 1 kg, I_11: 0.02, I_22: 0.02, I_33: 0.02}}\n"
            "  slide{0}: {{type: Prismatic, n: {3}, guess: {{s: {4:.{6}f}}}}}\n  upper{0}: {{type: Body, m: 1 kg}}\n"
            "  ball{0}: {{type: CutSpherical}}\n  arm{0}: {{type: FixedTranslation, r: {5}}}\n",
            k, vector(kBase * c, kBase * s, 0.0), vector(-s, c, 0.0), along, length, vector(kTop * c, kTop * s, 0.0),
            digits);
        joined += fmt::format(
            "  - [foot{0}.frame_b, hinge{0}.frame_a]\n  - [hinge{0}.frame_b, lower{0}.frame_a, slide{0}.frame_a]\n"
            "  - [slide{0}.frame_b, upper{0}.frame_a, ball{0}.frame_a]\n  - [plat.frame_a, arm{0}.frame_a]\n"
            "  - [arm{0}.frame_b, ball{0}.frame_b]\n",
            k);
    }
    return parts + joined;
}

TEST(NearestPosition, IsTheOneThatWasDrawnWhereDigitsWereLeftOut) {
    const double length = std::hypot(0.25, 0.8);
    for (const int digits : {12, 15}) {
        for (const char* rates : {"", ", v: [0, 0, 0]", ", v: [0, 0, 0], w: [0, 0, 0]", ", v: [0, 0, 0.2]"}) {
            Pipeline p(platform_on_legs(digits, rates));
            const auto run =
                p.run({.stop = 1e-3, .tolerance = 1e-8, .interval = 1e-3},
                      {"slide0.s", "slide1.s", "slide2.s", "hinge0.phi", "hinge1.phi", "hinge2.phi", "plat.w[3]"});
            ASSERT_FALSE(run.summary.failure) << digits << rates;
            for (std::size_t k = 0; k < 3; ++k) {
                EXPECT_NEAR(run.result.at(0, k), length, 1e-10) << digits << rates << k;
                EXPECT_NEAR(run.result.at(0, 3 + k), 0.0, 1e-10) << digits << rates << k;
            }
            EXPECT_NEAR(run.result.at(0, 6), 0.0, 1e-10) << digits << rates;
        }
    }
}

// Two loops, and nothing but guesses: as good as any, but the same for any order of the lines, and any names.
TEST(NearestPosition, DoesNotDependOnTheOrderOfLines) {
    const std::vector<std::string> parts{"  world: {type: World}\n",
                                         "  bed: {type: FixedTranslation, r: [0.3, 0, 0]}\n",
                                         "  bed2: {type: FixedTranslation, r: [0.7, 0.05, 0]}\n",
                                         "  j1: {type: Revolute, guess: {phi: 30 deg}}\n",
                                         "  crank: {type: BodyShape, r: [0.1, 0, 0], m: 1}\n",
                                         "  j2: {type: Revolute}\n",
                                         "  coupler: {type: BodyShape, r: [0.35, 0, 0], m: 1}\n",
                                         "  j3: {type: Revolute}\n",
                                         "  rocker: {type: BodyShape, r: [0.25, 0, 0], m: 1}\n",
                                         "  j4: {type: Revolute, guess: {phi: 70 deg}}\n",
                                         "  j5: {type: Revolute, guess: {phi: -60 deg}}\n",
                                         "  link: {type: BodyShape, r: [0.4, 0, 0], m: 1}\n",
                                         "  j6: {type: Revolute}\n",
                                         "  arm: {type: BodyShape, r: [0.28, 0, 0], m: 1}\n",
                                         "  j7: {type: Revolute, guess: {phi: 120 deg}}\n"};
    const std::vector<std::string> joined{"  - [world, j1.frame_a, bed.frame_a, bed2.frame_a]\n",
                                          "  - [j1.frame_b, crank.frame_a]\n",
                                          "  - [crank.frame_b, j2.frame_a]\n",
                                          "  - [j2.frame_b, coupler.frame_a]\n",
                                          "  - [coupler.frame_b, j3.frame_a]\n",
                                          "  - [bed.frame_b, j4.frame_a]\n",
                                          "  - [j4.frame_b, rocker.frame_a]\n",
                                          "  - [rocker.frame_b, j3.frame_b, j5.frame_a]\n",
                                          "  - [j5.frame_b, link.frame_a]\n",
                                          "  - [link.frame_b, j6.frame_a]\n",
                                          "  - [bed2.frame_b, j7.frame_a]\n",
                                          "  - [j7.frame_b, arm.frame_a]\n",
                                          "  - [arm.frame_b, j6.frame_b]\n"};
    std::vector<double> found;
    for (const std::size_t step : {1u, 2u, 7u, 11u}) {
        std::string text = "components:\n";
        for (std::size_t k = 0; k < parts.size(); ++k) text += parts[(k * step + step) % parts.size()];
        text += "connect:\n";
        for (std::size_t k = 0; k < joined.size(); ++k) text += joined[(k * step + 3) % joined.size()];
        found.push_back(start_of(text, "j7.phi"));
        EXPECT_NEAR(found.back(), found.front(), 1e-9) << step;
    }
}

}  // namespace
}  // namespace bondgraph
