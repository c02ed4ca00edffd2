#include "bondgraph/expression/derivative.hpp"

#include <gtest/gtest.h>

#include <array>
#include <map>
#include <stdexcept>

#include "tests/expression/evaluate.hpp"

namespace bondgraph::expression {
namespace {

using J4 = Jet<4>;

/// The point as jets that move along variables 0 … 3.
std::vector<J4> jets_at(const std::vector<double>& inputs) {
    std::vector<J4> result(inputs.begin(), inputs.end());
    const std::size_t n = (inputs.size() - 1) / 2;
    for (std::size_t i = 0; i < std::min<std::size_t>(n, 4); ++i) result[1 + i].d[i] = 1.0;
    return result;
}

class DerivativeTest : public ::testing::Test {
   protected:
    /// Forward, reverse and dual-number derivatives of e by x and y at a point are one.
    void expect_three_ways_agree(Expr e, double at_x, double at_y, const std::string& what) {
        const std::vector<double> at{0.0, at_x, at_y, 0.0, 0.0};
        const J4 jet = evaluate<J4>(g, e, jets_at(at));
        const std::array leaves{x, y};
        const std::vector<Expr> reverse = gradient(e, leaves);
        for (std::size_t i = 0; i < leaves.size(); ++i) {
            const double forward = evaluate<double>(g, derivative(e, leaves[i]), at);
            const double backward = evaluate<double>(g, reverse[i], at);
            EXPECT_TRUE(agree(forward, jet.d[i], 0.0)) << what << " by " << i << " at " << at_x << ", " << at_y
                                                       << ": forward " << forward << ", jet " << jet.d[i];
            EXPECT_TRUE(agree(backward, jet.d[i], 0.0)) << what << " by " << i << " at " << at_x << ", " << at_y
                                                        << ": reverse " << backward << ", jet " << jet.d[i];
        }
    }

    double slope_at(Expr e, double at_x) { return evaluate<double>(g, derivative(e, x), {0.0, at_x, 0.0, 0.0, 0.0}); }
    double reverse_slope_at(Expr e, double at_x) {
        return evaluate<double>(g, gradient(e, std::span(&x, 1))[0], {0.0, at_x, 0.0, 0.0, 0.0});
    }

