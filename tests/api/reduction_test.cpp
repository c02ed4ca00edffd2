// Activities against closed forms, and reduced models whose error is known.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"

namespace bondgraph::api {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::UnorderedElementsAre;

Reduction reduction_of_text(const std::string& text, const ReduceOptions& options = {}) {
    auto model = Model::parse(text);
    if (!model) throw std::runtime_error(model.error().text());
    auto reduction = model->reduce(options);
    if (!reduction) throw std::runtime_error(reduction.error().text());
    return *std::move(reduction);
}

const ElementActivity& activity_in(const Reduction& r, const std::string& name) {
    return *std::ranges::find(r.elements, name, &ElementActivity::name);
}

const OutputDeviation& deviation_of(const Reduction& r, const std::string& name) {
    return *std::ranges::find(r.outputs, name, &OutputDeviation::name);
}

// In steady state from the start: with i = I sin wt and the phase of u chosen so. R = 2, L = 0.5, C = 0.1, w = 3:
// uL = w L I cos wt, uC = −I cos wt/(w C).
const std::string kSteady = R"(model: steady
parameters: {w: 3}
components:
  u: {type: Se, e: 2*sin(w*time) + (w*0.5 - 1/(w*0.1))*cos(w*time)}
  j: {type: 1}
  r: {type: R, R: 2}
  l: {type: I, I: 0.5, initial: {f: 0}}
  c: {type: C, C: 0.1, initial: {q: -1/w}}
bonds: [u -> j, j -> r, j -> l, j -> c]
experiment: {stop: 4*pi/w, tolerance: 1e-8}
outputs: [j.f]
)";

TEST(Activity, OfASeriesCircuitAtASineIsThatFoundByHand) {
    // Over one period: R I² π/w of the resistor; of what swings 2 I² X/w, X being its reactance.
    const Reduction r = reduction_of_text(kSteady);
    const double w = 3.0;
    const double periods = 2.0;
    const double resistor = periods * 2.0 * std::numbers::pi / w;
    const double coil = periods * 2.0 * (w * 0.5) / w;
    const double capacitor = periods * 2.0 / (w * 0.1) / w;
    EXPECT_NEAR(activity_in(r, "r").activity, resistor, 1e-6 * resistor);
    EXPECT_NEAR(activity_in(r, "l").activity, coil, 1e-4 * coil);
    EXPECT_NEAR(activity_in(r, "c").activity, capacitor, 1e-4 * capacitor);
    EXPECT_NEAR(r.total, resistor + coil + capacitor, 1e-4 * r.total);
    ASSERT_EQ(r.elements.size(), 3U);  // the source is none of them
    EXPECT_EQ(r.elements[0].name, "c");
    EXPECT_EQ(r.elements[2].name, "l");
    EXPECT_NEAR(activity_in(r, "c").share, capacitor / (resistor + coil + capacitor), 1e-4);
    EXPECT_NEAR(r.elements[2].cumulative, 1.0, 1e-12);
    EXPECT_EQ(activity_in(r, "r").cumulative, activity_in(r, "c").share + activity_in(r, "r").share);
}

TEST(Activity, OfACapacitorThatChargesIsWhatItStores) {
    const Reduction r = reduction_of_text(R"(model: charging
components:
  u: {type: Se, e: 10 V}
  j: {type: 1}
  r: {type: R, R: 1 kohm}
  c: {type: C, C: 1 uF, initial: {e: 0 V}}
bonds: [u -> j, j -> r, j -> c]
experiment: {stop: 20 ms, tolerance: 1e-8}
)");
    EXPECT_NEAR(activity_in(r, "c").activity, 5e-5, 5e-10);
    EXPECT_NEAR(activity_in(r, "r").activity, 5e-5, 5e-10);
    EXPECT_FALSE(activity_in(r, "c").little);
    EXPECT_THAT(r.cuts, IsEmpty());
    EXPECT_EQ(r.text, "");
    EXPECT_EQ(r.kept, 1.0);
}

