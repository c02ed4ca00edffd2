// Delays: what was comes out again, and so does what happened to it.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "tests/simulation/event_times.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using testing::HasSubstr;

/// dx/dt = −x(t − 1), x = 1 until the start: polynomials by the method of steps.
double by_steps(double t) {
    double sum = 0.0;
    double factorial = 1.0;
    for (int k = 0; t - k + 1.0 > 0.0 || k == 0; ++k) {
        if (k > 0) factorial *= k;
        sum += (k % 2 == 0 ? 1.0 : -1.0) * std::pow(std::max(t - k + 1.0, 0.0), k) / factorial;
        if (k > 60) break;
    }
    return sum;
}

constexpr std::string_view kFeedback = R"(
components:
  past: {type: Delay, T: 1 s, past: 1}
  x:    {type: Integrator, k: -1, initial: {y: 1}}
signals: [x.y -> past.u, past.y -> x.u]
)";

double worst_of_feedback(const simulation::Run& run) {
    double worst = 0.0;
    for (std::size_t r = 0; r < run.result.time.size(); ++r) {
        worst = std::max(worst, std::abs(run.result.at(r, 0) - by_steps(run.result.time[r])));
        worst = std::max(worst, std::abs(run.result.at(r, 1) - by_steps(run.result.time[r] - 1.0)));
    }
    return worst;
}

TEST(Delays, AnIntegratorFollowsWhatItWas) {
    // Errors of the integrator add up over ten delays.
    for (const double tolerance : {1e-4, 1e-6, 1e-8}) {
        Pipeline p(kFeedback);
        const auto run = p.run({.stop = 10.0, .tolerance = tolerance, .interval = 0.125}, {"x.y", "past.y"});
        ASSERT_FALSE(run.summary.failure);
        EXPECT_LT(worst_of_feedback(run), 30.0 * tolerance) << tolerance;
    }
}

TEST(Delays, BreaksAreFollowedAsLongAsTheyShow) {
    Pipeline p(kFeedback);
    const auto run = p.run({.stop = 10.0, .tolerance = 1e-8, .interval = 0.125}, {"x.y", "past.y"});
    // The slope jumps at the start, and what comes out after 1, 2, … is smoother each time.
    EXPECT_EQ(run.summary.time_events, 5);
    EXPECT_EQ(run.summary.state_events, 0);
}

TEST(Delays, EventsElsewhereDoNotComeOut) {
    constexpr std::string_view kBeside = R"(
components:
  beat: {type: Pulse, period: 0.37 s, width: 0.1 s}
  lag: {type: Integrator, k: 2}
  high: {type: Relay, closes_above: 0.5, opens_below: -0.5}
  wave: {type: Sine, frequency: 0.7 Hz}
)";
    const std::string signals = "beat.y - lag.y -> lag.u, wave.y -> high.u";
    Pipeline alone(fmt::format("{}signals: [{}]\n", kBeside, signals));
    const std::string_view feedback = kFeedback;
    const auto components = feedback.substr(0, feedback.find("signals:"));
    Pipeline both(fmt::format("{}{}signals: [x.y -> past.u, past.y -> x.u, {}]\n", components,
                              kBeside.substr(kBeside.find("  beat")), signals));
    const simulation::Settings s{.stop = 10.0, .tolerance = 1e-8, .interval = 0.125};
    const auto of_others = alone.run(s, {"lag.y"}).summary;
    const auto run = both.run(s, {"x.y", "past.y"});
    EXPECT_GT(of_others.time_events, 50);
    EXPECT_EQ(run.summary.time_events, of_others.time_events + 5);
    EXPECT_EQ(run.summary.state_events, of_others.state_events);
    EXPECT_LT(worst_of_feedback(run), 3e-7);
}

