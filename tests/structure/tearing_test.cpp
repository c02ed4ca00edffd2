#include "bondgraph/structure/tearing.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "bondgraph/structure/components.hpp"
#include "tests/structure/lists.hpp"

namespace bondgraph::structure {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Bytes = std::vector<std::uint8_t>;

constexpr std::size_t kBackEdgesOnly = 0;
constexpr std::size_t kGreedyAlways = 1'000'000;

std::vector<std::uint32_t> all_vertices(const Incidence& successors) {
    std::vector<std::uint32_t> vertices(successors.rows());
    std::iota(vertices.begin(), vertices.end(), 0U);
    return vertices;
}

/// Torn and ordered vertices are the component, each once, and no edge between ordered vertices points to the vertex
/// itself or a later one: that the rest has no cycle follows.
void expect_valid(const Incidence& successors, std::span<const std::uint32_t> component, const Tearing& tearing) {
    std::vector<std::uint32_t> listed = tearing.torn;
    EXPECT_TRUE(std::ranges::is_sorted(tearing.torn));
    listed.insert(listed.end(), tearing.order.begin(), tearing.order.end());
    std::ranges::sort(listed);
    std::vector<std::uint32_t> expected(component.begin(), component.end());
    std::ranges::sort(expected);
    ASSERT_EQ(listed, expected);

    std::vector<std::size_t> place(successors.rows(), 0);  // 0: not among the ordered
    for (std::size_t k = 0; k < tearing.order.size(); ++k) place[tearing.order[k]] = k + 1;
    for (const std::uint32_t v : tearing.order) {
        for (const std::uint32_t w : successors.row(v)) {
            if (place[w] != 0) {
                ASSERT_LT(place[w], place[v]) << v << " needs " << w;
            }
        }
    }
}

Incidence random_graph(std::mt19937& random, std::size_t size, std::size_t edges) {
    std::vector<std::vector<std::uint32_t>> lists(size);
    for (; edges > 0; --edges) lists[random() % size].push_back(static_cast<std::uint32_t>(random() % size));
    return incidence(lists);
}

/// Neighbours need each other: the loop structure of a ladder network's efforts and flows.
Incidence ladder(std::uint32_t size) {
    Incidence successors;
    for (std::uint32_t v = 0; v < size; ++v) {
        std::vector<std::uint32_t> row;
        if (v > 0) row.push_back(v - 1);
        if (v + 1 < size) row.push_back(v + 1);
        successors.add_row(row);
    }
    return successors;
}

Incidence ring(std::uint32_t size) {
    Incidence successors;
    for (std::uint32_t v = 0; v < size; ++v) successors.add_row(std::vector<std::uint32_t>{(v + 1) % size});
    return successors;
}

Incidence complete(std::uint32_t size) {
    Incidence successors;
    for (std::uint32_t v = 0; v < size; ++v) {
        std::vector<std::uint32_t> row(size);
        std::iota(row.begin(), row.end(), 0U);
        std::erase(row, v);
        successors.add_row(row);
    }
    return successors;
}

class BothWays : public ::testing::TestWithParam<std::size_t> {
   protected:
    static Tearing tear_all(const Incidence& successors, const Bytes& prefer = {}, const Bytes& must = {}) {
        const auto vertices = all_vertices(successors);
        Tearing result = tear(successors, vertices, prefer, must, GetParam());
        expect_valid(successors, vertices, result);
        return result;
    }
};
INSTANTIATE_TEST_SUITE_P(Tearing, BothWays, ::testing::Values(kBackEdgesOnly, kGreedyAlways),
                         [](const auto& info) { return info.param == kBackEdgesOnly ? "BackEdges" : "Greedy"; });

TEST_P(BothWays, NothingGivesNothing) {
    const Tearing result = tear(Incidence{}, {}, {}, {}, GetParam());
    EXPECT_THAT(result.torn, IsEmpty());
    EXPECT_THAT(result.order, IsEmpty());
}

TEST_P(BothWays, AnAcyclicGraphIsOrderedUntorn) {
    const Tearing result = tear_all(incidence({{1, 2}, {2}, {}}));
    EXPECT_THAT(result.torn, IsEmpty());
    EXPECT_THAT(result.order, ElementsAre(2, 1, 0));
}

TEST_P(BothWays, ASelfLoopIsTorn) { EXPECT_THAT(tear_all(incidence({{1}, {1, 2}, {}})).torn, ElementsAre(1)); }

TEST_P(BothWays, ARingIsTornOnce) { EXPECT_EQ(tear_all(ring(150)).torn.size(), 1U); }

TEST_P(BothWays, TheFirstOfEquallyGoodVerticesIsTorn) { EXPECT_THAT(tear_all(ring(7)).torn, ElementsAre(0)); }

TEST_P(BothWays, TheRingIsTornWhereThatIsPreferred) {
    Bytes prefer(9, 1);
    prefer[6] = 2;
    EXPECT_THAT(tear_all(ring(9), prefer).torn, ElementsAre(6));
}

TEST_P(BothWays, WhatMustBeTornIsTornAndSparesTheRest) {
    Bytes must(9, 0);
    must[4] = 1;
    EXPECT_THAT(tear_all(ring(9), {}, must).torn, ElementsAre(4));
}

TEST_P(BothWays, WhatMustBeTornIsTornWithoutACycleToo) {
    EXPECT_THAT(tear_all(incidence({{1}, {2}, {}}), {}, {0, 1, 0}).torn, ElementsAre(1));
}

TEST_P(BothWays, ACompleteGraphKeepsOneVertex) { EXPECT_EQ(tear_all(complete(12)).torn.size(), 11U); }

TEST_P(BothWays, ALadderIsTornAtHalfItsVertices) {
    EXPECT_EQ(tear_all(ladder(100)).torn.size(), 50U);
    EXPECT_EQ(tear_all(ladder(101)).torn.size(), 50U);
}

TEST_P(BothWays, TheHubOfAStarIsTornAlone) {
    std::vector<std::vector<std::uint32_t>> lists(20, {7});
    lists[7].clear();
    for (std::uint32_t v = 0; v < 20; ++v) {
        if (v != 7) lists[7].push_back(v);
    }
    EXPECT_THAT(tear_all(incidence(lists)).torn, ElementsAre(7));
}

TEST_P(BothWays, ParallelEdgesDoNotMatter) {
    EXPECT_EQ(tear_all(incidence({{1, 1, 1}, {0, 2, 2}, {0, 0}})).torn, tear_all(incidence({{1}, {0, 2}, {0}})).torn);
}

TEST_P(BothWays, RandomGraphsAreLeftWithoutCycles) {
    std::mt19937 random(1);
    for (int trial = 0; trial < 400; ++trial) {
        const std::size_t size = 1 + random() % 40;
        const Incidence successors = random_graph(random, size, random() % (4 * size));
        Bytes prefer(size);
        Bytes must(size);
        for (auto& p : prefer) p = static_cast<std::uint8_t>(random() % 3);
        for (auto& m : must) m = random() % 10 == 0 ? 1 : 0;
        const Tearing result = tear_all(successors, prefer, must);
        for (std::uint32_t v = 0; v < size; ++v) {
            if (must[v] != 0) {
                EXPECT_TRUE(std::ranges::binary_search(result.torn, v));
            }
        }
    }
}

TEST_P(BothWays, TheOrderOfTheComponentDoesNotMatter) {
    std::mt19937 random(2);
    const Incidence successors = random_graph(random, 60, 150);
    auto vertices = all_vertices(successors);
    const Tearing expected = tear(successors, vertices, {}, {}, GetParam());
    std::ranges::reverse(vertices);
    const Tearing result = tear(successors, vertices, {}, {}, GetParam());
    EXPECT_EQ(result.torn, expected.torn);
    EXPECT_EQ(result.order, expected.order);
}

TEST_P(BothWays, OnlyTheComponentIsLookedAt) {
    // The cycle 0–1–2 leads through vertex 1, which is not asked about; 2–3 is a cycle of its own.
    const Incidence successors = incidence({{1}, {2}, {0, 3}, {2}});
    const std::vector<std::uint32_t> component{0, 2, 3};
    const Tearing result = tear(successors, component, {}, {}, GetParam());
    expect_valid(successors, component, result);
    EXPECT_THAT(result.torn, ElementsAre(2));
}

/// With a cost of the graph's size per call this would take hours.
TEST_P(BothWays, ManySmallComponentsOfALargeGraphCostTheirOwnSizeOnly) {
    constexpr std::uint32_t kPairs = 200'000;
    Incidence successors;
    for (std::uint32_t v = 0; v < 2 * kPairs; ++v) successors.add_row(std::vector<std::uint32_t>{v ^ 1U});
    const Bytes none(2 * kPairs, 0);
    std::size_t torn = 0;
    for (std::uint32_t v = 0; v < 2 * kPairs; v += 2) {
        torn += tear(successors, std::vector<std::uint32_t>{v, v + 1}, none, none, GetParam()).torn.size();
    }
    EXPECT_EQ(torn, kPairs);
}

/// Reference for minimality: is the graph without `torn` free of cycles, by its strong components?
bool acyclic_without(const Incidence& successors, const std::vector<std::uint32_t>& torn) {
    Incidence rest;
    for (std::uint32_t v = 0; v < successors.rows(); ++v) {
        std::vector<std::uint32_t> row;
        for (const std::uint32_t w : successors.row(v)) {
            const bool kept = !std::ranges::binary_search(torn, v) && !std::ranges::binary_search(torn, w);
            if (kept && v == w) return false;
            if (kept) row.push_back(w);
        }
        rest.add_row(row);
    }
    return strong_components(rest).rows() == rest.rows();
}

// The search tears 0 and 2; with 2 torn, what needs it does not keep 0 from coming back.
TEST(Tearing, AVertexThatNeedsOnlyTornOnesComesBack) {
    const Incidence successors = incidence({{2}, {2, 0}, {1}});
    EXPECT_THAT(tear(successors, all_vertices(successors), {}, {}, kBackEdgesOnly).torn, ElementsAre(2));
}

TEST(Tearing, GreedyChoiceLeavesNoTornVertexThatCouldBeSpared) {
    std::mt19937 random(3);
    for (int trial = 0; trial < 200; ++trial) {
        const std::size_t size = 2 + random() % 25;
        const Incidence successors = random_graph(random, size, 3 * size);
        const Tearing result = tear(successors, all_vertices(successors), {}, {});
        for (const std::uint32_t v : result.torn) {
            auto fewer = result.torn;
            std::erase(fewer, v);
            EXPECT_FALSE(acyclic_without(successors, fewer)) << "trial " << trial << ", vertex " << v;
        }
    }
}

TEST(Tearing, GreedyChoiceIsTheOptimumOrOneOffOnSmallGraphs) {
    std::mt19937 random(4);
    int optimal = 0;
    for (int trial = 0; trial < 200; ++trial) {
        constexpr std::uint32_t kSize = 9;
        const Incidence successors = random_graph(random, kSize, 22);
        std::size_t optimum = kSize;
        for (std::uint32_t set = 0; set < (1U << kSize); ++set) {
            std::vector<std::uint32_t> torn;
            for (std::uint32_t v = 0; v < kSize; ++v) {
                if ((set >> v & 1U) != 0) torn.push_back(v);
            }
            if (torn.size() < optimum && acyclic_without(successors, torn)) optimum = torn.size();
        }
        const std::size_t size = tear(successors, all_vertices(successors), {}, {}).torn.size();
        EXPECT_LE(size, optimum + 1);
        if (size == optimum) ++optimal;
    }
    EXPECT_GE(optimal, 180);
}

TEST(Tearing, ALadderOfAHundredThousandIsTornInLinearTime) {
    const Incidence successors = ladder(100'000);
    const auto vertices = all_vertices(successors);
    const Tearing result = tear(successors, vertices, {}, {});
    expect_valid(successors, vertices, result);
    EXPECT_EQ(result.torn.size(), 50'000U);
}

TEST(Tearing, ARingOfAHundredThousandIsTornOnce) {
    const Incidence successors = ring(100'000);
    const auto vertices = all_vertices(successors);
    const Tearing result = tear(successors, vertices, {}, {});
    expect_valid(successors, vertices, result);
    EXPECT_EQ(result.torn.size(), 1U);
}

TEST(Tearing, ALargeRandomGraphIsTornSparsely) {
    std::mt19937 random(5);
    const Incidence successors = random_graph(random, 50'000, 100'000);
    const auto vertices = all_vertices(successors);
    const Tearing result = tear(successors, vertices, {}, {});
    expect_valid(successors, vertices, result);
    EXPECT_LT(result.torn.size(), 25'000U);
}

}  // namespace
}  // namespace bondgraph::structure
