#pragma once

#include "bondgraph/model/component_type.hpp"

namespace bondgraph::converters {

// Between mechanical frames and the multibonds inside a component; without law of their own.
extern const model::ComponentType kMech2MBG;
extern const model::ComponentType kMBG2Mech;
extern const model::ComponentType kPlanarMech2MBG;
extern const model::ComponentType kPlanarMBG2Mech;

}  // namespace bondgraph::converters
