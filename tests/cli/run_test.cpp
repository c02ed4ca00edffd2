#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/command.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::StartsWith;

TEST(Run, WritesTheModelsOutputsBesideTheTimeIntoAFileNamedAfterTheModel) {
    const Folder folder;
    folder.write("sub/charging.v2.yaml", kCharging);
    const Outcome o = folder.run({"run", "sub/charging.v2.yaml"});
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.out, IsEmpty());
    const std::string csv = folder.read("charging.v2.csv");
    EXPECT_THAT(csv, StartsWith("time,C1.e,feed.power\n0,0,0\n"));
    const auto time = csv_column(csv, "time");
    const auto voltage = csv_column(csv, "C1.e");
    ASSERT_EQ(time.size(), 6U);
    for (std::size_t k = 0; k < time.size(); ++k) {
        EXPECT_NEAR(time[k], 1e-3 * static_cast<double>(k), 1e-12);
        EXPECT_NEAR(voltage[k], 10.0 * (1.0 - std::exp(-time[k] / 1e-3)), 1e-6);
    }
}

TEST(Run, WritesToStandardOutputOnRequest) {
    const Folder folder;
    const Outcome o = folder.run({"run", folder.write("m.yaml", kCharging), "-o", "-"});
    EXPECT_EQ(o.status, 0);
    EXPECT_THAT(o.out, StartsWith("time,C1.e,feed.power\n"));
    EXPECT_THAT(o.err, HasSubstr("simulated"));
    EXPECT_FALSE(folder.has("m.csv"));
}

TEST(Run, SummaryTellsWhatHappened) {
    const Folder folder;
    const Outcome o = folder.run({"run", folder.write("m.yaml", kCharging), "-o", "x.csv"});
    ASSERT_EQ(o.status, 0);
    EXPECT_THAT(o.err, StartsWith("charging\n"));
    for (const char* part : {"0 s to 0.005 s", "evaluations", "Jacobian", "events", "time spent", "imbalance",
                             "J moved", "x.csv (6 rows, 3 columns)"}) {
        EXPECT_THAT(o.err, HasSubstr(part));
    }
    EXPECT_THAT(o.err, Not(HasSubstr("started at")));
}

TEST(Run, DoubtsResultsThatASmallerToleranceChanges) {
    const Folder folder;
    folder.write("lorenz.yaml",
                 "model: lorenz\ntypes:\n  Lorenz:\n    variables: {x: {start: 1}, y: {start: 1}, z: {start: 1}}\n"
                 "    equations: [der(x) = 10*(y - x), der(y) = x*(28 - z) - y, der(z) = x*y - 8/3*z]\n"
                 "components: {l: {type: Lorenz}}\noutputs: [l.x]\nexperiment: {stop: 40 s}\n");
    const Outcome o = folder.run({"run", "lorenz.yaml"});
    EXPECT_EQ(o.status, 0);
    EXPECT_THAT(o.err, HasSubstr("the results are not to be trusted: with a tolerance of 1e-07 instead of 1e-06 'l.x' "
                                 "differs by "));
    EXPECT_THAT(o.err, HasSubstr("% of its range (compared up to 40 s)"));
    EXPECT_THAT(o.err, HasSubstr("[BG-S005]"));
    EXPECT_THAT(o.err, HasSubstr("try:     a tolerance of 1e-08, and compare"));
    EXPECT_THAT(folder.run({"run", "lorenz.yaml", "--stop", "5s"}).err, Not(HasSubstr("BG-S005")));
    EXPECT_THAT(folder.run({"run", "lorenz.yaml", "--quiet"}).err, IsEmpty());
}

