// Bonds between connectors, and results of connectors that are handed on.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using testing::ElementsAre;

const std::string kParts = R"(
types:
  Coil:
    connectors: {a: translational_flange, b: translational_flange}
    outputs: {s: {unit: m}, F: {unit: N}}
    components: {between: {type: 0}, c: {type: C, K: 3 N/m}}
    bonds: [a -> between, between -> c, between -> b]
    signals: [c.q -> s, c.e -> F]
  Mass:
    connectors: {a: {type: translational_flange, optional: true}, b: {type: translational_flange, optional: true}}
    outputs: {v: {unit: m/s}}
    components: {at: {type: 1}, m: {type: I, I: 2 kg, initial: {f: 1 m/s}}}
    bonds: [a -> at, at -> m, at -> b]
    signals: [m.f -> v]
  Rest:
    connectors: {a: translational_flange}
    components: {zero: {type: Sf, f: 0 m/s}}
    bonds: [zero -> a]
  ByEquations:
    connectors: {a: translational_flange, b: translational_flange}
    variables: {s: {unit: m, start: 0 m}}
    parameters: {k: 3 N/m}
    equations: [der(s) = a.f - b.f, a.e = k*s, a.e + b.e = 0]
  Resistor:
    connectors: {p: pin, n: pin}
    outputs: {i: {unit: A}}
    components: {j: {type: 1}, r: {type: R, R: 2 ohm}}
    bonds: [p -> j, j -> n, j -> r]
    signals: [r.f -> i]
)";

std::vector<double> ends_of(const std::string& components, const std::vector<std::string>& names) {
    Pipeline p(kParts + components);
    const auto run = p.run({.stop = 0.7, .tolerance = 1e-9}, names);
    std::vector<double> last;
    for (std::size_t k = 0; k < names.size(); ++k) last.push_back(run.result.at(run.result.time.size() - 1, k));
    return last;
}

void expect_same(const std::vector<double>& a, const std::vector<double>& b, const std::string& what) {
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t k = 0; k < a.size(); ++k) EXPECT_NEAR(a[k], b[k], 1e-7) << what << ", result " << k;
}

// A mass against a spring: which way the bond is drawn, and at which of its two flanges, is no matter.
TEST(ConnectorBonds, AreConnectionsWhereFlowsAreCommon) {
    const std::string parts = "components: {c: {type: Coil}, m: {type: Mass}, r: {type: Rest}}\n";
    const std::vector<std::string> names{"c.s", "c.F", "m.v"};
    const auto joined = ends_of(parts + "connect: [[c.a, m.a], [c.b, r.a]]\n", names);
    const double w = std::sqrt(1.5);
    EXPECT_NEAR(joined[0], std::sin(0.7 * w) / w, 1e-7);
    EXPECT_NEAR(joined[2], std::cos(0.7 * w), 1e-7);
    for (const char* bond : {"c.a -> m.a", "m.a -> c.a", "c.a -> m.b", "m.b -> c.a"})
        expect_same(ends_of(parts + "bonds: [" + std::string(bond) + ", c.b -> r.a]\n", names), joined, bond);
    const auto turned = ends_of(parts + "connect: [[c.b, m.a], [c.a, r.a]]\n", names);
    EXPECT_NEAR(turned[0], -joined[0], 1e-7);
    for (const char* bond : {"c.b -> m.a", "m.a -> c.b", "m.b -> c.b", "c.b -> m.b"})
        expect_same(ends_of(parts + "bonds: [" + std::string(bond) + ", r.a -> c.a]\n", names), turned, bond);
}

TEST(ConnectorBonds, AreConnectionsOfTypesByEquationsAndOfParts) {
    const std::vector<std::string> names{"c.s", "m.f"};
    const std::string parts =
        "components: {c: {type: ByEquations}, m: {type: I, I: 2 kg, initial: {f: 1 m/s}}, r: {type: Rest}";
    const auto joined = ends_of(parts + ", j: {type: 1}}\nbonds: [j -> c.a, j -> m]\nconnect: [[c.b, r.a]]\n", names);
    expect_same(ends_of(parts + "}\nbonds: [c.a -> m]\nconnect: [[c.b, r.a]]\n", names), joined, "c.a -> m");
    EXPECT_GT(joined[0], 0.1);
}

