// Line forces whose length is prescribed or held: against triangles, closed forms of mechanics, and the same mechanism
// with an assembly of joints along the line.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::Pipeline;

struct Ended {
    std::vector<double> values;
    std::size_t rows = 0;
    double imbalance = 0.0;
};

Ended end_of(Pipeline& p, const std::vector<std::string>& names, double stop, double tolerance = 1e-9) {
    const auto run = p.run({.stop = stop, .tolerance = tolerance, .interval = stop / 4}, names);
    EXPECT_FALSE(run.summary.failure) << run.summary.failure->message;
    Ended end;
    end.rows = run.result.time.size();
    for (std::size_t k = 0; k < names.size(); ++k) end.values.push_back(run.result.at(end.rows - 1, k));
    return end;
}
Ended end_of(const std::string& text, const std::vector<std::string>& names, double stop) {
    Pipeline p(text);
    return end_of(p, names, stop);
}

/// A boom of 1 m on a hinge and a cylinder from (1, -0.5) to its end, with parts that drive it and their bonds; `PORT`
/// stands for the port of the cylinder.
std::string boom(const std::string& cylinder, const std::string& parts, std::string bonds,
                 const std::string& start = "initial: {phi: 0.5}", const std::string& types = "") {
    const bool drum = parts.find("drum") != std::string::npos;
    const std::string port = cylinder.find("JointUPS") == std::string::npos ? "cyl.line" : "cyl.axis";
    for (std::size_t at = bonds.find("PORT"); at != std::string::npos; at = bonds.find("PORT"))
        bonds.replace(at, 4, port);
    return types + "components:\n  world: {type: World, g: 9.81}\n  foot: {type: Fixed, r: [1, -0.5, 0]}\n  hinge: " +
           "{type: Revolute, n: [0, 0, 1], " + start +
           "}\n  boom: {type: BodyShape, r: [1, 0, 0], r_CM: [0.5, 0, 0], m: 2, I_33: 0.2}\n  cyl: {type: " + cylinder +
           "}\n" + parts +
           "connect:\n  - [world.frame_b, hinge.frame_a]\n  - [hinge.frame_b, boom.frame_a]\n"
           "  - [foot.frame_b, cyl.frame_a]\n  - [boom.frame_b, cyl.frame_b]\n" +
           (drum ? "  - [world.frame_b, drum.frame_a]\n  - [drum.frame_b, wheel.frame_a]\n" : "") + "bonds: [" + bonds +
           "]\n";
}

/// The triangle of hinge, foot and end of the boom.
struct Triangle {
    double foot = std::sqrt(1.25);
    double direction = std::atan2(-0.5, 1.0);
    [[nodiscard]] double side(double phi) const {
        return std::sqrt(foot * foot + 1.0 - 2.0 * foot * std::cos(phi - direction));
    }
    [[nodiscard]] double angle(double s) const {
        return direction + std::acos((foot * foot + 1.0 - s * s) / (2.0 * foot));
    }
    [[nodiscard]] double lever(double phi) const { return foot * std::sin(phi - direction) / side(phi); }
};

// With s'' = 0 from the lever c: phi' = s'/c, phi'' = -(dc/dphi) phi'^2/c with dc/dphi = (foot cos() - c^2)/s.
double push_on_boom(const Triangle& t, double phi, double v) {
    const double s = t.side(phi);
    const double c = t.lever(phi);
    const double w = v / c;
    const double a = -(t.foot * std::cos(phi - t.direction) - c * c) / s * w * w / c;
    return ((0.2 + 2.0 * 0.25) * a + 2.0 * 9.81 * 0.5 * std::cos(phi)) / c;
}

