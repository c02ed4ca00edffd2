#pragma once

#include <string_view>

namespace bondgraph::drawing {

/// The width of a text in Helvetica (and Arial, which has the same metrics) of the given size, in the unit of `size`,
/// with an eighth to spare: systems without these fonts put wider ones in their place. Characters outside ASCII are
/// taken as wide as the widest letters of their script.
double text_width(std::string_view text, double size, bool bold = false);

}  // namespace bondgraph::drawing
