#pragma once

#include "bondgraph/simulation/evaluator.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

/// Stored energy at an instant.
struct StoredEnergy {
    double storages = 0.0;
    double lossy = 0.0;      ///< in elements that also dissipate
    double own_types = 0.0;  ///< declared by `energy:`; what such a type takes beyond it is lost
    [[nodiscard]] double all() const { return storages + lossy + own_types; }
};

/// The energy balance of a run: powers to integrate along, stored energy to compare at both ends.
/// moved = ½ ∫ Σ |power of each element| dt, the energy that changed hands, or the energy stored where that is more
/// (a body spinning freely moves none): the yardstick of the imbalance.
class EnergyAudit {
   public:
    EnergyAudit(const compile::CompiledModel& model, bool by_element);

    [[nodiscard]] const expression::Tape& powers() const { return powers_; }
    [[nodiscard]] StoredEnergy stored(Evaluator& evaluator, const Point& point);
    [[nodiscard]] EnergyBalance balance(const std::vector<double>& integrals, const StoredEnergy& before,
                                        const StoredEnergy& after, double lost_in_events) const;

   private:
    const compile::CompiledModel& model_;
    bool by_element_;
    expression::Tape powers_;  ///< supplied, dissipated, stored without closed form, other, moved, then by element
    expression::Tape stored_;
    std::vector<double> work_;
};

}  // namespace bondgraph::simulation
