#pragma once

#include <optional>
#include <span>

#include "bondgraph/compile/assembly.hpp"

namespace bondgraph::compile {

/// Throws ModelError BG-I007: how far the loops stay apart, by the nearest position that a search has come to, and what
/// keeps them so. `turned_over`: one was found in which conditions hold with one side turned over.
[[noreturn]] void refuse_position(const AssemblyProblem& problem, const ChoicePoint& nearest, bool turned_over);

/// A loop that closes, but not with the coordinates that start values hold at `begin`: where these make links too long.
std::optional<OutOfReach> out_of_reach(const AssemblyProblem& problem, const ChoicePoint& begin,
                                       std::span<const std::uint32_t> held);

}  // namespace bondgraph::compile
