// Port-Hamiltonian forms against those found by hand, and what has none.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr double kRounding = 1e-12;  // of sums of a few terms

PortHamiltonian form_of(const std::string& text) {
    auto model = Model::parse("model: m\n" + text);
    if (!model) throw std::runtime_error(model.error().text());
    auto form = model->port_hamiltonian();
    if (!form) throw std::runtime_error(form.error().text());
    return *form;
}

std::string refusal_of(const std::string& text) {
    auto model = Model::parse("model: m\n" + text);
    if (!model) return "not read: " + model.error().text();
    auto form = model->port_hamiltonian();
    if (form) return "";
    EXPECT_EQ(form.error().kind, Error::Kind::usage);
    return form.error().text();
}

void expect_matrix(const char* name, const std::vector<double>& is, const std::vector<double>& wanted) {
    SCOPED_TRACE(name);
    ASSERT_EQ(is.size(), wanted.size());
    double largest = 0.0;
    for (const double w : wanted) largest = std::max(largest, std::abs(w));
    for (std::size_t k = 0; k < is.size(); ++k) EXPECT_NEAR(is[k], wanted[k], kRounding * largest) << k;
}

void expect_checked(const PortHamiltonian& f) {
    EXPECT_LT(f.skewness, kRounding);
    EXPECT_LT(f.asymmetry, kRounding);
    EXPECT_LT(f.reciprocity, kRounding);
    EXPECT_LT(f.imbalance, 1e-9);  // the start is solved for
}

constexpr const char* kMotorWithLosses = R"(components:
  source: {type: Se, e: 12 V}
  j1: {type: 1}
  Ra: {type: R, R: 0.5 ohm}
  La: {type: I, I: 2 mH, initial: {f: 3 A}}
  emf: {type: GY, r: 0.05 N.m/A}
  j2: {type: 1}
  J: {type: I, I: 1e-3 kg.m2, initial: {f: 20 rad/s}}
  b: {type: R, R: 1e-4 N.m.s/rad}
bonds: [source -> j1, j1 -> Ra, j1 -> La, j1 -> emf.p1, emf.p2 -> j2, j2 -> J, j2 -> b]
)";

TEST(PortHamiltonian, OfAMotorHasItsConstantInJAndItsLossesInR) {
    const PortHamiltonian f = form_of(kMotorWithLosses);
    EXPECT_THAT(f.states, ElementsAre("La.p", "J.p"));
    EXPECT_THAT(f.inputs, ElementsAre("source.e"));
    EXPECT_THAT(f.outputs, ElementsAre("source.f"));
    expect_matrix("J", f.J, {0.0, -0.05, 0.05, 0.0});
    expect_matrix("R", f.R, {0.5, 0.0, 0.0, 1e-4});
    expect_matrix("Q", f.Q, {500.0, 0.0, 0.0, 1000.0});
    expect_matrix("G", f.G, {1.0, 0.0});
    expect_matrix("P", f.P, {0.0, 0.0});
    expect_matrix("gradient", f.gradient, {3.0, 20.0});
    EXPECT_NEAR(f.stored, 0.5 * 2e-3 * 9.0 + 0.5 * 1e-3 * 400.0, 1e-12);
    EXPECT_TRUE(f.quadratic);
    EXPECT_TRUE(f.positive());
    EXPECT_TRUE(f.passive());
    EXPECT_THAT(f.active, IsEmpty());
    EXPECT_THAT(f.left_out, IsEmpty());
    EXPECT_NEAR(f.least_decay, 0.1, 1e-12);  // b/J, below Ra/La = 250
    expect_checked(f);
}

TEST(PortHamiltonian, AStorageThatFollowsAnotherAddsToTheEnergyOfItsState) {
    // H = (C1 + C2) e²/2 with e = q/C1, and dq/dt = −C1/(C1 + C2) e/R.
    const PortHamiltonian f = form_of(R"(components:
  n: {type: 0}
  a: {type: C, C: 2 F, initial: {e: 1 V}}
  b: {type: C, C: 3 F}
  r: {type: R, R: 4 ohm}
bonds: [n -> a, n -> b, n -> r]
)");
    EXPECT_THAT(f.states, ElementsAre("a.q"));
    expect_matrix("Q", f.Q, {5.0 / 4.0});
    expect_matrix("R", f.R, {(2.0 / 5.0) * (2.0 / 5.0) / 4.0});
    EXPECT_NEAR(f.stored, 2.5, 1e-9);
    EXPECT_NEAR(f.least_decay, 1.0 / (4.0 * 5.0), 1e-12);
    expect_checked(f);
}

