#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bondgraph/drawing/geometry.hpp"
#include "bondgraph/model/circuit.hpp"

namespace bondgraph::drawing {

/// Width of the grid on which wires run and pins of symbols lie, in points.
inline constexpr double kCircuitGrid = model::kSymbolGrid;

/// How a symbol stands: mirrored (left and right) first, then turned by quarters counter-clockwise.
struct Stance {
    int turns = 0;
    bool mirrored = false;

    /// Where a point of the symbol, counted from its middle, comes to lie.
    [[nodiscard]] Point of(Point p) const;
};

/// Where a wire ends at a symbol, counted from the symbol's middle before that is turned.
struct Pin {
    std::string name;
    Point at;
    Point out;            ///< the way a wire leaves: a unit vector
    bool shown = false;   ///< its name is written beside it, inside of a box
    bool signal = false;  ///< no power passes there
};

/// A component as it is drawn.
struct Part {
    enum class Look : std::uint8_t { symbol, box, junction, expression };
    Look look = Look::box;
    std::string name;  ///< beside it; empty: not written
    std::string type;  ///< in a box
    std::string value;
    Point size;  ///< width and height before it is turned
    std::vector<model::Symbol::Line> lines;
    std::vector<model::Symbol::Label> labels;
    std::vector<Pin> pins;
    /// Of a ground: the part at whose pin it is drawn.
    std::optional<std::uint32_t> ground_of = {};
    std::optional<model::LayoutDeclaration::Place> place = {};
};

/// A circuit made ready to be laid out: each pin that is connected to a ground has got a symbol of that for itself, and
/// what has no symbol a box that is large enough for its wires.
struct Schematic {
    std::string title;
    std::vector<Part> parts;
    std::vector<model::CircuitNet> nets;
};

Schematic schematic_of(const model::Circuit& circuit);

}  // namespace bondgraph::drawing
