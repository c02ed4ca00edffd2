#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bondgraph/base/id.hpp"
#include "bondgraph/structure/incidence.hpp"

namespace bondgraph::structure {

/// Vertices whose removal leaves no cycle in the graph induced by `component` (self-loops count as cycles), and the
/// rest in an order in which every vertex follows those it points to ("needs"). `torn` is ascending.
struct Tearing {
    std::vector<std::uint32_t> torn;
    std::vector<std::uint32_t> order;
};

/// Tears `component` (distinct vertices, in any order; edges that leave it are ignored).
/// `prefer[v]` (larger = rather torn) breaks ties towards good tearing variables; `must[v]` ≠ 0 are torn in any case.
/// Either may be empty: no preference, no obligation; otherwise they are indexed by the graph's vertices.
///
/// Up to `greedy_limit` vertices the greedy choice of Elmqvist/Otter (Methods for tearing systems of equations in
/// object-oriented modeling, ESM 1994: highest degree, re-decomposed after each) is made and every choice that turns
/// out to be superfluous withdrawn: no torn vertex can be spared there except those of `must`. Larger components are
/// torn at the targets of back edges of a depth-first search (at the source where `prefer` says so), and a torn vertex
/// is put back where the order of the rest has a place for it. That keeps the time near-linear and the result sparse,
/// at the price of a set that is small but not always minimal.
///
/// Time and memory depend on the component and its edges only, not on the size of the graph.
Tearing tear(const Incidence& successors, std::span<const std::uint32_t> component,
             std::span<const std::uint8_t> prefer, std::span<const std::uint8_t> must, std::size_t greedy_limit = 200);

}  // namespace bondgraph::structure
