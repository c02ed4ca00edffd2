#include "bondgraph/api/run_values.hpp"

#include <fmt/format.h>

#include "bondgraph/api/animation.hpp"
#include "bondgraph/api/energy_account.hpp"
#include "bondgraph/api/plots.hpp"
#include "bondgraph/api/run_warnings.hpp"
#include "bondgraph/api/structure.hpp"

namespace bondgraph::api {

Extras add_extras(const RunOptions& options, const Session& session, std::vector<simulation::Signal>& signals) {
    Extras extras{signals.size(),         signals.size(),   {}, options.energy_by_element,
                  options.energy_account, options.animation};
    if (!options.animation && !options.plots) return extras;
    const auto hold = session.graph->expressions->hold();
    if (options.plots) extras.panels = plot_panels(session, signals);
    extras.first_of_animation = signals.size();
    if (options.animation) {
        for (simulation::Signal& s : animation_signals(*session.graph)) signals.push_back(std::move(s));
    }
    return extras;
}

namespace {

Series series_of(const simulation::Result& result, std::size_t outputs) {
    std::vector<Series::Column> columns;
    for (const simulation::Signal& s : std::span(result.signals).first(outputs))
        columns.push_back({s.name, s.unit, s.description});
    if (outputs == result.signals.size()) return {std::move(columns), result.time, result.data};
    std::vector<double> data;
    data.reserve(outputs * result.time.size());
    for (std::size_t row = 0; row < result.time.size(); ++row) {
        for (std::size_t c = 0; c < outputs; ++c) data.push_back(result.at(row, c));
    }
    return {std::move(columns), result.time, data};
}

Energy energy_of(const simulation::EnergyBalance& b, bool by_element) {
    Energy energy = energy_in_all(b);
    if (!by_element) return energy;
    for (const simulation::EnergyOfElement& e : b.elements)
        energy.elements.push_back(
            {e.element, e.type, e.absorbed, e.supplied, e.stored, e.dissipated, e.other, e.events, e.moved});
    return energy;
}

Statistics statistics_of(const simulation::Summary& s) {
    Statistics all{s.steps,        s.residual_evaluations, s.jacobian_evaluations, s.time_events,
                   s.state_events, s.mode_changes,         s.reselections,         {}};
    for (const simulation::Reselection& r : s.reselected) all.reselected.push_back({r.time, r.from, r.to});
    all.left_out = s.left_out;
    all.unproven = s.unproven;
    all.recoveries = s.recoveries;
    all.seconds_start = s.seconds_initialization;
    all.seconds_integration = s.seconds_integration;
    for (const simulation::DefaultedStart& d : s.defaulted) all.defaulted.push_back({d.name, d.value, d.parameter});
    for (const simulation::MovedStart& m : s.moved) all.moved.push_back({m.name, m.from, m.to});
    return all;
}

ModeCourse modes_of(const model::BondGraph& graph, const simulation::ModeCourse& course) {
    ModeCourse result{.modes = {}, .time = course.time, .mode = course.mode};
    for (const std::vector<double>& values : course.modes) result.modes.push_back(mode_values(graph, values));
    return result;
}

/// Throws UsageError for a window that is no part of the run.
void check_window(const RunOptions& options, const simulation::Settings& settings) {
    if (!options.account_window) return;
    const auto [from, to] = *options.account_window;
    if (!options.energy_account) throw UsageError("a window of the energy account needs energy_account");
    if (!(from < to && from >= settings.start && to <= settings.stop)) {
        throw UsageError(fmt::format(
            "the window of the energy account, {:g} s to {:g} s, is no part of the run, which goes from {:g} "
            "s to {:g} s",
            from, to, settings.start, settings.stop));
    }
}

}  // namespace

Expected expected_of(const std::vector<simulation::Signal>& signals, const Extras& extras) {
    Expected expected;
    for (const simulation::Signal& s : std::span(signals).first(extras.outputs))
        expected.columns.push_back({s.name, s.unit, s.description});
    expected.animated = signals.size() > extras.first_of_animation;
    return expected;
}

Experiment experiment_of(const simulation::Settings& settings) {
    return {settings.start, settings.stop, settings.interval, settings.tolerance};
}

simulation::Settings settings_of(const Variant::Plan& plan, const RunOptions& options, std::vector<double> adjustable) {
    simulation::Settings settings = plan.settings;
    settings.adjustable = std::move(adjustable);
    check_window(options, settings);
    settings.energy_by_element = options.energy_by_element || options.energy_account || options.energy_instants > 0;
    settings.audit_instants = options.energy_instants;
    settings.energy = options.energy || settings.energy_by_element;
    settings.modes = options.modes;
    settings.audit_window = options.account_window;
    settings.interrupted = options.cancel;
    if (options.on_event) {
        settings.on_event = [told = options.on_event](const simulation::Happening& h) {
            told({h.time, h.of_time, h.jumped, h.mode_changes, h.cause});
        };
    }
    return settings;
}

Run run_of(const Variants& variants, const Variant& variant, const simulation::Settings& settings,
           const simulation::Run& run, const Extras& extras) {
    Run result{series_of(run.result, extras.outputs),
               energy_of(run.summary.energy, extras.by_element),
               statistics_of(run.summary),
               variant.warnings,
               {}};
    for (Message& m : variants.messages_of(run_warnings(run.summary), variant.session))
        result.warnings.push_back(std::move(m));
    const model::BondGraph& graph = *variant.session.graph;
    if (run.summary.failure) result.failure = variants.error_of(*run.summary.failure, variant.session);
    if (extras.account && !result.failure) result.account = energy_account(graph, run.summary.audited);
    if (!run.summary.course.empty() && !result.failure) result.course = energy_course(graph, run.summary.course);
    if (extras.animation) {
        const auto hold = graph.expressions->hold();
        result.animation = animation_of(graph, run.result, extras.first_of_animation);
        const auto found = animation_warnings(graph, run.result, extras.first_of_animation);
        for (Message& m : variants.messages_of(found, variant.session)) result.warnings.push_back(std::move(m));
    }
    if (!run.summary.modes.modes.empty()) result.modes = modes_of(graph, run.summary.modes);
    if (!extras.panels.empty()) result.plot = Plot{series_of(run.result, extras.first_of_animation), extras.panels};
    result.experiment = experiment_of(settings);
    return result;
}

}  // namespace bondgraph::api
