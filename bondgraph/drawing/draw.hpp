#pragma once

#include "bondgraph/drawing/layout.hpp"
#include "bondgraph/drawing/picture.hpp"
#include "bondgraph/drawing/sheet.hpp"
#include "bondgraph/drawing/theme.hpp"

namespace bondgraph::drawing {

/// Puts a picture on paper: half arrows with the barb on the side of the flow (below, or right of upright bonds),
/// causal strokes across the bond's end, effort above and flow below, marks, and a legend of what occurs.
Sheet draw(const Picture& picture, const Layout& layout, const Theme& theme);

}  // namespace bondgraph::drawing
