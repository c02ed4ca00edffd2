// The energy of jumps: what every element gives, stores and loses in them.

#include <gtest/gtest.h>

#include <cmath>

#include "bondgraph/simulation/simulate.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::simulation {
namespace {

using test::audited;
using test::of;
using test::Pipeline;

EnergyBalance audited(const std::string& text, const Settings& settings = {.stop = 2.0, .tolerance = 1e-9}) {
    Pipeline p(text);
    return audited(p, settings);
}

/// The books of every element and of the whole agree with each other, and nothing is missing.
void expect_closed(const EnergyBalance& b, double tolerance) {
    EXPECT_NEAR(b.imbalance, 0.0, tolerance);
    double supplied = 0.0;
    double stored = 0.0;
    double events = 0.0;
    double dissipated = 0.0;
    double other = 0.0;
    for (const EnergyOfElement& e : b.elements) {
        supplied += e.supplied;
        stored += e.stored;
        events += e.events;
        dissipated += e.dissipated;
        other += e.other;
        EXPECT_NEAR(e.residual, 0.0, tolerance) << e.element;
    }
    EXPECT_NEAR(supplied, b.supplied, tolerance);
    EXPECT_NEAR(stored, b.stored, tolerance);
    EXPECT_NEAR(events, b.events, tolerance);
    EXPECT_NEAR(dissipated, b.dissipated, tolerance);
    EXPECT_NEAR(other, b.other, tolerance);
}

TEST(JumpEnergy, OfASourceSwitchedOntoACapacitorIsHalfLostInTheSwitch) {
    Pipeline p(R"(
components:
  s: {type: Se, e: 10 V}
  j: {type: 1}
  sw: {type: Sw, open: time < 1}
  c: {type: C, C: 2 F, initial: {q: 0}}
bonds: [s -> j, j -> sw, j -> c]
)");
    const EnergyBalance b = audited(p, {.stop = 2.0});
    EXPECT_NEAR(of(b, "s").supplied, 200.0, 1e-9);
    EXPECT_NEAR(of(b, "c").stored, 100.0, 1e-9);
    EXPECT_NEAR(of(b, "c").absorbed, 100.0, 1e-9);
    EXPECT_NEAR(of(b, "sw").events, 100.0, 1e-9);
    EXPECT_NEAR(of(b, "sw").dissipated, 0.0, 1e-9);
    EXPECT_NEAR(b.events, 100.0, 1e-9);
    EXPECT_GE(b.moved, 200.0 - 1e-9);
    expect_closed(b, 1e-9);
    // Along the bonds, in their order.
    ASSERT_EQ(b.bonds.size(), 3U);
    EXPECT_NEAR(b.bonds[0], 200.0, 1e-9);
    EXPECT_NEAR(b.bonds[1], 100.0, 1e-9);
    EXPECT_NEAR(b.bonds[2], 100.0, 1e-9);
}

// 10 V on 1 F share their charge with an empty capacitor.
std::string sharing(const std::string& second) {
    return R"(
parameters: {Cb: 1 F, k: 1 V/C2}
components:
  n:  {type: 0}
  C1: {type: C, C: 1 F, initial: {e: 10 V}}
  l:  {type: 1}
  sw: {type: Sw, open: time < 1}
  C2: {type: C, )" +
           second + R"(, initial: {q: 0}}
bonds: [n -> C1, n -> l, l -> sw, l -> C2]
)";
}

TEST(JumpEnergy, IsTheSameHoweverAStorageIsWritten) {
    for (const char* second : {"C: 1 F", "K: 1 V/C", "law: \"e = q/Cb\"", "law: \"e = q/Cb\", energy: \"q^2/(2*Cb)\"",
                               "law: \"q = Cb*e\""}) {
        SCOPED_TRACE(second);
        const EnergyBalance b = audited(sharing(second));
        EXPECT_NEAR(of(b, "C1").stored, -37.5, 1e-9);
        EXPECT_NEAR(of(b, "C2").stored, 12.5, 1e-9);
        EXPECT_NEAR(of(b, "sw").events, 25.0, 1e-9);
        EXPECT_NEAR(b.events, 25.0, 1e-9);
        expect_closed(b, 1e-9);
    }
}

