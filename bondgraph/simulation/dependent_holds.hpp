#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bondgraph/compile/compiled_model.hpp"

namespace bondgraph::simulation {

/// The conditions of closed loops in the unreduced equations of a model. Some may follow from others wherever a
/// mechanism can be (those of Bricard's linkage, or of a hinge and a cross in one plane), and the equations of a jump
/// are singular then, as forces that hold against each other could be anything. Each such condition gives way to a
/// weighted sum of the forces of its part, which is to be 0: any weights single out one of these forces' distributions,
/// and the motion is the same for all.
class DependentHolds {
   public:
    explicit DependentHolds(const compile::CompiledModel& unreduced);

    /// The pattern of the model with places for forces in the rows of conditions, last in these rows.
    [[nodiscard]] const structure::Incidence& pattern() const { return pattern_; }
    [[nodiscard]] bool empty() const { return holds_.empty(); }
    void take_none();
    /// Those that a mode has left out. False where it can't be told which they are here.
    bool take(const compile::CompiledModel& mode);
    /// Those that depend on others at `entries` (of the model's Jacobian).
    void find(std::span<const double> entries);
    /// The Jacobian by pattern(), with rows of dependent conditions exchanged.
    [[nodiscard]] std::vector<double> exchanged(std::span<const double> entries) const;
    /// The same of residuals at a point.
    void exchange(std::span<const double> y, std::span<double> residual) const;

   private:
    struct Hold {
        std::uint32_t row = 0;
        bool eliminated = false;                 ///< what it says is put in elsewhere
        std::vector<std::uint32_t> forces = {};  ///< columns; those that occur in the condition itself are left out
        bool dependent = false;
    };
    /// Of the k-th force in the sum.
    [[nodiscard]] static double weight(const Hold& hold, std::size_t k);

    const compile::CompiledModel& m_;
    std::vector<Hold> holds_;  ///< ascending by row
    structure::Incidence pattern_;
};

}  // namespace bondgraph::simulation
