#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bondgraph/base/id.hpp"
#include "bondgraph/structure/exact_number.hpp"

namespace bondgraph::structure {

/// (index, coefficient) pairs.
template <class Number>
using LinearTerms = std::vector<std::pair<std::uint32_t, Number>>;
using IntegerTerms = LinearTerms<std::int64_t>;

/// One linear equation: Σ coefficient·unknown + Σ coefficient·given = 0.
/// Terms may come in any order; those of one index are added up.
template <class Number>
struct LinearEquation {
    LinearTerms<Number> unknowns;
    LinearTerms<Number> givens;
};
using IntegerEquation = LinearEquation<std::int64_t>;
using ExactEquation = LinearEquation<ExactNumber>;

/// The equations solved exactly: denominator·unknown = Σ coefficient·given (+ Σ coefficient·free unknown).
/// All lists are ascending by index and hold no zero coefficient.
template <class Number>
struct LinearSolution {
    struct Row {
        std::uint32_t unknown = 0;
        Number denominator{1};  ///< positive, without common divisor with the coefficients; 1 where they are fractions
        LinearTerms<Number> givens;
        LinearTerms<Number> free_unknowns;
    };
    std::vector<Row> solved;                   ///< ascending by unknown
    std::vector<std::uint32_t> free_unknowns;  ///< all that are not solved, also those in no equation
    /// Combinations of givens that must vanish (contradictory or redundant rows), with the equations combined:
    /// Σ coefficient·equation has no unknown left and its givens are exactly `givens` (empty: redundant whatever they
    /// are). Integer coefficients have no common divisor and the first is positive.
    struct Residue {
        LinearTerms<Number> givens;
        LinearTerms<Number> equations;
    };
    std::vector<Residue> residues;
    bool overflow = false;  ///< a coefficient left 64 bits: the result is not usable, and empty
};
using IntegerSolution = LinearSolution<std::int64_t>;
using ExactSolution = LinearSolution<ExactNumber>;

/// Fraction-free elimination (Bareiss: Sylvester's identity and multistep integer-preserving Gaussian elimination,
/// Math. Comp. 22, 1968, with division by each row's actual common divisor instead), exact in 64-bit integers with
/// 128-bit intermediates. The next row is the one with the fewest unknowns not yet solved for, its pivot a unit
/// coefficient where there is one, and among those the unknown in fewest waiting rows (Markowitz: Management Science 3,
/// 1957). Sparse throughout: the cost follows the entries that arise. Indices of unknowns are below `unknown_count`.
///
/// `level` (one per unknown; may be empty): an unknown is solved for only where no unknown of a lower level can be.
/// Which ones stay free then does not depend on the order of the equations, but for equals of one level; every relation
/// between unknowns of high levels alone is found.
IntegerSolution solve_integer_linear(std::span<const IntegerEquation> equations, std::size_t unknown_count,
                                     std::span<const std::uint8_t> level = {});

/// The same for coefficients that are no integers, and for integers that leave 64 bits: what is zero is decided
/// exactly, values are rounded (see ExactNumber). Pivots are units where there are some, never small in their row.
/// Never overflows.
ExactSolution solve_exact_linear(std::span<const ExactEquation> equations, std::size_t unknown_count,
                                 std::span<const std::uint8_t> level = {});

}  // namespace bondgraph::structure
