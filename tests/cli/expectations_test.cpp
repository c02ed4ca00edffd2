#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/cli/command.hpp"

namespace bondgraph::cli {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

std::string charging_with(const std::string& entry) { return std::string(kCharging) + "expect:\n  - " + entry + "\n"; }

int status_of(const std::string& entry) {
    const Folder folder;
    return folder.run({"test", folder.write("m.yaml", charging_with(entry))}).status;
}

TEST(Expect, AModelThatDoesWhatItShouldPasses) {
    const Folder folder;
    folder.write("m.yaml",
                 charging_with("{states: 1, dependent_storages: 0, algebraic_loops: 0, poles: [-1000]}") +
                     "  - {at: 2 ms, C1.e: U*(1 - exp(-time/1e-3)), R1.f: 1.353352832e-3, tolerance: 1e-6}\n");
    const Outcome o = folder.run({"test", "m.yaml"});
    EXPECT_EQ(o.status, 0) << o.out;
    EXPECT_THAT(o.out, testing::MatchesRegex(
                           "PASS m\\.yaml \\(6 checks, [0-9.]+ s\\)\n1 model passed, 0 failed \\([0-9.]+ s\\)\n"));
    EXPECT_THAT(o.err, IsEmpty());
}

TEST(Expect, AValueThatDiffersFailsWithItsPlaceAndBothNumbers) {
    const Folder folder;
    const Outcome o = folder.run({"test", folder.write("m.yaml", charging_with("{at: 5 ms, C1.e: 9}"))});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.out, ContainsRegex("FAIL m\\.yaml \\(1 check, "));
    EXPECT_THAT(o.out, HasSubstr("  m.yaml:15:16: C1.e at 0.005 s: expected 9, got 9.9326"));
    EXPECT_THAT(o.out, HasSubstr("deviation 0.933, tolerance 0.000993\n"));
    EXPECT_THAT(o.out, HasSubstr("0 models passed, 1 failed"));
}

TEST(Expect, ANumberForSeveralComponentsIsAMistake) {
    const Folder folder;
    const Outcome o = folder.run({"test", folder.write("m.yaml",
                                                       "model: m\n"
                                                       "components:\n"
                                                       "  push: {type: Se, e: [1 N, 2 N, 3 N]}\n"
                                                       "  mass: {type: I, I: 2 kg}\n"
                                                       "bonds: [push -> mass]\n"
                                                       "experiment: {stop: 1 s}\n"
                                                       "expect: [{at: 1 s, mass.f: 0.5}]\n")});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.out, HasSubstr("  m.yaml:7:20: error: 'mass.f' has several components; one number can't be expected "
                                 "of it [BG-O003]\n"
                                 "      7 | expect: [{at: 1 s, mass.f: 0.5}]\n"
                                 "        |                    ^\n"
                                 "    try:     name one of them, as in mass.f[1]\n"));
}

TEST(Expect, ATimeBeforeTheStartAndAToleranceOfNothingAreMistakes) {
    const Folder folder;
    const std::string entries = charging_with("{at: -1 s, C1.e: 9}") +
                                "  - {at: 1 ms, C1.e: 9, tolerance: -1}\n"
                                "  - {poles: [-1000], tolerance: 0}\n";
    for (const char* command : {"test", "check"}) {
        const Outcome o = folder.run({command, folder.write("m.yaml", entries)});
        EXPECT_EQ(o.status, 2);
        EXPECT_THAT(o.out + o.err,
                    HasSubstr("m.yaml:15:10: error: 'at' must not be before the start of the run at 0 s, "
                              "it is -1 s [BG-M013]\n"));
        EXPECT_THAT(o.out + o.err,
                    HasSubstr("m.yaml:16:36: error: 'tolerance' must be greater than 0, it is -1 [BG-M013]\n"));
        EXPECT_THAT(o.out + o.err,
                    HasSubstr("m.yaml:17:33: error: 'tolerance' must be greater than 0, it is 0 [BG-M013]\n"));
    }
}