TEST(Delays, ASignalOfTimeComesOutAsItWas) {
    Pipeline p(R"(
components:
  wave: {type: Sine, amplitude: 2, frequency: 0.7 Hz}
  belt: {type: Delay, T: 0.37 s, past: -1}
signals: [wave.y -> belt.u]
)");
    const auto run = p.run({.stop = 4.0, .tolerance = 1e-8, .interval = 0.1}, {"belt.y"});
    ASSERT_FALSE(run.summary.failure);
    const auto times = event_times(run.result);
    ASSERT_EQ(times.size(), 1U);
    EXPECT_NEAR(times[0], 0.37, 1e-15);
    for (std::size_t r = 0; r < run.result.time.size(); ++r) {
        const double t = run.result.time[r] - 0.37;
        const bool before =
            t < -1e-12 || (r + 1 < run.result.time.size() && run.result.time[r + 1] == run.result.time[r]);
        const double expected = before ? -1.0 : 2.0 * std::sin(2.0 * std::numbers::pi * 0.7 * t);
        EXPECT_NEAR(run.result.at(r, 0), expected, 1e-8) << run.result.time[r];
    }
}

TEST(Delays, JumpsComeOutAtTheirTimeWhateverRunsBeside) {
    for (const std::string_view beside : {"", "  lag: {type: Integrator, k: -3, initial: {y: 1}}\n"}) {
        Pipeline p(fmt::format(R"(
components:
{}  on:    {{type: Step, start: 0.3 s, height: 5}}
  off:   {{type: Step, start: 0.5 s, height: -2}}
  sum:   {{type: Sum}}
  first: {{type: Delay, T: 0.25 s}}
  second: {{type: Delay, T: 0.6 s}}
signals: [on.y -> sum.u1, off.y -> sum.u2, sum.y -> first.u, first.y -> second.u{}]
)",
                               beside, beside.empty() ? "" : ", lag.y -> lag.u"));
        const auto run = p.run({.stop = 2.0, .tolerance = 1e-6, .interval = 0.05}, {"first.y", "second.y"});
        ASSERT_FALSE(run.summary.failure);
        const auto times = event_times(run.result);
        for (const double expected : {0.55, 0.75, 1.15, 1.35}) {
            const auto near = [&](double t) { return std::abs(t - expected) < 1e-14; };
            EXPECT_TRUE(std::ranges::any_of(times, near)) << expected;
        }
        const auto level = [](double t) { return (t > 0.3 ? 5.0 : 0.0) - (t > 0.5 ? 2.0 : 0.0); };
        for (std::size_t r = 0; r < run.result.time.size(); ++r) {
            const double t = run.result.time[r];
            const auto apart = [&](double at) { return std::abs(t - at) > 1e-9; };
            if (apart(0.55) && apart(0.75)) {
                EXPECT_NEAR(run.result.at(r, 0), level(t - 0.25), 1e-12) << t;
            }
            if (apart(1.15) && apart(1.35)) {
                EXPECT_NEAR(run.result.at(r, 1), level(t - 0.85), 1e-12) << t;
            }
        }
    }
}

TEST(Delays, ALineOfEchoesFollowsItsBounceDiagram) {
    // A step through 10 ohm into a line of 50 ohm that ends in 200 ohm: every reflection comes after two passages.
    Pipeline p(R"(
parameters: {Z: 50, Rs: 10, RL: 200}
components:
  there: {type: Delay, T: 1 us}
  back:  {type: Delay, T: 1 us}
signals:
  - Z/(Z + Rs) + (Rs - Z)/(Rs + Z)*back.y -> there.u
  - (RL - Z)/(RL + Z)*there.y -> back.u
)");
    const auto run = p.run({.stop = 40e-6, .tolerance = 1e-6, .interval = 0.5e-6}, {"there.y"});
    ASSERT_FALSE(run.summary.failure);
    const double source = -40.0 / 60.0;
    const double load = 150.0 / 250.0;
    for (std::size_t r = 0; r < run.result.time.size(); ++r) {
        const double passages = run.result.time[r] / 1e-6;
        if (std::abs(passages - std::round(passages)) < 1e-6) continue;
        double expected = 0.0;
        double wave = 50.0 / 60.0;
        for (int k = 0; 1.0 + 2.0 * k < passages; ++k, wave *= source * load) expected += wave;
        EXPECT_NEAR(run.result.at(r, 0), expected, 1e-12) << passages;
    }
}

