// JointRevoluteZ: its motion against a revolute joint, its results against closed forms.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/LU>
#include <cmath>
#include <numbers>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::errors_in;
using test::Pipeline;

using Names = std::vector<std::string>;

std::vector<double> marker_at_end(std::string_view text, double stop, const Names& names) {
    Pipeline p(text);
    const auto run = p.run({.stop = stop, .tolerance = 1e-10, .interval = stop}, names);
    EXPECT_FALSE(run.summary.failure) << (run.summary.failure ? run.summary.failure->message : "");
    std::vector<double> values;
    for (std::size_t k = 0; k < names.size(); ++k) values.push_back(run.result.at(run.result.time.size() - 1, k));
    return values;
}

constexpr const char* kAboutX =
    "rotation0: [[0, 0, 1], [1, 0, 0], [0, 1, 0]], rotation1: [[0, 0, 1], [1, 0, 0], [0, 1, 0]]";

// A body at the origin with a constant torque about the axis: angle t^2/2, beyond whole turns.
TEST(JointRevoluteZ, CountsTurnsUnderAConstantTorque) {
    const auto text = [](const std::string& joint, const std::string& torque) {
        return "components:\n"
               "  world: {type: World, gravity: none}\n"
               "  j: {type: JointRevoluteZ" +
               joint +
               "}\n"
               "  body: {type: Body, m: 1, I_11: 1, I_22: 1, I_33: 1}\n"
               "  load: {type: WorldTorque, t: " +
               torque +
               "}\n"
               "connect: [[world, j.frame_a], [j.frame_b, body, load]]\n";
    };
    const Names names{"j.rotation[1]",
                      "j.rotation[2]",
                      "j.rotation[3]",
                      "j.angular_velocity_local[1]",
                      "j.angular_velocity_local[3]",
                      "j.torque_local[3]"};
    for (const auto& model : {text("", "[0.3, 0, 1]"), text(std::string(", ") + kAboutX, "[1, 0.3, 0]")}) {
        const auto v = marker_at_end(model, 5.0, names);
        EXPECT_NEAR(v[0], 0.0, 1e-9);
        EXPECT_NEAR(v[1], 0.0, 1e-9);
        EXPECT_NEAR(v[2], 12.5, 1e-7);
        EXPECT_NEAR(v[3], 0.0, 1e-9);
        EXPECT_NEAR(v[4], 5.0, 1e-8);
        EXPECT_NEAR(v[5], 0.0, 1e-9);
    }
    // What the load turns across the axis the joint takes.
    EXPECT_NEAR(marker_at_end(text("", "[0.3, 0, 1]"), 1.0, {"j.torque_local[1]"})[0], 0.3, 1e-9);
}

/// A body hanging at rest from a hinge about x.
std::string hanging(const std::string& active) {
    std::string text =
        "components:\n  world: {type: World}\n  place: {type: FixedTranslation, r: [1, 2, 3]}\n"
        "  j: {type: JointRevoluteZ, ";
    text += kAboutX;
    text += active;
    text +=
        "}\n  body: {type: Body, m: 2, r_CM: [0, -0.5, 0], I_11: 1, I_22: 1, I_33: 1, guess: {x: [1, 2, 3]}}\n"
        "connect: [[world, place.frame_a], [place.frame_b, j.frame_a], [j.frame_b, body]]\n";
    return text;
}

TEST(JointRevoluteZ, GivesForcesInItsOwnAxes) {
    const auto v = marker_at_end(hanging(""), 0.5,
                                 {"j.force_local[1]", "j.force_local[2]", "j.force_local[3]", "j.position[1]",
                                  "j.position[2]", "j.displacement_local[1]", "j.velocity[2]", "j.velocity_local[2]"});
    EXPECT_NEAR(v[0], -2 * 9.81, 1e-8);
    EXPECT_NEAR(v[1], 0.0, 1e-9);
    EXPECT_NEAR(v[2], 0.0, 1e-9);
    EXPECT_NEAR(v[3], 1.0, 1e-12);
    EXPECT_NEAR(v[4], 2.0, 1e-12);
    for (const std::size_t k : {5U, 6U, 7U}) EXPECT_NEAR(v[k], 0.0, 1e-9);
}

