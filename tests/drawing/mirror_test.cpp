#include "bondgraph/drawing/mirror.hpp"

#include <gtest/gtest.h>

#include "bondgraph/drawing/layout.hpp"
#include "tests/drawing/pictures.hpp"

namespace bondgraph::drawing {
namespace {

using Lines = std::vector<std::pair<std::uint32_t, std::uint32_t>>;

Box square_at(double x, double y) { return {{x, y}, 20, 20}; }

// A part of two, one above the other, of which the lower is joined to what stands above both.
TEST(Mirror, APartIsTurnedOverWhereThatMakesLinesShorter) {
    std::vector<Box> boxes{square_at(100, 0), square_at(100, 100), square_at(100, 200)};
    mirror_parts(boxes, {0, 100, 200}, {0, 1, 1}, Lines{{0, 2}, {1, 2}});
    EXPECT_EQ(boxes[0].centre.y, 0.0);
    EXPECT_EQ(boxes[1].centre.y, 200.0);
    EXPECT_EQ(boxes[2].centre.y, 100.0);
}

TEST(Mirror, WhatHangsStaysBelowItsHost) {
    std::vector<Box> boxes{square_at(100, 0), square_at(100, 100), square_at(100, 200), square_at(100, 240)};
    mirror_parts(boxes, {0, 100, 200, 200}, {0, 1, 1, 1}, Lines{{0, 2}, {1, 2}, {2, 3}});
    EXPECT_EQ(boxes[2].centre.y, 100.0);
    EXPECT_EQ(boxes[3].centre.y, 140.0);
}

TEST(Mirror, NothingIsTurnedOntoSomethingElse) {
    const std::vector<Box> given{square_at(100, 0), square_at(100, 100), {{100, 200}, 80, 20}, square_at(145, 100)};
    std::vector<Box> boxes = given;
    mirror_parts(boxes, {0, 100, 200, 100}, {0, 1, 1, 2}, Lines{{0, 2}, {1, 2}});
    for (std::size_t i = 0; i < given.size(); ++i) EXPECT_EQ(boxes[i].centre.y, given[i].centre.y) << i;
}

// The sensor is the last at the junction and came to stand on the side away from the controller.
TEST(Mirror, ASensorStandsOnTheSideOfItsController) {
    const Picture picture = picture_of_text(R"(
components:
  room: {type: 0, domain: thermal_pseudo}
  heat: {type: Sf, f: 3*relay.y}
  air: {type: C, C: 1}
  through: {type: 1}
  wall: {type: R, R: 1}
  ambient: {type: Se, e: 1}
  sensor: {type: De}
  relay: {type: Relay, closes_above: -18, opens_below: -22}
  turned: {type: Gain, k: -1}
  celsius: {type: Sum, k: [1, -1]}
  zero: {type: Constant, k: 273.15}
bonds: [heat -> room, room -> air, room -> through, through -> wall, ambient -> through, room -> sensor]
signals: [sensor.y -> celsius.u1, zero.y -> celsius.u2, celsius.y -> turned.u, turned.y -> relay.u]
)");
    const Layout layout = lay_out(picture);
    const auto y = [&](const char* name) { return layout.nodes[node_named(picture, name)].centre.y; };
    EXPECT_GT((y("sensor") - y("through")) * (y("celsius") - y("through")), 0.0);
}

}  // namespace
}  // namespace bondgraph::drawing
