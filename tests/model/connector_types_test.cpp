// Connector types declared in the model: the same bond as that of a built-in one gives the same results, however it is
// written; several bonds, sizes, and handing on.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/model/same_results.hpp"

namespace bondgraph {
namespace {

using test::expect_same;
using test::Pipeline;
using Codes = std::vector<std::string>;

std::string written_with(std::string text, const std::string& what, const std::string& by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

/// A ladder of types with pins: equations, parts, and both handed on.
const std::string kCircuit = R"(
types:
  Resistor:
    parameters: {R: {unit: ohm}}
    connectors: {p: KIND, n: KIND}
    equations: [p.e - n.e = R*p.f, p.f + n.f = 0]
  Capacitor:
    parameters: {C: {unit: F}}
    connectors: {p: KIND, n: KIND}
    components:
      loop: {type: 1}
      c: {type: C, C: C}
    bonds: [p -> loop, loop -> n, loop -> c]
  Cell:
    connectors: {a: KIND, b: KIND, g: KIND}
    components:
      r: {type: Resistor, R: 2 kohm}
      c: {type: Capacitor, C: 100 uF}
    connect:
      - [a, r.p]
      - [r.n, b, c.p]
      - [c.n, g]
  Larger:
    extends: Cell
    components:
      r: {R: 3 kohm}
  Ground:
    connectors: {p: KIND}
    equations: [p.e = 0]
  Battery:
    connectors: {p: KIND, n: KIND}
    equations: [p.e - n.e = 12*sin(5*time), p.f + n.f = 0]
components:
  battery: {type: Battery}
  cell[3]: {type: Cell}
  last: {type: Larger}
  ground: {type: Ground}
connect:
  - battery.p -- cell[1].a
  - cell[i].b -- cell[i+1].a
  - cell[i].g -- ground
  - cell[3].b -- last.a
  - [battery.n, last.g, ground.p]
)";
const std::string kWire = "connector_types:\n  wire: {doc: like a pin, bonds: {p: {domain: electrical}}}\n";
const std::vector<std::string> kOfCircuit{"cell[2].c.c.e",     "last.c.c.q",    "last.r.p.f",     "cell[1].r.n.e",
                                          "battery.p.voltage", "cell[1].c.p.f", "battery.p.power"};

TEST(ConnectorTypes, TheSameBondAsThatOfAPinGivesTheSameResults) {
    Pipeline pins(written_with(kCircuit, "KIND", "pin"));
    Pipeline wires(kWire + written_with(kCircuit, "KIND", "wire"));
    expect_same(pins, kOfCircuit, wires, kOfCircuit);
    Pipeline after(written_with(kCircuit, "KIND", "wire") + kWire);
    expect_same(pins, kOfCircuit, after, kOfCircuit);
}

TEST(ConnectorTypes, TheOrderOfConnectionsMakesNoDifference) {
    std::string shuffled = written_with(kCircuit, "KIND", "wire");
    shuffled = written_with(shuffled, "      - [a, r.p]\n      - [r.n, b, c.p]\n      - [c.n, g]\n",
                            "      - [g, c.n]\n      - [c.p, b, r.n]\n      - [r.p, a]\n");
    shuffled = written_with(shuffled, "  - battery.p -- cell[1].a\n", "");
    shuffled += "  - cell[1].a -- battery.p\n";
    Pipeline one(kWire + written_with(kCircuit, "KIND", "wire"));
    Pipeline other(kWire + shuffled);
    expect_same(one, kOfCircuit, other, kOfCircuit, 1e-6);
}

/// Both motions of a shaft, by equations and by parts.
const std::string kShafts = R"(
connector_types:
  axle: {bonds: {turn: {domain: rotational}, push: translational}}
types:
  Spring:
    parameters: {c: {value: 7 N.m}, k: {value: 40 N/m}}
    connectors: {a: axle, b: axle}
    variables: {phi: {start: 0.3}, s: {unit: m, start: 0 m}}
    equations:
      - der(phi) = a.turn.f - b.turn.f
      - der(s) = a.push.velocity - b.push.velocity
      - a.turn.e = c*phi
      - a.turn.e + b.turn.e = 0
      - a.push.e = k*s
      - a.push.e + b.push.e = 0
    energy: c*phi^2/2 + k*s^2/2
  Body:
    parameters: {J: {value: 2 kg.m2}, m: {value: 3 kg}, v: {value: 0 m/s}}
    connectors: {p: axle}
    components:
      w: {type: 1}
      j: {type: I, I: J}
      m: {type: I, I: m, initial: {f: v}}
    bonds: [p.turn -> w, w -> j, p.push -> m]
  Wrapped:
    parameters: {v: {value: 0 m/s}}
    connectors: {end: axle}
    components:
      body: {type: Body, v: v}
    connect: [[end, body.p]]
)";
const std::string kShaftsFlat = R"(
components:
  w1: {type: 1}
  v1: {type: 1}
  j1: {type: I, I: 2 kg.m2}
  m1: {type: I, I: 3 kg, initial: {f: 0.5 m/s}}
  w2: {type: 1}
  v2: {type: 1}
  j2: {type: I, I: 2 kg.m2}
  m2: {type: I, I: 3 kg}
  dw: {type: 0}
  dv: {type: 0}
  c: {type: C, K: 7 N.m, initial: {q: 0.3}}
  k: {type: C, K: 40 N/m}
bonds: [w1 -> j1, v1 -> m1, w2 -> j2, v2 -> m2, w1 -> dw, dw -> w2, dw -> c, v1 -> dv, dv -> v2, dv -> k]
)";
const std::string kJoined = R"(
components:
  one: {type: Body, v: 0.5 m/s}
  spring: {type: Spring}
  two: {type: Body}
)";

