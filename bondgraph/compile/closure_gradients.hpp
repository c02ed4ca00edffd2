#pragma once

#include <random>

#include "bondgraph/compile/assembly.hpp"

namespace bondgraph::compile {

/// What conditions hold to where loops are closed, beside their terms.
inline constexpr double kClosed = 1e-9;

/// Axes that are off by no more, as by digits left out, are meant to be parallel: rad, or a row of a condition beside
/// its size.
inline constexpr double kParallel = 3e-7;

/// Residuals of an assembly's conditions, or other expressions in its coordinates, at a point.
PointTape tape_of(const AssemblyProblem& problem, const std::vector<Expr>& rows);

/// Whether a coordinate is an angle of a joint: a number without dimension, but no component of a quaternion.
bool is_angle(const model::BondGraph& graph, std::uint32_t variable);

/// Gradients of the conditions, rows by condition, columns by coordinate.
class ClosureGradients {
   public:
    explicit ClosureGradients(const AssemblyProblem& problem)
        : p_(problem), tape_(tape_of(problem, problem.residuals)) {}

    [[nodiscard]] const PointTape& tape() const { return tape_; }
    [[nodiscard]] Eigen::MatrixXd at(const ChoicePoint& point) const;

   private:
    const AssemblyProblem& p_;
    PointTape tape_;
};

/// By row, the largest gradient among the rows of its kind: those of distances are lengths, those of angles numbers.
/// Where all of a kind are rounding beside the terms they are made of (the tilt of a hinge in a plane that lies
/// anyhow), the size of these terms.
std::vector<double> sizes_of(const AssemblyProblem& problem, const ClosureGradients& gradients, const ChoicePoint& at);

/// With 0 for rows that say nothing beside others of the same kind: what is left of them by numbers that cancel.
Eigen::MatrixXd without_rounding(Eigen::MatrixXd gradients, const std::vector<double>& sizes);

/// Anywhere, whether the conditions hold there or not.
ChoicePoint elsewhere(const AssemblyProblem& problem, ChoicePoint at, double length, std::minstd_rand& random);

/// Gradients at places anywhere, rows in units of their kind, what is rounding as 0.
std::vector<Eigen::MatrixXd> gradients_elsewhere(const AssemblyProblem& problem, const ClosureGradients& gradients,
                                                 const ChoicePoint& near);

}  // namespace bondgraph::compile
