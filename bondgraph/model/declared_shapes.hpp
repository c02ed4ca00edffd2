#pragma once

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

/// Pass of flattening: `shapes:` of types and of components into BondGraph::shapes, an entry for each instance; those
/// of a component take the place of its type's. BG-M085 where one moves with what is no frame, or its values are no
/// lengths and directions; BG-M098 warns of files with so many triangles that a coarser form is shown.
void evaluate_shapes(Flattening& work);

}  // namespace bondgraph::model
