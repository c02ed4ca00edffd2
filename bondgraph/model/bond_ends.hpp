#pragma once

#include <optional>

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

/// The port that a text under `bonds:` of a scope names: of a component, of a type around, of a connector that a type
/// hands on; junctions and fields get a new one. Nothing, and an error, where there is none (BG-M005 to BG-M007); only
/// nothing where something that was left out may be meant.
std::optional<RawEnd> bond_end(Flattening& work, std::uint32_t scope, const Text& reference);

/// Gives the bonds of connectors that are handed on to one part the names these have outside, once bonds are known.
void name_handed_connectors(Flattening& work);

}  // namespace bondgraph::model
