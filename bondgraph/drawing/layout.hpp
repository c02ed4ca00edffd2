#pragma once

#include <vector>

#include "bondgraph/drawing/geometry.hpp"
#include "bondgraph/drawing/picture.hpp"
#include "bondgraph/drawing/placing.hpp"

namespace bondgraph::drawing {

// Sizes of texts, in points.
inline constexpr double kTitleSize = 13.0;  ///< types and names of elements
inline constexpr double kThirdLine = 14.0;  ///< height of what a component that closes a loop says about it
inline constexpr double kSmallSize = 10.0;  ///< values, names of junctions, variables

inline constexpr double kShortestBond = 44.0;
inline constexpr double kBarWidth = 3.0;

/// Where everything of a picture is.
struct Layout {
    std::vector<Box> nodes;        ///< as large as what is drawn there
    std::vector<Polyline> routes;  ///< of the edges, from border to border
    std::vector<Box> frames;
    std::vector<Bar> bars;
    std::vector<double> along;  ///< where each node stands along the rows, from left to right in the first
};

/// How large a node is drawn.
Box node_box(const Node& node);

/// Chains of junctions run from left to right along the half arrows; the sources and loads of a junction hang above and
/// below it. What is much wider than high goes back and forth in rows. What there is keeps its order along the rows
/// when something is added at the end of the file. Throws std::runtime_error when Graphviz refuses.
Layout lay_out(const Picture& picture);

}  // namespace bondgraph::drawing
