#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "bondgraph/analysis/linearize.hpp"
#include "bondgraph/compile/compiled_model.hpp"

namespace bondgraph::analysis {

// Minimal coordinates of a linear model of orientations.
//
// A quaternion q has four components for three freedoms. Its law is
//
//   q' = 1/2 Xi(q) w + kappa (1 - q.q) q,    Xi(q) = [q4 I + skew(qv); -qv^T],    Xi^T q = 0,  Xi^T Xi = |q|^2 I,
//
// with the angular velocity w resolved in the turned frame, and nothing else in a model depends on |q|. So |q| obeys an
// equation of its own, |q|' = kappa (1 - |q|^2) |q|, and acts on nothing. A deviation dq that leaves |q| as it is does
// so from then on, d|q|' = kappa (1 - 3 |q|^2) d|q|; such deviations are a linear model by themselves, exactly and
// wherever the point is. The pole of d|q|, -2 kappa, is no property of the mechanism.
//
// They are turns by a small angle theta about the axes of the turned frame:
//
//   dq = 1/2 Xi(q) theta,    theta = 2 Xi(q)^T dq / |q|^2.
//
// Along a motion Xi(q) changes, too. Both ways to write their rate are the same (the rates of |q| leave theta alone),
//
//   dq' = 1/2 Xi(1/2 Xi(q) w) theta + 1/2 Xi(q) theta'  =  1/2 Xi(1/2 Xi(q) theta) w + 1/2 Xi(q) dw,
//
// and as Xi(q) a is the product of the quaternions q and [a, 0], Xi(Xi(q) a) b - Xi(Xi(q) b) a = 2 Xi(q) (a x b). What
// is left is the rate by which turns are carried along with the frame,
//
//   theta' = -w x theta + dw,
//
// and needs the deviations of q and w only.
//
// In a tree all four components are states, and theta takes their place. In closed loops others stand for some of them.
// The n components that are states of m such quaternions then give way to n - m components of the turns, those that
// tell most of the states; d|q| = 0 is the rest. What is left are positions and speeds that are independent.

/// A quaternion of which at least one component is a state.
struct Quaternion {
    std::string turn;                                 ///< "ball.theta"
    std::array<std::optional<std::size_t>, 4> state;  ///< of each component its place among the states, if it is one
    std::array<expression::Expr, 4> q;                ///< in unknowns
    std::array<expression::Expr, 3> w;                ///< its angular velocity, in unknowns

    [[nodiscard]] bool all_states() const;
};

/// In the order of the elements.
std::vector<Quaternion> quaternions_among_states(const compile::CompiledModel& model);

/// Outputs that turns are made of: seven of each quaternion, q and w.
std::vector<expression::Expr> outputs_of(std::span<const Quaternion> quaternions);

/// Turns in place of quaternions. The last rows of C and D, beyond the model's outputs, belong to outputs_of(), whose
/// values at the point are given; they are taken away.
void replace_by_turns(LinearModel& model, std::span<const Quaternion> quaternions, std::span<const double> values);

}  // namespace bondgraph::analysis
