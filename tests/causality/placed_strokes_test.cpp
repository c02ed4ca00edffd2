// Strokes that are placed by hand, against all assignments there are.

#include "bondgraph/causality/placed_strokes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/causality/rank_oracle.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using causality::PlacedStroke;
using causality::Stroke;
using causality::StrokeJudge;
using test::Pipeline;

constexpr std::size_t kMostEnumerated = 13;  // bonds

/// Whether strokes, bit by bit (1: at the head), obey what each element alone says of its own.
class LocalRules {
   public:
    explicit LocalRules(const model::BondGraph& graph) : graph_(graph) {}

    [[nodiscard]] bool obeyed(unsigned strokes) const {
        return std::ranges::all_of(graph_.elements, [&](const model::Element& e) { return obeyed(e, strokes); });
    }

    [[nodiscard]] std::size_t dependent(unsigned strokes) const {
        std::size_t count = 0;
        for (const model::Element& e : graph_.elements) {
            const std::string name(e.type->name);
            for (std::size_t k = 0; k < e.ports.size(); ++k) {
                if (name == "C" || name == "CF") count += effort_in(e, k, strokes) ? 1 : 0;
                if (name == "I" || name == "IF") count += effort_in(e, k, strokes) ? 0 : 1;
            }
        }
        return count;
    }

    [[nodiscard]] bool effort_in(const model::Element& e, std::size_t port, unsigned strokes) const {
        const auto& p = e.ports[port];
        return ((strokes >> graph_.bonds[p.bond.index()].first) & 1U) == (p.at_head ? 1U : 0U);
    }

   private:
    [[nodiscard]] bool obeyed(const model::Element& e, unsigned strokes) const {
        std::size_t in = 0;
        for (std::size_t k = 0; k < e.ports.size(); ++k) in += effort_in(e, k, strokes) ? 1 : 0;
        const std::string name(e.type->name);
        if (name == "0") return in == 1;
        if (name == "1") return in + 1 == e.ports.size();
        if (name == "TF") return in == 1;
        if (name == "GY") return in != 1;
        if (name == "Se") return in == 0;
        if (name == "Sf") return in == 1;
        return true;
    }

    const model::BondGraph& graph_;
};

/// All strokes of a graph that obey local rules and, where there are meshes, rank, with the fewest dependent storages.
std::vector<unsigned> best_assignments(const model::BondGraph& graph, const test::RandomGraph& plain,
                                       const test::RankOracle& oracle) {
    const LocalRules rules(graph);
    std::vector<unsigned> found;
    for (unsigned strokes = 0; strokes < 1U << graph.bond_components; ++strokes) {
        if (!rules.obeyed(strokes)) continue;
        std::vector<bool> effort_given;
        for (const test::PlainPlace& place : oracle.places) {
            const auto id = graph.element_by_name.at(plain.nodes[place.node].name);
            effort_given.push_back(!rules.effort_in(graph.elements[id.index()], place.number, strokes));
        }
        if (oracle.valid(effort_given)) found.push_back(strokes);
    }
    if (found.empty()) return found;
    const auto least =
        rules.dependent(*std::ranges::min_element(found, {}, [&](unsigned s) { return rules.dependent(s); }));
    std::erase_if(found, [&](unsigned s) { return rules.dependent(s) != least; });
    return found;
}

bool has_all(unsigned strokes, const std::vector<PlacedStroke>& placed) {
    return std::ranges::all_of(placed, [&](const PlacedStroke& p) {
        return ((strokes >> p.component) & 1U) == (p.stroke == Stroke::at_to ? 1U : 0U);
    });
}

/// Places strokes at random until all are there, each judged, and compares with all assignments; how often either end
/// was possible, and how often only one.
struct Walk {
    int chosen = 0;
    int forced = 0;
    int graphs = 0;
    int meshes = 0;
};

