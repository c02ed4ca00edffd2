#pragma once

#include "bondgraph/model/component_type.hpp"

namespace bondgraph::elements {

/// Every built-in type, in the order of the reference. A new type costs one file and one line here.
model::Catalogue standard_catalogue();

}  // namespace bondgraph::elements
