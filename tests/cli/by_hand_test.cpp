// Strokes and equations found by hand, judged on the command line.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/command.hpp"

namespace bondgraph::cli {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

TEST(PlacedOption, JudgesStrokesOneAfterTheOther) {
    const Folder folder;
    const std::string file = folder.write("rc.yaml", kCharging);
    const Outcome right = folder.run({"causality", file, "--placed", "source->loop=loop", "--placed", "C1=loop"});
    EXPECT_EQ(right.status, 0) << right.out << right.err;
    EXPECT_THAT(right.out, AllOf(HasSubstr("right"), HasSubstr("C 'C1' takes integral causality"),
                                 HasSubstr("Without a stroke yet: R1\n"), Not(HasSubstr("Causal strokes"))));
    const Outcome wrong = folder.run({"causality", file, "--placed", "C1=C1"});
    EXPECT_EQ(wrong.status, 1);
    EXPECT_THAT(wrong.out, HasSubstr("wrong"));
    const Outcome unknown = folder.run({"causality", file, "--placed", "C2=loop"});
    EXPECT_EQ(unknown.status, 1);
    EXPECT_THAT(unknown.out, AllOf(HasSubstr("not judged"), HasSubstr("there is no bond 'C2'")));
}

TEST(PlacedOption, ReadsAFile) {
    const Folder folder;
    const std::string file = folder.write("rc.yaml", kCharging);
    const std::string strokes =
        folder.write("strokes.txt", "# from the paper\nsource->loop = to\n\n  C1=loop  # the storage\r\nR1=loop\n");
    const Outcome o = folder.run({"causality", file, "--placed", strokes, "--format", "json"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.out, AllOf(HasSubstr("\"bond\": \"R1\""), HasSubstr("\"verdict\": \"wrong\""),
                             HasSubstr("\"left\": [\"R1\"]")));
    EXPECT_THAT(folder.run({"causality", file, "--placed", "nowhere.txt"}).err, HasSubstr("no such file"));
    const Outcome bad = folder.run({"causality", file, "--placed", folder.write("bad.txt", "C1=loop\nR1\n")});
    EXPECT_EQ(bad.status, 1);
    EXPECT_THAT(bad.err, HasSubstr("line 2 of 'bad.txt' has no \"=\""));
    EXPECT_THAT(bad.out, IsEmpty());
}

TEST(PlacedOption, TheSameStrokeTwiceIsNoMistake) {
    const Folder folder;
    const std::string file = folder.write("rc.yaml", kCharging);
    const Outcome twice = folder.run({"causality", file, "--placed", "C1=loop", "--placed", "feed=from"});
    EXPECT_EQ(twice.status, 0) << twice.out;
    EXPECT_THAT(twice.out, HasSubstr("given before"));
    const Outcome other = folder.run({"causality", file, "--placed", "C1=loop", "--placed", "C1=C1"});
    EXPECT_EQ(other.status, 1);
    EXPECT_THAT(other.out, AllOf(HasSubstr("not judged"), HasSubstr("its stroke is at 'loop' already")));
    const std::vector<std::string> equation{"equations", file, "--derived", "C1.q = (source.e - C1.q/C1)/R1"};
    auto with = [&](const char* first, const char* second) {
        std::vector<std::string> all = equation;
        all.insert(all.end(), {"--placed", first, "--placed", second});
        return folder.run(all);
    };
    EXPECT_EQ(with("C1=loop", "C1=to").status, 1);
    EXPECT_EQ(with("C1=loop", "C1=loop").status, 0);
}

TEST(DerivedOption, OfAFileWithOtherLinesTheRestIsJudged) {
    const Folder folder;
    const std::string file = folder.write("rc.yaml", kCharging);
    const std::string equations = folder.write("rc.equations", "By Kirchhoff\nC1.q = (source.e - C1.q/C1)/R1\n");
    const Outcome o = folder.run({"equations", file, "--derived", equations});
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.out,
              "Equations that were derived\n  By Kirchhoff\n    rc.equations:1 is no equation, as it has no \"=\".\n"
              "  C1.q = (source.e - C1.q/C1)/R1\n    Right.\n");
    const Outcome json = folder.run({"equations", file, "--derived", equations, "--format", "json"});
    EXPECT_EQ(json.status, 1);
    EXPECT_THAT(json.out, AllOf(HasSubstr("\"right\": false"), HasSubstr("rc.equations:1 is no equation"),
                                HasSubstr("\"right\": true")));
}

TEST(DerivedOption, JudgesEquations) {
    const Folder folder;
    const std::string file = folder.write("rc.yaml", kCharging);
    const Outcome right = folder.run({"equations", file, "--derived", "dC1.q/dt = (source.e - C1.q/C1)/R1"});
    EXPECT_EQ(right.status, 0) << right.out << right.err;
    EXPECT_EQ(right.out, "Equations that were derived\n  dC1.q/dt = (source.e - C1.q/C1)/R1\n    Right.\n");
    const Outcome wrong = folder.run({"equations", file, "--derived", "C1.q = (source.e - C1.q/C1)*R1"});
    EXPECT_EQ(wrong.status, 1);
    EXPECT_THAT(wrong.out, HasSubstr("Without a right one yet: C1.q\n"));
    const Outcome json =
        folder.run({"equations", file, "--derived", "C1.q = C1.q/C1/R1 - source.e/R1", "--format", "json"});
    EXPECT_EQ(json.status, 1);
    EXPECT_THAT(json.out,
                AllOf(HasSubstr("\"right\": false"), HasSubstr("other sign"), HasSubstr("\"states\": [\"C1.q\"]")));
}

TEST(DerivedOption, OfAnotherValueIsJudgedWithThat) {
    const Folder folder;
    const std::string file = folder.write("rc.yaml", kCharging);
    const std::string numbers = "C1.q = (10 - C1.q/1e-6)/2000";
    EXPECT_EQ(folder.run({"equations", file, "--derived", numbers}).status, 1);
    EXPECT_EQ(folder.run({"equations", file, "--derived", numbers, "--set", "R1.R=2 kohm"}).status, 0);
}

TEST(DerivedOption, RefusesWhatItCanNotJudge) {
    const Folder folder;
    std::string text = kCharging;
    text.replace(text.find("{type: R, R: 1 kohm}"), 20, "{type: D, Ron: 1 ohm, Goff: 1 uS}");
    const Outcome diode = folder.run({"equations", folder.write("d.yaml", text), "--derived", "C1.q = 0"});
    EXPECT_EQ(diode.status, 1);
    EXPECT_THAT(diode.err, HasSubstr("equations of this model can't be judged: they change at events"));
    const std::string file = folder.write("rc.yaml", kCharging);
    EXPECT_THAT(folder.run({"equations", file, "--derived", "C1.q = 0", "--symbols"}).err,
                HasSubstr("does not go with"));
    EXPECT_THAT(folder.run({"equations", file, "--derived", "C1.q = 0", "--format", "latex"}).err,
                HasSubstr("text or json"));
    EXPECT_THAT(folder.run({"equations", file, "--placed", "C1=loop"}).err, HasSubstr("--derived"));
    EXPECT_THAT(folder.run({"equations", file, "--derived", "C1.q = 0", "--placed", "C1=C1"}).err,
                HasSubstr("the stroke 'feed=to' is wrong"));
    EXPECT_EQ(
        folder.run({"equations", folder.write("x.yaml", "model: x\ncomponents: 5\n"), "--derived", "C1.q = 0"}).status,
        2);
}

}  // namespace
}  // namespace bondgraph::cli
