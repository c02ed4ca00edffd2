#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bondgraph/drawing/geometry.hpp"

namespace bondgraph::drawing {

/// Moves boxes up or down by a little so that lines which are nearly level become level. `lines` are pairs of boxes;
/// boxes in the same group of `together` move as one. Nothing is moved into the way of something else.
/// Gives how far each box has moved.
std::vector<double> straighten(std::vector<Box>& boxes, std::span<const std::pair<std::uint32_t, std::uint32_t>> lines,
                               const std::vector<std::uint32_t>& together);

}  // namespace bondgraph::drawing
