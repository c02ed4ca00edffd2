// The modes a run starts in: they, the relations and the start values in agreement.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/simulation/events.hpp"
#include "bondgraph/simulation/interruption.hpp"
#include "bondgraph/simulation/start.hpp"

namespace bondgraph::simulation {

namespace {

// A mistake that holds in an assumed state of diodes and friction says so where it names them.
ModelError under_assumption(const ModelError& e, const model::BondGraph& graph,
                            const std::vector<model::ReactingMode>& reacting, const std::vector<double>& modes) {
    std::vector<Diagnostic> all = e.diagnostics();
    std::string text = model::mode_text(graph, reacting, modes);
    if (!text.empty()) all.front().notes.push_back({"with", std::move(text)});
    return ModelError(std::move(all));
}

/// Whether joints may hold or not.
bool modes_change_positions(const model::BondGraph& graph) {
    return std::ranges::any_of(graph.discretes,
                               [&](const auto& d) { return graph.elements[d.element.index()].type->holds_positions; });
}

}  // namespace

// States of a mode that is first entered at the start are chosen at a consistent start with what is held there.
compile::FindPoint Events::chosen_at_start(double time) const {
    return [this, time](const compile::ReducedSystem& system) {
        return compile::consistent_start(
            system, first_segment(first_, time, held_, modes_.settings().interrupted).inside(time), held_);
    };
}

// Start values, rates and algebraic variables in the mode of a situation.
void Events::try_start(Situation& s, double time) {
    const Segment segment = first_segment(first_, time, held_, modes_.settings().interrupted);
    s.mode->evaluator->segment = segment;
    enter(*s.mode);
    try {
        s.point = initialize(s.mode->evaluator->shared_findings(), time, held_, s.mode->evaluator->interrupted);
    } catch (const ModelError& e) {
        const auto& reduced = s.mode->model->reduced;
        if ((reduced && reduced->thorough) || e.diagnostics().front().code != "BG-I004") throw;
        // Singular by values: constraints may depend on each other.
        Mode* general = nullptr;
        try {
            general = &modes_.reduced(*s.mode, chosen_at_start(time));
        } catch (const ModelError& why) {
            const std::string& code = why.diagnostics().front().code;
            if (code == "BG-E004" || code == "BG-I001") throw;
            throw e;
        }
        s.mode = general;
        s.mode->evaluator->segment = segment;
        enter(*s.mode);
        try {
            s.point = initialize(s.mode->evaluator->shared_findings(), time, held_, s.mode->evaluator->interrupted);
        } catch (const ModelError& why) {
            if (why.diagnostics().front().code != "BG-I004") throw;
            throw e;  // what is singular shows better before states were chosen
        }
    }
    std::copy(s.point.held.begin(), s.point.held.end(), held_.begin());  // free parameters found
    enter(*s.mode);
}

bool Events::due_at_start(const Situation& s) {
    const auto before = held_;
    const View view{s.mode->model, s.mode->evaluator.get(), &s.point, false};
    const bool due = refresh_discretes(view, true);
    held_ = before;
    enter(*s.mode);
    return due;
}

// Relations of time and held values alone are true or false before anything is solved for; some follow from others.
void Events::settle_relations_of_time(Mode& mode, double time) {
    mode.evaluator->segment = first_segment(first_, time, held_, modes_.settings().interrupted);
    const std::vector<double> unknown(mode.model->size(), 0.0);
    Point point;
    point.time = time;
    point.y = unknown;
    point.yp = unknown;
    std::vector<double> d;
    for (int round = 0; round < kTogether; ++round) {
        enter(mode);
        differences({mode.model, mode.evaluator.get(), &point, false}, d);
        bool changed = false;
        for (std::size_t k = 0; k < d.size(); ++k) {
            const bool value = d[k] < 0.0 || (d[k] == 0.0 && includes_zero(k));
            if (!of_time_[k] || value == relations_[k].value) continue;
            relations_[k].value = value;
            held_[table_.relations[k].held] = value ? 1.0 : 0.0;
            changed = true;
        }
        changed = take_steps_at_start(d) || changed;
        if (!changed) return;
    }
}

// Whether relations that are zero now are about to be other than they were foreseen in modes tried on the way: bodies
// that start at rest, of which one was taken to slide before another was found to hold it.
bool Events::left_at_once(const Situation& s, const std::vector<double>& now) {
    const auto relations = relations_;
    const auto held = held_;
    std::vector<bool> foreseen(relations_.size(), false);
    const bool left = look_ahead(s, now, foreseen);
    relations_ = relations;
    held_ = held;
    return left;
}

// Instants that numbers of the size of the run's times can't tell apart would be passed by as one, or never.
void Events::check_samples(double time) const {
    constexpr double kLeast = 1e-12;  // of the largest time: tens of their last digits
    const double largest = std::max(std::abs(time), std::abs(modes_.settings().stop));
    if (!std::isfinite(largest)) return;
    for (const model::Sample& sample : first_.graph().samples) {
        if (sample.period >= kLeast * largest) continue;
        Failure f{
            .message = fmt::format("samples with a period of {:g} s can't be told apart at times of up to {:g} s; "
                                   "make the period longer, or the run shorter",
                                   sample.period, largest),
            .time = time,
            .position = first_.graph().model_position};
        for (const model::Element& e : first_.graph().elements) {
            if (!e.sample || &first_.graph().samples[*e.sample] != &sample) continue;
            f.component = fmt::format("'{}' ({})", e.name, e.type->name);
            f.position = e.position;
            break;
        }
        throw SimulationError(f);
    }
}

Situation Events::start(double time) {
    check_samples(time);
    time_ = time;
    starting_ = begins_ = true;
    Situation s = first_situation(time);
    starting_ = false;
    return s;
}

// Nothing has changed before the start: what reacts to a change of others (edge(), change(), pre() of another variable)
// sees them as they are there, and its own value before is the one that it was declared with. So it is where all that
// is known without solving anything (model/modes.cpp); here that shows only once the rest has been found.
bool Events::without_edges(const Situation& s) {
    const model::BondGraph& g = first_.graph();
    if (table_.updates.empty()) return false;
    const auto& tape = s.mode->model->at_events.updates;
    auto work = tape.make_workspace<double>();
    std::vector<double> values(table_.updates.size());
    bool changed = false;
    for (std::size_t u = 0; u < table_.updates.size(); ++u) {
        const std::size_t d = table_.updates[u].discrete;
        const model::Element& e = g.elements[g.discretes[d].element.index()];
        if (e.declaration == nullptr || held_[2 * d] == declared_[d]) continue;
        std::vector<double> held = held_;
        for (std::size_t i = 0; i < g.discretes.size(); ++i) held[2 * i + 1] = i == d ? declared_[d] : held[2 * i];
        s.mode->evaluator->set_held(held);
        s.mode->evaluator->run(tape, work, s.point.time, s.point.y, s.point.yp, values);
        if (!std::isfinite(values[u]) || values[u] == held_[2 * d]) continue;
        held_[2 * d] = values[u];
        changed = true;
    }
    enter(*s.mode);
    return changed;
}

Situation Events::first_situation(double time) {
    Situation s{&modes_.first(), {}};
    if (table_.empty()) {
        try_start(s, time);
        return s;
    }
    settle_relations_of_time(*s.mode, time);
    std::vector<double> d;
    bool looked_ahead = false;
    bool doubted = false;
    std::vector<bool> foreseen(relations_.size(), false);
    for (int round = 0; round < kMostRounds; ++round) {
        end_if_asked(modes_.settings().interrupted);
        const bool one_only = round >= kTogether;
        if (round == kTogether) search_at_start(s, time, foreseen);
        try {
            s.mode = &modes_.at(discretes(), chosen_at_start(time));
            try_start(s, time);
        } catch (const ModelError& e) {
            const bool of_positions = dynamic_cast<const compile::PositionError*>(&e) != nullptr;
            if (of_positions && !modes_change_positions(first_.graph())) throw;
            const std::vector<double> assumed = discretes();
            if (!search_at_start(s, time, foreseen)) throw under_assumption(e, first_.graph(), of_start_, assumed);
        }
        const View view{s.mode->model, s.mode->evaluator.get(), &s.point, false};
        differences(view, d);
        const auto rounding = noise(view, d);
        bool changed = false;
        for (std::size_t k = 0; k < d.size() && !(changed && one_only); ++k) {
            // From the second round on there is something to remember: what has just begun to slide has no speed yet.
            if ((round > 0 || foreseen[k]) && std::abs(d[k]) <= rounding[k]) continue;
            const bool value = d[k] < 0.0 || (d[k] == 0.0 && includes_zero(k));
            if (value == relations_[k].value || (foreseen[k] && d[k] == 0.0)) continue;
            relations_[k].value = value;
            held_[table_.relations[k].held] = value ? 1.0 : 0.0;
            changed = true;
        }
        changed = take_steps_at_start(d) || changed;
        enter(*s.mode);
        changed = refresh_discretes(view, one_only) || changed;
        if (changed) continue;
        if (!looked_ahead) {
            looked_ahead = true;
            if (look_ahead(s, d, foreseen)) continue;
        }
        if (!std::exchange(doubted, true) && left_at_once(s, d) && search_at_start(s, time, foreseen)) continue;
        for (std::size_t k = 0; k < d.size(); ++k) relations_[k].armed = d[k] != 0.0;
        if (without_edges(s)) changed = true;
        for (std::size_t i = 0; i < first_.graph().discretes.size(); ++i) held_[2 * i + 1] = held_[2 * i];
        enter(*s.mode);
        if (changed) continue;
        // With pre() renewed, nothing more may change.
        recent_.clear();
        if (refresh_discretes(view, one_only)) continue;
        look_at_conditions(s);
        impulses_.learn(*s.mode, impulses_.snapshot(*s.mode, s.point));
        return s;
    }
    unsettled(time);
}

}  // namespace bondgraph::simulation
