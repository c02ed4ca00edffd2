#pragma once

#include <cstddef>
#include <string>

namespace bondgraph::bench {

/// N four-bars side by side, of rods that share the upright ones: models/mechanics3d/n_four_bar.yaml for any N. One
/// freedom, 3 N + 1 coordinates and as many loops as bars.
struct FourBars {
    std::size_t bars = 1;
    double stop = 3.0;        ///< s
    double tolerance = 1e-6;  ///< relative

    static constexpr double kLength = 1.0;    ///< m
    static constexpr double kMass = 1.0;      ///< kg
    static constexpr double kGravity = 9.81;  ///< m/s2
    static constexpr double kSpeed = 1.0;     ///< m/s, of the top at the start

    /// The angle's second derivative at an angle and any rate: all loops are parallelograms, so that the uprights turn
    /// about their feet and the bars don't turn. With N + 1 uprights and N bars of the same rods it is that of one
    /// pendulum, (N + 1) m l²/3 + N m l² about the foot.
    [[nodiscard]] double acceleration(double angle) const;
};

/// Every component and connection on a line of its own.
std::string to_yaml(const FourBars& model);

}  // namespace bondgraph::bench