TEST(JumpEnergy, OfAnEmptyCapacitorWithASquareLawIsTheIntegralOfThatLaw) {
    const double charge = 0.5 * (std::sqrt(41.0) - 1.0);  // k·q² = (10 − q)/1 F
    const double stored = std::pow(charge, 3) / 3.0;
    const double left = 0.5 * std::pow(10.0 - charge, 2);
    for (const char* second : {"law: \"e = k*q^2\"", "law: \"e = k*q^2\", energy: \"k*q^3/3\""}) {
        SCOPED_TRACE(second);
        const EnergyBalance b = audited(sharing(second));
        EXPECT_NEAR(of(b, "C2").stored, stored, 1e-8);
        EXPECT_NEAR(of(b, "C2").absorbed, stored, 1e-8);
        EXPECT_NEAR(of(b, "C1").stored, left - 50.0, 1e-8);
        EXPECT_NEAR(of(b, "sw").events, 50.0 - left - stored, 1e-8);
        expect_closed(b, 1e-8);
    }
}

TEST(JumpEnergy, OfAStorageOfAnOwnTypeIsNotTakenForALoss) {
    for (const char* energy : {"", "    energy: x^4/4\n"}) {
        const EnergyBalance b = audited(std::string(R"(
types:
  Store:
    ports: {p: {domain: electrical}}
    variables: {x: {start: 0}}
    equations: [der(x) = p.f, p.e = x^3]
)") + energy + R"(
components:
  n:  {type: 0}
  C1: {type: C, C: 1 F, initial: {e: 10 V}}
  l:  {type: 1}
  sw: {type: Sw, open: time < 1}
  C2: {type: Store}
bonds: [n -> C1, n -> l, l -> sw, l -> C2]
)");
        // x³ = 10 − x has the root 2.
        EXPECT_NEAR(of(b, "C2").stored + of(b, "C2").other, 4.0, 1e-8);
        EXPECT_NEAR(energy[0] == 0 ? of(b, "C2").other : of(b, "C2").stored, 4.0, 1e-8);
        EXPECT_NEAR(of(b, "sw").events, 50.0 - 32.0 - 4.0, 1e-8);
        expect_closed(b, 1e-8);
    }
}

TEST(JumpEnergy, OfInertiasThatAreLockedToEachOtherIsLostInTheLock) {
    // 2 kg m² at 9 rad/s behind a gear of three to one, 18 kg m² at 3 rad/s there, meets 1 kg m² at rest.
    const EnergyBalance b = audited(R"(
components:
  a: {type: 1}
  A: {type: I, I: 2, initial: {f: 9}}
  gear: {type: TF, m: 1/3}
  n: {type: 0}
  lock: {type: Lock, locked: time > 1}
  b: {type: 1}
  B: {type: I, I: 1, initial: {f: 0}}
bonds: [a -> A, a -> gear.p1, gear.p2 -> n, n -> lock, n -> b, b -> B]
)");
    const double common = 54.0 / 19.0;
    EXPECT_NEAR(of(b, "B").absorbed, 0.5 * common * common, 1e-9);
    EXPECT_NEAR(of(b, "A").absorbed, 9.0 * common * common - 81.0, 1e-9);
    EXPECT_NEAR(of(b, "lock").events, 81.0 / 19.0, 1e-9);
    expect_closed(b, 1e-9);
}

TEST(JumpEnergy, OfAMassCoupledToADriveIsHalfLost) {
    // A drive of 3 m/s takes up 4 kg at once: it gives the momentum of 12 N s at 3 m/s.
    const EnergyBalance b = audited(R"(
components:
  drive: {type: Sf, f: 3 m/s}
  n: {type: 0}
  lock: {type: Lock, locked: time > 1}
  j: {type: 1}
  mass: {type: I, I: 4 kg, initial: {f: 0 m/s}}
bonds: [drive -> n, n -> lock, n -> j, j -> mass]
)");
    EXPECT_NEAR(of(b, "drive").supplied, 36.0, 1e-9);
    EXPECT_NEAR(of(b, "mass").stored, 18.0, 1e-9);
    EXPECT_NEAR(of(b, "lock").events, 18.0, 1e-9);
    expect_closed(b, 1e-9);
}

TEST(JumpEnergy, OfABouncingBallIsLostInTheFloor) {
    const EnergyBalance b = audited(R"(
components:
  weight: {type: Se, e: -9.81 N}
  j: {type: 1}
  ball: {type: I, I: 1 kg, initial: {f: 0 m/s}}
  floor: {type: EndStop, lower: 0 m, restitution: 0.5, initial: {q: 1 m}}
bonds: [weight -> j, j -> ball, j -> floor]
)",
                                    {.stop = 0.8, .tolerance = 1e-9});
    // One impact at √(2/9.81) s with √(2·9.81) m/s.
    EXPECT_NEAR(of(b, "floor").events, 0.75 * 9.81, 1e-7);
    EXPECT_NEAR(of(b, "floor").dissipated, 0.0, 1e-9);
    EXPECT_NEAR(of(b, "ball").events, 0.0, 1e-12);
    expect_closed(b, 1e-6);
}

