// The documentation shows what the program does: every command on its pages is run, every whole model is checked.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <regex>
#include <set>
#include <sstream>

#include "tests/cli/documentation.hpp"
#include "tests/support/places.hpp"

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

/// The pictures of a page that a command has just made for the first time. With BONDGRAPH_UPDATE_PICTURES set, those of
/// the repository are written anew. Drawings have to be what the program draws now; curves depend on the machine in
/// their last digits and only have to come out.
void expect_new_pictures_as_shown(const std::filesystem::path& page, const Lines& pictures, const ReadersFolder& folder,
                                  const std::string& command, std::set<std::string>& made) {
    for (const std::string& picture : pictures) {
        const auto now = folder.path() / std::filesystem::path(picture).filename();
        if (!std::filesystem::exists(now) || !made.insert(picture).second) continue;
        const auto shown = std::filesystem::path(test::source_folder()) / page.parent_path() / picture;
        if (std::getenv("BONDGRAPH_UPDATE_PICTURES") != nullptr)
            std::filesystem::copy_file(now, shown, std::filesystem::copy_options::overwrite_existing);
        EXPECT_TRUE(std::filesystem::exists(shown)) << shown;
        if (command.starts_with("bondgraph draw ")) {
            EXPECT_TRUE(repository_file(shown.string()) == repository_file(now.string()))
                << picture << " is not what the program draws; BONDGRAPH_UPDATE_PICTURES=1 writes it anew";
        }
    }
}

/// A picture of the page in a browser: it is there, small enough, and tests/web/pictures.mjs makes it. Whether the page
/// looks like that, and says what the text says of it, is for tests/web/lessons_test.mjs.
void expect_picture_of_the_page(const std::string& document, const std::string& picture) {
    static const std::string walks = [] {
        std::string all;
        for (const char* name : {"seeing", "tutorial", "lessons", "more_lessons"})
            all += repository_file(fmt::format("tests/web/walks_{}.mjs", name));
        return all;
    }();
    SCOPED_TRACE(document + ": " + picture);
    const auto file =
        std::filesystem::path(test::source_folder()) / std::filesystem::path(document).parent_path() / picture;
    ASSERT_TRUE(std::filesystem::exists(file));
    EXPECT_LE(std::filesystem::file_size(file), 60000U);
    EXPECT_THAT(walks, HasSubstr(fmt::format("picture('{}'", file.stem().string())));
}

/// A page to be worked through: its commands run one after the other in one folder that holds its models and their
/// variants, and make its pictures.
void expect_page_can_be_worked_through(const std::string& page) {
    SCOPED_TRACE(page);
    const std::string text = repository_file(page);
    const auto pictures = shown_pictures(text);
    const ReadersFolder folder;
    for (const ShownFile& file : shown_files(text)) std::ofstream(folder.path() / file.name) << file.text;
    std::set<std::string> made;
    for (const ShownCommand& command : shown_commands(text)) {
        SCOPED_TRACE(std::to_string(command.line) + ": " + command.command);
        EXPECT_THAT(command.command, testing::StartsWith("bondgraph "));
        const ShellResult result = folder.run(command.command);
        EXPECT_EQ(result.status, command.status) << result.output;
        EXPECT_EQ(difference(command.output, result.output), "") << result.output;
        expect_new_pictures_as_shown(page, pictures, folder, command.command, made);
    }
    EXPECT_THAT(pictures, Not(IsEmpty()));
    for (const std::string& picture : pictures) {
        if (picture.ends_with(".png"))
            expect_picture_of_the_page(page, picture);
        else
            EXPECT_THAT(made, testing::Contains(picture)) << "no command makes it";
    }
}

/// The pages of a folder but its index, by their paths from the root, in their order.
Lines pages_of(const std::string& folder) {
    Lines pages;
    for (const auto& entry : std::filesystem::directory_iterator(test::source_folder() + "/" + folder)) {
        const std::string name = entry.path().filename().string();
        if (name.ends_with(".md") && name != "README.md") pages.push_back(folder + "/" + name);
    }
    std::sort(pages.begin(), pages.end());
    return pages;
}

Lines lessons() { return pages_of("docs/lessons"); }

Lines exercises() { return pages_of("docs/exercises"); }

TEST(Documentation, CommandsOfTheReadmeDoAsShown) { expect_commands_do_as_shown("README.md", 5); }

TEST(Documentation, CommandsOfTheCommandsPageDoAsShown) { expect_commands_do_as_shown("docs/commands.md", 10); }

TEST(Documentation, CommandsOfTheMechanicsPageDoAsShown) { expect_commands_do_as_shown("docs/mechanics.md", 5); }

TEST(Documentation, CommandsOfTheTenMinutesDoAsShown) { expect_commands_do_as_shown("docs/seeing.md", 4); }

TEST(Documentation, CommandsOfTheExercisesDoAsShown) {
    expect_commands_do_as_shown("docs/exercises/README.md", 2);
    for (const std::string& page : exercises()) expect_commands_do_as_shown(page, 2);
}

TEST(Documentation, TutorialCanBeWorkedThrough) { expect_page_can_be_worked_through("docs/tutorial.md"); }

TEST(Documentation, LessonsCanBeWorkedThrough) {
    const Lines pages = lessons();
    EXPECT_GE(pages.size(), 10U);
    for (const std::string& page : pages) expect_page_can_be_worked_through(page);
}

