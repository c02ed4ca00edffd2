#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/yaml_tree.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

/// The kinds of shapes, and the keys of one that hold values.
inline constexpr std::array<std::string_view, 6> kShapeKinds{"box", "cylinder", "sphere", "cone", "spring", "arrow"};
inline constexpr std::array<std::string_view, 7> kShapeValues{"r",     "lengthDirection", "widthDirection", "length",
                                                              "width", "height",          "scale"};
inline constexpr const char* kMeshShape = "mesh";  ///< the kind of those that files have

/// `shapes: [{shape: box, frame: frame_a, length: 1 m}, {file: arm.stl, frame: frame_a}]` of a type or component.
std::vector<model::ShapeDeclaration> load_shapes(YamlNode&& node, Diagnostics& diagnostics);

}  // namespace bondgraph::io
