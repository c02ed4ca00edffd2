#pragma once

#include <string>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/simulation/evaluator.hpp"

namespace bondgraph::simulation {

/// Components whose description breaks down near this point (angles of a ball joint in gimbal lock): what and what to
/// do, as notes "because" and "try".
std::vector<DiagnosticNote> singular_positions(Evaluator& evaluator, double time, std::span<const double> y,
                                               std::span<const double> yp);

/// Where the first of them stands in the file; unknown where there is none.
SourcePosition singular_place(Evaluator& evaluator, double time, std::span<const double> y, std::span<const double> yp);

/// Where the conditions of a part that holds a closed loop together have no solution any more: nothing for other
/// elements.
std::vector<DiagnosticNote> end_of_reach(const compile::CompiledModel& model, model::ElementId element);

}  // namespace bondgraph::simulation
