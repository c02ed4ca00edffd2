#include "bondgraph/io/load_type.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "bondgraph/io/form.hpp"
#include "bondgraph/io/load_body.hpp"
#include "bondgraph/io/load_connector_types.hpp"
#include "bondgraph/io/load_events.hpp"
#include "bondgraph/io/load_requirements.hpp"
#include "bondgraph/io/load_shapes.hpp"
#include "bondgraph/io/load_starts.hpp"
#include "bondgraph/io/load_states.hpp"
#include "bondgraph/io/load_symbol.hpp"
#include "bondgraph/io/yaml_mistake.hpp"

namespace bondgraph::io {

namespace {

using Kind = YamlNode::Kind;
using model::PortCausality;
using model::PortDeclaration;
using model::TypeDeclaration;
using model::ValueType;
using model::VariableDeclaration;

constexpr model::Gaps kEverything{true, true, true, true, true, true};

/// `causality: effort out`: what the equations of a type give at a port.
PortCausality read_causality(YamlNode&& node, SourcePosition& position, Diagnostics& diagnostics) {
    const auto text = read_text(std::move(node), {"causality"}, "'effort out' or 'flow out'", diagnostics);
    if (!text) return PortCausality::free;
    position = text->position;
    if (text->text == "effort out") return PortCausality::effort_out;
    if (text->text == "flow out") return PortCausality::flow_out;
    const std::vector<std::string> words{"effort out", "flow out"};
    diagnostics.error("BG-M083", text->position,
                      fmt::format("'causality' of a port is 'effort out' or 'flow out', not {}{}",
                                  quoted_excerpt(text->text), did_you_mean(text->text, words)),
                      {{"because", "it says which of the two the type gives; without it, either"}});
    return PortCausality::free;
}

PortDeclaration read_port(YamlNode&& name, YamlNode&& node, Diagnostics& diagnostics) {
    PortDeclaration port;
    check_name(name, "a port", diagnostics);
    if (node.kind == Kind::map) {
        read_keys(std::move(node), fmt::format("port {}", quoted_excerpt(name.scalar)),
                  {{"domain",
                    [&](const YamlNode&, YamlNode&& value) {
                        port.domain = read_text(std::move(value), {"domain"}, "the name of a domain", diagnostics);
                        if (port.domain) check_domain(*port.domain, diagnostics);
                    }},
                   {"size", [&](const YamlNode&,
                                YamlNode&& value) { port.size = read_value(std::move(value), {"size"}, diagnostics); }},
                   {"causality",
                    [&](const YamlNode&, YamlNode&& value) {
                        port.causality = read_causality(std::move(value), port.causality_position, diagnostics);
                    }},
                   {"doc", [&](const YamlNode&,
                               YamlNode&& value) { port.doc = read_doc(std::move(value), {"doc"}, diagnostics); }}},
                  diagnostics);
    } else if (node.kind != Kind::null) {
        report_kind(node, {name.scalar}, "a map such as {domain: electrical}", diagnostics);
    }
    port.name = text_of(std::move(name));
    return port;
}

std::optional<ValueType> read_value_type(YamlNode&& node, Diagnostics& diagnostics) {
    const auto text = read_text(std::move(node), {"type"}, "one of real, integer, boolean", diagnostics);
    if (!text) return std::nullopt;
    if (text->text == "real") return ValueType::real;
    if (text->text == "integer") return ValueType::integer;
    if (text->text == "boolean") return ValueType::boolean;
    const std::vector<std::string> names{"real", "integer", "boolean"};
    diagnostics.error("BG-M041", text->position,
                      fmt::format("'type' of a variable is one of real, integer, boolean, not {}{}",
                                  quoted_excerpt(text->text), did_you_mean(text->text, names)),
                      {{"because", "a variable with a type changes at events only; others have none"}});
    return std::nullopt;
}

VariableDeclaration read_variable(YamlNode&& name, YamlNode&& node, std::string_view what, Diagnostics& diagnostics) {
    VariableDeclaration variable;
    check_name(name, what, diagnostics);
    if (node.kind == Kind::map) {
        std::vector<KeyReader> keys{
            {"unit",
             [&](const YamlNode&, YamlNode&& value) {
                 variable.unit = read_text(std::move(value), {"unit"}, "a unit", diagnostics);
             }},
            {"start", [&](const YamlNode&,
                          YamlNode&& value) { variable.start = read_value(std::move(value), {"start"}, diagnostics); }},
            {"doc", [&](const YamlNode&, YamlNode&& value) {
                 variable.doc = read_doc(std::move(value), {"doc"}, diagnostics);
             }}};
        if (what != "an input") {
            keys.push_back({"type", [&](const YamlNode&, YamlNode&& value) {
                                variable.discrete = read_value_type(std::move(value), diagnostics);
                            }});
        }
        read_keys(std::move(node), quoted_excerpt(name.scalar), keys, diagnostics);
    } else if (node.kind != Kind::null) {
        variable.start = read_value(std::move(node), {name.scalar}, diagnostics);
    }
    variable.name = text_of(std::move(name));
    return variable;
}

/// `variables:`, `inputs:` or `outputs:`: a map, or a list of names.
std::vector<VariableDeclaration> read_variables(YamlNode&& node, std::string_view key, std::string_view what,
                                                Diagnostics& diagnostics) {
    std::vector<VariableDeclaration> variables;
    if (node.kind == Kind::scalar) {
        report_kind(node, {key}, "a map or a list of names", diagnostics);
    } else if (node.kind == Kind::sequence) {
        for (YamlNode& child : node.children) {
            if (child.kind == Kind::scalar)
                variables.push_back(read_variable(std::move(child), {}, what, diagnostics));
            else
                report_kind(child, {key, true}, "a name", diagnostics);
        }
    } else if (node.kind == Kind::map) {
        for (std::size_t i = 0; i < node.size(); ++i)
            variables.push_back(
                read_variable(std::move(node.children[2 * i]), std::move(node.children[2 * i + 1]), what, diagnostics));
    }
    return variables;
}

/// Names that can't be told apart where they are used.
class UniqueNames {
   public:
    explicit UniqueNames(const TypeDeclaration& type, Diagnostics& diagnostics)
        : type_(type), diagnostics_(diagnostics) {}

