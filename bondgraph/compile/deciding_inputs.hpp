#pragma once

#include <cstddef>
#include <vector>

#include "bondgraph/compile/reduce.hpp"

namespace bondgraph::compile {

/// The adjustable parameters (indices into BondGraph::adjustable, ascending) whose values have decided what a reduced
/// system is, although its equations have them as inputs: they stand in constraints, whose ranks at a point tell which
/// are independent and which variables may be states, or in what a start is searched from. Others (masses, springs,
/// resistances, forces) leave all that as it is: laws of storages that depend on others are differentiated, too, but
/// count for as much whatever their parameter.
std::vector<std::size_t> deciding_inputs(const ReducedSystem& reduced);

}  // namespace bondgraph::compile
