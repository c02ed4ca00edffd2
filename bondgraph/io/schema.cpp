#include "bondgraph/io/schema.hpp"

#include <utility>

#include "bondgraph/io/load_shapes.hpp"
#include "bondgraph/io/schema_components.hpp"
#include "bondgraph/model/domain.hpp"

namespace bondgraph::io {
namespace {

using Json = nlohmann::ordered_json;

// Any sign but ASCII punctuation, blanks and, in front, digits: what the expression language takes as a name.
constexpr const char* kName = R"(^[^\s\x00-\x40\x5B-\x5E\x60\x7B-\x7F][^\s\x00-\x2F\x3A-\x40\x5B-\x5E\x60\x7B-\x7F]*$)";
// The same with the sizes of an array.
constexpr const char* kComponentName =
    R"(^[^\s\x00-\x40\x5B-\x5E\x60\x7B-\x7F][^\s\x00-\x2F\x3A-\x40\x5B-\x5E\x60\x7B-\x7F]*(\[[^\[\]]+\])?$)";
constexpr const char* kBond = R"(^\s*[^\s<>]+\s*(->|→)\s*[^\s<>]+\s*$)";
constexpr const char* kArrow = R"(\S\s*(->|→)\s*\S)";

Json described(const char* description, Json schema) {
    Json result{{"description", description}};
    result.update(schema);
    return result;
}

Json closed(Json properties, Json required = Json::array()) {
    Json schema{{"type", "object"}, {"properties", std::move(properties)}, {"additionalProperties", false}};
    if (!required.empty()) schema["required"] = std::move(required);
    return schema;
}

Json list_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

/// Nothing at all stands for an empty section.
Json or_nothing(Json schema) {
    schema["type"] = {schema["type"], "null"};
    return schema;
}

Json map_of(Json values) {
    return {{"type", {"object", "null"}},
            {"propertyNames", schema_reference("name")},
            {"additionalProperties", std::move(values)}};
}

Json any_of(Json alternatives) { return {{"anyOf", std::move(alternatives)}}; }

Json required(std::initializer_list<const char*> keys) {
    Json list = Json::array();
    for (const char* key : keys) list.push_back(key);
    return {{"required", std::move(list)}};
}

Json none_of(std::initializer_list<const char*> keys) {
    Json any = Json::array();
    for (const char* key : keys) any.push_back(required({key}));
    return {{"not", any_of(std::move(any))}};
}

Json of_components(Json schema) { return {{"properties", {{"components", {{"additionalProperties", schema}}}}}}; }

Json scalar() { return {{"type", {"string", "number", "boolean"}}}; }

void add_value_definitions(Json& defs) {
    defs["name"] = {{"pattern", kName}};
    defs["component name"] = {{"pattern", kComponentName}};
    defs["text"] = scalar();
    defs["doc"] = {{"type", {"string", "number", "boolean", "null"}}};
    defs["texts"] = {{"type", {"string", "number", "boolean", "array", "null"}}, {"items", schema_reference("text")}};
    // A vector is a list, a matrix a list of its rows.
    Json vector{{"type", {"string", "number", "boolean", "array"}}, {"items", scalar()}};
    Json table = closed({{"from", {{"type", "string"}, {"pattern", R"(\.(csv|mat|h5|hdf5)$)"}}},
                         {"columns", schema_reference("texts")}},
                        {"from"});
    defs["value"] =
        any_of({{{"type", {"string", "number", "boolean", "array"}}, {"items", std::move(vector)}}, std::move(table)});
    defs["values"] = {{"type", {"object", "null"}}, {"additionalProperties", schema_reference("value")}};
    defs["free"] = {{"enum", {true, false, "true", "false"}},
                    {"description", "Whether conditions of the start determine the value, which is a guess then."}};
    Json free = closed({{"value", schema_reference("value")}, {"free", schema_reference("free")}}, {"value"});
    defs["setting"] = any_of({schema_reference("value"), std::move(free)});
    Json fields{{"type", "object"}, {"minProperties", 1}, {"additionalProperties", schema_reference("own setting")}};
    fields["properties"] = {{"record", false}};
    fields["description"] = "Parameters of a record.";
    defs["own setting"] = any_of({schema_reference("setting"), std::move(fields)});
}

Json variable(bool discrete) {
    Json properties{
        {"unit", schema_reference("text")}, {"start", schema_reference("value")}, {"doc", schema_reference("doc")}};
    if (discrete) properties["type"] = {{"enum", {"real", "integer", "boolean"}}};
    return any_of({schema_reference("value"), {{"type", "null"}}, closed(std::move(properties))});
}

/// A group of names, or several.
Json alternatives() {
    Json names = list_of(schema_reference("text"));
    names["minItems"] = 2;
    return described("Parameters of which one is given and makes the others.", any_of({names, list_of(names)}));
}

/// A map of variables, or a list of their names.
Json variables(const char* description, bool discrete) {
    Json map = map_of(variable(discrete));
    return described(description, any_of({std::move(map), list_of(schema_reference("text"))}));
}

Json bond() {
    Json named{{"type", "object"},
               {"minProperties", 1},
               {"maxProperties", 1},
               {"propertyNames", schema_reference("name")},
               {"additionalProperties", {{"type", "string"}, {"pattern", kBond}}}};
    return any_of({{{"type", "string"}, {"pattern", kBond}}, std::move(named)});
}

Json when() {
    Json entry = closed({{"if", described("The condition.", schema_reference("text"))},
                         {"reinit", described("New values of states.", schema_reference("values"))},
                         {"set", described("New values of discrete variables.", schema_reference("values"))},
                         {"warn", described("What is told then.", schema_reference("text"))},
                         {"fail", described("What is told as the run ends there.", schema_reference("text"))}},
                        {"if"});
    entry["anyOf"] = {required({"reinit"}), required({"set"}), required({"warn"}), required({"fail"})};
    return described("What happens at the instant a condition becomes true.",
                     any_of({entry, or_nothing(list_of(entry))}));
}

Json parameters() {
    Json record{{"type", "object"}, {"required", {"record"}}};
    record["properties"] = {{"record", described("The record whose parameters these are.", schema_reference("text"))},
                            {"doc", schema_reference("doc")}};
    record["additionalProperties"] = schema_reference("own setting");
    Json parameter = closed({{"value", schema_reference("value")},
                             {"unit", schema_reference("text")},
                             {"min", schema_reference("value")},
                             {"max", schema_reference("value")},
                             {"above", schema_reference("value")},
                             {"below", schema_reference("value")},
                             {"whole", described("Whether it is a whole number.", {{"type", "boolean"}})},
                             {"choices", {{"type", "array"}, {"minItems", 2}, {"items", schema_reference("name")}}},
                             {"free", schema_reference("free")},
                             {"doc", schema_reference("doc")}});
    return described("Values for expressions; --set replaces them.",
                     map_of(any_of({schema_reference("value"), std::move(parameter), std::move(record)})));
}

/// Conditions on parameters, a single one or several.
Json requirements() {
    Json entry = closed({{"condition", described("What has to be true.", schema_reference("text"))},
                         {"message", described("What is wrong where it isn't.", schema_reference("text"))}},
                        {"condition"});
    const Json one = any_of({schema_reference("text"), std::move(entry)});
    return described("What has to be true of parameters.", any_of({one, or_nothing(list_of(one))}));
}

/// The sections that a model and a type have in common.
Json body_properties() {
    Json properties;
    properties["parameters"] = parameters();
    properties["require"] = requirements();
    Json components = map_of(schema_reference("component"));
    components["propertyNames"] = schema_reference("component name");
    properties["components"] =
        described("The components by their names; with a size, as in 'cell[10]', an array of them.", components);
    properties["bonds"] = described("Bonds 'a -> b' in the direction of positive power; a bond may be named.",
                                    or_nothing(list_of(bond())));
    properties["connect"] =
        described("Lists of connectors that are joined to each other: '[a.p, b.n]' or 'a.p -- b.n'.",
                  or_nothing(list_of(any_of({{{"type", "array"}, {"minItems", 2}, {"items", schema_reference("text")}},
                                             {{"type", "string"}, {"pattern", ".--."}}}))));
    properties["signals"] =
        described("Directed values 'a.y -> b.u'.", or_nothing(list_of({{"type", "string"}, {"pattern", kArrow}})));
    properties["when"] = when();
    properties["initial"] = described("'steady', or equations that hold at the start.", schema_reference("texts"));
    return properties;
}

Json component() {
    Json schema{{"type", "object"}, {"properties", component_properties()}, {"required", {"type"}}};
    schema["additionalProperties"] = schema_reference("own setting");
    return schema;
}

Json joint() {
    Json rotation =
        closed({{"axis", schema_reference("value")}, {"angle", schema_reference("value")}}, {"axis", "angle"});
    Json motion = closed({{"rotate", std::move(rotation)}, {"translate", schema_reference("value")}});
    motion["minProperties"] = 1;
    motion["maxProperties"] = 1;
    Json coordinates = map_of({{"enum", {"rad", "m"}}});
    coordinates["type"] = "object";
    coordinates["minProperties"] = 1;
    Json motions = list_of(std::move(motion));
    motions["minItems"] = 1;
    return described(
        "A joint by its coordinates and the motions from frame_a to frame_b.",
        closed({{"coordinates", std::move(coordinates)}, {"motion", std::move(motions)}}, {"coordinates", "motion"}));
}

/// A file, a list of them, or prefixes with the file of each.
Json import() {
    Json prefixed = map_of(schema_reference("text"));
    prefixed["type"] = "object";
    return described("Files whose types it uses; behind a prefix as 'prefix.Type'.",
                     any_of({schema_reference("text"),
                             {{"type", "null"}},
                             prefixed,
                             list_of(any_of({schema_reference("text"), prefixed}))}));
}

Json connector_type() {
    std::vector<std::string> domains;
    for (const model::Domain& domain : model::domains()) domains.emplace_back(domain.name);
    Json bond =
        closed({{"domain", schema_words(domains)},
                {"size", {{"type", {"integer", "string"}}, {"minimum", 1}}},
                {"common", described("What is equal at all connectors that are joined; of the other the sum is 0.",
                                     schema_words({"effort", "flow"}))},
                {"doc", schema_reference("doc")}});
    Json bonds = map_of(any_of({schema_words(domains), or_nothing(std::move(bond))}));
    bonds["minProperties"] = 1;
    Json signal = closed({{"unit", schema_reference("text")}, {"doc", schema_reference("doc")}});
    Json signals = map_of(any_of({schema_reference("text"), or_nothing(std::move(signal))}));
    Json type = closed({{"doc", schema_reference("doc")},
                        {"bonds", described("Its power bonds.", std::move(bonds))},
                        {"signals", described("What one of the components joined gives to all others, with its unit.",
                                              any_of({std::move(signals), list_of(schema_reference("text"))}))}});
    type["anyOf"] = {required({"bonds"}), required({"signals"})};
    return type;
}

/// Names for start values: an expression each, perhaps with a unit.
Json starts() {
    Json start = closed(
        {{"value", schema_reference("text")}, {"unit", schema_reference("text")}, {"doc", schema_reference("doc")}},
        {"value"});
    return described("Start values by names of its own: states, or expressions of them.",
                     map_of(any_of({schema_reference("text"), std::move(start)})));
}

Json shapes() {
    Json properties{{"shape", schema_words({kShapeKinds.begin(), kShapeKinds.end()})},
                    {"frame", described("The connector it moves with.", schema_reference("text"))},
                    {"to", described("The one at which it ends.", schema_reference("text"))},
                    {"doc", schema_reference("doc")}};
    for (const std::string_view key : kShapeValues) properties[std::string(key)] = schema_reference("value");
    properties["file"] = {{"description", "The file that has its form, in place of a kind."},
                          {"type", "string"},
                          {"pattern", R"(\.([sS][tT][lL]|[oO][bB][jJ]|[gG][lL][tT][fF]|[gG][lL][bB])$)"}};
    Json shape = closed(std::move(properties), {"frame"});
    shape["oneOf"] = {required({"shape"}), required({"file"})};
    return described("What animations show of it.", or_nothing(list_of(std::move(shape))));
}

Json symbol() {
    const Json place{{"type", "array"}, {"items", {{"type", "number"}}}, {"minItems", 2}, {"maxItems", 2}};
    const Json label =
        closed({{"text", schema_reference("text")}, {"at", place}, {"size", {{"type", "number"}}}}, {"text"});
    return described("How drawings of circuits show it.",
                     closed({{"size", described("Its width and height.", place)},
                             {"path", described("Its lines, in the letters of SVG.", schema_reference("text"))},
                             {"fill", described("Its areas, likewise.", schema_reference("text"))},
                             {"text", described("Letters in it.", any_of({schema_reference("text"), list_of(label)}))},
                             {"connectors", described("Where they lie on its border.", map_of(place))},
                             {"ground", described("Whether each component connected to it gets one of its own.",
                                                  {{"type", "boolean"}})}},
                            {"size"}));
}

Json type_declaration() {
    std::vector<std::string> domains;
    for (const model::Domain& domain : model::domains()) domains.emplace_back(domain.name);
    Json properties{{"doc", schema_reference("doc")}};
    properties["extends"] =
        described("The type whose ports, parameters, parts and laws it has, too.", schema_reference("text"));
    properties.update(body_properties());
    Json demand = described("Which of the two the equations of the type give; without it, either.",
                            schema_words({"effort out", "flow out"}));
    Json port = closed({{"domain", schema_words(domains)},
                        {"size", schema_reference("value")},
                        {"causality", demand},
                        {"doc", schema_reference("doc")}});
    // Where a type extends another, a component may have its type from there.
    properties["components"]["additionalProperties"] = schema_reference("part");
    properties["alternatives"] = alternatives();
    properties["ports"] = described("Its power ports.", map_of(or_nothing(std::move(port))));
    Json connector = closed({{"type", schema_reference("text")},
                             {"causality", demand},
                             {"optional", described("Whether it may be left unconnected.", {{"type", "boolean"}})},
                             {"doc", schema_reference("doc")}},
                            {"type"});
    properties["connectors"] = described("Its connectors for `connect:`, such as {p: pin}.",
                                         map_of(any_of({schema_reference("text"), std::move(connector)})));
    properties["inputs"] = variables("Its inputs.", false);
    properties["outputs"] = variables("Its outputs.", true);
    properties["variables"] = variables("Its variables.", true);
    properties["equations"] = described("Its laws.", schema_reference("texts"));
    Json state =
        closed({{"exits", described("Conditions by the states they lead to.", map_of(schema_reference("text")))},
                {"entry", described("New values of discrete variables.", schema_reference("values"))},
                {"doc", schema_reference("doc")}});
    properties["states"] =
        described("A state machine, in its first state at the start.", map_of(or_nothing(std::move(state))));
    properties["energy"] = described("Its stored energy, for the audit.", schema_reference("text"));
    properties["dissipates"] = described("The power that it turns into heat, for the audit.", schema_reference("text"));
    properties["supplies"] = described("The power that it brings in, for the audit.", schema_reference("text"));
    properties["joint"] = joint();
    properties["starts"] = starts();
    properties["shapes"] = schema_reference("shapes");
    properties["symbol"] = symbol();
    Json schema = closed(std::move(properties));
    schema["anyOf"] = Json::array();
    for (const char* key : {"equations", "components", "when", "joint", "extends", "parameters", "ports", "connectors",
                            "inputs", "outputs", "variables", "states"})
        schema["anyOf"].push_back({{"required", Json::array({key})}});
    schema["if"] = none_of({"extends"});
    schema["then"] = of_components(schema_reference("component"));
    return schema;
}

Json expectation() {
    Json properties;
    properties["at"] = described("The time.", schema_reference("value"));
    properties["tolerance"] = described("Relative deviation allowed.", schema_reference("value"));
    properties["within"] = described("Absolute deviation allowed.", schema_reference("value"));
    properties["states"] = described("The number of states.", schema_reference("value"));
    properties["dependent_storages"] = described("The number of dependent storages.", schema_reference("value"));
    properties["algebraic_loops"] = described("The number of algebraic loops.", schema_reference("value"));
    properties["poles"] = described("Eigenvalues: numbers or [re, im].", schema_reference("value"));
    properties["error"] = described("The code of the message the model must give.", schema_reference("text"));
    properties["source"] = described("Where the expected values are from.", schema_reference("doc"));
    Json entry{{"type", "object"}, {"properties", properties}, {"additionalProperties", schema_reference("value")}};
    // A result is expected at a time; other entries name a fact of the structure.
    entry["anyOf"] = Json::array();
    for (const char* key : {"at", "states", "dependent_storages", "algebraic_loops", "poles", "error"})
        entry["anyOf"].push_back({{"required", Json::array({key})}});
    return entry;
}

Json model_properties() {
    Json properties;
    properties["model"] = described("The model's name.", schema_reference("text"));
    properties["description"] = described("What the model shows.", schema_reference("doc"));
    properties.update(body_properties());
    Json times;
    for (const char* key : {"start", "stop", "tolerance", "interval"}) times[key] = schema_reference("value");
    properties["experiment"] = described("How to simulate it.", or_nothing(closed(std::move(times))));
    properties["outputs"] = described("The results to write; by default the states and every bond's effort and flow.",
                                      schema_reference("texts"));
    Json y{{"type", {"string", "array"}}, {"items", schema_reference("text")}};
    Json plot = closed({{"title", schema_reference("doc")}, {"y", std::move(y)}}, {"y"});
    properties["plots"] = described("What --plot draws.", or_nothing(list_of(std::move(plot))));
    properties["expect"] = described("What `bondgraph test` checks.", or_nothing(list_of(expectation())));
    const auto groups = [](int least) {
        return list_of({{"type", "array"}, {"minItems", least}, {"items", schema_reference("text")}});
    };
    properties["layout"] = described("Where drawings put components: rows from the top down, rings clockwise.",
                                     or_nothing(closed({{"rows", groups(1)}, {"rings", groups(3)}})));
    properties["types"] = described("Types of its own.", map_of(type_declaration()));
    properties["records"] = described("Parameters that belong together, such as those of a fluid.",
                                      map_of(closed({{"extends", schema_reference("text")},
                                                     {"doc", schema_reference("doc")},
                                                     {"parameters", parameters()},
                                                     {"alternatives", alternatives()},
                                                     {"require", requirements()}})));
    properties["connector_types"] = described("Kinds of connectors of its own.", map_of(connector_type()));
    properties["import"] = import();
    return properties;
}

/// An own type may take the name of one of the catalogue, and a file that is imported may hold such a type: then
/// nothing is known of a component by its type's name.
Json conditions(const model::Catalogue& catalogue) {
    std::vector<std::string> names = catalogue.names();
    Json shadowing{{"properties", {{"types", {{"propertyNames", {{"not", schema_words(names)}}}}}}}};
    const Json clear{{"allOf", {none_of({"import"}), std::move(shadowing)}}};
    Json catalogued = of_components(schema_reference("catalogued component"));
    // a type's parts have no places in drawings
    const Json placeless{{"if", {{"properties", {{"type", schema_words(names)}}}}},
                         {"then", none_of({"at", "turn", "mirror"})}};
    catalogued["properties"]["types"] = {
        {"additionalProperties", of_components({{"allOf", {schema_reference("catalogued component"), placeless}}})}};
    const Json known = of_components({{"properties", {{"type", schema_words(names)}}}});
    const Json without_signals{{"allOf", {clear, none_of({"signals"})}}};
    return {{{"if", clear}, {"then", std::move(catalogued)}},
            {{"if", none_of({"import", "types"})}, {"then", known}},
            {{"if", without_signals}, {"then", of_components(schema_reference("complete component"))}}};
}

}  // namespace

std::string model_schema(const model::Catalogue& catalogue) {
    Json schema{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                {"title", "bondgraph model"},
                {"description", "A bond graph, or types for others to import."}};
    schema.update(closed(model_properties()));
    // A model, or a file of types for others to import.
    Json library = none_of({"components", "bonds", "signals", "connect", "experiment", "outputs", "plots", "expect",
                            "parameters", "require", "when", "initial", "layout"});
    library["anyOf"] = {required({"types"}), required({"records"}), required({"connector_types"}),
                        required({"import"})};
    schema["anyOf"] = {required({"model", "components"}), std::move(library)};
    schema["allOf"] = conditions(catalogue);
    Json& defs = schema["$defs"];
    add_value_definitions(defs);
    add_place_definitions(defs);
    defs["shapes"] = shapes();
    defs["component"] = component();
    defs["part"] = component();
    defs["part"].erase("required");
    defs["catalogued component"] = catalogued_component(catalogue);
    defs["complete component"] = complete_component(catalogue);
    add_type_definitions(catalogue, defs);
    return schema.dump(1) + '\n';
}

}  // namespace bondgraph::io
