// What the commands say of mechanisms.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "tests/cli/command.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::cli {
namespace {

using testing::HasSubstr;

constexpr const char* kHinge = R"(model: hinge
components:
  world: {type: World}
  hinge: {type: Revolute, initial: {phi: 0, w: 0}}
  body: {type: Body, m: 1, I_33: 1}
connect:
  - [world.frame_b, hinge.frame_a]
  - [hinge.frame_b, body.frame_a]
experiment: {stop: 1 s, interval: 1 s}
)";

std::string hinge_with(const char* outputs) {
    std::string text = kHinge;
    text += outputs;
    return text;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
    return found;
}

TEST(Mechanisms, FramesJoinedToEachOtherAreOneRowOfTheStrokes) {
    const Folder folder;
    const Outcome o = folder.run({"causality", folder.write("m.yaml", kHinge)});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_EQ(count(o.out, "'hinge' moves 'body', which answers with its force"), 1U) << o.out;
}

TEST(Mechanisms, AMatrixNamedWithoutIndexHasRowsAndColumns) {
    const Folder folder;
    folder.write("m.yaml", hinge_with("outputs: [body.frame_a.R]\n"));
    const Outcome o = folder.run({"run", "m.yaml", "--quiet", "-o", "-"});
    EXPECT_EQ(o.status, 0) << o.err;
    std::string head = "time";
    for (int row = 1; row <= 3; ++row) {
        for (int column = 1; column <= 3; ++column)
            head += ",\"body.frame_a.R[" + std::to_string(row) + "," + std::to_string(column) + "]\"";
    }
    EXPECT_EQ(o.out.substr(0, o.out.find('\n')), head);
}

TEST(Mechanisms, ColumnsOfAMatrixArePlottedFromTheFile) {
    const Folder folder;
    folder.write("m.yaml", hinge_with("outputs: [body.frame_a.R]\n"));
    EXPECT_EQ(folder.run({"run", "m.yaml", "--quiet", "-o", "m.csv"}).status, 0);
    const Outcome o = folder.run({"plot", "m.csv", "--y", "body.frame_a.R[1,2]", "-o", "m.svg"});
    EXPECT_EQ(o.status, 0) << o.err;
}

TEST(Mechanisms, APositionOfACarriedBodyIsThatOfItsFrame) {
    const Folder folder;
    folder.write("m.yaml", hinge_with("outputs: [body.x]\n"));
    const Outcome o = folder.run({"run", "m.yaml", "--quiet", "-o", "-"});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.err, HasSubstr("the model has no result 'body.x'; did you mean 'body.frame_a.x'?"));
}

// ---- where loops are closed -------------------------------------------------------------------------------------

/// A slider-crank of 0.3 m and 0.5 m, upright: the slider is at 0.4 m.
std::string upright(const std::string& start_of_slider, const std::string& start_of_crank = "initial: {phi: 90 deg}") {
    return "model: upright\ncomponents:\n  world: {type: World}\n  main: {type: Revolute, " + start_of_crank +
           "}\n  arm: {type: BodyShape, r: [0.3, 0, 0], m: 1, I_33: 1}\n  rod: {type: ConnectingRod, length: 0.5}\n"
           "  guide: {type: Prismatic, n: [1, 0, 0]" +
           start_of_slider +
           "}\n  piston: {type: Body, m: 1}\nconnect:\n  - [world, main.frame_a, guide.frame_a]\n"
           "  - [main.frame_b, arm.frame_a]\n  - [arm.frame_b, rod.frame_a]\n  - [guide.frame_b, rod.frame_b, "
           "piston]\n";
}

std::string checked(const std::string& model, const std::vector<std::string>& more = {}) {
    const Folder folder;
    std::vector<std::string> arguments{"check", folder.write("m.yaml", model)};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Outcome o = folder.run(arguments);
    EXPECT_EQ(o.status, 0) << o.err;
    return o.out;
}

TEST(ClosedLoops, CheckSaysWhereTheyAreClosedAndFromWhere) {
    EXPECT_THAT(checked(upright(", guess: {s: 0.35 m}")),
                HasSubstr("1 freedom\n    in closed form: guide.s\n"
                          "    closed at: main.phi = 1.5708 (given), guide.s = 0.4 (from 0.35)\n"));
    EXPECT_THAT(checked(upright(", guess: {s: -0.1 m}")), HasSubstr("guide.s = -0.4 (from -0.1)\n"));
    EXPECT_THAT(checked(upright(", initial: {s: 0.4 m}", "guess: {phi: 1 rad}")),
                HasSubstr("    closed at: main.phi = 1.5708 (from 1), guide.s = 0.4 (given)\n"));
}

// What nobody gave begins at 0. Either side is as near then: 0.36 + 0.09 - 0.25 = 2 (0.3) (0.6) cos(0.981765).
TEST(ClosedLoops, CheckTellsWhatNobodyGave) {
    EXPECT_THAT(
        checked(upright(", initial: {s: 0.6 m}", "n: [0, 0, 1]")),
        testing::ContainsRegex("main\\.phi = -?0\\.981765 \\(from 0, not given\\), guide\\.s = 0\\.6 \\(given\\)\n"));
    EXPECT_THAT(checked(upright("")), testing::ContainsRegex("guide\\.s = -?0\\.4 \\(from 0, not given\\)\n"));
}