TEST(PortHamiltonian, AResistorBetweenSourceAndStorageIsInPAndSToo) {
    const PortHamiltonian f = form_of(R"(components:
  u: {type: Se, e: 2 V}
  j: {type: 1}
  r: {type: R, R: 4 ohm}
  c: {type: C, C: 0.5 F}
bonds: [u -> j, j -> r, j -> c]
)");
    expect_matrix("R", f.R, {0.25});
    expect_matrix("G", f.G, {0.0});
    expect_matrix("P", f.P, {-0.25});
    expect_matrix("S", f.S, {0.25});
    expect_matrix("M", f.M, {0.0});
    EXPECT_NEAR(f.least_loss, 0.0, kRounding);  // one resistor, of rank 1 in two variables
    EXPECT_TRUE(f.passive());
    expect_checked(f);
}

TEST(PortHamiltonian, AGyratorBetweenSourcesIsInM) {
    const PortHamiltonian f = form_of(R"(components:
  a: {type: Se, e: 2}
  b: {type: Se, e: 3}
  n: {type: 1}
  m: {type: 1}
  g: {type: GY, r: 0.5}
  r: {type: R, R: 1}
  c: {type: C, C: 1}
  k: {type: 0}
  s: {type: Sf, f: 1}
bonds: [a -> n, n -> g.p1, g.p2 -> m, b -> m, s -> k, k -> c, k -> r]
)");
    EXPECT_THAT(f.inputs, ElementsAre("a.e", "b.e", "s.f"));
    // e1 = r f2, e2 = r f1: a.f = −b.e/r, b.f = a.e/r, with b on the far side opposing.
    ASSERT_EQ(f.M.size(), 9U);
    EXPECT_NEAR(std::abs(f.M[1]), 2.0, kRounding);
    EXPECT_NEAR(f.M[1] + f.M[3], 0.0, kRounding);
    expect_matrix("S", f.S, std::vector<double>(9, 0.0));
    expect_checked(f);
}

TEST(PortHamiltonian, ANegativeResistanceIsNamed) {
    const PortHamiltonian f = form_of(R"(components:
  j: {type: 1}
  l: {type: I, I: 1, initial: {f: 1}}
  c: {type: C, C: 1}
  loss: {type: R, R: 0.2}
  feed: {type: R, law: e = -0.5*f}
bonds: [j -> l, j -> c, j -> loss, j -> feed]
)");
    EXPECT_FALSE(f.passive());
    EXPECT_LT(f.least_loss, -0.9);
    EXPECT_THAT(f.active, ElementsAre("feed"));
    expect_matrix("R", f.R, {-0.3, 0.0, 0.0, 0.0});
    expect_checked(f);
}

constexpr const char* kRlc = R"(components:
  u: {type: Se, e: 5}
  j: {type: 1}
  r: {type: R, R: 2}
  l: {type: I, I: 0.5, initial: {f: 1}}
  c: {type: C, C: 0.1, initial: {e: 3}}
bonds: [u -> j, j -> r, j -> l, j -> c]
)";

TEST(PortHamiltonian, WhatControlsASourceStaysOutside) {
    std::string controlled = kRlc;
    controlled += "signals: [\"10 - 3*l.f + 0.5*c.e -> u.e\"]\n";
    controlled.replace(controlled.find(", e: 5"), 6, "");
    const PortHamiltonian with = form_of(controlled);
    const PortHamiltonian without = form_of(kRlc);
    EXPECT_THAT(with.controlled, ElementsAre("u.e"));
    EXPECT_THAT(without.controlled, IsEmpty());
    expect_matrix("J", with.J, without.J);
    expect_matrix("R", with.R, without.R);
    expect_matrix("G", with.G, without.G);
    EXPECT_TRUE(with.passive());
    expect_checked(with);
    expect_matrix("J", without.J,
                  without.states.front() == "l.p" ? std::vector<double>{0.0, -1.0, 1.0, 0.0}
                                                  : std::vector<double>{0.0, 1.0, -1.0, 0.0});
}

