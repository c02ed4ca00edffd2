#include "tests/drawing/flaws.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bondgraph/drawing/draw.hpp"
#include "tests/drawing/pictures.hpp"

namespace bondgraph::drawing {
namespace {

std::vector<std::string> flaws_of(const Picture& picture) {
    const Layout layout = lay_out(picture);
    return flaws_of(picture, layout, draw(picture, layout, theme_named(ThemeName::colour)));
}

TEST(Flaws, NoLinePassesThroughABoxAndNothingHidesAStrokeInAnyShippedModel) {
    for (const std::string& file : test::model_files()) {
        const model::Model model = test::load_file(file);
        for (const bool expand : {false, true}) {
            for (const bool variables : {false, true}) {
                EXPECT_THAT(flaws_of(picture_of_model(model, {.expand = expand, .variables = variables})),
                            testing::IsEmpty())
                    << file << (expand ? " --expand" : "") << (variables ? " --variables" : "");
            }
        }
    }
}

// What the measure has to notice.
TEST(Flaws, ALineThroughABoxAndAStrokeUnderABoxAreFound) {
    const Picture picture = picture_of_text(R"(
components: {s: {type: Se, e: 1}, j: {type: 1}, a: {type: R, R: 1}, b: {type: C, C: 1}}
bonds: [s -> j, j -> a, j -> b]
)");
    Layout layout = lay_out(picture);
    const auto flaws = [&] { return flaws_of(picture, layout, draw(picture, layout, theme_named(ThemeName::colour))); };
    EXPECT_THAT(flaws(), testing::IsEmpty());
    const Layout sound = layout;
    layout.nodes[node_named(picture, "a")].centre = place_on(layout.routes[0], 0.5).point;
    EXPECT_THAT(flaws(), testing::Contains("s -> j through a"));
    layout = sound;
    layout.nodes[node_named(picture, "s")].width *= 2;
    layout.nodes[node_named(picture, "a")].centre = layout.routes[0].back();
    EXPECT_THAT(flaws(), testing::Contains("stroke under a"));
}

TEST(Flaws, ABondThroughTheFrameOfAnotherSubModelIsFound) {
    const Picture picture = picture_of_file("mechanics3d/spherical_pendulum.yaml", {.expand = true});
    Layout layout = lay_out(picture);
    const auto flaws = [&] { return flaws_of(picture, layout, draw(picture, layout, theme_named(ThemeName::colour))); };
    EXPECT_THAT(flaws(), testing::IsEmpty());
    layout.frames.back() = layout.frames.front();
    EXPECT_THAT(flaws(), testing::Contains(testing::HasSubstr(" through the frame of " + picture.frames.back().name)));
}

}  // namespace
}  // namespace bondgraph::drawing
