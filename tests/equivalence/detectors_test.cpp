// What nothing reads is no part of the system.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bondgraph/equivalence/compare.hpp"
#include "tests/equivalence/drawn_graph.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::test {
namespace {

using equivalence::Likeness;

const std::string kOscillator =
    "components:\n  F: {type: Se, e: 10 N}\n  v: {type: 1}\n  m: {type: I, I: 2 kg}\n  n: {type: 0}\n"
    "  k: {type: C, K: 5 N/m}\n  d: {type: R, R: 3 N.s/m}\n";

std::string oscillator(const std::string& more = "", const std::string& bonds = "", const std::string& signals = "",
                       const std::string& first = "F -> v") {
    return kOscillator + more + "bonds: [" + first + ", v -> m, v -> n, n -> k, n -> d" + bonds + "]\n" +
           (signals.empty() ? "" : "signals: [" + signals + "]\n");
}

Likeness against_oscillator(const std::string& mine) {
    Pipeline a(mine);
    Pipeline b(oscillator());
    const Likeness found = equivalence::compare(a.graph(), b.graph()).likeness;
    EXPECT_EQ(equivalence::compare(b.graph(), a.graph()).likeness, found) << mine;
    return found;
}

TEST(Detectors, ThatNothingReadsMakeNoDifference) {
    EXPECT_EQ(against_oscillator(oscillator("  x: {type: Dq, initial: {y: 1 m}}\n", ", v -> x")), Likeness::same);
    EXPECT_EQ(against_oscillator(oscillator("  x: {type: Df}\n", ", v -> x")), Likeness::same);
    EXPECT_EQ(against_oscillator(oscillator("  x: {type: De}\n  y: {type: Dp}\n", ", n -> x, n -> y")), Likeness::same);
    EXPECT_EQ(against_oscillator(oscillator("  w: {type: Power}\n", "", "", "F -> w.p1, w.p2 -> v")), Likeness::same);
    EXPECT_EQ(against_oscillator(
                  oscillator("  w: {type: Power}\n  u: {type: Power}\n", "", "", "F -> w.p1, w.p2 -> u.p1, u.p2 -> v")),
              Likeness::same);
    // And blocks that only they feed.
    EXPECT_EQ(against_oscillator(oscillator("  x: {type: Df}\n  i: {type: Integrator}\n  g: {type: Gain, k: 2}\n",
                                            ", v -> x", "x.y -> i.u, i.y -> g.u")),
              Likeness::same);
    EXPECT_EQ(against_oscillator(oscillator("  i: {type: Integrator}\n", "", "m.f -> i.u")), Likeness::same);
}

TEST(Detectors, ThatHoldAnEffortOrAFlowAtZeroAreNoOnlookers) {
    // An ammeter across a capacitor is a short circuit, a voltmeter in a loop opens it.
    EXPECT_EQ(against_oscillator(oscillator("  x: {type: Df}\n", ", n -> x")), Likeness::different);
    EXPECT_EQ(against_oscillator(oscillator("  x: {type: Dq}\n", ", n -> x")), Likeness::different);
    EXPECT_EQ(against_oscillator(oscillator("  x: {type: De}\n", ", v -> x")), Likeness::different);
}

TEST(Detectors, OfADifferenceGoWithTheirJunction) {
    const std::string ladder =
        "components:\n  U: {type: Se, e: 5 V}\n  a: {type: 1}\n  R: {type: R, R: 1 ohm}\n  x: {type: 0}\n  X: {type: "
        "C, C: 1 F}\n  b: {type: 1}\n  L: {type: I, I: 2 H}\n  y: {type: 0}\n  Y: {type: C, C: 3 F}\n";
    const std::string bonds = "bonds: [U -> a, a -> R, a -> x, x -> X, x -> b, b -> L, b -> y, y -> Y";
    const auto likeness = [&](const std::string& more, const std::string& at) {
        Pipeline a(ladder + more + bonds + at + "]\n");
        Pipeline b(ladder + bonds + "]\n");
        return equivalence::compare(a.graph(), b.graph()).likeness;
    };
    // A voltmeter between two nodes; the sum of two currents.
    const std::string between = "  d: {type: 1}\n  V: {type: De}\n";
    EXPECT_EQ(likeness(between, ", x -> d, d -> y, d -> V"), Likeness::same);
    const std::string sum = "  s: {type: 0}\n  A: {type: Df}\n";
    EXPECT_EQ(likeness(sum, ", a -> s, b -> s, s -> A"), Likeness::same);
    // With something else there it is a connection.
    EXPECT_EQ(likeness(between + "  Z: {type: R, R: 4 ohm}\n", ", x -> d, d -> y, d -> V, d -> Z"),
              Likeness::different);
    // Nor does it go where it is read.
    const auto read_at = [&](const std::string& at) {
        return ladder + between + "  G: {type: Se, e: V.y}\n" + bonds + at + ", d -> V, G -> b]\n";
    };
    Pipeline a(read_at(", x -> d, d -> y"));
    Pipeline b(read_at(", d -> y"));
    EXPECT_EQ(equivalence::compare(a.graph(), b.graph()).likeness, Likeness::different);
    EXPECT_EQ(equivalence::compare(a.graph(), a.graph()).likeness, Likeness::same);
}

TEST(Detectors, InPartsOfTheLibraryAreOnesToo) {
    const auto circuit = [](const std::string& meters, const std::string& wires) {
        return "import: [electrical]\ncomponents:\n  u: {type: ConstantVoltage, V: 20 V}\n  R: {type: Resistor, R: 2 "
               "ohm}\n  L: {type: Inductor, L: 5 mH}\n  g: {type: Ground}\n" +
               meters + "connect: [" + wires + "]\n";
    };
    Pipeline a(circuit("  A: {type: CurrentSensor}\n  V: {type: VoltageSensor}\n",
                       "[u.p, A.p], [A.n, R.p, V.p], [R.n, L.p], [L.n, u.n, g, V.n]"));
    Pipeline b(circuit("", "[u.p, R.p], [R.n, L.p], [L.n, u.n, g]"));
    EXPECT_EQ(equivalence::compare(a.graph(), b.graph()).likeness, Likeness::simplified);
    EXPECT_EQ(equivalence::compare(b.graph(), a.graph()).likeness, Likeness::simplified);
}

TEST(Detectors, ThatAreReadCount) {
    const auto fed = [](const std::string& by) {
        return "parameters: {c: 1 kg/s}\n" +
               oscillator("  G: {type: Se, e: c*" + by + "}\n  x: {type: Df}\n", ", G -> v, v -> x");
    };
    EXPECT_EQ(against_oscillator(fed("x.y")), Likeness::different);
    Pipeline a(fed("x.y"));
    Pipeline b(fed("m.f"));
    EXPECT_EQ(equivalence::compare(a.graph(), b.graph()).likeness, Likeness::different);
}

TEST(Detectors, WhatIsReadBehindAMeterIsReadWithoutItToo) {
    const auto with = [](const std::string& meter, const std::string& bond) {
        return "parameters: {a: 3 N.s/m, b: 1 N.s2/m2, c: 1 s/m}\ncomponents:\n  F: {type: Se, e: 10 N}\n  v: {type: "
               "1}\n"
               "  m: {type: I, I: 2 kg}\n  d: {type: R, R: \"a + b*abs(m.f) + c*abs(F.e)\"}\n" +
               meter + "bonds: [F -> v, v -> d, " + bond + "]\n";
    };
    Pipeline a(with("  w: {type: Power}\n", "v -> w.p1, w.p2 -> m"));
    Pipeline b(with("", "v -> m"));
    EXPECT_EQ(equivalence::compare(a.graph(), b.graph()).likeness, Likeness::same);
}

TEST(Detectors, InRandomGraphsChangeNothing) {
    std::size_t added = 0;
    for (std::uint64_t seed = 1; seed <= 200; ++seed) {
        const DrawnGraph graph = drawn_graph(seed);
        Chance chance(seed + 6000);
        const DrawnGraph other = with_detectors(with_other_arrows(graph, chance), chance);
        added += other.nodes.size() - graph.nodes.size();
        const std::string text = renamed(other, chance).text(&chance);
        Pipeline a(text);
        Pipeline b(graph.text());
        EXPECT_EQ(equivalence::compare(a.graph(), b.graph()).likeness, Likeness::same) << graph.text() << text;
    }
    EXPECT_GT(added, 300U);
}

}  // namespace
}  // namespace bondgraph::test
