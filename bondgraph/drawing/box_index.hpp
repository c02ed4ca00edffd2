#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "bondgraph/drawing/geometry.hpp"

namespace bondgraph::drawing {

/// Finds boxes near a place without looking at all of them: each lies in the cells of a grid that it touches.
class BoxIndex {
   public:
    BoxIndex() = default;
    explicit BoxIndex(std::span<const Box> boxes);

    /// The next box; boxes are numbered from 0.
    void add(const Box& box);
    /// The box around a segment, which is found near the segment only: a long one that slants has few of the cells of
    /// its box.
    void add_line(Point a, Point b);
    void move(std::uint32_t box, const Box& to);

    /// Every box that overlaps the area, and maybe some close to it; in ascending order.
    [[nodiscard]] std::vector<std::uint32_t> near(const Box& area) const;
    [[nodiscard]] std::vector<std::uint32_t> near(Point a, Point b) const { return near(around({a, 0, 0}, {b, 0, 0})); }
    /// Whether the predicate holds for a box; asked of every one that comes as close as that to the segment ab, maybe
    /// of some farther away, and of some more than once.
    template <typename Predicate>
    [[nodiscard]] bool any_along(Point a, Point b, double within, const Predicate& holds) const;
    [[nodiscard]] const Box& operator[](std::uint32_t box) const { return boxes_[box]; }
    [[nodiscard]] std::size_t size() const { return boxes_.size(); }

   private:
    struct Cells {
        std::int32_t left, right, top, bottom;
    };
    static Cells cells_of(const Box& box);
    static std::uint64_t key(std::int32_t column, std::int32_t row);
    /// The cells of a row of the grid that the segment ab comes as close to as that, from the left one to the right
    /// one.
    static std::array<std::int32_t, 2> along(Point a, Point b, double within, std::int32_t row);
    void enter(std::uint32_t box);
    void remove(std::uint32_t box);

    std::vector<Box> boxes_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> grid_;
};

template <typename Predicate>
bool BoxIndex::any_along(Point a, Point b, double within, const Predicate& holds) const {
    const Cells c = cells_of(around({a, 0, 0}, {b, 0, 0}).grown(within));
    for (std::int32_t y = c.top; y <= c.bottom; ++y) {
        const auto [left, right] = along(a, b, within, y);
        for (std::int32_t x = left; x <= right; ++x) {
            const auto known = grid_.find(key(x, y));
            if (known != grid_.end() && std::any_of(known->second.begin(), known->second.end(), holds)) return true;
        }
    }
    return false;
}

}  // namespace bondgraph::drawing
