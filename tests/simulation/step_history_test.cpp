// What an integrator remembers of its last steps, and what another one makes of it: choosing states anew costs no
// steps.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "bondgraph/simulation/integrator.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using simulation::Integrator;
using simulation::StepHistory;
using test::Pipeline;

constexpr const char* kOscillator = R"(
types:
  Oscillator:
    variables: {x: {start: 1}, v: {start: 0}}
    equations: [der(x) = v, der(v) = -x]
components:
  o: {type: Oscillator}
bonds: []
)";

struct Running {
    Pipeline pipeline{kOscillator};
    simulation::Settings settings{.stop = 10.0, .tolerance = 1e-7};
    simulation::Evaluator evaluator{pipeline.compiled()};
    simulation::Point start = pipeline.start();
    expression::Tape nothing;
    Integrator integrator{evaluator, settings, start, {nothing, nothing}};
    std::size_t x = pipeline.compiled().name(pipeline.compiled().unknowns[0].variable) == "o.x" ? 0U : 1U;

    Running() { evaluator.set_held(start.held); }
    void steps(int count) {
        for (int k = 0; k < count; ++k) ASSERT_EQ(integrator.step(10.0), Integrator::Outcome::stepped);
    }
};

TEST(StepHistory, IsWhereTheLastStepsLed) {
    Running run;
    ASSERT_TRUE(run.integrator.history().points.empty());
    run.steps(60);
    const StepHistory past = run.integrator.history();
    ASSERT_GE(past.points.size(), 4U);  // of third order at least
    EXPECT_GT(past.next, 0.0);
    EXPECT_DOUBLE_EQ(past.points[0].time, run.integrator.time());
    for (std::size_t k = 0; k < past.points.size(); ++k) {
        const simulation::Point& p = past.points[k];
        if (k > 0) {
            EXPECT_LT(p.time, past.points[k - 1].time);
        }
        EXPECT_NEAR(p.y[run.x], std::cos(p.time), 1e-5) << k;
        EXPECT_NEAR(p.y[1 - run.x], -std::sin(p.time), 1e-5) << k;
        EXPECT_NEAR(p.yp[run.x], -std::sin(p.time), 1e-3) << k;
    }
}

// The points are those that the steps ended at, not a look at the last step's polynomial.
TEST(StepHistory, HoldsTheAcceptedPointsThemselves) {
    Running run;
    run.steps(60);
    std::vector<double> times;
    std::vector<double> values;
    for (int k = 0; k < 3; ++k) {
        run.steps(1);
        times.push_back(run.integrator.time());
        values.push_back(run.integrator.values()[run.x]);
    }
    const StepHistory past = run.integrator.history();
    ASSERT_GE(past.points.size(), 3U);
    for (std::size_t k = 0; k < 3; ++k) {
        EXPECT_NEAR(past.points[k].time, times[2 - k], 1e-13);
        EXPECT_NEAR(past.points[k].y[run.x], values[2 - k], 1e-13);
    }
}

TEST(StepHistory, AnotherIntegratorGoesOnAsIfItHadTakenTheSteps) {
    Running run;
    run.steps(60);
    Running other;
    other.integrator.resume(run.integrator.history());
    simulation::Summary before;
    other.integrator.statistics(before);
    EXPECT_EQ(before.steps, 0);
    for (int k = 0; k < 40; ++k) {
        run.steps(1);
        other.steps(1);
        ASSERT_NEAR(other.integrator.time(), run.integrator.time(), 0.05) << k;
        ASSERT_NEAR(other.integrator.values()[other.x], std::cos(other.integrator.time()), 2e-5) << k;
    }
    simulation::Summary after;
    other.integrator.statistics(after);
    EXPECT_EQ(after.steps, 40);
}

TEST(StepHistory, OneStepIsTakenAsTheFirstOneWouldHave) {
    Running run;
    run.steps(60);
    Running other;
    other.integrator.resume(run.integrator.history());
    run.steps(1);
    other.steps(1);
    EXPECT_DOUBLE_EQ(other.integrator.time(), run.integrator.time());
    EXPECT_NEAR(other.integrator.values()[other.x], run.integrator.values()[run.x], 1e-10);
}

// A pendulum that turns over in x and y needs new states every quarter of a turn; without the condition, as four
// equations that keep it by themselves, it never does. With it the run must take no more steps.
TEST(StepHistory, StatesChosenAnewCostNoSteps) {
    const auto steps = [](const char* rod, double speed) {
        Pipeline p(fmt::format(R"(
types:
  Pendulum:
    variables: {{x: {{start: 1}}, y: {{start: 0}}, vx: {{start: 0}}, vy: {{start: {}}}, T: {{}}}}
    equations: [der(x) = vx, der(y) = vy, der(vx) = -T*x, der(vy) = -T*y - 9.81, {}]
components:
  p: {{type: Pendulum}}
bonds: []
)",
                               speed, rod));
        const auto run = p.run({.stop = 10.0, .tolerance = 1e-7}, {"p.x"});
        EXPECT_FALSE(run.summary.failure);
        return std::pair(run.summary.steps, run.summary.reselections);
    };
    for (const double speed : {0.0, 7.0}) {
        const auto [constrained, anew] = steps("x^2 + y^2 = 1", speed);
        const auto [free, never] = steps("T = vx^2 + vy^2 - 9.81*y", speed);
        EXPECT_GT(anew, 10);
        EXPECT_EQ(never, 0);
        EXPECT_LT(constrained, 1.05 * static_cast<double>(free)) << speed;
    }
}

}  // namespace
}  // namespace bondgraph
