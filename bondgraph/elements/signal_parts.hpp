#pragma once

#include <optional>
#include <vector>

#include "bondgraph/model/component_type.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::elements {

// What signal blocks have in common: parameters without a demand on their dimension, one input u, one output y.

inline constexpr const char* kByDefinition = "definition";

inline model::ParameterSpec number(std::string_view name, std::string_view doc, std::optional<double> value = {}) {
    return {.name = name, .doc = doc, .shape = model::Shape::scalar, .default_value = value, .required = !value};
}

inline model::ParameterSpec seconds(std::string_view name, std::string_view doc, double value) {
    return {.name = name,
            .doc = doc,
            .shape = model::Shape::scalar,
            .default_value = value,
            .unit = "s",
            .required = false};
}

inline const std::vector<model::SignalSpec> kOutput{{.name = "y", .doc = "output"}};
inline const std::vector<model::SignalSpec> kOneInput{{.name = "u", .doc = "input"}};

inline void output(model::LawContext& k, expression::Expr value) { k.equation(k.slot("y")(0), value); }

}  // namespace bondgraph::elements