TEST(DrivenLine, MovesABoomAsTheLawOfCosinesSays) {
    const Triangle t;
    Pipeline p(boom("LineForce", "  drive: {type: Sf, f: 0.1}\n", "drive -> PORT"));
    const auto end = end_of(p, {"hinge.phi", "cyl.s", "hinge.w", "drive.e", "cyl.f", "cyl.v", "cyl.a"}, 2.0);
    const double s = t.side(0.5) + 0.2;
    const double phi = t.angle(s);
    EXPECT_NEAR(end.values[0], phi, 1e-9);
    EXPECT_NEAR(end.values[1], s, 1e-12);
    EXPECT_NEAR(end.values[2], 0.1 / t.lever(phi), 1e-9);
    EXPECT_NEAR(end.values[3], push_on_boom(t, phi, 0.1), 1e-8);
    EXPECT_NEAR(end.values[4], -end.values[3], 1e-12) << "the tension pulls";
    EXPECT_NEAR(end.values[5], 0.1, 1e-14);
    EXPECT_NEAR(end.values[6], 0.0, 1e-14);
    const auto balance = test::audited(p, {.stop = 2.0, .tolerance = 1e-9});
    EXPECT_LT(std::abs(balance.imbalance), 1e-9);
}

TEST(DrivenLine, StartsWithALengthThatIsGiven) {
    const Triangle t;
    const auto end = end_of(
        boom("LineForce, initial: {s: 1.2}", "  drive: {type: Sf, f: 0.1}\n", "drive -> PORT", "guess: {phi: 0.5}"),
        {"hinge.phi", "cyl.s"}, 1.0);
    EXPECT_NEAR(end.values[1], 1.3, 1e-12);
    EXPECT_NEAR(end.values[0], t.angle(1.3), 1e-9);
}

// The ends at one place say nothing of the direction of the line.
TEST(DrivenLine, FindsAStartWhereGuessesPutBothEndsInOnePlace) {
    const auto end = end_of(
        "components:\n  world: {type: World, gravity: none}\n  a: {type: PointMass, m: 1, initial: {x: [0, 0, 0]}}\n"
        "  b: {type: PointMass, m: 2, guess: {x: [0, 0, 0]}}\n  l: {type: LineForce, initial: {s: 1}}\n"
        "  d: {type: Sf, f: 0.2}\nbonds: [d -> l.line]\nconnect: [[a, l.frame_a], [b, l.frame_b]]\n",
        {"l.s", "a.x[1]", "a.x[2]", "a.x[3]", "b.x[1]", "b.x[2]", "b.x[3]"}, 2.0);
    const auto& v = end.values;
    EXPECT_NEAR(v[0], 1.4, 1e-9);
    EXPECT_NEAR(std::hypot(v[4] - v[1], v[5] - v[2], v[6] - v[3]), 1.4, 1e-9);
}

// r = 1 + v t and r^2 dtheta/dt is constant; with r'' = 0 the tension is mu r (dtheta/dt)^2.
TEST(DrivenLine, LetsOutATetherBetweenTwoMasses) {
    const auto end = end_of(
        "components:\n  world: {type: World, gravity: none}\n"
        "  a: {type: PointMass, m: 1, initial: {x: [0, 0, 0], v: [0, 0, 0]}}\n"
        "  b: {type: PointMass, m: 2, initial: {x: [1, 0, 0], v: [0.2, 1, 0]}}\n  l: {type: LineForce}\n"
        "  d: {type: Sf, f: 0.2}\nbonds: [d -> l.line]\nconnect: [[a, l.frame_a], [b, l.frame_b]]\n",
        {"a.x[1]", "b.x[1]", "b.x[2]", "l.f"}, 2.0);
    const double r = 1.4;
    const double theta = 2.0 / r;
    EXPECT_NEAR(end.values[1] - end.values[0], r * std::cos(theta), 1e-7);
    const double centre = 2.0 * (1.0 * 2.0) / 3.0;
    EXPECT_NEAR(end.values[2], centre + r * std::sin(theta) / 3.0, 1e-7);
    EXPECT_NEAR(end.values[3], 2.0 / 3.0 / (r * r * r), 1e-7);
}