    Graph g;
    Expr x = g.variable(0);
    Expr y = g.variable(1);
};

TEST_F(DerivativeTest, EveryUnaryOperationAgreesWithDualNumbers) {
    for (const Op op : all_unary_operations()) {
        for (const double at : {-0.9, -0.3, 0.2, 0.7}) {
            if (!std::isfinite(evaluate_op(op, at))) continue;
            expect_three_ways_agree(apply(op, x), at, 0.5, std::string(op_name(op)));
            expect_three_ways_agree(apply(op, x + y * x), at, -0.25, std::string(op_name(op)));
        }
    }
}

TEST_F(DerivativeTest, EveryBinaryOperationAgreesWithDualNumbers) {
    for (const Op op : all_binary_operations()) {
        if (op == Op::smooth) continue;  // its order isn't a quantity
        for (const auto& [a, b] : {std::pair{0.3, 0.8}, {1.7, 0.4}, {0.6, -1.2}, {1.1, 2.0}}) {
            expect_three_ways_agree(apply(op, x, y), a, b, std::string(op_name(op)));
            expect_three_ways_agree(apply(op, x * x, sin(y) + x), a, b, std::string(op_name(op)) + " composed");
        }
    }
}

// The test above would also pass for an operation that has a derivative in none of the ways.
TEST_F(DerivativeTest, EveryOperationAgreesWithDifferenceQuotients) {
    const double h = 1e-5;
    const auto check = [&](Op op, Expr e, Expr by, double a, double b) {
        const double da = same(by, x) ? h : 0.0;
        const double db = same(by, y) ? h : 0.0;
        const double quotient = (evaluate_op(op, a + da, b + db) - evaluate_op(op, a - da, b - db)) / (2.0 * h);
        const double slope = evaluate<double>(g, derivative(e, by), {0.0, a, b, 0.0, 0.0});
        EXPECT_NEAR(slope, quotient, 1e-7 * (1.0 + std::abs(slope))) << op_name(op) << " of " << a << " and " << b;
    };
    for (const Op op : all_unary_operations()) {
        for (const double at : {-0.9, -0.3, 0.2, 0.7}) {
            if (std::isfinite(evaluate_op(op, at))) check(op, apply(op, x), x, at, 0.0);
        }
    }
    for (const Op op : all_binary_operations()) {
        if (op == Op::smooth) continue;  // its order isn't a quantity
        for (const auto& [a, b] : {std::pair{0.3, 0.8}, {1.7, 0.4}, {0.6, -1.2}, {1.1, 2.0}}) {
            check(op, apply(op, x, y), x, a, b);
            check(op, apply(op, x, y), y, a, b);
        }
    }
}

TEST_F(DerivativeTest, PartialsAreTheDerivativesByTheOperands) {
    const std::vector<double> at{0.0, 0.6, 0.9, 0.0, 0.0};
    std::vector<Expr> operations;
    for (const Op op : all_unary_operations()) operations.push_back(apply(op, x));
    for (const Op op : all_binary_operations()) operations.push_back(apply(op, x, y));
    for (const Expr e : operations) {
        const Node node = g[e.node()];
        if (operand_count(node.op) == 0) continue;  // noEvent of a leaf is the leaf
        const J4 jet = evaluate<J4>(g, e, jets_at(at));
        const Partials partial = partials(g, e.node());
        const bool first_is_x = node.a == x.node();
        EXPECT_TRUE(agree(evaluate<double>(g, partial.a, at), jet.d[first_is_x ? 0 : 1])) << op_name(node.op);
        if (operand_count(node.op) > 1) {
            EXPECT_TRUE(agree(evaluate<double>(g, partial.b, at), jet.d[first_is_x ? 1 : 0])) << op_name(node.op);
        }
    }
    const Expr choice = if_else(apply(Op::less, x, y), x, y);
    EXPECT_THROW(partials(g, choice.node()), std::logic_error);
}

TEST_F(DerivativeTest, TablesAgreeWithDualNumbers) {
    const std::uint32_t one = g.add_table(Table1{{0.0, 1.0, 2.0}, {0.0, 2.0, 1.0}, Extrapolation::linear});
    const std::uint32_t two = g.add_table(Table2{{0.0, 1.0}, {0.0, 2.0}, {0.0, 2.0, 1.0, 5.0}});
    for (const auto& [a, b] : {std::pair{0.3, 0.8}, {1.7, 0.4}, {0.6, 3.0}, {-1.0, 1.0}, {1.0, 0.0}}) {
        expect_three_ways_agree(g.table1(one, x * y), a, b, "table1");
        expect_three_ways_agree(g.table2(two, x, y + x), a, b, "table2");
        expect_three_ways_agree(g.table1_slope(one, x), a, b, "table1_slope");
    }
}

TEST_F(DerivativeTest, RandomExpressionsAgreeInAllThreeWays) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        Graph graph;
        const std::vector<Expr> roots = random_expressions(graph, 4, 120, seed);
        const std::vector<Expr> leaves{graph.variable(0), graph.variable(1), graph.variable(2), graph.variable(3)};
        const std::vector<double> at = random_inputs(4, seed);
        const std::vector<J4> jets = evaluate<J4>(graph, roots, jets_at(at));
        for (std::size_t k = 0; k < leaves.size(); ++k) {
            const std::vector<double> forward = evaluate<double>(graph, derivative(graph, roots, leaves[k]), at);
            for (std::size_t i = 0; i < roots.size(); ++i) {
                const double reverse = evaluate<double>(graph, gradient(roots[i], leaves)[k], at);
                const double scale =
                    std::abs(jets[i].d[0]) + std::abs(jets[i].d[1]) + std::abs(jets[i].d[2]) + std::abs(jets[i].d[3]);
                EXPECT_TRUE(agree(forward[i], jets[i].d[k], scale, 1e4)) << forward[i] << ' ' << jets[i].d[k];
                EXPECT_TRUE(agree(reverse, jets[i].d[k], scale, 1e4)) << reverse << ' ' << jets[i].d[k];
            }
        }
    }
}

// ---- kinks, branches, singular points

