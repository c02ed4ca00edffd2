// Strokes and equations that somebody has found by hand.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/charging.hpp"
#include "tests/api/decay.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::api {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using StrokeIs = JudgedStroke::Verdict;

const std::string kByHandMotor = R"(model: motor
components:
  source: {type: Se, e: 12 V}
  winding: {type: 1}
  Ra: {type: R, R: 0.5 ohm}
  La: {type: I, I: 2 mH}
  emf: {type: GY, r: 0.05 N.m/A}
  shaft: {type: 1}
  J: {type: I, I: 1e-3 kg.m2}
  b: {type: R, R: 1e-4 N.m.s/rad}
bonds:
  - source -> winding
  - winding -> Ra
  - winding -> La
  - winding -> emf.p1
  - emf.p2 -> shaft
  - shaft -> J
  - shaft -> b
)";

/// Two wheels that turn together, one of which is no state.
const std::string kTiedWheels = R"(model: gears
components:
  torque: {type: Se, e: 10 N.m}
  input: {type: 1}
  rotor: {type: I, I: 0.02 kg.m2}
  gears: {type: TF, m: 1/3}
  output: {type: 1}
  drum: {type: I, I: 0.36 kg.m2}
  bearing: {type: R, R: 1.8 N.m.s/rad}
bonds:
  - torque -> input
  - input -> rotor
  - input -> gears.p1
  - gears.p2 -> output
  - drive: output -> drum
  - output -> bearing
)";

/// A capacitor between two dividers: what charges it is found by an algebraic loop.
const std::string kDividedLoop = R"(model: loop
components:
  u: {type: Se, e: 6 V}
  j: {type: 1}
  a: {type: R, R: 100 ohm}
  n: {type: 0}
  b: {type: R, R: 200 ohm}
  k: {type: 1}
  c: {type: R, R: 50 ohm}
  C: {type: C, C: 1 uF}
bonds: [u -> j, j -> a, j -> n, n -> b, n -> k, k -> c, k -> C]
)";

std::string told_of(const std::string& text, const std::string& equation,
                    const std::vector<PlacedStroke>& placed = {}) {
    const auto found = parsed(text).judge(DerivationsOptions{.placed = placed, .equations = {equation}});
    if (!found) return found.error().text();
    if (!found->unjudged.empty()) return "unjudged: " + found->unjudged;
    const JudgedEquation& e = found->judged.front();
    EXPECT_EQ(e.right, e.text.starts_with("Right")) << e.text;
    return e.text;
}

TEST(Derivations, AreJudgedHoweverTheyAreWritten) {
    for (const char* equation :
         {"der(La.p) = source.e - Ra*La.p/La - emf*J.p/J", "dLa.p/dt = source - (Ra.R*La.p/La.I) - emf.r/J.I*J.p",
          "d(La.p)/dt = source.e - (emf*J.p*La + Ra*La.p*J)/(J*La)", "La.p' = -emf*J.p/J + source.e - La.p/(La/Ra)",
          "La.p = source.e - Ra * La.p/La - emf*J.p/J"})
        EXPECT_EQ(told_of(kByHandMotor, equation), "Right.") << equation;
    EXPECT_EQ(told_of(kByHandMotor, "der(J.p) = emf*La.p/La - b*J.p/J"), "Right.");
    EXPECT_EQ(told_of(kByHandMotor, "La.p = source.e - 250*La.p - 50*J.p"), "Right, with the numbers of this model.");
    EXPECT_EQ(told_of(kByHandMotor, "La.p = 12 - 250*La.p - 50*J.p"), "Right, with the numbers of this model.");
}

