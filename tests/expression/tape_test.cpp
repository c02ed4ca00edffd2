#include "bondgraph/expression/tape.hpp"

#include <gtest/gtest.h>

#include <array>
#include <functional>
#include <random>
#include <set>
#include <stdexcept>

#include "tests/expression/allocations.hpp"
#include "tests/expression/evaluate.hpp"

namespace bondgraph::expression {
namespace {

/// The value of every node by the definition of its operation, without a tape.
double by_definition(const Graph& g, Expr root, const std::vector<double>& inputs) {
    const std::uint32_t root_node = root.node();
    const InputLayout layout = layout_for(static_cast<std::uint32_t>((inputs.size() - 1) / 2));
    std::vector<double> value(g.size());
    for (const std::uint32_t node : reachable(g, std::span(&root_node, 1))) {
        const Node n = g[node];
        const auto at = [&](std::uint32_t operand) { return operand == kNoNode ? 0.0 : value[operand]; };
        if (n.op == Op::constant) {
            value[node] = n.number();
        } else if (operand_count(n.op) == 0) {
            value[node] = inputs[layout.slot(n)];
        } else {
            value[node] = evaluate_op(n.op, at(n.a), at(n.b), at(n.c));
        }
    }
    return value[root_node];
}

class TapeTest : public ::testing::Test {
   protected:
    Tape tape_of(std::initializer_list<Expr> outputs, std::uint32_t n = 3) const {
        return {g, std::vector<Expr>(outputs), layout_for(n)};
    }

    Graph g;
    Expr x = g.variable(0);
    Expr y = g.variable(1);
    Expr z = g.variable(2);
};

TEST_F(TapeTest, RandomExpressionsHaveTheValueOfTheirDefinition) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        Graph graph;
        const std::vector<Expr> outputs = random_expressions(graph, 3, 300, seed);
        const std::vector<double> inputs = random_inputs(3, seed);
        const std::vector<double> values = evaluate<double>(graph, outputs, inputs);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            EXPECT_EQ(values[i], by_definition(graph, outputs[i], inputs)) << "seed " << seed;
        }
    }
}

TEST_F(TapeTest, EveryOperationHasTheValueOfItsDefinition) {
    for (const double a : {-1.5, 0.0, 0.4}) {
        for (const double b : {-2.0, 0.0, 0.4}) {
            const std::vector<double> inputs{0.0, a, b, 0.0, 0.0};
            for (const Op op : all_unary_operations()) {
                EXPECT_TRUE(agree(evaluate<double>(g, apply(op, x), inputs), evaluate_op(op, a), 0.0, 0.0))
                    << op_name(op);
            }
            for (const Op op : all_binary_operations()) {
                EXPECT_TRUE(agree(evaluate<double>(g, apply(op, x, y), inputs), evaluate_op(op, a, b), 0.0, 0.0))
                    << op_name(op) << ' ' << a << ' ' << b;
            }
        }
    }
}

TEST_F(TapeTest, RoundingBoundsWhatCancellationLeaves) {
    const auto bound_at = [&](Expr f, double x_value, double y_value) {
        return tape_of({f}).rounding(std::vector<double>{0.0, x_value, y_value, 0.0, 0.0, 0.0, 0.0}).front();
    };
    const double unit = std::numeric_limits<double>::epsilon() / 2;
    // exp(x) - 1 has the value 0 instead of 1e-20; beside exp(x) = 1 that is much less than one rounding.
    EXPECT_GE(bound_at(1e-6 * (exp(x) - 1.0), 1e-20, 0.0), 1e-26);
    EXPECT_LE(bound_at(1e-6 * (exp(x) - 1.0), 1e-20, 0.0), 4e-6 * unit);
    EXPECT_GE(bound_at((x + y) - y, 0.3, 1e16), 0.3);
    EXPECT_LE(bound_at((x + y) - y, 0.3, 1e16), 4.0);
    EXPECT_EQ(bound_at(x * y - 2.0 * x, 0.0, 3.0), 0.0);
    EXPECT_LE(bound_at(if_else(y, x, 1e20 * y + 1.0), 1.0, 1.0), 4.0 * unit);  // a branch not taken is silent
}

