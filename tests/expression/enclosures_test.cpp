// What is proven of an expression over an interval holds at every point of it.

#include "bondgraph/expression/enclosures.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/expression/print.hpp"

namespace bondgraph::expression {
namespace {

class Functions {
   public:
    Graph graph;
    InputLayout layout{.time = 0, .size = 1};

    Enclosure over(Expr e, double from, double to) {
        const std::array outputs{e};
        const Tape tape(graph, outputs, layout);
        Enclosures enclosures(tape);
        enclosures.inputs()[0] = Enclosure::argument(from, to);
        Enclosure result;
        enclosures.evaluate(to - from, std::span(&result, 1));
        Enclosure without;
        enclosures.evaluate(to - from, std::span(&without, 1), Enclosures::Bends::unknown);
        expect_same(without.value, result.value);
        expect_same(without.slope, result.slope);
        return result;
    }

    /// Also where bounds are no numbers.
    static void expect_same(const Interval& a, const Interval& b) {
        EXPECT_TRUE(a.low == b.low || (std::isnan(a.low) && std::isnan(b.low))) << a.low << " and " << b.low;
        EXPECT_TRUE(a.high == b.high || (std::isnan(a.high) && std::isnan(b.high))) << a.high << " and " << b.high;
    }

    /// Whether a part of an expression is no number at a time.
    bool partly_undefined(Expr e, double t) {
        const std::array roots{e.node()};
        for (const std::uint32_t n : reachable(graph, roots)) {
            if (std::isnan(at(graph.at(n), t))) return true;
        }
        return false;
    }

    double at(Expr e, double t) {
        const std::array outputs{e};
        const Tape tape(graph, outputs, layout);
        auto work = tape.make_workspace<double>();
        double result = 0.0;
        tape.evaluate<double>(std::span(&t, 1), std::span(&result, 1), work);
        return result;
    }
};

constexpr Op kUnary[] = {Op::negate, Op::sqrt, Op::exp,   Op::log,  Op::log10,      Op::sin,  Op::cos,
                         Op::tan,    Op::asin, Op::acos,  Op::atan, Op::sinh,       Op::cosh, Op::tanh,
                         Op::abs,    Op::sign, Op::floor, Op::ceil, Op::logical_not};
constexpr Op kBinary[] = {Op::add,         Op::subtract,   Op::multiply, Op::divide,
                          Op::power,       Op::atan2,      Op::min,      Op::max,
                          Op::less,        Op::less_equal, Op::greater,  Op::greater_equal,
                          Op::logical_and, Op::logical_or, Op::equal,    Op::guarded_multiply};

Expr random_function(Functions& f, std::mt19937& random, int depth) {
    std::uniform_real_distribution<double> number(-3.0, 3.0);
    const auto below = [&] { return random_function(f, random, depth - 1); };
    if (depth == 0) {
        switch (random() % 4) {
            case 0:
                return number(random);
            case 1:
                return Expr(std::round(number(random)));
            default:
                return f.graph.time();
        }
    }
    switch (random() % 8) {
        case 0:
        case 1:
        case 2:
            return apply(kUnary[random() % std::size(kUnary)], below());
        case 3:
            return if_else(apply(Op::less, below(), below()), below(), below());
        case 4:
            return f.graph.table1(f.graph.add_table({{-2.0, -0.5, 1.0, 2.5},
                                                     {number(random), 1.0, 0.0, number(random)},
                                                     random() % 2 ? Extrapolation::hold : Extrapolation::linear}),
                                  below());
        default:
            return apply(kBinary[random() % std::size(kBinary)], below(), below());
    }
}

bool inside(const Interval& i, double x) {
    const double rounding = 1e-9 * (1.0 + std::abs(x));
    return !(x < i.low - rounding) && !(x > i.high + rounding);
}

TEST(Enclosures, HoldEveryValueSlopeAndBendOfRandomFunctions) {
    std::mt19937 random(11);
    std::uniform_real_distribution<double> place(-4.0, 4.0);
    std::uniform_real_distribution<double> exponent(-6.0, 0.7);
    int finite = 0;
    for (int n = 0; n < 4000; ++n) {
        Functions f;
        const Expr e = random_function(f, random, 1 + n % 4);
        if (e.is_constant()) continue;
        const double from = place(random);
        const double to = from + std::pow(10.0, exponent(random));
        const Enclosure over = f.over(e, from, to);
        const Expr slope = derivative(e, f.graph.time());
        const Expr bend = derivative(slope, f.graph.time());
        for (int k = 0; k <= 20; ++k) {
            const double t = from + (to - from) * k / 20.0;
            const auto text = [&] { return to_text(e, [](const Node&) { return std::string("x"); }); };
            const double value = f.at(e, t);
            if (f.partly_undefined(e, t)) continue;
            ASSERT_FALSE(over.undefined())
                << text() << " at " << t << " is " << value << ", over " << from << " " << to;
            ASSERT_TRUE(inside(over.value, value)) << text() << " at " << t << " is " << value;
            // A derivative by rules is a number also beside a jump: there the bounds are unbounded anyway.
            const double d = f.at(slope, t);
            ASSERT_TRUE(std::isnan(d) || inside(over.slope, d)) << text() << " at " << t << " slope " << d;
            const double b = f.at(bend, t);
            ASSERT_TRUE(std::isnan(b) || inside(over.bend, b)) << text() << " at " << t << " bend " << b;
            ++finite;
        }
    }
    EXPECT_GT(finite, 20'000);
}

TEST(Enclosures, ValuesAreAsWideAsTheRangeButForTheSquareOfTheWidth) {
    Functions f;
    const Expr t = f.graph.time();
    // t − t² near 0.3: by the rules of intervals alone 2.6 times as wide as its range.
    double excess[2];
    for (int k = 0; k < 2; ++k) {
        const double h = k == 0 ? 1e-2 : 1e-3;
        const Enclosure e = f.over(t - t * t, 0.3, 0.3 + h);
        const double range = h - (2 * 0.3 * h + h * h);
        excess[k] = e.value.width() - range;
    }
    EXPECT_LT(excess[1], 0.02 * excess[0]);
}

TEST(Enclosures, WhatIsDefinedNowhereCountsAsConstant) {
    Functions f;
    const Expr t = f.graph.time();
    EXPECT_TRUE(f.over(sqrt(t - 2.0), 0.0, 1.0).undefined());
    EXPECT_TRUE(f.over(log(t - 2.0) + t, 0.0, 1.0).undefined());
    const Enclosure relation = f.over(apply(Op::less, sqrt(t - 2.0), Expr(1.0)), 0.0, 1.0);
    EXPECT_TRUE(relation.value.is_zero());
    EXPECT_FALSE(f.over(sqrt(t - 2.0), 0.0, 3.0).undefined());
}

}  // namespace
}  // namespace bondgraph::expression
