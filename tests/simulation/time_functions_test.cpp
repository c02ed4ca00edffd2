// What depends on time alone: its events are found whatever they are made of, and nothing in it is stepped over.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <random>

#include "bondgraph/simulation/foresight.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

using std::numbers::pi;

/// x' = the rate, from 0.
std::string integral_of(const std::string& rate) {
    return "types: {B: {variables: {x: {start: 0}}, equations: [\"der(x) = " + rate +
           "\"]}}\ncomponents: {b: {type: B}}\n";
}

simulation::Run run_of(const std::string& rate, const simulation::Settings& settings) {
    Pipeline p(integral_of(rate));
    return p.run(settings, {"b.x"});
}

double end_of(const std::string& rate, const simulation::Settings& settings) {
    const auto run = run_of(rate, settings);
    EXPECT_FALSE(run.summary.failure) << rate << ": " << run.summary.failure->message;
    EXPECT_EQ(run.summary.unproven, "") << rate;
    return run.result.data.back();
}

/// The times at which the rate bends or jumps within a run.
std::vector<double> kinks_of(const std::string& rate, double start, double stop) {
    Pipeline p(integral_of(rate));
    simulation::Kinks kinks(p.compiled().timely, start, stop);
    std::vector<double> times;
    for (double from = start;;) {
        const auto found = kinks.around(from);
        const auto next = std::ranges::upper_bound(found, from + 1e-12 * std::abs(from), {}, &simulation::Jump::first);
        if (next == found.end() || next->first > stop) break;
        times.push_back(next->first);
        from = next->last;
    }
    return times;
}

// ---- events

TEST(TimeFunctions, AnExpressionOfASineIsSwitchedWhereItSays) {
    // sin > 0.5 holds for a third of each period.
    EXPECT_NEAR(end_of("if sin(2*pi*50*time)*(if time > 0.1 then 1 else 0) > 0.5 then 1 else 0",
                       {.stop = 1.1, .interval = 0.1}),
                1.0 / 3.0, 1e-9);
    EXPECT_NEAR(end_of("if sin(2*pi*50*time)*(if time > 0.15 then 1 else 0) > 0.5 then 1 else 0",
                       {.stop = 1.15, .interval = 0.05}),
                1.0 / 3.0, 1e-9);
    const auto run = run_of("if sin(2*pi*time) > 0.5 then 1000 else 0", {.stop = 2000.0, .interval = 1.0});
    EXPECT_NEAR(run.result.data.back(), 2e6 / 3.0, 1e-3);
    EXPECT_EQ(run.summary.time_events, 4000);
}

TEST(TimeFunctions, ASawtoothMadeWithFloorIsSwitchedWhereItSays) {
    EXPECT_NEAR(end_of("if time/2 - floor(time/2) < 0.1 then 1 else 0", {.stop = 100.0, .interval = 1.0}), 10.0, 1e-9);
    EXPECT_NEAR(end_of("if ceil(time/2) - time/2 < 0.1 then 1 else 0", {.stop = 100.0, .interval = 1.0}), 10.0, 1e-9);
}

TEST(TimeFunctions, PulsesOfATableAreSeenThroughItsAbscissa) {
    const simulation::Settings settings{.stop = 1.0, .interval = 0.1};
    for (const char* pulse :
         {"interpolate(time, [0.5, 0.50001, 0.50002], [0, 1e5, 0])",
          "interpolate(time - 0.1, [0.4, 0.40001, 0.40002], [0, 1e5, 0])",
          "interpolate(1000*time, [500, 500.01, 500.02], [0, 1e5, 0])",
          "interpolate(-time, [-0.50002, -0.50001, -0.5], [0, 1e5, 0])",
          // Folded: 0.5 is passed once by the triangle of a period of 2.
          "interpolate(abs(time - 0.75), [0.24998, 0.24999, 0.25], [0, 1e5, 0])*(if time < 0.75 then 1 else 0)",
          "interpolate(sqrt(time), [0.7071, 0.70710001, 0.70710002], [0, 1e5, 0])*7.0711e2"}) {
        EXPECT_NEAR(end_of(pulse, settings), 1.0, 1e-4) << pulse;
    }
}

