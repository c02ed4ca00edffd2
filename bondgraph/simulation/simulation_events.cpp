#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "bondgraph/simulation/interruption.hpp"
#include "bondgraph/simulation/run_failures.hpp"
#include "bondgraph/simulation/simulation.hpp"
#include "bondgraph/simulation/start.hpp"
#include "bondgraph/simulation/start_limits.hpp"

namespace bondgraph::simulation {

std::span<const Jump> Simulation::kinks(double time) const {
    Foresight& ahead = *now_.mode->foresight;
    ahead.hold(now_.mode->evaluator->held(), time);
    return ahead.kinks.around(time);
}

double Simulation::boundary(double time) const {
    const double next = calendar_.next(time, kinks(time), std::min(events_->next_sample(time), delays_.next_due()));
    const double edge = std::min(ledger_->next_edge(time), asked_);
    return calendar_.before(edge, next) ? edge : next;
}

bool Simulation::skip_outputs(double time) {
    bool any = false;
    for (; std::isfinite(rows_->next()) && !calendar_.before(time, rows_->next()); any = true)
        rows_->pass(rows_->next());
    return any;
}

void Simulation::reach(double time, const std::vector<std::size_t>& crossed) {
    polish(now_.point);
    ledger_->arrive(now_);
    pass(time, crossed);
    if (!run_.summary.failure) ledger_->leave(now_);
}

void Simulation::pass(double time, const std::vector<std::size_t>& crossed) {
    const auto jumps = kinks(time);
    const bool jump = calendar_.jumps_at(time, jumps);
    Segment segment = now_.mode->evaluator->segment;
    if (jump) segment = calendar_.segment_from(time, jumps);
    const auto out = delays_.pass(calendar_.end_of(time));
    const bool otherwise = jump || !crossed.empty() || events_->sample_due(time);
    cause_ = {.time_jumps = jump, .out = out};
    const bool event = out || otherwise;
    if (event && handle({time, with_relations_of_time(time, crossed)}, segment, jump || out)) return;
    if (skip_outputs(time)) record(now_.point);
}

// Of what changes with time alone, also what rounding puts just behind an event's time belongs to it.
std::vector<std::size_t> Simulation::with_relations_of_time(double time, std::vector<std::size_t> crossed) const {
    if (!events_->watching()) return crossed;
    for (const std::size_t k : events_->changed_by_time(*now_.mode, now_.point, calendar_.end_of(time))) {
        if (std::ranges::find(crossed, k) == crossed.end()) crossed.push_back(k);
    }
    return crossed;
}

void Simulation::check_values(std::span<const double> adjustable) {
    Point with = now_.point;
    with.held = events_->held();
    std::ranges::copy(adjustable, with.held.begin() + static_cast<std::ptrdiff_t>(model_.graph().first_adjustable()));
    try {
        check_parameters(*now_.mode->evaluator, with);
    } catch (const ModelError&) {
        events_->enter(*now_.mode);
        throw;
    }
    events_->enter(*now_.mode);
}

// What an event changes is kept as it was: it may find that there is no way on.
std::optional<Failure> Simulation::set(std::span<const double> adjustable, const std::string& cause) {
    const auto hold = model_.hold();
    check_values(adjustable);
    const Situation before = now_;
    const Segment segment = now_.mode->evaluator->segment;
    const Summary summary = run_.summary;
    const Recorder::Place place = rows_->place();
    auto events = std::make_unique<Events>(*events_);
    auto ledger = std::make_unique<EnergyLedger>(*ledger_);
    try {
        handle({.time = now_.point.time, .relations = {}, .adjusted = adjustable, .cause = cause}, segment, true);
    } catch (const Interrupted&) {
        run_.summary.failure = Failure{.message = "ended by the user", .time = before.point.time, .by_user = true};
    }
    if (!run_.summary.failure) return std::nullopt;
    std::optional<Failure> why = std::exchange(run_.summary, summary).failure;
    now_ = before;
    events_ = std::move(events);
    ledger_ = std::move(ledger);
    rows_->go_back(place);
    enter(now_.point.time, segment);
    return why;
}

void Simulation::happen(const Crossing& crossing, const Segment& segment, EventOutcome& outcome) {
    if (!model_.events->empty()) {
        const bool set = !crossing.adjusted.empty();
        const auto before = set ? beyond_limits(*now_.mode->evaluator, now_.point) : std::vector<double>{};
        outcome = events_->handle(now_, crossing, segment);
        if (set) check_moved_limits(*now_.mode->evaluator, now_.point, before);
        return;
    }
    const BendWatch::Beside before =
        crossing.adjusted.empty() ? bends_.promised(*now_.mode, now_.point, -1.0) : BendWatch::Beside{};
    events_->adjust(crossing.adjusted);
    events_->enter(*now_.mode);
    now_.mode->evaluator->segment = segment;
    solve_rates(*now_.mode->evaluator, now_.point);
    bends_.compare(*now_.mode, before, now_.point, run_.summary.broken);
}

bool Simulation::handle(const Crossing& crossing, const Segment& segment, bool always) {
    const auto hold = model_.hold();
    const double time = now_.point.time;
    rows_->compute(*now_.mode, now_.point);
    const std::vector<double> row_before = rows_->row();
    ledger_->arrive(now_);
    const StoredEnergy stored = ledger_->stored(now_);
    const auto write_before = [&] {
        rows_->restore(row_before);
        rows_->append(time, run_.summary.failure);
    };
    const auto fail = [&](const Failure& failure) {
        if (run_.result.time.empty() || run_.result.time.back() < time) write_before();
        run_.summary.failure = failure;
    };
    try {
        EventOutcome outcome;
        Delays::Before before;
        if (!delays_.empty()) {
            events_->take_delayed(delays_.values(*now_.mode->evaluator, now_.point));
            before = delays_.before(*now_.mode->evaluator, now_.point);
        }
        happen(crossing, segment, outcome);
        if (!model_.events->empty() && !outcome.changed && !always) {
            for (const std::size_t when : outcome.warned) tell(when, time);
            events_->enter(*now_.mode);
            return false;
        }
        // At the start there is a before only where states jump; where values are set there is one already.
        if (crossing.adjusted.empty() && (!run_.result.time.empty() || outcome.jumped)) write_before();
        for (const std::size_t when : outcome.warned) tell(when, time);
        ledger_->happen(stored - ledger_->stored(now_), outcome.books);
        if (outcome.books.any()) rows_->take_impulses(model_.graph(), ledger_->impulses());
        run_.summary.mode_changes += outcome.mode_changes;
        if (crossing.adjusted.empty())
            count(time, outcome, always);
        else if (settings_.on_event)
            settings_.on_event({time, false, outcome.jumped, outcome.mode_changes, crossing.cause});
        record(now_.point, true);
        note_mode();
        check_locks();
        skip_outputs(time);
        if (run_.summary.failure) return true;
        enter(time, in_mode(segment));
        delays_.broke(*now_.mode->evaluator, now_.point, std::exchange(cause_, {}), before);
        ledger_->leave(now_);
    } catch (const SimulationError& e) {
        fail(e.failure());
    } catch (const ModelError& e) {
        fail(failure_of(e, time));
    }
    return true;
}

/// What `warn:` of an entry of `when:` says is told once.
void Simulation::tell(std::size_t when, double time) {
    auto& told = run_.summary.told;
    const auto known = std::ranges::find(told, when, &Told::when);
    if (known != told.end()) {
        ++known->times;
        return;
    }
    const model::When& w = model_.events->whens[when];
    told.push_back({.when = when,
                    .text = w.instance.empty() ? w.warning : fmt::format("'{}': {}", w.instance, w.warning),
                    .condition = w.text,
                    .position = w.position,
                    .time = time,
                    .times = 1});
}

void Simulation::count(double time, const EventOutcome& outcome, bool jump) {
    const bool in_time = jump || outcome.of_time;
    if (!in_time && !outcome.counted) return;
    if (time - last_event_ > 1e-13 * std::max(std::abs(time), settings_.stop - settings_.start))
        ++(in_time ? run_.summary.time_events : run_.summary.state_events);
    last_event_ = time;
    if (settings_.on_event) settings_.on_event({time, in_time, outcome.jumped, outcome.mode_changes, outcome.cause});
    if (!outcome.counted) return;
    if (auto failure = accumulation_.after(time, outcome)) run_.summary.failure = failure;
}

Segment Simulation::in_mode(Segment segment) const {
    segment.before = calendar_.next_jump(now_.point.time, kinks(now_.point.time));
    return segment;
}

}  // namespace bondgraph::simulation