TEST(Expect, CheckReportsNamesThatAreNoResultsAndValuesThatCantBeRead) {
    const Folder folder;
    const Outcome o = folder.run({"check", folder.write("m.yaml", charging_with("{at: 1 s, bla: 3, C1.e: foo}"))});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.err, HasSubstr("m.yaml:15:15: error: the model has no result 'bla'"));
    EXPECT_THAT(o.err, HasSubstr("m.yaml:15:29: error: unknown name 'foo' [BG-X001]\n"));
}

TEST(Expect, TheToleranceIsMeasuredAgainstTheLargestValueOfTheRun) {
    // The current falls from 10 mA to 67 uA: a deviation of 1 uA is 1.5e-2 of the value but 1e-4 of the signal.
    EXPECT_EQ(status_of("{at: 5 ms, R1.f: 68.2e-6, tolerance: 1e-4}"), 0);
    EXPECT_EQ(status_of("{at: 5 ms, R1.f: 68.5e-6, tolerance: 1e-4}"), 1);
}

TEST(Expect, TheDefaultToleranceOfAValueIsOneInTenThousand) {
    EXPECT_EQ(status_of("{at: 5 ms, C1.e: 9.9335}"), 0);
    EXPECT_EQ(status_of("{at: 5 ms, C1.e: 9.9345}"), 1);
}

TEST(Expect, AValueAfterTheStopIsReached) { EXPECT_EQ(status_of("{at: 8 ms, C1.e: 9.996645374}"), 0); }

TEST(Expect, ATimeWhoseRowsCouldNotBeKeptIsAMistake) {
    const Folder folder;
    const Outcome o = folder.run({"test", folder.write("m.yaml", charging_with("{at: 1e9 s, C1.e: 9, R1.f: 0}"))});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.out, HasSubstr("FAIL m.yaml"));
    EXPECT_THAT(o.out, HasSubstr("m.yaml:15:10: error: a run up to 1e+09 s would have 1e+12 rows, which is more than "
                                 "10000000 [BG-S004]\n"));
    EXPECT_THAT(o.out, HasSubstr("because: it stops at 0.005 s otherwise, with a row every 0.001 s\n"));
    EXPECT_EQ(status_of("{at: 50 s, C1.e: 10}"), 0);
}

TEST(Expect, AValueBetweenRowsOfTheOutputIsExact) {
    EXPECT_EQ(status_of("{at: 0.37 ms, C1.e: 3.092656694, tolerance: 1e-7}"), 0);
}

TEST(Expect, AtAnEventTheValueAfterItCounts) {
    const Folder folder;
    const Outcome o = folder.run({"test", folder.write("m.yaml",
                                                       "model: m\n"
                                                       "components:\n"
                                                       "  step: {type: Se, e: 'if time < 1 then 2 else 5'}\n"
                                                       "  load: {type: R, R: 1 ohm}\n"
                                                       "bonds: [step -> load]\n"
                                                       "experiment: {stop: 2 s}\n"
                                                       "expect: [{at: 1 s, load.f: 5}]\n")});
    EXPECT_EQ(o.status, 0) << o.out << o.err;
}

TEST(Expect, CountsAreExact) {
    EXPECT_EQ(status_of("{states: 2}"), 1);
    EXPECT_EQ(status_of("{dependent_storages: 1}"), 1);
    EXPECT_EQ(status_of("{algebraic_loops: 1}"), 1);
    EXPECT_EQ(status_of("{states: 1, dependent_storages: 0, algebraic_loops: 0}"), 0);
}

TEST(Expect, PolesAreComparedByNumberAndValue) {
    EXPECT_EQ(status_of("{poles: [-1000]}"), 0);
    EXPECT_EQ(status_of("{poles: [[-1000, 0]]}"), 0);
    EXPECT_EQ(status_of("{poles: [-1000.1]}"), 1);
    EXPECT_EQ(status_of("{poles: [-1000.1], tolerance: 1e-3}"), 0);
    EXPECT_EQ(status_of("{poles: [-1000, -1000]}"), 1);
    EXPECT_EQ(status_of("{poles: [[-1000, 1]]}"), 1);
}

