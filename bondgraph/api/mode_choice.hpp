#pragma once

#include <optional>

#include "bondgraph/api/reports.hpp"
#include "bondgraph/api/session.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::api {

/// Where a run is at a time, or where it starts. Throws UsageError for a time before the start or none, ModelError, and
/// StartFailure where the run fails before.
simulation::Point point_at(const compile::CompiledModel& model, simulation::Settings settings,
                           std::optional<double> at);

/// Switches, friction and others are in some mode when a run starts, which may take solving the start to know. Where
/// that is another one than a prepared session's, its causality becomes that of the start, and with it the equations
/// there are. A model that has no start keeps what it has; the commands that need one say why.
void take_modes_of_start(Session& session);

/// The same for the mode that is asked for. Throws what point_at() throws, UsageError for names and values that no mode
/// has, and ModelError where there is no causality in it.
void take_mode(Session& session, const WhichMode& which);

}  // namespace bondgraph::api
