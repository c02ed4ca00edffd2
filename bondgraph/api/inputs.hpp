#pragma once

#include <cmath>
#include <optional>
#include <string>

#include "bondgraph/base/units.hpp"
#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::api {

/// What a text for an input is measured in: as its value now, else as that of the file (`given`, null where that is not
/// known), else a plain number, as nobody knows whether a unit would be right.
model::Measure input_measure(const model::AdjustableParameter& parameter, const model::SettableParameter* given);

/// The number of a text ("3 kohm") that an input of the equations gets as its value; nothing where it takes more than a
/// number in its measure.
std::optional<double> input_number(const std::string& text, const model::AdjustableParameter& parameter,
                                   const model::SettableParameter* given, const model::BondGraph& graph,
                                   const UnitSystem& units);

/// Whether an input can have this value: a 0 may take terms away, which is more than a value.
inline bool fits_input(const model::AdjustableParameter& parameter, double value) {
    return std::isfinite(value) && (value != 0.0 || parameter.may_vanish);
}

/// What is known of a parameter that can be set; null where there is none of this name, as of start values.
const model::SettableParameter* find_settable(const model::BondGraph& graph, const std::string& name);

}  // namespace bondgraph::api