TEST_F(DerivativeTest, KinksTakeTheSideThatEvaluationTakes) {
    for (const double at : {-1.0, 0.0, 1.0}) {
        for (const Op op : {Op::abs, Op::sign, Op::floor, Op::ceil}) {
            expect_three_ways_agree(apply(op, x), at, 0.0, std::string(op_name(op)));
        }
    }
    for (const Op op : {Op::min, Op::max}) expect_three_ways_agree(apply(op, x, y), 0.5, 0.5, std::string(op_name(op)));
    EXPECT_EQ(slope_at(abs(x), 0.0), 0.0);
    EXPECT_EQ(slope_at(min(x, 3.0 * x), 0.0), 1.0) << "at a tie the first operand, the older node, is taken";
}

TEST_F(DerivativeTest, BranchesNotTakenLeakNothingIntoDerivatives) {
    const Expr positive = apply(Op::greater, x, 0.0);
    const std::map<std::string, Expr> safe{
        {"sqrt", if_else(positive, sqrt(x), 0.0)},
        {"sqrt of a polynomial", if_else(positive, sqrt(x * x * x), 0.0) * 2.0},
        {"log", if_else(positive, log(x) * x, x)},
        {"quotient", if_else(apply(Op::not_equal, x, 0.0), sin(x) / x, 1.0)},
        {"nested", sin(if_else(positive, exp(sqrt(x)) / x, x))},
        {"power", if_else(positive, pow(x, 1.5) + pow(x, x), x)},
        {"min", min(if_else(positive, 1.0 / x, 5.0), 7.0)},
        {"function of the quotient",
         if_else(apply(Op::not_equal, x, 0.0), pow(1.0 / x, 2.0) + exp(-1.0 / (x * x)), 0.0)},
    };
    for (const auto& [name, e] : safe) {
        for (const double at : {-1.0, 0.0, 0.25, 2.0}) {
            expect_three_ways_agree(e, at, 0.0, name);
            EXPECT_TRUE(std::isfinite(slope_at(e, at))) << name << " at " << at;
            EXPECT_TRUE(std::isfinite(reverse_slope_at(e, at))) << name << " at " << at;
        }
    }
}

TEST_F(DerivativeTest, TurbulentFlowHasAFiniteDerivativeAtRest) {
    const std::map<std::string, Expr> laws{
        {"sign·sqrt|x|", sign(x) * sqrt(abs(x))},
        {"sqrt|x|", sqrt(abs(x))},
        {"sqrt of a square", sqrt(x * x)},
        {"x·sqrt|x|", x * sqrt(abs(x))},
        {"scaled", 0.6 * sqrt(2.0 * abs(3.0 * x)) * sign(x)},
        {"power", sign(x) * pow(abs(x), 0.3)},
    };
    for (const auto& [name, e] : laws) {
        EXPECT_EQ(slope_at(e, 0.0), 0.0) << name;
        EXPECT_EQ(reverse_slope_at(e, 0.0), 0.0) << name;
        for (const double at : {-2.0, 0.0, 0.5}) expect_three_ways_agree(e, at, 0.0, name);
    }
}

TEST_F(DerivativeTest, SingularPointsConcernOnlyWhatMoves) {
    for (const Expr e : {sqrt(x) + y, y * sqrt(x), atan2(x, x * 2.0) + y, apply(Op::asin, x + 1.0) + y}) {
        const double by_y = evaluate<double>(g, derivative(e, y), {0.0, 0.0, 0.5, 0.0, 0.0});
        EXPECT_TRUE(std::isfinite(by_y));
    }
    EXPECT_TRUE(std::isinf(slope_at(sqrt(x), 0.0))) << "a true pole must show";
    EXPECT_TRUE(std::isinf(reverse_slope_at(sqrt(x), 0.0)));
}

TEST_F(DerivativeTest, PowersOfNegativeBasesHaveDerivatives) {
    EXPECT_EQ(slope_at(pow(x, 3.0), -2.0), 12.0);
    EXPECT_EQ(slope_at(pow(x, -2.0), -2.0), 0.25);
    expect_three_ways_agree(pow(x, 3.0), -2.0, 0.0, "cube");
    expect_three_ways_agree(pow(x, y), 0.0, 2.0, "0^y");
    EXPECT_EQ(evaluate<double>(g, derivative(pow(x, y), x), {0.0, -2.0, 3.0, 0.0, 0.0}), 12.0);
}

