#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/simulation/run_failures.hpp"
#include "bondgraph/simulation/simulation.hpp"
#include "bondgraph/simulation/start.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;

namespace {

constexpr std::size_t kMostReselections = 100;  // that are named

}  // namespace

void Simulation::record(const Point& p, bool after_event) {
    rows_->record(*now_.mode, p, run_.summary.failure);
    if (run_.summary.failure || !indeterminate_.due(*now_.mode, p.time, after_event)) return;
    const auto hold = model_.hold();
    Point exact = p;
    try {
        solve_rates(*now_.mode->evaluator, exact, Effort::quick);
        indeterminate_.look(*now_.mode, exact, run_.summary.indeterminate);
    } catch (const ModelError&) {  // beside a singular point, where reactions follow from nothing
    }
}

void Simulation::record_until(double time, bool including) {
    while (!run_.summary.failure && (calendar_.before(rows_->next(), time) || (including && rows_->next() <= time))) {
        Point p = row_inside(rows_->next());
        rows_->pass(p.time);
        if (now_.mode->outputs->closely) polish(p, Effort::shown);
        record(p);
    }
}

Point Simulation::interpolated(double time) {
    Point p = now_.point;
    p.time = time;
    now_.mode->integrator->interpolate(time, p.y, p.yp);
    return p;
}

Point Simulation::row_inside(double time) {
    while (next_kept_ < kept_.size() && kept_[next_kept_].time < time) ++next_kept_;
    if (next_kept_ < kept_.size() && kept_[next_kept_].time == time) return std::move(kept_[next_kept_++]);
    return interpolated(time);
}

void Simulation::step() {
    Integrator& integrator = *now_.mode->integrator;
    kept_.clear();
    next_kept_ = 0;
    const double from = now_.point.time;
    if (interrupted(from)) return;  // before a step: behind it there may be events that nobody has looked for
    double end = boundary(from);
    double limit = now_.mode->foresight->panels.limit(from, now_.mode->foresight->kinks);
    // Rounding lets a jump happen anywhere from its beginning to its end: from the beginning on it is to be seen to.
    const double jump = calendar_.next_jump(from, kinks(from));
    if (!calendar_.before(limit, end) || limit >= jump) limit = end;
    limit = std::min(limit, delays_.limit(from));
    if (integrator.step(end, limit) == Integrator::Outcome::failed) return recover();
    attempts_ = 0;
    const double to = integrator.time();
    if (retake(from, to)) return;
    const bool whole = !calendar_.before(to, end) || to >= jump;
    if (to >= jump) end = std::min(end, to);
    const auto inside = [&](double time, Point& p) {
        p = now_.point;
        p.time = time;
        integrator.interpolate(time, p.y, p.yp);
        if (watched_closely_) make_exact(p, Effort::shown);
    };
    const auto enclose = [&](double a, double b, std::span<const std::uint32_t> which,
                             std::span<expression::Enclosure> inputs) { integrator.enclose(a, b, which, inputs); };
    double left = from;
    std::vector<std::size_t> at_end;
    while (!run_.summary.failure) {
        watched_closely_ = false;
        auto crossing = events_->watching() ? events_->crossing(*now_.mode, left, to, inside, enclose) : std::nullopt;
        if (crossing && now_.mode->tapes->closely) crossing = closely(*crossing, left, to, inside, enclose);
        const auto out = delays_.passing(*now_.mode->evaluator, left, crossing ? crossing->time : to, inside);
        if (out) {
            cause_ = {.out = delays_.pass(*out)};
            cross({out->time, {}}, left, true);
            return;
        }
        if (!crossing) break;
        if (whole && !calendar_.before(crossing->time, end)) {
            at_end = crossing->relations;  // the boundary's own event sees to them
            break;
        }
        if (cross(*crossing, left)) return;
        left = crossing->time;
    }
    integrate_powers(left, to);
    record_until(whole ? end : to, !whole);
    integrator.current(now_.point);
    errors_.step(*now_.mode->model, integrator);
    if (whole) now_.point.time = end;
    check_step();
    if (events_->watching()) events_->observe(*now_.mode, now_.point);
    if (now_.mode->model->reduced && !run_.summary.failure) check_choice(from);
    if (run_.summary.failure) return;
    if (whole)
        reach(end, at_end);
    else
        ledger_->pass(now_);
}

