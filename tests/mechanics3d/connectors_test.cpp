// Own types with connectors: frames and flanges handed on to parts, pins and ports with equations.

#include <gtest/gtest.h>

#include <cmath>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

double one_at_end(std::string_view text, double stop, const std::string& name) {
    Pipeline p(text);
    const auto run = p.run({.stop = stop, .tolerance = 1e-9, .interval = stop}, {name});
    EXPECT_FALSE(run.summary.failure);
    return run.result.at(run.result.time.size() - 1, 0);
}

TEST(Connectors, ATypeHandsFramesAndFlangesOn) {
    constexpr std::string_view kTypes = R"(
types:
  Link:
    parameters: {L: 1 m, m: {unit: kg}}
    connectors: {frame_a: frame, frame_b: frame, shaft: flange}
    components:
      hinge: {type: Revolute, initial: {phi: 0.1, w: 0}}
      rod: {type: BodyShape, r: [L, 0, 0], m: m, r_CM: [L/2, 0, 0], I_33: m*L^2/12}
      damper: {type: R, R: 0.1}
    bonds: [hinge.axis -> damper]
    connect: [[frame_a, hinge.frame_a], [hinge.frame_b, rod.frame_a], [rod.frame_b, frame_b], [shaft, hinge.axis]]
)";
    constexpr std::string_view kTyped = R"(
components:
  world: {type: World}
  upper: {type: Link, m: 2 kg}
  lower: {type: Link, m: 1 kg, L: 0.5 m}
  drive: {type: Se, e: 1}
connect: [[world, upper.frame_a], [upper.frame_b, lower.frame_a]]
bonds: [drive -> upper.shaft]
)";
    constexpr std::string_view kFlat = R"(
components:
  world: {type: World}
  h1: {type: Revolute, initial: {phi: 0.1, w: 0}}
  r1: {type: BodyShape, r: [1, 0, 0], m: 2, r_CM: [0.5, 0, 0], I_33: 1/6}
  d1: {type: R, R: 0.1}
  h2: {type: Revolute, initial: {phi: 0.1, w: 0}}
  r2: {type: BodyShape, r: [0.5, 0, 0], m: 1, r_CM: [0.25, 0, 0], I_33: 1/48}
  d2: {type: R, R: 0.1}
  drive: {type: Se, e: 1}
connect: [[world, h1.frame_a], [h1.frame_b, r1.frame_a], [r1.frame_b, h2.frame_a], [h2.frame_b, r2.frame_a]]
bonds: [drive -> h1.axis, h1.axis -> d1, h2.axis -> d2]
)";
    const double typed = one_at_end(std::string(kTypes) + std::string(kTyped), 1.0, "lower.hinge.phi");
    EXPECT_NEAR(typed, one_at_end(kFlat, 1.0, "h2.phi"), 1e-7);
    // Position and velocity of the type's own frame are results; the force is shared among what is joined inside.
    const std::string whole = std::string(kTypes) + std::string(kTyped);
    for (const char* what : {".frame_b.x[2]", ".frame_b.v[1]", ".frame_a.R[1,2]"}) {
        const std::string inner = std::string(what).starts_with(".frame_b") ? "lower.rod" : "lower.hinge";
        EXPECT_EQ(one_at_end(whole, 1.0, std::string("lower") + what), one_at_end(whole, 1.0, inner + what)) << what;
    }
    Pipeline p(whole);
    EXPECT_TRUE(model::resolve_name(p.graph(), "upper.frame_b.x[1]"));
    EXPECT_FALSE(model::resolve_name(p.graph(), "upper.frame_b.f[1]"));
}

TEST(Connectors, PinsOfATypeWithEquationsMakeACircuit) {
    constexpr std::string_view kModel = R"(
types:
  Resistor:
    parameters: {R: {unit: ohm}}
    connectors: {p: pin, n: pin}
    equations: [p.e - n.e = R*p.f, p.f + n.f = 0]
  Ground:
    connectors: {p: pin}
    equations: [p.e = 0]
  Battery:
    connectors: {p: pin, n: pin}
    equations: [p.e - n.e = 12, p.f + n.f = 0]
components:
  battery: {type: Battery}
  upper: {type: Resistor, R: 1 ohm}
  lower: {type: Resistor, R: 2 ohm}
  ground: {type: Ground}
connect: [[battery.p, upper.p], [upper.n, lower.p], [lower.n, battery.n, ground]]
)";
    EXPECT_NEAR(one_at_end(kModel, 1.0, "lower.p.e"), 8.0, 1e-9);
    EXPECT_NEAR(one_at_end(kModel, 1.0, "battery.p.f"), -4.0, 1e-9);
}

}  // namespace
}  // namespace bondgraph
