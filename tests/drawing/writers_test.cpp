#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "bondgraph/base/tex_text.hpp"
#include "bondgraph/drawing/dot.hpp"
#include "bondgraph/drawing/draw.hpp"
#include "tests/drawing/markup.hpp"
#include "tests/drawing/pictures.hpp"

namespace bondgraph::drawing {
namespace {

using causality::Stroke;
using testing::HasSubstr;
using testing::Not;

Sheet sheet_of(const Picture& picture, ThemeName theme = ThemeName::colour) {
    return draw(picture, lay_out(picture), theme_named(theme));
}

std::string svg_of(const Picture& picture) { return to_svg(sheet_of(picture)); }

// Runs a shell command in a new folder with the text in a file there; its exit status, or nothing where the program
// isn't installed.
std::optional<int> run_on(const std::string& program, const std::string& arguments, const std::string& file,
                          const std::string& text) {
    if (std::system(("command -v " + program + " > /dev/null").c_str()) != 0) return std::nullopt;
    std::string folder = (std::filesystem::temp_directory_path() / "bondgraph_drawing_XXXXXX").string();
    if (mkdtemp(folder.data()) == nullptr) throw std::runtime_error("no folder for a test");
    std::ofstream(std::filesystem::path(folder) / file, std::ios::binary) << text;
    const int status =
        std::system(("cd " + folder + " && " + program + " " + arguments + " " + file + " > log 2>&1").c_str());
    std::filesystem::remove_all(folder);
    return status;
}

// A model whose names and values have what SVG, DOT and LaTeX take for their own.
constexpr const char* kAwkward = R"(
model: "a & b <c> \"d\" $e% #f_g ~h ^i {j} \\k"
components:
  Größe_Ω: {type: Se, e: 3}
  loop_1: {type: 1}
  电容: {type: R, law: e = 2*f + (f > 1)*f}
bonds: [Größe_Ω -> loop_1, loop_1 -> 电容]
)";

std::vector<std::pair<std::string, Picture>> shipped_pictures() {
    std::vector<std::pair<std::string, Picture>> pictures;
    for (const std::string& file : test::model_files()) {
        const model::Model model = test::load_file(file);
        for (const bool expand : {false, true})
            pictures.emplace_back(file, picture_of_model(model, {.expand = expand, .variables = expand}));
    }
    return pictures;
}

TEST(Svg, OfEveryShippedModelIsWellFormed) {
    for (const auto& [file, picture] : shipped_pictures()) EXPECT_EQ(xml_mistake(svg_of(picture)), "") << file;
}

TEST(Svg, OfAwkwardNamesIsWellFormed) {
    const std::string svg = svg_of(picture_of_text(kAwkward, {.variables = true}));
    EXPECT_EQ(xml_mistake(svg), "");
    EXPECT_THAT(svg, HasSubstr("a &amp; b &lt;c&gt;"));
    EXPECT_THAT(svg, HasSubstr("Größe_Ω"));
}

TEST(Svg, TheCheckerFindsWhatIsNotWellFormed) {
    EXPECT_EQ(xml_mistake("<a><b x=\"1\"/>text &amp; more</a>\n"), "");
    EXPECT_NE(xml_mistake("<a><b></a>"), "");
    EXPECT_NE(xml_mistake("<a>1 & 2</a>"), "");
    EXPECT_NE(xml_mistake("<a x=\"1 & 2\"/>"), "");
    EXPECT_NE(xml_mistake("<a/><b/>"), "");
}

TEST(Svg, EveryScalarBondHasOneStrokeAndOneBarb) {
    for (const char* file : {"electromechanical/dc_motor.yaml", "translational/half_car.yaml",
                             "electrical/rectifier_bridge.yaml", "hydraulic/hydraulic_ram.yaml"}) {
        const Picture picture = picture_of_file(file);
        const std::size_t bonds = lines_of(picture, EdgeKind::bond).size();
        // The legend shows a bond of each domain, without stroke.
        std::set<model::DomainIndex> domains;
        for (const Edge& e : picture.edges) {
            if (e.kind == EdgeKind::bond) domains.insert(e.domain);
        }
        const std::string svg = svg_of(picture);
        EXPECT_EQ(count_class(svg, "stroke"), bonds) << file;
        EXPECT_EQ(count_class(svg, "barb"), bonds + domains.size()) << file;
        EXPECT_EQ(count_class(svg, "bond"), bonds + domains.size()) << file;
    }
}

// One bond of three components from left to right, as far as it can be drawn without a model.
Picture one_bond(std::vector<Stroke> strokes) {
    Picture picture{.title = "one"};
    picture.nodes = {{.name = "a", .label = "a", .type = "Se"}, {.name = "b", .label = "b", .type = "R"}};
    picture.edges = {{.from = 0, .to = 1, .strokes = std::move(strokes)}};
    return picture;
}

std::vector<Shape> shapes_of(const Sheet& sheet, const std::string& role) {
    std::vector<Shape> shapes;
    for (const Shape& s : sheet.shapes) {
        if (s.role == role) shapes.push_back(s);
    }
    return shapes;
}

TEST(Draw, TheBarbIsAtTheHeadBelowTheBond) {
    const Sheet sheet = sheet_of(one_bond({Stroke::at_to}));
    const Polyline bond = shapes_of(sheet, "bond").front().points;
    const Polyline barb = shapes_of(sheet, "barb").front().points;
    EXPECT_DOUBLE_EQ(barb.front().x, bond.back().x);
    EXPECT_LT(barb.back().x, bond.back().x);
    EXPECT_GT(barb.back().y, bond.back().y);
}

TEST(Draw, TheStrokeIsUprightAtItsEndOfALevelBond) {
    for (const Stroke end : {Stroke::at_from, Stroke::at_to}) {
        const Sheet sheet = sheet_of(one_bond({end}));
        const Polyline bond = shapes_of(sheet, "bond").front().points;
        const auto strokes = shapes_of(sheet, "stroke");
        ASSERT_EQ(strokes.size(), 1U);
        const Polyline stroke = strokes.front().points;
        const Point at = end == Stroke::at_from ? bond.front() : bond.back();
        EXPECT_NEAR(stroke.front().x, at.x, 1e-9);
        EXPECT_NEAR(stroke.back().x, at.x, 1e-9);
        EXPECT_NEAR(0.5 * (stroke.front().y + stroke.back().y), at.y, 1e-9);
        EXPECT_GT(length(stroke.back() - stroke.front()), 8.0);
    }
}

TEST(Draw, ABondWhoseCausalityIsOpenHasNoStroke) {
    EXPECT_TRUE(shapes_of(sheet_of(one_bond({Stroke::open})), "stroke").empty());
}

TEST(Draw, AMultibondIsADoubleLineWithItsSize) {
    const Sheet sheet = sheet_of(one_bond({Stroke::at_to, Stroke::at_to, Stroke::at_to}));
    EXPECT_EQ(shapes_of(sheet, "stroke").size(), 1U);
    ASSERT_EQ(shapes_of(sheet, "size").size(), 1U);
    EXPECT_EQ(shapes_of(sheet, "size").front().text, "3");
    EXPECT_FALSE(shapes_of(sheet, "bond-middle").empty());
}

TEST(Draw, MixedCausalityHasATickForEachComponentAtItsEnd) {
    const Sheet sheet = sheet_of(one_bond({Stroke::at_to, Stroke::at_from, Stroke::at_to}));
    const Polyline bond = shapes_of(sheet, "bond").front().points;
    const auto ticks = shapes_of(sheet, "stroke");
    ASSERT_EQ(ticks.size(), 3U + 2U);  // the legend shows a bond of two components
    EXPECT_NEAR(ticks[0].points[0].x, bond.back().x, 1e-9);
    EXPECT_NEAR(ticks[1].points[0].x, bond.front().x, 1e-9);
    EXPECT_NEAR(ticks[2].points[0].x, bond.back().x, 1e-9);
    // From the effort's side, above, to the flow's.
    EXPECT_LT(ticks[0].points[1].y, ticks[1].points[0].y);
    EXPECT_LT(ticks[1].points[1].y, ticks[2].points[0].y);
}

TEST(Draw, EffortStandsAboveAndFlowBelow) {
    Picture picture = one_bond({Stroke::at_to});
    picture.edges[0].effort = "a.e";
    picture.edges[0].flow = "a.f";
    const Sheet sheet = sheet_of(picture);
    const double y = shapes_of(sheet, "bond").front().points.front().y;
    EXPECT_LT(shapes_of(sheet, "effort").front().points.front().y, y);
    EXPECT_GT(shapes_of(sheet, "flow").front().points.front().y, y);
}

TEST(Draw, PseudoBondsAreDashedInBothThemes) {
    Picture picture = one_bond({Stroke::at_to});
    for (const ThemeName theme : {ThemeName::colour, ThemeName::grey}) {
        picture.edges[0].domain = *model::find_domain("thermal");
        const auto power = shapes_of(sheet_of(picture, theme), "bond").front().dashes;
        picture.edges[0].domain = *model::find_domain("thermal_pseudo");
        const auto pseudo = shapes_of(sheet_of(picture, theme), "bond").front().dashes;
        EXPECT_FALSE(pseudo.empty());
        EXPECT_NE(pseudo, power);
    }
}

TEST(Draw, TheLegendExplainsOnlyWhatOccurs) {
    const auto texts = [](const Picture& picture) {
        std::vector<std::string> found;
        for (const Shape& s : shapes_of(sheet_of(picture), "legend")) found.push_back(s.text);
        return found;
    };
    EXPECT_THAT(texts(picture_of_file("electrical/rc.yaml")), testing::ElementsAre("electrical"));
    EXPECT_THAT(texts(picture_of_file("electrical/voltage_divider.yaml")),
                testing::Contains(HasSubstr("algebraic loop")));
    EXPECT_THAT(texts(picture_of_file("electrical/capacitor_on_voltage_source.yaml")),
                testing::Contains(HasSubstr("derivative causality")));
    EXPECT_THAT(texts(picture_of_file("electrical/two_voltage_sources_conflict.yaml")),
                testing::Contains("causal conflict"));
}

TEST(Theme, NoTwoDomainsLookTheSame) {
    for (const ThemeName name : {ThemeName::colour, ThemeName::grey}) {
        const Theme theme = theme_named(name);
        std::set<std::pair<std::string, std::vector<double>>> looks;
        for (std::size_t d = 1; d < theme.domains.size(); ++d)
            looks.insert({theme.domains[d].line, theme.domains[d].dashes});
        EXPECT_EQ(looks.size(), model::domains().size() - 1);
    }
}

// A process for each: the one of Debian 12 loses its memory over hundreds of graphs.
TEST(Dot, OfShippedModelsIsAcceptedByDot) {
    auto pictures = shipped_pictures();
    pictures.emplace_back("awkward names", picture_of_text(kAwkward, {.variables = true}));
    for (const auto& [file, picture] : pictures) {
        const auto status =
            run_on("dot", "-Tcanon -o out.dot", "one.dot", to_dot(picture, theme_named(ThemeName::colour)));
        if (!status) GTEST_SKIP() << "Graphviz' program dot is not installed";
        EXPECT_EQ(*status, 0) << file;
    }
}

TEST(Dot, HasHalfArrowsAndStrokes) {
    const std::string text = to_dot(one_bond({Stroke::at_to}), theme_named(ThemeName::colour));
    EXPECT_THAT(text, HasSubstr("arrowhead=teelvee, arrowtail=none"));
    EXPECT_THAT(to_dot(one_bond({Stroke::at_from}), theme_named(ThemeName::colour)),
                HasSubstr("arrowhead=lvee, arrowtail=tee"));
}

TEST(Dot, SaysInWhichModeItsStrokesAre) {
    Picture picture = one_bond({Stroke::at_to});
    const Theme theme = theme_named(ThemeName::colour);
    EXPECT_THAT(to_dot(picture, theme), Not(HasSubstr("causality with")));
    picture.mode = {"D1.on = false", "S1.closed = true"};
    EXPECT_THAT(to_dot(picture, theme), HasSubstr("label=\"causality with D1.on = false, S1.closed = true\\l\";"));
}

TEST(Tex, CompilesOfShippedModelsAndAwkwardNames) {
    std::vector<Picture> pictures{picture_of_text(kAwkward, {.variables = true})};
    for (const char* file : {"thermal/heated_winding.yaml", "signals/speed_control.yaml",
                             "multibond/three_phase_coil.yaml", "electrical/two_voltage_sources_conflict.yaml"})
        pictures.push_back(picture_of_file(file, {.variables = true}));
    pictures.push_back(picture_of_file("mechanics3d/physical_pendulum.yaml", {.expand = true}));
    for (const Picture& picture : pictures) {
        const auto status =
            run_on("pdflatex", "-interaction=nonstopmode -halt-on-error", "graph.tex", to_tex(sheet_of(picture)));
        if (!status) GTEST_SKIP() << "pdflatex is not installed";
        EXPECT_EQ(*status, 0) << picture.title;
    }
}

TEST(Tex, WhatLatexActsOnIsEscaped) {
    std::set<std::uint32_t> unknown;
    EXPECT_EQ(tex_text("a_b & 5% {c} #1 $x", unknown), "a\\_b \\& 5\\% \\{c\\} \\#1 \\$x");
    EXPECT_EQ(tex_text("j->k", unknown), "j{-}$>$k");
    EXPECT_EQ(tex_text("Ω ü ř", unknown), "$\\Omega$ ü ř");
    EXPECT_EQ(tex_text("Ρυ", unknown), "$\\mathrm{P}$$\\upsilon$");
    EXPECT_TRUE(unknown.empty());
    EXPECT_EQ(tex_text("电", unknown), "电");
    EXPECT_THAT(unknown, testing::ElementsAre(0x7535U));
}

TEST(Tex, ADrawingLargerThanTexCanReckonIsScaledDown) {
    Sheet sheet{.title = "wide", .extent = {{20000, 0}, 40000, 100}};
    sheet.shapes = {{.role = "bond", .points = {{0, 0}, {40000, 0}}, .ink = "#000000"}};
    EXPECT_THAT(to_tex(sheet), Not(HasSubstr("40000")));
    EXPECT_THAT(to_tex(sheet), HasSubstr("(12000.00,"));
}

}  // namespace
}  // namespace bondgraph::drawing
