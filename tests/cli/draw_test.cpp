#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "tests/cli/command.hpp"
#include "tests/support/places.hpp"
#include "tests/support/sweep.hpp"

namespace bondgraph::cli {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

constexpr const char* kConflict = R"(model: conflict
components:
  a: {type: Se, e: 1 V}
  b: {type: Se, e: 2 V}
  node: {type: 0}
bonds: [a -> node, b -> node]
)";

TEST(DrawCommand, WritesAnSvgNamedAfterTheModelFile) {
    const Folder folder;
    const Outcome o = folder.run({"draw", folder.write("rc.yaml", kCharging)});
    EXPECT_EQ(o.status, 0);
    EXPECT_THAT(o.out, IsEmpty());
    EXPECT_EQ(o.err, "charging\n  written     rc.svg (4 components, 3 bonds)\n");
    EXPECT_THAT(folder.read("rc.svg"), HasSubstr("<title>charging</title>"));
}

TEST(DrawCommand, WritesToStandardOutput) {
    const Folder folder;
    const Outcome o = folder.run({"draw", folder.write("rc.yaml", kCharging), "-o", "-"});
    EXPECT_EQ(o.status, 0);
    EXPECT_THAT(o.out, StartsWith("<?xml"));
    EXPECT_THAT(o.err, IsEmpty());
}

TEST(DrawCommand, TheNameSaysTheFormat) {
    const Folder folder;
    const std::string model = folder.write("rc.yaml", kCharging);
    EXPECT_EQ(folder.run({"draw", model, "-o", "g.dot"}).status, 0);
    EXPECT_THAT(folder.read("g.dot"), StartsWith("digraph \"charging\""));
    EXPECT_EQ(folder.run({"draw", model, "-o", "g.tex"}).status, 0);
    EXPECT_THAT(folder.read("g.tex"), HasSubstr("\\begin{tikzpicture}"));
}

TEST(DrawCommand, AnUnknownFormatIsWrongUsage) {
    const Folder folder;
    const Outcome o = folder.run({"draw", folder.write("rc.yaml", kCharging), "-o", "g.png"});
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.err, "error: can't draw 'g.png': the name has to end with .svg, .dot or .tex\n");
    EXPECT_FALSE(folder.has("g.png"));
}

TEST(DrawCommand, AnUnknownThemeIsWrongUsage) {
    const Folder folder;
    const Outcome o = folder.run({"draw", folder.write("rc.yaml", kCharging), "--theme", "pink"});
    EXPECT_EQ(o.status, 1);
    EXPECT_FALSE(folder.has("rc.svg"));
}

TEST(DrawCommand, AConflictIsDrawnAndReported) {
    const Folder folder;
    const std::string model = folder.write("c.yaml", kConflict);
    const Outcome o = folder.run({"draw", model});
    EXPECT_EQ(o.status, 2);
    EXPECT_THAT(o.err, HasSubstr("[BG-C001]"));
    EXPECT_THAT(o.err, HasSubstr(folder.run({"causality", model}).err));
    EXPECT_THAT(folder.read("c.svg"), HasSubstr("causal conflict"));
}

TEST(DrawCommand, AWrongModelLeavesNoFile) {
    const Folder folder;
    const Outcome o = folder.run({"draw", folder.write("m.yaml", "model: m\ncomponents:\n  a: {type: Q}\n")});
    EXPECT_EQ(o.status, 2);
    EXPECT_FALSE(folder.has("m.svg"));
}

TEST(DrawCommand, ParametersOfTheCommandLineAreShown) {
    const Folder folder;
    const std::string model = folder.write("rc.yaml", kCharging);
    EXPECT_THAT(folder.run({"draw", model, "-o", "-"}).out, HasSubstr(">1 kohm<"));
    EXPECT_THAT(folder.run({"draw", model, "-o", "-", "--set", "R1.R=7 kohm"}).out, HasSubstr(">7 kohm<"));
}

