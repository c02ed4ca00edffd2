#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/command.hpp"

namespace bondgraph::cli {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(Plot, HasAPanelForEveryEntryOfPlots) {
    const Folder folder;
    const std::string text =
        std::string(kCharging) + "plots:\n  - {title: Voltage_now, y: [C1.e]}\n  - {y: [R1.f, R1.power]}\n";
    const Outcome o = folder.run({"run", folder.write("m.yaml", text), "--plot", "p.svg"});
    ASSERT_EQ(o.status, 0) << o.err;
    const std::string svg = folder.read("p.svg");
    EXPECT_THAT(svg, HasSubstr("<svg"));
    EXPECT_THAT(svg, HasSubstr("height=\"600\""));
    EXPECT_THAT(svg, HasSubstr("Voltage_now"));
    EXPECT_THAT(svg, HasSubstr("R1.power [W]"));
    // Results that are only drawn are no columns of the file.
    EXPECT_THAT(folder.read("m.csv"), StartsWith("time,C1.e,feed.power\n"));
}

TEST(Plot, WithoutPlotsShowsTheStates) {
    const Folder folder;
    ASSERT_EQ(folder.run({"run", folder.write("m.yaml", kCharging), "--plot", "p.svg"}).status, 0);
    EXPECT_THAT(folder.read("p.svg"), HasSubstr("C1.q"));
}

TEST(Plot, AnUnknownNameIsPointedAt) {
    const Folder folder;
    const std::string text = std::string(kCharging) + "plots:\n  - {title: V, y: [C1.x]}\n";
    const Outcome o = folder.run({"run", folder.write("m.yaml", text), "--plot", "p.svg"});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.err, StartsWith("m.yaml:15:20: error: the model has no result 'C1.x'"));
    EXPECT_FALSE(folder.has("p.svg"));
}

TEST(Plot, OfAModelWithNothingToDrawSaysSo) {
    const Folder folder;
    const std::string model = folder.write("m.yaml", R"(model: m
components: {s: {type: Se, e: 1}, j: {type: 1}, r: {type: R, R: 1}}
bonds: [s -> j, j -> r]
outputs: [time]
)");
    const Outcome o = folder.run({"run", model, "--plot", "p.svg"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, StartsWith("error: --plot: there is nothing to draw: the model has no states"));
    EXPECT_FALSE(folder.has("p.svg"));
}

TEST(Plot, WithoutGnuplotTheResultsAreKept) {
    const Folder folder;
    const Outcome o = folder.run({"run", folder.write("m.yaml", kCharging), "--plot", "p.svg"}, {"PATH=/nowhere"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, HasSubstr("error: plots need the program gnuplot (apt install gnuplot-nox)\n"));
    EXPECT_THAT(folder.read("m.csv"), StartsWith("time,"));
    EXPECT_FALSE(folder.has("p.svg"));
}

}  // namespace
}  // namespace bondgraph::cli
