#pragma once

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/yaml_tree.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

/// `require: [upper > lower]`: conditions on parameters, or maps of `condition` and `message`. A single one may stand
/// without list.
void load_requirements(YamlNode&& node, model::Body& body, Diagnostics& diagnostics);

}  // namespace bondgraph::io
