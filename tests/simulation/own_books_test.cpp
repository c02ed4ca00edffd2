// Own types that say what they store, dissipate and supply, against the elements that they are made of.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using Codes = std::vector<std::string>;

const std::string kDeclared = R"(
types:
  Coil:
    parameters: {L: {unit: H}, R: {unit: ohm}}
    ports: {p: {domain: electrical}}
    variables: {i: {unit: A, start: 0 A}}
    equations: [L*der(i) = p.e - R*i, p.f = i]
    energy: L*i^2/2
    dissipates: R*i^2
  Battery:
    parameters: {U: {unit: V}, R: {unit: ohm}}
    ports: {p: {domain: electrical}}
    equations: [p.e = U + R*p.f]
    supplies: -U*p.f
    dissipates: R*p.f^2
  Leaky:
    parameters: {C: {unit: F}, R: {unit: ohm}}
    ports: {p: {domain: electrical}}
    variables: {q: {unit: C, start: 0 C}}
    equations: [der(q) = p.f - p.e/R, p.e = q/C]
    energy: q^2/(2*C)
    dissipates: p.e^2/R
)";

simulation::EnergyBalance energy_of(const std::string& text, double stop = 1.0) {
    Pipeline p(text);
    return p.run({.stop = stop, .tolerance = 1e-10, .interval = 0.1}, {}).summary.energy;
}

void expect_books(const simulation::EnergyBalance& is, const simulation::EnergyBalance& wanted) {
    const double size = wanted.moved;
    EXPECT_NEAR(is.supplied, wanted.supplied, 1e-7 * size);
    EXPECT_NEAR(is.stored, wanted.stored, 1e-7 * size);
    EXPECT_NEAR(is.dissipated, wanted.dissipated, 1e-7 * size);
    EXPECT_NEAR(is.events, wanted.events, 1e-7 * size);
    EXPECT_NEAR(is.imbalance, 0.0, 1e-7 * size);
    EXPECT_EQ(is.other, 0.0);
}

TEST(OwnBooks, AreThoseOfTheElementsInside) {
    const auto own = energy_of(kDeclared + R"(
components:
  b: {type: Battery, U: 5 V, R: 1 ohm}
  c: {type: Coil, L: 1 H, R: 3 ohm}
  j: {type: 0}
bonds: [j -> b.p, j -> c.p]
)");
    const auto elements = energy_of(R"(
components:
  u: {type: Se, e: 5 V}
  r: {type: R, R: 1 ohm}
  l: {type: I, I: 1 H}
  s: {type: R, R: 3 ohm}
  j: {type: 1}
bonds: [u -> j, j -> r, j -> l, j -> s]
)");
    expect_books(own, elements);
    EXPECT_GT(own.dissipated, 1.0);
}

TEST(OwnBooks, AreTheSameWhereArrowsAndPlacesDiffer) {
    const std::string types = kDeclared + R"(  Inside:
    ports: {a: {domain: electrical}}
    components: {c: {type: Coil, L: 1 H, R: 3 ohm}, j: {type: 1}}
    bonds: [a -> j, j -> c.p]
)";
    const auto plain = energy_of(kDeclared + R"(
components:
  b: {type: Battery, U: 5 V, R: 1 ohm}
  c: {type: Coil, L: 1 H, R: 3 ohm}
bonds: [b.p -> c.p]
)");
    const auto wrapped = energy_of(types + R"(
components:
  x: {type: Inside}
  b: {type: Battery, U: 5 V, R: 1 ohm}
bonds: [x.a -> b.p]
)");
    EXPECT_NEAR(std::abs(plain.supplied), std::abs(wrapped.supplied), 1e-7);
    EXPECT_NEAR(plain.dissipated, wrapped.dissipated, 1e-7);
    EXPECT_NEAR(plain.imbalance, 0.0, 1e-7);
    EXPECT_NEAR(wrapped.imbalance, 0.0, 1e-7);
}

TEST(OwnBooks, CloseInJumps) {
    const std::string rest = R"(
  u: {type: Se, e: 4 V}
  j: {type: 1}
  n: {type: 0}
  s: {type: Sw, open: time < 0.3}
)";
    const auto own = energy_of(kDeclared + "components:\n  x: {type: Leaky, C: 0.2 F, R: 8 ohm}\n" + rest +
                               "bonds: [u -> j, j -> s, j -> n, n -> x.p]\n");
    const auto elements = energy_of("components:\n  c: {type: C, C: 0.2 F}\n  r: {type: R, R: 8 ohm}\n" + rest +
                                    "bonds: [u -> j, j -> s, j -> n, n -> c, n -> r]\n");
    EXPECT_NEAR(elements.events, 0.2 * 16 / 2, 1e-9);
    expect_books(own, elements);
}

