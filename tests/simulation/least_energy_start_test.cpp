// Storages that depend on each other and have no start values: none of them begins at 0 only because of its place in
// the file.

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

/// The results of a model at the start, with its components and bonds in every order of those given that turns around,
/// shifts, or leaves them; all of them have to be the same.
std::vector<double> start_in_any_order(std::vector<std::string> components, std::vector<std::string> bonds,
                                       const std::vector<std::string>& results, const std::string& more = "") {
    std::vector<double> first;
    for (std::size_t turn = 0; turn < 2 * components.size(); ++turn) {
        std::string text = "components:\n";
        for (const std::string& c : components) text += "  " + c + "\n";
        text += "bonds:\n";
        for (const std::string& b : bonds) text += "  - " + b + "\n";
        Pipeline p(text + more);
        const auto run = p.run({.stop = 1e-9, .tolerance = 1e-6}, results);
        EXPECT_FALSE(run.summary.failure) << text;
        std::vector<double> values;
        for (std::size_t k = 0; k < results.size(); ++k) values.push_back(run.result.at(0, k));
        if (first.empty()) first = values;
        for (std::size_t k = 0; k < results.size(); ++k)
            EXPECT_NEAR(values[k], first[k], 1e-12 * (1.0 + std::abs(first[k]))) << results[k] << "\n" << text;
        std::ranges::rotate(components, components.begin() + 1);
        std::ranges::rotate(bonds, bonds.begin() + 1);
        if (turn + 1 == components.size()) std::ranges::reverse(components);
    }
    return first;
}

// A source on two capacitors in series: what charges one has gone through the other. 6 V on 1 F and 2 F: 4 C each.
TEST(TiedStorages, InALoopWithASourceAreChargedAlike) {
    const auto q =
        start_in_any_order({"s: {type: Se, e: 6 V}", "j: {type: 1}", "a: {type: C, C: 1 F}", "b: {type: C, C: 2 F}"},
                           {"s -> j", "j -> a", "j -> b"}, {"a.q", "b.q"});
    EXPECT_NEAR(q[0], 4.0, 1e-12);
    EXPECT_NEAR(q[1], 4.0, 1e-12);
}

