// Linear models of orientations described by quaternions: three small turns each, and no pole of the quaternion's
// length.

#include "bondgraph/analysis/small_turns.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <complex>
#include <fstream>
#include <iterator>
#include <memory>
#include <regex>

#include "bondgraph/analysis/single_channel.hpp"
#include "bondgraph/analysis/transfer_function.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using Complex = std::complex<double>;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using Poles = std::vector<Complex>;
using test::Pipeline;

/// Each expected pole takes the nearest of those that are left.
void expect_poles(Poles found, const Poles& expected, double tolerance) {
    ASSERT_EQ(found.size(), expected.size());
    for (const Complex& e : expected) {
        const auto distance = [&](const Complex& x) { return std::abs(x - e); };
        const auto nearest = std::ranges::min_element(found, {}, distance);
        EXPECT_LE(distance(*nearest), tolerance) << e << " is not there, but " << *nearest;
        found.erase(nearest);
    }
}

Poles joined(std::initializer_list<Poles> parts) {
    Poles all;
    for (const Poles& p : parts) all.insert(all.end(), p.begin(), p.end());
    return all;
}

Poles pair(double frequency) { return {{0.0, frequency}, {0.0, -frequency}}; }

std::string vector_text(const Vector3d& v) { return fmt::format("[{}, {}, {}]", v(0), v(1), v(2)); }

/// Components in the world → components in the frame, for angles about 1, 2, 3.
Matrix3d rotation(const Vector3d& angles) {
    Matrix3d R = Matrix3d::Identity();
    for (int k = 0; k < 3; ++k) R = Eigen::AngleAxisd(angles(k), Vector3d::Unit(k)).toRotationMatrix().transpose() * R;
    return R;
}

// ---- poles in closed form
// ----------------------------------------------------------------------------------------------

Poles of_spinning_body(int axis, const std::string& angles) {
    Vector3d w = 3.0 * Vector3d::Unit(axis);
    Pipeline p(fmt::format(R"(
components:
  world: {{type: World, g: 0 m/s2}}
  body:  {{type: Body, m: 2, I_11: 1, I_22: 2, I_33: 2.5, initial: {{angles: {}, w: {}}}}}
)",
                           angles, vector_text(w)));
    return p.linear().eigenvalues;
}

// Turns go round with the body once a revolution. Where it moves and how far it has turned about its axis is free.
TEST(SmallTurns, ABodyThatSpinsAboutAPrincipalAxisHasEulersPoles) {
    const Poles free(8, 0.0);
    const double stable = 3.0 * std::sqrt(1.5 * 0.5 / (1.0 * 2.0));
    const double unstable = 3.0 * std::sqrt(1.0 * 0.5 / (1.0 * 2.5));
    for (const char* angles : {"[0, 0, 0]", "[0.3, -0.9, 2]", "[3, 1.2, -1]"}) {
        SCOPED_TRACE(angles);
        expect_poles(of_spinning_body(2, angles), joined({free, pair(3.0), pair(stable)}), 1e-12);
        expect_poles(of_spinning_body(1, angles), joined({free, pair(3.0), {unstable, -unstable}}), 1e-12);
    }
}

const Vector3d kAnyAngles(0.4, -0.7, 1.9);

std::string hanging(const Vector3d& angles, const std::string& part = "", const std::string& connection = "") {
    const Vector3d rod = rotation(angles) * Vector3d(0.0, -0.5, 0.0);
    return fmt::format(R"(
components:
  world: {{type: World, g: 9.81 m/s2}}
  pivot: {{type: Spherical, initial: {{angles: {}, w: [0, 0, 0]}}}}
  rod:   {{type: FixedTranslation, r: {}}}
  ball:  {{type: Body, m: 2, I_11: 0.02, I_22: 0.02, I_33: 0.02}}
{}
connect:
  - [world.frame_b, pivot.frame_a]
  - [pivot.frame_b, rod.frame_a]
  - [rod.frame_b, ball.frame_a]
{}
)",
                       vector_text(angles), vector_text(rod), part, connection);
}