TEST(Derivations, WhatIsWrongIsToldInTermsOfTheEquation) {
    EXPECT_EQ(told_of(kByHandMotor, "La.p = Ra*La.p/La + emf*J.p/J - source.e"), "All of it has the other sign.");
    EXPECT_EQ(told_of(kByHandMotor, "J.p = 2*(emf*La.p/La - b*J.p/J)"), "It is 2 times what it should be.");
    EXPECT_EQ(told_of(kByHandMotor, "La.p = source.e - Ra*La.p/La + emf*J.p/J"),
              "What it has of 'J.p' has the other sign. The rest is right.");
    EXPECT_EQ(told_of(kByHandMotor, "La.p = source.e - Ra*La.p/La"), "'J.p' is missing. The rest is right.");
    EXPECT_EQ(told_of(kByHandMotor, "La.p = source.e - Ra*La.p/La - emf*J.p"),
              "What it has of 'J.p' is another function. The rest is right. Its dimensions don't fit.");
    EXPECT_EQ(told_of(kByHandMotor, "J.p = emf*La.p/La - b*J.p/J + source.e"),
              "The right one does not depend on 'source.e'. The rest is right. Its dimensions don't fit.");
    EXPECT_EQ(told_of(kByHandMotor, "La.p = sin(time)"), "It is another function.");
}

TEST(Derivations, WithNumbersASmallTermIsNotOverlooked) {
    // What is stored in 1 pF is so small that the source would be none of the terms at states of size 1.
    const std::string text =
        "model: m\ncomponents:\n  u: {type: Se, e: 10 V}\n  j: {type: 1}\n  r: {type: R, R: 2 ohm}\n  c: {type: C, C: "
        "1 "
        "pF}\nbonds: [u -> j, j -> r, j -> c]\n";
    EXPECT_EQ(told_of(text, "c.q = (10 - c.q/1e-12)/2"), "Right, with the numbers of this model.");
    EXPECT_EQ(told_of(text, "c.q = (11 - c.q/1e-12)/2"), "What does not depend on states is another one.");
    EXPECT_EQ(told_of(text, "c.q = -c.q/1e-12/2"), "What does not depend on states is another one.");
    EXPECT_EQ(told_of(text, "c.q = (10 - c.q/1e-11)/2"), "What it has of 'c.q' is another function.");
    EXPECT_EQ(told_of(text, "c.q = -c.q/c/r"), "'u.e' is missing. The rest is right.");
}

/// Two sources whose laws are a model's parameter and a function of time.
const std::string kTwoSources = R"(model: two
parameters: {E: 10 V, tau: 1 s}
components:
  f: {type: Se, e: "if time < tau then 0 else E"}
  g: {type: Se, e: E}
  j: {type: 1}
  C: {type: C, C: 2 F}
  L: {type: I, I: 3 H}
  R: {type: R, R: 4 ohm}
bonds: [f -> j, g -> j, j -> C, j -> R, j -> L]
)";

TEST(Derivations, ASourceMayBeWrittenOutByItsLaw) {
    for (const char* right :
         {"L.p = f + E - R*L.p/L - C.q/C", "L.p = f + 10 - R*L.p/L - C.q/C", "L.p = f - (C.q/C + R*L.p/L) + 2*E/2",
          "L.p = (if time < 1 then 0 else 10) + g - R*L.p/L - C.q/C",
          "L.p = (if time < tau then 0 else E) + E - R*L.p/L - C.q/C"})
        EXPECT_EQ(told_of(kTwoSources, right), "Right, with the numbers of this model.") << right;
}

// Where the gas would have less than no volume, its law has a value here and there by rounding.
TEST(Derivations, FewPointsWithoutAValueAreNoMatter) {
    const auto model = Model::load(test::source_folder() + "/models/thermal/gas_spring.yaml");
    ASSERT_TRUE(model);
    const auto told = [&](const std::string& exponent) {
        const std::string equation =
            "mass.p = -0.002*(0.001/(0.001 - gas.q2)*250*exp(gas.q1/0.8528057308545116)*0.4*(0.001/(0.001 - gas.q2))^" +
            exponent + "/(0.001 - gas.q2) - 1e5)";
        return model->judge(DerivationsOptions{.equations = {equation}}).value().judged.front().text;
    };
    EXPECT_EQ(told("(-0.6)"), "Right, with the numbers of this model.");
    EXPECT_THAT(told("(-0.5)"), Not(HasSubstr("Right")));
}

