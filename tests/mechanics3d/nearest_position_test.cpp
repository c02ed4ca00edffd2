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
