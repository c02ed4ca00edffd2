// Everything between a model file and the end of the integrator's first step. Each measurement runs in a process of its
// own: the peak of its memory is that of one model, and nothing is left over from the one before.

#include <benchmark/benchmark.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include "bench/chains.hpp"
#include "bench/four_bars.hpp"
#include "bench/ladder.hpp"
#include "bench/networks.hpp"
#include "bench/pipeline.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::bench {

namespace {

struct Measurement {
    StageTimes stages;
    double outputs = 0.0;     ///< names → expressions, for everything `run` writes by default
    double first_step = 0.0;  ///< start values, rates, set-up of the integrator and one step
    long steps = 0;
    std::size_t unknowns = 0;
    double total = 0.0;
};

Measurement measure(const std::filesystem::path& file, const Ladder& ladder) {
    Measurement result;
    Stopwatch total;
    const Pipeline pipeline(file);
    const auto& model = pipeline.compiled();
    result.stages = pipeline.seconds();
    Stopwatch watch;
    std::vector<simulation::Signal> signals;
    model::NameLookup lookup(model.graph());
    for (const std::string& name : simulation::default_outputs(model)) {
        if (auto signal = simulation::find_signal(lookup, name)) signals.push_back(*std::move(signal));
    }
    result.outputs = watch.lap();
    const simulation::Settings settings{
        .stop = ladder.stop, .tolerance = ladder.tolerance, .interval = ladder.interval, .max_steps = 1};
    const auto run = simulation::simulate(model, settings, std::move(signals));
    result.first_step = watch.lap();
    result.total = total.lap();
    result.steps = run.summary.steps;
    result.unknowns = model.size();
    return result;
}

/// The measurement made by a child process, with the peak of its resident memory; nothing when it failed.
std::optional<Measurement> measure_in_child(const std::filesystem::path& file, const Ladder& ladder, double& peak_mib) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) return std::nullopt;
    const pid_t child = ::fork();
    if (child == 0) {
        int status = 1;
        try {
            const Measurement result = measure(file, ladder);
            if (::write(ends[1], &result, sizeof result) == static_cast<ssize_t>(sizeof result)) status = 0;
        } catch (const std::exception& failure) {
            fmt::print(stderr, "{}\n", failure.what());
        }
        ::_exit(status);
    }
    ::close(ends[1]);
    Measurement result;
    const bool complete = child > 0 && ::read(ends[0], &result, sizeof result) == static_cast<ssize_t>(sizeof result);
    ::close(ends[0]);
    int status = 1;
    rusage usage{};
    if (child > 0) ::wait4(child, &status, 0, &usage);
    peak_mib = static_cast<double>(usage.ru_maxrss) / 1024.0;
    if (!complete || status != 0) return std::nullopt;
    return result;
}

void measure_model(benchmark::State& state, const std::string& yaml, const Ladder& ladder) {
    const TemporaryFile file("first_step.yaml", yaml);
    for (auto _ : state) {
        double peak_mib = 0.0;
        const auto m = measure_in_child(file.path(), ladder, peak_mib);
        if (!m || m->steps != 1) return state.SkipWithError("the model did not get to its first step");
        state.SetIterationTime(m->total);
        state.counters["peak_MiB"] = peak_mib;
        state.counters["unknowns"] = static_cast<double>(m->unknowns);
        state.counters["1_yaml_ms"] = 1e3 * m->stages.yaml;
        state.counters["2_flatten_ms"] = 1e3 * m->stages.flatten;
        state.counters["3_causality_ms"] = 1e3 * m->stages.causality;
        state.counters["4_sort_ms"] = 1e3 * m->stages.sort;
        state.counters["5_compile_ms"] = 1e3 * m->stages.compile;
        state.counters["6_outputs_ms"] = 1e3 * m->outputs;
        state.counters["7_first_step_ms"] = 1e3 * m->first_step;
    }
}

void file_to_first_step(benchmark::State& state) {
    const Ladder ladder{.sections = static_cast<std::size_t>(state.range(0))};
    measure_model(state, to_yaml(ladder), ladder);
}

/// Networks take the times of the run from the ladder.
void grid_to_first_step(benchmark::State& state) {
    measure_model(state, grid_to_yaml(static_cast<std::size_t>(state.range(0)), state.range(1) != 0), {.sections = 1});
}

void star_to_first_step(benchmark::State& state) {
    measure_model(state, star_to_yaml(static_cast<std::size_t>(state.range(0))), {.sections = 1});
}

/// Mechanisms too, but for their tolerance.
void four_bars_to_first_step(benchmark::State& state) {
    const FourBars bars{.bars = static_cast<std::size_t>(state.range(0))};
    measure_model(state, to_yaml(bars), {.sections = 1, .stop = bars.stop, .tolerance = bars.tolerance});
}

void chain_to_first_step(benchmark::State& state) {
    const Chain chain{.joint = state.range(0) != 0 ? Chain::Joint::ball : Chain::Joint::pin,
                      .links = static_cast<std::size_t>(state.range(1))};
    measure_model(state, to_yaml(chain), {.sections = 1, .stop = chain.stop, .tolerance = chain.tolerance});
}

BENCHMARK(four_bars_to_first_step)
    ->ArgName("bars")
    ->Arg(10)
    ->Arg(20)
    ->Arg(40)
    ->Arg(70)
    ->Arg(100)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK(chain_to_first_step)
    ->ArgNames({"ball", "links"})
    ->ArgsProduct({{0, 1}, {25, 50, 100, 200}})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK(grid_to_first_step)
    ->ArgNames({"side", "capacitors"})
    ->ArgsProduct({{10, 30, 100, 300}, {0, 1}})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK(star_to_first_step)
    ->ArgName("branches")
    ->RangeMultiplier(10)
    ->Range(100, 100000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

BENCHMARK(file_to_first_step)
    ->ArgName("sections")
    ->RangeMultiplier(10)
    ->Range(10, 100000)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace bondgraph::bench
