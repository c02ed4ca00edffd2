#pragma once

#include <vector>

#include "bondgraph/api/pictures.hpp"
#include "bondgraph/api/session.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::api {

/// The panels of the model's `plots:`; without them the states in one panel (one per unit when there are more than two
/// units), and without states the outputs. Signals drawn but not among `signals` are appended there.
/// Throws ModelError BG-O002 for names that are no results, and UsageError where there is nothing to draw.
std::vector<PlotPanel> plot_panels(const Session& session, std::vector<simulation::Signal>& signals);

}  // namespace bondgraph::api