// What is told of an equation that is wrong elsewhere does not count it as missing.
TEST(Derivations, ASourceThatIsWrittenOutIsNotMissing) {
    for (const char* source : {"E", "10", "2*E/2"}) {
        const std::string with = std::string("L.p = f + ") + source;
        EXPECT_EQ(told_of(kTwoSources, with + " + R*L.p/L - C.q/C"),
                  "What it has of 'L.p' has the other sign. The rest is right.");
        EXPECT_THAT(told_of(kTwoSources, with + " - R*L.p - C.q/C"),
                    HasSubstr("What it has of 'L.p' is another function. The rest is right."));
        EXPECT_EQ(told_of(kTwoSources, with + " - R*L.p/L"), "'C.q' is missing. The rest is right.");
        EXPECT_EQ(
            told_of(kTwoSources, with + " - 2*R*L.p/L + C.q/C"),
            "What it has of 'C.q' has the other sign. What it has of 'L.p' is another function. The rest is right.");
    }
    EXPECT_EQ(told_of(kTwoSources, "L.p = R*L.p/L + C.q/C - f - E"), "All of it has the other sign.");
    EXPECT_EQ(told_of(kTwoSources, "L.p = 2*(f + E - R*L.p/L - C.q/C)"), "It is 2 times what it should be.");
    EXPECT_EQ(told_of(kTwoSources, "L.p = f - E - R*L.p/L - C.q/C"),
              "What it has of 'g.e' has the other sign. The rest is right.");
    EXPECT_EQ(told_of(kTwoSources, "L.p = f + 9 - R*L.p/L - C.q/C"),
              "What does not depend on states is another one. The rest is right.");
    EXPECT_EQ(told_of(kTwoSources, "L.p = f - R*L.p/L - C.q/C"), "'g.e' is missing. The rest is right.");
    EXPECT_EQ(told_of(kTwoSources, "L.p = E - R*L.p/L - C.q/C"), "'f.e' is missing. The rest is right.");
    EXPECT_EQ(told_of(kTwoSources, "L.p = -R*L.p/L - C.q/C"), "'f.e' is missing. 'g.e' is missing. The rest is right.");
    // Where nothing can be 0 it can't be seen; nor is it claimed.
    EXPECT_EQ(told_of(kTwoSources, "L.p = f + E*C.q/C.q + R*L.p/L - C.q/C"),
              "What it has of 'L.p' has the other sign. The rest is right.");
}

/// Sources named like parameters: of the model, and of an element that is called by it.
const std::string kTwofoldNames = R"(model: twofold
parameters: {d: 4 N.s/m, U: 3 N}
components:
  d: {type: Se, e: 40 N}
  U: {type: Se, e: -2*U}
  j: {type: 1}
  A: {type: I, I: 2 kg}
  b: {type: R, R: d}
bonds: [d -> j, U -> j, j -> A, j -> b]
)";

TEST(Derivations, ANameOfAParameterAndASourceIsTakenForWhicheverIsRight) {
    for (const char* right : {"A.p = d.e + U - d*A.p/A", "A.p = d.e + U.e - d*A.p/A", "A.p = d + U - b.R*A.p/A"})
        EXPECT_EQ(told_of(kTwofoldNames, right), "Right.") << right;
    for (const char* right : {"A.p = d.e - 2*U - d*A.p/A", "A.p = 40 + U.e - d*A.p/A", "A.p = d - 2*U - 4*A.p/A"})
        EXPECT_EQ(told_of(kTwofoldNames, right), "Right, with the numbers of this model.") << right;
    EXPECT_EQ(
        told_of(kTwofoldNames, "A.p = d.e + U.e + d*A.p/A"),
        "What it has of 'A.p' has the other sign. The rest is right. 'd' is a parameter and a source: 'd.e' is the "
        "source alone.");
    EXPECT_THAT(told_of(kTwofoldNames, "A.p = d + U.e - d*A.p/A"), HasSubstr("'d.e' is the source alone."));
    EXPECT_THAT(told_of(kTwofoldNames, "A.p = d + U.e"),
                AllOf(HasSubstr("'A.p' is missing. The rest is right."), Not(HasSubstr("'U.e' is the source alone"))));
}

