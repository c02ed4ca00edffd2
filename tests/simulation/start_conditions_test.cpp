#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cmath>
#include <functional>

#include "tests/simulation/started.hpp"

namespace bondgraph {
namespace {

using test::first_error;
using test::note_of;
using test::Pipeline;
using test::Started;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// Direct current: all of the voltage is across the resistor that carries the coil's current, i = E/(R1 + R2).
constexpr const char* kRlc = R"(
components:
  E:  {type: Se, e: 12 V}
  j:  {type: 1}
  R1: {type: R, R: 2 ohm}
  L:  {type: I, I: 3 mH}
  n:  {type: 0}
  C:  {type: C, C: 5 uF}
  R2: {type: R, R: 4 ohm}
bonds: [E -> j, j -> R1, j -> L, j -> n, n -> C, n -> R2]
)";

TEST(SteadyStart, OfACoilAndACapacitorIsTheDirectCurrentCircuit) {
    Started s(std::string("initial: steady\n") + kRlc);
    EXPECT_NEAR(s("L.f"), 2.0, 1e-12);
    EXPECT_NEAR(s("C.e"), 8.0, 1e-12);
    EXPECT_NEAR(s.rate("L.p"), 0.0, 1e-12);
    EXPECT_NEAR(s.rate("C.q"), 0.0, 1e-12);
    EXPECT_THAT(s.defaulted(), IsEmpty());
}

TEST(SteadyStart, SaysHowFarStatesWithoutAValueMoved) {
    Started s(std::string("initial: steady\n") + kRlc);
    ASSERT_THAT(s.moved(), ElementsAre("L.p", "C.q"));
    EXPECT_EQ(s.point().moved[1].from, 0.0);
    EXPECT_NEAR(s.point().moved[1].to, 40e-6, 1e-15);
}

TEST(SteadyStart, OfOneComponentLeavesTheOthersTheirValues) {
    Started s(R"(
components:
  E:  {type: Se, e: 12 V}
  j:  {type: 1}
  R1: {type: R, R: 2 ohm}
  L:  {type: I, I: 3 mH, initial: {f: 1 A}}
  n:  {type: 0}
  C:  {type: C, C: 5 uF, initial: steady}
  R2: {type: R, R: 4 ohm}
bonds: [E -> j, j -> R1, j -> L, j -> n, n -> C, n -> R2]
)");
    EXPECT_NEAR(s("L.f"), 1.0, 1e-12);
    EXPECT_NEAR(s("C.e"), 4.0, 1e-12);
    EXPECT_NEAR(s.rate("L.p"), 12.0 - 2.0 - 4.0, 1e-12);
}

// Levels of steady turbulent flow through equal orifices: p1 − p2 = p2 − p3 = p3 = (Q/k)².
TEST(SteadyStart, OfACascadeOfTanksWithTurbulentOrifices) {
    Started s(R"(
initial: steady
types:
  Orifice:
    parameters: {k: 1e-5}
    ports: {p: {domain: hydraulic}}
    equations: [p.f = k*sign(p.e)*sqrt(abs(p.e))]
components:
  pump: {type: Sf, f: 1e-3 m3/s}
  n1: {type: 0}
  t1: {type: C, C: 1e-4 m3/Pa}
  j12: {type: 1}
  o12: {type: Orifice}
  n2: {type: 0}
  t2: {type: C, C: 2e-4 m3/Pa}
  j23: {type: 1}
  o23: {type: Orifice}
  n3: {type: 0}
  t3: {type: C, C: 1e-4 m3/Pa}
  out: {type: Orifice}
bonds: [pump -> n1, n1 -> t1, n1 -> j12, j12 -> o12.p, j12 -> n2, n2 -> t2, n2 -> j23, j23 -> o23.p, j23 -> n3,
        n3 -> t3, n3 -> out.p]
)");
    const double drop = std::pow(1e-3 / 1e-5, 2);
    EXPECT_NEAR(s("t3.e"), drop, 1e-9 * drop);
    EXPECT_NEAR(s("t2.e"), 2 * drop, 1e-9 * drop);
    EXPECT_NEAR(s("t1.e"), 3 * drop, 1e-9 * drop);
}

// What is in two connected tanks does not change: the steady state leaves the sum open, a guess says what it is.
TEST(SteadyStart, KeepsTheGuessOfWhatItLeavesOpen) {
    constexpr const char* kText = R"(
initial: steady
components:
  a: {type: 0}
  A: {type: C, C: 2, guess: {q: 6}}
  j: {type: 1}
  r: {type: R, R: 1}
  b: {type: 0}
  B: {type: C, C: 3}
bonds: [a -> A, a -> j, j -> r, j -> b, b -> B]
)";
    Started s(kText);
    EXPECT_NEAR(s("A.q"), 6.0, 1e-9);
    EXPECT_NEAR(s("B.q"), 9.0, 1e-9);
    EXPECT_THAT(s.moved(), ElementsAre("B.q"));
    EXPECT_THAT(s.defaulted(), IsEmpty());
}