TEST_F(TapeTest, RoundingBoundsTheErrorNearAMultipleRoot) {
    // (x - 1)^6 multiplied out and summed by Horner's rule; long double has 11 bits more.
    const std::array<double, 7> coefficient{1.0, -6.0, 15.0, -20.0, 15.0, -6.0, 1.0};
    Expr sum = 0.0;
    for (const double c : coefficient) sum = sum * x + Expr(c);
    const Tape tape = tape_of({sum});
    std::vector<double> w = tape.make_workspace<double>();
    double most = 0.0;
    for (int k = -200; k <= 200; ++k) {
        const double at = 1.0 + 1e-5 * k;
        const std::vector<double> in{0.0, at, 0.0, 0.0, 0.0, 0.0, 0.0};
        std::vector<double> out(1);
        tape.evaluate<double>(in, out, w);
        long double exact = 0.0;
        for (const double c : coefficient) exact = exact * at + c;
        const auto error = static_cast<double>(std::abs(out[0] - exact));
        const double bound = tape.rounding(in).front();
        EXPECT_LE(error, bound) << "at " << at;
        most = std::max(most, error / bound);
    }
    EXPECT_GE(most, 0.02);
}

TEST_F(TapeTest, OutputsMayBeInputsNumbersAndRepeated) {
    const Tape tape = tape_of({x, 2.5, g.constant(2.5), x * y, x * y, g.derivative(1), g.time()});
    std::vector<double> w = tape.make_workspace<double>();
    std::vector<double> out(tape.output_count());
    const std::vector<double> in{7.0, 2.0, 3.0, 0.0, 0.0, 5.0, 0.0};
    tape.evaluate<double>(in, out, w);
    EXPECT_EQ(out, (std::vector{2.0, 2.5, 2.5, 6.0, 6.0, 5.0, 7.0}));
    EXPECT_EQ(tape.instructions().size(), 1U);
}

TEST_F(TapeTest, RegistersAreReusedAfterTheirLastUse) {
    Expr e = x;
    for (int i = 0; i < 1000; ++i) e = sin(e) * y;
    const Tape tape = tape_of({e});
    EXPECT_EQ(tape.instructions().size(), 2000U);
    EXPECT_EQ(tape.register_count(), tape.input_count() + 1U);
}

TEST_F(TapeTest, WhatRoundingTakesIsPutBack) {
    const double large = 1e12 + 0.3;
    const double digit = 5e-5;  // of x, beyond what a number of this size holds
    const auto corrected = [&](Expr f) {
        const Tape tape = tape_of({f});
        std::vector<double> in(tape.input_count(), 0.0);
        std::vector<double> further(tape.input_count(), 0.0);
        in[1] = large;
        in[2] = 0.7;
        further[1] = digit;
        return tape.corrected(in, further).front();
    };
    const double exact = -(large * 1e-9 + digit * 1e-9);  // 1e-4 of it would be lost
    EXPECT_NEAR(corrected(x * y - x * (y + 1e-9)), exact, 1e-15 * std::abs(exact));
    EXPECT_NEAR(corrected(x / (3.0 + y) * (3.0 + y) - x), 0.0, 1e-18);
    EXPECT_EQ(corrected(x - large), digit);
}

TEST_F(TapeTest, RegistersOfOutputsAreNeverReused) {
    std::vector<Expr> outputs;
    Expr e = x;
    for (int i = 0; i < 20; ++i) outputs.push_back(e = sin(e) * y);
    const std::vector<double> inputs{0.0, 0.7, 1.3, 0.0, 0.0};
    const std::vector<double> values = evaluate<double>(g, outputs, inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) EXPECT_EQ(values[i], by_definition(g, outputs[i], inputs));
}

TEST_F(TapeTest, AWorkspaceServesManyEvaluations) {
    const Expr e = sin(x) + 3.0 * y * sin(x);
    const Tape tape = tape_of({e});
    std::vector<double> w = tape.make_workspace<double>();
    std::vector<double> out(1);
    for (unsigned seed = 0; seed < 10; ++seed) {
        const std::vector<double> inputs = random_inputs(3, seed);
        tape.evaluate<double>(inputs, out, w);
        EXPECT_EQ(out[0], by_definition(g, e, inputs));
    }
}

