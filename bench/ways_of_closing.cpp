// One mechanism described in several ways (docs/accuracy.md): how far results differ, and what each way costs.

#include "tests/mechanics3d/ways_of_closing.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "bench/pipeline.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::bench {

namespace {

using simulation::Run;
using test::ClosedMechanism;
using test::WayOfClosing;

constexpr double kTolerance = 1e-10;
constexpr std::size_t kRows = 20;

/// Results at equal distances, and the seconds of processor time of the fastest of some runs, from the compiled model.
struct Outcome {
    std::vector<std::vector<double>> rows;
    double seconds = 0.0;
};

Outcome outcome_of(const WayOfClosing& way, double stop) {
    constexpr int kRuns = 5;
    const TemporaryFile file("way.yaml", way.text.starts_with("model:") ? way.text : "model: way\n" + way.text);
    const Pipeline pipeline(file.path());
    model::NameLookup lookup(pipeline.compiled().graph());
    std::vector<simulation::Signal> signals;
    for (const auto* names : {&way.coordinates, &way.velocities, &way.forces}) {
        for (const std::string& name : *names) signals.push_back(*simulation::find_signal(lookup, name));
    }
    const double interval = stop / static_cast<double>(kRows);
    Outcome outcome;
    for (int k = 0; k < kRuns; ++k) {
        Stopwatch watch;
        const Run run = simulation::simulate(pipeline.compiled(),
                                             {.stop = stop, .tolerance = kTolerance, .interval = interval}, signals);
        const double seconds = watch.lap();
        if (run.summary.failure) return {};
        outcome.seconds = k == 0 ? seconds : std::min(outcome.seconds, seconds);
        if (k == 0) outcome.rows = test::rows_at(run.result, interval);
    }
    return outcome;
}

void ways_of_closing(benchmark::State& state) {
    const ClosedMechanism m =
        test::closed_mechanisms(BONDGRAPH_MODELS "/mechanics3d")[static_cast<std::size_t>(state.range(0))];
    std::string label = m.name + ":";
    for (auto _ : state) {
        std::vector<Outcome> outcomes;
        for (const WayOfClosing& way : m.ways) outcomes.push_back(outcome_of(way, m.stop));
        const std::size_t coordinates = m.ways[0].coordinates.size();
        const std::size_t velocities = coordinates + m.ways[0].velocities.size();
        const std::size_t all = velocities + m.ways[0].forces.size();
        double off[3] = {0.0, 0.0, 0.0};
        for (std::size_t k = 0; k < outcomes.size(); ++k) {
            if (outcomes[k].rows.empty()) return state.SkipWithError(("a run has failed: " + m.ways[k].name).c_str());
            const auto beside = [&](std::size_t from, std::size_t to) {
                return test::largest_difference(outcomes[k].rows, outcomes[0].rows, from, to);
            };
            off[0] = std::max(off[0], beside(0, coordinates));
            off[1] = std::max(off[1], beside(coordinates, velocities));
            off[2] = std::max(off[2], beside(velocities, all));
            label += fmt::format(" {} {:.1f} ms;", m.ways[k].name, 1e3 * outcomes[k].seconds);
        }
        state.SetIterationTime(outcomes[0].seconds);
        state.counters["coordinates"] = off[0];
        state.counters["velocities"] = off[1];
        state.counters["forces"] = off[2];
    }
    state.SetLabel(label);
}

BENCHMARK(ways_of_closing)->DenseRange(0, 14)->Iterations(1)->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace bondgraph::bench
