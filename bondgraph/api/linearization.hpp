#pragma once

#include "bondgraph/analysis/linearize.hpp"
#include "bondgraph/api/linear.hpp"
#include "bondgraph/api/session.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::api {

/// A point of a session's model and the matrices there.
struct Linearized {
    simulation::Point point;
    analysis::LinearModel model;
};

/// Of a session compiled with perturbed sources: at the start, or at what a run comes to. Throws UsageError for a time
/// before the start or none and for names that are no inputs or results, ModelError, and StartFailure where a run
/// doesn't get there.
Linearized linearized(Session& session, const LinearizeOptions& options);

/// The same along a run, at its start and about so many instants in all; of a model whose matrices never change at the
/// start alone. Points at which there are none are left out. `at` is not looked at.
std::vector<Linearized> linearized_along(Session& session, const LinearizeOptions& options, std::size_t instants);

/// The matrices by rows, with the units of outputs.
LinearModel linear_model(const Session& session, const Linearized& linear);
/// The same without what only a session knows.
LinearModel linear_values(const analysis::LinearModel& linear);
analysis::LinearModel matrices_of(const LinearModel& linear);

/// Throws UsageError where there is no input or no output to tell transfer functions of.
void check_channels(const LinearModel& linear);

}  // namespace bondgraph::api
