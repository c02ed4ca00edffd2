#pragma once

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

/// The number of the word that a parameter with choices has as its value, from 1: one of its own, or the name of a
/// parameter around it that has such a word as its value. Reports (BG-M077) anything else, and gives nothing.
std::optional<Quantity> chosen(Flattening& work, std::uint32_t scope, const std::string& name, const ScopeValue& entry);

/// "shape.round": 1 where the parameter `shape` has that choice as its value, 0 where it has another one; nothing where
/// the name is none of a choice.
std::optional<Quantity> is_chosen(Flattening& work, std::uint32_t scope, const std::string& name);

}  // namespace bondgraph::model
