#pragma once

#include <string>

#include "bondgraph/drawing/picture.hpp"
#include "bondgraph/drawing/theme.hpp"

namespace bondgraph::drawing {

/// The picture in Graphviz' language, to be laid out and changed by hand: half arrows and strokes are arrow shapes,
/// sub-models that are looked into are clusters. In a bond of mixed causality the components with the stroke at an end
/// are numbered there.
std::string to_dot(const Picture& picture, const Theme& theme);

}  // namespace bondgraph::drawing
