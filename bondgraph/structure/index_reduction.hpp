#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bondgraph/base/id.hpp"
#include "bondgraph/structure/incidence.hpp"
#include "bondgraph/structure/matching.hpp"

namespace bondgraph::structure {

/// Which equations have to be differentiated how often, and what comes of it.
/// Equations from the input's row count on are derivatives; columns from the input's column count on are new
/// derivatives.
struct IndexReduction {
    std::vector<std::uint32_t> differentiations;     ///< per input equation
    Incidence rows;                                  ///< all equations with all columns they are taken to contain
    std::vector<std::uint32_t> derivative_of;        ///< column → column of its time derivative, or kNone
    std::vector<std::uint32_t> equation_derivative;  ///< equation → the differentiated equation, or kNone
    std::vector<std::uint32_t> origin;               ///< equation → the input equation it is a derivative of
    std::vector<std::uint32_t> order;                ///< equation → how often that one was differentiated
    /// Pairs the equations without derivative with the columns without derivative: they determine the highest
    /// derivatives, all of them when there are as many equations as variables.
    Matching matching;
    /// Non-empty: no number of differentiations helps; these equations name fewer variables (with all their
    /// derivatives counted as one) than they are. All else is empty then.
    std::vector<std::uint32_t> singular_equations;
    /// Variables (columns that are no derivatives) that nothing determines, even differentiated. Does not stop it.
    std::vector<std::uint32_t> undetermined_columns;
};

/// Pantelides: The consistent initialization of differential-algebraic systems, SIAM J. Sci. Stat. Comput. 9, 1988.
/// `derivative_of[column]` is the column of its time derivative or kNone; chains are allowed, each column is the
/// derivative of one at most. Rows list all columns that occur; a differentiated row is taken to hold each column of
/// the original and each one's derivative. A derivative that is listed counts as existing even if it occurs nowhere.
///
/// Where the paper adds equation by equation and differentiates what a failed search for an augmenting path has
/// reached, here all that maximum matchings leave over-determined is differentiated at once: what the searches from all
/// unmatched equations reach. The numbers are the same, as they are the smallest possible for each equation, and
/// there are no more rounds than the largest of them; each costs a maximum matching of the highest derivatives.
/// Iterative, deterministic.
IndexReduction reduce_index(const Incidence& rows, std::span<const std::uint32_t> derivative_of);

}  // namespace bondgraph::structure
