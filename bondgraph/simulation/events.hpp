#pragma once

#include <algorithm>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "bondgraph/model/mode_search.hpp"
#include "bondgraph/simulation/impulse.hpp"
#include "bondgraph/simulation/jump_energy.hpp"
#include "bondgraph/simulation/modes.hpp"
#include "bondgraph/simulation/new_values.hpp"
#include "bondgraph/simulation/start.hpp"

namespace bondgraph::simulation {

/// A relation's difference below this share of its size is rounding: the relation keeps its truth.
inline constexpr double kRelationNoise = 1e-11;
/// Rounds of an event iteration in which everything may change at once; then the states of elements that react are
/// searched for, and changes are taken one at a time.
inline constexpr int kTogether = 20;
inline constexpr int kMostRounds = 400;

/// A run's numbers between two events: the mode and a consistent point in it.
struct Situation {
    Mode* mode = nullptr;
    Point point;
};

/// Relations that cross zero first inside a step.
struct Crossing {
    double time = 0.0;
    std::vector<std::size_t> relations;
    std::span<const double> adjusted = {};  ///< new values of all adjustable parameters, where they are set
    std::string cause = {};                 ///< likewise, in the user's terms
};

/// What an event did.
struct EventOutcome {
    bool changed = false;  ///< the integration has to be restarted
    bool counted = false;  ///< something the user would call an event happened
    int mode_changes = 0;
    bool jumped = false;   ///< of states
    bool of_time = false;  ///< at a time that follows from time alone: a sample, a pulse
    JumpBooks books;       ///< of jumps that followed from laws; not of states that `when:` has given
    /// How often in a row the relation that asked for it has changed without having been clear of zero in between.
    std::size_t unclear = 0;
    std::string cause;  ///< in the user's terms
    SourcePosition position;
    std::vector<std::size_t> warned;  ///< entries of `when:` that have something to tell
};

/// Everything that changes at events only: truth of relations, discrete variables, conditions of `when:`; and what an
/// event makes of them. At an event relations are flipped, updates and conditions evaluated with consistent values, and
/// all that repeated with pre() renewed until nothing changes. A change of structure continues the states where they
/// satisfy the new mode's constraints; otherwise the jump that impulses bring about is computed (impulse.hpp) and,
/// where an element answers to it (a freewheeling diode), taken back. Where elements that answer to each other would go
/// round in circles, their states are searched for together (model/mode_search.hpp). Throws ModelError and
/// SimulationError.
class Events {
   public:
    Events(const compile::CompiledModel& first, Modes& modes);

    /// A consistent start: modes, relations and states agree. Throws as initialize() does.
    Situation start(double time);
    /// Whether the start brings about an event of its own: something is at rest on a stop, or moves into it.
    bool due_at_start(const Situation& situation);

    /// The held values a mode's evaluator needs.
    void enter(Mode& mode) const { mode.evaluator->set_held(held_); }

    /// A point of one mode as a consistent point of another with other states.
    /// `effort`: on the rates there, which are near those here where only the choice of states changes.
    [[nodiscard]] Point transfer(Mode& from, Mode& to, const Point& point, const Segment& segment, Effort effort) const;

    /// Whether there are relations to watch.
    [[nodiscard]] bool watching() const { return !relations_.empty(); }
    /// The next sampling instant after `time`, infinity without.
    [[nodiscard]] double next_sample(double time) const;
    /// Whether `time` is a sampling instant that has not been handled yet.
    [[nodiscard]] bool sample_due(double time) const;

    using Interpolate = std::function<void(double time, Point& point)>;
    /// Bounds of those of a tape's inputs that are unknowns or their rates, over a part of the last step.
    using Enclose = std::function<void(double from, double to, std::span<const std::uint32_t> which,
                                       std::span<expression::Enclosure> inputs)>;
    /// The first crossing in (from, to]; `point` gives consistent values inside the last step. With `enclose`, what
    /// happens between the points that are looked at is known as well: a relation that changes and changes back is
    /// found, one that only touches zero is not. Without (functions of time given by equations) it is judged by
    /// parabolas.
    std::optional<Crossing> crossing(Mode& mode, double from, double to, const Interpolate& point,
                                     const Enclose& enclose);
    /// The relations of time that change after `point`, and not later than `until`.
    [[nodiscard]] std::vector<std::size_t> changed_by_time(const Mode& mode, Point point, double until) const;
    /// How far from `from` (at most to `to`) the differences of all relations are nearly straight lines: where no
    /// integrator's step says how fast things change.
    double straight(Mode& mode, double from, double to, const Interpolate& point);
    /// Lets the relations see a point that was reached without event.
    void observe(Mode& mode, const Point& point);

    /// Entries of `when:` that have something to tell and are true at a start at which nothing else happens. Throws
    /// SimulationError where one of them ends the run.
    std::vector<std::size_t> true_from_start(const Situation& situation);
    /// An event at situation.point.time. `after` is the segment of time that begins there.
    EventOutcome handle(Situation& situation, const Crossing& crossing, const Segment& after);

