// Jumps where a constraint between states stands beside them or takes part: a chain of three links in x and y, each
// with a condition of its own, as an own type with a port on the first link's angle.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

constexpr const char* kArm = R"(
types:
  Arm:
    parameters: {m: {unit: kg}, L: {unit: m}, g: {unit: m/s2}}
    ports: {p: {domain: rotational}}
    variables:
      {x1: {unit: m}, y1: {unit: m}, v1: {unit: m/s}, w1: {unit: m/s}, x2: {unit: m}, y2: {unit: m}, v2: {unit: m/s},
       w2: {unit: m/s}, x3: {unit: m}, y3: {unit: m}, v3: {unit: m/s}, w3: {unit: m/s}, S1: {unit: N/m},
       S2: {unit: N/m}, S3: {unit: N/m}}
    equations:
      - m*der(v1) = S2*(x2 - x1) - S1*x1 - y1/L^2*p.e
      - der(x1) = v1
      - der(y1) = w1
      - m*der(w1) = S2*(y2 - y1) - S1*y1 - m*g + x1/L^2*p.e
      - x1^2 + y1^2 = L^2
      - der(x2) = v2
      - m*der(v2) = S3*(x3 - x2) - S2*(x2 - x1)
      - der(y2) = w2
      - m*der(w2) = S3*(y3 - y2) - S2*(y2 - y1) - m*g
      - (x2 - x1)^2 + (y2 - y1)^2 = L^2
      - der(x3) = v3
      - m*der(v3) = -S3*(x3 - x2)
      - der(y3) = w3
      - m*der(w3) = -S3*(y3 - y2) - m*g
      - (x3 - x2)^2 + (y3 - y2)^2 = L^2
      - p.f = (x1*w1 - y1*v1)/L^2
)";

/// A ball of 0.8 kg that falls with 10 m/s2 from `height` and bounces with a restitution of 0.8, beside anything.
std::string ball(double height) {
    return fmt::format(R"(  ball: {{type: I, I: 0.8, initial: {{f: 0}}}}
  weight: {{type: Se, e: -8}}
  fall: {{type: 1}}
  floor: {{type: EndStop, lower: 0, restitution: 0.8, initial: {{q: {:.3f}}}}}
)",
                       height);
}
constexpr const char* kFalls = ", weight -> fall, fall -> ball, fall -> floor";

double height_after(double time, double height) {
    double v = 0.0;
    for (;;) {
        const double lasts = (v + std::sqrt(v * v + 20.0 * height)) / 10.0;
        if (lasts > time) return height + v * time - 5.0 * time * time;
        v = 0.8 * (10.0 * lasts - v);
        height = 0.0;
        time -= lasts;
    }
}

simulation::Settings until(double stop) {
    simulation::Settings settings;
    settings.stop = stop;
    settings.interval = 0.05;
    settings.tolerance = 1e-9;
    return settings;
}

// Masses and the clutch's drum in velocities of their own: the flow of the arm's port is integrated there, which no
// storage holds. The jump is the projection of the velocities on what the closed clutch allows: it keeps the moment of
// momentum about the joint, and takes the energy of the velocities lost (Carnot's theorem).
TEST(JumpsBesideConstraints, AClutchTakesAMechanismAlong) {
    for (const double x3 : {-0.1, -0.15}) {
        Pipeline p(std::string(kArm) + fmt::format(R"(components:
  drum: {{type: I, I: 0.1, initial: {{f: -2}}}}
  clutch: {{type: Lock, locked: time > 0.3}}
  node: {{type: 0}}
  arm: {{type: Arm, m: 1 kg, L: 0.5 m, g: 9.81 m/s2, initial: {{x1: -0.25, v1: 0.2, x2: -0.58, v2: -0.1, x3: {}, v3: 0.3}},
         guess: {{y1: -0.5, y2: -1, y3: -1.5}}}}
  j: {{type: 1}}
bonds: [j -> arm.p, j -> node, node -> clutch, drum -> node]
)",
                                                   x3));
        const auto run = p.run(until(0.5), {"arm.x1", "arm.y1", "arm.v1", "arm.w1", "arm.x2", "arm.y2", "arm.v2",
                                            "arm.w2", "arm.x3", "arm.y3", "arm.v3", "arm.w3", "drum.f", "arm.p.f"});
        ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
        std::size_t after = 1;
        while (after < run.result.time.size() && run.result.time[after] != run.result.time[after - 1]) ++after;
        ASSERT_LT(after, run.result.time.size());
        const auto at = [&](std::size_t row, std::size_t k) { return run.result.at(row, k); };
        std::array<double, 2> moment{};
        std::array<double, 2> energy{};
        double lost = 0.05 * std::pow(at(after, 12) - at(after - 1, 12), 2);
        for (const std::size_t side : {0, 1}) {
            const std::size_t row = after - 1 + side;
            moment[side] = 0.1 * at(row, 12);
            energy[side] = 0.05 * std::pow(at(row, 12), 2);
            for (std::size_t k = 0; k < 12; k += 4) {
                moment[side] += at(row, k) * at(row, k + 3) - at(row, k + 1) * at(row, k + 2);
                energy[side] += 0.5 * (std::pow(at(row, k + 2), 2) + std::pow(at(row, k + 3), 2));
            }
        }
        for (const std::size_t k : {2, 3, 6, 7, 10, 11}) lost += 0.5 * std::pow(at(after, k) - at(after - 1, k), 2);
        EXPECT_GT(std::abs(at(after - 1, 12) - at(after - 1, 13)), 0.1);
        EXPECT_NEAR(at(after, 12), at(after, 13), 1e-9);
        EXPECT_NEAR(moment[1], moment[0], 1e-9);
        EXPECT_NEAR(energy[0] - energy[1], lost, 1e-9);
    }
}

