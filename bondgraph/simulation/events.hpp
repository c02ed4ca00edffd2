#pragma once

#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bondgraph/simulation/impulse.hpp"
#include "bondgraph/simulation/modes.hpp"

namespace bondgraph::simulation {

/// A relation's difference below this share of its size is rounding: the relation keeps its truth.
inline constexpr double kRelationNoise = 1e-11;

/// A run's numbers between two events: the mode and a consistent point in it.
struct Situation {
    Mode* mode = nullptr;
    Point point;
};

/// Relations that cross zero first inside a step.
struct Crossing {
    double time = 0.0;
    std::vector<std::size_t> relations;
};

/// What an event did.
struct EventOutcome {
    bool changed = false;  ///< the integration has to be restarted
    bool counted = false;  ///< something the user would call an event happened
    int mode_changes = 0;
    double energy_lost = 0.0;  ///< from storages, by impacts and `reinit`
    std::string cause;         ///< in the user's terms
    SourcePosition position;
};

/// Everything that changes at events only: truth of relations, discrete variables, conditions of `when:`; and what an
/// event makes of them. At an event relations are flipped, updates and conditions evaluated with consistent values, and
/// all that repeated with pre() renewed until nothing changes. A change of structure continues the states where they
/// satisfy the new mode's constraints; otherwise the jump that impulses bring about is computed (impulse.hpp) and,
/// where an element answers to it (a freewheeling diode), taken back. Throws ModelError and SimulationError.
class Events {
   public:
    Events(const compile::CompiledModel& first, Modes& modes);

    /// A consistent start: modes, relations and states agree. Throws as initialize() does.
    Situation start(double time);

    /// The held values a mode's evaluator needs.
    void enter(Mode& mode) const { mode.evaluator->set_held(held_); }

    /// A point of one mode as a consistent point of another with other states.
    [[nodiscard]] Point transfer(Mode& from, Mode& to, const Point& point, const Segment& segment) const;

    /// Whether there are relations to watch.
    [[nodiscard]] bool watching() const { return !relations_.empty(); }
    /// The next sampling instant after `time`, infinity without.
    [[nodiscard]] double next_sample(double time) const;

    using Interpolate = std::function<void(double time, Point& point)>;
    /// The first crossing in (from, to]; `point` gives consistent values inside the last step.
    std::optional<Crossing> crossing(Mode& mode, double from, double to, const Interpolate& point);
    /// How far from `from` (at most to `to`) the differences of all relations are nearly straight lines: where no
    /// integrator's step says how fast things change.
    double straight(Mode& mode, double from, double to, const Interpolate& point);
    /// Lets the relations see a point that was reached without event.
    void observe(Mode& mode, const Point& point);

    /// An event at situation.point.time. `after` is the segment of time that begins there.
    EventOutcome handle(Situation& situation, const Crossing& crossing, const Segment& after);

    [[nodiscard]] const std::vector<double>& held() const { return held_; }

   private:
    struct Truth {
        bool value = false;
        bool armed = false;  ///< the difference has been clearly on this side since it last flipped
    };
    struct View {
        const compile::CompiledModel* model = nullptr;
        Evaluator* evaluator = nullptr;
        const Point* point = nullptr;
        bool impulsive = false;
    };

    [[nodiscard]] std::vector<double> discretes() const;
    void set_discrete(std::size_t d, double value) { held_[2 * d] = value; }
    bool look_ahead(const Situation& s, const std::vector<double>& now, std::vector<bool>& foreseen);
    void arm(const Mode& mode, const std::vector<double>& d);
    [[nodiscard]] bool includes_zero(std::size_t relation) const;
    void differences(const View& view, std::vector<double>& out) const;
    [[nodiscard]] std::vector<double> noise(const View& view, const std::vector<double>& d) const;
    bool refresh_relations(Situation& s, const View& view, bool one_only, bool& in_equations);
    bool refresh_discretes(const View& view, bool one_only);
    void settle(Situation& s, Snapshot& base, EventOutcome& outcome);
    Mode& possible_mode(const Snapshot& base);
    void change_mode(Situation& s, const Snapshot& base, std::optional<ImpulseStep>& impulse);
    bool fire(Situation& s, Snapshot& base, EventOutcome& outcome);
    void reinitialize(Situation& s, std::size_t action, double value);
    [[noreturn]] void unsettled(double time) const;
    [[nodiscard]] std::string changing_names() const;

    const compile::CompiledModel& first_;
    const compile::EventTable& table_;
    Modes& modes_;
    Impulses impulses_;
    std::vector<double> held_;
    std::vector<Truth> relations_;
    std::vector<bool> conditions_;
    std::vector<bool> reacts_;  ///< per update: answers to impulses
    mutable std::vector<double> work_;
    std::vector<std::string> recent_;  ///< what changed in the last rounds of an iteration
    double time_ = 0.0;
    double stride_ = 0.0;          ///< of straight()
    std::vector<double> reached_;  ///< magnitudes of the differences since the last event, for straight()
};

}  // namespace bondgraph::simulation