    [[nodiscard]] const std::vector<double>& held() const { return held_; }
    /// What comes out of the model's delays at an event, for all that is computed there.
    void take_delayed(std::span<const double> values) {
        std::ranges::copy(values, held_.begin() + static_cast<std::ptrdiff_t>(first_.graph().first_delay()));
    }
    /// Gives adjustable parameters values; none: they stay.
    void adjust(std::span<const double> values);

   private:
    struct Truth {
        bool value = false;
        bool armed = false;       ///< the difference has been clearly on this side since it last flipped
        double from = 0.0;        ///< the difference where it was turned back without having been clear of zero
        std::size_t unclear = 0;  ///< so many events in a row, by this relation, found it not armed

        /// Whether a difference has left the side the relation is on by more than `eps`.
        [[nodiscard]] bool left_by(double difference, double eps) const {
            return value ? difference > std::max(from, 0.0) + eps : difference < std::min(from, 0.0) - eps;
        }
    };
    /// floor(), ceil() or sign() of states in what is evaluated at events: a held number, and the relations that tell
    /// when the argument leaves it.
    struct Step {
        std::uint32_t held = 0;
        expression::Op op = expression::Op::floor;
        std::size_t below = 0;  ///< relation: the value is too large
        std::size_t above = 0;  ///< relation: the value is too small
    };
    struct View {
        const compile::CompiledModel* model = nullptr;
        Evaluator* evaluator = nullptr;
        const Point* point = nullptr;
        bool impulsive = false;
        bool refused = false;  ///< what is seen is a jump that is refused unless the structure changes
    };

    /// The differences of all relations at a time.
    struct Differences {
        double time;
        const std::vector<double>& values;
        using At = std::function<const std::vector<double>&(double time)>;
    };
    [[nodiscard]] double limit(const Mode& mode, std::size_t relation) const;
    [[nodiscard]] bool beyond(const Mode& mode, std::size_t relation, double difference, double by = 0.0) const;
    [[nodiscard]] std::optional<Crossing> first_of(const Mode& mode, std::vector<std::size_t> crossed,
                                                   const Differences& left, const Differences& right,
                                                   const Differences::At& evaluate) const;

    [[nodiscard]] std::vector<double> discretes() const;
    void set_discrete(std::size_t d, double value) {
        held_[2 * d] = value;
        touched_[d] = true;
    }
    bool left_at_once(const Situation& s, const std::vector<double>& now);
    bool look_ahead(const Situation& s, const std::vector<double>& now, std::vector<bool>& foreseen);
    void arm(const Mode& mode, const std::vector<double>& d);
    [[nodiscard]] bool includes_zero(std::size_t relation) const;
    [[nodiscard]] std::vector<double> differences_ahead(const View& view) const;
    [[nodiscard]] bool rests_at_zero(const View& view, std::size_t relation) const;
    [[nodiscard]] bool is_of_signals(std::size_t relation) const;
    [[nodiscard]] bool is_of_reacting(std::size_t relation) const;
    void find_steps();
    bool take_steps(std::span<const double> differences);
    bool take_steps_at_start(std::span<const double> differences);
    void differences(const View& view, std::vector<double>& out) const;
    void add_solved_noise(const View& view, const std::vector<double>& d, std::vector<double>& noise) const;
    [[nodiscard]] std::vector<double> noise(const View& view, const std::vector<double>& d) const;
    [[nodiscard]] Point moved_a_little(const View& view, std::size_t turn) const;
    [[nodiscard]] std::vector<bool> only_rounding(const View& view, const std::vector<double>& values) const;
    bool refresh_relations(Situation& s, const View& view, bool one_only, bool& in_equations);
    void learn_rounding(Mode& mode) const;
    bool refresh_discretes(const View& view, bool one_only);
    void settle(Situation& s, Snapshot& base, EventOutcome& outcome);
    void settle_rounds(Situation& s, Snapshot& base, EventOutcome& outcome);
    bool follow_jump(Situation& s, Snapshot& base, const ImpulseStep& impulse);
    void accept_jump(Situation& s, Snapshot& base, ImpulseStep impulse, EventOutcome& outcome);
    [[nodiscard]] std::optional<Failure> rigid_jump(const Situation& s, const Snapshot& base) const;
    [[nodiscard]] std::optional<ImpulseStep> impulse_of_rigid(const Situation& s, const Snapshot& base);
    std::optional<Failure> solve_as_is(Situation& s, const Snapshot& base, std::optional<ImpulseStep>& impulse);
    [[nodiscard]] bool follows_a_source(Situation& s, const Snapshot& base) const;
    [[nodiscard]] bool reaction_changed(const std::vector<double>& held) const;
    [[nodiscard]] Instant instant(const Situation& s) const;
    void change_mode(Situation& s, const Snapshot& base, std::optional<ImpulseStep>& impulse);
    [[nodiscard]] compile::FindPoint chosen_at(const Snapshot& base, const Segment& segment) const;
    [[nodiscard]] compile::FindPoint chosen_at_start(double time) const;
    void enter_at(Situation& s, Mode& mode, const Snapshot& base, const Segment& segment);
    void continue_in(Mode& mode, Situation& s, const Snapshot& base, std::optional<ImpulseStep>& impulse);
    [[noreturn]] void no_mode(const Snapshot& base, const ModelError& why) const;

