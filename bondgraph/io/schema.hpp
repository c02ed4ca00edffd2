#pragma once

#include <string>

#include "bondgraph/model/component_type.hpp"

namespace bondgraph::io {

/// JSON Schema (draft 2020-12) of model files and of files of types that they import, with the catalogue's own words as
/// descriptions. It accepts what the loader and the catalogue accept; of what they refuse, it refuses what can be seen
/// without evaluating anything and without reading other files: keys, kinds of values, names of types, parameters that
/// are unknown, missing or one too many.
std::string model_schema(const model::Catalogue& catalogue);

}  // namespace bondgraph::io
