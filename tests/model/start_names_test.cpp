// Start values that types take under names of their own (`starts:`): the same run as with the states they stand for.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/model/same_results.hpp"

namespace bondgraph {
namespace {

using test::expect_same;
using test::Pipeline;
using testing::HasSubstr;
using Codes = std::vector<std::string>;

std::string with_text(std::string text, const std::string& what, const std::string& by) {
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + by.size()))
        text.replace(at, what.size(), by);
    return text;
}

/// A body by equations, a swing of parts, both inside another type, and a chain with arrays.
const std::string kStartTypes = R"(
types:
  Body:
    parameters: {m: {value: 2 kg, above: 0 kg}}
    ports: {p: {domain: translational}}
    variables: {h: {unit: N.s, start: 1 N.s, doc: momentum}, x: {unit: m, start: 0 m}}
    equations: [der(h) = p.e, der(x) = p.f, h = m*p.f]
    starts:
      v: {value: h/m, unit: m/s, doc: velocity}
      place: x
      speed: v
      both: x*h
  Swing:
    parameters: {k: 30 N/m, c: 0.5 N.s/m}
    ports: {p: {domain: translational}}
    components:
      j: {type: 1}
      mass: {type: I, I: 3 kg}
      coil: {type: C, K: k}
      loss: {type: R, R: c}
    bonds: [p -> j, j -> mass, j -> coil, j -> loss]
    starts:
      v: mass.f
      s: coil.q
      pull: coil.e
      far: 2*coil.q
      common: j.f
      kinetic: mass.p^2
      whole: mass.p*coil.q
  Heavy:
    extends: Swing
    components:
      mass: {I: 3 kg}
    starts: {momentum: mass.p, far: 4*coil.q}
  Carrier:
    ports: {p: {domain: translational}}
    components:
      inner: {type: Swing}
      other: {type: Heavy}
      j: {type: 1}
    bonds: [p -> j, j -> inner.p, j -> other.p]
    starts: {v: inner.v, far: inner.far, both: "[inner.s, other.s]", stretch: 100*inner.s, h: other.momentum}
  Chain:
    parameters: {n: 3}
    ports: {a: {domain: electrical}}
    components:
      node[n]: {type: 0}
      c[n]: {type: C, C: 20 mF}
      r[n]: {type: 1}
      loss[n]: {type: R, R: 10 ohm}
    bonds: ["a -> node[1]", "node[i] -> c[i]", "node[i] -> r[i]", "r[i] -> loss[i]", "r[i] -> node[i+1]"]
    starts: {u: "c[i].e", last: "c[n].e", double: "2*c[n-1].e"}
)";

std::string started(const std::string& type, const std::string& start) {
    const bool chain = type == "Chain";
    return kStartTypes +
           "components:\n  push: " + (chain ? "{type: Sf, f: 0.1*cos(3*time)}" : "{type: Se, e: 2*cos(3*time)}") +
           "\n  s: {type: " + type + ", " + start + "}\nbonds: [push -> s." + (chain ? "a" : "p") + "]\n";
}

void expect_as_with(const std::string& type, const std::string& start, const std::string& other,
                    const std::vector<std::string>& names) {
    Pipeline one(started(type, start));
    Pipeline same(started(type, other));
    SCOPED_TRACE(start);
    expect_same(one, names, same, names, 1e-9);
}

const std::vector<std::string> kOfTheSwing{"s.mass.f", "s.coil.q", "s.loss.e"};
const std::vector<std::string> kOfTheBody{"s.h", "s.x"};

