#pragma once

#include <span>
#include <vector>

#include "bench/ladder.hpp"

namespace bondgraph::bench {

/// What the hand-written program gives: charges at the output times, row by row, and the solver's counts.
struct HandRun {
    std::vector<double> time;
    std::vector<double> charges;
    long steps = 0;
    long residual_evaluations = 0;
    long jacobian_evaluations = 0;
    double energy_imbalance = 0.0;  ///< supplied − dissipated − stored, in joule; with energy only
};

/// The ladder as one would write it for IDA directly: the charges as unknowns, their rates in one loop, the tridiagonal
/// Jacobian entry by entry in compressed columns, KLU. Options are those of bondgraph's integrator (weights from
/// running magnitudes, output by interpolation between free steps, powers integrated along the dense output) and the
/// residual is the same arithmetic, so that both take the same steps and differ only in what a step costs. `magnitudes`
/// are the charges' magnitudes at the start, as a user would give absolute tolerances. Throws std::runtime_error when
/// IDA fails.
HandRun simulate_by_hand(const Ladder& ladder, std::span<const double> magnitudes, bool energy);

}  // namespace bondgraph::bench
