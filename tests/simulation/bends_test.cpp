// What bends or jumps without an event, inside smooth() and noEvent() or by abs, sign, max, floor and tables: the
// energy account is parted there, and what was promised to be smooth and jumps is told.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/simulation/event_times.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using simulation::EnergyBalance;
using test::of;
using test::Pipeline;
using testing::IsEmpty;

/// A capacitor charged through a resistor, C.e = 5 (1 − exp(−t/2)), and a heater of 1 ohm that it sets the voltage of.
struct Heated {
    std::string effort;
    bool reversed = false;  ///< arrows and lines
    std::string beside = {};
    std::string bonds_beside = {};
    std::string types = {};
    std::string heater = {};  ///< in place of the source

    [[nodiscard]] std::string text() const {
        const std::vector<std::string> lines{
            "  src: {type: Se, e: 5 V}\n",
            "  n: {type: 1}\n",
            "  R: {type: R, R: 2 ohm}\n",
            "  C: {type: C, C: 1 F, initial: {q: 0 C}}\n",
            heater.empty() ? "  heat: {type: Se, e: \"" + effort + "\"}\n" : heater,
            "  m: {type: 1}\n",
            "  H: {type: R, R: 1 ohm}\n",
            beside,
        };
        std::string all = types + "components:\n";
        for (std::size_t k = 0; k < lines.size(); ++k) all += lines[reversed ? lines.size() - 1 - k : k];
        const std::string bonds =
            reversed ? "m -> H, heat -> m, n -> C, src -> n, n -> R" : "src -> n, n -> R, n -> C, heat -> m, m -> H";
        return all + "bonds: [" + bonds + bonds_beside + "]\n";
    }
};

simulation::Run heated_run(const Heated& h, double tolerance, double stop = 1.0) {
    Pipeline p(h.text());
    simulation::Run run =
        p.run({.stop = stop, .tolerance = tolerance, .interval = stop / 10, .energy_by_element = true}, {"C.e"});
    EXPECT_FALSE(run.summary.failure) << h.effort;
    return run;
}

/// When C.e reaches a voltage.
double time_of(double voltage) { return -2.0 * std::log(1.0 - voltage / 5.0); }

/// ∫ (C.e − 1)² from then to `to`, where it is positive.
double of_the_excess(double to) {
    const auto integral = [](double t) { return 16.0 * t + 80.0 * std::exp(-t / 2) - 25.0 * std::exp(-t); };
    return integral(to) - integral(time_of(1.0));
}

constexpr double kTolerances[] = {1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9};

/// Steps end where they please: a jump may lie anywhere in one. What is left is the error of the instant, of a state
/// that is as good as a hundred tolerances, times the power.
void expect_heat(const Heated& h, double heat, double power) {
    for (const double tolerance : kTolerances) {
        SCOPED_TRACE(fmt::format("{} at {}", h.effort, tolerance));
        const EnergyBalance b = heated_run(h, tolerance).summary.audited;
        EXPECT_NEAR(of(b, "H").dissipated, heat, 100 * tolerance * power);
        EXPECT_NEAR(of(b, "heat").supplied, heat, 100 * tolerance * power);
    }
}

TEST(Bends, AJumpThatNoStateFollowsIsNotSteppedOver) {
    for (const double voltage : {0.3, 0.7, 1.0, 1.3, 1.7, 1.9}) {
        const double heat = 25.0 * (1.0 - time_of(voltage));
        expect_heat({fmt::format("smooth(0, if C.e > {} then 5 else 0)", voltage)}, heat, 25.0);
        expect_heat({fmt::format("noEvent(if C.e > {} then 5 else 0)", voltage)}, heat, 25.0);
        expect_heat({fmt::format("2.5*(1 + sign(C.e - {}))", voltage)}, heat, 25.0);
    }
}

TEST(Bends, HoweverItIsWritten) {
    const double heat = 25.0 * (1.0 - time_of(1.0));
    const std::string effort = "smooth(0, if C.e > 1 then 5 else 0)";
    expect_heat({"smooth(0, if C.q <= 1 then 0 else 5)"}, heat, 25.0);
    expect_heat({"smooth(0, if 3 > 2 + C.e then 0 else 5)"}, heat, 25.0);
    expect_heat({"-" + effort}, heat, 25.0);
    expect_heat({.effort = effort, .reversed = true}, heat, 25.0);
    expect_heat({.effort = effort,
                 .beside = "  k: {type: 1}\n  S: {type: Se, e: if sin(40*time) > 0.2 then 1 else 0}\n  Q: {type: R, R: "
                           "1 ohm}\n",
                 .bonds_beside = ", S -> k, k -> Q"},
                heat, 25.0);
}

