#pragma once

#include <cstdint>
#include <vector>

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

/// Which wrapped connectors are joined: places are numbers in Flattening::connectors.
struct ConnectionSets {
    std::vector<std::vector<std::uint32_t>> nodes;    ///< the places of each set
    std::vector<std::vector<std::uint32_t>> node_at;  ///< the set, per element and connector
    bool complete = true;                             ///< every entry under `connect:` could be resolved
};

/// Reads every `connect:` of the model and joins what stands there.
/// @throws nothing: unknown names, connectors of different types and connectors of a composite that lead to nothing go
/// to the diagnostics (BG-M005, M050, M051, M058).
ConnectionSets connection_sets(Flattening& work);

/// Decides which component computes the signals of every set: a spanning tree of the graph whose vertices are the sets
/// and whose edges are components, grown from World, Fixed and the like and then from free bodies. What closes a loop
/// gets a set of its own and a constraint that holds it (see close_loop()). Fills Flattening::signal_order and what
/// connectors are given.
/// @throws nothing: loops that can't move, two roots and frames without a way to a root go to the diagnostics (BG-M052
/// to M054, M009).
void span_frames(Flattening& work, ConnectionSets& sets);

}  // namespace bondgraph::model
