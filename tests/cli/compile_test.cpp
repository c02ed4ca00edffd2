// `bondgraph compile`, and what the other commands make of its files.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/command.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kSwitched = R"(model: switched
parameters: {U: 10 V, R: {value: 2 ohm, min: 1 ohm}}
components:
  source: {type: Se, e: U}
  loop: {type: 1}
  r: {type: R, R: R}
  d: {type: D}
  c: {type: C, C: 0.5 F, initial: {e: 1 V}}
bonds: [source -> loop, loop -> r, loop -> d, loop -> c]
outputs: [c.e, r.f]
experiment: {stop: 2 s, interval: 0.5 s}
expect:
  - {at: 0 s, c.e: 1 V}
)";

TEST(Compile, WritesAFileThatAllCommandsTake) {
    const Folder folder;
    folder.write("m.yaml", kSwitched);
    const Outcome made = folder.run({"compile", "m.yaml"});
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_THAT(made.err, HasSubstr("m.bgc"));
    ASSERT_TRUE(folder.has("m.bgc"));
    for (const std::vector<std::string>& command : {std::vector<std::string>{"check", "@"},
                                                    {"causality", "@"},
                                                    {"equations", "@"},
                                                    {"equations", "--format", "json", "@"},
                                                    {"draw", "@", "-o", "-"},
                                                    {"linearize", "@"},
                                                    {"run", "@", "-o", "-", "--quiet", "--audit"}}) {
        std::vector<std::string> of_text = command;
        std::vector<std::string> of_stored = command;
        std::ranges::replace(of_text, "@", "m.yaml");
        std::ranges::replace(of_stored, "@", "m.bgc");
        const Outcome a = folder.run(of_text);
        const Outcome b = folder.run(of_stored);
        EXPECT_EQ(a.status, 0) << command.front() << a.err;
        EXPECT_EQ(b.status, 0) << command.front() << b.err;
        EXPECT_EQ(a.out, b.out) << command.front();
        EXPECT_EQ(a.err, b.err) << command.front();
    }
    ASSERT_EQ(folder.run({"draw", "m.bgc", "-o", "m.tex"}).status, 0);
    const Outcome tested = folder.run({"test", "m.bgc"});
    EXPECT_EQ(tested.status, 0) << tested.err;
    EXPECT_THAT(tested.out, HasSubstr("1 model passed"));
}

TEST(Compile, KeepsStartValuesByTheNamesOfTypesAsInputs) {
    const Folder folder;
    folder.write("m.yaml", R"(model: falling
types:
  Body:
    parameters: {m: 2 kg}
    ports: {p: {domain: translational}}
    components: {i: {type: I, I: m}, j: {type: 1}}
    bonds: [p -> j, j -> i]
    starts: {v: i.f, twice: 2*i.p}
  Box:
    ports: {p: {domain: translational}}
    components: {inner: {type: Body}, j: {type: 1}}
    bonds: [p -> j, j -> inner.p]
    starts: {fast: 10*inner.i.f, v: inner.v}
components:
  push: {type: Se, e: 3 N}
  box: {type: Box, initial: {v: 1 m/s}}
bonds: [push -> box.p]
outputs: [box.inner.i.f]
experiment: {stop: 1 s, interval: 1 s}
)");
    const auto last = [&](const char* file, const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"run", file, "-o", "-", "--quiet"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome o = folder.run(arguments);
        EXPECT_EQ(o.status, 0) << o.err;
        const auto column = csv_column(o.out, "box.inner.i.f");
        return column.empty() ? 0.0 : column.back();
    };
    const Outcome made = folder.run({"compile", "m.yaml", "--inputs", "box.v"});
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_NEAR(last("m.bgc", {}), 2.5, 1e-6);
    EXPECT_NEAR(last("m.bgc", {"--set", "box.v=5 m/s"}), 6.5, 1e-6);
    EXPECT_NEAR(last("m.bgc", {"--set", "box.v=0 m/s"}), 1.5, 1e-6);
    EXPECT_NEAR(last("m.bgc", {"--set", "box.fast=50 m/s"}), 6.5, 1e-6);
    EXPECT_NEAR(last("m.yaml", {"--set", "box.inner.twice=20 N.s"}), 6.5, 1e-6);
    ASSERT_EQ(
        folder.run({"compile", "m.yaml", "-o", "x.bgc", "--inputs", "box.fast", "--set", "box.fast=50 m/s"}).status, 0);
    EXPECT_NEAR(last("x.bgc", {}), 6.5, 1e-6);
    EXPECT_NEAR(last("x.bgc", {"--set", "box.fast=20 m/s"}), 3.5, 1e-6);
}