// Where efforts are common, the flow of one is what the other gives.
TEST(ConnectorBonds, OfPinsAreAsTheyWere) {
    const std::string parts =
        "components: {u: {type: Se, e: 6 V}, a: {type: Resistor}, b: {type: Resistor}, g: {type: Se, e: 0 V}}\n";
    const auto joined = ends_of(parts + "connect: [[a.p, b.p]]\nbonds: [u -> a.n, b.n -> g]\n", {"a.i", "b.i"});
    const auto bonded = ends_of(parts + "bonds: [u -> a.n, a.p -> b.p, b.n -> g]\n", {"a.i", "b.i"});
    expect_same(bonded, joined, "a.p -> b.p");
    EXPECT_NEAR(bonded[0], -1.5, 1e-9);
    EXPECT_NEAR(bonded[1], 1.5, 1e-9);
}

// A named bond keeps its results, along the arrow drawn.
TEST(ConnectorBonds, KeepTheirNames) {
    const std::string parts = "components: {c: {type: Coil}, m: {type: Mass}, r: {type: Rest}}\n";
    const auto there = ends_of(parts + "bonds: [x: m.a -> c.a, c.b -> r.a]\n", {"x.power", "x.f", "c.F"});
    const auto back = ends_of(parts + "bonds: [x: c.a -> m.a, c.b -> r.a]\n", {"x.power", "x.f", "c.F"});
    EXPECT_NEAR(there[0], there[1] * there[2], 1e-7);
    EXPECT_NEAR(back[0], -there[0], 1e-7);
    EXPECT_NEAR(back[1], there[1], 1e-7);
}

TEST(HandedConnectors, HaveResultsByTheirOuterNames) {
    const std::string types = kParts + R"(
  Shell:
    connectors: {p: pin, n: pin}
    outputs: {power: {unit: W}}
    components: {r: {type: Resistor}}
    connect: [[p, r.p], [n, r.n]]
    signals: [p.e*p.f + n.e*n.f -> power]
  Outer:
    connectors: {p: pin, n: pin}
    components: {shell: {type: Shell}}
    connect: [[p, shell.p], [n, shell.n]]
components: {u: {type: Se, e: 6 V}, x: {type: Outer}, y: {type: Shell}, g: {type: Se, e: 0 V}}
connect: [[x.n, y.p]]
bonds: [u -> x.p, y.n -> g]
)";
    Pipeline p(types);
    const auto run = p.run({.stop = 1.0}, {"x.p.f", "x.p.e", "x.n.e", "x.n.f", "y.p.e", "x.shell.p.e", "y.power",
                                           "x.p.voltage", "x.p.power"});
    std::vector<double> last;
    for (std::size_t k = 0; k < 9; ++k) last.push_back(run.result.at(run.result.time.size() - 1, k));
    EXPECT_THAT(last, testing::Pointwise(testing::DoubleNear(1e-9), {1.5, 6.0, 3.0, 1.5, 3.0, 6.0, 4.5, 6.0, 9.0}));
}

// One component of a vector of one: arrays of any size may come down to it.
TEST(DrivenComponents, MayBeTheOnlyOne) {
    const auto of_size = [](int n) {
        Pipeline p("parameters: {n: " + std::to_string(n) + R"(}
types:
  Own: {inputs: [u], outputs: [y], equations: ["y = 2*u[1]"]}
  Par: {parameters: {k: {doc: list}}, outputs: [y], equations: ["y = 3*k[1]"]}
components:
  s[n]: {type: Constant, k: 5*i}
  o: {type: Own}
  p: {type: Par}
  e: {type: Se, size: n}
  x: {type: R, R: 1, size: n}
bonds: [e -> x]
signals:
  - s[i].y -> o.u[i]
  - s[i].y -> p.k[i]
  - s[i].y -> e.e[i]
)");
        const auto run = p.run({.stop = 1.0}, {"o.y", "p.y"});
        return std::vector{run.result.at(0, 0), run.result.at(0, 1)};
    };
    for (const int n : {1, 2, 3}) EXPECT_THAT(of_size(n), ElementsAre(10.0, 15.0)) << n;
    // Where the component has more, one number is not to stand for all.
    EXPECT_THAT(test::errors_in("components:\n  s: {type: Constant, k: 1}\n  e: {type: Se, size: 3}\n"
                                "  x: {type: R, R: 1, size: 3}\nbonds: [e -> x]\nsignals: [\"s.y -> e.e[1]\"]\n"),
                ElementsAre("BG-M019"));
}

}  // namespace
}  // namespace bondgraph
