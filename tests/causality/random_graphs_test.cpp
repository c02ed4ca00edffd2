// Propagation against linear algebra, on graphs nobody drew by hand.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/causality/rank_oracle.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;
using test::RandomGraph;
using test::RankOracle;

constexpr std::size_t kByRank = causality::kRankLimit;

struct Found {
    int graphs = 0, meshes = 0, singular = 0, conflicts = 0, dependent = 0, loops = 0, brute_force = 0;

    void record() const {
        testing::Test::RecordProperty("graphs", graphs);
        testing::Test::RecordProperty("with_meshes", meshes);
        testing::Test::RecordProperty("singular", singular);
        testing::Test::RecordProperty("conflicts", conflicts);
        testing::Test::RecordProperty("with_dependent_storages", dependent);
        testing::Test::RecordProperty("with_loops", loops);
        testing::Test::RecordProperty("by_brute_force", brute_force);
        fmt::print(
            "{} graphs: {} with meshes, {} singular, {} conflicts, {} with dependent storages, {} with loops, {} by "
            "brute force\n",
            graphs, meshes, singular, conflicts, dependent, loops, brute_force);
    }
};

std::vector<std::size_t> dependent_places(const causality::CausalGraph& causal, const RankOracle& oracle,
                                          const RandomGraph& g) {
    std::vector<std::size_t> places;
    for (const auto& s : causal.storages) {
        if (s.integral) continue;
        const std::string& name = causal.graph->elements[s.element.index()].name;
        for (std::size_t i = 0; i < oracle.places.size(); ++i) {
            if (g.nodes[oracle.places[i].node].name == name && oracle.places[i].number == s.number) places.push_back(i);
        }
    }
    return places;
}

// The inputs of the junction structure as the strokes say them.
std::vector<bool> choice_of(const causality::CausalGraph& causal, const RankOracle& oracle, const RandomGraph& g) {
    std::vector<bool> effort_given;
    for (const test::PlainPlace& place : oracle.places) {
        const auto& element =
            causal.graph->elements[causal.graph->element_by_name.at(g.nodes[place.node].name).index()];
        std::size_t number = place.number;
        std::size_t port = 0;
        while (number >= element.ports[port].size) number -= element.ports[port++].size;
        const auto& p = element.ports[port];
        effort_given.push_back(!causal.effort_in(
            causal.graph->bonds[p.bond.index()].first + static_cast<std::uint32_t>(number), p.at_head));
    }
    return effort_given;
}

std::set<std::set<std::size_t>> loops_of(const causality::CausalGraph& causal, const RandomGraph& g) {
    std::set<std::set<std::size_t>> loops;
    for (const auto& loop : causal.loops) {
        std::set<std::size_t> members;
        for (const auto id : loop.elements) {
            for (std::size_t n = 0; n < g.nodes.size(); ++n) {
                if (g.nodes[n].name == causal.graph->elements[id.index()].name) members.insert(n);
            }
        }
        loops.insert(members);
    }
    return loops;
}

void compare_conflict(Pipeline& pipeline, const RankOracle& oracle, std::size_t rank_limit) {
    const auto errors = test::errors_of([&] { pipeline.causal(); });
    if (oracle.singular && rank_limit != 0) {
        // Inside one mesh its equations are seen to be singular; where several parts coupled by matrix two-ports are
        // singular only together, two of them decide one bond, which shows as a conflict.
        EXPECT_THAT(errors, testing::Each(testing::AnyOf("BG-C006", "BG-C003")));
        EXPECT_THAT(errors, testing::Not(testing::IsEmpty()));
    } else if (oracle.singular) {
        // Propagation may meet a conflict before the equations are looked at: no causality is valid anyway.
        EXPECT_THAT(errors, testing::Not(testing::IsEmpty()));
    } else {
        EXPECT_THAT(errors, testing::Each(testing::AnyOf("BG-C001", "BG-C002", "BG-C003")));
        EXPECT_THAT(errors, testing::Not(testing::IsEmpty()));
    }
}

