#pragma once

#include <span>
#include <vector>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::model {

/// An element that may hold its flow at 0 (ComponentType::rests), where that is another one's or its negative.
struct Resting {
    ElementId element;
    int sense = 1;  ///< its flow over the other one's
};

/// The elements at the flow of this one's first port, itself among them, in the order of the graph. The flow is that of
/// its 1-junction and of those bonded to it, or at a 0-junction the sum of several of these; what is bonded to a source
/// of the flow 0 counts as 0. Of a flow that something else gives, none are found.
std::vector<Resting> resting_at_flow_of(const BondGraph& graph, ElementId element);

/// Whether another one before this is at rest in these modes (by BondGraph::discretes).
bool rests_beside_another(const BondGraph& graph, ElementId element, std::span<const double> modes);

}  // namespace bondgraph::model