TEST_F(TapeTest, EvaluationDoesNotAllocate) {
    const Expr e = atan2(sin(x) / y, pow(abs(y), 1.5)) + if_else(apply(Op::less, x, y), x, exp(y));
    const Tape tape = tape_of({e, sin(e)});
    std::vector<double> w = tape.make_workspace<double>();
    std::vector<Jet<4>> w4 = tape.make_workspace<Jet<4>>();
    std::vector<double> out(2);
    std::vector<Jet<4>> out4(2);
    const std::vector<double> in(tape.input_count(), 0.5);
    const std::vector<Jet<4>> in4(tape.input_count(), Jet<4>(0.5));
    const std::size_t before = allocation_count();
    tape.evaluate<double>(in, out, w);
    tape.evaluate<Jet<4>>(in4, out4, w4);
    EXPECT_EQ(allocation_count(), before);
    EXPECT_GT(before, 0U) << "the counter counts nothing";
}

TEST_F(TapeTest, EventMarksCostNothing) {
    const Expr s = sign(x) * y;
    const Tape tape = tape_of({apply(Op::no_event, s), apply(Op::smooth, 1.0, s), sin(apply(Op::no_event, s))});
    EXPECT_EQ(tape.instructions().size(), 3U) << "sign, product, sin";
    std::vector<double> w = tape.make_workspace<double>();
    std::vector<double> out(3);
    tape.evaluate<double>(std::vector{0.0, -2.0, 3.0, 0.0, 0.0, 0.0, 0.0}, out, w);
    EXPECT_EQ(out, (std::vector{-3.0, -3.0, std::sin(-3.0)}));
}

TEST_F(TapeTest, TheBranchNotTakenLeaksNothing) {
    const Expr safe = if_else(apply(Op::greater, x, 0.0), sqrt(x), 0.0);
    EXPECT_EQ(evaluate<double>(g, safe, {0.0, -1.0, 0.0}), 0.0);
    EXPECT_EQ(evaluate<double>(g, safe, {0.0, 4.0, 0.0}), 2.0);
    const Jet<1> jet = evaluate<Jet<1>>(g, safe, {0.0, Jet<1>::seed(-1.0, 0), 0.0});
    EXPECT_EQ(jet.v, 0.0);
    EXPECT_EQ(jet.d[0], 0.0);
}

TEST_F(TapeTest, TablesAreEvaluatedWithTheirSlopes) {
    const std::uint32_t one = g.add_table(Table1{{0.0, 1.0, 2.0}, {0.0, 2.0, 1.0}});
    const std::uint32_t two = g.add_table(Table2{{0.0, 1.0}, {0.0, 2.0}, {0.0, 2.0, 1.0, 5.0}});
    const auto at = [&](Expr e) {
        return evaluate<Jet<4>>(g, e, {0.0, Jet<4>::seed(0.25, 0), Jet<4>::seed(0.5, 1), 0.0, 0.0});
    };
    EXPECT_EQ(at(g.table1(one, x)).v, 0.5);
    EXPECT_EQ(at(g.table1(one, x)).d[0], 2.0);
    EXPECT_EQ(at(g.table1_slope(one, x)).v, 2.0);
    EXPECT_EQ(at(g.table1_slope(one, x)).d[0], 0.0);
    EXPECT_EQ(at(g.table2(two, x, y)).v, g.tables().two[0].value(0.25, 0.5));
    EXPECT_EQ(at(g.table2(two, x, y)).d[0], at(g.table2_slope_x(two, x, y)).v);
    EXPECT_EQ(at(g.table2(two, x, y)).d[1], at(g.table2_slope_y(two, x, y)).v);
    EXPECT_EQ(at(g.table2_slope_x(two, x, y)).v, g.tables().two[0].slope_x(0.25, 0.5));
}

