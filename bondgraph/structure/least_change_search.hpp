#pragma once

#include <Eigen/SparseCore>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bondgraph/structure/incidence.hpp"

namespace bondgraph::structure {

/// Equations (0 = residual) at a point as a search for a start looks at them: residuals and the Jacobian by the
/// unknowns that occur, each row divided by its largest derivative.
struct ScaledRows {
    std::vector<std::uint32_t> columns;  ///< the unknowns that occur, ascending
    Eigen::SparseMatrix<double> matrix;
    Eigen::VectorXd residual;
    Eigen::VectorXd scale;   ///< what the rows were divided by
    double violation = 0.0;  ///< the largest residual beside the terms it is made of
    std::size_t worst = 0;   ///< its row
    double left = 0.0;       ///< it itself
    bool finite = true;

    [[nodiscard]] bool holds() const { return finite && violation <= kMet; }

    static constexpr double kMet = 1e-9;  ///< of a row's own size
};

/// What the rows are made from, at the unknowns x. `entries` are parallel to the pattern's columns; `rounding` bounds
/// what rounding inside a row's terms makes of its residual (so it tells their size); `noise`, of a row scaled to 1, is
/// the size of terms that may have vanished. The last two may be empty.
struct RowValues {
    const Incidence& pattern;
    std::span<const double> x;
    std::span<const double> entries;
    std::span<const double> residuals;
    std::span<const double> rounding;
    std::span<const double> noise;
};
ScaledRows scaled_rows(const RowValues& values);

/// What the unknowns that occur are to move by so that matrix · step = right: see least_change(). `reluctance` by
/// unknown.
Eigen::VectorXd least_step(const ScaledRows& rows, const Eigen::VectorXd& right,
                           std::span<const std::uint8_t> reluctance);

/// A point at which equations hold, from `x` by Gauss–Newton steps (see least_change()) that are shortened until they
/// help; the rows at its end. They may be fewer or more than the unknowns, and depend on each other. `rows_at` gives
/// them at a point, `residuals_at` their residuals alone, which tell whether a step helps; `reluctance` says by unknown
/// what moves first, `longest` how far one step may move it (0: any).
ScaledRows search_least_change(const std::function<ScaledRows(std::span<const double> x)>& rows_at,
                               const std::function<Eigen::VectorXd(std::span<const double> x)>& residuals_at,
                               std::span<const std::uint8_t> reluctance, std::vector<double>& x,
                               std::span<const double> longest = {});

}  // namespace bondgraph::structure
