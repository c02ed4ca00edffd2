#pragma once

#include <array>
#include <span>
#include <vector>

#include "bondgraph/drawing/geometry.hpp"
#include "bondgraph/drawing/picture.hpp"

namespace bondgraph::drawing {

enum class Side : std::uint8_t { below, right, above, left };  ///< turned counter-clockwise from one to the next

/// What is known about a node before it is placed.
struct Settled {
    bool in_block = false;                                  ///< its place among others is known: it hangs nowhere
    std::array<Side, 2> hanging{Side::below, Side::above};  ///< where others hang on it, in turns
};

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

/// Elements hang on two sides of their junction in turns, at a distance of `bond`. A junction without a neighbour on
/// the left keeps its first source there, one without a neighbour on the right its first load; both stand by
/// themselves. On what is in a block everything hangs. Around a junction with many elements they stand in a circle.
Hanging hang(const Picture& picture, const std::vector<Box>& boxes, std::span<const Settled> settled, double bond);

}  // namespace bondgraph::drawing