TEST(TimeFunctions, ZerosOfClippedRampsAreEvents) {
    // A ramp from 0 at 1 s to 1 at 3 s, held there.
    EXPECT_NEAR(end_of("if min(1, max(0, (time - 1)/2)) > 0.25 then 1 else 0", {.stop = 10.0, .interval = 5.0}), 8.5,
                1e-9);
    EXPECT_THAT(kinks_of("if min(1, max(0, (time - 1)/2)) > 0.25 then 1 else 0", 0.0, 10.0),
                testing::ElementsAre(testing::DoubleEq(1.0), testing::DoubleEq(1.5), testing::DoubleEq(3.0)));
    // At the edge of the flat part: where the ramp begins.
    EXPECT_NEAR(end_of("if max(0, time - 1) > 0 then 1 else 0", {.stop = 3.0, .interval = 3.0}), 2.0, 1e-9);
}

TEST(TimeFunctions, WhatTouchesIsToldFromWhatCrosses) {
    // 1 + sin reaches 0 once in a period and never falls below.
    EXPECT_TRUE(kinks_of("if 1 + sin(2*pi*time) < 0 then 1 else 0", 0.0, 10.0).empty());
    EXPECT_TRUE(kinks_of("if (time - 1)^2 < 0 then 1 else 0", 0.0, 3.0).empty());
    const auto near = kinks_of("if sin(2*pi*time) > 0.99999999 then 1 else 0", 0.0, 1.0);
    ASSERT_EQ(near.size(), 2U);
    const double half = std::acos(0.99999999) / (2 * pi);
    EXPECT_NEAR(near[0], 0.25 - half, 1e-11);
    EXPECT_NEAR(near[1], 0.25 + half, 1e-11);
}

TEST(TimeFunctions, CornersOfRectifiedSinesAndPolynomialsAreFound) {
    EXPECT_THAT(kinks_of("abs(sin(pi*time))", 0.5, 3.5),
                testing::ElementsAre(testing::DoubleNear(1, 1e-12), testing::DoubleNear(2, 1e-12),
                                     testing::DoubleNear(3, 1e-12)));
    EXPECT_THAT(kinks_of("sign((time - 1)*(time - 2)*(time - 4))", 0.0, 5.0),
                testing::ElementsAre(testing::DoubleNear(1, 1e-12), testing::DoubleNear(2, 1e-12),
                                     testing::DoubleNear(4, 1e-12)));
    // Poles as well.
    EXPECT_THAT(kinks_of("if tan(time) > 1 then 1 else 0", 0.1, 3.0),
                testing::ElementsAre(testing::DoubleNear(pi / 4, 1e-12), testing::DoubleNear(pi / 2, 1e-12)));
    EXPECT_NEAR(end_of("max(0, sin(2*pi*time) - 0.9)", {.stop = 10.0, .interval = 1.0}),
                // Between a and 1/2 - a, sin(2 pi a) = 0.9: the integral of sin minus 0.9 (closed form).
                10.0 * (std::sqrt(0.19) / pi - 0.9 * (0.5 - std::asin(0.9) / pi)), 1e-5);
}

