#pragma once

#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/compile/sorted_system.hpp"
#include "bondgraph/simulation/doubt.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::api {

/// A closed loop that begins far from where its guesses have it (BG-S009).
std::vector<Diagnostic> start_warnings(const compile::SortedSystem& system);

/// A position passed in which the motion may branch (BG-S006), loads whose reactions can't be told (BG-S007), locks
/// that have nothing to hold (BG-S008), jumps of what smooth() says is continuous (BG-S012), what the model says itself
/// (BG-S011).
std::vector<Diagnostic> run_warnings(const simulation::Summary& summary);

/// Results that are not to be trusted (BG-S005).
Diagnostic doubt_diagnostic(const simulation::Settings& settings, const simulation::Doubt& doubt);

/// Why a run ended before its stop: an error without a code.
Diagnostic failure_diagnostic(const simulation::Failure& failure);

}  // namespace bondgraph::api
