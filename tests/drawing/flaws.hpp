// What is wrong with a drawing, measured on what is painted.
#pragma once

#include <string>
#include <vector>

#include "bondgraph/drawing/layout.hpp"
#include "bondgraph/drawing/sheet.hpp"

namespace bondgraph::drawing {

// The letters of a text, without the room that is kept for other fonts.
Box letters(const Shape& text);

// Lines that pass through the box of a node they don't end at, bonds that pass through the frame of a sub-model they
// have no end in, and strokes or half arrows of which a box, a badge or a text hides a part; each in words.
std::vector<std::string> flaws_of(const Picture& picture, const Layout& layout, const Sheet& sheet);

}  // namespace bondgraph::drawing
