#pragma once

#include <Eigen/Core>
#include <cstddef>

namespace bondgraph::simulation {

/// The i-th of Chebyshev's n + 1 points on [0, 1], from 0 on. Those of n are among those of 2 n.
double chebyshev_point(std::size_t i, std::size_t n);

/// The polynomial through values at these points: its derivative there, and the weights of its integral (Trefethen:
/// Spectral Methods in MATLAB, 2000, chapters 6 and 12).
struct Chebyshev {
    explicit Chebyshev(std::size_t n);
    Eigen::MatrixXd derivative;
    Eigen::VectorXd weight;
};

}  // namespace bondgraph::simulation
