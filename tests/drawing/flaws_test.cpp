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

}  // namespace
}  // namespace bondgraph::drawing
