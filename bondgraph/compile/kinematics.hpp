#pragma once

#include <functional>
#include <vector>

#include "bondgraph/compile/equations.hpp"

namespace bondgraph::compile {

/// Positions and orientations of connectors as functions of the coordinates they follow from: what components say of
/// the signals of their connectors, put into each other.
class Kinematics {
   public:
    /// `at_rest`: signals (their first variables) of a connector that is taken to stand still at the origin, so that
    /// positions are those against it.
    explicit Kinematics(const EquationSystem& system, const model::Connector* at_rest = nullptr);
    [[nodiscard]] Expr in_coordinates(Expr e);
    /// The equations that give such signals, by variable (kNone: none).
    [[nodiscard]] const std::vector<std::uint32_t>& equations() const { return equation_of_; }

   private:
    [[nodiscard]] std::vector<std::uint32_t> open_variables(Expr e) const;
    void resolve(std::uint32_t variable);
    [[nodiscard]] Expr replaced(Expr e);

    expression::Graph& graph_;
    std::vector<std::uint32_t> equation_of_;  ///< variable → its equation, or kNone
    std::vector<bool> known_;                 ///< variable: `value_` is in coordinates
    std::vector<Expr> value_;
    const EquationSystem& s_;
};

/// The pose of a connector as `in_coordinates` has it: x, then R (components in World to components in its frame) row
/// by row, also of frames in the plane.
std::vector<Expr> pose_of(const model::BondGraph& graph, const model::Connector& connector,
                          const std::function<Expr(Expr)>& in_coordinates);

}  // namespace bondgraph::compile
