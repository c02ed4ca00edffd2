#pragma once

#include "bondgraph/model/start_checks.hpp"

namespace bondgraph::model {

/// The magnitudes that the file gives for an element's states under `nominal:`, and for those of its parts. BG-M018
/// where there is no such state, BG-M020 and BG-M013 for what is no known number above 0.
void evaluate_nominals(Flattening& work, StartChecks& checks, std::uint32_t element);

}  // namespace bondgraph::model
