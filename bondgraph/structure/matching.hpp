#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "bondgraph/structure/incidence.hpp"

namespace bondgraph::structure {

inline constexpr std::uint32_t kUnmatched = std::numeric_limits<std::uint32_t>::max();

/// row_of[column] and column_of[row], kUnmatched where none.
struct Matching {
    std::vector<std::uint32_t> row_of;
    std::vector<std::uint32_t> column_of;
    /// The number of matched pairs.
    [[nodiscard]] std::size_t size() const;
};

/// Extends `start` (may be empty) to a maximum matching by augmenting paths, breadth-first phases
/// (Hopcroft, Karp: An n^{5/2} algorithm for maximum matchings in bipartite graphs, SIAM J. Comput. 2, 1973).
/// Pairs of `start` are kept where they need not give way; what `start` matches stays matched, if to another partner.
/// The two halves of `start` must agree. Iterative and deterministic, O(E·√V).
Matching maximum_matching(const Incidence& rows, std::size_t column_count, Matching start = {});

/// Dulmage–Mendelsohn coarse decomposition (Canad. J. Math. 10, 1958): which rows are over-determined (reached from
/// unmatched rows) and which columns under-determined (reached from unmatched columns), with their partners.
/// Each list is ascending. The parts do not depend on which maximum matching is given.
struct SingularParts {
    std::vector<std::uint32_t> overdetermined_rows;
    std::vector<std::uint32_t> overdetermined_columns;
    std::vector<std::uint32_t> underdetermined_rows;
    std::vector<std::uint32_t> underdetermined_columns;
};
/// `matching` must be maximum.
SingularParts singular_parts(const Incidence& rows, std::size_t column_count, const Matching& matching);

}  // namespace bondgraph::structure
