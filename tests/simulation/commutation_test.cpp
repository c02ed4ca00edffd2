// Elements whose states follow from each other: ideal diodes that commutate a current, friction and stops on one body,
// at events and at the start.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "bondgraph/model/mode_search.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using model::ModeSearch;
using test::Pipeline;

double last(const simulation::Run& run, std::size_t column) {
    return run.result.at(run.result.time.size() - 1, column);
}

std::string failure(const simulation::Run& run) { return run.summary.failure ? run.summary.failure->message : ""; }

std::string two_sources(std::string_view first) {
    return std::string(R"yaml(
components:
  u1: {type: Se, e: ")yaml") +
           std::string(first) + R"yaml("}
  u2: {type: Se, e: 5 V}
  j1: {type: 1}
  j2: {type: 1}
  d1: {type: D}
  d2: {type: D}
  n: {type: 0}
  l: {type: 1}
  L: {type: I, I: 1 H, initial: {f: 0 A}}
  R: {type: R, R: 1 ohm}
bonds: [u1 -> j1, j1 -> d1, j1 -> n, u2 -> j2, j2 -> d2, j2 -> n, n -> l, l -> L, l -> R]
)yaml";
}

TEST(Commutation, TheSourceWithTheHigherVoltageTakesOverACoilsCurrent) {
    Pipeline p(two_sources("10 - 20*time"));
    const auto run = p.run({.stop = 1.0, .tolerance = 1e-9}, {"L.f", "d1.f", "d2.f"});
    ASSERT_EQ(failure(run), "");
    const double at_change = 25.0 - 30.0 * std::exp(-0.25);
    EXPECT_NEAR(last(run, 0), 5.0 + (at_change - 5.0) * std::exp(-0.75), 1e-7);
    EXPECT_NEAR(last(run, 1), 0.0, 1e-12);
    EXPECT_NEAR(last(run, 2), last(run, 0), 1e-12);
}

TEST(Commutation, AStepOfOneSourceCommutatesAtOnce) {
    for (const auto& [text, then] :
         {std::pair{"if time < 0.5 then 0 else 10", 10.0}, {"if time < 0.5 then 10 else 0", 5.0}}) {
        Pipeline p(two_sources(text));
        const auto run = p.run({.stop = 1.0, .tolerance = 1e-9}, {"L.f", "n.e"});
        ASSERT_EQ(failure(run), "") << text;
        const double first = (15.0 - then) * (1.0 - std::exp(-0.5));
        EXPECT_NEAR(last(run, 0), then + (first - then) * std::exp(-0.5), 1e-7) << text;
        EXPECT_NEAR(last(run, 1), then, 1e-9) << text;
    }
}

TEST(Commutation, AGateTurnOffThyristorHandsItsCurrentToAFreewheelingDiodeAndBack) {
    Pipeline p(R"yaml(
components:
  u: {type: Se, e: 100 V}
  l: {type: 1}
  T: {type: GTO, fire: time < 0.001 or time > 0.0015}
  n: {type: 0}
  ld: {type: 1}
  d: {type: D}
  b: {type: 1}
  L: {type: I, I: 10 mH, initial: {f: 0 A}}
bonds: [u -> l, l -> T, l -> n, ld -> n, ld -> d, n -> b, b -> L]
)yaml");
    const auto run = p.run({.stop = 2e-3}, {"L.f", "d.f", "T.f"});
    ASSERT_EQ(failure(run), "");
    EXPECT_NEAR(last(run, 0), 15.0, 1e-9);
    EXPECT_NEAR(last(run, 1), 0.0, 1e-12);
    EXPECT_NEAR(last(run, 2), 15.0, 1e-9);
    EXPECT_NEAR(run.summary.energy.events, 0.0, 1e-9);
}

// What a rectifier feeds: its current flows on.
const std::string kInductiveLoad = R"(
  l: {type: 1}
  L: {type: I, I: 0.1 H, initial: {f: 0 A}}
  R: {type: R, R: 10 ohm}
)";

