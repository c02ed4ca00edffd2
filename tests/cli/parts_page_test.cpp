// docs/parts.md documents the library of parts, and every part has a model that tests it.

#include <gtest/gtest.h>

#include <filesystem>
#include <regex>

#include "tests/cli/documentation.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::cli {
namespace {

TEST(PartsPage, IsWhatTheProgramWrites) {
    const std::string page = repository_file("docs/parts.md");
    const std::size_t first_line = page.find('\n');
    ASSERT_NE(first_line, std::string::npos);
    EXPECT_EQ(page.compare(0, 4, "<!--"), 0) << "the first line tells how to renew the page";
    const ReadersFolder folder;
    const ShellResult result = folder.run("bondgraph types --parts");
    ASSERT_EQ(result.status, 0) << result.output;
    EXPECT_TRUE(page.substr(first_line + 1) == result.output)
        << "docs/parts.md is out of date; its first line tells how to renew it";
}

// tests/models/library/electrical/Resistor.yaml: `ctest` runs them folder by folder.
TEST(PartsPage, EveryPartHasAModelThatTestsIt) {
    const std::filesystem::path tests = std::filesystem::path(test::source_folder()) / "tests/models/library";
    const std::string page = repository_file("docs/parts.md");
    static const std::regex kHeading(R"(\n(##|###) `?(\w+)`?\n)");
    std::string file;
    std::size_t parts = 0;
    // Headings follow each other with a line between them at least, which both may need for a match.
    for (auto at = page.cbegin(); at != page.cend();) {
        std::smatch match;
        if (!std::regex_search(at, page.cend(), match, kHeading)) break;
        at = match[0].second - 1;
        if (match[1] == "##") {
            file = match[2];
            continue;
        }
        // What types have in common stands in one that is there for others to extend.
        const std::string summary(at + 2, std::find(at + 2, page.cend(), '\n'));
        if (summary.find("for others to extend") != std::string::npos) continue;
        ++parts;
        const auto model = tests / file / (match[2].str() + ".yaml");
        EXPECT_TRUE(std::filesystem::exists(model)) << model << " tests no part of the library";
    }
    EXPECT_GT(parts, 0U);
}

// What parts take as parameters and are joined by has pages like the parts themselves.
TEST(PartsPage, RecordsAndConnectorTypesHavePages) {
    const ReadersFolder folder;
    const auto page = [&](const std::string& name) {
        const ShellResult result = folder.run("bondgraph types " + name);
        EXPECT_EQ(result.status, 0) << result.output;
        return result.output;
    };
    for (const char* text : {"record Gas", "import: [pneumatic]", "gamma", "ratio of specific heats"})
        EXPECT_NE(page("Gas").find(text), std::string::npos) << text;
    EXPECT_EQ(page("Gas"), page("pneumatic.Gas"));
    // an heir says what it changes and has what it does not
    for (const char* text : {"record HeliumGas", "Extends", "1.667", "2077 J/(kg.K)", "b_lam"})
        EXPECT_NE(page("HeliumGas").find(text), std::string::npos) << text;
    for (const char* text : {"connector type gas_port", "import: [pneumatic]", "thermal_pseudo", "effort"})
        EXPECT_NE(page("gas_port").find(text), std::string::npos) << text;
    EXPECT_NE(folder.run("bondgraph types gasport").output.find("did you mean 'gas_port'?"), std::string::npos);
    EXPECT_NE(folder.run("bondgraph types").output.find("record Gas"), std::string::npos);
}

}  // namespace
}  // namespace bondgraph::cli
