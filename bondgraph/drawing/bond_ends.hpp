#pragma once

#include <array>
#include <span>

#include "bondgraph/drawing/geometry.hpp"
#include "bondgraph/drawing/picture.hpp"

namespace bondgraph::drawing {

/// Whether something is drawn at a line's end.
bool has_mark(const Edge& edge, bool at_head);

/// How far a line ends from the boxes of the nodes it joins, at its tail and its head.
using EndGaps = std::array<double, 2>;

/// Widens gaps where strokes and half arrows of several bonds would lie on each other or on boxes. `lines` lead from
/// inside one node to inside the other, or from and to points on bars, and `ends` is what they end at; `gaps` has an
/// entry for each of them.
void keep_ends_apart(const Picture& picture, std::span<const Box> nodes, std::span<const std::array<Box, 2>> ends,
                     std::span<const Polyline> lines, std::span<EndGaps> gaps);

}  // namespace bondgraph::drawing
