// The sections that a model and a type have in common: parameters, components, bonds, signals.

#include "bondgraph/io/load_body.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "bondgraph/io/arrow.hpp"
#include "bondgraph/io/form.hpp"
#include "bondgraph/io/load_events.hpp"
#include "bondgraph/io/load_shapes.hpp"
#include "bondgraph/io/table_files.hpp"
#include "bondgraph/io/yaml_mistake.hpp"
#include "bondgraph/model/array_text.hpp"
#include "bondgraph/model/type_hints.hpp"

namespace bondgraph::io {

namespace {

using Kind = YamlNode::Kind;
using model::ComponentDeclaration;
using model::StatePreference;

constexpr std::array<std::pair<std::string_view, StatePreference>, 5> kPreferences{{
    {"always", StatePreference::always},
    {"prefer", StatePreference::prefer},
    {"default", StatePreference::standard},
    {"avoid", StatePreference::avoid},
    {"never", StatePreference::never},
}};

std::optional<StatePreference> read_preference(YamlNode&& node, Diagnostics& diagnostics) {
    const auto text =
        read_text(std::move(node), {"states"}, "one of always, prefer, default, avoid, never", diagnostics);
    if (!text) return std::nullopt;
    const auto known = std::find_if(kPreferences.begin(), kPreferences.end(),
                                    [&](const auto& preference) { return preference.first == text->text; });
    if (known != kPreferences.end()) return known->second;
    std::vector<std::string> names;
    for (const auto& [name, preference] : kPreferences) names.emplace_back(name);
    diagnostics.error("BG-M038", text->position,
                      fmt::format("'states' is one of always, prefer, default, avoid, never, not {}{}",
                                  quoted_excerpt(text->text), did_you_mean(text->text, names)));
    return std::nullopt;
}

/// What to say about a key whose value is a map, when it is likely none of the parameters: those are never maps.
std::string misspelt_map(std::string_view name) {
    if (name == "params" || name == "parameters") return "; parameters stand by themselves";
    if (name.size() < 3) return {};
    const std::vector<std::string> names{"initial", "guess", "nominal"};
    return did_you_mean(name, names);
}

/// A parameter of a component that is to be solved for: {value: 100 N/m, free: true}.
void read_free_setting(ComponentDeclaration& component, YamlNode&& key, YamlNode&& node, Diagnostics& diagnostics) {
    std::optional<model::Value> value;
    bool free = false;
    const SourcePosition position = node.position;
    const std::size_t errors = diagnostics.error_count();
    read_keys(
        std::move(node), fmt::format("parameter {}", quoted_excerpt(key.scalar)),
        {{"value", [&](const YamlNode&, YamlNode&& v) { value = read_value(std::move(v), {"value"}, diagnostics); }},
         {"free", [&](const YamlNode&, YamlNode&& v) { free = read_flag(std::move(v), "free", diagnostics); }}},
        diagnostics);
    if (value) {
        component.settings.push_back({text_of(std::move(key)), *std::move(value), free});
    } else if (diagnostics.error_count() == errors) {
        diagnostics.error("BG-M037", position, fmt::format("{} has no value", quoted_excerpt(key.scalar)),
                          {{"try", "a free parameter needs a guess: {value: 100 N/m, free: true}"}});
    }
}

/// "cell[n, 3]" → "cell", with the sizes given to `repetition`; other names stay as they are.
void cut_sizes(YamlNode& name, model::Repetition& repetition, Diagnostics& diagnostics) {
    constexpr std::size_t kMost = 2;
    const std::size_t open = name.scalar.find('[');
    if (open == std::string::npos || open == 0 || !name.scalar.ends_with(']')) return;
    model::Text inside{name.scalar.substr(open + 1, name.scalar.size() - open - 2), name.position};
    inside.position.column += static_cast<std::uint32_t>(open + 1);
    repetition.sizes = model::comma_parts(inside);
    const bool empty = std::ranges::any_of(repetition.sizes, [](const model::Text& t) { return t.text.empty(); });
    if (empty || repetition.sizes.size() > kMost) {
        diagnostics.error(
            "BG-M074", name.position,
            fmt::format("{}: an array has one size, or two of rows and columns", quoted_excerpt(name.scalar)),
            {{"try", "write 'cell[10]: {type: …}', or 'cell[3, 4]: {type: …}'"}});
        repetition.sizes = {{"1", name.position}};
    }
    name.scalar.resize(open);
}

void read_component_key(ComponentDeclaration& component, model::Repetition& repetition, YamlNode&& key,
                        YamlNode&& value, Diagnostics& diagnostics) {
    const std::string_view name = key.scalar;
    if (name == "type") {
        auto type = read_text(std::move(value), {name}, "the name of a component type", diagnostics);
        if (type) component.type = *std::move(type);
    } else if (name == "initial") {
        load_initial(std::move(value), component, diagnostics);
    } else if (name == "guess") {
        component.guess = read_settings(std::move(value), name, diagnostics);
    } else if (name == "nominal") {
        component.nominal = read_settings(std::move(value), name, diagnostics);
    } else if (name == "states") {
        component.states = read_preference(std::move(value), diagnostics);
    } else if (name == "domain") {
        if (auto text = read_text(std::move(value), {name}, "the name of a domain", diagnostics))
            component.domain = std::make_shared<const model::Text>(*std::move(text));
    } else if (name == "size") {
        if (auto size = read_value(std::move(value), {name}, diagnostics))
            component.size = std::make_shared<const model::Value>(*std::move(size));
    } else if (name == "shapes") {
        component.shapes =
            std::make_shared<const std::vector<model::ShapeDeclaration>>(load_shapes(std::move(value), diagnostics));
    } else if (name == "if") {
        if (value.kind == Kind::scalar)
            repetition.condition = read_value(std::move(value), {name}, diagnostics);
        else
            report_kind(value, {name}, "a condition on parameters such as 'heated' or 'n > 1'", diagnostics);
    } else if (name == "doc") {
        read_doc(std::move(value), {name}, diagnostics);  // for readers of the file: nothing shows it
    } else if (const std::string hint = misspelt_map(name); value.kind == Kind::map && !hint.empty()) {
        std::vector<DiagnosticNote> notes;
        if (name.starts_with("param"))
            notes.push_back({"try", "write parameters beside the type, as in {type: R, R: 10 ohm}"});
        diagnostics.error("BG-M036", key.position,
                          fmt::format("unknown key {} of a component{}", quoted_excerpt(name), hint), std::move(notes));
    } else {
        load_setting(component, std::move(key), std::move(value), diagnostics);
    }
}

void report_missing_type(const YamlNode& name, Diagnostics& diagnostics) {
    diagnostics.error(
        "BG-M032", name.position, fmt::format("component {} has no 'type:'", quoted_excerpt(name.scalar)),
        {{"try", fmt::format("write '{}: {{type: R, R: 10 ohm}}'; 'bondgraph types' lists all types", name.scalar)}});
}

ComponentDeclaration read_component(YamlNode&& name, YamlNode&& node, std::size_t number, std::vector<PlaceKey>& places,
                                    Diagnostics& diagnostics, bool typeless) {
    ComponentDeclaration component;
    model::Repetition repetition;
    const std::size_t errors = diagnostics.error_count();
    cut_sizes(name, repetition, diagnostics);
    if (node.kind == Kind::null) {
        report_missing_type(name, diagnostics);
    } else if (node.kind != Kind::map) {
        report_kind(node, {name.scalar}, "a map such as {type: R, R: 10 ohm}", diagnostics);
    } else {
        if (!typeless && node.find("type") == nullptr) report_missing_type(name, diagnostics);
        for (std::size_t i = 0; i < node.size(); ++i) {
            YamlNode key = std::move(node.children[2 * i]);
            YamlNode value = std::move(node.children[2 * i + 1]);
            if (key.scalar == "at" || key.scalar == "turn" || key.scalar == "mirror")
                places.push_back({PlaceKey::kOfModel, number, std::move(key), std::move(value)});
            else
                read_component_key(component, repetition, std::move(key), std::move(value), diagnostics);
        }
    }
    component.name = text_of(std::move(name));
    component.flawed = component.flawed || diagnostics.error_count() > errors;
    if (!repetition.sizes.empty() || repetition.condition)
        component.repetition = std::make_shared<const model::Repetition>(std::move(repetition));
    return component;
}

/// `choices: [round, flat]`: words that can be told apart, and can stand behind the parameter's name.
void read_choices(YamlNode&& node, model::ParameterDeclaration& parameter, Diagnostics& diagnostics) {
    const SourcePosition position = node.position;
    parameter.choices = read_texts(std::move(node), "choices", "a word", diagnostics);
    for (std::size_t k = 0; k < parameter.choices.size(); ++k) {
        const model::Text& word = parameter.choices[k];
        check_name(word, "a choice", diagnostics);
        const auto before = parameter.choices.begin() + static_cast<std::ptrdiff_t>(k);
        if (std::any_of(parameter.choices.begin(), before, [&](const model::Text& t) { return t.text == word.text; }))
            diagnostics.error("BG-M077", word.position, fmt::format("{} is there twice", quoted_excerpt(word.text)));
    }
    if (parameter.choices.size() == 1)
        diagnostics.error("BG-M077", position, "'choices' of a parameter are at least two words");
}

/// {record: Fluid, density: 870 kg/m3}
void read_record(YamlNode&& node, model::ParameterDeclaration& parameter, Diagnostics& diagnostics) {
    ComponentDeclaration fields;  // they are written as those of a component
    for (std::size_t i = 0; i < node.size(); ++i) {
        YamlNode key = std::move(node.children[2 * i]);
        YamlNode value = std::move(node.children[2 * i + 1]);
        if (key.scalar == "record")
            parameter.record = read_text(std::move(value), {"record"}, "the name of a record", diagnostics);
        else if (key.scalar == "doc")
            parameter.doc = read_doc(std::move(value), {"doc"}, diagnostics);
        else
            load_setting(fields, std::move(key), std::move(value), diagnostics);
    }
    parameter.fields = std::move(fields.settings);
    parameter.flawed = parameter.flawed || fields.flawed;
}

model::ParameterDeclaration read_parameter(YamlNode&& name, YamlNode&& node, ParameterOwner owner,
                                           Diagnostics& diagnostics) {
    model::ParameterDeclaration parameter;
    const std::size_t errors = diagnostics.error_count();
    if (owner == ParameterOwner::type) check_not_component_key(name, "a parameter of a type", diagnostics);
    const auto value_of = [&](std::optional<model::Value>& target) {
        return [&](const YamlNode& key, YamlNode&& value) {
            if (names_table_file(value))
                parameter.flawed = true;
            else
                target = read_value(std::move(value), {key.scalar}, diagnostics);
        };
    };
    if (node.kind == Kind::map && node.find("record") != nullptr) {
        read_record(std::move(node), parameter, diagnostics);
    } else if (names_table_file(node)) {
        parameter.flawed = true;
    } else if (node.kind == Kind::map) {
        read_keys(
            std::move(node), fmt::format("parameter {}", quoted_excerpt(name.scalar)),
            {{"value", value_of(parameter.value)},
             {"unit",
              [&](const YamlNode&, YamlNode&& value) {
                  parameter.unit = read_text(std::move(value), {"unit"}, "a unit", diagnostics);
              }},
             {"min", value_of(parameter.min)},
             {"max", value_of(parameter.max)},
             {"above", value_of(parameter.above)},
             {"below", value_of(parameter.below)},
             {"whole", [&](const YamlNode&,
                           YamlNode&& value) { parameter.whole = read_flag(std::move(value), "whole", diagnostics); }},
             {"choices",
              [&](const YamlNode&, YamlNode&& value) { read_choices(std::move(value), parameter, diagnostics); }},
             {"free", [&](const YamlNode&,
                          YamlNode&& value) { parameter.free = read_flag(std::move(value), "free", diagnostics); }},
             {"doc", [&](const YamlNode&,
                         YamlNode&& value) { parameter.doc = read_doc(std::move(value), {"doc"}, diagnostics); }}},
            diagnostics);
    } else if (node.kind == Kind::null && owner == ParameterOwner::type) {
        report_kind(node, {name.scalar}, "a value", diagnostics,
                    {{"try", fmt::format("write '{}: {{unit: …}}' for a parameter without a default", name.scalar)}});
    } else {
        parameter.value = read_value(std::move(node), {name.scalar}, diagnostics);
    }
    parameter.name = text_of(std::move(name));
    const bool measured =
        parameter.unit || parameter.min || parameter.max || parameter.above || parameter.below || parameter.whole;
    if (!parameter.choices.empty() && (measured || parameter.free))
        diagnostics.error("BG-M077", parameter.name.position,
                          fmt::format("{} is one of its 'choices': it has no unit, no bounds and is not free",
                                      quoted_excerpt(parameter.name.text)));
    if (parameter.whole && parameter.free)
        diagnostics.error("BG-M043", parameter.name.position,
                          fmt::format("{} is a whole number and can't be free: what is solved for may be any number",
                                      quoted_excerpt(parameter.name.text)));
    parameter.flawed = parameter.flawed || diagnostics.error_count() > errors;
    return parameter;
}

/// The text of a bond or signal written as one, or nothing.
std::optional<model::Text> arrow_text(YamlNode&& node, std::string_view section, ArrowKind kind,
                                      Diagnostics& diagnostics) {
    if (node.kind == Kind::scalar) return text_of(std::move(node));
    diagnostics.error("BG-M033", node.position,
                      fmt::format("an entry of '{}' is a text such as '{}', not {}", section,
                                  kind == ArrowKind::bond ? "a -> b" : "a.y -> b.u", node.kind_text()),
                      {{"try", arrow_advice(kind)}});
    return std::nullopt;
}

std::optional<model::BondDeclaration> read_bond(YamlNode&& node, Diagnostics& diagnostics) {
    model::BondDeclaration bond;
    YamlNode* text_node = &node;
    if (node.kind == Kind::map && node.size() == 1) {
        YamlNode& name = node.children[0];
        if (has_arrow(name.scalar)) {
            diagnostics.error("BG-M033", name.position,
                              fmt::format("there is a ':' after {}", quoted_excerpt(name.scalar)),
                              {{"try", "a bond's name comes first: 'name: a -> b'"}});
            return std::nullopt;
        }
        check_name(name, "a bond", diagnostics);
        bond.name = text_of(std::move(name));
        text_node = &node.children[1];
    } else if (node.kind == Kind::map && node.size() > 1) {
        diagnostics.error("BG-M033", node.position, fmt::format("this entry of 'bonds' has {} keys", node.size()),
                          {{"try", "write one bond per line: 'a -> b', or with a name 'name: a -> b'"}});
        return std::nullopt;
    }
    const auto text = arrow_text(std::move(*text_node), "bonds", ArrowKind::bond, diagnostics);
    if (!text) return std::nullopt;
    auto ends = split_arrow(*text, ArrowKind::bond, diagnostics);
    if (!ends) return std::nullopt;
    bond.from = std::move(ends->from);
    bond.to = std::move(ends->to);
    return bond;
}

std::optional<model::SignalDeclaration> read_signal(YamlNode&& node, Diagnostics& diagnostics) {
    if (node.kind == Kind::map && node.size() == 1 && !has_arrow(node.key(0).scalar)) {
        diagnostics.error(
            "BG-M033", node.key(0).position,
            fmt::format("a signal has no name, but {} stands before it", quoted_excerpt(node.key(0).scalar)),
            {{"try", arrow_advice(ArrowKind::signal)}});
        return std::nullopt;
    }
    const auto text = arrow_text(std::move(node), "signals", ArrowKind::signal, diagnostics);
    if (!text) return std::nullopt;
    auto ends = split_arrow(*text, ArrowKind::signal, diagnostics);
    if (!ends) return std::nullopt;
    return model::SignalDeclaration{std::move(ends->from), std::move(ends->to)};
}

}  // namespace

void load_setting(ComponentDeclaration& component, YamlNode&& key, YamlNode&& value, Diagnostics& diagnostics) {
    const auto same = [&](const model::Setting& s) { return s.key.text == key.scalar; };
    if (key.scalar.find('.') != std::string::npos && std::ranges::any_of(component.settings, same)) {
        diagnostics.error("BG-M017", key.position, fmt::format("{} is given twice", quoted_excerpt(key.scalar)));
    } else if (value.find("value") != nullptr || value.find("free") != nullptr) {
        read_free_setting(component, std::move(key), std::move(value), diagnostics);
    } else if (names_table_file(value)) {
        component.flawed = true;
    } else if (value.kind == Kind::map && value.size() > 0) {
        for (std::size_t i = 0; i < value.size(); ++i) {  // of a record: each of its parameters
            YamlNode name = std::move(value.children[2 * i]);
            name.scalar = key.scalar + "." + name.scalar;
            load_setting(component, std::move(name), std::move(value.children[2 * i + 1]), diagnostics);
        }
    } else if (value.kind == Kind::map) {
        diagnostics.error("BG-M037", value.position,
                          fmt::format("the map {} has no values", quoted_excerpt(key.scalar)),
                          {{"try",
                            "of a record, those of its parameters that are to be others: {density: 870 kg/m3}; "
                            "leave it out where none is. Anything else takes a number, a text or a list"}});
    } else if (auto setting = read_value(std::move(value), {key.scalar}, diagnostics)) {
        component.settings.push_back({text_of(std::move(key)), *std::move(setting)});
    }
}

void load_parameters(YamlNode&& node, ParameterOwner owner, model::Body& body, Diagnostics& diagnostics) {
    if (!is_map(node, {"parameters"}, diagnostics, "write 'name: value' on each line, without '-'")) {
        body.gaps.values = body.gaps.values || node.kind != Kind::null;
        return;
    }
    body.parameters.reserve(node.size());
    for (std::size_t i = 0; i < node.size(); ++i) {
        if (!check_name(node.key(i), "a parameter", diagnostics)) body.gaps.values = true;
        body.parameters.push_back(
            read_parameter(std::move(node.children[2 * i]), std::move(node.children[2 * i + 1]), owner, diagnostics));
    }
}

namespace {

/// A component and an array of one name, or two arrays: to the reader of YAML their keys are different.
void check_arrays_once(const model::Body& body, Diagnostics& diagnostics) {
    if (!body.has_arrays) return;
    std::map<std::string_view, std::size_t> count;
    for (const ComponentDeclaration& c : body.components) ++count[c.name.text];
    for (const ComponentDeclaration& c : body.components) {
        if (c.repetition == nullptr || c.repetition->sizes.empty() || count[c.name.text] < 2) continue;
        diagnostics.error("BG-M017", c.name.position,
                          fmt::format("there is another component {}", quoted_excerpt(c.name.text)),
                          {{"because", "an array is called by its name without the size"}});
    }
}

}  // namespace

void load_components(YamlNode&& node, model::Body& body, std::vector<PlaceKey>& places, Diagnostics& diagnostics,
                     bool typeless) {
    if (!is_map(node, {"components"}, diagnostics, "write 'name: {type: …}' on each line, without '-'")) {
        body.gaps.components = body.gaps.components || node.kind != Kind::null;
        return;
    }
    body.components.reserve(node.size());
    for (std::size_t i = 0; i < node.size(); ++i) {
        // the nodes die with each turn, so that a large model is not held twice
        YamlNode name = std::move(node.children[2 * i]);
        YamlNode value = std::move(node.children[2 * i + 1]);
        body.components.push_back(
            read_component(std::move(name), std::move(value), body.components.size(), places, diagnostics, typeless));
        const ComponentDeclaration& component = body.components.back();
        if (!check_name(component.name, "a component", diagnostics)) body.gaps.components = true;
        body.has_arrays = body.has_arrays || component.repetition != nullptr;
    }
    check_arrays_once(body, diagnostics);
}

void load_bonds(YamlNode&& node, model::Body& body, Diagnostics& diagnostics) {
    const std::size_t errors = diagnostics.error_count();
    if (is_list(node, {"bonds"}, diagnostics, "begin each line with '- ', as in '- a -> b'")) {
        body.bonds.reserve(node.size());
        for (YamlNode& child : node.children) {
            auto bond = read_bond(std::move(child), diagnostics);
            if (!bond) continue;
            body.has_arrays =
                body.has_arrays || model::has_open_index(bond->from.text) || model::has_open_index(bond->to.text);
            body.bonds.push_back(*std::move(bond));
        }
    }
    if (diagnostics.error_count() > errors) body.gaps.bonds = true;
}

void load_signals(YamlNode&& node, model::Body& body, Diagnostics& diagnostics) {
    const std::size_t errors = diagnostics.error_count();
    if (is_list(node, {"signals"}, diagnostics, "begin each line with '- ', as in '- a.y -> b.u'")) {
        body.signals.reserve(node.size());
        for (YamlNode& child : node.children) {
            auto signal = read_signal(std::move(child), diagnostics);
            if (!signal) continue;
            body.has_arrays =
                body.has_arrays || model::has_open_index(signal->from.text) || model::has_open_index(signal->to.text);
            body.signals.push_back(*std::move(signal));
        }
    }
    if (diagnostics.error_count() > errors) body.gaps.signals = true;
}

void load_connects(YamlNode&& node, model::Body& body, Diagnostics& diagnostics) {
    const std::size_t errors = diagnostics.error_count();
    if (is_list(node, {"connect"}, diagnostics, "begin each line with '- ', as in '- [a.frame_b, b.frame_a]'")) {
        for (YamlNode& child : node.children) {
            model::ConnectDeclaration declaration;
            if (child.kind == Kind::scalar) {
                declaration.members = split_joined(text_of(std::move(child)), diagnostics);
                if (declaration.members.empty()) continue;
            } else if (child.kind != Kind::sequence || child.size() < 2) {
                diagnostics.error("BG-M033", child.position,
                                  "an entry of 'connect' is a list of connectors that are joined to each other",
                                  {{"try", "write '- [a.frame_b, b.frame_a]', or '- a.frame_b -- b.frame_a'"}});
                continue;
            } else {
                declaration.members = read_texts(std::move(child), "connect", "the name of a connector", diagnostics);
            }
            body.has_arrays = body.has_arrays || std::ranges::any_of(declaration.members, [](const model::Text& m) {
                                  return model::has_open_index(m.text);
                              });
            body.connects.push_back(std::move(declaration));
        }
    }
    if (diagnostics.error_count() > errors) body.gaps.bonds = true;
}

void note_gap(model::Gaps& gaps, std::string_view section) {
    if (section == "parameters" || section == "inputs" || section == "outputs" || section == "variables")
        gaps.values = true;
    else if (section == "components")
        gaps.components = true;
    else if (section == "ports" || section == "connectors")
        gaps.ports = true;
    else if (section == "bonds" || section == "connect")
        gaps.bonds = true;
    else if (section == "signals")
        gaps.signals = true;
    else if (section == "states")
        gaps.values = gaps.equations = true;
    else if (section == "equations" || section == "when" || section == "initial" || section == "starts")
        gaps.equations = true;
}

void check_not_component_key(const YamlNode& name, std::string_view what, Diagnostics& diagnostics) {
    const auto& keys = model::reserved_component_keys();
    if (std::ranges::find(keys, name.scalar) == keys.end()) return;
    diagnostics.error(
        "BG-M017", name.position,
        fmt::format("'{}' can't be the name of {}: every component has a key '{}:'", name.scalar, what, name.scalar));
}

}  // namespace bondgraph::io
