// Every mechanical type in a model, written as its example says.
#pragma once

#include <string>
#include <vector>

#include "bondgraph/model/component_type.hpp"

namespace bondgraph::test {

const model::Catalogue& catalogue();
/// All types with connectors that have an example.
std::vector<const model::ComponentType*> mechanical_types();
/// The type between a moving arm and a body, or at the end of the arm, or as a root of its own.
std::string model_with(const model::ComponentType& type);

}  // namespace bondgraph::test
