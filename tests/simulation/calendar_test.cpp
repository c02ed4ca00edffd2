// Times known beforehand: what rounding parts is one instant, what happens at the end is carried out.

#include "bondgraph/simulation/calendar.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/simulation/event_times.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using simulation::Calendar;
using simulation::Jump;
using test::Pipeline;

constexpr double kNever = std::numeric_limits<double>::infinity();

double above(double x) { return std::nextafter(x, kNever); }
double below(double x) { return std::nextafter(x, -kNever); }

std::vector<Jump> at(std::initializer_list<double> times) {
    std::vector<Jump> jumps;
    for (const double time : times) jumps.push_back({time, time});
    return jumps;
}

TEST(Calendar, TimesThatOnlyRoundingPartsAreOneInstant) {
    const Calendar calendar(0.0, 1.0);
    const std::vector<Jump> jumps = at({below(0.2), 0.7});
    EXPECT_EQ(calendar.next(0.0, jumps, 0.2), 0.2);
    EXPECT_EQ(calendar.next(0.0, jumps, kNever), below(0.2));
    EXPECT_EQ(calendar.next(0.2, jumps, 0.5), 0.5);
    EXPECT_EQ(calendar.next(0.5, jumps, above(0.7)), above(0.7));
    EXPECT_TRUE(calendar.jumps_at(0.2, jumps));
    EXPECT_FALSE(calendar.jumps_at(0.5, jumps));
}

TEST(Calendar, TheEndIsTheLastInstant) {
    const Calendar calendar(0.0, 0.9);
    EXPECT_EQ(calendar.next(0.5, at({below(0.9)}), kNever), 0.9);
    EXPECT_EQ(calendar.next(0.5, at({above(0.9)}), kNever), 0.9);
    EXPECT_EQ(calendar.next(0.5, {}, kNever), 0.9);
}

