#pragma once

#include <vector>

#include "bondgraph/equivalence/network.hpp"
#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::equivalence {

/// By node of the network: junctions between which a bond lies whose own effort or flow is read somewhere.
std::vector<bool> kept_nodes(const model::BondGraph& graph, const Network& network);

}  // namespace bondgraph::equivalence
