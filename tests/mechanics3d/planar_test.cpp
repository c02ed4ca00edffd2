// Mechanics in the plane: figures from minimal coordinates, joints in both directions, the same mechanisms in space.

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

/// Results at the end of a run.
std::vector<double> planar_at_end(std::string_view text, double stop, const std::vector<std::string>& names) {
    Pipeline p(text);
    const auto run = p.run({.stop = stop, .tolerance = 1e-9, .interval = stop / 10}, names);
    EXPECT_FALSE(run.summary.failure) << text;
    std::vector<double> values;
    for (std::size_t k = 0; k < names.size(); ++k) values.push_back(run.result.at(run.result.time.size() - 1, k));
    return values;
}

void expect_near(const std::vector<double>& values, const std::vector<double>& expected, double tolerance = 1e-6) {
    ASSERT_EQ(values.size(), expected.size());
    for (std::size_t k = 0; k < values.size(); ++k) EXPECT_NEAR(values[k], expected[k], tolerance) << "value " << k;
}

// ---- figures from equations in minimal coordinates --------------------------------------------------------------

// The figures count angles clockwise: here they are negative.
constexpr std::string_view kDoublePendulum = R"(
components:
  world: {type: World}
  wall: {type: PlanarFixed}
  rev1: {type: PlanarRevolute, initial: {phi: 0, w: 0}}
  rod1: {type: PlanarRod, r: [2, 2]}
  body1: {type: PlanarBody, m: 2, J: 0}
  rev2: {type: PlanarRevolute, initial: {phi: 0, w: 0}}
  rod2: {type: PlanarRod, r: [0, -1.5]}
  body2: {type: PlanarBody, m: 1, J: 0}
connect:
  - [wall.frame_b, rev1.frame_a]
  - [rev1.frame_b, rod1.frame_a]
  - [rod1.frame_b, rev2.frame_a, body1.frame_a]
  - [rev2.frame_b, rod2.frame_a]
  - [rod2.frame_b, body2.frame_a]
)";

TEST(Planar, ADoublePendulumMeetsItsFigures) {
    expect_near(
        planar_at_end(kDoublePendulum, 1.0, {"rev1.phi", "rev2.phi", "body2.frame_a.x[1]", "body2.frame_a.x[2]"}),
        {-1.535479456, 1.456804538, 1.951481238, -3.423493876});
    expect_near(planar_at_end(kDoublePendulum, 2.0, {"rev1.phi", "rev2.phi"}), {-3.764743835, 1.603578670});
    expect_near(planar_at_end(kDoublePendulum, 3.0, {"rev1.phi", "rev2.phi"}), {-2.8362999561, -6.0915164813});
}

TEST(Planar, AFreeBodyOnASpringMeetsItsFigures) {
    constexpr std::string_view kModel = R"(
components:
  world: {type: World}
  wall: {type: PlanarFixed}
  spring: {type: PlanarSpring, c: 10 N/m, s_unstretched: 1 m}
  rod: {type: PlanarRod, r: [1 m, 0]}
  body: {type: PlanarBody, m: 1 kg, J: 0.12 kg.m2, initial: {x: [1.2 m, -0.5 m]}}
connect:
  - [wall.frame_b, spring.frame_a]
  - [spring.frame_b, rod.frame_a]
  - [rod.frame_b, body.frame_a]
)";
    const std::vector<std::string> names{"body.x[1]", "body.x[2]", "body.phi"};
    expect_near(planar_at_end(kModel, 1.0, names), {0.533079628, -3.865667337, -0.764703674});
    expect_near(planar_at_end(kModel, 2.0, names), {-1.203226551, -1.618123349, -1.882035652});
    expect_near(planar_at_end(kModel, 5.0, names), {0.305898547, -0.470448878, -1.718825916});
}

TEST(Planar, ADampedPendulumMeetsItsFigures) {
    constexpr std::string_view kModel = R"(
components:
  world: {type: World}
  wall: {type: PlanarFixed}
  hinge: {type: PlanarRevolute, initial: {phi: 0, w: 0}}
  damper: {type: R, R: 5 N.m.s/rad}
  rod: {type: PlanarRod, r: [1 m, 3 m]}
  body: {type: PlanarBody, m: 1 kg}
bonds: [hinge.axis -> damper]
connect: [[wall.frame_b, hinge.frame_a], [hinge.frame_b, rod.frame_a], [rod.frame_b, body.frame_a]]
)";
    for (const auto& [time, phi] :
         {std::pair{1.0, 0.522124299}, {2.0, 2.612817840}, {5.0, 2.072267651}, {10.0, 2.959330103}})
        expect_near(planar_at_end(kModel, time, {"hinge.phi"}), {-phi});
}

