#pragma once

#include "bondgraph/simulation/evaluator.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

/// What a start has to keep within besides its equations: the bounds of parameters that free parameters feed, and the
/// limits of components (a stop). Throws ModelError BG-I006.
void check_limits(Evaluator& evaluator, const Point& point);
/// The part of it that is about parameters.
void check_parameters(Evaluator& evaluator, const Point& point);

}  // namespace bondgraph::simulation
