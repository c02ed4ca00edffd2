#include "tests/parts/tested_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <set>

#include "bondgraph/io/load_model.hpp"
#include "bondgraph/model/flatten.hpp"
#include "mechanics3d/catalogue.hpp"

namespace bondgraph::parts {
namespace {

/// "2 mm" → 2 and " mm"; nothing of an expression, a word, or "2*R".
struct WrittenNumber {
    double number = 0.0;
    std::string unit;
};

std::optional<WrittenNumber> as_number(const model::Text& text) {
    if (text.quoted || text.text.empty()) return std::nullopt;
    char* end = nullptr;
    const double number = std::strtod(text.text.c_str(), &end);
    if (end == text.text.c_str() || !std::isfinite(number)) return std::nullopt;
    const std::string rest(end);
    const std::size_t first = rest.find_first_not_of(' ');
    if (first == std::string::npos) return WrittenNumber{number, ""};
    const auto letter = static_cast<unsigned char>(rest[first]);
    // Of units that begin with a sign ("µm", "%") or a digit ("1/s") only the latter needs a closer look.
    const bool unit = std::isalpha(letter) != 0 || letter >= 0x80 || letter == '%' ||
                      (first > 0 && rest.compare(first, 2, "1/") == 0);
    if (!unit) return std::nullopt;
    return WrittenNumber{number, " " + rest.substr(first)};
}

bool is_condition(const std::string& text) {
    for (const char* sign : {"<", ">", "==", "!=", " and ", " or ", "not "})
        if (text.find(sign) != std::string::npos && text.find("if ") == std::string::npos) return true;
    return text == "true" || text == "false";
}

std::string written(const model::Value& value) {
    if (!value.is_list) return value.scalar.text;
    std::string all;
    for (const model::Value& item : value.items) all += (all.empty() ? "" : ", ") + written(item);
    return "[" + all + "]";
}

double largest_number(const model::Value& value) {
    double largest = 0.0;
    if (!value.is_list) {
        if (const auto number = as_number(value.scalar)) largest = std::abs(number->number);
    }
    for (const model::Value& item : value.items) largest = std::max(largest, largest_number(item));
    return largest;
}

std::size_t count_numbers(const model::Value& value) {
    if (!value.is_list) return 1;
    std::size_t count = 0;
    for (const model::Value& item : value.items) count += count_numbers(item);
    return count;
}

/// The text of the value in which its number `k` alone is changed.
std::optional<std::string> with_one(const model::Value& value, std::size_t& k, double factor, double largest) {
    if (!value.is_list) {
        if (k-- != 0) return written(value);
        const auto number = as_number(value.scalar);
        if (number && number->number == 0.0)
            return fmt::format("{}{}", largest > 0.0 ? std::abs(factor - 1.0) * largest : 0.1, number->unit);
        return times(value, factor);
    }
    std::string all;
    for (const model::Value& item : value.items) {
        const auto text = with_one(item, k, factor, largest);
        if (!text) return std::nullopt;
        all += (all.empty() ? "" : ", ") + *text;
    }
    return "[" + all + "]";
}

/// Whether a type is the named one, or extends it. Names of imported types may have a prefix.
bool is_or_extends(const model::Model& model, std::uint32_t type, const std::string& name) {
    for (std::optional<std::uint32_t> t = type; t; t = model.types[*t].base_type) {
        const std::string& own = model.types[*t].name.text;
        if (own == name || own.ends_with("." + name)) return true;
    }
    return false;
}

/// Instances of the tested type by their names, of arrays without indices: "c.inner". Those of a type inside itself
/// aren't looked for.
void find_instances(const TestedModel& tested, const model::Body& body, const std::string& prefix, int depth,
                    std::map<std::string, const model::ComponentDeclaration*>& found) {
    if (depth > 4) return;
    for (const model::ComponentDeclaration& c : body.components) {
        if (!c.own_type) continue;
        const std::string name = prefix + c.name.text;
        if (is_or_extends(tested.model, *c.own_type, tested.type)) found[name] = &c;
        find_instances(tested, tested.model.types[*c.own_type].body, name + ".", depth + 1, found);
    }
}

std::string without_indices(const std::string& name) {
    std::string plain;
    bool inside = false;
    for (const char c : name) {
        if (c == '[') inside = true;
        if (!inside) plain += c;
        if (c == ']') inside = false;
    }
    return plain;
}

const model::Value* given_in(const model::ComponentDeclaration& component, const std::string& key) {
    for (const model::Setting& s : component.settings)
        if (s.key.text == key) return &s.value;
    return nullptr;
}

/// The longest instance whose name leads to this parameter.
const std::pair<const std::string, const model::ComponentDeclaration*>* owner_of(
    const std::map<std::string, const model::ComponentDeclaration*>& instances, const std::string& plain) {
    const std::pair<const std::string, const model::ComponentDeclaration*>* best = nullptr;
    for (const auto& entry : instances)
        if (plain.starts_with(entry.first + ".") && (best == nullptr || entry.first.size() > best->first.size()))
            best = &entry;
    return best;
}

/// Names of the parameters that a type declares, those of its bases included; those of records as "fluid.density".
void declared_names(const model::Model& model, std::uint32_t type, const std::string& prefix,
                    std::set<std::string>& names) {
    for (const model::ParameterDeclaration& p : model.types[type].body.parameters) {
        if (p.record_type)
            declared_names(model, *p.record_type, prefix + p.name.text + ".", names);
        else if (p.choices.empty())
            names.insert(prefix + p.name.text);
    }
    if (const auto base = model.types[type].base_type) declared_names(model, *base, prefix, names);
}

/// Of parameters that follow from each other those that are not given where another is.
void left_open(const model::Model& model, std::uint32_t type, const std::string& prefix,
               const model::ComponentDeclaration& component, std::set<std::string>& names) {
    for (const std::vector<model::Text>& group : model.types[type].body.alternatives) {
        const auto given = [&](const model::Text& t) { return given_in(component, prefix + t.text) != nullptr; };
        if (std::ranges::none_of(group, given)) continue;
        for (const model::Text& t : group)
            if (!given(t)) names.insert(prefix + t.text);
    }
    for (const model::ParameterDeclaration& p : model.types[type].body.parameters)
        if (p.record_type) left_open(model, *p.record_type, prefix + p.name.text + ".", component, names);
    if (const auto base = model.types[type].base_type) left_open(model, *base, prefix, component, names);
}

/// Names of what can be set of a component of an own type.
std::set<std::string> open_names(const model::Model& model, const model::ComponentDeclaration& component) {
    std::set<std::string> names;
    declared_names(model, *component.own_type, "", names);
    std::set<std::string> others;
    left_open(model, *component.own_type, "", component, others);
    for (const std::string& name : others) names.erase(name);
    return names;
}

/// The declaration that a name in a type leads to, through records and bases.
const model::ParameterDeclaration* declaration_of(const model::Model& model, std::uint32_t type,
                                                  const std::string& name) {
    for (const model::ParameterDeclaration& p : model.types[type].body.parameters) {
        if (p.name.text == name) return &p;
        if (p.record_type && name.starts_with(p.name.text + "."))
            return declaration_of(model, *p.record_type, name.substr(p.name.text.size() + 1));
    }
    const auto base = model.types[type].base_type;
    return base ? declaration_of(model, *base, name) : nullptr;
}

bool follows_from_others(const model::Model& model, std::uint32_t type, const std::string& name) {
    const model::ParameterDeclaration* declared = declaration_of(model, type, name);
    return declared != nullptr && declared->value && !declared->value->is_list && !as_number(declared->value->scalar);
}

std::optional<double> single_number(const model::Quantity& q) {
    if (!q.is_scalar() || !q.value(0, 0).is_constant()) return std::nullopt;
    return q.value(0, 0).constant();
}

void collect_parameters(TestedModel& tested, const model::BondGraph& graph) {
    std::map<std::string, const model::ComponentDeclaration*> instances;
    if (!tested.type.empty()) find_instances(tested, tested.model.body, "", 0, instances);
    std::map<std::string, const model::ComponentDeclaration*> top;
    for (const model::ComponentDeclaration& c : tested.model.body.components) top[c.name.text] = &c;
    for (const model::SettableParameter& p : graph.settable) {
        const std::string plain = without_indices(p.name);
        Changeable changeable{.name = p.name,
                              .value = single_number(p.value),
                              .plain = !p.value.measure.known() || model::unit_name(p.value.measure).empty()};
        if (const auto* owner = owner_of(instances, plain)) {
            changeable.declared = plain.substr(owner->first.size() + 1);
            changeable.tested = open_names(tested.model, *owner->second).contains(changeable.declared);
            changeable.derived = follows_from_others(tested.model, *owner->second->own_type, changeable.declared);
        }
        const std::size_t dot = plain.find('.');
        const auto component = top.find(plain.substr(0, dot));
        if (dot != std::string::npos && component != top.end()) {
            changeable.written = given_in(*component->second, plain.substr(dot + 1));
            if (const auto own = component->second->own_type; own && !changeable.tested)
                changeable.derived = follows_from_others(tested.model, *own, plain.substr(dot + 1));
            // Words are none of a type's declared names; of built-in types all numbers are listed.
            if (component->second->own_type && !changeable.tested &&
                !open_names(tested.model, *component->second).contains(plain.substr(dot + 1)))
                continue;
        } else if (dot != std::string::npos && !changeable.tested) {
            continue;
        }
        tested.changeable.push_back(std::move(changeable));
    }
}

void collect_starts(TestedModel& tested) {
    for (const model::ComponentDeclaration& c : tested.model.body.components) {
        if (c.repetition) continue;
        const bool of_type =
            c.own_type && !tested.type.empty() && is_or_extends(tested.model, *c.own_type, tested.type);
        for (const model::Setting& s : c.initial)
            tested.changeable.push_back({.name = c.name.text + "." + s.key.text,
                                         .declared = s.key.text,
                                         .written = &s.value,
                                         .start = true,
                                         .tested = of_type});
    }
}

}  // namespace

TestedModel read_tested_model(const std::filesystem::path& file, const std::vector<std::string>& folders) {
    SourceMap sources;
    io::ReadModel read = io::read_model(file, sources, {folders.begin(), folders.end()});
    read.diagnostics.throw_if_errors();
    TestedModel tested{.file = file.string(), .type = file.stem().string(), .model = std::move(read.model)};
    const auto& types = tested.model.types;
    const bool known = std::ranges::any_of(types, [&](const model::TypeDeclaration& t) {
        return !t.record && (t.name.text == tested.type || t.name.text.ends_with("." + tested.type));
    });
    if (!known) tested.type.clear();
    const model::Catalogue catalogue = mechanics3d::full_catalogue();
    const UnitSystem units;
    const model::BondGraph graph = model::flatten(tested.model, catalogue, units, {}, {.listed = true});
    collect_parameters(tested, graph);
    collect_starts(tested);
    return tested;
}

std::optional<std::string> times(const model::Value& value, double factor) {
    if (value.is_list) {
        std::string all;
        for (const model::Value& item : value.items) {
            const auto text = times(item, factor);
            if (!text) return std::nullopt;
            all += (all.empty() ? "" : ", ") + *text;
        }
        return "[" + all + "]";
    }
    if (const auto number = as_number(value.scalar)) return fmt::format("{}{}", factor * number->number, number->unit);
    if (is_condition(value.scalar.text)) return std::nullopt;
    return fmt::format("{}*({})", factor, value.scalar.text);
}

std::vector<std::string> one_by_one(const model::Value& value, double factor) {
    std::vector<std::string> texts;
    for (std::size_t k = 0; k < count_numbers(value); ++k) {
        std::size_t left = k;
        if (auto text = with_one(value, left, factor, largest_number(value))) texts.push_back(std::move(*text));
    }
    return texts;
}

Random::Random(std::uint64_t seed, std::string_view salt) : state_(seed * 0x9E3779B97F4A7C15ULL) {
    for (const char c : salt) state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
}

double Random::uniform() {
    state_ += 0x9E3779B97F4A7C15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

std::vector<std::string> test_models(const std::vector<std::string>& places) {
    std::vector<std::string> files;
    for (const std::string& place : places) {
        if (!std::filesystem::is_directory(place)) {
            files.push_back(place);
            continue;
        }
        for (const auto& entry : std::filesystem::recursive_directory_iterator(place))
            if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace bondgraph::parts
