#pragma once

#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "bondgraph/simulation/accumulation.hpp"
#include "bondgraph/simulation/barriers.hpp"
#include "bondgraph/simulation/bends.hpp"
#include "bondgraph/simulation/branching.hpp"
#include "bondgraph/simulation/calendar.hpp"
#include "bondgraph/simulation/delays.hpp"
#include "bondgraph/simulation/energy_ledger.hpp"
#include "bondgraph/simulation/error_watch.hpp"
#include "bondgraph/simulation/events.hpp"
#include "bondgraph/simulation/indeterminate.hpp"
#include "bondgraph/simulation/lock_watch.hpp"
#include "bondgraph/simulation/mode_record.hpp"
#include "bondgraph/simulation/recorder.hpp"
#include "bondgraph/simulation/run_failures.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::simulation {

/// One run: the present situation and what goes with it from step to step and from event to event. Its parts: the way
/// from start to stop (simulate.cpp), one step of the integrator (simulation_steps.cpp), what happens at an instant
/// (simulation_events.cpp).
class Simulation {
   public:
    Simulation(const compile::CompiledModel& model, const Settings& settings, std::vector<Signal> signals,
               const Progress& progress);
    /// begin(), advance() to the end, and end().
    Run go();

    /// As go(), but no further than what happens at the start.
    Run stay();

    /// Finds the start and deals with what happens there: whether the run can go on.
    bool begin();
    /// Goes on to that time and not beyond, with all rows of the output up to there and one there.
    void advance(double time);
    /// Gives all adjustable parameters new values at the time reached; states stay, and an event follows, by this name.
    /// Throws ModelError where values are outside their bounds. Returns why there is no way to go on with them. In both
    /// cases nothing has changed, and the run may go on.
    std::optional<Failure> set(std::span<const double> adjustable, const std::string& cause);
    /// The books are closed. No further calls.
    Run end();

    /// What there is so far.
    [[nodiscard]] const Run& so_far() const { return run_; }

    [[nodiscard]] Point last() const;

   private:
    bool find_start();
    void record(const Point& p, bool after_event = false);

    /// Times near `time` and beyond at which expressions of time bend or jump.
    std::span<const Jump> kinks(double time) const;

    /// The next time at which an expression of time jumps or a sample is due, or the end of what is asked for.
    double boundary(double time) const;

    /// Outputs at an instant that has been dealt with. Whether there was one.
    bool skip_outputs(double time);
    void handle_start();
    void close();

    /// Everything the evaluator and the integrator of the present mode need to go on from the present point.
    void enter(double time, const Segment& segment);

    /// Rows of the output inside the last step.
    void record_until(double time, bool including);
    Point interpolated(double time);
    Point row_inside(double time);
    void step();
    /// Adds the energies over a part of the last step.
    void integrate_powers(double from, double to);
    /// The same over a part in which they neither bend nor jump.
    void integrate_smooth(double from, double to);
    void integrate_by_points(double from, double to);

    /// Between its ends a step is only as good as the polynomial through them. Where a row of the output shows that it
    /// doesn't satisfy the equations, the step has passed over something and is taken again in smaller ones.
    bool retake(double from, double to);
    void refuse_powers() { run_.summary.failure = power_failure(now_, *ledger_); }

    /// Locks that are left idle must have nothing to hold.
    void check_locks() {
        if (auto failure = locks_.look(*now_.mode, now_.point, run_.summary.idle_locks)) run_.summary.failure = failure;
    }

    /// Whether the run may go on from where a step has ended.
    void check_step();

    /// Where the states no longer determine the rest well, others are chosen and the run goes on from the same point.
    void check_choice(double from);
    [[nodiscard]] StepHistory history_in(Mode& next);
    /// Notes a position in which constraints depend on each other, where the step from there has passed one.
    void watch_branching(double from, std::span<const double> coefficients);

