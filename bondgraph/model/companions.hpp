#pragma once

#include <span>
#include <vector>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::model {

/// The elements that may hold the flow of this one's first port at 0 (ComponentType::rests), itself among them, in the
/// order of the graph: those at its 1-junction and at the ones bonded to that.
std::vector<ElementId> resting_at_flow_of(const BondGraph& graph, ElementId element);

/// Whether another one before this is at rest in these modes (by BondGraph::discretes).
bool rests_beside_another(const BondGraph& graph, ElementId element, std::span<const double> modes);

}  // namespace bondgraph::model
