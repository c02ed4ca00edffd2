#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bondgraph/structure/block_triangular.hpp"
#include "bondgraph/structure/dummy_derivatives.hpp"
#include "bondgraph/structure/incidence.hpp"
#include "bondgraph/structure/index_reduction.hpp"
#include "bondgraph/structure/matching.hpp"
#include "bondgraph/structure/tearing.hpp"

/// Checkers of what the algorithms of this folder return. Each asks for a certificate that is easier to check than to
/// find, and shares no code with the algorithm it checks (except that of dummy choices, which needs a matching).
namespace bondgraph::structure {

/// Pairs are entries of the pattern, and both halves agree.
bool is_matching(const Incidence& rows, std::size_t column_count, const Matching& matching);

/// Rows and columns that together touch every entry of a pattern.
struct Cover {
    std::vector<std::uint32_t> rows;
    std::vector<std::uint32_t> columns;
};
bool is_cover(const Incidence& rows, std::size_t column_count, const Cover& cover);
/// The cover that belongs to a matching: as large as the matching exactly when that is maximum (König: Graphok és
/// matrixok, Mat. Fiz. Lapok 38, 1931).
Cover koenig_cover(const Incidence& rows, std::size_t column_count, const Matching& matching);
/// A matching, and a cover of its size.
bool is_maximum_matching(const Incidence& rows, std::size_t column_count, const Matching& matching);

/// Rows that name fewer columns than they are (Hall: On representatives of subsets, J. London Math. Soc. 10, 1935):
/// the reason why they can't all be matched.
bool is_hall_violator(const Incidence& rows, std::size_t column_count, std::span<const std::uint32_t> subset);

/// Every row and column is in exactly one place; blocks are square with matched columns, name only earlier columns and
/// their own, and can't be split further.
bool is_block_triangular(const Incidence& rows, std::size_t column_count, const BlockTriangular& order);

/// Pryce: A simple structural analysis method for DAEs, BIT 41, 2001. With σ(i, j) the highest derivative of variable j
/// in equation i, c the numbers of differentiations and d the resulting highest derivatives: d(j) − c(i) ≥ σ(i, j) with
/// equality on the matching, so the highest derivatives are structurally determined; and c is the smallest such
/// solution (the fixed point from c = 0), so no equation was differentiated in vain. Also: rows, links and counts of
/// the plan agree with each other.
bool is_index_reduction(const Incidence& rows, std::span<const std::uint32_t> derivative_of,
                        const IndexReduction& plan);

/// Every variable and derivative is state, dummy or highest derivative in the right place; there are as many dummies as
/// differentiated equations left in the model, and for each order the equations can be matched with the dummies of that
/// order.
bool is_dummy_choice(const IndexReduction& plan, const DummyChoice& choice);

/// The component's vertices are torn or ordered, each once, and all successors of an ordered one within the component
/// are torn or come before it.
bool leaves_no_cycle(const Incidence& successors, std::span<const std::uint32_t> component, const Tearing& tearing);

}  // namespace bondgraph::structure
