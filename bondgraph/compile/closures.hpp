#pragma once

#include "bondgraph/compile/equations.hpp"

namespace bondgraph::compile {

/// Puts the conditions that hold closed loops together (ComponentType::holds_positions) in coordinates, and decides
/// which of them others imply wherever the coordinates are, as those across the plane of a planar loop: by the rank of
/// their gradients at places drawn at random. Forces of these are set to 0 in their place. What depends on others only
/// in positions that the loops admit (Bricard's linkage) is left to the choice of states, which tells it from a
/// singular position and is made anew during a run. Throws ModelError BG-I007: no position of its joints brings a loop
/// together.
void close_loops(EquationSystem& system, LoopRows rows);

/// Whether a model has such conditions.
bool has_closed_loops(const model::BondGraph& graph);

}  // namespace bondgraph::compile
