#pragma once

#include <cstddef>

#include "bondgraph/structure/incidence.hpp"
#include "bondgraph/structure/matching.hpp"

namespace bondgraph::structure {

/// The fine Dulmage–Mendelsohn decomposition: the well-determined part split into its smallest square blocks, in the
/// order of computation: a row names columns of its own block, of earlier blocks and of the over-determined part only.
/// (Rows of the over-determined part name that part's columns only; columns of the under-determined part occur in that
/// part's rows only, so the three parts themselves come in the order over-, well-, under-determined.)
struct BlockTriangular {
    Incidence rows;       ///< per block its rows, ascending
    Incidence columns;    ///< per block the columns matched with these rows, in the same order
    SingularParts parts;  ///< what belongs to no block; empty lists for a structurally nonsingular square system
};

/// Strong components of the graph "a row needs the row that determines its column" (Dulmage, Mendelsohn, Canad. J.
/// Math. 10, 1958; Duff, Reid: An implementation of Tarjan's algorithm for the block triangularization of a matrix,
/// ACM Trans. Math. Softw. 4, 1978). The blocks don't depend on which maximum matching is given. Linear time.
BlockTriangular block_triangular(const Incidence& rows, std::size_t column_count, const Matching& matching);

}  // namespace bondgraph::structure
