#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <tuple>

#include "bondgraph/equivalence/compare.hpp"
#include "tests/equivalence/drawn_graph.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::test {
namespace {

using equivalence::Likeness;

const std::string kReference = R"(components:
  push: {type: Se, e: 10 N}
  first: {type: 1}
  m1: {type: I, I: 2 kg}
  apart: {type: 0}
  link: {type: 1}
  spring: {type: C, K: 500 N/m}
  damper: {type: R, R: 20 N.s/m}
  second: {type: 1}
  m2: {type: I, I: 1 kg}
bonds:
  - push -> first
  - first -> m1
  - first -> apart
  - apart -> link
  - link -> spring
  - link -> damper
  - apart -> second
  - second -> m2
)";

const std::string kMotor = R"(components:
  U: {type: Se, e: 24 V}
  coil: {type: 1}
  L: {type: I, I: 2 mH}
  R: {type: R, R: 1 ohm}
  M: {type: GY, r: 0.1 N.m/A}
  shaft: {type: 1}
  J: {type: I, I: 1e-3 kg.m2}
bonds:
  - U -> coil
  - coil -> L
  - coil -> R
  - coil -> M.p1
  - M.p2 -> shaft
  - shaft -> J
)";

/// The first difference of a text in which one piece has been replaced.
std::string told(const std::string& reference, const std::string& piece, const std::string& by) {
    std::string mine = reference;
    mine.replace(mine.find(piece), piece.size(), by);
    Pipeline a(mine);
    Pipeline b(reference);
    const equivalence::Structural found = equivalence::compare(a.graph(), b.graph());
    EXPECT_EQ(found.likeness, Likeness::different);
    return found.difference.text;
}

TEST(Differences, OtherElements) {
    EXPECT_EQ(told(kReference, "damper: {type: R, R: 20 N.s/m}", "damper: {type: C, K: 20 N/m}"),
              "Your graph has no dampers (R) in the translational domain, the reference has 1.");
}

TEST(Differences, AGyratorForATransformer) {
    EXPECT_EQ(
        told(kMotor, "M: {type: GY, r: 0.1 N.m/A}", "M: {type: TF, m: 0.1 V/(N.m)}"),
        "Your transformer 'M' relates effort to effort and flow to flow; the reference has a gyrator in its place, "
        "which relates the effort of one side to the flow of the other.");
}

TEST(Differences, ASourceOfTheOtherKind) {
    EXPECT_EQ(told(kMotor, "U: {type: Se, e: 24 V}", "U: {type: Sf, f: 24 A}"),
              "Your current source 'U' gives a current; the reference has a source that gives a voltage in its place.");
}

// Of several numbers the one that differs is named.
TEST(Differences, OneOfSeveralParameters) {
    const std::string reference =
        "components:\n  F: {type: Sine, amplitude: 2, frequency: 3 Hz, phase: 0.5}\n  push: {type: MSe, domain: "
        "translational}\n"
        "  v: {type: 1}\n  m: {type: I, I: 1 kg}\n  rub: {type: Friction, level: 5 N, static: 7 N, R: 2 N.s/m}\n"
        "bonds: [push -> v, v -> m, v -> rub]\nsignals: [F.y -> push.e]\n";
    for (const auto& [piece, by, name] :
         {std::tuple{"amplitude: 2", "amplitude: 2.5", "amplitude"},
          std::tuple{"frequency: 3", "frequency: 4", "frequency"}, std::tuple{"phase: 0.5", "phase: 0.6", "phase"},
          std::tuple{"level: 5 N", "level: 6 N", "level"}, std::tuple{"static: 7 N", "static: 8 N", "static"},
          std::tuple{"R: 2 N.s/m", "R: 3 N.s/m", "damping"}})
        EXPECT_THAT(told(reference, piece, by), testing::HasSubstr(name)) << piece;
}

TEST(Differences, AValueOfASource) {
    EXPECT_EQ(
        told(kMotor, "24 V", "12 V"),
        "The voltage of your voltage source 'U' differs from that of the voltage source in the reference. It is off "
        "by a factor of 2.");
}

