// Mechanisms of many closed loops: what an evaluation, a Jacobian and a step cost as their number grows.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "bench/four_bars.hpp"
#include "bench/pipeline.hpp"
#include "bondgraph/simulation/evaluator.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::bench {

namespace {

using compile::CompiledModel;
using simulation::Point;
using simulation::Run;
using simulation::Settings;

/// A ladder's model file and what it compiles to.
class CompiledFourBars {
   public:
    explicit CompiledFourBars(const FourBars& bars) : file_("four_bars.yaml", to_yaml(bars)), pipeline_(file_.path()) {}
    [[nodiscard]] const CompiledModel& model() const { return pipeline_.compiled(); }

   private:
    TemporaryFile file_;
    Pipeline pipeline_;
};

FourBars bars_of(const benchmark::State& state) { return {.bars = static_cast<std::size_t>(state.range(0))}; }

void count(benchmark::State& state, const CompiledModel& model, const FourBars& bars) {
    const auto n = static_cast<double>(bars.bars);
    state.counters["operations_per_bar"] = static_cast<double>(model.residual.instructions().size()) / n;
    state.counters["entries_per_bar"] = static_cast<double>(model.pattern.columns.size()) / n;
    state.counters["unknowns"] = static_cast<double>(model.size());
    state.counters["states"] = static_cast<double>(model.state_count);
}

void four_bars_evaluation(benchmark::State& state) {
    const FourBars bars = bars_of(state);
    const CompiledFourBars compiled(bars);
    const CompiledModel& model = compiled.model();
    const Point start = simulation::initialize(model, 0.0);
    simulation::Evaluator evaluator(model);
    std::vector<double> out(model.size());
    for (auto _ : state) {
        benchmark::DoNotOptimize(evaluator.residual(0.0, start.y, start.yp, out));
        benchmark::ClobberMemory();
    }
    count(state, model, bars);
}

void four_bars_jacobian(benchmark::State& state) {
    const FourBars bars = bars_of(state);
    const CompiledFourBars compiled(bars);
    const CompiledModel& model = compiled.model();
    const Point start = simulation::initialize(model, 0.0);
    simulation::Evaluator evaluator(model);
    std::vector<double> entries(model.pattern.columns.size());
    constexpr double kLeading = 1e3;  // of the integration formula, at steps of some milliseconds
    for (auto _ : state) {
        benchmark::DoNotOptimize(evaluator.jacobian(0.0, start.y, start.yp, 1.0, kLeading, entries));
        benchmark::ClobberMemory();
    }
    count(state, model, bars);
}

/// How far the first upright is from a pendulum with the acceleration of all, by what stays as it is: of w²/2 + the
/// integral of −a over the angle.
double energy_error(const FourBars& bars, double angle, double rate) {
    const double at_most = bars.acceleration(std::asin(1.0));
    const double start = FourBars::kSpeed / FourBars::kLength;
    return std::abs(0.5 * (rate * rate - start * start) - at_most * (1.0 - std::cos(angle)));
}

/// What the tolerance promises of that error. A step is accepted if the root mean square of the errors of all unknowns,
/// each beside tolerance · (|y| + a tenth of its magnitude), is 1 or less: then none exceeds the root of their number
/// times that. An error of the rate changes the energy by w, one of the angle by a times as much; what is exact
/// afterwards changes nothing more, so that the steps' contributions only add up. Each step is taken at its worst.
double promised_error(const FourBars& bars, std::size_t unknowns, const Run& run) {
    constexpr double kWithMagnitude = 1.1;
    double worst = 0.0;
    for (std::size_t k = 0; k < run.result.time.size(); ++k) {
        const double angle = std::abs(run.result.at(k, 0));
        const double rate = std::abs(run.result.at(k, 1));
        worst = std::max(worst, rate * rate + bars.acceleration(std::asin(1.0)) * angle);
    }
    return static_cast<double>(run.summary.steps) * kWithMagnitude * std::sqrt(static_cast<double>(unknowns)) *
           bars.tolerance * worst;
}

/// Processor time of one step in the middle of a run: what a run of many steps takes more than one of few.
void four_bars_step(benchmark::State& state) {
    const FourBars bars = bars_of(state);
    const CompiledFourBars compiled(bars);
    model::NameLookup lookup(compiled.model().graph());
    std::vector<simulation::Signal> signals;
    for (const char* name : {"p0.phi", "p0.w"}) signals.push_back(*simulation::find_signal(lookup, name));
    constexpr std::size_t kFew = 20;
    constexpr std::size_t kMany = 120;
    Settings settings{.stop = bars.stop, .tolerance = bars.tolerance, .interval = 0.01};
    settings.energy = state.range(1) != 0;
    for (auto _ : state) {
        settings.max_steps = kFew;
        Stopwatch watch;
        const Run few = simulation::simulate(compiled.model(), settings, signals);
        const double start = watch.lap();
        settings.max_steps = kMany;
        const Run many = simulation::simulate(compiled.model(), settings, signals);
        const double all = watch.lap();
        const auto steps = static_cast<double>(many.summary.steps - few.summary.steps);
        const std::size_t last = many.result.time.size() - 1;
        const double error = energy_error(bars, many.result.at(last, 0), many.result.at(last, 1));
        const double promised = promised_error(bars, compiled.model().size(), many);
        if (!(error <= promised))
            return state.SkipWithError(fmt::format("the energy is off by {}, not {}", error, promised).c_str());
        state.SetIterationTime((all - start) / steps);
        state.counters["residuals_per_step"] =
            static_cast<double>(many.summary.residual_evaluations - few.summary.residual_evaluations) / steps;
        state.counters["jacobians_per_step"] =
            static_cast<double>(many.summary.jacobian_evaluations - few.summary.jacobian_evaluations) / steps;
        state.counters["start_ms"] = 1e3 * start;
        state.counters["energy_error"] = error;
        state.counters["of_promised"] = error / promised;
    }
}

BENCHMARK(four_bars_evaluation)
    ->ArgName("bars")
    ->Arg(10)
    ->Arg(20)
    ->Arg(40)
    ->Arg(70)
    ->Arg(100)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(four_bars_jacobian)
    ->ArgName("bars")
    ->Arg(10)
    ->Arg(20)
    ->Arg(40)
    ->Arg(70)
    ->Arg(100)
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(four_bars_step)
    ->ArgNames({"bars", "energy"})
    ->ArgsProduct({{10, 20, 40, 70, 100}, {0, 1}})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace

}  // namespace bondgraph::bench
