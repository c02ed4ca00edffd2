#pragma once

#include <cstdint>
#include <vector>

#include "bondgraph/causality/causal_graph.hpp"

namespace bondgraph::causality {

/// Per algebraic loop the bond components that lie on any closed causal path through its elements, through meshes as
/// well, in ascending order: `AlgebraicLoop::path` is one such path only.
std::vector<std::vector<std::uint32_t>> bonds_of_loops(const CausalGraph& causal);

}  // namespace bondgraph::causality