// Located with exact algebraic values, which cost far more than those between steps: near the place where these cross,
// and only where nothing is found there from the beginning.
std::optional<Crossing> Simulation::closely(const Crossing& roughly, double from, double to,
                                            const Events::Interpolate& inside, const Events::Enclose& enclose) {
    constexpr double kBeside = 0.01;  // of the step: far more than values between steps are off
    const double beside = kBeside * (to - from);
    const double left = std::max(from, roughly.time - beside);
    const double right = std::min(to, roughly.time + beside);
    watched_closely_ = true;
    auto crossing = events_->crossing(*now_.mode, left, right, inside, enclose);
    const bool before = crossing && crossing->time <= std::nextafter(left, right);
    if (!crossing || (before && left > from)) crossing = events_->crossing(*now_.mode, from, to, inside, enclose);
    return crossing;
}

// The polynomial between the ends of a step goes on through what bends or jumps without an event; what is integrated
// along it is parted there.
void Simulation::integrate_powers(double from, double to) {
    Integrator& integrator = *now_.mode->integrator;
    remember(from, to, [&](double time, Point& p) {
        p = now_.point;
        p.time = time;
        integrator.interpolate_all(p);
    });
    const auto roughly = [&](double time, Point& p) { p = interpolated(time); };
    const auto exactly = [&](double time, Point& p) {
        p = now_.point;
        p.time = time;
        integrator.interpolate_all(p);
    };
    const auto enclose = [&](double a, double b, std::span<const std::uint32_t> which,
                             std::span<expression::Enclosure> inputs) { integrator.enclose(a, b, which, inputs); };
    const std::vector<BendWatch::Pass> passes =
        bends_.passed(*now_.mode, from, to, roughly, exactly, enclose, run_.summary.broken);
    if (passes.size() >= BendWatch::kMostPassed) return integrate_by_points(from, to);
    double left = from;
    for (const BendWatch::Pass& pass : passes) {
        integrate_smooth(left, pass.before);
        left = pass.after;
    }
    integrate_smooth(left, to);
}

// A step is as long as the states allow: where they hardly move, it doesn't show how powers swing with time.
void Simulation::integrate_smooth(double from, double to) {
    Integrator& integrator = *now_.mode->integrator;
    if (!now_.mode->powers_timely || to - from <= now_.mode->foresight->panels.longest_for_gauss()) {
        if (integrator.integrate(from, to)) return;
    }
    integrate_by_points(from, to);
}

void Simulation::integrate_by_points(double from, double to) {
    Integrator& integrator = *now_.mode->integrator;
    ledger_->add(now_, from, to, [&](double time, Point& p) {
        p = now_.point;
        p.time = time;
        integrator.interpolate_for_powers(p);
    });
    if (ledger_->not_finite()) refuse_powers();
}

bool Simulation::retake(double from, double to) {
    constexpr double kMostDefect = 10.0;  // in the measure of the error test, where 1 is usual
    constexpr int kMostRetakes = 6;
    constexpr std::size_t kMostKept = 20'000;  // unknowns
    // Loops begin their search where the last one ended: a row's own is to be the last.
    const bool keeps = now_.mode->evaluator->loops().empty();
    // Of a linear system without inputs in time the error test knows all that happens between a step's ends.
    const bool looks = !now_.mode->model->linear || now_.mode->tapes->timely;
    double worst = 0.0;
    for (const double t : rows_->between(from, to)) {
        const bool kept = keeps && kept_.size() * now_.point.y.size() < kMostKept;
        if (!looks && !kept) break;
        Point p = interpolated(t);
        if (looks) worst = std::max(worst, now_.mode->integrator->defect(t, p.y, p.yp));
        if (kept) kept_.push_back(std::move(p));
    }
    if (worst <= kMostDefect || retakes_ >= kMostRetakes) {
        retakes_ = 0;
        return false;
    }
    ++retakes_;
    Point p = now_.point;
    make_exact(p);
    now_.point = std::move(p);
    now_.mode->integrator->retake(now_.point, 0.1 * (to - from));
    return true;
}

void Simulation::check_step() {
    const auto& sums = now_.mode->integrator->quadratures();
    if (!std::all_of(sums.begin(), sums.end(), [](double x) { return std::isfinite(x); })) refuse_powers();
    if (auto failure = barriers_.passed(*now_.mode->evaluator, now_.point)) run_.summary.failure = failure;
    check_locks();
    if (!delays_.empty()) check_delays();
}

