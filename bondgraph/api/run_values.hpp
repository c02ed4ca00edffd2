#pragma once

#include <cstddef>
#include <vector>

#include "bondgraph/api/bondgraph.hpp"
#include "bondgraph/api/variants.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::api {

/// What a run is asked for beside its rows and books. Its columns are the outputs, then what only plots show, then the
/// animation's.
struct Extras {
    std::size_t outputs = 0;
    std::size_t first_of_animation = 0;
    std::vector<PlotPanel> panels = {};
    bool by_element = false;
    bool account = false;
    bool animation = false;
};

/// Lets a run record what its plots and animation need, behind the outputs. Throws ModelError BG-O002 for plots of what
/// is no result, and UsageError where there is nothing to plot.
Extras add_extras(const RunOptions& options, const Session& session, std::vector<simulation::Signal>& signals);

/// A plan's settings with what else the options ask for. Throws UsageError for a window that is no part of the run.
simulation::Settings settings_of(const Variant::Plan& plan, const RunOptions& options, std::vector<double> adjustable);

Expected expected_of(const std::vector<simulation::Signal>& signals, const Extras& extras);

Experiment experiment_of(const simulation::Settings& settings);

/// What leaves the library of a run.
Run run_of(const Variants& variants, const Variant& variant, const simulation::Settings& settings,
           const simulation::Run& run, const Extras& extras);

}  // namespace bondgraph::api