TEST_F(TapeTest, ALeafWithoutAnInputIsAnError) {
    EXPECT_THROW(tape_of({g.variable(3)}), std::logic_error);
    EXPECT_THROW(tape_of({sin(g.parameter(0))}), std::logic_error);
    InputLayout no_time = layout_for(3);
    no_time.time = kNoNode;
    const Expr t = g.time();
    EXPECT_THROW(Tape(g, std::span(&t, 1), no_time), std::logic_error);
}

TEST_F(TapeTest, WrongSizesAreAnError) {
    const Tape tape = tape_of({x + y});
    std::vector<double> w = tape.make_workspace<double>();
    std::vector<double> out(1);
    EXPECT_THROW(tape.evaluate<double>(std::vector<double>(2), out, w), std::logic_error);
    w.pop_back();
    EXPECT_THROW(tape.evaluate<double>(std::vector<double>(7), out, w), std::logic_error);
}

// ---- dependencies

TEST_F(TapeTest, DependenciesAreThoseOfTheGraph) {
    for (unsigned seed = 0; seed < 20; ++seed) {
        Graph graph;
        const std::uint32_t n = 12;
        const std::vector<Expr> outputs = random_expressions(graph, n, 40, seed);
        const InputLayout layout = layout_for(n);
        std::vector<bool> wanted(layout.size, true);
        wanted[0] = wanted[5] = false;
        const auto found = Tape(graph, outputs, layout).dependencies(wanted);
        for (std::size_t i = 0; i < outputs.size(); ++i) {
            std::set<std::uint32_t> expected;
            const std::uint32_t root = outputs[i].node();
            for (const std::uint32_t node : reachable(graph, std::span(&root, 1))) {
                const std::uint32_t slot = layout.slot(graph[node]);
                if (slot != kNoNode && wanted[slot]) expected.insert(slot);
            }
            EXPECT_EQ(found[i], std::vector(expected.begin(), expected.end())) << "seed " << seed << " output " << i;
        }
    }
}

// Sets that grow and meet: few with few, few with many, many with many.
TEST_F(TapeTest, DependenciesOnFewAndOnManyInputsAreUnited) {
    constexpr std::uint32_t kInputs = 700;
    std::mt19937 random(3);
    std::vector<Expr> sums;
    std::vector<std::set<std::uint32_t>> expected;
    for (std::uint32_t i = 0; i < kInputs; ++i) {
        sums.push_back(g.variable(i));
        expected.push_back({1 + i});
    }
    for (int k = 0; k < 600; ++k) {
        const std::size_t a = sums.size() - 1 - random() % 3;
        const std::size_t b = random() % sums.size();
        sums.push_back(sin(sums[a]) * sums[b]);
        expected.push_back(expected[a]);
        expected.back().insert(expected[b].begin(), expected[b].end());
    }
    const InputLayout layout = layout_for(kInputs);
    const auto found = Tape(g, sums, layout).dependencies(std::vector<bool>(layout.size, true));
    std::size_t most = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
        ASSERT_EQ(found[i], std::vector(expected[i].begin(), expected[i].end())) << i;
        most = std::max(most, found[i].size());
    }
    EXPECT_GT(most, 200U);
}

TEST_F(TapeTest, DependenciesOfALongChainAndALongSumComeInGoodTime) {
    const std::uint32_t n = 100'000;
    Expr chain = x;
    Expr sum = 0.0;
    for (std::uint32_t i = 0; i < n; ++i) {
        chain = sin(chain) * y;
        sum = sum + 2.0 * g.variable(i);
    }
    const InputLayout layout = layout_for(n);
    const auto found = Tape(g, std::array{chain, sum}, layout).dependencies(std::vector<bool>(layout.size, true));
    EXPECT_EQ(found[0], (std::vector<std::uint32_t>{1, 2}));
    EXPECT_EQ(found[1].size(), n);
}

// ---- finding what isn't finite

TEST_F(TapeTest, TheFirstOperationWithoutAFiniteResultIsNamed) {
    const Expr culprit = log(x - 1.0);
    const Tape tape = tape_of({y + 1.0, sin(culprit * y) + culprit});
    EXPECT_EQ(tape.first_not_finite(std::vector{0.0, 0.5, 2.0, 0.0, 0.0, 0.0, 0.0}), culprit.node());
    EXPECT_EQ(tape.first_not_finite(std::vector{0.0, 1.5, 2.0, 0.0, 0.0, 0.0, 0.0}), kNoNode);
}

