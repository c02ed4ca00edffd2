#pragma once

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

/// Pass of flattening: `shapes:` of types into BondGraph::shapes, an entry for each instance. BG-M085 where one moves
/// with what is no frame, or its values are no lengths and directions.
void evaluate_shapes(Flattening& work);

}  // namespace bondgraph::model
