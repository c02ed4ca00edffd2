// States are chosen where a mode is entered and looked at again as the point moves: events, samples and modes beside a
// mechanism with a constraint between its states change nothing of its motion.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

constexpr double kFall = 9.81;

/// x and y of a pendulum of length 1 released from rest at `angle` from the lowest point, by Runge and Kutta's method
/// of fourth order on its angle.
struct Place {
    double x = 0.0;
    double y = 0.0;
};
Place pendulum_after(double time, double angle, double length = 1.0) {
    constexpr int kSteps = 20000;
    const double h = time / kSteps;
    double a = angle;
    double w = 0.0;
    const auto f = [&](double at) { return -kFall / length * std::sin(at); };
    for (int k = 0; k < kSteps; ++k) {
        const double a1 = w;
        const double w1 = f(a);
        const double a2 = w + 0.5 * h * w1;
        const double w2 = f(a + 0.5 * h * a1);
        const double a3 = w + 0.5 * h * w2;
        const double w3 = f(a + 0.5 * h * a2);
        const double a4 = w + h * w3;
        const double w4 = f(a + h * a3);
        a += h / 6.0 * (a1 + 2.0 * a2 + 2.0 * a3 + a4);
        w += h / 6.0 * (w1 + 2.0 * w2 + 2.0 * w3 + w4);
    }
    return {length * std::sin(a), -length * std::cos(a)};
}

constexpr const char* kPendulum = R"YAML(
types:
  Pendulum:
    parameters: {L: 1}
    outputs: [px]
    variables: {x: {}, y: {}, v: {}, w: {}, F: {}}
    equations:
      - der(x) = v
      - der(y) = w
      - der(v) = -F*x
      - der(w) = -F*y - 9.81
      - x^2 + y^2 = L^2
      - px = x
  Sampler:
    outputs: {n: {type: real, start: 1}}
    equations: ["n = if sample(0, 0.002) then 1 else pre(n)"]
  Cap:
    parameters: {C: 1}
    ports: {p: {domain: electrical}}
    variables: {q: {}}
    equations: [der(q) = p.f, q = C*p.e]
)YAML";

/// The pendulum from the horizontal with something beside it.
void expect_swing(const std::string& components, const std::string& rest) {
    Pipeline p(fmt::format("{}components:\n  p: {{type: Pendulum, initial: {{y: 0, w: 0}}, guess: {{x: 1}}}}\n{}{}",
                           kPendulum, components, rest));
    simulation::Settings settings;
    settings.stop = 5.0;
    settings.interval = 1.0;
    settings.tolerance = 1e-8;
    const auto run = p.run(settings, {"p.x", "p.y"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const Place place = pendulum_after(5.0, 0.5 * std::numbers::pi);
    const std::size_t last = run.result.time.size() - 1;
    EXPECT_NEAR(run.result.at(last, 0), place.x, 2e-5);
    EXPECT_NEAR(run.result.at(last, 1), place.y, 2e-5);
}

// Which of two masses strokes made a state is no wish: at the horizontal the other one is the better state.
TEST(ChoiceAtAPoint, APendulumOfTwoMassesSwingsFromAnyAngle) {
    for (const char* preferred : {"", ", states: prefer"}) {
        for (const double degrees : {60.0, 89.0, 90.0, 100.0, 150.0}) {
            Pipeline p(fmt::format(R"YAML(
types:
  Rope:
    parameters: {{a: 0}}
    ports: {{px: {{domain: translational}}, py: {{domain: translational}}}}
    variables: {{x: {{start: sin(a)}}, y: {{start: -cos(a)}}, s: {{}}}}
    equations: [der(x) = px.f, der(y) = py.f, x^2 + y^2 = 1, px.e = s*x, py.e = s*y]
components:
  jx: {{type: 1}}
  jy: {{type: 1}}
  mx: {{type: I, I: 2, initial: {{f: 0}}{}}}
  my: {{type: I, I: 2}}
  w: {{type: Se, e: -2*9.81}}
  rope: {{type: Rope, a: {} deg}}
bonds: [jx -> mx, jx -> rope.px, w -> jy, jy -> my, jy -> rope.py]
)YAML",
                                   preferred, degrees));
            simulation::Settings settings;
            settings.stop = 5.0;
            settings.interval = 5.0;
            settings.tolerance = 1e-9;
            const auto run = p.run(settings, {"rope.x", "rope.y"});
            ASSERT_FALSE(run.summary.failure) << degrees << preferred << run.summary.failure->message;
            const Place place = pendulum_after(5.0, degrees * std::numbers::pi / 180.0);
            EXPECT_NEAR(run.result.at(1, 0), place.x, 1e-5) << degrees << preferred;
            EXPECT_NEAR(run.result.at(1, 1), place.y, 1e-5) << degrees << preferred;
            EXPECT_LT(std::abs(run.summary.energy.imbalance), 1e-6 * run.summary.energy.moved) << degrees << preferred;
        }
    }
}

TEST(ChoiceAtAPoint, APendulumSwingsThroughSamplesThatChangeNothing) { expect_swing("  k: {type: Sampler}\n", ""); }

TEST(ChoiceAtAPoint, APendulumWorksAContactAndSwingsOn) {
    expect_swing(R"(  s: {type: Se, e: 1 V}
  j: {type: 1}
  r: {type: R, R: 1 ohm}
  c: {type: Sw, open: "p.px > 0"}
  l: {type: I, I: 1 H, initial: {f: 0}}
)",
                 "bonds: [s -> j, j -> r, j -> c, j -> l]\n");
}

