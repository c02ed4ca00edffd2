#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

/// Whether a parameter is one of several of which only one is given.
bool is_alternative(const Body& body, std::string_view parameter);

/// Settles which parameters of a scope are given where they stand for each other, once all givers are known: the one
/// that has been given; where none has, the one whose value in the type does not name another. The others get what
/// their text in the type makes of it, or have no value. Reports BG-M004 (two are given) and BG-M003 (none is).
void settle_alternatives(Flattening& work, std::uint32_t scope);

/// "R.given": whether the parameter R of a scope has been given, 1 or 0; nothing for other names.
std::optional<Quantity> is_given(Flattening& work, std::uint32_t scope, const std::string& name);

}  // namespace bondgraph::model