TEST(StartNames, OfPartsAreThoseOfTheirStates) {
    expect_as_with("Swing", "initial: {v: 2 m/s}", "initial: {mass.f: 2 m/s}", kOfTheSwing);
    expect_as_with("Swing", "initial: {v: 200 cm/s, s: 5 cm}", "initial: {mass.p: 6 N.s, coil.q: 0.05 m}", kOfTheSwing);
    expect_as_with("Swing", "initial: {pull: 3 N}", "initial: {coil.q: 10 cm}", kOfTheSwing);
    expect_as_with("Swing", "guess: {s: 5 cm}", "guess: {coil.q: 5 cm}", kOfTheSwing);
    expect_as_with("Swing", "initial: {common: 2 m/s}", "initial: {mass.f: 2 m/s}", kOfTheSwing);
}

TEST(StartNames, AreSolvedForTheStateInAnExpression) {
    expect_as_with("Body", "initial: {v: 3 m/s}", "initial: {h: 6 N.s}", kOfTheBody);
    expect_as_with("Body", "guess: {v: 3 m/s, place: 1 m}", "guess: {h: 6 N.s, x: 1 m}", kOfTheBody);
    expect_as_with("Body", "m: 4 kg, initial: {speed: 3 m/s}", "m: 4 kg, initial: {h: 12 N.s}", kOfTheBody);
    expect_as_with("Swing", "initial: {far: 2 m}", "initial: {coil.q: 1 m}", kOfTheSwing);
    expect_as_with("Swing", "guess: {far: 2 m}", "guess: {coil.q: 1 m}", kOfTheSwing);
}

TEST(StartNames, OfWhatHasNoSingleSolutionAreConditions) {
    expect_as_with("Swing", "initial: {kinetic: 36, mass.p: 6 N.s}", "initial: {mass.p: 6 N.s}", kOfTheSwing);
    expect_as_with("Swing", "initial: {whole: 12, coil.q: 2 m}", "initial: {coil.q: 2 m, mass.p: 6 N.s}", kOfTheSwing);
    // the start values that the type has of its own are then guesses
    expect_as_with("Body", "initial: {both: 12, place: 2 m}", "initial: {x: 2 m, h: 6 N.s}", kOfTheBody);
    EXPECT_EQ(test::errors_in(started("Swing", "guess: {whole: 12}")), Codes{"BG-M084"});
    EXPECT_THAT(test::message_in(started("Swing", "guess: {whole: 12}")), HasSubstr("'s.whole' takes no guess"));
}

TEST(StartNames, TakeTheValuesThatExpressionsAroundGive) {
    const std::string parameter = "parameters: {v0: 2 m/s}\n";
    Pipeline one(parameter + started("Swing", "initial: {v: 2*v0}"));
    Pipeline same(started("Swing", "initial: {mass.f: 4 m/s}"));
    expect_same(one, kOfTheSwing, same, kOfTheSwing, 1e-9);
}

TEST(StartNames, OfNestedTypesLeadOnInside) {
    const std::vector<std::string> names{"s.inner.mass.f", "s.inner.coil.q", "s.other.mass.f", "s.other.coil.q"};
    expect_as_with("Carrier", "initial: {v: 2 m/s}", "initial: {inner.mass.f: 2 m/s}", names);
    expect_as_with("Carrier", "initial: {inner.v: 2 m/s}", "initial: {inner.mass.f: 2 m/s}", names);
    expect_as_with("Carrier", "initial: {far: 2 m}", "initial: {inner.coil.q: 1 m}", names);
    expect_as_with("Carrier", "initial: {other.far: 2 m}", "initial: {other.coil.q: 0.5 m}", names);
    expect_as_with("Carrier", "initial: {stretch: 20 m}", "initial: {inner.coil.q: 20 cm}", names);
    expect_as_with("Carrier", "initial: {both: [1 m, 2 m]}", "initial: {inner.coil.q: 1 m, other.coil.q: 2 m}", names);
    expect_as_with("Carrier", "initial: {h: 6 N.s}", "initial: {other.mass.p: 6 N.s}", names);
}

