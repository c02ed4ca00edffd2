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

}  // namespace bondgraph::expression
