#pragma once

#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "bondgraph/simulation/dependent_holds.hpp"
#include "bondgraph/simulation/modes.hpp"

namespace bondgraph::simulation {

/// A failure of a run with what the user has to know.
class SimulationError : public std::runtime_error {
   public:
    explicit SimulationError(Failure failure) : std::runtime_error(failure.message), failure_(std::move(failure)) {}
    [[nodiscard]] const Failure& failure() const { return failure_; }

   private:
    Failure failure_;
};

/// The values of all variables of the bond graph at an instant: what one mode hands to another.
struct Snapshot {
    double time = 0.0;
    std::vector<double> values;             ///< by variable
    std::vector<double> rates;              ///< by variable; 0 of what is no state
    std::map<std::string, double> derived;  ///< variables that are derivatives, by name, where states were chosen
};

/// The result of an impulse step: values just after, and impulsive efforts and flows (divided by the step).
struct ImpulseStep {
    Point point;                ///< of the raw model
    std::vector<double> rates;  ///< behind it, by unknown: more exact than those of the point
    Evaluator* raw = nullptr;   ///< of the unreduced equations that were solved
};

/// Values of all variables under the held values and in the segment of time they belong to.
struct Instant {
    std::vector<double> values;  ///< by variable
    std::vector<double> held;
    Segment segment;
};

/// A place on the way of a jump: laws that have changed are brought in linearly, from what they lacked at the point
/// before (`lacking`, by equation) to zero.
struct OnTheWay {
    double remaining = 0.0;  ///< of what they lacked: 1 before the jump, 0 after it
    std::span<const double> lacking;
    double slower = 1.0;  ///< factor of the step's length
};

/// What continues in a model whatever happens: momenta, displacements, states of own types.
struct Continuing {
    explicit Continuing(const compile::CompiledModel& model);
    std::vector<std::uint32_t> variables;  ///< ascending
    std::vector<std::uint32_t> alike;      ///< parallel: equal numbers for what a component measures alike
};

/// Takes snapshots from one mode to another, and computes jumps of the states. Momenta and displacements jump where a
/// mode's constraints demand it; what is conserved in the jump follows from the bond graph: all laws are solved over a
/// step of vanishing length (implicit Euler on the unreduced equations), in which efforts and flows may be impulses.
class Impulses {
   public:
    Impulses(const compile::CompiledModel& first, Modes& modes, double span);

    [[nodiscard]] Snapshot snapshot(Mode& mode, const Point& point) const;
    /// A snapshot as the variables of a reduced system: where its states can be chosen.
    [[nodiscard]] compile::ChoicePoint choice_point(const compile::ReducedSystem& system, const Snapshot& from,
                                                    double inside, std::span<const double> held) const;
    /// States (and guesses for the rest) of a mode from a snapshot; rates are zero.
    [[nodiscard]] Point transfer(Mode& mode, const Snapshot& from) const;
    /// Whether a mode's constraints hold at the snapshot: what it makes of all momenta and displacements is what they
    /// are.
    [[nodiscard]] bool consistent(Mode& mode, const Point& point, const Snapshot& with) const {
        return !jumped(mode, point, with);
    }
    /// A momentum or displacement for which that is not so.
    [[nodiscard]] std::optional<compile::VariableId> jumped(Mode& mode, const Point& point, const Snapshot& from) const;
    /// All of them, or the first `most`, ascending.
    [[nodiscard]] std::vector<compile::VariableId> all_jumped(Mode& mode, const Point& point, const Snapshot& from,
                                                              std::size_t most) const;
    /// Remembers how large momenta and displacements have been.
    void learn(const Mode& mode, const Snapshot& snapshot);

    /// How large a momentum or displacement has been; 0 for other variables.
    [[nodiscard]] double magnitude(compile::VariableId variable) const;

    /// Throws SimulationError when the equations have no solution over the step.
    ImpulseStep step(const Snapshot& from, const std::vector<double>& held, const Segment& segment,
                     const OnTheWay& way = {});
    /// From now on steps are solved for with twice the digits: impulses that cancel leave too few.
    void look_closely() { closely_ = true; }
    [[nodiscard]] bool closely() const { return closely_; }
    /// What jumps is what continues otherwise: in storages, or what a mode may integrate in place of one (the flow of a
    /// port). Other efforts and flows of the step are impulses: from those before, laws are solved for at the same side
    /// of a mechanism as before, from forces of 1e12 N perhaps at the other.
    void take_over(const Mode& mode, const ImpulseStep& step, Snapshot& to) const;
    /// What the step lasts.
    [[nodiscard]] double duration() const;
    /// Of the unreduced equations, with the conditions on positions that are there under these held values.
    [[nodiscard]] Evaluator& raw_evaluator(std::span<const double> held) { return raw(held).evaluator; }

   private:
    /// The unreduced equations with what runs on them.
    struct Raw {
        explicit Raw(const CompiledMode& unreduced)
            : compiled(unreduced.compiled), evaluator(unreduced.findings), holds(*compiled) {}
        std::shared_ptr<const compile::CompiledModel> compiled;
        Evaluator evaluator;
        DependentHolds holds;
    };
    Raw& raw(std::span<const double> held);
    /// By numbers of alike_, the largest of these sizes (by variable).
    [[nodiscard]] std::vector<double> largest_alike(std::span<const double> sizes) const;
    const compile::CompiledModel& first_;
    Modes& modes_;
    double span_;
    const std::vector<std::uint32_t>& memory_;
    const std::vector<std::uint32_t>& alike_;
    std::vector<double> scale_;  ///< parallel to memory_
    std::map<const compile::CompiledModel*, std::shared_ptr<Raw>> raw_;
    const compile::CompiledModel* left_out_ = nullptr;  ///< of the mode before, where it left conditions out
    bool closely_ = false;
};

}  // namespace bondgraph::simulation
