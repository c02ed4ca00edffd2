#include "bondgraph/compile/form_parts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

namespace bondgraph::compile {

using std::numbers::pi;

namespace {

constexpr double kBesideCut = 0.5;  // rad that directions stay away from the cut

PlaneVector turned(const PlaneVector& a, double angle) {
    return {a.re * Expr(std::cos(angle)) - a.im * Expr(std::sin(angle)),
            a.re * Expr(std::sin(angle)) + a.im * Expr(std::cos(angle))};
}

}  // namespace

PlaneVector operator+(const PlaneVector& a, const PlaneVector& b) { return {a.re + b.re, a.im + b.im}; }
PlaneVector operator-(const PlaneVector& a, const PlaneVector& b) { return {a.re - b.re, a.im - b.im}; }
PlaneVector operator-(const PlaneVector& a) { return {-a.re, -a.im}; }
PlaneVector operator*(const PlaneVector& a, const PlaneVector& b) {
    return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re};
}
PlaneVector from(const PlaneVector& a, const PlaneVector& b) {
    return {a.re * b.re + a.im * b.im, a.im * b.re - a.re * b.im};
}
PlaneVector over(const PlaneVector& a, Expr by) { return {a.re / by, a.im / by}; }
Expr square(const PlaneVector& a) { return a.re * a.re + a.im * a.im; }

bool FormParts::positive(Expr number, Expr size) const {
    const std::array both{number, size};
    const auto places = judge_.all_over(both);
    double largest = 0.0;
    for (const auto& p : places) largest = std::max(largest, std::abs(p[1]));
    return !places.empty() &&
           std::ranges::all_of(places, [&](const std::vector<double>& p) { return p[0] > kInLine * largest; });
}

/// Whether angles at all places change little from one to the next, in each of the others.
bool FormParts::goes_on(const std::vector<double>& angles) const {
    const std::size_t others = judge_.others.size();
    if (others == 0) return true;
    const auto count = static_cast<std::size_t>(
        std::lround(std::pow(static_cast<double>(angles.size()), 1.0 / static_cast<double>(others))));
    std::size_t stride = 1;
    for (std::size_t k = 0; k < others; ++k, stride *= count) {
        for (std::size_t i = 0; i < angles.size(); ++i) {
            const bool last = (i / stride) % count + 1 == count;
            const std::size_t next = last ? i - (count - 1) * stride : i + stride;
            if (std::abs(std::remainder(angles[next] - angles[i], 2.0 * pi)) > kBesideCut) return false;
        }
    }
    return true;
}

/// The plane, and what turns with one of the others.
std::vector<Direction> FormParts::turning() const {
    std::vector<Direction> all{Direction{{1.0, 0.0}, 0.0}};
    for (const std::uint32_t r : judge_.others) {
        const Expr q = graph_.variable(r);
        const PlaneVector with{expression::cos(q), expression::sin(q)};
        all.push_back({with, q});
        all.push_back({{with.re, -with.im}, -q});
    }
    return all;
}

std::optional<Direction> FormParts::carried(const PlaneVector& v) const {
    constexpr double kStill = 1e-12;  // rad
    for (const Direction& d : turning()) {
        const PlaneVector seen = from(v, d.vector);
        const std::array both{seen.re, seen.im};
        const auto places = judge_.all_over(both);
        if (places.empty()) return std::nullopt;
        const double angle = std::atan2(places[0][1], places[0][0]);
        const bool still = std::ranges::all_of(places, [&](const std::vector<double>& p) {
            return std::abs(std::remainder(std::atan2(p[1], p[0]) - angle, 2.0 * pi)) <= kStill;
        });
        if (!still) continue;
        const double right = std::round(angle / (0.5 * pi));  // along an axis, more often than by chance nearly so
        if (std::abs(angle - right * 0.5 * pi) > kStill)
            return Direction{turned(d.vector, angle), d.angle + Expr(angle)};
        const std::array<PlaneVector, 4> quarters{d.vector, PlaneVector{-d.vector.im, d.vector.re}, -d.vector,
                                                  PlaneVector{d.vector.im, -d.vector.re}};
        return Direction{quarters[static_cast<std::size_t>(right + 4.0) % 4], d.angle + Expr(right * 0.5 * pi)};
    }
    return std::nullopt;
}

std::optional<Expr> FormParts::angle(const PlaneVector& v, const std::vector<Direction>& seen_from) {
    std::vector<Direction> all = turning();
    all.insert(all.begin() + 1, seen_from.begin(), seen_from.end());
    for (const Direction& d : all) {
        const PlaneVector seen = from(v, d.vector);
        const std::array both{seen.re, seen.im};
        std::vector<double> angles;
        for (const auto& p : judge_.all_over(both)) angles.push_back(std::atan2(p[1], p[0]));
        if (angles.empty() || !goes_on(angles)) continue;
        std::ranges::sort(angles);
        double widest = angles.front() + 2.0 * pi - angles.back();
        double middle = angles.back() + 0.5 * widest;
        for (std::size_t k = 1; k < angles.size(); ++k) {
            if (angles[k] - angles[k - 1] <= widest) continue;
            widest = angles[k] - angles[k - 1];
            middle = angles[k - 1] + 0.5 * widest;
        }
        if (widest < 2.0 * kBesideCut) continue;
        double ahead = std::remainder(middle + pi, 2.0 * pi);
        const bool clear = angles.front() > -pi + kBesideCut && angles.back() < pi - kBesideCut;
        if (clear) ahead = 0.0;
        const PlaneVector z = ahead == 0.0 ? seen : turned(seen, -ahead);
        return d.angle + Expr(ahead) + arc(z, square(z));
    }
    return std::nullopt;
}

Expr FormParts::arc(const PlaneVector& v, Expr squared) {
    const Expr angle = expression::atan2(v.im, v.re);
    if (!angle.is_constant()) arcs_.emplace_back(angle, squared);
    return angle;
}

Expr FormParts::arc_on_side(const PlaneVector& v, double sign, Expr squared) {
    return sign > 0.0 ? arc(v, squared) : Expr(pi) + arc(-v, squared);
}

}  // namespace bondgraph::compile
