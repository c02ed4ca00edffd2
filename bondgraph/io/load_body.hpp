#pragma once

#include <string_view>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/load_layout.hpp"
#include "bondgraph/io/yaml_tree.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

/// Whose parameters: a type's may lack a value, and their names must not be keys that every component has.
enum class ParameterOwner { model, type };

// The sections that a model and a type have in common. Each adds what it can read, reports the rest and notes it among
// the body's gaps.

void load_parameters(YamlNode&& node, ParameterOwner owner, model::Body& body, Diagnostics& diagnostics);
/// The components' keys `at:`, `turn:` and `mirror:` are added to `places`. `typeless`: they may lack a type, which
/// they then have from what their type extends.
void load_components(YamlNode&& node, model::Body& body, std::vector<PlaceKey>& places, Diagnostics& diagnostics,
                     bool typeless = false);
void load_bonds(YamlNode&& node, model::Body& body, Diagnostics& diagnostics);
void load_signals(YamlNode&& node, model::Body& body, Diagnostics& diagnostics);
void load_connects(YamlNode&& node, model::Body& body, Diagnostics& diagnostics);

/// A value that a component gives to a parameter or an input.
void load_setting(model::ComponentDeclaration& component, YamlNode&& key, YamlNode&& value, Diagnostics& diagnostics);

/// Notes that the section of this name ("bonds") is missing from what could be read; other names leave no gap.
void note_gap(model::Gaps& gaps, std::string_view section);

/// Reports (BG-M017) the name of a parameter or input that no component could ever set, because every component has
/// a key of that name.
void check_not_component_key(const YamlNode& name, std::string_view what, Diagnostics& diagnostics);

}  // namespace bondgraph::io