TEST(Compile, RefusesInputsWithWhichAStartValueIsNotFinite) {
    for (const auto& [starts, initial] : {std::pair{"v: x/(k - 1)", "v: 3"},
                                          {"v: x*(k - 1)", "v: 3"},
                                          {"v: (k - 1)/x", "v: 3"},
                                          {"v: x", "v: 1/(b.k - 1)"}}) {
        SCOPED_TRACE(starts);
        const Folder folder;
        folder.write("m.yaml", fmt::format(R"(model: m
types:
  Store:
    parameters: {{k: 2}}
    variables: {{x: {{}}}}
    equations: [der(x) = -x]
    starts: {{{}}}
components: {{b: {{type: Store, initial: {{{}}}}}}}
)",
                                           starts, initial));
        ASSERT_EQ(folder.run({"compile", "m.yaml", "--inputs", "b.k"}).status, 0);
        EXPECT_EQ(folder.run({"run", "m.bgc", "--quiet"}).status, 0);
        EXPECT_EQ(folder.run({"run", "m.bgc", "--quiet", "--set", "b.k=3"}).status, 0);
        const Outcome refused = folder.run({"run", "m.bgc", "--quiet", "--set", "b.k=1"});
        EXPECT_EQ(refused.status, 2);
        EXPECT_THAT(refused.err, HasSubstr("the start value of 'b.x' is not finite [BG-I002]"));
    }
}

