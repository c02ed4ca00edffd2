// What balances but for rounding stays at rest, and costs no steps.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/pipeline.hpp"
#include "tests/support/places.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

std::string bridge(const std::string& source, const std::string& needle) {
    return R"yaml(
components:
  u: {type: Se, e: ")yaml" +
           source + R"yaml("}
  a: {type: 0}
  x: {type: 1}
  r1: {type: R, R: 0.396 ohm}
  y: {type: 1}
  r2: {type: R, R: 1.076 ohm}
  m: {type: 0}
  n: {type: 0}
  r3: {type: R, R: 0.198 ohm}
  r4: {type: R, R: 0.538 ohm}
  v: {type: 1}
  coil: {type: GY, r: 0.02 N.m/A}
  w: {type: 1}
  J: {type: I, I: 1e-5 kg.m2}
  k: {type: C, K: 1e-3 N.m)yaml" +
           needle + R"yaml(}
  d: {type: R, R: 1e-5 N.m.s}
bonds: [u -> a, a -> x, x -> r1, x -> m, m -> r2, a -> y, y -> r3, y -> n, n -> r4, m -> v, v -> n, v -> coil.p1,
  coil.p2 -> w, w -> J, w -> k, w -> d]
experiment: {stop: 10 s}
)yaml";
}

TEST(Rest, ButForRoundingOfABalancedBridgeCostsNoSteps) {
    for (const char* source : {"0.553 V", "2.1*sin(3*time)", "if time > 2 then 0.7 else 0"}) {
        Pipeline p(bridge(source, ""));
        const auto run = p.run(p.settings(), {"k.q", "J.f"});
        ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
        EXPECT_LT(run.summary.steps, 2000) << source;
        for (std::size_t row = 0; row < run.result.time.size(); ++row)
            ASSERT_LT(std::abs(run.result.at(row, 0)), 1e-11) << source;
    }
}

// The needle's own motion, a millionth of a radian, is as exact as any: it isn't rounding.
TEST(Rest, ButForAMillionthIsMotionInABalancedBridge) {
    Pipeline p(bridge("0.553 V", ", initial: {q: 1e-6}"));
    auto settings = p.settings();
    settings.stop = 1.0;
    const auto run = p.run(settings, {"k.q"});
    ASSERT_FALSE(run.summary.failure);
    // The needle sees the bridge's resistances between m and n as a damper r²/R.
    const double resistance = 0.396 * 1.076 / (0.396 + 1.076) + 0.198 * 0.538 / (0.198 + 0.538);
    const double damping = 1e-5 + 0.02 * 0.02 / resistance;
    const double decay = damping / 2e-5;
    const double inside = decay * decay - 100.0;
    ASSERT_GT(inside, 0.0);
    const double one = -decay + std::sqrt(inside);
    const double other = -decay - std::sqrt(inside);
    for (std::size_t row = 0; row < run.result.time.size(); ++row) {
        const double t = run.result.time[row];
        const double exact = 1e-6 * (one * std::exp(other * t) - other * std::exp(one * t)) / (one - other);
        EXPECT_NEAR(run.result.at(row, 0), exact, 1e-5 * 1e-6) << t;
    }
}

