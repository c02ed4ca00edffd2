#include "bondgraph/drawing/geometry.hpp"

#include <algorithm>

namespace bondgraph::drawing {
namespace {

// Liang and Barsky's clipping against one pair of parallel sides.
void clip_between(double start, double step, double low, double high, std::array<double, 2>& range) {
    if (step == 0.0) {
        if (start < low || start > high) range = {1.0, 0.0};
        return;
    }
    const double first = (low - start) / step;
    const double second = (high - start) / step;
    range[0] = std::max(range[0], std::min(first, second));
    range[1] = std::min(range[1], std::max(first, second));
}

double cross(Point a, Point b) { return a.x * b.y - a.y * b.x; }

double total_length(const Polyline& line) {
    double total = 0.0;
    for (std::size_t i = 1; i < line.size(); ++i) total += length(line[i] - line[i - 1]);
    return total;
}

Polyline without_start(const Polyline& line, const Box& box) {
    std::size_t last = 0;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (box.contains(line[i])) last = i;
    }
    if (last + 1 >= line.size() || !box.contains(line[last])) return line;
    const double share = inside(box, line[last], line[last + 1])[1];
    Polyline rest{line[last] + share * (line[last + 1] - line[last])};
    rest.insert(rest.end(), line.begin() + static_cast<std::ptrdiff_t>(last) + 1, line.end());
    return rest;
}

}  // namespace

std::array<double, 2> inside(const Box& box, Point a, Point b) {
    std::array<double, 2> range{0.0, 1.0};
    clip_between(a.x, b.x - a.x, box.left(), box.right(), range);
    if (range[0] <= range[1]) clip_between(a.y, b.y - a.y, box.top(), box.bottom(), range);
    return range;
}

bool crosses(const Box& box, Point a, Point b) {
    const auto range = inside(box, a, b);
    return range[0] <= range[1];
}

bool crosses(const Box& box, const Polyline& line) {
    for (std::size_t i = 1; i < line.size(); ++i) {
        if (crosses(box, line[i - 1], line[i])) return true;
    }
    return false;
}

bool segments_cross(Point a, Point b, Point c, Point d) {
    const double first = cross(b - a, c - a) * cross(b - a, d - a);
    const double second = cross(d - c, a - c) * cross(d - c, b - c);
    return first <= 0.0 && second <= 0.0 && (first < 0.0 || second < 0.0);
}

Polyline clipped(const Polyline& line, const Box& from, const Box& to) {
    Polyline part = without_start(line, from);
    std::reverse(part.begin(), part.end());
    part = without_start(part, to);
    std::reverse(part.begin(), part.end());
    return part;
}

PlaceOnLine place_on(const Polyline& line, double share) {
    double rest = share * total_length(line);
    for (std::size_t i = 1; i < line.size(); ++i) {
        const double step = length(line[i] - line[i - 1]);
        if (rest <= step || i + 1 == line.size()) {
            const Point along = direction(line[i - 1], line[i]);
            return {line[i - 1] + std::min(rest, step) * along, along};
        }
        rest -= step;
    }
    return {line.empty() ? Point{} : line.front(), {1.0, 0.0}};
}

}  // namespace bondgraph::drawing