TEST(StartNames, OfArraysTakeOneNumberForAllOrAList) {
    const std::vector<std::string> names{"s.c[1].e", "s.c[2].e", "s.c[3].e"};
    expect_as_with("Chain", "initial: {u: 3 V}", "initial: {\"c[1].e\": 3 V, \"c[2].e\": 3 V, \"c[3].e\": 3 V}", names);
    expect_as_with("Chain", "guess: {u: [1 V, 2 V, 3 V]}", "guess: {\"c[1].e\": 1 V, \"c[2].e\": 2 V, \"c[3].e\": 3 V}",
                   names);
    expect_as_with("Chain", "initial: {last: 4 V}", "initial: {\"c[3].e\": 4 V}", names);
    expect_as_with("Chain", "n: 4, initial: {double: 4 V}", "n: 4, initial: {\"c[3].e\": 2 V}", names);
    Pipeline listed("parameters: {all: [1 V, 2 V, 3 V]}\n" + started("Chain", "guess: {u: all}"));
    Pipeline same(started("Chain", "guess: {u: [1 V, 2 V, 3 V]}"));
    expect_same(listed, names, same, names, 1e-9);
    EXPECT_EQ(test::errors_in(started("Chain", "guess: {u: [1 V, 2 V]}")), Codes{"BG-M010"});
}

const std::string kGrid = R"(
types:
  Cell:
    ports: {a: {domain: electrical}}
    components: {n: {type: 0}, c: {type: C, C: 1 F}, r: {type: R, R: 10 ohm}}
    bonds: [a -> n, n -> c, n -> r]
    starts: {U: c.e}
  Grid:
    parameters: {N: 2}
    ports: {a: {domain: electrical}}
    components: {m: {type: 1}, "g[N,3]": {type: Cell}, "row[N]": {type: Cell}}
    bonds: [a -> m, "m -> g[i,j].a", "m -> row[i].a"]
    starts: {top: "g[1,j].U", left: "g[i,1].U", diagonal: "g[i,i].U", turned: "g[j,i].U", line: "row[j].U",
             last: "row[N].U", twice: "2*row[N].U"}
)";

TEST(StartNames, OfRowsAndColumnsHaveAPartForEachNumberThatOccurs) {
    const auto grid = [](const std::string& start) {
        return kGrid + "components: {s: {type: Se, e: 1 V}, a: {type: Grid, " + start + "}}\nbonds: [s -> a.a]\n";
    };
    const std::vector<std::string> names{"a.g[1,1].c.e", "a.g[1,2].c.e", "a.g[1,3].c.e", "a.g[2,1].c.e",
                                         "a.g[2,2].c.e", "a.g[2,3].c.e", "a.row[1].c.e", "a.row[2].c.e"};
    const auto same = [&](const std::string& start, const std::string& other) {
        Pipeline one(grid("initial: {" + start + "}"));
        Pipeline by_parts(grid("initial: {" + other + "}"));
        SCOPED_TRACE(start);
        expect_same(one, names, by_parts, names, 1e-9);
    };
    same("top: [1, 2, 3]", R"("g[1,1].c.e": 1, "g[1,2].c.e": 2, "g[1,3].c.e": 3)");
    same("left: [1, 2]", R"("g[1,1].c.e": 1, "g[2,1].c.e": 2)");
    same("diagonal: [1, 2]", R"("g[1,1].c.e": 1, "g[2,2].c.e": 2)");
    same("turned: [1, 2, 3, 4, 5, 6]", R"("g[1,1].c.e": 1, "g[2,1].c.e": 2, "g[1,2].c.e": 3, "g[2,2].c.e": 4,
                                          "g[1,3].c.e": 5, "g[2,3].c.e": 6)");
    same("line: [1, 2]", R"("row[1].c.e": 1, "row[2].c.e": 2)");
    EXPECT_EQ(test::errors_in(grid("initial: {top: [1, 2]}")), Codes{"BG-M010"});
    EXPECT_EQ(test::errors_in(grid("initial: {line: [1, 2, 3]}")), Codes{"BG-M010"});
}