TEST_F(DerivativeTest, OrdinaryExpressionsStayPlain) {
    EXPECT_TRUE(same(derivative(x * y, x), y));
    EXPECT_TRUE(same(derivative(x * x, x), 2.0 * x));
    EXPECT_TRUE(same(derivative(3.0 * x - y, x), 3.0));
    EXPECT_TRUE(same(derivative(sin(2.0 * x), x), 2.0 * cos(2.0 * x)));
    EXPECT_TRUE(same(derivative(x / y, x), 1.0 / y));
    EXPECT_TRUE(same(derivative(y / 3.0, x), 0.0));
    EXPECT_TRUE(same(gradient(x * y + sin(y), std::array{x, y})[1], x + cos(y)));
    EXPECT_TRUE(same(gradient(x, std::array{x, y})[0], 1.0));
    EXPECT_TRUE(same(gradient(x, std::array{x, y})[1], 0.0));
}

TEST_F(DerivativeTest, NumbersHaveNoDerivative) {
    EXPECT_TRUE(same(derivative(Expr(3.0), x), 0.0));
    EXPECT_TRUE(same(gradient(Expr(3.0), std::array{x})[0], 0.0));
    EXPECT_TRUE(same(derivative(g, std::array{Expr(3.0), x}, x)[1], 1.0));
}

TEST_F(DerivativeTest, ASmallPassOverALargeGraphStaysSmall) {
    Expr e = x;
    for (int i = 0; i < 200'000; ++i) e = sin(e);
    const std::size_t before = g.size();
    for (int i = 0; i < 20'000; ++i) {
        EXPECT_TRUE(same(derivative(x * y, x), y));
        EXPECT_TRUE(same(gradient(x * y, std::array{x})[0], y));
    }
    EXPECT_LT(g.size(), before + 10);
}

TEST_F(DerivativeTest, AMillionOperationsAreNoProblem) {
    Expr e = x;
    for (int i = 0; i < 1'000'000; ++i) e = sin(e);
    const std::vector<double> at{0.0, 0.5, 0.0, 0.0, 0.0};
    const double expected = evaluate<J4>(g, e, jets_at(at)).d[0];
    EXPECT_TRUE(agree(evaluate<double>(g, derivative(e, x), at), expected, 0.0, 1e7));
    EXPECT_TRUE(agree(evaluate<double>(g, gradient(e, std::array{x})[0], at), expected, 0.0, 1e7));
}

// ---- along time

/// Variables move with their derivative leaves as rates.
std::optional<Expr> rate_of_variable(Graph& g, std::uint32_t node) {
    const Node leaf = g[node];
    if (leaf.op == Op::variable) return g.derivative(leaf.a);
    return {};
}

TEST_F(DerivativeTest, TimeDerivativesAgreeWithDualNumbersAlongTheMotion) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        Graph graph;
        const std::vector<Expr> roots = random_expressions(graph, 3, 120, seed);
        const std::vector<double> at = random_inputs(3, seed);
        std::vector<Jet<1>> moving(at.begin(), at.end());
        moving[0].d[0] = 1.0;
        for (std::size_t i = 0; i < 3; ++i) moving[1 + i].d[0] = at[4 + i];
        const auto rate = [&](std::uint32_t node) { return rate_of_variable(graph, node); };
        const std::vector<double> found = evaluate<double>(graph, time_derivative(graph, roots, rate), at);
        const std::vector<Jet<1>> expected = evaluate<Jet<1>>(graph, roots, moving);
        for (std::size_t i = 0; i < roots.size(); ++i) {
            EXPECT_TRUE(agree(found[i], expected[i].d[0], 1.0, 1e5)) << found[i] << ' ' << expected[i].d[0];
        }
    }
}

TEST_F(DerivativeTest, ADeclaredRateOfAnInnerNodeReplacesTheChainRule) {
    const Expr angle = atan2(x, y);
    const Expr rate = g.variable(2);
    const Expr root = sin(angle) * 2.0;
    const auto declared = [&](std::uint32_t node) -> std::optional<Expr> {
        EXPECT_NE(node, x.node()) << "what lies below a declared node isn't asked for";
        if (node == angle.node()) return rate;
        return {};
    };
    EXPECT_TRUE(same(time_derivative(g, std::span(&root, 1), declared)[0], 2.0 * (rate * cos(angle))));
}

