// Loops that one length closes, with nothing that drives them, through the limits of the crank: there the crank can't
// tell where the rest is, and in its place the other joint must. The same mechanism with hinges is the reference.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

struct Linkage {
    const char* name;
    std::string parts;
    std::string connect;
    std::string hinged_parts;
    std::string hinged_connect;
    std::string other;         ///< of the joint beyond the rod, where a length holds
    std::string hinged_other;  ///< the same with hinges
};

std::string text_of(double size, double phi, const std::string& parts, const std::string& connect) {
    return fmt::format(R"(
components:
  world: {{type: World, n: [0, -1, 0]}}
  main: {{type: Revolute, initial: {{phi: {} deg, w: 0}}}}
  crank: {{type: BodyShape, r: [{}, 0, 0], r_CM: [{}, 0, 0], m: 0.8}}
{}connect:
  - [world, main.frame_a]
  - [main.frame_b, crank.frame_a]
{})",
                       phi, size * 0.25, size * 0.125, parts, connect);
}

/// Four links none of which turns all the way round, and a crank that is longer than its rod.
std::vector<Linkage> linkages(double size) {
    const auto m = [size](double length) { return fmt::format("{:.17g}", size * length); };
    const std::string bed = "  bed: {type: FixedTranslation, r: [" + m(0.5) + ", 0, 0]}\n";
    const std::string ball = "  ball: {type: Body, m: 0.5}\n";
    const std::string on_bed = "  - [world, bed.frame_a]\n";
    const std::string hinged = bed + ball + "  big: {type: Revolute, guess: {phi: -60 deg}}\n" +
                               "  rod: {type: FixedTranslation, r: [" + m(0.4) + ", 0, 0]}\n" +
                               "  small: {type: Revolute}\n  far: {type: Revolute, guess: {phi: 100 deg}}\n" +
                               "  rocker: {type: FixedTranslation, r: [" + m(0.3) + ", 0, 0]}\n";
    const std::string hinged_connect = on_bed +
                                       "  - [crank.frame_b, big.frame_a]\n  - [big.frame_b, rod.frame_a]\n"
                                       "  - [rod.frame_b, small.frame_a]\n  - [bed.frame_b, far.frame_a]\n"
                                       "  - [far.frame_b, rocker.frame_a]\n"
                                       "  - [small.frame_b, rocker.frame_b, ball]\n";
    const std::string slide =
        "  big: {type: Revolute, guess: {phi: -60 deg}}\n  ball: {type: Body, m: 0.5}\n"
        "  rod: {type: FixedTranslation, r: [" +
        m(0.2) +
        ", 0, 0]}\n  small: {type: Revolute}\n"
        "  guide: {type: Prismatic, n: [1, 0, 0], guess: {s: " +
        m(0.4) + "}}\n";
    const std::string slide_connect =
        "  - [crank.frame_b, big.frame_a]\n  - [big.frame_b, rod.frame_a]\n  - [rod.frame_b, small.frame_a]\n"
        "  - [world, guide.frame_a]\n  - [small.frame_b, guide.frame_b, ball]\n";
    return {
        {"JointSSR",
         bed + ball + "  dyad: {type: JointSSR, rod1Length: " + m(0.4) + ", rRod2_ib: [" + m(0.3) +
             ", 0, 0], guess: {phi: 100 deg}}\n",
         on_bed + "  - [crank.frame_b, dyad.frame_a]\n  - [bed.frame_b, dyad.frame_b]\n  - [dyad.frame_im, ball]\n",
         hinged, hinged_connect, "dyad.phi", "far.phi"},
        {"ConnectingRod",
         bed + ball + "  far: {type: Revolute, guess: {phi: 100 deg}}\n  rocker: {type: FixedTranslation, r: [" +
             m(0.3) + ", 0, 0]}\n  rod: {type: ConnectingRod, length: " + m(0.4) + "}\n",
         on_bed + "  - [bed.frame_b, far.frame_a]\n  - [far.frame_b, rocker.frame_a]\n"
                  "  - [rocker.frame_b, ball, rod.frame_b]\n  - [crank.frame_b, rod.frame_a]\n",
         hinged, hinged_connect, "far.phi", "far.phi"},
        {"JointSSP",
         ball + "  dyad: {type: JointSSP, rod1Length: " + m(0.2) +
             ", n_b: [1, 0, 0], rRod2_ib: [0, 0, 0], guess: {s: " + m(0.4) + "}}\n",
         "  - [crank.frame_b, dyad.frame_a]\n  - [world, dyad.frame_b]\n  - [dyad.frame_im, ball]\n", slide,
         slide_connect, "dyad.s", "guide.s"},
    };
}

struct Ends {
    double phi = 0.0;
    double other = 0.0;
    int choices = 0;
    double imbalance = 0.0;  ///< of what moved
};

Ends end_of(const std::string& text, const std::string& other, double stop, double tolerance) {
    Pipeline p(text);
    const auto run = p.run({.stop = stop, .tolerance = tolerance, .interval = stop}, {"main.phi", other});
    EXPECT_FALSE(run.summary.failure) << run.summary.failure->message << text;
    const std::size_t last = run.result.time.size() - 1;
    return {run.result.at(last, 0), run.result.at(last, 1), run.summary.reselections,
            run.summary.energy.imbalance / run.summary.energy.moved};
}

class OneLength : public testing::TestWithParam<std::tuple<int, double>> {};

TEST_P(OneLength, PassesTheLimitsOfTheCrank) {
    const auto [which, size] = GetParam();
    const Linkage linkage = linkages(size).at(static_cast<std::size_t>(which));
    const double stop = 3.0 * std::sqrt(size);
    const double phi = which == 2 ? 40.0 : 70.0;
    const Ends hinged =
        end_of(text_of(size, phi, linkage.hinged_parts, linkage.hinged_connect), linkage.hinged_other, stop, 1e-11);
    for (const double tolerance : {1e-8, 1e-10, 1e-11}) {
        const Ends held = end_of(text_of(size, phi, linkage.parts, linkage.connect), linkage.other, stop, tolerance);
        EXPECT_GE(held.choices, 2) << tolerance;
        // What some swings make of the errors of thousands of steps: the hinges are 2e-7 off themselves.
        const double allowed = 3e4 * tolerance + 5e-7;
        EXPECT_NEAR(held.phi, hinged.phi, allowed) << tolerance;
        EXPECT_NEAR(held.other, hinged.other, allowed * (which == 2 ? size : 1.0)) << tolerance;
        EXPECT_LT(std::abs(held.imbalance), std::max(1e2 * tolerance, 1e-8)) << tolerance;
    }
}

// In millimetres, metres and tens of metres: lengths beside angles are measured by the mechanism.
INSTANTIATE_TEST_SUITE_P(Of, OneLength, testing::Combine(testing::Range(0, 3), testing::Values(1e-3, 1.0, 40.0)));

}  // namespace
}  // namespace bondgraph
