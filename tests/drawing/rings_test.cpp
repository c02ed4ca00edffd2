// Bonds that lead around are drawn as rings, and nothing else is.

#include <gtest/gtest.h>

#include <algorithm>

#include "bondgraph/drawing/layout.hpp"
#include "tests/drawing/pictures.hpp"

namespace bondgraph::drawing {
namespace {

// Karnopp's ring of three 1-junctions and three gyrators, whose moduli are signals across the ring.
constexpr const char* kGyratorRing = R"(
components:
  wx: {type: 1}
  wy: {type: 1}
  wz: {type: 1}
  Jx: {type: I, I: 1 kg.m2}
  Jy: {type: I, I: 2 kg.m2}
  Jz: {type: I, I: 3 kg.m2}
  gz: {type: MGY, r: Jz.p}
  gx: {type: MGY, r: Jx.p}
  gy: {type: MGY, r: Jy.p}
bonds: [wx -> Jx, wy -> Jy, wz -> Jz, wx -> gz.p1, gz.p2 -> wy, wy -> gx.p1, gx.p2 -> wz, wz -> gy.p1, gy.p2 -> wx]
)";

// Nodes on a circle: all as far from its middle, neighbours as far from each other, in this order around.
void expect_ring(const Picture& picture, const std::vector<std::string>& names) {
    const Layout layout = lay_out(picture);
    std::vector<Point> at;
    Point middle;
    for (const std::string& name : names) {
        at.push_back(layout.nodes[node_named(picture, name)].centre);
        middle = middle + (1.0 / static_cast<double>(names.size())) * at.back();
    }
    for (std::size_t k = 0; k < at.size(); ++k) {
        EXPECT_NEAR(length(at[k] - middle), length(at[0] - middle), 0.1) << names[k];
        EXPECT_NEAR(length(at[(k + 1) % at.size()] - at[k]), length(at[1] - at[0]), 0.1) << names[k];
    }
}

TEST(Layout, ARingOfGyratorsIsDrawnAsARingWhateverItsSignals) {
    const Picture picture = picture_of_text(kGyratorRing);
    expect_ring(picture, {"wx", "gz", "wy", "gx", "wz", "gy"});
    // What hangs on the ring is outside.
    const Layout layout = lay_out(picture);
    const auto at = [&](const char* name) { return layout.nodes[node_named(picture, name)].centre; };
    const Point middle = 1.0 / 3.0 * (at("wx") + at("wy") + at("wz"));
    for (const auto& [inertia, junction] : {std::pair{"Jx", "wx"}, std::pair{"Jy", "wy"}, std::pair{"Jz", "wz"}})
        EXPECT_GT(length(at(inertia) - middle), length(at(junction) - middle)) << inertia;
}

TEST(Layout, ARingIsDrawnAsARingWhicheverWayTheArrowsOfItsGyratorsPoint) {
    std::string turned = kGyratorRing;
    const std::string arrow = "wy -> gx.p1, gx.p2 -> wz";
    turned.replace(turned.find(arrow), arrow.size(), "wz -> gx.p1, gx.p2 -> wy");
    expect_ring(picture_of_text(turned), {"wx", "gz", "wy", "gx", "wz", "gy"});
}

TEST(Layout, ACircleOfJunctionsIsARingAndAPathThatForksAndMeetsIsNot) {
    expect_ring(picture_of_file("nonlinear/toda_ring.yaml"), {"v1", "f12", "v2", "f23", "v3", "f31"});
    const Picture bridge = picture_of_file("electrical/wheatstone_bridge.yaml");
    const auto x = abscissae(bridge, lay_out(bridge), {"top", "arm1", "left", "bridge", "right"});
    EXPECT_TRUE(std::is_sorted(x.begin(), x.end()));
}

}  // namespace
}  // namespace bondgraph::drawing
