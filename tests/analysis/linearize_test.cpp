#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

// The row and column of a state by its name: their order is the library's own.
std::size_t place(const std::vector<std::string>& names, const std::string& name) {
    const auto at = std::find(names.begin(), names.end(), name);
    EXPECT_NE(at, names.end()) << name;
    return static_cast<std::size_t>(at - names.begin());
}

double entry(const Eigen::MatrixXd& m, std::size_t row, std::size_t column) {
    return m(static_cast<Eigen::Index>(row), static_cast<Eigen::Index>(column));
}

TEST(Linearize, AnRcIsWhatTheBookSays) {
    Pipeline p(R"(
components: {s: {type: Se, e: 10}, j: {type: 1}, r: {type: R, R: 1000}, c: {type: C, C: 1e-6}}
bonds: [s -> j, j -> r, j -> c]
)");
    const auto l = p.linear({}, {"c.e", "r.f"});
    EXPECT_THAT(l.states, testing::ElementsAre("c.q"));
    EXPECT_THAT(l.inputs, testing::ElementsAre("s.e"));
    EXPECT_NEAR(l.A(0, 0), -1000.0, 1e-9);
    EXPECT_NEAR(l.B(0, 0), 1e-3, 1e-15);
    EXPECT_NEAR(l.C(0, 0), 1e6, 1e-6);
    EXPECT_NEAR(l.C(1, 0), -1000.0, 1e-9);
    EXPECT_NEAR(l.D(0, 0), 0.0, 1e-15);
    EXPECT_NEAR(l.D(1, 0), 1e-3, 1e-15);
    EXPECT_NEAR(l.eigenvalues.at(0).real(), -1000.0, 1e-9);
}

TEST(Linearize, ASeriesRlcIsWhatTheBookSays) {
    Pipeline p(R"(
components: {s: {type: Se, e: 1}, j: {type: 1}, r: {type: R, R: 2}, l: {type: I, I: 4}, c: {type: C, C: 8}}
bonds: [s -> j, j -> r, j -> l, j -> c]
)");
    const auto l = p.linear({"s"}, {"l.f"});
    const auto q = place(l.states, "c.q");
    const auto m = place(l.states, "l.p");
    EXPECT_DOUBLE_EQ(entry(l.A, q, q), 0.0);
    EXPECT_DOUBLE_EQ(entry(l.A, q, m), 0.25);
    EXPECT_DOUBLE_EQ(entry(l.A, m, q), -0.125);
    EXPECT_DOUBLE_EQ(entry(l.A, m, m), -0.5);
    EXPECT_DOUBLE_EQ(entry(l.B, q, 0), 0.0);
    EXPECT_DOUBLE_EQ(entry(l.B, m, 0), 1.0);
    EXPECT_DOUBLE_EQ(entry(l.C, 0, m), 0.25);
    EXPECT_DOUBLE_EQ(entry(l.D, 0, 0), 0.0);
}

TEST(Linearize, AMotorIsWhatTheBookSays) {
    Pipeline p(test::load_file(test::model_path("electromechanical/motor_step_response.yaml")));
    const auto l = p.linear({}, {"rotor.f"});
    const auto coil = place(l.states, "coil.p");
    const auto rotor = place(l.states, "rotor.p");
    EXPECT_NEAR(entry(l.A, coil, coil), -1.0 / 0.5, 1e-12);
    EXPECT_NEAR(entry(l.A, coil, rotor), -0.01 / 0.01, 1e-12);
    EXPECT_NEAR(entry(l.A, rotor, coil), 0.01 / 0.5, 1e-12);
    EXPECT_NEAR(entry(l.A, rotor, rotor), -0.1 / 0.01, 1e-12);
    // The gain at rest: −C A⁻¹ B.
    EXPECT_NEAR((-l.C * l.A.inverse() * l.B + l.D)(0, 0), 0.01 / (1.0 * 0.1 + 0.01 * 0.01), 1e-12);
}

TEST(Linearize, AnAlgebraicLoopIsSolvedOnTheWay) {
    Pipeline p(R"(
components: {s: {type: Se, e: 1}, j: {type: 1}, a: {type: R, R: 1}, n: {type: 0}, b: {type: R, R: 3}, k: {type: 1}, d: {type: R, R: 4}, c: {type: C, C: 1}}
bonds: [s -> j, j -> a, j -> n, n -> b, n -> k, k -> d, k -> c]
)");
    // Thévenin: 0.75 of the source behind 0.75 Ω, in series with 4 Ω.
    const auto l = p.linear();
    EXPECT_NEAR(l.A(0, 0), -1.0 / 4.75, 1e-12);
    EXPECT_NEAR(l.B(0, 0), 0.75 / 4.75, 1e-12);
}

