#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "bondgraph/drawing/schematic.hpp"

namespace bondgraph::drawing {

/// How every part stands, and the order in which wires lead from one to the next.
struct Stances {
    std::vector<Stance> of;            ///< by part
    std::vector<std::uint32_t> order;  ///< by part: its number on the way; grounds after all others
};

/// Parts stand as their symbols are, from left to right, unless they face the wrong way: then they are mirrored. What
/// leads to a ground hangs down to it, and so does, of electrical and magnetic circuits, what lies across two wires
/// that come from the same part. What the file says (`turn:`, `mirror:`) holds.
Stances stand_up(const Schematic& schematic);

/// The pins at the left and right end of what is drawn along a wire; nothing for other symbols.
std::optional<std::pair<std::uint32_t, std::uint32_t>> ends_of(const Part& part);

}  // namespace bondgraph::drawing
