#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "bondgraph/expression/expr.hpp"

namespace bondgraph::compile {

using expression::Expr;

/// A vector of a plane as a complex number.
struct PlaneVector {
    Expr re = 0.0;
    Expr im = 0.0;
};

/// A coordinate as a function of others.
struct SolvedCoordinate {
    Expr value;
    std::optional<PlaneVector> turn = {};  ///< of an angle, its cosine and sine, without any arc functions
    /// Arc tangents in the value, each with the squared length of what it is the angle of.
    std::vector<std::pair<Expr, Expr>> arcs = {};
};

/// What a closed form is judged by: numbers at the point it is made for, at places beside it, and over whole turns.
struct PairJudge {
    /// Expressions at the point first, then at places that are no positions of the mechanism.
    std::function<std::vector<std::vector<double>>(std::span<const Expr>)> anywhere;
    /// Expressions of the other coordinates wherever these may be; nothing where there are too many places.
    std::function<std::vector<std::vector<double>>(std::span<const Expr>)> all_over;
    std::vector<std::uint32_t> others;  ///< coordinates that are known (variables)
};

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
                                                                 std::uint32_t b, const PairJudge& judge);

}  // namespace bondgraph::compile
