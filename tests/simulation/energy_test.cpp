// The energy audit by element and bond, and over windows.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "bondgraph/simulation/simulate.hpp"
#include "tests/simulation/charging.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::simulation {
namespace {

using test::audited;
using test::of;
using test::Pipeline;

constexpr double kTau = 1e-3;

double supplied_until(double t) { return 1e-4 * (1.0 - std::exp(-t / kTau)); }
double stored_at(double t) { return 0.5e-4 * std::pow(1.0 - std::exp(-t / kTau), 2); }

TEST(EnergyWindow, HoldsTheEnergiesOfTheClosedForm) {
    Pipeline p(test::kChargingCapacitor);
    const double from = 0.37e-3;
    const double to = 1.93e-3;
    const EnergyBalance b = audited(p, {.stop = 5e-3, .tolerance = 1e-10, .audit_window = {{from, to}}});
    EXPECT_EQ(b.from, from);
    EXPECT_EQ(b.to, to);
    const double supplied = supplied_until(to) - supplied_until(from);
    const double stored = stored_at(to) - stored_at(from);
    EXPECT_NEAR(b.supplied, supplied, 1e-12);
    EXPECT_NEAR(b.stored, stored, 1e-12);
    EXPECT_NEAR(b.dissipated, supplied - stored, 1e-12);
    EXPECT_NEAR(of(b, "R1").dissipated, supplied - stored, 1e-12);
    EXPECT_NEAR(of(b, "C1").stored, stored, 1e-12);
    EXPECT_NEAR(of(b, "source").supplied, supplied, 1e-12);
}

TEST(EnergyWindow, OfTheWholeRunIsTheWholeBalance) {
    Pipeline p(test::kChargingCapacitor);
    Settings s{.stop = 5e-3, .tolerance = 1e-9, .energy_by_element = true, .audit_window = {{0.0, 5e-3}}};
    const auto run = p.run(s, {});
    EXPECT_EQ(run.summary.audited.supplied, run.summary.energy.supplied);
    EXPECT_EQ(run.summary.audited.imbalance, run.summary.energy.imbalance);
}

TEST(EnergyWindow, PartsAddUpToTheWhole) {
    Pipeline p(test::kChargingCapacitor);
    const auto part = [&](double from, double to) {
        return audited(p, {.stop = 5e-3, .tolerance = 1e-10, .audit_window = {{from, to}}});
    };
    const EnergyBalance whole = part(0.0, 5e-3);
    const EnergyBalance first = part(0.0, 1e-3);
    const EnergyBalance second = part(1e-3, 5e-3);
    EXPECT_NEAR(first.supplied + second.supplied, whole.supplied, 1e-12);
    EXPECT_NEAR(first.dissipated + second.dissipated, whole.dissipated, 1e-12);
    EXPECT_NEAR(first.stored + second.stored, whole.stored, 1e-12);
}

// A capacitor that loses half its voltage at 1 ms: 3/4 of its energy.
constexpr const char* kHalved = R"(
components:
  n: {type: 0}
  C1: {type: C, C: 2 uF, initial: {e: 10 V}}
  R1: {type: R, R: 1 Gohm}
bonds: [n -> C1, n -> R1]
when: [{if: "time >= 1e-3", reinit: {C1.e: 0.5*C1.e}}]
)";

TEST(EnergyWindow, AnEventAtItsEndBelongsToIt) {
    Pipeline p(kHalved);
    const auto lost = [&](double from, double to) {
        return of(audited(p, {.stop = 2e-3, .tolerance = 1e-9, .audit_window = {{from, to}}}), "C1").events;
    };
    const double expected = 0.75 * 0.5 * 2e-6 * 100.0;
    EXPECT_NEAR(lost(0.0, 1e-3), expected, 1e-9);
    EXPECT_NEAR(lost(1e-3, 2e-3), expected, 1e-9);
    EXPECT_NEAR(lost(0.2e-3, 1.7e-3), expected, 1e-9);
    EXPECT_NEAR(lost(0.0, 0.9e-3), 0.0, 1e-12);
    EXPECT_NEAR(lost(1.1e-3, 2e-3), 0.0, 1e-12);
}