TEST(Commutation, ThreePhasesTakeTurns) {
    Pipeline p(R"yaml(
parameters: {w: 314.159265358979 1/s}
types:
  Leg:
    ports: {a: {domain: electrical}, n: {domain: electrical}}
    components: {j: {type: 1}, d: {type: D}}
    bonds: [a -> j, j -> d, j -> n]
components:
  u1: {type: Se, e: "100*sin(w*time)"}
  u2: {type: Se, e: "100*sin(w*time-2*pi/3)"}
  u3: {type: Se, e: "100*sin(w*time+2*pi/3)"}
  d1: {type: Leg}
  d2: {type: Leg}
  d3: {type: Leg}
  n: {type: 0})yaml" +
               kInductiveLoad +
               R"yaml(
bonds: [u1 -> d1.a, u2 -> d2.a, u3 -> d3.a, d1.n -> n, d2.n -> n, d3.n -> n, n -> l, l -> L, l -> R]
)yaml");
    const auto run = p.run({.stop = 0.1, .tolerance = 1e-8, .interval = 1e-4}, {"n.e", "u1.e", "u2.e", "u3.e"});
    ASSERT_EQ(failure(run), "");
    for (std::size_t k = 0; k < run.result.time.size(); ++k) {
        const double highest = std::max({run.result.at(k, 1), run.result.at(k, 2), run.result.at(k, 3)});
        ASSERT_NEAR(run.result.at(k, 0), highest, 1e-6) << run.result.time[k];
    }
}

TEST(Commutation, ABridgeOfIdealDiodesRectifies) {
    Pipeline p(R"yaml(
components:
  u: {type: Se, e: "100*sin(314.159265358979*time)"}
  a: {type: 0}
  j1: {type: 1}
  d1: {type: D}
  j2: {type: 1}
  d2: {type: D}
  j3: {type: 1}
  d3: {type: D}
  j4: {type: 1}
  d4: {type: D}
  p: {type: 0}
  m: {type: 0})yaml" +
               kInductiveLoad +
               R"yaml(
bonds: [u -> a, a -> j1, j1 -> d1, j1 -> p, m -> j2, j2 -> d2, j2 -> a, j3 -> d3, j3 -> p, m -> j4, j4 -> d4,
        p -> l, l -> L, l -> R, l -> m]
)yaml");
    const auto run = p.run({.stop = 0.1, .tolerance = 1e-8, .interval = 1e-3}, {"L.f", "L.e", "R.e"});
    ASSERT_EQ(failure(run), "");
    for (std::size_t k = 0; k < run.result.time.size(); ++k) {
        const double voltage = std::abs(100.0 * std::sin(100.0 * std::numbers::pi * run.result.time[k]));
        ASSERT_NEAR(run.result.at(k, 1) + run.result.at(k, 2), voltage, 1e-5) << run.result.time[k];
    }
}

// All diodes may conduct or not at the start, and what they carry follows from nothing else.
TEST(Commutation, ABridgeOfIdealDiodesStartsWithoutVoltage) {
    std::string parts = "components:\n  p: {type: 0}\n  m: {type: 0}";
    std::string bonds = "bonds: [p -> l, l -> L, l -> R, l -> m";
    for (int k = 0; k < 3; ++k) {
        parts += fmt::format(
            "\n  s{0}: {{type: Se, e: 'min(100*time, 1)*100*sin(314.159265358979*time + {1})'}}\n  n{0}: {{type: 0}}",
            k, 2.0 * std::numbers::pi * k / 3.0);
        bonds += fmt::format(", s{0} -> n{0}", k);
        for (const std::string& d : {fmt::format("u{}", k), fmt::format("d{}", k)}) {
            parts += fmt::format("\n  {0}: {{type: D}}\n  j{0}: {{type: 1}}", d);
            bonds += d[0] == 'u' ? fmt::format(", n{1} -> j{0}, j{0} -> {0}, j{0} -> p", d, k)
                                 : fmt::format(", m -> j{0}, j{0} -> {0}, j{0} -> n{1}", d, k);
        }
    }
    Pipeline p(parts + kInductiveLoad + "\n" + bonds + "]\n");
    const auto run = p.run({.stop = 0.04, .tolerance = 1e-8, .interval = 1e-3}, {"L.e", "R.e"});
    ASSERT_EQ(failure(run), "");
    for (std::size_t row = 0; row < run.result.time.size(); ++row) {
        const double t = run.result.time[row];
        double high = -1e9, low = 1e9;
        for (int k = 0; k < 3; ++k) {
            const double u = std::min(100 * t, 1.0) * 100 *
                             std::sin(100.0 * std::numbers::pi * t + 2.0 * std::numbers::pi * k / 3.0);
            high = std::max(high, u);
            low = std::min(low, u);
        }
        EXPECT_NEAR(run.result.at(row, 0) + run.result.at(row, 1), high - low, 1e-5) << t;
    }
}

