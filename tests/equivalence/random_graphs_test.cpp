#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bondgraph/equivalence/compare.hpp"
#include "tests/equivalence/drawn_graph.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::test {
namespace {

using equivalence::Likeness;
using equivalence::Structural;
using testing::AnyOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::uint64_t kGraphs = 200;

Structural compared(const std::string& mine, const std::string& reference) {
    Pipeline a(mine);
    Pipeline b(reference);
    return equivalence::compare(a.graph(), b.graph());
}

TEST(RandomGraphs, NamesAndOrderOfLinesChangeNothing) {
    for (std::uint64_t seed = 1; seed <= kGraphs; ++seed) {
        const DrawnGraph graph = drawn_graph(seed);
        Chance chance(seed + 1000);
        const std::string other = renamed(graph, chance).text(&chance);
        EXPECT_EQ(compared(other, graph.text()).likeness, Likeness::same) << graph.text() << other;
    }
}

TEST(RandomGraphs, ArrowConventionsChangeNothing) {
    for (std::uint64_t seed = 1; seed <= kGraphs; ++seed) {
        const DrawnGraph graph = drawn_graph(seed);
        Chance chance(seed + 2000);
        const std::string other = renamed(with_other_arrows(graph, chance), chance).text(&chance);
        const Structural found = compared(other, graph.text());
        EXPECT_EQ(found.likeness, Likeness::same) << found.difference.text << "\n" << graph.text() << other;
    }
}

TEST(RandomGraphs, PartsInsideATypeAreTheSame) {
    for (std::uint64_t seed = 1; seed <= kGraphs; ++seed) {
        const DrawnGraph graph = drawn_graph(seed);
        Chance chance(seed + 3000);
        const std::string other = wrapped(with_other_arrows(graph, chance), chance).text(&chance);
        EXPECT_EQ(compared(other, graph.text()).likeness, Likeness::same) << graph.text() << other;
    }
}

TEST(RandomGraphs, JunctionsThatTheRulesRemoveMakeNoDifference) {
    std::size_t simplified = 0;
    for (std::uint64_t seed = 1; seed <= kGraphs; ++seed) {
        const DrawnGraph graph = drawn_graph(seed);
        Chance chance(seed + 4000);
        const std::string other = renamed(unsimplified(with_other_arrows(graph, chance), chance), chance).text(&chance);
        const Structural found = compared(other, graph.text());
        EXPECT_THAT(found.likeness, AnyOf(Likeness::same, Likeness::simplified))
            << seed << ": " << found.difference.text << "\n"
            << graph.text() << other;
        simplified += found.likeness == Likeness::simplified ? 1 : 0;
    }
    EXPECT_GT(simplified, 150U);
}

// ---- one change -----------------------------------------------------------------------------------------------------

enum class Change { number, type, junction, arrow, place };

/// Changes one thing; false where the graph has nothing of the kind.
bool change(DrawnGraph& g, Change what, Chance& chance) {
    std::vector<std::size_t> fit;
    const auto take_nodes = [&](auto&& is) {
        for (std::size_t k = 0; k < g.nodes.size(); ++k) {
            if (is(g.nodes[k])) fit.push_back(k);
        }
        return !fit.empty();
    };
    const auto passive = [](const DrawnNode& n) { return n.type == "R" || n.type == "C" || n.type == "I"; };
    switch (what) {
        case Change::number:
            if (!take_nodes(passive)) return false;
            g.nodes[chance.one(fit)].value *= 1000.0;
            return true;
        case Change::type: {
            if (!take_nodes(passive)) return false;
            DrawnNode& n = g.nodes[chance.one(fit)];
            n.type = n.type == "R" ? "C" : "R";
            n.start = 0.0;
            return true;
        }
        case Change::junction: {
            if (!take_nodes([](const DrawnNode& n) { return n.junction(); })) return false;
            DrawnNode& n = g.nodes[chance.one(fit)];
            n.type = n.type == "0" ? "1" : "0";
            return true;
        }
        case Change::arrow: {
            for (std::size_t k = 0; k < g.bonds.size(); ++k) {
                if (g.nodes[g.bonds[k].from].junction() && g.nodes[g.bonds[k].to].junction()) fit.push_back(k);
            }
            if (fit.empty()) return false;
            DrawnBond& b = g.bonds[chance.one(fit)];
            std::swap(b.from, b.to);
            return true;
        }
        case Change::place: {
            if (!take_nodes(passive)) return false;
            const std::size_t moved = chance.one(fit);
            fit.clear();
            if (!take_nodes([&](const DrawnNode& n) { return n.junction() && n.domain == g.nodes[moved].domain; }))
                return false;
            const auto bond = std::ranges::find(g.bonds, moved, &DrawnBond::to);
            const std::size_t to = chance.one(fit);
            if (to == bond->from) return false;
            bond->from = to;
            return true;
        }
    }
    return false;
}

/// Whether the graphs differ by figures that have nothing to do with the comparison.
std::optional<bool> differ(const DrawnGraph& a, const DrawnGraph& b) {
    const std::complex<double> s(0.37, 0.83);
    const auto x = figures(a, s);
    const auto y = figures(b, s);
    if (!x || !y) return std::nullopt;
    if (x->size() != y->size()) return true;
    for (std::size_t k = 0; k < x->size(); ++k) {
        if (std::abs((*x)[k] - (*y)[k]) > 1e-6 * (1.0 + std::abs((*x)[k]))) return true;
    }
    return false;
}

TEST(RandomGraphs, OneChangeIsSeenAndToldForWhatItIs) {
    std::map<Change, int> told;
    for (std::uint64_t seed = 1; seed <= 5 * kGraphs; ++seed) {
        const DrawnGraph graph = drawn_graph(seed);
        Chance chance(seed + 5000);
        DrawnGraph other = graph;
        const auto what = static_cast<Change>(seed % 5);
        if (!change(other, what, chance) || differ(other, graph) != true) continue;
        ++told[what];
        const std::string text = renamed(with_other_arrows(other, chance), chance).text(&chance);
        const Structural found = compared(text, graph.text());
        const std::string& words = found.difference.text;
        ASSERT_EQ(found.likeness, Likeness::different) << seed << "\n" << graph.text() << other.text();
        const std::string context = std::to_string(seed) + "\n" + graph.text() + text;
        switch (what) {
            case Change::number:
                EXPECT_THAT(words, HasSubstr("differs from that of")) << context;
                break;
            case Change::type:
                EXPECT_THAT(words, HasSubstr("Your graph has")) << context;
                break;
            case Change::arrow:
                EXPECT_THAT(words, AnyOf(HasSubstr("other way round"), HasSubstr("turns the sign round"))) << context;
                break;
            case Change::junction:
            case Change::place:
                EXPECT_THAT(words, Not(AnyOf(HasSubstr("Your graph has"), HasSubstr("other way round")))) << context;
                break;
        }
    }
    for (const auto& [what, count] : told) EXPECT_GT(count, 30) << static_cast<int>(what);
    int all = 0;
    for (const auto& [what, count] : told) all += count;
    EXPECT_GE(all, 200);
}

}  // namespace
}  // namespace bondgraph::test
