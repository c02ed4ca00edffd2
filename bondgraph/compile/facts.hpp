#pragma once

#include <span>
#include <vector>

#include "bondgraph/compile/compiled_model.hpp"

namespace bondgraph::compile {

/// True when the expressions are linear in variables and derivatives with constant coefficients, plus functions of
/// time.
bool is_linear(const expression::Graph& graph, std::span<const Expr> roots);

/// What shall hold at the start, as scalar conditions on unknowns: `initial:` and `guess:` values, initial equations
/// and states at rest, in the order of the elements, those of the model last. Throws ModelError BG-I005: an initial
/// equation names the derivative of a variable that the states don't give.
std::vector<StartCondition> start_conditions(const CompiledModel& model);

/// How each element with ports takes part in the energy balance; pseudo bonds are left out.
std::vector<EnergyTerm> energy_terms(const CompiledModel& model);

}  // namespace bondgraph::compile
