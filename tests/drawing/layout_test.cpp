#include "bondgraph/drawing/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <tuple>

#include "bondgraph/drawing/draw.hpp"
#include "tests/drawing/pictures.hpp"

namespace bondgraph::drawing {
namespace {

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

bool ends_at_a_box(const Picture& picture, const Layout& layout, const Polyline& stroke) {
    constexpr double kGap = 5.0;
    const Point middle = 0.5 * (stroke[0] + stroke[1]);
    for (std::size_t n = 0; n < picture.nodes.size(); ++n) {
        if (picture.nodes[n].kind != NodeKind::junction && layout.nodes[n].grown(kGap).contains(middle)) return true;
    }
    return false;
}

// Bonds that meet a junction from nearly the same side.
TEST(Layout, StrokesAtJunctionsDontLieOnEachOther) {
    std::size_t strokes = 0;
    std::vector<std::string> crossing;
    for (const std::string& file : test::model_files()) {
        for (const bool expand : {false, true}) {
            const Picture picture = picture_of_model(test::load_file(file), {.expand = expand});
            const Layout layout = lay_out(picture);
            std::vector<Polyline> seen;
            for (const Shape& s : draw(picture, layout, theme_named(ThemeName::colour)).shapes) {
                if (s.role != "stroke" || ends_at_a_box(picture, layout, s.points)) continue;
                for (const Polyline& other : seen) {
                    if (segments_cross(s.points[0], s.points[1], other[0], other[1]))
                        crossing.push_back(file.substr(file.rfind('/') + 1) + (expand ? " --expand" : ""));
                }
                seen.push_back(s.points);
            }
            strokes += seen.size();
        }
    }
    EXPECT_GT(BONDGRAPH_SWEEP * strokes, 1000U);
    EXPECT_THAT(crossing, testing::IsEmpty());
}

// A star: so many resistors at a junction, and what follows it, if anything does.
Picture star(int arms, const std::string& junction, bool goes_on) {
    std::string text =
        "model: star\ncomponents:\n  s: {type: " + std::string(junction == "0" ? "Se, e: 1 V" : "Sf, f: 1 A") +
        "}\n  j: {type: " + junction + "}\n";
    std::string bonds = "bonds:\n  - s -> j\n";
    for (int i = 0; i < arms; ++i) {
        const std::string name = "r" + std::to_string(i);
        // Of different widths.
        text += "  " + name + ": {type: R, R: " + std::to_string(i % 7 == 0 ? 123456789 : i + 1) + " ohm}\n";
        bonds += "  - j -> " + name + "\n";
    }
    if (goes_on) {
        text += "  g: {type: TF, m: 2}\n  load: {type: R, R: 1 ohm}\n";
        bonds += "  - j -> g.p1\n  - g.p2 -> load\n";
    }
    return picture_of_text(text + bonds);
}

TEST(Layout, ManyElementsStandInACircleAroundTheirJunction) {
    for (const auto& [arms, junction, goes_on] : {std::tuple(20, "0", false), std::tuple(40, "1", true)}) {
        const Picture picture = star(arms, junction, goes_on);
        const Layout layout = lay_out(picture);
        const Point middle = layout.nodes[node_named(picture, "j")].centre;
        double near = length(layout.nodes[node_named(picture, "r0")].centre - middle);
        double far = near;
        for (std::size_t n = 0; n < layout.nodes.size(); ++n) {
            if (picture.nodes[n].type == "R" && picture.nodes[n].name != "load") {
                near = std::min(near, length(layout.nodes[n].centre - middle));
                far = std::max(far, length(layout.nodes[n].centre - middle));
            }
            for (std::size_t k = 0; k < n; ++k) EXPECT_FALSE(overlap(layout.nodes[n], layout.nodes[k])) << arms;
        }
        EXPECT_NEAR(near, far, 1e-6 * far);
        std::vector<Polyline> strokes;
        for (std::size_t e = 0; e < layout.routes.size(); ++e) {
            const Edge& edge = picture.edges[e];
            EXPECT_EQ(layout.routes[e].size(), 2U) << arms << ": " << picture.nodes[edge.to].name;
            for (std::size_t n = 0; n < layout.nodes.size(); ++n) {
                EXPECT_FALSE(n != edge.from && n != edge.to && crosses(layout.nodes[n], layout.routes[e]))
                    << picture.nodes[n].name << " lies on the bond of " << picture.nodes[edge.to].name;
            }
        }
        for (const Shape& s : draw(picture, layout, theme_named(ThemeName::colour)).shapes) {
            if (s.role == "stroke") strokes.push_back(s.points);
        }
        std::size_t meeting = 0;
        for (std::size_t i = 0; i < strokes.size(); ++i) {
            for (std::size_t k = 0; k < i; ++k)
                meeting += segments_cross(strokes[i][0], strokes[i][1], strokes[k][0], strokes[k][1]) ? 1U : 0U;
        }
        EXPECT_EQ(meeting, 0U) << arms << " at a " << junction;
    }
}

TEST(Layout, AFewElementsMoreStandInRows) {
    const Picture picture = star(10, "0", false);
    const Layout layout = lay_out(picture);
    const Point middle = layout.nodes[node_named(picture, "j")].centre;
    EXPECT_GT(std::abs(length(layout.nodes[node_named(picture, "r3")].centre - middle) -
                       length(layout.nodes[node_named(picture, "r9")].centre - middle)),
              1.0);
}

// The bonds of force and torque at what closes a loop can be told from each other, also where they lead around others.
TEST(Layout, TwoBondsBetweenTheSameBoxesRunBesideEachOther) {
    const Picture picture = picture_of_text(R"(
components:
  world: {type: World}
  lift: {type: Prismatic, n: [0, 0, 1], guess: {s: 1 m}}
  tilt: {type: Universal, n_a: [1, 0, 0], n_b: [0, 1, 0], guess: {phi_a: 0, phi_b: 0}}
  top: {type: Body, m: 1 kg, I_11: 1, I_22: 1, I_33: 1}
  leg1: {type: FixedTranslation, r: [1, 1, -1]}
  leg2: {type: FixedTranslation, r: [1, -1, -1]}
  leg3: {type: FixedTranslation, r: [-1, 0, -1]}
  foot1: {type: CutJoint, holds: [z]}
  foot2: {type: CutJoint, holds: [z]}
  foot3: {type: CutJoint, holds: [z]}
connect:
  - [world.frame_b, lift.frame_a, foot1.frame_a, foot2.frame_a, foot3.frame_a]
  - [lift.frame_b, tilt.frame_a]
  - [tilt.frame_b, top, leg1.frame_a, leg2.frame_a, leg3.frame_a]
  - [leg1.frame_b, foot1.frame_b]
  - [leg2.frame_b, foot2.frame_b]
  - [leg3.frame_b, foot3.frame_b]
)");
    const Layout layout = lay_out(picture);
    std::size_t pairs = 0;
    for (std::size_t i = 0; i < picture.edges.size(); ++i) {
        for (std::size_t k = i + 1; k < picture.edges.size(); ++k) {
            const Edge &a = picture.edges[i], &b = picture.edges[k];
            if (a.kind != EdgeKind::bond || b.kind != EdgeKind::bond || a.from != b.from || a.to != b.to) continue;
            ++pairs;
            EXPECT_GT(length(place_on(layout.routes[i], 0.5).point - place_on(layout.routes[k], 0.5).point), 6.0)
                << picture.nodes[a.from].name << " -> " << picture.nodes[a.to].name;
        }
    }
    EXPECT_EQ(pairs, 6U);
}

TEST(Layout, EveryLineEndsAtItsBoxes) {
    for (const std::string& file : test::model_files()) {
        const Picture picture = picture_of_model(test::load_file(file));
        const Layout layout = lay_out(picture);
        const auto reaches = [&](std::uint32_t node, Point end) {
            // Farther away where bonds share a side of a junction, or where a slanting stroke would touch a box.
            const double near = picture.nodes[node].kind == NodeKind::junction ? 41.0 : 18.0;
            return layout.nodes[node].grown(near).contains(end);
        };
        for (std::size_t i = 0; i < picture.edges.size(); ++i) {
            const Edge& e = picture.edges[i];
            EXPECT_TRUE(reaches(e.from, layout.routes[i].front())) << file << " " << i;
            EXPECT_TRUE(reaches(e.to, layout.routes[i].back())) << file << " " << i;
            EXPECT_FALSE(layout.nodes[e.to].contains(layout.routes[i].back())) << file << " " << i;
        }
    }
}

// Six bonds come in on the left.
TEST(Layout, ABoxHasRoomForTheStrokesOnItsSide) {
    const Picture picture = picture_of_file("electromechanical/brushless_drive.yaml");
    const Layout layout = lay_out(picture);
    const Box& inverter = layout.nodes[node_named(picture, "inverter")];
    constexpr double kStroke = 15.0;
    EXPECT_GT(inverter.height, 6 * kStroke);
    EXPECT_LT(layout.nodes[node_named(picture, "motor")].height, 4 * kStroke);
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
    EXPECT_GT(BONDGRAPH_SWEEP * additions, 100U);
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

}  // namespace
}  // namespace bondgraph::drawing
