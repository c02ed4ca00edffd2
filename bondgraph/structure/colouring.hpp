#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "bondgraph/structure/incidence.hpp"

namespace bondgraph::structure {

/// colour[column] in 0 … count-1.
struct Colouring {
    std::vector<std::uint32_t> colour;
    std::uint32_t count = 0;
};

/// Colours the columns of a sparse pattern so that columns of one colour share no row (Curtis, Powell, Reid: On the
/// estimation of sparse Jacobian matrices, J. Inst. Maths Applics 13, 1974; greedy in order of decreasing degree,
/// smallest free colour). The count is at least the length of the longest row; a column in no row gets colour 0.
/// Time is near-linear in the number of entries, even if a few rows name almost all columns.
Colouring colour_columns(const Incidence& rows, std::size_t column_count);

}  // namespace bondgraph::structure
