#pragma once

#include <vector>

#include "bondgraph/drawing/labels.hpp"
#include "bondgraph/drawing/picture.hpp"
#include "bondgraph/drawing/sheet.hpp"
#include "bondgraph/drawing/theme.hpp"

namespace bondgraph::drawing {

/// What lies under the lines: marks of loops and conflicts.
void draw_halo(const Edge& edge, const Polyline& route, const Theme& theme, std::vector<Shape>& shapes);

/// The line with its ends: half arrow and strokes of a bond, full arrow of a signal.
void draw_edge(const Edge& edge, const Polyline& route, const Theme& theme, std::vector<Shape>& shapes);

/// A multibond's size, in a gap of its line.
void draw_size(const std::string& role, const std::string& size, Point middle, const Theme& theme,
               std::vector<Shape>& shapes);
/// The box of that gap at a share of the line's length; empty for a bond of one component.
Box size_box(const Edge& edge, const Polyline& route, double share);

/// Names of ports and variables.
void draw_edge_texts(const Edge& edge, const Polyline& route, const Theme& theme, Labels& labels,
                     std::vector<Shape>& shapes);

/// The side of a bond on which its flow stands: below, or right of an upright one.
Point flow_side(Point direction);

}  // namespace bondgraph::drawing