    /// A relation crosses zero inside a step: whether the integration was started anew.
    bool cross(const Crossing& crossing, double left, bool always = false);
    std::optional<Crossing> closely(const Crossing& roughly, double from, double to, const Events::Interpolate& inside,
                                    const Events::Enclose& enclose);

    /// The end of the run, a time event or a sample, with relations that cross zero there.
    void reach(double time, const std::vector<std::size_t>& crossed = {});
    void pass(double time, const std::vector<std::size_t>& crossed);
    [[nodiscard]] std::vector<std::size_t> with_relations_of_time(double time, std::vector<std::size_t> crossed) const;

    /// Throws ModelError where values of adjustable parameters are outside their bounds.
    void check_values(std::span<const double> adjustable);
    void happen(const Crossing& crossing, const Segment& segment, EventOutcome& outcome);
    /// Keeps what the inputs of delays were over a part of the run.
    void remember(double from, double to, const Delays::Inside& inside) {
        if (!delays_.empty()) delays_.record(*now_.mode->evaluator, from, to, inside);
    }
    /// Delays that are too short or too long end the run.
    void check_delays() {
        if (auto failure = delays_.look(*now_.mode->evaluator, now_.point)) run_.summary.failure = failure;
    }
    /// Lets an event happen at the present point; `always` restarts whatever comes of it. Whether it did.
    bool handle(const Crossing& crossing, const Segment& segment, bool always = false);

    /// An event of time where time alone brought it about, of state otherwise. What rounding has parted is one event.
    void tell(std::size_t when, double time);
    void tell_from_start();
    void count(double time, const EventOutcome& outcome, bool jump);
    void note_mode() {
        if (settings_.modes) modes_noted_.note(now_.point.time, events_->held(), model_.graph(), run_.summary.modes);
    }

    /// A failed run ends with the last point that was good, one that the user has ended with the last row before.
    void record_last_good();

    /// A mode has time events of its own.
    Segment in_mode(Segment segment) const;
    bool interrupted(double time);
    void end_by_user(double time);

    /// The integrator gave up: from the last good point again, with consistent rates and small steps, then with the
    /// other linear solver.
    void recover();
    /// The end of a run that numbers brought about; says so where constraints depend on each other.
    void fail_to_go_on(Failure failure);

    /// Between steps, what the states don't hold is not interpolated but solved for: loops hold at every output.
    void polish(Point& p, Effort effort = Effort::quick);
    /// The powers that a mode's integrator integrates; none without an energy account.
    [[nodiscard]] Quadrature quadrature_of(const Mode& mode) const;
    void make_exact(Point& p, Effort effort = Effort::quick);

    /// Nothing to integrate: every output follows from time alone, by solving where there are loops.
    void follow_time(double until);

    const compile::CompiledModel& model_;
    const Settings& settings_;
    const Progress& progress_;
    Run run_;
    std::unique_ptr<Modes> modes_;
    std::unique_ptr<Events> events_;
    Calendar calendar_;
    Delays delays_;
    Delays::Cause cause_;  ///< of the event at hand
    Accumulation accumulation_;
    std::unique_ptr<EnergyLedger> ledger_;
    Situation now_;
    std::unique_ptr<Recorder> rows_;
    double shown_ = 0.0;
    ModeRecord modes_noted_;
    double last_event_ = -std::numeric_limits<double>::infinity();
    int attempts_ = 0;
    int retakes_ = 0;
    bool started_ = false;
    double asked_ = std::numeric_limits<double>::infinity();  ///< no further for now
    std::vector<Point> kept_;    ///< rows inside the last step, as retake() has interpolated them
    std::size_t next_kept_ = 0;  ///< that record_until() has not had
    Barriers barriers_;
    BranchingWatch branching_;
    LockWatch locks_;
    BendWatch bends_;
    IndeterminateReactions indeterminate_;
    ErrorWatch errors_;
    bool watched_closely_ = false;
    bool ended_by_user_ = false;
    Settings other_solver_;
};

}  // namespace bondgraph::simulation
