#pragma once

#include <string>
#include <vector>

#include "bondgraph/cli/session.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::cli {

/// What has to be recorded, behind the outputs, to show the motion of a model's parts: per shape position,
/// orientation, length, width and height.
std::vector<simulation::Signal> animation_signals(const Session& session);

/// The shapes of a run with their poses over time. `first` is the first column of animation_signals.
std::string animation_json(const Session& session, const simulation::Result& result, std::size_t first);

}  // namespace bondgraph::cli
