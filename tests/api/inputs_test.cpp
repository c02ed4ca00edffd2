// Parameters as inputs of what was compiled against the same values in the file.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::api {
namespace {

const std::string kFolder = test::source_folder() + "/models/";

double largest(std::span<const double> column) {
    double most = 0.0;
    for (const double x : column) most = std::max(most, std::abs(x));
    return most;
}

/// The last row, beside the largest value of each column.
void expect_same_end(const api::Run& a, const api::Run& b, const std::string& what) {
    ASSERT_EQ(a.series.columns().size(), b.series.columns().size()) << what;
    for (std::size_t c = 0; c < a.series.columns().size(); ++c) {
        const double size = largest(b.series.column(c));
        EXPECT_NEAR(a.series.column(c).back(), b.series.column(c).back(), 1e-4 * size + 1e-9)
            << what << ": " << a.series.columns()[c].name;
    }
}

class ApiInputs : public ::testing::TestWithParam<const char*> {};

TEST_P(ApiInputs, GiveWhatTheValueInTheFileGives) {
    const std::string file = kFolder + GetParam();
    const Model model = Model::load(file).value();
    std::size_t count = 0;
    for (const Parameter& p : model.parameters()) {
        if (!p.value || *p.value == 0.0 || ++count > 8) continue;
        const double value = 1.03 * *p.value;
        (void)model.run({.values = {{p.name, 1.01 * value}}});  // what ran before is no matter
        LoadOptions as_file;
        as_file.values = {{p.name, value}};
        const auto other = Model::load(file, as_file);
        const auto run = model.run({.values = {{p.name, value}}});
        if (!other) {
            EXPECT_FALSE(run) << p.name;
            continue;
        }
        const auto expected = other->run();
        ASSERT_EQ(run.ok(), expected.ok()) << p.name;
        if (!run) continue;
        ASSERT_EQ(run->failure.has_value(), expected->failure.has_value()) << p.name;
        expect_same_end(*run, *expected, p.name);
    }
    EXPECT_GT(count, 2U);
    EXPECT_LT(model.deciding().size(), count) << "some are inputs";
}

// Start values stand in no equation: 0 is one like others.
TEST_P(ApiInputs, GiveWhatStartValuesInTheFileGive) {
    const std::string file = kFolder + GetParam();
    const Model model = Model::load(file).value();
    std::size_t count = 0;
    const auto linear = model.linearize();
    ASSERT_TRUE(linear) << linear.error().text();
    for (const std::string& state : linear->states) {
        if (state.find('[') != std::string::npos || ++count > 4) continue;
        for (const double value : {0.0, 0.02, -0.01}) {
            LoadOptions as_file;
            as_file.values = {{state, value}};
            const auto other = Model::load(file, as_file);
            const auto run = model.run({.values = {{state, value}}});
            ASSERT_EQ(run.ok(), other.ok()) << state;
            if (!run) continue;
            const auto expected = other->run();
            ASSERT_TRUE(expected) << state;
            ASSERT_EQ(run->failure.has_value(), expected->failure.has_value()) << state;
            expect_same_end(*run, *expected, state);
        }
    }
    EXPECT_TRUE(count == 0 || model.deciding().size() < count) << "some are inputs";
}

TEST(ApiStartInputs, ANewStartCompilesNothing) {
    const Model model = Model::load(kFolder + "electromechanical/dc_motor.yaml").value();
    for (const Value& speed : {Value(0.0), Value(10.0), Value(-5.0), Value("600 rpm")}) {
        const auto run = model.run({.values = {{"J.f", speed}}, .outputs = {"J.f"}, .stop = 1e-3});
        ASSERT_TRUE(run) << run.error().text();
        const double first = speed.number() != nullptr ? *speed.number() : 20.0 * std::acos(-1.0);
        EXPECT_NEAR(run->series["J.f"].front(), first, 1e-12 * std::abs(first));
    }
    EXPECT_EQ(model.compilations(), 1U);
    EXPECT_TRUE(model.deciding().empty());
    const auto wrong = model.run({.values = {{"J.f", "3 m"}}});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().messages.front().code, "BG-U002");
}

INSTANTIATE_TEST_SUITE_P(ShippedModels, ApiInputs,
                         ::testing::Values("electrical/rectifier_bridge.yaml", "electrical/buck_converter.yaml",
                                           "electromechanical/loudspeaker.yaml", "hydraulic/cascaded_tanks.yaml",
                                           "signals/sampled_control.yaml", "translational/stick_slip.yaml",
                                           "translational/quarter_car.yaml", "mechanics3d/double_pendulum.yaml",
                                           "mechanics3d/binary_star.yaml", "electrical/rc_line_in_sections.yaml",
                                           "hydraulic/two_liquids.yaml"));

}  // namespace
}  // namespace bondgraph::api
