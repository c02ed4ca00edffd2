// Names and variables beside bonds: where they stand in the pictures of all shipped models.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "bondgraph/drawing/draw.hpp"
#include "bondgraph/drawing/labels.hpp"
#include "tests/drawing/flaws.hpp"
#include "tests/drawing/pictures.hpp"

namespace bondgraph::drawing {
namespace {

const std::set<std::string> kBesideBonds{"effort", "flow", "port", "name", "size"};

struct Hidden {
    std::size_t texts = 0;
    std::vector<std::string> overlaps;
};

// What stands on something else: of a pair the later one.
Hidden hidden_in(const Picture& picture) {
    const Sheet sheet = draw(picture, lay_out(picture), theme_named(ThemeName::colour));
    Hidden hidden;
    std::vector<std::pair<std::string, Box>> taken;
    for (const Shape& s : sheet.shapes) {
        if (s.role == "node") taken.emplace_back("a box", s.box);
    }
    for (const Shape& s : sheet.shapes) {
        if (!kBesideBonds.contains(s.role)) continue;
        ++hidden.texts;
        Box box = text_box(s.text, s.size);
        box.centre = s.points.front();
        for (const auto& [name, other] : taken) {
            if (overlap(box.grown(-0.5), other)) hidden.overlaps.push_back(s.text + " on " + name);
        }
        taken.emplace_back(s.text, box);
    }
    return hidden;
}

TEST(Texts, DontStandOnEachOther) {
    std::size_t texts = 0;
    std::vector<std::string> overlaps;
    for (const std::string& file : test::model_files()) {
        const Hidden hidden = hidden_in(picture_of_model(test::load_file(file), {.variables = true}));
        texts += hidden.texts;
        for (const std::string& o : hidden.overlaps) overlaps.push_back(file.substr(file.rfind('/') + 1) + ": " + o);
    }
    EXPECT_GT(BONDGRAPH_SWEEP * texts, 2000U);
    EXPECT_THAT(overlaps, testing::IsEmpty());
}

// A text that touches a half arrow, a stroke or a line is read as a part of it.
TEST(Texts, KeepSomeAirFromLines) {
    std::vector<std::string> touching;
    for (const std::string& file : test::model_files()) {
        const model::Model model = test::load_file(file);
        for (const bool variables : {false, true}) {
            const Picture picture = picture_of_model(model, {.variables = variables});
            const Layout layout = lay_out(picture);
            const Sheet sheet = draw(picture, layout, theme_named(ThemeName::colour));
            for (const Shape& text : sheet.shapes) {
                if (!kBesideBonds.contains(text.role) || text.role == "size") continue;
                const Box airy = letters(text).grown(1.0);
                const bool touches = std::any_of(layout.routes.begin(), layout.routes.end(),
                                                 [&](const Polyline& line) { return crosses(airy, line); }) ||
                                     std::any_of(sheet.shapes.begin(), sheet.shapes.end(), [&](const Shape& s) {
                                         return (s.role == "stroke" || s.role == "barb") && crosses(airy, s.points);
                                     });
                if (touches) touching.push_back(file.substr(file.rfind('/') + 1) + ": " + text.text);
            }
        }
    }
    EXPECT_THAT(touching, testing::IsEmpty());
}

// Over a bond, a title and the bond hide each other.
TEST(Texts, TitlesOfFramesStandBesideBonds) {
    std::size_t titles = 0;
    std::vector<std::string> covered;
    for (const std::string& file : test::model_files()) {
        const Picture picture = picture_of_model(test::load_file(file), {.expand = true});
        const Layout layout = lay_out(picture);
        for (const Shape& s : draw(picture, layout, theme_named(ThemeName::colour)).shapes) {
            if (s.role != "frame-title-gap") continue;
            ++titles;
            const bool crossed = std::any_of(layout.routes.begin(), layout.routes.end(),
                                             [&](const Polyline& route) { return crosses(s.box, route); });
            if (crossed) covered.push_back(file.substr(file.rfind('/') + 1));
        }
    }
    EXPECT_GT(BONDGRAPH_SWEEP * titles, 100U);
    EXPECT_THAT(covered, testing::IsEmpty());
}

TEST(Texts, TheSizeOfAMultibondStandsInItsMiddle) {
    const Picture picture = picture_of_file("multibond/three_phase_coil.yaml", {.variables = true});
    const Layout layout = lay_out(picture);
    const Sheet sheet = draw(picture, layout, theme_named(ThemeName::colour));
    std::size_t sizes = 0;
    for (const Shape& s : sheet.shapes) {
        if (s.role != "size") continue;
        EXPECT_EQ(s.text, "3");
        const Polyline& route = layout.routes[sizes++];
        EXPECT_NEAR(length(s.points.front() - place_on(route, 0.5).point), 0.0, 1e-9);
    }
    EXPECT_EQ(sizes, 3U);
}

}  // namespace
}  // namespace bondgraph::drawing
