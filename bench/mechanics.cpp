// Chains of bodies: what an evaluation, a step, a run and the way from text to tapes cost. Names and counters are those
// of simbody/simbody_bench.cpp, so that both outputs can be compared line by line.

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "bench/chains.hpp"
#include "bench/pipeline.hpp"
#include "bondgraph/simulation/evaluator.hpp"
#include "bondgraph/simulation/simulate.hpp"

namespace bondgraph::bench {

namespace {

using compile::CompiledModel;
using simulation::Point;
using simulation::Run;
using simulation::Settings;

Chain chain_of(const benchmark::State& state) {
    return {.joint = state.range(0) != 0 ? Chain::Joint::ball : Chain::Joint::pin,
            .links = static_cast<std::size_t>(state.range(1))};
}

/// A chain's model file and what it compiles to.
class CompiledChain {
   public:
    explicit CompiledChain(const Chain& chain) : file_("chain.yaml", to_yaml(chain)), pipeline_(file_.path()) {}
    [[nodiscard]] const CompiledModel& model() const { return pipeline_.compiled(); }
    [[nodiscard]] const StageTimes& stages() const { return pipeline_.seconds(); }

   private:
    TemporaryFile file_;
    Pipeline pipeline_;
};

/// The rate at which a joint's angular velocity about z changes at the start.
double acceleration(const CompiledModel& model, const Point& start, const Chain& chain, std::size_t joint) {
    const std::string name = fmt::format("j{}.w{}", joint, chain.joint == Chain::Joint::ball ? "[3]" : "");
    for (std::size_t i = 0; i < model.state_count; ++i) {
        if (model.name(model.unknowns[i].variable) == name) return start.yp[i];
    }
    throw std::runtime_error(fmt::format("{} is no state", name));
}

/// A point on the way, where no angle and no rate is 0.
Point point_on_the_way(const CompiledModel& model) {
    Point point = simulation::initialize(model, 0.0);
    for (std::size_t i = 0; i < point.y.size(); ++i) {
        point.y[i] += 0.01 * static_cast<double>(1 + i % 7);
        point.yp[i] += 0.01 * static_cast<double>(1 + i % 5);
    }
    return point;
}

void count_operations(benchmark::State& state, const CompiledModel& model, const Chain& chain) {
    state.counters["operations_per_link"] =
        static_cast<double>(model.residual.instructions().size()) / static_cast<double>(chain.links);
    state.counters["unknowns"] = static_cast<double>(model.size());
    state.counters["states"] = static_cast<double>(model.state_count);
}

void chain_evaluation(benchmark::State& state) {
    const Chain chain = chain_of(state);
    const CompiledChain compiled(chain);
    const CompiledModel& model = compiled.model();
    const Point start = simulation::initialize(model, 0.0);
    const double first = acceleration(model, start, chain, 1);
    const auto known = first_acceleration(chain);
    // The condition of the mass matrix grows with the cube of the length, and what it makes of rounding with it.
    const double rounding = 1e-9 * std::max(1.0, std::pow(static_cast<double>(chain.links) / 50.0, 3));
    if (known && !(std::abs(first - *known) <= rounding)) {
        return state.SkipWithError(
            fmt::format("the first acceleration is {:.12g} in place of {:.12g}", first, *known).c_str());
    }
    simulation::Evaluator evaluator(model);
    const Point point = point_on_the_way(model);
    std::vector<double> out(model.size());
    for (auto _ : state) {
        benchmark::DoNotOptimize(evaluator.residual(0.0, point.y, point.yp, out));
        benchmark::ClobberMemory();
    }
    count_operations(state, model, chain);
    state.counters["first_acceleration"] = first;
    state.counters["last_acceleration"] = acceleration(model, start, chain, chain.links);
}

void chain_jacobian(benchmark::State& state) {
    const Chain chain = chain_of(state);
    const CompiledChain compiled(chain);
    const CompiledModel& model = compiled.model();
    simulation::Evaluator evaluator(model);
    const Point point = point_on_the_way(model);
    std::vector<double> entries(model.pattern.columns.size());
    constexpr double kLeading = 1e3;  // of the integration formula, at steps of some milliseconds
    for (auto _ : state) {
        benchmark::DoNotOptimize(evaluator.jacobian(0.0, point.y, point.yp, 1.0, kLeading, entries));
        benchmark::ClobberMemory();
    }
    state.counters["colours"] = model.colouring.count;
    state.counters["entries_per_link"] = static_cast<double>(entries.size()) / static_cast<double>(chain.links);
}

void chain_compilation(benchmark::State& state) {
    const Chain chain = chain_of(state);
    const TemporaryFile file("chain.yaml", to_yaml(chain));
    for (auto _ : state) {
        Stopwatch watch;
        const Pipeline pipeline(file.path());
        state.SetIterationTime(watch.lap());
        state.counters["1_yaml_ms"] = 1e3 * pipeline.seconds().yaml;
        state.counters["2_flatten_ms"] = 1e3 * pipeline.seconds().flatten;
        state.counters["3_causality_ms"] = 1e3 * pipeline.seconds().causality;
        state.counters["4_sort_ms"] = 1e3 * pipeline.seconds().sort;
        state.counters["5_compile_ms"] = 1e3 * pipeline.seconds().compile;
        count_operations(state, pipeline.compiled(), chain);
    }
}

Settings settings_of(const Chain& chain, bool energy) {
    return {.stop = chain.stop, .tolerance = chain.tolerance, .interval = chain.stop, .energy = energy};
}

/// Processor time of one step in the middle of a run: what a run of many steps takes more than one of few.
double seconds_per_step(const CompiledModel& model, const Chain& chain, bool energy, Run& last) {
    constexpr std::size_t kFew = 50;
    constexpr std::size_t kMany = 450;
    Settings settings = settings_of(chain, energy);
    settings.max_steps = kFew;
    Stopwatch watch;
    const Run few = simulation::simulate(model, settings, {});
    const double start = watch.lap();
    settings.max_steps = kMany;
    last = simulation::simulate(model, settings, {});
    const double all = watch.lap();
    return (all - start) / static_cast<double>(last.summary.steps - few.summary.steps);
}

void chain_step(benchmark::State& state) {
    const Chain chain = chain_of(state);
    const bool energy = state.range(2) != 0;
    const CompiledChain compiled(chain);
    for (auto _ : state) {
        Run run;
        state.SetIterationTime(seconds_per_step(compiled.model(), chain, energy, run));
        const auto steps = static_cast<double>(run.summary.steps);
        state.counters["residuals_per_step"] = static_cast<double>(run.summary.residual_evaluations) / steps;
        state.counters["jacobians_per_step"] = static_cast<double>(run.summary.jacobian_evaluations) / steps;
    }
}

/// The exponent p of cost ~ N^p, by least squares over the logarithms.
double fitted_exponent(std::span<const std::size_t> sizes, std::span<const double> costs) {
    double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
    const auto n = static_cast<double>(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const double x = std::log(static_cast<double>(sizes[i]));
        const double y = std::log(costs[i]);
        sx += x;
        sy += y;
        sxx += x * x;
        sxy += x * y;
    }
    return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

void chain_step_growth(benchmark::State& state) {
    constexpr std::array<std::size_t, 3> kSizes{50, 100, 200};
    constexpr int kTurns = 3;  // the least of them counts
    const auto joint = state.range(0) != 0 ? Chain::Joint::ball : Chain::Joint::pin;
    for (auto _ : state) {
        std::array<double, kSizes.size()> costs{};
        costs.fill(std::numeric_limits<double>::infinity());
        for (std::size_t k = 0; k < kSizes.size(); ++k) {
            const Chain chain{.joint = joint, .links = kSizes[k]};
            const CompiledChain compiled(chain);
            Run run;
            for (int turn = 0; turn < kTurns; ++turn)
                costs[k] = std::min(costs[k], seconds_per_step(compiled.model(), chain, false, run));
        }
        state.counters["exponent"] = fitted_exponent(kSizes, costs);
        state.SetIterationTime(costs.back());
    }
}

std::vector<simulation::Signal> signals_of(const CompiledModel& model, const std::vector<std::string>& names) {
    std::vector<simulation::Signal> signals;
    model::NameLookup lookup(model.graph());
    for (const std::string& name : names) {
        auto signal = simulation::find_signal(lookup, name);
        if (!signal) throw std::runtime_error(fmt::format("there is no signal {}", name));
        signals.push_back(*std::move(signal));
    }
    return signals;
}

/// x, v, w and R of every link, in this order; the end of the chain last.
std::vector<std::string> names_of_motion(const Chain& chain) {
    std::vector<std::string> names;
    for (std::size_t k = 1; k <= chain.links; ++k) {
        for (const char quantity : {'x', 'v', 'w'}) {
            for (int i = 1; i <= 3; ++i) names.push_back(fmt::format("l{}.frame_a.{}[{}]", k, quantity, i));
        }
        for (int i = 1; i <= 3; ++i) {
            for (int j = 1; j <= 3; ++j) names.push_back(fmt::format("l{}.frame_a.R[{},{}]", k, i, j));
        }
    }
    for (int i = 1; i <= 3; ++i) names.push_back(fmt::format("l{}.frame_b.x[{}]", chain.links, i));
    return names;
}

/// Kinetic and potential energy of one link from its 18 signals.
double energy_of_link(const double* motion) {
    const double *x = motion, *v = motion + 3, *w = motion + 6, *R = motion + 9;
    // In the link, w × r of the centre at r = (L/2, 0, 0) is (0, w3, −w2) L/2; its rows of R turn it into the world.
    constexpr double kHalf = Chain::kLength / 2;
    double speed2 = 0.0;
    for (int i = 0; i < 3; ++i) {
        const double vi = v[i] + kHalf * (w[2] * R[3 + i] - w[1] * R[6 + i]);
        speed2 += vi * vi;
    }
    const double turning = Chain::kAlong * w[0] * w[0] + Chain::kAcross * (w[1] * w[1] + w[2] * w[2]);
    return 0.5 * (Chain::kMass * speed2 + turning) + Chain::kMass * Chain::kGravity * (x[1] + kHalf * R[1]);
}

double energy_at(const Run& run, std::size_t row, const Chain& chain) {
    constexpr std::size_t kPerLink = 18;
    double energy = 0.0;
    for (std::size_t k = 0; k < chain.links; ++k)
        energy += energy_of_link(&run.result.data[row * run.result.signals.size() + k * kPerLink]);
    return energy;
}

Position tip_of(const Run& run) {
    const std::size_t n = run.result.signals.size();
    const std::size_t last = run.result.time.size() - 1;
    return {run.result.at(last, n - 3), run.result.at(last, n - 2), run.result.at(last, n - 1)};
}

/// The end of the chain early in its motion, before chaos sets in.
Position early_tip(const CompiledModel& model, const Chain& chain, double time, double tolerance) {
    Chain early = chain;
    early.stop = time;
    early.tolerance = tolerance;
    const auto signals = signals_of(model, names_of_motion(chain));
    const Run run = simulation::simulate(model, settings_of(early, false), signals);
    if (run.summary.failure) throw std::runtime_error(run.summary.failure->message);
    return tip_of(run);
}

void count_run(benchmark::State& state, const Run& run, const Chain& chain) {
    state.counters["steps"] = static_cast<double>(run.summary.steps);
    state.counters["evaluations"] = static_cast<double>(run.summary.residual_evaluations);
    state.counters["jacobians"] = static_cast<double>(run.summary.jacobian_evaluations);
    state.counters["convergence_failures"] = static_cast<double>(run.summary.convergence_failures);
    state.counters["error_failures"] = static_cast<double>(run.summary.error_test_failures);
    state.counters["energy_drift"] = energy_at(run, run.result.time.size() - 1, chain) - energy_at(run, 0, chain);
}

void simulate_chain(benchmark::State& state, const Chain& chain, bool energy) {
    const CompiledChain compiled(chain);
    const CompiledModel& model = compiled.model();
    const auto signals = signals_of(model, names_of_motion(chain));
    for (auto _ : state) {
        Stopwatch watch;
        const Run run = simulation::simulate(model, settings_of(chain, energy), signals);
        state.SetIterationTime(watch.lap());
        if (run.summary.failure) return state.SkipWithError(run.summary.failure->message.c_str());
        count_run(state, run, chain);
    }
    if (energy) return;
    double error = 0.0;
    Position exact{};
    for (const double time : kEarly) {
        exact = early_tip(model, chain, time, 1e-10);
        error = std::max(error, distance(exact, early_tip(model, chain, time, chain.tolerance)));
    }
    if (const auto known = known_tip(chain, kEarly.back()); known && !(distance(*known, exact) <= 1e-7)) {
        return state.SkipWithError("the end of the chain is not where it should be");
    }
    state.counters["error"] = error;
    for (const std::size_t i : {0, 1, 2}) state.counters[std::string("tip_") + "xyz"[i]] = exact[i];
}

void chain_simulation(benchmark::State& state) { simulate_chain(state, chain_of(state), false); }
void chain_simulation_with_energy(benchmark::State& state) { simulate_chain(state, chain_of(state), true); }

/// At a tolerance smaller by a factor, given in tenths, for comparisons at equal error.
void chain_simulation_finer(benchmark::State& state) {
    Chain chain = chain_of(state);
    chain.tolerance /= static_cast<double>(state.range(2)) / 10.0;
    simulate_chain(state, chain, false);
}

/// How far from trusted figures a run at tolerance 1e-9 ends.
void chain_accuracy(benchmark::State& state) {
    const Chain chain = chain_of(state);
    const CompiledChain compiled(chain);
    for (auto _ : state) {
        for (const double time : {1.0, 2.0, 5.0, 10.0}) {
            const auto known = known_tip(chain, time);
            if (!known) continue;
            const double error = distance(*known, early_tip(compiled.model(), chain, time, 1e-9));
            state.counters[fmt::format("error_at_{}s", time)] = error;
        }
    }
}

#define BONDGRAPH_CHAINS(name, ...) BENCHMARK(name)->ArgNames({"ball", "links"})->ArgsProduct({{0, 1}, {__VA_ARGS__}})
BONDGRAPH_CHAINS(chain_evaluation, 1, 5, 10, 20, 50, 100, 200)->Unit(benchmark::kMicrosecond);
BONDGRAPH_CHAINS(chain_jacobian, 1, 5, 10, 20, 50, 100, 200)->Unit(benchmark::kMicrosecond);
BONDGRAPH_CHAINS(chain_compilation, 1, 6, 20, 50, 100, 200)
    ->Iterations(3)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BONDGRAPH_CHAINS(chain_simulation, 1, 2, 5, 10, 20)->Iterations(1)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(chain_simulation_finer)
    ->ArgNames({"ball", "links", "finer"})
    ->ArgsProduct({{0, 1}, {1, 2, 5, 10, 20}, {13, 16, 20, 25, 32, 40, 80, 160}})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BONDGRAPH_CHAINS(chain_simulation_with_energy, 1, 2, 5, 10, 20)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
BONDGRAPH_CHAINS(chain_accuracy, 1, 2)->Iterations(1)->Unit(benchmark::kMillisecond);
BENCHMARK(chain_step)
    ->ArgNames({"ball", "links", "energy"})
    ->ArgsProduct({{0, 1}, {1, 5, 10, 20, 50, 100, 200}, {0, 1}})
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);
BENCHMARK(chain_step_growth)
    ->ArgName("ball")
    ->Arg(0)
    ->Arg(1)
    ->Iterations(1)
    ->UseManualTime()
    ->Unit(benchmark::kMicrosecond);

}  // namespace

}  // namespace bondgraph::bench
