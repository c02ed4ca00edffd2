#include "bondgraph/expression/operations.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numbers>

#include "bondgraph/expression/interval.hpp"
#include "bondgraph/expression/jet.hpp"

namespace bondgraph::expression {
namespace {

double sign(double a) { return a > 0.0 ? 1.0 : (a < 0.0 ? -1.0 : a * 0.0); }
Expr guarded_product(Expr a, Expr b) { return apply(Op::guarded_multiply, a, b); }

// ---- bounds of functions of one operand

constexpr Interval kAnything = Interval::all();
constexpr Interval kOne{1.0, 1.0};

/// Nothing is known but the value.
Bounds only(Interval value) { return {value, kAnything, kAnything}; }

Bounds nowhere() {
    constexpr double kNothing = std::numeric_limits<double>::quiet_NaN();
    return {{kNothing, kNothing}, {}, {}};
}

Bounds bounds_of_sqrt(Interval x) {
    if (x.high < 0.0) return nowhere();
    const Interval r = rounded(std::sqrt(std::max(x.low, 0.0)), std::sqrt(x.high));
    if (!(x.low > 0.0)) return only(x.low == 0.0 ? r : kAnything);
    const Interval s = 0.5 * reciprocal(r);
    return {r, s, -0.5 * (s * reciprocal(x))};
}

/// Of k log x.
Bounds bounds_of_log(Interval x, double k) {
    if (x.high < 0.0) return nowhere();
    if (!(x.low > 0.0)) return only(kAnything);
    const Interval r = reciprocal(x);
    return {k * growing(x, [](double v) { return std::log(v); }), k * r, -k * square(r)};
}

Bounds bounds_of_tan(Interval x) {
    // Between two poles, and in less than the distance of poles.
    if (!cosine(x).one_sign() || x.width() >= 3.0) return only(kAnything);
    const Interval t = growing(x, [](double v) { return std::tan(v); });
    const Interval s = kOne + square(t);
    return {t, s, 2.0 * (t * s)};
}

Bounds bounds_of_asin(Interval x) {
    if (x.low > 1.0 || x.high < -1.0) return nowhere();
    if (x.low < -1.0 || x.high > 1.0) return only(kAnything);
    const Interval value = growing(x, [](double v) { return std::asin(v); });
    const Interval left = kOne - square(x);
    if (!(left.low > 0.0)) return only(value);
    const Interval s = reciprocal(growing(left, [](double v) { return std::sqrt(v); }));
    return {value, s, x * (s * square(s))};
}

Bounds bounds_of_acos(Interval x) {
    const Bounds b = bounds_of_asin(x);
    if (!(b.value.width() < kAnything.high)) return b;
    return {-growing(x, [](double v) { return -std::acos(v); }), -b.slope, -b.bend};
}

Interval bounds_of_cosh(Interval x) {
    const double least = x.contains(0.0) ? 1.0 : std::cosh(std::min(std::abs(x.low), std::abs(x.high)));
    return rounded(least, std::cosh(x.largest()));
}
Interval bounds_of_sinh(Interval x) {
    return growing(x, [](double v) { return std::sinh(v); });
}

// ---- slopes of powers

// The exponent's term is left out where it doesn't move, so that negative bases with whole exponents have derivatives.
std::array<double, 2> slopes_of_power(double a, double b, double value) {
    return {chain_term(b, std::pow(a, b - 1.0)), a == 0.0 ? 0.0 : value * std::log(a)};
}

Partials partials_of_power(Expr base, Expr exponent, Expr value) {
    const Expr lower = pow(base, exponent - 1.0);
    Partials result;
    result.a = exponent.is_constant() ? exponent * lower : guarded_product(exponent, lower);
    if (!exponent.is_constant()) {
        const Expr at_zero = apply(Op::no_event, apply(Op::equal, base, 0.0));
        result.b = if_else(at_zero, 0.0, value * log(base));
    }
    return result;
}

/// The bits of two whole numbers, mixed twice (Steele, Lea and Flood: Fast splittable pseudorandom number generators,
/// OOPSLA 2014), the upper 53 of them as a number below 1.
double chance(double seed, double number) {
    if (!std::isfinite(seed) || !std::isfinite(number)) return std::numeric_limits<double>::quiet_NaN();
    const auto mixed = [](std::uint64_t z) {
        z = (z ^ (z >> 30U)) * 0xBF58476D1CE4E5B9U;
        z = (z ^ (z >> 27U)) * 0x94D049BB133111EBU;
        return z ^ (z >> 31U);
    };
    const auto bits = [](double x) { return std::bit_cast<std::uint64_t>(std::round(x) + 0.0); };  // -0 as 0
    constexpr std::uint64_t kStep = 0x9E3779B97F4A7C15U;
    const std::uint64_t all = mixed(mixed(bits(seed) + kStep) + bits(number) + kStep);
    return std::ldexp(static_cast<double>(all >> 11U), -53);
}

// ---- kinds of rows

constexpr Operation leaf(Op op) { return {.op = op, .name = {}, .operands = 0}; }

/// Of one operand: `slope(a, value)` takes numbers and symbols alike.
template <class Slope>
constexpr Operation unary(Operation row, Slope /*slope*/) {
    row.slopes = [](double a, double, double v) -> std::array<double, 2> { return {Slope{}(a, v), 0.0}; };
    row.partials = [](Expr a, Expr, Expr v) -> Partials { return {Slope{}(a, v)}; };
    return row;
}

/// The same of a function that users call.
template <class Slope>
constexpr Operation function(Operation row, Slope slope) {
    row.called = true;
    return unary(row, slope);
}

/// `slopes(a, b, value)` gives the two of them, of numbers and of symbols alike.
template <class Slopes>
constexpr Operation binary(Operation row, Slopes /*slopes*/) {
    row.operands = 2;
    row.slopes = [](double a, double b, double v) -> std::array<double, 2> { return Slopes{}(a, b, v); };
    row.partials = [](Expr a, Expr b, Expr v) -> Partials {
        const std::array<Expr, 2> slopes = Slopes{}(a, b, v);
        return {slopes[0], slopes[1]};
    };
    return row;
}

template <Op relation>
bool takes_first(double a, double b) {
    return (relation == Op::less_equal ? a <= b : a >= b) || std::isnan(a);
}

/// The first operand where the relation holds, and where it is no number; else the second.
template <Op relation>
constexpr Operation selection(Operation row) {
    row.operands = 2;
    row.course = Course::bent;
    row.symmetry = Symmetry::commutative;
    row.called = true;
    row.value = [](double a, double b) { return takes_first<relation>(a, b) ? a : b; };
    row.slopes = [](double a, double b, double) -> std::array<double, 2> {
        const bool first = takes_first<relation>(a, b);
        return {first ? 1.0 : 0.0, first ? 0.0 : 1.0};
    };
    row.partials = [](Expr a, Expr b, Expr) -> Partials {
        const Expr condition = apply(relation, a, b);
        return {if_else(condition, 1.0, 0.0), if_else(condition, 0.0, 1.0)};
    };
    return row;
}

/// Relations and logic. `holds(a, b)` takes numbers.
template <class Holds>
constexpr Operation truth(Op op, std::string_view name, Symmetry symmetry, Holds /*holds*/) {
    return {.op = op,
            .name = name,
            .operands = 2,
            .course = Course::truth,
            .symmetry = symmetry,
            .value = [](double a, double b) { return Holds{}(a, b) ? 1.0 : 0.0; }};
}

// ---- the rows

constexpr std::array kLeaves{leaf(Op::constant),   leaf(Op::time),      leaf(Op::variable),
                             leaf(Op::derivative), leaf(Op::parameter), leaf(Op::held)};

constexpr std::array kUnary{
    unary({.op = Op::negate,
           .name = "-",
           .value = [](double a, double) { return -a; },
           .inverse = [](Expr y) { return -y; }},
          [](auto, auto) { return -1.0; }),
    function({.op = Op::sqrt,
              .name = "sqrt",
              .required = "square root",
              .singular = true,
              .value = [](double a, double) { return std::sqrt(a); },
              .bounds = bounds_of_sqrt},
             [](auto, auto v) { return 1.0 / (2.0 * v); }),
    function({.op = Op::exp,
              .name = "exp",
              .value = [](double a, double) { return std::exp(a); },
              .bounds =
                  [](Interval x) {
                      const Interval e = growing(x, [](double v) { return std::exp(v); });
                      return Bounds{e, e, e};
                  }},
             [](auto, auto v) { return v; }),
    function({.op = Op::log,
              .name = "log",
              .tex = "\\ln",
              .required = "logarithm",
              .value = [](double a, double) { return std::log(a); },
              .bounds = [](Interval x) { return bounds_of_log(x, 1.0); },
              .inverse = [](Expr y) { return exp(y); }},
             [](auto a, auto) { return 1.0 / a; }),
    function({.op = Op::log10,
              .name = "log10",
              .tex = "\\log_{10}",
              .required = "logarithm",
              .value = [](double a, double) { return std::log10(a); },
              .bounds = [](Interval x) { return bounds_of_log(x, 1.0 / std::numbers::ln10); },
              .inverse = [](Expr y) { return pow(10.0, y); }},
             [](auto a, auto) { return 1.0 / (std::numbers::ln10 * a); }),
    function({.op = Op::sin,
              .name = "sin",
              .symmetry = Symmetry::odd,
              .tex = "\\sin",
              .value = [](double a, double) { return std::sin(a); },
              .bounds =
                  [](Interval x) {
                      return Bounds{sine(x), cosine(x), -sine(x)};
                  }},
             [](auto a, auto) {
                 using std::cos;
                 return cos(a);
             }),
    function({.op = Op::cos,
              .name = "cos",
              .symmetry = Symmetry::even,
              .tex = "\\cos",
              .value = [](double a, double) { return std::cos(a); },
              .bounds =
                  [](Interval x) {
                      return Bounds{cosine(x), -sine(x), -cosine(x)};
                  }},
             [](auto a, auto) {
                 using std::sin;
                 return -sin(a);
             }),
    function({.op = Op::tan,
              .name = "tan",
              .symmetry = Symmetry::odd,
              .tex = "\\tan",
              .value = [](double a, double) { return std::tan(a); },
              .bounds = bounds_of_tan},
             [](auto, auto v) { return 1.0 + v * v; }),
    function({.op = Op::asin,
              .name = "asin",
              .symmetry = Symmetry::odd,
              .tex = "\\arcsin",
              .singular = true,
              .value = [](double a, double) { return std::asin(a); },
              .bounds = bounds_of_asin},
             [](auto a, auto) {
                 using std::sqrt;
                 return 1.0 / sqrt(1.0 - a * a);
             }),
    function({.op = Op::acos,
              .name = "acos",
              .tex = "\\arccos",
              .singular = true,
              .value = [](double a, double) { return std::acos(a); },
              .bounds = bounds_of_acos},
             [](auto a, auto) {
                 using std::sqrt;
                 return -(1.0 / sqrt(1.0 - a * a));
             }),
    function({.op = Op::atan,
              .name = "atan",
              .symmetry = Symmetry::odd,
              .tex = "\\arctan",
              .value = [](double a, double) { return std::atan(a); },
              .bounds =
                  [](Interval x) {
                      const Interval s = reciprocal(kOne + square(x));
                      return Bounds{growing(x, [](double v) { return std::atan(v); }), s, -2.0 * (x * square(s))};
                  }},
             [](auto a, auto) { return 1.0 / (1.0 + a * a); }),
    function({.op = Op::sinh,
              .name = "sinh",
              .symmetry = Symmetry::odd,
              .tex = "\\sinh",
              .value = [](double a, double) { return std::sinh(a); },
              .bounds =
                  [](Interval x) {
                      return Bounds{bounds_of_sinh(x), bounds_of_cosh(x), bounds_of_sinh(x)};
                  }},
             [](auto a, auto) {
                 using std::cosh;
                 return cosh(a);
             }),
    function({.op = Op::cosh,
              .name = "cosh",
              .symmetry = Symmetry::even,
              .tex = "\\cosh",
              .value = [](double a, double) { return std::cosh(a); },
              .bounds =
                  [](Interval x) {
                      return Bounds{bounds_of_cosh(x), bounds_of_sinh(x), bounds_of_cosh(x)};
                  }},
             [](auto a, auto) {
                 using std::sinh;
                 return sinh(a);
             }),
    function({.op = Op::tanh,
              .name = "tanh",
              .symmetry = Symmetry::odd,
              .tex = "\\tanh",
              .value = [](double a, double) { return std::tanh(a); },
              .bounds =
                  [](Interval x) {
                      const Interval t = growing(x, [](double v) { return std::tanh(v); });
                      const Interval s = kOne - square(t);
                      return Bounds{t, s, -2.0 * (t * s)};
                  }},
             [](auto, auto v) { return 1.0 - v * v; }),
    function({.op = Op::abs,
              .name = "abs",
              .course = Course::bent,
              .symmetry = Symmetry::even,
              .value = [](double a, double) { return std::abs(a); }},
             [](auto a, auto) { return sign(a); }),
    Operation{.op = Op::sign,
              .name = "sign",
              .course = Course::stepped,
              .symmetry = Symmetry::odd,
              .called = true,
              .value = [](double a, double) { return sign(a); }},
    Operation{.op = Op::floor,
              .name = "floor",
              .course = Course::stepped,
              .called = true,
              .value = [](double a, double) { return std::floor(a); }},
    Operation{.op = Op::ceil,
              .name = "ceil",
              .course = Course::stepped,
              .called = true,
              .value = [](double a, double) { return std::ceil(a); }},
    Operation{.op = Op::logical_not,
              .name = "not",
              .course = Course::truth,
              .value = [](double a, double) { return a == 0.0 ? 1.0 : 0.0; }},
    function({.op = Op::no_event,
              .name = "noEvent",
              .value = [](double a, double) { return a; },
              .inverse = [](Expr y) { return y; }},
             [](auto, auto) { return 1.0; }),
};

constexpr std::array kBinary{
    binary({.op = Op::add,
            .name = "+",
            .symmetry = Symmetry::commutative,
            .value = [](double a, double b) { return a + b; }},
           [](auto a, auto, auto) {
               return std::array{decltype(a)(1.0), decltype(a)(1.0)};
           }),
    binary({.op = Op::subtract, .name = "-", .value = [](double a, double b) { return a - b; }},
           [](auto a, auto, auto) {
               return std::array{decltype(a)(1.0), decltype(a)(-1.0)};
           }),
    binary({.op = Op::multiply,
            .name = "*",
            .symmetry = Symmetry::commutative,
            .value = [](double a, double b) { return a * b; }},
           [](auto a, auto b, auto) {
               return std::array{b, a};
           }),
    binary({.op = Op::divide, .name = "/", .value = [](double a, double b) { return a / b; }},
           [](auto, auto b, auto v) {
               return std::array{1.0 / b, -(v / b)};
           }),
    Operation{.op = Op::power,
              .name = "^",
              .operands = 2,
              .value = [](double a, double b) { return std::pow(a, b); },
              .slopes = slopes_of_power,
              .partials = partials_of_power},
    binary({.op = Op::atan2,
            .name = "atan2",
            .called = true,
            .singular = true,
            .value = [](double a, double b) { return std::atan2(a, b); }},
           [](auto a, auto b, auto) {
               const auto square = a * a + b * b;
               return std::array{b / square, -(a / square)};
           }),
    selection<Op::less_equal>({.op = Op::min, .name = "min", .tex = "\\min"}),
    selection<Op::greater_equal>({.op = Op::max, .name = "max", .tex = "\\max"}),
    binary({.op = Op::guarded_multiply,
            .name = "guarded_multiply",
            .value = [](double a, double b) { return a == 0.0 ? 0.0 : a * b; }},
           [](auto a, auto b, auto) {
               return std::array{b, a};
           }),
    truth(Op::less, "<", Symmetry::none, [](double a, double b) { return a < b; }),
    truth(Op::less_equal, "<=", Symmetry::none, [](double a, double b) { return a <= b; }),
    truth(Op::greater, ">", Symmetry::none, [](double a, double b) { return a > b; }),
    truth(Op::greater_equal, ">=", Symmetry::none, [](double a, double b) { return a >= b; }),
    truth(Op::equal, "==", Symmetry::commutative, [](double a, double b) { return a == b; }),
    truth(Op::not_equal, "!=", Symmetry::commutative, [](double a, double b) { return a != b; }),
    truth(Op::logical_and, "and", Symmetry::commutative, [](double a, double b) { return a != 0.0 && b != 0.0; }),
    truth(Op::logical_or, "or", Symmetry::commutative, [](double a, double b) { return a != 0.0 || b != 0.0; }),
    Operation{
        .op = Op::random, .name = "random", .operands = 2, .course = Course::stepped, .called = true, .value = chance},
    binary({.op = Op::smooth, .name = "smooth", .called = true, .value = [](double, double b) { return b; }},
           [](auto a, auto, auto) {
               return std::array{decltype(a)(0.0), decltype(a)(1.0)};
           }),
};

// What they mean depends on more than two numbers. The slopes of tables even jump, at points that the tables tell.
constexpr std::array kOthers{
    Operation{.op = Op::if_else, .name = "if", .operands = 3, .course = Course::bent},
    Operation{.op = Op::table1, .name = "table1", .course = Course::bent},
    Operation{.op = Op::table1_slope, .name = "table1_slope", .course = Course::bent},
    Operation{.op = Op::table2, .name = "table2", .operands = 2, .course = Course::bent},
    Operation{.op = Op::table2_slope_x, .name = "table2_slope_x", .operands = 2, .course = Course::bent},
    Operation{.op = Op::table2_slope_y, .name = "table2_slope_y", .operands = 2, .course = Course::bent},
};

constexpr std::array<Operation, kOperationCount> joined() {
    std::array<Operation, kOperationCount> result{};
    auto next = std::copy(kLeaves.begin(), kLeaves.end(), result.begin());
    next = std::copy(kUnary.begin(), kUnary.end(), next);
    next = std::copy(kBinary.begin(), kBinary.end(), next);
    std::copy(kOthers.begin(), kOthers.end(), next);
    return result;
}

constexpr bool in_order(const std::array<Operation, kOperationCount>& rows) {
    for (std::size_t k = 0; k < rows.size(); ++k) {
        if (rows[k].op != static_cast<Op>(k) || rows[k].operands != operand_count(rows[k].op)) return false;
    }
    return true;
}

static_assert(kLeaves.size() + kUnary.size() + kBinary.size() + kOthers.size() == kOperationCount);
static_assert(in_order(joined()), "the rows are to stand in the order of Op");

}  // namespace

constinit const std::array<Operation, kOperationCount> kOperations = joined();

}  // namespace bondgraph::expression
