#pragma once

#include "bondgraph/model/connection_sets.hpp"

namespace bondgraph::model {

/// Joints that close loops and have another form for it (ComponentType::cut) take that: fewer coordinates and fewer
/// conditions than if a connection of rigid parts were cut. Where in a loop several could, those stay joints that come
/// first by name. Those stay joints whatever loops there are of which the file gives or names coordinates, rates,
/// parameters or ports (results of their angular velocity are those of either form).
void cut_at_joints(Flattening& work, const ConnectionSets& sets);

}  // namespace bondgraph::model
