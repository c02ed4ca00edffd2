#pragma once

#include <string_view>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/io/yaml_tree.hpp"
#include "bondgraph/model/model.hpp"

namespace bondgraph::io {

/// Whose parameters: a type's may lack a value, and their names must not be keys that every component has.
enum class ParameterOwner { model, type };

// The sections that a model and a type have in common. Each adds what it can read and reports the rest.

void load_parameters(YamlNode&& node, ParameterOwner owner, std::vector<model::ParameterDeclaration>& parameters,
                     Diagnostics& diagnostics);
void load_components(YamlNode&& node, std::vector<model::ComponentDeclaration>& components, Diagnostics& diagnostics);
void load_bonds(YamlNode&& node, std::vector<model::BondDeclaration>& bonds, Diagnostics& diagnostics);
void load_signals(YamlNode&& node, std::vector<model::SignalDeclaration>& signals, Diagnostics& diagnostics);

/// Reports (BG-M017) the name of a parameter or input that no component could ever set, because every component has
/// a key of that name.
void check_not_component_key(const YamlNode& name, std::string_view what, Diagnostics& diagnostics);

/// Reports (BG-M031) a key of the format that this version does not support: "connect", "connectors" or "when".
void report_unsupported(const YamlNode& key, Diagnostics& diagnostics);

}  // namespace bondgraph::io
