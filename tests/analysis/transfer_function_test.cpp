#include "bondgraph/analysis/transfer_function.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using analysis::Roots;
using analysis::SingleChannel;
using analysis::TransferFunction;
using Complex = std::complex<double>;
using test::Pipeline;

// The transfer function of a model from its first source to a result.
TransferFunction transfer(Pipeline& p, const std::string& output, const std::vector<std::string>& inputs = {}) {
    return analysis::transfer_function(analysis::channel(p.linear(inputs, {output}), 0, 0));
}

TransferFunction transfer_of_file(const std::string& file, const std::string& output, const std::string& input = {}) {
    Pipeline p(test::load_file(test::model_path(file)));
    return transfer(p, output, input.empty() ? std::vector<std::string>{} : std::vector{input});
}

void expect_roots(Roots found, const Roots& expected, double tolerance = 1e-9) {
    ASSERT_EQ(found.size(), expected.size()) << testing::PrintToString(found);
    for (const Complex& e : expected) {
        const auto at = std::min_element(found.begin(), found.end(),
                                         [&](Complex a, Complex b) { return std::abs(a - e) < std::abs(b - e); });
        EXPECT_LE(std::abs(*at - e), tolerance * std::max(1.0, std::abs(e))) << "expected " << e << ", nearest " << *at;
        found.erase(at);
    }
}

// x2 is driven and seen by nothing.
TEST(SingleChannels, KeepOnlyStatesBetweenInputAndOutput) {
    SingleChannel s{Eigen::Matrix3d{{-1.0, 0.0, 0.0}, {0.0, -2.0, 0.0}, {0.0, 0.0, -3.0}},
                    Eigen::Vector3d(1.0, 1.0, 0.0), Eigen::RowVector3d(1.0, 0.0, 1.0), 0.0};
    EXPECT_EQ(analysis::reduced(s).A, Eigen::MatrixXd::Constant(1, 1, -1.0));
}

// Bodies in a ring exchange heat: what is taken from one and given to another leaves the sum as it is, so that the pole
// at zero, which rounding moves a little, has a zero beside it.
TEST(TransferFunction, APoleAtZeroButForRoundingIsCancelledByAZeroThere) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> any(0.1, 2.0);
    for (int ring = 0; ring < 100; ++ring) {
        const Eigen::Index n = 4;
        SingleChannel s{Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd::Zero(n), Eigen::RowVectorXd::Unit(n, 0), 0.0};
        const Eigen::VectorXd capacity = Eigen::VectorXd::NullaryExpr(n, [&] { return any(random); });
        for (Eigen::Index i = 0; i < n; ++i) {
            const Eigen::Index k = (i + 1) % n;
            const double conductance = any(random);
            for (const auto& [from, to] : {std::pair(i, k), std::pair(k, i)}) {
                s.A(from, from) -= conductance / capacity(from);
                s.A(from, to) += conductance / capacity(from);
            }
        }
        s.b(0) = 1.0 / capacity(0);
        s.b(1) = -1.0 / capacity(1);
        const TransferFunction h = analysis::transfer_function(s);
        EXPECT_EQ(h.poles.size(), 3U) << ring;
        EXPECT_EQ(h.zeros.size(), 2U) << ring;
    }
}

TEST(TransferFunction, OfAnRcIsALowPass) {
    const TransferFunction h = transfer_of_file("electrical/rc.yaml", "capacitor.e");
    expect_roots(h.poles, {-1000.0});
    expect_roots(h.zeros, {});
    EXPECT_NEAR(h.gain, 1000.0, 1e-9);
    EXPECT_NEAR(analysis::static_gain(h).value(), 1.0, 1e-12);
    EXPECT_EQ(analysis::high_frequency_gain(h), 0.0);
}