TEST(PortHamiltonian, IntegralsThatNothingDependsOnAreLeftOut) {
    const PortHamiltonian f =
        form_of(std::string(kRlc).replace(std::string(kRlc).find("bonds:"), 0, "  charge: {type: Integrator}\n") +
                "signals: [l.f -> charge.u]\n");
    EXPECT_THAT(f.left_out, ElementsAre("charge.y"));
    EXPECT_EQ(f.states.size(), 2U);
}

TEST(PortHamiltonian, OfALawThatIsNotLinearQIsTheCurvatureAtTheStart) {
    const PortHamiltonian f = form_of(R"(components:
  j: {type: 1}
  m: {type: I, I: 2, initial: {f: 1}}
  s: {type: C, law: e = 3*q + 5*q^3, energy: 3*q^2/2 + 5*q^4/4, initial: {q: 0.5}}
  d: {type: R, R: 0.1}
bonds: [j -> m, j -> s, j -> d]
)");
    EXPECT_FALSE(f.quadratic);
    ASSERT_THAT(f.states, ElementsAre("m.p", "s.q"));
    expect_matrix("Q", f.Q, {0.5, 0.0, 0.0, 3.0 + 15.0 * 0.25});
    expect_matrix("J", f.J, {0.0, -1.0, 1.0, 0.0});
    expect_matrix("R", f.R, {0.1, 0.0, 0.0, 0.0});
    expect_matrix("gradient", f.gradient, {1.0, 1.5 + 0.625});
    EXPECT_NEAR(f.stored, 1.0 + 0.375 + 5.0 / 64.0, 1e-9);
    expect_checked(f);
}

// ---- The same however it is written

/// Entries by the names of rows and columns.
std::map<std::string, double> by_names(const PortHamiltonian& f, const std::map<std::string, std::string>& names = {}) {
    std::map<std::string, double> all;
    const auto name = [&](const std::string& n) {
        const auto at = names.find(n);
        return at == names.end() ? n : at->second;
    };
    const std::size_t n = f.states.size();
    const std::size_t m = f.inputs.size();
    for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t j = 0; j < n; ++j) {
            const std::string at = name(f.states[i]) + "," + name(f.states[j]);
            all["J " + at] = f.J[i * n + j];
            all["R " + at] = f.R[i * n + j];
            all["Q " + at] = f.Q[i * n + j];
        }
        for (std::size_t k = 0; k < m; ++k) all["G " + name(f.states[i]) + "," + f.inputs[k]] = f.G[i * m + k];
    }
    return all;
}

void expect_same(const std::map<std::string, double>& a, const std::map<std::string, double>& b) {
    ASSERT_EQ(a.size(), b.size());
    for (const auto& [key, value] : a) {
        ASSERT_TRUE(b.contains(key)) << key;
        EXPECT_NEAR(value, b.at(key), 1e-12 * std::max(1.0, std::abs(value))) << key;
    }
}

// The lines in another order, units changed, arrows at elements turned round, something unrelated beside it.
constexpr const char* kMotorShuffled = R"(components:
  b: {type: R, R: 1e-4 N.m.s/rad}
  J: {type: I, I: 10 kg.cm2, initial: {f: 20 rad/s}}
  j2: {type: 1}
  emf: {type: GY, r: 50 mN.m/A}
  La: {type: I, I: 2000 uH, initial: {f: 3 A}}
  Ra: {type: R, R: 500 mohm}
  j1: {type: 1}
  source: {type: Se, e: 12 V}
bonds: [b -> j2, J -> j2, emf.p2 -> j2, j1 -> emf.p1, La -> j1, Ra -> j1, j1 -> source]
)";

constexpr const char* kMotorInParts = R"(types:
  Armature:
    ports: {p: {}, shaft: {}}
    components:
      j1: {type: 1}
      Ra: {type: R, R: 0.5 ohm}
      La: {type: I, I: 2 mH, initial: {f: 3 A}}
      emf: {type: GY, r: 0.05 N.m/A}
    bonds: [p -> j1, j1 -> Ra, j1 -> La, j1 -> emf.p1, emf.p2 -> shaft]
components:
  source: {type: Se, e: 12 V}
  motor: {type: Armature}
  j2: {type: 1}
  J: {type: I, I: 1e-3 kg.m2, initial: {f: 20 rad/s}}
  b: {type: R, R: 1e-4 N.m.s/rad}