// 0.5 + 0.9 = 0.8 + 0.6: the links come to lie in line where the first one points away from the ground's other end.
TEST(Run, WarnsOfAPositionInWhichTheMotionMayBranch) {
    const Folder folder;
    const auto run_with = [&](double ground) {
        return folder.run(
            {"run",
             folder.write("m.yaml",
                          fmt::format("model: linkage\ntypes:\n  FourBar:\n"
                                      "    variables: {{p: , q: , r: , u: , v: , w: , F: , G: }}\n    equations:\n"
                                      "      - der(p) = u\n      - der(q) = v\n      - der(r) = w\n"
                                      "      - der(u) = 0.5*(F*sin(p) - G*cos(p))\n"
                                      "      - der(v) = 0.8*(F*sin(q) - G*cos(q))\n"
                                      "      - der(w) = 0.6*(F*sin(r) - G*cos(r))\n"
                                      "      - 0.5*cos(p) + 0.8*cos(q) + 0.6*cos(r) = {0}*cos(0.3)\n"
                                      "      - 0.5*sin(p) + 0.8*sin(q) + 0.6*sin(r) = {0}*sin(0.3)\n"
                                      "components:\n"
                                      "  f: {{type: FourBar, initial: {{p: 1.2, u: 2}}, guess: {{q: 0.2, r: -1}}}}\n"
                                      "experiment: {{stop: 2 s, tolerance: 1e-6}}\n",
                                      ground)),
             "-o", "x.csv"});
    };
    const Outcome in_line = run_with(0.9);
    EXPECT_EQ(in_line.status, 0) << in_line.err;
    EXPECT_THAT(in_line.err, testing::AllOf(HasSubstr("BG-S006"), HasSubstr("constraints between f.p, f.q, f.r")));
    const Outcome clear = run_with(0.85);
    EXPECT_EQ(clear.status, 0) << clear.err;
    EXPECT_THAT(clear.err, Not(HasSubstr("BG-S006")));
}

// The rocker of this crank and rocker turns round where crank and coupler lie in line: its angle can't be the state
// there. That it has to be one by the file is the cause then, not the lengths.
TEST(Run, SaysWhichStateThatIsToBeKeptCantBeKept) {
    const Folder folder;
    const auto run_with = [&](const std::string& wish) {
        return folder.run(
            {"run",
             folder.write("m.yaml",
                          "model: linkage\ncomponents:\n  world: {type: World, g: 9.81}\n"
                          "  ground: {type: FixedTranslation, r: [0.3, 0, 0]}\n"
                          "  main: {type: Revolute, n: [0, 0, 1], initial: {phi: 30 deg, w: 20}}\n"
                          "  crank: {type: BodyShape, r: [0.1, 0, 0], r_CM: [0.05, 0, 0], m: 0.5, I_33: 0.003}\n"
                          "  j1: {type: Revolute, n: [0, 0, 1], guess: {phi: 0}}\n"
                          "  coupler: {type: BodyShape, r: [0.35, 0, 0], r_CM: [0.175, 0, 0], m: 0.5, I_33: 0.003}\n"
                          "  rocker: {type: BodyShape, r: [0.25, 0, 0], r_CM: [0.125, 0, 0], m: 0.5, I_33: 0.003}\n"
                          "  j4: {type: Revolute, n: [0, 0, 1], guess: {phi: 70 deg}, states: " +
                              wish +
                              "}\n  j2: {type: CutRevolute2D, n: [0, 0, 1]}\n  spring: {type: C, C: 0.05}\n"
                              "bonds: [j4.axis -> spring]\nconnect:\n"
                              "  - [world.frame_b, main.frame_a, ground.frame_a]\n  - [main.frame_b, crank.frame_a]\n"
                              "  - [crank.frame_b, j1.frame_a]\n  - [j1.frame_b, coupler.frame_a]\n"
                              "  - [ground.frame_b, j4.frame_a]\n  - [j4.frame_b, rocker.frame_a]\n"
                              "  - [coupler.frame_b, j2.frame_a]\n  - [rocker.frame_b, j2.frame_b]\n"
                              "experiment: {stop: 1 s, tolerance: 1e-10}\n"),
             "-o", "x.csv"});
    };
    const Outcome kept = run_with("always");
    EXPECT_EQ(kept.status, 3) << kept.err;
    EXPECT_THAT(kept.err, testing::AllOf(HasSubstr("j4.w, j4.phi shall always be states (states: always)"),
                                         HasSubstr("'states: prefer' lets another one take over"),
                                         Not(HasSubstr("choose lengths that avoid"))));
    const Outcome preferred = run_with("prefer");
    EXPECT_EQ(preferred.status, 0) << preferred.err;
}