TEST(DrawCommand, DrawsEveryShippedModelTheSameTwice) {
    const Folder folder;
    const auto files = test::model_files_below(test::source_folder() + "/models");
    ASSERT_GT(BONDGRAPH_SWEEP * files.size(), 50U);
    for (const std::string& file : files) {
        const bool conflict = file.ends_with("conflict.yaml");
        const Outcome first = folder.run({"draw", file, "--expand", "--variables", "-o", "-"});
        EXPECT_EQ(first.status, conflict ? 2 : 0) << file << '\n' << first.err;
        EXPECT_EQ(first.out, folder.run({"draw", file, "--expand", "--variables", "-o", "-"}).out) << file;
    }
}

TEST(DrawCommand, EndsAsCausalityDoesOnEveryModelWithMistakes) {
    const Folder folder;
    const auto files = test::model_files_below(test::source_folder() + "/tests/diagnostics");
    ASSERT_GT(BONDGRAPH_SWEEP * files.size(), 50U);
    for (const std::string& file : files) {
        const Outcome causality = folder.run({"causality", file});
        // Whether a loop can be brought together, and a cut joint has anything to hold, is no matter of a drawing.
        const bool of_positions = causality.err.find("BG-I00") != std::string::npos ||
                                  causality.err.find("between which nothing can move") != std::string::npos;
        const int expected = of_positions ? 0 : causality.status;
        EXPECT_EQ(folder.run({"draw", file, "-o", "-"}).status, expected) << file;
    }
}

TEST(DrawCommand, ALadderOfAThousandComponentsIsDrawn) {
    std::string components = "model: ladder\ncomponents:\n  s: {type: Se, e: 1}\n";
    std::string bonds = "bonds:\n";
    std::string last = "s";
    for (int i = 0; i < 250; ++i) {
        const std::string n = std::to_string(i);
        components += "  j" + n + ": {type: 1}\n  l" + n + ": {type: I, I: 1}\n";
        components += "  k" + n + ": {type: 0}\n  c" + n + ": {type: C, C: 1}\n";
        bonds += "  - " + last + " -> j" + n + "\n  - j" + n + " -> l" + n + "\n";
        bonds += "  - j" + n + " -> k" + n + "\n  - k" + n + " -> c" + n + "\n";
        last = "k" + n;
    }
    const Folder folder;
    const Outcome o = folder.run({"draw", folder.write("ladder.yaml", components + bonds)});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.err, HasSubstr("(1001 components, 1000 bonds)"));
}

TEST(DrawCommand, AModelOfOneComponentIsDrawn) {
    const Folder folder;
    const Outcome o = folder.run({"draw", folder.write("one.yaml", "model: one\ncomponents:\n  s: {type: Sine}\n")});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(folder.read("one.svg"), HasSubstr("Sine : s"));
}

TEST(DrawCommand, SaysForWhichModeTheStrokesHold) {
    const Folder folder;
    const std::string model = folder.write("d.yaml", R"(model: d
components:
  V: {type: Se, e: -12 V}
  j: {type: 1}
  D1: {type: D}
  S1: {type: Sw, open: time > 1}
  L: {type: I, I: 1 mH}
bonds: [V -> j, j -> D1, j -> S1, j -> L]
)");
    const Outcome o = folder.run({"draw", model});
    ASSERT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(folder.read("d.svg"), HasSubstr("causality with D1.on = false, S1.closed = true<"));
    const std::string none = folder.write("rc.yaml", kCharging);
    ASSERT_EQ(folder.run({"draw", none}).status, 0);
    EXPECT_THAT(folder.read("rc.svg"), testing::Not(HasSubstr("causality with")));
}