bonds: [source -> motor.p, motor.shaft -> j2, j2 -> J, j2 -> b]
)";

TEST(PortHamiltonian, IsTheSameHoweverTheModelIsWritten) {
    const auto plain = by_names(form_of(kMotorWithLosses));
    expect_same(plain, by_names(form_of(kMotorShuffled)));
    expect_same(plain, by_names(form_of(kMotorInParts), {{"motor.La.p", "La.p"}}));
}

TEST(PortHamiltonian, SomethingUnrelatedBesideItAddsABlock) {
    const auto plain = by_names(form_of(kMotorWithLosses));
    std::string text = kMotorWithLosses;
    text.replace(text.find("bonds: ["), 8,
                 "  k: {type: 1}\n  m: {type: I, I: 3}\n  d: {type: R, R: 7}\nbonds: [k -> m, k -> d, ");
    const auto more = by_names(form_of(text));
    for (const auto& [key, value] : plain) EXPECT_NEAR(more.at(key), value, 1e-12 * std::max(1.0, std::abs(value)));
    EXPECT_NEAR(more.at("R m.p,m.p"), 7.0, 1e-12);
    EXPECT_EQ(more.at("J m.p,J.p"), 0.0);
}

// ---- What has none

TEST(PortHamiltonian, SaysWhichPartsKeepAModelFromIt) {
    const std::string loop = "bonds: [u -> j, j -> r, j -> c]\n";
    const auto with = [&](const std::string& parts) {
        return refusal_of("components:\n  j: {type: 1}\n" + parts + loop);
    };
    const std::string source = "  u: {type: Se, e: 2}\n";
    const std::string resistor = "  r: {type: R, R: 3}\n";
    EXPECT_THAT(with(source + resistor + "  c: {type: C, law: e = q^3}\n"),
                HasSubstr("what 'c' (C) stores is not known; give its 'energy:'"));
    EXPECT_THAT(with(source + resistor + "  c: {type: R, R: 1}\n"), HasSubstr("nothing in it stores energy in states"));
    EXPECT_THAT(with("  u: {type: Sf, f: 2}\n" + resistor + "  c: {type: I, I: 1}\n"),
                HasSubstr("'c' (I) follows a source rigidly"));
    EXPECT_THAT(with(source + "  r: {type: R, law: e = 2*f + 1}\n  c: {type: C, C: 1}\n"),
                HasSubstr("a law has constant terms"));
    EXPECT_THAT(with(source + resistor + "  c: {type: C, law: e = q^3, energy: q^4/4}\n"),
                HasSubstr("its slope does not change at the start"));
    EXPECT_THAT(with(source + resistor + "  c: {type: C, law: e = q^3, energy: q^4/2, initial: {q: 1}}\n"),
                HasSubstr("what storages take is not what their stored energy grows by"));
}

TEST(PortHamiltonian, StatesWithoutEnergyThatActOnOthersAreNamed) {
    EXPECT_THAT(
        refusal_of(R"(components:
  j: {type: 1}
  m: {type: I, I: 2, initial: {f: 1}}
  x: {type: Integrator}
  r: {type: R, law: e = 2*f + 0.1*x.y}
bonds: [j -> m, j -> r]
signals: [m.f -> x.u]
)"),
        HasSubstr("the state 'x.y' is no energy variable (nothing that is stored depends on it), and yet it acts "
                  "on 'm.p'"));
}

TEST(PortHamiltonian, PseudoBondsCarryNoPower) {
    EXPECT_THAT(refusal_of(R"(components:
  n: {type: 0}
  c: {type: C, C: 2 J/K, domain: thermal_pseudo, initial: {e: 300 K}}
  r: {type: R, R: 1 K/W}
bonds: [n -> c, n -> r]
)"),
                HasSubstr("has a pseudo-bond, whose effort times flow is no power"));
}

// ---- Shipped models