    void add(const model::Text& name, std::string_view what) {
        const auto [first, fresh] = names_.try_emplace(name.text, what);
        if (fresh) return;
        diagnostics_.error("BG-M017", name.position,
                           fmt::format("type {} has {} {} and {} of that name", quoted_excerpt(type_.name.text),
                                       first->second, quoted_excerpt(name.text), what));
    }

   private:
    const TypeDeclaration& type_;
    Diagnostics& diagnostics_;
    std::unordered_map<std::string_view, std::string_view> names_;
};

/// `alternatives: [[R, G], [m, rho]]`, or of a single group [R, G].
void read_alternatives(YamlNode&& node, model::Body& body, Diagnostics& diagnostics) {
    if (!is_list(node, {"alternatives"}, diagnostics, "write 'alternatives: [[R, G]]'")) return;
    const bool single = !node.children.empty() &&
                        std::ranges::all_of(node.children, [](const YamlNode& n) { return n.kind == Kind::scalar; });
    std::vector<YamlNode> groups;
    if (single)
        groups.push_back(std::move(node));
    else
        groups = std::move(node.children);
    for (YamlNode& group : groups) {
        if (group.kind != Kind::sequence) {
            report_kind(group, {"alternatives", true}, "a list of names such as [R, G]", diagnostics);
            continue;
        }
        const SourcePosition position = group.position;
        std::vector<model::Text> names =
            read_texts(std::move(group), "alternatives", "the name of a parameter", diagnostics);
        if (names.size() < 2) {
            diagnostics.error("BG-M082", position, "alternatives are two parameters or more, of which one is given",
                              {{"try", "write 'alternatives: [[R, G]]'"}});
            continue;
        }
        body.alternatives.push_back(std::move(names));
    }
}

void read_ports(YamlNode&& node, TypeDeclaration& type, Diagnostics& diagnostics) {
    if (!is_map(node, {"ports"}, diagnostics, "write 'ports: {p: {domain: electrical}}'")) return;
    for (std::size_t i = 0; i < node.size(); ++i)
        type.ports.push_back(
            read_port(std::move(node.children[2 * i]), std::move(node.children[2 * i + 1]), diagnostics));
}

void read_coordinates(YamlNode&& node, model::JointDeclaration& joint, Diagnostics& diagnostics) {
    if (!is_map(node, {"coordinates"}, diagnostics, "write 'coordinates: {phi: rad, s: m}'")) return;
    for (std::size_t i = 0; i < node.size(); ++i) {
        YamlNode name = std::move(node.children[2 * i]);
        check_name(name, "a coordinate", diagnostics);
        const auto unit = read_text(std::move(node.children[2 * i + 1]), {name.scalar}, "rad or m", diagnostics);
        if (!unit) continue;
        if (unit->text != "rad" && unit->text != "m") {
            diagnostics.error("BG-M056", unit->position,
                              fmt::format("a coordinate is in rad or in m, not in {}", quoted_excerpt(unit->text)));
            continue;
        }
        joint.coordinates.push_back({text_of(std::move(name)), unit->text == "rad"});
    }
}

void read_motion(YamlNode&& node, model::JointDeclaration& joint, Diagnostics& diagnostics) {
    model::JointDeclaration::Motion motion;
    motion.position = node.position;
    std::optional<model::Value> axis;
    std::optional<model::Value> amount;
    const std::size_t errors = diagnostics.error_count();
    const auto value_of = [&](std::optional<model::Value>& target) {
        return [&](const YamlNode& key, YamlNode&& value) {
            target = read_value(std::move(value), {key.scalar}, diagnostics);
        };
    };
    if (node.kind != Kind::map) {
        report_kind(node, {"motion", true}, "a map such as {translate: [s, 0, 0]}", diagnostics);
        return;
    }
    motion.rotation = node.find("rotate") != nullptr;
    read_keys(std::move(node), "a motion",
              {{"rotate",
                [&](const YamlNode&, YamlNode&& turn) {
                    if (!is_map(turn, {"rotate"}, diagnostics, "write 'rotate: {axis: [0, 0, 1], angle: phi}'")) return;
                    read_keys(std::move(turn), "a rotation", {{"axis", value_of(axis)}, {"angle", value_of(amount)}},
                              diagnostics);
                }},
               {"translate", value_of(amount)}},
              diagnostics);
    if (diagnostics.error_count() > errors) return;
    if (!amount || (motion.rotation && !axis)) {
        diagnostics.error("BG-M056", motion.position, "a motion is a rotation with axis and angle, or a translation",
                          {{"try", "write {rotate: {axis: [0, 0, 1], angle: phi}} or {translate: [s, 0, 0]}"}});
        return;
    }
    motion.amount = *std::move(amount);
    if (axis) motion.axis = *std::move(axis);
    joint.motions.push_back(std::move(motion));
}

/// `joint:` — its coordinates and the motions from frame_a to frame_b.
void read_joint(YamlNode&& node, TypeDeclaration& type, Diagnostics& diagnostics) {
    type.joint.emplace();
    const std::size_t errors = diagnostics.error_count();
    read_keys(std::move(node), "a joint",
              {{"coordinates",
                [&](const YamlNode&, YamlNode&& v) { read_coordinates(std::move(v), *type.joint, diagnostics); }},
               {"motion",
                [&](const YamlNode&, YamlNode&& v) {
                    if (!is_list(v, {"motion"}, diagnostics, "begin each line with '- '")) return;
                    for (YamlNode& child : v.children) read_motion(std::move(child), *type.joint, diagnostics);
                }}},
              diagnostics);
    if (diagnostics.error_count() > errors) return;
    if (!type.joint->coordinates.empty() && !type.joint->motions.empty()) return;
    diagnostics.error("BG-M056", type.name.position,
                      fmt::format("joint {} needs 'coordinates:' and 'motion:'", quoted_excerpt(type.name.text)));
}

/// `connectors: {p: pin}`, or {p: {type: pin, doc: …}}.
void read_connectors(YamlNode&& node, TypeDeclaration& type, Diagnostics& diagnostics) {
    if (!is_map(node, {"connectors"}, diagnostics, "write 'connectors: {p: pin}'")) return;
    for (std::size_t i = 0; i < node.size(); ++i) {
        YamlNode name = std::move(node.children[2 * i]);
        YamlNode value = std::move(node.children[2 * i + 1]);
        check_name(name, "a connector", diagnostics);
        model::ConnectorDeclaration connector;
        if (value.kind == Kind::map) {
            read_keys(std::move(value), fmt::format("connector {}", quoted_excerpt(name.scalar)),
                      {{"type",
                        [&](const YamlNode&, YamlNode&& v) {
                            if (auto text = read_text(std::move(v), {"type"}, "a connector type", diagnostics))
                                connector.type = *std::move(text);
                        }},
                       {"causality",
                        [&](const YamlNode&, YamlNode&& v) {
                            connector.causality =
                                read_causality(std::move(v), connector.causality_position, diagnostics);
                        }},
                       {"optional",
                        [&](const YamlNode&, YamlNode&& v) {
                            connector.optional = read_flag(std::move(v), "optional", diagnostics);
                        }},
                       {"doc", [&](const YamlNode&,
                                   YamlNode&& v) { connector.doc = read_doc(std::move(v), {"doc"}, diagnostics); }}},
                      diagnostics);
        } else if (auto text = read_text(std::move(value), {name.scalar}, "a connector type", diagnostics)) {
            connector.type = *std::move(text);
        }
        connector.name = text_of(std::move(name));
        // What is left out with it is so as a part under a condition is.
        type.body.has_arrays = type.body.has_arrays || connector.optional;
        type.connectors.push_back(std::move(connector));
    }
}

void read_type_keys(YamlNode&& node, TypeDeclaration& type, TypeDrawing& drawing, Diagnostics& diagnostics) {
    using Node = const YamlNode&;
    const bool extends = node.find("extends") != nullptr;
    model::Body machine;
    const std::vector<KeyReader> readers{
        {"extends",
         [&](Node, YamlNode&& v) {
             type.base = read_text(std::move(v), {"extends"}, "the name of a type", diagnostics);
         }},
        {"doc", [&](Node, YamlNode&& v) { type.doc = read_doc(std::move(v), {"doc"}, diagnostics); }},
        {"parameters",
         [&](Node, YamlNode&& v) { load_parameters(std::move(v), ParameterOwner::type, type.body, diagnostics); }},
        {"alternatives", [&](Node, YamlNode&& v) { read_alternatives(std::move(v), type.body, diagnostics); }},
        {"require", [&](Node, YamlNode&& v) { load_requirements(std::move(v), type.body, diagnostics); }},
        {"ports", [&](Node, YamlNode&& v) { read_ports(std::move(v), type, diagnostics); }},
        {"inputs",
         [&](Node, YamlNode&& v) {
             if (v.kind == Kind::map || v.kind == Kind::sequence)
                 for (std::size_t i = 0; i < v.size(); ++i)
                     check_not_component_key(v.kind == Kind::map ? v.key(i) : v.children[i], "an input", diagnostics);
             type.inputs = read_variables(std::move(v), "inputs", "an input", diagnostics);
         }},
        {"outputs",
         [&](Node, YamlNode&& v) { type.outputs = read_variables(std::move(v), "outputs", "an output", diagnostics); }},
        {"variables",
         [&](Node, YamlNode&& v) {
             type.body.variables = read_variables(std::move(v), "variables", "a variable", diagnostics);
         }},
        {"equations",
         [&](Node, YamlNode&& v) {
             type.body.equations = read_texts(std::move(v), "equations", "a text", diagnostics);
         }},
        {"energy",
         [&](Node, YamlNode&& v) { type.energy = read_text(std::move(v), {"energy"}, "an expression", diagnostics); }},
        {"dissipates",
         [&](Node, YamlNode&& v) {
             type.dissipates = read_text(std::move(v), {"dissipates"}, "an expression", diagnostics);
         }},
        {"supplies",
         [&](Node, YamlNode&& v) {
             type.supplies = read_text(std::move(v), {"supplies"}, "an expression", diagnostics);
         }},
        {"components",
         [&](Node, YamlNode&& v) { load_components(std::move(v), type.body, drawing.places, diagnostics, extends); }},
        {"bonds", [&](Node, YamlNode&& v) { load_bonds(std::move(v), type.body, diagnostics); }},
        {"connect", [&](Node, YamlNode&& v) { load_connects(std::move(v), type.body, diagnostics); }},
        {"signals", [&](Node, YamlNode&& v) { load_signals(std::move(v), type.body, diagnostics); }},
        {"connectors", [&](Node, YamlNode&& v) { read_connectors(std::move(v), type, diagnostics); }},
        {"states", [&](Node, YamlNode&& v) { machine = load_states(std::move(v), diagnostics); }},
        {"starts", [&](Node, YamlNode&& v) { load_starts(std::move(v), type, diagnostics); }},
        {"shapes", [&](Node, YamlNode&& v) { type.shapes = load_shapes(std::move(v), diagnostics); }},
        {"symbol", [&](Node, YamlNode&& v) { drawing.symbol = load_symbol(std::move(v), diagnostics); }},
        {"joint", [&](Node, YamlNode&& v) { read_joint(std::move(v), type, diagnostics); }},
        {"when", [&](Node, YamlNode&& v) { load_whens(std::move(v), type.body, diagnostics); }},
        {"initial", [&](Node, YamlNode&& v) { load_initial(std::move(v), type.body, diagnostics); }},
    };
    // a mistake in one of these sections may have cost an entry
    std::vector<KeyReader> watched = readers;
    for (KeyReader& reader : watched) {
        if (reader.name != "ports" && reader.name != "connectors" && reader.name != "inputs" &&
            reader.name != "outputs" && reader.name != "variables" && reader.name != "equations" &&
            reader.name != "when" && reader.name != "initial" && reader.name != "starts" && reader.name != "states")
            continue;
        reader.read = [&, name = reader.name, read = reader.read](Node key, YamlNode&& value) {
            const std::size_t errors = diagnostics.error_count();
            read(key, std::move(value));
            if (diagnostics.error_count() > errors) note_gap(type.body.gaps, name);
        };
    }
    const auto meant =
        read_keys(std::move(node), fmt::format("type {}", quoted_excerpt(type.name.text)), watched, diagnostics);
    for (const std::string_view section : meant) note_gap(type.body.gaps, section);
    const auto append = [](auto& to, auto& from) {
        to.insert(to.end(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    append(type.body.variables, machine.variables);
    append(type.body.equations, machine.equations);
    append(type.body.whens, machine.whens);
}

}  // namespace

void check_unique_names(const TypeDeclaration& type, Diagnostics& diagnostics) {
    UniqueNames values(type, diagnostics);  // what expressions name
    for (const auto& parameter : type.body.parameters) values.add(parameter.name, "a parameter");
    for (const auto& input : type.inputs) values.add(input.name, "an input");
    for (const auto& output : type.outputs) values.add(output.name, "an output");
    for (const auto& variable : type.body.variables) values.add(variable.name, "a variable");
    for (const auto& start : type.starts) values.add(start.name, "a start value");
    UniqueNames ends(type, diagnostics);  // what bonds name
    for (const auto& port : type.ports) ends.add(port.name, "a port");
    for (const auto& connector : type.connectors) ends.add(connector.name, "a connector");
    for (const auto& component : type.body.components) ends.add(component.name, "a component");
}

TypeDeclaration load_type(YamlNode&& name, YamlNode&& node, TypeDrawing& drawing, Diagnostics& diagnostics) {
    TypeDeclaration type;
    check_name(name, "a type", diagnostics);
    type.name = text_of(std::move(name));
    if (node.kind != Kind::map && node.kind != Kind::null) {
        report_kind(node, {type.name.text}, "a map", diagnostics);
        type.body.gaps = kEverything;
        return type;
    }
    read_type_keys(std::move(node), type, drawing, diagnostics);
    check_unique_names(type, diagnostics);
    return type;
}

TypeDeclaration load_record(YamlNode&& name, YamlNode&& node, Diagnostics& diagnostics) {
    TypeDeclaration record;
    record.record = true;
    check_name(name, "a record", diagnostics);
    record.name = text_of(std::move(name));
    if (node.kind != Kind::map) {
        report_kind(node, {record.name.text}, "a map such as {parameters: {density: 870 kg/m3}}", diagnostics);
        record.body.gaps = kEverything;
        return record;
    }
    const std::size_t errors = diagnostics.error_count();
    read_keys(
        std::move(node), fmt::format("record {}", quoted_excerpt(record.name.text)),
        {{"extends",
          [&](const YamlNode&, YamlNode&& v) {
              record.base = read_text(std::move(v), {"extends"}, "the name of a record", diagnostics);
          }},
         {"doc", [&](const YamlNode&, YamlNode&& v) { record.doc = read_doc(std::move(v), {"doc"}, diagnostics); }},
         {"parameters",
          [&](const YamlNode&, YamlNode&& v) {
              load_parameters(std::move(v), ParameterOwner::type, record.body, diagnostics);
          }},
         {"alternatives",
          [&](const YamlNode&, YamlNode&& v) { read_alternatives(std::move(v), record.body, diagnostics); }},
         {"require",
          [&](const YamlNode&, YamlNode&& v) { load_requirements(std::move(v), record.body, diagnostics); }}},
        diagnostics);
    for (const model::ParameterDeclaration& p : record.body.parameters) {
        // {value: …, free: true} gives one parameter, {record: …, doc: …} declares several
        if (p.name.text != "value" && p.name.text != "free" && p.name.text != "record") continue;
        diagnostics.error("BG-M017", p.name.position,
                          fmt::format("{} can't be the name of a parameter of a record: it is a key that stands where "
                                      "these are given",
                                      quoted_excerpt(p.name.text)));
    }
    if (diagnostics.error_count() > errors) record.body.gaps.values = true;
    return record;
}

}  // namespace bondgraph::io
