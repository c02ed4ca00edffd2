#pragma once

#include "bondgraph/model/component_type.hpp"

namespace bondgraph::mechanics3d {

/// Every component and connector type of the project: primitive elements, signal blocks, mechanics.
model::Catalogue full_catalogue();

}  // namespace bondgraph::mechanics3d
