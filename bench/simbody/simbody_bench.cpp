// The chains of mechanics.cpp in Simbody, with the same names and counters, in a program of its own.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "bench/simbody/simbody_chain.hpp"

namespace bondgraph::bench {

namespace {

Chain chain_of(const benchmark::State& state) {
    return {.joint = state.range(0) != 0 ? Chain::Joint::ball : Chain::Joint::pin,
            .links = static_cast<std::size_t>(state.range(1))};
}

/// A point on the way, where no angle and no speed is 0.
std::vector<double> point_on_the_way(const SimbodyChain& chain) {
    std::vector<double> y = chain.start();
    for (std::size_t i = 0; i < y.size(); ++i) y[i] += 0.01 * static_cast<double>(1 + i % 7);
    return y;
}

void chain_evaluation(benchmark::State& state) {
    const Chain chain = chain_of(state);
    SimbodyChain simbody(chain);
    std::vector<double> rates(simbody.size());
    simbody.derivative(simbody.start().data(), rates.data());
    const double first = rates[simbody.speed(0)];
    const double last = rates[simbody.speed(chain.links - 1)];
    const auto known = first_acceleration(chain);
    if (known && !(std::abs(first - *known) <= 1e-9)) return state.SkipWithError("the first acceleration is wrong");
    const std::vector<double> y = point_on_the_way(simbody);
    for (auto _ : state) {
        simbody.derivative(y.data(), rates.data());
        benchmark::DoNotOptimize(rates.data());
        benchmark::ClobberMemory();
    }
    state.counters["first_acceleration"] = first;
    state.counters["last_acceleration"] = last;
}

using Simulate = SimbodyRun (*)(SimbodyChain&, double, double);

void simulate(benchmark::State& state, Simulate with) {
    const Chain chain = chain_of(state);
    SimbodyChain simbody(chain);
    const double energy = simbody.energy(simbody.start());
    for (auto _ : state) {
        const SimbodyRun run = with(simbody, chain.stop, chain.tolerance);
        if (!run.complete) return state.SkipWithError("the run did not get to its end");
        state.SetIterationTime(run.seconds);
        state.counters["steps"] = static_cast<double>(run.steps);
        state.counters["evaluations"] = static_cast<double>(run.evaluations);
        state.counters["energy_drift"] = simbody.energy(run.y) - energy;
    }
    double error = 0.0;
    Position exact{};
    for (const double time : kEarly) {
        exact = simbody.tip(simulate_with_ida(simbody, time, 1e-10).y);
        error = std::max(error, distance(exact, simbody.tip(with(simbody, time, chain.tolerance).y)));
    }
    if (const auto known = known_tip(chain, kEarly.back()); known && !(distance(*known, exact) <= 1e-7)) {
        return state.SkipWithError("the end of the chain is not where it should be");
    }
    state.counters["error"] = error;
    for (const std::size_t i : {0, 1, 2}) state.counters[std::string("tip_") + "xyz"[i]] = exact[i];
}

SimbodyRun adams(SimbodyChain& chain, double stop, double tolerance) {
    return chain.simulate_with_adams(stop, tolerance);
}

void chain_simulation(benchmark::State& state) { simulate(state, simulate_with_ida); }
void chain_simulation_adams(benchmark::State& state) { simulate(state, adams); }

BENCHMARK(chain_evaluation)
    ->ArgNames({"ball", "links"})
    ->ArgsProduct({{0, 1}, {1, 5, 10, 20, 50, 100, 200}})
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(chain_simulation)
    ->ArgNames({"ball", "links"})
    ->ArgsProduct({{0, 1}, {1, 2, 5, 10, 20}})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BENCHMARK(chain_simulation_adams)
    ->ArgNames({"ball", "links"})
    ->ArgsProduct({{0, 1}, {1, 2, 5, 10, 20}})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace bondgraph::bench
