#pragma once

#include <span>
#include <vector>

#include "bondgraph/compile/form_parts.hpp"
#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/compile/redundancy.hpp"

namespace bondgraph::compile {

/// Coordinates of closed loops as functions of others, where the joints that close a loop are a dyad in a plane (three
/// hinges, two hinges and a slide in any order), a rod to a hinge or a slide in space, or a rod on a universal joint to
/// one of these, or of variable length. Found from what conditions and frames say of themselves (axes and pins follow
/// from derivatives by the coordinates), whatever components make them, and believed only where they give the
/// coordinates that the conditions do, at the point and elsewhere. A closed form is good for one way of bending; where
/// the rods may come to lie in line as the other coordinates go all the way round, there is none.
class ClosedForms {
   public:
    ClosedForms(const ReducedSystem& system, const ChoicePoint& at);

    /// `conditions`: of the positions at one place, as many as `coordinates`, which they determine. Empty: none.
    [[nodiscard]] std::vector<ClosedForm> at(const ClosedLoops::Place& place, std::span<const Expr> conditions,
                                             std::span<const std::uint32_t> coordinates) const;

    /// Whether an expression keeps its sign, and a share of its largest size, wherever the coordinates in it are.
    [[nodiscard]] bool never_vanishes(Expr e) const;

   private:
    struct Frames;
    class Elsewhere;

    [[nodiscard]] std::optional<Frames> frames(const ClosedLoops::Place& place) const;
    [[nodiscard]] std::vector<ClosedForm> in_plane(const Frames& both, std::span<const Expr> conditions,
                                                   std::span<const std::uint32_t> coordinates) const;
    [[nodiscard]] std::vector<ClosedForm> in_space(const ClosedLoops::Place& place, std::span<const Expr> conditions,
                                                   std::span<const std::uint32_t> coordinates) const;
    [[nodiscard]] std::vector<ClosedForm> rod_on_cross(const std::array<Expr, 3>& vanishes,
                                                       std::span<const std::uint32_t> coordinates) const;
    [[nodiscard]] std::vector<ClosedForm> pair(const PlaneVector& vanishes,
                                               std::span<const std::uint32_t> coordinates) const;
    [[nodiscard]] std::vector<ClosedForm> held_by_pin(const Frames& frames,
                                                      std::span<const std::uint32_t> coordinates) const;
    [[nodiscard]] std::vector<ClosedForm> held_rigidly(const Frames& frames, std::span<const Expr> conditions,
                                                       std::span<const std::uint32_t> coordinates) const;
    [[nodiscard]] std::optional<FormJudge> judge(std::span<const Expr> vanishes,
                                                 std::span<const std::uint32_t> coordinates) const;
    [[nodiscard]] ClosedForm form(std::uint32_t variable, const SolvedCoordinate& solved) const;
    [[nodiscard]] bool hold(std::vector<ClosedForm>& forms, std::span<const Expr> conditions) const;
    [[nodiscard]] std::vector<std::vector<double>> values(std::span<const Expr> all,
                                                          std::span<const Elsewhere> points) const;
    [[nodiscard]] std::vector<std::vector<double>> all_over(std::span<const Expr> all,
                                                            std::span<const std::uint32_t> others) const;
    [[nodiscard]] bool only_coordinates(std::span<const Expr> all, std::vector<std::uint32_t>& variables) const;

    const ReducedSystem& s_;
    const ChoicePoint& at_;
    expression::Graph& graph_;
    std::vector<std::uint8_t> coordinate_;    ///< by variable: 0 none, 1 of another kind, 2 an angle
    mutable expression::InputLayout layout_;  ///< of no variable, between calls: as long as all of a large model
};

}  // namespace bondgraph::compile
