#pragma once

#include "bondgraph/simulation/evaluator.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

/// Throws BG-I004: which rates and algebraic unknowns may take any value at a point, and which equations say the same
/// instead of determining them.
[[noreturn]] void refuse_undetermined(Evaluator& evaluator, const Point& point);

}  // namespace bondgraph::simulation