// A ratio of 1 by 3.39·0.29498…, so that R1 and R2 see nothing but what rounding leaves of 0.73 V.
TEST(Rest, OfAnAlgebraicLoopButForRoundingIsNoFailure) {
    Pipeline p(R"yaml(
parameters:
  amp1: 1.883 A
components:
  j1: {type: 0, size: 2, domain: electrical}
  j2: {type: 0, size: 2, domain: electrical}
  j3: {type: 1, size: 2, domain: electrical}
  Sf1: {type: Sf, f: ["amp1*sin(0.861*time + -0.477)", "-2.3532"]}
  RF1: {type: RF, G: [[1.6144217219283645, -0.10208521047496921], [0.8155471092039592, 2.36911368131988]]}
  C1: {type: C, C: [[0.6886130968595745, -0.440315945761188], [-0.440315945761188, 0.7973331150134455]]}
  I1: {type: I, I: 3.69844}
  R1: {type: R, R: [4.62461, 1.45409]}
  R2: {type: R, R: 4.01235}
  GY1: {type: GY, r: [[-1.6484, -0.3839], [-0.3816, 1.0159]]}
  R3: {type: R, G: 0.325292}
  TF1: {type: TF, m: [[2.1721, -1.1815]]}
  C2: {type: C, C: 2.92064}
  Decompose1: {type: Decompose}
  j4: {type: 0}
  Sf2: {type: Sf, f: -0.8919}
  Se1: {type: Se, e: -1.8331}
  j5: {type: 0}
  R4: {type: R, R: 1.25089}
  ins1: {type: Power}
  ins2: {type: TF, m: [[3.39, 0.0], [0.0, 3.39]]}
  ins3: {type: TF, m: [[0.2949852507374631, 0.0], [0.0, 0.2949852507374631]]}
  ins4: {type: TF, m: [[1.0, 0.0], [0.0, 1.0]]}
  ins5: {type: TF, m: [[0.560397, 0.0], [0.0, 0.560397]]}
  ins6: {type: TF, m: [[1.7844492386647322, 0.0], [0.0, 1.7844492386647322]]}
  ins7: {type: TF, m: [[1.0, 0.0], [0.0, 1.0]]}
  ins8: {type: 1, size: 2}
  ins9: {type: TF, m: [[0.400152, 0.0], [0.0, 0.400152]]}
  ins10: {type: TF, m: [[2.499050360862872, 0.0], [0.0, 2.499050360862872]]}
  ins11: {type: Power}
  ins12: {type: 1}
  ins13: {type: TF, m: 0.260187}
  ins14: {type: TF, m: 3.8433895621226273}
bonds:
  - Sf1 -> j1
  - j1 -> RF1.p
  - I1 -> j2
  - j3 -> R1
  - j1 -> GY1.p1
  - R3 -> GY1.p2
  - TF1.p2 -> C2
  - Sf2 -> j4
  - R4 -> j5
  - j2 -> ins1.p1
  - ins1.p2 -> j1
  - j3 -> ins2.p1
  - ins2.p2 -> ins3.p1
  - ins3.p2 -> j2
  - j1 -> ins4.p1
  - ins4.p2 -> j3
  - j1 -> ins5.p1
  - ins5.p2 -> ins6.p1
  - ins6.p2 -> C1
  - j3 -> ins7.p1
  - ins7.p2 -> R2
  - j2 -> ins8
  - ins8 -> TF1.p1
  - j1 -> ins9.p1
  - ins9.p2 -> ins10.p1
  - ins10.p2 -> Decompose1.p
  - Se1 -> ins11.p1
  - ins11.p2 -> j4
  - Decompose1.p1 -> ins12
  - ins12 -> j4
  - Decompose1.p2 -> ins13.p1
  - ins13.p2 -> ins14.p1
  - ins14.p2 -> j5
initial:
  - "I1.p[1] = 0.921"
  - "I1.p[2] = 0.264"
experiment: {stop: 5.0 s, tolerance: 1e-9, interval: 0.5 s}
)yaml");
    const auto run = p.run(p.settings(), {"R1.f[1]", "R1.f[2]", "I1.p[1]"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    for (std::size_t row = 0; row < run.result.time.size(); ++row) {
        EXPECT_LT(std::abs(run.result.at(row, 0)), 1e-15);
        EXPECT_LT(std::abs(run.result.at(row, 1)), 1e-15);
        // der(p) = the effort there, −1.8331·2.499…·0.400152.
        EXPECT_NEAR(run.result.at(row, 2), 0.921 - 1.8331 * 2.499050360862872 * 0.400152 * run.result.time[row], 1e-8);
    }
}

// The plate's angle starts at 0 and moves, though little: at 1e-9 rounding is no measure of it.
TEST(Rest, AtTheStartIsNoneForWhatIsAboutToMove) {
    Pipeline p(test::load_file(test::source_folder() + "/models/mechanics3d/planar_body_on_spring.yaml"));
    const auto run = p.run(p.settings(), {"plate.phi"});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_LT(run.summary.steps, 2600);
}

// Diodes under the voltage of a source some time ahead would carry exp(70) times their current, and what rounding makes
// of that would be taken for the ring's own.
TEST(Rest, IsJudgedUnderTheSourcesOfItsOwnTime) {
    Pipeline p(test::load_file(test::source_folder() + "/tests/models/ivp/ring_modulator.yaml"));
    auto settings = p.settings();
    settings.stop = 3e-4;
    const auto run = p.run(settings, {"u1.e"});
    EXPECT_FALSE(run.summary.failure);
}

}  // namespace
}  // namespace bondgraph
