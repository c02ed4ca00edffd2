#pragma once

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

/// What a component gives for a parameter or input of that name; null where it gives nothing.
const Setting* find_setting(const ComponentDeclaration& declaration, std::string_view name);

/// Reports a value that its parameter (number k of the element's type) can't have: truths and lists where a number is
/// asked for, other units, values beyond bounds, tables without order.
void check_number(Flattening& work, std::uint32_t index, std::size_t k, const Value& value, const Quantity& q);

}  // namespace bondgraph::model
