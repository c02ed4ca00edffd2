#pragma once

#include <string>
#include <vector>

#include "bondgraph/drawing/picture.hpp"
#include "bondgraph/drawing/sheet.hpp"
#include "bondgraph/drawing/theme.hpp"

namespace bondgraph::drawing {

/// In which state of its switches, diodes, … the strokes are those of the model, in lines of about a width; nothing
/// where the strokes are always the same.
std::vector<std::string> mode_lines(const Picture& picture, double width);

/// A small disc with a letter or number, centred on `at`.
void draw_badge(const std::string& text, const std::string& colour, const Theme& theme, Point at,
                std::vector<Shape>& shapes);

/// Says for which mode the strokes hold, and explains the domains and marks that occur, in rows from `corner` (top
/// left) on, about as wide as `width`.
void draw_legend(const Picture& picture, const Theme& theme, Point corner, double width, std::vector<Shape>& shapes);

}  // namespace bondgraph::drawing