TEST(Activity, OfAJumpIsTheEnergyItMoves) {
    // A switch joins two capacitors: 2 V on 1 F and nothing on 1 F become 1 V each.
    auto model = Model::parse(R"(model: joined
components:
  a: {type: C, C: 1 F, initial: {e: 2 V}}
  na: {type: 0}
  s: {type: Sw, open: time < 0.5}
  j: {type: 1}
  nb: {type: 0}
  b: {type: C, C: 1 F, initial: {e: 0 V}}
bonds: [na -> a, na -> j, j -> s, j -> nb, nb -> b]
experiment: {stop: 1 s}
)");
    ASSERT_TRUE(model) << model.error().text();
    const auto run = model->run({.energy_by_element = true});
    ASSERT_TRUE(run) << run.error().text();
    for (const ElementEnergy& e : run->energy.elements) {
        const double wanted = e.name == "a" ? 1.5 : e.name == "b" ? 0.5 : e.moved;
        EXPECT_NEAR(e.moved, wanted, 1e-6) << e.name;
    }
}

const std::string kMotorWithCoil = R"(model: motor   # a motor
components:
  source: {type: Se, e: 12 V}
  j1: {type: 1}
  Ra: {type: R, R: 0.5 ohm}
  # the coil
  La: {type: I, I: 2 mH, initial: {f: 0 A}}   # small
  emf: {type: GY, r: 0.05 N.m/A}
  j2: {type: 1}
  J: {type: I, I: 1e-3 kg.m2}
  b: {type: R, R: 1e-4 N.m.s/rad}

bonds:
  - source -> j1
  - j1 -> Ra
  - coil: j1 -> La
  - j1 -> emf.p1
  - emf.p2 -> j2
  - j2 -> J
  - j2 -> b
experiment: {stop: 2 s, interval: 1 ms}
outputs: [La.f, J.f, coil.power, Ra.f]
expect:
  - {at: 2 s, J.f: 235.28689, tolerance: 1e-5}
)";

TEST(Reduction, OfAMotorLeavesOutTheCoil) {
    const Reduction r = reduction_of_text(kMotorWithCoil);
    ASSERT_EQ(r.cuts.size(), 1U);
    EXPECT_EQ(r.cuts[0].junction, "j1");
    EXPECT_TRUE(r.cuts[0].effort);
    EXPECT_LT(r.cuts[0].ratio, 0.1);
    EXPECT_THAT(r.cuts[0].components, ElementsAre("La"));
    EXPECT_TRUE(activity_in(r, "La").removed);
    EXPECT_EQ(r.states, 1U);
    EXPECT_THAT(r.states_gone, ElementsAre("La.p"));
    EXPECT_THAT(r.outputs_gone, ElementsAre("La.f", "coil.power"));
    EXPECT_NEAR(r.kept, 1.0 - activity_in(r, "La").share, 1e-12);
    ASSERT_EQ(r.outputs.size(), 2U);
    // One state: w = w∞ (1 − exp(−t/T)), T = J/(b + k²/Ra); the model's is the sum of two exponentials, found from its
    // eigenvalues. The largest difference lies near t = 4 ms · ln(T/4 ms).
    const double k = 0.05, Ra = 0.5, b = 1e-4, J = 1e-3, La = 2e-3;
    const double end = 12.0 * k / (k * k + Ra * b);
    const double T = J / (b + k * k / Ra);
    const double half = 0.5 * (Ra / La + b / J);
    const double root = std::sqrt(half * half - (Ra * b + k * k) / (La * J));
    const double p = -half + root, q = -half - root;
    double largest = 0.0;
    for (int i = 0; i <= 2000; ++i) {
        const double t = 1e-3 * i;
        const double full = end * (1.0 + (q * std::exp(p * t) - p * std::exp(q * t)) / (p - q));
        largest = std::max(largest, std::abs(full - end * (1.0 - std::exp(-t / T))));
    }
    const OutputDeviation& speed = deviation_of(r, "J.f");
    EXPECT_NEAR(speed.largest, largest, 1e-3 * largest);
    EXPECT_NEAR(speed.range, end, 1e-3 * end);
    EXPECT_LT(speed.rms, speed.largest);
    EXPECT_EQ(speed.unit, "rad/s");
    // The current jumps now, and did not: all of its range at the start.
    EXPECT_NEAR(deviation_of(r, "Ra.f").largest, 24.0, 0.01);
}

