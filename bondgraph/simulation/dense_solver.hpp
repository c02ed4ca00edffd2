#pragma once

#include "bondgraph/simulation/sundials.hpp"

namespace bondgraph::simulation {

/// A linear solver for SUNDIALS' full matrices: Eigen's LU factorization with row exchanges, which works in blocks
/// where SUNDIALS' own goes element by element. A matrix that is singular to working precision, or has entries that
/// are not finite, is a recoverable failure of the set-up.
LinearSolver make_dense_solver(const Context& context);

}  // namespace bondgraph::simulation
