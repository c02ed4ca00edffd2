#include "bondgraph/io/polygon.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace bondgraph::io {
namespace {

using FlatPoint = std::array<double, 2>;
using Triangles = std::vector<std::array<std::uint32_t, 3>>;

/// Twice the area, with the sign of the sense of rotation.
double turn_of(const FlatPoint& a, const FlatPoint& b, const FlatPoint& c) {
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/// In the plane that shows most of the area, so that the polygon turns to the left.
std::vector<FlatPoint> flattened_corners(std::span<const std::array<float, 3>> corners) {
    std::array<double, 3> normal{};
    const auto& o = corners[0];
    const auto from_first = [&](const std::array<float, 3>& v, std::size_t k) { return double{v[k]} - double{o[k]}; };
    for (std::size_t i = 0; i < corners.size(); ++i) {
        const auto& a = corners[i];
        const auto& b = corners[(i + 1) % corners.size()];
        for (std::size_t k = 0; k < 3; ++k) {
            const std::size_t u = (k + 1) % 3;
            const std::size_t v = (k + 2) % 3;
            normal[k] += from_first(a, u) * from_first(b, v) - from_first(a, v) * from_first(b, u);
        }
    }
    std::size_t out = 0;
    for (std::size_t k = 1; k < 3; ++k) {
        if (std::abs(normal[k]) > std::abs(normal[out])) out = k;
    }
    std::size_t u = (out + 1) % 3;
    std::size_t v = (out + 2) % 3;
    if (normal[out] < 0.0) std::swap(u, v);
    std::vector<FlatPoint> points;
    points.reserve(corners.size());
    for (const auto& c : corners) points.push_back({from_first(c, u), from_first(c, v)});
    return points;
}

class EarCutting {
   public:
    EarCutting(std::vector<FlatPoint> points, std::size_t& effort) : points_(std::move(points)), effort_(effort) {
        left_.resize(points_.size());
        std::iota(left_.begin(), left_.end(), 0U);
    }

    Triangles run() {
        Triangles found;
        std::size_t at = 0;
        std::size_t without = 0;
        while (left_.size() > 3) {
            const std::size_t n = left_.size();
            if (effort_ < n) return {};
            effort_ -= n;
            at %= n;
            // Of what crosses itself there may be no ear: then any corner is taken.
            if (without < n && !is_ear(at)) {
                ++at;
                ++without;
                continue;
            }
            found.push_back({left_[(at + n - 1) % n], left_[at], left_[(at + 1) % n]});
            left_.erase(left_.begin() + static_cast<std::ptrdiff_t>(at));
            without = 0;
        }
        found.push_back({left_[0], left_[1], left_[2]});
        return found;
    }

   private:
    [[nodiscard]] bool is_ear(std::size_t at) const {
        const std::size_t n = left_.size();
        const FlatPoint& a = points_[left_[(at + n - 1) % n]];
        const FlatPoint& b = points_[left_[at]];
        const FlatPoint& c = points_[left_[(at + 1) % n]];
        if (turn_of(a, b, c) <= 0.0) return false;
        return std::ranges::none_of(left_, [&](std::uint32_t other) {
            const FlatPoint& p = points_[other];
            if (p == a || p == b || p == c) return false;
            return turn_of(a, b, p) >= 0.0 && turn_of(b, c, p) >= 0.0 && turn_of(c, a, p) >= 0.0;
        });
    }

    std::vector<FlatPoint> points_;
    std::size_t& effort_;
    std::vector<std::uint32_t> left_;
};

/// Turning to the left at each corner, and once around.
bool is_convex(const std::vector<FlatPoint>& points) {
    const std::size_t n = points.size();
    std::size_t rises = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const FlatPoint& a = points[i];
        const FlatPoint& b = points[(i + 1) % n];
        const FlatPoint& c = points[(i + 2) % n];
        if (turn_of(a, b, c) <= 0.0) return false;
        if (b[0] < a[0] && c[0] >= b[0]) ++rises;
    }
    return rises == 1;
}

}  // namespace

Triangles triangles_of_polygon(std::span<const std::array<float, 3>> corners, std::size_t& effort) {
    const auto n = static_cast<std::uint32_t>(corners.size());
    if (n == 3) return {{0, 1, 2}};
    std::vector<FlatPoint> points = flattened_corners(corners);
    if (!is_convex(points)) return EarCutting(std::move(points), effort).run();
    Triangles fan;
    for (std::uint32_t i = 1; i + 1 < n; ++i) fan.push_back({0, i, i + 1});
    return fan;
}

}  // namespace bondgraph::io