TEST(PortHamiltonian, OfShippedModelsPowerAddsUpOrTheySayWhyTheyHaveNone) {
    std::size_t forms = 0;
    for (const char* folder : {"electrical", "hydraulic", "magnetic", "multibond", "translational", "rotational"}) {
        for (const auto& file : std::filesystem::directory_iterator(test::source_folder() + "/models/" + folder)) {
            SCOPED_TRACE(file.path().string());
            const auto model = Model::load(file.path().string());
            if (!model) continue;  // one is there for its mistake
            const auto form = model->port_hamiltonian();
            if (!form) {
                const std::string why = form.error().text();
                const bool told = why.find("has no port-Hamiltonian form") != std::string::npos;
                EXPECT_TRUE(told || form.error().kind == Error::Kind::model) << why;
                continue;
            }
            ++forms;
            EXPECT_LT(form->skewness, kRounding);
            EXPECT_LT(form->asymmetry, kRounding);
            EXPECT_LT(form->reciprocity, kRounding);
            EXPECT_LT(form->imbalance, 1e-9);
            EXPECT_EQ(form->passive(), form->active.empty());
        }
    }
    EXPECT_GE(forms, 50U);
}

// C3 hangs between the same two nodes as C1 and follows it alone, through a node that a source gives the effort of: the
// source stands in the equation, and cancels.
TEST(PortHamiltonian, AStorageThatFollowsAnotherThroughASourceFollowsNoSource) {
    const std::string text = R"(components:
  n1: {type: 0}
  n2: {type: 0}
  j1: {type: 1}
  j3: {type: 1}
  c1: {type: C, C: 4 F}
  c3: {type: C, C: 0.5 F}
  s:  {type: Se, e: 1 V}
  l:  {type: I, I: 1 H}
  j:  {type: 1}
bonds: [s -> j, j -> n2, n2 -> l, n2 -> j1, j1 -> n1, j1 -> c1, n2 -> j3, j3 -> n1, j3 -> c3]
)";
    const PortHamiltonian f = form_of(text);
    expect_checked(f);
    EXPECT_THAT(f.states, ElementsAre("c1.q", "l.p"));
    // c3.q = c1.q/8: together q²/8 + (q/8)²/1
    expect_matrix("Q", f.Q, {0.25 + 2.0 / 64.0, 0.0, 0.0, 1.0});
    expect_matrix("J", f.J, {0.0, 0.0, 0.0, 0.0});
    expect_matrix("G", f.G, {0.0, 1.0});
    // Between the nodes of the source itself it does follow that.
    EXPECT_THAT(
        refusal_of("components:\n  s: {type: Se, e: 1}\n  n: {type: 0}\n  c: {type: C, C: 1}\n  j: {type: 1}\n"
                   "  l: {type: I, I: 1}\n  d: {type: C, C: 2}\nbonds: [s -> n, n -> c, n -> j, j -> l, j -> d]\n"),
        HasSubstr("follows"));
}

// The coil's rate is exactly 0, and the terms that cancel in it are of the size of 1: what is left of them is rounding,
// and no share of anything.
TEST(PortHamiltonian, RatesOfWhichOnlyRoundingIsLeftAreZero) {
    const PortHamiltonian f = form_of(R"(components:
  n1: {type: 0, domain: generic}
  n2: {type: 0, domain: generic}
  n3: {type: 0, domain: generic}
  j0: {type: 1}
  g0: {type: GY, r: -0.7}
  h0: {type: 1}
  j1: {type: 1}
  e1: {type: Se, e: 2}
  j2: {type: 1}
  e2: {type: I, I: 1}
  t2: {type: TF, m: 2}
  j3: {type: 1}
  e3: {type: R, R: 4}
  j4: {type: 1}
  e4: {type: R, R: 0.5}
  j5: {type: 1}
  g5: {type: GY, r: 2}
  h5: {type: 1}
bonds: [n1 -> j0, j0 -> g0.p1, g0.p2 -> h0, h0 -> n2, n1 -> j1, j1 -> n3, e1 -> j1, n2 -> j2, j2 -> t2.p1, t2.p2 -> e2,
  j3 -> n2, j3 -> e3, n2 -> j4, j4 -> e4, j5 -> n1, j5 -> g5.p1, g5.p2 -> h5, n1 -> h5, h5 -> n2]
)");
    expect_checked(f);
    EXPECT_THAT(f.J, ElementsAre(0.0));
    EXPECT_THAT(f.R, ElementsAre(0.0));
    EXPECT_THAT(f.G, ElementsAre(0.0));
}

}  // namespace
}  // namespace bondgraph::api
