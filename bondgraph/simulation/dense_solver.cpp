#include "bondgraph/simulation/dense_solver.hpp"

#include <sunmatrix/sunmatrix_dense.h>

#include <Eigen/LU>
#include <memory>

namespace bondgraph::simulation {
namespace {

using Factors = Eigen::PartialPivLU<Eigen::MatrixXd>;

Factors& factors(SUNLinearSolver solver) { return *static_cast<Factors*>(solver->content); }

int set_up(SUNLinearSolver solver, SUNMatrix matrix) {
    const Eigen::Map<const Eigen::MatrixXd> entries(SM_DATA_D(matrix), SM_ROWS_D(matrix), SM_COLUMNS_D(matrix));
    factors(solver).compute(entries);
    const auto diagonal = factors(solver).matrixLU().diagonal();
    if (!factors(solver).matrixLU().allFinite() || (diagonal.array() == 0.0).any()) return SUNLS_LUFACT_FAIL;
    return SUNLS_SUCCESS;
}

int solve(SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector b, double) {
    const Eigen::Map<const Eigen::VectorXd> right(N_VGetArrayPointer(b), N_VGetLength(b));
    Eigen::Map<Eigen::VectorXd> solution(N_VGetArrayPointer(x), N_VGetLength(x));
    solution = factors(solver).permutationP() * right;
    factors(solver).matrixLU().triangularView<Eigen::UnitLower>().solveInPlace(solution);
    factors(solver).matrixLU().triangularView<Eigen::Upper>().solveInPlace(solution);
    return SUNLS_SUCCESS;
}

int destroy(SUNLinearSolver solver) {
    delete static_cast<Factors*>(solver->content);
    solver->content = nullptr;
    SUNLinSolFreeEmpty(solver);
    return SUNLS_SUCCESS;
}

}  // namespace

LinearSolver make_dense_solver(const Context& context) {
    SUNLinearSolver solver = SUNLinSolNewEmpty(context.get());
    solver->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
    solver->ops->setup = set_up;
    solver->ops->solve = solve;
    solver->ops->free = destroy;
    solver->content = std::make_unique<Factors>().release();
    return LinearSolver(solver);
}

}  // namespace bondgraph::simulation
