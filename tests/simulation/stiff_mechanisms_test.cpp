// Mechanisms with stiff bearings and springs: the steps of the motion, not of the spring, and the motion of the rigid
// mechanism.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "bondgraph/simulation/newton_convergence.hpp"
#include "tests/support/pipeline.hpp"
#include "tests/support/places.hpp"

namespace bondgraph {
namespace {

using simulation::NewtonConvergence;
using test::Pipeline;

constexpr std::size_t kMostSteps = 8000;

/// Angle and angular velocity of a rigid pendulum released from the horizontal: J phi'' = -m g l cos(phi).
std::array<double, 2> rigid_pendulum(double moment, double inertia, double stop) {
    constexpr int kSteps = 200000;
    const double h = stop / kSteps;
    const auto acceleration = [&](double phi) { return -moment * std::cos(phi) / inertia; };
    double phi = 0.0;
    double w = 0.0;
    for (int k = 0; k < kSteps; ++k) {  // Runge-Kutta-Nystroem
        const double a1 = acceleration(phi);
        const double a2 = acceleration(phi + 0.5 * h * w + 0.125 * h * h * a1);
        const double a3 = acceleration(phi + h * w + 0.5 * h * h * a2);
        phi += h * w + h * h / 6.0 * (a1 + 2.0 * a2);
        w += h / 6.0 * (a1 + 4.0 * a2 + a3);
    }
    return {phi, w};
}

class StiffBushing : public testing::TestWithParam<double> {};

// A bar on a hinge with a light body held at its end.
TEST_P(StiffBushing, TakesTheStepsOfThePendulumItMakes) {
    Pipeline p(
        fmt::format("parameters: {{c: {} N/m, d: 1e3 N.s/m}}\n"
                    "components:\n"
                    "  world: {{type: World}}\n"
                    "  hinge: {{type: Revolute, n: [0, 0, 1], initial: {{phi: 0, w: 0}}}}\n"
                    "  bar: {{type: BodyShape, r: [1 m, 0, 0], m: 1 kg, r_CM: [0.5 m, 0, 0], I_33: 0.0833 kg.m2}}\n"
                    "  hold: {{type: Bushing, c: c, d: d, c_phi: 1e3 N.m, d_phi: 10 N.m.s}}\n"
                    "  body: {{type: Body, m: 0.1 kg, I_11: 1e-4 kg.m2, I_22: 1e-4 kg.m2, I_33: 1e-4 kg.m2, "
                    "initial: {{x: [1 m, 0, 0], v: [0, 0, 0], w: [0, 0, 0]}}}}\n"
                    "connect:\n"
                    "  - [world.frame_b, hinge.frame_a]\n"
                    "  - [hinge.frame_b, bar.frame_a]\n"
                    "  - [bar.frame_b, hold.frame_a]\n"
                    "  - [hold.frame_b, body.frame_a]\n",
                    GetParam()));
    const auto run = p.run({.stop = 10.0, .tolerance = 1e-6, .interval = 0.1}, {"hinge.phi", "hinge.w"});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_LE(run.summary.steps, kMostSteps);
    const std::size_t last = run.result.time.size() - 1;
    const auto rigid = rigid_pendulum((0.5 + 0.1) * 9.81, 0.25 + 0.0833 + 0.1 + 1e-4, 10.0);
    // The spring itself gives way by m g/c; up to 1e6 N/m its swinging is part of the motion.
    const double soft = 20.0 / GetParam();
    EXPECT_NEAR(run.result.at(last, 0), rigid[0], 5e-5 + soft);
    EXPECT_NEAR(run.result.at(last, 1), rigid[1], 2e-3 + 5.0 * soft);
    EXPECT_LT(std::abs(run.summary.energy.imbalance), 3e-3);
}

INSTANTIATE_TEST_SUITE_P(Stiffness, StiffBushing, testing::Values(1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10));

struct Bearing {
    double c;
    double d;
};

class StiffFourBar : public testing::TestWithParam<Bearing> {};

// A planar four-bar whose last joint is a bearing. The rigid one's crank stands at 0.725466 after 2 s (an integration
// with its crank angle as the only coordinate).
TEST_P(StiffFourBar, SwingsAsTheRigidOneDoes) {
    Pipeline p(
        fmt::format("parameters: {{c: {} N/m, d: {} N.s/m}}\n"
                    "components:\n"
                    "  world: {{type: World}}\n"
                    "  A: {{type: Revolute, n: [0, 0, 1], initial: {{phi: 60 deg, w: 0}}}}\n"
                    "  crank: {{type: BodyBox, r: [0.2 m, 0, 0], width: 2 cm}}\n"
                    "  B: {{type: Revolute, n: [0, 0, 1], initial: {{w: 0, phi: -0.584200226548341}}}}\n"
                    "  coupler: {{type: BodyBox, r: [0.5 m, 0, 0], width: 2 cm}}\n"
                    "  C: {{type: Revolute, n: [0, 0, 1], initial: {{w: 0, phi: -0.33101172808929447}}}}\n"
                    "  rocker: {{type: BodyBox, r: [0, -0.4 m, 0], width: 2 cm}}\n"
                    "  D: {{type: Bushing, c: c, d: d, c_phi: [1e4, 1e4, 0], d_phi: [10, 10, 0]}}\n"
                    "  foot: {{type: Fixed, r: [0.6 m, 0, 0]}}\n"
                    "connect:\n"
                    "  - [world.frame_b, A.frame_a]\n"
                    "  - [A.frame_b, crank.frame_a]\n"
                    "  - [crank.frame_b, B.frame_a]\n"
                    "  - [B.frame_b, coupler.frame_a]\n"
                    "  - [coupler.frame_b, C.frame_a]\n"
                    "  - [C.frame_b, rocker.frame_a]\n"
                    "  - [rocker.frame_b, D.frame_b]\n"
                    "  - [foot.frame_b, D.frame_a]\n",
                    GetParam().c, GetParam().d));
    const auto run = p.run({.stop = 2.0, .tolerance = 1e-6, .interval = 0.004}, {"A.phi"});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_LE(run.summary.steps, kMostSteps);
    EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), 0.725466, 2e-3);
    const auto closer = p.run({.stop = 2.0, .tolerance = 1e-8, .interval = 0.004}, {"A.phi"});
    EXPECT_NEAR(closer.result.at(closer.result.time.size() - 1, 0), 0.725466, 2e-4);
}

