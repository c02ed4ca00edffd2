// Curves of runs and result files, and flows of energy.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/charging.hpp"
#include "tests/api/decay.hpp"

namespace bondgraph::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> labels(const PlotPanel& panel) {
    std::vector<std::string> all;
    for (const PlotCurve& curve : panel.curves) all.push_back(curve.label);
    return all;
}

TEST(ApiPlot, OfAModelShowsItsPlots) {
    const Model model = parsed(kCharging + "plots: [{title: Charging, y: [C1.e, R1.f]}]\n");
    const api::Run run = model.run({.plots = true}).value();
    EXPECT_EQ(run.series.columns().size(), 1U);  // what only plots show is no result
    ASSERT_TRUE(run.plot);
    ASSERT_EQ(run.plot->panels.size(), 1U);
    EXPECT_EQ(run.plot->panels[0].title, "Charging");
    EXPECT_THAT(labels(run.plot->panels[0]), ElementsAre("C1.e", "R1.f"));
    const auto current = run.plot->series[run.plot->panels[0].curves[1].label];
    ASSERT_EQ(current.size(), run.series.rows());
    EXPECT_NEAR(current[1], 0.01 * std::exp(-1.0), 1e-8);  // 10 V over 1 kohm, after a time constant
}

TEST(ApiPlot, WithoutPlotsShowsTheStates) {
    const api::Run run = parsed(kCharging).run({.plots = true}).value();
    ASSERT_TRUE(run.plot);
    EXPECT_THAT(labels(run.plot->panels.front()), ElementsAre("C1.q"));
    EXPECT_FALSE(parsed(kCharging).run()->plot);
}

TEST(ApiPlot, IsDrawnWithItsCurves) {
    const api::Run run =
        parsed(kCharging + "plots: [{title: Charging, y: [C1.e, R1.f]}]\n").run({.plots = true}).value();
    const auto svg = picture(*run.plot);
    ASSERT_TRUE(svg) << svg.error().text();
    EXPECT_THAT(*svg, HasSubstr("<svg"));
    EXPECT_THAT(*svg, HasSubstr("Charging"));
    EXPECT_THAT(*svg, HasSubstr("R1.f"));
    EXPECT_TRUE(picture(*run.plot, PictureFormat::png)->starts_with("\x89PNG"));
}

TEST(ApiPlot, TakesColumnsAndAPartOfTheTime) {
    const api::Run run = parsed(kCharging).run({.outputs = {"C1.e", "R1.f", "R1.e"}}).value();
    const auto all = plot(run.series, {.y = {"R1.e", "C1.e"}, .from = 2e-3, .to = 5.0001e-3, .title = "both"});
    ASSERT_TRUE(all) << all.error().text();
    EXPECT_EQ(all->series.rows(), 4U);
    EXPECT_THAT(labels(all->panels.front()), ElementsAre("R1.e", "C1.e"));
    EXPECT_NEAR(all->series["R1.e"].front(), 10.0 * std::exp(-2.0), 1e-6);
    const auto over = plot(run.series, {.y = {"R1.f"}, .x = "C1.e"});
    ASSERT_TRUE(over && over->x);
    EXPECT_EQ(over->x->label, "C1.e");
}

TEST(ApiPlot, WrongNamesAndTimesAreErrors) {
    const api::Run run = parsed(kCharging).run().value();
    const auto unknown = plot(run.series, {.y = {"C2.e", "nothing"}});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().kind, Error::Kind::usage);
    ASSERT_EQ(unknown.error().messages.size(), 2U);
    EXPECT_EQ(unknown.error().messages[0].text, "the series has no column 'C2.e'; did you mean 'C1.e'?");
    EXPECT_FALSE(plot(run.series, {.y = {"C1.e"}, .x = "time2"}));
    EXPECT_THAT(plot(run.series, {.y = {"C1.e"}, .from = 3.0}).error().text(), HasSubstr("no rows there"));
    const auto wrong = parsed(kCharging + "plots: [{title: t, y: [C1.e]}]\n").run({.outputs = {"C3.e"}, .plots = true});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().kind, Error::Kind::usage);
    EXPECT_EQ(picture_format("a.pdf").error().kind, Error::Kind::usage);
}

TEST(ApiResults, ComeBackFromEveryFormat) {
    const api::Run run = parsed(kCharging).run({.outputs = {"C1.e", "R1.f"}}).value();
    const auto folder = std::filesystem::temp_directory_path() / ("bondgraph_results_" + std::to_string(::getpid()));
    std::filesystem::create_directory(folder);
    for (const std::string ending : {"csv", "mat", "h5"}) {
        const std::string file = (folder / ("r." + ending)).string();
        const auto bytes = result_file(run.series, result_format(file).value(), "charging");
        ASSERT_TRUE(bytes) << bytes.error().text();
        std::ofstream(file, std::ios::binary) << *bytes;
        const auto read = read_results(file);
        ASSERT_TRUE(read) << read.error().text();
        EXPECT_FALSE(read->cut);
        EXPECT_EQ(read->series.abscissa().name, "time");
        EXPECT_TRUE(std::ranges::equal(read->series.time(), run.series.time()));
        EXPECT_TRUE(std::ranges::equal(read->series["R1.f"], run.series["R1.f"])) << ending;
    }
    EXPECT_EQ(read_results((folder / "none.csv").string()).error().kind, Error::Kind::usage);
    std::filesystem::remove_all(folder);
}

TEST(ApiSankey, BandsAddUpToWhatWasSupplied) {
    const api::Run run = parsed(kCharging).run({.energy_account = true}).value();
    const Sankey bands = sankey(*run.account, "charging");
    const auto source = std::ranges::find(bands.nodes, "source", &SankeyNode::name) - bands.nodes.begin();
    double from_source = 0.0;
    for (const SankeyFlow& flow : bands.flows) {
        if (flow.from == static_cast<std::size_t>(source)) from_source += flow.amount;
    }
    EXPECT_NEAR(from_source, 1e-4, 1e-8);  // C U²: half of it is stored, half lost, whatever R is
    EXPECT_EQ(energy_text(from_source).substr(energy_text(from_source).size() - 3), "µJ");
    EXPECT_THAT(picture(bands), HasSubstr("<svg"));
    EXPECT_THAT(picture(bands), HasSubstr("charging"));
}

}  // namespace
}  // namespace bondgraph::api