TEST(Linearize, ASourceWhoseDerivativeMattersIsRefused) {
    Pipeline p(R"(
components: {s: {type: Se, e: 1}, n: {type: 0}, c: {type: C, C: 1}, j: {type: 1}, r: {type: R, R: 1}, l: {type: I, I: 1}}
bonds: [s -> n, n -> c, n -> j, j -> r, j -> l]
)");
    EXPECT_THAT(test::errors_of([&] { p.linear({"s"}, {"c.f"}); }), testing::ElementsAre("BG-L001"));
}

// The current into a capacitor on a source is C times the source's rate, whether or not the model has states.
TEST(Linearize, ASourceWhoseDerivativeMattersIsRefusedWithoutStatesToo) {
    constexpr std::string_view kModel = R"(
components: {s: {type: Se, e: 1}, n: {type: 0}, c: {type: C, C: 2}, r: {type: R, R: 4}}
bonds: [s -> n, n -> c, n -> r]
)";
    Pipeline p(kModel);
    EXPECT_THAT(test::errors_of([&] { p.linear({"s"}, {"s.f"}); }), testing::ElementsAre("BG-L001"));
    Pipeline by_default(kModel);
    EXPECT_THAT(by_default.linear({}, {"s.f"}).left_out, testing::ElementsAre("s.e"));
}

TEST(Linearize, UnknownNamesAreReported) {
    Pipeline p(
        "components: {s: {type: Se, e: 1}, j: {type: 1}, r: {type: R, R: 1}, l: {type: I, I: 1}}\nbonds: [s -> j, j -> "
        "r, j -> l]\n");
    EXPECT_THROW(p.linear({"S"}), std::invalid_argument);
    EXPECT_THROW(p.linear({}, {"l.x"}), std::invalid_argument);
}

TEST(Linearize, ALawIsTakenOnTheBranchTheStartIsOn) {
    Pipeline p(R"(
components:
  node:  {type: 0}
  store: {type: C, law: "e = if q < 0 then q else 0.25*q", initial: {q: -1}}
  loss:  {type: R, R: 1}
bonds: [node -> store, node -> loss]
)");
    EXPECT_DOUBLE_EQ(p.linear().A(0, 0), -1.0);
}

constexpr const char* kBoost = R"(
components:
  battery: {type: Se, e: 12 V}
  gate:    {type: Pulse, period: 20 us, width: 12 us}
  branch:  {type: 1}
  coil:    {type: I, I: 0.2 mH, initial: {f: 2 A}}
  node:    {type: 0}
  switch:  {type: Sw, open: gate.y < 0.5}
  forward: {type: 1}
  diode:   {type: D}
  output:  {type: 0}
  smooth:  {type: C, C: 50 uF, initial: {e: 30 V}}
  load:    {type: R, R: 20 ohm}
bonds: [battery -> branch, branch -> coil, branch -> node, node -> switch, node -> forward, forward -> diode, forward -> output, output -> smooth, output -> load]
experiment: {stop: 0.1 ms}
)";

TEST(Linearize, SwitchesAndDiodesAreAsTheRunBegins) {
    Pipeline p(kBoost);
    // The switch is closed: the coil charges by itself, the capacitor feeds the load.
    const auto l = p.linear();
    const auto coil = place(l.states, "coil.p");
    const auto smooth = place(l.states, "smooth.q");
    EXPECT_EQ(entry(l.A, coil, coil), 0.0);
    EXPECT_EQ(entry(l.A, coil, smooth), 0.0);
    EXPECT_EQ(entry(l.A, smooth, coil), 0.0);
    EXPECT_NEAR(entry(l.A, smooth, smooth), -1.0 / (20.0 * 50e-6), 1e-9);
}

