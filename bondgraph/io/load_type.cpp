#include "bondgraph/io/load_type.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "bondgraph/io/form.hpp"
#include "bondgraph/io/load_body.hpp"
#include "bondgraph/io/load_events.hpp"
#include "bondgraph/io/yaml_mistake.hpp"
#include "bondgraph/model/domain.hpp"

namespace bondgraph::io {

namespace {

using Kind = YamlNode::Kind;
using model::PortDeclaration;
using model::TypeDeclaration;
using model::ValueType;
using model::VariableDeclaration;

constexpr model::Gaps kEverything{true, true, true, true, true, true};

void check_domain(const model::Text& text, Diagnostics& diagnostics) {
    if (model::find_domain(text.text)) return;
    std::vector<std::string> names;
    for (const model::Domain& domain : model::domains()) names.emplace_back(domain.name);
    diagnostics.error("BG-M011", text.position,
                      fmt::format("unknown domain {}{}", quoted_excerpt(text.text), did_you_mean(text.text, names)));
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

void check_unique_names(const TypeDeclaration& type, Diagnostics& diagnostics) {
    UniqueNames values(type, diagnostics);  // what expressions name
    for (const auto& parameter : type.body.parameters) values.add(parameter.name, "a parameter");
    for (const auto& input : type.inputs) values.add(input.name, "an input");
    for (const auto& output : type.outputs) values.add(output.name, "an output");
    for (const auto& variable : type.body.variables) values.add(variable.name, "a variable");
    UniqueNames ends(type, diagnostics);  // what bonds name
    for (const auto& port : type.ports) ends.add(port.name, "a port");
    for (const auto& component : type.body.components) ends.add(component.name, "a component");
}

void read_ports(YamlNode&& node, TypeDeclaration& type, Diagnostics& diagnostics) {
    if (!is_map(node, {"ports"}, diagnostics, "write 'ports: {p: {domain: electrical}}'")) return;
    for (std::size_t i = 0; i < node.size(); ++i)
        type.ports.push_back(
            read_port(std::move(node.children[2 * i]), std::move(node.children[2 * i + 1]), diagnostics));
}

void read_type_keys(YamlNode&& node, TypeDeclaration& type, Diagnostics& diagnostics) {
    using Node = const YamlNode&;
    const auto unsupported = [&](Node key, YamlNode&&) {
        report_unsupported(key, diagnostics);
        note_gap(type.body.gaps, key.scalar);
    };
    const std::vector<KeyReader> readers{
        {"doc", [&](Node, YamlNode&& v) { type.doc = read_doc(std::move(v), {"doc"}, diagnostics); }},
        {"parameters",
         [&](Node, YamlNode&& v) { load_parameters(std::move(v), ParameterOwner::type, type.body, diagnostics); }},
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
        {"components", [&](Node, YamlNode&& v) { load_components(std::move(v), type.body, diagnostics); }},
        {"bonds", [&](Node, YamlNode&& v) { load_bonds(std::move(v), type.body, diagnostics); }},
        {"signals", [&](Node, YamlNode&& v) { load_signals(std::move(v), type.body, diagnostics); }},
        {"connectors", unsupported, false},
        {"connect", unsupported, false},
        {"when", [&](Node, YamlNode&& v) { load_whens(std::move(v), type.body, diagnostics); }},
        {"initial", [&](Node, YamlNode&& v) { load_initial(std::move(v), type.body, diagnostics); }},
    };
    // a mistake in one of these sections may have cost an entry
    std::vector<KeyReader> watched = readers;
    for (KeyReader& reader : watched) {
        if (reader.name != "ports" && reader.name != "inputs" && reader.name != "outputs" &&
            reader.name != "variables" && reader.name != "equations" && reader.name != "when" &&
            reader.name != "initial")
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
}

bool has_entries(const YamlNode* node) {
    return node != nullptr && node->kind != Kind::null && (node->kind == Kind::scalar || node->size() > 0);
}

}  // namespace

TypeDeclaration load_type(YamlNode&& name, YamlNode&& node, Diagnostics& diagnostics) {
    TypeDeclaration type;
    check_name(name, "a type", diagnostics);
    type.name = text_of(std::move(name));
    if (node.kind != Kind::map && node.kind != Kind::null) {
        report_kind(node, {type.name.text}, "a map", diagnostics);
        type.body.gaps = kEverything;
        return type;
    }
    // asked of the file, not of what could be read: a mistake in the equations is reported once
    const bool empty = !has_entries(node.find("equations")) && !has_entries(node.find("components")) &&
                       !has_entries(node.find("when"));
    read_type_keys(std::move(node), type, diagnostics);
    // a misspelt key has been reported, and may have been one of these
    if (empty && !type.body.gaps.equations && !type.body.gaps.components) {
        diagnostics.error(
            "BG-M034", type.name.position,
            fmt::format("type {} has neither 'equations:' nor 'components:'", quoted_excerpt(type.name.text)),
            {{"because", "a type is given by its laws, by its parts, or by both"}});
        type.body.gaps.equations = type.body.gaps.components = true;
    }
    check_unique_names(type, diagnostics);
    return type;
}

}  // namespace bondgraph::io
