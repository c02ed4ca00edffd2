// Events of a run. In this order:
//   between events   instants of samples, values of relations, what is foreseen beyond a kink of time, and a point
//                    handed from one mode to another
//   at an event      relations, then discrete variables, are evaluated anew; settle() repeats both, and changes modes,
//                    until nothing changes; settle_anew() does so where nothing came of a crossing
//   what is said     names of what goes on changing, the failure, the cause of an event
//   handle()         the whole event: flips what has crossed, settles, fires `when:`, renews pre(), again until nothing
//                    changes
// Jumps of states are in events_jump.cpp, what answers to their impulses in reactions.cpp, the search for crossings in
// crossings.cpp, `when:` in when.cpp, the start in first_modes.cpp.

#include "bondgraph/simulation/events.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "bondgraph/compile/equations.hpp"
#include "bondgraph/simulation/interruption.hpp"
#include "bondgraph/simulation/lock_watch.hpp"
#include "bondgraph/simulation/start.hpp"
#include "bondgraph/simulation/taking_hold.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;
using compile::Relation;

namespace {

constexpr int kMostRenewals = 100;

/// Which of a sample's instants a time is, counted from 0; -1 if it is none.
double instant_of(const model::Sample& sample, double time) {
    const double n = std::round((time - sample.start) / sample.period);
    return n >= 0 && std::abs(sample.start + n * sample.period - time) <= 1e-9 * sample.period ? n : -1.0;
}

}  // namespace

Events::Events(const CompiledModel& first, Modes& modes)
    : first_(first),
      table_(*first.events),
      modes_(modes),
      impulses_(first, modes, modes.span()),
      jump_energy_(first),
      held_(first.graph().held_at_start(first.causal->modes, table_.held_count)),
      touched_(first.graph().discretes.size(), false),
      passed_(first.graph().discretes.size(), false),
      relations_(table_.relations.size()),
      conditions_(table_.whens.size(), false),
      sampled_(first.graph().samples.size(), -1.0) {
    adjust(modes.settings().adjustable);
    for (const model::Update& u : table_.updates) {
        const model::DiscreteVariable& d = first.graph().discretes[u.discrete];
        at_events_only_.push_back(d.at_events_only);
        reacts_.push_back(d.reacts_to_impulse);
    }
    for (const bool last : {false, true}) {
        for (std::size_t u = 0; u < reacts_.size(); ++u) {
            if (at_events_only_[u] == last) update_order_.push_back(u);
        }
    }
    std::vector<bool> continuous(first.input_size(), false);
    std::fill_n(continuous.begin() + 1, 2 * first.size(), true);
    if (!relations_.empty()) {
        for (const auto& needed : first.at_events.differences.dependencies(continuous))
            of_time_.push_back(needed.empty());
    }
    if (!table_.updates.empty()) {
        for (const auto& needed : first.at_events.updates.dependencies(continuous))
            update_of_time_.push_back(needed.empty());
    }
    declared_ = first.causal->modes;
    find_steps();
    reacting_ = of_start_ = model::reacting_modes(first.graph());
    for (const auto& more : {model::start_modes_to_try(first.graph()), model::conditions_to_try(first.graph())})
        of_start_.insert(of_start_.end(), more.begin(), more.end());
}

void Events::adjust(std::span<const double> values) {
    if (!values.empty() && values.size() != first_.graph().adjustable.size())
        throw std::invalid_argument("as many values as adjustable parameters");
    std::ranges::copy(values, held_.begin() + static_cast<std::ptrdiff_t>(first_.graph().first_adjustable()));
}

std::vector<double> Events::discretes() const {
    std::vector<double> values(first_.graph().discretes.size());
    for (std::size_t d = 0; d < values.size(); ++d) values[d] = held_[2 * d];
    return values;
}

double Events::next_sample(double time) const {
    double next = std::numeric_limits<double>::infinity();
    for (const model::Sample& s : first_.graph().samples) {
        const double k = std::floor((time - s.start) / s.period * (1.0 + 1e-14) + 1e-9);
        next = std::min(next, s.start + std::max(0.0, k + 1.0) * s.period);
    }
    return next;
}