TEST(StartNames, OfArraysWithoutPartsAskForNothing) {
    const auto with = [](const std::string& start) {
        std::string text = with_text(kGrid, "m: {type: 1}", "m: {type: 1}, x: {type: Cell}");
        text = with_text(text, "bonds: [a -> m,", "bonds: [a -> m, m -> x.a,");
        return text + "components: {s: {type: Se, e: 1 V}, a: {type: Grid, N: 0" + start + "}}\nbonds: [s -> a.a]\n";
    };
    EXPECT_EQ(test::errors_in(with("")), Codes{});
    EXPECT_EQ(test::errors_in(with(", initial: {line: 3 V}")), Codes{});
    EXPECT_EQ(test::errors_in(with(", initial: {top: 3 V}")), Codes{});
    EXPECT_EQ(test::errors_in(with(", initial: {line: [3 V]}")), Codes{"BG-M010"});
    EXPECT_EQ(test::errors_in(with(", initial: {last: 3 V}")), Codes{"BG-X001"});
}

TEST(StartNames, MayBeSetFromTheCommandLine) {
    const auto set = [](const std::string& type, const std::string& start, const std::string& setting,
                        const std::string& other, const std::vector<std::string>& names) {
        Pipeline one(started(type, start));
        one.set(setting);
        Pipeline same(started(type, other));
        SCOPED_TRACE(setting);
        expect_same(one, names, same, names, 1e-9);
    };
    set("Swing", "c: 1 N.s/m", "s.v=2 m/s", "c: 1 N.s/m, initial: {mass.f: 2 m/s}", kOfTheSwing);
    // in place of what the file gives for the same state under any name
    set("Swing", "initial: {mass.p: 1 N.s}", "s.v=2 m/s", "initial: {mass.f: 2 m/s}", kOfTheSwing);
    set("Swing", "initial: {v: 7 m/s}", "s.mass.f=2 m/s", "initial: {mass.f: 2 m/s}", kOfTheSwing);
    set("Swing", "initial: {far: 1 m}", "s.far=2 m", "initial: {coil.q: 1 m}", kOfTheSwing);
    set("Body", "initial: {h: 1 N.s}", "s.v=3 m/s", "initial: {h: 6 N.s}", kOfTheBody);
    set("Swing", "initial: {whole: 1, coil.q: 2 m}", "s.whole=12", "initial: {coil.q: 2 m, mass.p: 6 N.s}",
        kOfTheSwing);
    EXPECT_EQ(test::errors_of([] {
                  Pipeline p(started("Swing", "c: 1 N.s/m"));
                  p.set("s.v=2 m/s").set("s.mass.f=3 m/s");
                  p.start();
              }),
              Codes{"BG-I001"});
}

TEST(StartNames, HoldInAnyOrderOfTheFileAndUnderAnyName) {
    const std::string text = started("Carrier", "initial: {v: 2 m/s, far: 2 m}");
    const std::vector<std::string> names{"s.inner.mass.f", "s.inner.coil.q"};
    Pipeline one(text);
    const std::size_t components = text.find("components:\n  push");
    Pipeline shuffled(text.substr(components) + text.substr(0, components));
    expect_same(one, names, shuffled, names, 1e-9);
    Pipeline renamed(with_text(with_text(text, "far", "länge"), "v:", "w:"));
    EXPECT_THAT(test::errors_of([&] { renamed.start(); }), testing::Contains("BG-X001"));  // inner.v is no more
    Pipeline right(with_text(with_text(text, "far", "länge"), "Swing", "Schwinger"));
    expect_same(one, names, right, names, 1e-9);
}

