#pragma once

#include <nlohmann/json.hpp>

#include "bondgraph/model/component_type.hpp"

namespace bondgraph::io {

/// "#/$defs/NAME"
nlohmann::ordered_json schema_reference(const std::string& name);
/// One of these words; "0" and "1" also as the numbers that YAML makes of them.
nlohmann::ordered_json schema_words(const std::vector<std::string>& words);

/// The keys all components have.
nlohmann::ordered_json component_properties();
/// A component of whichever type its `type:` names, with that type's parameters and no other.
nlohmann::ordered_json catalogued_component(const model::Catalogue& catalogue);
/// What has to be there where no signal can stand in for a parameter.
nlohmann::ordered_json complete_component(const model::Catalogue& catalogue);
/// "at" and "turn": places in drawings.
void add_place_definitions(nlohmann::ordered_json& definitions);
/// One definition for every type, by its name.
void add_type_definitions(const model::Catalogue& catalogue, nlohmann::ordered_json& definitions);

}  // namespace bondgraph::io