// Lengths of a loop that is held by more than it takes, and loaded along its hinges: what to do is in terms of joints.
TEST(Run, SaysWhatMakesReactionsOfALoopDetermined) {
    const Folder folder;
    const Outcome out = folder.run(
        {"run",
         folder.write("m.yaml",
                      "model: linkage\ncomponents:\n  world: {type: World, g: 9.81, n: [0, 0, -1]}\n"
                      "  ground: {type: FixedTranslation, r: [0.4, 0, 0]}\n"
                      "  main: {type: Revolute, n: [0, 0, 1], initial: {phi: 0.3, w: 1}}\n"
                      "  crank: {type: BodyShape, r: [0.1, 0, 0], r_CM: [0.05, 0, 0], m: 1, I_33: 0.01}\n"
                      "  j1: {type: Revolute, n: [0, 0, 1], guess: {phi: 0.7}}\n"
                      "  coupler: {type: BodyShape, r: [0.4, 0, 0], r_CM: [0.2, 0, 0], m: 1, I_33: 0.01}\n"
                      "  rocker: {type: BodyShape, r: [0.3, 0, 0], r_CM: [0.15, 0, 0], m: 1, I_33: 0.01}\n"
                      "  j4: {type: Revolute, n: [0, 0, 1], guess: {phi: 1.6}}\n"
                      "  j2: {type: Revolute, n: [0, 0, 1]}\nconnect:\n"
                      "  - [world.frame_b, main.frame_a, ground.frame_a]\n  - [main.frame_b, crank.frame_a]\n"
                      "  - [crank.frame_b, j1.frame_a]\n  - [j1.frame_b, coupler.frame_a]\n"
                      "  - [ground.frame_b, j4.frame_a]\n  - [j4.frame_b, rocker.frame_a]\n"
                      "  - [coupler.frame_b, j2.frame_a]\n  - [rocker.frame_b, j2.frame_b]\n"
                      "experiment: {stop: 0.1 s}\n"),
         "-o", "x.csv"});
    EXPECT_EQ(out.status, 0) << out.err;
    EXPECT_THAT(out.err,
                testing::AllOf(HasSubstr("BG-S007"), HasSubstr("where only the motion matters, nothing"),
                               HasSubstr("a Universal in place of one hinge and a Spherical in place of another")));
}

// The same four-bar lying nearly along an axis: at the start one of its conditions says hardly anything of any rate.
TEST(Run, WarnsOfAStartInWhichTheMotionMayBranch) {
    const Folder folder;
    const Outcome in_line =
        folder.run({"run",
                    folder.write("m.yaml",
                                 "model: linkage\ntypes:\n  FourBar:\n"
                                 "    variables: {p: , q: , r: , u: , v: , w: , F: , G: }\n    equations:\n"
                                 "      - der(p) = u\n      - der(q) = v\n      - der(r) = w\n"
                                 "      - der(u) = 0.5*(F*sin(p) - G*cos(p))\n"
                                 "      - der(v) = 0.9*(F*sin(q) - G*cos(q))\n"
                                 "      - der(w) = 0.8*(F*sin(r) - G*cos(r))\n"
                                 "      - 0.5*cos(p) + 0.9*cos(q) - 0.8*cos(r) = 0.6\n"
                                 "      - 0.5*sin(p) + 0.9*sin(q) - 0.8*sin(r) = 0\n"
                                 "components:\n"
                                 "  f: {type: FourBar, initial: {p: 1e-5, u: 3}, guess: {q: 0.1, r: 0.1}}\n"
                                 "experiment: {stop: 1 s}\n"),
                    "-o", "x.csv"});
    EXPECT_EQ(in_line.status, 0) << in_line.err;
    EXPECT_THAT(in_line.err, testing::AllOf(HasSubstr("warning: at 0 s the run"), HasSubstr("BG-S006")));
}

