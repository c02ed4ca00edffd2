// Every file tests/diagnostics/NAME.yaml holds mistakes; NAME.expected holds what the program has to say about them:
//   exit 2
//   $ bondgraph check NAME.yaml
//   (the text on standard error; T, N and X stand for numbers that a failed run measures)

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/support/places.hpp"

namespace {

namespace fs = std::filesystem;

fs::path cases() { return fs::path(bondgraph::test::source_folder()) / "tests" / "diagnostics"; }

std::string read(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
}

std::vector<std::string> names(const std::string& extension) {
    std::vector<std::string> result;
    for (const auto& entry : fs::directory_iterator(cases())) {
        if (entry.is_regular_file() && entry.path().extension() == extension) {
            result.push_back(entry.path().stem().string());
        }
    }
    std::sort(result.begin(), result.end());
    return result;
}

/// A copy of the folder of cases, so that messages name files relative to it and nothing is written beside them.
class Folder {
   public:
    Folder() {
        std::string pattern = (fs::temp_directory_path() / "bondgraph-diagnostics-XXXXXX").string();
        if (mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("no temporary folder could be made");
        path_ = pattern;
        fs::copy(cases(), path_, fs::copy_options::recursive);
    }
    ~Folder() {
        std::error_code ignored;
        fs::remove_all(path_, ignored);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] const fs::path& path() const { return path_; }

   private:
    fs::path path_;
};

/// How many steps a failed run took and where exactly it ended are no text of ours, nor is in which line of a library
/// file something stands.
std::string without_measured_numbers(const std::string& text) {
    const std::string number = R"([-+0-9.e]+)";
    std::string result =
        std::regex_replace(text, std::regex("at t = " + number + " s \\(step [0-9]+\\)"), "at t = T s (step N)");
    result = std::regex_replace(result, std::regex(" = " + number + " (grows|changes)"), " = X $1");
    result = std::regex_replace(result, std::regex("\n  (steps  |time spent) [^\n]*"), "");
    result = std::regex_replace(result, std::regex("within " + number + " s \\(" + number + " per second"),
                                "within X s (X per second");
    result = std::regex_replace(result, std::regex("(library:/[a-z_]+\\.yaml):[0-9]+:([^\n]*)\n *[0-9]+ \\|"),
                                "$1:L:$2\n    L |");
    return std::regex_replace(result,
                              std::regex("accumulate at t = " + number + " s (.*), the last (took )?" + number + " s"),
                              "accumulate at t = T s $1, the last $2X s");
}

struct Outcome {
    int status = -1;
    std::string said;
};

Outcome run(const Folder& folder, const std::string& arguments) {
    const fs::path said = folder.path() / "said";
    const std::string command = "cd '" + folder.path().string() + "' && '" + bondgraph::test::program() + "' " +
                                arguments + " >/dev/null 2>'" + said.string() + "'";
    const int status = std::system(command.c_str());
    return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, without_measured_numbers(read(said))};
}

class Mistake : public testing::TestWithParam<std::string> {};

TEST_P(Mistake, IsReportedInFull) {
    const std::string expected = read(cases() / (GetParam() + ".expected"));
    ASSERT_FALSE(expected.empty()) << GetParam() << ".yaml has no .expected beside it";
    const std::string prompt = "$ bondgraph ";
    const auto second = expected.find('\n') + 1;
    ASSERT_EQ(expected.substr(second, prompt.size()), prompt) << "the second line is the command";
    const auto begin = second + prompt.size();
    const std::string arguments = expected.substr(begin, expected.find('\n', begin) - begin);
    const Folder folder;
    const Outcome outcome = run(folder, arguments);
    EXPECT_EQ("exit " + std::to_string(outcome.status) + "\n" + prompt + arguments + "\n" + outcome.said, expected);
}

INSTANTIATE_TEST_SUITE_P(Diagnostics, Mistake, testing::ValuesIn(names(".yaml")),
                         [](const auto& info) { return info.param; });

TEST(Diagnostics, EveryExpectedTextHasItsModel) { EXPECT_EQ(names(".expected"), names(".yaml")); }

TEST(Diagnostics, NoCaseEndsWell) {
    for (const std::string& name : names(".expected")) {
        EXPECT_THAT(read(cases() / (name + ".expected")), testing::MatchesRegex("exit [123]\n(.|\n)*")) << name;
    }
}

TEST(Diagnostics, ResultsUpToAFailedStepAreKept) {
    const Folder folder;
    const Outcome outcome = run(folder, "run result_becomes_not_finite.yaml --quiet --interval 0.25s -o kept.csv");
    EXPECT_EQ(outcome.status, 3);
    std::istringstream table(read(folder.path() / "kept.csv"));
    std::vector<std::string> times;
    for (std::string line; std::getline(table, line);) times.push_back(line.substr(0, line.find(',')));
    ASSERT_FALSE(times.empty());
    times.erase(times.begin());
    ASSERT_GE(times.size(), 4U);
    times.resize(4);
    EXPECT_THAT(times, testing::ElementsAre("0", "0.25", "0.5", "0.75"));
}

TEST(Diagnostics, AWrongModelLeavesNoOutputBehind) {
    const Folder folder;
    EXPECT_EQ(run(folder, "run two_effort_sources.yaml -o none.csv").status, 2);
    EXPECT_FALSE(fs::exists(folder.path() / "none.csv"));
}

}  // namespace
