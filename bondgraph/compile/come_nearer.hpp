#pragma once

#include <span>

#include "bondgraph/compile/start_steps.hpp"

namespace bondgraph::compile {

/// How far a point is from where the search for it began: root of the sum of squares of what has moved, first of
/// unknowns that are to move last, then of others.
struct Distance {
    double of_guessed = 0.0;
    double of_others = 0.0;

    [[nodiscard]] bool below(const Distance& other) const;
};
Distance distance(const StartPoint& point, std::span<const double> begin, std::span<const std::uint32_t> among);

/// From a point at which rows hold along them to the nearest one to `begin`: a search that goes from a point off the
/// rows ends at one that is near, and which, depends on how the conditions are written. Each step goes to the point
/// nearest to `begin` on the rows' tangents (see structure::least_change). Where the rows bend more than that bears,
/// the point may end anywhere: it has to be looked at.
void come_nearer(const PointTape& rows, StartPoint& point, std::span<const double> begin);

}  // namespace bondgraph::compile
