#pragma once

#include <vector>

#include "bondgraph/expression/expr.hpp"

namespace bondgraph::expression {

// Tables of cubic polynomials whose slopes do not jump. x strictly increasing, at least two points; of two they are
// straight lines. Beyond their ends they hold, or go on along their tangents.

/// Slopes by Akima's weights of the neighbouring chords, which keeps corners local: Journal of the ACM 17 (1970) 589.
Table1 akima_table(std::vector<double> x, std::vector<double> y, Extrapolation extrapolation);

/// Slopes by harmonic means of the neighbouring chords, so that y rises and falls where the points do and nowhere else:
/// Fritsch and Butland, SIAM Journal on Scientific and Statistical Computing 5 (1984) 300.
Table1 monotone_table(std::vector<double> x, std::vector<double> y, Extrapolation extrapolation);

/// The slope of a table of polynomials, as a table: quadratic, then linear, then constant, then 0. What does not jump
/// becomes less by one derivative each time.
Table1 derivative(const Table1& table);

/// What bounds the values of a polynomial (by Bernstein's coefficients) for distances from `low` to `high`, and its
/// first two derivatives.
struct PolynomialBounds {
    double low[3];
    double high[3];
};
PolynomialBounds bounds(const std::array<double, 4>& coefficients, double low, double high);

}  // namespace bondgraph::expression
