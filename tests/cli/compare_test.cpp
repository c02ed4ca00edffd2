#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/cli/command.hpp"

namespace bondgraph::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr const char* kAnswer = R"(model: answer
components:
  U: {type: Se, e: 10 V}
  i: {type: 1}
  R: {type: R, G: 1 mS}
  C: {type: C, C: 1 uF}
bonds: [U -> i, i -> R, i -> C]
)";

constexpr const char* kTooLarge = R"(model: answer
components:
  U: {type: Se, e: 10 V}
  i: {type: 1}
  R: {type: R, R: 1 Mohm}
  C: {type: C, C: 1 uF}
bonds: [U -> i, i -> R, i -> C]
)";

TEST(CompareCommand, TheSameBondGraphIsTheSameByOtherNames) {
    const Folder folder;
    const Outcome o = folder.run({"compare", folder.write("mine.yaml", kAnswer), folder.write("rc.yaml", kCharging)});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.out, "answer\n  verdict     the same bond graph\n");
    EXPECT_THAT(o.err, IsEmpty());
}

TEST(CompareCommand, ADifferenceEndsWithStatusOneAndKeepsTheReferenceToItself) {
    const Folder folder;
    const std::string mine = folder.write("mine.yaml", kTooLarge);
    const std::string reference = folder.write("rc.yaml", kCharging);
    const Outcome o = folder.run({"compare", mine, reference});
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(
        o.out,
        "answer\n  verdict     different\n  difference  The resistance of your resistor 'R' differs from that of the "
        "resistor in the reference. It is off by a factor of 1000: look at the prefix of its unit.\n"
        "  behaviour   poles differ\n");
    EXPECT_THAT(folder.run({"compare", mine, reference, "--reveal"}).out, HasSubstr("'R1' of the reference 1000"));
}

TEST(CompareCommand, JsonIsForPrograms) {
    const Folder folder;
    const Outcome o = folder.run(
        {"compare", folder.write("mine.yaml", kTooLarge), folder.write("rc.yaml", kCharging), "--format", "json"});
    EXPECT_THAT(o.out, HasSubstr("\"equal\": false"));
    EXPECT_THAT(o.out, Not(HasSubstr("revealed")));
}

TEST(CompareCommand, AFolderBecomesATable) {
    const Folder folder;
    folder.write("class/ann.yaml", kAnswer);
    folder.write("class/bob.yaml", kTooLarge);
    folder.write("class/eve.yaml", "model: answer\ncomponents:\n  U: {type: Sx}\n");
    const Outcome o = folder.run({"compare", "class", folder.write("rc.yaml", kCharging), "-o", "table.csv"});
    EXPECT_EQ(o.status, 2);
    const std::string table = folder.read("table.csv");
    EXPECT_THAT(table, HasSubstr("file,verdict,difference\n\"class/ann.yaml\",\"the same bond graph\",\"\"\n"));
    EXPECT_THAT(table, HasSubstr("\"class/bob.yaml\",\"different\",\"The resistance of your"));
    EXPECT_THAT(table, HasSubstr("\"class/eve.yaml\",\"mistake in the file\",\"line 3: "));
    EXPECT_THAT(o.out, HasSubstr("3 models compared with rc.yaml"));
}

