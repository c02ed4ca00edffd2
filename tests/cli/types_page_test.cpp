#include <gtest/gtest.h>

#include "tests/cli/documentation.hpp"

namespace bondgraph::cli {
namespace {

TEST(TypesPage, IsWhatTheProgramWrites) {
    const std::string page = repository_file("docs/types.md");
    const std::size_t first_line = page.find('\n');
    ASSERT_NE(first_line, std::string::npos);
    EXPECT_EQ(page.compare(0, 4, "<!--"), 0) << "the first line tells how to renew the page";
    const ReadersFolder folder;
    const ShellResult result = folder.run("bondgraph types --all");
    ASSERT_EQ(result.status, 0) << result.output;
    EXPECT_TRUE(page.substr(first_line + 1) == result.output)
        << "docs/types.md is out of date; its first line tells how to renew it";
}

}  // namespace
}  // namespace bondgraph::cli
