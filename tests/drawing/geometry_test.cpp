#include "bondgraph/drawing/geometry.hpp"

#include <gtest/gtest.h>

#include "bondgraph/drawing/draw_edges.hpp"
#include "bondgraph/drawing/text_width.hpp"

namespace bondgraph::drawing {
namespace {

TEST(FlowSide, IsBelowLevelBondsAndRightOfUprightOnes) {
    EXPECT_GT(flow_side({1, 0}).y, 0);
    EXPECT_GT(flow_side({-1, 0}).y, 0);
    EXPECT_GT(flow_side({0, 1}).x, 0);
    EXPECT_GT(flow_side({0, -1}).x, 0);
    EXPECT_GT(flow_side({0.7, 0.7}).y, 0);
    EXPECT_GT(flow_side({-0.7, 0.7}).y, 0);
}

TEST(TextWidth, IsThatOfHelveticaWithSomeRoom) {
    // 1000/1000 of the size is M (833) with more than a tenth to spare, not twice as much.
    EXPECT_GT(text_width("M", 100.0), 83.3);
    EXPECT_LT(text_width("M", 100.0), 100.0);
    EXPECT_GT(text_width("MM", 10.0), text_width("ii", 10.0));
    EXPECT_EQ(text_width("", 10.0), 0.0);
}

TEST(Geometry, ALineIsCutAtTheBoxesItJoins) {
    const Box from{{0, 0}, 20, 20};
    const Box to{{100, 0}, 40, 20};
    const Polyline line = clipped({{0, 0}, {50, 0}, {100, 0}}, from, to);
    ASSERT_EQ(line.size(), 3U);
    EXPECT_DOUBLE_EQ(line.front().x, 10.0);
    EXPECT_DOUBLE_EQ(line.back().x, 80.0);
}

TEST(Geometry, SegmentsCrossOrPass) {
    EXPECT_TRUE(segments_cross({0, 0}, {10, 10}, {0, 10}, {10, 0}));
    EXPECT_FALSE(segments_cross({0, 0}, {10, 0}, {0, 5}, {10, 5}));
    EXPECT_TRUE(crosses(Box{{5, 5}, 2, 2}, Point{0, 0}, Point{10, 10}));
    EXPECT_FALSE(crosses(Box{{5, 0}, 2, 2}, Point{0, 5}, Point{10, 5}));
}

}  // namespace
}  // namespace bondgraph::drawing
