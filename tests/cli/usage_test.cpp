#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/cli/command.hpp"

namespace bondgraph::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(Usage, WithoutACommandTheHelpGoesToStandardError) {
    const Outcome o = Folder().run({});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.out, IsEmpty());
    EXPECT_THAT(o.err, HasSubstr("Subcommands:"));
}

TEST(Usage, HelpAskedForIsData) {
    const Outcome o = Folder().run({"--help"});
    EXPECT_EQ(o.status, 0);
    for (const char* command :
         {"run", "check", "causality", "equations", "draw", "linearize", "test", "compare", "types"}) {
        EXPECT_THAT(o.out, HasSubstr(std::string("\n  ") + command + " "));
    }
    EXPECT_THAT(o.err, IsEmpty());
}

TEST(Usage, ACommandHasAHelpOfItsOwn) {
    const Outcome o = Folder().run({"run", "--help"});
    EXPECT_EQ(o.status, 0);
    EXPECT_THAT(o.out, HasSubstr("Usage: bondgraph run"));
    EXPECT_THAT(o.out, HasSubstr("--tolerance"));
}

TEST(Usage, VersionIsPrinted) {
    const Outcome o = Folder().run({"--version"});
    EXPECT_EQ(o.status, 0);
    EXPECT_THAT(o.out, testing::MatchesRegex("bondgraph [0-9]+\\.[0-9]+\\.[0-9]+\n"));
}

TEST(Usage, AnUnknownCommandIsAnsweredWithTheNearestOne) {
    const Outcome o = Folder().run({"chekc"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, StartsWith("error: unknown command 'chekc'; did you mean 'check'?\n"));
}

TEST(Usage, AnUnknownOptionIsAnsweredWithTheNearestOne) {
    const Folder folder;
    const Outcome o = folder.run({"run", folder.write("m.yaml", kCharging), "--tolerence", "1e-3"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, StartsWith("error: unknown option '--tolerence'; did you mean '--tolerance'?\n"));
    EXPECT_FALSE(folder.has("m.csv"));
}

TEST(Usage, AnOptionWithoutItsValueIsWrongUsage) {
    const Folder folder;
    EXPECT_EQ(folder.run({"run", folder.write("m.yaml", kCharging), "--stop"}).status, 1);
}

TEST(Usage, AnArgumentTooMuchIsNamed) {
    const Folder folder;
    const Outcome o = folder.run({"check", folder.write("m.yaml", kCharging), "other.yaml"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, StartsWith("error: unexpected argument 'other.yaml'\n"));
}

TEST(Usage, AnUnknownFormatIsWrongUsage) {
    const Folder folder;
    folder.write("m.yaml", kCharging);
    for (const char* command : {"check", "causality", "equations"}) {
        EXPECT_EQ(folder.run({command, "m.yaml", "--format", "xml"}).status, 1) << command;
    }
}

TEST(Usage, AFileThatIsNotThereIsWrongUsageForEveryCommand) {
    const Folder folder;
    for (const char* command : {"run", "check", "causality", "equations", "linearize", "test"}) {
        const Outcome o = folder.run({command, "none.yaml"});
        EXPECT_EQ(o.status, 1) << command;
        EXPECT_EQ(o.err, "error: can't read 'none.yaml': No such file or directory\n") << command;
    }
}

TEST(Usage, AFolderIsNoModel) {
    const Folder folder;
    const Outcome o = folder.run({"check", "."});
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.err, "error: can't read '.': it is a folder\n");
}

TEST(Mistakes, AreShownWithTheirLineAndCounted) {
    const Folder folder;
    folder.write("bad.yaml", "model: bad\ncomponents:\n  a: {type: Rr, R: 1}\n  b: {type: 1}\nbonds: [a -> b]\n");
    for (const char* command : {"run", "check", "causality", "equations", "linearize"}) {
        const Outcome o = folder.run({command, "bad.yaml"});
        EXPECT_EQ(o.status, 2) << command;
        EXPECT_THAT(o.out, IsEmpty()) << command;
        EXPECT_THAT(o.err, HasSubstr("bad.yaml:3:13: error: ")) << command;
        EXPECT_THAT(o.err, HasSubstr("    3 |   a: {type: Rr, R: 1}\n")) << command;
        EXPECT_THAT(o.err, testing::EndsWith("1 error in bad.yaml.\n")) << command;
    }
    EXPECT_FALSE(folder.has("bad.csv"));
}

TEST(Mistakes, OfTwoLinesAreBothReported) {
    const Folder folder;
    folder.write("bad.yaml", "model: bad\ncomponent: {}\ncomponents:\n  b: {type: 1}\nbond: []\n");
    const Outcome o = folder.run({"check", "bad.yaml"});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.err, HasSubstr("bad.yaml:2:1: error: "));
    EXPECT_THAT(o.err, HasSubstr("bad.yaml:5:1: error: "));
    EXPECT_THAT(o.err, HasSubstr("2 errors in bad.yaml.\n"));
}

TEST(Set, ReplacesAParameterOfTheModel) {
    const Folder folder;
    const Outcome o = folder.run({"run", folder.write("m.yaml", kCharging), "-o", "-", "--quiet", "--set", "U=20 V"});
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_NEAR(csv_column(o.out, "C1.e").back(), 20.0 * (1.0 - std::exp(-5.0)), 1e-6);
}

TEST(Set, IsRepeatableAndReachesComponentsAndNegativeValues) {
    const Folder folder;
    const Outcome o = folder.run(
        {"run", "--set", "R1.R=500 ohm", "--set", "U=-20", folder.write("m.yaml", kCharging), "-o", "-", "--quiet"});
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_NEAR(csv_column(o.out, "C1.e").back(), -20.0 * (1.0 - std::exp(-10.0)), 1e-6);
}

TEST(Set, AnUnknownPathIsWrongUsageWithTheNearestName) {
    const Folder folder;
    const Outcome o = folder.run({"check", folder.write("m.yaml", kCharging), "--set", "R2.R=1"});
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.err, "error: --set: the model has no parameter 'R2.R'; did you mean 'R1.R'?\n");
}

