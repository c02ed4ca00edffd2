#pragma once

#include <array>
#include <vector>

#include "bondgraph/model/model.hpp"

namespace bondgraph::model {

/// Connectors of symbols lie on a grid of this width.
inline constexpr double kSymbolGrid = 10.0;

/// `symbol:` of a type: what stands for a component of it in the drawing of a circuit. Places are counted from the
/// symbol's middle, x to the right and y downwards, in points.
struct Symbol {
    using Place = std::array<double, 2>;
    /// Curves are given by enough points to look smooth.
    struct Line {
        std::vector<Place> points;
        bool filled = false;  ///< an area in the colour of the lines
    };
    struct Label {
        Text text;
        Place at = {};
        double size = 0.0;  ///< of the letters
    };
    struct Connector {
        Text name;  ///< of a connector, a port, an input or an output
        Place at = {};
    };

    SourcePosition position;
    Place size = {};  ///< width and height: everything of it lies within, and connectors on the border
    std::vector<Line> lines;
    std::vector<Label> labels;
    std::vector<Connector> connectors;
    /// It stands for what has no movement or potential: each component connected to it gets a symbol of its own.
    bool ground = false;
};

}  // namespace bondgraph::model
