// Dry friction in whole runs, where sticking ends when nothing but an effort says so.

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

class Interval : public testing::TestWithParam<double> {};

// A force of 1 N/s on 1 kg: 5 N are reached at 5 s, at a row of the output or not, and v = (t - 5)^2/2 from there.
TEST_P(Interval, DoesNotDecideWhenFrictionBreaksLoose) {
    for (const char* type : {"{type: Friction, level: 5 N}", "{type: Clutch, fn_max: 10, mu: 0.5}"}) {
        Pipeline p(std::string(R"(
components:
  pull: {type: Se, e: time, domain: translational}
  j: {type: 1}
  m: {type: I, I: 1 kg, initial: {f: 0 m/s}}
  fr: )") + type + "\nbonds: [pull -> j, j -> m, j -> fr]\n");
        const auto run = p.run({.stop = 10.0, .tolerance = 1e-9, .interval = GetParam()}, {"m.f"});
        ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
        EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), 12.5, 1e-9) << type;
    }
}
INSTANTIATE_TEST_SUITE_P(Of, Interval, testing::Values(0.03, 0.1, 0.5, 1.0, 5.0, 10.0));

// A mass on a spring, dragged by a belt whose friction fades: stick-slip. The speed at 10 s is that of an eighth-order
// Runge-Kutta method between the instants at which it sticks and breaks loose. Extrapolated backwards in its flow, the
// exponential of the fading is beyond all bounds; no magnitude may be learned from that.
TEST(StickSlip, OfAFadingFrictionGoesOnToTheEnd) {
    Pipeline p(R"(
components:
  belt: {type: Sf, f: 0.3 m/s}
  n: {type: 0}
  fr: {type: Friction, level: 3 N, static: 5 N, fade: 0.1 m/s, R: 0.5 N.s/m}
  j: {type: 1}
  m: {type: I, I: 1 kg, initial: {f: 0 m/s}}
  k: {type: C, K: 20 N/m, initial: {q: 0}}
bonds: [belt -> n, n -> fr, n -> j, j -> m, j -> k]
)");
    const auto run = p.run({.stop = 10.0, .tolerance = 1e-9}, {"m.f", "fr.e"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_NEAR(run.result.at(run.result.time.size() - 1, 0), -0.209374273, 1e-6);
    for (std::size_t k = 0; k < run.result.time.size(); ++k) EXPECT_LE(std::abs(run.result.at(k, 1)), 5.0 * (1 + 1e-9));
}

}  // namespace
}  // namespace bondgraph
