#pragma once

#include <optional>
#include <string>
#include <vector>

#include "bondgraph/api/calls.hpp"
#include "bondgraph/api/session.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::api {

/// What of the experiment options replace, as texts ("2 s") or numbers in seconds.
struct ExperimentOptions {
    std::optional<Value> stop = {};
    std::optional<Value> tolerance = {};
    std::optional<Value> interval = {};
    bool rows = true;  ///< false: nothing is recorded, so the interval may be anything
};

/// The model's experiment with the options laid over it; what neither gives: from 0 s to 1 s, tolerance 1e-6, 500
/// intervals. Throws ModelError: BG-S001 stops before it starts, BG-S002 tolerance not between 0 and 1, BG-S003
/// interval not positive, BG-S004 more than ten million rows. What is wrong with a number of the options points
/// nowhere.
simulation::Settings experiment_settings(Session& session, const ExperimentOptions& options = {});

/// When the model's experiment starts, in seconds.
double start_time(Session& session);

/// Reports a time so far beyond the stop that the rows up to there could not be kept.
void check_reach(const simulation::Settings& settings, double at, SourcePosition position, Diagnostics& diagnostics);

/// Whether a run of the compiled session would begin: throws what is wrong with the experiment's times and the start as
/// ModelError. How a search fails that needs numbers of the run is left to the run.
void check_start(Session& session);

/// A time typed as an option, in seconds. Throws ModelError pointing into the option.
double option_time(Session& session, const std::string& text, const std::string& option);

/// The signals of names of the file; a multibond's name without index stands for all its components.
/// Throws ModelError BG-O002 for every name that is no result.
std::vector<simulation::Signal> find_signals(const Session& session, const std::vector<model::Text>& names);

/// The model's `outputs:`, or by default the states and every bond's effort and flow.
std::vector<simulation::Signal> output_signals(const Session& session);

}  // namespace bondgraph::api
