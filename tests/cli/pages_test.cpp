// Man pages and the completion of shells, as the build has written them from what the program declares.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>

#include "tests/cli/command.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::cli {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;
using testing::Not;
using testing::UnorderedElementsAre;

const std::filesystem::path kPages = test::pages_folder();
const std::filesystem::path kBash = kPages / "bash-completion/completions/bondgraph";
const std::filesystem::path kZsh = kPages / "zsh/site-functions/_bondgraph";
const std::filesystem::path kFish = kPages / "fish/vendor_completions.d/bondgraph.fish";

std::string page_text(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

std::vector<std::string> matches(const std::string& text, const char* pattern) {
    const std::regex expression(pattern, std::regex::multiline);
    std::vector<std::string> found;
    for (auto m = std::sregex_iterator(text.begin(), text.end(), expression); m != std::sregex_iterator(); ++m)
        found.push_back((*m)[1]);
    return found;
}

std::vector<std::string> command_names() {
    const std::string help = Folder().run({"--help"}).out;
    return matches(help.substr(help.find("Subcommands:")), "^  ([a-z]+) ");
}

std::vector<std::string> long_options(const std::string& command) {
    return matches(Folder().run({command, "--help"}).out, "^  (?:-.,)?(--[a-z-]+)");
}

Outcome shell(const std::string& program, const std::vector<std::string>& arguments) {
    std::vector<std::string> all{program};
    all.insert(all.end(), arguments.begin(), arguments.end());
    return Folder().run_program("/usr/bin/env", all);
}

bool installed(const std::string& program) { return shell("which", {program}).status == 0; }

// What bash offers where the last of the words ends, with files of several kinds about.
std::vector<std::string> offered(const std::vector<std::string>& words) {
    const Folder folder;
    for (const char* file : {"motor.yaml", "motor.csv", "motor.h5", "notes.txt", "more/pump.yaml"})
        folder.write(file, "");
    // Bash splits a line at equals signs, too.
    std::string line;
    for (const std::string& word : words)
        line += (line.empty() || word == "=" || line.ends_with('=') ? "" : " ") + word;
    folder.write("ask", R"(. /usr/share/bash-completion/bash_completion
. "$1"; shift
function_of=$(complete -p bondgraph | sed 's/.* -F \([^ ]*\) .*/\1/')
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE=")" +
                            line + R"(" COMP_POINT=${#COMP_LINE} COMP_TYPE=9 COMP_KEY=9
"$function_of" bondgraph "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}" 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}")");
    std::vector<std::string> arguments{"bash", "--norc", "ask", kBash.string()};
    arguments.insert(arguments.end(), words.begin(), words.end());
    return matches(folder.run_program("/usr/bin/env", arguments).out, "^(.+)$");
}

TEST(ManPages, NameEveryCommandAndEveryOptionOfIt) {
    ASSERT_THAT(command_names(), IsSupersetOf({"run", "check", "schema"}));
    for (const std::string& command : command_names()) {
        EXPECT_THAT(page_text(kPages / "man/man1/bondgraph.1"), HasSubstr("bondgraph-" + command + " (1)"));
        const std::string page = page_text(kPages / "man/man1" / ("bondgraph-" + command + ".1"));
        for (const std::string& option : long_options(command)) {
            const std::string in_troff = std::regex_replace(option, std::regex("-"), "\\-");
            EXPECT_THAT(page, HasSubstr("\\fB" + in_troff + "\\fR")) << command;
        }
    }
}

TEST(ManPages, TellTheVersionOfTheProgram) {
    const std::string version = Folder().run({"--version"}).out;
    EXPECT_THAT(page_text(kPages / "man/man1/bondgraph-run.1"),
                HasSubstr("\"" + version.substr(0, version.size() - 1) + "\""));
}

TEST(ManPages, AreFormattedWithoutAWarning) {
    if (!installed("groff")) GTEST_SKIP() << "groff is not installed";
    for (const auto& page : std::filesystem::directory_iterator(kPages / "man/man1")) {
        const Outcome o = shell("groff", {"-man", "-ww", "-z", "-Tutf8", page.path().string()});
        EXPECT_EQ(o.status, 0) << page.path();
        EXPECT_THAT(o.err, IsEmpty()) << page.path();
    }
}

TEST(ManPages, ReadAsTheHelpDoes) {
    if (!installed("groff")) GTEST_SKIP() << "groff is not installed";
    const Outcome o =
        shell("groff", {"-man", "-Tascii", "-P-cbou", "-rLL=200n", (kPages / "man/man1/bondgraph-run.1").string()});
    EXPECT_THAT(o.out, HasSubstr("bondgraph run [OPTION]... MODEL\n"));
    EXPECT_THAT(o.out, HasSubstr("-o, --output FILE\n"));
    EXPECT_THAT(o.out, HasSubstr("Draw the model's plots (or its states) as SVG or PNG.\n"));
    EXPECT_THAT(o.out, HasSubstr("Relative tolerance, as in 1e-8.\n"));
}

class BashCompletion : public testing::Test {
   protected:
    void SetUp() override {
        if (!std::filesystem::exists("/usr/share/bash-completion/bash_completion"))
            GTEST_SKIP() << "bash-completion is not installed";
    }
};

TEST_F(BashCompletion, OffersAllCommands) {
    EXPECT_THAT(offered({"bondgraph", ""}), IsSupersetOf(command_names()));
    EXPECT_THAT(offered({"bondgraph", "ch"}), ElementsAre("check"));
}

TEST_F(BashCompletion, OffersAllOptionsOfACommand) {
    for (const std::string& command : command_names())
        EXPECT_THAT(offered({"bondgraph", command, "--"}), testing::UnorderedElementsAreArray(long_options(command)));
}

TEST_F(BashCompletion, OffersModelsWhereAModelIsDue) {
    for (const char* command : {"run", "check", "causality", "equations", "draw", "linearize", "test", "compare"})
        EXPECT_THAT(offered({"bondgraph", command, ""}), UnorderedElementsAre("motor.yaml", "more")) << command;
    EXPECT_THAT(offered({"bondgraph", "run", "more/"}), ElementsAre("more/pump.yaml"));
    EXPECT_THAT(offered({"bondgraph", "run", "--stop", "2s", ""}), Contains("motor.yaml"));
}

TEST_F(BashCompletion, OffersResultsToPlot) {
    EXPECT_THAT(offered({"bondgraph", "plot", "m"}), UnorderedElementsAre("motor.csv", "motor.h5", "more"));
}

TEST_F(BashCompletion, OffersAnyFileForAnOutput) {
    EXPECT_THAT(offered({"bondgraph", "run", "motor.yaml", "-o", "n"}), ElementsAre("notes.txt"));
    EXPECT_THAT(offered({"bondgraph", "run", "--plot", "=", "n"}), ElementsAre("notes.txt"));
}

TEST_F(BashCompletion, OffersOptionsOnceTheModelIsThere) {
    const auto all = offered({"bondgraph", "run", "--stop", "2s", "motor.yaml", ""});
    EXPECT_THAT(all, Contains("--tolerance"));
    EXPECT_THAT(all, Not(Contains("motor.yaml")));
    EXPECT_THAT(offered({"bondgraph", "test", "motor.yaml", ""}), Contains("motor.yaml"));
}

TEST_F(BashCompletion, OffersTheChoicesOfAnOption) {
    EXPECT_THAT(offered({"bondgraph", "equations", "motor.yaml", "--format", ""}),
                UnorderedElementsAre("text", "latex", "json"));
    EXPECT_THAT(offered({"bondgraph", "equations", "--format", "=", "la"}), ElementsAre("latex"));
}

TEST_F(BashCompletion, OffersNothingForANumber) {
    EXPECT_THAT(offered({"bondgraph", "run", "motor.yaml", "--tolerance", ""}), IsEmpty());
}

TEST_F(BashCompletion, OffersTypes) {
    EXPECT_THAT(offered({"bondgraph", "types", "CutS"}), ElementsAre("CutSpherical"));
}

TEST(ZshCompletion, IsReadByZsh) {
    if (!installed("zsh")) GTEST_SKIP() << "zsh is not installed";
    const Outcome o = shell("zsh", {"-n", kZsh.string()});
    EXPECT_EQ(o.status, 0);
    EXPECT_THAT(o.err, IsEmpty());
}

TEST(ZshCompletion, NamesEveryOption) {
    const std::string text = page_text(kZsh);
    for (const std::string& command : command_names()) {
        const auto begin = text.find("\n        " + command + ")\n");
        ASSERT_NE(begin, std::string::npos) << command;
        const std::string of_command = text.substr(begin, text.find(";;", begin) - begin);
        for (const std::string& option : long_options(command)) EXPECT_THAT(of_command, HasSubstr(option)) << command;
    }
}

TEST(FishCompletion, OffersWhatIsDue) {
    if (!installed("fish")) GTEST_SKIP() << "fish is not installed";
    const Folder folder;
    for (const char* file : {"motor.yaml", "motor.csv", "notes.txt"}) folder.write(file, "");
    const auto fish_offers = [&](const std::string& line) {
        const Outcome o = folder.run_program(
            "/usr/bin/env",
            {"fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", kFish.string(), line},
            {"HOME=" + folder.path().string()});
        EXPECT_THAT(o.err, IsEmpty());
        return matches(o.out, "^([^\t\n]+)");
    };
    EXPECT_THAT(fish_offers("bondgraph "), IsSupersetOf(command_names()));
    EXPECT_THAT(fish_offers("bondgraph run "), Contains("motor.yaml"));
    EXPECT_THAT(fish_offers("bondgraph run "), Not(Contains("notes.txt")));
    EXPECT_THAT(fish_offers("bondgraph plot "), Contains("motor.csv"));
    EXPECT_THAT(fish_offers("bondgraph run motor.yaml -o n"), ElementsAre("notes.txt"));
    EXPECT_THAT(fish_offers("bondgraph check --format "), UnorderedElementsAre("text", "json"));
    for (const std::string& command : command_names())
        EXPECT_THAT(fish_offers("bondgraph " + command + " --"), IsSupersetOf(long_options(command)));
}

}  // namespace
}  // namespace bondgraph::cli