TEST(Reduction, LeavesTheRestOfTheTextAsItIs) {
    const Reduction r = reduction_of_text(kMotorWithCoil);
    std::string wanted = kMotorWithCoil;
    for (const char* line : {"  La: {type: I, I: 2 mH, initial: {f: 0 A}}   # small\n", "  - coil: j1 -> La\n",
                             "expect:\n  - {at: 2 s, J.f: 235.28689, tolerance: 1e-5}\n", "La.f, ", "coil.power, "}) {
        const std::size_t at = wanted.find(line);
        ASSERT_NE(at, std::string::npos) << line;
        wanted.erase(at, std::string(line).size());
    }
    EXPECT_EQ(r.text, wanted);
    const auto again = Model::parse(r.text);
    ASSERT_TRUE(again) << again.error().text();
    EXPECT_TRUE(again->check());
}

// A heavy body on a soft spring, and on it a light one on a stiff spring: the light one hardly moves against it.
const std::string kChain = R"(model: chain
components:
  ground_side: {type: 1}
  soft: {type: C, K: 10 N/m}
  heavy: {type: I, I: 10 kg, initial: {f: 1 m/s}}
  damper: {type: R, R: 1 N.s/m}
  node: {type: 0}
  stretch: {type: 1}
  stiff: {type: C, K: 1e5 N/m}
  rub: {type: R, R: 100 N.s/m}
  light_side: {type: 1}
  light: {type: I, I: 0.01 kg, initial: {f: 1 m/s}}
bonds:
  - ground_side -> soft
  - ground_side -> heavy
  - ground_side -> damper
  - ground_side -> node
  - node -> stretch
  - stretch -> stiff
  - stretch -> rub
  - node -> light_side
  - light_side -> light
experiment: {stop: 20 s, tolerance: 1e-8}
outputs: [heavy.f, soft.q]
)";

TEST(Reduction, OfAStiffAndSoftChainLeavesTheLightSideOut) {
    const Reduction r = reduction_of_text(kChain);
    ASSERT_EQ(r.cuts.size(), 1U);
    // The whole branch goes, not each of its parts: what it pulls at 'ground_side' with is small.
    EXPECT_THAT(r.cuts[0].components, UnorderedElementsAre("node", "stretch", "stiff", "rub", "light_side", "light"));
    EXPECT_EQ(r.cuts[0].junction, "ground_side");
    EXPECT_TRUE(r.cuts[0].effort);
    EXPECT_EQ(r.states, 2U);
    // The mass is 10 kg in place of 10.01 kg: after 20 s, w = 1/s, the phase is off by 20·0.0005 = 0.01, of a motion
    // that has decayed by then.
    EXPECT_LT(deviation_of(r, "heavy.f").largest_share(), 0.01);
    EXPECT_GT(deviation_of(r, "heavy.f").largest_share(), 1e-4);
}

