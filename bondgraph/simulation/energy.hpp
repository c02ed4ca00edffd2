#pragma once

#include "bondgraph/simulation/evaluator.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

/// The energy balance of a run: powers to integrate along, stored energy to compare at both ends.
/// moved = ½ ∫ Σ |power of each element| dt, the energy that changed hands, or the energy stored where that is more
/// (a body spinning freely moves none): the yardstick of the imbalance.
class EnergyAudit {
   public:
    EnergyAudit(const compile::CompiledModel& model, bool by_element);

    [[nodiscard]] const expression::Tape& powers() const { return powers_; }
    [[nodiscard]] double stored(Evaluator& evaluator, const Point& point);
    [[nodiscard]] EnergyBalance balance(const std::vector<double>& integrals, double stored_before,
                                        double stored_after) const;

   private:
    const compile::CompiledModel& model_;
    bool by_element_;
    expression::Tape powers_;  ///< supplied, dissipated, stored without closed form, other, moved, then by element
    expression::Tape stored_;
    std::vector<double> work_;
};

}  // namespace bondgraph::simulation