// Coefficients grow without bound where a driven four-bar comes to the end of its reach: at the start they were as
// others are.
TEST(Run, DoesNotTakeAnEndOfReachForABranchingAtTheStart) {
    const Folder folder;
    const std::filesystem::path source =
        std::filesystem::path(test::source_folder()) / "tests" / "diagnostics" / "mech_loop_end_of_reach.yaml";
    std::ifstream in(source);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    const Outcome o = folder.run({"run", folder.write("m.yaml", text), "-o", "x.csv"});
    EXPECT_EQ(o.status, 3) << o.err;
    EXPECT_THAT(o.err, Not(HasSubstr("warning: at 0 s the run")));
}

TEST(Run, AStartGivenFromOutsideReplacesThatOfANestedType) {
    const Folder folder;
    folder.write("m.yaml",
                 "model: m\ntypes:\n"
                 "  Tank:\n    ports: {p: {}}\n    variables: {V: {start: 0}}\n"
                 "    equations: [der(V) = p.f, p.e = V]\n"
                 "  Plant: {ports: {p: {}}, components: {j: {type: 0}, t: {type: Tank}}, bonds: [p -> j, j -> t]}\n"
                 "  Site: {ports: {p: {}}, components: {j: {type: 0}, a: {type: Plant}}, bonds: [p -> j, j -> a.p]}\n"
                 "components:\n  q: {type: Sf, f: 2}\n  x: {type: Plant, initial: {t.V: 1}}\n"
                 "  y: {type: Site, initial: {a.t.V: 5}}\n  q2: {type: Sf, f: 2}\n"
                 "bonds: [q -> x.p, q2 -> y.p]\nexperiment: {stop: 1 s, interval: 1 s}\noutputs: [x.t.V, y.a.t.V]\n");
    const Outcome o = folder.run({"run", "m.yaml", "-o", "-", "--quiet"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.out, testing::ContainsRegex("\n0,1,5\n")) << o.out;
}

TEST(Run, TwoSettingsOfOneStateContradictEachOther) {
    const Folder folder;
    const std::string model = folder.write("m.yaml", kCharging);
    const Outcome o = folder.run({"run", model, "--set", "C1.q=1", "--set", "C1.e=1"});
    EXPECT_NE(o.status, 0);
    EXPECT_THAT(o.err, HasSubstr("start values contradict each other"));
}

TEST(Run, SummaryNamesStatesNobodyGaveAStart) {
    const Folder folder;
    std::string text = kCharging;
    text.replace(text.find(", initial: {e: 0 V}"), std::string(", initial: {e: 0 V}").size(), "");
    const Outcome o = folder.run({"run", folder.write("m.yaml", text)});
    EXPECT_THAT(o.err, HasSubstr("C1.q = 0 (not given in the model)"));
}

TEST(Run, SummaryNamesWhatASteadyStartLeavesOpen) {
    const Folder folder;
    // Two tanks and a pipe are at rest whatever is in them together.
    folder.write("m.yaml", R"(model: tanks
components:
  a: {type: C, C: 1 F}
  na: {type: 0}
  pipe: {type: 1}
  r: {type: R, R: 1 ohm}
  nb: {type: 0}
  b: {type: C, C: 2 F, guess: {q: 4 C}}
bonds: [na -> a, na -> pipe, pipe -> r, pipe -> nb, nb -> b]
initial: steady
outputs: [a.q, b.q]
)");
    const Outcome o = folder.run({"run", "m.yaml", "-o", "-"});
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_NEAR(csv_column(o.out, "b.q").back(), 4.0, 1e-9);
    EXPECT_NEAR(csv_column(o.out, "a.q").back(), 2.0, 1e-9);
    EXPECT_THAT(o.err, testing::ContainsRegex("found +a\\.q = 2 \\(from 0\\)"));
}

TEST(Run, QuietSaysNothing) {
    const Folder folder;
    const Outcome o = folder.run({"run", folder.write("m.yaml", kCharging), "--quiet"});
    EXPECT_EQ(o.status, 0);
    EXPECT_THAT(o.out + o.err, IsEmpty());
    EXPECT_TRUE(folder.has("m.csv"));
}

TEST(Run, OptionsReplaceTheExperiment) {
    const Folder folder;
    const Outcome o = folder.run({"run", folder.write("m.yaml", kCharging), "-o", "-", "--stop", "2 ms", "--interval",
                                  "0.5 ms", "--tolerance", "1e-4"});
    ASSERT_EQ(o.status, 0) << o.err;
    const auto time = csv_column(o.out, "time");
    ASSERT_EQ(time.size(), 5U);
    EXPECT_NEAR(time[1], 5e-4, 1e-12);
    EXPECT_NEAR(time.back(), 2e-3, 1e-12);
}

TEST(Run, ALooserToleranceTakesFewerStepsAndIsLessExact) {
    const Folder folder;
    folder.write("m.yaml", kCharging);
    const auto error = [&](const char* tolerance) {
        const Outcome o = folder.run({"run", "m.yaml", "-o", "-", "--quiet", "--tolerance", tolerance});
        return std::abs(csv_column(o.out, "C1.e")[1] - 10.0 * (1.0 - std::exp(-1.0)));
    };
    EXPECT_GT(error("1e-3"), 100.0 * error("1e-10"));
}

TEST(Run, OptionsMayUseTheModelsParameters) {
    const Folder folder;
    std::string text = kCharging;
    text.replace(text.find("{U: 10 V}"), 9, "{U: 10 V, T: 1 ms}");
    const Outcome o = folder.run({"run", folder.write("m.yaml", text), "-o", "-", "--quiet", "--stop", "3*T"});
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_NEAR(csv_column(o.out, "time").back(), 3e-3, 1e-12);
}

TEST(Run, WithoutOutputsTheStatesAndAllBondsAreWritten) {
    const Folder folder;
    std::string text = kCharging;
    text.erase(text.find("outputs:"));
    const Outcome o = folder.run({"run", folder.write("m.yaml", text), "-o", "-", "--quiet"});
    EXPECT_THAT(o.out, StartsWith("time,C1.q,source.e,source.f,R1.e,R1.f,feed.e,feed.f\n"));
}

TEST(Run, WithoutAnExperimentOneSecondIsSimulatedInFiveHundredIntervals) {
    const Folder folder;
    std::string text = kCharging;
    text.erase(text.find("experiment:"), text.find("outputs:") - text.find("experiment:"));
    const Outcome o = folder.run({"run", folder.write("m.yaml", text), "-o", "-", "--quiet"});
    const auto time = csv_column(o.out, "time");
    ASSERT_EQ(time.size(), 501U);
    EXPECT_EQ(time.front(), 0.0);
    EXPECT_NEAR(time.back(), 1.0, 1e-12);
}

TEST(Run, AMultibondsNameStandsForItsComponents) {
    const Folder folder;
    folder.write("m.yaml", R"(model: two
components:
  s: {type: Se, e: [1, 2]}
  j: {type: 1, size: 2}
  c: {type: C, C: 1}
  r: {type: R, R: 1}
bonds: [s -> j, j -> c, j -> r]
outputs: [c.e, "c.e[1]", time]
)");
    const Outcome o = folder.run({"run", "m.yaml", "-o", "-", "--quiet"});
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.out, StartsWith("time,c.e[1],c.e[2]\n"));
    EXPECT_NEAR(csv_column(o.out, "c.e[2]").back(), 2.0 * (1.0 - std::exp(-1.0)), 1e-5);
}

