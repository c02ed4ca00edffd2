#pragma once

#include <cmath>
#include <numbers>

#include "bondgraph/expression/enclosures.hpp"

/// Arithmetic of intervals, rounded outward.
namespace bondgraph::expression {

/// Each operation is exact to half a unit in the last place, library functions to one: two are always enough.
inline Interval rounded(double low, double high) {
    constexpr double kUlps = 4.5e-16;
    const Interval result{low - kUlps * std::abs(low), high + kUlps * std::abs(high)};
    // No numbers, or beyond all numbers on both sides of 0.
    return std::isnan(result.low + result.high) ? Interval::all() : result;
}

inline Interval hull(Interval a, Interval b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

inline Interval operator-(Interval a) { return {-a.high, -a.low}; }
inline Interval operator+(Interval a, Interval b) {
    if (a.is_zero()) return b;
    if (b.is_zero()) return a;
    return rounded(a.low + b.low, a.high + b.high);
}
inline Interval operator-(Interval a, Interval b) { return a + (-b); }

inline Interval operator*(Interval a, Interval b) {
    if (a.is_zero() || b.is_zero()) return {};
    double p = a.low * b.low;
    double q = a.low * b.high;
    double r = a.high * b.low;
    double s = a.high * b.high;
    if (std::isnan(p + q + r + s)) {  // 0 times a bound that there isn't is 0
        const auto product = [](double x, double y) { return x == 0.0 || y == 0.0 ? 0.0 : x * y; };
        p = product(a.low, b.low);
        q = product(a.low, b.high);
        r = product(a.high, b.low);
        s = product(a.high, b.high);
    }
    return rounded(std::min(std::min(p, q), std::min(r, s)), std::max(std::max(p, q), std::max(r, s)));
}
inline Interval operator*(double k, Interval a) { return Interval{k, k} * a; }

inline Interval square(Interval a) {
    const double high = a.largest();
    const double low = a.low > 0.0 ? a.low : a.high < 0.0 ? -a.high : 0.0;
    return rounded(low * low, high * high);
}

inline Interval reciprocal(Interval a) {
    if (a.low > 0.0 || a.high < 0.0) return rounded(1.0 / a.high, 1.0 / a.low);
    if (a.low == 0.0 && a.high > 0.0) return {rounded(1.0 / a.high, 1.0).low, Interval::all().high};
    if (a.high == 0.0 && a.low < 0.0) return {Interval::all().low, rounded(-1.0, 1.0 / a.low).high};
    return Interval::all();
}

/// Of a function that grows everywhere.
template <class F>
Interval growing(Interval a, F f) {
    return rounded(f(a.low), f(a.high));
}

/// Of a sine or cosine `f`, whose largest value is 1 at `top` and which has a period of 2 pi.
template <class F>
Interval wave(Interval a, F f, double top) {
    constexpr double kTurn = 2.0 * std::numbers::pi;
    if (!(a.width() < kTurn) || a.largest() > 1e15) return {-1.0, 1.0};
    Interval result = rounded(std::min(f(a.low), f(a.high)), std::max(f(a.low), f(a.high)));
    // Next to an extremum the number of turns is uncertain by the rounding of the argument.
    const double uncertain = 1e-15 * (1.0 + a.largest());
    const auto passes = [&](double place) {
        return std::floor((a.high + uncertain - place) / kTurn) != std::floor((a.low - uncertain - place) / kTurn);
    };
    if (passes(top)) result.high = 1.0;
    if (passes(top + std::numbers::pi)) result.low = -1.0;
    return {std::max(result.low, -1.0), std::min(result.high, 1.0)};
}
inline Interval cosine(Interval a) {
    return wave(
        a, [](double x) { return std::cos(x); }, 0.0);
}
inline Interval sine(Interval a) {
    return wave(
        a, [](double x) { return std::sin(x); }, 0.5 * std::numbers::pi);
}

/// x^n.
inline Interval integer_power(Interval a, double n) {
    if (n == 0.0) return {1.0, 1.0};
    if (n < 0.0) return reciprocal(integer_power(a, -n));
    const double low = std::pow(a.low, n);
    const double high = std::pow(a.high, n);
    if (std::fmod(n, 2.0) != 0.0 || a.low >= 0.0) return rounded(low, high);
    return a.high <= 0.0 ? rounded(high, low) : rounded(0.0, std::max(low, high));
}

}  // namespace bondgraph::expression
