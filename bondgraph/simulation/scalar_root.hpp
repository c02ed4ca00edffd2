#pragma once

#include <functional>

namespace bondgraph::simulation {

/// A function of one unknown at a point: its value and its slope.
struct ScalarValue {
    double value = 0.0;
    double slope = 0.0;
};

struct ScalarRoot {
    double x = 0.0;
    bool found = false;
    int evaluations = 0;
};

/// The root of f that Newton's method leads to from `start`, safeguarded: steps are shortened until the residual
/// shrinks or changes sign; once two signs are known the root stays between them, and where Newton's steps don't halve
/// that interval in two rounds it is bisected (as in Brent: Algorithms for Minimization without Derivatives, ch. 4).
/// A monotone continuous f with a root is always solved. A place where |f| has a minimum that is not zero is no root,
/// nor is a pole or a jump.
///
/// `size` is the magnitude of the unknown, as known from elsewhere (0: unknown): the root is found to rounding, or to
/// 1e-16 of its size where it is nearly 0. `rounding` bounds what rounding leaves of f at a point.
ScalarRoot find_root(const std::function<ScalarValue(double)>& f, const std::function<double(double)>& rounding,
                     double start, double size);

}  // namespace bondgraph::simulation