TEST(JumpEnergy, OfCoilsInSeriesIsLostInTheSwitchThatOpens) {
    // 2 H with 3 A gets 1 H without current in series: 2 A in both.
    const EnergyBalance b = audited(R"(
components:
  a: {type: 1}
  La: {type: I, I: 2 H, initial: {f: 3 A}}
  n: {type: 0}
  sw: {type: Sw, open: time > 1}
  b: {type: 1}
  Lb: {type: I, I: 1 H, initial: {f: 0 A}}
bonds: [La -> a, a -> n, n -> sw, n -> b, b -> Lb]
)");
    EXPECT_NEAR(of(b, "La").stored, 4.0 - 9.0, 1e-9);
    EXPECT_NEAR(of(b, "Lb").stored, 2.0, 1e-9);
    EXPECT_NEAR(of(b, "sw").events, 3.0, 1e-9);
    expect_closed(b, 1e-9);
}

TEST(JumpEnergy, OfAPlayThatJumpsIsStoredAsFarAsItsSpringTakesIt) {
    // A play of 0.2 with K = 2, in contact from its 0.1 on, takes d of what a spring of K = 1 gives: 2 d = 10 − d.
    const double d = 10.0 / 3.0;
    const double stored = d * d;
    const double left = 0.5 * std::pow(10.0 - d, 2);
    const EnergyBalance b = audited(R"(
components:
  n:  {type: 0}
  C1: {type: C, C: 1, initial: {e: 10}}
  l:  {type: 1}
  sw: {type: Sw, open: time < 1}
  play: {type: Backlash, K: 2, b: 0.2, initial: {q: 0.1}}
bonds: [n -> C1, n -> l, l -> sw, l -> play]
)");
    EXPECT_NEAR(of(b, "play").stored, stored, 1e-9);
    EXPECT_NEAR(of(b, "play").events, 0.0, 1e-9);
    EXPECT_NEAR(of(b, "play").dissipated, 0.0, 1e-9);
    EXPECT_NEAR(of(b, "sw").events, 50.0 - left - stored, 1e-9);
    EXPECT_NEAR(b.dissipated, 0.0, 1e-9);
    expect_closed(b, 1e-9);
}

TEST(JumpEnergy, OfAFieldIsThatOfAllItsPorts) {
    // C = [[2, 1], [1, 2]] F with 10 V on its first port: 15 C there, none at the second, which goes to −5 V.
    const EnergyBalance b = audited(R"(
components:
  s: {type: Se, e: 10 V}
  j: {type: 1}
  sw: {type: Sw, open: time < 1}
  field: {type: CF, C: [[2, 1], [1, 2]], initial: {q: [0, 0]}}
  n: {type: 0}
  r: {type: R, R: 1e12 ohm}
bonds: [s -> j, j -> sw, j -> field.p1, n -> field.p2, n -> r]
)");
    EXPECT_NEAR(of(b, "s").supplied, 150.0, 1e-8);
    EXPECT_NEAR(of(b, "field").stored, 75.0, 1e-8);
    EXPECT_NEAR(of(b, "field").absorbed, 75.0, 1e-8);
    EXPECT_NEAR(of(b, "sw").events, 75.0, 1e-8);
    expect_closed(b, 1e-8);
}

