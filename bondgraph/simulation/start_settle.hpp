#pragma once

#include "bondgraph/simulation/start_problem.hpp"

namespace bondgraph::simulation {

/// Lets a model whose states shall all be at rest come to rest: implicit Euler steps with time standing still, from the
/// values the problem has, each as long as Newton's method allows (pseudo-transient continuation; Kelley and Keyes:
/// Convergence analysis of pseudo-transient continuation, SIAM J. Numer. Anal. 35, 1998). Junctions that block leave
/// next to nothing of the rank of the equations for rest; storages keep what they hold. True where it ends at rest: the
/// problem has these values then. False, and the values as they were, where it doesn't, or where other conditions than
/// rest stand beside it.
bool settle(StartProblem& problem);

}  // namespace bondgraph::simulation
