// Many branches at one junction: a row of the Jacobian that names them all, among rows that name few.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "bondgraph/simulation/evaluator.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

/// A source of 1 V behind 1 ohm, and branches of a resistor and a capacitor each behind it.
std::string star(std::size_t branches, bool equal) {
    std::string components =
        "components:\n  V: {type: Se, e: 1 V}\n  jV: {type: 1}\n  rV: {type: R, R: 1 ohm}\n"
        "  hub: {type: 0, domain: electrical}\n";
    std::string bonds = "bonds:\n  - V -> jV\n  - jV -> rV\n  - jV -> hub\n";
    for (std::size_t k = 0; k < branches; ++k) {
        components += fmt::format("  j{}: {{type: 1}}\n  r{}: {{type: R, R: {} ohm}}\n  c{}: {{type: C, C: 1 F}}\n", k,
                                  k, equal ? 2 : 2 + k % 7, k);
        bonds += fmt::format("  - hub -> j{}\n  - j{} -> r{}\n  - j{} -> c{}\n", k, k, k, k, k);
    }
    return components + bonds;
}

TEST(Stars, EqualBranchesChargeLikeOne) {
    constexpr std::size_t n = 900;
    Pipeline p(star(n, true));
    const auto run = p.run({.stop = 900.0, .tolerance = 1e-8, .interval = 300.0}, {"c0.e", "c899.e"});
    for (std::size_t row = 0; row < run.result.time.size(); ++row) {
        // n branches side by side: n farad behind 1 + 2/n ohm.
        const double expected = 1.0 - std::exp(-run.result.time[row] / (n + 2.0));
        EXPECT_NEAR(run.result.at(row, 0), expected, 1e-6);
        EXPECT_NEAR(run.result.at(row, 1), expected, 1e-6);
    }
}

TEST(Stars, TheJacobianIsThatOfDifferences) {
    Pipeline p(star(700, false));
    const compile::CompiledModel& m = p.compiled();
    simulation::Evaluator evaluator(m);
    std::vector<double> y(m.size()), yp(m.size()), alpha(m.size()), beta(m.size());
    for (std::size_t j = 0; j < m.size(); ++j) {
        y[j] = std::sin(1.0 + j);
        yp[j] = std::cos(2.0 * j);
        alpha[j] = 1.0 + j % 3;
        beta[j] = 0.25 * (j % 5);
    }
    std::vector<double> entries(m.pattern.columns.size());
    ASSERT_TRUE(evaluator.jacobian(0.0, y, yp, alpha, beta, entries));
    std::size_t widest = 0;
    for (std::size_t r = 0; r < m.pattern.rows(); ++r) widest = std::max(widest, m.pattern.row(r).size());
    EXPECT_GT(widest, 256U) << "no row is wide: this test sees nothing";
    // The model is linear: differences of any length are exact.
    const Eigen::SparseMatrix<double> matrix = test::matrix_of(m.pattern, entries);
    std::vector<double> before(m.size()), after(m.size());
    ASSERT_TRUE(evaluator.residual(0.0, y, yp, before));
    for (std::size_t j = 0; j < m.size(); j += 37) {
        auto moved = y, moved_rate = yp;
        moved[j] += alpha[j];
        moved_rate[j] += beta[j];
        ASSERT_TRUE(evaluator.residual(0.0, moved, moved_rate, after));
        for (std::size_t r = 0; r < m.size(); ++r)
            ASSERT_NEAR(matrix.coeff(static_cast<int>(r), static_cast<int>(j)), after[r] - before[r], 1e-9)
                << r << " " << j;
    }
}

}  // namespace
}  // namespace bondgraph
