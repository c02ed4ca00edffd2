#pragma once

#include <Eigen/SparseCore>
#include <cstdint>
#include <span>
#include <vector>

namespace bondgraph::structure {

/// A solution of matrix · x = right, in the sense of least squares where there is none, that moves as little as it has
/// to. `reluctance` has one entry per column: columns of 0 take what they can; those of 1 move only as far as these
/// can't, by a vector of minimum norm; those of 2 only as far as all before can't, likewise, and so on. What nothing
/// asks for is exactly 0. Rows should be scaled to a size of 1. What rows determine one after the other is taken from
/// them; of what is left (of everything, where there is no solution) columns of 0 are eliminated by sparse reflections
/// that reveal rank (see SparseElimination), the rest is dense: memory is rows × (other columns).
Eigen::VectorXd least_change(const Eigen::SparseMatrix<double>& matrix, const Eigen::VectorXd& right,
                             std::span<const std::uint8_t> reluctance);

/// The columns of other than 0 that rows leave open, ascending: of them some can be changed, and the others of them and
/// columns of 0 with them, without change of any row. Matrix and `reluctance` as above.
std::vector<std::uint32_t> open_columns(const Eigen::SparseMatrix<double>& matrix,
                                        std::span<const std::uint8_t> reluctance);

}  // namespace bondgraph::structure