TEST(StartNames, SayWhatIsGivenInTheWrongUnit) {
    EXPECT_EQ(test::errors_in(started("Swing", "initial: {v: 2 V}")), Codes{"BG-U002"});
    EXPECT_THAT(test::message_in(started("Swing", "initial: {v: 2 V}")), HasSubstr("'s.v' is in m/s, not V"));
    EXPECT_THAT(test::message_in(started("Swing", "initial: {far: 2 N}")), HasSubstr("'s.far' is in m, not N"));
    const std::string filter = R"(
types:
  Filter:
    inputs: [u]
    components: {x: {type: Integrator, k: 1}}
    signals: [u -> x.u]
    starts: {y: {value: x.y, unit: V}, same: y}
components: {a: {type: Filter, initial: {y: 3 A}}}
signals: [time -> a.u]
)";
    EXPECT_THAT(test::message_in(filter), HasSubstr("'a.y' is in V, not A"));
    EXPECT_THAT(test::message_in(with_text(filter, "{y: 3 A}", "{same: 3 A}")), HasSubstr("'a.same' is in V, not A"));
    EXPECT_THAT(test::message_in(with_text(filter, "initial: {y:", "guess: {y:")), HasSubstr("'a.y' is in V, not A"));
    EXPECT_EQ(test::errors_in(with_text(filter, "3 A", "300 mV")), Codes{});
    EXPECT_THAT(test::message_in(started("Body", "initial: {v: 2 N.s}")), HasSubstr("'s.v' is in m/s, not N.s"));
    EXPECT_EQ(test::errors_in(with_text(started("Body", "m: 1 kg"), "unit: m/s,", "unit: N,")), Codes{"BG-U002"});
}

TEST(StartNames, ContradictWhatIsGivenForTheSameState) {
    EXPECT_EQ(test::errors_in(started("Swing", "initial: {v: 2 m/s, mass.p: 7 N.s}")), Codes{"BG-I001"});
    EXPECT_EQ(test::errors_in(started("Body", "initial: {v: 2 m/s, speed: 3 m/s}")), Codes{"BG-I001"});
    EXPECT_EQ(test::errors_in(started("Body", "initial: {v: 3 m/s, h: 6 N.s}")), Codes{});
}

TEST(StartNames, ThatLeadToNothingAreToldWhetherUsedOrNot) {
    const auto told = [](const std::string& what, const std::string& by) {
        return test::errors_in(with_text(started("Swing", "c: 1 N.s/m"), what, by));
    };
    EXPECT_EQ(told("v: mass.f", "v: mas.f"), Codes{"BG-X001"});
    EXPECT_EQ(told("v: mass.f", "v: mass.g"), Codes{"BG-X001"});
    EXPECT_EQ(told("v: mass.f", "v: 2*k"), Codes{"BG-M084"});
    EXPECT_EQ(told("v: mass.f", "v: k"), Codes{"BG-M084"});
    EXPECT_EQ(told("v: mass.f", "v: 0*mass.f"), Codes{});  // it may fold away unless it is used
    EXPECT_EQ(test::errors_in(with_text(started("Swing", "initial: {v: 1 m/s}"), "v: mass.f", "v: 0*mass.f")),
              Codes{"BG-M084"});
    EXPECT_EQ(told("s: coil.q", "mass: coil.q"), Codes{});  // a part may have the name, too
    EXPECT_EQ(told("s: coil.q", "s: v").size(), 0U);
    EXPECT_EQ(told("v: mass.f\n      s: coil.q", "v: s\n      s: v"), Codes{"BG-M015"});
    EXPECT_EQ(told("v: mass.f\n      s: coil.q", "v: 2*s\n      s: 3*v"), Codes{"BG-M015"});
    EXPECT_EQ(told("momentum: mass.p", "k: mass.p"), Codes{"BG-M017"});
    EXPECT_EQ(told("v: mass.f", "v: {unit: m/s}"), Codes{"BG-M084"});
    EXPECT_EQ(told("v: mass.f", "v: {of: mass.f, value: mass.f}"), Codes{"BG-M036"});
    EXPECT_EQ(told("v: mass.f", "v: [1, 2]"), Codes{"BG-M037"});
    EXPECT_EQ(test::errors_in(started("Swing", "initial: {w: 2 m/s}")), Codes{"BG-M018"});
    EXPECT_EQ(test::errors_in(started("Body", "initial: {w: 2 m/s}")), Codes{"BG-M018"});
}

