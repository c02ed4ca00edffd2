#include "bondgraph/drawing/box_index.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bondgraph::drawing {
namespace {

constexpr double kCell = 128.0;  // a little more than a bond with an element at its end

std::int32_t cell(double x) { return static_cast<std::int32_t>(std::floor(x / kCell)); }

}  // namespace

BoxIndex::BoxIndex(std::span<const Box> boxes) {
    for (const Box& box : boxes) add(box);
}

void BoxIndex::add(const Box& box) {
    boxes_.push_back(box);
    enter(static_cast<std::uint32_t>(boxes_.size() - 1));
}

void BoxIndex::add_line(Point a, Point b) {
    boxes_.push_back(around({a, 0, 0}, {b, 0, 0}));
    const auto line = static_cast<std::uint32_t>(boxes_.size() - 1);
    constexpr double kRounding = 1e-6;
    const Cells c = cells_of(boxes_.back());
    for (std::int32_t y = c.top; y <= c.bottom; ++y) {
        const auto [left, right] = along(a, b, kRounding, y);
        for (std::int32_t x = left; x <= right; ++x) grid_[key(x, y)].push_back(line);
    }
}

void BoxIndex::move(std::uint32_t box, const Box& to) {
    remove(box);
    boxes_[box] = to;
    enter(box);
}

BoxIndex::Cells BoxIndex::cells_of(const Box& box) {
    return {cell(box.left()), cell(box.right()), cell(box.top()), cell(box.bottom())};
}

std::uint64_t BoxIndex::key(std::int32_t column, std::int32_t row) {
    constexpr unsigned kHalf = 32;
    return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(column)) << kHalf) | static_cast<std::uint32_t>(row);
}

std::array<std::int32_t, 2> BoxIndex::along(Point a, Point b, double within, std::int32_t row) {
    double first = 0.0;
    double last = 1.0;
    if (a.y != b.y) {
        const double above = (kCell * row - within - a.y) / (b.y - a.y);
        const double below = (kCell * (row + 1) + within - a.y) / (b.y - a.y);
        first = std::clamp(std::min(above, below), 0.0, 1.0);
        last = std::clamp(std::max(above, below), 0.0, 1.0);
    }
    const double from = a.x + first * (b.x - a.x);
    const double to = a.x + last * (b.x - a.x);
    return {cell(std::min(from, to) - within), cell(std::max(from, to) + within)};
}

void BoxIndex::enter(std::uint32_t box) {
    const Cells c = cells_of(boxes_[box]);
    for (std::int32_t x = c.left; x <= c.right; ++x) {
        for (std::int32_t y = c.top; y <= c.bottom; ++y) grid_[key(x, y)].push_back(box);
    }
}

void BoxIndex::remove(std::uint32_t box) {
    const Cells c = cells_of(boxes_[box]);
    for (std::int32_t x = c.left; x <= c.right; ++x) {
        for (std::int32_t y = c.top; y <= c.bottom; ++y) std::erase(grid_[key(x, y)], box);
    }
}

std::vector<std::uint32_t> BoxIndex::near(const Box& area) const {
    const Cells c = cells_of(area);
    std::vector<std::uint32_t> found;
    const auto cells = static_cast<double>(c.right - c.left + 1) * static_cast<double>(c.bottom - c.top + 1);
    if (cells > static_cast<double>(boxes_.size())) {
        found.resize(boxes_.size());
        std::iota(found.begin(), found.end(), 0U);
        return found;
    }
    for (std::int32_t x = c.left; x <= c.right; ++x) {
        for (std::int32_t y = c.top; y <= c.bottom; ++y) {
            const auto known = grid_.find(key(x, y));
            if (known != grid_.end()) found.insert(found.end(), known->second.begin(), known->second.end());
        }
    }
    std::sort(found.begin(), found.end());
    found.erase(std::unique(found.begin(), found.end()), found.end());
    return found;
}

}  // namespace bondgraph::drawing