TEST(Set, WithoutAnEqualsSignIsWrongUsage) {
    const Folder folder;
    const Outcome o = folder.run({"check", folder.write("m.yaml", kCharging), "--set", "U"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, HasSubstr("PATH=VALUE"));
}

TEST(Set, AValueThatIsNoneIsPointedAtInTheOption) {
    const Folder folder;
    const Outcome o = folder.run({"check", folder.write("m.yaml", kCharging), "--set", "U=12 bananas"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, StartsWith("--set U:1:"));
    EXPECT_THAT(o.err, HasSubstr("in the command line.\n"));
}

TEST(Terminal, OutputThatIsNotOneHasNoEscapeSequences) {
    const Folder folder;
    folder.write("m.yaml", kCharging);
    for (const char* command : {"run", "check", "causality", "equations", "linearize"}) {
        const Outcome o = folder.run({command, "m.yaml"});
        EXPECT_THAT(o.out + o.err, Not(HasSubstr("\033"))) << command;
        EXPECT_THAT(o.out + o.err, Not(HasSubstr("\r"))) << command;
    }
}

TEST(Output, TwoOfThemCannotShareStandardOutput) {
    const Folder folder;
    folder.write("m.yaml", kCharging);
    const Outcome run = folder.run({"run", "m.yaml", "-o", "-", "--audit-json", "-"});
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.err, "error: -o and --audit-json can't both write to standard output: give one of them a file\n");
    EXPECT_THAT(run.out, IsEmpty());
    const Outcome linear = folder.run({"linearize", "m.yaml", "-o", "-", "--bode", "-"});
    EXPECT_EQ(linear.status, 1);
    EXPECT_THAT(linear.err, StartsWith("error: -o and --bode can't both write"));
}

TEST(Output, TwoOfThemCannotShareAFile) {
    const Folder folder;
    folder.write("m.yaml", kCharging);
    const Outcome drawings = folder.run({"run", "m.yaml", "--plot", "q.svg", "--sankey", "./q.svg"});
    EXPECT_EQ(drawings.status, 1);
    EXPECT_EQ(drawings.err,
              "error: --plot and --sankey can't both write to './q.svg': give one of them another file\n");
    const Outcome results = folder.run({"run", "m.yaml", "--audit-json", "m.csv"});
    EXPECT_EQ(results.status, 1);
    EXPECT_EQ(results.err,
              "error: the results and --audit-json can't both write to 'm.csv': give one of them another file\n");
    const Outcome device = folder.run({"run", "m.yaml", "-o", "/dev/null", "--audit-json", "/dev/null"});
    EXPECT_EQ(device.status, 0) << device.err;
}

TEST(Output, ThatCannotBeWrittenIsReported) {
    const Folder folder;
    const Outcome o = folder.run({"run", folder.write("m.yaml", kCharging), "-o", "/dev/full"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, HasSubstr("error: can't write '/dev/full': No space left on device\n"));
}

TEST(Set, ASecondPairWithoutItsOwnOptionIsToldSo) {
    const Folder folder;
    const std::string model = folder.write("m.yaml", kCharging);
    const Outcome outcome = folder.run({"check", model, "--set", "R1.R=2", "C1.C=3"});
    EXPECT_EQ(outcome.status, 1);
    EXPECT_EQ(outcome.err,
              "error: unexpected argument 'C1.C=3'; every pair needs its own '--set': --set C1.C=3\n"
              "Try 'bondgraph check --help'.\n");
    EXPECT_EQ(folder.run({"check", "--set", "R1.R=2", "--set", "C1.C=3", model}).status, 0);
    EXPECT_THAT(folder.run({"check", "--help"}).out, testing::Not(testing::HasSubstr("PATH=VALUE ...")));
}

}  // namespace
}  // namespace bondgraph::cli