// Turning about the rod is free: a double pole at 0, known to half of the digits.
TEST(SmallTurns, APendulumThatHangsStillSwingsInTwoDirections) {
    Pipeline p(hanging(kAnyAngles));
    const auto l = p.linear();
    EXPECT_THAT(l.states, testing::ElementsAre("pivot.w[1]", "pivot.w[2]", "pivot.w[3]", "pivot.theta[1]",
                                               "pivot.theta[2]", "pivot.theta[3]"));
    const double w = std::sqrt(2.0 * 9.81 * 0.5 / (0.02 + 2.0 * 0.25));
    expect_poles(l.eigenvalues, joined({pair(w), pair(w), {0.0, 0.0}}), 1e-7);
    EXPECT_EQ(p.sorted().states.size(), 7U);  // what is integrated stays a quaternion
}

// The motion of its axis in the plane, seen from a frame that spins with the top: m g L p = J1 p'' - i I3 W p' before,
// p e^(-iWt) after. Fast it stands, slow it falls.
TEST(SmallTurns, AnUprightTopNutatesAndPrecesses) {
    constexpr double m = 0.5;
    constexpr double L = 0.1;
    constexpr double I3 = 0.0008;
    constexpr double J1 = 0.001 + m * L * L;
    for (const double spin : {200.0, 60.0}) {
        Pipeline p(fmt::format(R"(
components:
  world: {{type: World, g: 9.81 m/s2}}
  tip:   {{type: Spherical, initial: {{angles: [0, 0.7, 0], w: [0, {}, 0]}}}}
  top:   {{type: Body, m: {}, r_CM: [0, {}, 0], I_11: 0.001, I_22: {}, I_33: 0.001}}
connect: [[world.frame_b, tip.frame_a], [tip.frame_b, top.frame_a]]
)",
                               spin, m, L, I3));
        const Complex root = std::sqrt(Complex(I3 * spin * I3 * spin - 4.0 * J1 * m * 9.81 * L));
        Poles expected{0.0, 0.0};
        for (const double sign : {1.0, -1.0}) {
            const Complex s = Complex(0.0, 1.0) * ((I3 * spin + sign * root) / (2.0 * J1) - spin);
            expected.push_back(s);
            expected.push_back(std::conj(s));
        }
        expect_poles(p.linear().eigenvalues, expected, 1e-9 * spin);
    }
}

// ---- closed loops
// ------------------------------------------------------------------------------------------------------

constexpr double kBarMass = 3.0;
constexpr double kBarRods = 0.8;
constexpr double kBarHalf = 0.4;    // between the rods
constexpr double kBarAbove = 0.15;  // their ends above the centre of mass
constexpr double kBarAlong = 0.05;  // moments of inertia
constexpr double kBarUp = 0.3;
constexpr double kBarAcross = 0.28;

/// A bar on two rods of equal length, hanging straight down and turned about the vertical. It lies along x or z of its
/// own axes.
std::string bifilar(const std::string& motion, const std::string& orientation, bool along_x = true) {
    return fmt::format(R"(
parameters: {{m: {}, L: {}, b: {}, h: {}, psi: 0.6}}
components:
  world: {{type: World, g: 9.81 m/s2}}
  free:  {{type: FreeMotion, {}, initial: {{angles: [0, psi, 0], {}}}}}
  bar:   {{type: Body, m: m, I_11: {}, I_22: {}, I_33: {}}}
  end1:  {{type: FixedTranslation, r: [{x}*b, h, {z}*b]}}
  end2:  {{type: FixedTranslation, r: [-{x}*b, h, -{z}*b]}}
  top:   {{type: FixedRotation, r: [0, L + h, 0], n: [0, 1, 0], angle: psi}}
  top1:  {{type: FixedTranslation, r: [{x}*b, 0, {z}*b]}}
  top2:  {{type: FixedTranslation, r: [-{x}*b, 0, -{z}*b]}}
  rod1:  {{type: ConnectingRod, length: L}}
  rod2:  {{type: ConnectingRod, length: L}}
connect:
  - [world.frame_b, free.frame_a, top.frame_a]
  - [free.frame_b, bar.frame_a, end1.frame_a, end2.frame_a]
  - [top.frame_b, top1.frame_a, top2.frame_a]
  - [top1.frame_b, rod1.frame_a]
  - [rod1.frame_b, end1.frame_b]
  - [top2.frame_b, rod2.frame_a]
  - [rod2.frame_b, end2.frame_b]
)",
                       kBarMass, kBarRods, kBarHalf, kBarAbove, orientation, motion, along_x ? kBarAlong : kBarAcross,
                       kBarUp, along_x ? kBarAcross : kBarAlong, fmt::arg("x", along_x ? 1 : 0),
                       fmt::arg("z", along_x ? 0 : 1));
}