TEST(Run, PortsOfATypeGivenByPartsHaveResultsAlongTheArrowInside) {
    const Folder folder;
    const Outcome o = folder.run({"run", "-o", "-", "--quiet",
                                  folder.write("m.yaml",
                                               "model: sub\n"
                                               "types:\n"
                                               "  Load:\n"
                                               "    ports: {p: {domain: electrical}, q: {domain: electrical}}\n"
                                               "    components: {j: {type: 1}, r: {type: R, R: 2 ohm}}\n"
                                               "    bonds: [p -> j, j -> r, j -> q]\n"
                                               "components:\n"
                                               "  s: {type: Se, e: 10 V}\n"
                                               "  load: {type: Load}\n"
                                               "  end: {type: R, R: 3 ohm}\n"
                                               "bonds: [s -> load.p, load.q -> end]\n"
                                               "outputs: [load.p.e, load.p.f, load.q.e, load.q.power]\n"
                                               "experiment: {stop: 1 s, interval: 1 s}\n")});
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_NEAR(csv_column(o.out, "load.p.e").back(), 10.0, 1e-12);
    EXPECT_NEAR(csv_column(o.out, "load.p.f").back(), 2.0, 1e-12);
    EXPECT_NEAR(csv_column(o.out, "load.q.e").back(), 6.0, 1e-12);
    EXPECT_NEAR(csv_column(o.out, "load.q.power").back(), 12.0, 1e-12);
}

