// docs/extending.md shows lines of the sources: they stand there still, and so do the files and tests it names.
#include "tests/architecture/excerpts.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "tests/support/places.hpp"

namespace bondgraph::architecture {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const std::filesystem::path kSources{test::source_folder()};

std::string text_of(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

const std::string& page() {
    static const std::string text = text_of(kSources / "docs/extending.md");
    return text;
}

// "Suite.Name" of every test in C++, whatever its parameters.
std::set<std::string> all_tests() {
    static const std::regex kTest(R"(\bTEST(?:_F|_P)?\(\s*(\w+),\s*(\w+)\))");
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(kSources / "tests")) {
        if (entry.path().extension() != ".cpp") continue;
        const std::string text = text_of(entry.path());
        for (std::sregex_iterator match(text.begin(), text.end(), kTest), end; match != end; ++match)
            names.insert((*match)[1].str() + "." + (*match)[2].str());
    }
    return names;
}

TEST(ExtendingPage, ShowsLinesThatStandInTheSources) {
    std::size_t shown = 0;
    for (const FencedExcerpt& excerpt : fenced_excerpts(page())) {
        SCOPED_TRACE("docs/extending.md:" + std::to_string(excerpt.line));
        EXPECT_TRUE(excerpt.marked || excerpt.language == "sh") << "no '<!-- from PATH -->' or '<!-- new -->' above it";
        if (excerpt.file.empty()) continue;
        ++shown;
        ASSERT_TRUE(std::filesystem::is_regular_file(kSources / excerpt.file)) << excerpt.file;
        EXPECT_EQ(missing_piece(excerpt.lines, text_of(kSources / excerpt.file)), "") << "is not in " << excerpt.file;
    }
    EXPECT_GE(shown, 20U);
}

TEST(ExtendingPage, NamesFilesAndFoldersThatExist) {
    std::size_t named = 0;
    for (const std::string& text : quoted_texts(page())) {
        if (!is_path(text)) continue;
        ++named;
        EXPECT_TRUE(std::filesystem::exists(kSources / text)) << text;
    }
    EXPECT_GE(named, 50U);
}

TEST(ExtendingPage, NamesTestsThatExist) {
    const std::set<std::string> tests = all_tests();
    std::size_t named = 0;
    for (const std::string& text : quoted_texts(page())) {
        if (!is_test_name(text)) continue;
        ++named;
        EXPECT_TRUE(tests.contains(text)) << text;
    }
    EXPECT_GE(named, 20U);
}

TEST(ExtendingPage, HasLinksThatLeadSomewhere) {
    EXPECT_THAT(links(page()), testing::Not(IsEmpty()));
    for (const Link& link : links(page())) {
        const std::filesystem::path file = kSources / "docs" / (link.file.empty() ? "extending.md" : link.file);
        EXPECT_TRUE(std::filesystem::exists(file)) << link.file;
        if (!link.heading.empty()) {
            EXPECT_THAT(headings(text_of(file)), testing::Contains(link.heading)) << link.file;
        }
    }
}

// What the tests above rely on.
TEST(Excerpts, AreFoundWithTheirMarks) {
    const auto found =
        fenced_excerpts("a\n<!-- from b/c.cpp -->\n```cpp\nx  \n```\n```sh\ny\n```\n<!-- new -->\n```\n```");
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].file, "b/c.cpp");
    EXPECT_EQ(found[0].line, 3);
    EXPECT_EQ(found[0].language, "cpp");
    EXPECT_THAT(found[0].lines, ElementsAre("x"));
    EXPECT_FALSE(found[1].marked);
    EXPECT_TRUE(found[2].marked);
    EXPECT_THAT(found[2].file, IsEmpty());
}

TEST(Excerpts, StandInATextLineByLine) {
    const std::string text = "a\n  b \nc\nd\ne\n";
    EXPECT_EQ(missing_piece({"a", "  b"}, text), "");
    EXPECT_EQ(missing_piece({"a", "b"}, text), "a") << "blanks at the beginning count";
    EXPECT_EQ(missing_piece({"a", "c"}, text), "a") << "nothing is left out without an ellipsis";
    EXPECT_EQ(missing_piece({"a", "    …", "d", "e"}, text), "");
    EXPECT_EQ(missing_piece({"d", "…", "a"}, text), "a") << "the order counts";
    EXPECT_EQ(missing_piece({"…", "e", "…"}, text), "");
}

TEST(Excerpts, LinksAndHeadingsAreReadOutsideOfFences) {
    const std::string text = "## A joint, or *body*\n[a](b.md#c-d) [e](#f)\n```\n[](int k)\n# no\n```\n[g](h.md)\n";
    const auto found = links(text);
    ASSERT_EQ(found.size(), 3U);
    EXPECT_EQ(found[0].file + "#" + found[0].heading, "b.md#c-d");
    EXPECT_EQ(found[1].file + "#" + found[1].heading, "#f");
    EXPECT_EQ(found[2].file + "#" + found[2].heading, "h.md#");
    EXPECT_THAT(headings(text), ElementsAre("a-joint-or-body"));
}

TEST(Excerpts, PathsAndTestsAreToldByTheirForm) {
    EXPECT_THAT(quoted_texts("`a/b.cpp` and\n```\n`c/d`\n```\n`e`"), ElementsAre("a/b.cpp", "e"));
    for (const char* path : {"bondgraph/cli", "bondgraph/cli/", "docs/types.md", "README.md", ".ci/run"})
        EXPECT_TRUE(is_path(path)) << path;
    for (const char* other : {"a / b", "x->y", "Op::tanh", "--set a/b", "tests/*.cpp", "Suite.Name"})
        EXPECT_FALSE(is_path(other)) << other;
    EXPECT_TRUE(is_test_name("PowerAudit.OfEveryTypeWithPorts"));
    EXPECT_FALSE(is_test_name("x.Name"));
}

}  // namespace
}  // namespace bondgraph::architecture
