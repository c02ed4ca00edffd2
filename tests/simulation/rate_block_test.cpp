#include "bondgraph/simulation/rate_block.hpp"

#include <gtest/gtest.h>

#include "tests/support/pipeline.hpp"

namespace bondgraph::simulation {
namespace {

using test::Pipeline;

/// Slender links on ball joints, the first of them turning.
std::string chain(int links) {
    std::string parts = "components:\n  world: {type: World}\n";
    std::string wiring = "connect:\n";
    std::string carrier = "world";
    for (int k = 1; k <= links; ++k) {
        const std::string joint = "j" + std::to_string(k);
        const std::string link = "l" + std::to_string(k);
        parts += "  " + joint + ": {type: Spherical, initial: {w: [0, " + (k == 1 ? "1" : "0") + ", 0]}}\n";
        parts += "  " + link +
                 ": {type: BodyShape, r: [1, 0, 0], r_CM: [0.5, 0, 0], m: 1, I_11: 0.001, I_22: 0.083, I_33: 0.083}\n";
        wiring += "  - [" + carrier + ".frame_b, " + joint + ".frame_a]\n";
        wiring += "  - [" + joint + ".frame_b, " + link + ".frame_a]\n";
        carrier = link;
    }
    return parts + wiring;
}

/// F and dF/dy' at a point where nothing vanishes.
struct AtPoint {
    explicit AtPoint(Evaluator& ev) : y(ev.size()), yp(ev.size()), f(ev.size()) {
        for (std::size_t i = 0; i < y.size(); ++i) {
            y[i] = 0.3 + 0.1 * static_cast<double>(i % 7);
            yp[i] = 0.2 - 0.15 * static_cast<double>(i % 5);
        }
        std::vector<double> entries(ev.model().pattern.columns.size());
        EXPECT_TRUE(ev.residual(0.0, y, yp, f));
        EXPECT_TRUE(ev.jacobian(0.0, y, yp, 0.0, 1.0, entries));
        by_rates = Eigen::MatrixXd(ev.matrix(entries));
        EXPECT_TRUE(ev.jacobian(0.0, y, yp, 1.0, 20.0, entries));
        newton = Eigen::MatrixXd(ev.matrix(entries));
    }
    std::vector<double> y, yp, f;
    Eigen::MatrixXd by_rates, newton;
};

// Where the explicit rows have the identity before y', solving the block solves the whole matrix for the block's rows
// that stand in no other.
TEST(RateBlock, GivesTheResidualsOfTheRatesThemselves) {
    Pipeline p(chain(3));
    Evaluator ev(p.compiled());
    AtPoint at(ev);
    RateBlock block(ev);
    ASSERT_TRUE(block.useful());
    std::vector<double> solved(ev.size());
    ASSERT_TRUE(block.residual(0.0, at.y, at.yp, solved));
    const Eigen::Map<const Eigen::VectorXd> f(at.f.data(), static_cast<Eigen::Index>(ev.size()));
    const Eigen::VectorXd expected = at.by_rates.partialPivLu().solve(f);
    const double scale = expected.cwiseAbs().maxCoeff();
    for (std::size_t i = 0; i < ev.size(); ++i)
        EXPECT_NEAR(solved[i], expected(static_cast<Eigen::Index>(i)), 1e-12 * scale) << i;

    std::vector<double> columns(at.newton.data(), at.newton.data() + at.newton.size());
    ASSERT_TRUE(block.solve(0.0, at.y, at.yp, columns));
    const Eigen::MatrixXd jacobian = at.by_rates.partialPivLu().solve(at.newton);
    const Eigen::Map<const Eigen::MatrixXd> ours(columns.data(), jacobian.rows(), jacobian.cols());
    EXPECT_LE((ours - jacobian).cwiseAbs().maxCoeff(), 1e-11 * jacobian.cwiseAbs().maxCoeff());
}

TEST(RateBlock, HasNothingToDoWhereEveryRateStandsAlone) {
    Pipeline p(
        "components:\n  s: {type: Se, e: 1}\n  j: {type: 1}\n  r: {type: R, R: 1}\n  c: {type: C, C: 1}\n"
        "bonds: [s -> j, j -> r, j -> c]\n");
    Evaluator ev(p.compiled());
    EXPECT_FALSE(RateBlock(ev).useful());
}

// Slender links that tumble: with the mass matrix of earlier steps, Newton's iteration asked for more Jacobians than
// there were steps.
TEST(RateBlock, LetsAJacobianServeManySteps) {
    Pipeline p(chain(5));
    const auto run = p.run({.stop = 3.0, .tolerance = 1e-6, .interval = 0.1}, {"l5.frame_b.x[1]"});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_LT(10 * run.summary.jacobian_evaluations, run.summary.steps);
    EXPECT_LT(20 * run.summary.convergence_failures, run.summary.steps);
}

}  // namespace
}  // namespace bondgraph::simulation
