#include "bondgraph/simulation/rate_block.hpp"

#include <gtest/gtest.h>

#include "bondgraph/simulation/newton_matrix.hpp"
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

/// F and its derivatives at a point where nothing vanishes.
struct AtPoint {
    AtPoint(Evaluator& ev, double shift) : y(ev.size()), yp(ev.size()), f(ev.size()) {
        for (std::size_t i = 0; i < y.size(); ++i) {
            y[i] = 0.3 + shift + 0.1 * static_cast<double>(i % 7);
            yp[i] = 0.2 - 0.15 * static_cast<double>(i % 5);
        }
        std::vector<double> entries(ev.model().pattern.columns.size());
        EXPECT_TRUE(ev.residual(0.0, y, yp, f));
        EXPECT_TRUE(ev.jacobian(0.0, y, yp, 0.0, 1.0, entries));
        by_rates = Eigen::MatrixXd(test::matrix_of(ev.model().pattern, entries));
        EXPECT_TRUE(ev.jacobian(0.0, y, yp, 1.0, kPerStep, entries));
        newton = Eigen::MatrixXd(test::matrix_of(ev.model().pattern, entries));
    }
    static constexpr double kPerStep = 20.0;
    std::vector<double> y, yp, f;
    Eigen::MatrixXd by_rates, newton;
};

Eigen::VectorXd vector_of(const std::vector<double>& x) {
    return Eigen::Map<const Eigen::VectorXd>(x.data(), static_cast<Eigen::Index>(x.size()));
}

void expect_near(const std::vector<double>& ours, const Eigen::VectorXd& expected, double relative) {
    EXPECT_LE((vector_of(ours) - expected).cwiseAbs().maxCoeff(), relative * expected.cwiseAbs().maxCoeff());
}

/// Links whose rates are solved for with a full matrix, and with values on the way cut.
class RateBlocks : public ::testing::TestWithParam<int> {};

// Where the explicit rows have the identity before y', solving the block solves the whole matrix for the block's rows
// that stand in no other.
TEST_P(RateBlocks, TurnAResidualIntoThatOfTheMatrixKept) {
    Pipeline p(chain(GetParam()));
    Evaluator ev(p.compiled());
    const AtPoint before(ev, 0.0);
    const AtPoint now(ev, 0.02);
    RateBlock block(ev, rows_of_rates_together(p.compiled()));
    std::vector<double> f(ev.size());
    ASSERT_TRUE(block.residual(0.0, now.y, now.yp, f));
    expect_near(f, vector_of(now.f), 1e-12);
    std::vector<double> corrected = f;
    block.correct(corrected);
    EXPECT_EQ(corrected, f) << "corrected before a matrix was kept";

    ASSERT_TRUE(block.residual(0.0, before.y, before.yp, f));
    block.keep();
    corrected = f;
    block.correct(corrected);
    expect_near(corrected, vector_of(f), 1e-9);  // M_J = M; slender links have a condition of 1e5

    ASSERT_TRUE(block.residual(0.0, now.y, now.yp, f));
    corrected = f;
    block.correct(corrected);
    expect_near(corrected, before.by_rates * now.by_rates.partialPivLu().solve(vector_of(now.f)), 1e-9);
}

TEST_P(RateBlocks, NewtonsMatrixSolvesTheSameInEveryForm) {
    Pipeline p(chain(GetParam()));
    Evaluator ev(p.compiled());
    const AtPoint at(ev, 0.0);
    const Eigen::VectorXd expected = at.newton.partialPivLu().solve(vector_of(at.f));
    for (const auto form : {NewtonMatrix::Form::full, NewtonMatrix::Form::sparse, NewtonMatrix::Form::cut}) {
        NewtonMatrix newton(ev, form);
        for (int turn = 0; turn < 2; ++turn) {  // the second time with the pivots of the first
            ASSERT_TRUE(newton.evaluate(0.0, at.y, at.yp, AtPoint::kPerStep));
            ASSERT_TRUE(newton.factorize());
        }
        std::vector<double> x = at.f;
        newton.solve(x);
        expect_near(x, expected, 1e-8);
    }
}

INSTANTIATE_TEST_SUITE_P(Links, RateBlocks, ::testing::Values(3, 15));

TEST(RateBlock, HasNothingToDoWhereEveryRateStandsAlone) {
    Pipeline p(
        "components:\n  s: {type: Se, e: 1}\n  j: {type: 1}\n  r: {type: R, R: 1}\n  c: {type: C, C: 1}\n"
        "bonds: [s -> j, j -> r, j -> c]\n");
    EXPECT_TRUE(rows_of_rates_together(p.compiled()).empty());
}

TEST(NewtonMatrix, OfAPointThatIsNoNumberIsRefused) {
    Pipeline p(chain(3));
    Evaluator ev(p.compiled());
    std::vector<double> still(ev.size(), 0.0);
    for (const auto form : {NewtonMatrix::Form::full, NewtonMatrix::Form::cut}) {
        NewtonMatrix newton(ev, form);
        std::vector<double> nothing(ev.size(), std::nan(""));
        EXPECT_FALSE(newton.evaluate(0.0, nothing, still, 1.0));
    }
}

TEST(SparseFactors, FindSingularMatricesAndGoOnAfterThem) {
    const std::vector<std::vector<double>> entries{{1.0, 1.0, 1.0, 1.0}, {0.0, 0.0, 0.0, 0.0}};
    structure::Incidence pattern;
    for (int row = 0; row < 2; ++row) pattern.add_row(std::array<std::uint32_t, 2>{0, 1});
    structure::SparseFactors factors(pattern);
    for (const auto& singular : entries) EXPECT_FALSE(factors.factorize(singular));
    EXPECT_TRUE(factors.factorize(std::array{1.0, 2.0, 3.0, 4.0}));
    std::vector<double> x{5.0, 11.0};
    factors.solve(x);
    EXPECT_NEAR(x[0], 1.0, 1e-14);
    EXPECT_NEAR(x[1], 2.0, 1e-14);
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

// What rows inside a step say about it is measured with the mass matrix there: with that of an earlier Jacobian, every
// second row of a slender chain seemed to be passed over, and its step was taken again.
TEST(RateBlock, RowsOfTheOutputCostNoSteps) {
    for (const auto& [links, stop] : {std::pair{5, 3.0}, std::pair{12, 1.0}}) {
        Pipeline p(chain(links));
        const auto few = p.run({.stop = stop, .tolerance = 1e-6, .interval = stop}, {"l5.frame_b.x[1]"});
        const auto many = p.run({.stop = stop, .tolerance = 1e-6, .interval = 0.01 * stop}, {"l5.frame_b.x[1]"});
        ASSERT_FALSE(few.summary.failure);
        ASSERT_FALSE(many.summary.failure);
        EXPECT_EQ(few.summary.steps, many.summary.steps) << links;
        EXPECT_EQ(few.summary.jacobian_evaluations, many.summary.jacobian_evaluations) << links;
    }
}

}  // namespace
}  // namespace bondgraph::simulation
