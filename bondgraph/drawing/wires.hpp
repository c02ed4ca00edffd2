#pragma once

#include <vector>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::drawing {

/// A value of `from` that an equation or parameter of `to` uses.
struct Wire {
    model::ElementId from;
    model::ElementId to;
};

/// All signals of a flattened model: whoever's parameters, inputs or equations name a variable of another component.
/// Parts of wrapped components (joints, bodies) stand for the component; what only its own parts use is left out.
/// In ascending order of `to`, then of the variable used.
std::vector<Wire> signal_wires(const model::BondGraph& graph);

/// From whoever computes where a frame is to what no bond joins to that frame: sensors of position only read it. In
/// ascending order of `to`, then of its connectors.
std::vector<Wire> frames_read(const model::BondGraph& graph);

}  // namespace bondgraph::drawing
