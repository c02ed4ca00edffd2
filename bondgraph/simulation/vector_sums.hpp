#pragma once

#include <sundials/sundials_nvector.h>

namespace bondgraph::simulation {

/// N_VLinearCombination of serial vectors: z = Σ c_k·x_k, to the last bit what SUNDIALS computes, in fewer passes. z
/// may be the first of the x. Sums over IDA's history are most of what a large model's steps cost.
int linear_combination(int count, double* c, N_Vector* x, N_Vector z);

/// The weighted root mean square, without the layers of calls that cost more than the sum where unknowns are few.
double weighted_norm(N_Vector x, N_Vector weights);

}  // namespace bondgraph::simulation
