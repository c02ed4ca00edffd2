#pragma once

#include <cstdint>
#include <vector>

#include "bondgraph/api/readable_equations.hpp"

namespace bondgraph::api {

/// In texts, leaf kFirstAbbreviation + i is abbreviation i: s1, s2, ….
inline constexpr std::uint32_t kFirstAbbreviation = 1U << 25U;

/// Makes long equations readable, as those of mechanisms are, in which every joint depends on all before it: what
/// stands in several places, and parts of what is longer than a line, gets a name. Gives the values of the names in the
/// order of computation; none where all equations are short.
std::vector<expression::Expr> abbreviate(ReadableSystem& system, expression::Graph& graph);

}  // namespace bondgraph::api