TEST(TransferFunction, OfTheResistorOfAnRcIsAHighPass) {
    const TransferFunction h = transfer_of_file("electrical/rc.yaml", "resistor.e");
    expect_roots(h.poles, {-1000.0});
    ASSERT_EQ(h.zeros.size(), 1U);
    EXPECT_EQ(h.zeros[0], 0.0);
    EXPECT_NEAR(analysis::high_frequency_gain(h), 1.0, 1e-12);
    EXPECT_EQ(analysis::static_gain(h), 0.0);
}

TEST(TransferFunction, OfASeriesRlcHasTheTextbooksPolynomials) {
    // I/U = s/L / (s² + R/L s + 1/(L C)), all 1.
    const auto ratio = analysis::as_polynomials(transfer_of_file("electrical/series_rlc.yaml", "coil.f"));
    ASSERT_TRUE(ratio);
    EXPECT_THAT(ratio->numerator, testing::Pointwise(testing::DoubleNear(1e-12), {1.0, 0.0}));
    EXPECT_THAT(ratio->denominator, testing::Pointwise(testing::DoubleNear(1e-12), {1.0, 1.0, 1.0}));
}

TEST(TransferFunction, OfAMotorHasItsTextbookGainAndTheElectricalPoleAsZeroOfTheCurrent) {
    // R 1, L 0.5, K 0.01, J 0.01, b 0.1: W/U = K/(L J s² + (R J + L b) s + R b + K²), I/U has the zero −b/J.
    const TransferFunction speed = transfer_of_file("electromechanical/motor_step_response.yaml", "rotor.f");
    const auto ratio = analysis::as_polynomials(speed);
    ASSERT_TRUE(ratio);
    EXPECT_THAT(ratio->numerator, testing::Pointwise(testing::DoubleNear(1e-12), {2.0}));
    EXPECT_THAT(ratio->denominator, testing::Pointwise(testing::DoubleNear(1e-10), {1.0, 12.0, 20.02}));
    EXPECT_NEAR(analysis::static_gain(speed).value(), 0.01 / 0.1001, 1e-12);
    const TransferFunction current = transfer_of_file("electromechanical/motor_step_response.yaml", "coil.f");
    expect_roots(current.zeros, {-10.0});
}

// m1 and m2 joined by a spring, pushed at m1, free to drift.
constexpr const char* kTwoMasses = R"(
components:
  push: {type: Se, e: 1}
  j1: {type: 1}
  m1: {type: I, I: 2}
  n: {type: 0}
  k: {type: C, K: 50}
  j2: {type: 1}
  m2: {type: I, I: 3}
  x: {type: Dq}
bonds: [push -> j1, j1 -> m1, j1 -> n, n -> k, n -> j2, j2 -> m2, j1 -> x]
)";

TEST(TransferFunction, OfTwoMassesOnASpringHasTheAntiresonanceOfTheFarOne) {
    Pipeline p(kTwoMasses);
    // V1/F = (m2 s² + k)/(s (m1 m2 s² + k (m1 + m2)))
    const TransferFunction near = transfer(p, "m1.f");
    const double w = std::sqrt(50.0 * 5.0 / 6.0);
    const double w0 = std::sqrt(50.0 / 3.0);
    expect_roots(near.poles, {0.0, {0.0, w}, {0.0, -w}});
    expect_roots(near.zeros, {{0.0, w0}, {0.0, -w0}});
    EXPECT_NEAR(near.gain, 0.5, 1e-12);
    EXPECT_EQ(analysis::static_gain(near), std::nullopt);
    // V2/F = k/(s (…)): no zeros.
    const TransferFunction far = transfer(p, "m2.f");
    expect_roots(far.zeros, {});
    EXPECT_NEAR(far.gain, 50.0 / 6.0, 1e-12);
}

TEST(TransferFunction, OfAPositionHasAnExactDoublePoleAtZero) {
    Pipeline p(kTwoMasses);
    const TransferFunction h = transfer(p, "x.y");
    EXPECT_EQ(std::count(h.poles.begin(), h.poles.end(), Complex(0.0)), 2);
    ASSERT_EQ(analysis::multiplicities(h.poles).size(), 3U);
}

