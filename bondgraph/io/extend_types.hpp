#pragma once

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

/// Gives each type of a model that has `extends:` (`base_type`) what its base has, bases first. What the type says
/// itself comes after the base's, and where both have an entry of one name
/// - a parameter, input, output or variable keeps of the base what the type does not say,
/// - a component without `type:` keeps the base's type and those settings it does not give; one with it takes its
/// place,
/// - a port or connector takes the place of the base's.
/// Bonds, signals, connections, equations, `when:` and `initial:` are added to the base's.
/// Reports unknown bases (BG-M001), circles (BG-M076), components without a type (BG-M032), and types of the
/// model's own file that are given by nothing and that no other extends (BG-M034).
void extend_types(model::Model& model, Diagnostics& diagnostics);

}  // namespace bondgraph::io
