// What programs with a command line of their own need: texts as typed, messages that point into options, times.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/charging.hpp"
#include "tests/api/decay.hpp"

namespace bondgraph::api {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(ApiCommandLine, SettingsAreValuesAsTyped) {
    const Model model = parsed(kDecay, {.settings = {"q0=4", "R.R = q0"}});
    EXPECT_NEAR(model.run()->series["C.q"].back(), 4.0 * std::exp(-0.5), 1e-7);
    // A value of a call comes in place of a setting: R = 1 then.
    EXPECT_NEAR(model.run({.values = {{"q0", 1.0}}})->series["C.q"].back(), std::exp(-2.0), 1e-7);
}

TEST(ApiCommandLine, MessagesPointIntoWhatWasTyped) {
    const auto of_call = Model::parse(kCharging, "m.yaml", {.settings = {"R1.R=3 kg"}});
    ASSERT_FALSE(of_call);
    EXPECT_EQ(of_call.error().messages[0].place.file, "value of R1.R");
    const auto of_line = Model::parse(kCharging, "m.yaml", {.settings = {"R1.R=3 kg"}, .command_line = true});
    ASSERT_FALSE(of_line);
    EXPECT_EQ(of_line.error().messages[0].place.file, "--set R1.R");
    const auto unknown = Model::parse(kCharging, "m.yaml", {.settings = {"R2.R=3"}, .command_line = true});
    EXPECT_THAT(unknown.error().text(), HasSubstr("error: --set: the model has no parameter 'R2.R'"));
    EXPECT_THAT(Model::parse(kCharging, "m.yaml", {.settings = {"R2.R=3"}}).error().text(),
                HasSubstr("error: the model has no parameter 'R2.R'"));
}

TEST(ApiCommandLine, TimesOfARunMayBeTexts) {
    const Model model = parsed(kCharging);
    const api::Run run = model.run({.stop = "3 ms", .interval = "1500 us"}).value();
    EXPECT_THAT(std::vector<double>(run.series.time().begin(), run.series.time().end()),
                ElementsAre(0.0, 1.5e-3, 3e-3));
    EXPECT_EQ(run.experiment.stop, 3e-3);
    const auto wrong = model.run({.stop = "3 kg"});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().messages[0].place.file, "value of stop");
    EXPECT_EQ(parsed(kCharging, {.command_line = true}).run({.stop = "3 kg"}).error().messages[0].place.file, "--stop");
}

TEST(ApiCommandLine, TimesAreReadInTheModelsTerms) {
    std::string text = kCharging;
    text.replace(text.find("{U: 10 V}"), 9, "{U: 10 V, T: 1 ms}");
    const Model model = parsed(text);
    EXPECT_EQ(model.start_time().value(), 0.0);
    EXPECT_DOUBLE_EQ(model.seconds("20 ms").value(), 0.02);
    EXPECT_DOUBLE_EQ(model.seconds("5*T").value(), 5e-3);
    const auto wrong = model.seconds("20 V", "--window");
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().messages[0].place.file, "--window");
    const Experiment e = model.experiment({.stop = 1.0}).value();
    EXPECT_EQ(e.stop, 1.0);
    EXPECT_EQ(e.interval, 1e-3);
    EXPECT_EQ(e.tolerance, 1e-9);
}

TEST(ApiCommandLine, ResultsAreFoundByName) {
    const Model model = parsed(kCharging);
    EXPECT_THAT(model.results("C1.e").value(), ElementsAre("C1.e"));
    EXPECT_EQ(model.results("C2.e").error().kind, Error::Kind::usage);
    EXPECT_THAT(model.files(), ::testing::Contains("test.yaml"));
}

TEST(ApiInspection, TellsStructureAndWhatIsWrongAllTheSame) {
    const auto good = parsed(kCharging).inspect();
    ASSERT_TRUE(good) << good.error().text();
    EXPECT_THAT(good->structure.states, ElementsAre("C1.q"));
    EXPECT_FALSE(good->refused);
    EXPECT_TRUE(good->start_solved);
    const auto bad = parsed(kCharging + "expect: [{C7.e: 3 V, at: 1 ms}]\n").inspect();
    if (bad) {  // else it is refused when it is read
        ASSERT_TRUE(bad->refused);
        EXPECT_EQ(bad->structure.states.size(), 1U);
    }
    EXPECT_FALSE(parsed(kCharging).inspect({.most_unknowns = 0})->start_solved);
}

TEST(ApiRun, TellsWhenItBeginsAndWhenItEnds) {
    std::vector<std::string> told;
    RunOptions options;
    options.animation = true;
    options.on_ready = [&](const Expected& e) {
        told.push_back("ready " + e.columns.at(0).name + (e.animated ? " moves" : ""));
    };
    options.on_end = [&](const api::Run& run) { told.push_back("end " + std::to_string(run.series.rows())); };
    ASSERT_TRUE(parsed(kDecay).run(options));
    EXPECT_THAT(told, ElementsAre("ready C.q", "end 5"));
}

TEST(ApiRun, TellsWhatItsStartWasMadeOf) {
    const api::Run run = parsed(R"(
model: m
components: {j: {type: 1}, I: {type: I, I: 1}, R: {type: R, R: 1}}
bonds: [j -> I, j -> R]
)")
                             .run()
                             .value();
    ASSERT_EQ(run.statistics.defaulted.size(), 1U);
    EXPECT_EQ(run.statistics.defaulted[0].name, "I.p");
    EXPECT_GT(run.statistics.seconds_integration, 0.0);
}

TEST(ApiModel, CanBeCompiledAhead) {
    const Model model = parsed(kCharging);
    EXPECT_FALSE(model.compile());
    EXPECT_EQ(model.compilations(), 1U);
    ASSERT_TRUE(model.run());
    EXPECT_EQ(model.compilations(), 1U);
    EXPECT_FALSE(model.compile({}, true));
    ASSERT_TRUE(model.linearize());
    EXPECT_EQ(model.compilations(), 2U);
    const auto wrong = model.compile({{"R2.R", 1.0}});
    ASSERT_TRUE(wrong);
    EXPECT_EQ(wrong->kind, Error::Kind::usage);
}

// What is asked for first is made of the model as it was read; what comes then must not see what that has changed.
TEST(ApiModel, WhatIsAskedForFirstLeavesNoTrace) {
    const std::string fresh = parsed(kCharging).equations()->text;
    const std::vector<double> rows = [] {
        const api::Run run = parsed(kCharging).run().value();
        const auto column = run.series["C1.e"];
        return std::vector<double>(column.begin(), column.end());
    }();
    const Model model = parsed(kCharging);
    ASSERT_TRUE(model.equations({.symbols = true}));
    ASSERT_TRUE(model.draw());
    EXPECT_EQ(model.equations()->text, fresh);
    const api::Run run = model.run().value();
    const auto column = run.series["C1.e"];
    EXPECT_EQ(std::vector<double>(column.begin(), column.end()), rows);
    EXPECT_EQ(model.equations()->text, fresh);
}

TEST(ApiStored, BytesLoadLikeTheFile) {
    const auto stored = parsed(kCharging).store({.inputs = {"R1.R"}});
    ASSERT_TRUE(stored) << stored.error().text();
    EXPECT_THAT(stored->inputs, ElementsAre("R1.R"));
    EXPECT_GT(stored->bytes.size(), 100U);
}

}  // namespace
}  // namespace bondgraph::api
