#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bondgraph/drawing/geometry.hpp"
#include "bondgraph/drawing/picture.hpp"

namespace bondgraph::drawing {

/// How much a node's place confuses the frames of sub-models: those of others that it lies on, its own ones that would
/// have to grow to hold it, and whatever these then would hold besides. `boxes` are those of the nodes, `frames` those
/// of the frames.
std::size_t out_of_frame(const Picture& picture, std::span<const Box> boxes, std::uint32_t node,
                         std::span<const Box> frames);

/// The frames that hold neither of two nodes: what joins these has no business there.
std::vector<Box> foreign_frames(const Picture& picture, std::uint32_t a, std::uint32_t b, std::span<const Box> frames);

/// Enlarges the frames around a node so that they hold its box.
void grow_frames(const Picture& picture, const Box& box, std::uint32_t node, std::span<Box> frames);

}  // namespace bondgraph::drawing
