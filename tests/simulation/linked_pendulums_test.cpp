// Pendulums of two and three links in x and y, each link with the condition of its length: impacts, samples and the
// balance of energy beside them, wherever a link is horizontal or vertical.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <string>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

constexpr const char* kLinks = R"(
parameters: {k: 5 N/m}
types:
  Link:
    parameters: {L: {unit: m}}
    ports: {ax: {domain: translational}, ay: {domain: translational}, bx: {domain: translational}, by: {domain: translational}}
    variables: {dx: {unit: m, start: 0 m}, dy: {unit: m, start: 0 m}, lam: {unit: N/m}}
    equations: [der(dx) = bx.f - ax.f, der(dy) = by.f - ay.f, dx^2 + dy^2 = L^2, bx.e = lam*dx, by.e = lam*dy, ax.e = -bx.e, ay.e = -by.e]
  First:
    parameters: {L: {unit: m}}
    ports: {bx: {domain: translational}, by: {domain: translational}}
    variables: {dx: {unit: m, start: 0 m}, dy: {unit: m, start: 0 m}, lam: {unit: N/m}}
    equations: [der(dx) = bx.f, der(dy) = by.f, dx^2 + dy^2 = L^2, bx.e = lam*dx, by.e = lam*dy]
)";

struct Link {
    double angle, speed, length, mass;
};

/// A chain of links hanging from the origin, angles from straight down, with more components and bonds.
template <std::size_t kCount>
std::string chain(const std::array<Link, kCount>& links, const std::string& components, const std::string& bonds) {
    std::string text = kLinks;
    std::string joined;
    text += "components:\n";
    double vx = 0.0;
    double vy = 0.0;
    for (std::size_t k = 0; k < kCount; ++k) {
        const Link& l = links[k];
        vx += l.length * std::cos(l.angle) * l.speed;
        vy += l.length * std::sin(l.angle) * l.speed;
        text += fmt::format(
            "  jx{0}: {{type: 1}}\n  jy{0}: {{type: 1}}\n"
            "  mx{0}: {{type: I, I: {1}, initial: {{f: {2:.17g}}}}}\n"
            "  my{0}: {{type: I, I: {1}, initial: {{f: {3:.17g}}}}}\n  g{0}: {{type: Se, e: {4:.17g}}}\n"
            "  l{0}: {{type: {5}, L: {6}, initial: {{dx: {7:.17g}, dy: {8:.17g}}}}}\n",
            k, l.mass, vx, vy, -9.81 * l.mass, k == 0 ? "First" : "Link", l.length, l.length * std::sin(l.angle),
            -l.length * std::cos(l.angle));
        joined += fmt::format(
            "  - jx{0} -> mx{0}\n  - jy{0} -> my{0}\n  - g{0} -> jy{0}\n  - jx{0} -> l{0}.bx\n"
            "  - jy{0} -> l{0}.by\n",
            k);
        if (k > 0) joined += fmt::format("  - jx{0} -> l{1}.ax\n  - jy{0} -> l{1}.ay\n", k - 1, k);
    }
    return text + components + "bonds:\n" + joined + bonds;
}