TEST(Derivations, NumbersHaveNoUnits) {
    for (const char* unit : {"J.p = emf*La.p/La - 2*3 N.m", "J.p = 5 N.m", "J.p = 1e-4N*J.p"})
        EXPECT_EQ(told_of(kByHandMotor, unit), "Numbers stand without units in an equation: in SI units.") << unit;
}

// Numbers in laws that are no element's parameters: at states of size 1 such a law is one of its limits.
TEST(Derivations, OfLawsWithSmallOrLargeNumbersAreJudgedAtAllSizes) {
    const auto brake = [](const std::string& law) {
        return "model: brake\nparameters: {Fs: 30 N, vs: 1 mm/s, B: 1 N.s/m}\ncomponents:\n  F: {type: Se, e: 40 N}\n  "
               "a: {type: "
               "1}\n"
               "  A: {type: I, I: 2 kg}\n  d: {type: R, law: \"e = " +
               law + "\"}\nbonds: [F -> a, a -> A, a -> d]\n";
    };
    const std::string tanh = brake("Fs*tanh(f/vs)");
    for (const char* right : {"A.p = F - Fs*tanh(A.p/A/vs)", "A.p = F.e + Fs*tanh(-A.p/(A*vs))",
                              "A.p = F - Fs*(1 - 2/(exp(2*A.p/A/vs) + 1))", "A.p = F - 30*tanh(A.p/A/1e-3)"})
        EXPECT_EQ(told_of(tanh, right), "Right.") << right;
    for (const char* wrong : {"A.p = F - Fs*sign(A.p)", "A.p = F - Fs*tanh(A.p/vs)", "A.p = F - Fs*tanh(5*A.p/A/vs)",
                              "A.p = F - Fs*tanh(A.p/A/vs)*(1 + 1e-3*exp(-(A.p/A/vs)^2))"})
        EXPECT_THAT(told_of(tanh, wrong), HasSubstr("another function")) << wrong;
    // Of one that becomes too large on the way to its value nothing is told at such sizes.
    const std::string soft = brake("Fs*tanh(f/vs/1000)");
    EXPECT_EQ(told_of(soft, "A.p = F - Fs*sinh(A.p/A/vs/1000)/cosh(A.p/A/vs/1000)"), "Right.");
    EXPECT_THAT(told_of(soft, "A.p = F - Fs*sinh(A.p/A/vs/1000)"), Not(HasSubstr("Right")));
    // Beside one that is so large the numbers of the model are not seen at states of size 1.
    const std::string huge = brake("1e9*Fs*f*abs(f)/vs^2");
    EXPECT_EQ(told_of(huge, "A.p = F - 3e16*A.p/A*abs(A.p/A)"), "Right.");
    for (const char* right : {"A.p = 40 - 3e16*A.p/A*abs(A.p/A)", "A.p = F - 3e16*A.p/2*abs(A.p/2)"})
        EXPECT_EQ(told_of(huge, right), "Right, with the numbers of this model.") << right;
    for (const char* wrong : {"A.p = 41 - 3e16*A.p/A*abs(A.p/A)", "A.p = -3e16*A.p/A*abs(A.p/A)"})
        EXPECT_EQ(told_of(huge, wrong),
                  "It is another function: not at all sizes of states and sources is it the same.");
    const std::string stribeck = brake("Fs*exp(-(f/vs)^2) + B*f");
    EXPECT_EQ(told_of(stribeck, "A.p = F - Fs*exp(-(A.p/A/vs)^2) - B*A.p/A"), "Right.");
    EXPECT_THAT(told_of(stribeck, "A.p = F - B*A.p/A"), HasSubstr("another function"));
    EXPECT_THAT(told_of(brake("Fs*sinh(f/vs)"), "A.p = -Fs*sinh(A.p/A/vs)"), Not(HasSubstr("Right")));
    for (const char* Is : {"1e-12", "1e-15"}) {
        const std::string diode =
            std::string("model: diode\nparameters: {Is: ") + Is +
            ", Vt: 0.025}\ncomponents:\n  u: {type: Se, e: 5 V}\n  j: {type: 1}\n  r: {type: R, R: 1 "
            "kohm}\n  n: {type: 0}\n  d: {type: R, law: \"f = Is*(exp(e/Vt) - 1)\"}\n  c: {type: C, C: 1 "
            "uF}\nbonds: [u -> j, j -> r, j -> n, n -> d, n -> c]\n";
        EXPECT_EQ(told_of(diode, "c.q = (u - c.q/c)/r - Is*(exp(c.q/c/Vt) - 1)"), "Right.");
        EXPECT_EQ(told_of(diode, "c.q = u/r - c.q/(c*r) + Is - Is*exp(c.q/(c*Vt))"), "Right.");
        EXPECT_THAT(told_of(diode, "c.q = (u - c.q/c)/r - Is*exp(c.q/c/Vt)"), Not(HasSubstr("Right"))) << Is;
        EXPECT_THAT(told_of(diode, "c.q = (u - c.q/c)/r - Is*(exp(c.q/c/Vt) + 1)"), Not(HasSubstr("Right"))) << Is;
    }
}