// A pendulum in Cartesian coordinates: which of them are states changes on the way round. Expected is its equation of
// motion in the coordinate that is one, x'' = -x x'^2/(L^2 - x^2) ± g x sqrt(1 - x^2/L^2)/L, differentiated by hand.
TEST(Linearize, StatesChosenOnTheWayAreThoseOfTheLinearModel) {
    Pipeline p(R"(
types:
  Pendulum:
    parameters: {m: 1, L: 1, g: 9.81}
    variables: {x: {start: 1}, y: , vx: , vy: {start: 0}, force: }
    equations: [der(x) = vx, der(y) = vy, m*der(vx) = -force*x, m*der(vy) = -force*y - m*g, x^2 + y^2 = L^2]
components:
  p: {type: Pendulum}
bonds: []
)");
    EXPECT_THAT(p.linear().states, testing::UnorderedElementsAre("p.y", "p.vy"));
    const simulation::Settings settings{.stop = 0.65, .tolerance = 1e-10, .interval = 0.65};
    const auto run = p.run(settings, {"p.x", "p.vx", "p.y"});
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const double x = run.result.at(1, 0);
    const double v = run.result.at(1, 1);
    const double y = run.result.at(1, 2);
    ASSERT_LT(y, -0.8);  // below the pivot, where y no longer is a state
    const auto l = p.linear_at_end(settings);
    ASSERT_THAT(l.states, testing::UnorderedElementsAre("p.x", "p.vx"));
    const auto i = place(l.states, "p.x");
    const auto j = place(l.states, "p.vx");
    EXPECT_NEAR(entry(l.A, i, i), 0.0, 1e-9);
    EXPECT_NEAR(entry(l.A, i, j), 1.0, 1e-9);
    EXPECT_NEAR(entry(l.A, j, i), -v * v * (1 + x * x) / ((1 - x * x) * (1 - x * x)) + 9.81 * (y * y - x * x) / y,
                1e-6);
    EXPECT_NEAR(entry(l.A, j, j), -2 * x * v / (1 - x * x), 1e-6);
}

// The same lever twice, which only numbers show: the run leaves one out, and so does the linear model.
TEST(Linearize, ConstraintsThatARunLeavesOutAreLeftOut) {
    Pipeline p(R"(
types:
  Lever:
    parameters: {k: 1}
    ports: {a: {}, b: {}}
    equations: [a.f + k*b.f = 0, k*a.e = b.e]
components:
  u:  {type: Se, e: 1}
  m1: {type: I, I: 1, initial: {f: 1}}
  j1: {type: 1}
  m2: {type: I, I: 2}
  j2: {type: 1}
  s1: {type: Lever, k: 1.5}
  s2: {type: Lever, k: 1.5}
bonds: [u -> j1, j1 -> m1, j2 -> m2, j1 -> s1.a, j2 -> s1.b, j1 -> s2.a, j2 -> s2.b]
)");
    const auto l = p.linear_at_end({.stop = 0.5}, {}, {"m1.f"});
    ASSERT_EQ(l.states.size(), 1U);
    EXPECT_NEAR(l.A(0, 0), 0.0, 1e-12);
    // The second mass counts 2/1.5^2 beside the first.
    EXPECT_NEAR(l.C(0, 0) * l.B(0, 0), 1.0 / (1.0 + 2.0 / 2.25), 1e-12);
}

TEST(Linearize, EigenvaluesAreThoseOfABalancedMatrix) {
    Pipeline p(test::load_file(test::model_path("hydraulic/u_tube.yaml")));
    const auto values = p.linear().eigenvalues;
    ASSERT_EQ(values.size(), 3U);
    const double w = std::sqrt(2.0 * 9.81 / 0.8);
    for (const auto& value : values) {
        EXPECT_NEAR(value.real(), 0.0, 1e-13 * w);
        EXPECT_NEAR(std::abs(value.imag()), value.imag() == 0.0 ? 0.0 : w, 1e-13 * w);
    }
    EXPECT_EQ(std::count(values.begin(), values.end(), 0.0), 1);
}

TEST(Linearize, ASourceThatAStorageFollowsIsNoInputUnlessAskedFor) {
    Pipeline p(R"(
components: {s: {type: Se, e: 1}, n: {type: 0}, c: {type: C, C: 1}, j: {type: 1}, r: {type: R, R: 2}, l: {type: I, I: 4}, v: {type: Se, e: 3}}
bonds: [s -> n, n -> c, n -> j, j -> r, j -> l, v -> j]
)");
    const auto l = p.linear({}, {"c.f"});
    EXPECT_THAT(l.inputs, testing::ElementsAre("v.e"));
    EXPECT_THAT(l.left_out, testing::ElementsAre("s.e"));
    EXPECT_DOUBLE_EQ(l.A(0, 0), -0.5);
    EXPECT_DOUBLE_EQ(l.B(0, 0), 1.0);
    EXPECT_THAT(test::errors_of([&] { p.linear({"s"}, {"c.f"}); }), testing::ElementsAre("BG-L001"));
}

