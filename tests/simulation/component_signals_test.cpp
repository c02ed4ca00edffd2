// Signals into single components of vectors, against what the whole vector gives and closed forms.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

std::vector<double> at_one_second(const std::string& text, const std::vector<std::string>& names) {
    test::Pipeline p(text);
    const auto run = p.run({.stop = 1.0, .tolerance = 1e-9, .interval = 0.5}, names);
    EXPECT_FALSE(run.summary.failure);
    std::vector<double> values;
    for (std::size_t k = 0; k < names.size(); ++k) values.push_back(run.result.at(run.result.time.size() - 1, k));
    return values;
}

TEST(ComponentSignals, TheOtherComponentsKeepTheirValues) {
    const auto v = at_one_second(
        "components:\n"
        "  world: {type: World, gravity: none}\n"
        "  body: {type: Body, m: 2, I_11: 1, I_22: 1, I_33: 1}\n"
        "  push: {type: WorldForce, f: [1, 5, 3]}\n"
        "  ramp: {type: Integrator, initial: {y: 0}}\n"
        "connect: [[push.frame_b, body.frame_a]]\n"
        "signals:\n"
        "  - 1 -> ramp.u\n"
        "  - ramp.y -> push.f[2]\n",
        {"body.v[1]", "body.v[2]", "body.v[3]"});
    EXPECT_NEAR(v[0], 0.5, 1e-9);
    EXPECT_NEAR(v[1], 0.25, 1e-8);
    EXPECT_NEAR(v[2], 1.5, 1e-9);
}

// The size of the source follows from the components that are driven.
TEST(ComponentSignals, AVectorMayBeDrivenPieceByPiece) {
    const auto v = at_one_second(
        "components:\n"
        "  source: {type: Se}\n"
        "  mass: {type: I, I: 2}\n"
        "bonds: [source -> mass]\n"
        "signals:\n"
        "  - 6*time -> source.e[2]\n"
        "  - 4 -> source.e[1]\n",
        {"mass.f[1]", "mass.f[2]"});
    EXPECT_NEAR(v[0], 2.0, 1e-9);
    EXPECT_NEAR(v[1], 1.5, 1e-8);
}

TEST(ComponentSignals, LeadIntoParametersOfOwnTypes) {
    const auto v = at_one_second(
        "types:\n"
        "  Pushed:\n"
        "    parameters: {F: [1, 2]}\n"
        "    components:\n"
        "      source: {type: Se, e: F}\n"
        "      mass: {type: I, I: 2}\n"
        "    bonds: [source -> mass]\n"
        "components:\n"
        "  a: {type: Pushed}\n"
        "  b: {type: Pushed, F: [7, 8]}\n"
        "signals:\n"
        "  - 4*time -> a.F[1]\n"
        "  - 4*time -> b.F[2]\n",
        {"a.mass.f[1]", "a.mass.f[2]", "b.mass.f[1]", "b.mass.f[2]"});
    EXPECT_NEAR(v[0], 1.0, 1e-8);
    EXPECT_NEAR(v[1], 1.0, 1e-8);
    EXPECT_NEAR(v[2], 3.5, 1e-8);
    EXPECT_NEAR(v[3], 1.0, 1e-8);
}

}  // namespace
}  // namespace bondgraph
