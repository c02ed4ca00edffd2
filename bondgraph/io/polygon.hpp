#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace bondgraph::io {

/// Triangles that a polygon in space consists of, by numbers of its corners, in its own sense of rotation: of n corners
/// n - 2. It may be concave, and a little out of plane; of one that crosses itself they are some. `effort`: looks at
/// corners that are left; where they don't suffice, nothing is returned.
std::vector<std::array<std::uint32_t, 3>> triangles_of_polygon(std::span<const std::array<float, 3>> corners,
                                                               std::size_t& effort);

}  // namespace bondgraph::io
