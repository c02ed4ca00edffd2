#pragma once

#include "bondgraph/model/component_type.hpp"

namespace bondgraph::model {

/// The component type behind every own type that is given by `equations:`; its ports, parameters and variables come
/// from the declaration in the file. Power is positive into every port.
extern const ComponentType kOwnType;

}  // namespace bondgraph::model
