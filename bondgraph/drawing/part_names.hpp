#pragma once

#include <string>
#include <vector>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::drawing {

/// What stands for an element in a picture that looks into parts as far as they are bond graphs of elements.
struct PartName {
    std::string node;   ///< itself; else the component of wrapped parts, or of signal blocks only, that it is in
    std::string label;  ///< the node's path: "R1" for "R1.cold" where nothing else stands for something of R1
    bool box = false;   ///< the node is such a component
};

/// For each element of the graph, in their order.
std::vector<PartName> part_names(const model::BondGraph& graph);

}  // namespace bondgraph::drawing
