#pragma once

#include <cmath>
#include <type_traits>

#include "bondgraph/expression/tape.hpp"

/// What one instruction of a tape does: for the evaluators of tapes, where it has to be inlined.
namespace bondgraph::expression {

inline bool is_one_dimensional(Op op) { return op == Op::table1 || op == Op::table1_slope; }

inline double value_of(double x) { return x; }
template <int K>
double value_of(const Jet<K>& x) {
    return x.v;
}

inline double guarded_multiply(double a, double b) { return a == 0.0 ? 0.0 : a * b; }

/// The operations that differ from number to jet and are not hot enough to have a case in execute().
inline double evaluate_other(Op op, double a, double b) { return evaluate_op(op, a, b); }

template <int K>
Jet<K> evaluate_other(Op op, const Jet<K>& a, const Jet<K>& b) {
    switch (op) {
        case Op::log:
            return log(a);
        case Op::log10:
            return log10(a);
        case Op::tan:
            return tan(a);
        case Op::asin:
            return asin(a);
        case Op::acos:
            return acos(a);
        case Op::atan:
            return atan(a);
        case Op::sinh:
            return sinh(a);
        case Op::cosh:
            return cosh(a);
        case Op::tanh:
            return tanh(a);
        case Op::power:
            return pow(a, b);
        case Op::atan2:
            return atan2(a, b);
        case Op::min:
            return min(a, b);
        case Op::max:
            return max(a, b);
        default:
            return evaluate_op(op, a.v, b.v);  // piecewise constant: relations, logic, sign, floor, ceil
    }
}

inline double from_slopes(double value, double, double) { return value; }
inline double from_slopes(double value, double, double, double, double) { return value; }
template <int K>
Jet<K> from_slopes(double value, const Jet<K>& x, double slope) {
    return chain(value, x, slope);
}
template <int K>
Jet<K> from_slopes(double value, const Jet<K>& x, double slope_x, const Jet<K>& y, double slope_y) {
    return chain(value, x, slope_x, y, slope_y);
}

template <class T>
T look_up(const Tape::Instruction& i, const T& x, const T& y, const Tables& tables) {
    constexpr bool with_slopes = !std::is_same_v<T, double>;
    const double vx = value_of(x);
    const double vy = value_of(y);
    if (is_one_dimensional(i.op)) {
        const Table1& table = tables.one[i.a];
        if (i.op == Op::table1_slope) return table.slope(vx);
        return from_slopes(table.value(vx), x, with_slopes ? table.slope(vx) : 0.0);
    }
    const Table2& table = tables.two[i.a];
    if (i.op == Op::table2_slope_x) return table.slope_x(vx, vy);
    if (i.op == Op::table2_slope_y) return table.slope_y(vx, vy);
    return from_slopes(table.value(vx, vy), x, with_slopes ? table.slope_x(vx, vy) : 0.0, y,
                       with_slopes ? table.slope_y(vx, vy) : 0.0);
}

/// Inlined into every loop over instructions: a call for each would cost as much as the instruction.
template <class T>
[[gnu::always_inline]] inline T execute(const Tape::Instruction& i, const T* w, const Tables& tables) {
    using std::abs, std::cos, std::exp, std::sin, std::sqrt;
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
            return guarded_multiply(w[i.a], w[i.b]);
        case Op::sqrt:
            return sqrt(w[i.a]);
        case Op::exp:
            return exp(w[i.a]);
        case Op::sin:
            return sin(w[i.a]);
        case Op::cos:
            return cos(w[i.a]);
        case Op::abs:
            return abs(w[i.a]);
        case Op::if_else:
            return value_of(w[i.a]) != 0.0 ? w[i.b] : w[i.c];
        case Op::table1:
        case Op::table1_slope:
        case Op::table2:
        case Op::table2_slope_x:
        case Op::table2_slope_y:
            return look_up(i, w[i.b], w[i.c], tables);
        default:
            return evaluate_other(i.op, w[i.a], w[i.b]);
    }
}

}  // namespace bondgraph::expression
