// Growth of the structural algorithms: each between 10 000 and 100 000 equations, with the exponent of the time as
// measured ("exponent" of the larger size; 1 is linear).

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "bench/pipeline.hpp"
#include "bondgraph/structure/block_triangular.hpp"
#include "bondgraph/structure/index_reduction.hpp"
#include "bondgraph/structure/integer_linear.hpp"
#include "bondgraph/structure/tearing.hpp"

namespace bondgraph::bench {

namespace {

using structure::Incidence;

/// Every row has its own column and three near ones: blocks of all sizes, no band that orders itself.
Incidence square_pattern(std::size_t n) {
    std::mt19937 random(1);
    Incidence rows;
    std::vector<std::uint32_t> own(n);
    for (std::uint32_t i = 0; i < n; ++i) own[i] = i;
    std::ranges::shuffle(own, random);
    for (std::size_t i = 0; i < n; ++i) {
        std::vector<std::uint32_t> row{own[i]};
        for (int k = 0; k < 3; ++k) row.push_back(static_cast<std::uint32_t>((i + random() % 50) % n));
        std::ranges::sort(row);
        row.erase(std::unique(row.begin(), row.end()), row.end());
        rows.add_row(row);
    }
    return rows;
}

/// A chain of pendulums, each hanging on the one before: per link x' = w, y' = z, m w' and m z' with the forces T of
/// this and the next rod, and the rod's length. Per link columns x, y, w, z, T, x', y', w', z'.
struct Chain {
    Incidence rows;
    std::vector<std::uint32_t> derivative_of;
};

Chain pendulum_chain(std::size_t equations) {
    Chain chain;
    const auto links = static_cast<std::uint32_t>(equations / 5);
    const auto at = [](std::uint32_t link, std::uint32_t k) { return 9 * link + k; };
    for (std::uint32_t i = 0; i < links; ++i) {
        for (const std::uint32_t k : {5U, 6U, 7U, 8U}) chain.derivative_of.push_back(at(i, k));
        chain.derivative_of.insert(chain.derivative_of.end(), 5, kNone);
        std::vector<std::uint32_t> wx{at(i, 7), at(i, 4), at(i, 0)};
        std::vector<std::uint32_t> wy{at(i, 8), at(i, 4), at(i, 1)};
        std::vector<std::uint32_t> rod{at(i, 0), at(i, 1)};
        if (i > 0) rod.insert(rod.end(), {at(i - 1, 0), at(i - 1, 1)});
        if (i + 1 < links) {
            wx.insert(wx.end(), {at(i + 1, 4), at(i + 1, 0)});
            wy.insert(wy.end(), {at(i + 1, 4), at(i + 1, 1)});
        }
        for (const auto& row : {std::vector<std::uint32_t>{at(i, 5), at(i, 2)}, {at(i, 6), at(i, 3)}, wx, wy, rod})
            chain.rows.add_row(row);
    }
    return chain;
}

/// A ladder of junctions: per section two unknowns, a sum and an alias.
std::vector<structure::IntegerEquation> ladder_equations(std::size_t n) {
    std::vector<structure::IntegerEquation> equations;
    for (std::uint32_t i = 0; i < n / 2; ++i) {
        structure::IntegerEquation sum{{{2 * i, 1}, {2 * i + 1, -1}}, {{i, 1}}};
        if (i > 0) sum.unknowns.emplace_back(2 * i - 1, 1);
        equations.push_back(std::move(sum));
        structure::IntegerEquation alias{{{2 * i + 1, 1}}, {{i, -2}}};
        if (2 * i + 2 < n) alias.unknowns.emplace_back(2 * i + 2, -1);
        equations.push_back(std::move(alias));
    }
    return equations;
}

/// Runs `work` on the benchmark's size and sets the exponent against a tenth of it.
template <class Make, class Work>
void measure(benchmark::State& state, Make make, Work work) {
    const auto once = [&](std::size_t n) {
        const auto input = make(n);
        double best = 1e300;
        for (int k = 0; k < 3; ++k) {
            Stopwatch watch;
            work(input);
            best = std::min(best, watch.lap());
        }
        return best;
    };
    const auto n = static_cast<std::size_t>(state.range(0));
    const auto input = make(n);
    for (auto _ : state) work(input);
    state.counters["exponent"] = std::log10(once(n) / once(n / 10));
}

void matching(benchmark::State& state) {
    measure(state, square_pattern, [](const Incidence& rows) {
        benchmark::DoNotOptimize(structure::maximum_matching(rows, rows.rows()).row_of.data());
    });
}

void blocks(benchmark::State& state) {
    struct Input {
        Incidence rows;
        structure::Matching matching;
    };
    const auto make = [](std::size_t n) {
        Input input{square_pattern(n), {}};
        input.matching = structure::maximum_matching(input.rows, n);
        return input;
    };
    measure(state, make, [](const Input& input) {
        const auto order = structure::block_triangular(input.rows, input.rows.rows(), input.matching);
        benchmark::DoNotOptimize(order.rows.rows());
    });
}

void tearing(benchmark::State& state) {
    measure(state, square_pattern, [](const Incidence& graph) {
        std::vector<std::uint32_t> all(graph.rows());
        for (std::uint32_t i = 0; i < all.size(); ++i) all[i] = i;
        benchmark::DoNotOptimize(structure::tear(graph, all, {}, {}).torn.data());
    });
}

void index_reduction(benchmark::State& state) {
    measure(state, pendulum_chain, [](const Chain& chain) {
        benchmark::DoNotOptimize(structure::reduce_index(chain.rows, chain.derivative_of).rows.rows());
    });
}

void integer_elimination(benchmark::State& state) {
    measure(state, ladder_equations, [](const std::vector<structure::IntegerEquation>& equations) {
        benchmark::DoNotOptimize(structure::solve_integer_linear(equations, equations.size()).solved.data());
    });
}

BENCHMARK(matching)->Name("structure/matching")->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(blocks)->Name("structure/blocks")->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(tearing)->Name("structure/tearing")->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(index_reduction)->Name("structure/index_reduction")->Arg(100'000)->Unit(benchmark::kMillisecond);
BENCHMARK(integer_elimination)->Name("structure/integer_elimination")->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace

}  // namespace bondgraph::bench
