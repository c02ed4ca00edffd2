#pragma once

#include <span>

#include "bondgraph/drawing/box_index.hpp"
#include "bondgraph/drawing/geometry.hpp"

namespace bondgraph::drawing {

/// Ways between boxes that lead around all others: shortest paths over points beside the boxes' corners, where bends,
/// crossings of lines that are there already, and running along them make a way longer; bends are rounded.
class Detours {
   public:
    explicit Detours(std::span<const Box> boxes) : boxes_(boxes) {}

    /// A line that is there: others cross it seldom and don't run along it.
    void lay(const Polyline& line);

    /// From the middle of one box to that of another. Passes no other box where there is a way between them, and goes
    /// around the areas that are `foreign` to the line unless that is a very long way; in pictures so crowded that none
    /// is found within a bounded search it is straight, and so is every further one where these searches become many.
    [[nodiscard]] Polyline find(std::uint32_t from, std::uint32_t to, std::span<const Box> foreign = {});

   private:
    friend class DetourSearch;

    BoxIndex boxes_;
    BoxIndex segments_;  ///< boxes around the pieces of the lines
    std::vector<std::array<Point, 2>> pieces_;
    std::size_t work_ = 0;
};

}  // namespace bondgraph::drawing
