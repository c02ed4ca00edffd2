#pragma once

#include <span>
#include <vector>

#include "bondgraph/compile/compiled_model.hpp"

namespace bondgraph::compile {

/// True when the expressions are linear in variables and derivatives with constant coefficients, plus functions of
/// time.
bool is_linear(const expression::Graph& graph, std::span<const Expr> roots);

/// The times at which expressions that depend on time alone jump or bend: relations, min/max, abs and sign of functions
/// linear in time, and the points of time tables. Ascending, without duplicates.
struct TimeEvents {
    std::vector<double> times;
    bool hidden = false;  ///< there are conditions of time that are not linear in it
};
TimeEvents find_time_events(const expression::Graph& graph, std::span<const Expr> roots);

/// `initial:` and `guess:` values as conditions on unknowns, scalars.
std::vector<StartCondition> start_conditions(const CompiledModel& model);

/// How each element with ports takes part in the energy balance; pseudo bonds are left out.
std::vector<EnergyTerm> energy_terms(const CompiledModel& model);

}  // namespace bondgraph::compile
