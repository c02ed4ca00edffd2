#pragma once

#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/model/bond_graph.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::api {

/// What has to be recorded, behind the outputs, to show the motion of a model's parts: per shape position,
/// orientation, length, width and height.
std::vector<simulation::Signal> animation_signals(const model::BondGraph& graph);

/// Sizes of declared shapes that were negative during a run (BG-S010).
std::vector<Diagnostic> animation_warnings(const model::BondGraph& graph, const simulation::Result& result,
                                           std::size_t first);

/// The shapes of a run with their poses over time. `first` is the first column of animation_signals.
/// Negative sizes are shown as 0.
Animation animation_of(const model::BondGraph& graph, const simulation::Result& result, std::size_t first);

}  // namespace bondgraph::api
