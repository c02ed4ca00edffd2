#include "bondgraph/drawing/stars.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include "bondgraph/drawing/draw.hpp"
#include "bondgraph/drawing/text_width.hpp"
#include "tests/drawing/flaws.hpp"
#include "tests/drawing/pictures.hpp"

namespace bondgraph::drawing {
namespace {

// A model's entries, to be put together.
struct Entries {
    std::string components = "components:\n";
    std::string bonds = "bonds:\n";
    std::string signals;

    void component(const std::string& name, const std::string& type) {
        components += "  " + name + ": {type: " + type + "}\n";
    }
    void bond(const std::string& from, const std::string& to) { bonds += "  - " + from + " -> " + to + "\n"; }
    void signal(const std::string& from, const std::string& to) {
        if (signals.empty()) signals = "signals:\n";
        signals += "  - " + from + " -> " + to + "\n";
    }
    [[nodiscard]] std::string text() const { return components + bonds + signals; }
};

std::string one_port(int i) {
    const std::string kind = std::string("RCI").substr(static_cast<std::size_t>(i % 3), 1);
    return kind + ", " + kind + ": " + (i % 7 == 0 ? "123456789" : std::to_string(i + 1));
}

// An arm of so many nodes in line, from a junction of this type; where it has junctions, an element hangs on each.
void add_arm(Entries& entries, const std::string& hub, bool zero, int i, int nodes) {
    const std::string n = std::to_string(i);
    std::string before = hub;
    for (int k = 1; k < nodes; ++k) {
        const std::string junction = "j" + n + "_" + std::to_string(k);
        entries.component(junction, (k % 2 == 1) == zero ? "1" : "0");
        entries.component("h" + n + "_" + std::to_string(k), one_port(i + k));
        entries.bond(before, junction);
        entries.bond(junction, "h" + n + "_" + std::to_string(k));
        before = junction;
    }
    entries.component("x" + n, one_port(i));
    entries.bond(before, "x" + n);
}

Entries star(int arms, int nodes, bool zero) {
    Entries entries;
    entries.component("s", zero ? "Se, e: 1" : "Sf, f: 1");
    entries.component("hub", zero ? "0" : "1");
    entries.bond("s", "hub");
    for (int i = 0; i < arms; ++i) add_arm(entries, "hub", zero, i, nodes);
    return entries;
}

// A ladder of so many sections that follows a junction.
void add_ladder(Entries& entries, std::string before, int sections, const std::string& prefix) {
    for (int k = 0; k < sections; ++k) {
        const std::string junction = prefix + std::to_string(k);
        entries.component(junction, k % 2 == 0 ? "1" : "0");
        entries.component(junction + "r", "R, R: 1");
        entries.bond(before, junction);
        entries.bond(junction, junction + "r");
        before = junction;
    }
}

Box extent(const Layout& layout) {
    Box all = layout.nodes.front();
    for (const Box& box : layout.nodes) all = around(all, box);
    return all;
}

double distance(Point p, const Polyline& piece) {
    const Point along = direction(piece[0], piece[1]);
    const Point to = p - piece[0];
    const double share = std::clamp(to.x * along.x + to.y * along.y, 0.0, length(piece[1] - piece[0]));
    return length(to - share * along);
}

double distance_to_bar(Point p, const Layout& layout) {
    double least = std::numeric_limits<double>::max();
    for (const Bar& bar : layout.bars) {
        for (const Polyline& piece : bar.pieces) least = std::min(least, distance(p, piece));
    }
    return least;
}

std::vector<std::string> overlaps(const Picture& picture, const Layout& layout) {
    std::vector<std::string> found;
    for (std::size_t i = 0; i < layout.nodes.size(); ++i) {
        for (std::size_t k = 0; k < i; ++k) {
            if (overlap(layout.nodes[i].grown(3.0), layout.nodes[k].grown(3.0)))
                found.push_back(picture.nodes[i].name + " and " + picture.nodes[k].name);
        }
    }
    return found;
}

// What is wrong: boxes and strokes that lie on others or on the bar, bonds that bend, texts on the bar.
std::vector<std::string> faults(const Picture& picture, const Layout& layout) {
    const Sheet sheet = draw(picture, layout, theme_named(ThemeName::colour));
    std::vector<std::string> found = flaws_of(picture, layout, sheet);
    for (std::string& o : overlaps(picture, layout)) found.push_back(std::move(o));
    std::vector<const Shape*> strokes;
    for (const Shape& s : sheet.shapes) {
        const bool text = s.kind == ShapeKind::text;
        if (s.role != "stroke" && !text) continue;
        const Box letters_of = text ? letters(s) : Box{};
        for (const Bar& bar : layout.bars) {
            for (const Polyline& piece : bar.pieces) {
                if (text ? crosses(letters_of, piece[0], piece[1])
                         : segments_cross(s.points[0], s.points[1], piece[0], piece[1]))
                    found.push_back((text ? s.text : s.of + " " + s.role) + " on the bar");
            }
        }
        if (text) continue;
        for (const Shape* other : strokes) {
            if (segments_cross(s.points[0], s.points[1], other->points[0], other->points[1]))
                found.push_back("strokes of " + s.of + " and " + other->of);
        }
        strokes.push_back(&s);
    }
    std::size_t bonds = 0;
    for (std::size_t e = 0; e < picture.edges.size(); ++e) {
        if (picture.edges[e].kind != EdgeKind::bond) continue;
        ++bonds;
        if (layout.routes[e].size() != 2) found.push_back(picture.nodes[picture.edges[e].to].name + " around a corner");
        for (std::size_t k = 0; k < e; ++k) {
            const Polyline &a = layout.routes[e], &b = layout.routes[k];
            if (a.size() == 2 && b.size() == 2 && segments_cross(a[0], a[1], b[0], b[1]))
                found.push_back(picture.nodes[picture.edges[e].to].name + " across " +
                                picture.nodes[picture.edges[k].to].name);
        }
    }
    if (strokes.size() != bonds) found.push_back("a stroke is missing");
    return found;
}

TEST(Stars, ArmsStandBesideABarWithAllTheirStrokes) {
    for (const int arms : {7, 12, 50, 110}) {
        for (const int nodes : {1, 2, 3}) {
            if (nodes == 1 && arms < 50) continue;  // in rows, or in a circle
            for (const bool zero : {true, false}) {
                for (const bool variables : {true, false}) {
                    const Picture picture = picture_of_text(star(arms, nodes, zero).text(), {.variables = variables});
                    const Layout layout = lay_out(picture);
                    EXPECT_THAT(faults(picture, layout), testing::IsEmpty()) << arms << " of " << nodes;
                    EXPECT_EQ(layout.bars.size(), 1U);
                }
            }
        }
    }
}

TEST(Stars, TheBondsOfArmsEndAtTheBar) {
    const Picture picture = picture_of_text(star(50, 2, false).text());
    const Layout layout = lay_out(picture);
    const std::uint32_t hub = node_named(picture, "hub");
    std::size_t at_bar = 0;
    for (std::size_t e = 0; e < picture.edges.size(); ++e) {
        if (picture.edges[e].from != hub) continue;
        const Polyline& route = layout.routes[e];
        EXPECT_NEAR(distance_to_bar(route.front(), layout), 8.5, 0.1);  // a stroke there is no second bar
        EXPECT_NEAR(route.front().y, route.back().y, 1e-9);
        ++at_bar;
    }
    EXPECT_EQ(at_bar, 50U);
    EXPECT_EQ(layout.bars.front().node, hub);
}

TEST(Stars, TheBarIsDrawnAsAPartOfItsJunction) {
    const Picture picture = picture_of_text(star(50, 2, false).text());
    const Layout layout = lay_out(picture);
    const std::string hub = "node-" + std::to_string(node_named(picture, "hub"));
    std::size_t pieces = 0;
    for (const Shape& s : draw(picture, layout, theme_named(ThemeName::colour)).shapes) {
        if (s.role != "bar") continue;
        ++pieces;
        EXPECT_EQ(s.of, hub);
    }
    EXPECT_EQ(pieces, layout.bars.front().pieces.size());
    // A spine that begins at the junction, and teeth that cross it or end there.
    const Polyline& spine = layout.bars.front().pieces.front();
    EXPECT_NEAR(spine.front().y, layout.nodes[node_named(picture, "hub")].centre.y, 1e-9);
    EXPECT_NEAR(spine.front().x, layout.nodes[node_named(picture, "hub")].right(), 1e-9);
    for (const Polyline& tooth : layout.bars.front().pieces) {
        EXPECT_LE(tooth.front().y, spine.front().y);
        EXPECT_GE(tooth.back().y, spine.back().y);
    }
}

// The side grows as the root of what stands there.
TEST(Stars, APictureIsAboutAsWideAsHighHoweverManyArmsThereAre) {
    for (const int nodes : {1, 2, 3}) {
        for (const int arms : {50, 100, 300}) {
            const Picture picture = picture_of_text(star(arms, nodes, true).text());
            const Box all = extent(lay_out(picture));
            EXPECT_LT(all.width, 2.6 * all.height) << arms << " of " << nodes;
            EXPECT_LT(all.height, 1.5 * all.width) << arms << " of " << nodes;
            const double longest = std::max(all.width, all.height);
            EXPECT_LT(longest, (60.0 + 90.0 * nodes) * std::sqrt(arms)) << arms << " of " << nodes;
        }
    }
}

TEST(Stars, TeethAreAboutEquallyLong) {
    const Picture picture = picture_of_text(star(300, 3, true).text());
    double shortest = std::numeric_limits<double>::max();
    double longest = 0.0;
    const auto bars = lay_out(picture).bars;
    for (std::size_t k = 1; k < bars.front().pieces.size(); ++k) {
        const Polyline& tooth = bars.front().pieces[k];
        shortest = std::min(shortest, length(tooth[1] - tooth[0]));
        longest = std::max(longest, length(tooth[1] - tooth[0]));
    }
    EXPECT_LT(longest, 1.06 * shortest);
}

TEST(Stars, HalfOfTheArmsStandAboveTheSpine) {
    const auto bars = lay_out(picture_of_text(star(50, 2, true).text())).bars;
    const double spine = bars.front().pieces.front().front().y;
    for (std::size_t k = 1; k < bars.front().pieces.size(); ++k) {
        const Polyline& tooth = bars.front().pieces[k];
        EXPECT_LT(std::abs((spine - tooth[0].y) - (tooth[1].y - spine)), 0.4 * length(tooth[1] - tooth[0]));
    }
}

TEST(Stars, FewArmsStandAsTheyAlwaysDid) {
    EXPECT_TRUE(lay_out(picture_of_text(star(6, 2, true).text())).bars.empty());
    EXPECT_TRUE(lay_out(picture_of_text(star(40, 1, true).text())).bars.empty());
}

TEST(Stars, AnArmBranchesToBothSides) {
    Entries entries = star(7, 2, true);
    entries.component("b", "1");
    entries.bond("hub", "b");
    for (const std::string branch : {"u", "v", "w"}) {
        entries.component(branch, "0");
        entries.bond("b", branch);
        for (int i = 0; i < 3; ++i) {
            entries.component(branch + std::to_string(i), one_port(i));
            entries.bond(branch, branch + std::to_string(i));
        }
    }
    const Picture picture = picture_of_text(entries.text());
    const Layout layout = lay_out(picture);
    EXPECT_THAT(faults(picture, layout), testing::IsEmpty());
    const std::uint32_t b = node_named(picture, "b");
    EXPECT_LT(distance_to_bar(layout.nodes[b].centre, layout), 80.0);
    EXPECT_NEAR(layout.nodes[node_named(picture, "v")].centre.x, layout.nodes[b].centre.x, 1e-9);
    EXPECT_NEAR(layout.nodes[node_named(picture, "w")].centre.x, layout.nodes[b].centre.x, 1e-9);
}

// A way that branches off has nothing between itself and where it comes from, also where it branches again.
TEST(Stars, ABranchBranchesAgain) {
    Entries entries = star(7, 2, true);
    entries.component("b", "1");
    entries.bond("hub", "b");
    add_ladder(entries, "b", 4, "longest");
    // b -> u -> v -> w, where each time another way is longer.
    entries.component("u", "0");
    entries.bond("b", "u");
    add_ladder(entries, "u", 2, "long");
    entries.component("v", "1");
    entries.bond("u", "v");
    add_ladder(entries, "v", 1, "short");
    entries.component("w", "0");
    entries.bond("v", "w");
    for (const char* leaf : {"w1", "w2"}) {
        entries.component(leaf, "R, R: 1");
        entries.bond("w", leaf);
    }
    const Picture picture = picture_of_text(entries.text());
    const Layout layout = lay_out(picture);
    EXPECT_THAT(faults(picture, layout), testing::IsEmpty());
    EXPECT_LT(layout.nodes[node_named(picture, "w")].centre.y, layout.nodes[node_named(picture, "u")].centre.y);
}

// Names of variables beside an upright bond are wider than its element.
TEST(Stars, TextsBesideUprightBondsHaveRoom) {
    Entries entries = star(6, 2, true);
    for (const std::string arm : {"a", "b"}) {
        entries.component(arm, "1");
        entries.bond("hub", arm);
        for (int k = 0; k < 5; ++k) {
            const std::string element = arm + "_element_with_a_long_name_" + std::to_string(k);
            entries.component(element, "R, R: 1");
            entries.bond(arm, element);
        }
        add_ladder(entries, arm, 2, arm + "k");
    }
    const Picture picture = picture_of_text(entries.text(), {.variables = true});
    const Layout layout = lay_out(picture);
    EXPECT_THAT(faults(picture, layout), testing::IsEmpty());
    // Two texts of each lie between neighbours.
    const Box& first = layout.nodes[node_named(picture, "a_element_with_a_long_name_4")];
    const Box& next = layout.nodes[node_named(picture, "ak0")];
    EXPECT_GT(std::abs(next.centre.x - first.centre.x), text_width("a_element_with_a_long_name_4.e", kSmallSize));
}

TEST(Stars, BlocksThatAreJoinedToNothingButEachOtherStandByThemselves) {
    Entries entries = star(8, 2, true);
    entries.component("c", "Constant, k: 1");
    entries.component("g", "Gain, k: 1");
    entries.signal("c.y", "g.u");
    const Picture picture = picture_of_text(entries.text());
    const Layout layout = lay_out(picture);
    EXPECT_THAT(faults(picture, layout), testing::IsEmpty());
    EXPECT_EQ(layout.bars.size(), 1U);
}

// Seven elements find no room on the sides of a junction in an arm.
TEST(Stars, WhatIsNoArmStandsByItselfAndTheBarIsMadeAllTheSame) {
    Entries entries = star(8, 2, true);
    entries.component("b", "1");
    entries.bond("hub", "b");
    for (int i = 0; i < 9; ++i) {
        entries.component("e" + std::to_string(i), one_port(i));
        entries.bond("b", "e" + std::to_string(i));
    }
    const Picture picture = picture_of_text(entries.text());
    const Layout layout = lay_out(picture);
    EXPECT_THAT(faults(picture, layout), testing::IsEmpty());
    ASSERT_EQ(layout.bars.size(), 1U);
    EXPECT_GT(layout.nodes[node_named(picture, "b")].left(), layout.bars.front().pieces.front().back().x);
}

TEST(Stars, WhatComesNextFollowsTheBarInLine) {
    Entries entries = star(12, 2, true);
    add_ladder(entries, "hub", 20, "k");
    const Picture picture = picture_of_text(entries.text());
    const Layout layout = lay_out(picture);
    EXPECT_THAT(faults(picture, layout), testing::IsEmpty());
    const std::uint32_t next = node_named(picture, "k0");
    for (std::size_t e = 0; e < picture.edges.size(); ++e) {
        if (picture.edges[e].to == next) {
            EXPECT_NEAR(distance_to_bar(layout.routes[e].front(), layout), 8.5, 0.1);
        }
    }
    const double end = layout.bars.front().pieces.front().back().x;
    for (int i = 0; i < 12; ++i)
        EXPECT_LT(layout.nodes[node_named(picture, "x" + std::to_string(i))].right(), end) << i;
}

// The row in which it stands runs from right to left.
TEST(Stars, AStarIsTurnedOverWithItsRow) {
    Entries entries = star(9, 2, true);
    entries.component("first", "Se, e: 1");
    std::string text = entries.text();
    const auto at = text.find("  - s -> hub\n");
    text.replace(at, std::string("  - s -> hub\n").size(), "");
    Entries ladder;
    add_ladder(ladder, "s", 30, "k");
    text = ladder.components + text.substr(std::string("components:\n").size()) +
           ladder.bonds.substr(std::string("bonds:\n").size()) + "  - k29 -> hub\n";
    text.replace(text.find("  first: {type: Se, e: 1}\n"), std::string("  first: {type: Se, e: 1}\n").size(), "");
    const Picture picture = picture_of_text(text);
    const Layout layout = lay_out(picture);
    EXPECT_THAT(faults(picture, layout), testing::IsEmpty());
    ASSERT_EQ(layout.bars.size(), 1U);
    const Polyline& spine = layout.bars.front().pieces.front();
    EXPECT_LT(spine.back().x, spine.front().x);
    EXPECT_LT(layout.nodes[node_named(picture, "hub")].centre.y - 100.0,
              layout.nodes[node_named(picture, "x8")].centre.y);
}

TEST(Stars, ABlockBelongsToItsArm) {
    Entries entries = star(30, 2, true);
    for (int i = 0; i < 30; i += 3) {
        entries.component("g" + std::to_string(i), "Gain, k: 1");
        entries.signal("x" + std::to_string(i) + ".e", "g" + std::to_string(i) + ".u");
    }
    const Picture picture = picture_of_text(entries.text());
    const Layout layout = lay_out(picture);
    EXPECT_THAT(faults(picture, layout), testing::IsEmpty());
    for (int i = 0; i < 30; i += 3) {
        const Box& gain = layout.nodes[node_named(picture, "g" + std::to_string(i))];
        const Box& element = layout.nodes[node_named(picture, "x" + std::to_string(i))];
        EXPECT_LT(length(gain.centre - element.centre), 200.0);
    }
}

TEST(Stars, SignalsOfArmsLeadAroundWhatStandsThere) {
    Entries entries = star(20, 2, true);
    entries.component("sum", "Sum");
    entries.component("out", "Gain, k: 1");
    for (int i = 0; i < 3; ++i) entries.signal("x" + std::to_string(6 * i) + ".e", "sum.u" + std::to_string(i + 1));
    entries.signal("sum.y", "out.u");
    const Picture picture = picture_of_text(entries.text());
    EXPECT_THAT(faults(picture, lay_out(picture)), testing::IsEmpty());
}

// They would stand above each other, with all their signals.
TEST(Stars, ElementsWithSignalsAreWays) {
    Entries entries = star(8, 1, true);
    entries.component("sum", "Sum");
    entries.component("out", "Gain, k: 1");
    for (int i = 0; i < 8; ++i) entries.signal("x" + std::to_string(i) + ".e", "sum.u" + std::to_string(i + 1));
    entries.signal("sum.y", "out.u");
    EXPECT_EQ(lay_out(picture_of_text(entries.text())).bars.size(), 1U);
}

// Opposite each other, at the upper end of the first tooth and at its lower end.
TEST(Stars, ASignalRunsNeitherAlongBondsNorAcrossTheBarWhereItCanLeadAround) {
    const Picture bare = picture_of_text(star(50, 1, true).text());
    const Layout without = lay_out(bare);
    const Polyline& tooth = without.bars.front().pieces[1];
    std::vector<std::pair<std::uint32_t, std::uint32_t>> opposite;
    for (const double end : {tooth[0].y, tooth[1].y}) {
        std::vector<std::uint32_t> ends;
        for (std::uint32_t n = 0; n < bare.nodes.size(); ++n) {
            const Box& box = without.nodes[n];
            if (std::abs(box.centre.y - end) < 10.0 && std::abs(box.centre.x - tooth[0].x) < 150.0) ends.push_back(n);
        }
        ASSERT_EQ(ends.size(), 2U);
        opposite.emplace_back(ends[0], ends[1]);
    }
    Picture picture = bare;
    for (const auto& [a, b] : opposite) picture.edges.push_back({.kind = EdgeKind::signal, .from = a, .to = b});
    const Layout layout = lay_out(picture);
    for (std::size_t e = bare.edges.size(); e < picture.edges.size(); ++e) {
        for (std::size_t i = 1; i < layout.routes[e].size(); ++i) {
            const Point a = layout.routes[e][i - 1], b = layout.routes[e][i];
            for (const Polyline& piece : layout.bars.front().pieces)
                EXPECT_FALSE(segments_cross(a, b, piece[0], piece[1])) << e;
        }
    }
}

TEST(Stars, ASourceStandsAmongTheArmsWhereSomethingElseComesIn) {
    Entries ladder;
    add_ladder(ladder, "s", 20, "k");
    Entries arms = star(9, 2, true);
    arms.component("second", "Sf, f: 1");
    arms.bond("second", "hub");
    std::string text = arms.text();
    text.replace(text.find("  - s -> hub\n"), std::string("  - s -> hub\n").size(), ladder.bonds.substr(7));
    text.replace(0, std::string("components:\n").size(), ladder.components);
    const Picture picture = picture_of_text(text + "  - k19 -> hub\n");
    const Layout layout = lay_out(picture);
    EXPECT_THAT(faults(picture, layout), testing::IsEmpty());
    const Box& hub = layout.nodes[node_named(picture, "hub")];
    EXPECT_GT(std::abs(layout.nodes[node_named(picture, "second")].centre.y - hub.centre.y), 20.0);
}

TEST(Stars, ThereIsRoomForTheNamesAlongTheBondsBeforeAndAfter) {
    Entries ladder;
    add_ladder(ladder, "hub", 20, "the_next_of_many_");
    Entries entries = star(9, 2, true);
    const Picture picture = picture_of_text("components:\n" + entries.components.substr(12) +
                                                ladder.components.substr(12) + entries.bonds + ladder.bonds.substr(7),
                                            {.variables = true});
    const Layout layout = lay_out(picture);
    const std::uint32_t next = node_named(picture, "the_next_of_many_0");
    for (std::size_t e = 0; e < picture.edges.size(); ++e) {
        const Edge& edge = picture.edges[e];
        if (edge.to != next) continue;
        EXPECT_GT(length(layout.routes[e].back() - layout.routes[e].front()), text_width(edge.effort, kSmallSize));
    }
}

TEST(Stars, TwoStarsThatLeadToTheSameLeaveEachOtherRoom) {
    Entries all = star(60, 2, true);
    all.component("t", "Se, e: 1");
    all.component("other", "0");
    all.bond("t", "other");
    for (int i = 100; i < 108; ++i) add_arm(all, "other", true, i, 2);
    all.component("join", "1");
    all.bond("hub", "join");
    all.bond("other", "join");
    add_ladder(all, "join", 20, "k");
    const Picture picture = picture_of_text(all.text());
    const Layout layout = lay_out(picture);
    EXPECT_EQ(layout.bars.size(), 2U);
    EXPECT_THAT(overlaps(picture, layout), testing::IsEmpty());
    EXPECT_THAT(flaws_of(picture, layout, draw(picture, layout, theme_named(ThemeName::colour))), testing::IsEmpty());
}

TEST(Stars, AStarStaysInTheFrameOfItsSubModel) {
    Entries inside;
    inside.component("hub", "0");
    for (int i = 0; i < 10; ++i) add_arm(inside, "hub", true, i, 2);
    std::string body = inside.components + inside.bonds + "  - p -> hub\n";
    std::string indented;
    for (std::size_t begin = 0; begin < body.size();) {
        const std::size_t end = body.find('\n', begin) + 1;
        indented += "    " + body.substr(begin, end - begin);
        begin = end;
    }
    const Picture picture = picture_of_text("types:\n  Net:\n    ports: {p: {}}\n" + indented +
                                                "components:\n  s: {type: Se, e: 1}\n  net: {type: Net}\n"
                                                "bonds:\n  - s -> net.p\n",
                                            {.expand = true});
    const Layout layout = lay_out(picture);
    EXPECT_THAT(faults(picture, layout), testing::IsEmpty());
    ASSERT_EQ(layout.bars.size(), 1U);
    for (std::size_t n = 0; n < picture.nodes.size(); ++n) {
        if (picture.nodes[n].frame == kNone) {
            EXPECT_FALSE(overlap(layout.frames.front(), layout.nodes[n])) << picture.nodes[n].name;
            continue;
        }
        const Box& frame = layout.frames[picture.nodes[n].frame];
        EXPECT_NEAR(around(frame, layout.nodes[n]).width, frame.width, 1e-6) << picture.nodes[n].name;
        EXPECT_NEAR(around(frame, layout.nodes[n]).height, frame.height, 1e-6) << picture.nodes[n].name;
    }
}

}  // namespace
}  // namespace bondgraph::drawing
