#pragma once

#include <string>
#include <vector>

namespace bondgraph::model {

/// "; did you mean 'R'?" for a type that nothing has the name of: by what the elements are called elsewhere (resistor,
/// damper), or by the nearest of `names`.
std::string type_hint(const std::string& text, const std::vector<std::string>& names);

/// The same for a key of a component. One letter is no misspelling of a word that begins with it: an 'L' given to an I
/// is not meant to be its 'law'.
std::string key_hint(const std::string& key, const std::vector<std::string>& names);

/// The keys that every component has, which no parameter or input of a type can be called.
const std::vector<std::string>& reserved_component_keys();

/// These, and those that a parameter may be called all the same: `at`, `turn`.
const std::vector<std::string>& component_keys();

}  // namespace bondgraph::model
