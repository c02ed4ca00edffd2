#include "bondgraph/analysis/responses.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using analysis::bode_point;
using analysis::SingleChannel;
using analysis::TransferFunction;
using test::Pipeline;

const double kHalf = 20.0 * std::log10(std::sqrt(0.5));

// Whatever sign rounding leaves of their real parts.
TEST(Bode, PhaseOfALosslessOnePortAlternatesBetweenItsPolesAndZeros) {
    for (const double rounding : {0.0, -1e-17, 1e-17}) {
        const TransferFunction h{.zeros = {{rounding, -0.5}, {rounding, 0.5}},
                                 .poles = {0.0, {-rounding, -1.0}, {-rounding, 1.0}},
                                 .gain = 1.0};
        EXPECT_NEAR(bode_point(h, 0.1).phase_deg, -90.0, 1e-9);
        EXPECT_NEAR(bode_point(h, 0.7).phase_deg, 90.0, 1e-9);
        EXPECT_NEAR(bode_point(h, 2.0).phase_deg, -90.0, 1e-9);
    }
}

TEST(Bode, AFirstOrderLagIsThreeDecibelsDownAt45Degrees) {
    const TransferFunction h{.zeros = {}, .poles = {-10.0}, .gain = 10.0};
    EXPECT_NEAR(bode_point(h, 10.0).magnitude_db, kHalf, 1e-12);
    EXPECT_NEAR(bode_point(h, 10.0).phase_deg, -45.0, 1e-12);
    EXPECT_NEAR(bode_point(h, 1e5).magnitude_db, -80.0, 1e-6);
}

TEST(Bode, IntegratorsBeginAt90DegreesEach) {
    const TransferFunction h{.zeros = {}, .poles = {-1.0, 0.0, 0.0}, .gain = 1.0};
    EXPECT_NEAR(bode_point(h, 1e-9).phase_deg, -180.0, 1e-6);
    EXPECT_NEAR(bode_point(h, 1e9).phase_deg, -270.0, 1e-6);
}

TEST(Bode, ANegativeGainIsHalfATurnBehind) {
    const TransferFunction h{.zeros = {}, .poles = {-1.0}, .gain = -2.0};
    EXPECT_NEAR(bode_point(h, 1e-9).phase_deg, -180.0, 1e-6);
    EXPECT_NEAR(bode_point(h, 1.0).phase_deg, -225.0, 1e-12);
}

TEST(Bode, PhaseIsNotWrapped) {
    // Five lags: 450 degrees in all.
    const TransferFunction h{.zeros = {}, .poles = {-1.0, -1.0, -1.0, -1.0, -1.0}, .gain = 1.0};
    EXPECT_NEAR(bode_point(h, 1e9).phase_deg, -450.0, 1e-5);
}

TEST(Bode, AZeroInTheRightHalfPlaneTakesPhaseAwayAtTheSameMagnitude) {
    // All-pass (1 − s)/(1 + s).
    const TransferFunction h{.zeros = {1.0}, .poles = {-1.0}, .gain = -1.0};
    EXPECT_NEAR(bode_point(h, 1e-6).phase_deg, 0.0, 1e-3);
    EXPECT_NEAR(bode_point(h, 1.0).phase_deg, -90.0, 1e-12);
    EXPECT_NEAR(bode_point(h, 1e6).phase_deg, -180.0, 1e-3);
    EXPECT_NEAR(bode_point(h, 3.7).magnitude_db, 0.0, 1e-12);
}

TEST(Bode, AnUndampedPairTurnsThePhaseAtOnce) {
    const TransferFunction h{.zeros = {}, .poles = {{0.0, -2.0}, {0.0, 2.0}}, .gain = 4.0};
    EXPECT_NEAR(bode_point(h, 1.999).phase_deg, 0.0, 1e-9);
    EXPECT_NEAR(bode_point(h, 2.001).phase_deg, -180.0, 1e-9);
}

TEST(Bode, AgreesWithTheValueOfTheFunctionEverywhere) {
    const TransferFunction h{.zeros = {2.0, {-1.0, -3.0}, {-1.0, 3.0}},
                             .poles = {-5.0, 0.0, {-0.1, -7.0}, {-0.1, 7.0}, {0.5, -0.5}, {0.5, 0.5}},
                             .gain = -3.0};
    for (const double w : {0.01, 0.5, 3.0, 7.0, 100.0}) {
        const auto value = analysis::value_at(h, {0.0, w});
        const auto point = bode_point(h, w);
        EXPECT_NEAR(point.magnitude_db, 20.0 * std::log10(std::abs(value)), 1e-9);
        EXPECT_NEAR(std::remainder(point.phase_deg - std::arg(value) * 180.0 / std::numbers::pi, 360.0), 0.0, 1e-9)
            << w;
    }
}

