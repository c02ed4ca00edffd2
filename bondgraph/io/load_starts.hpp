#pragma once

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/yaml_tree.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

/// `starts: {v: p/m}` of a type, or {v: {value: p/m, unit: m/s, doc: …}}.
void load_starts(YamlNode&& node, model::TypeDeclaration& type, Diagnostics& diagnostics);

}  // namespace bondgraph::io
