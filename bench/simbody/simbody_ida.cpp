// Simbody's mathematics library exports functions of an old SUNDIALS. This program has a present one inside, linked
// statically and hidden, so that each side calls what it was built with.

#include <ida/ida.h>

#include <algorithm>

#include "bench/simbody/simbody_chain.hpp"
#include "bench/stopwatch.hpp"
#include "bondgraph/simulation/sundials.hpp"

namespace bondgraph::bench {

namespace {

constexpr double kAbsoluteShare = 1e-2;  // absolute tolerance as a share of the relative one

struct Problem {
    SimbodyChain& chain;
    std::vector<double> rates;
    long evaluations = 0;
};

int residual(double, N_Vector y, N_Vector yp, N_Vector r, void* data) {
    auto& problem = *static_cast<Problem*>(data);
    problem.chain.derivative(N_VGetArrayPointer(y), problem.rates.data());
    ++problem.evaluations;
    const double* given = N_VGetArrayPointer(yp);
    double* out = N_VGetArrayPointer(r);
    for (std::size_t i = 0; i < problem.rates.size(); ++i) out[i] = given[i] - problem.rates[i];
    return 0;
}

}  // namespace

SimbodyRun simulate_with_ida(SimbodyChain& chain, double stop, double tolerance) {
    Problem problem{.chain = chain, .rates = std::vector<double>(chain.size())};
    SimbodyRun run{.y = chain.start()};
    Stopwatch watch;
    const simulation::Context context;
    const simulation::Vector y(chain.size(), context);
    const simulation::Vector yp(chain.size(), context);
    std::copy(run.y.begin(), run.y.end(), y.data());
    chain.derivative(y.data(), yp.data());
    void* ida = IDACreate(context.get());
    const auto n = static_cast<sunindextype>(chain.size());
    SUNMatrix matrix = SUNDenseMatrix(n, n, context.get());
    const simulation::LinearSolver solver(SUNLinSol_Dense(y.get(), matrix, context.get()));
    bool well = IDAInit(ida, residual, 0.0, y.get(), yp.get()) == IDA_SUCCESS &&
                IDASStolerances(ida, tolerance, kAbsoluteShare * tolerance) == IDA_SUCCESS &&
                IDASetUserData(ida, &problem) == IDA_SUCCESS &&
                IDASetLinearSolver(ida, solver.get(), matrix) == IDA_SUCCESS &&
                IDASetMaxNumSteps(ida, -1) == IDA_SUCCESS && IDASetStopTime(ida, stop) == IDA_SUCCESS;
    double time = 0.0;
    while (well && time < stop) well = IDASolve(ida, stop, &time, y.get(), yp.get(), IDA_NORMAL) >= 0;
    run.complete = well;
    std::copy_n(y.data(), run.y.size(), run.y.begin());
    run.seconds = watch.lap();
    IDAGetNumSteps(ida, &run.steps);
    run.evaluations = problem.evaluations;
    IDAFree(&ida);
    SUNMatDestroy(matrix);
    return run;
}

}  // namespace bondgraph::bench
