#include "bondgraph/analysis/power_rows.hpp"

#include <gtest/gtest.h>

namespace bondgraph::analysis {
namespace {

using expression::Expr;

TEST(Vanish, TellsIdentitiesFromWhatIsSmall) {
    expression::Graph graph;
    const Expr x = graph.variable(3), y = graph.parameter(7), t = graph.time();
    const std::vector<Expr> all{sin(x) * sin(x) + cos(x) * cos(x) - 1.0,
                                x - x * (1.0 + 1e-12),
                                (x + y) * (x - y) - (x * x - y * y),
                                sqrt(x) * sqrt(x) - x,  // has no value below 0
                                Expr(0.0),
                                Expr(1e-300),
                                sin(t) - t,
                                1e-9 * graph.derivative(3)};
    const std::vector<bool> zero = vanish(graph, all);
    EXPECT_TRUE(zero[0]);
    EXPECT_FALSE(zero[1]);
    EXPECT_TRUE(zero[2]);
    EXPECT_TRUE(zero[3]);
    EXPECT_TRUE(zero[4]);
    EXPECT_FALSE(zero[5]);
    EXPECT_FALSE(zero[6]);
    EXPECT_FALSE(zero[7]);
}

// What has no value anywhere is not known to be 0.
TEST(Vanish, IsNotSoWhereThereIsNoValue) {
    expression::Graph graph;
    const std::vector<Expr> all{sqrt(Expr(-1.0) - graph.variable(0) * graph.variable(0))};
    EXPECT_FALSE(vanish(graph, all)[0]);
}

}  // namespace
}  // namespace bondgraph::analysis
