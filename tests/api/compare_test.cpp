#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bondgraph/api/bondgraph.hpp"

namespace bondgraph::api {
namespace {

using testing::HasSubstr;

Comparison compared(const std::string& mine, const std::string& reference) {
    const Model a = Model::parse("model: mine\ncomponents:\n" + mine).value();
    const Model b = Model::parse("model: reference\ncomponents:\n" + reference).value();
    return a.compare(b).value();
}

TEST(Compare, TheveninAndNortonAreAlikeForWhatTheyFeed) {
    const Comparison found = compared(
        "  U: {type: Se, e: 10 V}\n  a: {type: 1}\n  R: {type: R, R: 5 ohm}\n  n: {type: 0}\n  C: {type: C, C: 1 mF}\n"
        "bonds: [U -> a, a -> R, a -> n, n -> C]\n",
        "  J: {type: Sf, f: 2 A}\n  n: {type: 0}\n  R: {type: R, R: 5 ohm}\n  C: {type: C, C: 1 mF}\nbonds: [J -> n, n "
        "-> R, n -> C]\n");
    EXPECT_EQ(found.likeness, Likeness::behaviour) << found.behaviour;
    EXPECT_THAT(found.behaviour, HasSubstr("the sources themselves differ"));
    EXPECT_THAT(found.difference, HasSubstr("gives a voltage"));
}

TEST(Compare, WithOtherSourcesALossThatNoStorageFeelsHasToBeThere) {
    const std::string coil = "  n: {type: 0}\n  l: {type: 1}\n  R: {type: R, R: 3 ohm}\n  L: {type: I, I: 1 mH}\n";
    const std::string reference = coil +
                                  "  U: {type: Se, e: 12 V}\n  lamp: {type: R, R: 5 ohm}\n"
                                  "bonds: [U -> n, n -> l, l -> R, l -> L, n -> lamp]\n";
    const auto in_series = [&](const std::string& lamp, const std::string& bond) {
        return coil + "  U1: {type: Se, e: 7 V}\n  U2: {type: Se, e: 5 V}\n  s: {type: 1}\n" + lamp +
               "bonds: [U1 -> s, U2 -> s, s -> n, n -> l, l -> R, l -> L" + bond + "]\n";
    };
    for (const Comparison& found : {compared(in_series("", ""), reference),
                                    compared(in_series("  lamp: {type: R, R: 500 ohm}\n", ", n -> lamp"), reference)}) {
        EXPECT_EQ(found.likeness, Likeness::different) << found.behaviour;
        EXPECT_THAT(found.behaviour, HasSubstr("so do the resistances"));
    }
    const Comparison right = compared(in_series("  lamp: {type: R, R: 5 ohm}\n", ", n -> lamp"), reference);
    EXPECT_EQ(right.likeness, Likeness::behaviour) << right.behaviour;
}

TEST(Compare, AnotherInnerResistanceIsSeen) {
    const Comparison found = compared(
        "  U: {type: Se, e: 10 V}\n  a: {type: 1}\n  R: {type: R, R: 5 ohm}\n  n: {type: 0}\n  C: {type: C, C: 1 mF}\n"
        "bonds: [U -> a, a -> R, a -> n, n -> C]\n",
        "  J: {type: Sf, f: 2 A}\n  n: {type: 0}\n  R: {type: R, R: 6 ohm}\n  C: {type: C, C: 1 mF}\nbonds: [J -> n, n "
        "-> R, n -> C]\n");
    EXPECT_EQ(found.likeness, Likeness::different);
    EXPECT_EQ(found.behaviour, "poles differ");
}

TEST(Compare, AStorageMovedAcrossATransformer) {
    // C behind e1 = 2 e2 looks like C/4 in front of it.
    const Comparison found = compared(
        "  U: {type: Se, e: 10 V}\n  a: {type: 1}\n  R: {type: R, R: 5 ohm}\n  c: {type: C, C: 1 mF}\nbonds: [U -> a, "
        "a -> R, a -> c]\n",
        "  U: {type: Se, e: 10 V}\n  a: {type: 1}\n  R: {type: R, R: 5 ohm}\n  t: {type: TF, m: 2}\n  c: {type: C, C: "
        "4 mF}\n"
        "bonds: [U -> a, a -> R, a -> t.p1, t.p2 -> c]\n");
    EXPECT_EQ(found.likeness, Likeness::behaviour) << found.behaviour;
}

TEST(Compare, ACapacitorIsACoilBehindAGyrator) {
    const Comparison found = compared(
        "  U: {type: Se, e: 10 V}\n  a: {type: 1}\n  R: {type: R, R: 5 ohm}\n  c: {type: C, C: 1 mF}\nbonds: [U -> a, "
        "a -> R, a -> c]\n",
        "  U: {type: Se, e: 10 V}\n  a: {type: 1}\n  R: {type: R, R: 5 ohm}\n  g: {type: GY, r: 2 ohm}\n  l: {type: I, "
        "I: 4 mH}\n"
        "bonds: [U -> a, a -> R, a -> g.p1, g.p2 -> l]\n");
    EXPECT_EQ(found.likeness, Likeness::behaviour) << found.behaviour;
}

TEST(Compare, AStarOfThreeResistorsIsADelta) {
    const std::string sources = "  A: {type: Se, e: 10 V}\n  B: {type: Se, e: 4 V}\n";
    // Terminal c is the ground; star 1, 2, 3 ohm; delta opposite to them 11, 11/2, 11/3 ohm.
    const Comparison found =
        compared(sources +
                     "  a: {type: 1}\n  b: {type: 1}\n  m: {type: 0}\n  Ra: {type: R, R: 1 ohm}\n "
                     " Rb: {type: R, R: 2 ohm}\n  Rc: {type: R, R: 3 ohm}\n"
                     "bonds: [A -> a, B -> b, a -> Ra, b -> Rb, a -> m, b -> m, m -> Rc]\n",
                 sources +
                     "  a: {type: 0}\n  b: {type: 0}\n  ab: {type: 1}\n  Rab: {type: R, R: 3.66666666666666667 "
                     "ohm}\n  Rac: {type: R, R: 5.5 ohm}\n  Rbc: {type: R, R: 11 ohm}\n"
                     "bonds: [A -> a, B -> b, a -> Rac, b -> Rbc, a -> ab, ab -> b, ab -> Rab]\n");
    EXPECT_EQ(found.likeness, Likeness::behaviour) << found.behaviour;
}

TEST(Compare, LawsThatAreNotLinearAreRun) {
    const auto pushed = [](const std::string& law) {
        return "  F: {type: Se, e: 10}\n  v: {type: 1}\n  m: {type: I, I: 1}\n  d: {type: R, law: " + law +
               "}\nbonds: [F -> v, v -> m, v -> d]\n";
    };
    const std::string reference = pushed("e = 2*f*abs(f)");
    EXPECT_EQ(compared(pushed("e = abs(f)*f*2"), reference).likeness, Likeness::same);
    const Comparison found = compared(pushed("e = f*(2*abs(f) + 1) - f"), reference);
    EXPECT_EQ(found.likeness, Likeness::one_run) << found.behaviour;
    EXPECT_THAT(found.behaviour, HasSubstr("no proof for others"));
    EXPECT_EQ(compared(pushed("e = 3*f*abs(f)"), reference).likeness, Likeness::different);
}

// Each pair says the same of every value but, at most, 0; the last ones don't.
TEST(Compare, LawsThatSayTheSameAreTheSame) {
    const auto pushed = [](const std::string& law) {
        return "  F: {type: Se, e: 10}\n  v: {type: 1}\n  m: {type: I, I: 1}\n  d: {type: R, law: \"" + law +
               "\"}\nbonds: [F -> v, v -> m, v -> d]\n";
    };
    const std::vector<std::pair<std::string, std::string>> same{
        {"e = 2*f*abs(f)", "e = 2*f^2*sign(f)"},
        {"e = 2*f*abs(f)", "e = abs(f)^3*2/f"},
        {"e = 2*f*abs(f)", "e = -2*f*f*sign(-f)"},
        {"e = f*f*f", "e = f^3"},
        {"e = f^3 + f", "e = f + f*f^2"},
        {"e = (2*f)^3", "e = 8*f*f*f"},
        {"e = f*abs(f)^2", "e = f^3"},
        {"e = abs(f)*sign(f)", "e = f^3/f^2"},
        {"e = f^5*sign(f)*sign(f)", "e = f^5"},
        {"e = f*sqrt(1 + f*f)", "e = f*sqrt(f^2 + 1)"},
        {"e = abs(f)*f^3", "e = f^4*sign(f)"},
    };
    for (const auto& [one, other] : same) {
        EXPECT_EQ(compared(pushed(one), pushed(other)).likeness, Likeness::same) << one << "; " << other;
        EXPECT_EQ(compared(pushed(other), pushed(one)).likeness, Likeness::same) << other << "; " << one;
    }
    const std::vector<std::pair<std::string, std::string>> others{{"e = 2*f*abs(f)", "e = 2*f^2"},
                                                                  {"e = f*f*f", "e = f^2"},
                                                                  {"e = f^2*sign(f)", "e = f*sign(f)"},
                                                                  {"e = (2*f)^3", "e = 2*f^3"},
                                                                  {"e = f*sqrt(1 + f*f)", "e = f*sqrt(1 + f^3)"}};
    for (const auto& [one, other] : others)
        EXPECT_NE(compared(pushed(one), pushed(other)).likeness, Likeness::same) << one << "; " << other;
}

TEST(Compare, ASignInALawIsNamed) {
    const auto spring = [](const std::string& law) {
        return "  F: {type: Se, e: 10}\n  v: {type: 1}\n  m: {type: I, I: 1}\n  d: {type: R, R: 1}\n  k: {type: C, "
               "law: \"" +
               law + "\"}\nbonds: [F -> v, v -> m, v -> d, v -> k]\nexperiment: {stop: 1 s}\n";
    };
    const std::string reference = spring("e = 4*q - 0.1*q^3");
    EXPECT_EQ(compared(spring("e = q*(-0.1)*q^2 + 4*q"), reference).likeness, Likeness::same);
    const Comparison found = compared(spring("e = 4*q + 0.1*q^3"), reference);
    EXPECT_EQ(found.likeness, Likeness::different);
    EXPECT_EQ(found.difference, "A sign in the law of your compliance 'k' is the other one than in the reference.");
}

TEST(Compare, DetectorsKeepNothingFromBeingCompared) {
    const auto pushed = [](const std::string& law, const std::string& more, const std::string& bonds) {
        return "  F: {type: Se, e: 10}\n  v: {type: 1}\n  m: {type: I, I: 1}\n  d: {type: R, law: " + law + "}\n" +
               more + "bonds: [F -> v, v -> m, v -> d" + bonds + "]\nexperiment: {stop: 2 s}\n";
    };
    const std::string read = "  x: {type: Dq}\n  k: {type: C, law: \"e = 0.1*q + 0.1*x.y\"}\n";
    const std::string counted_once = "  k: {type: C, law: \"e = 0.2*q\"}\n";
    const std::string mine = "e = f*(2*abs(f) + 1) - f";
    const std::string reference = "e = 2*f*abs(f)";
    for (const Comparison& found :
         {compared(pushed(mine, "", ""), pushed(reference, "  x: {type: Dq}\n", ", v -> x")),
          compared(pushed(mine, "  x: {type: Df}\n", ", v -> x"), pushed(reference, "", "")),
          compared(pushed(mine, read, ", v -> x, v -> k"), pushed(reference, counted_once, ", v -> k"))}) {
        EXPECT_EQ(found.likeness, Likeness::one_run) << found.behaviour;
    }
    EXPECT_EQ(compared(pushed("e = 3*f*abs(f)", "", ""), pushed(reference, "  x: {type: Dq}\n", ", v -> x")).likeness,
              Likeness::different);
}

TEST(Compare, ADetectorIsNoPole) {
    const std::string mine =
        "  U: {type: Se, e: 10 V}\n  a: {type: 1}\n  R: {type: R, R: 5 ohm}\n  n: {type: 0}\n  C: {type: C, C: 1 mF}\n"
        "  charge: {type: Dq, initial: {y: 1 C}}\n  impulse: {type: Dp}\n"
        "bonds: [U -> a, a -> R, a -> n, n -> C, a -> charge, n -> impulse]\n";
    const std::string norton =
        "  J: {type: Sf, f: 2 A}\n  n: {type: 0}\n  R: {type: R, R: 5 ohm}\n  C: {type: C, C: 1 mF}\nbonds: [J -> n, n "
        "-> R, n -> C]\n";
    const Comparison found = compared(mine, norton);
    EXPECT_EQ(found.likeness, Likeness::behaviour) << found.behaviour;
    EXPECT_THAT(found.behaviour, HasSubstr("the same 1 pole"));
    EXPECT_EQ(compared(norton, mine).likeness, Likeness::behaviour);
}

TEST(Compare, AGroundIsNoSource) {
    const auto parts = [](const std::string& frequency) {
        return "  u: {type: SineVoltage, V: 20 V, f: " + frequency +
               "}\n  R: {type: Resistor, R: 2 ohm}\n  L: {type: Inductor, L: 5 mH}\n  g: {type: Ground}\n"
               "connect: [[u.p, R.p], [R.n, L.p], [L.n, u.n, g]]\nimport: [electrical]\nexperiment: {stop: 0.1 s}\n";
    };
    const std::string reference =
        "  u: {type: Se, e: \"20*sin(2*pi*50*time)\", domain: electrical}\n  i: {type: 1}\n  R: {type: R, R: 2 ohm}\n"
        "  L: {type: I, I: 5 mH}\nbonds: [u -> i, i -> R, i -> L]\nexperiment: {stop: 0.1 s}\n";
    const Comparison found = compared(parts("50 Hz"), reference);
    EXPECT_EQ(found.likeness, Likeness::one_run) << found.behaviour << found.difference;
    const Comparison wrong = compared(parts("60 Hz"), reference);
    EXPECT_EQ(wrong.likeness, Likeness::different);
    EXPECT_THAT(wrong.behaviour, HasSubstr("the powers of sources or storages differ by"));
}

TEST(Compare, TotalsOfPowersDoNotHideThatEachIsAnother) {
    // 3² + 4² = 5² + 0²: together they lose the same at any time.
    const auto started = [](int first, int second) {
        return "  a: {type: 1}\n  m: {type: I, I: 1 kg, initial: {f: " + std::to_string(first) +
               " m/s}}\n  d: {type: R, R: 1 N.s/m}\n  b: {type: 1}\n  n: {type: I, I: 1 kg, initial: {f: " +
               std::to_string(second) + " m/s}}\n  c: {type: R, R: 1 N.s/m}\nbonds: [a -> m, a -> d, b -> n, b -> c]\n";
    };
    const auto driven = [](int first, int second) {
        const auto one = [](const std::string& n, int amplitude) {
            return "  s" + n + ": {type: Sine, amplitude: " + std::to_string(amplitude) + ", frequency: 1 Hz}\n  F" +
                   n + ": {type: Se}\n  v" + n + ": {type: 1}\n  m" + n + ": {type: I, I: 1 kg}\n";
        };
        return one("1", first) + one("2", second) +
               "bonds: [F1 -> v1, v1 -> m1, F2 -> v2, v2 -> m2]\nsignals: [s1.y -> F1.e, s2.y -> F2.e]\n";
    };
    for (const Comparison& found : {compared(started(5, 0), started(3, 4)), compared(driven(5, 0), driven(3, 4))}) {
        EXPECT_EQ(found.likeness, Likeness::different) << found.behaviour;
        EXPECT_THAT(found.behaviour, HasSubstr("the powers of sources or storages differ by"));
    }
}

TEST(Compare, WhereAllThatIsStoredStaysSoRoundingIsNoScale) {
    const auto spring = [](const std::string& law) {
        return "  v: {type: 1}\n  m: {type: I, I: 1, initial: {f: 1}}\n  k: {type: C, law: " + law +
               "}\nbonds: [v -> m, v -> k]\nexperiment: {stop: 3 s, tolerance: 1e-8}\n";
    };
    const Comparison right = compared(spring("e = 2*q*abs(q)"), spring("e = 2*q^2*sign(q)"));
    EXPECT_TRUE(right.equal()) << right.behaviour;
    const Comparison wrong = compared(spring("e = 2.02*q*abs(q)"), spring("e = 2*q^2*sign(q)"));
    EXPECT_EQ(wrong.likeness, Likeness::different) << wrong.behaviour;
    EXPECT_THAT(wrong.behaviour, HasSubstr("differ by 0.0"));
}

TEST(Compare, WhyTheReferenceCannotBeRunIsKeptForWhoMayKnow) {
    const std::string one = "  U: {type: Se, e: 12}\n  n: {type: 0}\n  C: {type: C, C: 1}\n";
    const Comparison found = compared(
        "  U: {type: Se, e: 12}\n  i: {type: 1}\n  R: {type: R, R: 1}\n  C: {type: C, C: 1}\nbonds: [U -> i, i -> R, i "
        "-> C]\n",
        one + "  hidden: {type: Se, e: 3}\nbonds: [U -> n, hidden -> n, n -> C]\n");
    EXPECT_EQ(found.likeness, Likeness::different);
    EXPECT_EQ(found.behaviour, "whether they behave alike was not found out: the reference can't be run");
    EXPECT_THAT(found.revealed, HasSubstr("'hidden'"));
}

TEST(Compare, WhatDoesNotMoveTellsNothing) {
    const std::string mine =
        "  v: {type: 1}\n  m: {type: I, I: 1 kg}\n  d: {type: R, R: 2 N.s/m}\nbonds: [v -> m, v -> d]\n";
    const std::string other =
        "  v: {type: 1}\n  m: {type: I, I: 1 kg}\n  d: {type: R, R: 3 N.s/m}\nbonds: [v -> m, v -> d]\n";
    EXPECT_EQ(compared(other, mine).likeness, Likeness::different);
}

}  // namespace
}  // namespace bondgraph::api