TEST(StartNames, OfPartsThatAreLeftOutSayNothingUntilUsed) {
    const auto with = [](const std::string& start) {
        return with_text(started("Swing", start), "coil: {type: C, K: k}", "coil: {type: C, K: k, if: k > 0}");
    };
    EXPECT_EQ(test::errors_in(with("initial: {v: 2 m/s}")), Codes{});
    EXPECT_EQ(test::errors_in(with("k: 0 N/m, initial: {v: 2 m/s}")), Codes{});
    EXPECT_FALSE(test::errors_in(with("k: 0 N/m, initial: {s: 2 m}")).empty());
}

const std::string kInSpace = R"(
types:
  Screw:
    parameters: {pitch: 0.1 m}
    joint:
      coordinates: {phi: rad}
      motion:
        - rotate: {axis: [0, 1, 0], angle: phi}
        - translate: [0, pitch*phi/(2*pi), 0]
    starts: {turns: phi/(2*pi), speed: der_phi, height: {value: pitch*phi/(2*pi), unit: m}}
  Rocket:
    connectors: {frame_a: frame}
    components:
      hull: {type: Body, m: 2 kg, I_11: 1 kg.m2, I_22: 2 kg.m2, I_33: 3 kg.m2}
      tank: {type: Body, m: 1 kg, I_11: 1 kg.m2, I_22: 1 kg.m2, I_33: 1 kg.m2}
      bar: {type: FixedTranslation, r: [0.2 m, 0, 0]}
    connect: [[frame_a, hull.frame_a, bar.frame_a], [bar.frame_b, tank.frame_a]]
    starts: {tilt: tank.angles, place: tank.x, spin: tank.w}
  Fleet:
    components: {first: {type: Rocket}}
    starts: {tilt: first.tilt, "spin": first.spin}
components:
  world: {type: World, gravity: none}
  screw: {type: Screw, OFSCREW}
  wheel: {type: Body, m: 1 kg, I_22: 1 kg.m2}
  fleet: {type: Fleet, OFFLEET}
connect: [[world.frame_b, screw.frame_a], [screw.frame_b, wheel.frame_a]]
)";

TEST(StartNames, OfMechanismsSetCoordinatesAnglesAndVectors) {
    const auto expect = [](const std::string& screw, const std::string& fleet, const std::string& same_screw,
                           const std::string& same_fleet) {
        const std::vector<std::string> names{"screw.phi", "screw.der_phi", "fleet.first.tank.q[1]",
                                             "fleet.first.tank.w[2]", "fleet.first.hull.frame_a.x[1]"};
        Pipeline one(with_text(with_text(kInSpace, "OFSCREW", screw), "OFFLEET", fleet));
        Pipeline same(with_text(with_text(kInSpace, "OFSCREW", same_screw), "OFFLEET", same_fleet));
        SCOPED_TRACE(screw + fleet);
        expect_same(one, names, same, names, 1e-9);
    };
    expect("initial: {turns: 0.25, speed: 3 rad/s}", "initial: {tilt: [10 deg, 20 deg, 0], spin: [1, 2, 3]}",
           "initial: {phi: 90 deg, der_phi: 3 rad/s}",
           "initial: {first.tank.angles: [10 deg, 20 deg, 0], first.tank.w: [1, 2, 3]}");
    expect("initial: {height: 5 cm}", "initial: {first.place: [1 m, 2 m, 3 m], first.spin: [0, 2, 0]}",
           "initial: {phi: 180 deg}", "initial: {first.tank.x: [1 m, 2 m, 3 m], first.tank.w: [0, 2, 0]}");
}