TEST(JointRevoluteZ, LetsGoWhereItIsNotActive) {
    std::string text = hanging(", active: false");
    text.replace(text.find("guess"), 5, "initial");
    const auto v = marker_at_end(text, 0.5,
                                 {"j.force_local[1]", "j.torque_local[1]", "j.displacement_local[1]",
                                  "j.velocity_local[1]", "body.frame_a.x[2]"});
    EXPECT_EQ(v[0], 0.0);
    EXPECT_EQ(v[1], 0.0);
    EXPECT_NEAR(v[2], -9.81 / 8, 1e-8);
    EXPECT_NEAR(v[3], -9.81 / 2, 1e-8);
    EXPECT_NEAR(v[4], 2.0 - 9.81 / 8, 1e-8);
}

/// A four-bar linkage whose last joint is given.
std::string marker_four_bar(const std::string& last) {
    return "components:\n"
           "  world: {type: World}\n"
           "  bed: {type: FixedTranslation, r: [0.3, 0, 0]}\n"
           "  a: {type: Revolute, initial: {phi: 1, w: 20}}\n"
           "  crank: {type: BodyShape, r: [0.1, 0, 0], r_CM: [0.05, 0, 0], m: 0.3, I_22: 2.5e-4, I_33: 2.5e-4}\n"
           "  b: {type: Revolute, guess: {phi: -0.6}}\n"
           "  rod: {type: BodyShape, r: [0.35, 0, 0], r_CM: [0.17, 0, 0], m: 1, I_22: 0.01, I_33: 0.01}\n"
           "  c: {type: " +
           last +
           "}\n"
           "  rocker: {type: BodyShape, r: [0.25, 0, 0], r_CM: [0.12, 0, 0], m: 0.7, I_22: 4e-3, I_33: 4e-3}\n"
           "  d: {type: Revolute, guess: {phi: 1.2}}\n"
           "connect:\n"
           "  - [world, a.frame_a, bed.frame_a]\n"
           "  - [a.frame_b, crank.frame_a]\n"
           "  - [crank.frame_b, b.frame_a]\n"
           "  - [b.frame_b, rod.frame_a]\n"
           "  - [rod.frame_b, c.frame_a]\n"
           "  - [c.frame_b, rocker.frame_b]\n"
           "  - [rocker.frame_a, d.frame_b]\n"
           "  - [d.frame_a, bed.frame_b]\n";
}

TEST(JointRevoluteZ, ClosesALoopAsARevoluteJointDoes) {
    const auto plain = marker_at_end(marker_four_bar("Revolute"), 0.5, {"a.phi", "a.w", "d.phi", "c.phi"});
    const auto marked = marker_at_end(marker_four_bar("JointRevoluteZ"), 0.5,
                                      {"a.phi", "a.w", "d.phi", "c.rotation[3]", "c.torque_local[3]"});
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(marked[k], plain[k], 1e-6 * std::max(1.0, std::abs(plain[k])));
    EXPECT_NEAR(std::remainder(marked[3] - plain[3], 2 * std::numbers::pi), 0.0, 1e-6);
    EXPECT_NEAR(marked[4], 0.0, 1e-9);
}

// A pendulum that is let go flies on as a thrown body does.
TEST(JointRevoluteZ, LetsGoDuringARun) {
    const std::string text =
        "components:\n"
        "  world: {type: World}\n"
        "  j: {type: JointRevoluteZ, active: time < 0.4}\n"
        "  arm: {type: FixedTranslation, r: [0.5, 0, 0]}\n"
        "  body: {type: Body, m: 2, I_11: 0.1, I_22: 0.1, I_33: 0.1, guess: {x: [0.5, 0, 0]}}\n"
        "connect: [[world, j.frame_a], [j.frame_b, arm.frame_a], [arm.frame_b, body]]\n";
    Pipeline p(text);
    const Names names{"body.frame_a.x[1]", "body.frame_a.x[2]",           "body.frame_a.v[1]", "body.frame_a.v[2]",
                      "j.rotation[3]",     "j.angular_velocity_local[3]", "j.force_local[1]"};
    const auto run = p.run({.stop = 0.9, .tolerance = 1e-10, .interval = 0.3}, names);
    ASSERT_FALSE(run.summary.failure) << run.summary.failure->message;
    const auto& r = run.result;
    std::size_t at = 0;
    while (r.time[at] < 0.5) ++at;
    const std::size_t end = r.time.size() - 1;
    const double t = r.time[end] - r.time[at];
    EXPECT_NEAR(r.at(end, 0), r.at(at, 0) + r.at(at, 2) * t, 1e-8);
    EXPECT_NEAR(r.at(end, 1), r.at(at, 1) + r.at(at, 3) * t - 9.81 / 2 * t * t, 1e-8);
    EXPECT_NEAR(r.at(end, 4), r.at(at, 4) + r.at(at, 5) * t, 1e-8);
    EXPECT_EQ(r.at(at, 6), 0.0);
    EXPECT_GT(std::abs(r.at(0, 6)) + std::abs(r.at(1, 6)), 0.1);
    // Up to there it was the pendulum: by energy.
    const double height = r.at(1, 1);
    EXPECT_NEAR(r.at(1, 5), -std::sqrt(-2 * 2 * 9.81 * height / (0.1 + 2 * 0.25)), 1e-7);
}

