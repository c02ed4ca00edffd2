#pragma once

#include <Eigen/SparseCore>
#include <span>
#include <vector>

#include "bondgraph/compile/point_tape.hpp"

namespace bondgraph::compile {

/// Where a search for a start has come to.
struct StartPoint {
    std::vector<double> x;  ///< the unknowns
    double time = 0.0;
    std::vector<double> held;
    std::vector<std::uint8_t> reluctance;     ///< by unknown (see Reluctance)
    std::vector<std::uint32_t> column_depth;  ///< by unknown: when it comes (see StartSearch::depths)
};

/// Rows (0 = row) at a point: residuals and the Jacobian by the variables that occur, each row divided by its largest
/// derivative.
struct StartRows {
    std::vector<std::uint32_t> columns;
    Eigen::SparseMatrix<double> matrix;
    Eigen::VectorXd residual;
    Eigen::VectorXd scale;   ///< what the rows were divided by
    double violation = 0.0;  ///< the largest residual against the size of the terms in it
    std::size_t worst = 0;   ///< its row
    double left = 0.0;       ///< it itself
    bool finite = true;

    [[nodiscard]] bool holds() const { return finite && violation <= kMet; }

    static constexpr double kMet = 1e-9;  ///< of a row's own size
};

/// `depth`: by row, when it comes; nothing where all come at once.
StartRows linearize(const PointTape& tape, const StartPoint& point, std::span<const std::uint32_t> depth);

/// Damped Gauss–Newton that moves only what has to move; the rows at its end.
StartRows approach(const PointTape& tape, StartPoint& point, std::span<const std::uint32_t> depth);

}  // namespace bondgraph::compile
