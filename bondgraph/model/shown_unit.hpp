#pragma once

#include <string>

#include "bondgraph/model/domain.hpp"

namespace bondgraph::model {

/// The unit to show for a quantity of that rule. A torque, also one per angle, shares its dimension with energy: an
/// effort is in N.m, effort times displacement in J.
std::string shown_unit(const DimensionRule& rule, Dimension dimension);

}  // namespace bondgraph::model
