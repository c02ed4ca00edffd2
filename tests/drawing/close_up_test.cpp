#include "bondgraph/drawing/close_up.hpp"

#include <gtest/gtest.h>

#include "bondgraph/drawing/draw.hpp"
#include "tests/drawing/pictures.hpp"

namespace bondgraph::drawing {
namespace {

constexpr double kGap = 20.0;

using Lines = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Box box_at(double x, double y) { return {{x, y}, 20, 20}; }

std::vector<Box> closed_up(std::vector<Box> boxes, const Lines& lines, const std::vector<std::uint32_t>& together) {
    close_up(boxes, lines, together, kGap);
    return boxes;
}

TEST(CloseUp, WhatStandsAboveEachOtherComesAsNearAsTheGapAllows) {
    const auto boxes = closed_up({box_at(0, 0), box_at(0, 200), box_at(0, 400)}, {}, {0, 1, 2});
    EXPECT_NEAR(boxes[1].top() - boxes[0].bottom(), kGap, 0.1);
    EXPECT_NEAR(boxes[2].top() - boxes[1].bottom(), kGap, 0.1);
}

TEST(CloseUp, WhatHasRoomGoesToTheMiddleOfWhatItIsJoinedTo) {
    const auto boxes = closed_up({box_at(0, 0), box_at(0, 300), box_at(200, 20)}, {{0, 2}, {1, 2}}, {0, 1, 2});
    EXPECT_NEAR(boxes[2].centre.y, 0.5 * (boxes[0].centre.y + boxes[1].centre.y), 0.5);
}

TEST(CloseUp, LevelLinesStayLevelAndWhatHangsStaysWhereItHangs) {
    const auto boxes =
        closed_up({box_at(0, 0), box_at(0, 300), box_at(200, 300), box_at(200, 360)}, {{0, 2}, {1, 2}}, {0, 1, 2, 2});
    EXPECT_LT(boxes[1].centre.y - boxes[0].centre.y, 100.0);
    EXPECT_DOUBLE_EQ(boxes[1].centre.y, boxes[2].centre.y);
    EXPECT_DOUBLE_EQ(boxes[3].centre.y, boxes[2].centre.y + 60.0);
}

// Between the first and the third, the level line from the fourth to the fifth passes.
TEST(CloseUp, NothingMovesOntoALevelLine) {
    const auto boxes =
        closed_up({box_at(0, 0), box_at(0, 400), box_at(-200, 200), box_at(200, 200)}, {{2, 3}}, {0, 1, 2, 3});
    EXPECT_NEAR(boxes[2].centre.y - boxes[0].bottom(), kGap, 0.1);
    EXPECT_NEAR(boxes[1].top() - boxes[2].centre.y, kGap, 0.1);
}

TEST(CloseUp, ForAFewPointsNothingMoves) {
    const std::vector<Box> given{box_at(0, 0), box_at(0, 44), box_at(0, 88)};
    const auto boxes = closed_up(given, {}, {0, 1, 2});
    for (std::size_t i = 0; i < given.size(); ++i) EXPECT_EQ(boxes[i].centre.y, given[i].centre.y);
}

// A line that passes beside a box doesn't come to lie on it.
TEST(CloseUp, NoLineIsPulledThroughABox) {
    const std::vector<Box> given{box_at(0, 0), box_at(100, 130), box_at(200, 400), box_at(100, 700)};
    const Lines lines{{0, 2}};
    const auto boxes = closed_up(given, lines, {0, 1, 2, 3});
    EXPECT_FALSE(crosses(boxes[1], boxes[0].centre, boxes[2].centre));
    EXPECT_FALSE(crosses(boxes[3], boxes[0].centre, boxes[2].centre));
}

// Each chain has something on one side only: with cells as high above as below it was 789 points high.
TEST(CloseUp, AStarOfChainsIsAsHighAsItsPartsNeed) {
    const Picture picture = picture_of_text(R"(
components:
  ua: {type: Se, e: 1}
  ub: {type: Se, e: 1}
  uc: {type: Se, e: 1}
  ud: {type: Se, e: 1}
  ja: {type: 1}
  jb: {type: 1}
  jc: {type: 1}
  jd: {type: 1}
  ra: {type: R, R: 1}
  rb: {type: R, R: 1}
  rc: {type: R, R: 1}
  rd: {type: R, R: 1}
  node: {type: 0}
  load: {type: C, C: 1}
bonds: [ua -> ja, ja -> ra, ja -> node, ub -> jb, jb -> rb, jb -> node, uc -> jc, jc -> rc, jc -> node,
  ud -> jd, jd -> rd, jd -> node, node -> load]
)");
    EXPECT_LT(draw(picture, lay_out(picture), theme_named(ThemeName::colour)).extent.height, 550.0);
}

}  // namespace
}  // namespace bondgraph::drawing