TEST(Run, AnUnknownOutputIsPointedAtWithTheNamesThereAre) {
    const Folder folder;
    std::string text = kCharging;
    text.replace(text.find("[C1.e,"), 6, "[C1.w,");
    const Outcome o = folder.run({"run", folder.write("m.yaml", text)});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.err,
                StartsWith("m.yaml:13:11: error: the model has no result 'C1.w'; 'C1' has current, e, f, power, q, "
                           "voltage [BG-O002]\n"));
    EXPECT_FALSE(folder.has("m.csv"));
}

class WrongOptions : public testing::TestWithParam<WrongOption> {};

TEST_P(WrongOptions, AreRefusedBeforeAnythingIsWritten) { expect_refused_before_anything_is_written(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    Run, WrongOptions,
    testing::Values(WrongOption{{"--tolerance", "0"}, "[BG-S002]"}, WrongOption{{"--tolerance", "1"}, "[BG-S002]"},
                    WrongOption{{"--tolerance", "-1e-6"}, "[BG-S002]"}, WrongOption{{"--stop", "0 s"}, "[BG-S001]"},
                    WrongOption{{"--stop", "-1"}, "[BG-S001]"}, WrongOption{{"--stop", "5 V"}, "[BG-U002]"},
                    WrongOption{{"--stop", ""}, "error: --stop: the value is missing"},
                    WrongOption{{"--interval", "0"}, "[BG-S003]"}, WrongOption{{"--interval", "-1 ms"}, "[BG-S003]"},
                    WrongOption{{"--interval", "1e-12 s"}, "[BG-S004]"},
                    WrongOption{{"-o", "x.txt"}, "can't write 'x.txt': results are .csv, .mat or .h5, not '.txt'\n"},
                    WrongOption{{"--plot", "x.pdf"}, "can't write 'x.pdf': plots are .svg or .png, not '.pdf'\n"},
                    WrongOption{{"-o", "no/x.csv"}, "error: can't write 'no/x.csv': No such file or directory\n"},
                    WrongOption{{"--plot", "no/x.svg"}, "error: can't write 'no/x.svg': No such file or directory\n"}));

TEST(Run, AWrongExperimentPointsIntoTheFile) {
    const Folder folder;
    std::string text = kCharging;
    text.replace(text.find("tolerance: 1e-9"), 15, "tolerance: 1.5 ");
    const Outcome o = folder.run({"run", folder.write("m.yaml", text)});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.err, StartsWith("m.yaml:12:37: error: the tolerance is 1.5;"));
}

TEST(Run, AStopBeforeTheStartIsSaidAtTheStop) {
    const Folder folder;
    std::string text = kCharging;
    text.replace(text.find("{stop: 5 ms,"), 12, "{start: 1 s, stop: 0.5 s,");
    const Outcome o = folder.run({"run", folder.write("m.yaml", text)});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(
        o.err,
        StartsWith(
            "m.yaml:12:32: error: the simulation would stop at 0.5 s without having run: it starts at 1 s [BG-S001]"));
}

TEST(Run, AModelThatIsWrongLeavesAnExistingFileAlone) {
    const Folder folder;
    folder.write("m.csv", "old results\n");
    folder.write("m.yaml", "model: bad\ncomponents: {a: {type: R}}\n");
    EXPECT_EQ(folder.run({"run", "m.yaml"}).status, 2);
    EXPECT_EQ(folder.read("m.csv"), "old results\n");
}