// x = e(t) by an equation, and its second derivative is wanted: z' = e'' - z.
TEST(Linearize, ASourceWhoseSecondDerivativeIsNeededIsNoInput) {
    Pipeline p(R"yaml(
types:
  Follower:
    ports: {u: {domain: generic}}
    variables: {x: {}, v: {}, F: {}, z: {start: 0}}
    equations: ["der(x) = v", "der(v) = F", "x = u.e", "u.f = 0", "der(z) = F - z"]
components: {s: {type: Se, e: "sin(time)"}, f: {type: Follower}, g: {type: Se, e: 1}, j: {type: 1}, r: {type: R, R: 2},
             c: {type: C, C: 4}}
bonds: [s -> f.u, g -> j, j -> r, j -> c]
)yaml");
    const auto l = p.linear({}, {"f.z", "c.e"});
    EXPECT_THAT(l.left_out, testing::ElementsAre("s.e"));
    EXPECT_THAT(l.inputs, testing::ElementsAre("g.e"));
    const auto z = place(l.states, "f.z");
    const auto q = place(l.states, "c.q");
    ASSERT_EQ(l.states.size(), 2U);
    EXPECT_DOUBLE_EQ(entry(l.A, z, z), -1.0);
    EXPECT_DOUBLE_EQ(entry(l.A, q, q), -0.125);
    EXPECT_DOUBLE_EQ(entry(l.B, q, 0), 0.5);
    EXPECT_DOUBLE_EQ(entry(l.B, z, 0), 0.0);
    EXPECT_THAT(test::errors_of([&] { p.linear({"s"}); }), testing::ElementsAre("BG-L001"));
}

// The first and the second derivative, whose shares cancel where both are 1: both are needed all the same.
TEST(Linearize, DerivativesOfASourceThatCancelInNumbersAreNeeded) {
    Pipeline p(R"yaml(
types:
  Follower:
    ports: {u: {domain: generic}}
    variables: {x: {}, v: {}, F: {}, z: {start: 0}}
    equations: ["der(x) = v", "der(v) = F", "x = u.e", "u.f = 0", "der(z) = F - v - z"]
components: {s: {type: Se, e: "sin(time)"}, f: {type: Follower}}
bonds: [s -> f.u]
)yaml");
    EXPECT_THAT(p.linear().left_out, testing::ElementsAre("s.e"));
}

// The block's output goes through k = 3 into a series RC: the column of B is 3 times that of the source.
TEST(Linearize, ASignalBlockIsAnInputWhereItIsNamed) {
    Pipeline p(R"(
components: {step: {type: Step, height: 2}, gain: {type: Gain, k: 3}, s: {type: Se}, t: {type: Se, e: 1},
             j: {type: 1}, r: {type: R, R: 5}, c: {type: C, C: 0.1}, sum: {type: Integrator}}
bonds: [s -> j, t -> j, j -> r, j -> c]
signals: [step.y -> gain.u, gain.y -> s.e, c.e -> sum.u]
)");
    EXPECT_THAT(p.linear().inputs, testing::ElementsAre("s.e", "t.e"));
    const auto l = p.linear({"step", "gain.y", "t"}, {"r.f", "gain.y"});
    EXPECT_THAT(l.inputs, testing::ElementsAre("step.y", "gain.y", "t.e"));
    const auto q = place(l.states, "c.q");
    EXPECT_DOUBLE_EQ(entry(l.B, q, 0), 0.6);
    EXPECT_DOUBLE_EQ(entry(l.B, q, 1), 0.2);
    EXPECT_DOUBLE_EQ(entry(l.B, q, 2), 0.2);
    EXPECT_DOUBLE_EQ(l.D(0, 0), 0.6);
    EXPECT_DOUBLE_EQ(l.D(1, 0), 3.0);
    EXPECT_DOUBLE_EQ(l.D(1, 1), 1.0);
    EXPECT_THROW(p.linear({"sum"}), std::invalid_argument);  // its law says only how its output changes
}

// q' = -k q^2 around q: -2 k q.
TEST(Linearize, IsDoneAroundStatesGivenOnTheCommandLine) {
    const std::string text = R"(
components: {c: {type: C, C: 1, initial: {e: 5}}, r: {type: R, law: f = 3*e^2}, n: {type: 0}}
bonds: [n -> c, n -> r]
)";
    for (const double q : {0.5, 2.0}) {
        Pipeline by_state(text);
        by_state.set("c.q=" + std::to_string(q));
        EXPECT_NEAR(by_state.linear().A(0, 0), -6.0 * q, 1e-9);
        Pipeline by_effort(text);
        by_effort.set("c.e=" + std::to_string(q));
        EXPECT_NEAR(by_effort.linear().A(0, 0), -6.0 * q, 1e-9);
    }
}

}  // namespace
}  // namespace bondgraph
