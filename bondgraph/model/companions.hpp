#pragma once

#include <span>
#include <vector>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::model {

/// An element that may hold its flow at 0 (ComponentType::rests), where that is another one's, but for a factor.
struct Resting {
    ElementId element;
    int sense = 1;  ///< the sign of its flow over the other one's
};

/// The elements at the flow of this one's first port or a multiple of it, itself among them, in the order of the graph.
/// The flow is that of its 1-junction and of those joined to it by bonds, by transformers with a constant modulus, and
/// by 0-junctions that nothing else brings a flow to; or at a 0-junction the sum of several of these. What is bonded to
/// a source of the flow 0 counts as 0. Of a flow that something else gives, none are found.
std::vector<Resting> resting_at_flow_of(const BondGraph& graph, ElementId element);

/// Whether another one before this is at rest in these modes (by BondGraph::discretes).
bool rests_beside_another(const BondGraph& graph, ElementId element, std::span<const double> modes);

}  // namespace bondgraph::model