TEST(Run, AnExistingLongerFileIsReplaced) {
    const Folder folder;
    folder.write("m.csv", std::string(100000, 'x'));
    EXPECT_EQ(folder.run({"run", folder.write("m.yaml", kCharging), "--quiet"}).status, 0);
    EXPECT_THAT(folder.read("m.csv"), Not(HasSubstr("x")));
}

TEST(Run, AFailureSaysWhenAndKeepsTheResultsUpToThere) {
    const Folder folder;
    const Outcome o = folder.run({"run", folder.write("m.yaml", kEscaping)});
    EXPECT_EQ(o.status, 3);
    EXPECT_THAT(o.err, HasSubstr("error: the simulation failed at t = "));
    const std::string csv = folder.read("m.csv");
    const auto time = csv_column(csv, "time");
    const auto x = csv_column(csv, "a.x");
    ASSERT_GE(time.size(), 9U);
    EXPECT_LE(time.back(), 1.01);
    for (std::size_t k = 0; k < 9; ++k) EXPECT_NEAR(x[k], 1.0 / (1.0 - time[k]), 1e-3 * x[k]);
}

TEST(Run, AuditListsElementsJunctionsDomainsAndTheBalance) {
    const Folder folder;
    const Outcome o = folder.run({"run", folder.write("m.yaml", kCharging), "--audit", "--quiet"});
    ASSERT_EQ(o.status, 0);
    EXPECT_THAT(o.out, IsEmpty());
    EXPECT_THAT(o.err, StartsWith("Energy of charging from 0 s to 0.005 s, in joule\n"));
    EXPECT_THAT(o.err, testing::ContainsRegex("\n  source +Se +9\\.9[0-9]*e-05 +9\\.9[0-9]*e-05 +0\n"));
    EXPECT_THAT(o.err, testing::ContainsRegex("\n  C1 +C +4\\.9[0-9]*e-05 +4\\.9[0-9]*e-05 "));
    EXPECT_THAT(o.err, testing::ContainsRegex("\n  loop +1 +9\\.9[0-9]*e-05 +9\\.9[0-9]*e-05 +0\n"));
    EXPECT_THAT(o.err, testing::ContainsRegex("\n  electrical +9\\.9[0-9]*e-05 "));
    for (const char* part : {"supplied by sources", "stored", "dissipated", "imbalance"})
        EXPECT_THAT(o.err, HasSubstr(part));
}

// A quarter turn about the vertical: the arm's own axis, at first along x, then is along y.
TEST(Run, AnimationGivesOrientationsAsRows) {
    const Folder folder;
    const std::string model = folder.write("turn.yaml", R"(model: turn
components:
  world: {type: World, gravity: none}
  hinge: {type: Revolute, n: [0, 0, 1], initial: {phi: 90 deg, w: 0 rad/s}}
  arm: {type: BodyShape, r: [2 m, 0 m, 0 m], r_CM: [1 m, 0 m, 0 m], m: 1 kg, I_33: 1 kg.m2}
connect:
  - [world.frame_b, hinge.frame_a]
  - [hinge.frame_b, arm.frame_a]
experiment: {stop: 1 s, interval: 1 s}
)");
    ASSERT_EQ(folder.run({"run", model, "--quiet", "-o", "r.csv", "--animation", "a.json"}).status, 0);
    const auto animation = nlohmann::json::parse(folder.read("a.json"));
    const auto shape = std::find_if(animation["shapes"].begin(), animation["shapes"].end(),
                                    [](const auto& s) { return s["component"] == "arm"; });
    ASSERT_NE(shape, animation["shapes"].end());
    const auto& R = (*shape)["R"];
    ASSERT_EQ(R.size(), 2U);
    ASSERT_EQ(R[0].size(), 3U);
    EXPECT_NEAR(R[0][0][1].get<double>(), 1.0, 1e-12);
    EXPECT_NEAR(R[0][0][0].get<double>(), 0.0, 1e-12);
    EXPECT_EQ((*shape)["x"][0].size(), 3U);
}

}  // namespace
}  // namespace bondgraph::cli