TEST(Reduction, WhatMovesLittleBecauseTheOtherOfTheTwoIsSmallStays) {
    // Through 1 Mohm hardly a current flows, and yet all of the voltage is there: without it the source would meet the
    // capacitor. As a branch of 'n' it can go: its flow is small there.
    const Reduction r = reduction_of_text(R"(model: leak
components:
  u: {type: Se, e: 10*sin(10*time)}
  n: {type: 0}
  load: {type: R, R: 1 ohm}
  j: {type: 1}
  big: {type: R, R: 1 Mohm}
  c: {type: C, C: 1 F}
bonds: [u -> n, n -> load, n -> j, j -> big, j -> c]
experiment: {stop: 2 s}
outputs: [load.f, c.e]
)");
    ASSERT_EQ(r.cuts.size(), 1U);
    EXPECT_EQ(r.cuts[0].junction, "n");
    EXPECT_FALSE(r.cuts[0].effort);
    EXPECT_THAT(r.cuts[0].components, UnorderedElementsAre("j", "big", "c"));
    const Reduction series = reduction_of_text(R"(model: series
components:
  u: {type: Se, e: 10*sin(10*time)}
  n: {type: 0}
  load: {type: R, R: 1 ohm}
  j: {type: 1}
  big: {type: R, R: 1 Mohm}
  c: {type: C, C: 1 F}
  watch: {type: Gain, k: 1}
bonds: [u -> n, n -> load, n -> j, j -> big, j -> c]
signals: [c.e -> watch.u]
experiment: {stop: 2 s}
outputs: [load.f, watch.y]
)");
    EXPECT_THAT(series.cuts, IsEmpty());
    EXPECT_THAT(activity_in(series, "big").remark, HasSubstr("its effort is"));
    EXPECT_THAT(activity_in(series, "c").remark, HasSubstr("its results are used in 'signals:'"));
}

TEST(Reduction, WhatTheModelNeedsComesBack) {
    // Each of the two small resistors could go, but without both of them two sources of voltage are in parallel.
    const Reduction r = reduction_of_text(R"(model: two_batteries
components:
  u1: {type: Se, e: 10}
  u2: {type: Se, e: 10.004}
  j1: {type: 1}
  j2: {type: 1}
  r1: {type: R, R: 1e-3}
  r2: {type: R, R: 1e-3}
  n: {type: 0}
  load: {type: R, R: 1}
bonds: [u1 -> j1, j1 -> r1, j1 -> n, u2 -> j2, j2 -> r2, j2 -> n, n -> load]
experiment: {stop: 1 s}
outputs: [load.f, r2.f]
)");
    ASSERT_EQ(r.cuts.size(), 1U);
    EXPECT_THAT(r.cuts[0].components, ElementsAre("r1"));
    EXPECT_FALSE(activity_in(r, "r2").removed);
    EXPECT_THAT(activity_in(r, "r2").remark, HasSubstr("without it: causal conflict"));
    EXPECT_THAT(r.outputs_gone, IsEmpty());
    EXPECT_NEAR(deviation_of(r, "load.f").largest, 10.0 - 10.002 / 1.0005, 1e-6);
}

TEST(Reduction, NoJunctionIsLeftWithOneBond) {
    // At rest everything is small: what 'dead' joins would go one after the other.
    const Reduction r = reduction_of_text(R"(model: beside
components:
  u: {type: Se, e: 1}
  j: {type: 1}
  r: {type: R, R: 1}
  c: {type: C, C: 1}
  dead: {type: 1}
  a: {type: R, R: 1}
  b: {type: I, I: 1}
  d: {type: C, C: 1}
bonds: [u -> j, j -> r, j -> c, dead -> a, dead -> b, dead -> d]
experiment: {stop: 5 s}
outputs: [c.e]
)");
    ASSERT_EQ(r.cuts.size(), 1U);
    EXPECT_EQ(r.cuts[0].components.size(), 1U);
    std::size_t stay = 0;
    for (const ElementActivity& e : r.elements) {
        if (e.remark == "without it 'dead' would join nothing any more") ++stay;
    }
    EXPECT_EQ(stay, 2U);
    EXPECT_EQ(deviation_of(r, "c.e").largest, 0.0);
}

TEST(Reduction, WithAllOfTheActivityKeptNothingGoes) {
    EXPECT_THAT(reduction_of_text(kMotorWithCoil, {.keep = 1.0}).cuts, IsEmpty());
}

TEST(Reduction, OfPartsInsideOthersOnlyTheActivityIsTold) {
    const Reduction r = reduction_of_text(R"(model: nested
types:
  Coil:
    ports: {p: {}}
    components:
      j: {type: 1}
      l: {type: I, I: 1e-4}
      r: {type: R, R: 1e-3}
    bonds: [p -> j, j -> l, j -> r]
components:
  u: {type: Se, e: 1}
  j: {type: 1}
  r: {type: R, R: 1}
  c: {type: C, C: 1}
  coil: {type: Coil}
bonds: [u -> j, j -> r, j -> c, j -> coil.p]
experiment: {stop: 5 s}
)");
    EXPECT_THAT(r.cuts, IsEmpty());
    EXPECT_TRUE(activity_in(r, "coil.r").little);
    EXPECT_EQ(activity_in(r, "coil.r").remark,
              "it is part of another component, and has no line of its own in the file");
}

