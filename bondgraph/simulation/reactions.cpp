// The states of elements that react to efforts and flows (diodes, friction), searched for together.

#include <algorithm>
#include <cmath>

#include "bondgraph/simulation/events.hpp"
#include "bondgraph/simulation/interruption.hpp"
#include "bondgraph/simulation/start.hpp"

namespace bondgraph::simulation {
namespace {

// Each combination may need a mode of its own to be compiled: fewer for large models.
std::size_t most_combinations(const compile::CompiledModel& model) {
    constexpr std::size_t kMost = 1000;
    constexpr std::size_t kFewest = 50;
    constexpr std::size_t kEquations = 200000;
    return std::clamp(kEquations / std::max<std::size_t>(model.equation_count, 1), kFewest, kMost);
}

}  // namespace

// Relations' differences a little later, with rates and algebraic variables of then: where they are zero now, which
// side they are about to be on. Empty where the equations have no solution there.
std::vector<double> Events::ahead(const Situation& s) const {
    constexpr double kAhead = 1e-8;  // of the run
    Point p = s.point;
    const double step = kAhead * modes_.span();
    p.time += step;
    for (std::size_t i = 0; i < s.mode->model->state_count; ++i) p.y[i] += step * p.yp[i];
    std::vector<double> d;
    try {
        solve_rates(*s.mode->evaluator, p, Effort::quick);
        differences({s.mode->model, s.mode->evaluator.get(), &p, false}, d);
    } catch (const ModelError&) {
        d.clear();
    }
    return d;
}

// The truth of the relations of elements that react; nothing where either would do.
std::vector<std::optional<bool>> Events::truths(const Situation& s, const View& view) const {
    std::vector<double> d;
    differences(view, d);
    const auto rounding = noise(view, d);
    const auto eps = [&](std::size_t k) { return std::max(s.mode->blur(k), rounding[k]); };
    std::vector<std::optional<bool>> result(d.size());
    bool open = false;
    for (std::size_t k = 0; k < d.size(); ++k) {
        if (!of_reaction_[k]) continue;
        if (std::abs(d[k]) > eps(k)) {
            result[k] = d[k] < 0.0;
        } else {
            open = true;
        }
    }
    if (!open || view.impulsive) return result;
    const std::vector<double> next = ahead(s);
    for (std::size_t k = 0; k < next.size(); ++k) {
        if (of_reaction_[k] && !result[k] && std::abs(next[k]) > eps(k)) result[k] = next[k] < 0.0;
    }
    return result;
}

// Whether an element's update may give `value`; what it gives otherwise. Of its relations that may be true or false,
// those are left as they do.
bool Events::wants(const View& view, std::size_t update, double value, const std::vector<std::optional<bool>>& known,
                   double& wanted) {
    std::vector<std::uint32_t> open;
    for (std::size_t k = 0; k < known.size(); ++k) {
        const compile::Relation& r = table_.relations[k];
        if (of_reaction_[k] && !known[k] && r.element == table_.updates[update].element) open.push_back(r.held);
    }
    constexpr std::size_t kMostOpen = 4;
    open.resize(std::min(open.size(), kMostOpen));
    const auto& tape = view.model->at_events.updates;
    auto work = tape.make_workspace<double>();
    std::vector<double> values(table_.updates.size());
    const std::vector<double> as_found = held_;
    for (std::size_t choice = 0; choice < (std::size_t{1} << open.size()); ++choice) {
        held_ = as_found;
        for (std::size_t k = 0; k < open.size(); ++k) {
            if ((choice >> k & 1U) != 0) held_[open[k]] = 1.0 - held_[open[k]];
        }
        view.evaluator->set_held(held_);
        view.evaluator->run(tape, work, view.point->time, view.point->y, view.point->yp, values);
        if (choice == 0) wanted = values[update];
        if (values[update] == value) return true;
    }
    held_ = as_found;
    return false;
}

// What the elements make of the states they have been given. Where they agree, their relations are left so.
Events::Verdict Events::judge(Situation& s, const View& view) {
    const auto known = truths(s, view);
    for (std::size_t k = 0; k < known.size(); ++k) {
        if (of_reaction_[k]) held_[table_.relations[k].held] = known[k].value_or(relations_[k].value) ? 1.0 : 0.0;
    }
    Verdict verdict{Verdict::Kind::agrees, discretes()};
    for (std::size_t u = 0; u < reacts_.size(); ++u) {
        const std::size_t d = table_.updates[u].discrete;
        const bool left_to_event = at_events_only_[u] && held_[2 * d] == first_.causal->modes[d];
        if (!judged_[u] || left_to_event || wants(view, u, held_[2 * d], known, verdict.wanted[d])) continue;
        verdict.kind = Verdict::Kind::differs;
    }
    return verdict;
}

// Whose relations and updates count in a search: at the start, what a state that nothing calls for would become is left
// to the event there.
void Events::judge_only(const std::vector<model::ReactingMode>& among) {
    const auto& discretes = first_.graph().discretes;
    of_reaction_.clear();
    for (const compile::Relation& r : table_.relations) {
        const auto its = [&](const model::ReactingMode& m) { return discretes[m.discrete].element == r.element; };
        of_reaction_.push_back(std::any_of(among.begin(), among.end(), its));
    }
    judged_.clear();
    for (const model::Update& u : table_.updates) {
        const auto its = [&](const model::ReactingMode& m) { return m.discrete == u.discrete; };
        judged_.push_back(std::any_of(among.begin(), among.end(), its));
    }
}

/// Looks for states of the elements that react which agree with each other, the rest being as it is. `try_mode`: what
/// a situation's mode gives at this point, nothing where it has no solution. False, with nothing changed, where there
/// are none among the first `most` combinations.
bool Events::search(const std::vector<model::ReactingMode>& among, const compile::FindPoint& chosen_at,
                    const std::function<std::optional<View>(Situation&)>& try_mode, std::size_t most, Situation& s) {
    if (among.empty()) return false;
    judge_only(among);
    const std::vector<double> held = held_;
    Situation trial = s;
    model::ModeSearch search(among, most);
    const auto found = search.find(discretes(), [&](const std::vector<double>& modes) -> Verdict {
        end_if_asked(modes_.settings().interrupted);  // each may take compiling a mode, and a start
        for (const auto& r : among) {
            set_discrete(r.discrete, modes[r.discrete]);
            if (starting_) held_[2 * r.discrete + 1] = modes[r.discrete];
        }
        try {
            trial.mode = &modes_.at(discretes(), chosen_at);
            if (const auto view = try_mode(trial)) return judge(trial, *view);
        } catch (const ModelError&) {
        } catch (const SimulationError&) {
        }
        return {};
    });
    if (!found) {
        held_ = held;
        enter(*s.mode);
        return false;
    }
    for (std::size_t k = 0; k < relations_.size(); ++k) {
        if (of_reaction_[k]) relations_[k] = {held_[table_.relations[k].held] != 0.0, false};
    }
    for (const auto& r : among) {
        if (held_[2 * r.discrete] != held[2 * r.discrete])
            recent_.push_back(first_.graph().variable_name(first_.graph().discretes[r.discrete].variable));
    }
    s = trial;
    return true;
}

bool Events::search_at_event(Situation& s, const Snapshot& base) {
    const Segment segment = s.mode->evaluator->segment;
    std::optional<ImpulseStep> impulse;
    return search(
        reacting_, chosen_at(base, segment),
        [&](Situation& trial) -> std::optional<View> {
            trial.mode->evaluator->segment = segment;
            continue_in(*trial.mode, trial, base, impulse);
            if (impulse) return View{&impulse->raw->model(), impulse->raw, &impulse->point, true};
            return View{trial.mode->model, trial.mode->evaluator.get(), &trial.point, false};
        },
        most_combinations(first_), s);
}

// Friction that may stick does. In the rounds of an event one breaks loose from what holds while another is about to
// turn round: where it might have held beside what the others have come to, it has.
bool Events::hold_what_may_stick(Situation& s, const Snapshot& base) {
    std::vector<std::size_t> slipped;
    std::size_t changed = 0;
    for (const model::ReactingMode& r : reacting_) {
        const double now = held_[2 * r.discrete];
        const double before = held_[2 * r.discrete + 1];
        if (now == before) continue;
        ++changed;
        const auto moves = [&](double mode) { return mode == 1.0 || mode == -1.0; };
        const bool friction = first_.graph().discretes[r.discrete].type != model::ValueType::boolean;
        if (friction && moves(now) && (moves(before) || before == 0.0) && !passed_[r.discrete])
            slipped.push_back(r.discrete);
    }
    if (changed < 2 || slipped.empty()) return false;  // alone, it has been asked
    if (slipped.size() > 1 && hold(s, base, slipped)) return true;
    bool any = false;
    for (const std::size_t d : slipped) any = hold(s, base, {&d, 1}) || any;
    return any;
}

bool Events::slides_on(Situation& s, const Snapshot& base) {
    std::vector<Stopped> stopped;
    for (const model::ReactingMode& r : reacting_) {
        const double before = held_[2 * r.discrete + 1];
        if (first_.graph().discretes[r.discrete].type == model::ValueType::boolean) continue;
        if (held_[2 * r.discrete] == 0.0 && (before == 1.0 || before == -1.0)) stopped.push_back({r.discrete, before});
    }
    if (stopped.empty()) return false;
    if (stopped.size() > 1 && slides_on(s, base, stopped)) return true;
    return std::ranges::any_of(stopped, [&](const Stopped& one) { return slides_on(s, base, {&one, 1}); });
}

// Whether these frictions, and no other, slide on; then they do.
bool Events::slides_on(Situation& s, const Snapshot& base, std::span<const Stopped> frictions) {
    constexpr double kAlike = 1e-6;
    const std::vector<double> sticking = held_;
    const std::vector<Truth> relations = relations_;
    const Situation as_it_was = s;
    for (const Stopped& f : frictions) set_discrete(f.discrete, f.before);
    std::vector<double> slowing;
    for (const Stopped& f : frictions) slowing.push_back(leaving(s, f.discrete));
    for (const Stopped& f : frictions) set_discrete(f.discrete, -f.before);
    bool untouched = agree(s, base);
    for (std::size_t k = 0; k < frictions.size() && untouched; ++k) {
        const double going_on = leaving(s, frictions[k].discrete);
        untouched = held_[2 * frictions[k].discrete] == -frictions[k].before && going_on > 0.0 &&
                    std::abs(going_on - slowing[k]) <= kAlike * going_on;
    }
    if (untouched) {
        for (const Stopped& f : frictions) passed_[f.discrete] = true;
        return true;
    }
    s = as_it_was;
    relations_ = relations;
    held_ = sticking;
    enter(*s.mode);
    return false;
}

// Whether the elements that react agree with the states they have been given, without a jump.
bool Events::agree(Situation& s, const Snapshot& base) {
    const Segment segment = s.mode->evaluator->segment;
    const auto try_mode = [&](Situation& trial) -> std::optional<View> {
        trial.mode->evaluator->segment = segment;
        std::optional<ImpulseStep> impulse;
        continue_in(*trial.mode, trial, base, impulse);
        if (impulse) return std::nullopt;
        return View{trial.mode->model, trial.mode->evaluator.get(), &trial.point, false};
    };
    return search(reacting_, chosen_at(base, segment), try_mode, 1, s);
}

// How fast the relation about zero of a sliding friction changes: positive where it goes to the side it is said to be
// on.
double Events::leaving(Situation& s, std::size_t discrete) {
    constexpr double kAhead = 1e-8;  // of the run
    enter(*s.mode);
    Point here = s.point;
    Point ahead = s.point;
    const double step = kAhead * modes_.span();
    try {
        solve_rates(*s.mode->evaluator, here);
        for (std::size_t i = 0; i < s.mode->model->state_count; ++i) ahead.y[i] += step * here.yp[i];
        solve_rates(*s.mode->evaluator, ahead);
    } catch (const ModelError&) {
        return 0.0;
    }
    std::vector<double> from;
    std::vector<double> to;
    differences({s.mode->model, s.mode->evaluator.get(), &here, false}, from);
    differences({s.mode->model, s.mode->evaluator.get(), &ahead, false}, to);
    const model::ElementId element = first_.graph().discretes[discrete].element;
    double rate = 0.0;
    for (std::size_t k = 0; k < from.size(); ++k) {
        if (table_.relations[k].element != element) continue;
        rate += (relations_[k].value ? from[k] - to[k] : to[k] - from[k]) / step;
    }
    return rate;
}

// Whether these frictions may stick, all else being as it is; then they do.
bool Events::hold(Situation& s, const Snapshot& base, std::span<const std::size_t> frictions) {
    const std::vector<double> sliding = held_;
    for (const std::size_t d : frictions) set_discrete(d, 0.0);
    if (agree(s, base)) return true;
    held_ = sliding;
    enter(*s.mode);
    return false;
}

bool Events::search_at_start(Situation& s, double time, std::vector<bool>& foreseen) {
    const bool found = search(
        of_start_, chosen_at_start(time),
        [&](Situation& trial) -> std::optional<View> {
            try_start(trial, time);
            return View{trial.mode->model, trial.mode->evaluator.get(), &trial.point, false};
        },
        most_combinations(first_), s);
    for (std::size_t k = 0; k < foreseen.size(); ++k) foreseen[k] = foreseen[k] || (found && of_reaction_[k]);
    return found;
}

}  // namespace bondgraph::simulation
