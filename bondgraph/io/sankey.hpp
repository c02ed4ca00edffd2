#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace bondgraph::io {

constexpr double kSankeyBar = 10.0;       ///< width of a node's bar
constexpr double kSankeyCharacter = 6.9;  ///< width of a character of its text

struct SankeyNode {
    std::string name;
    std::string note;  ///< stands after the name of a node at which bands begin or end
};

/// An amount that goes from one node to another, of any positive size.
struct SankeyFlow {
    std::size_t from = 0;
    std::size_t to = 0;
    double amount = 0.0;
    std::string colour;
    std::string label;  ///< stands on the band where there is room, and in its tooltip
};

struct Sankey {
    std::string title;
    std::vector<SankeyNode> nodes;
    std::vector<SankeyFlow> flows;
    std::vector<std::pair<std::string, std::string>> legend;  ///< colours and what they mean
    std::string remark;
};

/// Where a node stands: a bar, with the bands that enter on its left and those that leave on its right.
struct SankeyBar {
    double x = 0.0;
    double y = 0.0;
    double height = 0.0;
    bool begins = false;  ///< nothing enters
    bool ends = false;    ///< nothing leaves
};

/// The way of a flow: from bar to bar, passing between others. A flow that closes a circle returns below everything.
struct SankeyBand {
    struct Point {
        double x = 0.0;
        double y = 0.0;  ///< upper edge
    };
    std::vector<Point> points;
    double width = 0.0;
    bool returns = false;
};

/// Parallel to the nodes and flows of the diagram.
struct SankeyLayout {
    double width = 0.0;
    double height = 0.0;
    double left = 0.0;  ///< room for the names on that side
    std::vector<SankeyBar> bars;
    std::vector<SankeyBand> bands;
};

/// Nodes in columns from left to right in the direction of the flows, those at which bands end in the last one; widths
/// of all bands on one scale. Nodes keep their order where it costs no crossings; the same diagram gives the same
/// layout.
SankeyLayout lay_out(const Sankey& diagram);

/// The diagram as the text of an SVG file.
std::string draw_sankey(const Sankey& diagram);

}  // namespace bondgraph::io
