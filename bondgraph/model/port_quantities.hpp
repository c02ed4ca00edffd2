#pragma once

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::model {

// What results may be read where bonds and frames end. Nothing where the name means none of it.

/// Effort, flow or power of a port, by the generic name or its domain's, positive in the port's own direction.
std::optional<Quantity> port_quantity(const BondGraph& g, const Port& port, const std::string& what);
/// "frame_a.x": a connector's signal, or the effort or flow of one of its bonds: efforts act on the component.
std::optional<Quantity> connector_quantity(const BondGraph& g, const Element& e, const std::string& rest);
/// Whether a junction is a port of the wrapped component it belongs to.
bool is_exposed(const BondGraph& g, const Element& e);
/// What the bonds at such a port bring to it together, positive into the component.
std::optional<Quantity> exposed_quantity(const BondGraph& g, const Element& e, const std::string& what);

}  // namespace bondgraph::model