TEST(CompareCommand, AFolderIsNoJson) {
    const Folder folder;
    folder.write("class/ann.yaml", kAnswer);
    const Outcome o = folder.run({"compare", "class", folder.write("rc.yaml", kCharging), "--format", "json"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.out, IsEmpty());
    EXPECT_THAT(o.err, HasSubstr("'--format json' is for a single model"));
}

TEST(CompareCommand, AMistakeInTheReferenceIsOne) {
    const Folder folder;
    const Outcome o =
        folder.run({"compare", folder.write("mine.yaml", kAnswer), folder.write("rc.yaml", "model: x\n")});
    EXPECT_EQ(o.status, 2);
    EXPECT_EQ(folder.run({"compare", "mine.yaml", "none.yaml"}).status, 1);
    EXPECT_EQ(folder.run({"compare", "mine.yaml", "mine.yaml", "-o", "t.csv"}).status, 1);
}

TEST(CompareCommand, MistakesOfTheReferenceAreForWhoMayKnowIt) {
    const Folder folder;
    const std::string mine = folder.write("mine.yaml", kAnswer);
    for (const char* text : {"model: x\ncomponents:\n  SECRET: {type: R, R: 5 Quarks}\n",
                             "model: x\ncomponents:\n  SECRET: {type: R, law: \"e = nothing*f\"}\n  v: {type: 1}\n"
                             "bonds: [v -> SECRET]\n"}) {
        const std::string reference = folder.write("rc.yaml", text);
        const Outcome hidden = folder.run({"compare", mine, reference});
        EXPECT_EQ(hidden.status, 2);
        EXPECT_THAT(hidden.out + hidden.err, Not(HasSubstr("SECRET")));
        EXPECT_THAT(hidden.err, HasSubstr("--reveal"));
        const Outcome shown = folder.run({"compare", mine, reference, "--reveal"});
        EXPECT_EQ(shown.status, 2);
        EXPECT_THAT(shown.err, HasSubstr("SECRET"));
    }
}

// One folder for each student, one for each exercise, and both names in one: whoever collects the files decides.
TEST(CompareCommand, AClassBecomesATableOfExercisesByStudents) {
    const Folder folder;
    folder.write("solutions/rc.yaml", kCharging);
    folder.write("solutions/rc_large.yaml", kTooLarge);
    folder.write("solutions/types.yaml", "model: oils\nrecords: {Oil: {parameters: {rho: 1}}}\n");
    folder.write("class/Ann Lee/RC.yaml", kAnswer);
    folder.write("class/Ann Lee/rc-large.yaml", kTooLarge);
    folder.write("class/rc/bob.yaml", kTooLarge);
    folder.write("class/eve_rc.yaml", "model: answer\ncomponents:\n  U: {type: Sx}\n");
    folder.write("class/rc_large_eve.yaml", kTooLarge);
    folder.write("class/notes.yaml", kAnswer);
    const Outcome o = folder.run({"compare", "class", "solutions", "-o", "table.csv"});
    EXPECT_EQ(o.status, 2) << "one file has a mistake";
    EXPECT_EQ(folder.read("table.csv"),
              "student,\"rc\",\"rc_large\",equal\n"
              "\"Ann Lee\",\"the same bond graph\",\"the same bond graph\",2\n"
              "\"bob\",\"different\",\"\",0\n"
              "\"eve\",\"mistake in the file\",\"the same bond graph\",1\n");
    EXPECT_THAT(o.out, HasSubstr("5 answers to 2 exercises by 3 students\n"
                                 "            Ann Lee  bob        eve\n"
                                 "  rc        same     different  mistake\n"
                                 "  rc_large  same     -          same\n"
                                 "  equal     2 of 2   0 of 2     1 of 2\n"));
    EXPECT_THAT(o.out, HasSubstr("bob  rc  different            The resistance of your"));
    EXPECT_THAT(o.out, HasSubstr("eve  rc  mistake in the file  line 3: "));
    EXPECT_THAT(o.err, HasSubstr("warning: 'class/notes.yaml' is left out"));
    EXPECT_THAT(folder.run({"compare", "class", "solutions", "--format", "json"}).out,
                HasSubstr("\"student\": \"bob\",\n      \"exercise\": \"rc\""));
}

TEST(CompareCommand, AClassHasStrokesAndEquationsWhereTheyLieBesideTheAnswers) {
    const Folder folder;
    folder.write("solutions/rc.yaml", kTooLarge);
    folder.write("solutions/rc_large.yaml", kTooLarge);
    for (const char* file : {"ann/rc", "ann/rc_large", "bob/rc", "eve/rc"})
        folder.write(fmt::format("class/{}.yaml", file), kTooLarge);
    folder.write("class/ann/rc.strokes", "U=i\nR=R\nC=i\n");
    folder.write("class/ann/rc.equations", "der(C.q) = (U - C.q/C)/R\n");
    folder.write("class/bob/rc.strokes", "U=i\nR=i # no\nC=i\n");
    folder.write("class/bob/rc.equations", "der(C.q) = U\n");
    folder.write("class/eve/rc.equations", "a line without a sign\n");
    const Outcome o = folder.run({"compare", "class", "solutions", "-o", "table.csv"});
    EXPECT_EQ(o.status, 0) << "strokes and equations are no matter of the status" << o.err;
    EXPECT_EQ(folder.read("table.csv"),
              "student,\"rc\",\"rc, strokes\",\"rc, equations\",\"rc_large\",equal\n"
              "\"ann\",\"the same bond graph\",\"3 of 3\",\"1 of 1\",\"the same bond graph\",2\n"
              "\"bob\",\"the same bond graph\",\"2 of 3, 1 wrong\",\"0 of 1, 1 wrong\",\"\",1\n"
              "\"eve\",\"the same bond graph\",\"\",\"0 of 1\",\"\",1\n");
    EXPECT_THAT(o.out, testing::ContainsRegex("strokes +3 of 3 +2 of 3, 1 wrong +-\n"));
    EXPECT_THAT(o.out, testing::ContainsRegex("equations +1 of 1 +0 of 1, 1 wrong +0 of 1\n"));
    EXPECT_THAT(o.out, testing::ContainsRegex("bob  rc  strokes +stroke R=i: "));
    EXPECT_THAT(o.out, testing::ContainsRegex("bob  rc  equations +der\\(C.q\\) = U: "));
    EXPECT_THAT(o.out,
                HasSubstr("class/eve/rc.equations:1 is no equation, as it has no \"=\": a line without a sign\n"));
    const auto answers =
        nlohmann::json::parse(folder.run({"compare", "class", "solutions", "--format", "json"}).out)["answers"];
    for (const auto& a : answers) {
        const bool strokes = a["exercise"] == "rc" && a["student"] != "eve";
        EXPECT_EQ(a.contains("strokes"), strokes) << a.dump();
        EXPECT_EQ(strokes ? a["strokes"]["of"].get<int>() : 3, 3) << a.dump();
    }
}

// What a line says that is no equation or stroke is nothing against the others.
TEST(CompareCommand, OfAFileWithOtherLinesTheRestIsJudged) {
    const Folder folder;
    folder.write("solutions/rc.yaml", kTooLarge);
    folder.write("class/ann/rc.yaml", kTooLarge);
    folder.write("class/ann/rc.equations", "# by hand\nby Kirchhoff:\nder(C.q) = (U - C.q/C)/R\nq.e.d.\n");
    folder.write("class/ann/rc.strokes", "U=i\nR\nC=i\n");
    const Outcome o = folder.run({"compare", "class", "solutions", "-o", "table.csv"});
    EXPECT_EQ(folder.read("table.csv"),
              "student,\"rc\",\"rc, strokes\",\"rc, equations\",equal\n"
              "\"ann\",\"the same bond graph\",\"2 of 3\",\"1 of 1\",1\n");
    EXPECT_THAT(o.out,
                HasSubstr("ann/rc.equations:2 is no equation, as it has no \"=\": by Kirchhoff: (and 1 more)\n"));
    EXPECT_THAT(o.out, HasSubstr("ann/rc.strokes:2 is no stroke, as it has no \"=\": R\n"));
}

TEST(CompareCommand, AStrokeThatIsThereTwiceCountsOnceAndOnesThatContradictEachOtherAreToldSo) {
    const Folder folder;
    folder.write("solutions/rc.yaml", kTooLarge);
    for (const char* student : {"ann", "bob", "eve", "joe"})
        folder.write(fmt::format("class/{}/rc.yaml", student), kTooLarge);
    folder.write("class/ann/rc.strokes", "U=i\nU->i=to\nR=R\nC=i\nR=R\n");
    folder.write("class/bob/rc.strokes", "U=i\nR=R\nR=i\nC=i\n");
    folder.write("class/eve/rc.strokes", "R=i\nR=R\nU=i\nC=i\n");
    folder.write("class/joe/rc.strokes", "R=i\nR=i\nL=i\nL=i\nU=i\nC=i\n");
    const Outcome o = folder.run({"compare", "class", "solutions", "-o", "table.csv"});
    EXPECT_EQ(folder.read("table.csv"),
              "student,\"rc\",\"rc, strokes\",equal\n"
              "\"ann\",\"the same bond graph\",\"3 of 3\",1\n"
              "\"bob\",\"the same bond graph\",\"3 of 3, 1 wrong\",1\n"
              "\"eve\",\"the same bond graph\",\"3 of 3, 1 wrong\",1\n"
              "\"joe\",\"the same bond graph\",\"2 of 3, 2 wrong\",1\n");
    EXPECT_THAT(o.out, testing::ContainsRegex("ann  rc  strokes +given twice: U->i=to, R=R\n"));
    EXPECT_THAT(o.out, testing::ContainsRegex("bob  rc  strokes +strokes R=R and R=i contradict each other\n"));
    EXPECT_THAT(
        o.out, testing::ContainsRegex("eve  rc  strokes +stroke R=i: .*; strokes R=i and R=R contradict each other\n"));
    EXPECT_THAT(o.out, testing::ContainsRegex("joe  rc  strokes +stroke R=i: .*; given twice: R=i, L=i\n"));
}

TEST(CompareCommand, AnswersMayEndInYml) {
    const Folder folder;
    folder.write("solutions/rc.yml", kCharging);
    folder.write("class/ann/rc.yml", kAnswer);
    folder.write("class/ann/rc.strokes", "U=i\n");
    folder.write("class/bob/rc.yaml", kTooLarge);
    folder.write("class/oils.yml", "types:\n  A: {}\n");
    const Outcome o = folder.run({"compare", "class", "solutions", "-o", "table.csv"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, IsEmpty());
    EXPECT_EQ(folder.read("table.csv"),
              "student,\"rc\",\"rc, strokes\",equal\n\"ann\",\"the same bond graph\",\"1 of 3\",1\n"
              "\"bob\",\"different\",\"\",0\n");
    // Two answers of one name.
    folder.write("class/bob/rc.yml", kAnswer);
    const Outcome two = folder.run({"compare", "class", "solutions", "-o", "table.csv"});
    EXPECT_THAT(two.err,
                HasSubstr("warning: 'class/bob/rc.yaml' and 'class/bob/rc.yml' have the same name: each stands "
                          "for itself\n"));
    EXPECT_THAT(folder.read("table.csv"), HasSubstr("\"bob/rc.yaml\",\"different\""));
    EXPECT_THAT(folder.read("table.csv"), HasSubstr("\"bob/rc.yml\",\"the same bond graph\""));
    // A folder beside a single reference takes them as well.
    EXPECT_THAT(folder.run({"compare", "class", "solutions/rc.yml"}).out, HasSubstr("ann/rc.yml"));
}

TEST(CompareCommand, StrokesAndEquationsWithoutAnAnswerAreTold) {
    const Folder folder;
    folder.write("solutions/rc.yaml", kTooLarge);
    folder.write("class/ann/RC.yaml", kTooLarge);
    folder.write("class/ann/rc.strokes", "U=i\n");
    folder.write("class/bob/rc.strokes", "U=i\n");
    folder.write("class/bob/rc.equations", "der(C.q) = 0\n");
    folder.write("class/eve/rc.yaml", "model: answer\ncomponents:\n  U: {type: Sx}\n");
    folder.write("class/eve/rc.equations", "der(C.q) = 0\n");
    folder.write("class/rc/ann.strokes", "U=i\n");
    folder.write("class/notes.strokes", "U=i\n");
    const Outcome o = folder.run({"compare", "class", "solutions", "-o", "table.csv"});
    EXPECT_EQ(o.status, 2) << "of the mistake alone";
    EXPECT_EQ(folder.read("table.csv"),
              "student,\"rc\",\"rc, strokes\",\"rc, equations\",equal\n"
              "\"ann\",\"the same bond graph\",\"not judged\",\"\",1\n"
              "\"bob\",\"no answer\",\"not judged\",\"not judged\",0\n"
              "\"eve\",\"mistake in the file\",\"\",\"not judged\",0\n"
              "\"rc/ann.strokes\",\"no answer\",\"not judged\",\"\",0\n");
    EXPECT_THAT(o.out, HasSubstr("2 answers to 1 exercise by 4 students"));
    EXPECT_THAT(o.out, testing::ContainsRegex("ann +rc  strokes +'ann/rc.strokes' is of no answer: there is no "
                                              "'ann/rc.yaml'\n"));
    EXPECT_THAT(o.out, testing::ContainsRegex("bob +rc  equations +'bob/rc.equations' is of no answer: "));
    EXPECT_THAT(o.out, testing::ContainsRegex("eve +rc  equations +the answer has a mistake\n"));
    for (const char* file : {"ann/rc.strokes", "bob/rc.strokes", "bob/rc.equations", "rc/ann.strokes"})
        EXPECT_THAT(o.err,
                    HasSubstr(fmt::format("warning: 'class/{}' is left out: there is no answer beside it\n", file)));
    EXPECT_THAT(o.err, HasSubstr("'class/notes.strokes' is left out: neither it nor"));
    EXPECT_THAT(o.err, Not(HasSubstr("eve")));
    const auto report = nlohmann::json::parse(folder.run({"compare", "class", "solutions", "--format", "json"}).out);
    EXPECT_EQ(report["answers"].size(), 2U);
    ASSERT_EQ(report["alone"].size(), 4U);
    EXPECT_EQ(report["alone"][1],
              nlohmann::json::parse(R"({"student": "bob", "exercise": "rc", "file": "class/bob/rc.equations"})"));
    EXPECT_EQ(report["others"].size(), 1U);
}

TEST(CompareCommand, TheStatusOfAClassIsThatOfItsAnswers) {
    const Folder folder;
    folder.write("solutions/rc.yaml", kCharging);
    folder.write("solutions/other.yaml", kTooLarge);
    folder.write("class/ann/rc.yaml", kAnswer);
    EXPECT_EQ(folder.run({"compare", "class", "solutions"}).status, 0) << "what is not answered counts as nothing";
    folder.write("class/bob/rc.yaml", kTooLarge);
    EXPECT_EQ(folder.run({"compare", "class", "solutions"}).status, 1);
    const Outcome none = folder.run({"compare", "solutions", "class/ann"});
    EXPECT_EQ(none.status, 0);
    EXPECT_THAT(none.err, HasSubstr("other.yaml' is left out"));
    const Outcome file = folder.run({"compare", "class/ann/rc.yaml", "solutions"});
    EXPECT_EQ(file.status, 1);
    EXPECT_THAT(file.err, HasSubstr("has to be a folder of answers"));
    folder.write("solutions/other.yaml", "model: x\ncomponents:\n  SECRET: {type: R, R: 5 Quarks}\n");
    folder.write("class/bob/other.yaml", kTooLarge);
    const Outcome wrong = folder.run({"compare", "class", "solutions"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_THAT(wrong.err, HasSubstr("the reference 'solutions/other.yaml' has mistakes"));
    EXPECT_THAT(wrong.err, Not(HasSubstr("SECRET")));
}

// Two answers of one student to one exercise: each file stands for itself. Many students take several blocks of lines.
TEST(CompareCommand, ALargeClassIsBrokenIntoBlocks) {
    const Folder folder;
    folder.write("solutions/rc.yaml", kCharging);
    folder.write("class/ann/rc.yaml", kAnswer);
    folder.write("class/rc/ann.yaml", kTooLarge);
    for (int k = 10; k < 25; ++k) folder.write("class/s" + std::to_string(k) + "/rc.yaml", kAnswer);
    const Outcome o = folder.run({"compare", "class", "solutions"});
    EXPECT_THAT(o.out, HasSubstr("17 answers to 1 exercise by 17 students"));
    EXPECT_THAT(o.out, HasSubstr("ann/rc.yaml"));
    EXPECT_THAT(o.out, HasSubstr("rc/ann.yaml"));
    std::istringstream lines(o.out.substr(0, o.out.find("What was found")));
    for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 102U) << line;
    EXPECT_THAT(o.out, HasSubstr("s24"));
}

TEST(CompareCommand, WhatOnlyOneRunSaysIsCalledSo) {
    const Folder folder;
    const auto pushed = [](const std::string& law) {
        return "model: answer\ncomponents:\n  F: {type: Se, e: 10}\n  v: {type: 1}\n  m: {type: I, I: 1}\n"
               "  d: {type: R, law: \"" +
               law + "\"}\nbonds: [F -> v, v -> m, v -> d]\nexperiment: {stop: 2 s, interval: 20 ms}\n";
    };
    const std::string reference = folder.write("law.yaml", pushed("e = 2*f*abs(f)"));
    folder.write("class/mine.yaml", pushed("e = f*(2*abs(f) + 1) - f"));
    const Outcome o = folder.run({"compare", "class", reference});
    EXPECT_EQ(o.status, 0);
    EXPECT_THAT(o.out, HasSubstr("equal in one run"));
    EXPECT_THAT(o.out, HasSubstr("this is one motion, and no proof for others"));
}

}  // namespace
}  // namespace bondgraph::cli
