#pragma once

#include <cstdint>
#include <vector>

#include "bondgraph/drawing/geometry.hpp"

namespace bondgraph::drawing {

/// What Graphviz is asked to place: rectangles without content, in ranks from left to right.
struct RankedGraph {
    struct Node {
        double width = 0.0;
        double height = 0.0;
        std::uint32_t frame;  ///< or none (the greatest number)
    };
    struct Edge {
        std::uint32_t from = 0;
        std::uint32_t to = 0;
        int weight = 1;        ///< how much it is to be short and straight
        bool directed = true;  ///< `to` is to stand to the right of `from`
    };
    struct Frame {
        std::uint32_t parent;
    };
    std::vector<Node> nodes;
    std::vector<Edge> edges;
    std::vector<Frame> frames;
    double frame_margin = 0.0;
    double node_gap = 0.0;
    double rank_gap = 0.0;
};

struct RankedLayout {
    std::vector<Point> nodes;  ///< centres
    std::vector<Box> frames;
};

/// Graphviz' `dot`, by its library. The same graph gives the same layout.
/// Throws std::runtime_error when Graphviz refuses.
RankedLayout rank_layout(const RankedGraph& graph);

}  // namespace bondgraph::drawing
