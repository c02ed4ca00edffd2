#pragma once

#include "bondgraph/simulation/evaluator.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

/// What a start has to keep within besides its equations: the bounds of parameters that free parameters feed, and the
/// limits of components (a stop). Throws ModelError BG-I006.
void check_limits(Evaluator& evaluator, const Point& point);
/// The part of it that is about parameters.
void check_parameters(Evaluator& evaluator, const Point& point);

/// A quaternion that has lost its length lets its body turn in any way: values that contradict others are met then.
/// Throws ModelError BG-I001.
void check_orientations(const Evaluator& evaluator, const Point& point);

/// By how much each component that has limits is beyond them; at most 0 within them.
std::vector<double> beyond_limits(Evaluator& evaluator, const Point& point);
/// What is set on the way has to leave what moves within its limits: no stop pushes a body that stands in its way.
/// `before`: beyond_limits() without what is set. Throws ModelError BG-I006.
void check_moved_limits(Evaluator& evaluator, const Point& point, std::span<const double> before);

}  // namespace bondgraph::simulation
