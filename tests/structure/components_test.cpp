#include "bondgraph/structure/components.hpp"

#include <gmock/gmock.h>

#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/strong_components.hpp>
#include <map>
#include <random>
#include <set>

#include "tests/structure/lists.hpp"

namespace bondgraph::structure {
namespace {

using ::testing::ElementsAre;

/// Every vertex once, ascending within a component; edges lead to the same or an earlier component.
void expect_order(const Incidence& successors, const Incidence& components) {
    std::vector<int> component_of(successors.rows(), -1);
    for (std::size_t c = 0; c < components.rows(); ++c) {
        EXPECT_TRUE(std::ranges::is_sorted(components.row(c)));
        for (const std::uint32_t v : components.row(c)) {
            ASSERT_EQ(component_of[v], -1) << "listed twice";
            component_of[v] = static_cast<int>(c);
        }
    }
    for (std::size_t v = 0; v < successors.rows(); ++v) {
        ASSERT_NE(component_of[v], -1) << "not listed";
        for (const std::uint32_t w : successors.row(v)) EXPECT_LE(component_of[w], component_of[v]);
    }
}

std::set<std::set<std::uint32_t>> as_sets(const Incidence& components) {
    std::set<std::set<std::uint32_t>> sets;
    for (std::size_t c = 0; c < components.rows(); ++c) {
        sets.emplace(components.row(c).begin(), components.row(c).end());
    }
    return sets;
}

std::set<std::set<std::uint32_t>> boost_components(const Incidence& successors) {
    boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS> graph(successors.rows());
    for (std::size_t v = 0; v < successors.rows(); ++v) {
        for (const std::uint32_t w : successors.row(v)) boost::add_edge(v, w, graph);
    }
    std::vector<int> component(successors.rows());
    boost::strong_components(graph,
                             boost::make_iterator_property_map(component.begin(), get(boost::vertex_index, graph)));
    std::map<int, std::set<std::uint32_t>> members;
    for (std::uint32_t v = 0; v < component.size(); ++v) members[component[v]].insert(v);
    std::set<std::set<std::uint32_t>> sets;
    for (auto& [id, set] : members) sets.insert(std::move(set));
    return sets;
}

TEST(StrongComponents, OfNothingAreNone) { EXPECT_EQ(strong_components(Incidence{}).rows(), 0U); }

TEST(StrongComponents, ComeAfterWhatTheyNeed) {
    const Incidence components = strong_components(incidence({{1}, {2}, {1, 3}, {}, {0, 4}}));
    ASSERT_EQ(components.rows(), 4U);
    EXPECT_THAT(components.row(0), ElementsAre(3));
    EXPECT_THAT(components.row(1), ElementsAre(1, 2));
    EXPECT_THAT(components.row(2), ElementsAre(0));
    EXPECT_THAT(components.row(3), ElementsAre(4));
}

TEST(StrongComponents, AgreeWithBoostOnRandomGraphs) {
    std::mt19937 random(1);
    for (int trial = 0; trial < 300; ++trial) {
        const std::size_t size = 1 + random() % 60;
        std::vector<std::vector<std::uint32_t>> lists(size);
        for (std::size_t edges = random() % (3 * size); edges > 0; --edges) {
            lists[random() % size].push_back(static_cast<std::uint32_t>(random() % size));
        }
        const Incidence successors = incidence(lists);
        const Incidence components = strong_components(successors);
        expect_order(successors, components);
        ASSERT_EQ(as_sets(components), boost_components(successors)) << "trial " << trial;
    }
}

TEST(StrongComponents, OfALongPathAndALongRingNeedNoDeepStack) {
    constexpr std::uint32_t kSize = 200'000;
    Incidence path;
    for (std::uint32_t v = 0; v + 1 < kSize; ++v) path.add_row(std::vector<std::uint32_t>{v + 1});
    Incidence ring = path;
    path.add_row({});
    ring.add_row(std::vector<std::uint32_t>{0});
    const Incidence components = strong_components(path);
    EXPECT_EQ(components.rows(), kSize);
    expect_order(path, components);
    EXPECT_EQ(strong_components(ring).rows(), 1U);
}

}  // namespace
}  // namespace bondgraph::structure