TEST(Differences, APrefixOfAUnit) {
    EXPECT_EQ(told(kMotor, "2 mH", "2 H"),
              "The inductance of your inductor 'L' differs from that of the inductor in the reference. It is off by a "
              "factor of 1000: look at the prefix of its unit.");
}

TEST(Differences, AParameterAmongSeveral) {
    EXPECT_EQ(told(kReference, "1 kg", "1.5 kg"),
              "The mass of your mass 'm2' differs from that of every mass of the reference that could take its place.");
}

TEST(Differences, ASpringOnAMass) {
    EXPECT_EQ(
        told(kReference, "link -> spring", "first -> spring"),
        "Your spring 'spring' has the velocity of force source 'push' and mass 'm1' (they share the 1-junction "
        "'first'); in the reference no spring has that in common with a force source: which velocity is it that it "
        "has there?");
}

TEST(Differences, ResistorsInParallelInPlaceOfSeries) {
    const std::string series =
        "components:\n  I: {type: Sf, f: 1 A}\n  a: {type: 0}\n  c: {type: C, C: 1 F}\n  s: {type: 1}\n"
        "  R1: {type: R, R: 1 ohm}\n  R2: {type: R, R: 1 ohm}\n"
        "bonds: [I -> a, a -> c, a -> s, s -> R1, s -> R2]\n";
    EXPECT_EQ(
        told(series, "s -> R1, s -> R2", "a -> R1, s -> R2"),
        "Your capacitor 'c' has the voltage of resistor 'R2' and resistor 'R1' (after simplification: 'c' is at 'a', "
        "'R2' is at 's' and 'R1' is at 'a'); in the reference no capacitor has that in common with a resistor: which "
        "voltage is it that it has there?");
}

TEST(Differences, ARatioTurnedRoundIsNoPowerOfTen) {
    const std::string geared = kMotor + "  - shaft -> gear.p1\n  - gear.p2 -> load\n";
    std::string reference = geared;
    reference.replace(reference.find("bonds:"), 6,
                      "  gear: {type: TF, m: 0.1}\n  load: {type: R, R: 0.2 N.m.s/rad}\nbonds:");
    EXPECT_EQ(
        told(reference, "m: 0.1}", "m: 10}"),
        "The ratio of your transformer 'gear' differs from that of the transformer in its place in the reference. "
        "It is the reciprocal.");
}

const std::string kLadder = R"(components:
  U: {type: Se, e: 5 V}
  first: {type: 1}
  R1: {type: R, R: 1 kohm}
  node: {type: 0}
  C1: {type: C, C: 1 uF}
  second: {type: 1}
  R2: {type: R, R: 1 kohm}
  C2: {type: C, C: 3 uF}
  third: {type: 0}
  C3: {type: C, C: 4 uF}
bonds: [U -> first, first -> R1, first -> node, node -> C1, node -> second, second -> R2, second -> third, third -> C2, third -> C3]
)";

TEST(Differences, ValuesAtTheWrongPlace) {
    EXPECT_EQ(told(kLadder, "C: 1 uF}\n  second: {type: 1}\n  R2: {type: R, R: 1 kohm}\n  C2: {type: C, C: 3 uF}",
                   "C: 3 uF}\n  second: {type: 1}\n  R2: {type: R, R: 1 kohm}\n  C2: {type: C, C: 1 uF}"),
              "Your capacitor 'C1' has the capacitance that your capacitor 'C2' should have, and that one has the "
              "capacitance of this: they are exchanged.");
    // Of three that have changed places none is exchanged with another.
    const auto three = [](int a, int b, int c) {
        return fmt::format(
            "components:\n  U: {{type: Se, e: 5 V}}\n  a: {{type: 1}}\n  A: {{type: R, R: {} ohm}}\n  x: {{type: 0}}\n"
            "  X: {{type: C, C: 1 F}}\n  b: {{type: 1}}\n  B: {{type: R, R: {} ohm}}\n  y: {{type: 0}}\n"
            "  Y: {{type: C, C: 1 F}}\n  c: {{type: 1}}\n  C: {{type: R, R: {} ohm}}\n  z: {{type: C, C: 1 F}}\n"
            "bonds: [U -> a, a -> A, a -> x, x -> X, x -> b, b -> B, b -> y, y -> Y, y -> c, c -> C, c -> z]\n",
            a, b, c);
    };
    EXPECT_EQ(told(three(1, 2, 3), three(1, 2, 3), three(2, 3, 1)),
              "The resistance of your resistor 'A' is at the wrong place: in the reference another resistor has it.");
}

