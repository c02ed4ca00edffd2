#pragma once

#include "bondgraph/simulation/evaluator.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

/// The time after `start` up to the first event: what jumps at the start itself, by these held values, has jumped.
Segment first_segment(const compile::CompiledModel& model, double start, std::span<const double> held,
                      const std::atomic<bool>* interrupted = nullptr);

/// How hard to look for a solution. shown: beside one, to as many digits as are shown; quick: Newton's method and
/// KINSOL; thorough: also other starting points and homotopy, which costs some hundred factorizations where there is no
/// solution.
enum class Effort : std::uint8_t { shown, quick, thorough };

/// Solves F(t, y, y') = 0 for the rates of the states and the algebraic unknowns, the states being kept: at the start,
/// and after an event. Throws ModelError BG-I002, BG-I003, BG-I004.
void solve_rates(Evaluator& evaluator, Point& point, Effort effort = Effort::thorough);

/// Magnitudes the unknowns have or are about to have: for absolute tolerances before the run has shown them.
/// `expected`: how far one implicit Euler step of the linearized model over a short time takes them. `floor`: 1e-4 of
/// what the largest effort (for a displacement) or flow (for a momentum) of the unknown's domain would make of it;
/// below that a variable is noise of the others. Both scale with the units of the model, so none needs tuning.
/// `at_rest`: a floor for coordinates of mechanisms, from what rounding leaves of forces that balance.
struct Magnitudes {
    std::vector<double> expected;
    std::vector<double> floor;
    std::vector<double> at_rest;
    std::vector<bool> unsaid;      ///< nothing tells it: the floor is any number
    std::vector<double> rounding;  ///< as rounding_of_unknowns()
};
Magnitudes estimate_magnitudes(Evaluator& evaluator, const Point& point, double horizon);

/// How large rounding in the terms of the equations (a running error bound of each residual, and the last digit of each
/// unknown in it) can make each unknown within the horizon, beginning at a point: what is smaller is zero but for
/// rounding. 0 where the equations have no linear part.
std::vector<double> rounding_of_unknowns(Evaluator& evaluator, const Point& point, double horizon);

/// "law of 'R1' (R): La.f/0" and the place, for a residual that is not finite.
struct NotFinite {
    std::string component;
    std::string expression;
    SourcePosition position;
    bool two_port = false;                 ///< the component is a transformer or gyrator
    std::string because;                   ///< what is impossible at that point
    std::string remedy;                    ///< what may be done about it
    std::optional<std::uint32_t> written;  ///< that part of a law as its author wrote it, where it reads otherwise
};
NotFinite explain_not_finite(Evaluator& evaluator, double time, std::span<const double> y, std::span<const double> yp);
/// The same for what another tape of the model gives; without component where nobody wrote the expression so.
NotFinite explain_not_finite(Evaluator& evaluator, const expression::Tape& tape, const Point& point);

}  // namespace bondgraph::simulation
