#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using testing::ElementsAre;

constexpr const char* kRc = R"(
components: {s: {type: Se, e: U}, j: {type: 1}, r: {type: R, R: R}, c: {type: C, C: 1 uF, initial: {q: 0 C}}}
bonds: [s -> j, j -> r, loop: j -> c]
parameters: {U: 12 V, R: 10 kohm}
)";

double parameter(Pipeline& p, const std::string& element, const std::string& name) {
    const auto& g = p.graph();
    return g.elements[g.element_by_name.at(element).index()].parameter(name)->value(0, 0).constant();
}

std::string domain(Pipeline& p, const std::string& element, std::size_t port = 0) {
    const auto& g = p.graph();
    return std::string(model::domains()[g.elements[g.element_by_name.at(element).index()].ports[port].domain].name);
}

std::uint32_t size(Pipeline& p, const std::string& element, std::size_t port = 0) {
    const auto& g = p.graph();
    return g.elements[g.element_by_name.at(element).index()].ports[port].size;
}

TEST(Parameters, WithUnitsAreTurnedIntoSi) {
    Pipeline p(kRc);
    EXPECT_DOUBLE_EQ(parameter(p, "r", "R"), 1e4);
    EXPECT_DOUBLE_EQ(parameter(p, "c", "C"), 1e-6);
    EXPECT_DOUBLE_EQ(parameter(p, "s", "e"), 12.0);
}

TEST(Parameters, AreOverriddenByPath) {
    Pipeline p(kRc);
    p.set("U=3 V").set("c.C=2 nF");
    EXPECT_DOUBLE_EQ(parameter(p, "s", "e"), 3.0);
    EXPECT_DOUBLE_EQ(parameter(p, "c", "C"), 2e-9);
}

TEST(Parameters, AnOverrideOfNothingIsAMistakeOfTheCommand) {
    Pipeline p(kRc);
    p.set("V=3");
    EXPECT_THROW(p.graph(), model::UnknownOverride);
}

TEST(Domains, AreFoundAlongBondsFromUnits) {
    Pipeline p(kRc);
    for (const char* name : {"s", "r", "c"}) EXPECT_EQ(domain(p, name), "electrical");
}

TEST(Domains, OfTheTwoSidesOfAMotorDiffer) {
    Pipeline p(test::load_file(test::model_path("electromechanical/motor_step_response.yaml")));
    EXPECT_EQ(domain(p, "emf", 0), "electrical");
    EXPECT_EQ(domain(p, "emf", 1), "rotational");
}

TEST(Domains, AreGenericWhereNothingSaysOtherwise) {
    Pipeline p("components: {s: {type: Se, e: 1}, j: {type: 1}, r: {type: R, R: 1}}\nbonds: [s -> j, j -> r]\n");
    EXPECT_EQ(domain(p, "r"), "generic");
}

TEST(Domains, ThatContradictEachOtherAreRefused) {
    EXPECT_THAT(
        test::errors_in(
            "components: {s: {type: Se, e: 1 V}, j: {type: 1}, r: {type: R, R: 1 N.s/m}}\nbonds: [s -> j, j -> r]\n"),
        testing::Not(testing::IsEmpty()));
}

TEST(Sizes, SpreadAlongBonds) {
    Pipeline p(
        "components: {s: {type: Se, e: [1, 2, 3]}, j: {type: 1}, r: {type: R, R: 1}, l: {type: I, I: 2}}\nbonds: [s -> "
        "j, j -> r, j -> l]\n");
    EXPECT_EQ(size(p, "r"), 3u);
    EXPECT_EQ(size(p, "l"), 3u);
    EXPECT_EQ(p.graph().bond_components, 9u);
}

TEST(Sizes, OfATransformersSidesFollowItsMatrix) {
    Pipeline p(R"(
components: {s: {type: Se, e: 1}, a: {type: 1}, t: {type: TF, m: [[1, 2, 3], [4, 5, 6]]}, b: {type: 0}, l: {type: I, I: 1}, r: {type: R, R: 1}}
bonds: [s -> a, l -> a, a -> t.p1, t.p2 -> b, b -> r]
)");
    EXPECT_EQ(size(p, "t", 0), 3u);
    EXPECT_EQ(size(p, "t", 1), 2u);
    EXPECT_EQ(size(p, "l"), 3u);
    EXPECT_EQ(size(p, "r"), 2u);
}

TEST(Sizes, ThatDoNotFitAreRefused) {
    EXPECT_THAT(test::errors_in("components: {s: {type: Se, e: [1, 2]}, j: {type: 1}, r: {type: R, R: [1, 2, "
                                "3]}}\nbonds: [s -> j, j -> r]\n"),
                ElementsAre("BG-M010"));
}

