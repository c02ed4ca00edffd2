#pragma once

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/yaml_tree.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

/// One entry of `connector_types:`, from its name and its map. Mistakes are reported (unknown domains BG-M011, no
/// bonds, a size that is no number, an unknown or missing `common:` BG-M079); what could be read is returned.
model::ConnectorTypeDeclaration load_connector_type(YamlNode&& name, YamlNode&& node, Diagnostics& diagnostics);

/// Reports (BG-M011) a text that is no domain. Whether it is one.
bool check_domain(const model::Text& text, Diagnostics& diagnostics);

}  // namespace bondgraph::io
