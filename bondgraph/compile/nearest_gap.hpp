#pragma once

#include "bondgraph/compile/assembly.hpp"

namespace bondgraph::compile {

/// How far a loop that can't be brought together stays apart.
struct NearestGap {
    double size = 0.0;  ///< in m, or where its points meet in rad
    bool angle = false;
    model::ElementId part;  ///< that holds where the gap is largest
};

/// Distances first, whatever directions are: as near as the points of the loops come to each other. Only where they all
/// meet, directions: the least that is left of these while the points stay together. A mean of both in one search
/// would tell neither. By Levenberg and Marquardt's steps from a point and from some places drawn at random.
NearestGap nearest_gap(const AssemblyProblem& problem, const ChoicePoint& from);

}  // namespace bondgraph::compile