TEST(Bode, FrequenciesReachADecadeBeyondAllRoots) {
    const auto w = analysis::bode_frequencies({{.zeros = {-0.2}, .poles = {-3.0, -40.0, 0.0}, .gain = 1.0}});
    EXPECT_NEAR(w.front(), 0.01, 1e-12);
    EXPECT_NEAR(w.back(), 1000.0, 1e-9);
    EXPECT_TRUE(std::is_sorted(w.begin(), w.end()));
}

TEST(Bode, APeakIsSampledWhereItIs) {
    const auto w = analysis::bode_frequencies({{.zeros = {}, .poles = {{-1e-4, -1.0}, {-1e-4, 1.0}}, .gain = 1.0}});
    EXPECT_TRUE(std::any_of(w.begin(), w.end(), [](double x) { return std::abs(x - 1.0) < 1e-5; }));
}

TEST(StepResponse, OfAnRcIsTheExponential) {
    Pipeline p(test::load_file(test::model_path("electrical/rc.yaml")));
    const auto y = analysis::step_response(analysis::channel(p.linear({}, {"capacitor.e"}), 0, 0), 5e-3, 51);
    for (std::size_t k = 0; k < y.size(); ++k) EXPECT_NEAR(y[k], 1.0 - std::exp(-0.1 * static_cast<double>(k)), 1e-12);
}

TEST(StepResponse, OfASeriesRlcIsItsClosedForm) {
    Pipeline p(test::load_file(test::model_path("electrical/series_rlc.yaml")));
    const auto y = analysis::step_response(analysis::channel(p.linear({}, {"coil.f"}), 0, 0), 20.0, 201);
    const double w = std::sqrt(0.75);
    for (std::size_t k = 0; k < y.size(); ++k) {
        const double t = 0.1 * static_cast<double>(k);
        EXPECT_NEAR(y[k], std::exp(-0.5 * t) / w * std::sin(w * t), 1e-12);
    }
}

TEST(StepResponse, JumpsByWhatTheOutputFollowsAtOnce) {
    Pipeline p(test::load_file(test::model_path("electrical/rc.yaml")));
    const auto y = analysis::step_response(analysis::channel(p.linear({}, {"resistor.e"}), 0, 0), 1e-3, 2);
    EXPECT_NEAR(y[0], 1.0, 1e-12);
    EXPECT_NEAR(y[1], std::exp(-1.0), 1e-12);
}

TEST(StepResponse, OfIntegratorsIsAPower) {
    // 1/s³: t³/6.
    SingleChannel s{Eigen::MatrixXd::Zero(3, 3), Eigen::VectorXd::Unit(3, 0), Eigen::RowVectorXd::Unit(3, 2), 0.0};
    s.A(1, 0) = s.A(2, 1) = 1.0;
    EXPECT_NEAR(analysis::step_response(s, 6.0, 4).back(), 36.0, 1e-10);
}

TEST(StepResponse, LastsUntilSlowPolesHaveSettled) {
    EXPECT_NEAR(analysis::step_duration({{.zeros = {}, .poles = {-2.0, -100.0}, .gain = 1.0}}), 3.0, 1e-12);
    // Some periods of what never settles; little of what grows.
    EXPECT_NEAR(analysis::step_duration(
                    {{.zeros = {}, .poles = {{0.0, -std::numbers::pi}, {0.0, std::numbers::pi}}, .gain = 1.0}}),
                16.0, 1e-9);
    EXPECT_NEAR(analysis::step_duration({{.zeros = {}, .poles = {-0.01, 2.0}, .gain = 1.0}}), 2.0, 1e-12);
}

// Between neighbouring frequencies a plot is a straight line: nowhere further than a decibel from the magnitude of
// 1/(s^2 + 2 d s + 1), however sharp its peak.
TEST(Bode, FrequenciesFollowTheFlanksOfEveryResonance) {
    for (const double d : {0.3, 0.1, 1e-2, 1e-4, 1e-6, 1e-8}) {
        const std::complex<double> pole(-d, std::sqrt(1.0 - d * d));
        const TransferFunction h{.zeros = {}, .poles = {pole, std::conj(pole)}, .gain = 1.0};
        const auto exact = [&](double w) { return -10.0 * std::log10(std::pow(1.0 - w * w, 2) + 4.0 * d * d * w * w); };
        const auto grid = analysis::bode_frequencies({h});
        double highest = -1e9;
        for (std::size_t k = 0; k + 1 < grid.size(); ++k) {
            highest = std::max(highest, exact(grid[k]));
            const double w = 0.5 * (grid[k] + grid[k + 1]);
            const double line = 0.5 * (exact(grid[k]) + exact(grid[k + 1]));
            EXPECT_NEAR(line, exact(w), 1.0) << "damping " << d << " at " << w;
        }
        const double peak = 1.0 / (2.0 * d * std::sqrt(1.0 - d * d));
        EXPECT_NEAR(highest, 20.0 * std::log10(peak), 0.01) << d;
        EXPECT_LT(grid.size(), 1200U);
    }
}

}  // namespace
}  // namespace bondgraph
