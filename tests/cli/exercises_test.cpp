// The exercises are whole: a page, a drawing and a reference of each, right answers that are accepted, and mistakes of
// students that are told.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <regex>
#include <string>
#include <vector>

#include "tests/cli/command.hpp"
#include "tests/cli/documentation.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::filesystem::path kExercises = std::filesystem::path(test::source_folder()) / "docs/exercises";

/// The names, without their ending, of what a folder of the exercises holds with that ending.
std::vector<std::string> exercise_names(const std::string& folder, const std::string& extension) {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(kExercises / folder)) {
        const std::string name = entry.path().stem().string();
        if (entry.path().extension() == extension && name != "README") names.push_back(name);
    }
    std::sort(names.begin(), names.end());
    return names;
}

std::string exercise_file(const std::string& name) { return repository_file("docs/exercises/" + name); }

/// What stands under a heading, up to the next one.
std::string section(const std::string& page, const std::string& heading) {
    const std::string mark = "\n## " + heading + "\n";
    const std::size_t from = page.find(mark);
    if (from == std::string::npos) return {};
    return page.substr(from + mark.size(), page.find("\n## ", from + 1) - from - mark.size());
}

/// How many items a numbered list has, counted from 1 without gaps.
std::size_t numbered_items(const std::string& text) {
    std::size_t n = 0;
    while (("\n" + text).find("\n" + std::to_string(n + 1) + ". ") != std::string::npos) ++n;
    return n;
}

/// What the program has to say of an answer, by its first line; empty of one that is right.
std::string told_about(const std::string& answer) {
    static constexpr std::string_view kMark = "# The difference says: ";
    return answer.starts_with(kMark) ? answer.substr(kMark.size(), answer.find('\n') - kMark.size()) : "";
}

TEST(Exercises, HaveAPageADrawingAReferenceAndHintsInSteps) {
    const auto names = exercise_names("", ".md");
    EXPECT_GE(names.size(), 20U);
    EXPECT_EQ(exercise_names("solutions", ".yaml"), names);
    EXPECT_EQ(exercise_names("solutions", ".svg"), names);
    EXPECT_EQ(exercise_names("drawings", ".svg"), names);
    EXPECT_EQ(exercise_names("answers", ""), names);
    const std::string index = exercise_file("README.md");
    for (const std::string& name : names) {
        SCOPED_TRACE(name);
        const std::string page = exercise_file(name + ".md");
        EXPECT_THAT(index, HasSubstr("](" + name + ".md) |"));
        EXPECT_THAT(page, StartsWith("# "));
        EXPECT_THAT(page, HasSubstr("](drawings/" + name + ".svg)\n"));
        EXPECT_GE(numbered_items(section(page, "Hints")), 2U);
        EXPECT_GE(numbered_items(section(page, "Afterwards")), 2U);
        EXPECT_EQ(shown_commands(page).size(), numbered_items(section(page, "Afterwards")));
        EXPECT_THAT(exercise_file("drawings/" + name + ".svg"), Not(HasSubstr("class=\"stroke\"")))
            << "the drawing gives the bond graph away";
    }
}

TEST(Exercises, RightAnswersAreAcceptedAndMistakesAreTold) {
    for (const std::string& exercise : exercise_names("answers", "")) {
        const std::string reference = (kExercises / "solutions" / (exercise + ".yaml")).string();
        const Folder folder;
        EXPECT_EQ(folder.run({"compare", reference, reference}).status, 0) << exercise;
        std::size_t right = 0;
        std::size_t wrong = 0;
        for (const std::string& answer : exercise_names("answers/" + exercise, ".yaml")) {
            SCOPED_TRACE(exercise + ": " + answer);
            const std::string file = "answers/" + exercise + "/" + answer + ".yaml";
            const Outcome o = folder.run({"compare", (kExercises / file).string(), reference});
            const std::string told = told_about(exercise_file(file));
            EXPECT_EQ(told.empty(), answer.starts_with("right"));
            ++(told.empty() ? right : wrong);
            EXPECT_EQ(o.status, told.empty() ? 0 : 1) << o.out << o.err;
            EXPECT_EQ(o.out.find("  verdict     different\n") != std::string::npos, !told.empty()) << o.out;
            // What one run alone agrees in is accepted with a difference, too.
            static const std::regex kDifference("\n  difference  ([^\n]*)");
            std::smatch difference;
            std::regex_search(o.out, difference, kDifference);
            EXPECT_THAT(difference[1].str(), HasSubstr(told));
        }
        EXPECT_GE(right, 1U) << exercise;
        EXPECT_GE(wrong, 1U) << exercise;
    }
}

TEST(Exercises, ReferencesGiveWhatTheyHaveTo) {
    const Folder folder;
    const Outcome o = folder.run({"test", (kExercises / "solutions").string()});
    EXPECT_EQ(o.status, 0) << o.out;
    const std::string all = std::to_string(exercise_names("solutions", ".yaml").size());
    EXPECT_THAT(o.out, HasSubstr(all + " models passed, 0 failed"));
}

TEST(Exercises, PicturesAreWhatTheProgramDraws) {
    const Folder folder;
    for (const char* place : {"solutions", "drawings"}) {
        for (const std::string& name : exercise_names(place, ".yaml")) {
            std::vector<std::string> command{"draw", (kExercises / place / (name + ".yaml")).string(), "-o", "now.svg"};
            if (place == std::string("drawings")) command.emplace_back("--circuit");
            const Outcome o = folder.run(command);
            EXPECT_EQ(o.status, 0) << o.err;
            EXPECT_TRUE(folder.read("now.svg") == exercise_file(std::string(place) + "/" + name + ".svg"))
                << place << "/" << name << ".svg is not what `bondgraph draw` makes of the model beside it";
        }
    }
}

TEST(Exercises, SystemsOfLibraryPartsThatDrawingsAreMadeOfAreTheReferences) {
    const Folder folder;
    const auto names = exercise_names("drawings", ".yaml");
    EXPECT_GE(names.size(), 12U);
    for (const std::string& name : names) {
        const Outcome o = folder.run({"compare", (kExercises / "drawings" / (name + ".yaml")).string(),
                                      (kExercises / "solutions" / (name + ".yaml")).string()});
        EXPECT_THAT(o.out, HasSubstr("  verdict     the same after simplification\n")) << name;
    }
}

TEST(Exercises, AreMarkedForPlacingStrokesWhereThereIsNoChoice) {
    static const std::regex kRow(R"(\]\((\w+)\.md\) \|[^|]*\|[^|]*\| (✓ )?\|)");
    const std::string index = exercise_file("README.md");
    const Folder folder;
    std::size_t marked = 0;
    std::size_t rows = 0;
    for (std::sregex_iterator row(index.begin(), index.end(), kRow), end; row != end; ++row, ++rows) {
        const std::string name = (*row)[1];
        const Outcome o = folder.run({"causality", (kExercises / "solutions" / (name + ".yaml")).string()});
        const bool choice = o.out.find("free: chosen") != std::string::npos;
        const bool derivative = o.out.find(" derivative ") != std::string::npos;
        EXPECT_EQ((*row)[2].matched, !choice && !derivative) << name;
        if ((*row)[2].matched) ++marked;
    }
    EXPECT_EQ(rows, exercise_names("", ".md").size());
    EXPECT_GE(marked, 10U);
}

}  // namespace
}  // namespace bondgraph::cli
