#pragma once

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/load_layout.hpp"
#include "bondgraph/io/yaml_tree.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

/// What a type says about drawings.
struct TypeDrawing {
    std::vector<PlaceKey> places;  ///< keys `at:`, `turn:` and `mirror:` of its parts
    std::optional<model::Symbol> symbol;
};

/// One entry of `types:`, from its name and its map. Mistakes are reported; what could be read is returned.
model::TypeDeclaration load_type(YamlNode&& name, YamlNode&& node, TypeDrawing& drawing, Diagnostics& diagnostics);

/// One entry of `records:`: a type of parameters only. Mistakes are reported.
model::TypeDeclaration load_record(YamlNode&& name, YamlNode&& node, Diagnostics& diagnostics);

/// Reports (BG-M017) names that can't be told apart where they are used.
void check_unique_names(const model::TypeDeclaration& type, Diagnostics& diagnostics);

}  // namespace bondgraph::io