// While the diode blocks, the coil would follow the source's step: it doesn't, for the diode conducts.
TEST(Commutation, AStructureThatIsRefusedIsNoReasonNotToStartInAnotherOne) {
    Pipeline p(R"yaml(
components:
  s: {type: Sf, f: "if time < 0.5 then 1 else 0.5", domain: electrical}
  n: {type: 0}
  coil: {type: I, I: 1 H, initial: {f: 0.2 A}}
  d: {type: D}
bonds: [s -> n, n -> coil, n -> d]
)yaml");
    const auto run = p.run({.stop = 1.0, .interval = 0.25}, {"coil.f", "d.f"});
    ASSERT_EQ(failure(run), "");
    EXPECT_NEAR(run.result.at(0, 1), 0.8, 1e-12);
    EXPECT_NEAR(last(run, 0), 0.2, 1e-12);
    EXPECT_NEAR(last(run, 1), 0.3, 1e-12);
}

// A closed switch empties the capacitor beside it; what the source on both its sides does, it doesn't feel.
TEST(Commutation, AJumpThatCancelsBetweenJunctionsIsFollowedByNothing) {
    Pipeline p(R"yaml(
components:
  s: {type: Se, e: "if time < 0.5 then 1 else 2", domain: electrical}
  a: {type: 0}
  b: {type: 0}
  j: {type: 1}
  jc: {type: 1}
  sw: {type: Sw, open: "time < 0.25"}
  c: {type: C, C: 1 F, initial: {e: 0 V}}
  r: {type: R, R: 2 ohm}
bonds: [s -> a, a -> j, j -> sw, j -> b, a -> jc, jc -> c, jc -> b, b -> r]
)yaml");
    const auto run = p.run({.stop = 1.0, .interval = 0.25}, {"c.e", "r.f"});
    ASSERT_EQ(failure(run), "");
    EXPECT_NEAR(last(run, 0), 0.0, 1e-12);
    EXPECT_NEAR(last(run, 1), 1.0, 1e-12);
}

TEST(Commutation, BouncesComeToRestHoweverSmallTheirLimit) {
    for (const double rest : {1e-7, 1e-9, 0.0}) {
        Pipeline p(fmt::format(R"yaml(
components:
  weight: {{type: Se, e: -9.81 N}}
  fall: {{type: 1}}
  ball: {{type: I, I: 1 kg, initial: {{f: 0 m/s}}}}
  floor: {{type: EndStop, lower: 0 m, restitution: 0.7, rest: {}, initial: {{q: 1 m}}}}
bonds: [weight -> fall, fall -> ball, fall -> floor]
)yaml",
                               rest));
        const auto run = p.run({.stop = 5.0}, {"floor.q", "ball.f", "floor.mode", "floor.e"});
        ASSERT_EQ(failure(run), "") << rest;
        EXPECT_NEAR(last(run, 0), 0.0, 1e-12);
        EXPECT_EQ(last(run, 1), 0.0);
        EXPECT_EQ(last(run, 2), -2.0);
        EXPECT_NEAR(last(run, 3), -9.81, 1e-12);
    }
}