// In regions decided together loops are read off the strokes: paths that cancel each other are not told from others,
// so there may be more loops than the equations have; none may be missed.
void expect_loops_found(const std::set<std::set<std::size_t>>& found, const std::set<std::set<std::size_t>>& real) {
    for (const auto& loop : real) {
        EXPECT_TRUE(std::any_of(found.begin(), found.end(), [&](const auto& f) {
            return std::includes(f.begin(), f.end(), loop.begin(), loop.end());
        }));
    }
}

void compare(const RandomGraph& g, std::size_t rank_limit, Found& counts) {
    const RankOracle oracle = test::rank_oracle(g);
    Pipeline pipeline(g.text);
    pipeline.rank_limit(rank_limit);
    ASSERT_EQ(test::message_of([&] { pipeline.graph(); }), "");
    ++counts.graphs;
    counts.singular += oracle.singular ? 1 : 0;
    counts.conflicts += oracle.conflict ? 1 : 0;
    if (!oracle.singular && oracle.places.size() <= 8) {
        ++counts.brute_force;
        const auto least = oracle.brute_force(g);
        ASSERT_EQ(least.has_value(), !oracle.conflict);
        if (least) {
            ASSERT_EQ(*least, oracle.dependent.size());
        }
    }
    if (oracle.singular || oracle.conflict) return compare_conflict(pipeline, oracle, rank_limit);
    ASSERT_EQ(oracle.dependent_by_rank, oracle.dependent.size());
    ASSERT_EQ(test::message_of([&] { pipeline.causal(); }), "");
    const causality::CausalGraph& causal = pipeline.causal();
    EXPECT_EQ(dependent_places(causal, oracle, g), oracle.dependent);
    EXPECT_EQ(causal.dependent_storage_count(), oracle.dependent_by_rank);
    EXPECT_TRUE(oracle.valid(choice_of(causal, oracle, g)));
    if (rank_limit != 0 || causal.meshes == 0) {
        EXPECT_EQ(loops_of(causal, g), oracle.loops);
    } else {
        expect_loops_found(loops_of(causal, g), oracle.loops);
    }
    counts.meshes += causal.meshes > 0 ? 1 : 0;
    counts.dependent += oracle.dependent.empty() ? 0 : 1;
    counts.loops += oracle.loops.empty() ? 0 : 1;
}

Found compare_many(std::uint64_t first, std::uint64_t count, bool mesh, bool multibonds, std::size_t rank_limit) {
    Found counts;
    for (std::uint64_t seed = first; seed < first + count; ++seed) {
        const RandomGraph g = test::random_graph(seed, mesh, multibonds);
        SCOPED_TRACE(fmt::format("seed {}\n{}", seed, g.text));
        compare(g, rank_limit, counts);
        if (testing::Test::HasFailure()) break;
    }
    counts.record();
    return counts;
}

TEST(RandomGraphs, CausalityOfTreesIsWhatRankSays) {
    const Found counts = compare_many(1, 1500, false, false, kByRank);
    EXPECT_EQ(counts.singular, 0);
    EXPECT_GT(counts.conflicts, 50);
    EXPECT_GT(counts.dependent, 100);
    EXPECT_GT(counts.loops, 100);
    EXPECT_GT(counts.brute_force, 100);
}

TEST(RandomGraphs, CausalityOfMeshesIsWhatRankSays) {
    const Found counts = compare_many(100'000, 1500, true, false, kByRank);
    EXPECT_GT(counts.singular, 20);
    EXPECT_GT(counts.meshes, 300);
    EXPECT_GT(counts.dependent, 100);
}

TEST(RandomGraphs, CausalityOfMultibondTreesIsWhatRankSays) {
    const Found counts = compare_many(200'000, 1000, false, true, kByRank);
    EXPECT_GT(counts.dependent, 100);
}

TEST(RandomGraphs, CausalityOfMultibondMeshesIsWhatRankSays) {
    const Found counts = compare_many(300'000, 1000, true, true, kByRank);
    EXPECT_GT(counts.meshes, 100);
}

TEST(RandomGraphs, RegionsDecidedTogetherSayTheSameOfTrees) { compare_many(1, 500, false, true, 0); }

TEST(RandomGraphs, RegionsDecidedTogetherSayTheSameOfMeshes) {
    compare_many(100'000, 1000, true, false, 0);
    compare_many(300'000, 500, true, true, 0);
}

}  // namespace
}  // namespace bondgraph
