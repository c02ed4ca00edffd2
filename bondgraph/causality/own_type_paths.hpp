#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::causality {

/// One component of a port of an own type: the variable that enters there and the one its equations answer with.
struct OwnTypeEnd {
    std::uint32_t input = 0;
    std::uint32_t output = 0;
};

/// Calls `pass(from, to)` with numbers of ends for every output that the equations compute from an input at the same
/// instant. What passes through a state does so over time, as in a storage. Where the equations can't be matched with
/// what is to be computed, every output counts as computed from every input.
void own_type_paths(const model::BondGraph& graph, const model::Element& element, const std::vector<OwnTypeEnd>& ends,
                    const std::function<void(std::size_t from, std::size_t to)>& pass);

}  // namespace bondgraph::causality
