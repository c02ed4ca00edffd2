#pragma once

#include <string>
#include <vector>

#include "bondgraph/analysis/linearize.hpp"
#include "bondgraph/analysis/transfer_function.hpp"
#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/session.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::api {

/// The point to linearize at: the start, or what a run comes to. Throws UsageError for a time before the start or
/// none, ModelError, and StartFailure where a run doesn't get there.
simulation::Point linearization_point(const compile::CompiledModel& model, const simulation::Settings& settings,
                                      std::optional<double> at);

/// The matrices by rows.
LinearModel linear_model(const analysis::LinearModel& linear);

/// What transfer functions lead to where nobody names it: the model's outputs, multibonds by component, but for
/// impulses, which are no part of a linear model; else its states.
std::vector<std::string> transfer_outputs(const Session& session);

Transfer transfer_of(const std::string& input, const std::string& output, const std::string& output_unit,
                     const analysis::TransferFunction& function);

/// From every input to every output, by inputs first. Throws UsageError where there is no input or no output.
std::vector<Transfer> transfer_functions(const Session& session, const analysis::LinearModel& linear);

}  // namespace bondgraph::api