// Both lines have one tension and their rates add up to nothing. The heavier mass sinks with g (2 - 1)/(2 + 1).
TEST(DrivenLine, IsARopeOverAPulleyWhereTwoShareAJunction) {
    for (const bool swapped : {false, true}) {
        const std::string left = swapped ? "z" : "a";
        const auto end = end_of(
            "components:\n  world: {type: World, g: 9.81}\n  p: {type: Fixed, r: [1, 0, 0]}\n"
            "  light: {type: PointMass, m: 1, initial: {x: [0, -1, 0], v: [0, 0, 0]}}\n"
            "  heavy: {type: PointMass, m: 2, initial: {x: [1, -2, 0]}}\n  " +
                left + ": {type: LineForce}\n  m: {type: LineForce}\n  rope: {type: 0}\nbonds: [" + left +
                ".line -> rope, m.line -> rope]\nconnect: [[world, " + left + ".frame_a], [p, m.frame_a], [light, " +
                left + ".frame_b], [heavy, m.frame_b]]\n",
            {"light.x[2]", "heavy.x[2]", left + ".f", "m.f"}, 0.5);
        EXPECT_NEAR(end.values[0], -1.0 + 0.5 * 9.81 / 3.0 * 0.25, 1e-7);
        EXPECT_NEAR(end.values[1], -2.0 - 0.5 * 9.81 / 3.0 * 0.25, 1e-7);
        EXPECT_NEAR(end.values[2], 4.0 / 3.0 * 9.81, 1e-7);
        EXPECT_NEAR(end.values[3], end.values[2], 1e-9);
    }
}

struct Drive {
    const char* name;
    const char* parts;
    const char* bonds;
    const char* types = "";
};

// What gives the rate may stand behind two-ports, junctions, types and connections.
class DrivenBy : public testing::TestWithParam<Drive> {};

TEST_P(DrivenBy, IsMovedAtTheSameRate) {
    const Triangle t;
    const auto end =
        end_of(boom("LineForce", GetParam().parts, GetParam().bonds, "initial: {phi: 0.5}", GetParam().types),
               {"hinge.phi"}, 1.0);
    EXPECT_NEAR(end.values[0], t.angle(t.side(0.5) + 0.1), 1e-8);
}

INSTANTIATE_TEST_SUITE_P(
    Drives, DrivenBy,
    testing::Values(
        Drive{"Transformer", "  d: {type: Sf, f: 1e-3}\n  ram: {type: TF, m: 100}\n", "d -> ram.p1, ram.p2 -> PORT"},
        Drive{"Gyrator", "  d: {type: Se, e: 1}\n  motor: {type: GY, r: 10}\n", "d -> motor.p1, motor.p2 -> PORT"},
        Drive{"IncompressibleOil",
              "  d: {type: Sf, f: 3e-3}\n  e: {type: Sf, f: -2e-3}\n  oil: {type: 0}\n  ram: {type: TF, m: 100}\n"
              "  piston: {type: 1}\n  seals: {type: R, R: 30}\n",
              "d -> oil, e -> oil, oil -> ram.p1, ram.p2 -> piston, piston -> seals, piston -> PORT"},
        Drive{"OwnType", "  d: {type: Motor}\n", "PORT -> d",
              "types:\n  Motor: {ports: {p: {domain: translational}}, equations: [p.f = 0.1*cos(0*time)]}\n"},
        Drive{
            "OwnStates", "  d: {type: Motor}\n", "PORT -> d",
            "types:\n  Motor:\n    ports: {p: {domain: translational}}\n    variables: {v: {unit: m/s, start: 0.1}, F: "
            "{unit: N}}\n    equations: [der(v) = 0, p.f = v, F = p.e]\n"},
        Drive{"OwnLever", "  d: {type: Sf, f: 0.05}\n  lever: {type: Lever}\n", "d -> lever.a, PORT -> lever.b",
              "types:\n  Lever:\n    ports: {a: {domain: translational}, b: {domain: translational}}\n    equations: "
              "[b.f = 2*a.f, a.e = -2*b.e]\n"},
        Drive{
            "Composite", "  d: {type: Drive}\n", "d.out -> PORT",
            "types:\n  Drive:\n    ports: {out: {domain: translational}}\n    components: {j: {type: 1}, s: {type: Sf, "
            "f: 0.1}, r: {type: R, R: 2}}\n    bonds: [s -> j, j -> r, j -> out]\n"},
        Drive{"Drum",
              "  drum: {type: Revolute, n: [1, 0, 0]}\n  wheel: {type: Body, m: 1, I_11: 1}\n  d: {type: Sf, f: 1}\n  "
              "rope: {type: TF, "
              "m: 0.1}\n",
              "d -> drum.axis, drum.axis -> rope.p1, rope.p2 -> PORT"}),
    [](const auto& info) { return std::string(info.param.name); });

