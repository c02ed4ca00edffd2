#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bondgraph/simulation/energy.hpp"
#include "bondgraph/simulation/foresight.hpp"
#include "bondgraph/simulation/integrator.hpp"
#include "bondgraph/simulation/mode_tapes.hpp"
#include "bondgraph/simulation/shared_modes.hpp"
#include "bondgraph/structure/exchange_gain.hpp"

namespace bondgraph::simulation {

/// A model in one mode, with what runs on it. Its evaluator's segment and held values are set when the mode is entered.
struct Mode {
    std::vector<double> key;                                 ///< values of the structural discrete variables
    std::shared_ptr<const compile::CompiledModel> compiled;  ///< owns what it refers to, but for the first mode's
    std::shared_ptr<const causality::CausalGraph> causal;    ///< of modes other than the first
    const compile::CompiledModel* model = nullptr;           ///< `compiled`
    std::unique_ptr<Evaluator> evaluator;
    const ModeTapes* tapes = nullptr;
    std::shared_ptr<const OutputTape> outputs;
    const EnergyAudit* audit = nullptr;  ///< none without an energy account
    bool powers_timely = true;           ///< time itself stands in the equations, or in the powers of elements
    std::vector<double> output_work, variable_work, reduced_work, coefficient_work;
    std::vector<double> difference_work, update_work, condition_work, action_work;
    std::vector<double> removed_work;
    std::vector<double> removed_size;  ///< the most their variables contributed where that was looked at
    std::unique_ptr<Foresight> foresight;
    std::unique_ptr<Integrator> integrator;           ///< once the mode has run
    std::optional<structure::ExchangeGain> exchange;  ///< made when first asked for
    double reserve = 1.0;              ///< by what the exchange gain may grow before the choice is a bad one
    double gain = 0.0;                 ///< by an exchange of states, at the last look that found it large
    double gain_kept = 0.0;            ///< exchange gain up to which the choice of states was found to be a good one
    std::vector<double> coefficients;  ///< of the constraints where the choice of states was last looked at
    std::optional<expression::Enclosures> difference_bounds;  ///< of relations
    std::vector<double> relation_scale;                       ///< largest difference seen of each relation
    std::vector<double> relation_rounding;                    ///< what rounding made of it at the last event

    /// Below this, a relation's difference is rounding.
    [[nodiscard]] double blur(std::size_t relation) const;
};

/// The modes of a run, each compiled when it is first entered unless an earlier run has done so.
class Modes {
   public:
    /// `first` and what it refers to must outlive this.
    Modes(const compile::CompiledModel& first, const Settings& settings, const std::vector<Signal>& signals);

    [[nodiscard]] Mode& first() { return *first_; }
    /// The mode for values of all discrete variables, with the states it was first entered with. `find_point`: where
    /// states are chosen if it is entered for the first time. Throws ModelError when the model has no causality or no
    /// solvable equations there.
    Mode& at(const std::vector<double>& discretes, const compile::FindPoint& find_point);
    /// The same mode with states chosen by numbers and constraints implied by others left out: for equations that turn
    /// out singular.
    Mode& reduced(Mode& mode, const compile::FindPoint& find_point);
    /// A constraint that was left out as implied by others and is violated at a point: index into the choice's
    /// redundant equations.
    [[nodiscard]] std::optional<std::size_t> violated(Mode& mode, const Point& point);
    /// A point of a mode whose states were chosen by numbers, as the variables they are chosen from.
    [[nodiscard]] compile::ChoicePoint choice_point(Mode& mode, const Point& point) const;
    /// compile::coefficients_at() such a point.
    [[nodiscard]] static std::vector<double> coefficients(Mode& mode, const Point& point);
    /// The point with the rates of algebraic unknowns whose derivatives are variables, too (the coordinates of closed
    /// loops and their velocities): an integrator that begins with rates of 0 takes what they move by for an error.
    [[nodiscard]] Point with_all_rates(Mode& mode, const Point& point) const;
    /// Whether the closed forms of a mode bend the rods the way they are at a point, and count turns alike.
    [[nodiscard]] static bool bends_as(const Mode& mode, const compile::ChoicePoint& at);
    /// Whether the chosen states of a mode determine the rest so badly at a point that others should be taken; false
    /// where nothing was chosen by numbers.
    [[nodiscard]] static bool badly_chosen(Mode& mode, const compile::ChoicePoint& at);
    /// The same where the coefficients there (compile::coefficients_at) are known.
    [[nodiscard]] static bool badly_chosen(Mode& mode, const std::function<compile::ChoicePoint()>& at,
                                           std::vector<double> coefficients);
    /// Whether the coefficients that a mode's choice depends on have changed enough since it was last looked at.
    [[nodiscard]] static bool moved(const Mode& mode, std::span<const double> coefficients);
    /// What judges a choice made by numbers.
    static structure::ExchangeGain& exchange(Mode& mode);
    /// The mode with states chosen anew at a point (the same mode where the choice is the same).
    Mode& rechoose(Mode& mode, compile::ChoicePoint at);
    [[nodiscard]] std::vector<double> key_of(const std::vector<double>& discretes) const;
    /// The unreduced equations, good for all modes in which the same conditions on positions are there: which of them
    /// are decides what is differentiated.
    CompiledMode raw(std::span<const double> held);
    [[nodiscard]] const Settings& settings() const { return settings_; }
    /// What comes out of the model's delays, for all modes. Must outlive this.
    void follow(Delays& delays);
    [[nodiscard]] double span() const { return settings_.stop - settings_.start; }
    [[nodiscard]] std::size_t count() const { return modes_.size(); }
    /// All modes that exist, for sums over what ran in them.
    [[nodiscard]] const std::map<std::vector<double>, std::unique_ptr<Mode>>& all() const { return modes_; }

   private:
    /// `system`, whose causality is `causal`, as compiled.
    static CompiledMode compiled(const compile::SortedSystem& system,
                                 std::shared_ptr<const causality::CausalGraph> causal);
    /// What this run needs to run on it.
    std::unique_ptr<Mode> equipped(const CompiledMode& compiled, std::vector<double> key);
    /// Whether sources have inputs to linearize by: all modes are like the first.
    [[nodiscard]] bool perturbed() const { return !model_.inputs.empty(); }

    const compile::CompiledModel& model_;
    const Settings& settings_;
    const std::vector<Signal>& signals_;
    std::shared_ptr<SharedModes> shared_;
    std::map<std::vector<double>, std::unique_ptr<Mode>> modes_;  ///< key: that of the mode, then its chosen states
    Mode* first_ = nullptr;
    Delays* delays_ = nullptr;
};

}  // namespace bondgraph::simulation