TEST(SteadyStart, ListsTheStateThatNothingDetermines) {
    Started s(R"(
initial: steady
components: {j: {type: 1}, m: {type: I, I: 1}, k: {type: C, C: 1, initial: {q: 0}}, z: {type: 1}, n: {type: I, I: 1}, F: {type: Se, e: 0}}
bonds: [j -> m, j -> k, F -> z, z -> n]
)");
    EXPECT_THAT(s.defaulted(), ElementsAre("n.p"));
}

TEST(SteadyStart, ThatIsImpossibleNamesWhoseLawsForbidIt) {
    const Diagnostic d = first_error(R"(
initial: steady
components: {F: {type: Se, e: 3 N}, j: {type: 1}, m: {type: I, I: 2 kg}}
bonds: [F -> j, j -> m]
)");
    EXPECT_EQ(d.code, "BG-I001");
    EXPECT_EQ(d.message, "a steady start contradicts the other conditions: they make der(m.p) = 3");
    EXPECT_THAT(note_of(d, "because"), HasSubstr("'m' (I)"));
}

TEST(InitialEquation, DeterminesTheStateWithoutAValue) {
    Started s(R"(
initial: ["a.q = 2*b.q"]
components: {j: {type: 0}, a: {type: C, C: 1}, k: {type: 1}, r: {type: R, R: 1}, l: {type: 0}, b: {type: C, C: 1, initial: {q: 4}}}
bonds: [j -> a, j -> k, k -> r, k -> l, l -> b]
)");
    EXPECT_NEAR(s("a.q"), 8.0, 1e-12);
    EXPECT_THAT(s.defaulted(), IsEmpty());
}

// A ball thrown so that drag and weight just balance: d v² = m g.
TEST(InitialEquation, InARateIsSolvedForTheState) {
    Started s(R"(
initial: ["der(m.p) = 0"]
components:
  w: {type: Se, e: 9.81}
  j: {type: 1}
  m: {type: I, I: 1, guess: {f: 1}}
  d: {type: R, law: e = 0.2*f*abs(f)}
bonds: [w -> j, j -> m, j -> d]
)");
    EXPECT_NEAR(s("m.f"), std::sqrt(9.81 / 0.2), 1e-9);
    EXPECT_THAT(s.moved(), ElementsAre("m.f"));
}

TEST(InitialEquation, AGuessChoosesBetweenTwoSolutions) {
    const auto level = [](const char* guess) {
        Started s(std::string("initial: [\"a.q^2 = 9\"]\ncomponents: {j: {type: 0}, a: {type: C, C: 1, guess: {q: ") +
                  guess + "}}, r: {type: R, R: 1}}\nbonds: [j -> a, j -> r]\n");
        return s("a.q");
    };
    EXPECT_NEAR(level("2"), 3.0, 1e-10);
    EXPECT_NEAR(level("-2"), -3.0, 1e-10);
}

