// Units with fractional powers in models: roots of quantities, and coefficients of laws that have them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/model/same_results.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::errors_of;
using test::expect_same;
using test::Pipeline;
using testing::ElementsAre;
using testing::IsEmpty;

/// A tank that empties through a resistor with that law.
std::string tank(const std::string& parameters, const std::string& law) {
    return "parameters: {" + parameters +
           "}\ncomponents:\n  tank: {type: C, C: 1e-6 m3/Pa, initial: {e: 2 bar}}\n  j: {type: 0}\n" +
           "  hole: {type: R, law: \"" + law + "\"}\nbonds: [tank -> j, j -> hole]\n";
}

std::vector<std::string> errors_with(const std::string& parameters, const std::string& law) {
    return errors_of([&] { Pipeline(tank(parameters, law)).graph(); });
}

constexpr const char* kOrificeParameters =
    "k: 3e-4 m3/(s.Pa^0.5), p0: 1 Pa, Q: 1 m3/s, n: 2, free: 3e-4, b: 1e4 Pa^0.75";

TEST(RootsOfUnits, AreCheckedAsOtherDimensions) {
    for (const char* law : {"f = k*sqrt(e)", "f = k*e^0.5", "f = k*e^(1/2)", "f = 2*k*sqrt(e)",
                            "f = k*sqrt(e/p0)*sqrt(p0)", "f = k*sqrt(sqrt(e))*sqrt(sqrt(e))", "f = k/sqrt(p0)*e",
                            "f = k*e/(e^2 + p0^2)^(1/4)", "f = k*e/sqrt(sqrt(e^2 + p0^2))", "f = Q*sqrt(e)/sqrt(p0)",
                            "f = k*e^0.25*e^0.25", "f = k*e^1.25/b", "f = k*(e^(1/3))^1.5", "f = k^2*e/Q"})
        EXPECT_THAT(errors_with(kOrificeParameters, law), IsEmpty()) << law;
    for (const char* law : {"f = k*e", "f = k", "f = k*sqrt(sqrt(e))", "f = k*sqrt(e)/p0", "f = k*e^1.5",
                            "f = k*e^(1/3)", "f = Q*sqrt(e)*sqrt(e)"})
        EXPECT_THAT(errors_with(kOrificeParameters, law), ElementsAre("BG-U002")) << law;
    // Without a unit that has a root, what a root is left of is unknown, as it was before units had roots.
    for (const char* law : {"f = Q*sqrt(e)", "f = sqrt(e)", "f = 1e-4*sqrt(e)", "f = 2000*sqrt(e)*e"})
        EXPECT_THAT(errors_with(kOrificeParameters, law), IsEmpty()) << law;
    EXPECT_THAT(errors_with(kOrificeParameters, "f = k*(sqrt(e) + e)"), ElementsAre("BG-U002"));
}

// What has no unit fits any, and powers that no unit has are of an unknown dimension.
TEST(RootsOfUnits, AreUnknownForEmpiricalExponents) {
    for (const char* law : {"f = free*sqrt(e)", "f = 1e-4*e^0.54", "f = free*e^0.54", "f = k*e^0.54", "f = k*e^(1/n)",
                            "f = 1e-4*(e^0.54)", "f = (sqrt(sqrt(e)))^(1/4)"})
        EXPECT_THAT(errors_with(kOrificeParameters, law), IsEmpty()) << law;
}

