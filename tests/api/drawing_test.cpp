// Bond graphs as text.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/charging.hpp"
#include "tests/api/decay.hpp"

namespace bondgraph::api {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

TEST(ApiDrawing, HasTheFormatAskedFor) {
    const Model model = parsed(kCharging);
    const auto svg = model.draw();
    ASSERT_TRUE(svg) << svg.error().text();
    EXPECT_THAT(svg->text, HasSubstr("<svg"));
    EXPECT_EQ(svg->title, "charging");
    EXPECT_EQ(svg->components, 4U);
    EXPECT_EQ(svg->bonds, 3U);
    EXPECT_FALSE(svg->conflict);
    EXPECT_THAT(model.draw({.format = DrawOptions::Format::dot})->text, HasSubstr("digraph"));
    EXPECT_THAT(model.draw({.format = DrawOptions::Format::tex})->text, HasSubstr("tikzpicture"));
}

TEST(ApiDrawing, FollowsItsOptions) {
    const Model model = parsed(kCharging);
    const std::string plain = model.draw()->text;
    EXPECT_NE(model.draw({.theme = DrawOptions::Theme::grey})->text, plain);
    EXPECT_NE(model.draw({.variables = true})->text, plain);
    EXPECT_THAT(model.draw({.values = {{"R1.R", "47 ohm"}}})->text, HasSubstr("47"));
    EXPECT_EQ(model.draw()->text, plain);
}

TEST(ApiDrawing, ShowsAConflictAndSaysWhatItIs) {
    const Model model = parsed(R"(
model: conflict
components: {a: {type: Se, e: 1 V}, b: {type: Se, e: 2 V}, j: {type: 0}}
bonds: [a -> j, b -> j]
)");
    EXPECT_FALSE(model.causality());
    const auto drawing = model.draw();
    ASSERT_TRUE(drawing) << drawing.error().text();
    EXPECT_THAT(drawing->text, HasSubstr("<svg"));
    ASSERT_TRUE(drawing->conflict);
    EXPECT_EQ(drawing->conflict->kind, Error::Kind::model);
    EXPECT_THAT(drawing->conflict->messages.front().code, StartsWith("BG-C"));
}

TEST(ApiDrawing, AValueOfAnUnknownNameIsAnError) {
    const auto wrong = parsed(kCharging).draw({.values = {{"R2.R", 1.0}}});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().kind, Error::Kind::usage);
    EXPECT_THAT(wrong.error().text(), HasSubstr("'R2.R'"));
}

TEST(ApiReference, KnowsTheTypes) {
    EXPECT_THAT(type_names(), ::testing::Contains("TF"));
    EXPECT_THAT(type_list(), HasSubstr("Power elements"));
    EXPECT_THAT(type_page("C").value(), HasSubstr("compliance"));
    EXPECT_EQ(type_page("Cc").error().kind, Error::Kind::usage);
    EXPECT_THAT(model_schema(), HasSubstr("\"$schema\""));
}

TEST(ApiReference, ReadsTimes) {
    EXPECT_DOUBLE_EQ(seconds("20 ms").value(), 0.02);
    EXPECT_DOUBLE_EQ(seconds("0.5").value(), 0.5);
    EXPECT_FALSE(seconds("3 kg"));
    EXPECT_FALSE(seconds("soon"));
}

}  // namespace
}  // namespace bondgraph::api
