#pragma once

#include <string>
#include <vector>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::model {

/// The outputs of the model's own components, not of parts inside them, in the order of the file.
std::vector<std::string> default_signal_outputs(const BondGraph& graph);

}  // namespace bondgraph::model
