#include "bondgraph/io/load_model.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace bondgraph::io {
namespace {

using model::Model;
using model::StatePreference;
using model::Text;
using model::TypeDeclaration;
using model::Value;
using testing::ElementsAre;
using testing::IsEmpty;

Model loaded(const std::string& text) {
    SourceMap sources;
    return load_model_text(text, "m.yaml", sources);
}

/// "line:column", to check places.
std::string place(SourcePosition position) {
    return std::to_string(position.line) + ":" + std::to_string(position.column);
}

/// A value on one line: lists in brackets, quoted texts in quotes.
std::string written(const Value& value) {
    if (!value.is_list) return value.scalar.quoted ? "'" + value.scalar.text + "'" : value.scalar.text;
    std::string text;
    for (const Value& item : value.items) text += (text.empty() ? "" : ", ") + written(item);
    return "[" + text + "]";
}

std::vector<std::string> written(const std::vector<model::Setting>& settings) {
    std::vector<std::string> texts;
    for (const auto& setting : settings) texts.push_back(setting.key.text + "=" + written(setting.value));
    return texts;
}

std::vector<std::string> texts_of(const std::vector<Text>& texts) {
    std::vector<std::string> result;
    for (const Text& text : texts) result.push_back(text.text);
    return result;
}

template <class Declarations>
std::vector<std::string> names_of(const Declarations& declarations) {
    std::vector<std::string> names;
    for (const auto& declaration : declarations) names.push_back(declaration.name.text);
    return names;
}

const std::string kHead = "model: m\ncomponents: {a: {type: R}, b: {type: C}}\n";

TypeDeclaration type_with(const std::string& body) {
    Model model = loaded(kHead + "types:\n  T:\n    equations: [p.e = p.f]\n" + body);
    EXPECT_EQ(model.types.size(), 1U);
    return std::move(model.types.at(0));
}

TEST(LoadModel, ReadsNameDescriptionAndComponents) {
    const Model model =
        loaded("model: dc motor\ndescription: turns\ncomponents:\n  j1: {type: 1}\n  Ra: {type: R, R: 0.5 ohm}\n");
    EXPECT_EQ(model.name.text, "dc motor");
    EXPECT_EQ(place(model.name.position), "1:8");
    EXPECT_EQ(model.description, "turns");
    ASSERT_THAT(names_of(model.body.components), ElementsAre("j1", "Ra"));
    EXPECT_EQ(model.body.components[0].type.text, "1");
    EXPECT_THAT(written(model.body.components[1].settings), ElementsAre("R=0.5 ohm"));
    EXPECT_EQ(place(model.body.components[1].name.position), "5:3");
    EXPECT_EQ(place(model.body.components[1].settings[0].value.position()), "5:20");
}

TEST(LoadModel, TellsTheKeysOfEveryComponentFromItsParameters) {
    const Model model = loaded(
        "model: m\ncomponents:\n  x:\n    type: I\n    I: 2\n    initial: {f: 1, p: 2}\n    guess: {f: 3}\n"
        "    nominal: {p: 1e-3}\n    states: avoid\n    domain: electrical\n    size: 3\n    doc: a coil\n    law: f = "
        "p\n");
    const auto& x = model.body.components.at(0);
    EXPECT_THAT(written(x.settings), ElementsAre("I=2", "law=f = p"));
    EXPECT_THAT(written(x.initial), ElementsAre("f=1", "p=2"));
    EXPECT_THAT(written(x.guess), ElementsAre("f=3"));
    EXPECT_THAT(written(x.nominal), ElementsAre("p=1e-3"));
    EXPECT_EQ(x.states, StatePreference::avoid);
    EXPECT_EQ(x.domain->text, "electrical");
    EXPECT_EQ(written(*x.size), "3");
}

TEST(LoadModel, KnowsEveryStatePreference) {
    const Model model = loaded(
        "model: m\ncomponents: {a: {type: C, states: always}, b: {type: C, states: prefer}, c: {type: C, states: "
        "default}, "
        "d: {type: C, states: avoid}, e: {type: C, states: never}, f: {type: C}}\n");
    std::vector<std::optional<StatePreference>> states;
    for (const auto& component : model.body.components) states.push_back(component.states);
    EXPECT_THAT(states, ElementsAre(StatePreference::always, StatePreference::prefer, StatePreference::standard,
                                    StatePreference::avoid, StatePreference::never, std::nullopt));
}

TEST(LoadModel, TakesNumbersTextsVectorsAndMatricesForValues) {
    const Model model =
        loaded("model: m\ncomponents: {a: {type: R, w: -1.5e3, x: '2', y: [1, k*2], z: [[1, 2], [3, 4]], e: []}}\n");
    EXPECT_THAT(written(model.body.components.at(0).settings),
                ElementsAre("w=-1.5e3", "x='2'", "y=[1, k*2]", "z=[[1, 2], [3, 4]]", "e=[]"));
    EXPECT_EQ(place(model.body.components[0].settings[3].value.position()), "2:62");
}

TEST(LoadModel, TakesEmptySectionsForNone) {
    const Model model = loaded(
        "model: m\ndescription:\nparameters:\ncomponents:\nbonds:\nsignals:\nexperiment:\noutputs:\nplots:\nexpect:\n"
        "types:\nimport:\n");
    EXPECT_THAT(model.body.components, IsEmpty());
    EXPECT_THAT(model.body.bonds, IsEmpty());
    EXPECT_THAT(model.types, IsEmpty());
}

TEST(LoadModel, ReadsParametersWithAndWithoutDetails) {
    const Model model = loaded(
        kHead +
        "parameters:\n  U: 12 V\n  k: {value: 2, unit: N.m/A, min: 0, max: [1, 2], doc: strength}\n  n: {unit: m}\n");
    const auto& parameters = model.body.parameters;
    ASSERT_THAT(names_of(parameters), ElementsAre("U", "k", "n"));
    EXPECT_EQ(written(*parameters[0].value), "12 V");
    EXPECT_EQ(written(*parameters[1].value), "2");
    EXPECT_EQ(parameters[1].unit->text, "N.m/A");
    EXPECT_EQ(written(*parameters[1].min), "0");
    EXPECT_EQ(written(*parameters[1].max), "[1, 2]");
    EXPECT_EQ(parameters[1].doc, "strength");
    EXPECT_FALSE(parameters[2].value.has_value());
}

TEST(LoadModel, AParameterMayHaveTheNameOfAComponent) {
    EXPECT_THAT(names_of(loaded(kHead + "parameters: {a: 1}\n").body.parameters), ElementsAre("a"));
}

TEST(LoadModel, NamesMayHaveLettersOfAnyAlphabet) {
    const Model model = loaded("model: m\ncomponents: {Größe: {type: R}, ω_1: {type: R}, _x: {type: R}}\n");
    EXPECT_THAT(names_of(model.body.components), ElementsAre("Größe", "ω_1", "_x"));
}

TEST(LoadModel, ReadsBondsHoweverTheyAreSpaced) {
    const Model model =
        loaded(kHead + "bonds:\n  - a -> b\n  - a->b\n  - a.p1   ->   b.p2\n  - a → b\n  - \" a ->b \"\n");
    std::vector<std::string> read;
    for (const auto& bond : model.body.bonds) {
        EXPECT_FALSE(bond.name.has_value());
        read.push_back(bond.from.text + "|" + bond.to.text + " " + place(bond.from.position) + " " +
                       place(bond.to.position));
    }
    EXPECT_THAT(read, ElementsAre("a|b 4:5 4:10", "a|b 5:5 5:8", "a.p1|b.p2 6:5 6:17", "a|b 7:5 7:9", "a|b 8:7 8:11"));
}

TEST(LoadModel, PlacesTheEndsOfABondByCharactersNotBytes) {
    const Model model = loaded("model: m\ncomponents: {Ωµ: {type: 0}, b: {type: R}}\nbonds: [Ωµ → b]\n");
    EXPECT_EQ(place(model.body.bonds.at(0).to.position), "3:14");
}

TEST(LoadModel, PlacesTheEndsOfAFoldedBondAtItsStart) {
    const Model model = loaded(kHead + "bonds:\n  - |\n    a -> b\n");
    EXPECT_EQ(model.body.bonds.at(0).to.text, "b");
    EXPECT_EQ(place(model.body.bonds[0].to.position), "4:5");
}

TEST(LoadModel, ReadsTheNameOfABond) {
    const Model model = loaded(kHead + "bonds:\n  - armature: a -> b.p1\n");
    const auto& bond = model.body.bonds.at(0);
    EXPECT_EQ(bond.name->text, "armature");
    EXPECT_EQ(place(bond.name->position), "4:5");
    EXPECT_EQ(bond.to.text, "b.p1");
    EXPECT_EQ(place(bond.to.position), "4:20");
}

TEST(LoadModel, ASignalStartsAtAnyExpression) {
    const Model model = loaded(kHead + "signals:\n  - a.y -> b.u\n  - if a.y <-1 then 2*k else -3 -> b.R\n");
    ASSERT_EQ(model.body.signals.size(), 2U);
    EXPECT_EQ(model.body.signals[1].from.text, "if a.y <-1 then 2*k else -3");
    EXPECT_EQ(model.body.signals[1].to.text, "b.R");
    EXPECT_EQ(place(model.body.signals[1].to.position), "5:36");
}

TEST(LoadModel, ReadsExperimentOutputsAndPlots) {
    const Model model =
        loaded(kHead +
               "experiment: {start: 1, stop: 2 s, tolerance: 1e-6, interval: 5 ms}\noutputs: [a.e, b.f]\n"
               "plots:\n  - {title: Speed, y: [a.e, b.e]}\n  - y: a.f\n");
    EXPECT_EQ(written(*model.experiment.start), "1");
    EXPECT_EQ(written(*model.experiment.stop), "2 s");
    EXPECT_EQ(written(*model.experiment.tolerance), "1e-6");
    EXPECT_EQ(written(*model.experiment.interval), "5 ms");
    EXPECT_THAT(texts_of(model.outputs), ElementsAre("a.e", "b.f"));
    ASSERT_EQ(model.plots.size(), 2U);
    EXPECT_EQ(model.plots[0].title, "Speed");
    EXPECT_THAT(texts_of(model.plots[0].y), ElementsAre("a.e", "b.e"));
    EXPECT_THAT(texts_of(model.plots[1].y), ElementsAre("a.f"));
}

TEST(LoadModel, OneOutputNeedsNoList) {
    EXPECT_THAT(texts_of(loaded(kHead + "outputs: a.e\n").outputs), ElementsAre("a.e"));
}

TEST(LoadModel, ReadsExpectedValuesAndFacts) {
    const Model model = loaded(
        kHead +
        "expect:\n  - {at: 2 s, b.f: 235.2, 'b.q[2]': sin(time), tolerance: 1e-5, source: closed form}\n"
        "  - {states: 2, dependent_storages: [b], algebraic_loops: 0, poles: [-1, [-2, 3]]}\n  - error: BG-M001\n");
    ASSERT_EQ(model.expectations.size(), 3U);
    const auto& values = model.expectations[0];
    EXPECT_EQ(place(values.position), "4:5");
    EXPECT_EQ(written(*values.at), "2 s");
    EXPECT_THAT(written(values.values), ElementsAre("b.f=235.2", "b.q[2]=sin(time)"));
    EXPECT_EQ(written(*values.tolerance), "1e-5");
    EXPECT_EQ(values.source, "closed form");
    const auto& facts = model.expectations[1];
    EXPECT_EQ(written(*facts.states), "2");
    EXPECT_EQ(written(*facts.dependent_storages), "[b]");
    EXPECT_EQ(written(*facts.algebraic_loops), "0");
    EXPECT_EQ(written(*facts.poles), "[-1, [-2, 3]]");
    EXPECT_EQ(model.expectations[2].error->text, "BG-M001");
}

TEST(LoadModel, ReadsATypeGivenByEquations) {
    const TypeDeclaration type = type_with(
        "    doc: a law\n    parameters: {Cd: 0.6, A: {unit: m2}}\n    ports: {p: {domain: hydraulic, size: 2, doc: "
        "inlet}, q: }\n"
        "    inputs: {u: {start: 1, unit: V, doc: drive}, v: 3, w: }\n    outputs: [y, z]\n    variables: {x: {unit: "
        "m, start: 2}, d: 0.5, n: }\n"
        "    energy: x^2/2\n");
    EXPECT_EQ(type.name.text, "T");
    EXPECT_EQ(place(type.name.position), "4:3");
    EXPECT_EQ(type.doc, "a law");
    EXPECT_THAT(names_of(type.body.parameters), ElementsAre("Cd", "A"));
    ASSERT_THAT(names_of(type.ports), ElementsAre("p", "q"));
    EXPECT_EQ(type.ports[0].domain->text, "hydraulic");
    EXPECT_EQ(written(*type.ports[0].size), "2");
    EXPECT_EQ(type.ports[0].doc, "inlet");
    EXPECT_FALSE(type.ports[1].domain.has_value());
    ASSERT_THAT(names_of(type.inputs), ElementsAre("u", "v", "w"));
    EXPECT_EQ(written(*type.inputs[0].start), "1");
    EXPECT_EQ(type.inputs[0].unit->text, "V");
    EXPECT_EQ(type.inputs[0].doc, "drive");
    EXPECT_EQ(written(*type.inputs[1].start), "3");
    EXPECT_FALSE(type.inputs[2].start.has_value());
    EXPECT_THAT(names_of(type.outputs), ElementsAre("y", "z"));
    ASSERT_THAT(names_of(type.body.variables), ElementsAre("x", "d", "n"));
    EXPECT_EQ(written(*type.body.variables[1].start), "0.5");
    EXPECT_THAT(texts_of(type.body.equations), ElementsAre("p.e = p.f"));
    EXPECT_EQ(type.energy->text, "x^2/2");
}

TEST(LoadModel, ReadsATypeGivenByParts) {
    const Model model = loaded(kHead +
                               "types:\n  T:\n    ports: {p: }\n    components: {j: {type: 1}, r: {type: R, R: 1}}\n   "
                               " bonds: [p -> j, j -> r]\n    signals: [2*r.f -> r.R]\n");
    const TypeDeclaration& type = model.types.at(0);
    EXPECT_THAT(names_of(type.body.components), ElementsAre("j", "r"));
    EXPECT_EQ(type.body.bonds.size(), 2U);
    EXPECT_EQ(type.body.signals.at(0).from.text, "2*r.f");
}

TEST(LoadModel, OneEquationNeedsNoList) {
    const Model model = loaded(kHead + "types: {T: {equations: p.e = p.f}}\n");
    EXPECT_THAT(texts_of(model.types.at(0).body.equations), ElementsAre("p.e = p.f"));
}

TEST(LoadModel, LoadsALargeModel) {
    std::string text = "model: m\ncomponents:\n";
    std::string bonds = "bonds:\n";
    constexpr int kCount = 20000;
    for (int i = 0; i < kCount; ++i) {
        text += "  R" + std::to_string(i) + ": {type: R, R: " + std::to_string(i) + " ohm}\n";
        bonds += "  - R" + std::to_string(i) + " -> j\n";
    }
    const Model model = loaded(text + bonds);
    ASSERT_EQ(model.body.components.size(), static_cast<std::size_t>(kCount));
    EXPECT_EQ(written(model.body.components.back().settings[0].value), "19999 ohm");
    EXPECT_EQ(place(model.body.bonds.back().to.position), "40003:15");
}

TEST(ParseOverride, SplitsAtTheFirstEqualsSign) {
    SourceMap sources;
    const auto parsed = parse_override("valve.law=e = R*f", sources);
    EXPECT_EQ(parsed.path, "valve.law");
    EXPECT_EQ(parsed.value.scalar.text, "e = R*f");
    EXPECT_EQ(sources.name(parsed.value.position().file), "--set valve.law");
    EXPECT_EQ(sources.line(parsed.value.position()), "e = R*f");
    EXPECT_EQ(place(parsed.value.position()), "1:1");
}

TEST(ParseOverride, LeavesOutTheBlanksAround) {
    SourceMap sources;
    const auto parsed = parse_override(" R1.R = 10 kohm ", sources);
    EXPECT_EQ(parsed.path, "R1.R");
    EXPECT_EQ(parsed.value.scalar.text, "10 kohm");
    EXPECT_EQ(place(parsed.value.position()), "1:2");
}

TEST(ParseOverride, TakesLists) {
    SourceMap sources;
    const auto parsed = parse_override("f.R=[[1, 2], [3, k*4]]", sources);
    EXPECT_EQ(written(parsed.value), "[[1, 2], [3, k*4]]");
    EXPECT_EQ(parsed.value.items[1].items[1].position().column, 14U);
}

TEST(ParseOverride, TakesAnExpressionForWhatItIsEvenWhereYamlWouldNot) {
    SourceMap sources;
    EXPECT_EQ(written(parse_override("a=- 5", sources).value), "- 5");
    EXPECT_EQ(written(parse_override("a=*x", sources).value), "*x");
}

TEST(ParseOverride, RefusesATextThatGivesNothing) {
    SourceMap sources;
    const auto complaint = [&](const std::string& text) -> std::string {
        try {
            parse_override(text, sources);
        } catch (const std::invalid_argument& e) {
            return e.what();
        }
        return "none";
    };
    EXPECT_EQ(complaint("R1.R"), "--set takes PATH=VALUE, as in --set R1.R=5, not 'R1.R'");
    EXPECT_EQ(complaint("=5"), "--set takes PATH=VALUE, as in --set R1.R=5, not '=5'");
    EXPECT_EQ(complaint("R1.R= "), "--set R1.R: the value is missing");
}

TEST(ParseOptionValue, IsASourceOfItsOwn) {
    SourceMap sources;
    sources.add("m.yaml", "model: m\n");
    const Value value = parse_option_value("2 s", "--stop", sources);
    EXPECT_EQ(value.scalar.text, "2 s");
    EXPECT_EQ(sources.name(value.position().file), "--stop");
}

TEST(ParseOptionValue, PointsIntoABrokenList) {
    SourceMap sources;
    try {
        parse_option_value("[1, {a: 2}]", "--stop", sources);
        FAIL() << "a map was taken for a value";
    } catch (const ModelError& e) {
        EXPECT_EQ(render(e.diagnostics().at(0), sources),
                  "--stop:1:5: error: an entry of '--stop' takes a number, a text or a list, not a map [BG-M037]\n"
                  "    1 | [1, {a: 2}]\n"
                  "      |     ^\n");
    }
    EXPECT_THROW(parse_option_value("[1, 2", "--stop", sources), ModelError);
}

}  // namespace
}  // namespace bondgraph::io