TEST(Reduction, SharesThatAreNoneAreRefused) {
    const auto model = Model::parse(kMotorWithCoil);
    for (const double keep : {0.0, -0.5, 1.5, std::nan("")}) {
        const auto r = model->reduce({.keep = keep});
        ASSERT_FALSE(r);
        EXPECT_EQ(r.error().kind, Error::Kind::usage);
    }
}

TEST(Reduction, ValuesOfACallHoldForBothRuns) {
    const auto model = Model::parse(kMotorWithCoil);
    const auto r = model->reduce({.values = {{"La.I", "4 mH"}, {"J.I", 2e-3}}});
    ASSERT_TRUE(r) << r.error().text();
    ASSERT_EQ(r->cuts.size(), 1U);
    EXPECT_LT(deviation_of(*r, "J.f").largest_share(), 0.1);
}

// ---- The same however it is written

TEST(Activity, IsTheSameHoweverTheModelIsWritten) {
    const auto activities = [](const Reduction& r, const std::string& prefix = "") {
        std::map<std::string, double> all;
        for (const ElementActivity& e : r.elements)
            all[e.name.starts_with(prefix) ? e.name.substr(prefix.size()) : e.name] = e.activity;
        return all;
    };
    const auto plain = activities(reduction_of_text(kSteady));
    const auto otherwise = activities(reduction_of_text(R"(model: steady
parameters: {w: 3}
components:
  aside: {type: 1}
  c: {type: C, K: 10, initial: {q: -1/w}}
  l: {type: I, I: 0.5, initial: {f: 0}}
  r: {type: R, G: 0.5}
  j: {type: 1}
  u: {type: Se, e: 2*sin(w*time) + (w*0.5 - 1/(w*0.1))*cos(w*time)}
  lone: {type: R, R: 1}
  rest: {type: I, I: 1}
bonds: [c -> j, r -> j, j -> l, j -> u, aside -> lone, aside -> rest]
experiment: {stop: 4*pi/w, tolerance: 1e-8}
outputs: [j.f]
)"));
    const auto inside = activities(reduction_of_text(R"(model: steady
parameters: {w: 3}
types:
  Rest:
    parameters: {w: {}}
    ports: {p: {}}
    components:
      j: {type: 1}
      r: {type: R, R: 2}
      l: {type: I, I: 0.5, initial: {f: 0}}
      c: {type: C, C: 0.1, initial: {q: -1/w}}
    bonds: [p -> j, j -> r, j -> l, j -> c]
components:
  u: {type: Se, e: 2*sin(w*time) + (w*0.5 - 1/(w*0.1))*cos(w*time)}
  x: {type: Rest, w: w}
bonds: [u -> x.p]
experiment: {stop: 4*pi/w, tolerance: 1e-8}
)"),
                                   "x.");
    for (const auto& [name, value] : plain) {
        EXPECT_NEAR(otherwise.at(name), value, 1e-4 * value) << name;
        EXPECT_NEAR(inside.at(name), value, 1e-4 * value) << name;
    }
}

TEST(Reduction, ARunInWhichNothingMovesTellsNothing) {
    const auto refused = Model::parse(R"(model: still
components:
  u: {type: Se, e: 0 V}
  j: {type: 1}
  r: {type: R, R: 1 ohm}
  c: {type: C, C: 1 F}
bonds: [u -> j, j -> r, j -> c]
experiment: {stop: 1 s}
)")
                             .value()
                             .reduce();
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, Error::Kind::usage);
    EXPECT_THAT(refused.error().text(), HasSubstr("no power flows in this run"));
}

}  // namespace
}  // namespace bondgraph::api
