#pragma once

#include <array>
#include <optional>
#include <span>
#include <vector>

#include "bondgraph/drawing/geometry.hpp"
#include "bondgraph/drawing/picture.hpp"

namespace bondgraph::drawing {

/// Where lines meet what they join, tail and head of each: junctions in their middle; at boxes the lines of one side
/// are spread along it. `bends`: how far the middle of each is bent aside, nothing for those that lead around
/// something; these get the middles.
std::vector<std::array<Point, 2>> attach(const Picture& picture, std::span<const Box> boxes,
                                         std::span<const std::optional<Point>> bends);

}  // namespace bondgraph::drawing
