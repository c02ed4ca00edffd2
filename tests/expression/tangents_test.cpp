#include "bondgraph/expression/tangents.hpp"

#include <gtest/gtest.h>

#include "tests/expression/evaluate.hpp"

namespace bondgraph::expression {
namespace {

/// Every lane of the tangents against dual numbers in that lane's direction alone.
void compare(const Tape& tape, const std::vector<Tangents::Seed>& seeds, const std::vector<double>& speeds,
             const std::vector<double>& inputs, std::size_t lanes) {
    Tangents tangents(tape, seeds);
    // Twice: what a first evaluation leaves in the registers must not show in the second.
    for (int turn = 0; turn < 2; ++turn) tangents.evaluate(inputs, speeds);
    std::vector<double> plain(tape.output_count());
    auto work = tape.make_workspace<double>();
    tape.evaluate<double>(inputs, plain, work);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
        std::vector<double> direction(inputs.size(), 0.0);
        for (std::size_t s = 0; s < seeds.size(); ++s) {
            if (seeds[s].lane == lane) direction[seeds[s].input] = speeds[s];
        }
        const std::vector<double> expected = by_dual_numbers(tape, inputs, direction);
        for (std::size_t k = 0; k < expected.size(); ++k) {
            EXPECT_TRUE(agree(tangents.slope(k, lane), expected[k], std::abs(expected[k])))
                << "output " << k << " lane " << lane << ": " << tangents.slope(k, lane) << " " << expected[k];
        }
    }
    for (std::size_t k = 0; k < plain.size(); ++k) EXPECT_TRUE(agree(tangents.value(k), plain[k], 0.0, 0.0));
}

TEST(Tangents, AgreeWithDualNumbersOnRandomExpressions) {
    constexpr std::uint32_t kVariables = 6;
    for (unsigned seed = 0; seed < 40; ++seed) {
        Graph graph;
        const std::vector<Expr> outputs = random_expressions(graph, kVariables, 200, seed);
        const Tape tape(graph, outputs, layout_for(kVariables));
        // Some variables only, two of them along one lane, in no order.
        const std::vector<Tangents::Seed> seeds{{5, 0}, {2, 3}, {1, 1}, {6, 3}, {3, 2}};
        compare(tape, seeds, {1.0, -0.5, 2.0, 1.0, 0.25}, random_inputs(kVariables, seed), 4);
    }
}

class TangentsAt : public ::testing::Test {
   protected:
    double slope(Expr f, double x_value, double y_value) {
        const Tape tape(g, std::vector<Expr>{f}, layout_for(2));
        Tangents tangents(tape, {{1, 0}, {2, 1}});
        tangents.evaluate(std::vector<double>{0.0, x_value, y_value, 0.0, 0.0}, std::vector<double>{1.0, 1.0});
        return tangents.slope(0, 0);
    }

    Graph g;
    Expr x = g.variable(0);
    Expr y = g.variable(1);
};

TEST_F(TangentsAt, ADirectionAlongWhichNothingMovesStaysZeroBesideASingularPoint) {
    EXPECT_EQ(slope(x + sqrt(y), 2.0, 0.0), 1.0);
    EXPECT_EQ(slope(sqrt(x * y), 0.0, 4.0), std::numeric_limits<double>::infinity());
}

TEST_F(TangentsAt, ABranchNotTakenDoesNotLeak) {
    EXPECT_EQ(slope(if_else(apply(Op::greater, x, g.constant(0.0)), x * y, sqrt(x) * y), 2.0, 3.0), 3.0);
    EXPECT_EQ(slope(if_else(apply(Op::greater, x, g.constant(0.0)), sqrt(-x) * y, 5.0 * x), 0.0, 3.0), 5.0);
    EXPECT_EQ(slope(min(x, sqrt(x + 2.0) + y), -2.0, 3.0), 1.0);
}

TEST_F(TangentsAt, APlainCopyOfAnInputHasTheInputsSlope) { EXPECT_EQ(slope(x, 2.0, 3.0), 1.0); }

}  // namespace
}  // namespace bondgraph::expression
