#include "bondgraph/analysis/symbols.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace bondgraph::analysis {
namespace {

using expression::Expr;
using model::Body;
using model::ComponentDeclaration;
using model::Element;
using model::Model;

// Whether a value is a number that may go by a name.
bool is_nameable(Expr value) { return value.is_constant() && value.constant() != 0.0; }

bool is_coefficient(const Element& e, std::size_t parameter) {
    const model::ParameterSpec& spec = e.type->parameters[parameter];
    return e.parameters[parameter] && spec.kind == model::ParameterKind::number && spec.shape != model::Shape::table;
}

std::size_t nameable_count(const Element& e) {
    std::size_t count = 0;
    for (std::size_t p = 0; p < e.parameters.size(); ++p) {
        if (!is_coefficient(e, p)) continue;
        const auto& m = e.parameters[p]->value;
        count += static_cast<std::size_t>(std::count_if(m.data(), m.data() + m.size(), is_nameable));
    }
    return count;
}

const ComponentDeclaration* component(const Body& body, const std::string& name) {
    const auto at = std::find_if(body.components.begin(), body.components.end(), [&](const ComponentDeclaration& c) {
        return c.name.text == model::declared_name(name);
    });
    return at == body.components.end() ? nullptr : &*at;
}

// The parameter of the model, or of the composite around the element, whose bare name a setting is; empty: none.
std::string written_name(const Model& model, const std::string& element, std::string_view parameter) {
    const Body* body = &model.body;
    std::size_t begin = 0;
    for (std::size_t dot = 0; (dot = element.find('.', begin)) != std::string::npos; begin = dot + 1) {
        const ComponentDeclaration* outer = component(*body, element.substr(begin, dot - begin));
        if (outer == nullptr || !outer->own_type) return {};
        body = &model.types[*outer->own_type].body;
    }
    const ComponentDeclaration* declared = component(*body, element.substr(begin));
    if (declared == nullptr) return {};
    for (const model::Setting& s : declared->settings) {
        if (s.key.text != parameter || s.value.is_list) continue;
        const bool known = std::any_of(body->parameters.begin(), body->parameters.end(),
                                       [&](const auto& p) { return p.name.text == s.value.scalar.text; });
        if (known) return element.substr(0, begin) + s.value.scalar.text;
    }
    return {};
}

// "", "[2]" or "[1,2]"
std::string place(const expression::ExprMatrix& m, Eigen::Index row, Eigen::Index column) {
    if (m.size() == 1) return "";
    return m.cols() == 1 ? fmt::format("[{}]", row + 1) : fmt::format("[{},{}]", row + 1, column + 1);
}

// Elements whose parameters are coefficients of linear laws. Others may decide by them what their equations are.
bool has_coefficients(const Element& e) {
    if (e.owner.valid() || e.type->build != nullptr) return false;
    const model::ComponentType& type = *e.type;
    if (!type.is_resistor() && !type.is_storage() && !type.is_two_port()) return type.proportional;
    return type.discretes.empty();
}

}  // namespace

NamedParameters::NamedParameters(model::BondGraph& graph, const Model& model) : graph_(graph), model_(model) {
    for (std::size_t i = 0; i < graph.elements.size(); ++i) {
        const Element& e = graph.elements[i];
        numbers_.push_back(e.parameters);
        if (!has_coefficients(e)) continue;
        const bool only = nameable_count(e) == 1;
        for (std::size_t p = 0; p < e.parameters.size(); ++p) {
            if (is_coefficient(e, p)) replace(model::ElementId(i), p, only);
        }
    }
}

NamedParameters::~NamedParameters() {
    for (std::size_t i = 0; i < numbers_.size(); ++i) graph_.elements[i].parameters.swap(numbers_[i]);
}

void NamedParameters::replace(model::ElementId id, std::size_t parameter, bool only) {
    Element& e = graph_.elements[id.index()];
    const std::string_view name = e.type->parameters[parameter].name;
    const std::string path = fmt::format("{}.{}", e.name, name);
    const std::string written = written_name(model_, e.name, name);
    expression::ExprMatrix& m = e.parameters[parameter]->value;
    const expression::ExprMatrix numbers = m;
    for (Eigen::Index c = 0; c < m.cols(); ++c) {
        for (Eigen::Index r = 0; r < m.rows(); ++r) {
            if (!is_nameable(numbers(r, c))) continue;
            // Of a symmetric matrix the mirrored entries are one symbol.
            const bool mirrored = m.rows() == m.cols() && r > c && numbers(r, c) == numbers(c, r);
            const std::string where = mirrored ? place(m, c, r) : place(m, r, c);
            const double value = numbers(r, c).constant();
            std::size_t symbol = kNone;
            if (!written.empty()) symbol = shared_symbol(written + where, path + where, value);
            if (symbol == kNone && only && !graph_.parameters.contains(e.name))
                symbol = shared_symbol(e.name, path + where, value);
            if (symbol == kNone) symbol = shared_symbol(path + where, path + where, value);
            if (symbol != kNone)
                m(r, c) = graph_.expressions->parameter(kFirstSymbol + static_cast<std::uint32_t>(symbol));
        }
    }
}

// The symbol of that name if it has that value, or a new one; none where the name is taken by another value.
std::size_t NamedParameters::shared_symbol(const std::string& name, const std::string& path, double value) {
    const auto other = graph_.parameters.find(name);
    if (other != graph_.parameters.end() && other->second.is_scalar() && !other->second.value(0, 0).is_constant(value))
        return kNone;
    const auto at = std::find_if(symbols_.begin(), symbols_.end(), [&](const Symbol& s) { return s.name == name; });
    if (at != symbols_.end()) return at->value == value ? static_cast<std::size_t>(at - symbols_.begin()) : kNone;
    symbols_.push_back({name, path, value});
    return symbols_.size() - 1;
}

}  // namespace bondgraph::analysis