TEST(InitialEquation, WithoutSolutionIsRefusedWithItsName) {
    const Diagnostic d = first_error(R"(
initial: ["a.q^2 + 1 = 0"]
components: {j: {type: 0}, a: {type: C, C: 1}, r: {type: R, R: 1}}
bonds: [j -> a, j -> r]
)");
    EXPECT_EQ(d.code, "BG-I003");
    EXPECT_EQ(d.message, "no start was found for a.q");
    EXPECT_THAT(note_of(d, "where"), HasSubstr("a.q*a.q + 1 = 0"));
}

TEST(OverFixedStart, AcceptsWhatRepeatsTheOthers) {
    Started s(R"(
initial: ["a.q + b.q = 12", "2*a.q + 2*b.q = 24", "a.q = 8"]
components: {j: {type: 0}, a: {type: C, C: 1}, k: {type: 1}, r: {type: R, R: 1}, l: {type: 0}, b: {type: C, C: 1}}
bonds: [j -> a, j -> k, k -> r, k -> l, l -> b]
)");
    EXPECT_NEAR(s("a.q"), 8.0, 1e-12);
    EXPECT_NEAR(s("b.q"), 4.0, 1e-12);
}

TEST(OverFixedStart, ThatContradictsItselfNamesTheOthers) {
    const Diagnostic d = first_error(R"(
initial: ["a.q + b.q = 12", "2*a.q + 2*b.q = 25"]
components: {j: {type: 0}, a: {type: C, C: 1}, k: {type: 1}, r: {type: R, R: 1}, l: {type: 0}, b: {type: C, C: 1}}
bonds: [j -> a, j -> k, k -> r, k -> l, l -> b]
)");
    EXPECT_EQ(d.code, "BG-I001");
    EXPECT_THAT(d.message, HasSubstr("contradicts the other conditions"));
    EXPECT_THAT(note_of(d, "where"), HasSubstr("a.q + b.q = 12"));
}

TEST(OverFixedStart, NeverChangesAValueTheUserFixed) {
    const Diagnostic d = first_error(R"(
initial: ["a.q = 3"]
components: {j: {type: 0}, a: {type: C, C: 1, initial: {e: 5}}, r: {type: R, R: 1}}
bonds: [j -> a, j -> r]
)");
    EXPECT_EQ(d.code, "BG-I001");
}

TEST(OverFixedStart, SaysWhatIsMissingElsewhere) {
    const Diagnostic d = first_error(R"(
initial: ["a.q = 3", "a.q = 4"]
components: {j: {type: 0}, a: {type: C, C: 1}, k: {type: 1}, r: {type: R, R: 1}, l: {type: 0}, b: {type: C, C: 1}}
bonds: [j -> a, j -> k, k -> r, k -> l, l -> b]
)");
    EXPECT_EQ(d.code, "BG-I001");
    EXPECT_EQ(note_of(d, "note"), "no condition determines b.q");
}

constexpr const char* kHanging = R"(
parameters: {K: {value: 100 N/m, free: true}}
components:
  weight: {type: Se, e: 9.81 N}
  motion: {type: 1}
  mass:   {type: I, I: 1 kg}
  spring: {type: C, K: K, initial: {q: 2 cm}}
bonds: [weight -> motion, motion -> mass, motion -> spring]
)";

TEST(FreeParameter, StiffnessFollowsFromASteadyPosition) {
    Started s(std::string("initial: steady\n") + kHanging);
    EXPECT_NEAR(s.parameter(), 9.81 / 0.02, 1e-9);
    EXPECT_NEAR(s("spring.q"), 0.02, 1e-15);
    EXPECT_NEAR(s("mass.f"), 0.0, 1e-12);
    ASSERT_THAT(s.moved(), testing::Contains("K"));
    EXPECT_EQ(s.point().moved.back().from, 100.0);
}

TEST(FreeParameter, WithoutAFurtherConditionKeepsItsGuessAndIsListed) {
    Started s(kHanging);
    EXPECT_EQ(s.parameter(), 100.0);
    EXPECT_THAT(s.defaulted(), UnorderedElementsAre("mass.p", "K"));
}