TEST(OwnTypes, GivenByEquationsBecomeOneElement) {
    Pipeline p(R"(
types:
  Orifice:
    parameters: {k: 2}
    ports: {p: {}}
    equations: [p.f = k*sign(p.e)*sqrt(abs(p.e))]
components: {s: {type: Se, e: 9}, j: {type: 0}, o: {type: Orifice, k: 3}}
bonds: [s -> j, j -> o]
)");
    EXPECT_NEAR(p.run({}, {"o.f"}).result.at(0, 0), 9.0, 1e-9);
}

constexpr const char* kNested = R"(
types:
  Branch:
    parameters: {R: {unit: ohm}, L: 1 H}
    ports: {p: {domain: electrical}}
    components: {j: {type: 1}, r: {type: R, R: R}, l: {type: I, I: L, initial: {f: 0 A}}}
    bonds: [p -> j, j -> r, j -> l]
  Pair:
    ports: {p: {domain: electrical}}
    components: {n: {type: 0}, a: {type: Branch, R: 2 ohm}, b: {type: Branch, R: 4 ohm, L: 2 H}}
    bonds: [p -> n, n -> a, n -> b]
components: {s: {type: Se, e: 8 V}, pair: {type: Pair}}
bonds: [s -> pair]
)";

TEST(OwnTypes, MadeOfPartsAreTakenApartWithDottedNames) {
    Pipeline p(kNested);
    EXPECT_DOUBLE_EQ(parameter(p, "pair.a.r", "R"), 2.0);
    EXPECT_DOUBLE_EQ(parameter(p, "pair.b.l", "I"), 2.0);
    EXPECT_EQ(p.compiled().state_count, 2u);
    const auto run = p.run({.stop = 20.0}, {"pair.a.l.f", "pair.b.r.f"});
    EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), 4.0, 1e-4);
    EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 1), 2.0, 1e-4);
}

TEST(OwnTypes, PartsAreOverriddenByTheirPath) {
    Pipeline p(kNested);
    p.set("pair.b.R=8 ohm");
    EXPECT_DOUBLE_EQ(parameter(p, "pair.b.r", "R"), 8.0);
}

TEST(OwnTypes, AParameterWithoutValueMustBeGiven) {
    std::string text = kNested;
    text.replace(text.find(", R: 2 ohm"), 10, "");
    EXPECT_THAT(test::errors_in(text), testing::SizeIs(1));
}

TEST(OwnTypes, WithVectorPortsTakeMultibonds) {
    Pipeline p(R"(
types:
  Twice:
    ports: {p: {size: 2}}
    equations: ["p.e[1] = 2*p.f[1]", "p.e[2] = 4*p.f[2]"]
components: {s: {type: Sf, f: [1, 3]}, j: {type: 0}, t: {type: Twice}}
bonds: [s -> j, j -> t]
)");
    EXPECT_EQ(size(p, "t"), 2u);
    const auto run = p.run({}, {"t.e[1]", "t.e[2]"});
    EXPECT_NEAR(run.result.at(0, 0), 2.0, 1e-9);
    EXPECT_NEAR(run.result.at(0, 1), 12.0, 1e-9);
}

TEST(Fields, AreTheSameByOneMultibondAndByScalarPorts) {
    const auto poles = [](const char* text) {
        Pipeline p(text);
        return p.linear().eigenvalues;
    };
    const auto scalar = poles(R"(
components: {a: {type: 1}, b: {type: 1}, x: {type: R, R: 1}, y: {type: R, R: 2}, l: {type: IF, I: [[2, 1], [1, 3]]}}
bonds: [a -> x, b -> y, b -> l.p2, a -> l.p1]
)");
    const auto multi = poles(R"(
components: {j: {type: 1}, r: {type: R, R: [1, 2]}, l: {type: IF, I: [[2, 1], [1, 3]]}}
bonds: [j -> r, j -> l]
)");
    ASSERT_EQ(scalar.size(), 2u);
    ASSERT_EQ(multi.size(), 2u);
    for (const std::size_t i : {0u, 1u}) EXPECT_NEAR(std::abs(scalar[i] - multi[i]), 0.0, 1e-12);
}

TEST(Names, OfTorquesAreInNewtonMetres) {
    Pipeline p(R"(
components:
  {M: {type: Se, e: 5 N.m}, j: {type: 1}, J: {type: I, I: 1 kg.m2}, s: {type: 0}, k: {type: C, C: 1 1/(N.m)}, y: {type: De}}
bonds: [M -> j, j -> J, load: j -> s, s -> k, s -> y]
)");
    for (const char* name : {"M.e", "J.torque", "load.e", "y.y", "k.e", "s.torque"})
        EXPECT_EQ(model::resolve_name(p.graph(), name)->unit, "N.m") << name;
    EXPECT_EQ(model::resolve_name(p.graph(), "k.q")->unit, "rad");
    EXPECT_EQ(model::resolve_name(p.graph(), "load.power")->unit, "W");
}