bool Events::sample_due(double time) const {
    for (std::size_t k = 0; k < sampled_.size(); ++k) {
        if (instant_of(first_.graph().samples[k], time) > sampled_[k]) return true;
    }
    return false;
}

void Events::differences(const View& view, std::vector<double>& out) const {
    out.resize(relations_.size());
    if (out.empty()) return;
    const auto& tape = view.model->at_events.differences;
    auto work = tape.make_workspace<double>();
    view.evaluator->run(tape, work, view.point->time, view.point->y, view.point->yp, out);
}

Point Events::transfer(Mode& from, Mode& to, const Point& point, const Segment& segment, Effort effort) const {
    const Snapshot snapshot = impulses_.snapshot(from, point);
    to.evaluator->segment = segment;
    enter(to);
    Point p = impulses_.transfer(to, snapshot);
    solve_rates(*to.evaluator, p, effort);
    return p;
}

// ---- at an event ----------------------------------------------------------------------------------------------------

bool Events::refresh_relations(Situation& s, const View& view, bool one_only, bool& in_equations) {
    if (view.refused && !view.impulsive) return false;  // values after the jump, which there will not be
    std::vector<double> d;
    differences(view, d);
    rounding_ = noise(view, d);
    bool changed = false;
    for (std::size_t k = 0; k < d.size(); ++k) {
        const double eps = std::max(s.mode->blur(k), rounding_[k]);
        Truth& r = relations_[k];
        if (!(std::abs(d[k]) > eps)) {
            // What has jumped to zero is on neither side there: a stop lets go at a speed that is rounding.
            if (std::abs(before_[k]) > eps) r.armed = false;
            const bool jumped = d[k] == 0.0 && std::abs(before_[k]) > eps;
            if (!jumped || r.value == includes_zero(k) || !rests_at_zero(view, k)) continue;
        } else if (!r.left_by(d[k], eps)) {
            if ((d[k] < 0.0) == r.value) r = {r.value, true, 0.0, r.unclear};
            continue;
        }
        r = {!r.value, std::abs(d[k]) > eps, 0.0, r.unclear};
        held_[table_.relations[k].held] = r.value ? 1.0 : 0.0;
        recent_.push_back(compile::held_text(first_.graph(), table_, table_.relations[k].held));
        in_equations = in_equations || table_.relations[k].in_equations;
        changed = true;
        if (one_only) break;
    }
    if (changed) take_steps(d);
    if (changed) view.evaluator->set_held(held_);
    return changed;
}

double Mode::blur(std::size_t relation) const {
    return std::max(kRelationNoise * relation_scale[relation], relation_rounding[relation]);
}

// Once a mode has proved to be the right one: in others, tried on the way, laws may be far outside their range. Until
// the next event only: a diode's difference is an effort while it blocks and a flow while it conducts, and where others
// are in between, what it is made of may cancel as it does at no other time.
void Events::learn_rounding(Mode& mode) const {
    std::copy(rounding_.begin(), rounding_.end(), mode.relation_rounding.begin());
}

bool Events::refresh_discretes(const View& view, bool one_only) {
    if (table_.updates.empty()) return false;
    const auto& tape = view.model->at_events.updates;
    auto work = tape.make_workspace<double>();
    std::vector<double> values(table_.updates.size());
    bool changed = false;
    // Updates see each other's results: as often as it takes, but no longer than a chain of all of them.
    bool reacted = false;
    for (std::size_t round = 0; round <= table_.updates.size(); ++round) {
        view.evaluator->set_held(held_);
        view.evaluator->run(tape, work, view.point->time, view.point->y, view.point->yp, values);
        bool again = false;
        std::vector<bool> rounded;
        for (const std::size_t u : update_order_) {
            const bool answers = view.impulsive ? reacts_[u] : !view.refused;
            if (!(answers || (view.refused && update_of_time_[u])) || (starting_ && at_events_only_[u])) continue;
            const std::size_t d = table_.updates[u].discrete;
            if (values[u] == held_[2 * d]) continue;
            // A stop lets go once diodes and frictions have settled: what presses it on the way there says nothing.
            if (reacted && at_events_only_[u]) continue;
            if (touched_[d] && rounded.empty()) rounded = only_rounding(view, values);
            if (touched_[d] && rounded[u]) continue;
            if (!std::isfinite(values[u])) {
                Failure f;
                f.time = view.point->time;
                f.component = fmt::format("'{}'", first_.graph().elements[table_.updates[u].element.index()].name);
                f.position = table_.updates[u].position;
                f.message = fmt::format("'{}' has no finite value",
                                        first_.graph().variable_name(first_.graph().discretes[d].variable));
                throw SimulationError(f);
            }
            set_discrete(d, values[u]);
            reacted = reacted || reacts_[u];
            recent_.push_back(first_.graph().variable_name(first_.graph().discretes[d].variable));
            changed = again = true;
            if (one_only) return true;
        }
        if (!again) break;
    }
    view.evaluator->set_held(held_);
    return changed;
}