// A sum of two sines, a product with a decaying one, a chirp: against a scan of 2 million points.
TEST(TimeFunctions, AllChangesOfSmoothConditionsAreFound) {
    std::mt19937 random(7);
    std::uniform_real_distribution<double> u(0.1, 1.0);
    for (int n = 0; n < 30; ++n) {
        const double a = 20 * u(random), b = 47 * u(random), c = u(random), d = 3 * u(random), e = 0.8 * u(random);
        const auto value = [&](double t) {
            const double s = std::sin(a * t) + c * std::cos(b * t + d);
            return n % 3 == 0 ? s - e : n % 3 == 1 ? std::exp(-c * t) * s - 0.2 * e : std::sin(a * t * t) - e;
        };
        const std::string sum = fmt::format("(sin({}*time) + {}*cos({}*time + {}))", a, c, b, d);
        const std::string text = n % 3 == 0   ? fmt::format("{} > {}", sum, e)
                                 : n % 3 == 1 ? fmt::format("exp(-{}*time)*{} > {}", c, sum, 0.2 * e)
                                              : fmt::format("sin({}*time^2) > {}", a, e);
        const auto found = kinks_of("if " + text + " then 1 else 0", 0.0, 4.0);
        std::vector<double> scanned;
        constexpr int kPoints = 2'000'000;
        for (int i = 1; i <= kPoints; ++i) {
            const double left = 4.0 * (i - 1) / kPoints, right = 4.0 * i / kPoints;
            if ((value(left) > 0) != (value(right) > 0)) scanned.push_back(0.5 * (left + right));
        }
        ASSERT_EQ(found.size(), scanned.size()) << text;
        for (std::size_t k = 0; k < found.size(); ++k) EXPECT_NEAR(found[k], scanned[k], 3e-6) << text;
    }
}

TEST(TimeFunctions, EventsAreFoundNoFartherThanTheyAreAskedFor) {
    Pipeline p(integral_of("if sin(1e6*time) > 0 then 1 else 0"));
    simulation::Kinks kinks(p.compiled().timely, 0.0, 1e9);
    EXPECT_NEAR(kinks.around(0.0).back().last, pi * 1e-6, 1e-3);
    EXPECT_LT(kinks.around(0.0).size(), 100U);
}

TEST(TimeFunctions, ManySourcesCostNoMoreThanTheirNumber) {
    std::string rate;
    for (int k = 0; k < 200; ++k)
        rate += fmt::format("{}(if time > {} then 1 else 0)", k ? " + " : "", 0.001 + 0.005 * k);
    double expected = 0.0;
    for (int k = 0; k < 200; ++k) expected += 1.0 - (0.001 + 0.005 * k);
    EXPECT_NEAR(end_of(rate, {.stop = 1.0, .interval = 0.5}), expected, 1e-6);
}

TEST(TimeFunctions, WhereNothingCanBeProvenTheSummarySaysSo) {
    // It touches 1 in every period of 63 ns: more than is looked at.
    const auto run = run_of("if sin(1e8*time) > 1 then 1 else 0", {.stop = 10.0});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_NE(run.summary.unproven, "");
}

// A threshold is passed at a time that rounding puts on either side of it; of two hundred thresholds, on both sides of
// many.
TEST(TimeFunctions, ThresholdsOfDiscreteVariablesArePassedOnWhateverSideRoundingPutsThem) {
    std::string types = "types:\n";
    std::string components = "components:\n";
    std::vector<std::string> names;
    for (int k = 0; k < 200; ++k) {
        types += fmt::format(
            "  T{}: {{variables: {{on: {{type: boolean}}}}, equations: [\"on = sin(2.148*time + 2.513) < {}\"]}}\n", k,
            0.37 - 0.001 * k);
        components += fmt::format("  d{}: {{type: T{}}}\n", k, k);
        names.push_back(fmt::format("d{}.on", k));
    }
    Pipeline p(types + components);
    const auto run = p.run({.stop = 0.3, .interval = 0.3}, names);
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    for (std::size_t row = 0; row < run.result.time.size(); ++row) {
        const double value = std::sin(2.148 * run.result.time[row] + 2.513);
        for (std::size_t k = 0; k < names.size(); ++k) {
            const double level = 0.37 - 0.001 * static_cast<double>(k);
            if (std::abs(value - level) > 1e-9) {
                EXPECT_EQ(run.result.at(row, k), value < level ? 1.0 : 0.0) << level;
            }
        }
    }
    EXPECT_EQ(run.result.data.back(), 1.0);
}

