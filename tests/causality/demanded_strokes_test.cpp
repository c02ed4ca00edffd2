// What an own type demands of the strokes at its ports.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using testing::HasSubstr;

std::string loop_of(const std::string& causality, const std::string& components, const std::string& bonds) {
    return "types:\n  Load:\n    ports: {p: {domain: electrical" + causality +
           "}}\n    parameters: {R: 2 ohm}\n    equations: [p.e = R*p.f]\n  Pinned:\n    connectors: {p: {type: pin" +
           causality + "}}\n    parameters: {R: 2 ohm}\n    equations: [p.e = R*p.f]\ncomponents:\n" + components +
           "bonds: [" + bonds + "]\n";
}

causality::Stroke stroke_at_load(const std::string& causality) {
    Pipeline p(loop_of(causality,
                       "  s: {type: Se, e: 1 V}\n  j: {type: 1}\n  r: {type: R, R: 3 ohm}\n  x: {type: Load}\n",
                       "s -> j, j -> r, b: j -> x.p"));
    const auto& bond = p.graph().bond_by_name.at("b").bond;
    return p.causal().strokes[p.graph().bonds[bond.index()].first];
}

TEST(DemandedStrokes, AreTaken) {
    EXPECT_EQ(stroke_at_load(", causality: effort out"), causality::Stroke::at_from);
    EXPECT_EQ(stroke_at_load(", causality: flow out"), causality::Stroke::at_to);
}

TEST(DemandedStrokes, GiveTheSameResults) {
    for (const std::string causality : {"", ", causality: effort out", ", causality: flow out"}) {
        for (const std::string type : {"Load", "Pinned"}) {
            Pipeline p(loop_of(
                causality,
                "  s: {type: Se, e: 1 V}\n  j: {type: 1}\n  r: {type: R, R: 3 ohm}\n  x: {type: " + type + "}\n",
                "s -> j, j -> r, j -> x.p"));
            EXPECT_NEAR(p.run({.stop = 1.0}, {"x.p.f"}).result.at(0, 0), 0.2, 1e-12) << causality << type;
        }
    }
}

TEST(DemandedStrokes, ContradictSources) {
    const auto refused = [](const std::string& causality, const std::string& source) {
        try {
            Pipeline p(loop_of(causality, "  s: {type: " + source + "}\n  x: {type: Load}\n", "s -> x.p"));
            p.causal();
        } catch (const ModelError& e) {
            return e.diagnostics().front().code + " " + e.diagnostics().front().message;
        }
        return std::string("no error");
    };
    EXPECT_EQ(refused("", "Se, e: 1 V"), "no error");
    EXPECT_EQ(refused(", causality: flow out", "Se, e: 1 V"), "no error");
    EXPECT_THAT(refused(", causality: effort out", "Se, e: 1 V"), HasSubstr("BG-C"));
    EXPECT_THAT(refused(", causality: effort out", "Se, e: 1 V"), HasSubstr("x"));
    EXPECT_EQ(refused(", causality: effort out", "Sf, f: 1 A"), "no error");
    EXPECT_THAT(refused(", causality: flow out", "Sf, f: 1 A"), HasSubstr("BG-C"));
}

// An own source has the stroke of one, whether it demands it or not, and what it can't give it can't promise.
TEST(DemandedStrokes, HoldForWhatTheEquationsGive) {
    const auto source = [](const std::string& causality) {
        return "types:\n  T:\n    parameters: {U: {unit: V}}\n    ports: {p: {domain: electrical" + causality +
               "}}\n    equations: [p.e = U]\ncomponents:\n  t: {type: T, U: 10 V}\n  c: {type: C, C: 3 F}\n"
               "  n: {type: 0}\n  r: {type: R, R: 2 ohm}\nbonds: [n -> t.p, n -> c, n -> r]\n";
    };
    for (const std::string causality : {"", ", causality: effort out"}) {
        Pipeline p(source(causality));
        EXPECT_EQ(p.causal().dependent_storage_count(), 1U) << causality;
        EXPECT_NEAR(p.run({.stop = 1.0}, {"r.f"}).result.at(0, 0), 5.0, 1e-12);
    }
    try {
        Pipeline p(source(", causality: flow out"));
        p.causal();
        FAIL();
    } catch (const ModelError& e) {
        EXPECT_EQ(e.diagnostics().front().code, "BG-M083");
        EXPECT_THAT(e.diagnostics().front().message, HasSubstr("'t' can't be computed so that 'p' gives its flow"));
    }
}

TEST(DemandedStrokes, AreWordsOfTypesWithEquations) {
    const auto message = [](const std::string& text) {
        try {
            Pipeline(text).graph();
        } catch (const ModelError& e) {
            return e.diagnostics().front().code + " " + e.diagnostics().front().message;
        }
        return std::string("no error");
    };
    EXPECT_THAT(message(loop_of(", causality: effort in", "  x: {type: Load}\n", "")),
                HasSubstr("BG-M083 'causality' of a port is 'effort out' or 'flow out', not 'effort in'"));
    EXPECT_THAT(message("types:\n  T:\n    ports: {p: {causality: flow out}}\n    components: {r: {type: R, R: 1}}\n"
                        "    bonds: [p -> r]\ncomponents: {s: {type: Se, e: 1}, t: {type: T}}\nbonds: [s -> t.p]\n"),
                HasSubstr("BG-M083 'causality:' of 'p' says nothing: the type has no equations"));
}

}  // namespace
}  // namespace bondgraph
