// What Integrator gives IDA for Newton's iteration: residual, Jacobian, its solution, and when it has converged.

#include <fmt/format.h>
#include <ida/ida.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bondgraph/simulation/integrator.hpp"
#include "bondgraph/simulation/singular.hpp"

namespace bondgraph::simulation {
namespace {

/// Up to so many rates are always solved for with the mass matrix of the moment.
constexpr std::size_t kFewRates = 30;
/// A mechanism is stiff at a step where the filter takes so many times what it leaves; then forces hang on what
/// Newton's iteration leaves, and it leaves less.
constexpr double kStiffRatio = 2.0;
constexpr double kStiffTolerance = 0.1;
/// With unknowns of loops out of the way nothing but the error of the states is left: a third of what all may leave.
constexpr double kLoopTolerance = 1.0 / 3.0;

std::span<const double> values_in(N_Vector v) { return {NV_DATA_S(v), static_cast<std::size_t>(NV_LENGTH_S(v))}; }
std::span<double> values_of(N_Vector v) { return {NV_DATA_S(v), static_cast<std::size_t>(NV_LENGTH_S(v))}; }

void demand(int status, const char* what) {
    if (status < 0) throw std::runtime_error(fmt::format("{} failed with {}", what, status));
}

}  // namespace

RowsTogether::RowsTogether(const Findings& findings)
    : rows(rows_of_rates_together(findings.model(), !findings.of<AlgebraicLoops>().with_rates().empty())) {}

// IDA sees a matrix that holds nothing: what stands for it is made by jacobian() and used by factorize() and solve().
void Integrator::set_linear_solver() {
    newton_.emplace(ev_, NewtonMatrix::form_for(ev_.model(), settings_.dense_limit));
    rows_ = ev_.findings().of<RowsTogether>().rows;
    // Of a few rates it costs little, and Newton's iteration leaves less of an error.
    if (!rows_.empty() && rows_.size() <= kFewRates) rates_.emplace(ev_, rows_);
    stand_in_ = SUNMatNewEmpty(context_.get());
    stand_in_->ops->getid = [](SUNMatrix) { return SUNMATRIX_CUSTOM; };
    stand_in_->ops->zero = [](SUNMatrix) { return 0; };
    stand_in_->ops->destroy = SUNMatFreeEmpty;
    solver_.reset(SUNLinSolNewEmpty(context_.get()));
    solver_->ops->gettype = [](SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; };
    solver_->ops->setup = factorize;
    solver_->ops->solve = solve;
    solver_->ops->free = [](SUNLinearSolver s) {
        s->content = nullptr;  // not the solver's to free
        SUNLinSolFreeEmpty(s);
        return SUNLS_SUCCESS;
    };
    solver_->content = this;
    demand(IDASetLinearSolver(ida_, solver_.get(), stand_in_), "IDASetLinearSolver");
    demand(IDASetJacFn(ida_, jacobian), "IDASetJacFn");
}

int Integrator::factorize(SUNLinearSolver solver, SUNMatrix) {
    return static_cast<Integrator*>(solver->content)->newton_->factorize() ? SUNLS_SUCCESS : SUNLS_LUFACT_FAIL;
}

int Integrator::solve(SUNLinearSolver solver, SUNMatrix, N_Vector x, N_Vector b, double) {
    auto& s = *static_cast<Integrator*>(solver->content);
    const std::span<double> solution = values_of(x);
    const std::span<const double> right = values_in(b);
    std::copy(right.begin(), right.end(), solution.begin());
    s.solved_at_ = s.evaluated_at_;
    s.attempted_ = true;
    // The rows of loops say how far their unknowns are from what solves them: they go there, and change with the others
    // besides. IDA multiplies corrections by 2/(1 + c/c of the matrix), which is not for this part.
    double c = s.matrix_c_;
    if (!s.looped_.empty()) IDAGetCurrentCj(s.ida_, &c);
    const double unscaled = 0.5 * (1.0 + c / s.matrix_c_);
    for (std::size_t k = 0; k < s.looped_.size(); ++k) {
        s.loop_part_[k] = unscaled * solution[s.looped_[k]];
        solution[s.looped_[k]] = 0.0;
    }
    if (s.rates_) s.rates_->correct(solution);
    s.newton_->solve(solution);
    for (std::size_t k = 0; k < s.looped_.size(); ++k) solution[s.looped_[k]] += s.loop_part_[k];
    return SUNLS_SUCCESS;
}

// IDA counts what is left of an error by how fast Newton's iteration converged in earlier steps. That serves most
// models. Where loops are solved by themselves, exact at every look, only states are left, which converge at once with
// a fresh Jacobian; in stiff mechanisms what is left is a force. Both are judged by how Jacobians age. Other algebraic
// unknowns in nonlinear equations are not in the error test: a correction of theirs that is larger than the tolerance
// is only taken when the next one has shown how fast it converges now.
void Integrator::set_convergence_test() {
    is_looped_.assign(ev_.size(), false);
    for (const std::uint32_t j : looped_) is_looped_[j] = true;
    loop_part_.resize(looped_.size());
    if (!ev_.loops().any() && !is_mechanism_) return;
    newton_iteration_.reset(SUNNonlinSol_Newton(y_.get(), context_.get()));
    demand(IDASetNonlinearSolver(ida_, newton_iteration_.get()), "IDASetNonlinearSolver");
    const auto* content = static_cast<const _SUNNonlinearSolverContent_Newton*>(newton_iteration_->content);
    usual_test_ = content->CTest;
    usual_data_ = content->ctest_data;
    SUNNonlinSolSetConvTestFn(newton_iteration_.get(), converged, this);
}

int Integrator::converged(SUNNonlinearSolver solver, N_Vector y, N_Vector correction, double tolerance, N_Vector weight,
                          void* self) {
    auto& s = *static_cast<Integrator*>(self);
    if (!s.ev_.loops().any() && !s.stiff_) return s.judged_as_usual(solver, y, correction, tolerance, weight);
    const std::span<const double> d = values_in(correction);
    const std::span<const double> w = values_in(weight);
    double sum = 0.0;
    double of_states = 0.0;
    double algebraic = 0.0;
    for (std::size_t i = 0; i < d.size(); ++i) {
        if (s.is_looped_[i]) continue;
        const double share = d[i] * w[i];
        sum += share * share;
        if (i >= s.ev_.model().state_count)
            algebraic = std::max(algebraic, std::abs(share));
        else
            of_states += share * share;
    }
    const auto count = static_cast<double>(d.size() - s.looped_.size());
    const double length = std::sqrt(sum / count);
    int iteration = 0;
    SUNNonlinSolGetCurIter(solver, &iteration);
    double c = 0.0;
    IDAGetCurrentCj(s.ida_, &c);
    const double allowed = (s.stiff_ ? kStiffTolerance : kLoopTolerance) * tolerance;
    switch (s.convergence_.judge(iteration, length, allowed, s.evaluated_at_, c)) {
        case NewtonConvergence::Verdict::done:
            return s.stiff_ || iteration > 0 || algebraic <= 1.0 ? SUN_NLS_SUCCESS : SUN_NLS_CONTINUE;
        case NewtonConvergence::Verdict::next:
            return SUN_NLS_CONTINUE;
        case NewtonConvergence::Verdict::fails:
            break;
    }
    // A force that goes to and fro by its last bits, while states stay, gets no better in a shorter step.
    const bool rounding = iteration > 1 && s.convergence_.made_for(s.evaluated_at_) && length <= tolerance &&
                          std::sqrt(of_states / count) <= NewtonConvergence::kNoCorrection * allowed;
    return rounding ? SUN_NLS_SUCCESS : SUN_NLS_CONV_RECVR;
}

// Forces follow the square of what the first iteration corrects velocities by, and may change most in the second one:
// with the Jacobian of this very step that is no failure.
int Integrator::judged_as_usual(SUNNonlinearSolver solver, N_Vector y, N_Vector correction, double tolerance,
                                N_Vector weight) {
    const int verdict = usual_test_(solver, y, correction, tolerance, weight, usual_data_);
    int iteration = 0;
    SUNNonlinSolGetCurIter(solver, &iteration);
    const bool second_of_its_own = iteration == 1 && convergence_.made_for(evaluated_at_);
    return verdict == SUN_NLS_CONV_RECVR && second_of_its_own ? SUN_NLS_CONTINUE : verdict;
}

double Integrator::error_norm(void* self, N_Vector error, N_Vector weights, N_Vector counted) {
    auto& s = *static_cast<Integrator*>(self);
    const double plain = N_VWrmsNormMask_Serial(error, weights, counted);
    // Before a step IDA takes the norm of the solution itself.
    if (!s.filter_ || !s.filter_->ready() || !s.attempted_) return plain;
    const auto e = values_in(error);
    const auto w = values_in(weights);
    const auto mask = values_in(counted);
    const auto is_state = [&](std::size_t i) { return i < s.ev_.model().state_count; };
    for (std::size_t i = 0; i < e.size(); ++i) s.passed_[i] = mask[i] > 0.0 && is_state(i) ? e[i] : 0.0;
    s.filter_->apply(s.passed_, s.rates_ ? &*s.rates_ : nullptr, *s.newton_);
    double states = 0.0;
    double passed = 0.0;
    double followed = 0.0;  // coordinates of closed loops, whose errors are no vibration that dies out
    for (std::size_t i = 0; i < e.size(); ++i) {
        if (!(mask[i] > 0.0)) continue;
        (is_state(i) ? states : followed) += e[i] * w[i] * e[i] * w[i];
        if (is_state(i)) passed += s.passed_[i] * w[i] * s.passed_[i] * w[i];
    }
    if (!std::isfinite(passed)) return plain;
    s.stiff_ = s.stiff_ || std::sqrt(states) > kStiffRatio * std::sqrt(passed);
    // Errors of a motion that the steps resolve are errors.
    return s.stiff_ ? std::sqrt((passed + followed) / static_cast<double>(e.size())) : plain;
}

std::span<const double> Integrator::exact(double time, std::span<const double> y, std::span<const double> yp) {
    if (looped_.empty()) return y;
    std::copy(y.begin(), y.end(), exact_y_.begin());
    if (ev_.solve_loops(time, exact_y_, yp)) return exact_y_;
    unsolved_at_ = time;
    return {};
}

// Before a mechanism comes to the end of its reach, forces grow without bound. At small tolerances steps creep up to
// it, and none of them has looked beyond.
void Integrator::look_beyond() {
    constexpr double kBeyond = 1e-6;
    const double ahead = kBeyond * (settings_.stop - settings_.start);
    std::vector<double> there(y_.data(), y_.data() + y_.size());
    for (std::size_t i = 0; i < ev_.model().state_count; ++i) there[i] += ahead * yp_.data()[i];
    static_cast<void>(exact(time_ + ahead, there, yp_.span()));
}

// At the end of a mechanism's reach a square root begins: steps come to half of the digits of where it does. What the
// last one has made of the loop is an extrapolation of slopes without bound; what solves the loop at its end is not, or
// a little before, where the end is beyond by rounding.
std::vector<double> Integrator::last_solved() {
    constexpr double kFirst = 1e-12;
    constexpr double kMost = 1e-6;
    const double run = settings_.stop - settings_.start;
    std::vector<double> last(y_.data(), y_.data() + y_.size());
    if (ev_.solve_loops(time_, last, yp_.span())) return last;
    for (double share = kFirst; share < kMost; share *= 10.0) {
        std::copy_n(y_.data(), y_.size(), last.begin());
        for (std::size_t i = 0; i < ev_.model().state_count; ++i) last[i] -= share * run * yp_.data()[i];
        if (ev_.solve_loops(time_ - share * run, last, yp_.span())) break;
    }
    return last;
}

// Where the equations of a loop end the run: the next steps all led to where they have no solution.
std::optional<Failure> Integrator::failed_loop() {
    constexpr double kNear = 1e-5;
    if (!unsolved_at_ && status_ == IDA_ERR_FAIL) look_beyond();
    if (!unsolved_at_ || std::abs(*unsolved_at_ - time_) > kNear * (settings_.stop - settings_.start)) return {};
    const auto& m = ev_.model();
    const std::uint32_t row = ev_.loops().unsolved();
    const auto& e = m.graph().elements[m.rows[row].element.index()];
    const std::string name = m.name(m.rows[row].variable);
    const std::vector<double> last = last_solved();
    auto notes = singular_positions(ev_, time_, last, std::vector<double>(ev_.size(), 0.0));
    if (notes.empty()) notes = end_of_reach(m, m.rows[row].element);
    return Failure{.message = fmt::format("the equation of {} has no solution any more near {} = {:.3g}", name,
                                          m.name(m.unknowns[row].variable), last[row]),
                   .component = fmt::format("'{}' ({})", e.name, e.type->name),
                   .equation = name,
                   .position = m.rows[row].position,
                   .notes = std::move(notes)};
}

int Integrator::residual(double t, N_Vector y, N_Vector yp, N_Vector r, void* self) {
    auto& s = *static_cast<Integrator*>(self);
    // Within a step the mass matrix hardly changes any more: that of its first iteration serves the others.
    const bool first = s.evaluated_at_ != t;
    s.evaluated_at_ = t;
    const std::span<const double> at = s.exact(t, values_in(y), values_in(yp));
    if (at.empty()) return 1;
    const bool finite = s.rates_ && first ? s.rates_->residual(t, at, values_in(yp), values_of(r))
                                          : s.ev_.residual(t, at, values_in(yp), values_of(r));
    for (const std::uint32_t j : s.looped_) values_of(r)[j] = values_in(y)[j] - at[j];
    if (finite) return 0;
    s.bad_time_ = t;
    s.bad_y_.assign(at.begin(), at.end());
    s.bad_yp_.assign(values_in(yp).begin(), values_in(yp).end());
    return 1;  // recoverable: a smaller step may avoid the place
}

int Integrator::jacobian(double t, double cj, N_Vector y, N_Vector yp, N_Vector, SUNMatrix, void* self, N_Vector work,
                         N_Vector, N_Vector) {
    auto& s = *static_cast<Integrator*>(self);
    if (s.solved_at_ == t) ++s.unserved_;  // the iteration began with an earlier one
    s.matrix_c_ = cj;
    const std::span<const double> at = s.exact(t, values_in(y), values_in(yp));
    if (at.empty()) return 1;
    if (s.rates_) {
        if (!s.rates_->residual(t, at, values_in(yp), values_of(work))) return 1;
        s.rates_->keep();
    }
    if (s.filter_) s.filter_->keep(t, at, values_in(yp), cj);
    s.convergence_.jacobian_made(t);
    return s.newton_->evaluate(t, at, values_in(yp), cj) ? 0 : 1;
}

}  // namespace bondgraph::simulation