TEST(Delays, ATimeThatVariesShowsThePastAtItsOwnPace) {
    Pipeline p(R"(
components:
  wave: {type: Sine, amplitude: 2, frequency: 0.7 Hz}
  on:   {type: Step, start: 1 s}
  belt: {type: Delay, T_max: 1 s}
  step: {type: Delay, T_max: 1 s}
  sum:  {type: Integrator}
signals:
  - wave.y -> belt.u
  - 0.5 + 0.2*sin(3*time) -> belt.T
  - on.y -> step.u
  - 0.5 + 0.2*sin(3*time) -> step.T
  - step.y -> sum.u
)");
    const auto run = p.run({.stop = 4.0, .tolerance = 1e-8, .interval = 0.05}, {"belt.y", "step.y", "sum.y"});
    ASSERT_FALSE(run.summary.failure);
    const auto seen = [](double t) { return t - 0.5 - 0.2 * std::sin(3.0 * t); };
    double low = 1.0;
    double high = 2.0;
    while (high - low > 1e-15) (seen(0.5 * (low + high)) < 1.0 ? low : high) = 0.5 * (low + high);
    for (std::size_t r = 0; r < run.result.time.size(); ++r) {
        const double t = run.result.time[r];
        const double at = std::max(seen(t), 0.0);
        EXPECT_NEAR(run.result.at(r, 0), 2.0 * std::sin(2.0 * std::numbers::pi * 0.7 * at), 1e-7) << t;
        if (std::abs(t - low) > 1e-9) {
            EXPECT_NEAR(run.result.at(r, 1), t > low ? 1.0 : 0.0, 1e-12) << t;
        }
        EXPECT_NEAR(run.result.at(r, 2), std::max(t - low, 0.0), 1e-7) << t;
    }
}

TEST(Delays, ATimeGivenByASignalThatRestsIsAFixedOne) {
    Pipeline fixed(kFeedback);
    Pipeline varying(R"(
components:
  how:  {type: Constant, k: 1 s}
  past: {type: Delay, T_max: 1.5 s, past: 1}
  x:    {type: Integrator, k: -1, initial: {y: 1}}
signals: [x.y -> past.u, past.y -> x.u, "how.y + 0*x.y -> past.T"]
)");
    const simulation::Settings s{.stop = 6.0, .tolerance = 1e-8, .interval = 0.25};
    const auto a = fixed.run(s, {"x.y", "past.y"});
    const auto b = varying.run(s, {"x.y", "past.y"});
    ASSERT_FALSE(b.summary.failure);
    EXPECT_LT(worst_of_feedback(b), 3e-7);
    EXPECT_LT(worst_of_feedback(a), 3e-7);
}

TEST(Delays, EventsBesideLeaveThemAsTheyAre) {
    // A ball that bounces and a switching relay, seen 0.1 s later; and the ball hears of its own height.
    Pipeline p(R"(
components:
  g: {type: Se, e: -9.81 N}
  j: {type: 1}
  ball: {type: I, I: 1 kg, initial: {f: 0 m/s}}
  h: {type: Dq, initial: {y: 1 m}}
  seen: {type: Delay, T: 0.1 s, past: 1 m}
  speed: {type: Delay, T: 0.1 s}
  high: {type: Relay, closes_above: 0.6 m, opens_below: 0.3 m}
  after: {type: Delay, T: 0.1 s, past: 1}
bonds: [g -> j, j -> ball, j -> h]
signals: [h.y -> seen.u, ball.f -> speed.u, h.y -> high.u, high.y -> after.u]
when: [{if: h.y < 0, reinit: {ball.f: -0.8*ball.f}}]
)");
    const double interval = 0.0125;
    const auto run = p.run({.stop = 2.0, .tolerance = 1e-9, .interval = interval},
                           {"h.y", "seen.y", "ball.f", "speed.y", "high.y", "after.y"});
    ASSERT_FALSE(run.summary.failure);
    // Rows on the raster, 8 apart, where nothing happens.
    std::vector<std::size_t> rows;
    for (std::size_t r = 0; r < run.result.time.size(); ++r) {
        const double n = run.result.time[r] / interval;
        const bool again = !rows.empty() && run.result.time[r] - run.result.time[rows.back()] < 0.5 * interval;
        if (std::abs(n - std::round(n)) < 1e-9 && !again) rows.push_back(r);
    }
    ASSERT_EQ(rows.size(), 161U);
    for (std::size_t k = 8; k < rows.size(); ++k) {
        EXPECT_NEAR(run.result.at(rows[k], 1), run.result.at(rows[k - 8], 0), 1e-7);
        EXPECT_NEAR(run.result.at(rows[k], 3), run.result.at(rows[k - 8], 2), 1e-6);
        EXPECT_NEAR(run.result.at(rows[k], 5), run.result.at(rows[k - 8], 4), 1e-12);
    }
}

