#pragma once

#include <optional>
#include <string>

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

// Connectors of own types that may be left unconnected (`optional: true`): one to which nothing is connected is not
// there, and what names it inside its type is left out as with a part under a condition. Whether one is connected is
// asked as its instance is made, when the scope around knows which components it has, and not yet what they are.

/// Finds out which optional connectors of an instance are connected: by an entry under `connect:` or `bonds:` of a
/// scope around it that has another end. One that hands on an optional connector which is not connected itself does not
/// count.
/// @throws nothing: one that equations name, or to which nothing inside leads, is reported (BG-M087), once per type.
void settle_optional_connectors(Flattening& work, std::uint32_t scope);

/// "heat.connected": 1 or 0 for an optional connector of the scope's type. Nothing for other names.
std::optional<Quantity> is_connected(const Flattening& work, std::uint32_t scope, const std::string& name);

}  // namespace bondgraph::model
