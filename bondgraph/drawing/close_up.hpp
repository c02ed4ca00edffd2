#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bondgraph/drawing/geometry.hpp"

namespace bondgraph::drawing {

/// Moves boxes up and down until the picture is as low as their order from top to bottom allows, with `gap` between
/// them; what has room then stands near what it is joined to. (A node's cell is as high above it as below: what hangs
/// on one side only leaves the other empty.) Level lines stay level, and a box moves with the one that `together` names
/// for it. Where little height is to be saved, or lines would run through more boxes, nothing moves.
void close_up(std::vector<Box>& boxes, std::span<const std::pair<std::uint32_t, std::uint32_t>> lines,
              const std::vector<std::uint32_t>& together, double gap);

}  // namespace bondgraph::drawing
