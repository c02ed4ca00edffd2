// Large networks without states: solved for where something changes, with earlier solutions where sources alone do.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <array>
#include <cmath>
#include <functional>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

constexpr std::size_t kSide = 36;  // more than 1 000 nodes

/// Nodes in rows and columns joined by 1 ohm; two corners on one side are fed by sources of voltage through 1 ohm each,
/// 1 ohm leads from the last corner to ground.
std::string grid(const std::string& first, const std::string& second) {
    std::string components =
        fmt::format("components:\n  A: {{type: Se, e: {}}}\n  B: {{type: Se, e: {}}}\n  load: {{type: R, R: 1 ohm}}\n",
                    first, second);
    std::string bonds = fmt::format("bonds:\n  - n{0}_{0} -> load\n", kSide - 1);
    const auto branch = [&](const std::string& name, const std::string& from, const std::string& to) {
        components += fmt::format("  j{0}: {{type: 1}}\n  r{0}: {{type: R, R: 1 ohm}}\n", name);
        bonds += fmt::format("  - {1} -> j{0}\n  - j{0} -> {2}\n  - j{0} -> r{0}\n", name, from, to);
    };
    const auto node = [](std::size_t i, std::size_t k) { return fmt::format("n{}_{}", i, k); };
    for (std::size_t i = 0; i < kSide; ++i) {
        for (std::size_t k = 0; k < kSide; ++k) {
            components += fmt::format("  {}: {{type: 0, domain: electrical}}\n", node(i, k));
            if (i + 1 < kSide) branch(fmt::format("v{}_{}", i, k), node(i, k), node(i + 1, k));
            if (k + 1 < kSide) branch(fmt::format("h{}_{}", i, k), node(i, k), node(i, k + 1));
        }
    }
    branch("A", "A", node(0, 0));
    branch("B", "B", node(0, kSide - 1));
    return components + bonds;
}

/// Currents of the two sources for voltages of them: the conductances of the grid by nodal analysis.
Eigen::Matrix2d conductances() {
    constexpr auto n = static_cast<int>(kSide);
    const auto node = [&](int i, int k) { return i * n + k; };
    std::vector<Eigen::Triplet<double>> entries;
    const auto join = [&](int a, int b) {
        for (const int at : {a, b}) entries.emplace_back(at, at, 1.0);
        entries.emplace_back(a, b, -1.0);
        entries.emplace_back(b, a, -1.0);
    };
    for (int i = 0; i < n; ++i) {
        for (int k = 0; k < n; ++k) {
            if (i + 1 < n) join(node(i, k), node(i + 1, k));
            if (k + 1 < n) join(node(i, k), node(i, k + 1));
        }
    }
    const std::array fed{node(0, 0), node(0, n - 1)};
    for (const int at : {fed[0], fed[1], node(n - 1, n - 1)}) entries.emplace_back(at, at, 1.0);
    Eigen::SparseMatrix<double> matrix(n * n, n * n);
    matrix.setFromTriplets(entries.begin(), entries.end());
    const Eigen::SimplicialLDLT<Eigen::SparseMatrix<double>> factors(matrix);
    Eigen::Matrix2d result;
    for (int source = 0; source < 2; ++source) {
        Eigen::VectorXd right = Eigen::VectorXd::Zero(n * n);
        right(fed[static_cast<std::size_t>(source)]) = 1.0;
        const Eigen::VectorXd potential = factors.solve(right);
        for (int at = 0; at < 2; ++at)
            result(at, source) = (at == source ? 1.0 : 0.0) - potential(fed[static_cast<std::size_t>(at)]);
    }
    return result;
}

void follows(const std::string& first, const std::string& second, const std::function<Eigen::Vector2d(double)>& of) {
    Pipeline p(grid(first, second));
    ASSERT_EQ(p.compiled().state_count, 0U);
    const auto run = p.run({.stop = 1.0, .tolerance = 1e-6, .interval = 0.125}, {"rA.f", "rB.f"});
    ASSERT_FALSE(run.summary.failure);
    const Eigen::Matrix2d g = conductances();
    ASSERT_EQ(run.result.time.size(), 9U);
    for (std::size_t row = 0; row < run.result.time.size(); ++row) {
        const Eigen::Vector2d current = g * of(run.result.time[row]);
        EXPECT_NEAR(run.result.at(row, 0), current(0), 1e-12) << row;
        EXPECT_NEAR(run.result.at(row, 1), current(1), 1e-12) << row;
    }
    double supplied = 0.0;
    constexpr int kParts = 20'000;
    for (int k = 0; k < kParts; ++k) {
        const Eigen::Vector2d voltage = of((k + 0.5) / kParts);
        supplied += voltage.dot(g * voltage) / kParts;
    }
    EXPECT_NEAR(run.summary.energy.supplied, supplied, 1e-8 * supplied);
    EXPECT_NEAR(run.summary.energy.dissipated, supplied, 1e-8 * supplied);
}

TEST(ResistorGrids, ConstantSourcesGiveConstantCurrents) {
    follows("3 V", "-1 V", [](double) { return Eigen::Vector2d(3.0, -1.0); });
}

TEST(ResistorGrids, CurrentsFollowOneFunctionOfTime) {
    follows("2*sin(7*time)", "0 V", [](double t) { return Eigen::Vector2d(2.0 * std::sin(7.0 * t), 0.0); });
}

TEST(ResistorGrids, CurrentsFollowTwoFunctionsOfTime) {
    follows("exp(-20*time)", "0.3 + cos(5*time)",
            [](double t) { return Eigen::Vector2d(std::exp(-20.0 * t), 0.3 + std::cos(5.0 * t)); });
}

TEST(ResistorGrids, RowsOfTornMeshesStayNarrow) {
    Pipeline p(grid("3 V", "1 V"));
    const compile::CompiledModel& m = p.compiled();
    EXPECT_GT(m.size(), kSide * kSide);
    EXPECT_LT(m.pattern.columns.size(), 10 * m.size());
}

}  // namespace
}  // namespace bondgraph