TEST(Names, OfResultsLeadToVariables) {
    Pipeline p(kRc);
    for (const char* name : {"c.q", "c.e", "c.f", "c.power", "c.voltage", "c.current", "loop.e", "loop.power"}) {
        EXPECT_TRUE(model::resolve_name(p.graph(), name)) << name;
    }
    EXPECT_EQ(model::resolve_name(p.graph(), "c.q")->unit, "C");
    EXPECT_EQ(model::resolve_name(p.graph(), "c.e")->unit, "V");
    for (const char* name : {"c.x", "d.q", "c", "loop", "c.q[2]"}) {
        EXPECT_FALSE(model::resolve_name(p.graph(), name)) << name;
    }
}

TEST(Names, OfMultibondsNeedTheirComponent) {
    Pipeline p("components: {s: {type: Se, e: [1, 2]}, j: {type: 1}, r: {type: R, R: 1}}\nbonds: [s -> j, j -> r]\n");
    EXPECT_FALSE(model::resolve_name(p.graph(), "r.e"));
    EXPECT_TRUE(model::resolve_name(p.graph(), "r.e[2]"));
    EXPECT_FALSE(model::resolve_name(p.graph(), "r.e[3]"));
    EXPECT_FALSE(model::resolve_name(p.graph(), "r.e[0]"));
}

TEST(Parameters, InAFractionOfAUnitAreExactToTheLastDigit) {
    Pipeline p(R"(
components: {s: {type: Se, e: 3 mV}, j: {type: 1}, r: {type: R, R: 330 ohm}, c: {type: C, C: 100 uF}}
bonds: [s -> j, j -> r, j -> c]
)");
    EXPECT_EQ(parameter(p, "c", "C"), 1e-4);
    EXPECT_EQ(parameter(p, "s", "e"), 0.003);
}

constexpr const char* kPiezo = R"(
components:
  load:  {type: R, R: 50 ohm}
  stack: {type: CF, K: [[1e6, -1.5e7], [-1.5e7, 5e8]], initial: {q: [0 C, 1 um]}}
  mass:  {type: I, I: 2 kg, initial: {f: 0 m/s}}
bonds: [load -> stack.p1, mass -> stack.p2]
)";

TEST(Fields, AcrossDomainsStartWithEachComponentInItsUnit) {
    Pipeline p(kPiezo);
    EXPECT_THAT(test::errors_of([&] { p.start(); }), testing::IsEmpty());
    EXPECT_EQ(model::resolve_name(p.graph(), "stack.q[1]")->unit, "C");
    EXPECT_EQ(model::resolve_name(p.graph(), "stack.q[2]")->unit, "m");
}

TEST(Fields, AcrossDomainsRefuseAComponentInAnothersUnit) {
    std::string text = kPiezo;
    text.replace(text.find("1 um"), 4, "1 uC");
    EXPECT_EQ(test::message_in(text), "'q' of 'stack' is in m, not uC");
    text.replace(text.find("[0 C, 1 uC]"), 11, "0 C");
    EXPECT_EQ(test::message_in(text), "'q' of 'stack' is in m, not C");
}

TEST(Fields, OfPseudoBondsNeedNoSymmetry) {
    // Temperature times heat flow is no power: there is nothing that a matrix could create.
    const auto rooms = [](const std::string& domain) {
        return "components:\n  flow: {type: Sf, f: [1, 0]}\n  rooms: {type: 0, domain: " + domain +
               "}\n  walls: {type: CF, C: [[3, 1], [0, 4]]}\nbonds: [flow -> rooms, rooms -> walls.p]\n";
    };
    EXPECT_EQ(test::message_in(rooms("thermal")),
              "'C' of 'walls' is not symmetric: entry [1, 2] is 1, entry [2, 1] is 0");
    Pipeline pseudo(rooms("thermal_pseudo"));
    EXPECT_THAT(test::errors_of([&] { pseudo.graph(); }), testing::IsEmpty());
}

TEST(Names, OfAnglesAndTheirRatesAreInRadians) {
    Pipeline p(R"(
components: {M: {type: Se, e: 1 N.m}, j: {type: 1}, J: {type: I, I: 2 kg.m2}, k: {type: C, C: 0.1 rad/(N.m)}, meter: {type: Df}}
bonds: [M -> j, j -> J, j -> k, j -> meter]
)");
    const auto unit = [&](const std::string& name) { return model::resolve_name(p.graph(), name)->unit; };
    EXPECT_EQ(unit("J.f"), "rad/s");
    EXPECT_EQ(unit("J.angular_velocity"), "rad/s");
    EXPECT_EQ(unit("k.q"), "rad");
    EXPECT_EQ(unit("meter.y"), "rad/s");
    EXPECT_EQ(unit("J.p"), "N.m.s");
    EXPECT_EQ(unit("J.power"), "W");
}