TEST(Derivations, NamesAreThoseOfStatesParametersAndSources) {
    EXPECT_THAT(told_of(kByHandMotor, "J.p = Ra.e"),
                AllOf(HasSubstr("Ra.e"), HasSubstr("states, parameters and sources")));
    EXPECT_THAT(told_of(kByHandMotor, "J.p = emf*La.q"), HasSubstr("'La' has I, p"));
    EXPECT_THAT(told_of(kByHandMotor, "Jp = emf*La.p"),
                AllOf(HasSubstr("'Jp' is no state"), HasSubstr("did you mean 'J.p'?")));
    EXPECT_THAT(told_of(kByHandMotor, "J.p = emf*La.p/"), HasSubstr("can't be read"));
    EXPECT_THAT(told_of(kByHandMotor, "emf*La.p/La"), HasSubstr("der(C.q)"));
    const auto found = parsed(kByHandMotor).judge(DerivationsOptions{});
    ASSERT_TRUE(found);
    EXPECT_THAT(found->states, ElementsAre("La.p", "J.p"));
    EXPECT_THAT(found->known, ElementsAre("La.p", "J.p", "source.e", "Ra.R", "La.I", "emf.r", "J.I", "b.R", "time"));
    EXPECT_THAT(found->judged, IsEmpty());
}

TEST(Derivations, OfModelParametersGoByTheirNames) {
    EXPECT_EQ(told_of(kCharging, "C1.q = (source.e - C1.q/C1)/R1"), "Right.");
}

TEST(Derivations, InDerivativeCausalityOneStateStandsForBoth) {
    EXPECT_EQ(told_of(kTiedWheels, "rotor.p = (torque - gears^2*bearing*rotor.p/rotor)/(1 + gears^2*drum/rotor)"),
              "Right.");
    EXPECT_EQ(told_of(kTiedWheels, "rotor.p = torque - gears^2*bearing*rotor.p/rotor"), "It is another function.");
    EXPECT_THAT(told_of(kTiedWheels, "drum.p = torque/gears"), HasSubstr("'drum.p' is no state"));
    // Whose momentum is the state is a choice.
    const std::vector<PlacedStroke> drum{{"drive", "drum"}};
    EXPECT_EQ(told_of(kTiedWheels, "drum.p = (torque/gears - bearing*drum.p/drum)/(1 + rotor/(gears^2*drum))", drum),
              "Right.");
    EXPECT_THAT(told_of(kTiedWheels, "rotor.p = torque", drum), HasSubstr("'rotor.p' is no state"));
}

