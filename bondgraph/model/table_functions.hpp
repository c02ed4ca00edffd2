#pragma once

#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "bondgraph/model/quantity.hpp"

namespace bondgraph::model {

/// interpolate, akima, monotone, staircase; grid; and inside, which tells whether a place is on a grid.
inline constexpr std::string_view kTableFunctions[] = {"interpolate", "akima", "monotone",
                                                       "staircase",   "grid",  "inside"};

bool is_table_function(std::string_view name);

/// Names that are words: what a table does beyond its points, "linear" in interpolate(x, xs, ys, linear).
std::vector<bool> words_in(const expression::Syntax& syntax);

/// The value of a call to one of these; `argument` gives those that are no words. Throws SyntaxError.
Quantity table_function(const expression::Syntax& syntax, const expression::SyntaxNode& call,
                        const std::function<const Quantity&(std::size_t)>& argument, expression::Graph& graph);

}  // namespace bondgraph::model
