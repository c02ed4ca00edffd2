#include "bondgraph/io/sankey.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace bondgraph::io {
namespace {

using testing::HasSubstr;
using testing::Not;

// source -> a -> {b -> {c, d}, e}
Sankey tree() {
    Sankey s{.title = "Tree"};
    for (const char* name : {"source", "a", "b", "c", "d", "e"}) s.nodes.push_back({name, ""});
    s.flows = {{0, 1, 10.0, "#111111", "10 J"},
               {1, 2, 7.0, "#111111", "7 J"},
               {2, 3, 4.0, "#111111", "4 J"},
               {2, 4, 3.0, "#111111", "3 J"},
               {1, 5, 3.0, "#111111", "3 J"}};
    return s;
}

// The same amounts enter and leave all nodes but the first few and the last few; circles may occur.
Sankey random_diagram(unsigned seed) {
    std::mt19937 random(seed);
    Sankey s{.title = "Random"};
    const std::size_t nodes = 4 + random() % 20;
    for (std::size_t n = 0; n < nodes; ++n) s.nodes.push_back({"n" + std::to_string(n), ""});
    const std::size_t flows = nodes + random() % nodes;
    for (std::size_t f = 0; f < flows; ++f) {
        const std::size_t from = random() % nodes;
        const std::size_t to = random() % nodes;
        if (from == to) continue;
        s.flows.push_back({from, to, 0.1 + static_cast<double>(random() % 1000) / 100.0, "#111111", ""});
    }
    return s;
}

double scale_of(const Sankey& s, const SankeyLayout& l) { return l.bands[0].width / s.flows[0].amount; }

TEST(SankeyLayout, GoesFromLeftToRightAndEndsInTheLastColumn) {
    const SankeyLayout l = lay_out(tree());
    EXPECT_LT(l.bars[0].x, l.bars[1].x);
    EXPECT_LT(l.bars[1].x, l.bars[2].x);
    EXPECT_LT(l.bars[2].x, l.bars[3].x);
    EXPECT_EQ(l.bars[3].x, l.bars[4].x);
    EXPECT_EQ(l.bars[3].x, l.bars[5].x);
    EXPECT_TRUE(l.bars[0].begins);
    EXPECT_TRUE(l.bars[5].ends);
    EXPECT_FALSE(l.bars[2].begins || l.bars[2].ends);
}

TEST(SankeyLayout, OfATreeHasNoCrossings) {
    Sankey s = tree();
    std::swap(s.flows[1], s.flows[4]);  // e comes before b then
    const SankeyLayout l = lay_out(s);
    const bool e_above = l.bars[5].y < l.bars[3].y;
    EXPECT_EQ(e_above, l.bars[5].y < l.bars[4].y);
}

TEST(SankeyLayout, ACircleReturnsBelow) {
    Sankey s = tree();
    s.flows.push_back({2, 1, 2.0, "#111111", "2 J"});
    const SankeyLayout l = lay_out(s);
    EXPECT_TRUE(l.bands.back().returns);
    for (const SankeyBar& bar : l.bars) EXPECT_GT(l.bands.back().points[1].y, bar.y + bar.height);
    EXPECT_EQ(std::count_if(l.bands.begin(), l.bands.end(), [](const SankeyBand& b) { return b.returns; }), 1);
}

TEST(SankeyLayout, OfNothingIsEmpty) {
    const Sankey empty{.title = "Nothing", .nodes = {{"alone", ""}}};
    EXPECT_EQ(lay_out(empty).bands.size(), 0U);
    EXPECT_THAT(draw_sankey(empty), HasSubstr("</svg>"));
    EXPECT_THAT(draw_sankey({}), HasSubstr("</svg>"));
}

class RandomSankey : public testing::TestWithParam<unsigned> {};

TEST_P(RandomSankey, HasBandsOnOneScaleThatFillTheBars) {
    const Sankey s = random_diagram(GetParam());
    ASSERT_FALSE(s.flows.empty());
    const SankeyLayout l = lay_out(s);
    const double scale = scale_of(s, l);
    std::vector<double> in(s.nodes.size(), 0.0);
    std::vector<double> out(s.nodes.size(), 0.0);
    for (std::size_t f = 0; f < s.flows.size(); ++f) {
        EXPECT_NEAR(l.bands[f].width, s.flows[f].amount * scale, 1e-9);
        out[s.flows[f].from] += l.bands[f].width;
        in[s.flows[f].to] += l.bands[f].width;
    }
    for (std::size_t n = 0; n < s.nodes.size(); ++n) EXPECT_NEAR(l.bars[n].height, std::max(in[n], out[n]), 1e-9);
}

TEST_P(RandomSankey, HasBandsThatBeginAndEndAtTheirBars) {
    const Sankey s = random_diagram(GetParam());
    const SankeyLayout l = lay_out(s);
    for (std::size_t f = 0; f < s.flows.size(); ++f) {
        const SankeyBand& band = l.bands[f];
        const SankeyBar& from = l.bars[s.flows[f].from];
        const SankeyBar& to = l.bars[s.flows[f].to];
        EXPECT_GE(band.points.front().y, from.y - 1e-6);
        EXPECT_LE(band.points.front().y + band.width, from.y + from.height + 1e-6);
        EXPECT_GE(band.points.back().y, to.y - 1e-6);
        EXPECT_LE(band.points.back().y + band.width, to.y + to.height + 1e-6);
        EXPECT_EQ(band.points.back().x, to.x);
        EXPECT_TRUE(band.returns || from.x < to.x);
    }
}

TEST_P(RandomSankey, HasBarsThatDoNotOverlapWithinTheDrawing) {
    const Sankey s = random_diagram(GetParam());
    const SankeyLayout l = lay_out(s);
    for (std::size_t a = 0; a < l.bars.size(); ++a) {
        EXPECT_GE(l.bars[a].y, 0.0);
        EXPECT_LE(l.bars[a].y + l.bars[a].height, l.height);
        for (std::size_t b = a + 1; b < l.bars.size(); ++b) {
            if (l.bars[a].x != l.bars[b].x) continue;
            const auto& upper = l.bars[a].y < l.bars[b].y ? l.bars[a] : l.bars[b];
            const auto& lower = l.bars[a].y < l.bars[b].y ? l.bars[b] : l.bars[a];
            EXPECT_GE(lower.y - upper.y - upper.height, 15.0);  // room for a name
        }
    }
}

TEST_P(RandomSankey, IsTheSameEveryTime) {
    EXPECT_EQ(draw_sankey(random_diagram(GetParam())), draw_sankey(random_diagram(GetParam())));
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomSankey, testing::Range(1U, 41U));

TEST(SankeyDrawing, NamesNodesAndAmounts) {
    Sankey s = tree();
    s.nodes[3] = {"c", "4 J stored"};
    s.legend = {{"#111111", "electrical"}};
    s.remark = "not drawn: 1 below 1 mJ";
    const std::string svg = draw_sankey(s);
    for (const char* text : {"Tree", ">c</tspan> 4 J stored", "a \u2192 b: 7 J", ">7 J<", "electrical", "not drawn"})
        EXPECT_THAT(svg, HasSubstr(text));
}

TEST(SankeyDrawing, TextsAreNoMarkup) {
    Sankey s = tree();
    s.title = "<script>&\"\x01";
    s.nodes[1].name = "a->b & \xFF";
    const std::string svg = draw_sankey(s);
    EXPECT_THAT(svg, Not(HasSubstr("<script")));
    EXPECT_THAT(svg, HasSubstr("&lt;script&gt;&amp;&quot; <"));
    EXPECT_THAT(svg, HasSubstr("a-&gt;b &amp;  "));
}

}  // namespace
}  // namespace bondgraph::io