// A switch that closes at once does the same: the jump from 0.
TEST(TiedStorages, StartAsIfASwitchHadClosed) {
    const std::string text =
        "components:\n  s: {type: Se, e: 6 V}\n  j: {type: 1}\n  sw: {type: Sw, open: time < 0.5}\n"
        "  a: {type: C, C: 1 F, initial: {q: 0}}\n  b: {type: C, C: 2 F, initial: {q: 0}}\n"
        "bonds: [s -> j, j -> sw, j -> a, j -> b]\n";
    Pipeline p(text);
    const auto run = p.run({.stop = 1.0, .tolerance = 1e-8}, {"a.q", "b.q"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const std::size_t last = run.result.time.size() - 1;
    EXPECT_NEAR(run.result.at(last, 0), 4.0, 1e-9);
    EXPECT_NEAR(run.result.at(last, 1), 4.0, 1e-9);
}

// Inertias at a 0-junction with a given flow, f1 + f2 = 6: the momenta are equal.
TEST(TiedStorages, AtANodeWithAFlowSourceHaveEqualMomenta) {
    const auto p =
        start_in_any_order({"s: {type: Sf, f: 6 A}", "j: {type: 0}", "a: {type: I, I: 1 H}", "b: {type: I, I: 2 H}"},
                           {"s -> j", "j -> a", "j -> b"}, {"a.f", "b.f", "a.p", "b.p"});
    EXPECT_NEAR(p[0], 4.0, 1e-12);
    EXPECT_NEAR(p[1], 2.0, 1e-12);
    EXPECT_NEAR(p[2], p[3], 1e-12);
}

// One value is given: the others share what it leaves. -5 V on 1 F and 4 F in series: 4 C.
TEST(TiedStorages, KeepWhatIsGiven) {
    const auto q = start_in_any_order(
        {"j: {type: 1}", "x: {type: C, C: 1 F, initial: {e: 5 V}}", "a: {type: C, C: 1 F}", "b: {type: C, C: 4 F}"},
        {"j -> x", "j -> a", "j -> b"}, {"x.e", "a.q", "b.q"});
    EXPECT_NEAR(q[0], 5.0, 1e-12);
    EXPECT_NEAR(q[1], -4.0, 1e-12);
    EXPECT_NEAR(q[2], -4.0, 1e-12);
}

TEST(TiedStorages, ThatMayBeginAtZeroDo) {
    const auto q = start_in_any_order({"s: {type: Se, e: 6 V}", "r: {type: R, R: 1 ohm}", "j: {type: 1}",
                                       "n: {type: 0}", "a: {type: C, C: 1 F}", "b: {type: C, C: 4 F}"},
                                      {"s -> j", "j -> r", "j -> n", "n -> a", "n -> b"}, {"a.q", "b.q"});
    EXPECT_EQ(q[0], 0.0);
    EXPECT_EQ(q[1], 0.0);
}

// A law that is no straight line: e = q + q³ and e = q/2 on 6 V. Least energy: e1 e2' = e2 e1', with e1 + e2 = 6. As
// a dependent storage its charge has to be solved for.
TEST(TiedStorages, OfCurvedLawsStoreTheLeastAsWell) {
    const auto q = start_in_any_order(
        {"s: {type: Se, e: 6 V}", "j: {type: 1}", "a: {type: C, law: \"e = k*q + b*q^3\"}", "b: {type: C, C: 2 F}"},
        {"s -> j", "j -> a", "j -> b"}, {"a.q", "b.q", "a.e", "b.e"}, "parameters: {k: 1 V/C, b: 1 V/C^3}\n");
    EXPECT_NEAR(q[2] + q[3], 6.0, 1e-9);
    const double slope = 1.0 + 3.0 * q[0] * q[0];
    EXPECT_NEAR(q[2] * 0.5, q[3] * slope, 1e-9);
}

// Three loops with two sources, by the normal equations of least energy: minimise Σ q²/2C over q1..q4 with q1/1 + q2/2
// = 6 and q3/3 + q4/4 = q2/2. With u = q2/2: u² + ... is solved by the two conditions ∂/∂q1 and ∂/∂q3.
TEST(TiedStorages, InSeveralLoopsAreFoundTogether) {
    const auto q = start_in_any_order(
        {"s: {type: Se, e: 6 V}", "j: {type: 1}", "n: {type: 0}", "k: {type: 1}", "a: {type: C, C: 1 F}",
         "b: {type: C, C: 2 F}", "c: {type: C, C: 3 F}", "d: {type: C, C: 4 F}"},
        {"s -> j", "j -> a", "j -> n", "n -> b", "n -> k", "k -> c", "k -> d"}, {"a.q", "b.q", "c.q", "d.q"});
    EXPECT_NEAR(q[2], q[3], 1e-12) << "in series";
    const double branch = 12.0 / 7.0;  // F: 3 F and 4 F in series
    const double node = 6.0 * 1.0 / (1.0 + 2.0 + branch);
    EXPECT_NEAR(q[1], 2.0 * node, 1e-12);
    EXPECT_NEAR(q[2], branch * node, 1e-12);
    EXPECT_NEAR(q[0], q[1] + q[2], 1e-12) << "what goes into the node";
}

// Which of them are states, the user may say; it makes no difference.
TEST(TiedStorages, AreTheSameWhicheverIsAState) {
    for (const std::string preferred : {"a", "b"}) {
        const std::string text = "components:\n  s: {type: Se, e: 6 V}\n  j: {type: 1}\n  a: {type: C, C: 1 F" +
                                 std::string(preferred == "a" ? ", states: prefer" : "") + "}\n  b: {type: C, C: 2 F" +
                                 std::string(preferred == "b" ? ", states: prefer" : "") +
                                 "}\nbonds: [s -> j, j -> a, j -> b]\n";
        Pipeline p(text);
        const auto run = p.run({.stop = 1e-9, .tolerance = 1e-6}, {"a.q", "b.q"});
        EXPECT_NEAR(run.result.at(0, 0), 4.0, 1e-12);
        EXPECT_NEAR(run.result.at(0, 1), 4.0, 1e-12);
        const auto& m = p.compiled();
        ASSERT_EQ(m.state_count, 1U);
        EXPECT_EQ(m.name(m.unknowns[0].variable), preferred + ".q");
    }
}

// A guess is kept: only what nobody says anything of is sought.
TEST(TiedStorages, KeepAGuessOfAState) {
    Pipeline p(
        "components:\n  s: {type: Se, e: 6 V}\n  j: {type: 1}\n  a: {type: C, C: 1 F, guess: {q: 1}, states: "
        "prefer}\n  b: {type: C, C: 2 F}\nbonds: [s -> j, j -> a, j -> b]\n");
    const auto run = p.run({.stop = 1e-9, .tolerance = 1e-6}, {"a.q", "b.q"});
    EXPECT_NEAR(run.result.at(0, 0), 1.0, 1e-12);
    EXPECT_NEAR(run.result.at(0, 1), 10.0, 1e-12);
}

// Two loops, a law of one of which changes with a charge of the other: they are looked at together, and the order of
// lines makes no difference.
TEST(TiedStorages, WhoseLawsChangeWithOtherLoopsStartAlikeInAnyOrder) {
    const auto q = start_in_any_order(
        {"s: {type: Se, e: 6 V}", "j: {type: 1}", "a: {type: C, C: 1 F}", "b: {type: C, C: 2 F}",
         "t: {type: Se, e: 4 V}", "k: {type: 1}", "c: {type: C, law: \"e = q*(k0 + k1*a.q)\"}", "d: {type: C, C: 1 F}"},
        {"s -> j", "j -> a", "j -> b", "t -> k", "k -> c", "k -> d"}, {"a.q", "b.q", "c.q", "d.q"},
        "parameters: {k0: 1 V/C, k1: 0.25 V/C^2}\n");
    EXPECT_NEAR(q[0] + q[1] / 2.0, 6.0, 1e-9);
    EXPECT_NEAR(q[2] * (1.0 + 0.25 * q[0]) + q[3], 4.0, 1e-9);
}

/// Loops of a source with two and with three capacitors, each with values of its own; `count` of them in one model.
std::string many_loops(std::size_t first, std::size_t count) {
    std::string components = "components:\n";
    std::string bonds = "bonds:\n";
    for (std::size_t k = first; k < first + count; ++k) {
        const std::string n = std::to_string(k);
        components += "  s" + n + ": {type: Se, e: " + std::to_string(1 + k) + "}\n  j" + n + ": {type: 1}\n";
        bonds += "  - s" + n + " -> j" + n + "\n";
        for (std::size_t i = 0; i < 2 + k % 2; ++i) {
            const std::string c = "c" + n + "_" + std::to_string(i);
            const std::string law =
                k % 3 == 0 ? "law: e = q + " + std::to_string(1 + i) + "*q^3" : "C: " + std::to_string(1 + i);
            components += "  " + c + ": {type: C, " + law + "}\n";
            bonds += "  - j" + n + " -> " + c + "\n";
        }
    }
    return components + bonds;
}

// Straight and curved laws, in which each group takes another number of steps.
TEST(TiedStorages, InManyGroupsStartAsEachGroupAlone) {
    constexpr std::size_t kGroups = 12;
    std::vector<std::string> names;
    for (std::size_t k = 0; k < kGroups; ++k) names.push_back("c" + std::to_string(k) + "_1.q");
    Pipeline together(many_loops(0, kGroups));
    const auto all = together.run({.stop = 1e-9}, names);
    for (std::size_t k = 0; k < kGroups; ++k) {
        Pipeline alone(many_loops(k, 1));
        const double q = alone.run({.stop = 1e-9}, {names[k]}).result.at(0, 0);
        EXPECT_GT(std::abs(q), 0.1) << k;
        EXPECT_NEAR(all.result.at(0, k), q, 1e-12 * (1.0 + std::abs(q))) << k;
    }
}

}  // namespace
}  // namespace bondgraph
