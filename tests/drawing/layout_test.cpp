#include "bondgraph/drawing/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "bondgraph/drawing/draw_edges.hpp"
#include "bondgraph/drawing/text_width.hpp"
#include "tests/drawing/pictures.hpp"

namespace bondgraph::drawing {
namespace {

std::vector<double> abscissae(const Picture& picture, const Layout& layout, const std::vector<std::string>& names) {
    std::vector<double> x;
    for (const std::string& name : names) x.push_back(layout.nodes[node_named(picture, name)].centre.x);
    return x;
}

// Names of pairs of which the first stood clear before the second along the rows, and doesn't any more. (What stands
// above each other has no order.)
std::vector<std::string> reversed_pairs(const Picture& before, const Picture& after) {
    const Layout first = lay_out(before);
    const Layout second = lay_out(after);
    std::vector<std::string> pairs;
    for (std::size_t i = 0; i < before.nodes.size(); ++i) {
        for (std::size_t k = 0; k < before.nodes.size(); ++k) {
            const double between = (first.nodes[i].width + first.nodes[k].width) / 2;
            const bool was_left = first.along[i] + between < first.along[k];
            const std::size_t a = node_named(after, before.nodes[i].name);
            const std::size_t b = node_named(after, before.nodes[k].name);
            if (was_left && second.along[a] > second.along[b])
                pairs.push_back(before.nodes[i].name + ", " + before.nodes[k].name);
        }
    }
    return pairs;
}

model::Text text_of(const std::string& text) { return {.text = text}; }

// The model with a resistor on one of its junctions, written at the end.
model::Model with_a_resistor(model::Model model, const std::string& junction) {
    model::ComponentDeclaration r;
    r.name = text_of("added_resistor");
    r.type = text_of("R");
    r.settings.push_back({.key = text_of("R"), .value = {.scalar = text_of("1")}});
    model.body.components.push_back(r);
    model.body.bonds.push_back({.name = std::nullopt, .from = text_of(junction), .to = text_of("added_resistor")});
    return model;
}

TEST(Layout, AChainReadsFromItsSourceToItsLoad) {
    const Picture picture = picture_of_file("electromechanical/dc_motor.yaml");
    const auto x = abscissae(picture, lay_out(picture), {"source", "j1", "emf", "j2", "J"});
    EXPECT_TRUE(std::is_sorted(x.begin(), x.end()));
}

TEST(Layout, TheChainIsStraight) {
    const Picture picture = picture_of_file("electromechanical/dc_motor.yaml");
    const Layout layout = lay_out(picture);
    for (const char* name : {"j1", "emf", "j2", "J"})
        EXPECT_NEAR(layout.nodes[node_named(picture, name)].centre.y, layout.nodes[0].centre.y, 0.1) << name;
}

TEST(Layout, OtherElementsHangAboveAndBelowTheirJunction) {
    const Picture picture = picture_of_file("electromechanical/dc_motor.yaml");
    const Layout layout = lay_out(picture);
    const Point junction = layout.nodes[node_named(picture, "j1")].centre;
    const Point first = layout.nodes[node_named(picture, "Ra")].centre;
    const Point second = layout.nodes[node_named(picture, "La")].centre;
    EXPECT_NEAR(first.x, junction.x, 0.1);
    EXPECT_NEAR(second.x, junction.x, 0.1);
    EXPECT_GT(first.y, junction.y);
    EXPECT_LT(second.y, junction.y);
}

TEST(Layout, NothingLiesOnSomethingElseInAnyShippedModel) {
    for (const std::string& file : test::model_files()) {
        for (const bool expand : {false, true}) {
            const Picture picture = picture_of_model(test::load_file(file), {.expand = expand});
            const Layout layout = lay_out(picture);
            for (std::size_t i = 0; i < layout.nodes.size(); ++i) {
                for (std::size_t k = 0; k < i; ++k)
                    EXPECT_FALSE(overlap(layout.nodes[i], layout.nodes[k]))
                        << file << ": " << picture.nodes[i].name << " and " << picture.nodes[k].name;
            }
        }
    }
}

TEST(Layout, EveryLineEndsAtItsBoxes) {
    for (const std::string& file : test::model_files()) {
        const Picture picture = picture_of_model(test::load_file(file));
        const Layout layout = lay_out(picture);
        constexpr double kNear = 11.0;
        for (std::size_t i = 0; i < picture.edges.size(); ++i) {
            const Edge& e = picture.edges[i];
            EXPECT_TRUE(layout.nodes[e.from].grown(kNear).contains(layout.routes[i].front())) << file << " " << i;
            EXPECT_TRUE(layout.nodes[e.to].grown(kNear).contains(layout.routes[i].back())) << file << " " << i;
            EXPECT_FALSE(layout.nodes[e.to].contains(layout.routes[i].back())) << file << " " << i;
        }
    }
}

TEST(Layout, PartsLieInsideTheirFrame) {
    const Picture picture = picture_of_file("mechanics3d/physical_pendulum.yaml", {.expand = true});
    const Layout layout = lay_out(picture);
    for (std::size_t i = 0; i < picture.nodes.size(); ++i) {
        const std::uint32_t frame = picture.nodes[i].frame;
        if (frame == kNone) continue;
        EXPECT_TRUE(layout.frames[frame].contains(layout.nodes[i].centre)) << picture.nodes[i].name;
    }
}

TEST(Layout, AnElementAddedAtTheEndLeavesTheOrderFromLeftToRight) {
    std::size_t additions = 0;
    for (const std::string& file : test::model_files()) {
        const model::Model model = test::load_file(file);
        const Picture before = picture_of_model(model);
        for (const Node& node : before.nodes) {
            // A resistor can't be bonded to every junction: some are vectors, some want heat.
            if (node.kind != NodeKind::junction) continue;
            try {
                const Picture after = picture_of_model(with_a_resistor(model, node.name));
                EXPECT_THAT(reversed_pairs(before, after), testing::IsEmpty()) << file << ": " << node.name;
                ++additions;
            } catch (const ModelError&) {
            }
        }
    }
    EXPECT_GT(additions, 100U);
}

// Extents of all nodes together.
Point size_of(const Layout& layout) {
    Point low{1e9, 1e9};
    Point high{-1e9, -1e9};
    for (const Box& box : layout.nodes) {
        low = {std::min(low.x, box.left()), std::min(low.y, box.top())};
        high = {std::max(high.x, box.right()), std::max(high.y, box.bottom())};
    }
    return high - low;
}

// An electrical ladder of so many sections.
std::string ladder(int sections) {
    std::string components = "components:\n  source: {type: Se, e: 1}\n";
    std::string bonds = "bonds:\n";
    std::string before = "source";
    for (int i = 1; i <= sections; ++i) {
        const std::string n = std::to_string(i);
        components += "  s" + n + ": {type: 1}\n  r" + n + ": {type: R, R: 1}\n  p" + n + ": {type: 0}\n  c" + n +
                      ": {type: C, C: 1}\n";
        bonds += "  - " + before + " -> s" + n + "\n  - s" + n + " -> r" + n + "\n  - s" + n + " -> p" + n + "\n  - p" +
                 n + " -> c" + n + "\n";
        before = "p" + n;
    }
    return components + bonds;
}

TEST(Layout, ALongChainGoesBackAndForthInRows) {
    for (const int sections : {6, 7, 10, 16}) {
        const Picture picture = picture_of_text(ladder(sections), {.variables = true});
        const Layout layout = lay_out(picture);
        const Point size = size_of(layout);
        EXPECT_LT(size.x, 3.2 * size.y) << sections;
        for (std::size_t i = 0; i < layout.nodes.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k) EXPECT_FALSE(overlap(layout.nodes[i], layout.nodes[k]));
            for (std::size_t e = 0; e < picture.edges.size(); ++e) {
                const bool ends_here = picture.edges[e].from == i || picture.edges[e].to == i;
                EXPECT_TRUE(ends_here || !crosses(layout.nodes[i], layout.routes[e])) << picture.nodes[i].name;
            }
        }
    }
}

TEST(Layout, AShortChainStaysInOneRow) {
    const Layout layout = lay_out(picture_of_text(ladder(2)));
    EXPECT_GT(size_of(layout).x, 3.2 * size_of(layout).y);
}

TEST(Layout, ARobotArmFitsOnAPage) {
    const Point size = size_of(lay_out(picture_of_file("mechanics3d/robot_arm.yaml")));
    EXPECT_LT(size.x, 900.0);
    EXPECT_LT(size.x, 3.2 * size.y);
}

TEST(Layout, TheSamePictureIsLaidOutTheSame) {
    const Picture picture = picture_of_file("electrical/rectifier_bridge.yaml");
    const Layout first = lay_out(picture);
    const Layout second = lay_out(picture);
    for (std::size_t i = 0; i < first.nodes.size(); ++i) {
        EXPECT_EQ(first.nodes[i].centre.x, second.nodes[i].centre.x);
        EXPECT_EQ(first.nodes[i].centre.y, second.nodes[i].centre.y);
    }
}

TEST(Layout, UnconnectedPartsStandSideBySide) {
    const Picture picture = picture_of_text(R"(
components:
  a: {type: Se, e: 1}
  b: {type: R, R: 1}
  c: {type: Se, e: 1}
  d: {type: R, R: 1}
bonds: [a -> b, c -> d]
)");
    const Layout layout = lay_out(picture);
    EXPECT_FALSE(overlap(layout.nodes[0], layout.nodes[2]));
    EXPECT_LT(layout.nodes[2].centre.x, layout.nodes[3].centre.x);
}

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