TEST(FreeParameter, OfASourceIsFoundFromTheFlowItHasToDrive) {
    Started s(R"(
parameters: {U: {value: 1 V, free: true}}
initial: steady
components: {E: {type: Se, e: U}, j: {type: 1}, L: {type: I, I: 1 mH, initial: {f: 3 A}}, R: {type: R, R: 7 ohm}}
bonds: [E -> j, j -> L, j -> R]
)");
    EXPECT_NEAR(s.parameter(), 21.0, 1e-12);
}

/// The codes of the errors of a model with the initial equation der(name) = value added.
std::vector<std::string> errors_with_rate(std::string_view text, const std::string& name, double value,
                                          const std::function<void(Pipeline&)>& then = {}) {
    Pipeline p(text);
    auto& g = const_cast<model::BondGraph&>(p.graph());
    const compile::Expr variable = model::resolve_name(g, name)->value;
    g.initial_equations.push_back({g.expressions->derivative((*g.expressions)[variable.node()].a), value, {}});
    return test::errors_of([&] {
        p.start();
        if (then) then(p);
    });
}

TEST(InitialEquation, InTheDerivativeOfALoopVariableIsRefused) {
    EXPECT_THAT(errors_with_rate(R"(
components: {E: {type: Se, e: -2}, j: {type: 1}, r: {type: R, law: e = f^3 - 3*f}, g: {type: R, law: e = f}}
bonds: [E -> j, j -> r, j -> g]
)",
                                 "g.f", 1.0),
                ElementsAre("BG-I005"));
}

// d(R i)/dt = 4 V/s in a circuit with U = 10 V: L di/dt = U − R i = L·4/R.
TEST(InitialEquation, InTheDerivativeOfWhatStatesGiveIsOneInTheirRates) {
    double momentum = 0.0;
    EXPECT_THAT(errors_with_rate(R"(
components: {E: {type: Se, e: 10}, j: {type: 1}, L: {type: I, I: 0.5}, R: {type: R, R: 2}}
bonds: [E -> j, j -> L, j -> R]
)",
                                 "R.e", 4.0, [&](Pipeline& p) { momentum = p.start().y[0]; }),
                IsEmpty());
    EXPECT_NEAR(momentum, 0.5 * (10.0 - 0.5 * 4.0 / 2.0) / 2.0, 1e-12);
}

std::string ladder(int sections, const std::string& head) {
    std::string c = head + "components:\n  E: {type: Se, e: 1 V}\n";
    std::string b = "bonds:\n";
    for (int k = 0; k < sections; ++k) {
        const std::string i = std::to_string(k);
        c += "  j" + i + ": {type: 1}\n  R" + i + ": {type: R, R: 1 ohm}\n  L" + i + ": {type: I, I: 1 mH}\n  n" + i +
             ": {type: 0}\n  C" + i + ": {type: C, C: 1 uF}\n  G" + i + ": {type: R, R: 1 kohm}\n";
        b += "  - " + (k == 0 ? std::string("E") : "n" + std::to_string(k - 1)) + " -> j" + i + "\n";
        for (const char* part : {"R", "L", "n"}) b += "  - j" + i + " -> " + part + i + "\n";
        for (const char* part : {"C", "G"}) b += "  - n" + i + " -> " + part + i + "\n";
    }
    return c + b;
}

// The far end of n sections of series R and shunt G: currents and voltages by the recursion from the open end.
TEST(SteadyStart, OfALadderIsThatOfItsResistors) {
    for (const int sections : {5, 400}) {
        Started s(ladder(sections, "initial: steady\n"));
        double v = 1.0;
        double i = 1e-3;
        for (int k = sections - 1; k > 0; --k) {
            v += i * 1.0;
            i += v * 1e-3;
        }
        const double input = v + i * 1.0;
        EXPECT_NEAR(s("C" + std::to_string(sections - 1) + ".e"), 1.0 / input, 1e-9);
        EXPECT_NEAR(s("L0.f"), i / input, 1e-9);
    }
}

