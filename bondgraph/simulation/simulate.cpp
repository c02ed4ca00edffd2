#include "bondgraph/simulation/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/simulation/accumulation.hpp"
#include "bondgraph/simulation/barriers.hpp"
#include "bondgraph/simulation/energy_ledger.hpp"
#include "bondgraph/simulation/recorder.hpp"
#include "bondgraph/simulation/run_failures.hpp"
#include "bondgraph/simulation/start.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;

namespace {

constexpr std::size_t kMostReselections = 100;  // that are named

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

class Simulation {
   public:
    Simulation(const CompiledModel& model, const Settings& settings, std::vector<Signal> signals,
               const Progress& progress)
        : model_(model),
          settings_(settings),
          progress_(progress),
          calendar_(settings.start, settings.stop),
          accumulation_(settings.stop - settings.start) {
        run_.result.signals = std::move(signals);
        rows_ = std::make_unique<Recorder>(settings_, run_.result);
        modes_ = std::make_unique<Modes>(model_, settings_, run_.result.signals);
        events_ = std::make_unique<Events>(model_, *modes_);
        ledger_ = std::make_unique<EnergyLedger>(settings_, *modes_, calendar_);
    }

    Run go() {
        const auto begin = std::chrono::steady_clock::now();
        if (!find_start()) return std::move(run_);
        if (now_.mode->model->choice) {
            for (const auto& removed : now_.mode->model->choice->removed)
                run_.summary.left_out.push_back(model_.graph().elements[removed.element.index()].name);
        }
        run_.summary.defaulted = now_.point.defaulted;
        run_.summary.moved = now_.point.moved;
        run_.summary.seconds_initialization = seconds_since(begin);
        const auto middle = std::chrono::steady_clock::now();
        integrate();
        run_.summary.seconds_integration = seconds_since(middle);
        return std::move(run_);
    }

    /// As go(), but no further than what happens at the start.
    Run stay() {
        if (find_start() && (events_->sample_due(settings_.start) || events_->due_at_start(now_))) handle_start();
        return std::move(run_);
    }

    [[nodiscard]] Point last() const {
        Point p = now_.point;
        p.held = events_->held();
        p.model = now_.mode->compiled;
        return p;
    }

   private:
    bool find_start() {
        try {
            now_ = events_->start(settings_.start);
            barriers_.begin(*now_.mode->evaluator, now_.point);
        } catch (const SimulationError& e) {
            run_.summary.failure = e.failure();
        }
        return !run_.summary.failure;
    }

    void record(const Point& p) { rows_->record(*now_.mode, p, run_.summary.failure); }

    // Times near `time` and beyond at which expressions of time bend or jump.
    std::span<const double> kinks(double time) const {
        Foresight& ahead = *now_.mode->foresight;
        ahead.hold(now_.mode->evaluator->held(), time);
        return ahead.kinks.around(time);
    }

    // The next time at which an expression of time jumps or a sample is due, or the end.
    double boundary(double time) const {
        const double next = calendar_.next(time, kinks(time), events_->next_sample(time));
        const double edge = ledger_->next_edge(time);
        return calendar_.before(edge, next) ? edge : next;
    }

    // Outputs at an instant that has been dealt with. Whether there was one.
    bool skip_outputs(double time) {
        bool any = false;
        for (; std::isfinite(rows_->next()) && !calendar_.before(time, rows_->next()); any = true)
            rows_->pass(rows_->next());
        return any;
    }

    void handle_start() {
        ledger_->begin(now_);
        enter(settings_.start, in_mode(first_segment(*now_.mode->model, settings_.start)));
        const bool event = events_->sample_due(settings_.start) || events_->due_at_start(now_);
        if (!event || !handle({settings_.start, {}}, now_.mode->evaluator->segment)) record(now_.point);
    }

