#pragma once

#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/yaml_tree.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

// What is to be done with a model: `experiment:`, `plots:` and `expect:`. Mistakes are reported; what could be read is
// returned.

model::Experiment load_experiment(YamlNode&& node, Diagnostics& diagnostics);
std::vector<model::Plot> load_plots(YamlNode&& node, Diagnostics& diagnostics);
std::vector<model::Expectation> load_expectations(YamlNode&& node, Diagnostics& diagnostics);

}  // namespace bondgraph::io
