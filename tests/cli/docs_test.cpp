// The documentation shows what the program does: every command on its pages is run, every whole model is checked.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <regex>
#include <sstream>

#include "tests/cli/documentation.hpp"

namespace bondgraph::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

using Lines = std::vector<std::string>;

void expect_commands_do_as_shown(const std::string& page, std::size_t at_least) {
    const auto commands = shown_commands(repository_file(page));
    EXPECT_GE(commands.size(), at_least);
    for (const ShownCommand& command : commands) {
        SCOPED_TRACE(page + ":" + std::to_string(command.line) + ": " + command.command);
        EXPECT_THAT(command.command, testing::StartsWith("bondgraph "));
        const ReadersFolder folder;
        const ShellResult result = folder.run(command.command);
        EXPECT_EQ(result.status, command.status) << result.output;
        EXPECT_EQ(difference(command.output, result.output), "") << result.output;
    }
}

TEST(Documentation, CommandsOfTheReadmeDoAsShown) { expect_commands_do_as_shown("README.md", 5); }

TEST(Documentation, CommandsOfTheCommandsPageDoAsShown) { expect_commands_do_as_shown("docs/commands.md", 10); }

TEST(Documentation, CommandsOfTheMechanicsPageDoAsShown) { expect_commands_do_as_shown("docs/mechanics.md", 5); }

TEST(Documentation, CommandsOfTheDrawingPageDoAsShown) { expect_commands_do_as_shown("docs/drawing.md", 3); }

TEST(Documentation, ItsPicturesAreWhatTheProgramDraws) {
    const ReadersFolder folder;
    const std::vector<std::pair<std::string, std::string>> pictures{
        {"dc_motor_graph.svg", "electromechanical/dc_motor.yaml --variables"},
        {"conflict_graph.svg", "electrical/two_voltage_sources_conflict.yaml"},
        {"motor_driven_pendulum_graph.svg", "mechanics3d/motor_driven_pendulum.yaml"},
    };
    for (const auto& [picture, arguments] : pictures) {
        const ShellResult result = folder.run("bondgraph draw models/" + arguments + " -o - 2>&-");
        Lines shown;
        std::istringstream drawn(repository_file("docs/images/" + picture));
        for (std::string line; std::getline(drawn, line);) shown.push_back(line);
        EXPECT_EQ(difference(shown, result.output), "") << picture;
    }
}

TEST(Documentation, CommandsOfTheManualDoAsShown) { expect_commands_do_as_shown("docs/manual.md", 2); }

TEST(Documentation, WholeModelsOnItsPagesAreSound) {
    std::size_t models = 0;
    for (const char* page : {"README.md", "docs/manual.md", "docs/mechanics.md"}) {
        for (const FencedBlock& block : fenced_blocks(repository_file(page))) {
            if (block.language != "yaml" || block.lines.empty() || !block.lines.front().starts_with("model:")) continue;
            SCOPED_TRACE(std::string(page) + ":" + std::to_string(block.line));
            const ReadersFolder folder;
            std::ofstream file(folder.path() / "model.yaml");
            for (const std::string& line : block.lines) file << line << '\n';
            file.close();
            const ShellResult result = folder.run("bondgraph run model.yaml -o result.csv");
            EXPECT_EQ(result.status, 0) << result.output;
            EXPECT_THAT(result.output, Not(HasSubstr("warning"))) << result.output;
            ++models;
        }
    }
    EXPECT_GE(models, 4U);
}

TEST(Documentation, ErrorsPageListsEveryCodeOfTheSources) {
    const std::string page = repository_file("docs/errors.md");
    static const std::regex kCode("\"(BG-[A-Z][0-9]{3})\"");
    std::size_t codes = 0;
    for (const char* folder : {"bondgraph", "converters", "mechanics3d"}) {
        const std::filesystem::path sources = std::filesystem::path(BONDGRAPH_SOURCE_DIR) / folder;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(sources)) {
            if (entry.path().extension() != ".cpp") continue;
            const std::string text =
                repository_file(std::filesystem::relative(entry.path(), BONDGRAPH_SOURCE_DIR).string());
            for (std::sregex_iterator match(text.begin(), text.end(), kCode), end; match != end; ++match) {
                EXPECT_THAT(page, HasSubstr("| " + (*match)[1].str() + " |")) << entry.path();
                ++codes;
            }
        }
    }
    EXPECT_GE(codes, 50U);
}

TEST(Documentation, LinksBetweenItsPagesLeadToFiles) {
    static const std::regex kLink("\\]\\(([^)#:]+)(#[^)]*)?\\)");
    for (const std::string page : {"README.md", "CHANGELOG.md", "docs/manual.md", "docs/commands.md", "docs/errors.md",
                                   "docs/design.md", "docs/types.md", "docs/drawing.md"}) {
        const std::string text = repository_file(page);
        for (std::sregex_iterator match(text.begin(), text.end(), kLink), end; match != end; ++match) {
            const auto target = std::filesystem::path(BONDGRAPH_SOURCE_DIR) /
                                std::filesystem::path(page).parent_path() / (*match)[1].str();
            EXPECT_TRUE(std::filesystem::exists(target)) << page << " links to " << (*match)[1];
        }
    }
}

// What the tests above rely on.
TEST(ShownOutput, AgreesWithItselfAndWithOtherTimes) {
    EXPECT_THAT(difference({"a 1", "time spent 0.5 s"}, "a 1.0001\ntime spent 0.7 s\n"), IsEmpty());
}

TEST(ShownOutput, DiffersInWordsNumbersAndLength) {
    EXPECT_THAT(difference({"a 1"}, "b 1\n"), HasSubstr("shown: a 1"));
    EXPECT_THAT(difference({"a 1"}, "a 1.01\n"), HasSubstr("got:   a 1.01"));
    EXPECT_THAT(difference({"a 1"}, "a 1\nb\n"), HasSubstr("not shown: b"));
    EXPECT_THAT(difference({"a 1", "b"}, "a 1\n"), HasSubstr("the output ends here"));
}

TEST(ShownOutput, LeavesOutLinesAtAnEllipsis) {
    const std::string output = "a\nb\nc\nd\n";
    EXPECT_THAT(difference({"a", "…", "d"}, output), IsEmpty());
    EXPECT_THAT(difference({"a", "…"}, output), IsEmpty());
    EXPECT_THAT(difference({"…", "c", "…"}, output), IsEmpty());
    EXPECT_THAT(difference({"…", "c"}, output), Not(IsEmpty()));
    EXPECT_THAT(difference({"a", "…", "x", "…"}, output), Not(IsEmpty()));
}

TEST(ShownCommands, CarryTheirStatusAndOutput) {
    const auto commands =
        shown_commands("text\n```console\n$ bondgraph check a  # exit status 2\none\n$ bondgraph b\n```\n");
    ASSERT_EQ(commands.size(), 2U);
    EXPECT_EQ(commands[0].command, "bondgraph check a");
    EXPECT_EQ(commands[0].status, 2);
    EXPECT_EQ(commands[0].output, Lines{"one"});
    EXPECT_EQ(commands[1].status, 0);
    EXPECT_EQ(commands[1].line, 5U);
}

}  // namespace
}  // namespace bondgraph::cli
