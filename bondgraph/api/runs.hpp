#pragma once

// What a run is asked for, and what it gives.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bondgraph/api/calls.hpp"
#include "bondgraph/api/energy.hpp"
#include "bondgraph/api/pictures.hpp"
#include "bondgraph/api/reports.hpp"
#include "bondgraph/api/results.hpp"

namespace bondgraph::api {

struct Run;

/// An event of a run.
struct Event {
    double time = 0.0;     ///< s
    bool of_time = false;  ///< at an instant that follows from time alone
    bool jumped = false;   ///< states have
    int mode_changes = 0;  ///< of switches, diodes, friction
    std::string cause;     ///< in the user's terms; may be empty
};

/// What is known of a run before it begins.
struct Expected {
    std::vector<Series::Column> columns;
    bool animated = false;  ///< there is something to animate, where that was asked for
};

/// What a run starts from, records and tells. What is not given is as in the model's `experiment:` and `outputs:`.
struct RunOptions {
    Values values = {};
    std::vector<std::string> outputs = {};  ///< names of results; empty: those of the model
    std::optional<Value> stop = {};         ///< s, or a text: "20 ms"
    std::optional<Value> interval = {};     ///< s, between rows
    std::optional<Value> tolerance = {};    ///< relative
    bool energy = true;                     ///< keep the energy account; without it a run takes less time
    bool energy_by_element = false;         ///< for each element too; a run takes more time
    bool energy_account = false;            ///< by component, domain and flow, in Run::account; the same
    /// The account is of this part of the run only: from, to, s. Kind usage where that is not within the run.
    std::optional<std::pair<double, double>> account_window = {};
    std::size_t energy_instants = 0;  ///< keep the account from the start to about so many instants, in Run::course
    bool animation = false;           ///< keep the poses of what moves in space, in Run::animation
    bool modes = false;               ///< keep which modes there were, in Run::modes
    bool plots = false;  ///< keep what the model's `plots:` show, in Run::plot; kind usage where there is nothing
    /// Run a second time at a tenth of the tolerance where the run's own record gives reason to, and warn if results
    /// differ (BG-S005). Not of runs step by step.
    bool look_again = true;
    /// Called now and then with the time reached; false ends the run.
    std::function<bool(double time)> progress = {};
    std::function<void(const Event&)> on_event = {};
    /// Called once when all is known that keeps a run from beginning, but for its start: before that is looked for.
    std::function<void(const Expected&)> on_ready = {};
    /// Called with the run when it has come to its end, before it is looked at again, which may take as long.
    std::function<void(const Run&)> on_end = {};
    const std::atomic<bool>* cancel = nullptr;  ///< looked at in searches and steps: true ends the run
};

/// States chosen anew on the way.
struct Reselection {
    double time = 0.0;              ///< s
    std::vector<std::string> from;  ///< states that were given up
    std::vector<std::string> to;    ///< those taken instead
};

/// A start value that nobody gave, or the guess of a free parameter that nothing moved.
struct DefaultedStart {
    std::string name;
    double value = 0.0;
    bool parameter = false;
};

/// A guess or default that the conditions of the start replaced.
struct MovedStart {
    std::string name;
    double from = 0.0;
    double to = 0.0;
};

/// What a run took, and what was decided on its way.
struct Statistics {
    long steps = 0;
    long evaluations = 0;
    long jacobians = 0;
    int time_events = 0;
    int state_events = 0;
    int mode_changes = 0;
    int reselections = 0;
    std::vector<Reselection> reselected = {};  ///< the first of them
    std::vector<std::string> left_out = {};    ///< components whose constraint others imply
    std::string unproven = {};                 ///< a condition of time that was looked at 5000 times of the run only
    int recoveries = 0;                        ///< failures of the integrator that a restart got over
    double seconds_start = 0.0;                ///< of computing
    double seconds_integration = 0.0;
    std::vector<DefaultedStart> defaulted = {};
    std::vector<MovedStart> moved = {};
};

/// Which modes a run was in: values of what decides strokes, each combination once, and from when on there was which.
struct ModeCourse {
    std::vector<std::vector<ModeValue>> modes;  ///< in the order in which they were entered first
    std::vector<double> time;                   ///< s
    std::vector<std::uint32_t> mode;            ///< from that time on; index into `modes`
};

/// The times and tolerance of a run, as the model and the options have them.
struct Experiment {
    double start = 0.0;     ///< s
    double stop = 0.0;      ///< s
    double interval = 0.0;  ///< s
    double tolerance = 0.0;
};

/// A run, whole or as far as it came.
struct Run {
    Series series;
    Energy energy;
    Statistics statistics;
    std::vector<Message> warnings;  ///< of the start and of what happened (BG-S005 to BG-S009)
    std::optional<Error> failure;   ///< why it ended before its stop; rows up to there are in `series`
    /// Where RunOptions::energy_account asked for it; of a run that failed there is none.
    std::optional<EnergyAccount> account = {};
    std::optional<EnergyCourse> course = {};  ///< where RunOptions::energy_instants asked for it, of a whole run
    std::optional<Animation> animation = {};  ///< where RunOptions::animation asked for it
    std::optional<ModeCourse> modes = {};     ///< where RunOptions::modes asked for it, of a model with such
    std::optional<Plot> plot = {};            ///< where RunOptions::plots asked for it
    Experiment experiment = {};
};

}  // namespace bondgraph::api
