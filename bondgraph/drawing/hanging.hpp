#pragma once

#include <vector>

#include "bondgraph/drawing/geometry.hpp"
#include "bondgraph/drawing/picture.hpp"

namespace bondgraph::drawing {

/// Nodes that are placed together with the only one they are joined to: elements with their junction, drives with their
/// joint.
struct Hanging {
    struct Place {
        std::uint32_t host = kNone;  ///< none: stands by itself
        Point offset;                ///< from the host's middle to the node's
    };
    std::vector<Place> places;  ///< per node
    std::vector<Box> cells;     ///< per node: room for it and what hangs on it, centred on it
};

/// Elements hang below and above their junction in turns, at a distance of `bond`. A junction without a neighbour on
/// the left keeps its first source there, one without a neighbour on the right its first load; both stand by
/// themselves.
Hanging hang(const Picture& picture, const std::vector<Box>& boxes, double bond);

}  // namespace bondgraph::drawing
