#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>

#include "bondgraph/equivalence/compare.hpp"
#include "tests/equivalence/drawn_graph.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph::test {
namespace {

using equivalence::Likeness;

std::size_t node(DrawnGraph& g, const std::string& type, double value = 0.0) {
    g.nodes.push_back({fmt::format("n{}", g.nodes.size()), type, "electrical", value});
    return g.nodes.size() - 1;
}

/// 0-junctions with a capacitor each, between neighbours a 1-junction with a resistor; closed where it is a ring.
DrawnGraph line(std::size_t sections, bool closed) {
    DrawnGraph g;
    std::vector<std::size_t> zeros;
    for (std::size_t k = 0; k < sections; ++k) {
        zeros.push_back(node(g, "0"));
        g.bonds.push_back({zeros.back(), node(g, "C", 1.0)});
    }
    for (std::size_t k = 0; k + (closed ? 0 : 1) < sections; ++k) {
        const std::size_t one = node(g, "1");
        g.bonds.push_back({zeros[k], one});
        g.bonds.push_back({one, zeros[(k + 1) % sections]});
        g.bonds.push_back({one, node(g, "R", 1.0)});
    }
    return g;
}

DrawnGraph star(std::size_t rays) {
    DrawnGraph g;
    const std::size_t centre = node(g, "0");
    for (std::size_t k = 0; k < rays; ++k) g.bonds.push_back({centre, node(g, "R", 1.0)});
    return g;
}

/// How long the comparison itself takes is kept with the results of the test; it depends on the machine.
void expect_alike(const DrawnGraph& graph, const std::string& name) {
    Chance chance(7);
    Pipeline a(renamed(graph, chance).text(&chance));
    Pipeline b(graph.text());
    (void)a.graph();
    (void)b.graph();
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(equivalence::compare(a.graph(), b.graph()).likeness, Likeness::same) << name;
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    testing::Test::RecordProperty(name, fmt::format("{:.3f}", seconds));
}

TEST(LargeGraphs, AThousandEqualElementsInALine) { expect_alike(line(500, false), "ladder"); }
TEST(LargeGraphs, AThousandEqualElementsInARing) { expect_alike(line(500, true), "ring"); }
TEST(LargeGraphs, AThousandEqualElementsInAStar) { expect_alike(star(1000), "star"); }

TEST(LargeGraphs, OneElementOfAThousandIsSeen) {
    const DrawnGraph graph = line(500, true);
    DrawnGraph other = graph;
    other.nodes[667].value = 2.0;  // a capacitor
    Chance chance(7);
    Pipeline a(renamed(other, chance).text(&chance));
    Pipeline b(graph.text());
    EXPECT_EQ(equivalence::compare(a.graph(), b.graph()).likeness, Likeness::different);
}

}  // namespace
}  // namespace bondgraph::test
