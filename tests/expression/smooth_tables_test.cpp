// Tables of cubic polynomials. Figures: scipy 1.10, Akima1DInterpolator and PchipInterpolator.

#include "bondgraph/expression/smooth_tables.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "bondgraph/expression/enclosures.hpp"
#include "tests/expression/evaluate.hpp"

namespace bondgraph::expression {
namespace {

const std::vector<double> kX{0, 1, 2.5, 3, 4.2, 6, 7};
const std::vector<double> kY{0, 2, 1.5, 1.5, 4, 4.5, 0};
const std::vector<double> kAt{0.3, 1.7, 2.75, 3.9, 5.1, 6.8};

using Numbers = std::vector<double>;

void expect_figures(const Table1& table, const Numbers& values, const Numbers& slopes, const Numbers& bends) {
    Graph graph;
    const Expr x = graph.variable(0);
    const Expr y = graph.table1(graph.add_table(table), x);
    const Expr by_x = expression::derivative(y, x);
    const Expr twice = expression::derivative(by_x, x);
    for (std::size_t k = 0; k < kAt.size(); ++k) {
        const Numbers inputs{0.0, kAt[k], 0.0};
        EXPECT_NEAR(table.value(kAt[k]), values[k], 1e-10);
        EXPECT_NEAR(table.slope(kAt[k]), slopes[k], 1e-10);
        EXPECT_NEAR(evaluate(graph, y, inputs), values[k], 1e-10);
        EXPECT_NEAR(evaluate(graph, by_x, inputs), slopes[k], 1e-10);
        EXPECT_NEAR(evaluate(graph, twice, inputs), bends[k], 1e-9);
    }
    for (std::size_t k = 0; k < kX.size(); ++k) EXPECT_NEAR(table.value(kX[k]), kY[k], 1e-14);
}

TEST(SmoothTables, Akima) {
    expect_figures(akima_table(kX, kY, Extrapolation::hold),
                   {0.900125, 1.79406009783, 1.46988074818, 3.36859193438, 4.82772596047, 1.31673511486},
                   {2.75541666667, -0.444863731656, -0.0418606550682, 2.53011790841, 0.291040540874, -6.23532114393},
                   {-2.15833333333, -0.139412997904, 0.963816058156, -1.87495253285, -1.42648385301, -3.91495546179});
}

TEST(SmoothTables, Monotone) {
    expect_figures(monotone_table(kX, kY, Extrapolation::hold),
                   {0.8632, 1.77496296296, 1.5, 3.5222107438, 4.36621900826, 1.26241269841},
                   {2.72533333333, -0.497777777778, 0.0, 2.44059917355, 0.287534435262, -6.30603174603},
                   {-1.65333333333, -0.0888888888889, 0.0, -4.13223140496, -0.286960514233, -1.17777777778});
}

TEST(SmoothTables, OfTwoPointsAreStraight) {
    for (const Table1& t :
         {akima_table({1, 3}, {2, 8}, Extrapolation::linear), monotone_table({1, 3}, {2, 8}, Extrapolation::linear)}) {
        EXPECT_DOUBLE_EQ(t.value(2.5), 6.5);
        EXPECT_DOUBLE_EQ(t.value(5.0), 14.0);
    }
}

TEST(SmoothTables, BeyondTheirEnds) {
    const Table1 hold = akima_table(kX, kY, Extrapolation::hold);
    EXPECT_EQ(hold.value(-3.0), 0.0);
    EXPECT_EQ(hold.value(9.0), 0.0);
    EXPECT_EQ(hold.slope(-3.0), 0.0);
    EXPECT_EQ(derivative(hold).value(-3.0), 0.0);
    EXPECT_EQ(derivative(hold).value(9.0), 0.0);
    const Table1 on = akima_table(kX, kY, Extrapolation::linear);
    EXPECT_NEAR(on.value(-3.0), -3.0 * 3.166666666666667, 1e-12);
    EXPECT_NEAR(on.value(9.0), 2.0 * -6.888888888888888, 1e-12);
    EXPECT_NEAR(derivative(on).value(9.0), -6.888888888888888, 1e-12);
    EXPECT_EQ(derivative(derivative(on)).value(9.0), 0.0);
}

// The fourth derivative is 0 everywhere, and no table.
TEST(SmoothTables, DerivativesEnd) {
    Graph graph;
    const Expr x = graph.variable(0);
    Expr y = graph.table1(graph.add_table(akima_table(kX, kY, Extrapolation::hold)), x);
    for (int k = 0; k < 4; ++k) y = expression::derivative(y, x);
    EXPECT_TRUE(y.is_constant(0.0));
}

// Bounds hold everywhere inside, and shrink with the interval.
TEST(SmoothTables, Bounds) {
    for (const Table1& table :
         {akima_table(kX, kY, Extrapolation::hold), monotone_table(kX, kY, Extrapolation::linear)}) {
        Graph graph;
        const Expr y = graph.table1(graph.add_table(table), graph.variable(0));
        const std::vector<Expr> outputs{y};
        const Tape tape(graph, outputs, layout_for(1));
        for (const double width : {3.0, 0.4, 0.01}) {
            for (double from = -1.0; from < 8.0; from += 0.37) {
                Enclosures bounds(tape);
                bounds.inputs()[1] = Enclosure::argument(from, from + width);
                std::vector<Enclosure> out(1);
                bounds.evaluate(width, out);
                for (double t = 0.0; t <= 1.0; t += 0.125) {
                    const double at = from + t * width;
                    EXPECT_GE(table.value(at), out[0].value.low) << at;
                    EXPECT_LE(table.value(at), out[0].value.high) << at;
                    EXPECT_GE(table.slope(at), out[0].slope.low) << at;
                    EXPECT_LE(table.slope(at), out[0].slope.high) << at;
                }
                if (width == 0.01) {
                    EXPECT_LT(out[0].value.width(), 0.1) << from;
                }
            }
        }
    }
}

}  // namespace
}  // namespace bondgraph::expression
