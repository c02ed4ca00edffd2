#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numbers>

#include "tests/cli/command.hpp"

namespace bondgraph::cli {
namespace {

using Json = nlohmann::ordered_json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

// Two masses on one shaft: the second follows the first.
constexpr const char* kRigid = R"(model: rigid
components:
  push: {type: Se, e: 3 N}
  j: {type: 1}
  first: {type: I, I: 1 kg, initial: {f: 0 m/s}}
  second: {type: I, I: 2 kg}
bonds: [push -> j, j -> first, j -> second]
)";

// A divider: neither resistor can be computed without the other.
constexpr const char* kDivider = R"(model: divider
components:
  s: {type: Se, e: 12 V}
  j: {type: 1}
  upper: {type: R, R: 1 kohm}
  lower: {type: R, R: 3 kohm}
bonds: [s -> j, j -> upper, j -> lower]
)";

// m = 1 kg, k = 100 N/m, d = 2 N.s/m: eigenvalues −1 ± j·sqrt(99).
constexpr const char* kOscillator = R"(model: oscillator
components:
  push: {type: Se, e: 0 N}
  j: {type: 1}
  m: {type: I, I: 1 kg, initial: {f: 0 m/s}}
  k: {type: C, K: 100 N/m, initial: {q: 1 cm}}
  d: {type: R, R: 2 N.s/m}
bonds: [push -> j, j -> m, j -> k, j -> d]
experiment: {stop: 1 s}
)";

// y' = u − y³ around the point it rests in.
constexpr const char* kCubic = R"(model: cubic
components:
  s: {type: Sf, f: 8}
  n: {type: 0}
  c: {type: C, C: 1, initial: {e: 0}}
  r: {type: R, law: f = e^3}
bonds: [s -> n, n -> c, n -> r]
experiment: {stop: 1 s, tolerance: 1e-9}
)";

Json json_of(const Folder& folder, const std::vector<std::string>& arguments) {
    const Outcome o = folder.run(arguments);
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.err, IsEmpty());
    return Json::parse(o.out, nullptr, false);
}

std::vector<std::string> keys(const Json& object) {
    std::vector<std::string> result;
    for (const auto& [key, value] : object.items()) result.push_back(key);
    return result;
}

TEST(Check, JsonHasExactlyThePromisedKeys) {
    const Folder folder;
    const Json report = json_of(folder, {"check", folder.write("m.yaml", kCharging), "--format", "json"});
    EXPECT_THAT(keys(report),
                ElementsAre("states", "dependent_storages", "dependent_variables", "closed_loops", "algebraic_loops",
                            "constraints_removed", "set_to_zero", "modes", "equations", "unknowns", "operations"));
    EXPECT_EQ(report["states"], Json({"C1.q"}));
    EXPECT_EQ(report["dependent_storages"], Json::array());
    EXPECT_EQ(report["algebraic_loops"], Json::array());
    for (const char* none : {"dependent_variables", "closed_loops", "constraints_removed", "set_to_zero"})
        EXPECT_EQ(report[none], Json::array()) << none;
    EXPECT_EQ(report["modes"], Json::object());
    // Three bonds of two variables and a charge; as many equations as unknowns.
    EXPECT_EQ(report["unknowns"], 7);
    EXPECT_EQ(report["equations"], 7);
}

TEST(Check, ADependentStorageComesWithWhatDeterminesIt) {
    const Folder folder;
    const Json report = json_of(folder, {"check", folder.write("m.yaml", kRigid), "--format", "json"});
    EXPECT_EQ(report["states"], Json({"first.p"}));
    ASSERT_EQ(report["dependent_storages"].size(), 1U);
    EXPECT_EQ(report["dependent_storages"][0]["name"], "second");
    EXPECT_EQ(report["dependent_storages"][0]["depends_on"], Json({"first"}));
}