TEST(TransferFunction, EqualStagesInARowHaveMultiplePoles) {
    // Three integrating stages y' = u − y, decoupled by signals: 1/(s + 1)³.
    Pipeline p(R"(
types:
  Lag:
    inputs: {u: {}}
    outputs: {y: {}}
    variables: {x: {start: 0}}
    equations: [der(x) = u - x, y = x]
components:
  s: {type: Sf, f: 1}
  n: {type: 0}
  r: {type: R, R: 1}
  e: {type: De}
  a: {type: Lag}
  b: {type: Lag}
  c: {type: Lag}
bonds: [s -> n, n -> r, n -> e]
signals: [e.y -> a.u, a.y -> b.u, b.y -> c.u]
)");
    const TransferFunction h = transfer(p, "c.y");
    const auto poles = analysis::multiplicities(h.poles);
    ASSERT_EQ(poles.size(), 1U);
    EXPECT_EQ(poles[0].value, -1.0);
    EXPECT_EQ(poles[0].multiplicity, 3U);
    EXPECT_NEAR(analysis::static_gain(h).value(), 1.0, 1e-12);
}

TEST(TransferFunction, ACriticallyDampedPairIsOneDoublePole) {
    Pipeline p(R"(
components: {s: {type: Se, e: 1}, j: {type: 1}, r: {type: R, R: 2}, l: {type: I, I: 1}, c: {type: C, C: 1}}
bonds: [s -> j, j -> r, j -> l, j -> c]
)");
    const auto poles = analysis::multiplicities(transfer(p, "c.e").poles);
    ASSERT_EQ(poles.size(), 1U);
    EXPECT_NEAR(poles[0].value.real(), -1.0, 1e-9);
    EXPECT_EQ(poles[0].value.imag(), 0.0);
    EXPECT_EQ(poles[0].multiplicity, 2U);
}

TEST(TransferFunction, WhatABalancedBridgeHidesIsCancelled) {
    // Two equal RC branches on one source: their difference can't be moved, and either shows one pole only.
    Pipeline p(R"(
components:
  s: {type: Se, e: 1}
  n: {type: 0}
  ja: {type: 1}
  ra: {type: R, R: 2}
  ca: {type: C, C: 3}
  jb: {type: 1}
  rb: {type: R, R: 2}
  cb: {type: C, C: 3}
  j: {type: 1}
  load: {type: R, R: 7}
bonds: [s -> j, j -> load, j -> n, n -> ja, ja -> ra, ja -> ca, n -> jb, jb -> rb, jb -> cb]
)");
    const TransferFunction h = transfer(p, "ca.e");
    // Together 1 Ω and 6 F behind 7 Ω; the mode in which they balance each other, −1/6, is not reached.
    expect_roots(h.poles, {-1.0 / 48.0});
    expect_roots(h.cancelled, {-1.0 / 6.0});
    EXPECT_NEAR(analysis::static_gain(h).value(), 1.0, 1e-12);
}

TEST(TransferFunction, WithoutAWayIsZero) {
    Pipeline p(R"(
components: {s: {type: Se, e: 1}, j: {type: 1}, r: {type: R, R: 1}, l: {type: I, I: 1},
             t: {type: Se, e: 1}, k: {type: 1}, q: {type: R, R: 1}, m: {type: I, I: 1}}
bonds: [s -> j, j -> r, j -> l, t -> k, k -> q, k -> m]
)");
    const TransferFunction h = transfer(p, "m.f", {"s"});
    EXPECT_EQ(h.gain, 0.0);
    EXPECT_EQ(analysis::static_gain(h), 0.0);
    EXPECT_THAT(analysis::as_polynomials(h).value().numerator, testing::ElementsAre(0.0));
}

