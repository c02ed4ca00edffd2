#include "bondgraph/io/schema_components.hpp"

#include <fmt/format.h>

#include <array>
#include <map>

#include "bondgraph/model/domain.hpp"
#include "bondgraph/model/former_names.hpp"

namespace bondgraph::io {
namespace {

using Json = nlohmann::ordered_json;
using model::Catalogue;
using model::ComponentType;
using model::ParameterKind;
using model::ParameterSpec;

constexpr std::array<const char*, 3> kPlaceKeys{"at", "turn", "mirror"};

const ComponentType& meant(const ComponentType& type, const Catalogue& catalogue) {
    return type.alias_of.empty() ? type : *catalogue.find(type.alias_of);
}

std::string definition_name(const ComponentType& type) { return fmt::format("type {}", type.name); }

/// "compliance q/e (> 0)"
std::string description_of(const ParameterSpec& spec) {
    std::string text(spec.doc);
    std::string more;
    const auto add = [&](const std::string& part) { more += (more.empty() ? "" : ", ") + part; };
    if (!spec.unit.empty()) add(fmt::format("in {}", spec.unit));
    if (spec.minimum) add(fmt::format("{} {:g}", spec.exclusive_minimum ? ">" : "≥", *spec.minimum));
    if (spec.default_value && spec.kind == ParameterKind::choice)
        add(fmt::format("default {}", spec.choices.at(static_cast<std::size_t>(*spec.default_value))));
    else if (spec.default_value)
        add(fmt::format("default {:g}", *spec.default_value));
    return more.empty() ? text : fmt::format("{} ({})", text, more);
}

Json parameter_schema(const ParameterSpec& spec) {
    Json schema;
    switch (spec.kind) {
        case ParameterKind::law:
        case ParameterKind::texts:
            schema = schema_reference("texts");
            break;
        case ParameterKind::energy:
            schema = schema_reference("text");
            break;
        case ParameterKind::integers:
            schema = schema_reference("value");
            break;
        case ParameterKind::choice:
            schema = schema_words({spec.choices.begin(), spec.choices.end()});
            break;
        case ParameterKind::number:
            schema = schema_reference("setting");
            break;
    }
    const std::string description = description_of(spec);
    if (!description.empty()) schema["description"] = description;
    return schema;
}

Json type_schema(const ComponentType& type, const ComponentType& as) {
    Json properties;
    const Json common = component_properties();
    for (const auto& [key, value] : common.items()) properties[key] = schema_reference("component/properties/" + key);
    for (const char* key : kPlaceKeys) properties[key] = schema_reference(key);  // no type of the catalogue has these
    properties["type"] = schema_words({std::string(as.name)});
    Json schema{{"description", fmt::format("{} {}", type.summary, type.law_text)}, {"type", "object"}};
    for (const ParameterSpec& spec : type.parameters) properties[std::string(spec.name)] = parameter_schema(spec);
    for (const model::FormerName& f : model::former_names()) {
        if (f.type != type.name) continue;
        properties[std::string(f.before)] = {{"description", fmt::format("The old name of '{}'.", f.now)},
                                             {"deprecated", true},
                                             {"$ref", "#/$defs/setting"}};
    }
    for (const model::SignalSpec& input : type.inputs) {
        // An input may be given a value in place of a signal.
        Json given = schema_reference("setting");
        if (!input.doc.empty()) given["description"] = input.doc;
        if (!properties.contains(std::string(input.name))) properties[std::string(input.name)] = given;
        if (input.many) schema["patternProperties"] = {{"^u[0-9]+$", given}};
    }
    schema["properties"] = std::move(properties);
    schema["required"] = {"type"};
    schema["additionalProperties"] = false;
    return schema;
}

Json required_keys(std::string_view name) { return {{"required", Json::array({name})}}; }

/// A parameter by its name, or by the one it had before.
Json required_parameter(const ComponentType& type, const ParameterSpec& spec) {
    const std::string_view former = model::former_name(type.name, spec.name);
    if (former.empty()) return required_keys(spec.name);
    return {{"oneOf", Json::array({required_keys(spec.name), required_keys(former)})}};
}

/// What of a type's parameters must be given: each required one on its own, and one of each group.
Json requirements_of(const ComponentType& type) {
    Json all = Json::array();
    std::map<int, std::vector<const ParameterSpec*>> groups;
    for (const ParameterSpec& spec : type.parameters) {
        if (spec.group != 0)
            groups[spec.group].push_back(&spec);
        else if (spec.required && !spec.default_value)
            all.push_back(required_parameter(type, spec));
    }
    for (const auto& [group, members] : groups) {
        Json one = Json::array();
        bool required = false;
        for (const ParameterSpec* spec : members) {
            one.push_back(required_keys(spec->name));
            required = required || spec->required;
        }
        if (required) all.push_back({{"oneOf", std::move(one)}});
    }
    return all;
}

Json if_of_type(std::string_view name, Json then) {
    return {{"if", {{"properties", {{"type", schema_words({std::string(name)})}}}, {"required", {"type"}}}},
            {"then", std::move(then)}};
}

}  // namespace

Json schema_reference(const std::string& name) { return {{"$ref", "#/$defs/" + name}}; }

Json schema_words(const std::vector<std::string>& words) {
    Json list = Json::array();
    for (const std::string& word : words) {
        list.push_back(word);
        if (word == "0" || word == "1") list.push_back(word == "1" ? 1 : 0);
    }
    return {{"enum", std::move(list)}};
}

Json component_properties() {
    std::vector<std::string> domains;
    for (const model::Domain& domain : model::domains()) domains.emplace_back(domain.name);
    Json properties;
    properties["type"] = {{"type", {"string", "number"}}, {"description", "The component's type."}};
    properties["initial"] = {{"description", "Values of states at the start, or 'steady'."},
                             {"anyOf", {{{"const", "steady"}}, schema_reference("values")}}};
    properties["guess"] = {{"description", "Values from which the start is searched."}, {"$ref", "#/$defs/values"}};
    properties["nominal"] = {{"description", "Magnitudes of variables."}, {"$ref", "#/$defs/values"}};
    properties["states"] = {{"description", "Whether its variables become states."},
                            {"enum", {"always", "prefer", "default", "avoid", "never"}}};
    properties["domain"] = schema_words(domains);
    properties["domain"]["description"] = "The domain of its ports, where nothing else tells it.";
    properties["size"] = schema_reference("value");
    properties["size"]["description"] = "The number of components of its multibonds.";
    properties["shapes"] = schema_reference("shapes");
    properties["if"] = schema_reference("text");
    properties["if"]["description"] = "Whether it is there: a condition on parameters.";
    // a parameter of an own type may have such a name
    for (const char* key : kPlaceKeys)
        properties[key] = {{"anyOf", {schema_reference(key), schema_reference("setting")}}};
    properties["doc"] = schema_reference("doc");
    return properties;
}

void add_place_definitions(Json& definitions) {
    constexpr double kFarthest = 1000.0;
    definitions["at"] = {{"description", "Its place in drawings: steps to the right and upwards."},
                         {"type", "array"},
                         {"items", {{"type", "number"}, {"minimum", -kFarthest}, {"maximum", kFarthest}}},
                         {"minItems", 2},
                         {"maxItems", 2}};
    definitions["mirror"] = {{"description", "Whether drawings of circuits change left and right of its symbol."},
                             {"type", "boolean"}};
    definitions["turn"] = {{"description", "Degrees by which drawings turn what hangs on it, counter-clockwise."},
                           {"type", "number"},
                           {"multipleOf", 90}};
}

Json catalogued_component(const Catalogue& catalogue) {
    Json cases = Json::array();
    for (const ComponentType* type : catalogue.types())
        cases.push_back(if_of_type(type->name, schema_reference(definition_name(*type))));
    return {{"allOf", std::move(cases)}};
}

Json complete_component(const Catalogue& catalogue) {
    Json cases = Json::array();
    for (const ComponentType* type : catalogue.types()) {
        Json requirements = requirements_of(meant(*type, catalogue));
        if (!requirements.empty()) cases.push_back(if_of_type(type->name, {{"allOf", std::move(requirements)}}));
    }
    return {{"allOf", std::move(cases)}};
}

void add_type_definitions(const Catalogue& catalogue, Json& definitions) {
    for (const ComponentType* type : catalogue.types())
        definitions[definition_name(*type)] = type_schema(meant(*type, catalogue), *type);
}

}  // namespace bondgraph::io