TEST(EnergyWindow, WithoutStatesIsIntegratedToo) {
    Pipeline p(R"(
components:
  source: {type: Se, e: 10*time}
  loop: {type: 1}
  R1: {type: R, R: 2 ohm}
bonds: [source -> loop, loop -> R1]
)");
    const EnergyBalance b = audited(p, {.stop = 3.0, .audit_window = {{1.0, 2.0}}});
    EXPECT_NEAR(b.dissipated, 50.0 * (8.0 - 1.0) / 3.0, 1e-9);  // ∫ 50 t²
}

TEST(EnergyWithoutStates, DoesNotDependOnTheIntervalOfTheResults) {
    // ∫ sin² over ten periods; a narrow bell; and a bend that is no event.
    const std::vector<std::pair<std::string, double>> sources{
        {"sin(2*pi*time)", 5.0},
        {"exp(-2000*(time - 6.4)^2)", std::sqrt(std::acos(-1.0) / 4000.0)},
        {"noEvent(max(time - 4, 0))", 72.0},
        {"sqrt(time)", 50.0},
    };
    for (const auto& [source, energy] : sources) {
        for (const double interval : {10.0, 2.5, 1.0, 0.7, 0.02}) {
            SCOPED_TRACE(source + " every " + std::to_string(interval) + " s");
            Pipeline p("components:\n  s: {type: Se, e: \"" + source +
                       "\"}\n  j: {type: 0}\n  r: {type: R, R: 1}\nbonds: [s -> j, j -> r]\n");
            const EnergyBalance b = audited(p, {.stop = 10.0, .interval = interval});
            EXPECT_NEAR(b.supplied, energy, 1e-7 * energy);
            EXPECT_NEAR(of(b, "r").dissipated, energy, 1e-7 * energy);
            EXPECT_NEAR(b.imbalance, 0.0, 1e-12 * energy);
        }
    }
}

TEST(EnergyWithoutStates, OfAnAlgebraicLoopIsThatOfItsSolution) {
    // e + e³ = s on both sides of a loop: with s = t + t³, e = t and f = t³.
    Pipeline p(R"(
components:
  s: {type: Se, e: time + time^3}
  j: {type: 1}
  a: {type: R, law: "e = f"}
  b: {type: R, law: "e = f^3"}
bonds: [s -> j, j -> a, j -> b]
)");
    const EnergyBalance b = audited(p, {.stop = 2.0, .interval = 2.0});
    EXPECT_NEAR(of(b, "a").dissipated, 8.0 / 3.0, 1e-7);
    EXPECT_NEAR(of(b, "b").dissipated, 32.0 / 5.0, 1e-7);
}

TEST(EnergyOfEvents, InAnOwnTypeIsNotTakenForDissipation) {
    Pipeline p(R"(
types:
  Store:
    ports: {p: {domain: electrical}}
    variables: {x: {start: 1}}
    equations: [der(x) = p.f, p.e = x]
    energy: x^2/2
components:
  n: {type: 0}
  s: {type: Store}
  r: {type: R, R: 1 ohm}
bonds: [n -> s, n -> r]
when: [{if: time > 0.5, reinit: {s.x: 0.5*s.x}}]
)");
    const EnergyBalance b = audited(p, {.stop = 1.0, .tolerance = 1e-9});
    EXPECT_NEAR(b.events, 0.375 * std::exp(-1.0), 1e-8);
    EXPECT_NEAR(b.other, 0.0, 1e-8);
    EXPECT_NEAR(b.imbalance, 0.0, 1e-8);
}

TEST(EnergyOfBonds, IsWhatTheElementsTake) {
    // A bond drawn against the resistor's own direction, and one between two elements.
    Pipeline p(R"(
components:
  source: {type: Se, e: sin(3*time)}
  loop: {type: 1}
  R1: {type: R, R: 1 ohm}
  gear: {type: TF, m: 2}
  C1: {type: C, C: 1 F}
bonds: [source -> loop, R1 -> loop, loop -> gear.p1, gear.p2 -> C1]
)");
    const EnergyBalance b = audited(p, {.stop = 4.0, .tolerance = 1e-8});
    const model::BondGraph& g = p.graph();
    ASSERT_EQ(b.bonds.size(), g.bonds.size());
    for (const EnergyOfElement& e : b.elements) {
        double taken = 0.0;
        for (std::size_t k = 0; k < g.bonds.size(); ++k) {
            if (g.bonds[k].to == e.id) taken += b.bonds[k];
            if (g.bonds[k].from == e.id) taken -= b.bonds[k];
        }
        EXPECT_NEAR(taken, e.absorbed, 1e-12) << e.element;
    }
}

