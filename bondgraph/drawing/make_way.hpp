#pragma once

#include <span>

#include "bondgraph/drawing/hanging.hpp"
#include "bondgraph/drawing/picture.hpp"

namespace bondgraph::drawing {

/// Where lines of a host run straight through what hangs on it, that is turned over or moved aside to where they run
/// through less of it. Frames grow with what they hold.
void make_way(const Picture& picture, const Hanging& hanging, std::span<Box> boxes, std::span<Box> frames);

}  // namespace bondgraph::drawing
