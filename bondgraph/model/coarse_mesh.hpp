#pragma once

#include <cstddef>
#include <span>

#include "bondgraph/model/mesh.hpp"

namespace bondgraph::model {

/// How many triangles each of several forms may have at most so that all have no more than `all`: small ones keep
/// theirs, and the others share what these leave.
std::size_t most_of_each(std::span<const std::size_t> triangles, std::size_t all);

/// The same form with at most so many triangles (at least one): vertices in one cell of a grid become one, in the
/// middle of them, and triangles that lose a side are gone. The grid is the finest of which the result is small enough.
Mesh coarsened(const Mesh& mesh, std::size_t most);

}  // namespace bondgraph::model