TEST(Check, AnAlgebraicLoopNamesItsElementsAndWhatIsSolvedFor) {
    const Folder folder;
    const Json report = json_of(folder, {"check", folder.write("m.yaml", kDivider), "--format", "json"});
    ASSERT_EQ(report["algebraic_loops"].size(), 1U);
    const Json& loop = report["algebraic_loops"][0];
    EXPECT_EQ(loop["elements"], Json({"upper", "lower"}));
    ASSERT_EQ(loop["torn"].size(), 1U);
    EXPECT_THAT(loop["torn"][0].get<std::string>(), testing::MatchesRegex("(upper|lower)\\.[ef]"));
}

TEST(Check, TextSaysTheSameOnStandardOutput) {
    const Folder folder;
    const Outcome o = folder.run({"check", folder.write("m.yaml", kRigid)});
    EXPECT_EQ(o.status, 0);
    EXPECT_THAT(o.err, IsEmpty());
    EXPECT_THAT(o.out, HasSubstr("States: 1\n  first.p\n"));
    EXPECT_THAT(o.out, HasSubstr("  second depends on first\n"));
    EXPECT_THAT(o.out, HasSubstr("Algebraic loops: none\n"));
}

TEST(Check, WarningsGoToStandardErrorAndChangeNoStatus) {
    const Folder folder;
    // Half arrows against the resistor's own direction are allowed between a component and a junction, but warned of
    // where two components meet.
    folder.write("m.yaml", "model: m\ncomponents:\n  s: {type: Se, e: 1}\n  r: {type: R, R: 1}\nbonds: [r -> s]\n");
    const Outcome o = folder.run({"check", "m.yaml", "--format", "json"});
    EXPECT_EQ(o.status, 0) << o.err;
    EXPECT_THAT(o.err, HasSubstr("m.yaml:5:9: warning: "));
    EXPECT_TRUE(Json::accept(o.out));
}

TEST(Causality, JsonTellsStrokeAndReasonOfEveryBond) {
    const Folder folder;
    const Json report = json_of(folder, {"causality", folder.write("m.yaml", kCharging), "--format", "json"});
    EXPECT_THAT(keys(report),
                ElementsAre("modes", "bonds", "storages", "paths", "loops", "causal_loops", "parameters"));
    ASSERT_EQ(report["bonds"].size(), 3U);
    const Json& source = report["bonds"][0];
    EXPECT_THAT(keys(source), ElementsAre("name", "from", "to", "component", "stroke", "reason", "kind"));
    EXPECT_EQ(source["from"], "source");
    EXPECT_EQ(source["to"], "loop");
    EXPECT_EQ(source["stroke"], "to");  // the effort of an effort source acts on the junction
    EXPECT_EQ(source["kind"], "source");
    const Json& capacitor = report["bonds"][2];
    EXPECT_EQ(capacitor["name"], "feed");
    EXPECT_EQ(capacitor["stroke"], "from");  // a capacitor in integral causality gives effort
    EXPECT_EQ(capacitor["kind"], "integral");
    EXPECT_EQ(report["storages"], Json::parse(R"([{"name": "C1", "causality": "integral", "depends_on": []}])"));
    EXPECT_EQ(report["loops"], Json::array());
}

TEST(Causality, ABondDrawnBackwardsKeepsItsDrawnDirection) {
    const Folder folder;
    folder.write("m.yaml",
                 "model: m\ncomponents:\n  s: {type: Se, e: 1}\n  j: {type: 1}\n  r: {type: R, R: 1}\n"
                 "bonds: [s -> j, r -> j]\n");
    const Json report = json_of(folder, {"causality", "m.yaml", "--format", "json"});
    EXPECT_EQ(report["bonds"][1]["from"], "r");
    EXPECT_EQ(report["bonds"][1]["to"], "j");
    EXPECT_EQ(report["bonds"][1]["stroke"], "from");  // the junction's effort acts on the resistor
}

TEST(Causality, TextDrawsTheStrokeWhereTheEffortActs) {
    const Folder folder;
    const Outcome o = folder.run({"causality", folder.write("m.yaml", kCharging)});
    EXPECT_EQ(o.status, 0);
    EXPECT_THAT(o.out, testing::ContainsRegex("source  -->\\|  loop +Se 'source' fixes its effort\n"));
    EXPECT_THAT(o.out, testing::ContainsRegex("loop  \\|-->  C1 +C 'C1' takes integral causality\n"));
    EXPECT_THAT(o.out, HasSubstr("Algebraic loops: none\n"));
}