TEST(Names, OfOwnVariablesInRadiansAreInRadians) {
    Pipeline p(R"(
types:
  Turntable:
    variables: {phi: {unit: deg, start: 1}, w: {unit: rad/s, start: 2}, rate: {unit: 1/s}}
    equations: [der(phi) = w, der(w) = -w*rate, rate = w]
components: {t: {type: Turntable}}
)");
    EXPECT_EQ(model::resolve_name(p.graph(), "t.phi")->unit, "rad");
    EXPECT_EQ(model::resolve_name(p.graph(), "t.w")->unit, "rad/s");
    EXPECT_EQ(model::resolve_name(p.graph(), "t.rate")->unit, "1/s");
}

constexpr const char* kPhases = R"(
components:
  a: {type: Se, e: 1 V}
  b: {type: Se, e: 2 V}
  join: {type: Compose}
  coils: {type: IF, I: [[3, 1], [1, 2]]}
bonds: [a -> join.p1, b -> join.p2, join.p -> coils]
)";

TEST(Domains, OfAMultibondAreThoseOfItsParts) {
    Pipeline p(kPhases);
    EXPECT_EQ(domain(p, "coils"), "electrical");
}

TEST(Domains, OfAMultibondOfDifferentPartsStayOpen) {
    std::string text = kPhases;
    text.replace(text.find("2 V"), 3, "2 N");
    Pipeline p(text);
    EXPECT_EQ(domain(p, "coils"), "generic");
    EXPECT_EQ(domain(p, "b"), "translational");
}

TEST(Heat, LeavesToThermalPortsOnly) {
    const auto with_mass = [](const std::string& mass) {
        return test::errors_in(
            "components:\n  u: {type: Se, e: 12 V}\n  w: {type: RS, R: 2 ohm}\n  j: {type: 0}\n  m: {type: " + mass +
            "}\nbonds: [u -> w.p, w.heat -> j, j -> m]\n");
    };
    using Codes = std::vector<std::string>;
    EXPECT_EQ(with_mass("C, C: 100 J/K, initial: {e: 300 K}"), Codes{});
    EXPECT_EQ(with_mass("C, C: 100 J/K2, initial: {e: 300 K}"), Codes{});
    EXPECT_EQ(with_mass("I, I: 1 kg, initial: {f: 1 m/s}"), Codes{"BG-M011"});
}

TEST(Heat, IsTheLossOfAllComponents) {
    Pipeline p(R"(
components:
  u: {type: Se, e: [12, 6]}
  w: {type: RS, R: [2, 3]}
  hot: {type: C, domain: thermal_pseudo, C: 100, initial: {e: 300}}
bonds: [u -> w.p, w.heat -> hot]
)");
    const auto r = p.run({.stop = 1.0, .tolerance = 1e-8}, {"hot.e"}).result;
    EXPECT_NEAR(r.at(r.time.size() - 1, 0), 300.0 + (12.0 * 12.0 / 2.0 + 6.0 * 6.0 / 3.0) / 100.0, 1e-7);
}

TEST(Sizes, OfStopsAreOne) {
    for (const char* stop : {"ElasticStop, K: 100, R: 1, q0: 0", "Backlash, b: 1, K: 100, R: 1"}) {
        EXPECT_EQ(test::errors_in(
                      "components:\n  s: {type: Se, e: [10, -5]}\n  j: {type: 1}\n  i: {type: I, I: [1, 2]}\n  st: "
                      "{type: " +
                      std::string(stop) + "}\nbonds: [s -> j, j -> i, j -> st]\n"),
                  std::vector<std::string>{"BG-M010"})
            << stop;
    }
}

TEST(GivenFlows, PassADetectorOfPower) {
    const auto with = [](const std::string& between, const std::string& bonds) {
        return test::errors_in(R"(
components:
  world: {type: World}
  h: {type: Revolute, initial: {phi: 0.4}}
  rod: {type: BodyShape, r: [1, 0, 0], r_CM: [0.5, 0, 0], m: 1, I_33: 0.1}
  post: {type: FixedTranslation, r: [0, 1, 0]}
  line: {type: LineForce}
  v: {type: Sf, f: 0.1}
)" + between + R"(
connect: [[world, h.frame_a, post.frame_a], [h.frame_b, rod.frame_a], [rod.frame_b, line.frame_a], [post.frame_b, line.frame_b]]
bonds: )" + bonds + "\n");
    };
    EXPECT_EQ(with("", "[v -> line.line]"), std::vector<std::string>{});
    EXPECT_EQ(with("  pm: {type: Power}", "[v -> pm.p1, pm.p2 -> line.line]"), std::vector<std::string>{});
}

}  // namespace
}  // namespace bondgraph