void walk(std::uint64_t seed, bool mesh, Walk& walk) {
    const test::RandomGraph plain = test::random_graph(seed, mesh, false);
    if (plain.components > kMostEnumerated) return;
    const test::RankOracle oracle = test::rank_oracle(plain);
    if (oracle.singular || oracle.conflict) return;
    Pipeline p(plain.text);
    const model::BondGraph& graph = p.graph();
    const auto& own = p.causal();
    if (std::ranges::find(own.strokes, Stroke::open) != own.strokes.end()) return;
    const std::vector<unsigned> all = best_assignments(graph, plain, oracle);
    ASSERT_FALSE(all.empty()) << plain.text;
    ++walk.graphs;
    if (own.meshes > 0) ++walk.meshes;
    const StrokeJudge judge(own);
    test::Dice dice(seed);
    std::vector<PlacedStroke> placed;
    std::vector<std::uint32_t> left;
    for (std::uint32_t c = 0; c < graph.bond_components; ++c) left.push_back(c);
    while (!left.empty()) {
        const auto at = left.begin() + static_cast<std::ptrdiff_t>(dice.below(left.size()));
        PlacedStroke next{*at, dice.chance(50) ? Stroke::at_to : Stroke::at_from};
        left.erase(at);
        const auto possible = [&](Stroke stroke) {
            std::vector<PlacedStroke> with = placed;
            with.push_back({next.component, stroke});
            return std::ranges::any_of(all, [&](unsigned s) { return has_all(s, with); });
        };
        const bool this_way = possible(next.stroke);
        const bool other_way = possible(swapped(next.stroke));
        ASSERT_TRUE(this_way || other_way);
        const auto expected = !this_way   ? StrokeJudge::Verdict::wrong
                              : other_way ? StrokeJudge::Verdict::chosen
                                          : StrokeJudge::Verdict::forced;
        ASSERT_EQ(judge.judge(placed, {&next, 1}), expected)
            << "seed " << seed << ", bond component " << next.component << "\n"
            << plain.text;
        ++(this_way && other_way ? walk.chosen : walk.forced);
        if (!this_way) next.stroke = swapped(next.stroke);
        placed.push_back(next);
        const auto whole = judge.completed(placed);
        ASSERT_TRUE(whole);
        for (const PlacedStroke& s : placed) ASSERT_EQ(whole->strokes[s.component], s.stroke);
    }
}

TEST(PlacedStrokes, AreJudgedByAllAssignmentsOfTrees) {
    Walk found;
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
        walk(seed, false, found);
        if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(found.graphs, 100);
    EXPECT_GT(found.chosen, 100);
    EXPECT_GT(found.forced, 500);
}

TEST(PlacedStrokes, AreJudgedByAllAssignmentsOfMeshes) {
    Walk found;
    for (std::uint64_t seed = 1; seed <= 600; ++seed) {
        walk(seed, true, found);
        if (testing::Test::HasFatalFailure()) return;
    }
    EXPECT_GT(found.meshes, 20);
    EXPECT_GT(found.chosen, 20);
}

/// Two wheels that turn together: either may be the state.
constexpr const char* kTied =
    "components:\n  s: {type: Se, e: 1 N.m}\n  j: {type: 1}\n  a: {type: I, I: 1 kg.m2}\n  b: {type: I, I: 2 kg.m2}\n"
    "bonds: [s -> j, wa: j -> a, wb: j -> b]\n";

PlacedStroke at_element(const model::BondGraph& graph, const std::string& bond, bool at) {
    return {graph.bonds[graph.bond_by_name.at(bond).bond.index()].first, at ? Stroke::at_to : Stroke::at_from};
}

TEST(PlacedStrokes, OneOfTiedStoragesIsChosenAndTheOtherFollows) {
    Pipeline p(kTied);
    const auto& own = p.causal();
    const StrokeJudge judge(own);
    const PlacedStroke second = at_element(p.graph(), "wb", true);
    EXPECT_EQ(judge.judge({}, {&second, 1}), StrokeJudge::Verdict::chosen);
    const PlacedStroke first = at_element(p.graph(), "wa", true);
    const std::vector<PlacedStroke> placed{second};
    EXPECT_EQ(judge.judge(placed, {&first, 1}), StrokeJudge::Verdict::wrong);
    const auto whole = judge.completed(placed);
    ASSERT_TRUE(whole);
    EXPECT_FALSE(whole->storages[0].integral);
    EXPECT_TRUE(whole->storages[1].integral);
}

TEST(PlacedStrokes, WhatTheFilePrefersIsNoChoice) {
    std::string text = kTied;
    text.replace(text.find("I: 1 kg.m2"), 10, "I: 1 kg.m2, states: prefer");
    Pipeline p(text);
    const auto& own = p.causal();
    const StrokeJudge judge(own);
    const PlacedStroke second = at_element(p.graph(), "wb", true);
    EXPECT_EQ(judge.judge({}, {&second, 1}), StrokeJudge::Verdict::wrong);
    text.replace(text.find("prefer"), 6, "always");
    Pipeline always(text);
    const auto& forced = always.causal();
    EXPECT_EQ(StrokeJudge(forced).judge({}, {&second, 1}), StrokeJudge::Verdict::wrong);
}

}  // namespace
}  // namespace bondgraph
