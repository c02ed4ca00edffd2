#pragma once

#include <cstdint>
#include <unordered_map>
#include <vector>

#include "bondgraph/simulation/integrator.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

/// Adds up along a run what the integrator estimates of the error of its steps, by state and as far as that costs next
/// to nothing: it looks at every fourth step.
class ErrorWatch {
   public:
    /// To be told of the end of every step.
    void step(const compile::CompiledModel& model, Integrator& integrator);
    /// At the end of a run, whose balance is known. `moved`: the energy that changed hands, without what was stored.
    [[nodiscard]] ErrorRecord report(const EnergyBalance& energy, double moved) const;

   private:
    struct State {
        double error = 0.0;  ///< sum of |local error|
        double low = 0.0;
        double high = 0.0;
        double magnitude = 0.0;
        double extreme = 0.0;  ///< since the last turn
        double turns = 0.0;
        bool rising = true;

        void take(double value, double local_error, double magnitude_now);
        [[nodiscard]] double range() const;
    };
    void enter(const compile::CompiledModel& model);

    std::vector<State> states_;
    std::unordered_map<std::uint32_t, std::uint32_t> place_of_;  ///< of a variable among them
    const compile::CompiledModel* model_ = nullptr;              ///< that `places_` are for
    std::vector<std::uint32_t> places_;
    long steps_ = 0;
};

}  // namespace bondgraph::simulation