/// Along itself, about the vertical, and as a double pendulum across (the ends move by u, the bar rolls by phi).
Poles bifilar_poles() {
    constexpr double g = 9.81;
    Eigen::Matrix2d M;
    Eigen::Matrix2d K;
    M << kBarMass, kBarMass * kBarAbove, kBarMass * kBarAbove, kBarAlong + kBarMass * kBarAbove * kBarAbove;
    K << kBarMass * g / kBarRods, 0.0, 0.0, kBarMass * g * kBarAbove;
    const Eigen::Matrix2d S = M.inverse() * K;
    const double half = S.trace() / 2.0;
    const double root = std::sqrt(half * half - S.determinant());
    return joined({pair(std::sqrt(g / kBarRods)), pair(kBarHalf * std::sqrt(kBarMass * g / (kBarUp * kBarRods))),
                   pair(std::sqrt(half + root)), pair(std::sqrt(half - root))});
}

// It can't pitch: which of the turns are states depends on how it lies in its own axes.
TEST(SmallTurns, ABarOnTwoRodsHasFourFrequencies) {
    for (const bool along_x : {true, false}) {
        for (const char* orientation : {"orientation: quaternion", "orientation: angles"}) {
            SCOPED_TRACE(fmt::format("{}, along {}", orientation, along_x ? "x" : "z"));
            Pipeline p(bifilar("r: [0, 0, 0]", orientation, along_x));
            expect_poles(p.linear().eigenvalues, bifilar_poles(), 1e-7);
        }
    }
}

// Which components of the quaternion are states is another matter then.
TEST(SmallTurns, PartsOfQuaternionsAreReplacedWhateverIsPreferred) {
    for (const char* states : {"states: prefer", "states: avoid", "states: default"}) {
        SCOPED_TRACE(states);
        Pipeline p(bifilar("r: [0, 0, 0]", states));
        const auto l = p.linear();
        for (const std::string& name : l.states) EXPECT_EQ(name.find(".q["), std::string::npos) << name;
        expect_poles(l.eigenvalues, bifilar_poles(), 1e-7);
    }
}

/// How many states a mechanism with loops has: two for each freedom, and what stores beside it.
TEST(SmallTurns, MechanismsWithLoopsHaveTwoStatesForEachFreedom) {
    const std::vector<std::pair<std::string, std::size_t>> states{
        {"double_wishbone", 2}, {"stewart_platform", 12}, {"slider_crank_spatial", 2}, {"bricard", 2},
        {"pantograph", 4},      {"flyball_governor", 4},  {"excavator_bucket", 3}};
    for (const auto& [name, count] : states) {
        Pipeline p(test::load_file(test::model_path("mechanics3d/" + name + ".yaml")));
        EXPECT_EQ(p.linear().states.size(), count) << name;
    }
}

/// Wheels that lean and turn as in the file, their orientation by quaternions.
std::string with_quaternions(std::string bicycle) {
    const std::regex angles("orientation: angles, sequence: .3, 1, 2., (guess: .*)der_angles: .0, lean, v/([RF])]");
    bicycle = std::regex_replace(bicycle, angles, "$1w: [lean, v/$2, 0]");
    return std::regex_replace(bicycle, std::regex("(outputs|plots|expect):[^]*"), "");
}

