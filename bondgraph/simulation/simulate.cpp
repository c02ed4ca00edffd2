#include "bondgraph/simulation/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/simulation/interruption.hpp"
#include "bondgraph/simulation/run_failures.hpp"
#include "bondgraph/simulation/simulation.hpp"
#include "bondgraph/simulation/start.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

}  // namespace

Simulation::Simulation(const CompiledModel& model, const Settings& settings, std::vector<Signal> signals,
                       const Progress& progress)
    : model_(model),
      settings_(settings),
      progress_(progress),
      calendar_(settings.start, settings.stop),
      delays_(model, settings),
      accumulation_(settings.stop - settings.start),
      branching_(settings.tolerance),
      bends_(settings),
      indeterminate_(settings) {
    const auto hold = model_.hold();
    run_.result.signals = std::move(signals);
    rows_ = std::make_unique<Recorder>(settings_, run_.result);
    modes_ = std::make_unique<Modes>(model_, settings_, run_.result.signals);
    if (!delays_.empty()) modes_->follow(delays_);
    events_ = std::make_unique<Events>(model_, *modes_);
    ledger_ = std::make_unique<EnergyLedger>(settings_, *modes_, calendar_);
}

Run Simulation::go() {
    if (begin()) advance(settings_.stop);
    return end();
}

bool Simulation::begin() {
    const auto began = std::chrono::steady_clock::now();
    started_ = find_start();
    if (!started_) return false;
    if (now_.mode->model->choice) {
        for (const auto& removed : now_.mode->model->choice->removed)
            run_.summary.left_out.push_back(model_.graph().elements[removed.element.index()].name);
    }
    run_.summary.defaulted = now_.point.defaulted;
    run_.summary.moved = now_.point.moved;
    try {
        check_delays();
        if (!run_.summary.failure) handle_start();
        if (!run_.summary.failure) delays_.begin(*now_.mode->evaluator, now_.point);
    } catch (const Interrupted&) {
        end_by_user(now_.point.time);
    }
    run_.summary.seconds_initialization = seconds_since(began);
    return !run_.summary.failure;
}

void Simulation::advance(double time) {
    const auto began = std::chrono::steady_clock::now();
    const double until = time < settings_.stop ? rows_->ask(time) : std::numeric_limits<double>::infinity();
    asked_ = until;
    try {
        while (rows_->next() <= until && now_.point.time < settings_.stop && !run_.summary.failure) {
            if (now_.mode->model->state_count == 0) {
                follow_time(until);
            } else {
                step();
            }
        }
    } catch (const Interrupted&) {
        end_by_user(now_.point.time);
    }
    run_.summary.seconds_integration += seconds_since(began);
}

Run Simulation::end() {
    if (!started_) return std::move(run_);
    const auto began = std::chrono::steady_clock::now();
    close();
    run_.summary.seconds_integration += seconds_since(began);
    return std::move(run_);
}

Run Simulation::stay() {
    if (find_start() && (events_->sample_due(settings_.start) || events_->due_at_start(now_))) handle_start();
    return std::move(run_);
}

Point Simulation::last() const {
    Point p = now_.point;
    p.held = events_->held();
    p.model = now_.mode->compiled;
    return p;
}

bool Simulation::find_start() {
    const auto hold = model_.hold();
    try {
        end_if_asked(settings_.interrupted);
        now_ = events_->start(settings_.start);
        barriers_.begin(*now_.mode->evaluator, now_.point);
    } catch (const SimulationError& e) {
        run_.summary.failure = e.failure();
    } catch (const Interrupted&) {
        end_by_user(settings_.start);
    }
    return !run_.summary.failure;
}

void Simulation::handle_start() {
    const auto hold = model_.hold();
    ledger_->begin(now_);
    note_mode();
    enter(settings_.start,
          in_mode(first_segment(*now_.mode->model, settings_.start, events_->held(), settings_.interrupted)));
    const bool event = events_->sample_due(settings_.start) || events_->due_at_start(now_);
    if (event && handle({settings_.start, {}}, now_.mode->evaluator->segment)) return;
    if (!event) tell_from_start();
    record(now_.point);
    check_locks();
}

void Simulation::tell_from_start() {
    try {
        for (const std::size_t when : events_->true_from_start(now_)) tell(when, settings_.start);
    } catch (const SimulationError& e) {
        run_.summary.failure = e.failure();
    }
}

void Simulation::close() {
    const auto hold = model_.hold();
    record_last_good();
    for (const auto& [key, mode] : modes_->all()) {
        if (mode->integrator) mode->integrator->statistics(run_.summary);
        const std::uint32_t unproven = mode->foresight->kinks.unproven();
        if (unproven != expression::kNoNode) run_.summary.unproven = expression_text(*mode->model, unproven);
    }
    if (run_.summary.failure && run_.summary.failure->step == 0) run_.summary.failure->step = run_.summary.steps;
    if (run_.summary.failure) return;
    ledger_->report(now_, run_.summary);
    run_.summary.errors = errors_.report(run_.summary.energy, ledger_->moved());
    if (run_.summary.energy.any && !std::isfinite(run_.summary.energy.imbalance)) refuse_powers();
}

Quadrature Simulation::quadrature_of(const Mode& mode) const {
    static const expression::Tape kNone;
    if (!settings_.energy) return {kNone, kNone};
    return {mode.audit->powers(), mode.audit->books()};
}

