#pragma once

#include <array>
#include <span>
#include <vector>

#include "bondgraph/drawing/geometry.hpp"
#include "bondgraph/drawing/picture.hpp"

namespace bondgraph::drawing {

/// Where straight lines meet what they join, tail and head of each: junctions in their middle; at boxes the lines of
/// one side are spread along it. Lines that aren't straight get the middles.
std::vector<std::array<Point, 2>> attach(const Picture& picture, std::span<const Box> boxes,
                                         const std::vector<bool>& straight);

}  // namespace bondgraph::drawing
