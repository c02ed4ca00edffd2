#pragma once

#include <optional>
#include <span>
#include <string>

#include "bondgraph/simulation/impulse.hpp"

namespace bondgraph::simulation {

struct RunTime {
    double now = 0.0;
    double span = 0.0;  ///< of the whole run
};

/// Where an event makes conditions on positions hold (ComponentType::holds_positions) whose frames are apart, which of
/// their components can't take hold, and how far its frames are apart; of several, the first. `before`: as the event
/// found things, `held`: as it leaves them, `raw`: of any unreduced equations.
std::optional<Failure> apart_at_closing(Evaluator& raw, const Instant& before, std::span<const double> held,
                                        RunTime at);

/// A discrete variable with its value as a message names it; one that is inside a component which holds positions, as
/// the component: "'hinge' active".
std::string changed_text(const model::BondGraph& graph, std::size_t discrete, double value);

}  // namespace bondgraph::simulation
