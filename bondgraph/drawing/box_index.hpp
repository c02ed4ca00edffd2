#pragma once

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
    void move(std::uint32_t box, const Box& to);

    /// Every box that overlaps the area, and maybe some close to it; in ascending order.
    [[nodiscard]] std::vector<std::uint32_t> near(const Box& area) const;
    [[nodiscard]] std::vector<std::uint32_t> near(Point a, Point b) const { return near(around({a, 0, 0}, {b, 0, 0})); }
    [[nodiscard]] const Box& operator[](std::uint32_t box) const { return boxes_[box]; }
    [[nodiscard]] std::size_t size() const { return boxes_.size(); }

   private:
    struct Cells {
        std::int32_t left, right, top, bottom;
    };
    static Cells cells_of(const Box& box);
    static std::uint64_t key(std::int32_t column, std::int32_t row);
    void enter(std::uint32_t box);
    void remove(std::uint32_t box);

    std::vector<Box> boxes_;
    std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> grid_;
};

}  // namespace bondgraph::drawing
