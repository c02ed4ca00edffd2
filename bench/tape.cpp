#include "bondgraph/expression/tape.hpp"

#include <benchmark/benchmark.h>

#include <memory>
#include <vector>

#include "bench/ladder.hpp"
#include "bench/pipeline.hpp"
#include "bondgraph/expression/jet.hpp"

namespace bondgraph::bench {

namespace {

using expression::Expr;
using expression::Jet;
using expression::Tape;

/// The residual of a ladder as the simulator evaluates it: additions, subtractions and multiplications by constants.
Tape ladder_tape() {
    const TemporaryFile file("tape.yaml", to_yaml({.sections = 1000}));
    return Pipeline(file.path()).compiled().residual;
}

/// Of every 16 operations three are elementary functions and one is a division, as in the equations of a mechanism.
Tape elementary_function_tape() {
    constexpr std::uint32_t kVariables = 500;
    expression::Graph graph;
    std::vector<Expr> outputs;
    expression::InputLayout layout;
    for (std::uint32_t i = 0; i < kVariables; ++i) {
        const Expr x = graph.variable(i);
        const Expr y = graph.variable((i + 1) % kVariables);
        outputs.push_back((sin(x) * y + cos(y) * x - 2.0 * x * y) / (1.0 + x * x) + exp(-y) * (x - y));
        layout.variable.push_back(i);
    }
    layout.size = kVariables;
    return {graph, outputs, layout};
}

template <class T>
void evaluate(benchmark::State& state, const Tape& tape) {
    std::vector<T> inputs(tape.input_count());
    for (std::size_t i = 0; i < inputs.size(); ++i) inputs[i] = T(0.5 + 0.001 * static_cast<double>(i % 997));
    std::vector<T> outputs(tape.output_count());
    std::vector<T> workspace = tape.make_workspace<T>();
    for (auto _ : state) {
        tape.evaluate<T>(inputs, outputs, workspace);
        benchmark::DoNotOptimize(outputs.data());
        benchmark::ClobberMemory();
    }
    const auto operations = static_cast<double>(tape.instructions().size());
    state.counters["operations"] = operations;
    state.counters["per_operation"] =
        benchmark::Counter(operations, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <class T>
void tape_ladder(benchmark::State& state) {
    evaluate<T>(state, ladder_tape());
}

template <class T>
void tape_elementary_functions(benchmark::State& state) {
    evaluate<T>(state, elementary_function_tape());
}

BENCHMARK(tape_ladder<double>)->Unit(benchmark::kMicrosecond);
BENCHMARK(tape_ladder<Jet<4>>)->Unit(benchmark::kMicrosecond);
BENCHMARK(tape_elementary_functions<double>)->Unit(benchmark::kMicrosecond);
BENCHMARK(tape_elementary_functions<Jet<4>>)->Unit(benchmark::kMicrosecond);

}  // namespace

}  // namespace bondgraph::bench
