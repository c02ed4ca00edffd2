#include "bondgraph/simulation/simulate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <stdexcept>

#include "bondgraph/simulation/energy.hpp"
#include "bondgraph/simulation/integrator.hpp"

namespace bondgraph::simulation {

using compile::CompiledModel;

namespace {

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

std::vector<double> output_times(const Settings& s) {
    const double interval = s.interval > 0 ? s.interval : (s.stop - s.start) / 500.0;
    std::vector<double> times;
    // Points k·interval, not a running sum: the last digits stay right.
    for (std::size_t k = 0;; ++k) {
        const double t = s.start + static_cast<double>(k) * interval;
        if (t >= s.stop - 1e-9 * interval) break;
        times.push_back(t);
    }
    times.push_back(s.stop);
    for (const double t : s.also_at) {
        if (t > s.start && t < s.stop) times.push_back(t);
    }
    std::sort(times.begin(), times.end());
    const double close = 1e-12 * (std::abs(s.stop) + std::abs(s.start));
    times.erase(std::unique(times.begin(), times.end(), [&](double a, double b) { return b - a <= close; }),
                times.end());
    return times;
}

class Simulation {
   public:
    Simulation(const CompiledModel& model, const Settings& settings, std::vector<Signal> signals,
               const Progress& progress)
        : model_(model), settings_(settings), progress_(progress), evaluator_(model) {
        run_.result.signals = std::move(signals);
        std::vector<expression::Expr> outputs;
        for (const Signal& s : run_.result.signals) outputs.push_back(s.value);
        outputs_ = model.tape(outputs);
        output_work_ = outputs_.make_workspace<double>();
        row_.resize(outputs.size());
    }

    Run go() {
        const auto begin = std::chrono::steady_clock::now();
        Point point = initialize(model_, settings_.start);
        run_.summary.defaulted = point.defaulted;
        run_.summary.seconds_initialization = seconds_since(begin);
        const auto middle = std::chrono::steady_clock::now();
        integrate(point);
        run_.summary.seconds_integration = seconds_since(middle);
        return std::move(run_);
    }

    [[nodiscard]] const Point& last() const { return last_; }

   private:
    void record(double time, std::span<const double> y, std::span<const double> yp) {
        evaluator_.run(outputs_, output_work_, time, y, yp, row_);
        for (double& value : row_) value += 0.0;  // −0 is nobody's result
        if (!run_.summary.failure) {
            for (std::size_t k = 0; k < row_.size(); ++k) {
                if (std::isfinite(row_[k])) continue;
                Failure f;
                f.time = time;
                f.component = fmt::format("'{}'", run_.result.signals[k].name);
                f.equation = run_.result.signals[k].name;
                f.message = fmt::format("the result '{}' has no finite value", run_.result.signals[k].name);
                run_.summary.failure = f;
                return;
            }
        }
        run_.result.time.push_back(time);
        run_.result.data.insert(run_.result.data.end(), row_.begin(), row_.end());
    }

    std::vector<double> events() const {
        std::vector<double> result;
        for (const double t : model_.time_events) {
            if (t > settings_.start && t < settings_.stop) result.push_back(t);
        }
        result.push_back(settings_.stop);
        return result;
    }

    void integrate(Point& point) {
        EnergyAudit audit(model_, settings_.energy_by_element);
        static const expression::Tape kNone;
        const expression::Tape& powers = settings_.energy ? audit.powers() : kNone;
        const StoredEnergy stored_at_start = settings_.energy ? audit.stored(evaluator_, point) : StoredEnergy{};
        const auto times = output_times(settings_);
        const auto stops = events();
        evaluator_.segment = first_segment(model_, settings_.start);
        record(point.time, point.y, point.yp);
        last_ = point;
        if (evaluator_.size() == 0) return static_model(times, stops, audit);
        Integrator integrator(evaluator_, settings_, point, powers);
        double shown = settings_.start;
        std::size_t next = 1;
        for (std::size_t s = 0; s < stops.size() && !run_.summary.failure; ++s) {
            while (!run_.summary.failure) {
                const bool more = next < times.size() && times[next] < stops[s];
                const auto outcome = integrator.advance(more ? times[next] : stops[s], stops[s]);
                if (outcome == Integrator::Outcome::failed) {
                    run_.summary.failure = integrator.failure();
                    break;
                }
                const double reached = outcome == Integrator::Outcome::stopped_at_event ? stops[s] : integrator.time();
                while (next < times.size() && times[next] <= reached && times[next] < stops[s] &&
                       !run_.summary.failure) {
                    last_.time = times[next++];
                    integrator.interpolate(last_.time, last_.y, last_.yp);
                    polish();
                    record(last_.time, last_.y, last_.yp);
                }
                if (progress_ && reached - shown > 0.005 * (settings_.stop - settings_.start)) {
                    shown = reached;
                    if (!progress_(reached))
                        run_.summary.failure = Failure{.message = "ended by the user", .time = reached};
                }
                if (outcome == Integrator::Outcome::stopped_at_event) break;
            }
            if (run_.summary.failure) break;
            integrator.interpolate(stops[s], last_.y, last_.yp);
            last_.time = stops[s];
            polish();
            record(stops[s], last_.y, last_.yp);
            while (next < times.size() && times[next] <= stops[s]) ++next;
            if (s + 1 < stops.size()) after_event(integrator, stops, s);
        }
        integrator.statistics(run_.summary);
        if (run_.summary.failure && run_.summary.failure->step == 0) run_.summary.failure->step = run_.summary.steps;
        if (!settings_.energy) return;
        const StoredEnergy stored = run_.summary.failure ? stored_at_start : audit.stored(evaluator_, last_);
        if (!run_.summary.failure)
            run_.summary.energy = audit.balance(integrator.quadratures(), stored_at_start, stored);
    }

