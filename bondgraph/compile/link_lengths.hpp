#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bondgraph/compile/assembly.hpp"

namespace bondgraph::compile {

/// Why lengths alone keep the loop of a closure from closing, or nothing: one link is longer than all others together.
/// That no polygon closes then holds in space and whatever the axes of the joints are. Only of loops in which all that
/// moves are joints at a point and rods with balls at their ends: told by poses at `at` and at places drawn at random,
/// in which distances and orientations within a link stay as they are. Coordinates that are `held` (variables) stay as
/// they are at `at`: what they join is one link.
std::optional<std::string> link_too_long(const AssemblyProblem& problem, const ChoicePoint& at,
                                         const model::Element& closure, std::span<const std::uint32_t> held = {});

}  // namespace bondgraph::compile
