#pragma once

#include <cstdint>

#include "bondgraph/model/scope.hpp"

namespace bondgraph::model {

/// A discrete variable's value at the start, where it is a single one that parameters and time alone decide, and one
/// that the variable may have; what is wrong is reported (BG-M020, BG-M046, and as of its values).
void set_discrete_start(Flattening& work, const Element::Slot& slot, const Quantity& q, SourcePosition position);

/// Those that an own type gives its discrete variables by `start:`. `scope`: what its names mean.
void evaluate_declared_discrete_starts(Flattening& work, const Element& e, std::uint32_t scope);

}  // namespace bondgraph::model
