// Runs of one compiled model with other parameters: from the call to the results.
#include <benchmark/benchmark.h>

#include <string>

#include "bondgraph/api/bondgraph.hpp"

namespace {

using namespace bondgraph::api;

const Model& motor() {
    static const Model kMotor = Model::load(std::string(BONDGRAPH_MODELS) + "/electromechanical/dc_motor.yaml").value();
    return kMotor;
}

RunOptions other_inertia(benchmark::State& state, int& number) {
    RunOptions options;
    options.values = {{"J.I", 1e-3 * (1.0 + 1e-5 * (++number + 1000 * state.thread_index()))}};
    return options;
}

/// As the file has it: 401 rows, with the energy account.
void BM_MotorAsInItsFile(benchmark::State& state) {
    int number = 0;
    for (auto _ : state) benchmark::DoNotOptimize(motor().run(other_inertia(state, number)).value().series.rows());
}
BENCHMARK(BM_MotorAsInItsFile)->Unit(benchmark::kMicrosecond)->Threads(1)->Threads(2)->UseRealTime();

/// The values at the stop.
void BM_MotorToItsEnd(benchmark::State& state) {
    int number = 0;
    for (auto _ : state) {
        RunOptions options = other_inertia(state, number);
        options.interval = 2.0;
        options.energy = false;
        benchmark::DoNotOptimize(motor().run(options).value().series.rows());
    }
}
BENCHMARK(BM_MotorToItsEnd)->Unit(benchmark::kMicrosecond)->Threads(1)->Threads(2)->UseRealTime();

const char* const kLadder = R"(
model: ladder
parameters: {r: 1 ohm}
components:
  S: {type: Se, e: 1 V}
  s[10000]: {type: 1}
  R[10000]: {type: R, R: r}
  j[10000]: {type: 0}
  C[10000]: {type: C, C: 1 F}
bonds: ["S -> s[1]", "s[i] -> R[i]", "s[i] -> j[i]", "j[i] -> C[i]", "j[i] -> s[i+1]"]
outputs: ["C[1].q"]
)";

RunOptions with_resistance(double r) {
    RunOptions options;
    options.values = {{"r", r}};
    options.energy = false;
    return options;
}

void BM_LadderCompiledAndStarted(benchmark::State& state) {
    for (auto _ : state)
        benchmark::DoNotOptimize(Model::parse(kLadder).value().start(with_resistance(1.0)).value().time());
}
BENCHMARK(BM_LadderCompiledAndStarted)->Unit(benchmark::kMillisecond);

void BM_LadderStartedAgain(benchmark::State& state) {
    const Model ladder = Model::parse(kLadder).value();
    double r = 1.0;
    benchmark::DoNotOptimize(ladder.start(with_resistance(r)).value().time());
    for (auto _ : state) benchmark::DoNotOptimize(ladder.start(with_resistance(r += 0.01)).value().time());
}
BENCHMARK(BM_LadderStartedAgain)->Unit(benchmark::kMillisecond);

}  // namespace