// A change of held values changes what lies ahead: the width of pulses follows a discrete variable.
TEST(TimeFunctions, HeldValuesAreForeseenAsTheyAre) {
    Pipeline p(R"yaml(
types:
  B:
    variables: {x: {start: 0}, w: {type: integer, start: 1}}
    equations: ["der(x) = max(0, w*sin(2*pi*time))"]
    when: [{if: time > 5, set: {w: 3}}]
components: {b: {type: B}}
)yaml");
    const auto run = p.run({.stop = 10.0, .tolerance = 1e-8, .interval = 5.0}, {"b.x"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_NEAR(run.result.data.back(), 5.0 / pi + 15.0 / pi, 1e-5);
}

TEST(TimeFunctions, TheSameWhenTimeIsShiftedOrTheSignTurned) {
    const double plain = end_of("if sin(7*time) > 0.3 then 1 else 0", {.stop = 20.0, .interval = 1.0});
    EXPECT_NEAR(end_of("if 0.3 < sin(7*time) then 1 else 0", {.stop = 20.0, .interval = 1.0}), plain, 1e-9);
    EXPECT_NEAR(end_of("if not (sin(7*time) <= 0.3) then 1 else 0", {.stop = 20.0, .interval = 1.0}), plain, 1e-9);
    EXPECT_NEAR(
        end_of("if sin(7*(time - 1000)) > 0.3 then 1 else 0", {.start = 1000.0, .stop = 1020.0, .interval = 1.0}),
        plain, 1e-9);
}

// ---- smooth inputs

TEST(SmoothInputs, PulsesBetweenLongStepsAreSeen) {
    const double root = std::sqrt(pi);
    EXPECT_NEAR(end_of("exp(-((time - 50)/1)^2)", {.stop = 100.0}), root, 1e-5);
    EXPECT_NEAR(end_of("exp(-((time - 50)/0.01)^2)/(0.01*sqrt(pi))", {.stop = 100.0, .interval = 1.0}), 1.0, 1e-4);
    EXPECT_NEAR(end_of("exp(-((time - 31.4)/0.001)^2)/(0.001*sqrt(pi))", {.stop = 1000.0, .interval = 10.0}), 1.0,
                1e-4);
    // Within what would be the first step.
    EXPECT_NEAR(end_of("exp(-((time - 0.05)/0.001)^2)/(0.001*sqrt(pi))", {.stop = 100.0, .interval = 1.0}), 1.0, 1e-4);
    // Beside something large that hardly moves.
    EXPECT_NEAR(end_of("300 + exp(-((time - 50)/1)^2)", {.stop = 100.0, .tolerance = 1e-8}) - 30000.0, root, 3e-3);
}

TEST(SmoothInputs, WholePeriodsAreNoConstants) {
    EXPECT_NEAR(end_of("sin(2*pi*time)^2", {.stop = 1000.0, .interval = 1.0}), 500.0, 0.05);
    EXPECT_NEAR(end_of("1 - cos(2*pi*time)", {.stop = 1000.0, .interval = 1.0}), 1000.0, 0.1);
}

// Nothing is known beforehand of a phase that states take part in. At the start, and at every whole second, nothing
// moves.
TEST(SmoothInputs, TheFirstStepIsNoRoundShareOfTheRun) {
    Pipeline p(R"yaml(
types:
  B: {variables: {y: {start: 0}, x: {start: 0}}, equations: ["der(y) = -y", "der(x) = sin(2*pi*(time + y))^2"]}
components: {b: {type: B}}
)yaml");
    const auto run = p.run({.stop = 1000.0, .interval = 1.0}, {"b.x"});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_NEAR(run.result.data.back(), 500.0, 0.05);
}

// The phase is a state, so nothing is known of it beforehand: rows show what a step has passed over.
TEST(SmoothInputs, RowsThatDoNotSatisfyTheEquationsShortenTheStep) {
    Pipeline p(R"yaml(
types:
  B: {variables: {phi: {start: 0}, x: {start: 0}}, equations: ["der(phi) = 1", "der(x) = exp(-((phi - 50)/0.5)^2)"]}
components: {b: {type: B}}
)yaml");
    const auto run = p.run({.stop = 100.0}, {"b.x"});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_NEAR(run.result.data.back(), 0.5 * std::sqrt(pi), 1e-4);
}

TEST(SmoothInputs, WhatIsConstantBetweenItsJumpsIsNothingToResolve) {
    const auto terms = [](const std::string& text) { return Pipeline(text).compiled().timely.terms.output_count(); };
    for (const char* rate : {"max(0, floor(time/0.8))", "if sin(2*pi*time) > 0.5 then 2*floor(time/3) else -1",
                             "sign(sin(time))*(if time > 2 then 1 else x)", "x*sqrt(1 + ceil(time))"})
        EXPECT_EQ(terms(integral_of(rate)), 0U) << rate;
    // Nothing between events follows from what is set at events only, as the number of a pulse.
    EXPECT_EQ(terms("components: {p: {type: Pulse, period: 1, width: 0.3}, i: {type: Integrator}}\n"
                    "signals: [p.y -> i.u]\n"),
              0U);
    EXPECT_EQ(terms("components: {h: {type: SampleHold, period: 1, u: i.y*sin(time)}, i: {type: Integrator}}\n"
                    "signals: [h.y -> i.u]\n"),
              0U);
    EXPECT_EQ(terms(integral_of("floor(time) + sin(time)")), 1U);
    EXPECT_EQ(terms(integral_of("if x > 0.5 + 0.1*sin(7*time) then -1 else 1")), 1U) << "a relation of x and time";
}

// Sums that are parts of each other share their terms: a chain of n has n, and not n²/2.
TEST(SmoothInputs, TermsOfNestedSumsAreThereOnce) {
    const auto chain = [](int n) {
        std::string variables = "x1";
        std::string equations = "\"x1 = sin(time)\"";
        for (int i = 2; i <= n; ++i) {
            variables += ", x" + std::to_string(i);
            equations += ", \"x" + std::to_string(i) + " = 0.5*x" + std::to_string(i - 1) + " + sin(" +
                         std::to_string(i) + "*time)\"";
        }
        return "types: {B: {variables: [" + variables + "], equations: [" + equations +
               "]}}\ncomponents: {b: {type: B}}\n";
    };
    Pipeline p(chain(50));
    EXPECT_EQ(p.compiled().timely.terms.output_count(), 50U);
    EXPECT_LE(p.compiled().timely.sums.size(), 100U);
    // A sum in which each is there twice has no more of them: their number doubled with each.
    std::string doubled = "types: {B: {variables: [x1";
    for (int i = 2; i <= 60; ++i) doubled += ", x" + std::to_string(i);
    doubled += "], equations: [x1 = sin(time), x2 = x1 + 1";
    for (int i = 3; i <= 60; ++i)
        doubled += ", x" + std::to_string(i) + " = x" + std::to_string(i - 1) + " - 0.3*x" + std::to_string(i - 2);
    Pipeline fibonacci(doubled + "]}}\ncomponents: {b: {type: B}}\n");
    EXPECT_EQ(fibonacci.compiled().timely.terms.output_count(), 1U);
}

// A ripple counts beside the smallest sum that it is part of and that enters: here x, whose other terms are small,
// although y adds a large one.
TEST(SmoothInputs, ARippleCountsInTheSmallestSumItIsPartOf) {
    const auto limit = [](const std::string& equations) {
        Pipeline p("types: {B: {variables: {x: {}, y: {}, z: {start: 0}}, equations: [" + equations +
                   "]}}\ncomponents: {b: {type: B}}\n");
        simulation::Kinks kinks(p.compiled().timely, 0.0, 100.0);
        simulation::Panels panels(p.compiled().timely, 0.0, 100.0, 1e-6);
        return panels.limit(0.0, kinks);
    };
    const std::string rate = "\"der(z) = y*z\"";
    EXPECT_LT(limit("\"x = 1e-3*sin(50*time) + 1e-3*cos(time)\", \"y = x*z + 1e9*sin(0.01*time)\", " + rate), 0.1);
}

TEST(SmoothInputs, AStraightStretchIsOnePanelWhateverCameBefore) {
    Pipeline p(integral_of("sin(20*min(time, 1))"));
    simulation::Kinks kinks(p.compiled().timely, 0.0, 100.0);
    simulation::Panels panels(p.compiled().timely, 0.0, 100.0, 1e-6);
    EXPECT_LT(panels.limit(0.0, kinks), 0.2);
    EXPECT_LT(panels.limit(0.5, kinks), 0.7);
    EXPECT_EQ(panels.limit(1.0, kinks), 100.0);
}

TEST(SmoothInputs, StraightOnesCostNoSteps) {
    const auto constant = run_of("1", {.stop = 10.0});
    const auto ramp = run_of("0.1*time", {.stop = 10.0});
    EXPECT_LE(ramp.summary.steps, 3 * constant.summary.steps);
    EXPECT_LT(ramp.summary.steps, 60);
}

// Where a condition becomes true the other branch varies: the step that ends there must not end just before it. Edges
// by bisection between 20 000 points.
TEST(TimeFunctions, VaryingBranchesBehindConditionsOfTimeLoseNoEdge) {
    std::mt19937 random(7);
    const auto between = [&](double a, double b) {
        return std::round(100.0 * std::uniform_real_distribution<double>(a, b)(random)) / 100.0;
    };
    constexpr double kStop = 2.0;
    for (int k = 0; k < 150; ++k) {
        const double a = between(1, 40);
        const double b = between(0, 6);
        const double c = between(1, 40);
        const double d = between(0, 6);
        const double level = between(0.5, 1.9);
        const auto over = [&](double t) { return std::sin(a * t + b) + std::sin(c * t + d) - level; };
        double expected = 0.0;
        const auto count = [&](double from, double to) { expected += to - from + 0.5 * (to * to - from * from); };
        constexpr int kPoints = 20'000;
        for (int i = 0; i < kPoints; ++i) {
            double from = kStop * i / kPoints;
            double to = kStop * (i + 1) / kPoints;
            if ((over(from) > 0.0) == (over(to) > 0.0)) {
                if (over(from) > 0.0) count(from, to);
                continue;
            }
            double low = from;
            double high = to;
            for (int halving = 0; halving < 60; ++halving) {
                const double middle = 0.5 * (low + high);
                ((over(middle) > 0.0) == (over(from) > 0.0) ? low : high) = middle;
            }
            over(from) > 0.0 ? count(from, low) : count(low, to);
        }
        const std::string rate =
            fmt::format("if sin({}*time + {}) + sin({}*time + {}) > {} then 1 + time else 0", a, b, c, d, level);
        // Two edges within one of the points' steps, which the sum above misses, are 1e-4 s apart at most.
        EXPECT_NEAR(end_of(rate, {.stop = kStop, .tolerance = 1e-8}), expected, 1e-3) << rate;
    }
}

// It begins at 0.00144135 s, where a panel of 1 + t ends, too.
TEST(TimeFunctions, AnEdgeAtWhichAPanelEndsIsTaken) {
    const auto run = run_of("if exp(-time)*sin(40*time + 1.2) > 0.95 then 1 + time else 0", {.stop = 1.0});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_EQ(run.summary.time_events, 2);
    constexpr double kFrom = 0.0014413494737846;
    constexpr double kTo = 0.0158836854821055;
    EXPECT_NEAR(run.result.data.back(), kTo - kFrom + 0.5 * (kTo * kTo - kFrom * kFrom), 1e-9);
}

TEST(TimeFunctions, APulseOfABillionthOfTheRunIsNotPassedOver) {
    // sqrt(pi) times its width; a share of what is seen of it is lost beside a state that was 0 before.
    const double end = end_of("exp(-((time - 371.3)/1e-6)^2)", {.stop = 1000.0});
    EXPECT_NEAR(end, std::sqrt(pi) * 1e-6, 0.01 * std::sqrt(pi) * 1e-6);
}

}  // namespace
}  // namespace bondgraph
