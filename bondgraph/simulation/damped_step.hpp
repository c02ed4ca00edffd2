#pragma once

#include <optional>

namespace bondgraph::simulation {

/// Which share t = 1, 1/2, 1/4 … of a Newton step to take: the largest, down to 1e-9, after which the next correction
/// with the same matrix is shorter than this one by a quarter of t (Deuflhard: Newton Methods for Nonlinear Problems,
/// ch. 3, the natural monotonicity test, invariant under scaling of the equations). `contraction(t)` is how much of the
/// correction's length is left there, not a number or infinite where there are no values. Nothing: no share
/// helps.
template <class Contraction>
std::optional<double> damped_share(Contraction&& contraction) {
    for (double t = 1.0; t >= 1e-9; t *= 0.5) {
        if (contraction(t) <= 1.0 - 0.25 * t) return t;
    }
    return std::nullopt;
}

}  // namespace bondgraph::simulation
