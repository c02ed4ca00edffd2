#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "bondgraph/compile/equations.hpp"
#include "bondgraph/compile/point_tape.hpp"

namespace bondgraph::compile {

class CoordinateRates;

/// Conditions on coordinates that bring the loops of one mechanism together.
struct AssemblyProblem {
    const EquationSystem* system = nullptr;
    std::vector<Expr> residuals;
    std::vector<model::ElementId> parts;  ///< parallel: the part that holds
    std::vector<Expr> gaps;               ///< parallel to residuals: how far they are from being met, in m or rad
    std::vector<Expr> upright;            ///< what has to be positive then
    std::vector<model::ElementId> upright_parts;  ///< parallel
    std::vector<std::uint32_t> variables;         ///< the coordinates, ascending
    std::function<Expr(Expr)> kinematics;         ///< an expression of the model in coordinates
};

/// A position of a mechanism in which its loops are closed.
struct Assembly {
    ChoicePoint point;
    std::vector<double> before = {};  ///< parallel to AssemblyProblem::variables: from where it was searched for
    std::vector<bool> given = {};     ///< parallel: start values of the file say something of these
    std::optional<OutOfReach> out_of_reach = {};
};

/// The position nearest to the start values: fixed ones hold if there is one with them, others and what has none give
/// way by as little as they have to. Throws ModelError BG-I007: the nearest leaves a gap.
Assembly assemble(const AssemblyProblem& problem);

/// Whether a coordinate is an angle or a component of a quaternion.
bool is_number(const model::BondGraph& graph, std::uint32_t variable);
/// The quaternions among coordinates, component by component.
std::vector<std::vector<std::uint32_t>> quaternions(const model::BondGraph& graph,
                                                    const std::vector<std::uint32_t>& variables);

/// Per quaternion what is 0 where its length is 1, which no equation says.
std::vector<Expr> lengths_of(expression::Graph& graph, const std::vector<std::vector<std::uint32_t>>& quaternions);

/// Which conditions say something of their own.
struct NeededRows {
    /// Per condition, false where others imply it wherever the coordinates are (those of a loop in a plane across it,
    /// also where axes are parallel to seven digits only), or where there are more than coordinates; it is implied
    /// where the loops are closed then.
    std::vector<bool> needed;
    double weakest = 1.0;  ///< what that one of them which says least says of its own, beside 1
};

/// `rates`: those of the coordinates, for LoopRows::by_rates.
NeededRows needed_rows(const AssemblyProblem& problem, const Assembly& assembly, LoopRows rows,
                       const std::optional<CoordinateRates>& rates);

/// Whether the rates of the needed conditions stay independent along a motion that these leave, over more than a turn
/// of whatever turns fastest. They don't where they are told in a frame that turns with a wheel: what was across is
/// ahead after a quarter of a turn.
bool stay_independent(const AssemblyProblem& problem, const Assembly& assembly, const std::vector<bool>& needed,
                      const CoordinateRates& rates);

}  // namespace bondgraph::compile