// The capacitors' jump leaves the pendulum alone: velocities are not found from positions over a vanishing step.
TEST(ChoiceAtAPoint, ChargesAreSharedBesideAPendulum) {
    for (const std::string type : {"C", "Cap"}) {
        const std::string port = type == "C" ? "" : ".p";
        Pipeline p(kPendulum + fmt::format(R"(components:
  p:  {{type: Pendulum, initial: {{x: 0.6, v: 0}}, guess: {{y: -0.8}}}}
  n:  {{type: 0}}
  C1: {{type: {0}, C: 1, initial: {{q: 10}}}}
  l:  {{type: 1}}
  sw: {{type: Sw, open: time < 1}}
  C2: {{type: {0}, C: 1, initial: {{q: 0}}}}
bonds: [n -> C1{1}, n -> l, l -> sw, l -> C2{1}]
)",
                                           type, port));
        simulation::Settings settings;
        settings.stop = 2.0;
        settings.interval = 1.0;
        const auto run = p.run(settings, {"C1.q", "C2.q", "p.x"});
        ASSERT_FALSE(run.summary.failure) << type << ": " << run.summary.failure->message;
        const std::size_t last = run.result.time.size() - 1;
        EXPECT_NEAR(run.result.at(last, 0), 5.0, 1e-6);
        EXPECT_NEAR(run.result.at(last, 1), 5.0, 1e-6);
        EXPECT_NEAR(run.result.at(last, 2), pendulum_after(2.0, std::asin(0.6)).x, 1e-4);
    }
}

