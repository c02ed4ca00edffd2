#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <span>
#include <vector>

#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/expression/tape.hpp"

namespace bondgraph::expression {

/// Inputs in the order [time | n variables | n derivatives].
inline InputLayout layout_for(std::uint32_t n) {
    InputLayout layout;
    layout.time = 0;
    for (std::uint32_t i = 0; i < n; ++i) {
        layout.variable.push_back(1 + i);
        layout.derivative.push_back(1 + n + i);
    }
    layout.size = 1 + 2 * n;
    return layout;
}

/// The values of expressions at a point given in the order of layout_for((inputs − 1) / 2).
template <class T>
std::vector<T> evaluate(Graph& graph, std::span<const Expr> outputs, const std::vector<T>& inputs) {
    const Tape tape(graph, outputs, layout_for(static_cast<std::uint32_t>((inputs.size() - 1) / 2)));
    std::vector<T> workspace = tape.make_workspace<T>();
    std::vector<T> result(outputs.size());
    tape.evaluate<T>(inputs, result, workspace);
    return result;
}

template <class T>
T evaluate(Graph& graph, Expr output, const std::vector<T>& inputs) {
    return evaluate<T>(graph, std::span<const Expr>(&output, 1), inputs)[0];
}

/// The derivative of all outputs along one direction, by dual numbers.
inline std::vector<double> by_dual_numbers(const Tape& tape, const std::vector<double>& inputs,
                                           const std::vector<double>& speeds) {
    std::vector<Jet<1>> in(inputs.begin(), inputs.end());
    for (std::size_t i = 0; i < in.size(); ++i) in[i].d[0] = speeds[i];
    auto work = tape.make_workspace<Jet<1>>();
    std::vector<Jet<1>> out(tape.output_count());
    tape.evaluate<Jet<1>>(in, out, work);
    std::vector<double> result;
    for (const auto& jet : out) result.push_back(jet.d[0]);
    return result;
}

/// Equal up to `ulps` roundings of a result of size `scale`; NaN equals NaN, infinities only themselves.
inline bool agree(double a, double b, double scale = 0.0, double ulps = 64.0) {
    if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b);
    if (a == b) return true;
    if (std::isinf(a) || std::isinf(b)) return false;
    const double size = std::max({std::abs(a), std::abs(b), scale});
    return std::abs(a - b) <= ulps * std::numeric_limits<double>::epsilon() * size;
}

inline std::vector<Op> all_unary_operations() {
    std::vector<Op> result;
    for (int op = static_cast<int>(Op::negate); op < static_cast<int>(Op::add); ++op) {
        result.push_back(static_cast<Op>(op));
    }
    return result;
}

inline std::vector<Op> all_binary_operations() {
    std::vector<Op> result;
    for (int op = static_cast<int>(Op::add); op < static_cast<int>(Op::if_else); ++op) {
        result.push_back(static_cast<Op>(op));
    }
    return result;
}

/// A smooth expression of the variables 0 … n−1 and time with many shared parts, finite everywhere.
inline std::vector<Expr> random_expressions(Graph& graph, std::uint32_t n, int operations, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<Expr> pool{graph.time()};
    for (std::uint32_t i = 0; i < n; ++i) pool.push_back(graph.variable(i));
    const auto pick = [&] { return pool[random() % pool.size()]; };
    for (int i = 0; i < operations; ++i) {
        const Expr a = pick();
        const Expr b = pick();
        const Expr c = pick();
        switch (random() % 9) {
            case 0:
                pool.push_back(a + b);
                break;
            case 1:
                pool.push_back(a - b);
                break;
            case 2:
                pool.push_back(sin(a) * b);
                break;
            case 3:
                pool.push_back(a / (1.5 + cos(b)));
                break;
            case 4:
                pool.push_back(exp(-abs(a)));
                break;
            case 5:
                pool.push_back(if_else(apply(Op::less, a, b), c, 0.5 * b));
                break;
            case 6:
                pool.push_back(min(max(a, b), 2.0 + c));
                break;
            case 7:
                pool.push_back(apply(Op::tanh, a) * apply(Op::atan, b));
                break;
            default:
                pool.push_back(pow(1.0 + a * a, 0.3));
                break;
        }
    }
    return {pool.end() - std::min<std::ptrdiff_t>(8, static_cast<std::ptrdiff_t>(pool.size())), pool.end()};
}

inline std::vector<double> random_inputs(std::uint32_t n, unsigned seed) {
    std::mt19937 random(seed);
    std::uniform_real_distribution<double> uniform(-1.5, 1.5);
    std::vector<double> result(1 + 2 * n);
    for (double& value : result) value = uniform(random);
    return result;
}

}  // namespace bondgraph::expression
