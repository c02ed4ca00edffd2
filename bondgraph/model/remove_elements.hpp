#pragma once

#include <vector>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::model {

/// Takes elements out of a graph; those behind them move up, and all that refers to one by its number goes on referring
/// to it. No bond may lead to one that goes. `gone`: by element.
void remove_elements(BondGraph& graph, const std::vector<bool>& gone);

}  // namespace bondgraph::model
