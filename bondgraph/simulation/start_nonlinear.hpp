#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "bondgraph/structure/incidence.hpp"

namespace bondgraph::simulation {

/// A square system f(x) = 0. The functions answer false where a value is not finite; entries of the Jacobian come in
/// the row order of the pattern. `typical` holds magnitudes of the unknowns where they are known beforehand, otherwise
/// 0. `rounding` gives a bound on what rounding inside the terms of each residual may leave of it; there may be none.
struct NonlinearSystem {
    structure::Incidence pattern;
    std::function<bool(std::span<const double> x, std::span<double> f)> residual;
    std::function<bool(std::span<const double> x, std::span<double> entries)> jacobian;
    std::vector<double> typical;
    std::function<std::vector<double>(std::span<const double> x)> rounding;
    const std::atomic<bool>* interrupted = nullptr;  ///< true ends a search with Interrupted

    [[nodiscard]] std::size_t size() const { return pattern.rows(); }
};

/// What became of a system. Solved means: Newton's correction is gone beside the unknowns, or every residual is gone
/// beside the terms of its row, or no more than rounding makes of larger terms inside them (a little more is left of
/// all where rounding keeps Newton's method from moving on). Anything else is a failure, however small the residual
/// looks: a residual that is not gone beside the
/// terms its own row has at the point itself is none, and where the matrix is singular nothing else is looked at.
struct NonlinearResult {
    enum class Status : std::uint8_t { solved, singular, not_finite, not_converged };
    Status status = Status::not_converged;
    std::vector<double> x{};         ///< the solution, or the best point found
    std::vector<double> residual{};  ///< per row |f| beside the largest of its terms at x
    bool zero_residual = false;      ///< singular, but f vanishes at the very start
    std::string method{};            ///< "Newton", "line search", "another start", "homotopy"

    [[nodiscard]] bool solved() const { return status == Status::solved; }
};

/// Newton's method with steps shortened until the next correction is smaller than this one (Deuflhard: Newton Methods
/// for Nonlinear Problems, ch. 3): invariant under scaling of the equations.
NonlinearResult solve_newton(const NonlinearSystem& system, std::span<const double> start);

/// A point as it is, with what is left of its residuals; never `solved`.
NonlinearResult judge(const NonlinearSystem& system, std::span<const double> x);

/// KINSOL with line search, `most` iterations.
NonlinearResult solve_line_search(const NonlinearSystem& system, std::span<const double> start, int most = 500);

/// Follows H(x, λ) = 0 from λ = 0, where `start` solves it, to λ = 1, where it is f(x) = 0, with steps of λ that adapt.
/// newton: H = f(x) − (1 − λ) f(start). fixed_point: H = λ f(x) + (1 − λ) D (x − start), rows and columns scaled, D
/// diagonal up to a permutation (Allgower, Georg: Introduction to Numerical Continuation Methods, ch. 1 and 2).
enum class Homotopy : std::uint8_t { newton, fixed_point };
NonlinearResult solve_homotopy(const NonlinearSystem& system, std::span<const double> start, Homotopy kind);

/// Levenberg's and Marquardt's method on the sum of squares of the residuals, rows brought to one magnitude (Nocedal,
/// Wright: Numerical Optimization, 2nd ed., section 10.3): where there is no solution, it ends where the equations are
/// violated least. Of systems of more than 100 unknowns it says nothing but what holds at `start`.
NonlinearResult solve_least_squares(const NonlinearSystem& system, std::span<const double> start);

/// A solution of fewer equations than unknowns, from `x` by Gauss–Newton steps that are shortened until they help. Of
/// the unknowns only those that are `kept` are moved as little as possible. Whether every residual is gone beside the
/// terms of its row; `x` is where the search ended.
bool solve_underdetermined(const NonlinearSystem& system, const std::vector<bool>& kept, std::vector<double>& x);

/// All of these in turn: Newton, line search, Newton from other points near and far, homotopies from all these points,
/// least squares. A failure reports on the point found where the equations are violated least. It costs up to some
/// hundred factorizations.
NonlinearResult solve_by_all_means(const NonlinearSystem& system, std::span<const double> start);

/// Points about `start`, at distances that grow; the same for the same arguments.
std::vector<std::vector<double>> other_starts(const NonlinearSystem& system, std::span<const double> start);

}  // namespace bondgraph::simulation