TEST(JumpEnergy, OfAMultibondIsThatOfAllItsComponents) {
    const EnergyBalance b = audited(R"(
components:
  field: {type: CF, C: [[2, 0], [0, 1]], initial: {q: [20, 20]}}
  split: {type: Decompose}
  a: {type: 0}
  b: {type: 0}
  l: {type: 1}
  sw: {type: Sw, open: time < 1}
bonds: [split.p -> field.p, a -> split.p1, b -> split.p2, a -> l, l -> sw, l -> b]
)");
    // 20 C on 2 F and 20 C on 1 F: 40 C on 3 F.
    const double after = 1600.0 / 6.0;
    EXPECT_NEAR(of(b, "field").stored, after - 300.0, 1e-8);
    EXPECT_NEAR(of(b, "field").absorbed, after - 300.0, 1e-8);
    EXPECT_NEAR(of(b, "sw").events, 300.0 - after, 1e-8);
    EXPECT_NEAR(b.bonds[0], after - 300.0, 1e-8);
    expect_closed(b, 1e-8);
}

TEST(JumpEnergy, OfAJumpThatBringsAboutAnotherBeginsWhereThatEnds) {
    // 8 V on 1 F share with 1 F: 4 V on both, upon which both share with 2 F: 2 V on all.
    const EnergyBalance b = audited(R"(
components:
  n:  {type: 0}
  C1: {type: C, C: 1 F, initial: {e: 8 V}}
  l:  {type: 1}
  sw: {type: Sw, open: time < 1}
  m:  {type: 0}
  C2: {type: C, C: 1 F, initial: {q: 0}}
  k:  {type: 1}
  on: {type: Sw, open: far.y < 3}
  C3: {type: C, C: 2 F, initial: {q: 0}}
  far: {type: Latch}
types:
  Latch:
    inputs: [u]
    variables: {high: {type: real}}
    equations:
      - high = if u > 3 then 4 else pre(high)
      - y = high
    outputs: [y]
signals: [C2.q -> far.u]
bonds: [n -> C1, n -> l, l -> sw, l -> m, m -> C2, m -> k, k -> on, k -> C3]
)");
    EXPECT_NEAR(of(b, "sw").events, 16.0, 1e-9);  // ½·½ F·(8 V)²
    EXPECT_NEAR(of(b, "on").events, 8.0, 1e-9);   // ½·1 F·(4 V)²
    EXPECT_NEAR(of(b, "C3").absorbed, 4.0, 1e-9);
    expect_closed(b, 1e-9);
}

TEST(JumpEnergy, OfASourceThatWasSetBeforeItIsSwitchedIsThatOfItsNewValue) {
    const EnergyBalance b = audited(R"(
types:
  Memory:
    outputs: {y: {type: real}}
components:
  level: {type: Memory}
  contact: {type: Memory}
  s: {type: Se, e: level.y}
  j: {type: 1}
  sw: {type: Sw, open: contact.y < 1}
  c: {type: C, C: 2 F, initial: {q: 0}}
when:
  - {if: time >= 1, set: {level.y: 10}}
  - {if: level.y > 5, set: {contact.y: 2}}
bonds: [s -> j, j -> sw, j -> c]
)");
    EXPECT_NEAR(of(b, "s").supplied, 200.0, 1e-9);
    EXPECT_NEAR(of(b, "sw").events, 100.0, 1e-9);
    expect_closed(b, 1e-9);
}

