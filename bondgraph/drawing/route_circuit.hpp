#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bondgraph/drawing/geometry.hpp"

namespace bondgraph::drawing {

/// What wires are led between: everything on one grid (kCircuitGrid).
struct WiringTask {
    struct Terminal {
        Point at;
        Point out;  ///< the way the wire leaves
    };
    std::vector<Box> obstacles;               ///< symbols and texts; terminals lie on their borders
    std::vector<std::vector<Terminal>> nets;  ///< what each of them joins
    std::vector<std::uint32_t> last = {};     ///< nets that are led when all others have been
};

/// Of each net its lines, horizontal and vertical, and the points where three or more of them meet.
struct Wiring {
    std::vector<std::vector<Polyline>> lines;
    std::vector<std::vector<Point>> dots;
};

/// Leads each net as a tree along the grid: short, with few bends and crossings, through no obstacle, no two nets along
/// the same line or with a bend on each other. Nothing where there is no room for one of them. `regardless`: what finds
/// no way then goes along other nets.
std::optional<Wiring> lead_wires(const WiringTask& task, bool regardless = false);

}  // namespace bondgraph::drawing
