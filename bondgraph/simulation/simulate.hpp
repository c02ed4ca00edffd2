#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bondgraph/compile/compiled_model.hpp"

namespace bondgraph::simulation {

class Findings;
class SharedModes;

/// An event of a run, as it has been dealt with.
struct Happening {
    double time = 0.0;
    bool of_time = false;  ///< at an instant that follows from time alone
    bool jumped = false;   ///< states have
    int mode_changes = 0;  ///< of switches, diodes, friction
    std::string cause;     ///< in the user's terms; may be empty
};

/// How to run. Tolerance is relative; absolute tolerances follow each variable's own magnitude.
struct Settings {
    double start = 0.0;
    double stop = 1.0;
    double tolerance = 1e-6;
    double interval = 0.0;        ///< spacing of output points; 0 = (stop − start)/500
    std::vector<double> also_at;  ///< further output times (expectations)
    std::size_t max_steps = 10'000'000;
    std::size_t dense_limit = 40;    ///< unknowns up to which a dense Jacobian is used, KLU above
    bool energy = true;              ///< integrate the energy balance with the run
    bool energy_by_element = false;  ///< for the audit
    /// The audit is for this part of the run instead of all of it.
    std::optional<std::pair<double, double>> audit_window = {};
    /// The audit is also read at about so many instants of the run, at even distances, in Summary::course.
    std::size_t audit_instants = 0;
    /// Values of the model's adjustable parameters, in their order; none: those it was compiled with.
    std::vector<double> adjustable = {};
    /// What earlier runs of the model have compiled and found out; none: this run begins with nothing.
    std::shared_ptr<SharedModes> shared = {};
    /// Keep which modes there were, in Summary::modes.
    bool modes = false;
    std::function<void(const Happening&)> on_event = {};  ///< told of every event
    const std::atomic<bool>* interrupted =
        nullptr;  ///< looked at every step, and in searches: true ends the run with what there is
};

/// A column of the result.
struct Signal {
    std::string name;
    std::string unit;
    std::string description;
    compile::Expr value;   ///< in the model's variables
    bool impulse = false;  ///< of the impulses that jumps have added to these variables
};

/// Time series, one row per output time. After a failure it holds the rows up to there.
struct Result {
    std::vector<Signal> signals;
    std::vector<double> time;
    std::vector<double> data;  ///< row-major: time.size() × signals.size()