    void integrate() {
        handle_start();
        while (now_.point.time < settings_.stop && !run_.summary.failure) {
            if (now_.mode->model->state_count == 0) {
                follow_time();
            } else {
                step();
            }
        }
        record_last_good();
        for (const auto& [key, mode] : modes_->all()) {
            if (mode->integrator) mode->integrator->statistics(run_.summary);
            const std::uint32_t unproven = mode->foresight->kinks.unproven();
            if (unproven != expression::kNoNode) run_.summary.unproven = expression_text(*mode->model, unproven);
        }
        if (run_.summary.failure && run_.summary.failure->step == 0) run_.summary.failure->step = run_.summary.steps;
        if (run_.summary.failure) return;
        ledger_->report(now_, run_.summary);
        if (run_.summary.energy.any && !std::isfinite(run_.summary.energy.imbalance)) refuse_powers();
    }

    // Everything the evaluator and the integrator of the present mode need to go on from the present point.
    void enter(double time, const Segment& segment) {
        Mode& mode = *now_.mode;
        mode.evaluator->segment = segment;
        events_->enter(mode);
        now_.point.time = time;
        if (mode.model->state_count == 0) return events_->observe(mode, now_.point);
        static const expression::Tape kNone;
        if (!mode.integrator) {
            mode.integrator = std::make_unique<Integrator>(*mode.evaluator, settings_, now_.point,
                                                           settings_.energy ? mode.audit->powers() : kNone);
        } else {
            mode.integrator->restart(now_.point);
        }
        events_->observe(mode, now_.point);
    }

    // Rows of the output inside the last step.
    void record_until(double time, bool including) {
        while (!run_.summary.failure &&
               (calendar_.before(rows_->next(), time) || (including && rows_->next() <= time))) {
            Point p = now_.point;
            p.time = rows_->next();
            rows_->pass(p.time);
            now_.mode->integrator->interpolate(p.time, p.y, p.yp);
            polish(p);
            record(p);
        }
    }

    void step() {
        Integrator& integrator = *now_.mode->integrator;
        const double from = now_.point.time;
        const double end = boundary(from);
        double limit = now_.mode->foresight->panels.limit(from, now_.mode->foresight->kinks);
        if (!calendar_.before(limit, end)) limit = end;
        if (integrator.step(end, limit) == Integrator::Outcome::failed) return recover();
        attempts_ = 0;
        const double to = integrator.time();
        if (interrupted(to) || retake(from, to)) return;
        const bool whole = !calendar_.before(to, end);
        const auto inside = [&](double time, Point& p) {
            p = now_.point;
            p.time = time;
            integrator.interpolate(time, p.y, p.yp);
            if (watched_closely_) make_exact(p);
        };
        const auto enclose = [&](double a, double b, std::span<const std::uint32_t> which,
                                 std::span<expression::Enclosure> inputs) { integrator.enclose(a, b, which, inputs); };
        double left = from;
        std::vector<std::size_t> at_end;
        while (events_->watching() && !run_.summary.failure) {
            watched_closely_ = false;
            auto crossing = events_->crossing(*now_.mode, left, to, inside, enclose);
            if (!crossing) break;
            // Located with exact algebraic values, where there are any.
            if (now_.mode->closely) {
                watched_closely_ = true;
                crossing = events_->crossing(*now_.mode, left, to, inside, enclose);
                if (!crossing) break;
            }
            if (whole && !calendar_.before(crossing->time, end)) {
                at_end = crossing->relations;  // the boundary's own event sees to them
                break;
            }
            if (cross(*crossing, left)) return;
            left = crossing->time;
        }
        integrator.integrate(left, to);
        record_until(whole ? end : to, !whole);
        integrator.current(now_.point);
        if (whole) now_.point.time = end;
        check_step();
        if (events_->watching()) events_->observe(*now_.mode, now_.point);
        if (now_.mode->model->reduced && !run_.summary.failure) check_choice();
        if (whole && !run_.summary.failure) reach(end, at_end);
    }