TEST(TransferFunction, OfPicofaradsIsAsExactAsOfFarads) {
    Pipeline p(R"(
components: {s: {type: Se, e: 1}, j: {type: 1}, r: {type: R, R: 1e6}, l: {type: I, I: 1e-9}, c: {type: C, C: 1e-12}}
bonds: [s -> j, j -> r, j -> l, j -> c]
)");
    const TransferFunction h = transfer(p, "r.e");
    // Poles of L C s² + R C s + 1; computed with the root formula that doesn't cancel.
    const double root = std::sqrt(1e-12 - 4e-21);
    const double far = -(1e-6 + root) / (2.0 * 1e-21);
    expect_roots(h.poles, {far, 1.0 / (1e-21 * far)}, 1e-12);
    EXPECT_THAT(h.zeros, testing::ElementsAre(Complex(0.0)));
    EXPECT_LT(h.disagreement, 1e-12);
}

// A chain of 2n integrators with feedback has the gain 1/Π(L C) = 50^n, beyond any number for n = 400.
TEST(TransferFunction, TooLargeAGainIsNotTakenForNone) {
    const Eigen::Index n = 800;
    SingleChannel s{Eigen::MatrixXd::Zero(n, n), Eigen::VectorXd::Unit(n, 0), Eigen::RowVectorXd::Unit(n, n - 1), 0.0};
    for (Eigen::Index k = 1; k < n; ++k) {
        s.A(k, k - 1) = 7.0;
        s.A(k - 1, k) = -7.0;
    }
    const TransferFunction h = analysis::transfer_function(s);
    EXPECT_TRUE(std::isinf(h.gain));
    EXPECT_FALSE(h.disagreement <= analysis::kTrusted);
}

// Random systems of any relative degree: whatever the roots, poles and zeros give the matrices' values again, and the
// pencil is singular at every zero.
TEST(TransferFunction, OfRandomMatricesGivesTheirValues) {
    std::mt19937_64 engine(20);
    std::normal_distribution<double> normal;
    const auto random = [&] { return normal(engine); };
    for (int trial = 0; trial < 200; ++trial) {
        const auto n = static_cast<Eigen::Index>(1 + engine() % 8);
        SingleChannel s{Eigen::MatrixXd::NullaryExpr(n, n, random), Eigen::VectorXd::NullaryExpr(n, random),
                        Eigen::RowVectorXd::NullaryExpr(n, random), trial % 3 == 0 ? normal(engine) : 0.0};
        // A chain of integrators in front of the output raises the relative degree.
        const auto chain = static_cast<Eigen::Index>(engine() % 4);
        SingleChannel longer{Eigen::MatrixXd::Zero(n + chain, n + chain), Eigen::VectorXd::Zero(n + chain),
                             Eigen::RowVectorXd::Zero(n + chain), chain == 0 ? s.d : 0.0};
        longer.A.topLeftCorner(n, n) = s.A;
        longer.b.head(n) = s.b;
        if (chain == 0) {
            longer.c = s.c;
        } else {
            longer.A.block(n, 0, 1, n) = s.c;
            longer.b(n) = s.d;
            for (Eigen::Index k = 1; k < chain; ++k) longer.A(n + k, n + k - 1) = 1.0;
            longer.c(n + chain - 1) = 1.0;
        }
        SCOPED_TRACE(trial);
        const TransferFunction h = analysis::transfer_function(longer);
        EXPECT_LT(h.disagreement, 1e-8);
        EXPECT_EQ(h.poles.size(), static_cast<std::size_t>(n + chain));
        for (const Complex& z : h.zeros) {
            const double nearby = std::abs(analysis::value_at(longer, z * 1.001 + 1e-3));
            EXPECT_LT(std::abs(analysis::value_at(longer, z)), 1e-6 * nearby) << z;
        }
    }
}

