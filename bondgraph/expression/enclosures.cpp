#include "bondgraph/expression/enclosures.hpp"

#include "bondgraph/expression/interval.hpp"
#include "bondgraph/expression/operations.hpp"
#include "bondgraph/expression/smooth_tables.hpp"

namespace bondgraph::expression {
namespace {

constexpr Interval kAll = Interval::all();

/// f(a) with what is known of f, f' and f'' over the values of a. Here and below: without `bends` these stay 0, which
/// saves half the work.
template <bool bends>
Enclosure chain(Interval value, Interval slope, Interval bend, const Enclosure& a, double middle) {
    return {value, slope * a.slope, bends ? bend * square(a.slope) + slope * a.bend : Interval{}, middle};
}

/// A value somewhere in the bounds of which nothing else is known.
Enclosure unknown(Interval value, double middle) { return {value, kAll, kAll, middle}; }

/// Constant while it has one value, with jumps otherwise.
Enclosure steps(double low, double high, double middle) {
    return low == high ? Enclosure::constant(low) : unknown({low, high}, middle);
}

bool is_constant(const Enclosure& a) { return a.slope.is_zero(); }

template <bool bends>
Enclosure product(const Enclosure& a, const Enclosure& b) {
    const Interval bend = bends ? a.bend * b.value + 2.0 * (a.slope * b.slope) + a.value * b.bend : Interval{};
    return {a.value * b.value, a.slope * b.value + a.value * b.slope, bend, a.middle * b.middle};
}

template <bool bends>
Enclosure inverse(const Enclosure& a) {
    const Interval r = reciprocal(a.value);
    if (a.value.contains(0.0)) return unknown(kAll, 1.0 / a.middle);
    const Interval s = square(r);
    return chain<bends>(r, -s, 2.0 * (s * r), a, 1.0 / a.middle);
}

template <bool bends>
Enclosure quotient(const Enclosure& a, const Enclosure& b) {
    Enclosure q = product<bends>(a, inverse<bends>(b));
    q.middle = a.middle / b.middle;
    return q;
}

// One of two, whichever: what is true of both.
Enclosure either(const Enclosure& a, const Enclosure& b, double middle) {
    return {hull(a.value, b.value), hull(a.slope, b.slope), kAll, middle};
}

Enclosure smaller(const Enclosure& a, const Enclosure& b) {
    if (a.value.high <= b.value.low) return a;
    if (b.value.high < a.value.low) return b;
    Enclosure e = either(a, b, evaluate_op(Op::min, a.middle, b.middle));
    e.value.high = std::min(a.value.high, b.value.high);
    return e;
}

Enclosure negative(const Enclosure& a) { return {-a.value, -a.slope, -a.bend, -a.middle}; }

Enclosure magnitude(const Enclosure& a) {
    if (a.value.low >= 0.0) return a;
    if (a.value.high <= 0.0) return negative(a);
    Enclosure e = either(a, negative(a), std::abs(a.middle));
    e.value = {0.0, a.value.largest()};
    return e;
}

template <bool bends>
Enclosure power(const Enclosure& a, const Enclosure& b, double middle) {
    if (is_constant(b) && b.value.low == b.value.high) {
        const double n = b.value.low;
        const bool whole = n == std::floor(n) && std::abs(n) < 1e9;
        if (whole && (n >= 0.0 || !a.value.contains(0.0))) {
            const Interval slope = n == 0.0 ? Interval{} : n * integer_power(a.value, n - 1.0);
            const Interval bend = n == 0.0 || n == 1.0 ? Interval{} : n * (n - 1.0) * integer_power(a.value, n - 2.0);
            return chain<bends>(integer_power(a.value, n), slope, bend, a, middle);
        }
    }
    if (!(a.value.low > 0.0)) return unknown(a.value.low >= 0.0 ? Interval{0.0, kAll.high} : kAll, middle);
    const Interval log = growing(a.value, [](double x) { return std::log(x); });
    const Interval r = reciprocal(a.value);
    const Enclosure exponent = product<bends>(b, chain<bends>(log, r, -square(r), a, std::log(a.middle)));
    const Interval e = growing(exponent.value, [](double x) { return std::exp(x); });
    return chain<bends>(e, e, e, exponent, middle);
}

Enclosure angle(const Enclosure& y, const Enclosure& x, double middle) {
    const Interval all{-std::numbers::pi, std::numbers::pi};
    // Behind the origin it jumps from pi to -pi.
    if (x.value.low <= 0.0 && y.value.contains(0.0)) return unknown(all, middle);
    const Interval slope = (x.value * y.slope - y.value * x.slope) * reciprocal(square(x.value) + square(y.value));
    return {all, slope, slope.is_zero() ? Interval{} : kAll, middle};
}

/// A function of which the bounds are known, or nothing.
template <bool bends>
Enclosure function(Op op, const Enclosure& a, double middle) {
    const auto bounds_of = operation(op).bounds;
    if (bounds_of == nullptr) return unknown(kAll, middle);
    const Bounds b = bounds_of(a.value);
    if (std::isnan(b.value.low)) return Enclosure::constant(middle);
    if (b.slope.width() == kAll.high) return unknown(b.value, middle);
    return chain<bends>(b.value, b.slope, b.bend, a, middle);
}

Enclosure relation(Op op, const Enclosure& a, const Enclosure& b) {
    const double middle = evaluate_op(op, a.middle, b.middle);
    const bool below = a.value.high < b.value.low;
    const bool above = a.value.low > b.value.high;
    const bool not_above = a.value.high <= b.value.low;
    const bool not_below = a.value.low >= b.value.high;
    const auto truth = [&](bool yes, bool no) { return steps(yes ? 1.0 : 0.0, no ? 0.0 : 1.0, middle); };
    const bool one_value = not_above && not_below;
    switch (op) {
        case Op::less:
            return truth(below, not_below);
        case Op::less_equal:
            return truth(not_above, above);
        case Op::greater:
            return truth(above, not_above);
        case Op::greater_equal:
            return truth(not_below, below);
        case Op::equal:
            return truth(one_value, below || above);
        default:
            return truth(below || above, one_value);
    }
}

Enclosure logic(Op op, const Enclosure& a, const Enclosure& b) {
    const auto yes = [](const Enclosure& e) { return !e.value.contains(0.0); };
    const auto no = [](const Enclosure& e) { return e.value.is_zero(); };
    const double middle = evaluate_op(op, a.middle, b.middle);
    if (op == Op::logical_not) return steps(no(a) ? 1.0 : 0.0, yes(a) ? 0.0 : 1.0, middle);
    if (op == Op::logical_and) return steps(yes(a) && yes(b) ? 1.0 : 0.0, no(a) || no(b) ? 0.0 : 1.0, middle);
    return steps(yes(a) || yes(b) ? 1.0 : 0.0, no(a) && no(b) ? 0.0 : 1.0, middle);
}

Enclosure rounding_function(Op op, const Enclosure& a, double middle) {
    return steps(evaluate_op(op, a.value.low), evaluate_op(op, a.value.high), middle);
}

/// The cells of a grid that an interval touches: [first, last].
std::pair<std::size_t, std::size_t> cells(const std::vector<double>& x, Interval a) {
    const auto cell = [&](double at) {
        const auto above = std::upper_bound(x.begin() + 1, x.end() - 1, at);
        return static_cast<std::size_t>(above - x.begin()) - 1;
    };
    // A point of the grid that only is the interval's end belongs to the cell inside.
    std::size_t last = cell(a.high);
    if (last > 0 && a.high == x[last] && a.low < a.high) --last;
    return {cell(a.low), std::max(last, cell(a.low))};
}

Interval slopes_of(const Table1& table, Interval a, std::size_t first, std::size_t last) {
    const auto slope = [&](std::size_t k) { return (table.y[k + 1] - table.y[k]) / (table.x[k + 1] - table.x[k]); };
    Interval s{slope(first), slope(first)};
    for (std::size_t k = first + 1; k <= last; ++k) s = hull(s, {slope(k), slope(k)});
    if (table.extrapolation == Extrapolation::linear) return s;
    if (a.high <= table.x.front() || a.low >= table.x.back()) return {};
    if (a.low < table.x.front() || a.high > table.x.back()) return hull(s, {});
    return s;
}

/// Of polynomials each by its bounds, over the part of its interval that is touched.
template <bool bends>
Enclosure smooth_table(const Table1& table, const Enclosure& a) {
    const double middle = table.value(a.middle);
    if (a.value.width() == kAll.high) return unknown(kAll, middle);
    std::array<Interval, 3> known;  // value, slope, bend
    known.fill({kAll.high, kAll.low});
    const auto add = [&](std::size_t k, double low, double high) { known[k] = hull(known[k], {low, high}); };
    const auto [first, last] = cells(table.x, a.value);
    for (std::size_t k = first; k <= last; ++k) {
        const double low = std::max(a.value.low, table.x[k]);
        const double high = std::min(a.value.high, table.x[k + 1]);
        if (low > high) continue;
        const PolynomialBounds b = bounds(table.polynomials[k], low - table.x[k], high - table.x[k]);
        for (std::size_t d = 0; d < known.size(); ++d) add(d, b.low[d], b.high[d]);
    }
    const bool before = a.value.low < table.x.front();
    const bool behind = a.value.high > table.x.back();
    for (const double beyond : {a.value.low, a.value.high}) {
        if (beyond >= table.x.front() && beyond <= table.x.back()) continue;
        const double value = table.value(beyond);
        const double slope = table.slope(beyond);
        add(0, value, value);
        add(1, slope, slope);
        add(2, 0.0, 0.0);
    }
    const bool inside = a.value.high > table.x.front() && a.value.low < table.x.back();
    const bool past_an_end = inside && (before || behind);
    const auto outwards = [](Interval i) { return rounded(i.low, i.high); };
    const int between = past_an_end && table.extrapolation == Extrapolation::zero   ? -1
                        : past_an_end && table.extrapolation == Extrapolation::hold ? 0
                                                                                    : 1;
    const int continuous = first == last ? between : std::min(between, table.continuous);
    if (continuous < 0) return unknown(outwards(known[0]), middle);
    return chain<bends>(outwards(known[0]), outwards(known[1]), continuous < 1 ? kAll : outwards(known[2]), a, middle);
}

template <bool bends>
Enclosure table(const Table1& table, bool slope_only, const Enclosure& a) {
    if (a.undefined()) return a;
    if (!table.polynomials.empty()) return smooth_table<bends>(table, a);
    const double middle = slope_only ? table.slope(a.middle) : table.value(a.middle);
    if (a.value.width() == kAll.high) return unknown(kAll, middle);
    const auto [first, last] = cells(table.x, a.value);
    const Interval s = slopes_of(table, a.value, first, last);
    if (slope_only) return s.low == s.high ? Enclosure::constant(s.low) : unknown(s, middle);
    const double left = table.value(a.value.low);
    const double right = table.value(a.value.high);
    Interval value{std::min(left, right), std::max(left, right)};
    for (std::size_t k = first + 1; k <= last; ++k) value = hull(value, {table.y[k], table.y[k]});
    const bool straight = s.low == s.high;
    return chain<bends>(rounded(value.low, value.high), straight ? s : rounded(s.low, s.high),
                        straight ? Interval{} : kAll, a, middle);
}

template <bool bends>
Enclosure table(const Table2& t, Op op, const Enclosure& a, const Enclosure& b) {
    if (a.undefined() || b.undefined()) return a.undefined() ? a : b;
    const double middle = op == Op::table2           ? t.value(a.middle, b.middle)
                          : op == Op::table2_slope_x ? t.slope_x(a.middle, b.middle)
                                                     : t.slope_y(a.middle, b.middle);
    const auto [ax, bx] = cells(t.x, a.value);
    const auto [ay, by] = cells(t.y, b.value);
    Interval value = {kAll.high, kAll.low};
    Interval by_x{};
    Interval by_y{};
    const auto z = [&](std::size_t i, std::size_t j) { return t.z[i * t.y.size() + j]; };
    const auto widen = [](Interval& s, double x) { s = hull(s, {x, x}); };
    for (std::size_t i = ax; i <= bx + 1; ++i) {
        for (std::size_t j = ay; j <= by + 1; ++j) {
            widen(value, z(i, j));
            if (i <= bx) widen(by_x, (z(i + 1, j) - z(i, j)) / (t.x[i + 1] - t.x[i]));
            if (j <= by) widen(by_y, (z(i, j + 1) - z(i, j)) / (t.y[j + 1] - t.y[j]));
        }
    }
    if (op == Op::table2_slope_x) return unknown(by_x, middle);
    if (op == Op::table2_slope_y) return unknown(by_y, middle);
    const Interval slope = rounded(by_x.low, by_x.high) * a.slope + rounded(by_y.low, by_y.high) * b.slope;
    return {rounded(value.low, value.high), slope, slope.is_zero() ? Interval{} : kAll, middle};
}

template <bool bends>
Enclosure binary(Op op, const Enclosure& a, const Enclosure& b) {
    switch (op) {
        case Op::add:
            return {a.value + b.value, a.slope + b.slope, a.bend + b.bend, a.middle + b.middle};
        case Op::subtract:
            return {a.value - b.value, a.slope - b.slope, a.bend - b.bend, a.middle - b.middle};
        case Op::multiply:
        case Op::guarded_multiply:
            return product<bends>(a, b);
        case Op::divide:
            return quotient<bends>(a, b);
        case Op::power:
            return power<bends>(a, b, std::pow(a.middle, b.middle));
        case Op::atan2:
            return angle(a, b, std::atan2(a.middle, b.middle));
        case Op::min:
            return smaller(a, b);
        case Op::max:
            return negative(smaller(negative(a), negative(b)));
        case Op::logical_and:
        case Op::logical_or:
            return logic(op, a, b);
        case Op::random: {
            const double middle = evaluate_op(op, a.middle, b.middle);
            const bool one = a.value.low == a.value.high && b.value.low == b.value.high;
            return one ? Enclosure::constant(middle) : unknown({0.0, 1.0}, middle);
        }
        default:
            return is_relation(op) ? relation(op, a, b) : unknown(kAll, evaluate_op(op, a.middle, b.middle));
    }
}

template <bool bends>
Enclosure unary(Op op, const Enclosure& a) {
    const double middle = evaluate_op(op, a.middle);
    switch (op) {
        case Op::negate:
            return negative(a);
        case Op::abs:
            return magnitude(a);
        case Op::logical_not:
            return logic(op, a, a);
        case Op::sign:
        case Op::floor:
        case Op::ceil:
            return rounding_function(op, a, middle);
        default:
            return function<bends>(op, a, middle);
    }
}

Enclosure of_undefined(Op op, const Enclosure& a, const Enclosure& b) {
    constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
    if (is_relation(op)) return Enclosure::constant(evaluate_op(op, kNothing, kNothing));
    if (op == Op::guarded_multiply && !a.undefined() && a.value.contains(0.0))
        return a.value.is_zero() ? Enclosure::constant(0.0) : unknown(kAll, kNothing);
    // 1 to whatever power, and whatever to the power 0, is 1.
    const auto number = [](const Enclosure& e) { return e.value.low == e.value.high ? e.value.low : kNothing; };
    if (op == Op::power) return Enclosure::constant(std::pow(number(a), number(b)));
    const bool logical = op == Op::logical_and || op == Op::logical_or;
    const Enclosure& other = a.undefined() ? b : a;
    // What is no number is not 0 and counts as true.
    if (logical && !other.undefined()) return logic(op, Enclosure::constant(1.0), other);
    return logical || op == Op::logical_not ? Enclosure::constant(op == Op::logical_not ? 0.0 : 1.0)
                                            : Enclosure::constant(kNothing);
}

template <bool bends>
Enclosure execute(const Tape::Instruction& i, const std::vector<Enclosure>& r, const Tables& tables) {
    switch (i.op) {
        case Op::if_else: {
            const Enclosure& condition = r[i.a];
            if (condition.undefined()) return r[i.b];  // as evaluation does: not 0
            if (!condition.value.contains(0.0)) return r[i.b];
            if (condition.value.is_zero()) return r[i.c];
            const bool partly = r[i.b].undefined() || r[i.c].undefined();
            return unknown(partly ? kAll : hull(r[i.b].value, r[i.c].value),
                           condition.middle != 0.0 ? r[i.b].middle : r[i.c].middle);
        }
        case Op::table1:
        case Op::table1_slope:
            return table<bends>(tables.one[i.a], i.op == Op::table1_slope, r[i.b]);
        case Op::table2:
        case Op::table2_slope_x:
        case Op::table2_slope_y:
            return table<bends>(tables.two[i.a], i.op, r[i.b], r[i.c]);
        default:
            if (r[i.a].undefined() || r[i.b].undefined()) return of_undefined(i.op, r[i.a], r[i.b]);
            return operand_count(i.op) == 1 ? unary<bends>(i.op, r[i.a]) : binary<bends>(i.op, r[i.a], r[i.b]);
    }
}

/// Bounds of values by the value in the middle and what the slope allows from there.
void narrow(Enclosure& e, double half) {
    if (is_constant(e)) return;
    const double far = half * e.slope.largest();
    if (!std::isfinite(far) || !std::isfinite(e.middle)) return;
    const double low = e.middle - far;
    const double high = e.middle + far;
    const double rounding = 1e-15 * (std::abs(e.middle) + far);
    e.value.low = std::max(e.value.low, low - rounding);
    e.value.high = std::min(e.value.high, high + rounding);
}

}  // namespace

Enclosures::Enclosures(const Tape& tape) : tape_(&tape) {
    for (const double x : tape.make_workspace<double>()) registers_.push_back(Enclosure::constant(x));
}

void Enclosures::evaluate(double width, std::span<Enclosure> outputs, Bends bends) {
    if (bends == Bends::unknown) return run<false>(width, outputs);
    run<true>(width, outputs);
}

template <bool bends>
void Enclosures::run(double width, std::span<Enclosure> outputs) {
    for (const Tape::Instruction& i : tape_->instructions()) {
        Enclosure e = execute<bends>(i, registers_, tape_->tables());
        if (std::isnan(e.value.high) && !is_constant(e)) e.value = kAll;
        if (width > 0.0) narrow(e, 0.5 * width);
        registers_[i.target] = e;
    }
    const auto from = tape_->output_registers();
    for (std::size_t k = 0; k < from.size(); ++k) outputs[k] = registers_[from[k]];
}

}  // namespace bondgraph::expression