TEST(Planar, APendulumMeetsItsFigures) {
    constexpr std::string_view kModel = R"(
components:
  world: {type: World}
  wall: {type: PlanarFixed}
  hinge: {type: PlanarRevolute, initial: {phi: 0, w: 0}}
  body: {type: PlanarBody, m: 1 kg, r_CM: [1 m, -3 m]}
connect: [[wall.frame_b, hinge.frame_a], [hinge.frame_b, body.frame_a]]
)";
    expect_near(planar_at_end(kModel, 1.0, {"hinge.phi", "body.mass.f[1]", "body.mass.f[2]"}),
                {-0.379194940, -1.752538262, 0.100784365});
    expect_near(planar_at_end(kModel, 10.0, {"hinge.phi"}), {-0.251267580});
}

TEST(Planar, ACraneCrabMeetsItsFigures) {
    constexpr std::string_view kModel = R"(
components:
  world: {type: World}
  beam: {type: PlanarFixed}
  track: {type: PlanarPrismatic, initial: {s: 0, v: 0}}
  crab: {type: PlanarBody, m: 1 kg}
  hinge: {type: PlanarRevolute, initial: {phi: 0, w: 0}}
  rod: {type: PlanarRod, r: [1 m, -3 m]}
  load: {type: PlanarPointMass, m: 1 kg}
connect:
  - [beam.frame_b, track.frame_a]
  - [track.frame_b, crab.frame_a, hinge.frame_a]
  - [hinge.frame_b, rod.frame_a]
  - [rod.frame_b, load.frame_a]
)";
    expect_near(planar_at_end(kModel, 1.0, {"track.s", "hinge.phi"}), {0.880737837, -0.564940319});
    expect_near(planar_at_end(kModel, 2.0, {"track.s", "hinge.phi"}), {0.438847307, -0.283064547});
    expect_near(planar_at_end(kModel, 5.0, {"track.s", "hinge.phi"}), {0.055160269, -0.036558921});
    expect_near(planar_at_end(kModel, 10.0, {"track.s", "hinge.phi"}), {0.214698925, -0.140316525});
}

// ---- joints in both directions ----------------------------------------------------------------------------------

std::string planar_chain(const std::string& joint, bool reversed, const std::string& start) {
    const std::string near = reversed ? "frame_b" : "frame_a";
    const std::string far = reversed ? "frame_a" : "frame_b";
    return "components:\n"
           "  world: {type: World}\n"
           "  wall: {type: PlanarFixed, r: [0.2, 0.1], angle: 0.3}\n"
           "  base: {type: PlanarRevolute, initial: {phi: 0.3, w: 1.5}}\n"
           "  arm: {type: PlanarRod, r: [0.6, 0.1]}\n"
           "  middle: {type: PlanarBody, m: 1, J: 0.2, r_CM: [-0.3, 0.1]}\n"
           "  joint: {" +
           joint + ", initial: {" + start +
           "}}\n"
           "  body: {type: PlanarBody, m: 1.5, J: 0.1, r_CM: [0.4, 0.2]}\n"
           "connect:\n"
           "  - [wall.frame_b, base.frame_a]\n"
           "  - [base.frame_b, arm.frame_a]\n"
           "  - [arm.frame_b, middle.frame_a, joint." +
           near +
           "]\n"
           "  - [joint." +
           far + ", body.frame_a]\n";
}

struct PlanarReversible {
    const char* joint;
    const char* forward;
    const char* backward;
};

class PlanarReversal : public testing::TestWithParam<PlanarReversible> {};

// A coordinate counts the other way when the joint is turned round; the motion is the same.
TEST_P(PlanarReversal, TheMotionIsTheSame) {
    const std::vector<std::string> names{"body.frame_a.x[1]", "body.frame_a.x[2]", "body.frame_a.phi", "base.phi",
                                         "base.w"};
    const auto forward = planar_at_end(planar_chain(GetParam().joint, false, GetParam().forward), 1.0, names);
    const auto backward = planar_at_end(planar_chain(GetParam().joint, true, GetParam().backward), 1.0, names);
    expect_near(backward, forward, 2e-7);
}

