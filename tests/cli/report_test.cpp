#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/command.hpp"

namespace bondgraph::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class ReportCommand : public testing::Test {
   protected:
    void SetUp() override {
        const Outcome o = folder_.run({"report", folder_.write("probe.yaml", kCharging), "-o", "-"});
        // Any other reason why there is no page is a failure.
        if (o.err.find("made without npm") != std::string::npos) GTEST_SKIP() << "this build was made without npm";
    }
    Folder folder_;
};

TEST_F(ReportCommand, WritesAPageNamedAfterTheModelFile) {
    const Outcome o = folder_.run({"report", folder_.write("rc.yaml", kCharging)});
    EXPECT_EQ(o.status, 0);
    EXPECT_THAT(o.out, IsEmpty());
    EXPECT_THAT(o.err, StartsWith("charging\n  written     rc.html ("));
    EXPECT_THAT(folder_.read("rc.html"), StartsWith("<!doctype html>"));
    EXPECT_THAT(folder_.read("rc.html"), HasSubstr("\"model\":\"charging\""));
}

TEST_F(ReportCommand, LoadsNothing) {
    const std::string page = folder_.run({"report", folder_.write("rc.yaml", kCharging), "-o", "-"}).out;
    for (const char* what : {"<link", "src=\"http", "@import", "url(http"})
        EXPECT_EQ(page.find(what), std::string::npos);
}

TEST_F(ReportCommand, AnotherKindOfFileIsWrongUsage) {
    const Outcome o = folder_.run({"report", folder_.write("rc.yaml", kCharging), "-o", "rc.pdf"});
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.err, "error: a report is a page for browsers: 'rc.pdf' has to end with .html\n");
    EXPECT_FALSE(folder_.has("rc.pdf"));
}

TEST_F(ReportCommand, SensitivitiesOfSeveralResultsAreOnThePage) {
    const Outcome o = folder_.run(
        {"report", folder_.write("rc.yaml", kCharging), "--sensitivity", "C1.e", "--sensitivity", "R1.f", "-o", "-"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("\"sensitivities\":{\"step\":0.01"));
    EXPECT_THAT(o.out, HasSubstr("\"results\":[{\"name\":\"C1.e\",\"unit\":\"V\"},{\"name\":\"R1.f\""));
    const Outcome without = folder_.run({"report", folder_.write("rc.yaml", kCharging), "-o", "-"});
    EXPECT_EQ(without.out.find("\"sensitivities\""), std::string::npos);
}

TEST_F(ReportCommand, ASensitivityOfWhatIsNoResultIsRefusedAndWritesNothing) {
    const Outcome o = folder_.run({"report", folder_.write("rc.yaml", kCharging), "--sensitivity", "C1.speed"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, StartsWith("error: the model has no result 'C1.speed'; "));
    EXPECT_FALSE(folder_.has("rc.html"));
}

TEST_F(ReportCommand, AWrongTimeIsWrongUsageAndWritesNothing) {
    const Outcome o = folder_.run({"report", folder_.write("rc.yaml", kCharging), "--stop", "5 kg"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, HasSubstr("--stop"));
    EXPECT_FALSE(folder_.has("rc.html"));
}

TEST_F(ReportCommand, OptionsThatAllowNoRunLeaveAnEarlierPage) {
    const std::string model = folder_.write("rc.yaml", kCharging);
    const std::vector<std::vector<std::string>> calls{{"--stop", "-1"}, {"--interval", "0"}, {"--tolerance", "2"}};
    for (const std::vector<std::string>& wrong : calls) {
        folder_.write("rc.html", "earlier");
        std::vector<std::string> arguments{"report", model};
        arguments.insert(arguments.end(), wrong.begin(), wrong.end());
        EXPECT_NE(folder_.run(arguments).status, 0) << wrong[0];
        EXPECT_EQ(folder_.read("rc.html"), "earlier") << wrong[0];
    }
}

TEST_F(ReportCommand, AConflictIsOnThePageAndReported) {
    const Outcome o = folder_.run({"report", folder_.write("c.yaml", R"(model: conflict
components: {a: {type: Se, e: 1 V}, b: {type: Se, e: 2 V}, node: {type: 0}}
bonds: [a -> node, b -> node]
)")});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.err, HasSubstr("[BG-C001]"));
    EXPECT_THAT(folder_.read("c.html"), HasSubstr("BG-C001"));
}

TEST_F(ReportCommand, AModelThatCantBeReadGivesNoPage) {
    const Outcome o = folder_.run({"report", folder_.write("w.yaml", "model: w\ncomponents: {a: {type: Nothing}}\n")});
    EXPECT_EQ(o.status, 2);
    EXPECT_FALSE(folder_.has("w.html"));
}

}  // namespace
}  // namespace bondgraph::cli