TEST(Causality, AnOwnTypeWithAStateClosesNoLoopWhereItsOutputFollowsFromTheState) {
    const Folder folder;
    const auto loops_of = [&](const std::string& effort) {
        folder.write("m.yaml",
                     "model: m\ntypes:\n"
                     "  Tank:\n    ports: {p: {}}\n    variables: [V, h]\n"
                     "    equations: [der(V) = p.f, h = 2*V, p.e = " +
                         effort +
                         "]\n"
                         "  Valve: {ports: {p: {}}, equations: [p.f = 3*p.e]}\n"
                         "components:\n  t: {type: Tank, initial: {V: 1}}\n  v: {type: Valve}\n  j: {type: 0}\n"
                         "bonds: [j -> t, j -> v]\n");
        const Json check = json_of(folder, {"check", "m.yaml", "--format", "json"});
        const std::size_t loops = json_of(folder, {"causality", "m.yaml", "--format", "json"})["loops"].size();
        EXPECT_EQ(check["algebraic_loops"].size(), loops) << effort;
        return loops;
    };
    EXPECT_EQ(loops_of("h"), 0U);
    EXPECT_EQ(loops_of("h + 5*p.f"), 1U);
}

TEST(Causality, AnAlgebraicLoopIsAClosedPath) {
    const Folder folder;
    folder.write("m.yaml", kDivider);
    const Json report = json_of(folder, {"causality", "m.yaml", "--format", "json"});
    ASSERT_EQ(report["loops"].size(), 1U);
    EXPECT_EQ(report["loops"][0]["elements"], Json({"upper", "lower"}));
    EXPECT_EQ(report["loops"][0]["path"].size(), 4U);  // effort and flow of either resistor
}

TEST(Causality, EveryComponentOfAMultibondHasItsRow) {
    const Folder folder;
    folder.write("m.yaml",
                 "model: m\ncomponents:\n  s: {type: Se, e: [1, 2]}\n  j: {type: 1, size: 2}\n"
                 "  r: {type: R, R: 1}\nbonds: [s -> j, j -> r]\n");
    const Json report = json_of(folder, {"causality", "m.yaml", "--format", "json"});
    ASSERT_EQ(report["bonds"].size(), 4U);
    EXPECT_EQ(report["bonds"][1]["name"], "s");
    EXPECT_EQ(report["bonds"][1]["component"], 2);
}

TEST(Equations, AreSortedAndFreeOfAliases) {
    const Folder folder;
    const Json report = json_of(folder, {"equations", folder.write("m.yaml", kOscillator), "--format", "json"});
    EXPECT_THAT(keys(report), ElementsAre("abbreviations", "assignments", "states", "implicit", "discrete", "when",
                                          "modes", "parameters", "state_space"));
    std::vector<std::string> defined{"m.p", "k.q"};
    for (const Json& a : report["assignments"]) {
        EXPECT_THAT(keys(a), ElementsAre("variable", "expression", "element"));
        EXPECT_THAT(a["expression"].get<std::string>(), Not(testing::MatchesRegex("-?[a-z]+\\.[a-z]+")));
        // Whatever a right side names has been computed before.
        for (const char* name : {"m.e", "m.f", "k.e", "k.f", "d.e", "d.f", "push.e", "push.f"}) {
            if (a["expression"].get<std::string>().find(name) == std::string::npos) continue;
            EXPECT_THAT(defined, testing::Contains(name));
        }
        defined.push_back(a["variable"]);
    }
    ASSERT_EQ(report["states"].size(), 2U);
    EXPECT_EQ(report["states"][0]["state"], "m.p");
    EXPECT_EQ(report["implicit"], Json::array());
}

TEST(Equations, ALinearModelHasItsStateSpace) {
    const Folder folder;
    const Json space =
        json_of(folder, {"equations", folder.write("m.yaml", kOscillator), "--format", "json"})["state_space"];
    EXPECT_EQ(space["states"], Json({"m.p", "k.q"}));
    EXPECT_EQ(space["A"], Json::parse("[[-2, -100], [1, 0]]"));
    EXPECT_EQ(space["B"], Json::parse("[[1], [0]]"));
}