TEST(Differences, NoJunctionIsNamedThatTheFileDoesNotHave) {
    const std::string bridge =
        "components:\n  U: {type: Se, e: 6 V}\n  top: {type: 0}\n  arm1: {type: 1}\n  R1: {type: R, R: 100 ohm}\n"
        "  left: {type: 0}\n  R2: {type: R, R: 200 ohm}\n  arm3: {type: 1}\n  R3: {type: R, R: 150 ohm}\n"
        "  right: {type: 0}\n  R4: {type: R, R: 120 ohm}\n  cross: {type: 1}\n  meter: {type: R, R: 50 ohm}\n"
        "bonds: [U -> top, top -> arm1, arm1 -> R1, arm1 -> left, left -> R2, top -> arm3, arm3 -> R3, arm3 -> right, "
        "right -> R4, left -> cross, cross -> meter, cross -> right]\n";
    // 'right' has two bonds then, and 'arm3' is a neighbour of 'cross'.
    EXPECT_THAT(told(bridge, "right -> R4", "arm3 -> R4"),
                testing::HasSubstr("resistor 'R4' and resistor 'meter' (junctions 'arm3' and 'cross' are one after "
                                   "simplification)"));
    // What lies side by side becomes a pair of junctions that only the simplified graph has.
    EXPECT_THAT(told(bridge, "arm3 -> R3", "left -> R3"),
                testing::HasSubstr("'R1' has the voltage of resistor 'meter' (after simplification: 'R1' is at 'arm1' "
                                   "and 'meter' is at 'cross')"));
}

TEST(Differences, AStartValue) {
    EXPECT_EQ(told(kReference, "K: 500 N/m", "K: 500 N/m, initial: {q: 1 cm}"),
              "Your spring 'spring' has a start value other than 0; in the reference it starts at 0.");
}

TEST(Differences, AnArrow) {
    std::string pulled = kReference;
    pulled.replace(pulled.find("bonds:"), 6, "  pull: {type: Se, e: 3 N}\nbonds:\n  - pull -> second");
    EXPECT_EQ(
        told(pulled, "apart -> second", "second -> apart"),
        "The force of your force source 'pull' counts the other way round than in the reference: its value has the "
        "wrong sign, or an arrow between junctions on its way points the wrong way.");
}

TEST(Differences, SignsThatOnlySayWhichWayIsPositiveAreNone) {
    std::string mine = kMotor;
    const std::string gyrator = "r: 0.1 N.m/A";
    mine.replace(mine.find(gyrator), gyrator.size(), "r: -0.1 N.m/A");
    Pipeline a(mine);
    Pipeline b(kMotor);
    EXPECT_EQ(equivalence::compare(a.graph(), b.graph()).likeness, Likeness::same);
}

TEST(Differences, ATransformerMayBeWrittenFromEitherSide) {
    const std::string one =
        "components:\n  a: {type: 1}\n  u: {type: Se, e: 3 V}\n  t: {type: TF, m: 4}\n  r: {type: R, R: 5 ohm}\n";
    Pipeline a(one + "bonds: [u -> a, a -> t.p1, t.p2 -> r]\n");
    Pipeline b(
        "components:\n  a: {type: 1}\n  u: {type: Se, e: 3 V}\n  t: {type: TF, m: 0.25}\n  r: {type: R, R: 5 ohm}\n"
        "bonds: [u -> a, t.p2 -> a, r -> t.p1]\n");
    EXPECT_EQ(equivalence::compare(a.graph(), b.graph()).likeness, Likeness::same);
}

}  // namespace
}  // namespace bondgraph::test
