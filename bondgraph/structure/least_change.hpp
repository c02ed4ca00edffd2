#pragma once

#include <Eigen/SparseCore>
#include <cstdint>
#include <span>

namespace bondgraph::structure {

/// A solution of matrix · x = right, in the sense of least squares where there is none, that moves as little as it has
/// to. `reluctance` has one entry per column: columns of 0 take what they can; those of 1 move only as far as these
/// can't, by a vector of minimum norm; those of 2 only as far as all others can't, likewise. What nothing asks for is
/// exactly 0. Rows should be scaled to a size of 1. What rows determine one after the other is taken from them; of what
/// is left (of everything, where there is no solution) columns of 0 are eliminated by sparse reflections that reveal
/// rank (see SparseElimination), the rest is dense: memory is rows × (columns of 1 and 2).
Eigen::VectorXd least_change(const Eigen::SparseMatrix<double>& matrix, const Eigen::VectorXd& right,
                             std::span<const std::uint8_t> reluctance);

}  // namespace bondgraph::structure
