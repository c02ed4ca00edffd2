#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/cli/command.hpp"
#include "tests/cli/documentation.hpp"
#include "tests/support/places.hpp"

namespace bondgraph::cli {
namespace {

using Json = nlohmann::ordered_json;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Electrical machine on a shaft: two sources, two states.
constexpr const char* kMotor = R"(model: motor
parameters: {K: 0.01}
components:
  supply: {type: Se, e: 1 V}
  armature: {type: 1}
  R: {type: R, R: 1 ohm}
  L: {type: I, I: 0.5 H, initial: {f: 0 A}}
  emf: {type: GY, r: K}
  shaft: {type: 1}
  J: {type: I, I: 0.01 kg.m2, initial: {f: 0 rad/s}}
  b: {type: R, R: 0.1 N.m.s/rad}
  load: {type: Se, e: 0 N.m}
bonds: [supply -> armature, armature -> R, armature -> L, armature -> emf.p1, emf.p2 -> shaft, shaft -> J, shaft -> b,
        load -> shaft]
outputs: [J.f, L.f]
)";

TEST(Linearize, ANameGivenTwiceIsRefused) {
    const Folder folder;
    folder.write("m.yaml", kMotor);
    const Outcome inputs = folder.run({"linearize", "m.yaml", "--inputs", "load,load"});
    EXPECT_EQ(inputs.status, 1);
    EXPECT_THAT(inputs.err, HasSubstr("--inputs: 'load' is named twice"));
    const Outcome outputs = folder.run({"linearize", "m.yaml", "--outputs", "J.f,L.f,J.f"});
    EXPECT_EQ(outputs.status, 1);
    EXPECT_THAT(outputs.err, HasSubstr("--outputs: 'J.f' is named twice"));
    EXPECT_EQ(folder.run({"linearize", "m.yaml", "--inputs", "supply,load"}).status, 0);
}

TEST(Linearize, OfALargeModelTheFileIsNamedInsteadOfThousandsOfRows) {
    const Folder folder;
    folder.write("m.yaml",
                 "model: m\ncomponents:\n  s: {type: Se, e: 1, size: 101}\n  j: {type: 1}\n"
                 "  r: {type: R, R: 1}\n  c: {type: C, C: 1, initial: {q: 0}}\n"
                 "bonds: [s -> j, j -> r, j -> c]\noutputs: ['c.q[1]']\n");
    const std::string counts =
        "  101 states, 101 inputs, 1 outputs: matrices and eigenvalues are too large to be shown; ";
    const Outcome shown = folder.run({"linearize", "m.yaml"});
    EXPECT_EQ(shown.status, 0) << shown.err;
    EXPECT_THAT(shown.out, testing::EndsWith(counts + "-o FILE writes them\n"));
    const Outcome kept = folder.run({"linearize", "m.yaml", "-o", "linear.json"});
    EXPECT_THAT(kept.out, testing::EndsWith(counts + "'linear.json' has them\n"));
    EXPECT_EQ(Json::parse(folder.read("linear.json"))["eigenvalues"].size(), 101U);
}

// q' = -q^2 from 1.
TEST(Linearize, SeveralTimesHaveAReportEach) {
    const Folder folder;
    const std::string model = folder.write("m.yaml", R"(model: m
components:
  n: {type: 0}
  c: {type: C, C: 1, initial: {e: 1}}
  r: {type: R, law: f = e^2}
bonds: [n -> c, n -> r]
experiment: {stop: 5 s, tolerance: 1e-9}
)");
    const Outcome shown = folder.run({"linearize", model, "--at", "0s, 1s,3s"});
    EXPECT_EQ(shown.status, 0) << shown.err;
    EXPECT_THAT(shown.out, testing::HasSubstr("At t = 0 s\n"));
    EXPECT_THAT(shown.out, testing::HasSubstr("At t = 3 s\n"));
    const Outcome written = folder.run({"linearize", model, "--at", "0s,1s,3s", "-o", "-"});
    const auto json = nlohmann::json::parse(written.out);
    ASSERT_EQ(json["points"].size(), 3U);
    // q = 1/(1 + t), A = -2 q
    for (const auto& [k, t] : {std::pair{0, 0.0}, std::pair{1, 1.0}, std::pair{2, 3.0}}) {
        EXPECT_EQ(json["points"][k]["time"], t);
        EXPECT_NEAR(json["points"][k]["A"][0][0].get<double>(), -2.0 / (1.0 + t), 1e-6);
    }
    const Outcome nothing = folder.run({"linearize", model, "--at", "1s,,2s"});
    EXPECT_EQ(nothing.status, 1);
    EXPECT_EQ(nothing.err, "error: --at takes times separated by commas, as in --at 1ms,2ms\n");
}

TEST(TransferFunctions, JsonListsEveryChannel) {
    const Folder folder;
    const Outcome o = folder.run({"linearize", folder.write("m.yaml", kMotor), "--tf", "-o", "-"});
    EXPECT_EQ(o.status, 0) << o.err;
    const Json report = Json::parse(o.out);
    ASSERT_EQ(report["transfer_functions"].size(), 4U);
    const Json& h = report["transfer_functions"][0];
    std::vector<std::string> keys;
    for (const auto& [key, value] : h.items()) keys.push_back(key);
    EXPECT_THAT(keys,
                testing::ElementsAre("input", "output", "poles", "zeros", "gain", "static_gain", "high_frequency_gain",
                                     "numerator", "denominator", "cancelled", "disagreement"));
    EXPECT_EQ(h["input"], "supply.e");
    EXPECT_EQ(h["output"], "J.f");
    // Golden row 17: 0.0999 rad/s per volt.
    EXPECT_NEAR(h["static_gain"].get<double>(), 0.01 / 0.1001, 1e-12);
    EXPECT_NEAR(h["poles"][1]["re"].get<double>(), -2.0025, 1e-4);
    EXPECT_EQ(h["poles"][1]["multiplicity"], 1);
    EXPECT_EQ(h["zeros"], Json::array());
    // Torque to current: the load turns the machine into a generator.
    EXPECT_EQ(report["transfer_functions"][3]["input"], "load.e");
    EXPECT_NEAR(report["transfer_functions"][3]["static_gain"].get<double>(), -0.01 / 0.1001, 1e-12);
}

TEST(TransferFunctions, AreOnlyGivenWhenAskedFor) {
    const Folder folder;
    const Outcome o = folder.run({"linearize", folder.write("m.yaml", kMotor), "-o", "-"});
    EXPECT_FALSE(Json::parse(o.out).contains("transfer_functions"));
}

TEST(TransferFunctions, TextShowsPolynomialsAndRoots) {
    const Folder folder;
    const Outcome o =
        folder.run({"linearize", folder.write("m.yaml", kMotor), "--tf", "--inputs", "supply", "--outputs", "L.f"});
    EXPECT_THAT(o.out, HasSubstr("Transfer function L.f / supply.e\n"));
    EXPECT_THAT(o.out, testing::ContainsRegex("numerator +2 s \\+ 20\n"));
    EXPECT_THAT(o.out, testing::ContainsRegex("denominator +s\\^2 \\+ 12 s \\+ 20\\.02\n"));
    EXPECT_THAT(o.out, testing::ContainsRegex("zeros \\[1/s\\] +-10\n"));
    EXPECT_THAT(o.out, Not(HasSubstr("CAUTION")));
}

TEST(TransferFunctions, OutputsDefaultToTheStates) {
    const Folder folder;
    folder.write("m.yaml",
                 "model: m\ncomponents: {s: {type: Se, e: 1}, j: {type: 1}, r: {type: R, R: 1}, l: {type: I, I: 1}}\n"
                 "bonds: [s -> j, j -> r, j -> l]\n");
    EXPECT_THAT(folder.run({"linearize", "m.yaml", "--tf"}).out, HasSubstr("Transfer function l.p / s.e\n"));
}

TEST(TransferFunctions, WithoutASourceAreWrongUsage) {
    const Folder folder;
    folder.write("m.yaml",
                 "model: m\ncomponents: {j: {type: 1}, r: {type: R, R: 1}, l: {type: I, I: 1}}\n"
                 "bonds: [j -> r, j -> l]\n");
    const Outcome o = folder.run({"linearize", "m.yaml", "--tf"});
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.err, "error: a transfer function begins at a source, and the model has none\n");
}