TEST(OwnBooks, OfWhatSuppliesPayForJumps) {
    const std::string ideal = R"(
types:
  Cell:
    parameters: {U: {unit: V}}
    ports: {p: {domain: electrical}}
    equations: [p.e = -U]
    supplies: U*p.f
)";
    const auto charged = [&](const std::string& source) {
        return energy_of(
            ideal + "components:\n  x: {type: " + source +
            "}\n  j: {type: 1}\n  s: {type: Sw, open: time < 0.3}\n  c: {type: C, C: 0.1 F}\n" +
            (source.starts_with("Se") ? "bonds: [x -> j, j -> s, j -> c]\n" : "bonds: [j -> x.p, j -> s, j -> c]\n"));
    };
    const auto cell = charged("Cell, U: 12 V");
    EXPECT_NEAR(cell.supplied, 14.4, 1e-9);
    EXPECT_NEAR(cell.events, 7.2, 1e-9);
    expect_books(cell, charged("Se, e: 12 V"));
}

TEST(OwnBooks, OfWhatOnlyDissipatesLoseInJumps) {
    const auto books = energy_of(R"(
types:
  Clamp:
    parameters: {U: {unit: V}}
    ports: {p: {domain: electrical}}
    equations: [p.e = U]
    dissipates: U*p.f
components:
  x: {type: Clamp, U: 5 V}
  j: {type: 1}
  s: {type: Sw, open: time < 0.3}
  c: {type: C, C: 0.1 F, initial: {e: 20 V}}
bonds: [j -> x.p, j -> s, j -> c]
)");
    EXPECT_NEAR(books.stored, 0.1 * (25.0 - 400.0) / 2, 1e-9);
    EXPECT_NEAR(books.events, -books.stored, 1e-9) << "5 V for 1.5 C in the clamp, the rest in the switch";
    EXPECT_NEAR(books.supplied, 0.0, 1e-9);
    EXPECT_NEAR(books.imbalance, 0.0, 1e-9);
}

TEST(OwnBooks, ThatAreWrongDoNotBalance) {
    const auto run = [](const std::string& from, const std::string& to) {
        std::string text = kDeclared + R"(
components:
  b: {type: Battery, U: 5 V, R: 1 ohm}
  c: {type: Coil, L: 1 H, R: 3 ohm}
bonds: [b.p -> c.p]
)";
        text.replace(text.find(from), from.size(), to);
        return energy_of(text);
    };
    EXPECT_GT(std::abs(run("dissipates: R*i^2", "dissipates: 2*R*i^2").imbalance), 1.0);
    EXPECT_GT(std::abs(run("energy: L*i^2/2", "energy: L*i^2").imbalance), 0.1);
    EXPECT_GT(std::abs(run("supplies: -U*p.f", "supplies: U*p.f").imbalance), 1.0);
    const auto silent = run("    dissipates: R*i^2\n", "");
    EXPECT_GT(silent.other, 1.0) << "of a type that doesn't say it is taken";
    EXPECT_NEAR(silent.imbalance, 0.0, 1e-7);
}

TEST(OwnBooks, AreInJouleAndWattAndOfEquations) {
    const auto with = [](const std::string& from, const std::string& to) {
        std::string text = kDeclared +
                           "components:\n  s: {type: Se, e: 1 V}\n  c: {type: Coil, L: 1 H, R: 3 ohm}\n"
                           "bonds: [s -> c.p]\n";
        text.replace(text.find(from), from.size(), to);
        return test::errors_in(text);
    };
    EXPECT_EQ(with("dissipates: R*i^2", "dissipates: R*i^2"), Codes{});
    EXPECT_EQ(with("dissipates: R*i^2", "dissipates: R*i"), Codes{"BG-U002"});
    EXPECT_EQ(with("dissipates: R*i^2", "supplies: L*i^2"), Codes{"BG-U002"});
    EXPECT_EQ(with("energy: L*i^2/2", "energy: R*i^2"), Codes{"BG-U002"});
    EXPECT_EQ(with("dissipates: R*i^2", "dissipates: '[1, 2]'"), Codes{"BG-M020"});
    EXPECT_EQ(with("dissipates: R*i^2", "dissipates: R*j^2"), Codes{"BG-X001"});
    EXPECT_EQ(test::errors_in("types:\n  T:\n    ports: {p: {}}\n    components: {r: {type: R, R: 1}}\n"
                              "    bonds: [p -> r]\n    dissipates: 5\ncomponents:\n  s: {type: Se, e: 1}\n"
                              "  t: {type: T}\nbonds: [s -> t.p]\n"),
              Codes{"BG-M034"});
}

}  // namespace
}  // namespace bondgraph