TEST_F(DerivativeTest, LeavesWithoutARateAreConstantAndTimeRunsAtOne) {
    const Expr root = x * g.time() + g.parameter(0);
    const auto nothing = [](std::uint32_t) -> std::optional<Expr> { return {}; };
    EXPECT_TRUE(same(time_derivative(g, std::span(&root, 1), nothing)[0], x));
}

TEST_F(DerivativeTest, EventMarksPassToTheDerivative) {
    const auto rate = [&](std::uint32_t node) { return rate_of_variable(g, node); };
    const Expr choice = if_else(apply(Op::less, x, y), x * x, y);
    const Expr expected = if_else(apply(Op::less, x, y), 2.0 * (g.derivative(0) * x), g.derivative(1));
    const std::array roots{apply(Op::no_event, choice), apply(Op::smooth, 2.0, choice), apply(Op::smooth, 0.0, choice)};
    const std::vector<Expr> rates = time_derivative(g, roots, rate);
    EXPECT_TRUE(same(rates[0], apply(Op::no_event, expected)));
    EXPECT_TRUE(same(rates[1], apply(Op::smooth, 1.0, expected)));
    EXPECT_TRUE(same(rates[2], expected));
}

// ---- substitution

TEST_F(DerivativeTest, SubstitutionRebuildsThroughTheSimplifier) {
    const std::array roots{sin(x) * y + x, y, Expr(2.0)};
    const auto x_is_zero = [&](std::uint32_t node) -> std::optional<Expr> {
        if (node == x.node()) return 0.0;
        return {};
    };
    const std::vector<Expr> result = substitute(g, roots, x_is_zero);
    EXPECT_TRUE(same(result[0], 0.0));
    EXPECT_TRUE(same(result[1], y));
    EXPECT_TRUE(same(result[2], 2.0));
}

TEST_F(DerivativeTest, AnswersAreUsedAsTheyAre) {
    const Expr root = exp(x) + x;
    const auto shift = [&](std::uint32_t node) -> std::optional<Expr> {
        if (node == x.node()) return x + 1.0;
        return {};
    };
    EXPECT_TRUE(same(substitute(g, std::span(&root, 1), shift)[0], exp(x + 1.0) + (x + 1.0)));
}

TEST_F(DerivativeTest, InnerNodesAreAskedBeforeTheirOperands) {
    const Expr inner = x * y;
    const Expr root = sin(inner);
    const auto replace = [&](std::uint32_t node) -> std::optional<Expr> {
        EXPECT_NE(node, x.node());
        if (node == inner.node()) return y;
        return {};
    };
    EXPECT_TRUE(same(substitute(g, std::span(&root, 1), replace)[0], sin(y)));
}

TEST_F(DerivativeTest, SubstitutionReachesEveryKindOfOperation) {
    const std::uint32_t one = g.add_table(Table1{{0.0, 1.0}, {0.0, 2.0}});
    const std::uint32_t two = g.add_table(Table2{{0.0, 1.0}, {0.0, 2.0}, {0.0, 2.0, 1.0, 5.0}});
    const auto all = [&](Expr a, Expr b) {
        return std::vector<Expr>{if_else(apply(Op::less, a, b), a, b),
                                 g.table1(one, a),
                                 g.table1_slope(one, a),
                                 g.table2(two, a, b),
                                 g.table2_slope_x(two, a, b),
                                 g.table2_slope_y(two, b, a),
                                 atan2(a, b),
                                 -a};
    };
    const Expr t = g.time();
    const Expr p = g.parameter(3);
    const auto rename = [&](std::uint32_t node) -> std::optional<Expr> {
        if (node == x.node()) return t;
        if (node == y.node()) return p;
        return {};
    };
    const std::vector<Expr> result = substitute(g, all(x, y), rename);
    const std::vector<Expr> expected = all(t, p);
    for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_TRUE(same(result[i], expected[i])) << i;
}

TEST_F(DerivativeTest, SubstitutionInAMillionOperationsIsNoProblem) {
    Expr from = x;
    Expr to = y;
    for (int i = 0; i < 1'000'000; ++i) {
        from = sin(from);
        to = sin(to);
    }
    const auto rename = [&](std::uint32_t node) -> std::optional<Expr> {
        if (node == x.node()) return y;
        return {};
    };
    EXPECT_TRUE(same(substitute(g, std::span(&from, 1), rename)[0], to));
}

}  // namespace
}  // namespace bondgraph::expression
