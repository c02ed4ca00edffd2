#pragma once

#include <Eigen/Core>
#include <cstddef>
#include <functional>
#include <vector>

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

inline constexpr std::size_t kFinestWay = 32;    ///< intervals between Chebyshev's points
inline constexpr double kExactEnergies = 1e-10;  ///< energies are right to this share of the largest of them

/// Energies with 2, 4, … intervals, up to kFinestWay, until they stay. An empty answer ends this at what there is.
std::vector<double> refined(std::vector<double> energies,
                            const std::function<std::vector<double>(std::size_t intervals)>& with);

}  // namespace bondgraph::simulation