TEST(Polynomial, WhatRoundingLeavesOfACancellationIsZero) {
    const double above = std::nextafter(1.0, 2.0);
    EXPECT_THAT(analysis::polynomial({-1.0, above}), testing::ElementsAre(1.0, 0.0, -above));
    EXPECT_THAT(analysis::polynomial({Complex(-1e-17, -2.0), Complex(-1e-17, 2.0)}),
                testing::ElementsAre(1.0, 0.0, testing::DoubleEq(4.0)));
    // What is small but no residue stays.
    EXPECT_THAT(analysis::polynomial({Complex(-1e-9, -2.0), Complex(-1e-9, 2.0)}),
                testing::ElementsAre(1.0, 2e-9, testing::DoubleEq(4.0)));
    EXPECT_THAT(analysis::polynomial({-1e-12, -1.0}), testing::ElementsAre(1.0, testing::DoubleEq(1.0 + 1e-12), 1e-12));
}

// Twelve equal LC sections: undamped, whatever rounding makes of the real parts.
TEST(Roots, OfALosslessChainLieOnTheImaginaryAxis) {
    constexpr Eigen::Index kSize = 24;
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(kSize, kSize);
    for (Eigen::Index k = 1; k < kSize; ++k) {
        a(k, k - 1) = 3.0;
        a(k - 1, k) = -0.7;
    }
    for (const Complex& r : analysis::block_eigenvalues(a)) EXPECT_EQ(r.real(), 0.0) << r;
}

// R and C only: real poles, found from the symmetric form. Closed form of n equal sections with the far end open:
// -4 sin^2((2 k - 1) pi/(4 n + 2)).
TEST(Roots, OfALongLadderAreThoseOfTheClosedForm) {
    constexpr int kSections = 300;
    Eigen::MatrixXd a = Eigen::MatrixXd::Zero(kSections, kSections);
    for (int k = 0; k < kSections; ++k) {
        a(k, k) = k + 1 < kSections ? -2.0 : -1.0;
        if (k > 0) a(k, k - 1) = a(k - 1, k) = 1.0;
    }
    // Other units of every other state leave the eigenvalues as they are.
    for (int k = 0; k < kSections; k += 2) {
        a.row(k) *= 1e6;
        a.col(k) /= 1e6;
    }
    const auto roots = analysis::block_eigenvalues(a);
    ASSERT_EQ(roots.size(), static_cast<std::size_t>(kSections));
    for (int k = 0; k < kSections; ++k) {
        const double sine = std::sin((2 * (kSections - k) - 1) * std::numbers::pi / (4 * kSections + 2));
        EXPECT_NEAR(roots[static_cast<std::size_t>(k)].real(), -4 * sine * sine, 1e-13);
        EXPECT_EQ(roots[static_cast<std::size_t>(k)].imag(), 0.0);
    }
}

TEST(Zeros, OfASystemWithASmallDirectPartAreFoundAsGeneralizedEigenvalues) {
    // 1/(s + 1) + 1/(s + 2) + 1e-9: (1e-9 s² + 2 s + 3 + …): one zero near −1.5, one near −2e9.
    SingleChannel s{Eigen::MatrixXd::Zero(2, 2), Eigen::VectorXd::Ones(2), Eigen::RowVectorXd::Ones(2), 1e-9};
    s.A.diagonal() << -1.0, -2.0;
    const auto zeros = analysis::invariant_zeros(s);
    ASSERT_EQ(zeros.values.size(), 2U);
    // Roots of d s² + (2 + 3 d) s + 3 + 2 d, again by the formula that doesn't cancel.
    const double b = 2.0 + 3e-9;
    const double q = -0.5 * (b + std::sqrt(b * b - 4e-9 * (3.0 + 2e-9)));
    // Where d is 1e-9 of c, a zero is known to 1e9 roundings of its size.
    EXPECT_NEAR(zeros.values[0].real() / (q / 1e-9), 1.0, 1e-6);
    EXPECT_NEAR(zeros.values[1].real(), (3.0 + 2e-9) / q, 1e-12);
    EXPECT_EQ(zeros.gain, 1e-9);
}