TEST(Derivations, AlgebraicLoopsAreSolved) {
    EXPECT_EQ(told_of(kDividedLoop, "C.q = (u*b - C.q/C*(a + b))/(a*b + c*(a + b))"), "Right.");
    EXPECT_EQ(told_of(kDividedLoop, "C.q = (u*b - C.q/C*(a + b))/(a*b + c*(a - b))"), "It is another function.");
    // A law without inverse in the loop.
    const std::string text =
        "model: m\nparameters: {k0: 1 ohm, I0: 1 A}\ncomponents:\n  u: {type: Se, e: 6 V}\n  j: {type: 1}\n  a: {type: "
        "R, R: 1 ohm}\n  n: {type: 0}\n"
        "  d: {type: R, law: e = k0*f*(1 + (f/I0)^2)}\n  k: {type: 1}\n  c: {type: R, R: 2 ohm}\n  C: {type: C, C: 1 "
        "F}\n"
        "bonds: [u -> j, j -> a, j -> n, n -> d, n -> k, k -> c, k -> C]\n";
    EXPECT_THAT(told_of(text, "C.q = (u - C.q/C)/(a + c)"), HasSubstr("another function"));
}

TEST(Derivations, WhatCanNotBeJudgedIsSaid) {
    const std::string diode =
        std::string(kByHandMotor)
            .replace(kByHandMotor.find("{type: R, R: 0.5 ohm}"), 21, "{type: D, Ron: 0.1 ohm, Goff: 1 uS}");
    EXPECT_THAT(told_of(diode, "J.p = emf*La.p/La"), HasSubstr("unjudged: they change at events"));
    const auto wire = Model::load(test::source_folder() + "/models/mechanics3d/bead_on_a_wire.yaml");
    ASSERT_TRUE(wire);
    const auto found = wire->judge(DerivationsOptions{});
    ASSERT_TRUE(found);
    EXPECT_THAT(found->unjudged, HasSubstr("mechanics in space"));
    const auto none =
        parsed("model: m\ncomponents:\n  u: {type: Se, e: 6 V}\n  r: {type: R, R: 1 ohm}\nbonds: [u -> r]\n")
            .judge(DerivationsOptions{});
    ASSERT_TRUE(none);
    EXPECT_THAT(none->states, IsEmpty());
    EXPECT_EQ(none->unjudged, "");
}

JudgedStrokes judged_after(const std::string& text, const std::vector<PlacedStroke>& placed) {
    return parsed(text).judge(StrokesOptions{.placed = placed}).value();
}

TEST(StrokesByHand, AreJudgedOneAfterTheOther) {
    const JudgedStrokes found = judged_after(
        kByHandMotor, {{"source", "source"}, {"source", "winding"}, {"La", "La"}, {"Ra", "Ra"}, {"Ra", "from"}});
    ASSERT_EQ(found.judged.size(), 5U);
    EXPECT_EQ(found.judged[0].verdict, StrokeIs::wrong);
    EXPECT_EQ(found.judged[0].reason, "Se 'source' fixes its effort");
    EXPECT_EQ(found.judged[1].verdict, StrokeIs::forced);
    EXPECT_EQ(found.judged[1].end, "to");
    EXPECT_EQ(found.judged[2].verdict, StrokeIs::forced);
    EXPECT_EQ(found.judged[2].reason, "I 'La' takes integral causality");
    EXPECT_EQ(found.judged[3].verdict, StrokeIs::wrong);
    EXPECT_EQ(found.judged[4].verdict, StrokeIs::forced);
    EXPECT_EQ(found.judged[4].at, "winding");
    EXPECT_EQ(found.left(), 4U);
    ASSERT_EQ(found.places.size(), 7U);
    EXPECT_TRUE(found.places[0].placed);
    EXPECT_FALSE(found.places[6].placed);
    EXPECT_EQ(found.places[6].end, "from");
}

TEST(StrokesByHand, AChoiceDecidesWhatFollows) {
    const JudgedStrokes found = judged_after(kTiedWheels, {{"drive", "drum"}, {"rotor", "rotor"}, {"rotor", "input"}});
    EXPECT_EQ(found.judged[0].verdict, StrokeIs::chosen);
    EXPECT_EQ(found.judged[1].verdict, StrokeIs::wrong);
    EXPECT_EQ(found.judged[2].verdict, StrokeIs::forced);
    const JudgedStrokes loop = judged_after(kDividedLoop, {{"a", "a"}, {"j->n", "n"}, {"b", "b"}});
    EXPECT_EQ(loop.judged[0].verdict, StrokeIs::chosen);
    EXPECT_EQ(loop.judged[1].verdict, StrokeIs::wrong);
    EXPECT_EQ(judged_after(kDividedLoop, {{"a", "j"}, {"j->n", "n"}}).judged[1].verdict, StrokeIs::forced);
}

