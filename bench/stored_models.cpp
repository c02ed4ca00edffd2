// Loading and starting a model from its file, and from the file that it was compiled into: the ratio of both in one
// run.
#include <benchmark/benchmark.h>

#include <filesystem>
#include <string>

#include "bench/ladder.hpp"
#include "bench/pipeline.hpp"
#include "bench/stopwatch.hpp"
#include "bondgraph/api/bondgraph.hpp"

namespace bondgraph::bench {
namespace {

/// Loads the file and finds the start of a run.
double started(const std::string& file) {
    Stopwatch watch;
    const api::Model model = api::Model::load(file).value();
    benchmark::DoNotOptimize(model.start().value().values().data());
    return watch.lap();
}

void measure(benchmark::State& state, const std::string& file) {
    const std::string compiled = (std::filesystem::temp_directory_path() / "bondgraph_bench.bgc").string();
    benchmark::DoNotOptimize(api::Model::load(file).value().save(compiled).value().size());
    double of_text = 0.0;
    double of_compiled = 0.0;
    for (auto _ : state) {
        of_text += started(file);
        of_compiled += started(compiled);
    }
    state.counters["text_ms"] = benchmark::Counter(1e3 * of_text, benchmark::Counter::kAvgIterations);
    state.counters["compiled_ms"] = benchmark::Counter(1e3 * of_compiled, benchmark::Counter::kAvgIterations);
    state.counters["ratio"] = of_compiled / of_text;
    state.counters["kB"] = static_cast<double>(std::filesystem::file_size(compiled)) / 1e3;
    std::filesystem::remove(compiled);
}

void stored_ladder(benchmark::State& state) {
    const TemporaryFile file("stored.yaml", to_yaml({.sections = static_cast<std::size_t>(state.range(0))}));
    measure(state, file.path().string());
}
BENCHMARK(stored_ladder)->Arg(1'000)->Arg(10'000)->Unit(benchmark::kMillisecond);

void stored_engine(benchmark::State& state) {
    measure(state, std::string(BONDGRAPH_MODELS) + "/mechanics3d/engine_v6.yaml");
}
BENCHMARK(stored_engine)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace bondgraph::bench
