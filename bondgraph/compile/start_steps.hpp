#pragma once

#include <span>
#include <vector>

#include "bondgraph/compile/point_tape.hpp"
#include "bondgraph/structure/least_change_search.hpp"

namespace bondgraph::compile {

/// Where a search for a start has come to.
struct StartPoint {
    std::vector<double> x;  ///< the unknowns
    double time = 0.0;
    std::vector<double> held;
    std::vector<std::uint8_t> reluctance;     ///< by unknown (see Reluctance)
    std::vector<std::uint32_t> column_depth;  ///< by unknown: when it comes (see StartSearch::depths)
    std::vector<double> longest = {};         ///< by unknown: no step moves it farther; 0, or none: any
    /// Unknowns that together have length 1 (quaternions): brought to it after every search.
    std::vector<std::vector<std::uint32_t>> unit_length = {};
    std::vector<bool> frozen = {};  ///< by unknown: stays as it is; none where empty

    /// Angles of closed loops that are 0 but for what a search leaves: products of such say something of nothing.
    void drop_rounding();
    void normalize();
};

/// No step turns an angle of a closed loop farther, in rad: a linear step says nothing of longer ways.
inline constexpr double kLongestTurn = 0.5;

/// What is known of rows; nothing where empty.
struct RowHints {
    std::span<const std::uint32_t> depth = {};    ///< when a row comes; all at once otherwise
    std::span<const std::uint8_t> of_loops = {};  ///< conditions of closed loops, in m or rad
};

/// Rows (0 = row) at a point. A condition of a closed loop that nothing changes by more than rounding asks for nothing.
structure::ScaledRows linearize(PointJacobian& jacobian, const StartPoint& point, const RowHints& hints);

/// Moves only what has to move until the rows hold; the rows at its end.
structure::ScaledRows approach(const PointTape& tape, StartPoint& point, const RowHints& hints);

}  // namespace bondgraph::compile
