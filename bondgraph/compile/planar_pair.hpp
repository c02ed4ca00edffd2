#pragma once

#include <array>
#include <optional>

#include "bondgraph/compile/form_parts.hpp"

namespace bondgraph::compile {

/// Two coordinates a and b of a planar mechanism (variables) as functions of the others, where a vector that has to
/// vanish depends on them as two rods do (each on a pin of its own, or one carrying the other), or as a rod and a
/// slider, or a slider on a turning guide:
///
///   0 = K + A e^(±ia) + B e^(±ib)          three pins: the triangle of A, B and −K
///   0 = K + A e^(±ia) + u b                a rod and a slider
///   0 = K + e^(±ia) (M + u b)              a slider on a turning guide
///   0 = K + e^(±ia) (M + N e^(±ib))        three pins, one rod carried by the other
///
/// with K, A, B, u, M, N functions of the others. The way of bending is that of the point. Angles go on beyond half
/// turns: what they are found from never points along the cut of the arc tangent, wherever the others are, and never
/// are the rods in line; otherwise there is no closed form. Angles are right but for whole turns.
std::optional<std::array<SolvedCoordinate, 2>> solve_planar_pair(const PlaneVector& vanishes, std::uint32_t a,
                                                                 std::uint32_t b, const FormJudge& judge);

}  // namespace bondgraph::compile
