#pragma once

#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/model/bond_graph.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::api {

/// What has to be recorded, behind the outputs, to show the motion of a model's parts: per shape position,
/// orientation, length, width and height.
std::vector<simulation::Signal> animation_signals(const model::BondGraph& graph);

/// The shapes of a run with their poses over time. `first` is the first column of animation_signals.
Animation animation_of(const model::BondGraph& graph, const simulation::Result& result, std::size_t first);

}  // namespace bondgraph::api