TEST(StrokesByHand, WhatIsNotThereIsToldAndCountsForNothing) {
    const JudgedStrokes found = judged_after(
        kByHandMotor, {{"sorce", "winding"}, {"source", "shaft"}, {"source", "to"}, {"source->winding", "to"}});
    EXPECT_EQ(found.judged[0].verdict, StrokeIs::unknown);
    EXPECT_EQ(found.judged[0].reason, "there is no bond 'sorce' that gets a stroke; did you mean 'source'?");
    EXPECT_EQ(found.judged[1].reason, "its ends are 'source' and 'winding'");
    EXPECT_EQ(found.judged[2].verdict, StrokeIs::forced);
    EXPECT_EQ(found.judged[3].reason, "it has its stroke already");
    EXPECT_EQ(found.left(), 6U);
    EXPECT_EQ(judged_after(kByHandMotor, {{"La", "La"}, {"La", "winding"}}).judged[1].reason,
              "its stroke is at 'La' already");
}

TEST(StrokesByHand, TheProgramsOwnAreAllRight) {
    std::size_t bonds = 0;
    for (const auto& entry : std::filesystem::directory_iterator(test::source_folder() + "/docs/exercises/solutions")) {
        if (entry.path().extension() != ".yaml") continue;
        const auto model = Model::load(entry.path().string());
        ASSERT_TRUE(model) << entry.path();
        std::vector<PlacedStroke> placed;
        const JudgedStrokes own = model->judge(StrokesOptions{}).value();
        for (const StrokePlace& p : own.places) placed.push_back({p.bond, p.end});
        const JudgedStrokes found = model->judge(StrokesOptions{.placed = placed}).value();
        for (const JudgedStroke& s : found.judged) EXPECT_TRUE(s.accepted()) << entry.path() << ' ' << s.bond;
        EXPECT_EQ(found.left(), 0U);
        bonds += placed.size();
        // Turned round, none of those that are forced is accepted.
        for (std::size_t k = 0; k < placed.size(); ++k) {
            std::vector<PlacedStroke> turned(placed.begin(), placed.begin() + static_cast<std::ptrdiff_t>(k) + 1);
            turned.back().end = turned.back().end == "to" ? "from" : "to";
            const JudgedStroke last = model->judge(StrokesOptions{.placed = turned}).value().judged.back();
            EXPECT_EQ(last.accepted(), found.judged[k].verdict == StrokeIs::chosen) << entry.path() << ' ' << last.bond;
        }
    }
    EXPECT_GT(bonds, 150U);
}

TEST(UnsolvedPages, TellNothingOfCausality) {
    const Model model = parsed(kTiedWheels);
    const auto page = report(model, {.content = ReportOptions::Content::data, .solved = false});
    ASSERT_TRUE(page);
    const auto solved = report(model, {.content = ReportOptions::Content::data});
    for (const char* word :
         {"integral", "derivative causality", "fixes its effort", "\"derivative\":true", "\"stroke\":\"to\"",
          "\"stroke\":\"from\"", "\"equations\"", "\"causality\"", "\"linear\"", "is decided by", "rotor.p"}) {
        EXPECT_THAT(page->page, ::testing::Not(HasSubstr(word)));
    }
    for (const char* word : {"\"stroke\":\"to\"", "\"equations\"", "\"derivative\":true", "\"linear\"", "rotor.p"})
        EXPECT_THAT(solved->page, HasSubstr(word));
    EXPECT_THAT(page->page, HasSubstr("\"unsolved\":true"));
    EXPECT_THAT(page->page, HasSubstr("\"run\":{"));
}

}  // namespace
}  // namespace bondgraph::api
