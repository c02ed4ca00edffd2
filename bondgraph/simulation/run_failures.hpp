#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "bondgraph/compile/compiled_model.hpp"
#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/simulation/energy_ledger.hpp"

namespace bondgraph::simulation {

/// A power without a finite value, which the equations don't need and only the balance of energy does.
Failure power_failure(const Situation& now, const EnergyLedger& ledger);

/// What an error found during a run says, behind `what`.
Failure failure_of(const ModelError& error, double time, std::string_view what = {});

/// Where no solution was found on the way, guesses for a start are no advice: others instead.
void advise_on_the_way(Failure& failure);

/// A constraint that was left out as implied by others and no longer holds, by its place among those left out.
Failure contradiction_failure(const compile::CompiledModel& model, std::size_t left_out, double time);

/// What to add to a failure where constraints lose their independence, as those of a linkage whose links lie in line:
/// empty elsewhere.
std::string branching_text(const compile::CompiledModel& model, const compile::ChoicePoint& at);

/// Which states took the place of which.
Reselection reselection(const compile::CompiledModel& from, const compile::CompiledModel& to, double time);

/// A node of a model's expressions in the user's terms.
std::string expression_text(const compile::CompiledModel& model, std::uint32_t node);

}  // namespace bondgraph::simulation