// Which of the two masses depends on the other is for the numbers to say, not for the strokes.
TEST(DrawCommand, MarksTheDependentStoragesThatCheckLists) {
    const Folder folder;
    const auto model =
        (std::filesystem::path(test::source_folder()) / "models/mechanics3d/pendulum_by_hand.yaml").string();
    const std::string report = folder.run({"check", model}).out;
    const bool state = report.find("\n  mass_y.p\n") != std::string::npos;
    ASSERT_TRUE(state) << report;
    ASSERT_EQ(folder.run({"draw", model, "-o", "g.dot"}).status, 0);
    std::istringstream lines(folder.read("g.dot"));
    for (std::string line; std::getline(lines, line);) {
        const bool marked = line.find("#882255") != std::string::npos;
        if (line.ends_with("// mass_y")) {
            EXPECT_FALSE(marked) << line;
        } else if (line.ends_with("// mass_x")) {
            EXPECT_TRUE(marked) << line;
        }
    }
}

// What `check` reports in words, the conditions of a loop and which of them others imply, stands at what closes it.
TEST(DrawCommand, SaysWhatHoldsALoopTogetherAndWhatIsSetToZero) {
    const Folder folder;
    const auto text_of = [&](const std::string& model, const std::vector<std::string>& options, const char* file) {
        std::vector<std::string> arguments{
            "draw", (std::filesystem::path(test::source_folder()) / "models/mechanics3d" / model).string(), "-o", file};
        arguments.insert(arguments.end(), options.begin(), options.end());
        EXPECT_EQ(folder.run(arguments).status, 0);
        return folder.read(file);
    };
    EXPECT_THAT(text_of("slider_crank.yaml", {}, "a.svg"), HasSubstr(">closes a loop: 6 conditions, 3 set to 0<"));
    EXPECT_THAT(text_of("slider_crank.yaml", {}, "a.dot"),
                HasSubstr("CutRigid\\nrod_closure\\ncloses a loop: 6 conditions, 3 set to 0"));
    const std::string inside = text_of("slider_crank.yaml", {"--expand"}, "b.svg");
    EXPECT_THAT(inside, HasSubstr(">CutRigid rod_closure, closes a loop<"));
    EXPECT_THAT(inside, HasSubstr(">rSe : force<"));
    EXPECT_THAT(inside, HasSubstr(">3 conditions, e[3] set to 0<"));
    EXPECT_THAT(inside, HasSubstr(">3 conditions, e[1], e[2] set to 0<"));
    // Implied where the loop is closed only: which combination of forces vanishes changes with the position.
    EXPECT_THAT(text_of("bricard.yaml", {}, "c.svg"), HasSubstr(">closes a loop: 6 conditions, 1 set to 0<"));
    EXPECT_THAT(text_of("slider_crank_assembly.yaml", {}, "d.svg"), HasSubstr(">closes a loop: 2 conditions<"));
}

constexpr const char* kLowPass = R"(model: low_pass
import: electrical
components:
  u: {type: ConstantVoltage, V: 5 V}
  r: {type: Resistor, R: 1 kohm}
  c: {type: Capacitor, C: 1 uF}
  earth: {type: Ground}
connect:
  - [u.p, r.p]
  - [r.n, c.p]
  - [u.n, c.n, earth]
)";

TEST(DrawCircuit, WritesSymbolsAndWires) {
    const Folder folder;
    const std::string model = folder.write("low_pass.yaml", kLowPass);
    const Outcome o = folder.run({"draw", model, "--circuit"});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.err, "low_pass\n  written     low_pass.svg (4 components, 3 connections)\n");
    EXPECT_THAT(folder.read("low_pass.svg"), HasSubstr("class=\"symbol\""));
    EXPECT_THAT(folder.read("low_pass.svg"), HasSubstr("class=\"wire\""));
    EXPECT_THAT(folder.read("low_pass.svg"), HasSubstr(">1 kΩ<"));
}

TEST(DrawCircuit, ShowsValuesThatAreSet) {
    const Folder folder;
    const std::string model = folder.write("low_pass.yaml", kLowPass);
    EXPECT_THAT(folder.run({"draw", model, "--circuit", "-o", "-", "--set", "r.R=47 ohm"}).out, HasSubstr(">47 Ω<"));
}