void Simulation::check_choice(double from) {
    if (const auto left_out = modes_->violated(*now_.mode, now_.point)) {
        const auto hold = model_.hold();
        run_.summary.failure = contradiction_failure(*now_.mode->model, *left_out, now_.point.time);
        return;
    }
    if (!now_.mode->model->reduced->coefficients.tape) return;
    std::vector<double> coefficients = Modes::coefficients(*now_.mode, now_.point);
    const bool moved = Modes::moved(*now_.mode, coefficients);
    if (!run_.summary.branching && (moved || branching_.near())) watch_branching(from, coefficients);
    if (!moved) return;
    const auto here = [this] { return modes_->choice_point(*now_.mode, now_.point); };
    if (!Modes::badly_chosen(*now_.mode, here, std::move(coefficients))) return;
    const auto hold = model_.hold();
    try {
        polish(now_.point);
        Mode& next = modes_->rechoose(*now_.mode, modes_->choice_point(*now_.mode, now_.point));
        if (&next == now_.mode) return;
        const Segment segment = now_.mode->evaluator->segment;
        const StepHistory past = history_in(next);
        Situation there{&next, past.points.empty()
                                   ? events_->transfer(*now_.mode, next, now_.point, segment, Effort::quick)
                                   : past.points.front()};
        if (next.model->choice->states != now_.mode->model->choice->states) {
            ++run_.summary.reselections;
            if (run_.summary.reselected.size() < kMostReselections)
                run_.summary.reselected.push_back(reselection(*now_.mode->model, *next.model, now_.point.time));
        }
        now_ = std::move(there);
        enter(now_.point.time, segment);
        if (past.points.size() > 1) now_.mode->integrator->resume(past);
    } catch (const ModelError& e) {
        Failure failure = failure_of(e, now_.point.time, "no states determine the rest any more: ");
        if (e.diagnostics().front().code == "BG-I003") advise_on_the_way(failure);
        fail_to_go_on(std::move(failure));
    }
}

// The last steps as unknowns of another choice of states: no step is lost where only the choice changes.
StepHistory Simulation::history_in(Mode& next) {
    StepHistory past = now_.mode->integrator->history();
    if (past.points.empty()) return past;
    past.points.front() = now_.point;
    try {
        for (std::size_t k = past.points.size(); k-- > 0;) {  // the last one last, for searches that begin there
            Point& p = past.points[k];
            polish(p);
            p = events_->transfer(*now_.mode, next, p, now_.mode->evaluator->segment, Effort::quick);
        }
    } catch (const ModelError&) {  // beside a position that the new states don't describe: a new beginning
        past.points.clear();
    }
    return past;
}

void Simulation::watch_branching(double from, std::span<const double> coefficients) {
    const auto hold = model_.hold();
    run_.summary.branching = branching_.look(*now_.mode, from, now_.point.time, coefficients, [this](double time) {
        return modes_->choice_point(*now_.mode, time < now_.point.time ? interpolated(time) : now_.point);
    });
}

bool Simulation::cross(const Crossing& crossing, double left, bool always) {
    Integrator& integrator = *now_.mode->integrator;
    integrate_powers(left, crossing.time);
    record_until(crossing.time, false);
    Situation there = now_;
    there.point.time = crossing.time;
    integrator.interpolate(crossing.time, there.point.y, there.point.yp);
    make_exact(there.point);
    const Situation before = now_;
    now_ = there;
    if (handle(crossing, now_.mode->evaluator->segment, always)) return true;
    now_ = before;
    return false;
}

void Simulation::fail_to_go_on(Failure failure) {
    const auto hold = model_.hold();
    if (now_.mode->model->reduced && failure.notes.empty())  // else what is known says more
        failure.message += branching_text(*now_.mode->model, modes_->choice_point(*now_.mode, now_.point));
    run_.summary.failure = std::move(failure);
}

void Simulation::recover() {
    const auto hold = model_.hold();
    Integrator& integrator = *now_.mode->integrator;
    const auto failure = integrator.failure();
    if (!integrator.may_recover() || attempts_ >= 3) {
        fail_to_go_on(failure);
        return;
    }
    try {
        Point p = now_.point;
        solve_rates(*now_.mode->evaluator, p);
        now_.point = p;
    } catch (const ModelError&) {
        fail_to_go_on(failure);
        return;
    }
    ++attempts_;
    ++run_.summary.recoveries;
    if (attempts_ < 3) return integrator.recover(now_.point, attempts_ == 2);
    other_solver_ = settings_;
    const auto form = NewtonMatrix::form_for(*now_.mode->model, settings_.dense_limit);
    other_solver_.dense_limit = form == NewtonMatrix::Form::sparse ? 400 : 0;
    auto second =
        std::make_unique<Integrator>(*now_.mode->evaluator, other_solver_, now_.point, quadrature_of(*now_.mode));
    second->take_over(integrator);
    now_.mode->integrator = std::move(second);
}

void Simulation::polish(Point& p, Effort effort) {
    const CompiledModel& m = *now_.mode->model;
    if (m.state_count < m.size()) make_exact(p, effort);
}

void Simulation::make_exact(Point& p, Effort effort) {
    Point exact = p;
    try {
        solve_rates(*now_.mode->evaluator, exact, effort);
        p = std::move(exact);
    } catch (const ModelError&) {  // beside a singular point the interpolated values are the better ones
    }
}

}  // namespace bondgraph::simulation
