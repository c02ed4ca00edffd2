#pragma once

#include "bondgraph/model/component_type.hpp"

namespace bondgraph::mechanics3d {

/// Holds positions: one condition (parameter `position`, a column) for each component of its port, whose efforts are
/// the forces of these constraints. What is `upright` has to be positive in a position that is accepted: conditions on
/// directions hold as well where these point the other way. Bonded to relative velocities, it takes no power.
extern const model::ComponentType kHold;

}  // namespace bondgraph::mechanics3d