// Around the loop, from numbers: the crank's end and the slider are a rod's length apart.
TEST(ClosedLoops, JsonHasTheirCoordinatesBeforeAndAfter) {
    const auto report =
        nlohmann::json::parse(checked(upright(", guess: {s: 0.35 m}", "guess: {phi: 1}"), {"--format", "json"}));
    const auto& position = report["closed_loops"][0]["position"];
    ASSERT_EQ(position.size(), 2U);
    EXPECT_EQ(position[0]["name"], "main.phi");
    EXPECT_EQ(position[1]["name"], "guide.s");
    EXPECT_EQ(position[0]["before"], 1.0);
    EXPECT_EQ(position[1]["before"], 0.35);
    EXPECT_EQ(position[0]["given"], true);
    EXPECT_EQ(position[1]["given"], true);
    const double phi = position[0]["after"], s = position[1]["after"];
    EXPECT_NEAR(std::hypot(0.3 * std::cos(phi) - s, 0.3 * std::sin(phi)), 0.5, 1e-9);  // to what loops are closed
    EXPECT_NE(s, 0.35);
    const auto by_default = nlohmann::json::parse(checked(upright(""), {"--format", "json"}));
    EXPECT_EQ(by_default["closed_loops"][0]["position"][1]["given"], false);
}

TEST(ClosedLoops, ManyCoordinatesAreSeveralLines) {
    const Folder folder;
    const Outcome o = folder.run({"check", test::source_folder() + "/models/mechanics3d/engine_v6.yaml"});
    const std::size_t begin = o.out.find("    closed at: ");
    ASSERT_NE(begin, std::string::npos);
    const std::string text = o.out.substr(begin, o.out.find("\nAlgebraic") - begin);
    EXPECT_EQ(count(text, " = "), 19U);
    EXPECT_GT(count(text, "\n"), 3U);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        EXPECT_LE(line.size(), 120U) << line;
        EXPECT_THAT(line, testing::StartsWith("    "));
    }
}

// A scissor lift: with the axis of its middle askew by 1e-5 it closes only where both arms lie on each other.
TEST(Mechanisms, ALoopThatBeginsFarFromItsGuessesIsWarnedOf) {
    const Folder folder;
    const auto lift = [](const char* askew) {
        return std::string(R"(model: lift
components:
  world: {type: World}
  foot:  {type: Revolute, initial: {phi: 0.436, w: 0}}
  arm1:  {type: BodyShape, r: [2, 0, 0], r_CM: [1, 0, 0], m: 20, I_33: 7}
  mid1:  {type: FixedTranslation, r: [1, 0, 0]}
  floor: {type: Prismatic, n: [1, 0, 0], guess: {s: 1.8}}
  roll:  {type: Revolute, guess: {phi: 2.7}}
  arm2:  {type: BodyShape, r: [2, 0, 0], r_CM: [1, 0, 0], m: 20, I_33: 7}
  mid2:  {type: FixedTranslation, r: [1, 0, 0]}
  cross: {type: Revolute, n: [0, )") +
               askew + R"(, 1], guess: {phi: 2.27}}
  hook:  {type: Revolute, guess: {phi: -2.7}}
  deck:  {type: Body, m: 300, r_CM: [1, 0.2, 0], I_33: 50}
  rail:  {type: Prismatic, n: [1, 0, 0], guess: {s: 1.8}}
  wheel: {type: Revolute, guess: {phi: 0.436}}
connect:
  - [world.frame_b, foot.frame_a, floor.frame_a]
  - [foot.frame_b, arm1.frame_a, mid1.frame_a]
  - [floor.frame_b, roll.frame_a]
  - [roll.frame_b, arm2.frame_a, mid2.frame_a]
  - [mid1.frame_b, cross.frame_a]
  - [mid2.frame_b, cross.frame_b]
  - [arm2.frame_b, hook.frame_a]
  - [hook.frame_b, deck.frame_a, rail.frame_a]
  - [rail.frame_b, wheel.frame_a]
  - [arm1.frame_b, wheel.frame_b]
experiment: {stop: 10 ms}
)";
    };
    folder.write("straight.yaml", lift("0"));
    folder.write("askew.yaml", lift("1e-5"));
    const Outcome straight = folder.run({"run", "straight.yaml", "-o", "x.csv"});
    EXPECT_EQ(straight.status, 0) << straight.err;
    EXPECT_THAT(straight.err, testing::Not(HasSubstr("BG-S009")));
    const Outcome askew = folder.run({"run", "askew.yaml", "-o", "x.csv"});
    EXPECT_EQ(askew.status, 0) << askew.err;
    EXPECT_THAT(askew.err, HasSubstr("a closed loop begins far from where its guesses have it [BG-S009]"));
    EXPECT_THAT(askew.err, HasSubstr("where:   roll.phi = 0.436 (from 2.7)"));
}

}  // namespace
}  // namespace bondgraph::cli