TEST(Commutation, AFreewheelingDiodeCarriesTheCurrentACoilStartsWith) {
    for (const std::string loss : {"", ", Ron: 1 mohm"}) {
        Pipeline p(R"yaml(
components:
  u: {type: Se, e: 100 V}
  l: {type: 1}
  T: {type: Sw, open: time < 0.001}
  n: {type: 0}
  ld: {type: 1}
  d: {type: D)yaml" +
                   loss +
                   R"yaml(}
  b: {type: 1}
  L: {type: I, I: 10 mH, initial: {f: 3 A}}
bonds: [u -> l, l -> T, l -> n, ld -> n, ld -> d, n -> b, b -> L]
)yaml");
        const auto run = p.run({.stop = 2e-3, .tolerance = 1e-9}, {"L.f", "d.f"});
        ASSERT_EQ(failure(run), "") << loss;
        EXPECT_NEAR(run.result.at(0, 1), 3.0, 1e-9);
        EXPECT_NEAR(last(run, 0), 13.0, 1e-3);
    }
}

TEST(Commutation, AStopAndFrictionShareABody) {
    for (const std::string rubbing : {"{type: Friction, level: 2 N}", "{type: Clutch, fn_max: 4 N, mu: 0.5}"}) {
        Pipeline p(R"yaml(
components:
  v: {type: 1}
  m: {type: I, I: 1 kg, initial: {f: 3 m/s}}
  fr: )yaml" + rubbing +
                   R"yaml(
  st: {type: EndStop, upper: 1 m, restitution: 0.5, initial: {q: 0 m}}
bonds: [v -> m, v -> fr, v -> st]
)yaml");
        const auto run = p.run({.stop = 3.0, .tolerance = 1e-9}, {"m.f", "st.q", "fr.mode"});
        ASSERT_EQ(failure(run), "") << rubbing;
        // 9 − 2·2·1 = 5 before, a quarter of it after: it slides back 1.25/4.
        EXPECT_NEAR(last(run, 0), 0.0, 1e-12);
        EXPECT_NEAR(last(run, 1), 1.0 - 1.25 / 4.0, 1e-6);
        EXPECT_EQ(last(run, 2), 0.0);
    }
}

TEST(Commutation, ABodyThatSticksOrRestsStartsSteady) {
    Pipeline stuck(R"yaml(
components:
  g: {type: Se, e: 3 N}
  v: {type: 1}
  m: {type: I, I: 1 kg}
  fr: {type: Friction, level: 5 N}
bonds: [g -> v, v -> m, v -> fr]
initial: steady
)yaml");
    auto run = stuck.run({.stop = 1.0}, {"m.f", "fr.e"});
    ASSERT_EQ(failure(run), "");
    EXPECT_EQ(last(run, 0), 0.0);
    EXPECT_NEAR(run.result.at(0, 1), 3.0, 1e-12);
    Pipeline resting(R"yaml(
components:
  g: {type: Se, e: -10 N}
  v: {type: 1}
  m: {type: I, I: 1 kg}
  floor: {type: EndStop, lower: 0 m, initial: {q: 0 m}}
bonds: [g -> v, v -> m, v -> floor]
initial: steady
)yaml");
    run = resting.run({.stop = 1.0}, {"m.f", "floor.e", "floor.q"});
    ASSERT_EQ(failure(run), "");
    EXPECT_NEAR(run.result.at(0, 1), -10.0, 1e-12);
    EXPECT_EQ(last(run, 2), 0.0);
}

TEST(Commutation, ABodyInTheAirDoesNotStartSteady) {
    Pipeline p(R"yaml(
components:
  g: {type: Se, e: -10 N}
  v: {type: 1}
  m: {type: I, I: 1 kg}
  floor: {type: EndStop, lower: 0 m, initial: {q: 1 m}}
bonds: [g -> v, v -> m, v -> floor]
initial: steady
)yaml");
    EXPECT_THROW(p.run({.stop = 1.0}, {"m.f"}), ModelError);
}