TEST_P(PlanarReversal, EnergyIsKept) {
    for (const bool reversed : {false, true}) {
        Pipeline p(planar_chain(GetParam().joint, reversed, reversed ? GetParam().backward : GetParam().forward));
        const auto run = p.run({.stop = 2.0, .tolerance = 1e-9, .interval = 0.1}, {"base.phi"});
        ASSERT_FALSE(run.summary.failure);
        EXPECT_LT(std::abs(run.summary.energy.imbalance), 4e-6) << (reversed ? "reversed" : "");
    }
}

INSTANTIATE_TEST_SUITE_P(
    Joints, PlanarReversal,
    testing::Values(PlanarReversible{"type: PlanarRevolute, offset: 0", "phi: 0.4, w: -1", "phi: -0.4, w: 1"},
                    PlanarReversible{"type: PlanarPrismatic, n: [1, 2]", "s: 0.4, v: -0.5", "s: -0.4, v: 0.5"},
                    PlanarReversible{"type: PlanarFree", "x: 0.2, v_x: 0.3, y: -0.1, v_y: 0.5, phi: 0, w: 0",
                                     "x: -0.2, v_x: -0.3, y: 0.1, v_y: -0.5, phi: 0, w: 0"}));

TEST(Planar, AnOffsetTurnsAndMovesTheStart) {
    const std::vector<std::string> names{"body.frame_a.x[1]", "body.frame_a.x[2]", "body.frame_a.phi"};
    expect_near(planar_at_end(planar_chain("type: PlanarRevolute, offset: 0.5", false, "phi: -0.2, w: 1"), 0.5, names),
                planar_at_end(planar_chain("type: PlanarRevolute", false, "phi: 0.3, w: 1"), 0.5, names), 2e-7);
    expect_near(planar_at_end(planar_chain("type: PlanarPrismatic, offset: 0.5", false, "s: -0.2, v: 1"), 0.5, names),
                planar_at_end(planar_chain("type: PlanarPrismatic", false, "s: 0.3, v: 1"), 0.5, names), 2e-7);
}

TEST(Planar, FreeMotionIsTwoPrismaticAndARevolute) {
    const std::string body =
        "  body: {type: PlanarBody, m: 2, J: 0.3, r_CM: [0.3, 0.1]}\n"
        "  push: {type: PlanarWorldForce, f: [1, 2], t: 0.5, resolve: frame_b}\n";
    const std::string one = "components:\n  world: {type: World}\n  wall: {type: PlanarFixed, angle: 0.4}\n" + body +
                            "  free: {type: PlanarFree, initial: {x: 0.2, v_x: 1, y: 0, v_y: 2, phi: 0.3, w: 2}}\n"
                            "connect: [[wall.frame_b, free.frame_a], [free.frame_b, body.frame_a, push.frame_b]]\n";
    const std::string three = "components:\n  world: {type: World}\n  wall: {type: PlanarFixed, angle: 0.4}\n" + body +
                              "  x: {type: PlanarPrismatic, n: [1, 0], initial: {s: 0.2, v: 1}}\n"
                              "  y: {type: PlanarPrismatic, n: [0, 3], initial: {s: 0, v: 2}}\n"
                              "  phi: {type: PlanarRevolute, initial: {phi: 0.3, w: 2}}\n"
                              "connect: [[wall.frame_b, x.frame_a], [x.frame_b, y.frame_a], [y.frame_b, phi.frame_a],\n"
                              "          [phi.frame_b, body.frame_a, push.frame_b]]\n";
    expect_near(planar_at_end(one, 1.0, {"free.x", "free.y", "free.phi"}),
                planar_at_end(three, 1.0, {"x.s", "y.s", "phi.phi"}), 1e-7);
}

// ---- the plane in space -----------------------------------------------------------------------------------------

constexpr std::string_view kInPlane = R"(
components:
  world: {type: World}
  wall: {type: PlanarFixed}
  shoulder: {type: PlanarRevolute, initial: {phi: 0.3, w: 1}}
  upper: {type: PlanarRod, r: [0.8, 0.1]}
  mass: {type: PlanarBody, m: 2, J: 0.3, r_CM: [-0.3, 0]}
  slider: {type: PlanarPrismatic, n: [1, 1], initial: {s: 0.2, v: 0.5}}
  end: {type: PlanarBody, m: 1, J: 0.1, r_CM: [0.2, 0.1]}
  anchor: {type: PlanarFixed, r: [1, 1]}
  strut: {type: PlanarSpringDamper, c: 40, d: 2, s_unstretched: 0.5}
connect:
  - [wall.frame_b, shoulder.frame_a]
  - [shoulder.frame_b, upper.frame_a]
  - [upper.frame_b, mass.frame_a, slider.frame_a]
  - [slider.frame_b, end.frame_a, strut.frame_b]
  - [anchor.frame_b, strut.frame_a]
)";