TEST(ConnectorTypes, SeveralBondsAreJoinedAtOnce) {
    Pipeline flat(kShaftsFlat);
    const std::vector<std::string> of_flat{"j1.f", "m1.f", "m2.f", "c.q", "k.e"};
    const std::vector<std::string> of_typed{"one.j.f", "one.m.f", "two.m.f", "spring.phi", "spring.a.push.force"};
    Pipeline typed(kShafts + kJoined + "connect: [[one.p, spring.a], [spring.b, two]]\n");
    expect_same(flat, of_flat, typed, of_typed, 1e-6);
    Pipeline bonded(kShafts + kJoined +
                    "bonds: [one.p.turn -> spring.a.turn, spring.a.push -> one.p.push]\nconnect: [[spring.b, two]]\n");
    // Where flows are common, a junction joins them as `connect:` does.
    EXPECT_EQ(bonded.graph().bonds.size(), typed.graph().bonds.size());
}

TEST(ConnectorTypes, AConnectorOfSeveralBondsIsHandedOn) {
    Pipeline direct(kShafts + kJoined + "connect: [[one, spring.a], [spring.b, two]]\n");
    const std::string wrapped = written_with(kJoined, "type: Body", "type: Wrapped");
    Pipeline handed(kShafts + wrapped + "connect: [[one.end, spring.a], [spring.b, two]]\n");
    expect_same(direct, {"one.j.f", "two.m.f", "spring.s", "one.p.turn.f"}, handed,
                {"one.body.j.f", "two.body.m.f", "spring.s", "one.body.p.turn.f"});
    const std::string joints =
        "  v: {type: 1}\n  w: {type: 1}\nbonds: [v -> one.NAME.push, w -> one.NAME.turn, "
        "v -> spring.a.push, w -> spring.a.turn]\nconnect: [[spring.b, two]]\n";
    Pipeline by_bonds(kShafts + kJoined + written_with(joints, "NAME", "p"));
    expect_same(direct, {"one.j.f", "two.m.f", "spring.s"}, by_bonds, {"one.j.f", "two.m.f", "spring.s"}, 1e-6);
    Pipeline through(kShafts + wrapped + written_with(joints, "NAME", "end"));
    expect_same(by_bonds, {"one.j.f", "two.m.f"}, through, {"one.body.j.f", "two.body.m.f"});
}

TEST(ConnectorTypes, ResultsOfABondHaveItsName) {
    Pipeline p(kShafts + kJoined + "connect: [[one.p, spring.a], [spring.b, two]]\n");
    for (const char* name : {"spring.a.turn.e", "spring.a.turn.torque", "one.p.push.f", "one.p.push.power",
                             "two.p.turn.angular_velocity", "one.p.turn.e"})
        EXPECT_TRUE(model::resolve_name(p.graph(), name)) << name;
    for (const char* name : {"spring.a.e", "spring.a.turn", "one.p.e"})
        EXPECT_FALSE(model::resolve_name(p.graph(), name)) << name;
    const std::string watched = written_with(kShafts, "bonds: [p.turn",
                                             "variables: {power: {}}\n    equations: [power = "
                                             "p.turn.e*p.turn.f]\n    bonds: [p.turn");
    Pipeline q(watched + kJoined + "connect: [[one.p, spring.a], [spring.b, two]]\n");
    expect_same(q, {"one.power"}, q, {"one.p.turn.power"}, 1e-12);
}

const std::string kThreePhases = R"(
connector_types:
  three_phase: {bonds: {abc: {domain: electrical, size: 3}}}
types:
  Load:
    parameters: {R: 5 ohm}
    connectors: {p: three_phase}
    components:
      n: {type: 0}
      r: {type: R, R: R}
    bonds: [p -> n, n -> r]
  Equal:
    parameters: {R: 5 ohm}
    connectors: {p: three_phase}
    equations: [p.e = R*p.f]
  Supply:
    connectors: {p: three_phase}
    components:
      s: {type: Se, e: "[1, sin(time), cos(time)]"}
    bonds: [s -> p]
components:
  s: {type: Supply}
  load: {type: Load}
  equal: {type: Equal}
)";

