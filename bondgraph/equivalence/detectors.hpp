#pragma once

#include <vector>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::equivalence {

/// By element: detectors and signal blocks whose values nothing in the graph reads, which therefore change nothing of
/// the system. Not those that do change something: a flow detector at a 0-junction is a short circuit.
std::vector<bool> unread(const model::BondGraph& graph);

/// The graph without such elements. Variables keep their numbers; those of what is gone belong to nothing.
model::BondGraph without(const model::BondGraph& graph, const std::vector<bool>& gone);

}  // namespace bondgraph::equivalence