    // Between its ends a step is only as good as the polynomial through them. Where a row of the output shows that it
    // doesn't satisfy the equations, the step has passed over something and is taken again in smaller ones.
    bool retake(double from, double to) {
        constexpr double kMostDefect = 10.0;  // in the measure of the error test, where 1 is usual
        constexpr int kMostRetakes = 6;
        double worst = 0.0;
        for (const double row : rows_->between(from, to))
            worst = std::max(worst, now_.mode->integrator->defect(row, kMostDefect));
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

    void refuse_powers() { run_.summary.failure = power_failure(now_, *ledger_); }

    // Whether the run may go on from where a step has ended.
    void check_step() {
        const auto& sums = now_.mode->integrator->quadratures();
        if (!std::all_of(sums.begin(), sums.end(), [](double x) { return std::isfinite(x); })) refuse_powers();
        if (auto failure = barriers_.passed(*now_.mode->evaluator, now_.point)) run_.summary.failure = failure;
    }

    // Where the states no longer determine the rest well, others are chosen and the run goes on from the same point.
    void check_choice() {
        if (const auto left_out = modes_->violated(*now_.mode, now_.point)) {
            run_.summary.failure = contradiction_failure(*now_.mode->model, *left_out, now_.point.time);
            return;
        }
        if (!now_.mode->model->reduced->coefficients.tape) return;
        const compile::ChoicePoint at = modes_->choice_point(*now_.mode, now_.point);
        if (!Modes::moved(*now_.mode, at) || !Modes::badly_chosen(*now_.mode, at)) return;
        try {
            polish(now_.point);
            Mode& next = modes_->rechoose(*now_.mode, modes_->choice_point(*now_.mode, now_.point));
            if (&next == now_.mode) return;
            const Segment segment = now_.mode->evaluator->segment;
            Situation there{&next, events_->transfer(*now_.mode, next, now_.point, segment)};
            ++run_.summary.reselections;
            if (run_.summary.reselected.size() < kMostReselections)
                run_.summary.reselected.push_back(reselection(*now_.mode->model, *next.model, now_.point.time));
            now_ = std::move(there);
            enter(now_.point.time, segment);
        } catch (const ModelError& e) {
            const Diagnostic& d = e.diagnostics().front();
            run_.summary.failure =
                Failure{.message = fmt::format("no states determine the rest any more: {}", d.message),
                        .time = now_.point.time,
                        .position = d.position};
        }
    }

    // A relation crosses zero inside a step: whether the integration was started anew.
    bool cross(const Crossing& crossing, double left) {
        Integrator& integrator = *now_.mode->integrator;
        integrator.integrate(left, crossing.time);
        record_until(crossing.time, false);
        Situation there = now_;
        there.point.time = crossing.time;
        integrator.interpolate(crossing.time, there.point.y, there.point.yp);
        make_exact(there.point);
        const Situation before = now_;
        now_ = there;
        if (handle(crossing, now_.mode->evaluator->segment)) return true;
        now_ = before;
        return false;
    }

    // The end of the run, a time event or a sample, with relations that cross zero there.
    void reach(double time, const std::vector<std::size_t>& crossed = {}) {
        polish(now_.point);
        ledger_->arrive(now_);
        pass(time, crossed);
        if (!run_.summary.failure) ledger_->leave(now_);
    }

    void pass(double time, const std::vector<std::size_t>& crossed) {
        const auto jumps = kinks(time);
        const bool jump = calendar_.jumps_at(time, jumps);
        Segment segment = now_.mode->evaluator->segment;
        if (jump) segment = calendar_.segment_from(time, jumps);
        const bool event = jump || !crossed.empty() || events_->sample_due(time);
        if (event && handle({time, crossed}, segment, jump)) return;
        if (skip_outputs(time)) record(now_.point);
    }

    /// Lets an event happen at the present point; `always` restarts whatever comes of it. Whether it did.
    bool handle(const Crossing& crossing, const Segment& segment, bool always = false) {
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
            if (model_.events->empty()) {
                now_.mode->evaluator->segment = segment;
                solve_rates(*now_.mode->evaluator, now_.point);
            } else {
                outcome = events_->handle(now_, crossing, segment);
                if (!outcome.changed && !always) {
                    events_->enter(*now_.mode);
                    return false;
                }
            }
            // At the start there is a before only where states jump.
            if (!run_.result.time.empty() || outcome.jumped) write_before();
            ledger_->happen(stored - ledger_->stored(now_), outcome.books);
            if (outcome.books.any()) rows_->take_impulses(model_.graph(), ledger_->impulses());
            run_.summary.mode_changes += outcome.mode_changes;
            count(time, outcome, always);
            record(now_.point);
            skip_outputs(time);
            if (run_.summary.failure) return true;
            enter(time, in_mode(segment));
            ledger_->leave(now_);
        } catch (const SimulationError& e) {
            fail(e.failure());
        } catch (const ModelError& e) {
            const Diagnostic& d = e.diagnostics().front();
            fail(Failure{.message = d.message, .time = time, .position = d.position});
        }
        return true;
    }