INSTANTIATE_TEST_SUITE_P(Bearings, StiffFourBar,
                         testing::Values(Bearing{1e8, 1e3}, Bearing{1e8, 1e5}, Bearing{1e9, 1e4}, Bearing{1e10, 1e5}));

// The inner gimbal stays level but for rounding: its angle has no size of its own.
TEST(StiffMechanisms, AGimbalLevelButForRoundingTakesNoStepsForIt) {
    Pipeline p(test::load_file(test::source_folder() + "/models/mechanics3d/gimbal_gyroscope.yaml"));
    const auto run = p.run(p.settings(), {"pitch.phi"});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_LE(run.summary.steps, 94);
}

TEST(NewtonConvergence, ASmallFirstCorrectionNeedsAKnownContraction) {
    NewtonConvergence n;
    n.jacobian_made(1.0);
    using enum NewtonConvergence::Verdict;
    EXPECT_EQ(n.judge(0, 0.1, 0.33, 1.0, 10.0), next);
    EXPECT_EQ(n.judge(1, 1e-9, 0.33, 1.0, 10.0), done);
    // What it saw with the Jacobian just made says nothing of the next step.
    EXPECT_EQ(n.judge(0, 0.1, 0.33, 1.1, 10.0), next);
    EXPECT_EQ(n.judge(1, 0.01, 0.33, 1.1, 10.0), done);
    // From now on it is known: a tenth per 0.1 s.
    EXPECT_EQ(n.judge(0, 0.1, 0.33, 1.2, 10.0), done);
    EXPECT_EQ(n.judge(0, 1.0, 0.33, 1.2, 10.0), done) << "0.2/(1 - 0.2) are left";
    EXPECT_EQ(n.judge(0, 1.0, 0.33, 1.4, 10.0), next) << "0.4/(1 - 0.4) would be";
    EXPECT_EQ(n.judge(0, 0.1, 0.33, 1.5, 20.0), next) << "another step size";
}

TEST(NewtonConvergence, ACorrectionThatHardlyShrinksFails) {
    NewtonConvergence n;
    n.jacobian_made(0.0);
    using enum NewtonConvergence::Verdict;
    EXPECT_EQ(n.judge(0, 1.0, 0.1, 1.0, 1.0), next);
    EXPECT_EQ(n.judge(1, 0.95, 0.1, 1.0, 1.0), fails);
    EXPECT_EQ(n.judge(0, 1e-6, 0.1, 1.0, 1.0), done) << "nothing left that counts";
}

// With a Jacobian of this very step, corrections far below the tolerance that don't get less are rounding; larger ones,
// or those with an old Jacobian, are none.
TEST(NewtonConvergence, TellsRoundingFromDivergence) {
    using Verdict = NewtonConvergence::Verdict;
    constexpr double kTolerance = 0.1;
    const auto last = [](double made_at, std::initializer_list<double> corrections) {
        NewtonConvergence test;
        test.jacobian_made(made_at);
        Verdict verdict = Verdict::next;
        int iteration = 0;
        for (const double c : corrections) verdict = test.judge(iteration++, c, kTolerance, 1.0, 5.0);
        return verdict;
    };
    EXPECT_EQ(last(1.0, {0.007, 0.016}), Verdict::next);
    EXPECT_EQ(last(1.0, {0.007, 0.016, 0.016}), Verdict::done);
    EXPECT_EQ(last(1.0, {0.05, 0.08, 0.2}), Verdict::fails);
    EXPECT_EQ(last(0.5, {0.007, 0.016}), Verdict::fails);
}

}  // namespace
}  // namespace bondgraph