TEST(Equations, ANonlinearModelHasNone) {
    const Folder folder;
    const Json report = json_of(folder, {"equations", folder.write("m.yaml", kCubic), "--format", "json"});
    EXPECT_TRUE(report["state_space"].is_null());
}

TEST(Equations, ALoopIsShownAsResidual) {
    const Folder folder;
    folder.write("m.yaml", kDivider);
    const Json report = json_of(folder, {"equations", "m.yaml", "--format", "json"});
    ASSERT_EQ(report["implicit"].size(), 1U);
    EXPECT_THAT(keys(report["implicit"][0]), ElementsAre("variable", "residual", "element"));
    const Outcome text = folder.run({"equations", "m.yaml"});
    EXPECT_THAT(text.out,
                testing::ContainsRegex("Implicit equations \\(solved together\\)\n  0  =  .*  for (upper|lower)\\."));
}

TEST(Equations, TextAndLatexShowTheSame) {
    const Folder folder;
    folder.write("m.yaml", kOscillator);
    const Outcome text = folder.run({"equations", "m.yaml"});
    EXPECT_THAT(text.out, HasSubstr("State equations\n"));
    EXPECT_THAT(text.out, testing::ContainsRegex("der\\(m\\.p\\)  =  "));
    EXPECT_THAT(text.out, HasSubstr("State space (linear model)"));
    const Outcome latex = folder.run({"equations", "m.yaml", "--format", "latex"});
    EXPECT_THAT(latex.out, HasSubstr("\\frac{\\mathrm{d}p_{\\mathrm{m}}}{\\mathrm{d}t} &= "));
    EXPECT_THAT(latex.out, HasSubstr("\\begin{bmatrix} -2 & -100 \\\\ 1 & 0 \\end{bmatrix}"));
}

TEST(Linearize, JsonHasThePromisedKeysAndTheClosedFormsEigenvalues) {
    const Folder folder;
    const Json report = json_of(folder, {"linearize", folder.write("m.yaml", kOscillator), "-o", "-"});
    EXPECT_THAT(keys(report), ElementsAre("states", "inputs", "outputs", "A", "B", "C", "D", "eigenvalues"));
    EXPECT_EQ(report["inputs"].size(), 1U);
    EXPECT_EQ(report["outputs"], Json::array());
    ASSERT_EQ(report["eigenvalues"].size(), 2U);
    const Json& mode = report["eigenvalues"][1];
    EXPECT_THAT(keys(mode), ElementsAre("re", "im", "frequency_hz", "damping"));
    EXPECT_NEAR(mode["re"].get<double>(), -1.0, 1e-12);
    EXPECT_NEAR(mode["im"].get<double>(), std::sqrt(99.0), 1e-12);
    EXPECT_NEAR(mode["frequency_hz"].get<double>(), 10.0 / (2.0 * std::numbers::pi), 1e-12);
    EXPECT_NEAR(mode["damping"].get<double>(), 0.1, 1e-12);
}

TEST(Linearize, WritesJsonToAFileAndATableToStandardOutput) {
    const Folder folder;
    const Outcome o = folder.run({"linearize", folder.write("m.yaml", kOscillator), "-o", "lin.json"});
    EXPECT_EQ(o.status, 0);
    EXPECT_THAT(o.out, HasSubstr("Eigenvalues\n"));
    EXPECT_EQ(Json::parse(folder.read("lin.json"))["states"], Json({"m.p", "k.q"}));
}

TEST(Linearize, TakesTheInputsAndOutputsNamed) {
    const Folder folder;
    const Json report = json_of(folder, {"linearize", folder.write("m.yaml", kOscillator), "--inputs", "push",
                                         "--outputs", "k.e,d.f", "-o", "-"});
    EXPECT_EQ(report["outputs"], Json({"k.e", "d.f"}));
    EXPECT_EQ(report["C"], Json::parse("[[0, 100], [1, 0]]"));
    EXPECT_EQ(report["D"], Json::parse("[[0], [0]]"));
}

