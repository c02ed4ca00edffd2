#pragma once

#include <span>
#include <vector>

#include "bondgraph/model/law_context.hpp"

namespace bondgraph::model {

/// The updates of all discrete variables, in the order of the elements.
std::vector<Update> updates_of(const BondGraph& graph);

/// The values of all discrete variables at the start, as far as they are known without solving the model: what an
/// update gives where it depends on parameters and time alone, also by way of signals (a Pulse that opens a switch),
/// the declared start value otherwise.
std::vector<double> start_modes(const BondGraph& graph);

/// Discrete variables whose updates depend on more than that: what they start with is found with the start.
std::vector<std::size_t> open_at_start(const BondGraph& graph);

/// What a port component demands of its stroke, with the discrete variables of the model at `modes`.
PortCausality demanded_causality(const BondGraph& graph, std::span<const double> modes, ElementId element,
                                 std::size_t port, std::size_t component);

}  // namespace bondgraph::model
