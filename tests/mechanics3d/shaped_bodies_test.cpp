// Bodies whose mass follows from a shape, turned about three axes through frame_a: a constant torque T turns one that
// starts at rest by T t^2/(2 J), with the moment of inertia J of the textbook.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

/// The moment of inertia of a body about an axis through its frame_a.
double moment_about(const std::string& axis, const std::string& body) {
    constexpr double kTorque = 3.0;
    test::Pipeline p(fmt::format(R"(
components:
  world: {{type: World, g: 0}}
  hinge: {{type: Revolute, n: {}, initial: {{phi: 0, w: 0}}}}
  body: {{{}}}
  torque: {{type: Se, e: {} N.m}}
connect:
  - [world.frame_b, hinge.frame_a]
  - [hinge.frame_b, body.frame_a]
bonds: [torque -> hinge.axis]
)",
                                 axis, body, kTorque));
    simulation::Settings settings;
    settings.stop = 1.0;
    settings.interval = 1.0;
    settings.tolerance = 1e-10;
    const auto run = p.run(settings, {"hinge.phi"});
    EXPECT_FALSE(run.summary.failure);
    return kTorque / (2.0 * run.result.data.back());
}

constexpr const char* kAxes[] = {"[1, 0, 0]", "[0, 1, 0]", "[0, 0, 1]"};

TEST(ShapedBodies, ATubeHasTheMomentsOfOne) {
    const double l = 0.8, r = 0.1, inner = 0.06, density = 1000.0;
    const double m = density * std::numbers::pi * (r * r - inner * inner) * l;
    const double along = m * (r * r + inner * inner) / 2.0;
    const double across = m * (3.0 * (r * r + inner * inner) + l * l) / 12.0 + m * l * l / 4.0;
    const std::string tube = "type: BodyCylinder, r: [0.8, 0, 0], diameter: 0.2, innerDiameter: 0.12, density: 1000";
    EXPECT_NEAR(moment_about(kAxes[0], tube), along, 1e-9 * along);
    EXPECT_NEAR(moment_about(kAxes[1], tube), across, 1e-9 * across);
    EXPECT_NEAR(moment_about(kAxes[2], tube), across, 1e-9 * across);
}

// The width lies along y, the height along z.
TEST(ShapedBodies, AHollowBoxHasTheMomentsOfOne) {
    const double l = 0.8, w = 0.2, h = 0.3, wi = 0.1, hi = 0.25, density = 1000.0;
    const double full = density * l * w * h, hole = density * l * wi * hi;
    const double shift = (full - hole) * l * l / 4.0;
    const double moments[] = {(full * (w * w + h * h) - hole * (wi * wi + hi * hi)) / 12.0,
                              (full * (l * l + h * h) - hole * (l * l + hi * hi)) / 12.0 + shift,
                              (full * (l * l + w * w) - hole * (l * l + wi * wi)) / 12.0 + shift};
    for (int k = 0; k < 3; ++k) {
        EXPECT_NEAR(moment_about(kAxes[k],
                                 "type: BodyBox, r: [0.8, 0, 0], width: 0.2, height: 0.3, innerWidth: 0.1, "
                                 "innerHeight: 0.25, density: 1000"),
                    moments[k], 1e-9 * moments[k])
            << kAxes[k];
    }
}

}  // namespace
}  // namespace bondgraph