void Simulation::enter(double time, const Segment& segment) {
    const auto hold = model_.hold();
    Mode& mode = *now_.mode;
    mode.evaluator->segment = segment;
    events_->enter(mode);
    now_.point.time = time;
    check_delays();
    if (mode.model->state_count == 0) return events_->observe(mode, now_.point);
    if (mode.model->reduced && mode.model->reduced->coefficients.tape && !run_.summary.branching)
        branching_.begin(mode, modes_->choice_point(mode, now_.point));
    const Point start = modes_->with_all_rates(mode, now_.point);
    if (!mode.integrator) {
        mode.integrator = std::make_unique<Integrator>(*mode.evaluator, settings_, start, quadrature_of(mode));
    } else {
        mode.integrator->restart(start);
    }
    events_->observe(mode, now_.point);
}

void Simulation::record_last_good() {
    if (!run_.summary.failure || ended_by_user_ || run_.result.time.empty()) return;
    if (!calendar_.before(run_.result.time.back(), now_.point.time)) return;
    rows_->compute(*now_.mode, now_.point);
    const std::vector<double>& row = rows_->row();
    if (std::all_of(row.begin(), row.end(), [](double x) { return std::isfinite(x); }))
        rows_->append(now_.point.time, run_.summary.failure);
}

bool Simulation::interrupted(double time) {
    const bool asked = settings_.interrupted != nullptr && settings_.interrupted->load();
    bool ended = asked;
    if (progress_ && time - shown_ > 0.005 * (settings_.stop - settings_.start)) {
        shown_ = time;
        ended = !progress_(time) || ended;
    }
    if (!ended) return false;
    end_by_user(time);
    return true;
}

void Simulation::end_by_user(double time) {
    ended_by_user_ = true;
    run_.summary.failure = Failure{.message = "ended by the user", .time = time, .by_user = true};
}

void Simulation::follow_time(double until) {
    Mode& mode = *now_.mode;
    const double end = boundary(now_.point.time);
    // Both ends and the middle of a stretch are asked for several times, among the seven points of its energy.
    struct Solved {
        double time = std::numeric_limits<double>::quiet_NaN();
        std::vector<double> y;
        std::vector<double> yp;
    };
    std::array<Solved, 12> solved;
    std::size_t oldest = 0;
    const auto inside = [&](double time, Point& p) {
        p = now_.point;
        p.time = time;
        if (mode.model->size() == 0) return;
        // Where time does not enter, the first of them is good for all.
        const auto known = mode.tapes->timely
                               ? std::ranges::find(solved, time, &Solved::time)
                               : std::ranges::find_if(solved, [](const Solved& s) { return !s.y.empty(); });
        if (known != solved.end()) {
            p.y = known->y;
            p.yp = known->yp;
            return;
        }
        solve_rates(*mode.evaluator, p, Effort::quick);
        solved[oldest] = {time, p.y, p.yp};
        oldest = (oldest + 1) % solved.size();
    };
    const auto keep_books = [&](double from, double to) {
        ledger_->add(now_, from, to, inside);
        remember(from, to, inside);
    };
    // Without unknowns the relations follow from time alone, and their bounds are known.
    Events::Enclose enclose;
    if (mode.model->size() == 0)
        enclose = [](double, double, std::span<const std::uint32_t>, std::span<expression::Enclosure>) {};
    const bool by_points = events_->watching() && !enclose;
    try {
        while (!run_.summary.failure && rows_->next() <= until) {
            const double from = now_.point.time;
            const double row = calendar_.before(rows_->next(), end) ? rows_->next() : end;
            const double output = std::min(row, delays_.limit(from));
            const double to = by_points ? events_->straight(mode, from, output, inside) : output;
            if (interrupted(from)) return;
            if (ledger_->without_bounds()) return refuse_powers();
            if (const auto out = delays_.passing(*mode.evaluator, from, to, inside)) {
                keep_books(from, out->time);
                inside(out->time, now_.point);
                cause_ = {.out = delays_.pass(*out)};
                handle({out->time, {}}, mode.evaluator->segment, true);
                return;
            }
            if (const auto crossing =
                    events_->watching() ? events_->crossing(mode, from, to, inside, enclose) : std::nullopt) {
                if (!calendar_.before(crossing->time, end)) {
                    keep_books(from, end);
                    inside(end, now_.point);
                    return reach(end, crossing->relations);
                }
                keep_books(from, crossing->time);
                inside(crossing->time, now_.point);
                if (handle(*crossing, mode.evaluator->segment)) return;
                solved = {};
                continue;
            }
            keep_books(from, to);
            inside(to, now_.point);
            check_delays();
            if (events_->watching()) events_->observe(mode, now_.point);
            if (to >= end) return reach(end);
            ledger_->pass(now_);
            if (to < row) continue;
            rows_->pass(to);
            record(now_.point);
        }
    } catch (const ModelError& e) {
        run_.summary.failure = failure_of(e, now_.point.time);
    }
}

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

std::vector<Point> points_along(const CompiledModel& model, const Settings& settings, std::size_t count) {
    if (count < 2 || !(settings.stop > settings.start)) return {start_point(model, settings)};
    Settings quiet = settings;
    quiet.energy = false;
    quiet.interval = (settings.stop - settings.start) / static_cast<double>(count - 1);
    const Progress none;
    Simulation simulation(model, quiet, {}, none);
    simulation.begin();
    std::vector<Point> points{reached(simulation, simulation.so_far())};
    for (std::size_t k = 1; k < count; ++k) {
        const bool last = k + 1 == count;
        try {
            simulation.advance(last ? settings.stop : settings.start + static_cast<double>(k) * quiet.interval);
        } catch (const ModelError&) {
            break;
        }
        if (simulation.so_far().summary.failure) break;
        Point point = simulation.last();
        if (point.time > points.back().time) points.push_back(std::move(point));
    }
    return points;
}

}  // namespace bondgraph::simulation
