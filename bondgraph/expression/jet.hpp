#pragma once

#include <array>
#include <cmath>
#include <cstddef>

namespace bondgraph::expression {

/// One term of the chain rule.
inline double chain_term(double tangent, double partial) {
    return tangent == 0.0 || partial == 0.0 ? 0.0 : tangent * partial;
}

/// A value with K directional derivatives (forward mode; Griewank, Walther: Evaluating Derivatives, 2nd ed., ch. 3).
/// A tape evaluated with jets gives K columns of its Jacobian, exact to rounding.
///
/// In the chain rule 0·∞ counts as 0: a direction along which nothing moves stays 0 beside a singular point
/// (sqrt at 0, powers below 1 at 0, asin at ±1). At kinks derivatives are those of the branch that evaluation takes;
/// abs and sign have derivative 0 at 0.
template <int K>
struct Jet {
    double v = 0.0;
    std::array<double, K> d{};

    Jet() = default;
    Jet(double value) : v(value) {}  // NOLINT(google-explicit-constructor): constants mix freely with jets

    /// The value with derivative 1 in direction k.
    static Jet seed(double value, int k) {
        Jet jet(value);
        jet.d[static_cast<std::size_t>(k)] = 1.0;
        return jet;
    }

    // Friends, and not templates, so that numbers convert: 2.0 * jet.
    friend Jet operator+(const Jet& a, const Jet& b) {
        Jet result(a.v + b.v);
        for (std::size_t k = 0; k < K; ++k) result.d[k] = a.d[k] + b.d[k];
        return result;
    }
    friend Jet operator-(const Jet& a, const Jet& b) {
        Jet result(a.v - b.v);
        for (std::size_t k = 0; k < K; ++k) result.d[k] = a.d[k] - b.d[k];
        return result;
    }
    friend Jet operator-(const Jet& a) {
        Jet result(-a.v);
        for (std::size_t k = 0; k < K; ++k) result.d[k] = -a.d[k];
        return result;
    }
    friend Jet operator*(const Jet& a, const Jet& b) { return chain(a.v * b.v, a, b.v, b, a.v); }
    friend Jet operator/(const Jet& a, const Jet& b) {
        Jet result(a.v / b.v);
        for (std::size_t k = 0; k < K; ++k) result.d[k] = (a.d[k] - chain_term(b.d[k], result.v)) / b.v;
        return result;
    }
};

/// f(a) from the value f and the derivative of f at a.
template <int K>
Jet<K> chain(double value, const Jet<K>& a, double partial) {
    Jet<K> result(value);
    for (std::size_t k = 0; k < K; ++k) result.d[k] = chain_term(a.d[k], partial);
    return result;
}

/// f(a, b) from the value f and its partial derivatives.
template <int K>
Jet<K> chain(double value, const Jet<K>& a, double partial_a, const Jet<K>& b, double partial_b) {
    Jet<K> result(value);
    for (std::size_t k = 0; k < K; ++k) result.d[k] = chain_term(a.d[k], partial_a) + chain_term(b.d[k], partial_b);
    return result;
}

template <int K>
Jet<K> sqrt(const Jet<K>& a) {
    const double root = std::sqrt(a.v);
    return chain(root, a, 0.5 / root);
}

template <int K>
Jet<K> exp(const Jet<K>& a) {
    const double value = std::exp(a.v);
    return chain(value, a, value);
}

template <int K>
Jet<K> log(const Jet<K>& a) {
    return chain(std::log(a.v), a, 1.0 / a.v);
}

template <int K>
Jet<K> log10(const Jet<K>& a) {
    return chain(std::log10(a.v), a, 1.0 / (std::log(10.0) * a.v));
}

template <int K>
Jet<K> sin(const Jet<K>& a) {
    return chain(std::sin(a.v), a, std::cos(a.v));
}

template <int K>
Jet<K> cos(const Jet<K>& a) {
    return chain(std::cos(a.v), a, -std::sin(a.v));
}

template <int K>
Jet<K> tan(const Jet<K>& a) {
    const double value = std::tan(a.v);
    return chain(value, a, 1.0 + value * value);
}

template <int K>
Jet<K> asin(const Jet<K>& a) {
    return chain(std::asin(a.v), a, 1.0 / std::sqrt(1.0 - a.v * a.v));
}

template <int K>
Jet<K> acos(const Jet<K>& a) {
    return chain(std::acos(a.v), a, -1.0 / std::sqrt(1.0 - a.v * a.v));
}

template <int K>
Jet<K> atan(const Jet<K>& a) {
    return chain(std::atan(a.v), a, 1.0 / (1.0 + a.v * a.v));
}

template <int K>
Jet<K> sinh(const Jet<K>& a) {
    return chain(std::sinh(a.v), a, std::cosh(a.v));
}

template <int K>
Jet<K> cosh(const Jet<K>& a) {
    return chain(std::cosh(a.v), a, std::sinh(a.v));
}

template <int K>
Jet<K> tanh(const Jet<K>& a) {
    const double value = std::tanh(a.v);
    return chain(value, a, 1.0 - value * value);
}

template <int K>
Jet<K> abs(const Jet<K>& a) {
    return chain(std::abs(a.v), a, a.v > 0.0 ? 1.0 : (a.v < 0.0 ? -1.0 : 0.0));
}

/// The exponent's term is skipped where it doesn't move, so that negative bases with whole exponents have derivatives.
template <int K>
Jet<K> pow(const Jet<K>& a, const Jet<K>& b) {
    const double value = std::pow(a.v, b.v);
    return chain(value, a, chain_term(b.v, std::pow(a.v, b.v - 1.0)), b, a.v == 0.0 ? 0.0 : value * std::log(a.v));
}

template <int K>
Jet<K> atan2(const Jet<K>& y, const Jet<K>& x) {
    const double square = x.v * x.v + y.v * y.v;
    return chain(std::atan2(y.v, x.v), y, x.v / square, x, -y.v / square);
}

template <int K>
Jet<K> min(const Jet<K>& a, const Jet<K>& b) {
    return a.v <= b.v || std::isnan(a.v) ? a : b;
}

template <int K>
Jet<K> max(const Jet<K>& a, const Jet<K>& b) {
    return a.v >= b.v || std::isnan(a.v) ? a : b;
}

template <int K>
Jet<K> guarded_multiply(const Jet<K>& a, const Jet<K>& b) {
    return chain(a.v == 0.0 ? 0.0 : a.v * b.v, a, b.v, b, a.v);
}

}  // namespace bondgraph::expression
