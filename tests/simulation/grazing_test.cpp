// Relations that are true only between the points a step is known at: the extrema of their differences are looked at.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

using std::numbers::pi;

/// An undamped oscillator of period 1 and amplitude 1 and what counts how often a condition on its place becomes true.
simulation::Run passages(const std::string& condition, double stop) {
    Pipeline p(fmt::format(R"yaml(
types:
  Counter:
    inputs: [u]
    variables: {{n: {{type: integer, start: 0}}}}
    outputs: [y]
    equations: ["y = u"]
    when: [{{if: {}, set: {{n: n + 1}}}}]
components:
  v:    {{type: 1}}
  mass: {{type: I, I: 1, initial: {{p: 0}}}}
  spr:  {{type: C, K: 39.47841760435743, initial: {{q: 1}}}}
  c:    {{type: Counter}}
bonds: [v -> mass, v -> spr]
signals: ["spr.q -> c.u"]
)yaml",
                           condition));
    return p.run({.stop = stop, .tolerance = 1e-6, .interval = 0.1}, {"c.n", "spr.q"});
}

int count(const simulation::Run& run) {
    EXPECT_FALSE(run.summary.failure);
    return static_cast<int>(run.result.at(run.result.time.size() - 1, 0));
}

// cos(2 pi t) exceeds 0.9999 from 2.25 ms before each whole second on: 99 times up to 99.9 s, the start not counted.
TEST(Grazing, EveryPassageOfTheTopIsSeen) {
    EXPECT_EQ(count(passages("u > 0.9999", 99.9)), 99);
    EXPECT_EQ(count(passages("u < -0.9999", 99.9)), 100);
    EXPECT_EQ(count(passages("not (u <= 0.9999)", 99.9)), 99);
    EXPECT_EQ(count(passages("u > 0.999", 20.2)), 20);
}

TEST(Grazing, WhatStaysBelowIsNeverSeen) {
    EXPECT_EQ(count(passages("u > 1.001", 50.0)), 0);
    EXPECT_EQ(count(passages("u < -1.001", 50.0)), 0);
}

// Twenty stripes a period pass a sensor that turns steadily: the difference oscillates inside a step.
TEST(Grazing, AnEncoderOnASteadyShaftCountsAllItsMarks) {
    Pipeline p(R"yaml(
types:
  Encoder:
    variables: {phi: {start: 0}, n: {type: integer, start: 0}}
    equations: ["der(phi) = 1"]
    when: [{if: sin(200*phi + 0.1) > 0.9, set: {n: n + 1}}]
components: {e: {type: Encoder}}
)yaml");
    const auto run = p.run({.stop = 10.0, .interval = 1.0}, {"e.n"});
    ASSERT_FALSE(run.summary.failure);
    // sin(x) rises through 0.9 once in each period of x = 200 t + 0.1.
    const double first = std::asin(0.9);
    EXPECT_EQ(run.result.data.back(), std::floor((2000.1 - first) / (2 * pi)) + 1.0);
}

// The force is 0.26 % above the friction's level at each of its peaks: the mass slips in every half wave.
TEST(Grazing, AForceThatHardlyExceedsFrictionMovesTheMassInEachHalfWave) {
    for (const double level : {3.87, 3.8788}) {
        Pipeline p(fmt::format(R"yaml(
components:
  push:  {{type: Se, e: "3.88*sin(6.283185307179586*time)"}}
  v:     {{type: 1}}
  mass:  {{type: I, I: 1 kg, initial: {{f: 0}}}}
  guide: {{type: Friction, level: {}}}
bonds: [push -> v, v -> mass, v -> guide]
)yaml",
                               level));
        const auto run = p.run({.stop = 8.0, .interval = 0.1}, {"mass.f", "guide.mode"});
        ASSERT_FALSE(run.summary.failure);
        EXPECT_EQ(run.summary.mode_changes, 32) << level;
    }
}

// A mass thrown up touches a contact 1e-4 below its highest point: it is closed for 2 sqrt(2e-4/g).
TEST(Grazing, AContactIsClosedAsLongAsItIsTouched) {
    Pipeline p(R"yaml(
types:
  B:
    variables: {h: {start: 0}, v: {start: 10}, closed: {start: 0}}
    equations: ["der(h) = v", "der(v) = -10", "der(closed) = if h > 4.9999 then 1 else 0"]
components: {b: {type: B}}
)yaml");
    const auto run = p.run({.stop = 1.9, .interval = 1.9}, {"b.closed"});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_EQ(run.summary.state_events, 2);
    EXPECT_NEAR(run.result.data.back(), 2.0 * std::sqrt(2e-5), 1e-5);
}

// The same by time and by a state that is time.
TEST(Grazing, AStateThatIsTimeIsTreatedAsTimeIs) {
    for (const char* condition :
         {"sin(2*pi*50*X) > 0.5", "X/2 - floor(X/2) < 0.1", "abs(X - 1.5) < 1e-4", "X^3 - X > 1"}) {
        double result[2] = {0, 0};
        for (const bool state : {false, true}) {
            std::string text = condition;
            for (std::size_t at; (at = text.find('X')) != std::string::npos;) text.replace(at, 1, state ? "s" : "time");
            Pipeline p(
                "types: {B: {variables: {s: {start: 0}, x: {start: 0}}, equations: [\"der(s) = 1\", \"der(x) = if " +
                text + " then 1 else 0\"]}}\ncomponents: {b: {type: B}}\n");
            const auto run = p.run({.stop = 3.0, .interval = 0.5}, {"b.x"});
            ASSERT_FALSE(run.summary.failure) << text;
            result[state ? 1 : 0] = run.result.data.back();
        }
        EXPECT_NEAR(result[0], result[1], 1e-6) << condition;
    }
}

}  // namespace
}  // namespace bondgraph