// The square of a step of 1e-308 s vanishes, so nothing can be integrated up to there.
TEST(Calendar, WhatIsTooNearToStepToIsTheSameInstant) {
    EXPECT_EQ(Calendar(0.0, 1.0).next(0.0, at({1.11e-308}), kNever), 1.0);
    Pipeline p(R"(
components:
  s: {type: Se, e: 'interpolate(time, [0, 1.11e-308, 2], [2, 3, 1])'}
  j: {type: 1}
  r: {type: R, R: 1}
  c: {type: C, C: 1, initial: {e: 0}}
bonds: [s -> j, j -> r, j -> c]
)");
    const auto run = p.run({.stop = 1.0, .interval = 1.0}, {"c.e"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    // c' = 3 - t - c from 0: c = 4 - t - 4 exp(-t).
    EXPECT_NEAR(run.result.at(1, 0), 3.0 - 4.0 * std::exp(-1.0), 1e-5);
}

// The sample at 0.305 + 0.049 and the fall of the pulse at -0.507 + 3·0.246 + 0.0511 + 0.0719.
TEST(Calendar, ASampleAndABendThatOnlyRoundingPartsAreOneEvent) {
    Pipeline p(R"(
components:
  i: {type: Integrator, initial: {y: 0.3}}
  hold: {type: SampleHold, period: 0.049 s, start: 0.305 s}
  pulse: {type: Pulse, period: 0.246 s, width: 0.0719 s, rising: 0.0511 s, falling: 0.0562 s, start: -0.507 s}
signals: [pulse.y - hold.y -> i.u, i.y -> hold.u]
)");
    const auto run = p.run({.stop = 0.4, .interval = 0.4}, {"pulse.y"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const auto times = event_times(run.result);
    EXPECT_EQ(std::ranges::count_if(times, [](double t) { return std::abs(t - 0.354) < 1e-9; }), 1);
    EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), 1.0 - (0.4 - 0.354) / 0.0562, 1e-12);
}

TEST(Calendar, DifferentTimesStayApart) {
    const Calendar calendar(0.0, 1e6);
    const std::vector<Jump> jumps = at({1e-9, 2e-9});
    EXPECT_EQ(calendar.next(0.0, jumps, kNever), 1e-9);
    EXPECT_EQ(calendar.next(1e-9, jumps, kNever), 2e-9);
}

TEST(Calendar, AllJumpsAtAnInstantAreOverAfterIt) {
    const Calendar calendar(0.0, 1.0);
    const std::vector<Jump> jumps = at({0.2, above(0.2), 0.6});
    const auto segment = calendar.segment_from(0.2, jumps);
    EXPECT_EQ(segment.after, above(0.2));
    EXPECT_EQ(segment.before, 0.6);
}

// However far rounding blurs a jump, it is one instant: its end. Up to its beginning values are those before.
TEST(Calendar, ABlurredJumpIsOneInstant) {
    const Calendar calendar(0.0, 1.0);
    const std::vector<Jump> jumps{{1e-6, 1.001e-6}, {0.5, 0.6}};
    EXPECT_EQ(calendar.next(0.0, jumps, kNever), 1.001e-6);
    EXPECT_EQ(calendar.next_jump(0.0, jumps), 1e-6);
    EXPECT_EQ(calendar.next(1.001e-6, jumps, kNever), 0.6);
    for (const double time : {0.5, 0.55, 0.6}) {
        EXPECT_TRUE(calendar.jumps_at(time, jumps));
        EXPECT_EQ(calendar.segment_from(time, jumps).after, 0.6);
        EXPECT_EQ(calendar.segment_from(time, jumps).before, kNever);
        EXPECT_EQ(calendar.next(time, jumps, kNever), 1.0);
    }
    EXPECT_FALSE(calendar.jumps_at(0.4, jumps));
    EXPECT_FALSE(calendar.jumps_at(0.7, jumps));
}

double integral_of_pulses(const std::string& parameters, const simulation::Settings& settings) {
    Pipeline p("components:\n  p: {type: Pulse, " + parameters +
               "}\n  x: {type: Integrator, initial: {y: 0}}\nsignals: [p.y -> x.u]\n");
    const auto run = p.run(settings, {"x.y"});
    EXPECT_FALSE(run.summary.failure) << parameters << ": " << run.summary.failure->message;
    return run.result.data.back();
}

TEST(Calendar, PulsesBeginWhereTheyAreSaidToBegin) {
    EXPECT_NEAR(integral_of_pulses("start: 0.2, period: 0.3, width: 0.05", {.stop = 3.0}), 0.5, 1e-9);
    EXPECT_NEAR(integral_of_pulses("start: 0.7, period: 0.7, width: 0.1", {.stop = 3.0}), 0.4, 1e-9);
    EXPECT_NEAR(integral_of_pulses("start: -0.3, period: 0.4, width: 0.1", {.start = -1.0, .stop = 1.0}), 0.4, 1e-9);
    EXPECT_NEAR(integral_of_pulses("period: 1e-4, width: 5e-5", {.stop = 0.02}), 0.01, 1e-9);
}

TEST(Calendar, WhatHappensAtTheEndDoesNotDependOnWhereItIs) {
    constexpr std::string_view model = R"(
components:
  u: {type: Step, start: 1 s}
  x: {type: Integrator, initial: {y: 0}}
  h: {type: SampleHold, period: 0.25 s}
signals: [u.y -> x.u, u.y -> h.u]
)";
    Pipeline p(model);
    const auto whole = p.run({.stop = 1.0, .interval = 0.5}, {"u.y", "h.y"});
    const auto part = p.run({.stop = 2.0, .interval = 0.5}, {"u.y", "h.y"});
    ASSERT_FALSE(whole.summary.failure);
    ASSERT_EQ(whole.result.time.back(), 1.0);
    std::size_t row = 0;
    for (std::size_t k = 0; k < part.result.time.size(); ++k) {
        if (part.result.time[k] == 1.0) row = k;
    }
    for (std::size_t c = 0; c < 2; ++c)
        EXPECT_EQ(whole.result.at(whole.result.time.size() - 1, c), part.result.at(row, c));
    EXPECT_EQ(whole.result.at(whole.result.time.size() - 1, 0), 1.0);
}

TEST(Calendar, SamplesAndPulsesCountAsEventsOfTime) {
    Pipeline p(R"(
components:
  p: {type: Pulse, period: 0.2 s, width: 0.1 s, start: 0.05 s}
  x: {type: Integrator, initial: {y: 0}}
signals: [p.y -> x.u]
when: [{if: x.y > 0.16, reinit: {x.y: 0}}]
)");
    const auto run = p.run({.stop = 1.0}, {"x.y"});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_EQ(run.summary.time_events, 10);
    EXPECT_EQ(run.summary.state_events, 3);
}

TEST(Calendar, AFailedRunEndsWithItsLastGoodPoint) {
    Pipeline p(R"yaml(
components:
  c: {type: C, C: 1 F, initial: {q: 1 C}}
  n: {type: 0}
  i: {type: Sf, f: -1 A}
  r: {type: R, law: "f = 0.1*sqrt(e)"}
bonds: [i -> n, n -> c, n -> r]
)yaml");
    const auto run = p.run({.stop = 2.0, .interval = 0.25}, {"c.q"});
    ASSERT_TRUE(run.summary.failure);
    EXPECT_GT(run.result.time.back(), 0.9);
    EXPECT_NEAR(run.result.time.back(), run.summary.failure->time, 1e-6);
    EXPECT_LT(run.result.data.back(), 0.05);
}

}  // namespace
}  // namespace bondgraph