TEST(SmallTurns, ABicycleAtRestFallsAlikeOnWheelsWithQuaternions) {
    const std::string path = test::model_path("mechanics3d/bicycle.yaml");
    std::ifstream file(path);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    Pipeline p(with_quaternions(text));
    Pipeline in_angles(test::load_file(path));
    p.set("v=0");
    in_angles.set("v=0");
    const auto l = p.linear();
    EXPECT_THAT(l.states, testing::Contains("rear.theta[1]"));
    // Heading, place and the wheels' angles stay as they are, and two of these begin to change by themselves.
    expect_poles(l.eigenvalues, in_angles.linear().eigenvalues, 1e-6);
}

// ---- along a motion
// ----------------------------------------------------------------------------------------------------

constexpr std::size_t kStates = 8;
using State = Eigen::Matrix<double, kStates, 1>;
using Transition = Eigen::Matrix<double, kStates, kStates>;

/// A body on a ball joint with an arm that swings on it.
struct Tumbling {
    Eigen::Vector4d q;  ///< vector part, then scalar part
    Vector3d w;
    double phi = 0.0;
    double rate = 0.0;
};

std::unique_ptr<Pipeline> pipeline_of(const Tumbling& at) {
    return std::make_unique<Pipeline>(fmt::format(R"(
components:
  world: {{type: World, g: 9.81 m/s2}}
  ball:  {{type: Spherical, initial: {{q: [{}, {}, {}, {}], w: {}}}}}
  body:  {{type: Body, m: 2, r_CM: [0.2, 0.1, -0.1], I_11: 0.03, I_22: 0.05, I_33: 0.04, I_31: 0.004}}
  hinge: {{type: Revolute, n: [1, 2, -1], initial: {{phi: {}, w: {}}}}}
  arm:   {{type: Body, m: 0.7, r_CM: [0, 0.3, 0.1], I_11: 0.01, I_22: 0.01, I_33: 0.02}}
connect: [[world.frame_b, ball.frame_a], [ball.frame_b, body.frame_a, hinge.frame_a], [hinge.frame_b, arm.frame_a]]
)",
                                                  at.q(0), at.q(1), at.q(2), at.q(3), vector_text(at.w), at.phi,
                                                  at.rate));
}

const std::vector<std::string> kTumblingStates{"ball.theta[1]", "ball.theta[2]", "ball.theta[3]", "ball.w[1]",
                                               "ball.w[2]",     "ball.w[3]",     "hinge.phi",     "hinge.w"};

Eigen::Quaterniond quaternion(const Eigen::Vector4d& q) { return {q(3), q(0), q(1), q(2)}; }

/// The same motion at another time.
Tumbling moved(const Tumbling& from, double time) {
    const auto run = pipeline_of(from)->run({.stop = time, .tolerance = 1e-12, .interval = time},
                                            {"ball.q[1]", "ball.q[2]", "ball.q[3]", "ball.q[4]", "ball.w[1]",
                                             "ball.w[2]", "ball.w[3]", "hinge.phi", "hinge.w"});
    const auto at = [&](std::size_t k) { return run.result.at(run.result.time.size() - 1, k); };
    return {{at(0), at(1), at(2), at(3)}, {at(4), at(5), at(6)}, at(7), at(8)};
}

Tumbling disturbed(Tumbling t, const State& by) {
    const double angle = by.head<3>().norm();
    const Vector3d axis = angle > 0.0 ? Vector3d(by.head<3>() / angle) : Vector3d::UnitX();
    const Eigen::Quaterniond turned = quaternion(t.q) * Eigen::Quaterniond(Eigen::AngleAxisd(angle, axis));
    t.q << turned.vec(), turned.w();
    t.w += by.segment<3>(3);
    t.phi += by(6);
    t.rate += by(7);
    return t;
}

State difference(const Tumbling& a, const Tumbling& b) {
    const Eigen::AngleAxisd turn(quaternion(b.q).normalized().inverse() * quaternion(a.q).normalized());
    State d;
    d << turn.angle() * turn.axis(), a.w - b.w, a.phi - b.phi, a.rate - b.rate;
    return d;
}

