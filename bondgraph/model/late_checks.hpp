#pragma once

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

// Passes that need domains, parameters and start values.

/// What the outputs of signal blocks are measured in, as far as their parameters and inputs tell. BG-U002 where those
/// of one block contradict each other.
void find_signal_units(Flattening& work);
/// Sources and start values that give a temperature below absolute zero: warned of (BG-M070).
void warn_of_cold(Flattening& work);
/// Parts of the model that nothing joins: warned of (BG-M068).
void warn_of_separate_parts(Flattening& work);

}  // namespace bondgraph::model
