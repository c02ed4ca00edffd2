#pragma once

#include "bondgraph/model/component_type.hpp"

namespace bondgraph::model {

/// A point that may be the root of a tree of frames and has no mass of its own.
inline bool is_free_point(const ComponentType& type) {
    return type.root == RootKind::at_last && type.parameters.empty();
}

struct Flattening;

/// Reports points without mass at which dampers act in some directions only. Once all bonds are drawn.
void check_free_points(Flattening& work);

}  // namespace bondgraph::model
