#pragma once

#include <optional>
#include <string>

#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

/// A result that is not to be trusted, as a run at a smaller tolerance shows.
struct Doubt {
    std::string signal;      ///< the one that differs most
    double share = 0.0;      ///< by so much of its range
    double until = 0.0;      ///< the time up to which both were compared
    double tolerance = 0.0;  ///< of the run beside it
};

/// Whether the record of a run's errors gives reason to look a second time. Local errors that add up over the swings of
/// a motion, or energy that came from nowhere, to a thousandth of what moves are no proof of an error of a hundredth,
/// but hardly ever is there one without them.
[[nodiscard]] bool suspicious(const Run& run);

/// How two results of the same signals differ, by the rows they have in common: the signal that differs most beside its
/// range, in all but 2 % of the rows (beside jumps rows are far apart by a jump's being a little late). A range is at
/// least a hundredth of the signal's magnitude and a thousandth of the largest among signals in the same unit: below
/// that signals are noise of the others. Nothing where there are fewer than three rows in common.
[[nodiscard]] std::optional<Doubt> difference(const Result& result, const Result& closer);

/// Of a run that is suspicious and not too large: runs again at a tenth of the tolerance, with at most twice the steps,
/// and tells where results differ by more than 3 %. `progress` may end that.
std::optional<Doubt> look_again(const compile::CompiledModel& model, const Settings& settings, const Run& run,
                                const Progress& progress = {});

}  // namespace bondgraph::simulation
