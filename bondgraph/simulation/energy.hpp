#pragma once

#include <optional>

#include "bondgraph/simulation/evaluator.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

/// Stored energy at an instant, or what it changed by.
struct StoredEnergy {
    double storages = 0.0;
    double lossy = 0.0;              ///< in elements that also dissipate
    double own_types = 0.0;          ///< declared by `energy:`; what such a type takes beyond it is lost
    std::vector<double> by_element;  ///< parallel to CompiledModel::energy; empty where the audit is not by element

    [[nodiscard]] double all() const { return storages + lossy + own_types; }
    StoredEnergy& operator+=(const StoredEnergy& other);
    friend StoredEnergy operator-(const StoredEnergy& a, const StoredEnergy& b);
};

/// What jumps of the states have brought about, added up.
struct JumpBooks {
    std::vector<double> impulses;  ///< by bond variable: ∫e dt and ∫f dt over the jumps
    std::vector<double> taken;     ///< by energy term: ∫ power into the element over the jumps, in joule
    std::vector<double> bonds;     ///< the same along each bond, in the direction of its variables; 0 for pseudo bonds
    StoredEnergy stored;           ///< what the stored energy has changed by in them; by element

    [[nodiscard]] bool any() const { return !impulses.empty(); }
    JumpBooks& operator+=(const JumpBooks& other);
    friend JumpBooks operator-(const JumpBooks& a, const JumpBooks& b);
};

/// What the audit has added up when the run has reached a time.
struct EnergyReading {
    double time = 0.0;
    std::vector<double> integrals;
    StoredEnergy stored;
    StoredEnergy lost;  ///< from storages where events changed states without an impulse
    JumpBooks jumps;
};

/// The energy balance of a run: powers to integrate along, stored energy to compare at both ends.
/// moved = ½ ∫ Σ |power of each element| dt, the energy that changed hands, or the energy stored where that is more
/// (a body spinning freely moves none): the yardstick of the imbalance.
class EnergyAudit {
   public:
    EnergyAudit(const compile::CompiledModel& model, bool by_element);

    static constexpr std::size_t kBooks = 4;  ///< so many of powers() make up the balance
    static constexpr std::size_t kHeld = 4;   ///< of these, what conditions on positions supply: 0 but for errors
    static constexpr std::size_t kMoved = 5;  ///< and the power that changes hands
    [[nodiscard]] const expression::Tape& powers() const { return powers_; }
    /// The first kBooks of them, or all where the audit is by element: what has to be known exactly.
    [[nodiscard]] const expression::Tape& books() const { return by_element_ ? powers_ : books_; }
    /// So many of powers(), but for kMoved, are smooth where the model is; absolute values by element follow.
    [[nodiscard]] std::size_t smooth() const { return smooth_; }
    /// The first element whose power has no finite value at a point.
    [[nodiscard]] std::optional<model::ElementId> not_finite(Evaluator& evaluator, const Point& point) const;
    [[nodiscard]] StoredEnergy stored(Evaluator& evaluator, const Point& point) const;
    /// Of the time between two readings.
    [[nodiscard]] EnergyBalance balance(const EnergyReading& from, const EnergyReading& to) const;

   private:
    void add_by_element(EnergyBalance& balance, const std::vector<double>& integrals, const StoredEnergy& change,
                        const StoredEnergy& lost, const JumpBooks& jumps) const;

    const compile::CompiledModel& model_;
    bool by_element_;
    std::size_t smooth_ = 0;
    /// Supplied, dissipated, stored without closed form, other, held, moved; then by element, by bond, and absolute
    /// values by element.
    expression::Tape powers_;
    expression::Tape books_;
    expression::Tape stored_;
};

/// The audits of a model.
struct EnergyInAll : EnergyAudit {
    explicit EnergyInAll(const compile::CompiledModel& model) : EnergyAudit(model, false) {}
};
struct EnergyByElement : EnergyAudit {
    explicit EnergyByElement(const compile::CompiledModel& model) : EnergyAudit(model, true) {}
};

}  // namespace bondgraph::simulation