// Where nothing is at rest: how disturbances of the nonlinear motion grow, by differences, against the matrices on the
// way (Runge and Kutta's rule between three of them).
TEST(SmallTurns, DisturbancesOfAMotionGrowAsItsMatricesSay) {
    constexpr double kTime = 0.005;
    constexpr double kSmall = 1e-4;
    Tumbling start{{0.3, -0.5, 0.2, 0.0}, {4.0, -7.0, 5.0}, 0.4, -6.0};
    start.q(3) = std::sqrt(1.0 - start.q.squaredNorm());
    Transition grown;
    for (Eigen::Index k = 0; k < grown.cols(); ++k) {
        const State by = kSmall * State::Unit(k);
        grown.col(k) =
            difference(moved(disturbed(start, by), kTime), moved(disturbed(start, -by), kTime)) / (2 * kSmall);
    }
    std::array<Transition, 3> A;
    for (std::size_t k = 0; k < A.size(); ++k) {
        const auto p = pipeline_of(start);
        const auto l =
            k == 0 ? p->linear() : p->linear_at_end({.stop = static_cast<double>(k) * kTime / 2, .tolerance = 1e-12});
        ASSERT_THAT(l.states, testing::UnorderedElementsAreArray(kTumblingStates));
        std::vector<Eigen::Index> places;
        for (const std::string& name : kTumblingStates)
            places.push_back(std::ranges::find(l.states, name) - l.states.begin());
        A.at(k) = l.A(places, places);
    }
    const Transition one = Transition::Identity();
    const Transition k1 = A[0];
    const Transition k2 = A[1] * (one + kTime / 2 * k1);
    const Transition k3 = A[1] * (one + kTime / 2 * k2);
    const Transition k4 = A[2] * (one + kTime * k3);
    const Transition expected = one + kTime / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
    EXPECT_LT((grown - expected).cwiseAbs().maxCoeff(), 2e-7) << grown << "\n\n" << expected;
}

/// Differences of five rows about the middle one, h apart.
struct Derivatives {
    double first = 0.0;
    double second = 0.0;
};

Derivatives derivatives(const simulation::Result& r, std::size_t middle, std::size_t column, double h) {
    const auto y = [&](int k) { return r.at(static_cast<std::size_t>(static_cast<int>(middle) + k), column); };
    return {(y(-2) - 8 * y(-1) + 8 * y(1) - y(2)) / (12 * h),
            (-y(-2) + 16 * y(-1) - 30 * y(0) + 16 * y(1) - y(2)) / (12 * h * h)};
}

// A motion begun a little later is a disturbed motion. Its deviation is the rate of every state, that of a turn the
// angular velocity.
TEST(SmallTurns, TheRatesOfALoopsMotionObeyItsMatrix) {
    constexpr double h = 2e-3;
    const std::string text = bifilar("r: [0, 0, 0], v: [0.9, 0, 0.7], w: [1.1, 2.3, 0]", "orientation: quaternion");
    Pipeline at(text);
    const auto l = at.linear_at_end({.stop = 100 * h, .tolerance = 1e-11});
    std::vector<std::string> names;
    bool turns = false;
    for (const std::string& s : l.states) {
        names.push_back(std::regex_replace(s, std::regex("theta"), "w"));
        turns = turns || names.back() != s;
    }
    EXPECT_TRUE(turns);
    Pipeline p(text);
    const auto run = p.run({.stop = 102 * h, .tolerance = 1e-11, .interval = h}, names);
    Eigen::VectorXd rate(l.A.rows());
    Eigen::VectorXd change(l.A.rows());
    for (std::size_t k = 0; k < names.size(); ++k) {
        const Derivatives d = derivatives(run.result, 100, k, h);
        const bool turn = names[k] != l.states[k];
        rate(static_cast<Eigen::Index>(k)) = turn ? run.result.at(100, k) : d.first;
        change(static_cast<Eigen::Index>(k)) = turn ? d.first : d.second;
    }
    EXPECT_LT((l.A * rate - change).cwiseAbs().maxCoeff(), 1e-5 * change.cwiseAbs().maxCoeff());
}