TEST(ChoiceAtAPoint, AFreeParameterInAConstraintFollowsFromTheStart) {
    Pipeline p(R"(
types:
  Pendulum:
    parameters: {L: {unit: m}}
    variables: {x: {}, y: {}, v: {}, w: {}, F: {}}
    equations: ["der(x) = v", "der(y) = w", "der(v) = -F*x", "der(w) = -F*y - 9.81", "x^2 + y^2 = L^2"]
components:
  p: {type: Pendulum, L: {value: 1.2 m, free: true}, initial: {x: 0.6, y: -0.8, v: 0}}
)");
    simulation::Settings settings;
    settings.interval = 1.0;
    const auto run = p.run(settings, {"p.x", "p.y"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_NEAR(run.result.at(1, 0), pendulum_after(1.0, std::asin(0.6)).x, 1e-4);
}

TEST(ChoiceAtAPoint, ADiscreteVariableInAConstraintHasItsStartValue) {
    Pipeline p(R"(
types:
  Pendulum:
    variables: {x: {}, y: {}, v: {}, w: {}, F: {}, L: {type: real, start: 2}}
    equations: ["der(x) = v", "der(y) = w", "der(v) = -F*x", "der(w) = -F*y - 9.81", "x^2 + y^2 = L^2"]
components:
  p: {type: Pendulum, initial: {x: 1.2, v: 0}, guess: {y: -1.6}}
)");
    simulation::Settings settings;
    settings.interval = 1.0;
    const auto run = p.run(settings, {"p.x", "p.y"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_NEAR(run.result.at(1, 0), pendulum_after(1.0, std::asin(0.6), 2.0).x, 1e-4);
}

TEST(ChoiceAtAPoint, AStorageNobodyGaveAValueStartsAtZeroBesideAConstraint) {
    Pipeline p(R"(
components:
  hold: {type: rSe}
  m:    {type: I, I: 2}
  loop: {type: 1}
  coil: {type: I, I: 3, initial: {p: 1}}
  cap:  {type: C, C: 4}
  res:  {type: R, R: 1}
bonds: [hold -> m, loop -> coil, loop -> res, loop -> cap]
)");
    simulation::Settings settings;
    settings.interval = 0.5;
    settings.tolerance = 1e-8;
    const auto run = p.run(settings, {"coil.p", "cap.q"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_EQ(run.result.at(0, 1), 0.0);
    // L q'' + R q' + q/C = 0 with q = 0 and q' = 1/L at first.
    const std::complex<double> root = std::sqrt(std::complex<double>(1.0 / 36.0 - 1.0 / 12.0));
    const std::complex<double> q =
        (std::exp((-1.0 / 6.0 + root) * 1.0) - std::exp((-1.0 / 6.0 - root) * 1.0)) / (2.0 * root) / 3.0;
    EXPECT_NEAR(run.result.at(2, 1), q.real(), 1e-6);
}

// Preferences of a chain's derivatives fall with their order, however long the chain.
TEST(ChoiceAtAPoint, StatesThatAreNotWantedAreNotTakenInLongChains) {
    Pipeline p(R"(
types:
  Chain:
    outputs: [y]
    inputs: [F]
    variables: {x1: {}, x2: {}, x3: {}, x4: {}}
    equations: ["der(x1) = 2*x2", "der(x2) = 2*x3", "der(x3) = 2*x4", "der(x4) = F", "y = x1"]
  Tie:
    inputs: [a, b]
    outputs: [G, H]
    equations: ["a = b", "G = -H"]
components:
  a: {type: Chain, states: never}
  b: {type: Chain}
  t: {type: Tie}
signals: [a.y -> t.a, b.y -> t.b, t.G -> a.F, t.H -> b.F]
)");
    for (const auto state : p.sorted().states) EXPECT_EQ(p.sorted().name(state).find("a."), std::string::npos);
    EXPECT_EQ(p.sorted().states.size(), 4u);
}

/// Last row of a run of 1 s at 1e-9.
std::vector<double> last_row(const std::string& text, const std::vector<std::string>& outputs) {
    Pipeline p(text);
    simulation::Settings settings;
    settings.interval = 0.5;
    settings.tolerance = 1e-9;
    const auto run = p.run(settings, outputs);
    EXPECT_FALSE(run.summary.failure) << run.summary.failure->message;
    std::vector<double> row;
    for (std::size_t k = 0; k < outputs.size(); ++k) row.push_back(run.result.at(run.result.time.size() - 1, k));
    return row;
}

/// A bead on y = a x^2 without weight keeps its speed along the wire; a port pushes it in x.
constexpr const char* kBead = R"YAML(
types:
  Bead:
    parameters: {a: 0.8}
    ports: {p: {}}
    outputs: [c]
    variables: {x: {}, y: {}, v: {}, w: {}, F: {}}
    equations: ["der(x) = v", "der(y) = w", "der(v) = -2*a*x*F + p.e", "der(w) = F", "y = a*x^2", p.f = v, c = x]
  Sampler:
    inputs: [u]
    outputs: {y: {type: real}}
    equations: ["y = if sample(0, 0.07) then u else pre(y)"]
  Counter:
    outputs: {n: {type: integer}}
    equations: ["n = if sample(0, 0.1) then pre(n) + 1 else pre(n)"]
)YAML";

std::string bead_with(const std::string& rest) {
    std::string text = kBead;
    return text.append(rest);
}

// The speed before an impact and a sampled coordinate are results of Newton's method, whose last digits change each
// time the point is solved for: no reason for another round of the event.
TEST(ChoiceAtAPoint, SamplesAndImpactsSettleBesideAConstraint) {
    const auto row = last_row(bead_with(R"YAML(
components:
  j: {type: 1}
  bead: {type: Bead, initial: {x: -0.9, v: 1}}
  stop: {type: EndStop, upper: -0.3, restitution: 1, initial: {q: -0.9}}
  idle: {type: Se, e: 0}
  s: {type: Sampler}
bonds: [idle -> j, j -> stop, j -> bead.p]
signals: [bead.c -> s.u]
)YAML"),
                              {"bead.x", "bead.v", "bead.w", "stop.q"});
    EXPECT_NEAR(std::hypot(row[1], row[2]), std::hypot(1.0, 1.6 * 0.9), 1e-6);
    EXPECT_LT(row[1], 0.0);
    EXPECT_NEAR(row[0], row[3], 1e-7);
}

// A friction that sticks at the start has an event right after the first sample.
TEST(ChoiceAtAPoint, AnEventRightBesideASampleIsNoSecondOne) {
    const auto row = last_row(bead_with(R"YAML(
components:
  j: {type: 1}
  bead: {type: Bead, initial: {x: -0.9, v: 0}}
  hold: {type: Friction, level: 5}
  push: {type: Se, e: "8*sin(5*time)"}
  n: {type: Counter}
bonds: [push -> j, j -> hold, j -> bead.p]
)YAML"),
                              {"n.n"});
    EXPECT_EQ(row[0], 11.0);
}

// A current of 0 that is given is 0 although the start of the linkage beside it is solved for: its diode conducts.
TEST(ChoiceAtAPoint, ValuesGivenBesideAConstraintAreKeptExactly) {
    Pipeline p(bead_with(R"YAML(
components:
  j: {type: 1}
  bead: {type: Bead, initial: {x: -0.9, v: -4.5, y: 0.648, w: 6.48}}
  supply: {type: Se, e: "5.8 + 10*sin(9*time)"}
  loop: {type: 1}
  diode: {type: D}
  coil: {type: I, I: 0.109, initial: {f: 0}}
  copper: {type: R, R: 2.79}
  motor: {type: GY, r: 0.596}
bonds: [supply -> loop, loop -> diode, loop -> coil, loop -> copper, loop -> motor.p1, motor.p2 -> j, j -> bead.p]
)YAML"));
    simulation::Settings settings;
    settings.stop = 0.01;
    const auto run = p.run(settings, {"coil.f"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_EQ(run.result.at(0, 0), 0.0);
    EXPECT_GT(run.result.at(run.result.time.size() - 1, 0), 0.1);
}

// Three links whose first one is caught: the others go on from where they are, not from the mirrored place that forces
// of the impact's size would lead the search to.
TEST(ChoiceAtAPoint, LinksStayOnTheirSideWhereOneIsCaught) {
    const auto row = last_row(R"YAML(
types:
  Links:
    ports: {p: {}}
    variables: {x1: {}, y1: {}, x2: {}, y2: {}, x3: {}, y3: {}, u1: {}, w1: {}, u2: {}, w2: {}, u3: {}, w3: {}, F1: {}, F2: {}, F3: {}}
    equations:
      - der(x1) = u1
      - der(y1) = w1
      - der(x2) = u2
      - der(y2) = w2
      - der(x3) = u3
      - der(y3) = w3
      - 0.53*der(u1) = F1*x1 - F2*(x2 - x1) - y1*p.e
      - 0.53*der(w1) = F1*y1 - F2*(y2 - y1) + x1*p.e - 5.2
      - 0.55*der(u2) = F2*(x2 - x1) - F3*(x3 - x2)
      - 0.55*der(w2) = F2*(y2 - y1) - F3*(y3 - y2) - 5.4
      - 0.83*der(u3) = F3*(x3 - x2)
      - 0.83*der(w3) = F3*(y3 - y2) - 8.1
      - x1^2 + y1^2 = 0.83
      - (x2 - x1)^2 + (y2 - y1)^2 = 0.866
      - (x3 - x2)^2 + (y3 - y2)^2 = 0.739
      - p.f = x1*w1 - y1*u1
components:
  j: {type: 1}
  links: {type: Links, initial: {x1: -0.836, u1: -0.124, x2: -1.52, u2: 0.277, x3: -2.256, u3: 0.559}, guess: {y1: -0.36, y2: -1, y3: -1.4}}
  pawl: {type: Lock, locked: time > 0.149}
bonds: [j -> links.p, j -> pawl]
experiment: {stop: 0.5 s}
)YAML",
                              {"links.x1", "links.y1", "links.u1", "links.w1"});
    EXPECT_NEAR(std::hypot(row[0], row[1]), std::sqrt(0.83), 1e-7);
    EXPECT_NEAR(std::hypot(row[2], row[3]), 0.0, 1e-9);
}

/// A planar four-bar closed by conditions on the position of its last point, in a plane turned in space.
double four_bar(int conditions) {
    std::string text = R"(
types:
  Cut:
    parameters: {at: 0}
    inputs: [x]
    outputs: [F]
    equations: [x = at]
components:
  world: {type: World}
  base: {type: FixedRotation, n: [1, 2, 3], angle: 0.7}
  j1: {type: Revolute, n: [0, 0, 1], initial: {phi: 0.9, w: 0}}
  l1: {type: BodyShape, r: [0.5, 0, 0], r_CM: [0.25, 0, 0], m: 1, I_11: 0.01, I_22: 0.08, I_33: 0.08}
  j2: {type: Revolute, n: [0, 0, 1], guess: {phi: -1}}
  l2: {type: BodyShape, r: [0.8, 0, 0], r_CM: [0.25, 0, 0], m: 1, I_11: 0.01, I_22: 0.08, I_33: 0.08}
  j3: {type: Revolute, n: [0, 0, 1], guess: {phi: -1.2}}
  l3: {type: BodyShape, r: [0.6, 0, 0], r_CM: [0.25, 0, 0], m: 1, I_11: 0.01, I_22: 0.08, I_33: 0.08}
  tip: {type: WorldForce, f: [0, 0, 0]}
)";
    // 0.9 m along the turned plane's first axis.
    const std::array at{"0.70347525651632259", "0.49510550763392253", "-0.26456209059472252"};
    std::string signals = "signals:\n";
    for (int k = 0; k < conditions; ++k) {
        text += fmt::format("  cut{0}: {{type: Cut, at: {1}}}\n", k + 1, at[static_cast<std::size_t>(k)]);
        signals += fmt::format("  - l3.frame_b.x[{0}] -> cut{0}.x\n  - cut{0}.F -> tip.f[{0}]\n", k + 1);
    }
    Pipeline p(text + R"(
connect:
  - [world.frame_b, base.frame_a]
  - [base.frame_b, j1.frame_a]
  - [j1.frame_b, l1.frame_a]
  - [l1.frame_b, j2.frame_a]
  - [j2.frame_b, l2.frame_a]
  - [l2.frame_b, j3.frame_a]
  - [j3.frame_b, l3.frame_a]
  - [l3.frame_b, tip.frame_b]
)" + signals);
    simulation::Settings settings;
    settings.tolerance = 1e-8;
    settings.interval = 1.0;
    const auto run = p.run(settings, {"j1.phi"});
    EXPECT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_EQ(run.summary.left_out.size(), static_cast<std::size_t>(conditions - 2));
    return run.result.at(run.result.time.size() - 1, 0);
}

// That the last point stays in the plane says nothing new, though its coefficients reach into other blocks.
TEST(ChoiceAtAPoint, ARedundantConditionOfAFourBarIsLeftOut) { EXPECT_NEAR(four_bar(3), four_bar(2), 1e-6); }

// A small charge beside a mechanism whose places and forces are large is not lost among them.
TEST(ChoiceAtAPoint, ASmallValueGivenThroughALawIsKeptBesideLargeUnknowns) {
    Pipeline p(R"YAML(
types:
  Pendulum:
    variables: {x: {start: 600}, y: {start: -800}, v: {}, w: {}, F: {}}
    equations:
      - der(x) = v
      - der(y) = w
      - der(v) = -1e10*F*x
      - der(w) = -1e10*F*y - 9.81e10
      - x^2 + y^2 = 1e6
components:
  p: {type: Pendulum}
  j: {type: 1}
  R: {type: R, R: 1}
  C: {type: C, law: "e = q^3 + 1e-6*q", initial: {e: 1e-7}}
bonds: [R -> j, j -> C]
)YAML");
    simulation::Settings settings;
    settings.stop = 1e-3;
    const auto run = p.run(settings, {"C.e", "p.x"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    EXPECT_NEAR(run.result.at(0, 0), 1e-7, 1e-16);
    EXPECT_NEAR(run.result.at(0, 1), 600.0, 1e-9);
}

// A parallelogram in line could go on as one or as an antiparallelogram: what its links are doing decides, whatever the
// step that crosses the place.
TEST(ChoiceAtAPoint, AParallelogramTurnsOverThroughItsChangePoints) {
    for (const double speed : {0.3, 0.6, 1.0, 1.4, 1.9, 2.3, 2.7, 3.1, 3.6, 4.2}) {
        Pipeline p(fmt::format(R"YAML(
types:
  Parallelogram:
    variables: {{x1: {{start: 0}}, y1: {{start: 1}}, x2: {{start: 2}}, y2: {{}}, u1: {{start: {}}}, v1: {{}}, u2: {{}}, v2: {{}},
                F: {{}}, G: {{}}, H: {{}}}}
    equations:
      - der(x1) = u1
      - der(y1) = v1
      - der(x2) = u2
      - der(y2) = v2
      - der(u1) = -F*x1 - H*(x1 - x2)
      - der(v1) = -F*y1 - H*(y1 - y2) - 0.3
      - der(u2) = -G*(x2 - 2) - H*(x2 - x1)
      - der(v2) = -G*y2 - H*(y2 - y1) - 0.3
      - x1^2 + y1^2 = 1
      - (x2 - 2)^2 + y2^2 = 1
      - (x2 - x1)^2 + (y2 - y1)^2 = 4
components:
  links: {{type: Parallelogram}}
)YAML",
                               speed));
        for (const double tolerance : {1e-6, 1e-8, 1e-10}) {
            const auto run = p.run({.stop = 20.0, .tolerance = tolerance, .interval = 0.1},
                                   {"links.x1", "links.y1", "links.x2", "links.y2"});
            ASSERT_FALSE(run.summary.failure) << speed << ", " << tolerance << ": " << run.summary.failure->message;
            for (std::size_t row = 0; row < run.result.time.size(); ++row) {
                // In line, links that differ by d violate the conditions by d^2 only.
                if (std::abs(run.result.at(row, 1)) < 0.01) continue;
                ASSERT_NEAR(run.result.at(row, 2), run.result.at(row, 0) + 2.0, 1e-4) << speed << ", " << tolerance;
                ASSERT_NEAR(run.result.at(row, 3), run.result.at(row, 1), 1e-4) << speed << ", " << tolerance;
            }
        }
    }
}

}  // namespace
}  // namespace bondgraph