    // The states go on; rates and algebraic variables are found anew on the other side of the event.
    void after_event(Integrator& integrator, const std::vector<double>& stops, std::size_t s) {
        ++run_.summary.time_events;
        evaluator_.segment = {stops[s], stops[s + 1]};
        last_.time = stops[s];
        try {
            solve_rates(evaluator_, last_);
        } catch (const ModelError& e) {
            const Diagnostic& d = e.diagnostics().front();
            run_.summary.failure = Failure{.message = d.message, .time = stops[s], .position = d.position};
            return;
        }
        record(stops[s], last_.y, last_.yp);
        if (!run_.summary.failure) integrator.restart(last_);
    }

    // Between steps, what the states don't hold is not interpolated but solved for: loops hold at every output.
    void polish() {
        if (model_.state_count == model_.size()) return;
        Point exact = last_;
        try {
            solve_rates(evaluator_, exact);
            last_ = std::move(exact);
        } catch (const ModelError&) {  // beside a singular point the interpolated values are the better ones
        }
    }

    // Nothing to integrate: every output follows from time alone.
    void static_model(const std::vector<double>& times, const std::vector<double>& stops, EnergyAudit& audit) {
        const auto& powers = audit.powers();
        auto work = powers.make_workspace<double>();
        std::vector<double> rate(powers.output_count());
        std::vector<double> integrals(powers.output_count(), 0.0);
        const StoredEnergy stored_before = audit.stored(evaluator_, last_);
        std::size_t s = 0;
        for (std::size_t k = 1; k < times.size() && !run_.summary.failure; ++k) {
            double from = times[k - 1];
            const auto integrate = [&](double to) {
                for (const auto& [place, weight] : kGauss3) {
                    evaluator_.run(powers, work, 0.5 * (from + to) + 0.5 * (to - from) * place, {}, {}, rate);
                    for (std::size_t i = 0; i < rate.size(); ++i) integrals[i] += (to - from) * weight * rate[i];
                }
                from = to;
            };
            while (s + 1 < stops.size() && times[k] >= stops[s]) {
                integrate(stops[s]);
                record(stops[s], {}, {});
                evaluator_.segment = {stops[s], stops[s + 1]};
                if (times[k] > stops[s]) record(stops[s], {}, {});
                ++s;
                ++run_.summary.time_events;
            }
            integrate(times[k]);
            last_.time = times[k];
            record(times[k], {}, {});
        }
        if (settings_.energy && !run_.summary.failure)
            run_.summary.energy = audit.balance(integrals, stored_before, audit.stored(evaluator_, last_));
    }

    const CompiledModel& model_;
    const Settings& settings_;
    const Progress& progress_;
    Evaluator evaluator_;
    Run run_;
    expression::Tape outputs_;
    std::vector<double> output_work_;
    std::vector<double> row_;
    Point last_;
};

}  // namespace

Run simulate(const CompiledModel& model, const Settings& settings, std::vector<Signal> signals,
             const Progress& progress) {
    return Simulation(model, settings, std::move(signals), progress).go();
}

Point simulate_to(const CompiledModel& model, const Settings& settings) {
    Settings quiet = settings;
    quiet.energy = false;
    quiet.interval = settings.stop - settings.start;
    if (quiet.interval <= 0.0) return initialize(model, settings.start);
    const Progress none;
    Simulation simulation(model, quiet, {}, none);
    const Run run = simulation.go();
    if (run.summary.failure)
        throw std::runtime_error(
            fmt::format("the run stopped at time {:g}: {}", run.summary.failure->time, run.summary.failure->message));
    return simulation.last();
}

std::optional<Signal> find_signal(const CompiledModel& model, const std::string& name) {
    const auto found = model::resolve_name(model.graph(), name);
    if (!found) return std::nullopt;
    return Signal{name, found->unit, found->description, model.in_unknowns(found->value)};
}

std::vector<std::string> default_outputs(const CompiledModel& model) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < model.state_count; ++i) names.push_back(model.name(model.unknowns[i].variable));
    for (std::string& name : model::default_bond_outputs(model.graph())) names.push_back(std::move(name));
    return names;
}

}  // namespace bondgraph::simulation
