#pragma once

namespace bondgraph::test {

/// The root of an increasing function by bisection with 64 bits: shares nothing with Newton's method.
template <class F>
double root_of_increasing(const F& f) {
    long double low = -1e6L;
    long double high = 1e6L;
    for (int k = 0; k < 200; ++k) {
        const long double middle = 0.5L * (low + high);
        (f(middle) < 0 ? low : high) = middle;
    }
    return static_cast<double>(0.5L * (low + high));
}

}  // namespace bondgraph::test