TEST(Compile, KeepsInputsForRuns) {
    const Folder folder;
    folder.write("m.yaml", kSwitched);
    const Outcome made = folder.run({"compile", "m.yaml", "-o", "x.bgc", "--inputs", "U, r.R", "--set", "U=5 V"});
    ASSERT_EQ(made.status, 0) << made.err;
    const auto last = [&](const std::vector<std::string>& more, const char* file) {
        std::vector<std::string> arguments{"run", file, "-o", "-", "--quiet"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        const Outcome o = folder.run(arguments);
        EXPECT_EQ(o.status, 0) << o.err;
        const auto column = csv_column(o.out, "c.e");
        return column.empty() ? 0.0 : column.back();
    };
    EXPECT_NEAR(last({}, "x.bgc"), last({"--set", "U=5V"}, "m.yaml"), 1e-4);
    EXPECT_NEAR(last({"--set", "U=8 V", "--set", "r.R=3 ohm"}, "x.bgc"),
                last({"--set", "U=8 V", "--set", "r.R=3 ohm"}, "m.yaml"), 1e-4);
    // and what is no input is compiled again with what the file was made with
    EXPECT_EQ(last({"--set", "c.C=0.1 F"}, "x.bgc"), last({"--set", "c.C=0.1 F", "--set", "U=5 V"}, "m.yaml"));
    EXPECT_EQ(folder.run({"equations", "x.bgc"}).out, folder.run({"equations", "m.yaml", "--set", "U=5 V"}).out);
}

TEST(Compile, SaysWhatStaysNoInput) {
    const Folder folder;
    folder.write("m.yaml",
                 "model: m\nparameters: {n: 3}\ncomponents:\n  s: {type: Se, e: 1 V}\n  j: {type: 1}\n"
                 "  r[n]: {type: R, R: 1 ohm}\nbonds: [s -> j, \"j -> r[i]\"]\nexperiment: {stop: 1 s}\n");
    const Outcome made = folder.run({"compile", "m.yaml", "--inputs", "n"});
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_THAT(made.err, HasSubstr("no input: n"));
    const Outcome wrong = folder.run({"compile", "m.yaml", "--inputs", "N"});
    EXPECT_EQ(wrong.status, 1);
    EXPECT_THAT(wrong.err, HasSubstr("did you mean 'n'?"));
}

// Times of an experiment and periods of samples are numbers before anything runs.
TEST(Compile, LeavesAloneWhatHasToBeANumber) {
    const Folder folder;
    folder.write("m.yaml",
                 "model: m\nparameters: {T: 3 s, tau: 1 s, R: 2 ohm, twice: 2*tau}\ncomponents:\n"
                 "  g: {type: Pulse, amplitude: 1, period: T, width: 0.5 s}\n  s: {type: Se}\n  j: {type: 1}\n"
                 "  r: {type: R, R: R}\n  c: {type: C, C: 1 F}\nbonds: [s -> j, j -> r, j -> c]\n"
                 "signals: [g.y -> s.e]\noutputs: [c.e]\nexperiment: {stop: 2*twice, interval: 1 s}\n");
    const Outcome made = folder.run({"compile", "m.yaml", "--inputs", "T,R,tau"});
    ASSERT_EQ(made.status, 0) << made.err;
    EXPECT_THAT(made.err, HasSubstr("no inputs: T, tau"));
    const Outcome stored = folder.run({"run", "m.bgc", "--set", "R=3 ohm", "-o", "-", "--quiet"});
    EXPECT_EQ(stored.status, 0) << stored.err;
    const auto a = csv_column(stored.out, "c.e");
    const auto b = csv_column(folder.run({"run", "m.yaml", "--set", "R=3 ohm", "-o", "-", "--quiet"}).out, "c.e");
    ASSERT_EQ(a.size(), b.size());
    EXPECT_NEAR(a.back(), b.back(), 1e-5);
}

TEST(Compile, RefusesWrongModelsAndFilesItCantTake) {
    const Folder folder;
    folder.write("wrong.yaml", "model: m\ncomponents: {r: {type: Q}}\n");
    const Outcome wrong = folder.run({"compile", "wrong.yaml"});
    EXPECT_EQ(wrong.status, 2);
    EXPECT_THAT(wrong.err, HasSubstr("wrong.yaml:2"));
    EXPECT_FALSE(folder.has("wrong.bgc"));
    folder.write("old.bgc", "bondgraph compiled model 1 of bondgraph 0.1.0 (00000000)\nrest");
    const Outcome old = folder.run({"run", "old.bgc"});
    EXPECT_EQ(old.status, 1);
    EXPECT_THAT(old.err, HasSubstr("another version"));
    EXPECT_THAT(old.err, HasSubstr("compile the model anew"));
}

// Whoever looks whether it is a stored model must not have read it.
TEST(Compile, LeavesModelsOfPipesAsTheyAre) {
    const Folder folder;
    folder.write("m.yaml", kSwitched);
    const std::string program = test::program();
    const Outcome piped = folder.run_program("/bin/sh", {"-c", "cat m.yaml | '" + program + "' check /dev/stdin"});
    EXPECT_EQ(piped.status, 0) << piped.err;
    EXPECT_EQ(piped.out, folder.run({"check", "m.yaml"}).out);
}

TEST(Compile, MistakesInRunsPointIntoTheModelFile) {
    const Folder folder;
    folder.write("m.yaml", kSwitched);
    ASSERT_EQ(folder.run({"compile", "m.yaml", "--inputs", "R", "--quiet"}).status, 0);
    const Outcome low = folder.run({"run", "m.bgc", "--set", "R=0.5 ohm"});
    EXPECT_EQ(low.status, 2);
    EXPECT_THAT(low.err, HasSubstr("m.yaml:2"));
    EXPECT_THAT(low.err, HasSubstr("at least 1 ohm"));
    const Outcome unit = folder.run({"run", "m.bgc", "--set", "R=2 V"});
    EXPECT_EQ(unit.status, 1);
    EXPECT_EQ(unit.err, folder.run({"run", "m.yaml", "--set", "R=2 V"}).err);
    EXPECT_THAT(folder.run({"compile", "m.yaml", "--quiet", "-o", "q.bgc"}).err, IsEmpty());
}

}  // namespace
}  // namespace bondgraph::cli
