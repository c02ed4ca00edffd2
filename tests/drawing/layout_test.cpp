#include "bondgraph/drawing/layout.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

#include "bondgraph/drawing/box_index.hpp"
#include "bondgraph/drawing/detours.hpp"
#include "bondgraph/drawing/draw.hpp"
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
    EXPECT_GT(strokes, 1000U);
    EXPECT_THAT(crossing, testing::IsEmpty());
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

constexpr const char* kInnerSubModel = R"(
parameters: {A: 20 cm2}
types:
  Sub:
    parameters: {k: {unit: N/m}}
    ports: {p: {domain: translational}}
    components:
      j: {type: 1}
      spring_with_long_name: {type: C, K: k}
      damp: {type: R, R: 100 N.s/m}
      inner: {type: Inner}
    bonds: [p -> j, j -> spring_with_long_name, j -> damp, j -> inner.p]
  Inner:
    ports: {p: {domain: translational}}
    components:
      j: {type: 0}
      c: {type: C, K: 1000 N/m}
      r: {type: R, R: 3 N.s/m}
    bonds: [p -> j, j -> c, j -> r]
components:
  pump: {type: Sf, f: 1 l/min}
  n: {type: 0}
  acc: {type: C, C: 1e-11 m3/Pa}
  leak: {type: R, R: 1e12 Pa.s/m3}
  cyl: {type: TF, m: 1/A}
  v: {type: 1}
  mass: {type: I, I: 100 kg}
  sub: {type: Sub, k: 1 kN/m}
  meas: {type: Df}
  g: {type: Gain, k: 2}
  sine: {type: Sine}
  s2: {type: Sum}
  fs: {type: Se}
bonds: [pump -> n, n -> acc, n -> leak, n -> cyl.p1, cyl.p2 -> v, v -> mass, v -> sub.p, v -> meas, fs -> v]
signals: [meas.y -> g.u, g.y -> s2.u1, sine.y -> s2.u2, s2.y -> fs.e]
)";

constexpr const char* kPins = R"(
types:
  Motor:
    parameters: {k: {unit: N.m/A}, R: 1 ohm, J: {unit: kg.m2, value: 0.01 kg.m2, min: 1e-6, max: 1}}
    connectors: {p: pin, n: pin, f: flange}
    components:
      j: {type: 1}
      r: {type: R, R: R}
      g: {type: GY, r: k}
      v: {type: 1}
      i: {type: I, I: J}
    bonds: [p -> j, j -> n, j -> r, j -> g.p1, g.p2 -> v, v -> i, v -> f]
  Res:
    parameters: {R: {unit: ohm}}
    connectors: {p: pin, n: pin}
    equations: [p.e - n.e = R*p.f, p.f + n.f = 0]
  Src:
    parameters: {U: {unit: V}}
    connectors: {p: pin, n: pin}
    components: {s: {type: Se, e: U}, j: {type: 1}}
    bonds: [s -> j, n -> j, j -> p]
  Gnd:
    connectors: {p: pin}
    equations: [p.e = 0]
components:
  m: {type: Motor, k: 0.1 N.m/A}
  r: {type: Res, R: 2 ohm}
  s: {type: Src, U: 12 V}
  g: {type: Gnd}
  load: {type: R, R: 1e-3 N.m.s/rad}
connect: [[s.p, r.p], [r.n, m.p], [m.n, s.n, g.p]]
bonds: [m.f -> load]
)";

bool is_inside(const Picture& picture, std::uint32_t frame, std::uint32_t outer) {
    while (frame != kNone && frame != outer) frame = picture.frames[frame].parent;
    return frame == outer;
}

// Parts that stick out of the frame of their sub-model, or lie on that of another.
std::vector<std::string> out_of_frame(const Picture& picture) {
    const Layout layout = lay_out(picture);
    std::vector<std::string> names;
    for (const Node& node : picture.nodes) {
        const Box& box = layout.nodes[&node - picture.nodes.data()];
        for (std::uint32_t f = 0; f < picture.frames.size(); ++f) {
            const bool own = is_inside(picture, node.frame, f);
            const Box& frame = layout.frames[f];
            const bool held = frame.contains({box.left(), box.top()}) && frame.contains({box.right(), box.bottom()});
            if (own ? !held : overlap(box, frame)) names.push_back(node.name + " and " + picture.frames[f].name);
        }
    }
    return names;
}

TEST(Layout, PartsLieInsideTheirFrameAndNoOther) {
    std::size_t frames = 0;
    for (const std::string& file : test::model_files()) {
        const Picture picture = picture_of_model(test::load_file(file), {.expand = true});
        EXPECT_THAT(out_of_frame(picture), testing::IsEmpty()) << file;
        frames += picture.frames.size();
    }
    EXPECT_GT(frames, 100U);
}

// What hangs on a junction makes way for the junction's other bonds, but not out of its sub-model.
TEST(Layout, PartsThatMakeWayStayInTheirFrame) {
    EXPECT_THAT(out_of_frame(picture_of_text(kInnerSubModel, {.expand = true})), testing::IsEmpty());
    EXPECT_THAT(out_of_frame(picture_of_text(kInnerSubModel, {.expand = true, .variables = true})), testing::IsEmpty());
    EXPECT_THAT(out_of_frame(picture_of_text(kPins, {.expand = true})), testing::IsEmpty());
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
