// Mechanisms with closed loops that begin at rest, whichever joint says so.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <complex>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

constexpr double kGround = 0.35;
constexpr double kCrank = 0.2;
constexpr double kCoupler = 0.3;
constexpr double kLever = 0.25;
constexpr double kCompliance = 0.05;

/// Potential energy of the linkage below at an angle of its crank, elbow to the left.
double potential(double phi) {
    const std::complex<double> crank = std::polar(kCrank, phi);
    const std::complex<double> across = kGround - crank;  // from the crank's end to the rocker's foot
    const double d = std::abs(across);
    const double cosine = (kCoupler * kCoupler + d * d - kLever * kLever) / (2.0 * kCoupler * d);
    const std::complex<double> coupler = std::polar(kCoupler, std::arg(across) + std::acos(cosine));
    const double height =
        0.5 * 0.5 * crank.imag() + 0.8 * (crank + 0.5 * coupler).imag() + 0.7 * 0.5 * (crank + coupler).imag();
    return 9.81 * height;
}

/// On the crank: what gravity and a spring with the displacement q make together.
double torque(double phi, double q) {
    constexpr double kStep = 1e-4;  // errors of the difference: 1e-8 of the torque, below 1e-8 rad
    return (potential(phi + kStep) - potential(phi - kStep)) / (2.0 * kStep) + q / kCompliance;
}

/// The angle at which they are in balance.
double at_rest(double q) {
    double low = 0.75;  // beyond the largest torque
    double high = 1.45;
    const bool rising = torque(low, q) < 0.0;
    for (int k = 0; k < 60; ++k) {
        const double phi = 0.5 * (low + high);
        ((torque(phi, q) < 0.0) == rising ? low : high) = phi;
    }
    return low;
}

std::string linkage(const std::string& steady, const std::string& spring) {
    const auto joint = [&](const std::string& name, double guess) {
        return fmt::format("  {}: {{type: Revolute, n: [0, 0, 1], guess: {{phi: {}}}{}}}\n", name, guess,
                           name == steady ? ", initial: steady" : "");
    };
    const std::string all = steady == "all"         ? "initial: steady\n"
                            : steady == "equations" ? "initial: [der(D.w) = 0, D.w = 0]\n"
                                                    : "";
    return all + "components:\n  world: {type: World, g: 9.81}\n  base: {type: FixedTranslation, r: [0.35, 0, 0]}\n" +
           joint("A", 0.7) + joint("B", 0.0) + joint("C", 1.0) + joint("D", 1.3) +
           "  crank: {type: BodyShape, r: [0.2, 0, 0], r_CM: [0.1, 0, 0], m: 0.5, I_33: 0.002}\n"
           "  coupler: {type: BodyShape, r: [0.3, 0, 0], r_CM: [0.15, 0, 0], m: 0.8, I_33: 0.006}\n"
           "  rocker: {type: BodyShape, r: [0.25, 0, 0], r_CM: [0.125, 0, 0], m: 0.7, I_33: 0.004}\n" +
           fmt::format("  spring: {{type: C, C: {}{}}}\n", kCompliance, spring) +
           "bonds: [A.axis -> spring]\nconnect:\n  - [world.frame_b, A.frame_a, base.frame_a]\n"
           "  - [base.frame_b, D.frame_a]\n  - [A.frame_b, crank.frame_a]\n  - [crank.frame_b, B.frame_a]\n"
           "  - [B.frame_b, coupler.frame_a]\n  - [D.frame_b, rocker.frame_a]\n  - [rocker.frame_b, C.frame_a]\n"
           "  - [C.frame_b, coupler.frame_b]\n";
}

// Rates of a joint are known whether it is the state or another one. Of a whole model at rest, more rates are 0 than it
// has freedoms.
TEST(SteadyLoops, AreInBalanceWhicheverJointIsAtRest) {
    for (const double q : {-0.03, -0.02}) {
        const double expected = at_rest(q);
        ASSERT_GT(expected, 0.76);
        ASSERT_LT(expected, 1.44);
        for (const std::string steady : {"A", "B", "C", "D", "all"}) {
            Pipeline p(linkage(steady, fmt::format(", initial: {{q: {}}}", q)));
            const auto run = p.run({.stop = 1.0, .tolerance = 1e-8, .interval = 0.1}, {"A.phi", "A.w", "D.w"});
            ASSERT_FALSE(run.summary.failure) << steady;
            for (std::size_t k = 0; k < run.result.time.size(); ++k) {
                EXPECT_NEAR(run.result.at(k, 0), expected, 1e-7) << steady << " " << q;
                EXPECT_NEAR(run.result.at(k, 1), 0.0, 1e-9) << steady << " " << q;
                EXPECT_NEAR(run.result.at(k, 2), 0.0, 1e-9) << steady << " " << q;
            }
        }
    }
}

// Here the spring gives way as well: conditions that rates are 0 must move neither the linkage to where its rocker
// turns round, nor contradict each other.
TEST(SteadyLoops, FindTheForceThatHoldsThem) {
    for (const std::string steady : {"A", "B", "C", "D", "all", "equations"}) {
        Pipeline p(linkage(steady, ""));
        const auto run = p.run({.stop = 1.0, .tolerance = 1e-8, .interval = 0.5}, {"A.phi", "A.w", "spring.q"});
        ASSERT_FALSE(run.summary.failure) << steady;
        EXPECT_LT(std::abs(run.result.at(0, 0) - 0.7), 0.5) << steady;  // near the guess
        EXPECT_NEAR(torque(run.result.at(0, 0), run.result.at(0, 2)), 0.0, 1e-6) << steady;
        EXPECT_NEAR(run.result.at(2, 0), run.result.at(0, 0), 1e-7) << steady;
        EXPECT_NEAR(run.result.at(2, 1), 0.0, 1e-9) << steady;
    }
}

}  // namespace
}  // namespace bondgraph