TEST(JointRevoluteZ, OpensALoopDuringARun) {
    Pipeline p(marker_four_bar("JointRevoluteZ, active: time < 0.2"));
    const auto balance = test::audited(p, {.stop = 0.4, .tolerance = 1e-9});
    EXPECT_NEAR(balance.imbalance, 0.0, 1e-6 * balance.moved);
    const auto closed = marker_at_end(marker_four_bar("Revolute"), 0.19, {"a.phi", "d.phi"});
    const auto with = marker_at_end(marker_four_bar("JointRevoluteZ, active: time < 0.2"), 0.19, {"a.phi", "d.phi"});
    for (std::size_t k = 0; k < 2; ++k) EXPECT_NEAR(with[k], closed[k], 1e-7);
    const auto open = marker_at_end(marker_four_bar("JointRevoluteZ, active: time < 0.2"), 0.3,
                                    {"c.displacement_local[1]", "c.displacement_local[2]", "c.displacement_local[3]"});
    EXPECT_GT(std::hypot(open[0], open[1]), 0.01);
    EXPECT_NEAR(open[2], 0.0, 1e-9);
}

/// Energy lost in events by the parts of a component.
double lost_in(const simulation::EnergyBalance& balance, const std::string& parts) {
    double sum = 0.0;
    for (const auto& e : balance.elements) {
        if (e.element.starts_with(parts)) sum += e.events;
    }
    return sum;
}

/// A free body whose frame flies through the origin at 0.2 s, with a joint to the world there.
std::string flying(const std::string& active) {
    return "components:\n"
           "  world: {type: World, gravity: none}\n"
           "  body: {type: Body, m: 2, r_CM: [0.1, 0.2, 0], I_11: 1, I_22: 1, I_33: 1, initial: {x: [-0.2, 0, 0], "
           "v: [1, 0, 0], angles: [0, 0, 0], w: [0, 0, 0]}}\n"
           "  j: {type: JointRevoluteZ, active: " +
           active +
           "}\n"
           "connect: [[world, j.frame_a], [body, j.frame_b]]\n";
}

// About the origin, momentum -m y v turns the body, with the moment of inertia I + m r^2: that the joint's impulses
// pass through the origin is all it takes. What is not kept of the energy is lost in the event, in the joint.
TEST(JointRevoluteZ, TakesHoldOfABodyThatFliesBy) {
    const double w = -2 * 0.2 * 1.0 / (1 + 2 * (0.01 + 0.04));
    for (const char* active : {"time > 0.2", "\"time > 0.2 or body.x[1] > 1\"", "\"body.x[1] > 0\""}) {
        SCOPED_TRACE(active);
        const auto v = marker_at_end(
            flying(active), 0.4,
            {"body.w[3]", "body.w[1]", "body.v[1]", "body.v[2]", "body.x[1]", "body.x[2]", "j.rotation[3]"});
        EXPECT_NEAR(v[0], w, 1e-9);
        for (const std::size_t k : {1U, 2U, 3U, 4U, 5U}) EXPECT_NEAR(v[k], 0.0, 1e-9) << k;
        EXPECT_NEAR(v[6], 0.2 * w, 1e-9);
        Pipeline p(flying(active));
        const auto balance = test::audited(p, {.stop = 0.4, .tolerance = 1e-10});
        const double lost = 0.5 * 2 * 1.0 - 0.5 * (1 + 2 * 0.05) * w * w;
        EXPECT_NEAR(balance.events, lost, 1e-9);
        EXPECT_NEAR(balance.supplied, 0.0, 1e-9);
        EXPECT_NEAR(lost_in(balance, "j."), lost, 1e-9);
    }
}

