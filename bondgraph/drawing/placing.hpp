#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bondgraph/drawing/geometry.hpp"
#include "bondgraph/drawing/picture.hpp"

namespace bondgraph::drawing {

/// The bar of a junction that many lines lead to.
struct Bar {
    std::uint32_t node = 0;
    std::vector<Polyline> pieces;
};

/// Where the nodes and frames of a picture stand; lines follow from that.
struct Placing {
    std::vector<Box> nodes;
    std::vector<Box> frames;
    std::vector<double> along;         ///< where each node (or its block) stands along the rows
    std::vector<std::uint32_t> hosts;  ///< the node each hangs on, else kNone
    std::vector<Bar> bars;
    std::vector<std::optional<Point>> feet;  ///< per edge where it meets a bar, if it does
};

/// Graphviz ranks the nodes with what hangs on them, blocks as one; then what is nearly level is made level, what hangs
/// makes way for lines, and a long row is broken into several. `boxes`: how large the nodes are, `bond`: how long a
/// line has to be for its texts. Throws std::runtime_error when Graphviz refuses.
Placing place(const Picture& picture, const std::vector<Box>& boxes, double bond);

}  // namespace bondgraph::drawing
