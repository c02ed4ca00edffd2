#pragma once

#include <optional>

#include "bondgraph/expression/tangents.hpp"
#include "bondgraph/simulation/newton_matrix.hpp"
#include "bondgraph/simulation/rate_block.hpp"

namespace bondgraph::simulation {

/// Local errors of mechanisms as they go on: J⁻¹ c M e instead of e, with M = ∂F/∂y' and Newton's matrix
/// J = ∂F/∂y + c M.
///
/// Where a stiff spring or bearing holds two parts, BDF's formula leaves an error of the order step^k in the velocity
/// along it, and changes of step and order change that error. The spring takes it back within the next step, so nothing
/// of it reaches the motion; taken as a local error it holds order and step down to the spring's own time constants.
/// What J⁻¹ c M lets pass is what remains after one more step: errors of motions that are slow against the step stay as
/// they are, those of fast ones vanish as 1/(step·rate). (Shampine, Baca: Error estimators for stiff differential
/// equations, J. Comput. Appl. Math. 11, 1984; Hairer, Wanner: Solving Ordinary Differential Equations II, 2nd ed.,
/// section IV.8.)
class ErrorFilter {
   public:
    /// `rows`: those of rates that stand together; all others have no rate but their own.
    ErrorFilter(Evaluator& evaluator, std::span<const std::uint32_t> rows);

    /// M and c of the point where Newton's matrix is made.
    void keep(double time, std::span<const double> y, std::span<const double> yp, double c);
    [[nodiscard]] bool ready() const { return c_ != 0.0; }
    /// Overwrites an error with what passes. `block` holds the rows that stand together.
    void apply(std::span<double> error, const RateBlock* block, NewtonMatrix& newton);

   private:
    Evaluator& ev_;
    expression::Tangents own_;  ///< what each row becomes when all rates grow by one
    std::vector<double> speeds_;
    std::vector<double> slopes_;
    std::vector<bool> together_;
    double c_ = 0.0;
};

}  // namespace bondgraph::simulation