TEST(OrdinaryStart, OfALongLadderTakesNoTimeWorthMentioning) {
    Pipeline p(ladder(4000, ""));
    const auto& m = p.compiled();
    const auto begin = std::chrono::steady_clock::now();
    const auto point = simulation::initialize(m, 0.0);
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    EXPECT_EQ(point.defaulted.size(), 8000u);
    EXPECT_LT(seconds, 2.0);
}

TEST(Contradictions, AreShownInDigitsThatDiffer) {
    const Diagnostic d = first_error(R"(
components:
  j: {type: 0}
  a: {type: C, C: 1, initial: {e: 5}}
  b: {type: C, C: 1, initial: {e: 5.0000002}}
  r: {type: R, R: 1}
bonds: [j -> a, j -> b, j -> r]
)");
    EXPECT_THAT(d.message, testing::AnyOf(HasSubstr("is to be 5.0000002, but the others make it 5"),
                                          HasSubstr("is to be 5, but the others make it 5.0000002")));
}

TEST(Starts, OfPartsBesideEquationsAreGivenFromOutside) {
    Started s(R"(
types:
  B:
    parameters: {K: 4 N/m}
    ports: {p: {domain: translational}}
    variables: {E: {unit: J}}
    components: {j: {type: 1}, c: {type: C, K: K}, i: {type: I, I: 2}}
    bonds: [p -> j, j -> c, j -> i]
    equations: ["E = 0.5*K*c.q^2"]
components:
  s: {type: Se, e: 1 N}
  b: {type: B, initial: {c.q: 3}, guess: {i.f: 1}, nominal: {c.q: 10}}
bonds: [s -> b.p]
)");
    EXPECT_EQ(s("b.c.q"), 3.0);
    EXPECT_EQ(s("b.E"), 18.0);
    EXPECT_EQ(s("b.i.f"), 1.0);
}

std::string of_law(const std::string& law, const std::string& effort) {
    return "components:\n  n: {type: 0}\n  a: {type: C, law: '" + law + "', initial: {e: " + effort +
           "}}\n  d: {type: R, R: 1}\nbonds: [n -> a, n -> d]\n";
}

// Whatever Newton's method from 0 would do: run away, go round in circles, meet a slope of 0 or none.
TEST(CoVariables, AreMetThroughLawsThatBend) {
    const std::vector<std::array<std::string, 2>> cases{
        {"e = exp(q)", "1e6"},      {"e = exp(q)", "1e-6"}, {"e = exp(40*q) - 1", "1000"},
        {"e = tanh(q)", "0.99999"}, {"e = atan(q)", "1.5"}, {"e = sqrt(q)", "2"},
        {"e = q^3 - 2*q + 2", "0"}, {"e = q^2", "4"},       {"e = q^5", "1e-5"},
        {"e = q + 5*sin(q)", "9"},  {"e = abs(q)*q", "2"},  {"e = interpolate(q, [0, 1, 2], [0, 1, 5])", "4"}};
    for (const auto& [law, effort] : cases) {
        Started s(of_law(law, effort));
        const double wanted = std::stod(effort);
        EXPECT_NEAR(s("a.e"), wanted, 1e-9 * std::max(std::abs(wanted), 1e-3)) << law;
    }
}

TEST(CoVariables, OutOfALawsReachAreRefused) {
    const std::vector<std::array<std::string, 2>> cases{
        {"e = q^2", "-1"},   {"e = q^2", "-100"},      {"e = q^4", "-1"},    {"e = exp(q)", "-1"}, {"e = tanh(q)", "2"},
        {"e = sin(q)", "2"}, {"e = q/(1 + q^2)", "3"}, {"e = abs(q)", "-1"}, {"e = q^2 + 1", "0"}};
    for (const auto& [law, effort] : cases) EXPECT_EQ(first_error(of_law(law, effort)).code, "BG-I003") << law;
}

}  // namespace
}  // namespace bondgraph
