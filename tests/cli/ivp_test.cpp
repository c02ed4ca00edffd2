// Initial value problems with published solutions, as models (tests/models/ivp): they are right where they meet what
// they expect.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

#include "tests/cli/command.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::cli {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> problems() {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(fs::path(test::source_folder()) / "tests/models/ivp")) {
        if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
    }
    std::sort(names.begin(), names.end());
    return names;
}

class InitialValueProblem : public testing::TestWithParam<std::string> {};

TEST_P(InitialValueProblem, MeetsItsPublishedSolution) {
    const Folder folder;
    const fs::path file = fs::path(test::source_folder()) / "tests/models/ivp" / (GetParam() + ".yaml");
    const Outcome o = folder.run({"test", file.string()});
    EXPECT_EQ(o.status, 0) << o.out << o.err;
    EXPECT_THAT(o.out, testing::HasSubstr("1 model passed, 0 failed"));
}

INSTANTIATE_TEST_SUITE_P(All, InitialValueProblem, testing::ValuesIn(problems()),
                         [](const auto& info) { return info.param; });

TEST(InitialValueProblems, AreThere) { EXPECT_GE(problems().size(), 15U); }

}  // namespace
}  // namespace bondgraph::cli
