#include "bondgraph/drawing/straighten.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace bondgraph::drawing {
namespace {

using Lines = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Box box_at(double x, double y) { return {.centre = {x, y}, .width = 20.0, .height = 20.0}; }

TEST(Straighten, WhatIsNearlyLevelBecomesLevel) {
    std::vector<Box> boxes{box_at(0, 0), box_at(100, 10)};
    const auto moved = straighten(boxes, Lines{{0, 1}}, {0, 1});
    EXPECT_DOUBLE_EQ(boxes[0].centre.y, boxes[1].centre.y);
    EXPECT_DOUBLE_EQ(moved[0] - moved[1], 10.0);
}

TEST(Straighten, WhatIsFarFromLevelStays) {
    std::vector<Box> boxes{box_at(0, 0), box_at(100, 60)};
    EXPECT_THAT(straighten(boxes, Lines{{0, 1}}, {0, 1}), testing::Each(0.0));
}

// Level, the line would run through the box between its ends; the boxes have no room beside that.
TEST(Straighten, NoLineIsMadeToRunThroughABox) {
    std::vector<Box> boxes{box_at(0, 0), box_at(100, 24), box_at(50, -10)};
    ASSERT_FALSE(crosses(boxes[2].grown(4), boxes[0].centre, boxes[1].centre));
    straighten(boxes, Lines{{0, 1}}, {0, 1, 2});
    EXPECT_FALSE(crosses(boxes[2].grown(4), boxes[0].centre, boxes[1].centre));
}

TEST(Straighten, NothingIsMovedOntoABox) {
    std::vector<Box> boxes{box_at(0, 0), box_at(100, 20), box_at(0, 23), box_at(100, -3)};
    straighten(boxes, Lines{{0, 1}}, {0, 1, 2, 3});
    for (std::size_t i = 0; i < boxes.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(overlap(boxes[i], boxes[k])) << i << " and " << k;
    }
}

}  // namespace
}  // namespace bondgraph::drawing
