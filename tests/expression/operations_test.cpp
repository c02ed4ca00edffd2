#include "bondgraph/expression/operations.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "tests/expression/evaluate.hpp"

// What a row of the table says of an operation, against its values: for every row, so that a new one is looked at by
// itself.
namespace bondgraph::expression {
namespace {

const std::vector<double> kPlaces{-2.3, -0.7, -0.2, 0.3, 0.6, 0.9, 1.8};

bool finite(double x) { return std::isfinite(x); }

struct Figure {
    Op op;
    double a;
    double b;
    double value;
};

// To the digits of a table of functions (Abramowitz, Stegun: Handbook of Mathematical Functions).
TEST(Operations, ValuesAreThoseOfTheFunctionsTheyAreNamedAfter) {
    const std::vector<Figure> figures{
        {Op::negate, 2.0, 0.0, -2.0},
        {Op::sqrt, 2.0, 0.0, 1.4142135623730951},
        {Op::exp, 1.0, 0.0, 2.718281828459045},
        {Op::log, 2.0, 0.0, 0.6931471805599453},
        {Op::log10, 2.0, 0.0, 0.3010299956639812},
        {Op::sin, 1.0, 0.0, 0.8414709848078965},
        {Op::cos, 1.0, 0.0, 0.5403023058681398},
        {Op::tan, 1.0, 0.0, 1.5574077246549023},
        {Op::asin, 0.5, 0.0, 0.5235987755982989},
        {Op::acos, 0.5, 0.0, 1.0471975511965979},
        {Op::atan, 1.0, 0.0, 0.7853981633974483},
        {Op::sinh, 1.0, 0.0, 1.1752011936438014},
        {Op::cosh, 1.0, 0.0, 1.5430806348152437},
        {Op::tanh, 1.0, 0.0, 0.7615941559557649},
        {Op::abs, -1.5, 0.0, 1.5},
        {Op::sign, -1.5, 0.0, -1.0},
        {Op::sign, 0.0, 0.0, 0.0},
        {Op::floor, -1.5, 0.0, -2.0},
        {Op::ceil, -1.5, 0.0, -1.0},
        {Op::logical_not, 0.0, 0.0, 1.0},
        {Op::no_event, 3.0, 0.0, 3.0},
        {Op::add, 3.0, 4.0, 7.0},
        {Op::subtract, 3.0, 4.0, -1.0},
        {Op::multiply, 3.0, 4.0, 12.0},
        {Op::divide, 3.0, 4.0, 0.75},
        {Op::power, 3.0, 4.0, 81.0},
        {Op::atan2, 1.0, -1.0, 2.356194490192345},
        {Op::min, 3.0, 4.0, 3.0},
        {Op::max, 3.0, 4.0, 4.0},
        {Op::guarded_multiply, 3.0, 4.0, 12.0},
        {Op::less, 3.0, 4.0, 1.0},
        {Op::less_equal, 4.0, 4.0, 1.0},
        {Op::greater, 3.0, 4.0, 0.0},
        {Op::greater_equal, 4.0, 4.0, 1.0},
        {Op::equal, 3.0, 4.0, 0.0},
        {Op::not_equal, 3.0, 4.0, 1.0},
        {Op::logical_and, 3.0, 0.0, 0.0},
        {Op::logical_or, 3.0, 0.0, 1.0},
        {Op::random, 3.0, 4.0, 0.09660312142930194},  // by the algorithm in Python
        {Op::smooth, 2.0, 5.0, 5.0},
    };
    std::set<Op> seen;
    for (const Figure& f : figures) {
        EXPECT_NEAR(evaluate_op(f.op, f.a, f.b), f.value, 1e-15 * (1.0 + std::abs(f.value))) << op_name(f.op);
        seen.insert(f.op);
    }
    for (const Operation& o : kOperations)
        EXPECT_TRUE(o.value == nullptr || seen.contains(o.op)) << o.name << " has no figure here";
}

TEST(Operations, SymmetriesHold) {
    for (const Operation& o : kOperations) {
        if (o.value == nullptr) continue;
        for (const double a : kPlaces) {
            if (o.operands == 1) {
                const double there = o.value(-a, -a);
                const double here = o.value(a, a);
                if (!finite(here) || !finite(there)) continue;
                if (o.symmetry == Symmetry::odd) {
                    EXPECT_EQ(there, -here) << o.name << " at " << a;
                }
                if (o.symmetry == Symmetry::even) {
                    EXPECT_EQ(there, here) << o.name << " at " << a;
                }
                continue;
            }
            for (const double b : kPlaces) {
                if (o.symmetry == Symmetry::commutative) {
                    EXPECT_EQ(o.value(a, b), o.value(b, a)) << o.name << " of " << a << " and " << b;
                }
            }
        }
    }
}

// Slopes by numbers, against difference quotients; what is stepped has none.
TEST(Operations, SlopesAreTheLimitsOfDifferenceQuotients) {
    const double h = 1e-6;
    for (const Operation& o : kOperations) {
        if (o.value == nullptr) continue;
        for (const double a : kPlaces) {
            for (const double b : kPlaces) {
                const double value = o.value(a, b);
                if (!finite(value) || a == b) continue;
                const double by_a = (o.value(a + h, b) - o.value(a - h, b)) / (2.0 * h);
                const double by_b = (o.value(a, b + h) - o.value(a, b - h)) / (2.0 * h);
                if (!finite(by_a) || !finite(by_b)) continue;
                const auto slopes = o.slopes == nullptr ? std::array{0.0, 0.0} : o.slopes(a, b, value);
                const double size = 1.0 + std::abs(by_a) + std::abs(by_b) + std::abs(value);
                EXPECT_NEAR(slopes[0], by_a, 2e-8 * size * size) << o.name << " of " << a << " and " << b;
                EXPECT_NEAR(slopes[1], by_b, 2e-8 * size * size) << o.name << " of " << a << " and " << b;
                if (o.course >= Course::stepped) {
                    EXPECT_EQ(o.slopes, nullptr) << o.name;
                }
                if (o.course == Course::truth) {
                    EXPECT_TRUE(value == 0.0 || value == 1.0) << o.name;
                }
            }
        }
    }
}

TEST(Operations, WhatUndoesAnOperationGivesItsOperandBack) {
    Graph g;
    const Expr y = g.variable(0);
    int count = 0;
    for (const Operation& o : kOperations) {
        if (o.inverse == nullptr) continue;
        ++count;
        for (const double value : kPlaces) {
            const double a = evaluate<double>(g, o.inverse(y), {0.0, value, 0.0});
            EXPECT_NEAR(o.value(a, a), value, 1e-14) << o.name << " is not undone at " << value;
        }
    }
    EXPECT_GE(count, 4) << "negate, noEvent, log and log10 at least";
}

// Over intervals, every value, slope and bend of a sample lies in the bounds.
TEST(Operations, BoundsEncloseWhatTheyBound) {
    for (const Operation& o : kOperations) {
        if (o.bounds == nullptr) continue;
        for (const double low : kPlaces) {
            for (const double width : {1e-3, 0.2, 1.1}) {
                const Bounds b = o.bounds({low, low + width});
                if (std::isnan(b.value.low)) {
                    EXPECT_TRUE(std::isnan(o.value(low, low)) && std::isnan(o.value(low + width, low))) << o.name;
                    continue;
                }
                for (const double share : {0.0, 0.3, 0.5, 0.8, 1.0}) {
                    const double x = low + share * width;
                    const double v = o.value(x, x);
                    if (!finite(v)) continue;
                    EXPECT_TRUE(b.value.contains(v)) << o.name << " at " << x;
                    const double slope = o.slopes(x, x, v)[0];
                    if (finite(slope)) {
                        EXPECT_TRUE(b.slope.contains(slope)) << o.name << " at " << x;
                    }
                    const double h = 1e-5;
                    const double bend = (o.value(x + h, x) - 2.0 * v + o.value(x - h, x)) / (h * h);
                    if (!finite(bend) || share == 0.0 || share == 1.0) continue;
                    const double noise = 1e-5 * (1.0 + std::abs(v)) + 1e-3 * std::abs(bend);
                    EXPECT_GE(bend, b.bend.low - noise) << o.name << " at " << x;
                    EXPECT_LE(bend, b.bend.high + noise) << o.name << " at " << x;
                }
            }
        }
    }
}

/// Whether the slope at the edge of what has a value is finite.
bool slope_is_finite(const Operation& o, double a, double b) {
    const double value = o.value(a, b);
    if (!finite(value) || o.slopes == nullptr) return true;
    const auto slopes = o.slopes(a, b, value);
    return finite(slopes[0]) && finite(slopes[1]);
}

TEST(Operations, SlopesAreFiniteWhereTheRowDoesNotSayOtherwise) {
    for (const Operation& o : kOperations) {
        if (o.value == nullptr || o.op == Op::power || o.op == Op::divide) continue;  // these have cases of their own
        bool all = true;
        for (const double a : {-1.0, 0.0, 1.0}) {
            for (const double b : {-1.0, 0.0, 1.0}) all = all && slope_is_finite(o, a, b);
        }
        EXPECT_EQ(all, !o.singular) << o.name;
    }
}

TEST(Operations, NamesOfFunctionsAreDifferent) {
    std::set<std::string_view> names;
    for (const Operation& o : kOperations) {
        if (o.called) {
            EXPECT_TRUE(names.insert(o.name).second) << o.name;
        }
    }
    EXPECT_GE(names.size(), 22U);
}

}  // namespace
}  // namespace bondgraph::expression