constexpr std::string_view kInSpace = R"(
components:
  world: {type: World}
  shoulder: {type: Revolute, initial: {phi: 0.3, w: 1}}
  upper: {type: FixedTranslation, r: [0.8, 0.1, 0]}
  mass: {type: Body, m: 2, I_33: 0.3, r_CM: [-0.3, 0, 0]}
  slider: {type: Prismatic, n: [1, 1, 0], initial: {s: 0.2, v: 0.5}}
  end: {type: Body, m: 1, I_33: 0.1, r_CM: [0.2, 0.1, 0]}
  anchor: {type: Fixed, r: [1, 1, 0]}
  strut: {type: SpringDamperParallel, c: 40, d: 2, s_unstretched: 0.5}
connect:
  - [world.frame_b, shoulder.frame_a]
  - [shoulder.frame_b, upper.frame_a]
  - [upper.frame_b, mass.frame_a, slider.frame_a]
  - [slider.frame_b, end.frame_a, strut.frame_b]
  - [anchor.frame_b, strut.frame_a]
)";

TEST(Planar, AMechanismMovesAsItsTwinInSpace) {
    const std::vector<std::string> names{"shoulder.phi", "shoulder.w", "shoulder.a",       "slider.s",
                                         "slider.v",     "strut.s",    "end.frame_a.x[1]", "end.frame_a.x[2]"};
    expect_near(planar_at_end(kInPlane, 2.0, names), planar_at_end(kInSpace, 2.0, names), 1e-6);
}

TEST(Planar, TheStrutAndTheBodiesTakeUpWhatTheWeightGives) {
    Pipeline p(kInPlane);
    const auto run = p.run({.stop = 2.0, .tolerance = 1e-9, .interval = 0.1}, {"strut.s"});
    ASSERT_FALSE(run.summary.failure);
    EXPECT_LT(std::abs(run.summary.energy.imbalance), 2e-6);
}

TEST(Planar, AMechanismCostsNoMoreThanItsTwinInSpace) {
    Pipeline plane(kInPlane);
    Pipeline space(kInSpace);
    EXPECT_LE(plane.compiled().residual.instructions().size(), space.compiled().residual.instructions().size());
}

// ---- forces, gravity, axes --------------------------------------------------------------------------------------

TEST(Planar, AForceThatTurnsWithTheBodyDrivesItRound) {
    constexpr std::string_view kModel = R"(
components:
  world: {type: World, gravity: none}
  body: {type: PlanarBody, m: 2 kg, J: 1 kg.m2, initial: {w: 3}}
  push: {type: PlanarWorldForce, f: [5 N, 0], resolve: frame_b}
connect: [[body.frame_a, push.frame_b]]
)";
    const double speed = 5.0 / (2.0 * 3.0);
    expect_near(planar_at_end(kModel, 1.0, {"body.v[1]", "body.v[2]", "body.phi"}),
                {speed * std::sin(3.0), speed * (1.0 - std::cos(3.0)), 3.0}, 1e-7);
}

TEST(Planar, ATorqueTurnsAboutTheCentreOfMass) {
    constexpr std::string_view kModel = R"(
components:
  world: {type: World, n: [0, 0, -1]}
  body: {type: PlanarBody, m: 2 kg, J: 1 kg.m2, r_CM: [0.5 m, 0]}
  twist: {type: PlanarWorldForce, t: 2*time}
connect: [[body.frame_a, twist.frame_b]]
)";
    const double phi = 1.0 / 3.0;
    expect_near(planar_at_end(kModel, 1.0, {"body.phi", "body.x[1]", "body.x[2]"}),
                {phi, 0.5 - 0.5 * std::cos(phi), -0.5 * std::sin(phi)}, 1e-8);
}

TEST(Planar, AStrutSwingsAsADampedOscillator) {
    constexpr std::string_view kModel = R"(
components:
  world: {type: World, gravity: none}
  wall: {type: PlanarFixed, r: [1 m, 1 m]}
  spring: {type: PlanarSpring, c: 60 N/m, s_unstretched: 1 m}
  damper: {type: PlanarDamper, d: 4 N.s/m}
  strut: {type: PlanarSpringDamper, c: 40 N/m, d: 2 N.s/m, s_unstretched: 1 m}
  ball: {type: PlanarPointMass, m: 2 kg, initial: {x: [1 m, 2.2 m]}}
connect:
  - [wall.frame_b, spring.frame_a, damper.frame_b, strut.frame_a]
  - [ball.frame_a, spring.frame_b, damper.frame_a, strut.frame_b]
)";
    const double decay = 6.0 / (2.0 * 2.0);
    const double omega = std::sqrt(100.0 / 2.0 - decay * decay);
    const double stretch = 0.2 * std::exp(-decay) * (std::cos(omega) + decay / omega * std::sin(omega));
    expect_near(planar_at_end(kModel, 1.0, {"ball.x[1]", "ball.x[2]", "strut.s", "damper.s"}),
                {1.0, 2.0 + stretch, 1.0 + stretch, 1.0 + stretch}, 1e-7);
}

