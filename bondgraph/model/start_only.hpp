#pragma once

#include <vector>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::model {

/// By adjustable parameter: whether nothing depends on it but start values and other conditions of the start, so that
/// another value in the middle of a run would change nothing. Linear in the size of the model; makes expressions.
std::vector<bool> of_start_only(const BondGraph& graph);

}  // namespace bondgraph::model