// The second mass hits a wall. What it and the links hand on: an impulse along x at the wall, one along each link.
TEST(LinkedPendulums, AnImpactIsHandedOnAlongTheLinks) {
    constexpr double kRestitution = 0.8;
    int impacts = 0;
    for (int k = 0; k < 24; ++k) {
        const double first = -1.5 + 0.13 * k;
        const double second = 1.5 - 0.37 * k;
        const std::array links{Link{first, 1.0 + 0.1 * k, 1.0, 1.0}, Link{second, 0.4 * k - 3.0, 1.0, 1.0}};
        const double reach = std::sin(first) + std::sin(second);
        Pipeline p(
            chain(links,
                  fmt::format("  wall: {{type: EndStop, upper: {:.17g}, restitution: {}, initial: {{q: {:.17g}}}}}\n",
                              reach + 0.1, kRestitution, reach),
                  "  - jx1 -> wall\n"));
        const auto run = p.run({.stop = 0.6, .tolerance = 1e-8, .interval = 0.05},
                               {"mx0.p", "my0.p", "mx1.p", "my1.p", "l0.dx", "l0.dy", "l1.dx", "l1.dy"});
        ASSERT_FALSE(run.summary.failure) << k << ": " << run.summary.failure->message;
        EXPECT_LT(std::abs(run.summary.energy.imbalance), 1e-5 * run.summary.energy.moved) << k;
        const auto& r = run.result;
        for (std::size_t i = 0; i + 1 < r.time.size(); ++i) {
            if (r.time[i] != r.time[i + 1] || std::abs(r.at(i + 1, 2) - r.at(i, 2)) < 0.01) continue;
            ++impacts;
            const auto change = [&](std::size_t c) { return r.at(i + 1, c) - r.at(i, c); };
            const auto now = [&](std::size_t c) { return r.at(i + 1, c); };
            EXPECT_NEAR(now(2), -kRestitution * r.at(i, 2), 1e-6) << k;
            EXPECT_NEAR(now(4) * now(0) + now(5) * now(1), 0.0, 1e-6) << k;
            EXPECT_NEAR(now(6) * (now(2) - now(0)) + now(7) * (now(3) - now(1)), 0.0, 1e-6) << k;
            // What the second mass got along y came along the second link, which acts back on the first mass.
            const double along_x = change(0) * now(7) + change(3) * now(6);
            const double along_y = change(1) * now(7) + change(3) * now(7);
            EXPECT_NEAR(along_x * now(5) - along_y * now(4), 0.0, 1e-6) << k;
        }
    }
    EXPECT_GE(impacts, 12);
}

// The first mass is at rest, but for the rounding of what the others are solved to.
TEST(LinkedPendulums, ASampleAtTheStartFindsAMassAtRest) {
    const std::array links{Link{-1.59, 0.0, 1.0, 1.0}, Link{-1.0, 2.5, 1.0, 1.0}, Link{0.92, 0.0, 1.0, 1.0}};
    for (const double length : {1.0, 0.968, 0.7, 1.157}) {
        for (const double mass : {1.0, 1.42, 1.904}) {
            std::array these = links;
            these[0].length = length;
            these[1].mass = mass;
            Pipeline p(chain(these,
                             fmt::format("  x: {{type: Dq, initial: {{y: {:.17g}}}}}\n  fk: {{type: Se}}\n"
                                         "  sh: {{type: SampleHold, period: 0.1}}\n",
                                         length * std::sin(these[0].angle)),
                             "  - jx0 -> x\n  - fk -> jx0\nsignals: [x.y -> sh.u, -k*sh.y -> fk.e]\n"));
            const auto run = p.run({.stop = 0.5, .tolerance = 1e-8, .interval = 0.1}, {"x.y"});
            EXPECT_FALSE(run.summary.failure) << length << " " << mass << ": " << run.summary.failure->message;
        }
    }
}