// Relations, updates and modes in agreement, with pre() as it is. A joint that is to take hold where its frames are
// apart makes that fail in more than one place.
void Events::settle(Situation& s, Snapshot& base, EventOutcome& outcome) {
    const auto explain = [&] {
        Evaluator& raw = impulses_.raw_evaluator(here_.held);
        if (auto apart = apart_at_closing(raw, here_, held_, {base.time, modes_.span()}))
            throw SimulationError(*std::move(apart));
    };
    try {
        settle_rounds(s, base, outcome);
    } catch (const SimulationError&) {
        explain();
        throw;
    } catch (const ModelError&) {
        explain();
        throw;
    }
}

// Rates with what is held now.
std::optional<Failure> Events::solve_as_is(Situation& s, const Snapshot& base, std::optional<ImpulseStep>& impulse) {
    enter(*s.mode);
    solve_rates(*s.mode->evaluator, s.point);
    impulse.reset();
    auto rigid = rigid_jump(s, base);
    if (rigid) impulse = impulse_of_rigid(s, base);
    return rigid;
}

void Events::settle_rounds(Situation& s, Snapshot& base, EventOutcome& outcome) {
    std::optional<ImpulseStep> impulse;
    std::optional<Failure> rigid;    // why a jump without a change of structure is refused
    std::optional<Failure> refusal;  // the first of these
    std::optional<Instant> sources_first;
    bool resolve = true;
    bool looked_for_rest = false;
    recent_.clear();
    for (int round = 0;; ++round) {
        if (round > kMostRounds) unsettled(base.time);
        end_if_asked(modes_.settings().interrupted);
        const bool one_only = round >= kTogether;
        if (round == kMostRounds / 2) recent_.clear();
        const bool found = (round == kTogether && search_at_event(s, base)) || (round == 1 && slides_on(s, base));
        if (found || modes_.key_of(discretes()) != s.mode->key) {
            rigid.reset();
            change_mode(s, base, impulse);
            ++outcome.mode_changes;
            outcome.changed = true;
        } else if (impulse && resolve && !rigid) {
            impulse = impulses_.step(base, LockWatch::without_idle(*s.mode, held_), s.mode->evaluator->segment);
        } else if (resolve) {
            rigid = solve_as_is(s, base, impulse);
            if (rigid && !refusal) refusal = rigid;
            if (round == 0 && !rigid && (outcome.changed || s.mode->evaluator->segment.after != here_.segment.after))
                sources_first = instant(s);
        }
        resolve = false;
        const View view = impulse ? View{&impulse->raw->model(), impulse->raw, &impulse->point, true, rigid.has_value()}
                                  : View{s.mode->model, s.mode->evaluator.get(), &s.point, false, rigid.has_value()};
        bool in_equations = false;
        const bool flipped = refresh_relations(s, view, one_only, in_equations);
        const bool updated = !(one_only && flipped) && refresh_discretes(view, one_only);
        // What a diode takes as it closes is what the source is above its capacitor by then.
        if (sources_first && reaction_changed(sources_first->held)) here_ = *sources_first;
        sources_first.reset();
        if (in_equations || updated) outcome.changed = true;
        if (renew_at_once_) renew_written();
        if (flipped || updated) {
            resolve = in_equations || updated;
            if (flipped && !updated && !in_equations) continue;
            if (resolve) continue;
        }
        if (rigid) throw SimulationError(*rigid);
        if (impulse) {
            if (refusal && follows_a_source(s, base)) throw SimulationError(*refusal);
            accept_jump(s, base, *std::move(impulse), outcome);
        } else if (!std::exchange(looked_for_rest, true) && hold_what_may_stick(s, base)) {
            ++outcome.mode_changes;
            outcome.changed = resolve = true;
            continue;
        } else {
            here_ = instant(s);
        }
        return learn_rounding(*s.mode);
    }
}