    [[nodiscard]] double at(std::size_t row, std::size_t column) const { return data[row * signals.size() + column]; }
};

/// A state nobody gave a start value, or a free parameter that nothing moved from its guess.
struct DefaultedStart {
    std::string name;
    double value = 0.0;
    bool parameter = false;
};

/// A guess, a default or the guess of a free parameter that the conditions of the start replaced.
struct MovedStart {
    std::string name;
    double from = 0.0;
    double to = 0.0;
};

/// absorbed + supplied = stored + dissipated + other + events + residual; a source has absorbed = −supplied.
struct EnergyOfElement {
    std::string element;
    std::string type;
    double absorbed = 0.0;  ///< ∫ power into the element
    double supplied = 0.0;
    double stored = 0.0;  ///< change of stored energy
    double dissipated = 0.0;
    double other = 0.0;     ///< taken by own types without a declared energy
    double events = 0.0;    ///< lost where events changed states
    double residual = 0.0;  ///< what the integration missed
    model::ElementId id;
    double moved = 0.0;  ///< ∫ |power into the element|, jumps by their net energy
};

/// Energies in joule; imbalance = supplied − stored − dissipated − other; `moved` is its yardstick (see energy.hpp).
struct EnergyBalance {
    double from = 0.0;  ///< the time it is for
    double to = 0.0;
    double supplied = 0.0;    ///< delivered by sources
    double dissipated = 0.0;  ///< by resistors
    double stored = 0.0;      ///< change of stored energy
    double other = 0.0;       ///< taken by own types without a declared energy
    double events = 0.0;      ///< lost in impacts and where events changed states
    double moved = 0.0;
    double imbalance = 0.0;
    std::vector<EnergyOfElement> elements;  ///< where asked for by element
    /// Then also ∫ power along each bond of the graph, in the direction of its variables; 0 for pseudo bonds.
    std::vector<double> bonds;
    /// Components whose power is no energy in joule (pseudo bonds) are left out.
    bool any = false;
};

struct Failure {
    std::string message;  ///< in the user's terms
    std::string component;
    std::string equation;
    double time = 0.0;
    long step = 0;
    SourcePosition position;
    std::vector<DiagnosticNote> notes = {};  ///< what else there is to say: causes and remedies
    bool by_user = false;                    ///< asked for, by `interrupted` or the progress
};

/// What a run's own steps tell of its error, as shares of what moves: for deciding whether to look closer (doubt.hpp).
struct ErrorRecord {
    double local = 0.0;   ///< the largest sum of a state's local errors, times its swings
    double energy = 0.0;  ///< the energy balance's
};

/// States chosen anew during a run.
struct Reselection {
    double time = 0.0;
    std::vector<std::string> from;  ///< states that were given up
    std::vector<std::string> to;    ///< those taken instead
};

/// A position in which constraints depend on each other: the motion may go on in more than one way.
struct Branching {
    double time = 0.0;
    std::vector<std::string> coordinates;  ///< that these constraints tie
};

/// A mechanism that is loaded in directions in which rigid parts leave open how its joints share a load.
struct IndeterminateLoad {
    double time = 0.0;  ///< at which it was seen first
    std::vector<std::string> closures;
    std::size_t conditions = 0;  ///< that others imply
    struct Joint {
        std::string name;
        std::string directions;  ///< in the world, of the reactions that can't be told
        double force = 0.0;      ///< how large these are as computed
        double torque = 0.0;
    };
    std::vector<Joint> joints;
};

/// A lock that was left idle because others hold what it would.
struct IdleLockNote {
    double time = 0.0;  ///< at first
    std::string lock;
};

/// What is written in smooth() and jumps all the same, as its unknowns pass a place.
struct BrokenPromise {
    std::string text;
    std::string element;
    SourcePosition position;
    double time = 0.0;  ///< at first, with the values …
    double before = 0.0;
    double after = 0.0;
    int times = 0;  ///< how often it did
};

/// What the model itself says of a run, by `warn:` of an entry of `when:`.
struct Told {
    std::size_t when = 0;   ///< which entry
    std::string text;       ///< with the component whose type says it
    std::string condition;  ///< as written
    SourcePosition position;
    double time = 0.0;  ///< when it first became true
    int times = 0;      ///< how often it did
};

/// Which modes a run was in: values of the structural discrete variables in their order, each combination once, and the
/// times from which on there was which.
struct ModeCourse {
    std::vector<std::vector<double>> modes;  ///< in the order in which they were entered first
    std::vector<double> time;                ///< never the same twice
    std::vector<std::uint32_t> mode;         ///< from then on; index into `modes`
};

struct Summary {
    long steps = 0;
    long residual_evaluations = 0;
    long jacobian_evaluations = 0;
    long error_test_failures = 0;
    long convergence_failures = 0;
    int time_events = 0;   ///< instants known from time alone: jumps of its functions, pulses, samples
    int state_events = 0;  ///< other instants at which a relation changed the model or a condition became true
    int mode_changes = 0;  ///< changes of structure: switches, diodes, sticking
    int reselections = 0;  ///< states chosen anew where the choice had become ill-conditioned
    std::vector<Reselection> reselected;  ///< the first of them
    std::vector<std::string> left_out;    ///< components whose constraint others imply
    /// A condition of time alone of which could not be proven when it changes; empty where all was.
    std::string unproven;
    std::optional<Branching> branching;            ///< the first that was passed, or came close
    std::vector<IndeterminateLoad> indeterminate;  ///< per mechanism the first that was seen
    std::vector<IdleLockNote> idle_locks;
    std::vector<Told> told;  ///< in the order of their first times
    int recoveries = 0;      ///< failures of the integrator that a restart got over
    int last_order = 0;
    double seconds_initialization = 0.0;
    double seconds_integration = 0.0;
    std::vector<DefaultedStart> defaulted;
    std::vector<MovedStart> moved;
    EnergyBalance energy;
    ErrorRecord errors;
    EnergyBalance audited;  ///< of the window asked for; without one the same
    /// From the start to instants of the run: ends of steps, and at events before and after. The first is of no time,
    /// the last of all. Fewer than asked for of a model with so many elements that they would take much room.
    std::vector<EnergyBalance> course = {};
    ModeCourse modes = {};  ///< where asked for
    std::optional<Failure> failure;
    std::vector<BrokenPromise> broken;  ///< in the order of their times
};

struct Run {
    Result result;
    Summary summary;
};

/// The point at which an integration starts: all unknowns and derivatives, consistent.
struct Point {
    double time = 0.0;
    std::vector<double> y;
    std::vector<double> yp;
    std::vector<double> held;  ///< values that change at events only
    /// Of a point that a run has reached: the model in the mode and with the states the run has there. y is for its
    /// unknowns. Refers to the bond graph, and to the model that was run where it is still that one.
    std::shared_ptr<const compile::CompiledModel> model;
    std::vector<DefaultedStart> defaulted;
    std::vector<MovedStart> moved;
};

/// Consistent initialization: fixed start values (also on dependent storages), initial equations and states at rest
/// determine states and free parameters; guesses and 0 fill what they leave open. Rates and algebraic variables follow.
/// Throws ModelError: BG-I001 conditions that contradict each other, BG-I002 an equation that is not finite at the
/// start (division by zero), BG-I003 no solution found, BG-I004 rates not determined (more index reduction needed),
/// BG-I006 a start outside the bounds of parameters or the limits of components.
/// `held`: the values that change at events only (free parameters among them are replaced by what is found).
/// In the modes the model was compiled in, whatever they should be: start_point() looks for those too.
/// `interrupted`: where it turns true, a long search ends with Interrupted.
Point initialize(const compile::CompiledModel& model, double time, std::vector<double> held = {},
                 const std::atomic<bool>* interrupted = nullptr);
/// The same with what is known about the model.
Point initialize(std::shared_ptr<const Findings> findings, double time, std::vector<double> held,
                 const std::atomic<bool>* interrupted);

/// Called now and then with the time reached; returning false ends the run with what there is.
using Progress = std::function<bool(double time)>;

/// Integrates from settings.start to settings.stop with IDA. Numerical failures end up in Summary::failure with the
/// results up to there; mistakes of the start throw ModelError as initialize() does.
Run simulate(const compile::CompiledModel& model, const Settings& settings, std::vector<Signal> signals,
             const Progress& progress = {});

/// The point a run begins at: modes, relations and start values in agreement, after the events that are due at once.
/// Between settings.start and stop nothing is integrated; their distance says what an instant is.
/// Throws as initialize() does, and std::runtime_error where the events at the start fail.
Point start_point(const compile::CompiledModel& model, const Settings& settings);

/// The unknowns at settings.stop (for linearization); signals are not recorded.
/// Throws std::runtime_error with the failure's message when the run does not get there.
Point simulate_to(const compile::CompiledModel& model, const Settings& settings);

/// Points of one run at about so many even distances from its start to its stop: the start, then ends of steps at or
/// next after these times. Fewer of a run that takes fewer steps, or fails on its way. Throws as start_point() does.
std::vector<Point> points_along(const compile::CompiledModel& model, const Settings& settings, std::size_t count);

/// The signal of a result name, or nothing where there is none.
std::optional<Signal> find_signal(model::NameLookup& names, const std::string& name);
/// The impulse of a result name ("R1.e.impulse"), or nothing where there is none.
std::optional<Signal> find_impulse(const model::BondGraph& graph, const std::string& name);
/// The states, then every bond's e and f; of a model without bonds, the outputs of its own components.
std::vector<std::string> default_outputs(const compile::CompiledModel& model);

}  // namespace bondgraph::simulation