TEST(DrawCircuit, IsTikzAsWellButNoGraphOfGraphviz) {
    const Folder folder;
    const std::string model = folder.write("low_pass.yaml", kLowPass);
    EXPECT_EQ(folder.run({"draw", model, "--circuit", "-o", "c.tex"}).status, 0);
    EXPECT_THAT(folder.read("c.tex"), HasSubstr("\\begin{tikzpicture}"));
    const Outcome o = folder.run({"draw", model, "--circuit", "-o", "c.dot"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, HasSubstr("a circuit is drawn as .svg or .tex"));
}

TEST(DrawCircuit, GoesNotTogetherWithExpand) {
    const Folder folder;
    EXPECT_EQ(folder.run({"draw", folder.write("low_pass.yaml", kLowPass), "--circuit", "--expand"}).status, 1);
}

TEST(DrawCircuit, DrawsAModelWithAConflict) {
    const Folder folder;
    EXPECT_EQ(folder.run({"draw", folder.write("conflict.yaml", kConflict), "--circuit"}).status, 0);
}

constexpr const char* kCircuitOfParts = R"(model: divider
import: [electrical]
components:
  V1: {type: ConstantVoltage, V: 12 V}
  R1: {type: Resistor, R: 1 kohm}
  R2: {type: Resistor, R: 3 kohm}
  C1: {type: Capacitor, C: 1 uF}
  gnd: {type: Ground}
connect: [V1.p -- R1.p, R1.n -- R2.p -- C1.p, V1.n -- R2.n -- C1.n -- gnd]
)";

TEST(DrawCommand, SimplifiedPartsAreElementsWithTheirNamesAndValues) {
    const Folder folder;
    const Outcome o = folder.run({"draw", folder.write("d.yaml", kCircuitOfParts), "--simplify", "-o", "d.dot"});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.err, "divider\n  written     d.dot (6 components, 5 bonds)\n");
    const std::string drawn = folder.read("d.dot");
    for (const char* text : {"Se : V1", "R : R1", "R : R2", "C : C1", "12 V", "1 kohm", "3 kohm", "1 uF"})
        EXPECT_THAT(drawn, HasSubstr(text));
    EXPECT_THAT(drawn, testing::Not(HasSubstr("gnd")));
}

TEST(DrawCommand, AModelIsSimplifiedOrExpanded) {
    const Folder folder;
    EXPECT_EQ(folder.run({"draw", folder.write("d.yaml", kCircuitOfParts), "--simplify", "--expand"}).status, 1);
}

TEST(CheckCommand, TellsTheStepsOfSimplification) {
    const Folder folder;
    const std::string model = folder.write("d.yaml", kCircuitOfParts);
    const Outcome text = folder.run({"check", model, "--simplify"});
    EXPECT_EQ(text.status, 0);
    EXPECT_THAT(text.out, StartsWith("divider\n  12 components and 13 bonds, simplified to 6 and 5\nSteps: 5\n"));
    EXPECT_THAT(text.out, HasSubstr("  1.  grounded node  'gnd.earth' holds the effort of 0-junction"));
    const Outcome json = folder.run({"check", model, "--simplify", "--format", "json"});
    EXPECT_EQ(json.status, 0);
    EXPECT_THAT(json.out, HasSubstr("\"rule\": \"grounded node\""));
    EXPECT_EQ(folder.run({"check", model, "--simplify", "--stage", "sized"}).status, 1);
}

TEST(TypesCommand, DrawsWhatIsInsideAType) {
    const Folder folder;
    const Outcome o = folder.run({"types", "Resistor", "--draw", "r.svg"});
    EXPECT_EQ(o.status, 0);
    EXPECT_EQ(o.err, "Resistor\n  written     r.svg\n");
    EXPECT_THAT(folder.read("r.svg"), HasSubstr("if heat.connected"));
    EXPECT_EQ(folder.run({"types", "C", "--draw", "c.svg"}).err,
              "error: 'C' is an element, without a bond graph inside\n");
    EXPECT_EQ(folder.run({"types", "--draw", "c.svg"}).status, 1);
    EXPECT_EQ(folder.run({"types", "Resistor", "--draw", "r.png"}).status, 1);
    EXPECT_FALSE(folder.has("c.svg"));
}

