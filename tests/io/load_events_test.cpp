#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "bondgraph/io/load_model.hpp"

namespace bondgraph::io {
namespace {

using model::Model;
using model::ValueType;
using testing::ElementsAre;
using testing::IsEmpty;

const std::string kEventHead = "model: m\ncomponents: {a: {type: C}}\n";

Model loaded_events(const std::string& text) {
    SourceMap sources;
    return load_model_text(kEventHead + text, "m.yaml", sources);
}

/// "line:column code message" of every mistake.
std::vector<std::string> event_mistakes(const std::string& text) {
    try {
        loaded_events(text);
    } catch (const ModelError& error) {
        std::vector<std::string> result;
        for (const Diagnostic& d : error.diagnostics()) {
            result.push_back(std::to_string(d.position.line) + ":" + std::to_string(d.position.column) + " " + d.code +
                             " " + d.message);
        }
        return result;
    }
    return {};
}

std::vector<std::string> written_settings(const std::vector<model::Setting>& settings) {
    std::vector<std::string> texts;
    for (const auto& setting : settings) texts.push_back(setting.key.text + "=" + setting.value.scalar.text);
    return texts;
}

TEST(LoadEvents, WhenIsAListOfMaps) {
    const Model m = loaded_events(
        "when:\n  - {if: h < 0, reinit: {a.q: -0.8*a.q}, set: {c.n: 2}}\n  - {if: h > 1, set: {c.n: 3}}\n");
    ASSERT_EQ(m.body.whens.size(), 2U);
    EXPECT_EQ(m.body.whens[0].condition.text, "h < 0");
    EXPECT_THAT(written_settings(m.body.whens[0].reinit), ElementsAre("a.q=-0.8*a.q"));
    EXPECT_THAT(written_settings(m.body.whens[0].set), ElementsAre("c.n=2"));
    EXPECT_THAT(m.body.whens[1].reinit, IsEmpty());
}

TEST(LoadEvents, WhenMayBeOneMapAlsoInATypeWithoutEquations) {
    const Model m = loaded_events("types: {T: {variables: {n: {type: integer}}, when: {if: time > 1, set: {n: 2}}}}\n");
    ASSERT_EQ(m.types[0].body.whens.size(), 1U);
    EXPECT_EQ(m.types[0].body.whens[0].condition.text, "time > 1");
}

TEST(LoadEvents, WhenNeedsAConditionAndSomethingToDo) {
    EXPECT_THAT(event_mistakes("when: [{set: {n: 1}}, {if: x > 0}, {if: x > 0, sett: {n: 1}}, 3]\n"),
                ElementsAre("3:8 BG-M040 this entry of 'when' has no condition: 'if:' is missing",
                            "3:23 BG-M040 this entry of 'when' does nothing",
                            "3:48 BG-M036 unknown key 'sett' in an entry of 'when'; did you mean 'set'?",
                            "3:63 BG-M037 an entry of 'when' takes a map, not a number"));
    EXPECT_THAT(event_mistakes("when: x > 0\n"), ElementsAre("3:7 BG-M037 'when' takes a list of maps, not a text"));
}

TEST(LoadEvents, VariablesWithATypeAreDiscrete) {
    const Model m = loaded_events(
        "types:\n  T:\n    equations: [x = 1]\n    outputs: {y: {type: real}}\n"
        "    variables: {n: {type: integer, start: 0}, on: {type: boolean, start: true}, x: {start: 1}}\n");
    EXPECT_EQ(m.types[0].outputs[0].discrete, ValueType::real);
    EXPECT_EQ(m.types[0].body.variables[0].discrete, ValueType::integer);
    EXPECT_EQ(m.types[0].body.variables[1].discrete, ValueType::boolean);
    EXPECT_EQ(m.types[0].body.variables[2].discrete, std::nullopt);
}

TEST(LoadEvents, OnlyVariablesAndOutputsHaveAType) {
    EXPECT_THAT(event_mistakes("types:\n  T:\n    equations: [x = 1]\n    inputs: {u: {type: real}}\n"
                               "    variables: {n: {type: Integer}}\n"),
                ElementsAre("6:18 BG-M036 unknown key 'type' in 'u'",
                            "7:27 BG-M041 'type' of a variable is one of real, integer, boolean, not 'Integer'; did "
                            "you mean 'integer'?"));
}

TEST(LoadStart, ComponentsTypesAndTheModelMayStartAtRest) {
    const Model m =
        loaded_events("initial: steady\ntypes: {T: {components: {c: {type: C, initial: steady}}, initial: steady}}\n");
    EXPECT_TRUE(m.body.steady);
    EXPECT_TRUE(m.types[0].body.steady);
    EXPECT_TRUE(m.types[0].body.components[0].steady);
    EXPECT_FALSE(m.body.components[0].steady);
}

TEST(LoadStart, EquationsAreTexts) {
    const Model m = loaded_events("initial: [a.q = 2, \"der(a.q) = 0\"]\n");
    ASSERT_EQ(m.body.initial_equations.size(), 2U);
    EXPECT_EQ(m.body.initial_equations[1].text, "der(a.q) = 0");
    EXPECT_THAT(event_mistakes("initial: {a.q: 2}\n"),
                ElementsAre("3:10 BG-M037 'initial' takes 'steady', an equation or a list of equations, not a map"));
}

TEST(LoadStart, ParametersMayBeFree) {
    const Model m = loaded_events(
        "parameters: {K: {value: 100 N/m, free: true}, L: {value: 2, free: false}}\n"
        "types: {T: {components: {r: {type: R, R: {value: 3 ohm, free: true}}}, parameters: {k: {value: 1, free: "
        "true}}}}\n");
    EXPECT_TRUE(m.body.parameters[0].free);
    EXPECT_FALSE(m.body.parameters[1].free);
    EXPECT_TRUE(m.types[0].body.parameters[0].free);
    EXPECT_TRUE(m.types[0].body.components[0].settings[0].free);
    EXPECT_EQ(m.types[0].body.components[0].settings[0].value.scalar.text, "3 ohm");
}

TEST(LoadStart, FreeIsTrueOrFalseAndNeedsAGuess) {
    EXPECT_THAT(event_mistakes("parameters: {K: {value: 1, free: 3}}\n"),
                ElementsAre("3:34 BG-M037 'free' takes true or false, not a number"));
    EXPECT_THAT(event_mistakes("types: {T: {components: {r: {type: R, R: {free: true}}}}}\n"),
                ElementsAre("3:42 BG-M037 'R' has no value"));
}

}  // namespace
}  // namespace bondgraph::io
