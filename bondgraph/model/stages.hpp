#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "bondgraph/model/flatten.hpp"

namespace bondgraph::model {

/// How far a model has come on its way to a bond graph. Each stage has all that those before it have.
enum class Stage : std::uint8_t {
    declared,   ///< as the file has it
    instances,  ///< types, arrays and conditions written out: single components, with the names that can be seen in
                ///< each
    connected,  ///< bonds from port to port, through the ports of types; connection sets as junctions; signals
    sized,      ///< the number of components of each bond
    evaluated   ///< values of parameters, domains, laws, events and starts: the bond graph
};

/// What a model consists of after a stage, a line for each thing: components with their types and, as far as the stage
/// has them, bonds with their sizes and domains, signals, and values of parameters in SI units. Throws as flatten()
/// does, for the mistakes that are found up to there; std::invalid_argument for `declared`, of which the file tells.
std::string text_after(Stage stage, const Model& model, const Catalogue& catalogue, const UnitSystem& units,
                       std::span<const ParsedOverride> overrides = {});

}  // namespace bondgraph::model
