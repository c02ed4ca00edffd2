// A ladder's simulation against the hand-written program, both in one benchmark and in turns, so that whatever else the
// machine does falls on both.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include "bench/hand_ladder.hpp"
#include "bench/ladder.hpp"
#include "bench/pipeline.hpp"
#include "bondgraph/simulation/integrator.hpp"
#include "bondgraph/simulation/simulate.hpp"
#include "bondgraph/simulation/start.hpp"

namespace bondgraph::bench {

namespace {

using simulation::Run;
using simulation::Settings;

Settings settings_of(const Ladder& ladder, bool energy) {
    return {.stop = ladder.stop, .tolerance = ladder.tolerance, .interval = ladder.interval, .energy = energy};
}

std::vector<simulation::Signal> states_of(const compile::CompiledModel& model) {
    std::vector<simulation::Signal> signals;
    for (std::size_t i = 0; i < model.state_count; ++i) {
        const auto id = model.unknowns[i].variable;
        signals.push_back({.name = model.name(id), .value = model.values[id.index()]});
    }
    return signals;
}

/// What bondgraph's integrator takes for the charges' magnitudes at the start.
std::vector<double> starting_magnitudes(const compile::CompiledModel& model, const Settings& settings) {
    simulation::Evaluator evaluator(model);
    const expression::Tape none;
    const simulation::Integrator integrator(evaluator, settings, simulation::initialize(model, 0.0), {none, none});
    return integrator.magnitudes();
}

/// The largest error of charges as a multiple of the tolerance at full charge; infinite where they can't be compared.
double error_of(std::span<const double> charges, const HandRun& exact, const Ladder& ladder) {
    if (charges.size() != exact.charges.size()) return std::numeric_limits<double>::infinity();
    const double full = ladder.voltage * ladder.capacitance();
    double largest = 0.0;
    for (std::size_t i = 0; i < charges.size(); ++i)
        largest = std::max(largest, std::abs(charges[i] - exact.charges[i]) / (ladder.tolerance * full));
    return largest;
}

void simulate_against_hand(benchmark::State& state) {
    const Ladder ladder{.sections = static_cast<std::size_t>(state.range(0))};
    const bool energy = state.range(1) != 0;
    const TemporaryFile file("simulate.yaml", to_yaml(ladder));
    const Pipeline pipeline(file.path());
    const auto settings = settings_of(ladder, energy);
    const auto magnitudes = starting_magnitudes(pipeline.compiled(), settings);
    Ladder finer = ladder;
    finer.tolerance *= 1e-3;
    const HandRun exact = simulate_by_hand(finer, magnitudes, false);
    constexpr double kMostErrors = 100.0;  // errors of steps add up; beyond, one of the programs is wrong

    double best = std::numeric_limits<double>::infinity();
    double best_by_hand = std::numeric_limits<double>::infinity();
    for (auto _ : state) {
        auto signals = states_of(pipeline.compiled());
        Stopwatch watch;
        const HandRun hand = simulate_by_hand(ladder, magnitudes, energy);
        best_by_hand = std::min(best_by_hand, watch.lap());
        const Run run = simulation::simulate(pipeline.compiled(), settings, std::move(signals));
        const double seconds = watch.lap();
        best = std::min(best, seconds);
        state.SetIterationTime(seconds);
        const double error = error_of(run.result.data, exact, ladder);
        const double hand_error = error_of(hand.charges, exact, ladder);
        if (run.summary.failure || !(std::max(error, hand_error) <= kMostErrors))
            return state.SkipWithError("one of the programs is wrong");
        state.counters["error"] = error;
        state.counters["hand_error"] = hand_error;
        state.counters["steps"] = static_cast<double>(run.summary.steps);
        state.counters["hand_steps"] = static_cast<double>(hand.steps);
        state.counters["residuals"] = static_cast<double>(run.summary.residual_evaluations);
        state.counters["jacobians"] = static_cast<double>(run.summary.jacobian_evaluations);
        state.counters["start_ms"] = 1e3 * run.summary.seconds_initialization;
    }
    state.counters["best_ms"] = 1e3 * best;
    state.counters["hand_best_ms"] = 1e3 * best_by_hand;
    state.counters["ratio"] = best / best_by_hand;
}

BENCHMARK(simulate_against_hand)
    ->ArgNames({"sections", "energy"})
    ->ArgsProduct({{1000, 10000}, {0, 1}})
    ->Iterations(7)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace bondgraph::bench
