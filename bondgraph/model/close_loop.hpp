#pragma once

#include "bondgraph/model/connection_sets.hpp"

namespace bondgraph::model {

/// Opens a loop of frames at one connector: takes it out of its connection set into one of its own, and adds a
/// component of the connector type's `closure` between the two, named "component_closure".
/// @returns the new set; the connector's component may compute its signals now.
std::uint32_t close_loop(Flattening& work, ConnectionSets& sets, ElementId element, std::size_t connector);

}  // namespace bondgraph::model
