#include "bondgraph/drawing/declarations.hpp"

#include <algorithm>

#include "bondgraph/base/utf8.hpp"
#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::drawing {
namespace {

const model::ComponentDeclaration* find_declaration(const model::Model& model, const std::string& name) {
    const model::Body* body = &model.body;
    for (std::size_t begin = 0;;) {
        const std::size_t dot = name.find('.', begin);
        const std::string part = name.substr(begin, dot == std::string::npos ? dot : dot - begin);
        const std::string_view declared = model::declared_name(part);
        const auto found = std::find_if(body->components.begin(), body->components.end(),
                                        [&](const auto& c) { return c.name.text == declared; });
        if (found == body->components.end()) return nullptr;
        if (dot == std::string::npos) return &*found;
        if (!found->own_type) return nullptr;
        body = &model.types[*found->own_type].body;
        begin = dot + 1;
    }
}

/// What is too long, or broken into lines, says nothing in a drawing.
std::string fitting(std::string value) {
    constexpr std::size_t kLongest = 18;
    return utf8_count(value) > kLongest || value.find('\n') != std::string::npos ? std::string() : std::move(value);
}

bool is_shown(const model::Element& element, const std::string& key) {
    const auto& specs = element.type->parameters;
    const auto spec = std::find_if(specs.begin(), specs.end(), [&](const auto& s) { return s.name == key; });
    return spec != specs.end() &&
           (spec->kind == model::ParameterKind::number || spec->kind == model::ParameterKind::law);
}

}  // namespace

std::string written_type(const model::Model& model, const std::string& name) {
    const model::ComponentDeclaration* declaration = find_declaration(model, name);
    return declaration == nullptr ? std::string() : declaration->type.text;
}

const model::TypeDeclaration* declared_type(const model::Model& model, const std::string& name) {
    const model::ComponentDeclaration* declaration = find_declaration(model, name);
    return declaration == nullptr || !declaration->own_type ? nullptr : &model.types[*declaration->own_type];
}

std::string written_part_value(const model::Model& model, const std::string& name, const PictureOptions& options) {
    const model::TypeDeclaration* type = declared_type(model, name);
    if (type == nullptr) return {};
    for (const model::Setting& setting : find_declaration(model, name)->settings) {
        const std::string& key = setting.key.text;
        const auto& parameters = type->body.parameters;
        if (std::ranges::none_of(parameters, [&](const auto& p) { return p.name.text == key; })) continue;
        const auto override = options.overrides.find(name + "." + key);
        std::string value = setting.value.is_list ? std::string() : setting.value.scalar.text;
        if (override != options.overrides.end()) value = override->second;
        return fitting(value.empty() || key.size() == 1 ? value : key + " = " + value);
    }
    return {};
}

std::string written_value(const model::Model& model, const model::Element& element, const PictureOptions& options) {
    const model::ComponentDeclaration* declaration = find_declaration(model, element.name);
    if (declaration == nullptr) return {};
    for (const model::Setting& setting : declaration->settings) {
        const std::string& key = setting.key.text;
        if (!is_shown(element, key)) continue;
        const auto override = options.overrides.find(element.name + "." + key);
        std::string value = setting.value.is_list ? std::string() : setting.value.scalar.text;
        if (override != options.overrides.end()) value = override->second;
        // "2 mH" says enough of an inertia; what the number of a diode means has to be said.
        const bool plain = element.ports.size() == 1 && (key.size() == 1 || key == "law");
        if (!plain && !value.empty()) value = key + " = " + value;
        return fitting(std::move(value));
    }
    return {};
}

std::string written_port(const model::Model& model, const model::Bond& bond, const std::string& composite) {
    const std::string start = composite + ".";
    const auto port = [&](const model::Text& end) {
        return end.text.starts_with(start) ? end.text.substr(start.size()) : std::string();
    };
    for (const model::BondDeclaration& b : model.body.bonds) {
        if (b.from.position != bond.position) continue;
        for (const model::Text* end : {&b.from, &b.to}) {
            if (std::string name = port(*end); !name.empty()) return name;
        }
    }
    for (const model::ConnectDeclaration& connect : model.body.connects) {
        for (const model::Text& member : connect.members) {
            if (member.position != bond.position) continue;
            if (std::string name = port(member); !name.empty()) return name;
        }
    }
    return {};
}

}  // namespace bondgraph::drawing