TEST(Linearize, OutputsDefaultToTheModels) {
    const Folder folder;
    const Json report =
        json_of(folder, {"linearize", folder.write("m.yaml", kCharging), "--set", "C1.C=2 uF", "-o", "-"});
    EXPECT_EQ(report["outputs"], Json({"C1.e", "feed.power"}));
    EXPECT_NEAR(report["A"][0][0].get<double>(), -500.0, 1e-9);
    EXPECT_NEAR(report["C"][0][0].get<double>(), 5e5, 1e-6);
}

TEST(Linearize, AtATimeSimulatesUpToIt) {
    const Folder folder;
    folder.write("m.yaml", kCubic);
    const auto pole = [&](const std::vector<std::string>& more) {
        std::vector<std::string> arguments{"linearize", "m.yaml", "-o", "-"};
        arguments.insert(arguments.end(), more.begin(), more.end());
        return json_of(folder, arguments)["A"][0][0].get<double>();
    };
    EXPECT_NEAR(pole({}), 0.0, 1e-12);
    // At rest y³ = 8, so the rate's slope −3y² is −12.
    EXPECT_NEAR(pole({"--at", "20 s"}), -12.0, 1e-5);
    EXPECT_NEAR(pole({"--at", "0"}), 0.0, 1e-12);
}

TEST(Linearize, NamesThatAreNoneAreWrongUsage) {
    const Folder folder;
    folder.write("m.yaml", kOscillator);
    EXPECT_EQ(folder.run({"linearize", "m.yaml", "--inputs", "pull"}).status, 1);
    const Outcome o = folder.run({"linearize", "m.yaml", "--outputs", "m.q"});
    EXPECT_EQ(o.status, 1);
    EXPECT_THAT(o.err, HasSubstr("error: --outputs: the model has no result 'm.q'"));
    EXPECT_EQ(folder.run({"linearize", "m.yaml", "--at", "-1 s"}).status, 1);
}

TEST(Types, AreListedByGroup) {
    const Outcome o = Folder().run({"types"});
    EXPECT_EQ(o.status, 0);
    for (const char* group : {"Power elements\n", "Fields\n", "Sensors\n", "Wiring\n", "Signals\n"})
        EXPECT_THAT(o.out, HasSubstr(group));
    EXPECT_THAT(o.out, testing::ContainsRegex("\n  TF, MTF +Transformer"));
}

TEST(Types, APageTellsLawUnitsAndSign) {
    const Outcome o = Folder().run({"types", "C"});
    EXPECT_EQ(o.status, 0);
    for (const char* part : {"Law\n", "Ports\n", "Power is positive into the component at p.", "Parameters\n",
                             "States\n", "Units by domain\n", "Example\n", "Source\n", "q or e"}) {
        EXPECT_THAT(o.out, HasSubstr(part));
    }
    EXPECT_THAT(o.out, testing::ContainsRegex("electrical +F +1/F +C\n"));
    EXPECT_THAT(o.out, testing::ContainsRegex("translational +m/N +N/m +m\n"));
}

TEST(Types, AnotherNameLeadsToTheSamePage) {
    EXPECT_EQ(Folder().run({"types", "MTF"}).out, Folder().run({"types", "TF"}).out);
}

TEST(Types, AnUnknownNameIsAnsweredWithTheNearest) {
    const Outcome o = Folder().run({"types", "Integratr"});
    EXPECT_EQ(o.status, 1);
    EXPECT_EQ(o.err, "error: there is no type 'Integratr'; did you mean 'Integrator'?\n");
}

TEST(Types, AllPagesAreMarkdownAndLeaveNoTypeOut) {
    const Outcome o = Folder().run({"types", "--all"});
    EXPECT_EQ(o.status, 0);
    for (const char* name :
         {"0",   "1",  "Se", "Sf", "R",  "C",  "I",     "TF",  "GY",  "SGY",     "RF",        "CF",      "IF",
          "ICF", "RS", "De", "Df", "Dp", "Dq", "Power", "rSe", "rSf", "Compose", "Decompose", "Permute", "TimeTable"}) {
        EXPECT_THAT(o.out, HasSubstr(std::string("\n### `") + name + "`\n"));
    }
}

}  // namespace
}  // namespace bondgraph::cli