TEST(ConnectorTypes, ABondHasASize) {
    Pipeline p(kThreePhases + "connect: [[s, load, equal]]\n");
    expect_same(p, {"load.r.f[2]", "load.r.f[3]", "load.p.e[2]"}, p, {"equal.p.f[2]", "equal.f[3]", "equal.p.e[2]"},
                1e-12);
    const std::string kBonded = written_with(kThreePhases, "components:\n  s: {type: Supply}",
                                             "components:\n  s: {type: Se, e: 2 V}\n  node: {type: 0}");
    Pipeline q(kBonded + "bonds: [s -> node, node -> load, node -> equal]\n");
    EXPECT_EQ(q.graph().element_by_name.contains("s"), true);
    expect_same(q, {"load.r.f[3]"}, q, {"equal.f[1]"}, 1e-12);
}

TEST(ConnectorTypes, TheSizeHoldsWhereNothingElseSaysIt) {
    Pipeline p(written_with(kThreePhases, "  equal: {type: Equal}\n", "").substr(0, std::string::npos) +
               "connect: [[s, load]]\n");
    EXPECT_TRUE(model::resolve_name(p.graph(), "load.r.f[3]"));
    std::string scalar = written_with(kThreePhases, "  equal: {type: Equal}\n", "");
    scalar = written_with(scalar, "  s: {type: Supply}", "  s: {type: Se, e: 1 V}");
    Pipeline bonded(scalar + "bonds: [s -> load.p]\n");
    EXPECT_TRUE(model::resolve_name(bonded.graph(), "load.r.f[3]"));
    EXPECT_EQ(test::errors_in(written_with(scalar, "e: 1 V", "e: [1 V, 2 V]") + "bonds: [s -> load.p]\n"),
              Codes{"BG-M010"});
}

TEST(ConnectorTypes, ABondTellsTheDomainInside) {
    EXPECT_EQ(test::errors_in("connector_types: {rope: {bonds: {p: translational}}}\n"
                              "types:\n  T:\n    connectors: {p: rope}\n    components: {r: {type: R, R: 2 ohm}}\n"
                              "    bonds: [p -> r]\ncomponents:\n  s: {type: Se, e: 1}\n  t: {type: T}\n"
                              "bonds: [s -> t.p]\n"),
              Codes{"BG-M011"});
}

TEST(ConnectorTypes, WhatIsCommonFollowsFromTheDomain) {
    const auto junction_of = [](const std::string& bond) {
        Pipeline p("connector_types: {k: {bonds: {x: " + bond +
                   "}}}\ntypes:\n  S: "
                   "{connectors: {p: k}, "
                   "equations: [p.e = 1]}\n  F: {connectors: {p: k}, equations: [p.f = 1]}\n"
                   "components: {s: {type: S}, t: {type: F}, f: {type: F}}\nconnect: [[s, t, f]]\n");
        for (const model::Element& e : p.graph().elements) {
            if (e.is_junction()) return std::string(e.type->name);
        }
        return std::string();
    };
    for (const char* domain : {"electrical", "hydraulic", "magnetic", "thermal", "thermal_pseudo", "chemical"})
        EXPECT_EQ(junction_of(domain), "0") << domain;
    for (const char* domain : {"translational", "rotational"}) EXPECT_EQ(junction_of(domain), "1") << domain;
    EXPECT_EQ(junction_of("{domain: rotational, common: effort}"), "0");
    EXPECT_EQ(junction_of("{domain: electrical, common: flow}"), "1");
    EXPECT_EQ(junction_of("{common: flow}"), "1");
    EXPECT_EQ(junction_of("{domain: generic, common: effort}"), "0");
}

TEST(ConnectorTypes, KindsAreJoinedByNameNotByContent) {
    const std::string types =
        "connector_types: {wire: {bonds: {p: electrical}}, cable: {bonds: {p: electrical}}}\n"
        "types:\n  A: {connectors: {p: wire}, equations: [p.e = 1]}\n  B: {connectors: {p: KIND}, equations: [p.f = "
        "0]}\n"
        "components: {a: {type: A}, b: {type: B}}\nconnect: [[a, b]]\n";
    EXPECT_EQ(test::errors_in(written_with(types, "KIND", "wire")), Codes{});
    EXPECT_EQ(test::errors_in(written_with(types, "KIND", "cable")), Codes{"BG-M051"});
    EXPECT_EQ(test::errors_in(written_with(types, "KIND", "pin")), Codes{"BG-M051"});
}

TEST(ConnectorTypes, EachBondLeadsSomewhere) {
    const std::string loose = written_with(kShafts, "p.push -> m", "w -> m");
    EXPECT_EQ(test::errors_in(loose + kJoined + "connect: [[one, spring.a], [spring.b, two]]\n"), Codes{"BG-M058"});
    EXPECT_EQ(test::errors_in(kShafts + kJoined + "connect: [[one, spring.a]]\n"), Codes{"BG-M009"});
    EXPECT_EQ(test::errors_in(kShafts + kJoined + "connect: [[one, spring.a], [spring.b.turn, two]]\n"),
              Codes{"BG-M050"});
}

}  // namespace
}  // namespace bondgraph