// A storage at rest lets steps grow: what only follows time bounds them too.
TEST(EnergyOfTimeAlone, IsThatOfItsIntegralBesideAStorageAtRest) {
    Pipeline p(R"YAML(
components:
  u: {type: Se, e: "1 + 2.6*sin(3*time)"}
  n: {type: 0}
  R1: {type: R, R: 1.5}
  R2: {type: R, R: 0.5}
  j: {type: 1}
  k: {type: 1}
  I1: {type: I, I: 0.3, initial: {f: 1}}
bonds: [u -> n, n -> j, j -> R1, j -> R2, k -> I1]
)YAML");
    const EnergyBalance b = audited(p, {.stop = 4.0, .tolerance = 1e-9});
    const double square =
        (1.0 + 0.5 * 2.6 * 2.6) * 4.0 + 2.0 * 2.6 * (1.0 - std::cos(12.0)) / 3.0 - 2.6 * 2.6 * std::sin(24.0) / 12.0;
    EXPECT_NEAR(of(b, "R1").dissipated, 1.5 * square / 4.0, 1e-9);
    EXPECT_NEAR(of(b, "u").supplied, square / 2.0, 1e-9);
}

// The loop of R and S follows time beside states at rest, whose rates are solved for together.
TEST(EnergyOfTimeAlone, OfALoopIsThatOfItsSolutionBesideRatesThatStandTogether) {
    Pipeline p(R"YAML(
types:
  Tied:
    variables: {x: {start: 0}, z: {start: 0}}
    equations: [2*der(x) + cos(x - z)*der(z) = -x, cos(x - z)*der(x) + 3*der(z) = -z]
components:
  u: {type: Se, e: "1 + 2.6*sin(3*time)"}
  a: {type: 1}
  R: {type: R, R: 2}
  S: {type: R, G: 0.02}
  t: {type: Tied}
bonds: [u -> a, a -> R, a -> S]
)YAML");
    const EnergyBalance b = audited(p, {.stop = 4.0, .tolerance = 1e-9});
    const double square =
        (1.0 + 0.5 * 2.6 * 2.6) * 4.0 + 2.0 * 2.6 * (1.0 - std::cos(12.0)) / 3.0 - 2.6 * 2.6 * std::sin(24.0) / 12.0;
    EXPECT_NEAR(of(b, "R").dissipated, 2.0 * square / (52.0 * 52.0), 1e-10);
    EXPECT_NEAR(of(b, "u").supplied, square / 52.0, 1e-10);
}

TEST(EnergyOfTimeAlone, IsIntegratedUpToItsJumps) {
    Pipeline p(R"(
components:
  u: {type: Se, e: if time < 0.317 then 1 else 3}
  n: {type: 0}
  R: {type: R, R: 2}
  k: {type: 1}
  I1: {type: I, I: 0.3, initial: {f: 1}}
bonds: [u -> n, n -> R, k -> I1]
)");
    const EnergyBalance b = audited(p, {.stop = 1.0, .tolerance = 1e-9});
    EXPECT_NEAR(of(b, "R").dissipated, 0.5 * (0.317 + 9.0 * 0.683), 1e-12);
}

// No halving of a stretch makes an infinite power finite: the run ends at once, and says so.
TEST(PowersWithoutBounds, EndARunWithoutStates) {
    for (const char* source : {"-1e300*sin(time)", "1.5e154*sin(time)"}) {  // in places, or nearly everywhere
        Pipeline p("components:\n  S: {type: Se, e: \"" + std::string(source) +
                   "\"}\n  j: {type: 1}\n  R: {type: R, R: 1}\nbonds: [S -> j, j -> R]\n");
        const auto run = p.run({.stop = 10.0}, {"R.f"});
        ASSERT_TRUE(run.summary.failure) << source;
        EXPECT_TRUE(run.summary.failure->message.starts_with("a power has no finite value at t = ")) << source;
        EXPECT_LT(run.summary.failure->time, 10.0) << source;
        const auto unaudited = p.run({.stop = 10.0, .energy = false}, {"R.f"});
        EXPECT_FALSE(unaudited.summary.failure) << source;
    }
}

}  // namespace
}  // namespace bondgraph::simulation
