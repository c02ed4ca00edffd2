#include "bondgraph/simulation/cut_tangents.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>

#include "tests/expression/evaluate.hpp"

namespace bondgraph::simulation {
namespace {

using expression::agree, expression::by_dual_numbers, expression::Expr, expression::Graph, expression::Op,
    expression::Tape;

/// The Jacobian that is left after the cuts are eliminated, row by row as they were made.
Eigen::MatrixXd eliminated(const CutTangents& t, const std::vector<double>& entries) {
    const auto rows = static_cast<Eigen::Index>(t.pattern().rows());
    const Eigen::Index outputs = rows - t.cuts();
    Eigen::MatrixXd cuts = Eigen::MatrixXd::Zero(t.cuts(), t.columns());
    Eigen::MatrixXd jacobian = Eigen::MatrixXd::Zero(outputs, t.columns());
    const auto sum = [&](Eigen::Index row, auto&& into) {
        const auto columns = t.pattern().row(static_cast<std::size_t>(row));
        const double* entry = entries.data() + t.pattern().starts[static_cast<std::size_t>(row)];
        for (std::size_t e = 0; e < columns.size(); ++e) {
            const Eigen::Index column = columns[e];
            if (column < t.columns()) {
                into(column) += entry[e];
            } else if (column - t.columns() != row - outputs) {
                into += entry[e] * cuts.row(column - t.columns());
            } else {
                EXPECT_EQ(entry[e], -1.0);
            }
        }
    };
    for (Eigen::Index row = outputs; row < rows; ++row) sum(row, cuts.row(row - outputs));
    for (Eigen::Index row = 0; row < outputs; ++row) sum(row, jacobian.row(row));
    return jacobian;
}

/// A chain as of bodies: what each link adds depends on all before it, and each result on all of them.
std::vector<Expr> links(Graph& g, std::uint32_t count) {
    Expr angle = 0.0;
    Expr sum = 0.0;
    std::vector<Expr> carried;
    for (std::uint32_t k = 0; k < count; ++k) {
        angle = angle + g.variable(k) * cos(sum);
        sum = sum + sin(angle) * g.variable(k) + angle / (2.0 + cos(g.variable(k)));
        carried.push_back(sum * angle);
    }
    std::vector<Expr> outputs;
    Expr back = 0.0;
    for (std::uint32_t k = count; k-- > 0;) {
        back = back * cos(g.variable(k)) + carried[k];
        outputs.push_back(back);
    }
    return outputs;
}

TEST(CutTangents, OfAChainAreABandThatEliminatesToItsJacobian) {
    constexpr std::uint32_t kLinks = 40;
    Graph g;
    const Tape tape(g, links(g, kLinks), expression::layout_for(kLinks));
    std::vector<CutTangents::Seed> seeds;
    for (std::uint32_t k = 0; k < kLinks; ++k) seeds.push_back({1 + k, k});
    CutTangents tangents(tape, seeds, kLinks);
    EXPECT_GT(tangents.cuts(), 0U);
    EXPECT_LT(tangents.pattern().columns.size(), 20U * kLinks);
    std::vector<double> inputs(1 + 2 * kLinks, 0.0);
    for (std::uint32_t k = 0; k < kLinks; ++k) inputs[1 + k] = 0.3 + 0.01 * k;
    std::vector<double> speeds(kLinks, 2.0);
    std::vector<double> entries(tangents.pattern().columns.size());
    // Twice: what a first evaluation leaves must not show in the second.
    for (int turn = 0; turn < 2; ++turn) ASSERT_TRUE(tangents.evaluate(inputs, speeds, entries));
    const Eigen::MatrixXd jacobian = eliminated(tangents, entries);
    for (std::uint32_t k = 0; k < kLinks; ++k) {
        std::vector<double> direction(inputs.size(), 0.0);
        direction[1 + k] = 2.0;
        const std::vector<double> expected = by_dual_numbers(tape, inputs, direction);
        for (std::size_t o = 0; o < expected.size(); ++o) {
            EXPECT_TRUE(agree(jacobian(static_cast<Eigen::Index>(o), k), expected[o],
                              jacobian.row(static_cast<Eigen::Index>(o)).cwiseAbs().maxCoeff(), 1e4))
                << o << " " << k;
        }
    }
}

TEST(CutTangents, AgreeWithDualNumbersOnRandomExpressions) {
    constexpr std::uint32_t kVariables = 24;
    int compared = 0;
    std::uint32_t cuts = 0;
    for (unsigned seed = 0; seed < 40; ++seed) {
        Graph graph;
        const auto outputs = expression::random_expressions(graph, kVariables, 300, seed);
        const Tape tape(graph, outputs, expression::layout_for(kVariables));
        std::vector<CutTangents::Seed> seeds;
        for (std::uint32_t k = 0; k < kVariables; ++k) seeds.push_back({1 + k, (7 * k) % 20});  // some move together
        CutTangents tangents(tape, seeds, 20);
        const std::vector<double> inputs = expression::random_inputs(kVariables, seed);
        std::vector<double> entries(tangents.pattern().columns.size());
        if (!tangents.evaluate(inputs, std::vector<double>(seeds.size(), 1.0), entries)) continue;
        ++compared;
        cuts += tangents.cuts();
        const Eigen::MatrixXd jacobian = eliminated(tangents, entries);
        for (std::uint32_t column = 0; column < 20; ++column) {
            std::vector<double> direction(inputs.size(), 0.0);
            for (const auto& s : seeds) direction[s.input] = s.column == column ? 1.0 : 0.0;
            const std::vector<double> expected = by_dual_numbers(tape, inputs, direction);
            for (std::size_t o = 0; o < expected.size(); ++o) {
                const double scale = jacobian.row(static_cast<Eigen::Index>(o)).cwiseAbs().maxCoeff();
                EXPECT_TRUE(agree(jacobian(static_cast<Eigen::Index>(o), column), expected[o], scale, 1e6))
                    << "seed " << seed << " output " << o << " column " << column;
            }
        }
    }
    EXPECT_GT(compared, 5);
    EXPECT_GT(cuts, 0U);
}

TEST(CutTangents, ABranchNotTakenDoesNotLeak) {
    Graph g;
    const Expr x = g.variable(0);
    const Expr y = g.variable(1);
    const std::vector<Expr> f{if_else(apply(Op::greater, x, g.constant(0.0)), sqrt(-x) * y, 5.0 * x)};
    const Tape tape(g, f, expression::layout_for(2));
    CutTangents tangents(tape, {{1, 0}, {2, 1}}, 2);
    std::vector<double> entries(tangents.pattern().columns.size());
    ASSERT_TRUE(
        tangents.evaluate(std::vector<double>{0.0, 0.0, 3.0, 0.0, 0.0}, std::vector<double>{1.0, 1.0}, entries));
    EXPECT_EQ(eliminated(tangents, entries)(0, 0), 5.0);
    EXPECT_FALSE(tangents.evaluate(std::vector<double>{0.0, std::nan(""), 3.0, 0.0, 0.0}, std::vector<double>{1.0, 1.0},
                                   entries));
}

}  // namespace
}  // namespace bondgraph::simulation
