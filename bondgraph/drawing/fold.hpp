#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bondgraph/drawing/geometry.hpp"

namespace bondgraph::drawing {

/// A line between two boxes; `may_turn`: rows may be joined by it.
struct FoldLine {
    std::uint32_t from = 0;
    std::uint32_t to = 0;
    bool may_turn = true;
};

/// How a long row is broken into several: they run to the right and to the left in turns and stand below each other.
class Folding {
   public:
    [[nodiscard]] bool any() const { return !rows_.empty(); }
    /// The row of something that stood at x.
    [[nodiscard]] std::size_t row_of(double x) const;
    [[nodiscard]] Point moved(Point p, std::size_t row) const;
    [[nodiscard]] Point moved(Point p) const { return moved(p, row_of(p.x)); }
    /// What hangs in the way of a turn: it is turned over to the other side of its host before everything moves.
    [[nodiscard]] const std::vector<std::uint32_t>& turned_over() const { return turned_over_; }

   private:
    friend class Folder;
    struct Row {
        bool backwards = false;
        Point by;
    };
    std::vector<double> cuts_;  ///< between the rows, from left to right
    std::vector<Row> rows_;
    std::vector<std::uint32_t> turned_over_;
};

/// Rows for what is much wider than high; none where it is not, or where no place is crossed by one line only.
/// `hosts`: per box the one it hangs on, else itself. `frames` are drawn around boxes and stay whole.
Folding fold(std::span<const Box> boxes, std::span<const std::uint32_t> hosts, std::span<const Box> frames,
             std::span<const FoldLine> lines, double gap);

}  // namespace bondgraph::drawing
