// Models with more mistakes than anybody reads at once.

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/command.hpp"

namespace bondgraph::cli {
namespace {

using testing::HasSubstr;
using testing::Not;

std::size_t occurrences(const std::string& text, const std::string& piece) {
    std::size_t count = 0;
    for (std::size_t at = text.find(piece); at != std::string::npos; at = text.find(piece, at + 1)) ++count;
    return count;
}

/// Resistors at a source: so many with a parameter that there isn't, behind them so many of an unknown type.
std::string wrong_resistors(int parameters, int types) {
    std::string text = "model: many\ncomponents:\n  s: {type: Se, e: 1 V}\n  n: {type: 0}\n";
    std::string bonds = "bonds:\n  - s -> n\n";
    for (int k = 0; k < parameters + types; ++k) {
        text += fmt::format("  r{}: {}\n", k, k < parameters ? "{type: R, R: 1 ohm, Q: 2}" : "{type: Rx, R: 1 ohm}");
        bonds += fmt::format("  - n -> r{}\n", k);
    }
    return text + bonds;
}

TEST(ManyMistakes, AreToldUpToTwentyAndCountedByTheirKinds) {
    const Folder folder;
    const Outcome o = folder.run({"check", folder.write("m.yaml", wrong_resistors(17, 300))});
    EXPECT_EQ(o.status, 2);
    EXPECT_EQ(occurrences(o.err, ": error: "), 20U);
    EXPECT_EQ(occurrences(o.err, "[BG-M002]") + occurrences(o.err, "[BG-M001]"), 20U);
    EXPECT_THAT(o.err, HasSubstr("m.yaml:5:"));
    EXPECT_THAT(o.err, HasSubstr("... and 297 more errors: 297 of BG-M001; --all-errors shows them.\n"));
    EXPECT_THAT(o.err, testing::EndsWith("317 errors in m.yaml.\n"));
}

TEST(ManyMistakes, OfSeveralKindsAreCountedEach) {
    const Folder folder;
    const Outcome o = folder.run({"run", folder.write("m.yaml", wrong_resistors(30, 2))});
    EXPECT_THAT(o.err, HasSubstr("... and 12 more errors: 2 of BG-M001, 10 of BG-M002; --all-errors shows them.\n"));
    EXPECT_FALSE(folder.has("many.csv"));
}

TEST(ManyMistakes, AreAllShownWhereThatIsAskedFor) {
    const Folder folder;
    const std::string model = folder.write("m.yaml", wrong_resistors(17, 30));
    for (const char* command : {"run", "compile", "check", "causality", "equations", "draw", "report", "linearize"}) {
        const Outcome o = folder.run({command, model, "--all-errors"});
        EXPECT_EQ(o.status, 2) << command;
        EXPECT_EQ(occurrences(o.err, ": error: "), 47U) << command;
        EXPECT_THAT(o.err, Not(HasSubstr("--all-errors"))) << command;
        EXPECT_THAT(folder.run({command, model}).err, HasSubstr("27 more errors")) << command;
    }
}

TEST(ManyMistakes, OfAModelUnderTestAreToldLikewise) {
    const Folder folder;
    const std::string model =
        folder.write("m.yaml", wrong_resistors(17, 30) + "expect:\n  - {at: 0 s, s.e: 1, source: it is 1}\n");
    const Outcome o = folder.run({"test", model});
    EXPECT_EQ(o.status, 2);
    EXPECT_EQ(occurrences(o.out, "[BG-M00"), 20U);
    EXPECT_THAT(
        o.out,
        HasSubstr("\n  ... and 27 more errors: 27 of BG-M001; --all-errors shows them.\n0 models passed, 1 failed"));
    const Outcome all = folder.run({"test", model, "--all-errors"});
    EXPECT_EQ(all.status, 2);
    EXPECT_EQ(occurrences(all.out, "[BG-M00"), 47U);
    EXPECT_THAT(all.out, Not(HasSubstr("--all-errors")));
}

TEST(ManyMistakes, OfTwentyNoneIsLeftOut) {
    const Folder folder;
    const Outcome twenty = folder.run({"check", folder.write("m.yaml", wrong_resistors(20, 0))});
    EXPECT_EQ(occurrences(twenty.err, ": error: "), 20U);
    EXPECT_THAT(twenty.err, Not(HasSubstr("more error")));
    const Outcome more = folder.run({"check", folder.write("m.yaml", wrong_resistors(21, 0))});
    EXPECT_THAT(more.err, HasSubstr("... and 1 more error: 1 of BG-M002; --all-errors shows them.\n"));
}

constexpr const char* kFromTable = R"(model: driven
parameters: {times: {from: shipped.csv, columns: t}, volts: {from: shipped.csv, columns: u}, U: 1 V}
components:
  source: {type: Se, e: 'interpolate(time, times, volts)'}
  bias: {type: Se, e: U}
  loop: {type: 1}
  R1: {type: R, R: 1 ohm}
bonds: [source -> loop, bias -> loop, loop -> R1]
experiment: {stop: 1 s, interval: 0.5 s}
)";

TEST(Tables, AreNoPlaceForResults) {
    const Folder folder;
    const std::string model = folder.write("m.yaml", kFromTable);
    const std::string rows = "t,u\n0,1\n1,2\n";
    for (const char* name : {"shipped.csv", "own.csv"}) folder.write(name, rows);
    const std::string own = "volts={from: own.csv, columns: u}";
    ASSERT_EQ(folder.run({"run", model, "--set", own, "--set", "U=2", "-o", "r.csv", "--quiet"}).status, 0);
    const auto expect_refused = [&](std::vector<std::string> arguments, const char* place) {
        arguments.insert(arguments.begin(), {"run", model, "-o", place, "--quiet"});
        const Outcome o = folder.run(arguments);
        EXPECT_EQ(o.status, 1) << place;
        EXPECT_THAT(o.err, HasSubstr("would be lost")) << place;
        EXPECT_EQ(folder.read(place), rows) << place;
    };
    expect_refused({"--set", own}, "own.csv");
    expect_refused({"--set", "U=2", "--set", own}, "own.csv");
    expect_refused({}, "shipped.csv");
    expect_refused({"--set", "U=2"}, "shipped.csv");
    expect_refused({"--set", own}, "shipped.csv");
}

}  // namespace
}  // namespace bondgraph::cli
