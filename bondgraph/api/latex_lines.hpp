#pragma once

#include <string>
#include <vector>

namespace bondgraph::api {

/// The width of a line of LaTeX's article class at 10 points, in points.
inline constexpr double kLatexLine = 345.0;

/// About how wide a displayed formula comes out in that class, in points, rather too much than too little.
double latex_width(const std::string& formula);

/// The formula in lines no wider than there is room, in points: broken before signs and factors, where it can be
/// outside of parentheses. Parentheses that a break divides are closed invisibly at the end of a line and opened so on
/// the next. Fractions and roots too wide for a line become powers in parentheses. What has no place to break stays too
/// wide.
std::vector<std::string> latex_lines(const std::string& formula, double room);

}  // namespace bondgraph::api
