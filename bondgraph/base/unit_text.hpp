#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace bondgraph {

/// The text of a unit as UDUNITS reads it: trimmed, with raised digits, dots and minus signs of typeset text in ASCII.
/// Empty when it can't be a unit: nothing, no UTF-8, longer than any unit, with unmatched
/// parentheses, or with a number that is no exponent.
///
/// Numbers are refused because UDUNITS takes them as factors where people mean something else: "10 500 ohm" would be
/// 10 times 500 ohm, and "m^1/2" is half a metre. To it "m^0.5" is m^0 times 5 as well, so that has_broken_powers() has
/// to be asked first.
std::string normal_unit_text(std::string_view text);

/// A unit that `text` was probably meant to be, or empty; `is_unit` tells whether a text is a unit.
std::string suggest_unit(std::string_view text, const std::function<bool(std::string_view)>& is_unit);

/// The usual unit nearest to `text` among those that `fits` accepts, or empty: "uG" is "uF" where a capacitance is
/// wanted.
std::string suggest_fitting_unit(std::string_view text, const std::function<bool(std::string_view)>& fits);

}  // namespace bondgraph