TEST(Delays, ModesOfTheirOwnStructureShareThePast) {
    // A switch ties and parts two capacitors: unknowns and equations change, the past goes on.
    Pipeline p(R"(
components:
  src: {type: Se, e: 10 V}
  j1:  {type: 1}
  r:   {type: R, R: 1 ohm}
  a:   {type: 0}
  c1:  {type: C, C: 0.1 F, initial: {e: 0 V}}
  j2:  {type: 1}
  sw:  {type: Sw, open: time < 0.15 or time > 0.4}
  r2:  {type: R, R: 0.5 ohm}
  c2:  {type: C, C: 0.1 F, initial: {e: 0 V}}
  seen: {type: Delay, T: 0.05 s}
bonds: [src -> j1, j1 -> r, j1 -> a, a -> c1, a -> j2, j2 -> sw, j2 -> r2, j2 -> c2]
signals: [c2.e -> seen.u]
)");
    const auto run = p.run({.stop = 0.6, .tolerance = 1e-9, .interval = 0.01}, {"c2.e", "seen.y"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const auto& r = run.result;
    for (std::size_t k = 0; k < r.time.size(); ++k) {
        for (std::size_t i = 0; i < k; ++i) {
            if (std::abs(r.time[k] - r.time[i] - 0.05) < 1e-12) {
                EXPECT_NEAR(r.at(k, 1), r.at(i, 0), 1e-7) << r.time[k];
            }
        }
    }
    EXPECT_GT(r.at(r.time.size() - 1, 0), 1.0);
}

TEST(Delays, TimesThatCanNotBeAreRefused) {
    const auto failing = [](std::string_view delay, std::string_view time) {
        Pipeline p(fmt::format(R"(
components:
  x:    {{type: Integrator, initial: {{y: 1}}}}
  past: {{type: Delay, {}}}
signals: [x.y -> past.u, past.y -> x.u{}]
)",
                               delay, time));
        const auto run = p.run({.stop = 2.0}, {"x.y"});
        return run.summary.failure ? fmt::format("{:.2f} {}", run.summary.failure->time, run.summary.failure->message)
                                   : "";
    };
    EXPECT_THAT(failing("T_max: 1 s", ", \"0.5 + time -> past.T\""), HasSubstr("0.5"));
    EXPECT_THAT(failing("T_max: 1 s", ", \"0.5 + time -> past.T\""), HasSubstr("longer than its T_max of 1 s"));
    EXPECT_THAT(failing("T_max: 1 s", ", \"0.5 - 0.5*time -> past.T\""), HasSubstr("the delay of 'past' is"));
    EXPECT_THAT(failing("T: 1e-12 s", ""), HasSubstr("0.00 the delay of 'past' is 1e-12 s: no step may be longer"));
    EXPECT_EQ(test::errors_in("components: {x: {type: Step}, d: {type: Delay, T: 0 s}}\nsignals: [x.y -> d.u]"),
              std::vector<std::string>{"BG-M013"});
    EXPECT_EQ(test::errors_in("components: {x: {type: Step}, d: {type: Delay}}\n"
                              "signals: [x.y -> d.u, \"1 + x.y -> d.T\"]"),
              std::vector<std::string>{"BG-M096"});
}

TEST(Delays, NoFiniteNumberOfPolesIsMadeUp) {
    Pipeline p(kFeedback);
    EXPECT_EQ(test::errors_of([&] { p.linear(); }), std::vector<std::string>{"BG-L002"});
}

TEST(Delays, WhatComesOutIsNotDifferentiated) {
    EXPECT_EQ(test::errors_in(R"(
components:
  x: {type: Sine}
  d: {type: Delay, T: 0.1 s}
  s: {type: Sf}
  j: {type: 1}
  m: {type: I, I: 1 kg}
bonds: [s -> j, j -> m]
signals: [x.y -> d.u, d.y -> s.f]
)"),
              std::vector<std::string>{"BG-E003"});
}

}  // namespace
}  // namespace bondgraph