TEST(JumpEnergy, OfASourceThatIsSwitchedAsItJumpsIsThatOfItsMean) {
    const EnergyBalance b = audited(R"(
components:
  clock: {type: Sf, f: 1}
  z: {type: 0}
  count: {type: C, C: 1, initial: {q: 0}}
  s: {type: Se, e: if count.q < 1 then 4 else 10}
  j: {type: 1}
  sw: {type: Sw, open: count.q < 1}
  c: {type: C, C: 2 F, initial: {q: 0}}
bonds: [clock -> z, z -> count, s -> j, j -> sw, j -> c]
)");
    EXPECT_NEAR(of(b, "s").supplied, 140.0, 1e-9);
    EXPECT_NEAR(of(b, "c").stored, 100.0, 1e-9);
    EXPECT_NEAR(of(b, "sw").events, 40.0, 1e-9);
    expect_closed(b, 1e-9);
}

TEST(EnergyOfEvents, OfASpringWithADamperSetByWhenIsNotDissipated) {
    // K (|q| − b/2)²/2 falls from 4 to 1.
    const EnergyBalance b = audited(R"(
components:
  n: {type: 0}
  play: {type: Backlash, K: 2, b: 0.2, initial: {q: 2.1}}
  r: {type: R, R: 1e12}
bonds: [n -> play, n -> r]
when: [{if: "time >= 1", reinit: {play.q: 1.1}}]
)");
    EXPECT_NEAR(of(b, "play").events, 3.0, 1e-9);
    EXPECT_NEAR(of(b, "play").stored, -3.0, 1e-9);
    EXPECT_NEAR(of(b, "play").dissipated, 0.0, 1e-9);
    EXPECT_NEAR(b.events, 3.0, 1e-9);
    EXPECT_NEAR(b.dissipated, 0.0, 1e-9);
    expect_closed(b, 1e-9);
}

TEST(EnergyOfEvents, OfALawWithoutEnergyIsTheIntegralOfThatLaw) {
    // e = q³ and f = sinh p, set from 2 to 1: q⁴/4 and cosh p.
    for (const char* energy : {"", ", energy: q^4/4"}) {
        const EnergyBalance b = audited(std::string(R"(
components:
  n: {type: 0}
  c: {type: C, law: e = q^3, initial: {q: 2})") +
                                        energy + R"(}
  r: {type: R, R: 1e12}
when: [{if: time >= 1, reinit: {c.q: 1}}]
bonds: [n -> c, n -> r]
)");
        EXPECT_NEAR(of(b, "c").events, 3.75, 1e-9);
        EXPECT_NEAR(of(b, "c").stored, -3.75, 1e-9);
        EXPECT_NEAR(b.events, 3.75, 1e-9);
        EXPECT_NEAR(b.stored, -3.75, 1e-9);
        expect_closed(b, 1e-9);
    }
    const EnergyBalance b = audited(R"(
components:
  j: {type: 1}
  i: {type: I, law: f = sinh(p), initial: {p: 2}}
  r: {type: R, R: 1e-12}
when: [{if: time >= 1, reinit: {i.p: 1}}]
bonds: [j -> i, j -> r]
)");
    EXPECT_NEAR(of(b, "i").events, std::cosh(2.0) - std::cosh(1.0), 1e-9);
    EXPECT_NEAR(of(b, "i").stored, std::cosh(1.0) - std::cosh(2.0), 1e-9);
    expect_closed(b, 1e-9);
}

TEST(JumpEnergy, BelongsToAWindowThatBeginsOrEndsWithTheJump) {
    const auto lost = [&](double from, double to) {
        Pipeline p(sharing("C: 1 F"));
        const EnergyBalance b = audited(p, {.stop = 2.0, .audit_window = {{from, to}}});
        expect_closed(b, 1e-9);
        return of(b, "sw").events;
    };
    EXPECT_NEAR(lost(0.0, 1.0), 25.0, 1e-9);
    EXPECT_NEAR(lost(1.0, 2.0), 25.0, 1e-9);
    EXPECT_NEAR(lost(0.0, 0.9), 0.0, 1e-12);
    EXPECT_NEAR(lost(1.1, 2.0), 0.0, 1e-12);
}

}  // namespace
}  // namespace bondgraph::simulation