TEST(Planar, PointGravityActsInThePlane) {
    constexpr std::string_view kModel = R"(
components:
  world: {type: World, gravity: point, mue: 1 m3/s2}
  moon: {type: PlanarPointMass, m: 3 kg, initial: {x: [1 m, 0], v: [0, 1 m/s]}}
)";
    expect_near(planar_at_end(kModel, 2.0, {"moon.x[1]", "moon.x[2]"}), {std::cos(2.0), std::sin(2.0)}, 1e-7);
}

TEST(Planar, AnAxisDrivenAtAGivenSpeedFeelsTheWeight) {
    constexpr std::string_view kModel = R"(
components:
  world: {type: World}
  wall: {type: PlanarFixed}
  hinge: {type: PlanarRevolute, initial: {phi: 0}}
  drive: {type: Sf, f: 2}
  body: {type: PlanarBody, m: 1 kg, r_CM: [1 m, 0]}
bonds: [drive -> hinge.axis]
connect: [[wall.frame_b, hinge.frame_a], [hinge.frame_b, body.frame_a]]
)";
    expect_near(planar_at_end(kModel, 1.0, {"hinge.phi", "drive.e"}), {2.0, 9.81 * std::cos(2.0)}, 1e-7);
}

TEST(Planar, ALockedJointHoldsAndIsReleased) {
    constexpr std::string_view kModel = R"(
components:
  world: {type: World}
  wall: {type: PlanarFixed}
  slider: {type: PlanarPrismatic, n: [0, 1], locked: time < 1, initial: {s: 0, v: 0}}
  body: {type: PlanarBody, m: 2 kg}
connect: [[wall.frame_b, slider.frame_a], [slider.frame_b, body.frame_a]]
)";
    expect_near(planar_at_end(kModel, 0.5, {"slider.s"}), {0.0}, 1e-12);
    EXPECT_NEAR(std::abs(planar_at_end(kModel, 0.5, {"slider.lock.e"})[0]), 2.0 * 9.81, 1e-9);
    expect_near(planar_at_end(kModel, 1.5, {"slider.s"}), {-9.81 * 0.25 / 2.0}, 1e-8);
}

// ---- mistakes ---------------------------------------------------------------------------------------------------

using Codes = std::vector<std::string>;

TEST(Planar, MistakesAreReported) {
    const std::string world = "components:\n  world: {type: World}\n  wall: {type: PlanarFixed}\n";
    const std::string body = "  body: {type: PlanarBody, m: 1, J: 1}\n";
    const auto joined = [&](const std::string& joint) {
        return world + body + "  joint: {" + joint + "}\n" +
               "connect: [[wall.frame_b, joint.frame_a], [joint.frame_b, body.frame_a]]\n";
    };
    EXPECT_EQ(test::errors_in(joined("type: PlanarPrismatic, n: [0, 0]")), Codes{"BG-F002"});
    EXPECT_EQ(test::errors_in(joined("type: PlanarPrismatic, n: [1, 0, 0]")), Codes{"BG-M020"});
    EXPECT_EQ(test::errors_in(joined("type: PlanarRod, r: [1, 0, 0]")), Codes{"BG-M020"});
    EXPECT_EQ(test::errors_in("components:\n" + body), Codes{"BG-F001"});
    EXPECT_EQ(test::errors_in(world + body + "connect: [[world.frame_b, body.frame_a]]\n"), Codes{"BG-M051"});
    EXPECT_EQ(test::errors_in(world + "  body: {type: PlanarBody, m: 0}\n"), Codes{"BG-M013"});
}

TEST(Planar, AVectorOfTheWrongLengthIsNamed) {
    EXPECT_EQ(test::message_in("components:\n  world: {type: World}\n  wall: {type: PlanarFixed, r: [1, 2, 3]}\n"),
              "'r' of 'wall' is a list of two values, this has 3");
}

}  // namespace
}  // namespace bondgraph
