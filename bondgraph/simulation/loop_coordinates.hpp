#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "bondgraph/compile/compiled_model.hpp"

namespace bondgraph::simulation {

/// By unknown, whether the error test looks at it: states, and the coordinates of closed loops that follow from them.
/// Where a loop is driven at constant speed its state is a straight line, over which steps of any length are free of
/// errors.
std::vector<bool> judged_unknowns(const compile::CompiledModel& model);

/// Coordinates of closed loops that follow from the states, and what an error of each is small beside: 1 for angles and
/// quaternions, also where they stand still at 0, the largest distance for distances.
std::vector<std::pair<std::uint32_t, double>> followed_sizes(const compile::CompiledModel& model);

}  // namespace bondgraph::simulation
