// Models against what they expect of themselves.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "tests/api/charging.hpp"
#include "tests/api/decay.hpp"

namespace bondgraph::api {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

Model expecting(const std::string& entries) { return parsed(kCharging + "expect:\n" + entries); }

// A file of its own that is gone with the scope.
class File {
   public:
    File(const std::string& name, const std::string& text)
        : path_(std::filesystem::path(testing::TempDir()) / ("api_" + name)) {
        std::ofstream(path_) << text;
    }
    ~File() { std::filesystem::remove(path_); }
    File(const File&) = delete;
    File& operator=(const File&) = delete;
    [[nodiscard]] std::string name() const { return path_.string(); }

   private:
    std::filesystem::path path_;
};

TEST(ApiTest, AModelThatDoesWhatItShouldPasses) {
    const auto verdict = expecting(
                             "  - {states: 1, dependent_storages: 0, algebraic_loops: 0, poles: [-1000]}\n"
                             "  - {at: 2 ms, C1.e: U*(1 - exp(-2)), tolerance: 1e-6}\n")
                             .test();
    ASSERT_TRUE(verdict) << verdict.error().text();
    EXPECT_TRUE(verdict->passed());
    EXPECT_FALSE(verdict->skipped);
    EXPECT_FALSE(verdict->wrong);
    EXPECT_EQ(verdict->checks, 5U);
}

TEST(ApiTest, AValueThatDiffersIsAFailureWithItsPlaceAndBothNumbers) {
    const auto verdict = expecting("  - {at: 5 ms, C1.e: 9}\n").test();
    ASSERT_TRUE(verdict) << verdict.error().text();
    EXPECT_FALSE(verdict->passed());
    EXPECT_FALSE(verdict->wrong);
    EXPECT_EQ(verdict->checks, 1U);
    ASSERT_EQ(verdict->failures.size(), 1U);
    const Message& failure = verdict->failures[0];
    EXPECT_EQ(failure.place.file, "test.yaml");
    EXPECT_EQ(failure.place.line, 15);
    EXPECT_EQ(failure.place.column, 16);
    EXPECT_THAT(failure.text, StartsWith("C1.e at 0.005 s: expected 9, got 9.9326"));
    EXPECT_EQ(failure.shown, "test.yaml:15:16: " + failure.text + "\n");
}

// C1.e is 9.9326 V then: 0.0674 V from 10 V.
TEST(ApiTest, AnAbsoluteDeviationMayBeAllowed) {
    const auto passes = [](const std::string& entry) {
        const auto verdict = expecting("  - {at: 5 ms, C1.e: 10, " + entry + "}\n").test();
        EXPECT_TRUE(verdict) << verdict.error().text();
        return verdict && verdict->passed();
    };
    EXPECT_TRUE(passes("within: 0.07"));
    EXPECT_TRUE(passes("within: 70 mV"));
    EXPECT_FALSE(passes("within: 0.06"));
    EXPECT_FALSE(passes("within: 60 mV"));
    EXPECT_TRUE(passes("within: 60 mV, tolerance: 0.01")) << "the larger of the two counts";
    EXPECT_TRUE(passes("within: 70 mV, tolerance: 1e-9"));
    const auto none = expecting("  - {at: 5 ms, C1.e: 9.9326205, within: 1e-12}\n").test();
    ASSERT_TRUE(none);
    EXPECT_FALSE(none->passed()) << "no relative one beside it";
    const auto poles = [](const std::string& within) {
        const auto verdict = expecting("  - {poles: [-1001], within: " + within + "}\n").test();
        return verdict && verdict->passed();
    };
    EXPECT_TRUE(poles("2"));
    EXPECT_FALSE(poles("0.5"));
}

TEST(ApiTest, AnAbsoluteDeviationHasTheUnitOfTheResult) {
    const auto code = [](const std::string& within) {
        const auto verdict = expecting("  - {at: 5 ms, C1.e: 10, within: " + within + "}\n").test();
        if (!verdict) return verdict.error().text();
        return verdict->failures.empty() ? std::string("passed") : verdict->failures[0].code;
    };
    EXPECT_EQ(code("2 A"), "BG-U002");
    EXPECT_EQ(code("0"), "BG-M013");
    EXPECT_EQ(code("1 degC"), "BG-U004");
}

TEST(ApiTest, WhatCantBeCheckedIsWrong) {
    const auto verdict = expecting("  - {at: 5 ms, C9.e: 9}\n").test();
    ASSERT_TRUE(verdict) << verdict.error().text();
    EXPECT_TRUE(verdict->wrong);
    ASSERT_EQ(verdict->failures.size(), 1U);
    EXPECT_EQ(verdict->failures[0].code, "BG-O002");
    EXPECT_THAT(verdict->failures[0].text, HasSubstr("C9.e"));
    EXPECT_EQ(verdict->failures[0].place.line, 15);
}

TEST(ApiTest, WithoutExpectationsItIsSkipped) {
    const auto verdict = parsed(kCharging).test();
    ASSERT_TRUE(verdict);
    EXPECT_TRUE(verdict->skipped);
    EXPECT_EQ(verdict->checks, 0U);
}

TEST(ApiTest, ValuesAreThoseOfTheModelThatIsTested) {
    const Model model = expecting("  - {poles: [-500]}\n");
    EXPECT_FALSE(model.test()->passed());
    EXPECT_TRUE(model.test({.values = {{"R1.R", "2 kohm"}}})->passed());
    EXPECT_FALSE(model.test()->passed());
    const auto unknown = model.test({.values = {{"R9.R", 1.0}}});
    ASSERT_FALSE(unknown);
    EXPECT_EQ(unknown.error().kind, Error::Kind::usage);
    EXPECT_THAT(unknown.error().text(), HasSubstr("R9.R"));
}

TEST(ApiTest, AnErrorThatIsExpectedOfARunIsLookedFor) {
    const auto verdict = expecting("  - {error: BG-S001}\n").test();
    ASSERT_TRUE(verdict) << verdict.error().text();
    EXPECT_EQ(verdict->checks, 1U);
    EXPECT_FALSE(verdict->wrong);
    ASSERT_EQ(verdict->failures.size(), 1U);
    EXPECT_EQ(verdict->failures[0].text, "expected error BG-S001, no error was found");
    EXPECT_EQ(verdict->failures[0].place.file, "test.yaml");
    const auto met = parsed(
                         "model: m\ncomponents: {S: {type: Se, e: 1}, R: {type: R, R: 1}}\nbonds: [S -> R]\n"
                         "experiment: {stop: -1 s}\nexpect: [{error: BG-S001}]\n")
                         .test();
    ASSERT_TRUE(met) << met.error().text();
    EXPECT_TRUE(met->passed());
}

TEST(ApiTest, AFileNeedNotBeAModel) {
    const File file("wrong.yaml",
                    "model: m\ncomponents: {S: {type: Sx, e: 1}}\nexpect: [{error: BG-M001}, {error: BG-C003}]\n");
    EXPECT_FALSE(Model::load(file.name()));
    const auto verdict = test(file.name());
    ASSERT_TRUE(verdict) << verdict.error().text();
    EXPECT_EQ(verdict->checks, 2U);
    EXPECT_FALSE(verdict->wrong);
    ASSERT_EQ(verdict->failures.size(), 1U);
    EXPECT_THAT(verdict->failures[0].text,
                StartsWith("expected error BG-C003, got\n" + file.name() + ":2:24: error: "));
}

TEST(ApiTest, AFileIsTestedAsItsModelIs) {
    const File file("charging.yaml", kCharging + "expect:\n  - {at: 5 ms, C1.e: 9}\n  - {poles: [-1000]}\n");
    const auto verdict = test(file.name());
    ASSERT_TRUE(verdict) << verdict.error().text();
    const auto loaded = Model::load(file.name())->test();
    ASSERT_TRUE(loaded);
    EXPECT_EQ(verdict->checks, 2U);
    ASSERT_EQ(verdict->failures.size(), 1U);
    EXPECT_EQ(verdict->failures[0].shown, loaded->failures.at(0).shown);
    EXPECT_TRUE(test(file.name(), {.values = {{"C1.C", "100 uF"}}})->failures.size() == 2U);
}

TEST(ApiTest, AFileThatIsNotThereIsAnError) {
    const auto verdict = test("nowhere/at_all.yaml");
    ASSERT_FALSE(verdict);
    EXPECT_EQ(verdict.error().kind, Error::Kind::usage);
    EXPECT_THAT(verdict.error().text(), HasSubstr("can't read 'nowhere/at_all.yaml': No such file or directory"));
}

TEST(ApiTest, ARunThatFailsIsToldOfBesideTheValuesItDidNotReach) {
    const auto verdict = parsed(R"(
model: blow
types:
  X:
    variables: {x: {start: 1}}
    equations: [der(x) = x^2]
components: {a: {type: X}}
experiment: {stop: 2 s}
expect: [{at: 0.5 s, a.x: 2}, {at: 1.5 s, a.x: 1}]
)")
                             .test();
    ASSERT_TRUE(verdict) << verdict.error().text();
    EXPECT_FALSE(verdict->wrong);
    ASSERT_EQ(verdict->failures.size(), 2U);
    EXPECT_THAT(verdict->failures[0].text, HasSubstr("simulation failed"));
    EXPECT_EQ(verdict->failures[1].text, "a.x: the run did not reach t = 1.5 s");
}

TEST(ApiTest, EndsWhenCancelled) {
    const std::atomic<bool> cancel = true;
    const auto verdict = expecting("  - {at: 5 ms, C1.e: 9}\n").test({.cancel = &cancel});
    ASSERT_FALSE(verdict);
    EXPECT_EQ(verdict.error().kind, Error::Kind::cancelled);
}

TEST(ApiTest, TwoThreadsTestOneModelWhileItRuns) {
    const Model model = expecting("  - {at: 5 ms, C1.e: U*(1 - exp(-5))}\n");
    std::vector<int> passed(3, 0);
    std::vector<std::thread> threads;
    for (std::size_t k = 0; k < passed.size(); ++k) {
        threads.emplace_back([&, k] {
            for (int n = 0; n < 5; ++n) {
                if (k == 2)
                    passed[k] += model.run({.values = {{"U", 1.0 + n}}}).ok() ? 1 : 0;
                else
                    passed[k] += model.test({.values = {{"U", 1.0 + n}}})->passed() ? 1 : 0;
            }
        });
    }
    for (std::thread& t : threads) t.join();
    EXPECT_THAT(passed, testing::Each(5));
}

}  // namespace
}  // namespace bondgraph::api