TEST(TypesCommand, KnowsTheFilesThatImportsFind) {
    const Folder folder;
    folder.write("own/motors.yaml",
                 "import: {el: electrical}\nrecords: {Steel: {doc: a steel, parameters: {rho: 7800 kg/m3}}}\ntypes:\n"
                 "  BigMotor:\n    doc: It is big\n    parameters: {R: {unit: ohm, doc: winding}}\n"
                 "    connectors: {p: pin, n: pin}\n    components: {r: {type: el.Resistor, R: R}}\n"
                 "    connect: [[p, r.p], [n, r.n]]\n  Resistor: {extends: BigMotor}\n");
    folder.write("own/wrong.yaml", "types:\n  Wrong: {prts: {}}\n");
    const std::vector<std::string> path{"BONDGRAPH_PATH=nowhere:own"};
    const Outcome list = folder.run({"types"}, path);
    EXPECT_EQ(list.status, 0);
    EXPECT_THAT(list.out, HasSubstr("import: [motors] (own/motors.yaml)\n  BigMotor      It is big\n"));
    EXPECT_THAT(list.out, HasSubstr("record Steel  a steel\n"));
    EXPECT_THAT(folder.run({"types"}).out, Not(HasSubstr("BigMotor")));
    const Outcome page = folder.run({"types", "BigMotor"}, path);
    EXPECT_THAT(page.out, HasSubstr("import: [motors]"));
    EXPECT_THAT(page.out, HasSubstr("own/motors.yaml"));
    EXPECT_THAT(page.out, HasSubstr("winding"));
    EXPECT_THAT(folder.run({"types", "motors.BigMotor"}, path).out, HasSubstr("winding"));
    EXPECT_THAT(folder.run({"types", "Steel"}, path).out, HasSubstr("7800"));
    const std::string both = folder.run({"types", "Resistor"}, path).out;
    EXPECT_THAT(both, HasSubstr("import: [electrical]"));
    EXPECT_THAT(both, HasSubstr("import: [motors]"));
    EXPECT_EQ(folder.run({"types", "BigMotr"}, path).err,
              "error: there is no type 'BigMotr'; did you mean 'BigMotor'?\n");
    EXPECT_EQ(folder.run({"types", "Wrong"}, path).status, 1);
    EXPECT_EQ(folder.run({"types", "BigMotor", "--draw", "m.svg"}, path).status, 0);
    EXPECT_TRUE(folder.has("m.svg"));
    EXPECT_EQ(folder.run({"types", "Resistor", "--draw", "r.svg"}, path).err,
              "error: there are several types 'Resistor': electrical.Resistor, motors.Resistor\n");
}

TEST(TypesCommand, IsNotNeededWhereAMessageNamesTheImport) {
    const Folder folder;
    folder.write("own/motors.yaml", "types:\n  BigMotor: {ports: {p: {domain: electrical}}, equations: [p.e = p.f]}\n");
    const std::string model =
        folder.write("m.yaml", "model: m\ncomponents: {m: {type: BigMotor}, n: {type: BigMotor}, e: {type: Pin}}\n");
    const std::string said = folder.run({"check", model}, {"BONDGRAPH_PATH=own"}).err;
    EXPECT_THAT(said, HasSubstr("try:     'import: [motors]' brings it from own/motors.yaml (BONDGRAPH_PATH)\n"));
    EXPECT_THAT(folder.run({"check", model}).err, HasSubstr("try:     'bondgraph types' lists all types\n"));
    const std::string other = folder.write("o.yaml", "model: o\nimport: [motor]\ncomponents: {}\n");
    EXPECT_THAT(folder.run({"check", other}, {"BONDGRAPH_PATH=own"}).err,
                HasSubstr("try:     BONDGRAPH_PATH leads to: motors; the library of parts has: "));
}

}  // namespace
}  // namespace bondgraph::cli