// An assembly of joints along the line does the same with its own coordinates.
class HeldLine : public testing::TestWithParam<Drive> {};

TEST_P(HeldLine, BehavesLikeAJointAlongIt) {
    const std::vector<std::string> names{"hinge.phi", "hinge.w", "cyl.s"};
    const auto line = end_of(boom("LineForce", GetParam().parts, GetParam().bonds), names, 2.0);
    const auto joint = end_of(boom("JointUPS", GetParam().parts, GetParam().bonds), names, 2.0);
    EXPECT_EQ(line.rows, joint.rows) << "events";
    for (std::size_t k = 0; k < names.size(); ++k) EXPECT_NEAR(line.values[k], joint.values[k], 2e-7) << names[k];
}

INSTANTIATE_TEST_SUITE_P(
    Parts, HeldLine,
    testing::Values(
        Drive{"Lock", "  k: {type: 1}\n  lock: {type: Lock, locked: time > 0.2 and time < 1}\n  r: {type: R, R: 10}\n",
              "k -> lock, k -> r, k -> PORT"},
        Drive{"Friction",
              "  k: {type: 1}\n  f: {type: Friction, level: 8, static: 10}\n  push: {type: Se, e: "
              "12*sin(2*time)}\n",
              "k -> f, push -> k, k -> PORT"},
        Drive{"EndStop", "  k: {type: 1}\n  stop: {type: EndStop, lower: -0.3, upper: 0.05, restitution: 0.3}\n",
              "k -> stop, k -> PORT"}),
    [](const auto& info) { return std::string(info.param.name); });

/// Two links on a hinge each, the end of the second held by a driven cylinder; something unrelated switches beside.
std::string two_links(const std::string& cylinder, const std::string& port, bool turned, bool unrelated) {
    std::string near = "frame_a";
    std::string far = "frame_b";
    if (turned) std::swap(near, far);
    return "components:\n  world: {type: World, g: 9.81}\n  foot: {type: Fixed, r: [1, -0.5, 0.2]}\n"
           "  hinge: {type: Revolute, n: [0, 0, 1], initial: {phi: 0.5, w: 1}}\n"
           "  one: {type: BodyShape, r: [1, 0, 0], r_CM: [0.5, 0, 0], m: 2, I_33: 0.2}\n"
           "  elbow: {type: Revolute, n: [0, 0, 1], initial: {phi: -1}}\n"
           "  two: {type: BodyShape, r: [1, 0, 0], r_CM: [0.5, 0, 0], m: 2, I_33: 0.2}\n  c: {type: " +
           cylinder + "}\n  d: {type: Sf, f: 0.3*cos(2*time)}\n" +
           (unrelated ? "  s: {type: Se, e: 1}\n  j: {type: 1}\n  r: {type: R, R: 1}\n  sw: {type: Sw, open: "
                        "sin(9*time) > "
                        "0.3, Goff: 1e-3}\n"
                      : "") +
           "connect:\n  - [world.frame_b, hinge.frame_a]\n  - [hinge.frame_b, one.frame_a]\n"
           "  - [one.frame_b, elbow.frame_a]\n  - [elbow.frame_b, two.frame_a]\n  - [foot.frame_b, c." +
           near + "]\n  - [two.frame_b, c." + far + "]\nbonds: [d -> c." + port +
           (unrelated ? ", s -> j, j -> r, j -> sw" : "") + "]\n";
}

TEST(DrivenLine, OfTwoLinksMovesThemAsAJointAlongItDoes) {
    const std::vector<std::string> names{"hinge.phi", "elbow.phi", "hinge.w", "d.e"};
    const auto joint = end_of(two_links("JointUPS", "axis", false, false), names, 0.8);
    for (const bool turned : {false, true}) {
        const auto line = end_of(two_links("LineForce", "line", turned, turned), names, 0.8);
        for (std::size_t k = 0; k < names.size(); ++k)
            EXPECT_NEAR(line.values[k], joint.values[k], 1e-6 * (1.0 + std::abs(joint.values[k]))) << names[k];
    }
}

