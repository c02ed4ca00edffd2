// The schema's keys against those the loader says it knows.

#include "bondgraph/io/schema.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "bondgraph/io/load_model.hpp"

namespace bondgraph::io {
namespace {

using Json = nlohmann::json;

Json schema() { return Json::parse(model_schema(model::Catalogue({}))); }

// What the loader offers in place of an unknown key.
std::set<std::string> offered(const std::string& text) {
    SourceMap sources;
    try {
        load_model_text(text, "m.yaml", sources);
    } catch (const ModelError& e) {
        for (const Diagnostic& d : e.diagnostics()) {
            if (d.code != "BG-M036") continue;
            for (const DiagnosticNote& note : d.notes) {
                constexpr std::string_view kBegin = "one of: ";
                if (!note.text.starts_with(kBegin)) continue;
                std::set<std::string> keys;
                std::istringstream in(note.text.substr(kBegin.size()));
                for (std::string key; std::getline(in >> std::ws, key, ',');) keys.insert(key);
                return keys;
            }
        }
    }
    ADD_FAILURE() << "no unknown key in\n" << text;
    return {};
}

std::set<std::string> keys_of(const Json& properties) {
    std::set<std::string> keys;
    for (const auto& [key, value] : properties.items()) keys.insert(key);
    return keys;
}

const std::string kModel = "model: m\ncomponents: {a: {type: R}}\n";

TEST(Schema, KnowsTheSectionsOfAModel) {
    EXPECT_EQ(keys_of(schema()["properties"]), offered(kModel + "qqqqqqqqqqqq: 1\n"));
}

TEST(Schema, KnowsTheKeysOfAType) {
    const Json type = schema()["properties"]["types"]["additionalProperties"];
    EXPECT_EQ(keys_of(type["properties"]), offered(kModel + "types: {T: {equations: [x = 1], qqqqqqqqqqqq: 1}}\n"));
}

TEST(Schema, KnowsTheKeysOfAParameter) {
    const Json parameter = schema()["properties"]["parameters"]["additionalProperties"]["anyOf"][1];
    EXPECT_EQ(keys_of(parameter["properties"]), offered(kModel + "parameters: {p: {qqqqqqqqqqqq: 1}}\n"));
}

TEST(Schema, KnowsTheKeysOfPortsConnectorsAndVariables) {
    const Json type = schema()["properties"]["types"]["additionalProperties"]["properties"];
    const auto of_type = [&](const std::string& section) {
        return offered(kModel + "types: {T: {equations: [x = 1], " + section + ": {a: {qqqqqqqqqqqq: 1}}}}\n");
    };
    EXPECT_EQ(keys_of(type["ports"]["additionalProperties"]["properties"]), of_type("ports"));
    EXPECT_EQ(keys_of(type["connectors"]["additionalProperties"]["anyOf"][1]["properties"]), of_type("connectors"));
    for (const char* section : {"inputs", "outputs", "variables"}) {
        const Json variable = type[section]["anyOf"][0]["additionalProperties"]["anyOf"][2];
        EXPECT_EQ(keys_of(variable["properties"]), of_type(section)) << section;
    }
}

TEST(Schema, KnowsTheKeysOfConnectorTypesAndTheirBonds) {
    const Json type = schema()["properties"]["connector_types"]["additionalProperties"]["properties"];
    EXPECT_EQ(keys_of(type), offered(kModel + "connector_types: {c: {qqqqqqqqqqqq: 1}}\n"));
    const Json bond = type["bonds"]["additionalProperties"]["anyOf"][1]["properties"];
    EXPECT_EQ(keys_of(bond), offered(kModel + "connector_types: {c: {bonds: {p: {qqqqqqqqqqqq: 1}}}}\n"));
}

TEST(Schema, KnowsTheFormsOfAnImport) {
    const Json forms = schema()["properties"]["import"]["anyOf"];
    EXPECT_EQ(forms[2]["type"], "object");
    EXPECT_EQ(forms[3]["items"]["anyOf"][1], forms[2]);
}

TEST(Schema, KnowsTheKeysOfTheExperimentOfPlotsAndOfEvents) {
    const Json sections = schema()["properties"];
    EXPECT_EQ(keys_of(sections["experiment"]["properties"]), offered(kModel + "experiment: {qqqqqqqqqqqq: 1}\n"));
    EXPECT_EQ(keys_of(sections["plots"]["items"]["properties"]), offered(kModel + "plots: [{qqqqqqqqqqqq: 1}]\n"));
    EXPECT_EQ(keys_of(sections["when"]["anyOf"][0]["properties"]), offered(kModel + "when: [{qqqqqqqqqqqq: 1}]\n"));
}

// Whatever makes a type for the loader makes one for the schema.
TEST(Schema, TakesTypesOfAnyOfTheirSections) {
    const Json type = schema()["properties"]["types"]["additionalProperties"];
    std::set<std::string> enough;
    for (const Json& one : type["anyOf"]) enough.insert(one["required"][0].get<std::string>());
    const std::pair<const char*, const char*> sections[] = {
        {"states", "{a: {exits: {b: u > 1}}, b: }"}, {"variables", "{n: {type: integer}}"},
        {"outputs", "{n: {type: integer}}"},         {"equations", "[x = 1]"},
        {"when", "{if: u > 1, warn: high}"},         {"components", "{a: {type: R}}"}};
    for (const auto& [section, text] : sections) {
        SourceMap sources;
        EXPECT_NO_THROW(load_model_text(kModel + "types: {T: {" + section + ": " + text + "}}\n", "m.yaml", sources))
            << section;
        EXPECT_TRUE(enough.contains(section)) << section;
    }
}

}  // namespace
}  // namespace bondgraph::io