TEST(Bends, InsideATypeThatASignalDrives) {
    const Heated wrapped{.effort = "",
                         .types =
                             "types: {W: {parameters: {x: 0}, ports: {p: {domain: electrical}}, components: {s: "
                             "{type: Se, e: \"smooth(0, if x > 1 then 5 else 0)\"}}, bonds: [s -> p]}}\n"
                             "signals: [C.e -> heat.x]\n",
                         .heater = "  heat: {type: W}\n"};
    for (const double tolerance : kTolerances) {
        const simulation::Run run = heated_run(wrapped, tolerance);
        EXPECT_NEAR(of(run.summary.audited, "H").dissipated, 25.0 * (1.0 - time_of(1.0)), 2500 * tolerance);
        ASSERT_EQ(run.summary.broken.size(), 1U);
        EXPECT_EQ(run.summary.broken[0].element, "heat.s");
    }
}

TEST(Bends, StepsOfFloorAndTables) {
    double heat = 0.0;
    for (int k = 1; k <= 19; ++k) {
        const double until = std::min(1.0, time_of((k + 1) / 10.0));
        heat += k * k * (until - time_of(k / 10.0));
        if (until == 1.0) break;
    }
    expect_heat({"floor(10*C.e)"}, heat, 361.0);
    expect_heat({"smooth(0, ceil(10*C.e)) - 1"}, heat, 361.0);
    expect_heat({"staircase(C.e, [0, 1], [0, 5])"}, 25.0 * (1.0 - time_of(1.0)), 25.0);
}

TEST(Bends, KinksAreNoMistake) {
    for (const char* effort : {"smooth(0, max(C.e - 1, 0))", "max(C.e, 1) - 1", "0.5*(abs(C.e - 1) + C.e - 1)",
                               "interpolate(C.e, [0, 1, 5], [0, 0, 4])"}) {
        expect_heat({effort}, of_the_excess(1.0), 1.0);
        EXPECT_THAT(heated_run({effort}, 1e-6).summary.broken, IsEmpty()) << effort;
    }
}

TEST(Bends, ManyJumpsInEveryStep) {
    // floor(y)² is y² − y + 1/3 on the average, y = 1000 x being much more than 1.
    const double stop = 1.0;
    const auto square = [](double t) { return 25.0 * (t + 4.0 * std::exp(-t / 2) - std::exp(-t)); };
    const auto once = [](double t) { return 5.0 * (t + 2.0 * std::exp(-t / 2)); };
    const double expected = 1e6 * (square(stop) - square(0)) - 1e3 * (once(stop) - once(0)) + stop / 3.0;
    const EnergyBalance b = heated_run({"floor(1000*C.e)"}, 1e-6).summary.audited;
    EXPECT_NEAR(of(b, "H").dissipated / expected, 1.0, 2e-6);  // the last of the steps is a part of one
}

TEST(Bends, AnInstantWithinAStepIsFoundWithItsReturn) {
    // An oscillator of 1 rad/s: its tips, above 0.999, are passed in 0.0894 s, a few times in 20 s.
    Pipeline p(R"yaml(
types: {O: {variables: {x: {start: 1}, v: {start: 0}}, equations: [der(x) = v, der(v) = -x]}}
components:
  o: {type: O}
  heat: {type: Se, e: "smooth(0, if o.x > 0.999 then 1 else 0)"}
  m: {type: 1}
  H: {type: R, R: 1 ohm}
bonds: [heat -> m, m -> H]
)yaml");
    for (const double tolerance : {1e-6, 1e-7, 1e-8}) {  // at 1e-4 steps take the tips away
        const simulation::Run run = p.run({.stop = 20.0, .tolerance = tolerance, .energy_by_element = true}, {"o.x"});
        const double tip = std::acos(0.999);
        // At a tip the crossing is slow: what the amplitude is off by moves it by 1/sin(tip) = 22 times that.
        EXPECT_NEAR(of(run.summary.audited, "H").dissipated, 7.0 * tip, 7 * 22 * 200 * tolerance) << tolerance;
        ASSERT_EQ(run.summary.broken.size(), 1U);
        EXPECT_EQ(run.summary.broken[0].times, 7);
    }
}

TEST(Promises, AJumpIsToldWithItsPlace) {
    for (const double tolerance : kTolerances) {
        const auto broken = heated_run({"smooth(0, if C.e > 1 then 5 else 2)"}, tolerance).summary.broken;
        ASSERT_EQ(broken.size(), 1U) << tolerance;
        EXPECT_EQ(broken[0].element, "heat");
        EXPECT_EQ(broken[0].before, 2.0);
        EXPECT_EQ(broken[0].after, 5.0);
        EXPECT_EQ(broken[0].times, 1);
        EXPECT_NEAR(broken[0].time, time_of(1.0), 100 * tolerance);
        EXPECT_EQ(broken[0].position.line, 7);
        EXPECT_EQ(broken[0].text, "smooth(0, if C.e > 1 then 5 else 2)");
    }
}

