#pragma once

#include "bondgraph/structure/incidence.hpp"

namespace bondgraph::structure {

/// Strongly connected components of a directed graph (successors[v]: edges v → w), each ascending, listed so that a
/// component comes after all components its members point to (Tarjan: Depth-first search and linear graph algorithms,
/// SIAM J. Comput. 1, 1972). With edges "v needs w" this is the order of computation. Iterative, linear time.
Incidence strong_components(const Incidence& successors);

}  // namespace bondgraph::structure
