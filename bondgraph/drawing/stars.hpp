#pragma once

#include <span>
#include <vector>

#include "bondgraph/drawing/geometry.hpp"
#include "bondgraph/drawing/picture.hpp"

namespace bondgraph::drawing {

/// A junction that more leads to than finds room around it. It is drawn with a bar, and what hangs on it (its arms)
/// stands in columns beside the teeth of this bar. Places count from the middle of the junction.
struct Star {
    /// Where a bond meets the bar: that of an arm, or the one to what comes next.
    struct Foot {
        std::uint32_t edge = 0;
        Point at;
    };
    std::vector<std::uint32_t> nodes;  ///< the junction first, then all of its arms
    std::vector<Point> offsets;        ///< of the nodes
    Box room;                          ///< for all of it; as high above the junction as below
    std::vector<Polyline> bar;
    std::vector<Foot> feet;
};

/// Arms are trees of at most two dozen nodes that one bond joins to the junction and nothing but signals to the rest.
/// About as wide as high, however many arms there are. `taken`: nodes that have their places; `bond`: how long a
/// line has to be for its texts. No node is in two stars.
std::vector<Star> find_stars(const Picture& picture, std::span<const Box> boxes, const std::vector<bool>& taken,
                             double bond);

}  // namespace bondgraph::drawing
