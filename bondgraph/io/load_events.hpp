#pragma once

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/yaml_tree.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

// What a model and a type say of events and of the start. Each function adds what it can read and reports the rest.

/// `when:` — a list of maps {if: …, reinit: {…}, set: {…}}, or one of them.
void load_whens(YamlNode&& node, model::Body& body, Diagnostics& diagnostics);

/// `initial:` of a model or type: the word "steady", an equation, or a list of equations.
void load_initial(YamlNode&& node, model::Body& body, Diagnostics& diagnostics);

/// `initial:` of a component: the word "steady", or a map of values.
void load_initial(YamlNode&& node, model::ComponentDeclaration& component, Diagnostics& diagnostics);

}  // namespace bondgraph::io
