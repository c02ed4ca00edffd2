#pragma once

#include <string>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::model {

/// The unit to show for a quantity of that rule. A torque, also one per angle, shares its dimension with energy: an
/// effort is in N.m, effort times displacement in J. Flows and displacements without length are angular: rad/s, rad.
std::string shown_unit(const DimensionRule& rule, Dimension dimension);

/// "rad", "rad/s" or "rad/s2" for an angle and its derivatives, other units as unit_name() gives them.
std::string angular_unit(Dimension dimension);

/// The measures of the components of an element's variable: of a field across domains each port has its own. Empty
/// where there is no such variable.
std::vector<Measure> component_measures(const BondGraph& graph, ElementId element, const std::string& rest);

}  // namespace bondgraph::model