    // An event of time where time alone brought it about, of state otherwise. What rounding has parted is one event.
    void count(double time, const EventOutcome& outcome, bool jump) {
        const bool in_time = jump || outcome.of_time;
        if (!in_time && !outcome.counted) return;
        if (time - last_event_ > 1e-13 * std::max(std::abs(time), settings_.stop - settings_.start))
            ++(in_time ? run_.summary.time_events : run_.summary.state_events);
        last_event_ = time;
        if (!outcome.counted) return;
        if (auto failure = accumulation_.after(time, outcome)) run_.summary.failure = failure;
    }

    // A failed run ends with the last point that was good.
    void record_last_good() {
        if (!run_.summary.failure || run_.result.time.empty()) return;
        if (!calendar_.before(run_.result.time.back(), now_.point.time)) return;
        rows_->compute(*now_.mode, now_.point);
        const std::vector<double>& row = rows_->row();
        if (std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); }))
            rows_->append(now_.point.time, run_.summary.failure);
    }

    // A mode has time events of its own.
    Segment in_mode(Segment segment) const {
        segment.before = calendar_.next_jump(now_.point.time, kinks(now_.point.time));
        return segment;
    }

    bool interrupted(double time) {
        const bool asked = settings_.interrupted != nullptr && settings_.interrupted->load();
        bool ended = asked;
        if (progress_ && time - shown_ > 0.005 * (settings_.stop - settings_.start)) {
            shown_ = time;
            ended = !progress_(time) || ended;
        }
        if (!ended) return false;
        record_until(time, true);
        run_.summary.failure = Failure{.message = "ended by the user", .time = time};
        return true;
    }

    // The integrator gave up: from the last good point again, with consistent rates and small steps, then with the
    // other linear solver.
    void recover() {
        Integrator& integrator = *now_.mode->integrator;
        const auto failure = integrator.failure();
        if (!integrator.may_recover() || attempts_ >= 3) {
            run_.summary.failure = failure;
            return;
        }
        try {
            Point p = now_.point;
            solve_rates(*now_.mode->evaluator, p);
            now_.point = p;
        } catch (const ModelError&) {
            run_.summary.failure = failure;
            return;
        }
        ++attempts_;
        ++run_.summary.recoveries;
        if (attempts_ < 3) return integrator.restart(now_.point, attempts_ == 2);
        other_solver_ = settings_;
        const auto form = NewtonMatrix::form_for(*now_.mode->model, settings_.dense_limit);
        other_solver_.dense_limit = form == NewtonMatrix::Form::sparse ? 400 : 0;
        auto second = std::make_unique<Integrator>(*now_.mode->evaluator, other_solver_, now_.point,
                                                   settings_.energy ? now_.mode->audit->powers() : no_powers_);
        second->take_over(integrator);
        now_.mode->integrator = std::move(second);
    }

    // Between steps, what the states don't hold is not interpolated but solved for: loops hold at every output.
    void polish(Point& p) {
        const CompiledModel& m = *now_.mode->model;
        if (m.state_count < m.size()) make_exact(p);
    }

    void make_exact(Point& p) {
        Point exact = p;
        try {
            solve_rates(*now_.mode->evaluator, exact, Effort::quick);
            p = std::move(exact);
        } catch (const ModelError&) {  // beside a singular point the interpolated values are the better ones
        }
    }

    // Nothing to integrate: every output follows from time alone, by solving where there are loops.
    void follow_time() {
        Mode& mode = *now_.mode;
        const double end = boundary(now_.point.time);
        const auto inside = [&](double time, Point& p) {
            p = now_.point;
            p.time = time;
            if (mode.model->size() > 0) solve_rates(*mode.evaluator, p, Effort::quick);
        };
        // Without unknowns the relations follow from time alone, and their bounds are known.
        Events::Enclose enclose;
        if (mode.model->size() == 0)
            enclose = [](double, double, std::span<const std::uint32_t>, std::span<expression::Enclosure>) {};
        const bool by_points = events_->watching() && !enclose;
        try {
            while (!run_.summary.failure) {
                const double from = now_.point.time;
                const double output = calendar_.before(rows_->next(), end) ? rows_->next() : end;
                const double to = by_points ? events_->straight(mode, from, output, inside) : output;
                if (interrupted(from)) return;
                if (const auto crossing =
                        events_->watching() ? events_->crossing(mode, from, to, inside, enclose) : std::nullopt) {
                    if (!calendar_.before(crossing->time, end)) {
                        ledger_->add(now_, from, end, inside);
                        inside(end, now_.point);
                        return reach(end, crossing->relations);
                    }
                    ledger_->add(now_, from, crossing->time, inside);
                    inside(crossing->time, now_.point);
                    if (handle(*crossing, mode.evaluator->segment)) return;
                    continue;
                }
                ledger_->add(now_, from, to, inside);
                inside(to, now_.point);
                if (events_->watching()) events_->observe(mode, now_.point);
                if (to >= end) return reach(end);
                if (to < output) continue;
                rows_->pass(to);
                record(now_.point);
            }
        } catch (const ModelError& e) {
            const Diagnostic& d = e.diagnostics().front();
            run_.summary.failure = Failure{.message = d.message, .time = now_.point.time, .position = d.position};
        }
    }

    const CompiledModel& model_;
    const Settings& settings_;
    const Progress& progress_;
    Run run_;
    std::unique_ptr<Modes> modes_;
    std::unique_ptr<Events> events_;
    Calendar calendar_;
    Accumulation accumulation_;
    std::unique_ptr<EnergyLedger> ledger_;
    Situation now_;
    std::unique_ptr<Recorder> rows_;
    double shown_ = 0.0;
    double last_event_ = -std::numeric_limits<double>::infinity();
    int attempts_ = 0;
    int retakes_ = 0;
    Barriers barriers_;
    bool watched_closely_ = false;
    Settings other_solver_;
    expression::Tape no_powers_;
};

}  // namespace

Run simulate(const CompiledModel& model, const Settings& settings, std::vector<Signal> signals,
             const Progress& progress) {
    return Simulation(model, settings, std::move(signals), progress).go();
}

namespace {

/// Where a run went, or why it did not get there.
Point reached(const Simulation& simulation, const Run& run) {
    if (run.summary.failure)
        throw std::runtime_error(
            fmt::format("the run stopped at time {:g}: {}", run.summary.failure->time, run.summary.failure->message));
    return simulation.last();
}

}  // namespace

Point start_point(const CompiledModel& model, const Settings& settings) {
    Settings quiet = settings;
    quiet.energy = false;
    const Progress none;
    Simulation simulation(model, quiet, {}, none);
    const Run run = simulation.stay();
    return reached(simulation, run);
}

Point simulate_to(const CompiledModel& model, const Settings& settings) {
    Settings quiet = settings;
    quiet.energy = false;
    quiet.interval = settings.stop - settings.start;
    if (quiet.interval <= 0.0) return start_point(model, settings);
    const Progress none;
    Simulation simulation(model, quiet, {}, none);
    const Run run = simulation.go();
    return reached(simulation, run);
}

}  // namespace bondgraph::simulation
