#pragma once

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

/// Components whose type has another form for it (ComponentType::driven) take that where what is bonded to their port
/// gives its flow. Once all bonds are drawn, before any is merged with others.
void build_driven(Flattening& work);

}  // namespace bondgraph::model
