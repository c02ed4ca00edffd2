#include "bondgraph/equivalence/coloured_graph.hpp"

#include <gtest/gtest.h>

#include <chrono>

namespace bondgraph::equivalence {
namespace {

/// Vertices of one colour and edges both ways.
ColouredGraph undirected(std::uint32_t vertices, const std::vector<std::pair<std::uint32_t, std::uint32_t>>& edges) {
    ColouredGraph g;
    for (std::uint32_t v = 0; v < vertices; ++v) g.add(0);
    for (const auto& [a, b] : edges) {
        g.arcs[a].push_back({b, 0});
        g.arcs[b].push_back({a, 0});
    }
    return g;
}

ColouredGraph ring(std::uint32_t n, std::uint32_t step = 1) {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> edges;
    for (std::uint32_t k = 0; k < n; ++k) edges.emplace_back(k * step % n, (k + 1) * step % n);
    return undirected(n, edges);
}

TEST(ColouredGraphs, TwoTrianglesAreNoHexagon) {
    // Refinement tells none of their vertices apart.
    const ColouredGraph triangles = undirected(6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}});
    EXPECT_FALSE(first_difference(triangles, ring(6)));
    const Matching found = isomorphism(triangles, ring(6));
    EXPECT_FALSE(found.map);
    EXPECT_FALSE(found.given_up);
}

TEST(ColouredGraphs, ASearchIsGivenUpAndSaysSo) {
    const ColouredGraph triangles = undirected(6, {{0, 1}, {1, 2}, {2, 0}, {3, 4}, {4, 5}, {5, 3}});
    EXPECT_TRUE(isomorphism(triangles, ring(6), 1).given_up);
}

TEST(ColouredGraphs, LabelsAndDirectionsOfArcsCount) {
    ColouredGraph a = undirected(2, {});
    ColouredGraph b = a;
    a.arcs[0].push_back({1, 3});
    b.arcs[1].push_back({0, 3});
    EXPECT_TRUE(isomorphism(a, b).map);
    b.arcs[1][0].label = 4;
    EXPECT_FALSE(isomorphism(a, b).map);
}

TEST(ColouredGraphs, LargeRingsAndStarsTakeLittleTime) {
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_TRUE(isomorphism(ring(3001), ring(3001, 7)).map);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> rays;
    for (std::uint32_t k = 1; k <= 3000; ++k) rays.emplace_back(0, k);
    EXPECT_TRUE(isomorphism(undirected(3001, rays), undirected(3001, rays)).map);
    RecordProperty("seconds",
                   std::to_string(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()));
}

}  // namespace
}  // namespace bondgraph::equivalence