// What has changed in this event is what was before, for the equations of own types: a latch that has let go stays so,
// even if its condition is met again by what follows.
void Events::renew_written() {
    for (std::size_t d = 0; d < touched_.size(); ++d) {
        const auto& v = first_.graph().discretes[d];
        if (first_.graph().elements[v.element.index()].declaration != nullptr) held_[2 * d + 1] = held_[2 * d];
    }
}

// With pre() as before the event, all came back to what was before it, and would at once ask for the same event: a
// latch lets go, which brings its condition about again.
void Events::settle_anew(Situation& s, Snapshot& base, const Crossing& crossing, EventOutcome& outcome) {
    const model::BondGraph& g = first_.graph();
    const auto written = [&](const auto& d) { return g.elements[d.element.index()].declaration != nullptr; };
    if (std::ranges::none_of(g.discretes, written)) return;
    for (const std::size_t k : crossing.relations) {
        relations_[k] = {!relations_[k].value, false, 0.0, relations_[k].unclear};
        held_[table_.relations[k].held] = relations_[k].value ? 1.0 : 0.0;
    }
    renew_at_once_ = true;
    settle(s, base, outcome);
    renew_at_once_ = false;
}

Instant Events::instant(const Situation& s) const {
    Instant now{std::vector<double>(first_.graph().variable_count()), LockWatch::without_idle(*s.mode, held_),
                s.mode->evaluator->segment};
    Mode& mode = *s.mode;
    mode.evaluator->run(mode.tapes->variables, mode.variable_work, s.point.time, s.point.y, s.point.yp, now.values);
    return now;
}

std::string Events::changing_names() const {
    std::vector<std::string> names;
    for (const std::string& name : recent_) {
        names.push_back(fmt::format("'{}'", name));
        for (std::size_t d = 0; d < first_.graph().discretes.size(); ++d) {
            if (first_.graph().variable_name(first_.graph().discretes[d].variable) == name)
                names.back() = changed_text(first_.graph(), d, held_[2 * d]);
        }
    }
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::string text;
    for (std::size_t k = 0; k < names.size() && k < 6; ++k) text += (k == 0 ? "" : ", ") + names[k];
    return text.empty() ? "these conditions" : text;
}

void Events::unsettled(double time) const {
    Failure f{.message = fmt::format("the event at this time does not settle: each round changes {} again, and no "
                                     "combination was found that their conditions agree with",
                                     changing_names()),
              .time = time};
    for (const model::Update& u : table_.updates) {
        const std::string name = first_.graph().variable_name(first_.graph().discretes[u.discrete].variable);
        if (std::find(recent_.begin(), recent_.end(), name) == recent_.end()) continue;
        const model::Element& e = first_.graph().elements[u.element.index()];
        f.component =
            fmt::format("'{}' ({})", e.name, e.declaration != nullptr ? e.declaration->name.text : e.type->name);
        f.position = u.position.known() ? u.position : e.position;
        break;
    }
    throw SimulationError(f);
}

// "'control' (v.y > 0)"; of a component of the catalogue, whose law the user did not write, its type.
std::string Events::cause_text(const Relation& relation) const {
    const std::string text = compile::held_text(first_.graph(), table_, relation.held);
    if (!relation.element.valid()) return text;
    const model::Element& e = first_.graph().elements[relation.element.index()];
    return fmt::format("'{}' ({})", e.name, e.declaration != nullptr ? text : std::string(e.type->name));
}