/// A crank about the origin and a balanced rotor on a carriage along x, each in steady motion, until a joint joins
/// their ends after 0.1 s: in coordinates phi, s, theta.
struct Meeting {
    double L = 0.5, l = 0.4, phi = 1.1, theta = 2.3;
    Eigen::Vector3d M{0.3, 1.2 + 0.8, 0.05};
    Eigen::Vector3d rates{-2.0, 0.7, 3.0};

    [[nodiscard]] std::string text() const {
        const auto n = [](double x) { return fmt::format("{:.17g}", x); };
        const Eigen::Vector3d back = -0.1 * rates;
        return "components:\n"
               "  world: {type: World, gravity: none}\n"
               "  a: {type: Revolute, initial: {phi: " +
               n(phi + back(0)) + ", w: " + n(rates(0)) +
               "}}\n"
               "  crank: {type: BodyShape, r: [" +
               n(L) +
               ", 0, 0], r_CM: [0, 0, 0], m: 1, I_33: 0.3}\n"
               "  rail: {type: FixedTranslation, r: [" +
               n(L * std::cos(phi) - l * std::cos(theta)) + ", " + n(L * std::sin(phi) - l * std::sin(theta)) +
               ", 0]}\n"
               "  s: {type: Prismatic, n: [1, 0, 0], initial: {s: " +
               n(back(1)) + ", v: " + n(rates(1)) +
               "}}\n"
               "  carriage: {type: Body, m: 1.2, I_33: 1}\n"
               "  b: {type: Revolute, initial: {phi: " +
               n(theta + back(2)) + ", w: " + n(rates(2)) +
               "}}\n"
               "  rotor: {type: BodyShape, r: [" +
               n(l) +
               ", 0, 0], r_CM: [0, 0, 0], m: 0.8, I_33: 0.05}\n"
               "  j: {type: JointRevoluteZ, active: time > 0.1}\n"
               "connect:\n"
               "  - [world, a.frame_a, rail.frame_a]\n"
               "  - [a.frame_b, crank.frame_a]\n"
               "  - [rail.frame_b, s.frame_a]\n"
               "  - [s.frame_b, carriage, b.frame_a]\n"
               "  - [b.frame_b, rotor.frame_a]\n"
               "  - [crank.frame_b, j.frame_a]\n"
               "  - [rotor.frame_b, j.frame_b]\n";
    }

    /// M (after - before) = G^T p with G after = 0, G being what the ends' velocities against each other are of rates.
    [[nodiscard]] Eigen::Vector3d after() const {
        Eigen::Matrix<double, 2, 3> G;
        G << -L * std::sin(phi), -1.0, l * std::sin(theta), L * std::cos(phi), 0.0, -l * std::cos(theta);
        const Eigen::Matrix<double, 3, 2> to_rates = M.cwiseInverse().asDiagonal() * G.transpose();
        const Eigen::Vector2d p = -(G * to_rates).inverse() * (G * rates);
        return rates + to_rates * p;
    }
    [[nodiscard]] double lost() const { return 0.5 * M.dot(rates.cwiseAbs2()) - 0.5 * M.dot(after().cwiseAbs2()); }
};

TEST(JointRevoluteZ, ClosesALoopThatWasOpenAtTheStart) {
    const Meeting m;
    const Eigen::Vector3d expected = m.after();
    ASSERT_GT((expected - m.rates).cwiseAbs().minCoeff(), 0.1);
    constexpr double kJustAfter = 1e-10;  // s: rates change by less than 1e-8 in it
    const auto v = marker_at_end(m.text(), 0.1 + kJustAfter, {"a.w", "s.v", "b.w"});
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(v[k], expected(static_cast<Eigen::Index>(k)), 1e-8);
    const auto later = marker_at_end(m.text(), 0.3, {"j.displacement_local[1]", "j.displacement_local[2]"});
    for (const double x : later) EXPECT_NEAR(x, 0.0, 1e-8);
}