TEST(Expect, EveryPoleNeedsAnEigenvalueOfItsOwn) {
    const Folder folder;
    const std::string model =
        "model: two\ncomponents:\n  a: {type: C, C: 1, initial: {q: 1}}\n  na: {type: 0}\n  ra: {type: R, R: 1}\n"
        "  b: {type: C, C: 1, initial: {q: 1}}\n  nb: {type: 0}\n  rb: {type: R, R: 0.5}\n"
        "bonds: [na -> a, na -> ra, nb -> b, nb -> rb]\nexpect:\n  - ";
    EXPECT_EQ(folder.run({"test", folder.write("m.yaml", model + "{poles: [-1, -2]}\n")}).status, 0);
    EXPECT_EQ(folder.run({"test", folder.write("m.yaml", model + "{poles: [-1, -1]}\n")}).status, 1);
}

TEST(Expect, ASlowPoleIsComparedAtItsOwnScaleBesideAFastOne) {
    const Folder folder;
    const std::string model =
        "model: two\ncomponents:\n  a: {type: C, C: 1, initial: {q: 1}}\n  na: {type: 0}\n  ra: {type: R, R: 1}\n"
        "  b: {type: C, C: 1, initial: {q: 1}}\n  nb: {type: 0}\n  rb: {type: R, R: 0.01}\n"
        "bonds: [na -> a, na -> ra, nb -> b, nb -> rb]\nexpect:\n  - ";
    EXPECT_EQ(folder.run({"test", folder.write("m.yaml", model + "{poles: [-1, -100], tolerance: 1e-4}\n")}).status, 0);
    EXPECT_EQ(folder.run({"test", folder.write("m.yaml", model + "{poles: [-1.005, -100], tolerance: 1e-4}\n")}).status,
              1);
}

TEST(Expect, AnExpectedErrorPassesWhenItOccurs) {
    const Folder folder;
    const std::string conflict =
        "model: m\ncomponents: {a: {type: Se, e: 1}, b: {type: Se, e: 2}, n: {type: 0}}\nbonds: [a -> n, b -> n]\n";
    EXPECT_EQ(folder.run({"test", folder.write("m.yaml", conflict + "expect: [{error: BG-C001}]\n")}).status, 0);
    const Outcome other = folder.run({"test", folder.write("m.yaml", conflict + "expect: [{error: BG-C002}]\n")});
    EXPECT_EQ(other.status, 1);
    EXPECT_THAT(other.out, HasSubstr("expected error BG-C002, got\n"));
    EXPECT_THAT(other.out, HasSubstr("[BG-C001]"));
}

TEST(Expect, AnErrorThatDoesNotOccurIsAFailure) {
    const Folder folder;
    const Outcome o = folder.run({"test", folder.write("m.yaml", charging_with("{error: BG-C001}"))});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.out, HasSubstr("m.yaml: expected error BG-C001, no error was found\n"));
}

TEST(Expect, AModelThatCannotEvenBeLoadedMayExpectThat) {
    const Folder folder;
    folder.write("m.yaml", "model: m\ncomponents: {a: {type: 1}}\ncomponentz: {}\nexpect: [{error: BG-M036}]\n");
    EXPECT_EQ(folder.run({"test", "m.yaml"}).status, 0);
    folder.write("broken.yaml", "model: m\ncomponents: {a: {type: 1}\nexpect:\n  - {error: BG-Y001}\n");
    const Outcome o = folder.run({"test", "broken.yaml"});
    EXPECT_EQ(o.status, 0) << o.out;
}

TEST(Expect, MistakesInItsEntriesAreMistakesOfTheModel) {
    const Folder folder;
    for (const char* entry : {"{at: 1 ms}", "{C1.e: 1}", "{at: 1 ms, C1.e: q}", "{at: 1 ms, C1.e: 1, tolerance: 0}"}) {
        EXPECT_EQ(folder.run({"test", folder.write("m.yaml", charging_with(entry))}).status, 2) << entry;
    }
}

