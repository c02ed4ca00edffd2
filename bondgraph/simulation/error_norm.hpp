#pragma once

#include <nvector/nvector_serial.h>

namespace bondgraph::simulation {

/// The norm in which IDA judges local errors, in place of the weighted root mean square: of an error with its weights,
/// over the components for which `counted` is 1.
struct ErrorNorm {
    double (*of)(void* self, N_Vector error, N_Vector weights, N_Vector counted);
    void* self;
};

/// Makes a serial vector, and whatever IDA clones from it, carry such a norm. It holds where IDA leaves out algebraic
/// components (IDASetSuppressAlg); the convergence of Newton's iteration is judged in the ordinary norm.
void judge_errors_by(N_Vector vector, const ErrorNorm& norm);

}  // namespace bondgraph::simulation