TEST(Commutation, ABodyOnAStopIsInContactFromTheStart) {
    for (const double speed : {0.0, -1.0, 1.0}) {
        Pipeline p(R"yaml(
components:
  g: {type: Se, e: -10 N}
  v: {type: 1}
  m: {type: I, I: 1 kg, initial: {f: )yaml" +
                   std::to_string(speed) + R"yaml( m/s}}
  floor: {type: EndStop, lower: 0.1 m, restitution: 0.5, initial: {q: 0.1 m}}
bonds: [g -> v, v -> m, v -> floor]
)yaml");
        const auto run = p.run({.stop = 0.01, .tolerance = 1e-9}, {"m.f", "floor.e", "floor.mode"});
        ASSERT_EQ(failure(run), "") << speed;
        const double after = speed < 0.0 ? -0.5 * speed : speed;
        EXPECT_NEAR(last(run, 0), after - (speed == 0.0 ? 0.0 : 0.1), 1e-9);
        // At rest there is nothing before the contact; a bounce shows both.
        const std::size_t first = speed < 0.0 ? 1 : 0;
        EXPECT_EQ(run.result.time[first], 0.0);
        EXPECT_NEAR(run.result.at(first, 0), after, 1e-12);
        EXPECT_NEAR(run.result.at(first, 1), speed == 0.0 ? -10.0 : 0.0, 1e-12);
    }
}

TEST(ModeSearch, FindsTheOnlyCombinationThatAgrees) {
    std::vector<model::ReactingMode> modes;
    for (std::size_t d = 0; d < 8; ++d) modes.push_back({d, {0.0, 1.0}, true});
    const std::vector<double> wanted{1, 0, 0, 1, 1, 0, 1, 0};
    std::size_t judged = 0;
    const auto found = ModeSearch(modes, 300).find(std::vector<double>(8, 0.0), [&](const std::vector<double>& m) {
        ++judged;
        ModeSearch::Verdict v;
        if (m == wanted) v.kind = ModeSearch::Verdict::Kind::agrees;
        return v;
    });
    ASSERT_TRUE(found);
    EXPECT_EQ(*found, wanted);
    EXPECT_LE(judged, 256U);
}

TEST(ModeSearch, EndsWhereNothingAgrees) {
    std::size_t judged = 0;
    const auto found = ModeSearch({{0, {0.0, 1.0}, true}, {1, {1.0, -1.0, 0.0}, true}}, 100)
                           .find({0.0, 0.0}, [&](const std::vector<double>&) {
                               ++judged;
                               return ModeSearch::Verdict{};
                           });
    EXPECT_FALSE(found);
    EXPECT_EQ(judged, 6U);
}

// Of four ideal switches two are closed at any time: any other combination has no causality.
TEST(Commutation, IdealSwitchesAreSetByTheirSignalsBeforeTheFirstStructureIsMade) {
    Pipeline p(R"(
components:
  battery: {type: Se, e: 12 V}
  gate:    {type: Pulse, period: 1 s, width: 0.5 s}
  inverse: {type: Gain, k: -1}
  plus:    {type: 0}
  up1:     {type: 1}
  high1:   {type: Sw, open: gate.y < 0.5}
  left:    {type: 0}
  low1:    {type: Sw, open: inverse.y < -0.5}
  up2:     {type: 1}
  high2:   {type: Sw, open: gate.y >= 0.5}
  right:   {type: 0}
  low2:    {type: Sw, open: gate.y < 0.5}
  across:  {type: 1}
  load:    {type: R, R: 6 ohm}
  coil:    {type: I, I: 1 mH, initial: {f: 0 A}}
signals: [gate.y -> inverse.u]
bonds: [battery -> plus, plus -> up1, up1 -> high1, up1 -> left, left -> low1, plus -> up2, up2 -> high2, up2 -> right, right -> low2, left -> across, across -> load, across -> coil, across -> right]
experiment: {stop: 1 s}
)");
    simulation::Settings settings = p.settings();
    settings.also_at = {0.25, 0.75};
    const auto run = p.run(settings, {"load.f"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const auto at = [&](double time) {
        const auto row = std::find(run.result.time.begin(), run.result.time.end(), time);
        return run.result.at(static_cast<std::size_t>(row - run.result.time.begin()), 0);
    };
    EXPECT_NEAR(at(0.25), 2.0, 1e-4);
    EXPECT_NEAR(at(0.75), -2.0, 1e-4);
}

TEST(Commutation, AStartCurrentFlowsThroughASwitchThatItsGateHasClosed) {
    Pipeline p(R"(
components:
  battery: {type: Se, e: 12 V}
  loop:    {type: 1}
  switch:  {type: Sw, open: gate.y < 0.5}
  gate:    {type: Pulse, period: 1 s, width: 0.5 s}
  winding: {type: R, R: 4 ohm}
  coil:    {type: I, I: 0.2 H, initial: {f: 2 A}}
bonds: [battery -> loop, loop -> switch, loop -> winding, loop -> coil]
experiment: {stop: 0.4 s}
)");
    const auto run = p.run(p.settings(), {"coil.f"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_NEAR(run.result.at(0, 0), 2.0, 1e-12);
    EXPECT_NEAR(run.result.data.back(), 3.0 - std::exp(-0.4 * 4.0 / 0.2), 1e-5);
}

// Closed, the switch would join the source to the locked node: the structure assumed before the start has no causality.
TEST(Commutation, ASwitchThatObeysAStateFindsItsPlaceWithTheStart) {
    Pipeline p(R"(
components:
  u: {type: Se, e: 3 V}
  a: {type: 0}
  free: {type: Lock, locked: C.e < 2}
  j: {type: 1}
  r: {type: R, R: 1 ohm}
  C: {type: C, C: 1 F, initial: {e: 0.5 V}}
bonds: [u -> a, a -> free, a -> j, j -> r, j -> C]
)");
    const auto run = p.run({.stop = 0.4, .tolerance = 1e-9}, {"C.e"});
    ASSERT_EQ(failure(run), "");
    EXPECT_NEAR(last(run, 0), 3.0 - 2.5 * std::exp(-0.4), 1e-7);
}

// What switches obey is not known before the start: values that only contradict the states assumed at first are met.
TEST(Commutation, StartValuesDecideWhatSwitchesObeyThem) {
    for (const auto& [result, text] : {std::pair{"C.e", R"(
components:
  n: {type: 0}
  C: {type: C, C: 2, initial: {e: -0.9}}
  r: {type: R, R: 3}
  brake: {type: Lock, locked: C.e < -0.5}
bonds: [n -> C, n -> r, n -> brake]
)"},
                                       std::pair{"I.f", R"(
components:
  n: {type: 1}
  I: {type: I, I: 2, initial: {f: -0.9}}
  r: {type: R, R: 3}
  s: {type: Sw, open: C.e < 0.1}
  m: {type: 0}
  C: {type: C, C: 2, initial: {e: 0.9}}
  q: {type: R, R: 3}
bonds: [n -> r, n -> I, n -> s, m -> C, m -> q]
)"},
                                       std::pair{"I.f", R"(
components:
  a: {type: 1}
  b: {type: 1}
  c: {type: C, C: 0.7}
  s: {type: Sw, open: I.f > 2}
  j: {type: 0}
  I: {type: I, I: 1.9, initial: {f: -0.9}}
  k: {type: 0}
bonds: [a -> c, b -> j, j -> a, j -> s, a -> k, k -> b, k -> I]
)"}}) {
        Pipeline p(text);
        const auto run = p.run({.stop = 0.01}, {result});
        ASSERT_EQ(failure(run), "") << text;
        EXPECT_NEAR(run.result.at(0, 0), -0.9, 1e-12) << text;
    }
}

}  // namespace
}  // namespace bondgraph
