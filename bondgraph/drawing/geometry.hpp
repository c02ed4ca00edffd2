#pragma once

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace bondgraph::drawing {

/// A point or a vector of the drawing, in points (1/72 inch); y points down, as in SVG.
struct Point {
    double x = 0.0;
    double y = 0.0;

    friend Point operator+(Point a, Point b) { return {a.x + b.x, a.y + b.y}; }
    friend Point operator-(Point a, Point b) { return {a.x - b.x, a.y - b.y}; }
    friend Point operator*(double s, Point a) { return {s * a.x, s * a.y}; }
};

inline double length(Point a) { return std::hypot(a.x, a.y); }

/// The direction from a to b; along x where they coincide.
inline Point direction(Point a, Point b) {
    const double l = length(b - a);
    return l > 0.0 ? (1.0 / l) * (b - a) : Point{1.0, 0.0};
}

/// A rectangle by its centre.
struct Box {
    Point centre;
    double width = 0.0;
    double height = 0.0;

    [[nodiscard]] double left() const { return centre.x - width / 2; }
    [[nodiscard]] double right() const { return centre.x + width / 2; }
    [[nodiscard]] double top() const { return centre.y - height / 2; }
    [[nodiscard]] double bottom() const { return centre.y + height / 2; }
    [[nodiscard]] Box grown(double by) const { return {centre, width + 2 * by, height + 2 * by}; }
    [[nodiscard]] bool contains(Point p) const {
        return p.x >= left() && p.x <= right() && p.y >= top() && p.y <= bottom();
    }
};

inline bool overlap(const Box& a, const Box& b) {
    return std::abs(a.centre.x - b.centre.x) < (a.width + b.width) / 2 &&
           std::abs(a.centre.y - b.centre.y) < (a.height + b.height) / 2;
}

/// The smallest box that holds both.
inline Box around(const Box& a, const Box& b) {
    const Point low{std::min(a.left(), b.left()), std::min(a.top(), b.top())};
    const Point high{std::max(a.right(), b.right()), std::max(a.bottom(), b.bottom())};
    return {0.5 * (low + high), high.x - low.x, high.y - low.y};
}

using Polyline = std::vector<Point>;

/// The parts of the segment ab inside the box as shares of its length, first ≤ second; first > second where there is
/// none.
std::array<double, 2> inside(const Box& box, Point a, Point b);
bool crosses(const Box& box, Point a, Point b);
bool crosses(const Box& box, const Polyline& line);
/// Whether two segments have a point in common.
bool segments_cross(Point a, Point b, Point c, Point d);

/// The line without its beginning inside one box and its end inside another.
Polyline clipped(const Polyline& line, const Box& from, const Box& to);

/// The point at a share of the line's length, and the line's direction there.
struct PlaceOnLine {
    Point point;
    Point direction;
};
PlaceOnLine place_on(const Polyline& line, double share);

}  // namespace bondgraph::drawing
