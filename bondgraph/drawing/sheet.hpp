#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "bondgraph/drawing/geometry.hpp"

namespace bondgraph::drawing {

enum class ShapeKind : std::uint8_t { line, area, box, disc, text };
/// Texts are centred on their point; their baseline lies this share of their size below it.
inline constexpr double kBaseline = 0.35;

enum class Anchor : std::uint8_t { start, middle, end };

/// Something on paper. Colours are "#RRGGBB" or empty (not painted).
struct Shape {
    ShapeKind kind = ShapeKind::line;
    std::string role;      ///< what it stands for: "bond", "stroke", "barb" …
    Polyline points;       ///< line and area: all of it; disc and text: one point
    Box box;               ///< box, with round corners
    double radius = 0.0;   ///< of a disc, or of a box' corners
    std::string ink = {};  ///< colour of the line or the text
    std::string fill = {};
    double width = 1.0;  ///< of the line
    std::vector<double> dashes = {};
    std::string text = {};
    double size = 0.0;  ///< of the text
    Anchor anchor = Anchor::middle;
    bool bold = false;
    std::string of = {};  ///< what it is part of: "node-3", "edge-5", "net-2", by the picture's order; may be empty
};

/// A finished drawing: shapes in the order in which they are painted.
struct Sheet {
    std::string title;
    std::string description;  ///< in words, for those who can't see it
    std::vector<Shape> shapes;
    Box extent;  ///< with a margin
};

/// Well-formed SVG 1.1. Every shape has its role as class; with `parts`, also what it is part of, as data-of.
std::string to_svg(const Sheet& sheet, bool parts = false);
/// A LaTeX document of its own with the drawing as TikZ picture, for pdflatex, lualatex and xelatex.
std::string to_tex(const Sheet& sheet);

}  // namespace bondgraph::drawing
