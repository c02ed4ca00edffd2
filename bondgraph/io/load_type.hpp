#pragma once

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/yaml_tree.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

/// One entry of `types:`, from its name and its map. Mistakes are reported; what could be read is returned.
model::TypeDeclaration load_type(YamlNode&& name, YamlNode&& node, Diagnostics& diagnostics);

}  // namespace bondgraph::io