TEST(DrivenLine, IsTheSameInAnyOrderOfTheFile) {
    const std::vector<std::string> names{"hinge.phi", "elbow.phi", "hinge.w", "d.e"};
    Pipeline first(two_links("LineForce", "line", false, false));
    const auto expected = end_of(first, names, 0.8);
    for (std::uint32_t seed = 1; seed <= 3; ++seed) {
        std::mt19937 random(seed);
        model::Model shuffled = first.model();
        std::ranges::shuffle(shuffled.body.components, random);
        std::ranges::shuffle(shuffled.body.bonds, random);
        std::ranges::shuffle(shuffled.body.connects, random);
        Pipeline p(shuffled);
        const auto end = end_of(p, names, 0.8);
        for (std::size_t k = 0; k < names.size(); ++k)
            EXPECT_NEAR(end.values[k], expected.values[k], 1e-6 * (1.0 + std::abs(expected.values[k]))) << names[k];
    }
}

// The power of the drive is what the energies of bodies and of the masses on the line grow by.
TEST(DrivenLine, MayCarryMasses) {
    for (const std::string line :
         {"LineForceWithMass, m: 1", "LineForceWithTwoMasses, m_a: 1, L_a: 0.1, m_b: 1, L_b: 0.2"}) {
        Pipeline p(boom(line, "  drive: {type: Sf, f: 0.1*cos(3*time)}\n", "drive -> PORT"));
        const auto end = end_of(p, {"hinge.phi", "cyl.s"}, 1.0);
        const Triangle t;
        EXPECT_NEAR(end.values[1], t.side(0.5) + 0.1 / 3.0 * std::sin(3.0), 1e-8);
        EXPECT_NEAR(end.values[0], t.angle(end.values[1]), 1e-8);
        const auto balance = test::audited(p, {.stop = 1.0, .tolerance = 1e-9});
        EXPECT_LT(std::abs(balance.imbalance), 1e-6);
        EXPECT_GT(std::abs(test::of(balance, "drive").supplied), 0.05);
    }
}

// At the far end of the boom's reach the cylinder is as long as foot and boom together: forces have no bound there.
// However small the tolerance, the run ends there and says so: energies are resolved as far as time is (or the test
// takes minutes), and forces without bound make no position small beside them.
TEST(DrivenLine, EndsAtTheEndOfItsReachAtEveryTolerance) {
    const Triangle t;
    const double reached = (t.foot + 1.0 - t.side(0.5)) / 0.5;
    for (const std::string line : {"LineForce", "JointUPS"}) {
        for (const double tolerance : {1e-6, 1e-8, 1e-9, 1e-10, 1e-12}) {
            Pipeline p(boom(line, "  drive: {type: Sf, f: 0.5}\n", "drive -> PORT"));
            const auto run = p.run({.stop = 4.0, .tolerance = tolerance}, {"cyl.s"});
            ASSERT_TRUE(run.summary.failure) << line << " " << tolerance;
            const auto& failure = *run.summary.failure;
            EXPECT_NEAR(failure.time, reached, 1e-6) << line << " " << tolerance;
            ASSERT_FALSE(failure.notes.empty()) << line << " " << tolerance << ": " << failure.message;
            EXPECT_NE(failure.notes[0].text.find("comes to the end of its reach"), std::string::npos);
            if (run.summary.branching) {
                EXPECT_NEAR(run.summary.branching->time, reached, 1e-3);
            }
        }
    }
}

// A storage beside it lets a given flow pass by: into a junction of one pressure flows are given only all together.
TEST(LineForce, AnsweredByWhatHangsOnItHasNoCoordinate) {
    for (const auto& [parts, bonds] :
         {std::pair("  k: {type: 1}\n  r: {type: R, R: 5}\n  c: {type: C, C: 0.01}\n  push: {type: Se, e: 3}\n",
                    "k -> r, k -> c, push -> k, k -> PORT"),
          std::pair("  pump: {type: Sf, f: 1e-3}\n  oil: {type: 0}\n  vessel: {type: C, C: 1e-4}\n  ram: {type: TF, m: "
                    "100}\n",
                    "pump -> oil, oil -> vessel, oil -> ram.p1, ram.p2 -> PORT")}) {
        Pipeline p(boom("LineForce", parts, bonds));
        EXPECT_EQ(p.graph().elements[p.graph().element_by_name.at("cyl").index()].slot("v"), nullptr) << bonds;
    }
}

}  // namespace
}  // namespace bondgraph
