// Mason's rule and what a linear model answers, against closed forms and against each other.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/charging.hpp"
#include "tests/api/decay.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::complex<double> polynomial_at(const std::vector<double>& coefficients, std::complex<double> s) {
    std::complex<double> value = 0.0;
    for (const double c : coefficients) value = value * s + c;
    return value;
}

std::complex<double> value_at(const Transfer& h, std::complex<double> s) {
    std::complex<double> value = h.gain;
    for (const Root& zero : h.zeros) value *= std::pow(s - zero.value, static_cast<double>(zero.multiplicity));
    for (const Root& pole : h.poles) value /= std::pow(s - pole.value, static_cast<double>(pole.multiplicity));
    return value;
}

Model shipped(const std::string& name) { return Model::load(test::source_folder() + "/models/" + name).value(); }

TEST(ApiMason, TellsPathsAndLoopsInTheModelsParameters) {
    const auto mason = parsed(kCharging).mason();
    ASSERT_TRUE(mason) << mason.error().text();
    EXPECT_THAT(mason->left_out, IsEmpty());
    ASSERT_EQ(mason->channels.size(), 1U);
    const MasonChannel& c = mason->channels.front();
    EXPECT_EQ(c.input, "source.e");
    EXPECT_EQ(c.output, "C1.e");
    ASSERT_EQ(c.paths.size(), 1U);
    EXPECT_EQ(c.paths[0].nodes.front(), "source.e");
    EXPECT_EQ(c.paths[0].gain, "1/(R1*C1*s)");
    EXPECT_TRUE(c.paths[0].touched_by_all);
    ASSERT_EQ(c.loops.size(), 1U);
    EXPECT_EQ(c.loops[0].gain, "-1/(R1*C1*s)");
    EXPECT_EQ(c.transfer, "1/(R1*C1*s + 1)");
    EXPECT_LE(c.disagreement.value(), kTrustedDisagreement);
    ASSERT_EQ(c.denominator_values.size(), 2U);
    EXPECT_DOUBLE_EQ(c.denominator_values[0], 1.0);
    EXPECT_NEAR(c.denominator_values[1], 1000.0, 1e-9);
    ASSERT_EQ(c.numerator_values.size(), 1U);
    EXPECT_NEAR(c.numerator_values[0], 1000.0, 1e-9);
}

class MasonOfModel : public testing::TestWithParam<const char*> {};

// Two ways that share nothing but the model: gains of a signal-flow graph, and roots from matrices.
TEST_P(MasonOfModel, AgreesWithTheTransferFunctions) {
    const Model model = shipped(GetParam());
    const Mason mason = model.mason().value();
    const std::vector<Transfer> transfers = model.transfer_functions().value();
    ASSERT_FALSE(mason.channels.empty());
    std::size_t compared = 0;
    for (const MasonChannel& c : mason.channels) {
        for (const Transfer& h : transfers) {
            if (h.input != c.input || h.output != c.output) continue;
            for (const std::complex<double> s : {std::complex(0.7, 2.0), std::complex(11.0, 40.0)}) {
                const auto found = polynomial_at(c.numerator_values, s) / polynomial_at(c.denominator_values, s);
                const auto expected = value_at(h, s);
                EXPECT_LE(std::abs(found - expected), 1e-7 * std::abs(expected)) << c.output << " / " << c.input;
            }
            ++compared;
        }
    }
    EXPECT_EQ(compared, mason.channels.size());
}

INSTANTIATE_TEST_SUITE_P(Models, MasonOfModel,
                         testing::Values("electromechanical/dc_motor.yaml", "electrical/series_rlc.yaml",
                                         "electrical/memristor.yaml", "translational/quarter_car.yaml"));

TEST(ApiMason, SaysWhatHasNoGain) {
    const Model motor = shipped("electromechanical/dc_motor.yaml");
    const auto some = motor.mason({.outputs = {"J.f", "armature.power"}});
    ASSERT_TRUE(some) << some.error().text();
    EXPECT_EQ(some->channels.size(), 1U);
    ASSERT_EQ(some->left_out.size(), 1U);
    EXPECT_THAT(some->left_out[0].because, HasSubstr("armature.power"));
    EXPECT_FALSE(some->left_out[0].large);
    EXPECT_THAT(motor.mason({.outputs = {"armature.power"}})->channels, IsEmpty());
}

TEST(ApiMason, ErrorsAreValues) {
    const auto unknown = parsed(kCharging).mason({.outputs = {"C2.e"}});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().kind, Error::Kind::usage);
    EXPECT_THAT(unknown.error().text(), HasSubstr("'C2.e'"));
    EXPECT_EQ(parsed(kDecay).mason().error().kind, Error::Kind::usage);  // no source
}

TEST(ApiResponses, OfAStepFollowTheClosedForm) {
    const std::vector<LinearModel> linear{parsed(kCharging).linearize().value()};
    EXPECT_THAT(linear[0].outputs, ElementsAre("C1.e"));
    EXPECT_THAT(linear[0].output_units, ElementsAre("V"));
    const Responses steps = step_responses(linear);
    ASSERT_EQ(steps.channels.size(), 1U);
    for (std::size_t k = 0; k < steps.abscissa.size(); ++k)
        EXPECT_NEAR(steps.values[0][k], 1.0 - std::exp(-1e3 * steps.abscissa[k]), 1e-12);
}

TEST(ApiResponses, OfFrequenciesFollowTheClosedForm) {
    const std::vector<LinearModel> linear{parsed(kCharging).linearize().value()};
    const Responses bode = frequency_responses(linear);
    ASSERT_EQ(bode.channels.size(), 1U);
    EXPECT_LE(bode.abscissa.front(), 100.0 + 1e-9);
    EXPECT_GE(bode.abscissa.back(), 1e4 - 1e-6);
    for (std::size_t k = 0; k < bode.abscissa.size(); ++k) {
        const std::complex<double> h = 1.0 / std::complex(1.0, 1e-3 * bode.abscissa[k]);
        EXPECT_NEAR(bode.values[0][k], 20.0 * std::log10(std::abs(h)), 1e-9);
        EXPECT_NEAR(bode.phases[0][k], std::arg(h) * 180.0 / 3.14159265358979323846, 1e-9);
    }
}

TEST(ApiResponses, OfSeveralTimesStandBesideEachOther) {
    const Model motor = shipped("electromechanical/dc_motor.yaml");
    std::vector<LinearModel> linear;
    for (const double at : {1e-3, 2e-3}) linear.push_back(motor.linearize({.at = at, .outputs = {"J.f"}}).value());
    const Plot plot = step_plot(linear);
    ASSERT_EQ(plot.panels.size(), 1U);
    ASSERT_EQ(plot.panels[0].curves.size(), 2U);
    EXPECT_EQ(plot.panels[0].curves[0].label, "J.f at 0.001 s");
    EXPECT_EQ(plot.panels[0].curves[1].label, "J.f at 0.002 s");
    EXPECT_EQ(bode_plot(linear).panels.size(), 2U);
}

}  // namespace
}  // namespace bondgraph::api