TEST(TransferFunctions, AreDrawnAsBodeAndStepPlots) {
    const Folder folder;
    const Outcome o = folder.run(
        {"linearize", folder.write("m.yaml", kMotor), "--bode", "bode.svg", "--step", "step.svg", "--outputs", "J.f"});
    EXPECT_EQ(o.status, 0) << o.err;
    const std::string bode = folder.read("bode.svg");
    for (const char* text :
         {"<svg", "Magnitude", "Phase", "J.f / supply.e", "J.f / load.e", "angular frequency [rad/s]", "[dB]", "[deg]"})
        EXPECT_THAT(bode, HasSubstr(text));
    const std::string step = folder.read("step.svg");
    for (const char* text :
         {"<svg", "Answer to a unit step of supply.e", "Answer to a unit step of load.e", "time [s]"})
        EXPECT_THAT(step, HasSubstr(text));
}

TEST(TransferFunctions, APlotNobodyCanDrawIsAnError) {
    const Folder folder;
    const Outcome o =
        folder.run({"linearize", folder.write("m.yaml", kMotor), "--bode", "bode.svg"}, {"PATH=/nonexistent"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, HasSubstr("plots need the program gnuplot"));
    EXPECT_FALSE(folder.has("bode.svg"));
}

TEST(Mason, IsShownInTheUsersNamesAndChecked) {
    const Folder folder;
    const Outcome o =
        folder.run({"linearize", folder.write("m.yaml", kMotor), "--mason", "--inputs", "supply", "--outputs", "J.f"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("Mason's rule for J.f / supply.e\n"));
    EXPECT_THAT(o.out, testing::ContainsRegex("P1 +K/\\(L\\*J\\*s\\^2\\) +supply\\.e > L\\.e > "));
    EXPECT_THAT(o.out, HasSubstr("= 1 - L1 - L2 - L3 + L1*L2\n"));
    EXPECT_THAT(o.out, HasSubstr("= K/(L*J*s^2 + (R*J + L*b)*s + R*b + K^2)\n"));
    EXPECT_THAT(o.out, HasSubstr("with R = 1 (R.R), L = 0.5 (L.I), K = 0.01, J = 0.01 (J.I), b = 0.1 (b.R)\n"));
    EXPECT_THAT(o.out, HasSubstr("The matrices A, B, C, D give the same.\n"));
}

TEST(Mason, JsonHoldsPathsLoopsAndTheCheck) {
    const Folder folder;
    const Outcome o = folder.run({"linearize", folder.write("m.yaml", kMotor), "--mason", "-o", "-"});
    const Json mason = Json::parse(o.out)["mason"];
    EXPECT_EQ(mason["parameters"]["K"], 0.01);
    ASSERT_EQ(mason["channels"].size(), 4U);
    const Json& channel = mason["channels"][0];
    EXPECT_EQ(channel["paths"][0]["cofactor"], "1");
    EXPECT_EQ(channel["loops"].size(), 3U);
    EXPECT_EQ(channel["non_touching"], Json::parse("[[0, 1]]"));
    EXPECT_EQ(channel["numerator"], "K");
    EXPECT_LT(channel["disagreement"].get<double>(), 1e-12);
}

TEST(Mason, OfANonlinearModelIsRefusedWithTheLaw) {
    const Folder folder;
    folder.write("m.yaml",
                 "model: m\ncomponents: {s: {type: Se, e: 1}, j: {type: 1}, r: {type: R, law: e = f^3}, "
                 "l: {type: I, I: 1}}\nbonds: [s -> j, j -> r, j -> l]\n");
    const Outcome o = folder.run({"linearize", "m.yaml", "--mason"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, HasSubstr("--mason: the law of 'r' is not linear with constant coefficients"));
}

// Two circuits that don't touch.
constexpr const char* kApart = R"(model: apart
components: {s: {type: Se, e: 1}, j: {type: 1}, r: {type: R, R: 1}, c: {type: C, C: 1}, t: {type: Se, e: 1}, k: {type: 1}, q: {type: R, R: 1}, d: {type: C, C: 1}}
bonds: [s -> j, j -> r, j -> c, t -> k, k -> q, k -> d]
)";

TEST(Bode, WhereNothingActsThereIsNothingToDraw) {
    const Folder folder;
    folder.write("m.yaml", kApart);
    const Outcome none = folder.run({"linearize", "m.yaml", "--inputs", "s", "--outputs", "d.e", "--bode", "b.svg"});
    EXPECT_EQ(none.status, 1);
    EXPECT_THAT(none.err, HasSubstr("no input acts on any of the outputs: there is nothing to draw"));
    EXPECT_FALSE(folder.has("b.svg"));
    const Outcome one =
        folder.run({"linearize", "m.yaml", "--inputs", "s", "--outputs", "c.e, d.e", "--bode", "b.svg"});
    EXPECT_EQ(one.status, 0) << one.err;
    EXPECT_THAT(one.err, HasSubstr("note: s.e does not act on d.e, which has no curve for it\n"));
}

TEST(Bode, OnStandardOutputStandsAlone) {
    const Folder folder;
    const Outcome o = folder.run({"linearize", folder.write("m.yaml", kApart), "--outputs", "c.e", "--bode", "-"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.out, testing::StartsWith("<?xml"));
}

TEST(Mason, AnOutputThatIsNotLinearIsLeftOut) {
    const Folder folder;
    const Outcome o = folder.run({"linearize", folder.write("m.yaml", kCharging), "--mason", "--tf"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.err, HasSubstr("warning: --mason leaves one out: 'feed.power' is not linear"));
    EXPECT_THAT(o.out, HasSubstr("Mason's rule for C1.e / source.e\n"));
    EXPECT_THAT(o.out, Not(HasSubstr("Mason's rule for feed.power")));
    EXPECT_THAT(o.out, HasSubstr("Transfer function feed.power / source.e\n"));
}

// Balanced but for rounding: neither the formula nor the matrices give exactly 0.
constexpr const char* kBridge = R"(model: bridge
components:
  s: {type: Se, e: 10}
  top: {type: 0}
  j1: {type: 1}
  j3: {type: 1}
  a: {type: 0}
  b: {type: 0}
  r1: {type: R, R: 0.1}
  r2: {type: R, R: 0.3}
  r3: {type: R, R: 0.7}
  r4: {type: R, R: 2.1}
  m: {type: 1}
  coil: {type: I, I: 0.1}
bonds: [s -> top, top -> j1, j1 -> r1, j1 -> a, a -> r2, top -> j3, j3 -> r3, j3 -> b, b -> r4, a -> m, m -> coil, m -> b]
outputs: [coil.f]
)";

TEST(Mason, WhatRoundingLeavesOfZeroIsNoDisagreement) {
    const Folder folder;
    const Outcome o = folder.run({"linearize", folder.write("m.yaml", kBridge), "--mason"});
    EXPECT_THAT(o.out, HasSubstr("The matrices A, B, C, D give the same.\n"));
    EXPECT_THAT(o.out, Not(HasSubstr("CAUTION")));
}

// Products of six parameters of 1e-60 are no double numbers any more.
TEST(Mason, ProductsOfSmallParametersDontVanish) {
    std::string text = "model: m\ncomponents:\n  s: {type: Se, e: 1}\n  r: {type: R, R: 1}\n  j3: {type: 1}\n";
    std::string bonds = "bonds:\n  - s -> j0\n  - j3 -> r\n";
    for (int k = 0; k < 3; ++k) {
        text += fmt::format("  c{0}: {{type: C, C: 1e-60}}\n  i{0}: {{type: I, I: 1e-60}}\n  n{0}: {{type: 0}}\n", k);
        text += fmt::format("  j{}: {{type: 1}}\n", k);
        bonds += fmt::format("  - j{0} -> i{0}\n  - j{0} -> n{0}\n  - n{0} -> c{0}\n  - n{0} -> j{1}\n", k, k + 1);
    }
    const Folder folder;
    const Outcome o = folder.run({"linearize", folder.write("m.yaml", text + bonds), "--mason", "--outputs", "r.f"});
    EXPECT_THAT(o.out, HasSubstr("The matrices A, B, C, D give the same.\n")) << o.err;
}

TEST(Mason, TooManyLoopsAreWrongUsage) {
    const ReadersFolder folder;
    const ShellResult result =
        folder.run("bondgraph linearize models/translational/half_car.yaml --mason --outputs body_mass.f");
    EXPECT_EQ(result.status, 1);
    EXPECT_THAT(result.output, HasSubstr("lie more than 12 loops or 50 paths; --tf gives the transfer function"));
}

TEST(CausalGains, AreShownForPathsAndLoops) {
    const Folder folder;
    const Outcome o = folder.run({"causality", folder.write("m.yaml", kCharging)});
    EXPECT_THAT(o.out, testing::ContainsRegex("C1 -> R1 +C1\\.e > R1\\.e +gain -1\n"));
    EXPECT_THAT(o.out, HasSubstr("Causal loops and their gains (1/s: an integration)\n  -1/(R1*C1*s)  "));
    EXPECT_THAT(o.out, HasSubstr("  with R1 = 1000 (R1.R), C1 = 1e-06 (C1.C)\n"));
    const Json report = Json::parse(folder.run({"causality", "m.yaml", "--format", "json"}).out);
    EXPECT_EQ(report["causal_loops"][0]["gain"], "-1/(R1*C1*s)");
    EXPECT_EQ(report["parameters"]["R1"], 1000.0);
}

TEST(CausalGains, OfANonlinearModelAreLeftOutWithTheReason) {
    const Folder folder;
    folder.write("m.yaml",
                 "model: m\ncomponents: {j: {type: 1}, r: {type: R, law: e = f^3}, l: {type: I, I: 1}}\n"
                 "bonds: [j -> r, j -> l]\n");
    EXPECT_THAT(folder.run({"causality", "m.yaml"}).out,
                HasSubstr("Gains of causal loops: not shown, the law of 'r' is not linear with constant coefficients"));
    const Json report = Json::parse(folder.run({"causality", "m.yaml", "--format", "json"}).out);
    EXPECT_TRUE(report["causal_loops"].is_null());
    EXPECT_TRUE(report["paths"][0]["gain"].is_null());
}

// Poles, zeros and gains of the textbook systems with a source, each against numpy's eigenvalues of the same matrices,
// scipy's generalized eigenvalues of the Rosenbrock pencil and scipy's own transfer function.
TEST(TransferFunctions, OfTheGoldenSystemsAreThoseOfScipy) {
    const ReadersFolder folder;
    if (folder.run("/usr/bin/python3 -c 'import scipy'").status != 0) GTEST_SKIP() << "python3-scipy is not installed";
    struct Row {
        const char* file;
        const char* outputs;
    };
    const std::vector<Row> rows{
        {"electrical/rc", "capacitor.e,resistor.e,resistor.f"},
        {"electrical/rl", "coil.f"},
        {"electrical/series_rlc", "coil.f,capacitor.e,resistor.e,coil.e"},
        {"electrical/parallel_rlc", ""},
        {"electrical/voltage_divider", "lower.e,upper.f"},
        {"electrical/parallel_capacitors", ""},
        {"electrical/loaded_lc_filter", "load.e,coil.f,winding.e"},
        {"translational/mass_spring_damper", ""},
        {"translational/rigidly_joined_masses", ""},
        {"translational/half_car", "body_mass.f,body_inertia.f,front_spring.e,rear_spring.e,front_spring.f"},
        {"rotational/geared_shaft", "rotor.f,load.f,shaft.e"},
        {"electromechanical/motor_step_response", "rotor.f,coil.f,coil.e"},
        {"electromechanical/hoist", "rotor.f,coil.f,mass.f"},
        {"electromechanical/loudspeaker", "coil.f,membrane.f,surround.q"},
        {"hydraulic/cascaded_tanks", ""},
        {"hydraulic/ram_incompressible", ""},
        {"thermal/wall", ""},
    };
    std::string files;
    for (const Row& row : rows) {
        std::string name = row.file;
        const std::string json = name.substr(name.find('/') + 1) + ".json";
        const std::string outputs = *row.outputs == '\0' ? "" : std::string(" --outputs ") + row.outputs;
        const ShellResult made = folder.run("bondgraph linearize models/" + name + ".yaml --tf -o " + json + outputs);
        ASSERT_EQ(made.status, 0) << name << ": " << made.output;
        EXPECT_THAT(made.output, Not(HasSubstr("CAUTION"))) << name;
        files += " " + json;
    }
    const ShellResult compared =
        folder.run("/usr/bin/python3 " + test::source_folder() + "/tests/cli/against_scipy.py" + files);
    EXPECT_EQ(compared.status, 0) << compared.output;
    // At least one channel per system.
    EXPECT_GE(std::stoi("0" + compared.output), static_cast<int>(rows.size())) << compared.output;
}

TEST(EquationsInSymbols, StandByTheUsersNames) {
    const Folder folder;
    const Outcome o = folder.run({"equations", folder.write("m.yaml", kMotor), "--symbols"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.out, testing::ContainsRegex("L\\.f  =  L\\.p/L\n"));
    EXPECT_THAT(o.out, testing::ContainsRegex("emf\\.p1\\.e  =  J\\.f\\*K\n"));
    EXPECT_THAT(o.out, testing::ContainsRegex("\n +J  =  0\\.01  J\\.I\n"));
    EXPECT_THAT(o.out, HasSubstr("State space in symbols\n"));
    EXPECT_THAT(o.out, testing::ContainsRegex("L\\.p +-R/L +-K/J\n"));
}

TEST(EquationsInSymbols, JsonHasMatricesOfTexts) {
    const Folder folder;
    const Json report =
        Json::parse(folder.run({"equations", folder.write("m.yaml", kMotor), "--symbols", "--format", "json"}).out);
    EXPECT_EQ(report["parameters"]["b"], 0.1);
    const Json& space = report["state_space"];
    EXPECT_EQ(space["outputs"], Json({"J.f", "L.f"}));
    EXPECT_EQ(space["states"], Json({"L.p", "J.p"}));
    EXPECT_EQ(space["symbolic"]["A"], Json::parse(R"([["-R/L", "-K/J"], ["K/L", "-b/J"]])"));
    EXPECT_EQ(space["symbolic"]["B"], Json::parse(R"([["1", "0"], ["0", "1"]])"));
    EXPECT_EQ(space["symbolic"]["C"], Json::parse(R"([["0", "1/J"], ["1/L", "0"]])"));
    EXPECT_EQ(space["C"], Json::parse("[[0, 100], [2, 0]]"));
}

TEST(EquationsInSymbols, OfWrappedMechanicsAreRefused) {
    const ReadersFolder folder;
    const ShellResult r = folder.run("bondgraph equations models/mechanics3d/pendulum_with_a_joint.yaml --symbols");
    EXPECT_EQ(r.status, 1);
    EXPECT_THAT(r.output, HasSubstr("error: --symbols: the equations of this model need numbers: "));
}

TEST(EquationsByElement, StandUnderTheirElements) {
    const Folder folder;
    const Outcome o = folder.run({"equations", folder.write("m.yaml", kMotor), "--by-element"});
    EXPECT_THAT(o.out, testing::ContainsRegex("L \\(I\\)\n +L\\.f  =  L\\.p/0\\.5\n +der\\(L\\.p\\)  =  L\\.e\n"));
    EXPECT_THAT(o.out, HasSubstr("emf (GY)\n"));
}

/// What pdflatex says of the equations of models on the narrow page of the article class.
std::string typeset(const ReadersFolder& folder, std::initializer_list<const char*> models,
                    const std::string& where = "models/") {
    std::string document = "\\documentclass{article}\n\\usepackage{amsmath}\n\\begin{document}\n";
    for (const char* model : models) {
        const ShellResult r = folder.run("bondgraph equations --format latex " + where + model);
        EXPECT_EQ(r.status, 0) << model << ": " << r.output;
        document += "\\section{x}\n" + r.output + "\n";
    }
    document += "\\end{document}\n";
    std::ofstream(folder.path() / "equations.tex") << document;
    const ShellResult compiled = folder.run("pdflatex -halt-on-error -interaction=nonstopmode equations.tex");
    EXPECT_EQ(compiled.status, 0) << compiled.output.substr(
        compiled.output.size() > 3000 ? compiled.output.size() - 3000 : 0);
    EXPECT_TRUE(std::filesystem::exists(folder.path() / "equations.pdf"));
    return compiled.output;
}

// Every form of LaTeX, of models with all that may occur: fractions, matrices, conditions, events, tables, vectors.
// Wide ones are broken: nothing leaves the page.
TEST(EquationsLatex, CompilesAndStaysOnThePage) {
    const ReadersFolder folder;
    if (folder.run("pdflatex --version").status != 0) GTEST_SKIP() << "pdflatex is not installed";
    const std::string said = typeset(
        folder, {"electromechanical/hoist.yaml --symbols --by-element", "electromechanical/dc_motor.yaml",
                 "electrical/voltage_divider.yaml --symbols", "electrical/rectifier_bridge.yaml",
                 "electrical/rc_ladder_picofarad.yaml --by-element", "hydraulic/pipe_in_sections.yaml",
                 "signals/table_driven_rc.yaml", "signals/sampled_control.yaml", "nonlinear/symmetric_top.yaml",
                 "multibond/three_phase_coil.yaml --symbols", "mechanics3d/double_pendulum.yaml",
                 "mechanics3d/hydraulic_crane.yaml", "translational/half_car.yaml --symbols",
                 "translational/mass_chain.yaml", "electromechanical/induction_motor.yaml",
                 "translational/mass_chain.yaml --port-hamiltonian", "translational/half_car.yaml --port-hamiltonian"});
    const std::size_t wide = said.find("Overfull \\hbox");
    EXPECT_EQ(wide, std::string::npos) << said.substr(std::min(wide, said.size()), 300);
}

// The letters of all languages may stand in names; what pdflatex has no letter for, the output says what to do about.
TEST(EquationsLatex, CompilesWithLettersOfOtherLanguages) {
    const ReadersFolder folder;
    if (folder.run("pdflatex --version").status != 0) GTEST_SKIP() << "pdflatex is not installed";
    const std::string model =
        "model: größe\ncomponents:\n  Quelle_ä: {type: Se, e: 1 V}\n  j: {type: 1}\n  Widerstand_Ω: {type: R, R: 1 "
        "ohm}\n"
        "  φ: {type: I, I: 1 H}\n  č: {type: R, R: 1 ohm}\n  NAME: {type: C, C: 1 F}\n"
        "bonds: [Quelle_ä -> j, j -> Widerstand_Ω, j -> φ, j -> č, j -> NAME]\n";
    const auto written_as = [&](const std::string& name) {
        std::string text = model;
        for (std::size_t at = text.find("NAME"); at != std::string::npos; at = text.find("NAME"))
            text.replace(at, 4, name);
        std::ofstream(folder.path() / "letters.yaml") << text;
    };
    written_as("Straße");
    EXPECT_THAT(folder.run("bondgraph equations --format latex letters.yaml").output,
                Not(HasSubstr("DeclareUnicodeCharacter")));
    typeset(folder, {"letters.yaml --by-element", "letters.yaml --symbols"}, "");
    written_as("抵抗");
    EXPECT_THAT(folder.run("bondgraph equations --format latex letters.yaml").output,
                testing::StartsWith(
                    "% Names have letters that pdflatex lacks: use lualatex or xelatex with a font that has them, "
                    "or put into the\n% preamble how pdflatex is to write them, such as\n"
                    "% \\DeclareUnicodeCharacter{6297}{[6297]}\n% \\DeclareUnicodeCharacter{62B5}{[62B5]}\n"));
}

// Conditions inside conditions are not broken and may leave the page.
TEST(EquationsLatex, CompilesWithConditionsInsideConditions) {
    const ReadersFolder folder;
    if (folder.run("pdflatex --version").status != 0) GTEST_SKIP() << "pdflatex is not installed";
    typeset(folder, {"translational/bouncing_ball.yaml"});
}

TEST(Mason, ADetectorOfPowerBesideALinearModelLeavesItsOutputOutOnly) {
    const Folder folder;
    const std::string file = folder.write("m.yaml",
                                          "model: watched\n"
                                          "components:\n"
                                          "  s: {type: Se, e: 1 V}\n"
                                          "  j: {type: 1}\n"
                                          "  r: {type: R, R: 1 ohm}\n"
                                          "  l: {type: I, I: 1 H}\n"
                                          "  p: {type: Power}\n"
                                          "bonds: [s -> p.p1, p.p2 -> j, j -> r, j -> l]\n"
                                          "outputs: [l.f, p.y]\n");
    const Outcome o = folder.run({"linearize", file, "--mason"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.out, HasSubstr("= 1/(l*s + r)"));
    EXPECT_THAT(o.err, HasSubstr("leaves one out: the law of 'p' is not linear"));
    EXPECT_THAT(folder.run({"causality", file}).out, HasSubstr("-r/(l*s)"));
}

}  // namespace
}  // namespace bondgraph::cli
