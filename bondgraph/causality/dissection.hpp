#pragma once

#include <utility>
#include <vector>

#include "bondgraph/causality/composition.hpp"

namespace bondgraph::causality {

/// Divides pieces into two parts of similar size with few bonds between. A junction with several bonds across becomes
/// two with one; such new bonds are numbered from `next_bond` on.
std::pair<std::vector<Piece>, std::vector<Piece>> divide(std::vector<Piece> pieces, std::uint32_t& next_bond);

/// The pieces in an order in which neighbours follow each other, junctions taken apart into some of that many ends.
std::vector<Piece> in_small_steps(std::vector<Piece> pieces, std::size_t most_ends, std::uint32_t& next_bond);

}  // namespace bondgraph::causality
