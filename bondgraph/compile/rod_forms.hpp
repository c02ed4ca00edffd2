#pragma once

#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "bondgraph/compile/form_parts.hpp"

namespace bondgraph::compile {

/// A coordinate and whether it is an angle.
struct RodCoordinate {
    std::uint32_t variable = 0;
    bool angle = false;
};

/// A coordinate x as a function of the others, where what has to vanish depends on it as the distance of two points
/// does of which one turns about an axis or slides along a line:
///
///   0 = C + A cos x + B sin x
///   0 = a x² + 2 b x + c
///
/// with A, B, C, b, c functions of the others and a number a. Which of both solutions it is follows from the point; the
/// two never come near each other, wherever the others are, otherwise there is no closed form. Angles are right but for
/// whole turns.
std::optional<SolvedCoordinate> solve_distance(expression::Graph& graph, Expr vanishes, RodCoordinate x,
                                               const FormJudge& judge);

/// Three coordinates as functions of the others and of each other, in an order in which they follow, where a vector of
/// space that has to vanish leads from the end of a rod on a universal joint to a point:
///
///   0 = S − Turn(n, p) Turn(m, q) w        m across n
///
/// Of S (another joint moves the point) and w (the rod has a slide) one depends on the third coordinate. It follows
/// from the length, then both angles from the direction, which never comes near n. Empty: none.
std::vector<std::pair<std::uint32_t, SolvedCoordinate>> solve_rod_on_cross(
    expression::Graph& graph, const std::array<Expr, 3>& vanishes, const std::array<RodCoordinate, 3>& coordinates,
    const FormJudge& judge);

}  // namespace bondgraph::compile
