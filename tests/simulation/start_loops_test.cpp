// Starts where a loop of equations has to be solved, or can't be.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "tests/simulation/started.hpp"

namespace bondgraph {
namespace {

using test::first_error;
using test::note_of;
using test::Pipeline;
using test::Started;
using testing::HasSubstr;

// Two diodes in series behind a resistor: i = (E − 2v)/R = Is (exp(v/Vt) − 1), solved by bisection.
TEST(Loops, OfExponentialLawsAreSolvedFromZero) {
    Started s(R"(
types:
  Diode:
    ports: {p: {}}
    equations: [p.f = 1e-14*(exp(p.e/0.02585) - 1)]
components: {E: {type: Se, e: 300}, j: {type: 1}, R: {type: R, R: 10}, d1: {type: Diode}, d2: {type: Diode}}
bonds: [E -> j, j -> R, j -> d1.p, j -> d2.p]
)");
    double low = 0.0;
    double high = 1.2;
    for (int k = 0; k < 200; ++k) {
        const double v = 0.5 * (low + high);
        (1e-14 * (std::exp(v / 0.02585) - 1.0) < (300.0 - 2 * v) / 10.0 ? low : high) = v;
    }
    EXPECT_NEAR(s("d1.p.e"), low, 1e-9);
    EXPECT_NEAR(s("R.f"), (300.0 - 2 * low) / 10.0, 1e-9);
}

// f³ − 2f + 2 has one root; Newton's method from 0 goes to 1 and back for ever.
TEST(Loops, OnWhichNewtonsMethodCyclesAreSolved) {
    Started s(R"(
components: {E: {type: Se, e: -2}, j: {type: 1}, r: {type: R, law: e = f^3 - 3*f}, g: {type: R, law: e = f}}
bonds: [E -> j, j -> r, j -> g]
)");
    EXPECT_NEAR(s("r.f"), -1.7692923542386314, 1e-9);
}

TEST(Loops, AGuessOfAnAlgebraicVariableChoosesTheSolution) {
    const auto current = [](const char* guess) {
        Started s(std::string(R"(
types:
  Square:
    ports: {p: {}}
    variables: {x: {start: )") +
                  guess + R"(}}
    equations: [p.e = x*x - 4, p.f = x]
components: {E: {type: Se, e: 0}, j: {type: 1}, a: {type: Square}, r: {type: R, R: 0}}
bonds: [E -> j, j -> a.p, j -> r]
)");
        return s("a.x");
    };
    EXPECT_NEAR(current("1"), 2.0, 1e-9);
    EXPECT_NEAR(current("-1"), -2.0, 1e-9);
}

// The flow of the coil divided by the modulus: 0/0 at the start.
TEST(SingularStart, NamesTheTransformerWithAModulusOfZero) {
    const Diagnostic d = first_error(R"(
components:
  E: {type: Se, e: 1}
  a: {type: 1}
  r: {type: R, R: 1}
  T: {type: TF, m: time}
  b: {type: 1}
  L: {type: I, I: 1}
bonds: [E -> a, a -> r, a -> T.p1, T.p2 -> b, b -> L]
)");
    EXPECT_EQ(d.code, "BG-I002");
    EXPECT_THAT(d.message, HasSubstr("'T' (TF)"));
}

TEST(SingularStart, NamesTheInertiaWhoseMatrixIsSingular) {
    constexpr std::string_view kModel = R"(
components:
  a: {type: 1}
  b: {type: 1}
  M: {type: IF, I: [[1, 1], [1, 1]], initial: {}}
  E: {type: Se, e: 1}
  F: {type: Se, e: 2}
  r: {type: R, R: 1}
  s: {type: R, R: 1}
bonds: [E -> a, F -> b, a -> M.p1, b -> M.p2, a -> r, b -> s]
)";
    Pipeline p(kModel);
    Diagnostic d;
    try {
        simulation::initialize(p.compiled(), 0.0);
    } catch (const ModelError& e) {
        d = e.diagnostics().front();
    }
    EXPECT_THAT(d.code, testing::AnyOf("BG-I004", "BG-I002"));
    std::string all = d.message;
    for (const auto& n : d.notes) all += "\n" + n.text;
    EXPECT_THAT(all, HasSubstr("'M' (IF)"));
    // A run takes the combination without inertia for the constraint that it is.
    EXPECT_EQ(first_error(kModel).code, "");
}

// A root of a share of its argument is undone like a plain one, so that it is in no loop with what gives its flow.
TEST(Loops, AreNotMadeByARootWithANumberInside) {
    Started s(R"(
parameters: {f0: 6.2111801242236025e-06 m/s, e0: 1610 N, p0: 1610 N.s}
components:
  j: {type: 1}
  r: {type: R, law: 'f = 0.9*f0*sqrt(abs(e)/e0)*sign(e)'}
  i: {type: I, law: 'p = p0*(0.201*(f/f0) + 0.444*sinh(f/f0) + 0.935*max(0, f/f0 - 0.332))', initial: {p: 1296.05}}
  k: {type: 0}
  q: {type: R, law: 'e = f + tanh(f)'}
bonds: [j -> i, j -> r, k -> q]
)");
    double low = 0.0;
    double high = 10.0;
    for (int k = 0; k < 200; ++k) {
        const double x = 0.5 * (low + high);
        (0.201 * x + 0.444 * std::sinh(x) + 0.935 * std::max(0.0, x - 0.332) < 1296.05 / 1610.0 ? low : high) = x;
    }
    EXPECT_NEAR(s("i.f") / 6.2111801242236025e-06, low, 1e-12);
    EXPECT_NEAR(s("r.e") / 1610.0, low * low / 0.81, 1e-12);
}

// a and b stand in all three in one proportion, and the second and the third are multiples of each other at the start:
// by whole numbers, or but for rounding.
TEST(SingularStart, NamesWhatTakesPartInItAndNothingElse) {
    struct Rows {
        const char* first;
        const char* second;
        const char* third;
    };
    for (const auto& [first, second, third] :
         {Rows{"a + b + c - 1", "a + b + 2*c - 2", "2*a + 2*b + 4*c - 4"},
          Rows{"a + 7*b + c - 1", "0.7*a + 4.9*b + 0.9*c - 0.9", "4.9*a + 34.3*b + 6.3*c - 6.3"}}) {
        const Diagnostic d = first_error(fmt::format(R"(
types:
  One: {{inputs: [b, c], outputs: [a], equations: ["{} + time*(a^3 + b^3 + c^3) = 0"]}}
  Two: {{inputs: [a, c], outputs: [b], equations: ["{} + time*(a^3 + b^3 + c^3) = 0"]}}
  Three: {{inputs: [a, b], outputs: [c], equations: ["{} + time*(a^3 + 2*b^3 + 3*c^3) = 0"]}}
components:
  one: {{type: One}}
  two: {{type: Two}}
  three: {{type: Three}}
  y: {{type: Integrator, initial: {{y: 0}}}}
signals: [one.a -> two.a, one.a -> three.a, two.b -> one.b, two.b -> three.b, three.c -> one.c, three.c -> two.c,
  one.a -> y.u]
)",
                                                     first, second, third));
        EXPECT_EQ(d.code, "BG-I004") << second;
        EXPECT_EQ(note_of(d, "where"), "one.a, two.b may take any value") << second;
        EXPECT_THAT(note_of(d, "because"), HasSubstr("the equations of 'two' (own type), 'three' (own type) say"));
    }
}

}  // namespace
}  // namespace bondgraph
