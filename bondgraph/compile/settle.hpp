#pragma once

#include <span>

#include "bondgraph/compile/assembly.hpp"
#include "bondgraph/compile/start_steps.hpp"

namespace bondgraph::compile {

/// What is that near counts as the same place: m beside lengths of 1 m, or rad.
inline constexpr double kTogether = 1e-6;

/// Goes on from where a search for a position of a loop has ended. A condition that vanishes twice where the loop is
/// closed (about an axis of a cross in a plane) is approached by halves and ends far from rounding, which tells what
/// conditions repeat; and of conditions that repeat others, as across a plane, some can't be met where digits are left
/// out. The others alone go on, with the `fixed` start values. Whether all are met then, but for what digits left out
/// make of those that repeat others wherever the coordinates are: a hinge may lie beside the plane by kTogether of the
/// loop's lengths, an axis be off by kParallel. `closed`: all are met already. The point stays where they aren't.
bool settle(const AssemblyProblem& loop, std::span<const Expr> fixed, StartPoint& point, bool closed);

}  // namespace bondgraph::compile