TEST(StartNames, HoldBesideAPartThatSwitches) {
    const auto with = [](const std::string& start) {
        return with_text(started("Swing", start), "push: {type: Se, e: 2*cos(3*time)}",
                         "push: {type: Se, e: \"if time > 0.35 then 5 else -1\"}");
    };
    Pipeline one(with("initial: {v: 2 m/s, far: 2 m}"));
    Pipeline same(with("initial: {mass.f: 2 m/s, coil.q: 1 m}"));
    expect_same(one, kOfTheSwing, same, kOfTheSwing, 1e-9);
}

// ---- start values of parts, from outside --------------------------------------------------------------------------

/// A compliance in a type in a type; each level may say how it starts.
std::string nested(const std::string& innermost, const std::string& inner, const std::string& outer) {
    const auto also = [](const std::string& text) { return text.empty() ? text : ", " + text; };
    return "types:\n  In:\n    ports: {p: {domain: electrical}}\n    components: {j: {type: 0}, c: {type: C, C: 2 F" +
           also(innermost) + "}, r: {type: R, R: 1 ohm}}\n    bonds: [p -> j, j -> c, j -> r]\n" +
           "  Out:\n    ports: {p: {domain: electrical}}\n    components: {a: {type: In" + also(inner) +
           "}, j: {type: 0}}\n    bonds: [p -> j, j -> a.p]\n" + "components:\n  o: {type: Out" + also(outer) +
           "}\n  s: {type: Se, e: 1 V}\n  k: {type: 1}\n  r: {type: R, R: 1 ohm}\n" +
           "bonds: [s -> k, k -> r, k -> o.p]\n";
}

double start_of_nested(const std::string& innermost, const std::string& inner, const std::string& outer) {
    Pipeline p(nested(innermost, inner, outer));
    return p.run({.stop = 1.0, .tolerance = 1e-6, .interval = 1.0}, {"o.a.c.e"}).result.at(0, 0);
}

// Who uses a type has the last word, at every level and by any name of the state.
TEST(StartsFromOutside, TakeThePlaceOfThoseInside) {
    EXPECT_DOUBLE_EQ(start_of_nested("", "", "initial: {a.c.e: 7 V}"), 7.0);
    EXPECT_DOUBLE_EQ(start_of_nested("initial: {e: 1 V}", "", "initial: {a.c.e: 7 V}"), 7.0);
    EXPECT_DOUBLE_EQ(start_of_nested("initial: {e: 1 V}", "initial: {c.e: 3 V}", ""), 3.0);
    EXPECT_DOUBLE_EQ(start_of_nested("initial: {e: 1 V}", "initial: {c.e: 3 V}", "initial: {a.c.e: 7 V}"), 7.0);
    EXPECT_DOUBLE_EQ(start_of_nested("initial: {q: 1 C}", "initial: {c.e: 3 V}", "initial: {a.c.q: 14 C}"), 7.0);
    EXPECT_DOUBLE_EQ(start_of_nested("guess: {e: 1 V}", "initial: {c.q: 1 C}", "initial: {a.c.e: 7 V}"), 7.0);
}

// Two at one level still contradict each other, and a name that is none is told at any level.
TEST(StartsFromOutside, OfOneLevelHaveToAgree) {
    EXPECT_EQ(test::errors_in(nested("initial: {e: 1 V, q: 1 C}", "", "")), Codes{"BG-I001"});
    EXPECT_EQ(test::errors_in(nested("initial: {e: 1 V}", "", "initial: {a.c.x: 7 V}")), Codes{"BG-M018"});
    EXPECT_EQ(test::errors_in(nested("initial: {e: 1 V}", "", "initial: {a.b.e: 7 V}")), Codes{"BG-M018"});
    EXPECT_EQ(test::errors_in(nested("initial: {x: 1 V}", "", "initial: {a.c.e: 7 V}")), Codes{"BG-M018"});
}

}  // namespace
}  // namespace bondgraph
