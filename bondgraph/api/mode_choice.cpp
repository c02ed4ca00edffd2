#include "bondgraph/api/mode_choice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <stdexcept>
#include <vector>

#include "bondgraph/api/experiment.hpp"
#include "bondgraph/api/messages.hpp"
#include "bondgraph/api/usage_error.hpp"

namespace bondgraph::api {
namespace {

bool has_modes(const model::BondGraph& graph) {
    return std::ranges::any_of(graph.discretes, [](const model::DiscreteVariable& d) { return d.structural; });
}

void check_time(double time, const simulation::Settings& settings) {
    if (!std::isfinite(time)) throw UsageError("the time has to be a finite number");
    if (time < settings.start) throw UsageError("the time lies before the start");
}

/// Of all discrete variables, where something else has to be solved first.
std::vector<double> modes_at(const Session& session, const simulation::Settings& settings, std::optional<double> at) {
    std::optional<compile::CompiledModel> own;
    if (!session.compiled) own = compile::compile(compile::sort_equations(*session.causal));
    const simulation::Point point = point_at(own ? *own : *session.compiled, settings, at);
    std::vector<double> modes = session.causal->modes;
    for (std::size_t d = 0; d < modes.size(); ++d) modes[d] = point.held[2 * d];
    return modes;
}

std::vector<double> with_values(const model::BondGraph& graph, std::vector<double> modes,
                                const std::vector<ModeValue>& values) {
    for (const ModeValue& v : values) {
        const auto named = std::ranges::find_if(graph.discretes, [&](const model::DiscreteVariable& d) {
            return d.structural && graph.variable_name(d.variable) == v.name;
        });
        if (named == graph.discretes.end())
            throw UsageError(fmt::format("'{}' is nothing that decides strokes in this model", v.name));
        if (!std::isfinite(v.value) || (named->type == model::ValueType::boolean && v.value != 0.0 && v.value != 1.0))
            throw UsageError(fmt::format("'{}' can't be {:g}", v.name, v.value));
        modes[static_cast<std::size_t>(named - graph.discretes.begin())] = v.value;
    }
    return modes;
}

bool names_all(const model::BondGraph& graph, const std::vector<ModeValue>& values) {
    return std::ranges::all_of(graph.discretes, [&](const model::DiscreteVariable& d) {
        return !d.structural ||
               std::ranges::find(values, graph.variable_name(d.variable), &ModeValue::name) != values.end();
    });
}

void enter(Session& session, const std::vector<double>& modes) {
    const auto& discretes = session.graph->discretes;
    bool same = true;
    for (std::size_t d = 0; d < modes.size(); ++d)
        same = same && (!discretes[d].structural || modes[d] == session.causal->modes[d]);
    if (same) return;
    auto causal = std::make_unique<causality::CausalGraph>(causality::assign_causality(*session.graph, modes));
    auto system = std::make_unique<compile::SortedSystem>(compile::sort_equations(*causal));
    if (session.compiled) session.compiled = std::make_unique<compile::CompiledModel>(compile::compile(*system));
    if (session.system) session.system = std::move(system);
    session.causal = std::move(causal);
}

}  // namespace

simulation::Point point_at(const compile::CompiledModel& model, simulation::Settings settings,
                           std::optional<double> at) {
    const double time = at.value_or(settings.start);
    check_time(time, settings);
    try {
        if (time == settings.start) return simulation::start_point(model, settings);
        settings.stop = time;
        return simulation::simulate_to(model, settings);
    } catch (const ModelError&) {
        throw;
    } catch (const std::runtime_error& e) {
        throw StartFailure{plain_error(Error::Kind::run, {e.what()})};
    }
}

void take_modes_of_start(Session& session) {
    if (!has_modes(*session.graph)) return;
    try {
        enter(session, modes_at(session, experiment_settings(session), {}));
    } catch (const ModelError&) {
    } catch (const StartFailure&) {
    } catch (const std::runtime_error&) {
    }
}

void take_mode(Session& session, const WhichMode& which) {
    if (!which.at && !names_all(*session.graph, which.values)) take_modes_of_start(session);
    if (which.at) {
        const simulation::Settings settings = experiment_settings(session, {.rows = false});
        check_time(*which.at, settings);
        if (has_modes(*session.graph)) enter(session, modes_at(session, settings, which.at));
    }
    if (!which.values.empty()) enter(session, with_values(*session.graph, session.causal->modes, which.values));
}

}  // namespace bondgraph::api
