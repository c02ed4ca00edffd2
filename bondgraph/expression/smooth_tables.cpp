#include "bondgraph/expression/smooth_tables.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace bondgraph::expression {
namespace {

std::vector<double> chords(const std::vector<double>& x, const std::vector<double>& y) {
    std::vector<double> d(x.size() - 1);
    for (std::size_t k = 0; k < d.size(); ++k) d[k] = (y[k + 1] - y[k]) / (x[k + 1] - x[k]);
    return d;
}

/// Hermite's polynomials from values and slopes at the points.
Table1 hermite(std::vector<double> x, std::vector<double> y, const std::vector<double>& slopes,
               Extrapolation extrapolation) {
    const std::vector<double> d = chords(x, y);
    Table1 table{.x = std::move(x), .y = std::move(y), .extrapolation = extrapolation, .continuous = 1};
    for (std::size_t k = 0; k < d.size(); ++k) {
        const double h = table.x[k + 1] - table.x[k];
        const double c2 = (3.0 * d[k] - 2.0 * slopes[k] - slopes[k + 1]) / h;
        const double c3 = (slopes[k] + slopes[k + 1] - 2.0 * d[k]) / (h * h);
        table.polynomials.push_back({table.y[k], slopes[k], c2, c3});
    }
    return table;
}

/// The slope at an end, by the parabola through three points, as far as it keeps the shape (Moler, Numerical Computing
/// with MATLAB, section 3.6).
double end_slope(double h0, double h1, double d0, double d1) {
    const double slope = ((2.0 * h0 + h1) * d0 - h0 * d1) / (h0 + h1);
    if (slope * d0 <= 0.0) return 0.0;
    if (d0 * d1 <= 0.0 && std::abs(slope) > 3.0 * std::abs(d0)) return 3.0 * d0;
    return slope;
}

}  // namespace

Table1 akima_table(std::vector<double> x, std::vector<double> y, Extrapolation extrapolation) {
    constexpr double kNothing = 1e-9;  // of the largest weight: chords that are the same but for rounding
    const std::vector<double> d = chords(x, y);
    if (d.size() == 1) return hermite(std::move(x), std::move(y), {d[0], d[0]}, extrapolation);
    // Two chords more at each end, as if the parabola went on.
    std::vector<double> m{3.0 * d[0] - 2.0 * d[1], 2.0 * d[0] - d[1]};
    m.insert(m.end(), d.begin(), d.end());
    const double last = d.back();
    const double before = d[d.size() - 2];
    m.push_back(2.0 * last - before);
    m.push_back(3.0 * last - 2.0 * before);
    double largest = 0.0;
    for (std::size_t k = 0; k < x.size(); ++k)
        largest = std::max(largest, std::abs(m[k + 3] - m[k + 2]) + std::abs(m[k + 1] - m[k]));
    std::vector<double> slopes(x.size());
    for (std::size_t k = 0; k < x.size(); ++k) {
        const double right = std::abs(m[k + 3] - m[k + 2]);
        const double left = std::abs(m[k + 1] - m[k]);
        slopes[k] = right + left > kNothing * largest ? (right * m[k + 1] + left * m[k + 2]) / (right + left)
                                                      : 0.5 * (m[k + 1] + m[k + 2]);
    }
    return hermite(std::move(x), std::move(y), slopes, extrapolation);
}

Table1 monotone_table(std::vector<double> x, std::vector<double> y, Extrapolation extrapolation) {
    const std::vector<double> d = chords(x, y);
    if (d.size() == 1) return hermite(std::move(x), std::move(y), {d[0], d[0]}, extrapolation);
    const auto h = [&](std::size_t k) { return x[k + 1] - x[k]; };
    std::vector<double> slopes(x.size(), 0.0);
    for (std::size_t k = 1; k < d.size(); ++k) {
        if (d[k - 1] * d[k] <= 0.0) continue;
        const double w1 = 2.0 * h(k) + h(k - 1);
        const double w2 = h(k) + 2.0 * h(k - 1);
        slopes[k] = (w1 + w2) / (w1 / d[k - 1] + w2 / d[k]);
    }
    const std::size_t n = d.size();
    slopes.front() = end_slope(h(0), h(1), d[0], d[1]);
    slopes.back() = end_slope(h(n - 1), h(n - 2), d[n - 1], d[n - 2]);
    return hermite(std::move(x), std::move(y), slopes, extrapolation);
}

Table1 derivative(const Table1& table) {
    Table1 slope{.x = table.x, .y = {}, .continuous = std::max(table.continuous - 1, -1)};
    slope.extrapolation = table.extrapolation == Extrapolation::linear ? Extrapolation::hold : Extrapolation::zero;
    for (const auto& c : table.polynomials) {
        slope.polynomials.push_back({c[1], 2.0 * c[2], 3.0 * c[3], 0.0});
        slope.y.push_back(c[1]);
    }
    const std::size_t n = table.x.size();
    const double t = table.x[n - 1] - table.x[n - 2];
    const auto& c = slope.polynomials.back();
    slope.y.push_back(c[0] + t * (c[1] + t * c[2]));
    return slope;
}

PolynomialBounds bounds(const std::array<double, 4>& c, double low, double high) {
    const double w = high - low;
    // about `low`, in the share of w
    const double a0 = c[0] + low * (c[1] + low * (c[2] + low * c[3]));
    const double a1 = w * (c[1] + low * (2.0 * c[2] + low * (3.0 * c[3])));
    const double a2 = w * w * (c[2] + 3.0 * low * c[3]);
    const double a3 = w * w * w * c[3];
    const auto ends = [](std::initializer_list<double> all) { return std::minmax(all); };
    const auto [v0, v1] = ends({a0, a0 + a1 / 3.0, a0 + 2.0 * a1 / 3.0 + a2 / 3.0, a0 + a1 + a2 + a3});
    const double s0 = c[1] + low * (2.0 * c[2] + low * (3.0 * c[3]));
    const double s1 = w * (2.0 * c[2] + 6.0 * low * c[3]);
    const double s2 = 3.0 * w * w * c[3];
    const auto [u0, u1] = ends({s0, s0 + 0.5 * s1, s0 + s1 + s2});
    const auto [b0, b1] = ends({2.0 * c[2] + 6.0 * c[3] * low, 2.0 * c[2] + 6.0 * c[3] * high});
    return {{v0, u0, b0}, {v1, u1, b1}};
}

}  // namespace bondgraph::expression