TEST(Expect, AnUnexpectedMistakeIsAFailureThatShowsIt) {
    const Folder folder;
    const Outcome o =
        folder.run({"test", folder.write("m.yaml", "model: m\ncomponents: {a: {type: Q}}\nexpect: [{states: 1}]\n")});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.out, HasSubstr("m.yaml:2:24: error: "));
}

TEST(Expect, AnUnknownResultIsAFailureWithTheNearestName) {
    const Folder folder;
    const Outcome o = folder.run({"test", folder.write("m.yaml", charging_with("{at: 1 ms, C1.ee: 1}"))});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.out,
                HasSubstr("m.yaml:15:16: error: the model has no result 'C1.ee'; did you mean 'C1.e'? [BG-O002]"));
}

TEST(Expect, ValuesInOtherUnitsAreMistakesAndAllAreListed) {
    const Folder folder;
    const Outcome o = folder.run({"test", folder.write("m.yaml",
                                                       "model: shaft\n"
                                                       "parameters: {n: 50 Hz}\n"
                                                       "components:\n"
                                                       "  drive: {type: Sf, f: 2*pi*n}\n"
                                                       "  shaft: {type: 1}\n"
                                                       "  spring: {type: C, K: 1 N.m/rad}\n"
                                                       "bonds: [drive -> shaft, shaft -> spring]\n"
                                                       "expect:\n"
                                                       "  - {at: 1 s, spring.e: 5 V, drive.f: n}\n")});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.out, HasSubstr("m.yaml:9:25: error: '5 V' is in V; N.m is expected here [BG-U002]"));
    EXPECT_THAT(o.out, HasSubstr("m.yaml:9:39: error: 'n' is in Hz; rad/s is expected here [BG-U002]"));
}

TEST(TestCommand, SearchesFoldersInOrderAndSkipsWhatExpectsNothing) {
    const Folder folder;
    folder.write("m/b.yaml", charging_with("{states: 1}"));
    folder.write("m/a/z.yaml", charging_with("{states: 1}"));
    folder.write("m/plain.yaml", kCharging);
    folder.write("m/library.yaml", "types:\n  T: {ports: {p: {}}, equations: [p.e = p.f]}\n");
    folder.write("m/notes.txt", charging_with("{states: 9}"));
    const Outcome o = folder.run({"test", "m"});
    EXPECT_EQ(o.status, 0) << o.out;
    EXPECT_THAT(o.out, ContainsRegex("^PASS m/a/z\\.yaml .*\nPASS m/b\\.yaml .*\n2 models passed, 0 failed"));
}

TEST(TestCommand, OneFailureAmongManyFails) {
    const Folder folder;
    folder.write("m/a.yaml", charging_with("{states: 1}"));
    folder.write("m/b.yaml", charging_with("{states: 2}"));
    folder.write("m/c.yaml", charging_with("{states: 1}"));
    const Outcome o = folder.run({"test", "m"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.out, HasSubstr("FAIL m/b.yaml"));
    EXPECT_THAT(o.out, HasSubstr("2 models passed, 1 failed"));
}

TEST(TestCommand, NothingToTestIsWrongUsage) {
    const Folder folder;
    folder.write("m/plain.yaml", kCharging);
    const Outcome o = folder.run({"test", "m"});
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.err, "error: no model with 'expect:' was found there\n");
    EXPECT_THAT(o.out, Not(HasSubstr("PASS")));
}

TEST(TestCommand, AFileNamedTwiceIsTestedOnce) {
    const Folder folder;
    folder.write("m/a.yaml", charging_with("{states: 1}"));
    EXPECT_THAT(folder.run({"test", "m/a.yaml", "m"}).out, HasSubstr("1 model passed"));
}

}  // namespace
}  // namespace bondgraph::cli
