#pragma once

#include <memory>
#include <vector>

#include "bondgraph/simulation/energy.hpp"
#include "bondgraph/simulation/impulse.hpp"

namespace bondgraph::simulation {

/// The energy that every bond carries in a jump: ∫e df̂ + ∫f dê, ê and f̂ being the impulses so far, along the way on
/// which the laws that have changed are brought in linearly. All other laws and the junctions hold at every place of
/// it, so the energies of all elements add up to zero; what a storage takes is to be what it has gained, which is a
/// test of the way and not put into it. Of straight laws the way is a straight line, and the mean of both ends is
/// exact; of others it is solved for at Chebyshev's points.
class JumpEnergy {
   public:
    /// `first` must outlive this.
    explicit JumpEnergy(const compile::CompiledModel& first) : first_(first) {}

    /// Of the jump `step` from `before` to `after`, `from` being the states it set out from.
    [[nodiscard]] JumpBooks book(Impulses& impulses, const Snapshot& from, const ImpulseStep& step,
                                 const Instant& before, const Instant& after);

   private:
    /// Values and impulses so far, of bond variables.
    struct Place {
        std::vector<double> value;
        std::vector<double> impulse;
    };
    struct End {
        std::uint32_t component = 0;
        double sign = 1.0;  ///< of the bond's power into the element
    };

    void prepare(const Findings& raw);
    [[nodiscard]] StoredEnergy stored(Evaluator& raw, const Instant& at, double time);
    [[nodiscard]] std::vector<double> along(const std::vector<const Place*>& places) const;
    [[nodiscard]] std::vector<double> taken(const std::vector<double>& components) const;
    [[nodiscard]] bool bent(const std::vector<double>& taken, const StoredEnergy& change) const;
    std::vector<double> follow(Impulses& impulses, const Snapshot& from, const Instant& before, const Instant& after,
                               const Place& first, const Place& last);

    const compile::CompiledModel& first_;
    std::vector<std::vector<End>> ends_;  ///< by energy term
    const EnergyAudit* audit_ = nullptr;  ///< on the unreduced equations
};

}  // namespace bondgraph::simulation
