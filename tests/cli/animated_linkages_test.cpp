// Shapes of constraint joints, rods and assemblies: a crank is turned at a known rate, and where its tip and what it
// moves are follows from triangles.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <functional>

#include "tests/cli/animation.hpp"

namespace bondgraph::cli {
namespace {

using Eigen::Vector3d;

constexpr double kCrank = 0.1;
constexpr double kPhi = 0.3;
constexpr double kRate = 8.0;
constexpr double kExact = 1e-6;  // m: of a run at a tolerance of 1e-9

Vector3d tip_at(double t) {
    const double phi = kPhi + kRate * t;
    return {kCrank * std::cos(phi), kCrank * std::sin(phi), 0.0};
}

/// Where on the line along x through `on` a point lies at a distance from `from`, on the far side.
Vector3d on_line(const Vector3d& from, double distance, const Vector3d& on) {
    const Vector3d across(0.0, on.y() - from.y(), on.z() - from.z());
    return {from.x() + std::sqrt(distance * distance - across.squaredNorm()), on.y(), on.z()};
}

/// A crank about z, driven, and a place on the ground; the rest is `j` and what it moves. The crank takes four fifths
/// of a turn.
std::string driven(const Vector3d& bed, const std::string& more, const std::string& connect) {
    return fmt::format(
               "model: linkage\ncomponents:\n"
               "  world: {{type: World, gravity: none}}\n"
               "  a: {{type: Revolute, n: [0, 0, 1], initial: {{phi: {}}}}}\n"
               "  drive: {{type: Sf, f: {} rad/s}}\n"
               "  crank: {{type: BodyShape, r: [{}, 0, 0], m: 0.5, I_33: 1e-3}}\n"
               "  bed: {{type: FixedTranslation, r: [{}, {}, {}]}}\n",
               kPhi, kRate, kCrank, bed.x(), bed.y(), bed.z()) +
           more + "bonds: [drive -> a.axis]\nconnect:\n  - [world.frame_b, a.frame_a, bed.frame_a]\n" +
           "  - [a.frame_b, crank.frame_a]\n" + connect +
           "experiment: {stop: 0.6 s, interval: 0.06 s, tolerance: 1e-9}\n";
}

void expect_near(const Vector3d& seen, const Vector3d& wanted, const char* what) {
    EXPECT_NEAR((seen - wanted).norm(), 0.0, kExact) << what << ": " << seen.transpose();
}
void expect_between(const Posed& shape, const Vector3d& from, const Vector3d& to) {
    expect_near(shape.x, from, "begins");
    expect_near(shape.end(), to, "ends");
}

using Expected = std::function<void(const std::vector<Posed>& shapes, const Vector3d& tip)>;

/// Looks at the shapes of `j` at every output time.
void check(const std::string& model, std::size_t count, const Expected& expected) {
    SCOPED_TRACE(model);
    const Animation animation = animation_of(model);
    const auto& times = animation.shapes.at("j");
    ASSERT_EQ(times.size(), 11U);
    for (std::size_t k = 0; k < times.size(); ++k) {
        SCOPED_TRACE(animation.time[k]);
        ASSERT_EQ(times[k].size(), count);
        expected(times[k], tip_at(animation.time[k]));
    }
}

const Vector3d kBed(0.3, 0.0, 0.2);
constexpr double kLength = 0.45;

// ---- rods ---------------------------------------------------------------------------------------------------------

class Rods : public testing::TestWithParam<const char*> {};

TEST_P(Rods, ReachFromFrameToFrameAndKeepTheirLength) {
    const std::string type = GetParam();
    const std::string parameters =
        type == "UniversalSpherical" ? "rRod_ia: [0.45, 0, 0], n1_a: [0, 0, 1]" : "length: 0.45 m";
    const std::string model = driven(kBed,
                                     "  j: {type: " + type + ", " + parameters +
                                         "}\n"
                                         "  guide: {type: Prismatic, n: [1, 0, 0], guess: {s: 0.2}}\n"
                                         "  slider: {type: Body, m: 0.7}\n",
                                     "  - [crank.frame_b, j.frame_a]\n"
                                     "  - [bed.frame_b, guide.frame_a]\n"
                                     "  - [guide.frame_b, slider.frame_a, j.frame_b]\n");
    check(model, type == "SphericalSpherical" ? 3 : 1, [&](const std::vector<Posed>& shapes, const Vector3d& tip) {
        EXPECT_EQ(shapes[0].kind, "cylinder");
        const Vector3d end = on_line(tip, kLength, kBed);
        expect_between(shapes[0], tip, end);
        EXPECT_NEAR(shapes[0].size(0), kLength, kExact);
        if (shapes.size() < 3) return;
        expect_near(shapes[1].centre(), tip, "ball");
        expect_near(shapes[2].centre(), end, "ball");
    });
}

INSTANTIATE_TEST_SUITE_P(Types, Rods,
                         testing::Values("ConnectingRod", "ConnectingRod2", "SphericalSpherical", "UniversalSpherical"),
                         [](const auto& info) { return std::string(info.param); });

// ---- assemblies ---------------------------------------------------------------------------------------------------

// A strut's length is the distance of its ends, whatever that is.
TEST(AnimatedAssemblies, ATelescopeReachesFromFrameToFrame) {
    const std::string model = driven(kBed, "  j: {type: JointUPS, nAxis_ia: [-1, 0, 0], guess: {s: 0.3}}\n",
                                     "  - [bed.frame_b, j.frame_a]\n  - [crank.frame_b, j.frame_b]\n");
    double shortest = 1.0;
    double longest = 0.0;
    check(model, 3, [&](const std::vector<Posed>& shapes, const Vector3d& tip) {
        expect_near(shapes[0].centre(), kBed, "ball");
        expect_near(shapes[1].centre(), tip, "ball");
        EXPECT_EQ(shapes[2].kind, "cylinder");
        expect_between(shapes[2], kBed, tip);
        shortest = std::min(shortest, shapes[2].size(0));
        longest = std::max(longest, shapes[2].size(0));
    });
    EXPECT_GT(longest - shortest, kCrank);
}

/// An assembly from the crank to the ground: its shapes are those at frame_a, at the middle, rod 1, rod 2, and what is
/// driven.
std::string with_assembly(const Vector3d& bed, const std::string& j) {
    return driven(bed, "  j: {type: " + j + "}\n", "  - [crank.frame_b, j.frame_a]\n  - [bed.frame_b, j.frame_b]\n");
}

TEST(AnimatedAssemblies, RodsOfSlidersMeetInTheMiddle) {
    const Vector3d lift(0.0, 0.02, 0.0);
    for (const char* j : {"JointUSP, rRod1_ia: [0.45, 0, 0], n_b: [1, 0, 0], rRod2_ib: [0, 0.02, 0], guess: {s: 0.2}",
                          "JointSSP, rod1Length: 0.45, n_b: [1, 0, 0], rRod2_ib: [0, 0.02, 0], guess: {s: 0.2}"}) {
        check(with_assembly(kBed, j), 5, [&](const std::vector<Posed>& shapes, const Vector3d& tip) {
            const Vector3d middle = on_line(tip, kLength, kBed + lift);
            expect_near(shapes[0].centre(), tip, "frame_a");
            expect_near(shapes[1].centre(), middle, "middle");
            expect_between(shapes[2], tip, middle);
            expect_between(shapes[3], middle - lift, middle);
            EXPECT_EQ(shapes[4].kind, "box");
            expect_between(shapes[4], kBed, middle - lift);
        });
    }
}

TEST(AnimatedAssemblies, RodsOfRockersMeetInTheMiddle) {
    for (const char* j : {"JointUSR, rRod1_ia: [0.45, 0, 0], n_b: [1, 0, 0], rRod2_ib: [0, 0.25, 0], guess: {phi: 0.2}",
                          "JointSSR, rod1Length: 0.45, n_b: [1, 0, 0], rRod2_ib: [0, 0.25, 0], guess: {phi: 0.2}"}) {
        check(with_assembly(kBed, j), 5, [&](const std::vector<Posed>& shapes, const Vector3d& tip) {
            // On the circle of the rocker, as far from the tip as the rod is long.
            const Vector3d middle = shapes[1].centre();
            EXPECT_NEAR(middle.x(), kBed.x(), kExact);
            EXPECT_NEAR((middle - kBed).norm(), 0.25, kExact);
            EXPECT_NEAR((middle - tip).norm(), kLength, kExact);
            expect_near(shapes[0].centre(), tip, "frame_a");
            expect_between(shapes[2], tip, middle);
            expect_between(shapes[3], kBed, middle);
            EXPECT_EQ(shapes[4].kind, "cylinder");
            expect_near(shapes[4].centre(), kBed, "hinge");
            EXPECT_NEAR(std::abs(shapes[4].axis().x()), 1.0, kExact);
        });
    }
}

TEST(AnimatedAssemblies, RodsInAPlaneMeetInTheMiddle) {
    const Vector3d bed(0.3, 0.0, 0.0);
    check(with_assembly(bed, "JointRRR, rRod1_ia: [0.35, 0, 0], rRod2_ib: [0, 0.25, 0], guess: {phi: 0.2}"), 5,
          [&](const std::vector<Posed>& shapes, const Vector3d& tip) {
              const Vector3d middle = shapes[3].centre();
              EXPECT_NEAR(middle.z(), 0.0, kExact);
              EXPECT_NEAR((middle - bed).norm(), 0.25, kExact);
              EXPECT_NEAR((middle - tip).norm(), 0.35, kExact);
              expect_near(shapes[0].centre(), tip, "frame_a");
              expect_between(shapes[1], tip, middle);
              expect_between(shapes[2], bed, middle);
              expect_near(shapes[4].centre(), bed, "frame_b");
          });
    const Vector3d lift(0.0, 0.02, 0.0);
    check(
        with_assembly(bed, "JointRRP, rRod1_ia: [0.4, 0, 0], n_b: [1, 0, 0], rRod2_ib: [0, 0.02, 0], guess: {s: 0.2}"),
        4, [&](const std::vector<Posed>& shapes, const Vector3d& tip) {
            const Vector3d middle = on_line(tip, 0.4, bed + lift);
            expect_near(shapes[0].centre(), tip, "frame_a");
            expect_between(shapes[1], tip, middle);
            expect_between(shapes[2], middle - lift, middle);
            expect_between(shapes[3], bed, middle - lift);
        });
}

// ---- constraint joints ----------------------------------------------------------------------------------------------

struct CutCase {
    const char* name;
    const char* declaration;
    const char* kind;                 ///< of its shapes
    std::vector<Vector3d> axes = {};  ///< of each; none: a ball
};

class PinOfASlider : public testing::TestWithParam<CutCase> {};

// At the end of a connecting rod in a plane, where the slider is.
TEST_P(PinOfASlider, StandsWhereTheRodMeetsTheSlider) {
    const CutCase& c = GetParam();
    const bool rigid = std::string(c.name) == "CutRigid";
    const std::string model =
        driven({0.0, 0.0, 0.0},
               "  big: {type: Revolute, n: [0, 0, 1], guess: {phi: -0.4}}\n"
               "  rod: {type: BodyShape, r: [0.4, 0, 0], m: 0.3, I_33: 4e-3}\n"
               "  guide: {type: Prismatic, n: [1, 0, 0], guess: {s: 0.5}}\n"
               "  slider: {type: Body, m: 0.7}\n" +
                   std::string(rigid ? "  small: {type: Revolute, n: [0, 0, 1], guess: {phi: 0.1}}\n" : "") +
                   "  j: " + c.declaration + "\n",
               "  - [crank.frame_b, big.frame_a]\n"
               "  - [big.frame_b, rod.frame_a]\n"
               "  - [bed.frame_b, guide.frame_a]\n"
               "  - [guide.frame_b, slider.frame_a, j.frame_b]\n" +
                   std::string(rigid ? "  - [rod.frame_b, small.frame_a]\n  - [small.frame_b, j.frame_a]\n"
                                     : "  - [rod.frame_b, j.frame_a]\n"));
    check(model, std::max<std::size_t>(c.axes.size(), 1), [&](const std::vector<Posed>& shapes, const Vector3d& tip) {
        for (std::size_t k = 0; k < shapes.size(); ++k) {
            EXPECT_EQ(shapes[k].kind, c.kind);
            expect_near(shapes[k].centre(), on_line(tip, 0.4, Vector3d::Zero()), "centre");
            if (!c.axes.empty()) expect_near(shapes[k].axis(), c.axes[k], "axis");
        }
    });
}

INSTANTIATE_TEST_SUITE_P(
    Types, PinOfASlider,
    testing::Values(CutCase{"CutRigid", "{type: CutRigid}", "sphere"},
                    CutCase{"CutSpherical", "{type: CutSpherical}", "sphere"},
                    CutCase{"CutRevolute", "{type: CutRevolute, n: [0, 0, 1]}", "cylinder", {Vector3d::UnitZ()}},
                    CutCase{"CutRevolute2D", "{type: CutRevolute2D, n: [0, 0, 2]}", "cylinder", {Vector3d::UnitZ()}},
                    CutCase{"JointRevoluteZ", "{type: JointRevoluteZ}", "cylinder", {Vector3d::UnitZ()}},
                    CutCase{"CutUniversal",
                            "{type: CutUniversal, n_a: [0, 0, 1], n_b: [0, 1, 0]}",
                            "cylinder",
                            {Vector3d::UnitZ(), Vector3d::UnitY()}},
                    CutCase{"CutJointBall", "{type: CutJoint, holds: [x, y, z]}", "sphere"},
                    CutCase{
                        "CutJointHinge", "{type: CutJoint, holds: [x, y, z, rx, ry]}", "cylinder", {Vector3d::UnitZ()}},
                    // The axes beside y: z of frame_a, and x of frame_b, the slider.
                    CutCase{"CutJointCross",
                            "{type: CutJoint, holds: [x, y, z, ry]}",
                            "cylinder",
                            {Vector3d::UnitZ(), Vector3d::UnitX()}}),
    [](const auto& info) { return std::string(info.param.name); });

class GuideOfASlider : public testing::TestWithParam<const char*> {};

// The guide of the same slider as a constraint.
TEST_P(GuideOfASlider, ReachesFromTheGroundToTheSlider) {
    const std::string model = driven({0.05, 0.0, 0.0},
                                     "  big: {type: Revolute, n: [0, 0, 1], guess: {phi: -0.4}}\n"
                                     "  rod: {type: BodyShape, r: [0.4, 0, 0], m: 0.3, I_33: 4e-3}\n"
                                     "  small: {type: Revolute, n: [0, 0, 1], guess: {phi: 0.1}}\n"
                                     "  slider: {type: Body, m: 0.7}\n"
                                     "  j: {type: " +
                                         std::string(GetParam()) + "}\n",
                                     "  - [crank.frame_b, big.frame_a]\n"
                                     "  - [big.frame_b, rod.frame_a]\n"
                                     "  - [rod.frame_b, small.frame_a]\n"
                                     "  - [small.frame_b, slider.frame_a, j.frame_b]\n"
                                     "  - [bed.frame_b, j.frame_a]\n");
    check(model, 1, [](const std::vector<Posed>& shapes, const Vector3d& tip) {
        EXPECT_EQ(shapes[0].kind, "box");
        expect_between(shapes[0], {0.05, 0.0, 0.0}, on_line(tip, 0.4, Vector3d::Zero()));
    });
}

INSTANTIATE_TEST_SUITE_P(Types, GuideOfASlider,
                         testing::Values("CutPrismatic", "CutPrismatic, n: [2, 0, 0]", "CutPrismatic2D",
                                         "CutJoint, holds: [y, z, rx, ry, rz]"));

}  // namespace
}  // namespace bondgraph::cli
