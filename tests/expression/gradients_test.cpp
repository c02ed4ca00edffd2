#include "bondgraph/expression/gradients.hpp"

#include <gtest/gtest.h>

#include "tests/expression/evaluate.hpp"

namespace bondgraph::expression {
namespace {

TEST(Gradients, AgreeWithDualNumbersOnRandomExpressions) {
    constexpr std::uint32_t kVariables = 6;
    for (unsigned seed = 0; seed < 40; ++seed) {
        Graph graph;
        const std::vector<Expr> outputs = random_expressions(graph, kVariables, 200, seed);
        const Tape tape(graph, outputs, layout_for(kVariables));
        std::vector<std::uint32_t> chosen;
        for (std::uint32_t k = 0; k < outputs.size(); k += 1 + seed % 3) chosen.push_back(k);
        Gradients gradients(tape, chosen);
        const std::vector<double> inputs = random_inputs(kVariables, seed);
        // Twice: what a first evaluation leaves behind must not show in the second.
        for (int turn = 0; turn < 2; ++turn) gradients.evaluate(inputs);
        for (std::size_t i = 0; i < inputs.size(); ++i) {
            std::vector<double> direction(inputs.size(), 0.0);
            direction[i] = 1.0;
            const std::vector<double> expected = by_dual_numbers(tape, inputs, direction);
            for (std::size_t k = 0; k < chosen.size(); ++k) {
                const double found = gradients.gradient(k)[i];
                const double wanted = expected[chosen[k]];
                if (!std::isfinite(wanted)) continue;
                EXPECT_NEAR(found, wanted, 1e-9 * (1.0 + std::abs(wanted))) << "output " << chosen[k] << " input " << i;
            }
        }
    }
}

TEST(Gradients, OfALongSumAreItsCoefficients) {
    constexpr std::uint32_t kTerms = 5000;
    Graph graph;
    Expr sum = 0.0;
    for (std::uint32_t k = 0; k < kTerms; ++k) sum += Expr(1.0 + k) * graph.variable(k);
    const Tape tape(graph, std::vector<Expr>{graph.variable(3) * graph.variable(4), sum}, layout_for(kTerms));
    const std::vector<std::uint32_t> second{1};
    Gradients gradients(tape, second);
    gradients.evaluate(std::vector<double>(tape.input_count(), 0.5));
    for (std::uint32_t k = 0; k < kTerms; ++k) ASSERT_EQ(gradients.gradient(0)[1 + k], 1.0 + k);
}

}  // namespace
}  // namespace bondgraph::expression