EventOutcome Events::handle(Situation& s, const Crossing& crossing, const Segment& after) {
    EventOutcome outcome;
    const bool at_start = std::exchange(begins_, false) && s.point.time == time_;
    time_ = s.point.time;
    std::fill(touched_.begin(), touched_.end(), false);
    reinitialized_ = false;
    passed_.assign(touched_.size(), false);
    enter(*s.mode);
    const bool time_event = s.mode->evaluator->segment.after != after.after;
    Snapshot base = impulses_.snapshot(*s.mode, s.point);
    impulses_.learn(*s.mode, base);
    here_ = instant(s);
    differences({s.mode->model, s.mode->evaluator.get(), &s.point, false}, before_);
    s.mode->evaluator->segment = after;
    adjust(crossing.adjusted);
    const std::vector<double> held_before = held_;
    for (const std::size_t k : crossing.relations) {
        Truth& r = relations_[k];
        const std::size_t unclear = r.armed ? 0 : r.unclear + 1;
        outcome.unclear = std::max(outcome.unclear, unclear);
        r = {!r.value, false, 0.0, unclear};
        const Relation& relation = table_.relations[k];
        held_[relation.held] = r.value ? 1.0 : 0.0;
        outcome.changed = outcome.changed || relation.in_equations;
        if (!outcome.cause.empty() && !relation.in_equations) continue;
        outcome.cause = cause_text(relation);
        outcome.position = relation.position;
    }
    take_steps(before_);
    const std::string cause = std::move(outcome.cause);
    outcome.cause.clear();
    const auto timely = [&](std::size_t k) { return of_time_[k]; };
    outcome.of_time = crossing.relations.empty()
                          ? sample_due(s.point.time)
                          : std::all_of(crossing.relations.begin(), crossing.relations.end(), timely);
    const std::size_t flags = first_sample();
    for (std::size_t k = 0; k < first_.graph().samples.size(); ++k) {
        const double instant = instant_of(first_.graph().samples[k], s.point.time);
        held_[flags + k] = instant > sampled_[k] ? 1.0 : 0.0;
        sampled_[k] = std::max(sampled_[k], instant);
    }
    const std::size_t count = first_.graph().discretes.size();
    // A state machine that leaves its first state at once does so once conditions of `when:` have been looked at as
    // they are in that one: what it does on entry is then seen to become due.
    bool machines_wait =
        at_start && std::ranges::any_of(table_.updates, [&](const model::Update& u) {
            const model::DiscreteVariable& d = first_.graph().discretes[u.discrete];
            return d.at_events_only && first_.graph().elements[d.element.index()].declaration != nullptr;
        });
    for (int renewal = 0;; ++renewal) {
        if (renewal > kMostRenewals) unsettled(s.point.time);
        for (std::size_t d = 0; d < count; ++d) held_[2 * d + 1] = held_[2 * d];
        starting_ = machines_wait;
        settle(s, base, outcome);
        starting_ = false;
        if (renewal == 0 && !crossing.relations.empty() && !outcome.jumped && held_ == held_before)
            settle_anew(s, base, crossing, outcome);
        if (renewal == 0 && time_event && !relations_.empty()) {
            std::vector<double> d;
            std::vector<bool> foreseen(relations_.size(), false);
            differences({s.mode->model, s.mode->evaluator.get(), &s.point, false}, d);
            if (look_ahead(s, d, foreseen)) {
                enter(*s.mode);
                outcome.changed = true;
                settle(s, base, outcome);
            }
        }
        if (renewal == 0 && at_start && !outcome.jumped) {
            look_at_conditions(s);
            for (std::size_t w = 0; w < conditions_.size(); ++w) {
                if (conditions_[w]) tell(w, s.point.time, outcome);
            }
        }
        const bool fired = fire(s, base, outcome);
        bool renewed = false;
        for (std::size_t d = 0; d < count; ++d) renewed = renewed || held_[2 * d] != held_[2 * d + 1];
        // Sampling flags are up for one round.
        bool flagged = false;
        for (std::size_t k = 0; k < first_.graph().samples.size(); ++k) {
            flagged = flagged || held_[flags + k] != 0.0;
            held_[flags + k] = 0.0;
        }
        if (renewed) outcome.changed = true;
        if (!std::exchange(machines_wait, false) && !fired && !renewed && !flagged) break;
    }
    enter(*s.mode);
    outcome.counted = outcome.counted || (outcome.changed && (!crossing.relations.empty() || outcome.mode_changes > 0));
    if (outcome.cause.empty()) outcome.cause = cause;
    return outcome;
}

}  // namespace bondgraph::simulation
