// Sources that jump where something follows them rigidly, beside elements that can change the structure.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bondgraph/simulation/simulate.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::simulation {
namespace {

using test::Pipeline;
using testing::HasSubstr;

/// A source that charges 1 F through an element in series; a second charge that grows by 1 C/s tells the time.
std::string circuit(const std::string& element, const std::string& source, const std::string& more = "") {
    return "components:\n  s0: {type: Sf, f: 1}\n  n0: {type: 0}\n  c0: {type: C, C: 1, initial: {q: 0}}\n"
           "  S: {type: Se, e: \"" +
           source + "\"}\n  j: {type: 1}\n  D: " + element +
           "\n  n: {type: 0}\n  C: {type: C, C: 1, initial: {q: 0}}\n" + more +
           "bonds: [s0 -> n0, n0 -> c0, S -> j, j -> D, j -> n, n -> C" + (more.empty() ? "" : ", n -> R") + "]\n";
}

constexpr const char* kLoadOfCircuit = "  R: {type: R, R: 2}\n";

/// A result in the last row of all up to a time, or in the first one of those from it on.
double value_at(const Run& run, double time, std::size_t column, bool after = true) {
    const auto& t = run.result.time;
    const auto at = after ? std::ranges::upper_bound(t, time) - 1 : std::ranges::lower_bound(t, time);
    return run.result.at(static_cast<std::size_t>(at - t.begin()), column);
}

Run run_circuit(const std::string& text, double stop) {
    Pipeline p(text);
    return p.run({.stop = stop, .tolerance = 1e-9}, {"C.q", "D.f", "D.e"});
}

TEST(SourcesThatJump, ADiodeOpensAsItsSourceFallsAndItsCapacitorKeepsItsCharge) {
    // Whether time says so or a state; with whole numbers of time as well.
    for (const char* source : {"if time < 1 then 2*time else 1", "if c0.q < 1 then 2*c0.q else 1",
                               "2*time - (1 + 2*(time - 1))*floor(time)"}) {
        const auto run = run_circuit(circuit("{type: D}", source), 1.5);
        ASSERT_FALSE(run.summary.failure) << source << ": " << run.summary.failure->message;
        EXPECT_NEAR(value_at(run, 0.6, 0), 1.2, 1e-7) << source;
        EXPECT_NEAR(value_at(run, 0.6, 1), 2.0, 1e-7) << source;
        EXPECT_NEAR(value_at(run, 1.2, 0), 2.0, 1e-7) << source;
        EXPECT_NEAR(value_at(run, 1.2, 1), 0.0, 1e-12) << source;
        EXPECT_EQ(run.summary.mode_changes, 1) << source;
        EXPECT_NEAR(run.summary.energy.events, 0.0, 1e-9) << source;
        EXPECT_NEAR(run.summary.energy.imbalance, 0.0, 1e-7) << source;
    }
    const auto loaded = run_circuit(circuit("{type: D}", "if time < 1 then 2*time else -1", kLoadOfCircuit), 2.0);
    ASSERT_FALSE(loaded.summary.failure) << loaded.summary.failure->message;
    EXPECT_NEAR(value_at(loaded, 2.0, 0), 2.0 * std::exp(-0.5), 1e-7);
}

// Where it blocks, it closes as the source rises: the charge jumps, and what the source gives beyond the half that is
// stored is lost in the diode.
TEST(SourcesThatJump, PulsesChargeACapacitorThroughADiode) {
    const std::string pulses = "if time - 2*floor(time/2) < 1 then 5 else 0";
    const auto run = run_circuit(circuit("{type: D}", "if time < 0.5 then 0 else " + pulses, kLoadOfCircuit), 3.0);
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_NEAR(value_at(run, 0.7, 0), 5.0, 1e-8);
    EXPECT_NEAR(value_at(run, 0.7, 1), 2.5, 1e-8);
    const double left = 5.0 * std::exp(-0.5);
    EXPECT_NEAR(value_at(run, 2.0, 0, false), left, 1e-7);
    EXPECT_NEAR(value_at(run, 2.5, 0), 5.0, 1e-8);
    EXPECT_NEAR(run.summary.energy.events, 0.5 * 25.0 + 0.5 * std::pow(5.0 - left, 2), 1e-6);
    EXPECT_NEAR(run.summary.energy.imbalance, 0.0, 1e-6);
}

// Nothing gives way to a source that rises at once: neither a diode that conducts nor a closed switch.
TEST(SourcesThatJump, UpwardsThroughWhatConductsAreRefusedWhenTheyComeAbout) {
    for (const char* element : {"{type: D}", "{type: Sw, open: time < -1}"}) {
        const auto run = run_circuit(circuit(element, "if time < 1 then 2*time else 3"), 2.0);
        ASSERT_TRUE(run.summary.failure) << element;
        EXPECT_NEAR(run.summary.failure->time, 1.0, 1e-9) << element;
        EXPECT_THAT(run.summary.failure->message, HasSubstr("'C.q' would have to jump from 2 to 3")) << element;
        EXPECT_EQ(run.summary.failure->component, "'C' (C)") << element;
    }
}

// An element that answers to the jump somewhere else is no way out.
TEST(SourcesThatJump, AreRefusedWhateverElseGivesWay) {
    for (const char* source : {"if time < 1 then 1 else -1", "if c0.q < 1 then 1 else -1"}) {
        Pipeline p(R"(
components:
  s0: {type: Sf, f: 1}
  n0: {type: 0}
  c0: {type: C, C: 1, initial: {q: 0}}
  drive: {type: Sf, f: ")" +
                   std::string(source) + R"("}
  j: {type: 1}
  drag: {type: Friction, level: 6}
  m: {type: I, I: 2}
bonds: [s0 -> n0, n0 -> c0, drive -> j, j -> drag, j -> m]
)");
        const auto run = p.run({.stop = 2.0, .tolerance = 1e-9}, {"m.f"});
        ASSERT_TRUE(run.summary.failure) << source;
        EXPECT_THAT(run.summary.failure->message, HasSubstr("'m.p' would have to jump from 2 to -2")) << source;
    }
}

// A structure that changes at the same instant changes what follows the source.
TEST(SourcesThatJump, ASwitchMayOpenOrCloseAtThatInstant) {
    const auto opens = run_circuit(circuit("{type: Sw, open: time >= 1}", "if time < 1 then 2*time else 3"), 2.0);
    ASSERT_FALSE(opens.summary.failure) << opens.summary.failure->message;
    EXPECT_NEAR(value_at(opens, 2.0, 0), 2.0, 1e-9);
    const auto closes = run_circuit(circuit("{type: Sw, open: time < 1}", "if time < 1 then 2*time else 3"), 2.0);
    ASSERT_FALSE(closes.summary.failure) << closes.summary.failure->message;
    EXPECT_NEAR(value_at(closes, 2.0, 0), 3.0, 1e-9);
    // Neither comes first: the source is that of its mean (2 + 3)/2.
    EXPECT_NEAR(closes.summary.energy.events, 2.5 * 3.0 - 4.5, 1e-8);
}

// A belt that turns round at once tears itself away from what sticks to it, which slides to its speed again: from 1 m/s
// to -1 m/s at 3 m/s2.
TEST(SourcesThatJump, FrictionThatSticksToASourceSlides) {
    Pipeline p(R"(
components:
  belt: {type: Sf, f: "if time < 1 then 1 else -1"}
  n: {type: 0}
  grip: {type: Friction, level: 6}
  m: {type: I, I: 2, initial: {f: 1}}
bonds: [belt -> n, n -> grip, n -> m]
)");
    const auto run = p.run({.stop = 2.0, .tolerance = 1e-9}, {"m.f"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_NEAR(value_at(run, 0.9, 0), 1.0, 1e-9);
    EXPECT_NEAR(value_at(run, 1.5, 0), -0.5, 1e-7);
    EXPECT_NEAR(value_at(run, 2.0, 0), -1.0, 1e-7);
    EXPECT_NEAR(run.summary.energy.imbalance, 0.0, 1e-7);
}

// What hides its jumps from the run can't be left to it.
TEST(SourcesThatJump, OfWhichARunIsNotToldAreRefusedBeforehand) {
    EXPECT_THAT(test::errors_in(circuit("{type: Sw, open: time < -1}", "smooth(0, if time < 1 then 2*time else 3)")),
                testing::ElementsAre("BG-E003"));
    EXPECT_THAT(test::errors_in(circuit("{type: Sw, open: time < -1}", "floor(c0.q)")),
                testing::ElementsAre("BG-E003"));
}

}  // namespace
}  // namespace bondgraph::simulation
