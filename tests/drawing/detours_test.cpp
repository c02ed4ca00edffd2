#include "bondgraph/drawing/detours.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "bondgraph/drawing/box_index.hpp"

namespace bondgraph::drawing {
namespace {

// A wall of boxes between two nodes.
TEST(Detours, LeadAroundWhatIsInTheWay) {
    std::vector<Box> boxes{{{0, 0}, 20, 20}, {{300, 0}, 20, 20}};
    for (int i = -4; i <= 4; ++i) boxes.push_back({{150, 24.0 * i}, 40, 20});
    Detours detours(boxes);
    const Polyline way = detours.find(0, 1);
    EXPECT_EQ(length(way.front() - boxes[0].centre), 0.0);
    EXPECT_EQ(length(way.back() - boxes[1].centre), 0.0);
    for (std::size_t n = 2; n < boxes.size(); ++n) EXPECT_FALSE(crosses(boxes[n], way)) << n;
    // A second line takes another way than along the first.
    detours.lay(way);
    const Polyline second = detours.find(0, 1);
    const double first_side = place_on(way, 0.5).point.y;
    EXPECT_LT(first_side * place_on(second, 0.5).point.y, 0.0);
}

TEST(Detours, LeadAroundForeignAreasUnlessThatIsVeryFar) {
    const std::vector<Box> boxes{{{0, 0}, 20, 20}, {{300, 0}, 20, 20}, {{150, 500}, 20, 20}};
    Detours detours(boxes);
    const Box small{{150, 20}, 100, 120};
    EXPECT_FALSE(crosses(small, detours.find(0, 1, std::vector{small})));
    const Box wall{{150, 0}, 20, 4000};
    const Polyline through = detours.find(0, 1, std::vector{wall});
    EXPECT_TRUE(crosses(wall, through));
    EXPECT_EQ(through.size(), 2U);
}

// Where there are thousands of ways, a good one is found among them.
TEST(Detours, LeadThroughACrowd) {
    std::vector<Box> boxes;
    for (int row = 0; row < 12; ++row) {
        for (int column = 0; column < 12; ++column)
            boxes.push_back({{60.0 * column + (row % 2 == 0 ? 0.0 : 30.0), 50.0 * row}, 34, 24});
    }
    Detours detours(boxes);
    const auto last = static_cast<std::uint32_t>(boxes.size() - 1);
    const Polyline way = detours.find(0, last);
    for (std::uint32_t n = 1; n < last; ++n) EXPECT_FALSE(crosses(boxes[n], way)) << n;
    double walked = 0.0;
    for (std::size_t i = 1; i < way.size(); ++i) walked += length(way[i] - way[i - 1]);
    // Hardly longer than along a column and a row, beside the corners on the way.
    const Point across = boxes[last].centre - boxes[0].centre;
    EXPECT_LT(walked, 1.05 * (across.x + across.y));
}

// A large area reaches far beyond both ends: beside its corners other areas are foreign as well.
TEST(Detours, LeadAroundForeignAreasFarFromTheirEnds) {
    const std::vector<Box> boxes{{{0, 0}, 20, 20}, {{300, 0}, 20, 20}};
    Detours detours(boxes);
    const std::vector<Box> foreign{{{150, 150}, 60, 1000}, {{150, -390}, 200, 60}};  // below by 350, to above by 350
    const Polyline way = detours.find(0, 1, foreign);
    for (const Box& area : foreign) EXPECT_FALSE(crosses(area, way));
}

TEST(BoxIndex, FindsWhatLiesNearAndFollowsWhatMoves) {
    std::vector<Box> boxes;
    for (int i = 0; i < 400; ++i) boxes.push_back({{50.0 * (i % 20), 50.0 * (i / 20)}, 30, 30});
    BoxIndex index(boxes);
    const Box area{{500, 500}, 120, 60};
    const auto expect_all = [&] {
        const std::vector<std::uint32_t> found = index.near(area);
        for (std::uint32_t n = 0; n < boxes.size(); ++n) {
            const bool known = std::find(found.begin(), found.end(), n) != found.end();
            EXPECT_TRUE(known || !overlap(boxes[n], area)) << n;
        }
        EXPECT_LT(found.size(), 60U);
    };
    expect_all();
    boxes[0].centre = {500, 500};
    index.move(0, boxes[0]);
    expect_all();
}

}  // namespace
}  // namespace bondgraph::drawing
