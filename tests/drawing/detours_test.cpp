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