// A tank of 10 kohm, 1 mH, 1 nF: s/(Rs C) / (s² + s/(Rs C) + 1/(L C)), a band-pass with its peak at 1. Small entries of
// B beside large ones of C made the zero at 0 disappear.
TEST(Zeros, AtTheOriginOfABandPassAreFound) {
    constexpr std::string_view kTank = R"(
components:
  s: {type: Se, e: 1 V}
  l: {type: 1}
  R: {type: R, R: 10 kohm}
  n: {type: 0}
  Lc: {type: I, I: 1 mH}
  Cc: {type: C, C: 1 nF}
bonds: [s -> l, l -> R, l -> n, n -> Lc, n -> Cc]
)";
    for (const char* output : {"Cc.e", "Cc.q"}) {
        Pipeline p(kTank);
        const TransferFunction h = transfer(p, output);
        ASSERT_EQ(h.zeros.size(), 1U) << output;
        EXPECT_EQ(h.zeros[0], 0.0) << output;
        EXPECT_EQ(analysis::static_gain(h), 0.0) << output;
        EXPECT_LT(h.disagreement, 1e-9) << output;
        const double peak = std::abs(analysis::value_at(h, Complex(0.0, 1e6)));
        EXPECT_NEAR(peak, std::string(output) == "Cc.e" ? 1.0 : 1e-9, 1e-9 * peak) << output;
    }
}

// 1 mohm and 1 nF, then 1 Mohm and 10 F: poles 19 powers of ten apart.
TEST(Roots, ASlowPoleBesideAFastOneIsNotTakenForAnIntegrator) {
    constexpr std::string_view kLadder = R"(
components:
  s: {type: Se, e: 1 V}
  a: {type: 1}
  R1: {type: R, R: 1 mohm}
  n: {type: 0}
  C1: {type: C, C: 1 nF}
  b: {type: 1}
  R2: {type: R, R: 1 Mohm}
  C2: {type: C, C: 10 F}
bonds: [s -> a, a -> R1, a -> n, n -> C1, n -> b, b -> R2, b -> C2]
)";
    Pipeline p(kLadder);
    const TransferFunction h = transfer(p, "C2.e");
    ASSERT_EQ(h.poles.size(), 2U);
    EXPECT_NEAR(h.poles.back().real(), -1e-7, 1e-13);
    ASSERT_TRUE(analysis::static_gain(h));
    EXPECT_NEAR(*analysis::static_gain(h), 1.0, 1e-6);
}

TEST(Roots, PolynomialMultipliesFactorsOut) {
    // (s + 1)(s² + 2 s + 5)
    EXPECT_THAT(analysis::polynomial({-1.0, {-1.0, 2.0}, {-1.0, -2.0}}),
                testing::Pointwise(testing::DoubleNear(1e-14), {1.0, 3.0, 7.0, 5.0}));
    EXPECT_THAT(analysis::polynomial({}), testing::ElementsAre(1.0));
}

TEST(Roots, OfBlocksThatDontActBackAreExact) {
    Eigen::MatrixXd A = Eigen::MatrixXd::Zero(4, 4);
    A.diagonal().setConstant(-2.0);
    A(1, 0) = A(2, 1) = A(3, 2) = 1e6;
    EXPECT_THAT(analysis::block_eigenvalues(A), testing::Each(Complex(-2.0)));
}

TEST(SingleChannel, BalancingChangesNoValue) {
    SingleChannel s{Eigen::MatrixXd(2, 2), Eigen::VectorXd(2), Eigen::RowVectorXd(2), 0.25};
    s.A << -1e-9, 1e12, -1e-12, -3.0;
    s.b << 1e6, 0.0;
    s.c << 0.0, 1e-8;
    const SingleChannel balanced = analysis::balanced(s);
    EXPECT_LT(balanced.A.cwiseAbs().maxCoeff(), 1e3);
    const Complex at(0.3, 2.0);
    const Complex expected = analysis::value_at(s, at);
    EXPECT_LT(std::abs(analysis::value_at(balanced, at) - expected), 1e-14 * std::abs(expected));
}

}  // namespace
}  // namespace bondgraph