// ---- inputs and outputs
// ------------------------------------------------------------------------------------------------

// A torque about a horizontal axis swings the pendulum across it. Of the six poles, four belong to other motions.
TEST(SmallTurns, ATorqueMovesAPendulumThroughItsTurns) {
    Pipeline p(hanging({0.0, -0.7, 0.0},
                       "  push:  {type: Constant, k: 0 N.m}\n  twist: {type: WorldTorque, t: [push.y, 0, 0]}",
                       "  - [twist.frame_b, ball.frame_a]"));
    const auto l = p.linear({"push"}, {"ball.frame_a.x[3]"});
    const auto h = analysis::transfer_function(analysis::channel(l, 0, 0));
    const double J = 0.02 + 2.0 * 0.25;
    expect_poles(h.poles, pair(std::sqrt(2.0 * 9.81 * 0.5 / J)), 1e-7);
    EXPECT_TRUE(h.zeros.empty());
    EXPECT_NEAR(h.gain, -0.5 / J, 1e-9);
    EXPECT_LT(h.disagreement, 1e-9);
}

// The quaternion itself as a result: half of the product with the turn.
TEST(SmallTurns, AQuaternionsComponentsAreResultsStill) {
    Pipeline p(hanging(kAnyAngles));
    const std::vector<std::string> names{"pivot.q[1]", "pivot.q[2]", "pivot.q[3]", "pivot.q[4]"};
    const auto l = p.linear({}, names);
    const auto start = p.run({.stop = 1e-3, .interval = 1e-3}, names).result;
    const Eigen::Quaterniond q(start.at(0, 3), start.at(0, 0), start.at(0, 1), start.at(0, 2));
    for (int axis = 0; axis < 3; ++axis) {
        const std::string name = fmt::format("pivot.theta[{}]", axis + 1);
        const auto column = std::ranges::find(l.states, name) - l.states.begin();
        const Eigen::Quaterniond by(0.0, axis == 0 ? 0.5 : 0.0, axis == 1 ? 0.5 : 0.0, axis == 2 ? 0.5 : 0.0);
        const Eigen::Quaterniond expected = q * by;
        EXPECT_LT((l.C.col(column) - expected.coeffs()).norm(), 1e-12);
    }
    EXPECT_EQ(l.C.cols(), 6);
}

// What depends on the length of a quaternion alone does not depend on turns: exactly, where products leave rounding.
TEST(SmallTurns, WhatRoundingLeavesIsZero) {
    const Eigen::Vector4d q = Eigen::Vector4d(0.3, -0.5, 0.2, 0.7).normalized();
    analysis::LinearModel m;
    m.states = {"b.w", "b.q[1]", "b.q[2]", "b.q[3]", "b.q[4]"};
    m.A = Eigen::MatrixXd::Zero(5, 5);
    m.A.row(0).tail(4) = 1.3 * q.transpose();
    m.C = Eigen::MatrixXd::Zero(7, 5);
    m.C.topRightCorner(4, 4).setIdentity();
    m.B = Eigen::MatrixXd::Zero(5, 0);
    m.D = Eigen::MatrixXd::Zero(7, 0);
    Eigen::Matrix<double, 4, 3> turns;
    for (int k = 0; k < 3; ++k) turns.col(k) = (quaternion(q) * Eigen::Quaterniond(0, k == 0, k == 1, k == 2)).coeffs();
    EXPECT_NE((m.A.row(0).tail(4) * turns).norm(), 0.0);
    const std::vector<analysis::Quaternion> quaternions{{.turn = "b.theta", .state = {1, 2, 3, 4}, .q = {}, .w = {}}};
    analysis::replace_by_turns(m, quaternions, std::vector<double>{q(0), q(1), q(2), q(3), 0.0, 0.0, 0.0});
    EXPECT_THAT(m.states, testing::ElementsAre("b.w", "b.theta[1]", "b.theta[2]", "b.theta[3]"));
    EXPECT_EQ(m.A.norm(), 0.0);
}

}  // namespace
}  // namespace bondgraph
