#pragma once

#include <vector>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::equivalence {

/// Of the effort, flow, momentum or displacement of one bond, which it holds the other variable of at 0.
bool is_detector(const model::Element& e);

/// By element: detectors and signal blocks whose values nothing in the graph reads, which therefore change nothing of
/// the system. With a detector that holds a junction at 0 goes the junction, where that is there for nothing else: the
/// voltage between two nodes. Not those that do change something: a flow detector at a 0-junction with elements is a
/// short circuit.
std::vector<bool> unread(const model::BondGraph& graph);

/// The graph without such elements. Variables keep their numbers; those of what is gone belong to nothing.
model::BondGraph without(const model::BondGraph& graph, const std::vector<bool>& gone);

}  // namespace bondgraph::equivalence