// Velocities at which everything stands still are zero but for rounding: they have no size that a jump of something
// else could be judged by.
TEST(JumpsBesideConstraints, AMechanismHeldStillLeavesABouncingBallAlone) {
    for (int k = 0; k < 30; ++k) {
        const double height = 0.3 + 0.02 * k;
        const double x1 = 0.12 + 0.008 * k;
        Pipeline p(std::string(kArm) + fmt::format(R"(components:
  hold: {{type: Friction, level: 300, static: 300}}
  arm: {{type: Arm, m: 1.5 kg, L: 0.5 m, g: 9.81 m/s2, initial: {{x1: {0}, v1: 0, x2: {1}, v2: 0, x3: {0}, v3: 0}},
         guess: {{y1: -0.5, y2: -1, y3: -1.5}}}}
  push: {{type: Se, e: sin(3*time)}}
  j: {{type: 1}}
{2}bonds: [push -> j, j -> arm.p, j -> hold{3}]
)",
                                                   x1, x1 + 0.3, ball(height), kFalls));
        const auto run = p.run(until(1.0), {"floor.q", "arm.x1"});
        ASSERT_FALSE(run.summary.failure) << height << ": " << run.summary.failure->message;
        const std::size_t last = run.result.time.size() - 1;
        EXPECT_NEAR(run.result.at(last, 0), height_after(1.0, height), 1e-7);
        EXPECT_NEAR(run.result.at(last, 1), x1, 1e-12);
    }
}

// The first link breaks loose while the others swing: its velocity was zero, and follows from theirs but for rounding.
TEST(JumpsBesideConstraints, FrictionLetsALinkGoWhileOthersSwing) {
    for (const double x2 : {0.741, 0.742, 0.744, 0.746, 0.75, 0.79}) {
        std::array<double, 2> ends{};
        for (const bool beside : {false, true}) {
            Pipeline p(std::string(kArm) + fmt::format(R"(components:
  hold: {{type: Friction, level: 9, static: 16}}
  arm: {{type: Arm, m: 1 kg, L: 0.5 m, g: 9.81 m/s2, initial: {{x1: 0.3, v1: 0, x2: {}, v2: 0, x3: {}, v3: 0}},
         guess: {{y1: -0.5, y2: -1, y3: -1.5}}}}
  j: {{type: 1}}
{}bonds: [j -> arm.p, j -> hold{}]
)",
                                                       x2, x2 + 0.25, beside ? ball(1.0) : "", beside ? kFalls : ""));
            const auto run = p.run(until(1.0), {"arm.x3", "arm.x1"});
            ASSERT_FALSE(run.summary.failure) << x2 << ": " << run.summary.failure->message;
            ends[beside ? 1 : 0] = run.result.at(run.result.time.size() - 1, 0);
            EXPECT_GT(std::abs(run.result.at(run.result.time.size() - 1, 1) - 0.3), 0.01) << "it has not slipped";
        }
        EXPECT_NEAR(ends[0], ends[1], 1e-5);
    }
}

}  // namespace
}  // namespace bondgraph
