#pragma once

#include <cmath>
#include <type_traits>

#include "bondgraph/expression/operations.hpp"
#include "bondgraph/expression/tape.hpp"

/// What one instruction of a tape does: for the evaluators of tapes, where it has to be inlined.
namespace bondgraph::expression {

/// A result and its slope by each of the operands.
struct Sloped {
    double value = 0.0;
    std::array<double, 3> slopes{};
};

inline Sloped look_up(const Tape::Instruction& i, double x, double y, const Tables& tables) {
    if (i.op == Op::table1 || i.op == Op::table1_slope) {
        const Table1& table = tables.one[i.a];
        if (i.op == Op::table1_slope) return {table.slope(x)};
        return {table.value(x), {table.slope(x)}};
    }
    const Table2& table = tables.two[i.a];
    if (i.op == Op::table2_slope_x) return {table.slope_x(x, y)};
    if (i.op == Op::table2_slope_y) return {table.slope_y(x, y)};
    return {table.value(x, y), {table.slope_x(x, y), table.slope_y(x, y)}};
}

/// The value of an instruction on registers. What is frequent is here as well as in its row of operations.hpp: a call
/// for each would cost as much as the instruction, and so would one of this.
[[gnu::always_inline]] inline double execute(const Tape::Instruction& i, const double* w, const Tables& tables) {
    switch (i.op) {
        case Op::negate:
            return -w[i.a];
        case Op::add:
            return w[i.a] + w[i.b];
        case Op::subtract:
            return w[i.a] - w[i.b];
        case Op::multiply:
            return w[i.a] * w[i.b];
        case Op::divide:
            return w[i.a] / w[i.b];
        case Op::guarded_multiply:
            return w[i.a] == 0.0 ? 0.0 : w[i.a] * w[i.b];
        case Op::sqrt:
            return std::sqrt(w[i.a]);
        case Op::sin:
            return std::sin(w[i.a]);
        case Op::cos:
            return std::cos(w[i.a]);
        case Op::abs:
            return std::abs(w[i.a]);
        case Op::if_else:
            return w[i.a] != 0.0 ? w[i.b] : w[i.c];
        case Op::table1:
            return tables.one[i.a].value(w[i.b]);
        case Op::table2:
            return tables.two[i.a].value(w[i.b], w[i.c]);
        case Op::table1_slope:
        case Op::table2_slope_x:
        case Op::table2_slope_y:
            return look_up(i, w[i.b], w[i.c], tables).value;
        default:
            return operation(i.op).value(w[i.a], w[i.b]);
    }
}

/// The value and the slopes of an instruction on registers.
[[gnu::always_inline]] inline Sloped execute_sloped(const Tape::Instruction& i, const double* w, const Tables& tables) {
    switch (i.op) {
        case Op::negate:
            return {-w[i.a], {-1.0}};
        case Op::add:
            return {w[i.a] + w[i.b], {1.0, 1.0}};
        case Op::subtract:
            return {w[i.a] - w[i.b], {1.0, -1.0}};
        case Op::multiply:
            return {w[i.a] * w[i.b], {w[i.b], w[i.a]}};
        case Op::divide: {
            const double value = w[i.a] / w[i.b];
            return {value, {1.0 / w[i.b], -(value / w[i.b])}};
        }
        case Op::guarded_multiply:
            return {w[i.a] == 0.0 ? 0.0 : w[i.a] * w[i.b], {w[i.b], w[i.a]}};
        case Op::if_else: {
            const bool taken = w[i.a] != 0.0;
            return {taken ? w[i.b] : w[i.c], {0.0, taken ? 1.0 : 0.0, taken ? 0.0 : 1.0}};
        }
        case Op::table1:
        case Op::table1_slope:
        case Op::table2:
        case Op::table2_slope_x:
        case Op::table2_slope_y:
            return look_up(i, w[i.b], w[i.c], tables);
        default: {
            const Operation& row = operation(i.op);
            Sloped result{row.value(w[i.a], w[i.b])};
            if (row.slopes == nullptr) return result;
            const std::array<double, 2> slopes = row.slopes(w[i.a], w[i.b], result.value);
            result.slopes = {slopes[0], slopes[1]};
            return result;
        }
    }
}

/// The same on jets, along whose directions the registers move.
template <int K>
[[gnu::always_inline]] inline Jet<K> execute(const Tape::Instruction& i, const Jet<K>* w, const Tables& tables) {
    switch (i.op) {
        case Op::negate:
            return -w[i.a];
        case Op::add:
            return w[i.a] + w[i.b];
        case Op::subtract:
            return w[i.a] - w[i.b];
        case Op::multiply:
            return w[i.a] * w[i.b];
        case Op::divide:
            return w[i.a] / w[i.b];
        case Op::if_else:
            return w[i.a].v != 0.0 ? w[i.b] : w[i.c];
        case Op::table1:
        case Op::table1_slope:
        case Op::table2:
        case Op::table2_slope_x:
        case Op::table2_slope_y: {
            const Sloped result = look_up(i, w[i.b].v, w[i.c].v, tables);
            return chain(result.value, w[i.b], result.slopes[0], w[i.c], result.slopes[1]);
        }
        default: {
            const Operation& row = operation(i.op);
            const double value = row.value(w[i.a].v, w[i.b].v);
            if (row.slopes == nullptr) return value;
            const std::array<double, 2> slopes = row.slopes(w[i.a].v, w[i.b].v, value);
            return chain(value, w[i.a], slopes[0], w[i.b], slopes[1]);
        }
    }
}

}  // namespace bondgraph::expression
