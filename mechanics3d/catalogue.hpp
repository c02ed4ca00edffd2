#pragma once

#include <vector>

#include "bondgraph/model/component_type.hpp"

namespace bondgraph::mechanics3d {

/// Every component and connector type of the project: primitive elements, signal blocks, mechanics.
model::Catalogue full_catalogue();

/// The component types of the catalogue and those that stand in no file: forms that take another's place, and parts
/// that others are built of. Each once, always in the same order.
std::vector<const model::ComponentType*> all_types(const model::Catalogue& catalogue);

}  // namespace bondgraph::mechanics3d
