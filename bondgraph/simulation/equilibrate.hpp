#pragma once

#include <Eigen/Core>

namespace bondgraph::simulation {

/// What rows and columns have been divided by.
struct Divisors {
    Eigen::VectorXd rows;
    Eigen::VectorXd columns;
};

/// Columns, then rows divided by their largest magnitude (zero ones are left). Where rows come first, a force of 1e-2
/// that multiplies 1e10 makes the rates beside it vanish from its rows, and what is regular looks singular.
template <class Matrix>
Divisors columns_before_rows(Matrix& a) {
    const auto largest = [](double x) { return x > 0.0 ? x : 1.0; };
    Divisors by{Eigen::VectorXd::Ones(a.rows()), Eigen::VectorXd::Ones(a.cols())};
    if (a.size() == 0) return by;
    by.columns = a.cwiseAbs().colwise().maxCoeff().transpose().unaryExpr(largest);
    a = (a * by.columns.cwiseInverse().asDiagonal()).eval();
    by.rows = a.cwiseAbs().rowwise().maxCoeff().unaryExpr(largest);
    a = (by.rows.cwiseInverse().asDiagonal() * a).eval();
    return by;
}

}  // namespace bondgraph::simulation
