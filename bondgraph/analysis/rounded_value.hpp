#pragma once

#include <complex>

namespace bondgraph::analysis {

/// A value and how far rounding may have moved it: infinitely where a numerator and its denominator vanish together.
struct RoundedValue {
    std::complex<double> value;
    double rounding = 0.0;
};

}  // namespace bondgraph::analysis