TEST(RootsOfUnits, ARootTimesItselfIsTheUnitAgain) {
    const auto source = [](const std::string& value) {
        return errors_of([&] {
            Pipeline("parameters: {p: 4 Pa, U: 3 V, B: 10 Hz, noise: 5 nV/Hz^0.5}\ncomponents:\n  s: {type: Se, e: \"" +
                     value + "\"}\n  r: {type: R, R: 1 Pa.s/m3}\nbonds: [s -> r]\n")
                .graph();
        });
    };
    EXPECT_THAT(source("sqrt(p)*sqrt(p)"), IsEmpty());
    EXPECT_THAT(source("sqrt(p)^2"), IsEmpty());
    EXPECT_THAT(source("(p^(1/3))^3"), IsEmpty());
    EXPECT_THAT(source("p^1.5/sqrt(p)"), IsEmpty());
    EXPECT_THAT(source("p*p"), ElementsAre("BG-U003"));
    EXPECT_THAT(source("sqrt(p)^4"), ElementsAre("BG-U003"));
    EXPECT_THAT(source("noise"), ElementsAre("BG-U003"));
    EXPECT_THAT(source("noise + U"), ElementsAre("BG-X001"));
    EXPECT_THAT(source("noise*sqrt(B)"), ElementsAre("BG-U002"));
    // As laws.
    EXPECT_THAT(source("sqrt(p)"), IsEmpty());
    EXPECT_THAT(source("2*sqrt(p)"), IsEmpty());
    EXPECT_THAT(source("sqrt(p) + p"), IsEmpty());
    EXPECT_THAT(source("max(sqrt(p), p)"), IsEmpty());
    EXPECT_THAT(source("if p > sqrt(p) then sqrt(p) else p"), IsEmpty());
    EXPECT_THAT(source("p*(noise*sqrt(B)/U)"), IsEmpty());
}

TEST(RootsOfUnits, AreConvertedToSI) {
    for (const char* k :
         {"k: 3e-7 m3/(s.Pa^0.5)", "k: 3e-7 m3/(s Pa^0.5)", "k: 3e-7 m3/s/Pa^0.5", "k: 3e-7 m3/(s*sqrt(Pa))",
          "k: 9.48683298050513768e-5 m3/(s.bar^0.5)", "k: 5.69209978830308261 l/min/bar^0.5", "k: 3e-7"}) {
        Pipeline one(tank("k: 3e-7 m3/s/Pa^0.5", "f = k*sqrt(e)"));
        Pipeline other(tank(k, "f = k*sqrt(e)"));
        // Of 0.2 m3, from which some 1e-4 flow out within a second, at a tolerance of 1e-8.
        expect_same(one, {"tank.q", "hole.f"}, other, {"tank.q", "hole.f"}, 1e-12);
    }
}

TEST(RootsOfUnits, StandInTypesAndTheirParts) {
    const auto model = [](const std::string& unit, const std::string& value) {
        return "types:\n  Orifice:\n    parameters: {k: {unit: " + unit +
               ", above: 0 l/(s.MPa^0.5)}}\n    ports: {p: {domain: hydraulic}}\n    equations: [p.f = k*sqrt(p.e)]\n"
               "components:\n  s: {type: Se, e: 2 bar}\n  hole: {type: Orifice, k: " +
               value + "}\nbonds: [s -> hole]\n";
    };
    const auto errors = [&](const std::string& unit, const std::string& value) {
        return errors_of([&] { Pipeline(model(unit, value)).graph(); });
    };
    EXPECT_THAT(errors("m3/(s.Pa^0.5)", "3e-4 l/min/bar^0.5"), IsEmpty());
    EXPECT_THAT(errors("m3/(s.Pa^0.5)", "3e-4"), IsEmpty());
    EXPECT_THAT(errors("m3/(s.Pa^0.5)", "3e-4 m3/(s.Pa)"), ElementsAre("BG-U002"));
    EXPECT_THAT(errors("m3/(s.Pa^0.5)", "-3e-4 m3/(s.Pa^0.5)"), ElementsAre("BG-M013"));
    EXPECT_THAT(errors("m3/(s.Pa^0.54)", "3e-4"), ElementsAre("BG-U005"));
    EXPECT_THAT(errors("m3/(s.Pa^0.5)", "3e-4 m3/(s.Pa^0.54)"), ElementsAre("BG-U005"));
}

}  // namespace
}  // namespace bondgraph