// In one of the steps a mass passes where its velocity, a state, determines nothing. Numbers and order of lines are
// those with which it happens at 1e-6 to 1e-9.
TEST(LinkedPendulums, TheBalanceSurvivesAnInstantInWhichTheStatesDetermineTheRestBadly) {
    for (const double tolerance : {1e-6, 1e-7, 1e-8, 1e-9}) {
        Pipeline p(std::string(kLinks) + R"(components:
  l1: {type: Link, L: 0.89, initial: {dx: 0.8798455334509033, dy: 0.13405908125336144}}
  jx1: {type: 1}
  r1: {type: R, R: 3}
  my1: {type: I, I: 1.279 kg, initial: {f: 0.0}}
  jy0: {type: 1}
  my0: {type: I, I: 1.791 kg, initial: {f: 0.0}}
  r2: {type: R, R: 4}
  us: {type: Se, e: '10*sin(3.911*time)'}
  mx0: {type: I, I: 1.791 kg, initial: {f: 0.0}}
  x1: {type: Dq, initial: {y: 0.7977533985963687}}
  e1: {type: 1}
  g0: {type: Se, e: -17.56971}
  g1: {type: Se, e: -12.54699}
  jy1: {type: 1}
  mx1: {type: I, I: 1.279 kg, initial: {f: 0.0}}
  d1: {type: D}
  l0: {type: First, L: 0.428, initial: {dx: -0.0820921348545346, dy: -0.4200534268340456}}
  lk: {type: Lock, locked: time > 0.69 and time < 1.05}
  c1: {type: C, C: 0.05}
  c: {type: R, R: 0.272}
  jx0: {type: 1}
  e0: {type: 0}
  x0: {type: Dq, initial: {y: -0.0820921348545346}}
bonds:
  - e0 -> c1
  - us -> e1
  - jx0 -> l0.bx
  - jx1 -> mx1
  - e0 -> r2
  - jx1 -> c
  - jx0 -> l1.ax
  - jx1 -> l1.bx
  - jy0 -> l1.ay
  - jx1 -> x1
  - jy1 -> l1.by
  - g0 -> jy0
  - e1 -> e0
  - e1 -> d1
  - jy1 -> my1
  - g1 -> jy1
  - jy0 -> l0.by
  - jx0 -> mx0
  - jy0 -> my0
  - jx0 -> x0
  - jx1 -> lk
  - e1 -> r1
)");
        const auto run =
            p.run({.stop = 2.0, .tolerance = tolerance, .interval = 0.01}, {"x0.y", "mx0.f", "x1.y", "mx1.f", "c1.q"});
        ASSERT_FALSE(run.summary.failure) << tolerance << ": " << run.summary.failure->message;
        EXPECT_LT(std::abs(run.summary.energy.imbalance), 100.0 * tolerance * run.summary.energy.moved);
    }
}

// The first link passes the horizontal while the second one hangs: the states are the first mass's vertical velocity
// and the second one's horizontal velocity, and neither of their laws says anything of its link's force there.
TEST(LinkedPendulums, ForcesComeFromTheLawsOfWhatDependsOnTheStates) {
    Pipeline p(std::string(kLinks) + R"(components:
  jx0: {type: 1}
  jy0: {type: 1}
  mx0: {type: I, I: 1.722 kg, initial: {f: -0.1591735039444191}}
  my0: {type: I, I: 1.722 kg, initial: {f: -0.9666312424306676}}
  g0: {type: Se, e: -16.89282}
  x0: {type: Dq, initial: {y: -0.3147610688474984}}
  l0: {type: First, L: 0.319, initial: {dx: -0.3147610688474984, dy: 0.05183116377219768}}
  jx1: {type: 1}
  jy1: {type: 1}
  mx1: {type: I, I: 0.496 kg, initial: {f: -0.1591735039444191}}
  my1: {type: I, I: 0.496 kg, initial: {f: -0.9666312424306676}}
  g1: {type: Se, e: -4.86576}
  l1: {type: Link, L: 0.652, initial: {dx: 0.14737138792970472, dy: -0.63512650237545}}
  sh: {type: SampleHold, period: 0.1}
  fk: {type: Se}
  ws: {type: EndStop, upper: 0.363, restitution: 0.692, initial: {q: -0.16738968091779366}}
bonds:
  - jx0 -> mx0
  - jy0 -> my0
  - g0 -> jy0
  - jx0 -> x0
  - jx0 -> l0.bx
  - jy0 -> l0.by
  - jx1 -> mx1
  - jy1 -> my1
  - g1 -> jy1
  - jx1 -> l1.bx
  - jy1 -> l1.by
  - jx0 -> l1.ax
  - jy0 -> l1.ay
  - fk -> jx0
  - jx1 -> ws
signals:
  - x0.y -> sh.u
  - -k*sh.y -> fk.e
)");
    const auto run = p.run({.stop = 2.0, .tolerance = 1e-8, .interval = 0.01}, {"x0.y", "l0.dx"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_LT(run.summary.steps, 3000);
    EXPECT_LT(std::abs(run.summary.energy.imbalance), 1e-6 * run.summary.energy.moved);
    for (std::size_t k = 0; k < run.result.time.size(); ++k)
        EXPECT_NEAR(run.result.at(k, 0), run.result.at(k, 1), 1e-6);
}

}  // namespace
}  // namespace bondgraph