TEST(JointRevoluteZ, LosesEnergyInTheEventInWhichItCloses) {
    const Meeting m;
    Pipeline p(m.text());
    const auto balance = test::audited(p, {.stop = 0.3, .tolerance = 1e-10});
    ASSERT_GT(m.lost(), 0.1);
    EXPECT_NEAR(balance.events, m.lost(), 1e-9);
    EXPECT_NEAR(lost_in(balance, "j."), m.lost(), 1e-9);
    EXPECT_NEAR(balance.supplied, 0.0, 1e-7);
}

// One that has let go takes no part in what jumps later: momentum is kept where the other joins two masses.
TEST(JointRevoluteZ, LeavesLaterImpactsAloneOnceItHasLetGo) {
    const std::string text =
        "components:\n"
        "  world: {type: World, gravity: none}\n"
        "  s1: {type: Prismatic, n: [1, 0, 0], guess: {s: 0, v: 0}}\n"
        "  c1: {type: Body, m: 2, I_33: 1}\n"
        "  s2: {type: Prismatic, n: [1, 0, 0], initial: {s: 0.2, v: -1}}\n"
        "  c2: {type: Body, m: 1, I_33: 1}\n"
        "  held: {type: JointRevoluteZ, active: time < 0.1}\n"
        "  joined: {type: JointRevoluteZ, active: time > 0.2}\n"
        "connect:\n"
        "  - [world, s1.frame_a, s2.frame_a, held.frame_a]\n"
        "  - [s1.frame_b, c1, held.frame_b, joined.frame_a]\n"
        "  - [s2.frame_b, c2, joined.frame_b]\n";
    const auto v = marker_at_end(text, 0.4, {"s1.v", "s2.v", "s1.s"});
    EXPECT_NEAR(v[0], -1.0 / 3, 1e-9);
    EXPECT_NEAR(v[1], -1.0 / 3, 1e-9);
    EXPECT_NEAR(v[2], -0.2 / 3, 1e-9);
}

// What a run that failed says.
simulation::Failure failure_in(const std::string& text) {
    Pipeline p(text);
    const auto run = p.run({.stop = 0.4, .tolerance = 1e-10, .interval = 0.1}, {});
    EXPECT_TRUE(run.summary.failure);
    return run.summary.failure.value_or(simulation::Failure{});
}

TEST(JointRevoluteZ, SaysHowFarItsFramesAreApartWhereItCannotTakeHold) {
    const auto far = failure_in(flying("time > 0.15"));
    EXPECT_EQ(far.message, "'j' (JointRevoluteZ) can't take hold: its frames are 0.05 m apart");
    EXPECT_NEAR(far.time, 0.15, 1e-12);
    EXPECT_EQ(far.position.line, 5);
    ASSERT_EQ(far.notes.size(), 2U);
    EXPECT_EQ(far.notes[0].text, "a joint that becomes active makes velocities jump, not positions");
    EXPECT_EQ(far.notes[1].label, "try");
    const auto turned = [](const std::string& angles, const std::string& when) {
        std::string text = flying(when);
        text.replace(text.find("angles: [0, 0, 0]"), 17, "angles: " + angles);
        return failure_in(text).message;
    };
    EXPECT_EQ(turned("[0, 0.1, 0]", "time > 0.2"), "'j' (JointRevoluteZ) can't take hold: its axes are 0.1 rad apart");
    EXPECT_EQ(turned("[3, 0, 0]", "time > 0.15"),
              "'j' (JointRevoluteZ) can't take hold: its frames are 0.05 m and their axes are 3 rad apart");
}

TEST(JointRevoluteZ, RefusesWhatIsNoRotation) {
    for (const std::string r : {"[[1, 0, 0], [0, 2, 0], [0, 0, 1]]", "[[1, 0, 0], [0, 1, 0], [0, 0, -1]]", "[1, 0, 0]"})
        EXPECT_EQ(errors_in(marker_four_bar("JointRevoluteZ, rotation0: " + r)), std::vector<std::string>{"BG-M013"})
            << r;
}

}  // namespace
}  // namespace bondgraph
