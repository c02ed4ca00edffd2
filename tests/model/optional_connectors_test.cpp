// Connectors that may be left unconnected, and what is left out with them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/model/same_results.hpp"

namespace bondgraph {
namespace {

using test::expect_same;
using test::Pipeline;
using Codes = std::vector<std::string>;

/// A resistor with a heat port, a pair of them that hands it on, and parts to make a circuit of.
const std::string kHeatTypes = R"(
model: m
types:
  Resistor:
    parameters: {R: 2 ohm, alpha: 0.01 1/K, T: 300 K, T0: 290 K}
    connectors: {p: pin, n: pin, heat: {type: heat_port, optional: true}}
    components:
      j: {type: 1}
      cold: {type: R, R: R*(1 + alpha*(T - T0)), if: not heat.connected}
      warm: {type: RS, R: R*(1 + alpha*(heat.e - T0)), if: heat.connected}
    bonds: [p -> j, j -> n, j -> cold, j -> warm.p, warm.heat -> heat]
  Pair:
    connectors: {p: pin, n: pin, heat: {type: heat_port, optional: true}}
    components: {a: {type: Resistor}, b: {type: Resistor, R: 3 ohm}}
    connect: [[p, a.p], [a.n, b.p], [b.n, n], [heat, a.heat, b.heat]]
  Needy:
    parameters: {R: {unit: ohm}}
    connectors: {p: pin, n: pin}
    components: {j: {type: 1}, r: {type: R, R: R}}
    bonds: [p -> j, j -> n, j -> r]
  Ground:
    connectors: {p: pin}
    components: {earth: {type: Se, e: 0 V}}
    bonds: [earth -> p]
  Charge:
    connectors: {p: pin}
    components: {c: {type: C, C: 0.1 F, initial: {e: 5 V}}}
    bonds: [p -> c]
  Body:
    connectors: {heat: heat_port}
    components: {c: {type: C, C: 0.5 J/K, initial: {e: 300 K}}}
    bonds: [heat -> c]
)";

bool has(Pipeline& p, const std::string& element) { return p.graph().element_by_name.contains(element); }

std::string warm_circuit(const std::string& components, const std::string& connections) {
    return kHeatTypes + "components:\n  g: {type: Ground}\n  q: {type: Charge}\n" + components + connections;
}

const std::string kOpenCircuit = warm_circuit("  r: {type: Resistor}\n", "connect: [[q.p, r.p], [r.n, g.p]]\n");
const std::string kWarmCircuit = warm_circuit("  r: {type: Resistor}\n  body: {type: Body}\n",
                                              "connect: [[q.p, r.p], [r.n, g.p], [r.heat, body.heat]]\n");

TEST(OptionalConnectors, WhatNamesAnOpenOneIsLeftOut) {
    Pipeline open(kOpenCircuit);
    EXPECT_FALSE(has(open, "r.warm"));
    EXPECT_TRUE(has(open, "r.cold"));
    Pipeline warm(kWarmCircuit);
    EXPECT_TRUE(has(warm, "r.warm"));
    EXPECT_FALSE(has(warm, "r.cold"));
}

TEST(OptionalConnectors, TheSameAsWrittenWithoutThem) {
    Pipeline open(kOpenCircuit);
    Pipeline plain(
        "model: m\ncomponents: {q: {type: C, C: 0.1 F, initial: {e: 5 V}}, r: {type: R, R: 2.2 ohm}, n: {type: 0}}\n"
        "bonds: [n -> q, n -> r]\n");
    expect_same(open, {"q.c.e"}, plain, {"q.e"}, 1e-7);
}

TEST(OptionalConnectors, BondsAndNamesOfPartsWithOneConnectorConnectAsWell) {
    Pipeline warm(kWarmCircuit);
    Pipeline short_name(warm_circuit("  r: {type: Resistor}\n  body: {type: Body}\n",
                                     "connect: [[q, r.p], [r.n, g], [r.heat, body]]\n"));
    Pipeline bonded(warm_circuit("  r: {type: Resistor}\n  body: {type: C, C: 0.5 J/K, initial: {e: 300 K}}\n",
                                 "connect: [[q, r.p], [r.n, g]]\nbonds: [r.heat -> body]\n"));
    expect_same(warm, {"q.c.e", "body.c.e"}, short_name, {"q.c.e", "body.c.e"});
    expect_same(warm, {"q.c.e", "body.c.e"}, bonded, {"q.c.e", "body.e"}, 1e-9);
}

TEST(OptionalConnectors, AreHandedOnWhereTheOuterOneIsConnected) {
    const std::string ends = "connect: [[q, two.p], [two.n, g]";
    Pipeline open(warm_circuit("  two: {type: Pair}\n", ends + "]\n"));
    EXPECT_TRUE(has(open, "two.a.cold"));
    EXPECT_TRUE(has(open, "two.b.cold"));
    Pipeline warm(warm_circuit("  two: {type: Pair}\n  body: {type: Body}\n", ends + ", [two.heat, body]]\n"));
    EXPECT_TRUE(has(warm, "two.b.warm"));
    Pipeline flat(warm_circuit("  a: {type: Resistor}\n  b: {type: Resistor, R: 3 ohm}\n  body: {type: Body}\n",
                               "connect: [[q, a.p], [a.n, b.p], [b.n, g], [a.heat, b.heat, body]]\n"));
    expect_same(warm, {"q.c.e", "body.c.e"}, flat, {"q.c.e", "body.c.e"}, 1e-9);
}

TEST(OptionalConnectors, OfAnArrayAreOpenOneByOne) {
    Pipeline mixed(warm_circuit("  r[3]: {type: Resistor}\n  body: {type: Body}\n",
                                "connect:\n  - [q, 'r[1].p']\n  - r[i].n -- r[i+1].p\n  - [\"r[3].n\", g]\n"
                                "  - [\"r[2].heat\", body]\n"));
    EXPECT_TRUE(has(mixed, "r[1].cold"));
    EXPECT_TRUE(has(mixed, "r[2].warm"));
    EXPECT_TRUE(has(mixed, "r[3].cold"));
    Pipeline all(warm_circuit("  r[3]: {type: Resistor}\n  body[3]: {type: Body}\n",
                              "connect:\n  - [q, 'r[1].p']\n  - r[i].n -- r[i+1].p\n  - [\"r[3].n\", g]\n"
                              "  - r[i].heat -- body[i].heat\n"));
    for (const char* name : {"r[1].warm", "r[2].warm", "r[3].warm"}) EXPECT_TRUE(has(all, name));
}

TEST(OptionalConnectors, ToWhatIsLeftOutAreOpen) {
    const auto with = [](const char* condition) {
        return warm_circuit(std::string("  r: {type: Resistor}\n  body: {type: Body, if: ") + condition + "}\n",
                            "connect: [[q, r.p], [r.n, g], [r.heat, body]]\n");
    };
    Pipeline without(with("false"));
    EXPECT_TRUE(has(without, "r.cold"));
    Pipeline joined(with("true"));
    EXPECT_TRUE(has(joined, "r.warm"));
}

// In the source of a signal as in any expression: it names no component that could be left out.
TEST(OptionalConnectors, AreAskedForInSignals) {
    const auto gain = [](bool open) {
        std::string text = open ? kOpenCircuit : kWarmCircuit;
        const std::string line = "    bonds: [p -> j, j -> n, j -> cold, j -> warm.p, warm.heat -> heat]\n";
        text.replace(text.find(line), line.size(),
                     line + "    outputs: [y]\n    signals: [\"(if heat.connected then 2 else 3)*p.f -> y\"]\n");
        Pipeline p(text);
        const auto run = p.run({.stop = 1.0, .tolerance = 1e-6, .interval = 0.5}, {"r.y", "r.p.f"}).result;
        return run.at(0, 0) / run.at(0, 1);
    };
    EXPECT_DOUBLE_EQ(gain(true), 3.0);
    EXPECT_DOUBLE_EQ(gain(false), 2.0);
}

TEST(OptionalConnectors, OrderOfLinesMakesNoDifference) {
    Pipeline warm(kWarmCircuit);
    Pipeline turned(
        kHeatTypes +
        "connect: [[body.heat, r.heat], [g.p, r.n], [r.p, q.p]]\n"
        "components:\n  body: {type: Body}\n  r: {type: Resistor}\n  q: {type: Charge}\n  g: {type: Ground}\n");
    expect_same(warm, {"q.c.e", "body.c.e"}, turned, {"q.c.e", "body.c.e"}, 1e-9);
}

TEST(OptionalConnectors, OthersHaveToBeConnected) {
    std::string text = kOpenCircuit;
    text.replace(text.find(", optional: true"), 16, "");
    EXPECT_NE(test::errors_in(text), Codes{});
}

// A connector that is handed on to several parts takes bonds as one that leads to a single part does.
TEST(HandedOnConnectors, TakeBondsFromOutside) {
    const std::string ends = "connect: [[q, two.p], [two.n, g]";
    Pipeline connected(warm_circuit("  two: {type: Pair}\n  body: {type: Body}\n", ends + ", [two.heat, body]]\n"));
    Pipeline bonded(warm_circuit("  two: {type: Pair}\n  body: {type: C, C: 0.5 J/K, initial: {e: 300 K}}\n",
                                 ends + "]\nbonds: [two.heat -> body]\n"));
    expect_same(connected, {"q.c.e", "body.c.e"}, bonded, {"q.c.e", "body.e"}, 1e-9);
}

// A parameter without a value may get one by a signal, as those of elements do.
TEST(DrivenParameters, NeedNoValue) {
    const std::string signals = "signals: [s.y -> r.R]\n";
    Pipeline driven(warm_circuit("  r: {type: Needy}\n  s: {type: Constant, k: 2.2}\n",
                                 "connect: [[q.p, r.p], [r.n, g.p]]\n" + signals));
    Pipeline open(kOpenCircuit);
    expect_same(driven, {"q.c.e"}, open, {"q.c.e"}, 1e-7);
    EXPECT_THAT(test::errors_in(warm_circuit("  r: {type: Needy}\n", "connect: [[q.p, r.p], [r.n, g.p]]\n")),
                testing::Contains("BG-M003"));
    EXPECT_THAT(test::errors_in(warm_circuit("  r: {type: Needy}\n  s: {type: Constant, k: 2.2, if: false}\n",
                                             "connect: [[q.p, r.p], [r.n, g.p]]\n" + signals)),
                testing::Contains("BG-M003"));
}

TEST(OptionalConnectors, HaveToLeadToSomethingInside) {
    const std::string text = R"(
model: m
types:
  Loss:
    parameters: {R: 2}
    connectors: {p: pin, heat: {type: heat_port, optional: true}}
    equations: [p.e = R*p.f, heat.f = -R*p.f^2]
components: {r: {type: Loss}, s: {type: Se, e: 1 V}}
bonds: [s -> r.p]
)";
    EXPECT_THAT(test::errors_in(text), testing::Contains("BG-M087"));
}

}  // namespace
}  // namespace bondgraph
