#pragma once

#include <array>
#include <string_view>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/yaml_tree.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

/// The kinds of shapes, and the keys of one that hold values.
inline constexpr std::array<std::string_view, 6> kShapeKinds{"box", "cylinder", "sphere", "cone", "spring", "arrow"};
inline constexpr std::array<std::string_view, 6> kShapeValues{"r",      "lengthDirection", "widthDirection",
                                                              "length", "width",           "height"};

/// `shapes: [{shape: box, frame: frame_a, length: 1 m}]` of a type.
void load_shapes(YamlNode&& node, model::TypeDeclaration& type, Diagnostics& diagnostics);

}  // namespace bondgraph::io