TEST_F(TapeTest, BranchesNotTakenAreNoReasonForWhatIsNotFinite) {
    const Expr innocent = if_else(apply(Op::greater, x, 0.0), sqrt(x), 0.0);
    const Expr culprit = innocent / y;
    EXPECT_EQ(tape_of({culprit}).first_not_finite(std::vector{0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0}), culprit.node());
}

TEST_F(TapeTest, AnUnfoldedOperationOnConstantsIsNamed) {
    const Expr culprit = 1.0 / g.constant(0.0);
    EXPECT_EQ(tape_of({x + culprit}).first_not_finite(std::vector<double>(7, 1.0)), culprit.node());
}

TEST_F(TapeTest, AMillionOperationsAreNoProblem) {
    Expr e = x;
    for (int i = 0; i < 1'000'000; ++i) e = sin(e);
    const Tape tape = tape_of({e});
    EXPECT_EQ(tape.register_count(), tape.input_count() + 1U);
    EXPECT_TRUE(std::isfinite(evaluate<double>(g, e, {0.0, 1.0, 0.0})));
    EXPECT_EQ(tape.dependencies(std::vector<bool>(7, true))[0], std::vector<std::uint32_t>{1});
}

// ---- jets, against difference quotients

TEST_F(TapeTest, DerivativesOfJetsAreTheLimitsOfDifferenceQuotients) {
    const Expr a = x;
    const std::vector<std::pair<const char*, Expr>> functions{
        {"add", a + 3.0 * a + 2.0},
        {"divide", (a - 2.0) / (a * a + 1.0)},
        {"abs", abs(a - 2.0)},
        {"pow of base", pow(a, 1.7)},
        {"pow of negative base", pow(a - 2.0, 3.0)},
        {"pow of exponent", pow(1.7, a)},
        {"pow of both", pow(a, a)},
        {"atan2", atan2(a, 2.0 - a * a)},
        {"min", min(a, a * a)},
        {"max", max(a, a * a)},
        {"guarded_multiply", apply(Op::guarded_multiply, a, sin(a))},
        {"if", if_else(apply(Op::less, a, 0.5), a * a, sin(a))},
    };
    for (const auto& [name, f] : functions) {
        for (const double at : {0.15, 0.4, 0.9}) {
            const double h = 1e-5;
            const auto value = [&](double v) { return evaluate<double>(g, f, {0.0, v, 0.0}); };
            const double quotient = (value(at + h) - value(at - h)) / (2.0 * h);
            const double exact = evaluate<Jet<1>>(g, f, {0.0, Jet<1>::seed(at, 0), 0.0}).d[0];
            EXPECT_NEAR(exact, quotient, 1e-7 * (1.0 + std::abs(exact))) << name << " at " << at;
        }
    }
}

TEST_F(TapeTest, DirectionsAlongWhichNothingMovesStayZeroAtSingularPoints) {
    using J = Jet<4>;
    const auto at = [&](Expr e, double vx, double vy) {
        return evaluate<J>(g, e, {0.0, J::seed(vx, 1), J(vy), 0.0, 0.0});
    };
    for (const J& jet : {at(sqrt(x), 0.0, 0.0), at(pow(x, 0.3), 0.0, 0.0), at(apply(Op::asin, x), 1.0, 0.0),
                         at(apply(Op::acos, x), 1.0, 0.0), at(atan2(x, y), 0.0, 0.0), at(pow(y, 2.5), 0.0, -2.0)}) {
        EXPECT_EQ(jet.d[0], 0.0);
        EXPECT_EQ(jet.d[3], 0.0);
    }
    EXPECT_TRUE(std::isinf(at(sqrt(x), 0.0, 0.0).d[1]));
    EXPECT_EQ(at(apply(Op::guarded_multiply, x, y), 0.0, std::numeric_limits<double>::infinity()).v, 0.0);
    EXPECT_EQ(at(abs(x), 0.0, 0.0).d[1], 0.0);
}

}  // namespace
}  // namespace bondgraph::expression
