// What an event does to the states: another mode, jumps.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <exception>

#include "bondgraph/simulation/events.hpp"
#include "bondgraph/simulation/lock_watch.hpp"
#include "bondgraph/simulation/run_failures.hpp"
#include "bondgraph/simulation/start.hpp"

namespace bondgraph::simulation {

namespace {

/// The largest value among the states of storages of a kind: of one type, in one domain.
double largest_of_kind(const model::BondGraph& g, const model::Element& kind, std::span<const double> values) {
    double largest = 0.0;
    for (const model::Element& e : g.elements) {
        if (e.type != kind.type || e.ports.empty() || kind.ports.empty() || e.ports[0].domain != kind.ports[0].domain)
            continue;
        for (const model::Element::Slot& slot : e.slots) {
            if (slot.kind != model::Element::Slot::Kind::state) continue;
            for (std::uint32_t k = 0; k < slot.size; ++k)
                largest = std::max(largest, std::abs(values[g.slot_variable(slot.first + k).index()]));
        }
    }
    return largest;
}

}  // namespace

void Events::no_mode(const Snapshot& base, const ModelError& why) const {
    throw SimulationError(
        failure_of(why, base.time, fmt::format("with {} the model has no solution: ", changing_names())));
}

// The mode that the discrete variables now ask for; where it contradicts itself (a switch closes onto a conducting
// diode), one in which elements that react give way.
void Events::change_mode(Situation& s, const Snapshot& base, std::optional<ImpulseStep>& impulse) {
    Mode* mode = nullptr;
    const compile::FindPoint here = chosen_at(base, s.mode->evaluator->segment);
    try {
        mode = &modes_.at(discretes(), here);
    } catch (const ModelError& e) {
        if (!search_at_event(s, base)) no_mode(base, e);
        mode = &modes_.at(discretes(), here);
    }
    // As where one friction more would stick than there are freedoms.
    std::exception_ptr failure;
    try {
        return continue_in(*mode, s, base, impulse);
    } catch (const SimulationError&) {
        failure = std::current_exception();
    } catch (const ModelError&) {
        failure = std::current_exception();
    }
    if (!search_at_event(s, base)) std::rethrow_exception(failure);
    continue_in(modes_.at(discretes(), here), s, base, impulse);
}

// States of a mode that is first entered at an event are chosen there.
compile::FindPoint Events::chosen_at(const Snapshot& base, const Segment& segment) const {
    return [this, &base, segment](const compile::ReducedSystem& system) {
        return impulses_.choice_point(system, base, segment.inside(base.time), held_);
    };
}

// A mode at the states before, with a choice of states that is good there: an earlier visit may have made another one.
void Events::enter_at(Situation& s, Mode& mode, const Snapshot& base, const Segment& segment) {
    s.mode = &mode;
    if (mode.model->reduced) {
        compile::ChoicePoint at = impulses_.choice_point(*mode.model->reduced, base, segment.inside(base.time), held_);
        if (Modes::badly_chosen(mode, at) || !Modes::bends_as(mode, at)) s.mode = &modes_.rechoose(mode, std::move(at));
    }
    s.mode->evaluator->segment = segment;
    enter(*s.mode);
    s.point = impulses_.transfer(*s.mode, base);
}

// A mode at the states before; or the impulse step that leads into it.
void Events::continue_in(Mode& mode, Situation& s, const Snapshot& base, std::optional<ImpulseStep>& impulse) {
    const Segment segment = s.mode->evaluator->segment;
    enter_at(s, mode, base, segment);
    impulse.reset();
    try {
        solve_rates(*s.mode->evaluator, s.point);
        if (impulses_.consistent(*s.mode, s.point, base)) return;
    } catch (const ModelError&) {  // where constraints don't hold, neither do the rates
    }
    impulse = impulses_.step(base, LockWatch::without_idle(mode, held_), segment);
}

// Without a change of structure nothing makes states jump. What follows a jump of a source rigidly would need an
// infinite effort or flow: a failure, as where time alone says so (BG-E003).
std::optional<Failure> Events::rigid_jump(const Situation& s, const Snapshot& base) const {
    const auto jumped = impulses_.jumped(*s.mode, s.point, base);
    if (!jumped) return std::nullopt;
    // Interpolated values of before may not be exact: as this solution is compared, so is one from before.
    Evaluator& evaluator = *s.mode->evaluator;
    const Segment segment = evaluator.segment;
    Point before = s.point;
    evaluator.segment = here_.segment;
    evaluator.set_held(here_.held);
    solve_rates(evaluator, before);
    const Snapshot exact = impulses_.snapshot(*s.mode, before);
    evaluator.segment = segment;
    enter(*s.mode);
    const auto really = impulses_.jumped(*s.mode, s.point, exact);
    if (!really) return std::nullopt;
    const Snapshot now = impulses_.snapshot(*s.mode, s.point);
    const auto& slot = first_.graph().slot_variables[really->index() - 2 * std::size_t{first_.graph().bond_components}];
    const model::Element& e = first_.graph().elements[slot.element.index()];
    // Far below the last digit of others of its kind: a mass at rest in a mechanism in motion.
    constexpr double kNothing = 1e-17;
    const double apart = std::abs(now.values[really->index()] - exact.values[really->index()]);
    if (apart <= kNothing * largest_of_kind(first_.graph(), e, now.values)) return std::nullopt;
    return Failure{
        .message = fmt::format(
            "'{}' would have to jump from {:.6g} to {:.6g}: it follows rigidly what jumps here, which would take an "
            "infinite effort or flow; make the change continuous (a Ramp), or add the small R that limits it",
            first_.graph().variable_name(*really), exact.values[really->index()], now.values[really->index()]),
        .component = fmt::format("'{}' ({})", e.name, e.type->name),
        .time = s.point.time,
        .position = e.position};
}

// What a refused jump would take shows to the elements that answer to impulses: a diode from whose capacitor the source
// falls away opens before any charge has gone back. Where none of them changes the structure, the refusal stands.
std::optional<ImpulseStep> Events::impulse_of_rigid(const Situation& s, const Snapshot& base) {
    if (std::ranges::none_of(reacting_, &model::ReactingMode::structural)) return std::nullopt;
    try {
        return impulses_.step(base, LockWatch::without_idle(*s.mode, held_), s.mode->evaluator->segment);
    } catch (const SimulationError&) {  // which says nothing of what the user has done
        return std::nullopt;
    }
}

// Whether something jumps in a new mode that would not if sources were what they have been: the structure has changed
// elsewhere, and what was refused still stands.
bool Events::follows_a_source(Situation& s, const Snapshot& base) const {
    Evaluator& evaluator = *s.mode->evaluator;
    const Segment segment = evaluator.segment;
    const auto jumping = [&](const Segment& when, const std::vector<double>& held) {
        evaluator.segment = when;
        evaluator.set_held(held);
        Point p = impulses_.transfer(*s.mode, base);
        solve_rates(evaluator, p);
        return impulses_.all_jumped(*s.mode, p, base, base.values.size());
    };
    bool follows = false;
    try {
        const auto now = jumping(segment, held_);
        const auto otherwise = jumping(here_.segment, here_.held);
        follows = !std::ranges::includes(otherwise, now, {}, &compile::VariableId::value, &compile::VariableId::value);
    } catch (const ModelError&) {  // constraints of the new structure contradict what was before
    }
    evaluator.segment = segment;
    enter(*s.mode);
    return follows;
}

// Whether an element that answers to efforts and flows changes the structure: by the values of an earlier round.
bool Events::reaction_changed(const std::vector<double>& held) const {
    return std::ranges::any_of(reacting_, [&](const model::ReactingMode& r) {
        return r.structural && held[2 * r.discrete] != held_[2 * r.discrete];
    });
}

// The states that an impulse step leads to; whether they are those of the mode.
bool Events::follow_jump(Situation& s, Snapshot& base, const ImpulseStep& impulse) {
    impulses_.take_over(*s.mode, impulse, base);
    enter_at(s, *s.mode, base, s.mode->evaluator->segment);
    solve_rates(*s.mode->evaluator, s.point);
    return impulses_.consistent(*s.mode, s.point, base);
}

// The states have jumped.
void Events::accept_jump(Situation& s, Snapshot& base, ImpulseStep impulse, EventOutcome& outcome) {
    outcome.jumped = true;
    const Snapshot from = base;
    bool follows = follow_jump(s, base, impulse);
    if (!follows && !impulses_.closely()) {
        impulses_.look_closely();
        impulse = impulses_.step(from, LockWatch::without_idle(*s.mode, held_), s.mode->evaluator->segment);
        base = from;
        follows = follow_jump(s, base, impulse);
    }
    if (!follows) {
        throw SimulationError(Failure{
            .message = fmt::format("no states satisfy the equations with {}", changing_names()), .time = base.time});
    }
    const Instant after = instant(s);
    outcome.books += jump_energy_.book(impulses_, from, impulse, here_, after);
    here_ = after;
    // What the jump has made of relations is seen with pre() renewed: an impact is over at once.
    View view{s.mode->model, s.mode->evaluator.get(), &s.point, false};
    bool unused = false;
    refresh_relations(s, view, false, unused);
}

}  // namespace bondgraph::simulation