    // Elements that react to each other (reactions.cpp).
    using Verdict = model::ModeSearch::Verdict;
    bool search(const std::vector<model::ReactingMode>& among, const compile::FindPoint& chosen_at,
                const std::function<std::optional<View>(Situation&)>& try_mode, std::size_t most, Situation& s);
    void judge_only(const std::vector<model::ReactingMode>& among);
    bool search_at_event(Situation& s, const Snapshot& base);
    /// Friction whose flow passes zero, and changes as fast whichever way the friction acts, slides on: no finite
    /// effort could hold it (the slider of a crank in line with its rod). It is not tried as sticking.
    bool slides_on(Situation& s, const Snapshot& base);
    struct Stopped {
        std::size_t discrete = 0;
        double before = 0.0;  ///< 1 or -1: the way it slid
    };
    bool slides_on(Situation& s, const Snapshot& base, std::span<const Stopped> frictions);
    bool agree(Situation& s, const Snapshot& base);
    [[nodiscard]] double leaving(Situation& s, std::size_t discrete);
    bool hold_what_may_stick(Situation& s, const Snapshot& base);
    bool hold(Situation& s, const Snapshot& base, std::span<const std::size_t> frictions);
    Verdict judge(Situation& s, const View& view);
    [[nodiscard]] std::vector<std::optional<bool>> truths(const Situation& s, const View& view) const;
    [[nodiscard]] std::vector<double> ahead(const Situation& s) const;
    bool wants(const View& view, std::size_t update, double value, const std::vector<std::optional<bool>>& known,
               double& wanted);

    Situation first_situation(double time);
    bool without_edges(const Situation& s);
    void check_samples(double time) const;
    void settle_relations_of_time(Mode& mode, double time);
    void try_start(Situation& s, double time);
    bool search_at_start(Situation& s, double time, std::vector<bool>& foreseen);
    void turn_back(Situation& s);
    [[nodiscard]] std::vector<double> slopes(const Situation& s) const;
    void look_at_conditions(const Situation& s);
    void tell(std::size_t when, double time, EventOutcome& outcome) const;
    bool fire(Situation& s, Snapshot& base, EventOutcome& outcome);
    /// Where held values that tell what is sampled begin.
    [[nodiscard]] std::size_t first_sample() const { return first_.graph().first_sample(); }
    void check_given(const Situation& s, const Point& before, const std::vector<NewValue>& given) const;
    [[noreturn]] static void contradiction(const model::BondGraph& graph, double time, const NewValue& first,
                                           const NewValue& second);
    void renew_written();
    void settle_anew(Situation& s, Snapshot& base, const Crossing& crossing, EventOutcome& outcome);
    [[noreturn]] void unsettled(double time) const;
    [[nodiscard]] std::string changing_names() const;
    [[nodiscard]] std::string cause_text(const compile::Relation& relation) const;

    const compile::CompiledModel& first_;
    const compile::EventTable& table_;
    Modes& modes_;
    Impulses impulses_;
    JumpEnergy jump_energy_;
    Instant here_;  ///< what was last found to agree: before the next jump
    std::vector<double> held_;
    std::vector<bool> touched_;  ///< per discrete variable: this event has given it a value
    std::vector<bool> passed_;   ///< per discrete variable: friction that this event lets slide on, past a dead centre
    std::vector<Truth> relations_;
    std::vector<Step> steps_;
    std::vector<double> declared_;  ///< per discrete variable: what it starts at before anything is solved for
    std::vector<bool> conditions_;
    std::vector<double> sampled_;       ///< per sample: its last instant; an event right beside it is none again
    std::vector<bool> reacts_;          ///< per update: answers to impulses
    std::vector<bool> at_events_only_;  ///< per update: not carried out at the start
    std::vector<std::size_t> update_order_;
    std::vector<model::ReactingMode> reacting_;
    /// Those, what only a start puts into another state, and switches that obey what is solved for there.
    std::vector<model::ReactingMode> of_start_;
    std::vector<bool> of_time_;         ///< per relation: of time and held values alone
    std::vector<bool> update_of_time_;  ///< per update, likewise
    bool reinitialized_ = false;        ///< in this event `reinit:` has given states
    // In a search:
    std::vector<bool> of_reaction_;  ///< per relation: belongs to an element whose state is searched for
    std::vector<bool> judged_;       ///< per update
    bool starting_ = false;
    bool renew_at_once_ = false;       ///< pre() of own types within an event
    bool begins_ = false;              ///< nothing has happened since the start
    std::vector<std::string> recent_;  ///< what changed in the last rounds of an iteration
    std::vector<double> before_;       ///< each relation's difference before the event
    std::vector<double> rounding_;     ///< of each relation where relations were refreshed last
    double time_ = 0.0;
    double stride_ = 0.0;          ///< of straight()
    std::vector<double> reached_;  ///< magnitudes of the differences since the last event, for straight()
};

}  // namespace bondgraph::simulation