TEST(Documentation, PicturesOfThePageAreMadeByItsScript) {
    Lines pages = lessons();
    pages.insert(pages.end(), {"docs/seeing.md", "docs/tutorial.md"});
    std::size_t pictures = 0;
    for (const std::string& page : pages) {
        for (const std::string& picture : shown_pictures(repository_file(page))) {
            if (!picture.ends_with(".png")) continue;
            expect_picture_of_the_page(page, picture);
            ++pictures;
        }
    }
    EXPECT_GE(pictures, 20U);
}

TEST(Documentation, EveryLessonIsInTheIndexAndLetsTheReaderBreakIt) {
    const std::string index = repository_file("docs/lessons/README.md");
    for (const std::string& page : lessons()) {
        EXPECT_THAT(index, HasSubstr("](" + std::filesystem::path(page).filename().string() + ")"));
        const std::string text = repository_file(page);
        for (const char* part : {"**Predict.**", "## Break it"}) EXPECT_THAT(text, HasSubstr(part)) << page;
    }
}

TEST(Documentation, CommandsOfTheDrawingPageDoAsShown) { expect_commands_do_as_shown("docs/drawing.md", 5); }

TEST(Documentation, ItsPicturesAreWhatTheProgramDraws) {
    const ReadersFolder folder;
    const std::vector<std::pair<std::string, std::string>> pictures{
        {"dc_motor_graph.svg", "electromechanical/dc_motor.yaml --variables"},
        {"conflict_graph.svg", "electrical/two_voltage_sources_conflict.yaml"},
        {"motor_driven_pendulum_graph.svg", "mechanics3d/motor_driven_pendulum.yaml"},
        {"slider_crank_graph.svg", "mechanics3d/slider_crank.yaml"},
        {"inrush_limiter_circuit.svg", "electrical/inrush_limiter.yaml --circuit"},
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
        const std::filesystem::path sources = std::filesystem::path(test::source_folder()) / folder;
        for (const auto& entry : std::filesystem::recursive_directory_iterator(sources)) {
            if (entry.path().extension() != ".cpp") continue;
            const std::string text =
                repository_file(std::filesystem::relative(entry.path(), test::source_folder()).string());
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
    Lines pages{"README.md",        "CHANGELOG.md",     "docs/manual.md",
                "docs/commands.md", "docs/errors.md",   "docs/design.md",
                "docs/types.md",    "docs/tutorial.md", "docs/lessons/README.md",
                "docs/drawing.md",  "docs/seeing.md",   "docs/exercises/README.md"};
    for (const Lines& more : {lessons(), exercises()}) pages.insert(pages.end(), more.begin(), more.end());
    for (const std::string& page : pages) {
        const std::string text = repository_file(page);
        for (std::sregex_iterator match(text.begin(), text.end(), kLink), end; match != end; ++match) {
            const auto target = std::filesystem::path(test::source_folder()) /
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

TEST(ShownOutput, MayDifferInWhatRoundingLeaves) {
    const Lines audit{"  element  in  residual", "  coil  2  1e-9"};
    EXPECT_THAT(difference(audit, "  element  in  residual\n  coil  2  3e-10\n"), IsEmpty());
    EXPECT_THAT(difference(audit, "  element  in  residual\n  coil  3  1e-9\n"), HasSubstr("coil  3"));
    EXPECT_THAT(difference({"a 1", "ended 1e-9"}, "a 1\nended 3e-10\n"), HasSubstr("ended 3e-10"));
    EXPECT_THAT(difference({"at t = 2 s (step 17)"}, "at t = 2 s (step 18)\n"), IsEmpty());
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

TEST(ShownFiles, AreWholeModelsAndVariantsOfThem) {
    const auto files = shown_files(
        "```yaml\nmodel: a\nx: 1\ny: 2\nz: 3\n```\n```yaml\nno model\n```\n"
        "```diff\n--- a.yaml\n+++ b.yaml\n x: 1\n-y: 2\n+y: 5\n+w: 6\n…\n-z: 3\n```\n");
    ASSERT_EQ(files.size(), 2U);
    EXPECT_EQ(files[0].name, "a.yaml");
    EXPECT_EQ(files[0].text, "model: a\nx: 1\ny: 2\nz: 3\n");
    EXPECT_EQ(files[1].name, "b.yaml");
    EXPECT_EQ(files[1].text, "model: a\nx: 1\ny: 5\nw: 6\n");
}

TEST(ShownFiles, RefuseChangesOfLinesThatAreMissingOrRepeated) {
    const std::string model = "```yaml\nmodel: a\nx: 1\nx: 1\n```\n";
    EXPECT_THROW(shown_files(model + "```diff\n--- a.yaml\n+++ b.yaml\n-y: 1\n```\n"), std::runtime_error);
    EXPECT_THROW(shown_files(model + "```diff\n--- a.yaml\n+++ b.yaml\n-x: 1\n```\n"), std::runtime_error);
}

TEST(ShownPictures, AreThoseOfImageLinksOnly) {
    EXPECT_EQ(shown_pictures("![a b](images/a.svg) and [text](other.md)\n![](c.svg)"),
              (Lines{"images/a.svg", "c.svg"}));
}

}  // namespace
}  // namespace bondgraph::cli