// Where states follow a jump, steps grow so short before it that the two sides are a rounding of the time apart.
TEST(Promises, AJumpThatStepsCreepUpToIsTold) {
    const auto broken_of = [](const std::string& effort, double tolerance) {
        Pipeline p("components:\n  s: {type: Se, e: '" + effort +
                   " + 3*sin(4*time)'}\n  j: {type: 1}\n  R: {type: R, R: 0.7}\n"
                   "  C: {type: C, C: 0.5, initial: {q: 0}}\nbonds: [s -> j, j -> R, j -> C]\n");
        return p.run({.stop = 3.0, .tolerance = tolerance, .interval = 0.006}, {"C.q"}).summary.broken;
    };
    for (const double tolerance : kTolerances) {
        const auto broken = broken_of("smooth(0, if C.e > 1 then 5 else 2)", tolerance);
        ASSERT_EQ(broken.size(), 1U) << tolerance;
        EXPECT_EQ(broken[0].before, 2.0) << tolerance;
        EXPECT_EQ(broken[0].after, 5.0) << tolerance;
        for (const char* kept : {"smooth(0, if C.e > 1 then C.e + 1 else 2)",
                                 "smooth(0, if C.e > 1 then 2 + sqrt(max(C.e - 1, 0)) else 2)"})
            EXPECT_THAT(broken_of(kept, tolerance), IsEmpty()) << kept << " at " << tolerance;
    }
}

TEST(Promises, OneThatIsKeptIsNot) {
    for (const char* effort :
         {"smooth(1, if C.e > 1 then (C.e - 1)^2/C.e else 0)", "smooth(0, if C.e > 1 then sqrt((C.e - 1)*C.e) else 0)",
          "smooth(0, if C.e > 1 then sqrt(sqrt((C.e - 1)*C.e^3)) else 0)", "smooth(0, abs(C.e - 1))",
          "noEvent(if C.e > 1 then 5 else 0)", "sign(C.e - 1)", "smooth(0, if C.e > 7 then 5 else 0)",
          "smooth(0, max(time, 0.5))", "smooth(0, C.e)"}) {
        for (const double tolerance : {1e-4, 1e-6, 1e-9})
            EXPECT_THAT(heated_run({effort}, tolerance).summary.broken, IsEmpty()) << effort << " at " << tolerance;
    }
}

TEST(Promises, AlsoWithoutAnEnergyAccountAndOfStates) {
    Pipeline p(
        "types: {B: {variables: {x: {start: 0}}, equations: [\"der(x) = 1 + smooth(0, if x > 0.5 then 1 else "
        "0)\"]}}\ncomponents: {b: {type: B}}\n");
    const simulation::Run run = p.run({.stop = 0.75, .interval = 0.1, .energy = false}, {"b.x"});
    ASSERT_EQ(run.summary.broken.size(), 1U);
    EXPECT_EQ(run.summary.broken[0].element, "b");
    EXPECT_NEAR(run.summary.broken[0].time, 0.5, 1e-4);
    EXPECT_NEAR(run.result.data.back(), 1.0, 1e-4);
}

// The charge jumps with the source, so that 12.5 J come from nowhere: the account shows them as an event's.
TEST(Promises, OfTimeAreToldWhereAStorageFollowsRigidly) {
    const auto circuit = [](const std::string& effort) {
        return "components:\n  s: {type: Se, e: \"" + effort +
               "\"}\n  j: {type: 0}\n  C: {type: C, C: 1 F}\n  R: {type: R, R: 1 ohm}\nbonds: [s -> j, j -> C, j -> "
               "R]\n";
    };
    Pipeline jumps(circuit("smooth(1, if time < 1 then 0 else 5)"));
    const simulation::Summary s = jumps.run({.stop = 2.0}, {"C.q"}).summary;
    ASSERT_EQ(s.broken.size(), 1U);
    EXPECT_EQ(s.broken[0].time, 1.0);
    EXPECT_EQ(s.broken[0].after, 5.0);
    EXPECT_NEAR(s.energy.events, -12.5, 1e-12);
    Pipeline keeps(circuit("smooth(1, if time < 1 then 0 else 5*(time - 1)^2)"));
    EXPECT_THAT(keeps.run({.stop = 2.0}, {"C.q"}).summary.broken, IsEmpty());
}

TEST(TimeInSmooth, IsForeseenLikeTimeElsewhere) {
    for (const char* effort : {"smooth(0, if time > 0.333 then 5 else 0)", "noEvent(if time > 0.333 then 5 else 0)",
                               "smooth(0, 5*floor(time + 0.667))", "smooth(3, if 0.333 < time then 5 else 0)"}) {
        for (const double tolerance : kTolerances) {
            SCOPED_TRACE(fmt::format("{} at {}", effort, tolerance));
            const simulation::Run run = heated_run({effort}, tolerance);
            EXPECT_NEAR(of(run.summary.audited, "H").dissipated, 25.0 * 0.667, 1e-12);
            EXPECT_EQ(event_times(run.result).size(), 1U);
            EXPECT_EQ(run.summary.time_events, 1);
        }
    }
}

}  // namespace
}  // namespace bondgraph
