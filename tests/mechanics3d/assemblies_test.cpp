// Assemblies against the same joints and rods one by one, and against closed forms.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "tests/mechanics3d/assembly_models.hpp"
#include "tests/support/pipeline.hpp"

namespace bondgraph {
namespace {

using test::crank;
using test::in_plane;
using test::kRocker;
using test::kRod;
using test::Names;
using test::Pipeline;
using test::rows_of;
using test::with_rrp;
using test::with_rrr;
using test::with_ssp;
using test::with_ssr;
using test::with_usp;
using test::with_usr;

/// That two models move alike; some names of the second differ.
void expect_same(std::string_view one, const Names& names, std::string_view other, const Names& other_names,
                 double stop = 0.5) {
    const auto a = rows_of(one, stop, names, stop, 1e-10), b = rows_of(other, stop, other_names, stop, 1e-10);
    ASSERT_EQ(a.size(), b.size());
    for (std::size_t n = 0; n < names.size(); ++n)
        EXPECT_NEAR(a.back()[n], b.back()[n], 1e-6 * std::max(1.0, std::abs(b.back()[n]))) << names[n];
    EXPECT_GT(std::abs(a.back()[0] - a.front()[0]), 0.05) << "nothing has moved";
}

/// The rod with a cross and a ball, and a rocker about x.
std::string spatial_four_bar() {
    return crank(std::string("  u: {type: Universal, n_a: [0, 0, 1], n_b: [0, 1, 0]}\n"
                             "  rod: {type: FixedTranslation, r: [0.45, 0, 0]}\n"
                             "  rod_body: ") +
                     kRod +
                     "  ball: {type: Spherical}\n"
                     "  lever: {type: FixedTranslation, r: [0, 0.25, 0]}\n"
                     "  rocker: " +
                     kRocker + "  d: {type: Revolute, n: [1, 0, 0], guess: {phi: 0.2}}\n",
                 "  - [crank.frame_b, u.frame_a]\n"
                 "  - [u.frame_b, rod.frame_a, rod_body]\n"
                 "  - [rod.frame_b, ball.frame_a]\n"
                 "  - [ball.frame_b, lever.frame_b]\n"
                 "  - [lever.frame_a, d.frame_b, rocker]\n"
                 "  - [d.frame_a, bed.frame_b]\n");
}

TEST(Assemblies, JointUsrIsItsJoints) {
    expect_same(with_usr(), {"a.phi", "a.w", "j.phi", "j.w", "j.phi_1", "j.a"}, spatial_four_bar(),
                {"a.phi", "a.w", "d.phi", "d.w", "u.phi_a", "d.a"});
}

TEST(Assemblies, UniversalSphericalIsItsJoints) {
    const std::string text =
        crank(std::string("  j: {type: UniversalSpherical, rRod_ia: [0.45, 0, 0]}\n  rod_body: ") + kRod +
                  "  lever: {type: FixedTranslation, r: [0, 0.25, 0]}\n  rocker: " + kRocker +
                  "  d: {type: Revolute, n: [1, 0, 0], guess: {phi: 0.2}}\n",
              "  - [crank.frame_b, j.frame_a]\n"
              "  - [j.frame_ia, rod_body]\n"
              "  - [lever.frame_b, j.frame_b]\n"
              "  - [lever.frame_a, d.frame_b, rocker]\n"
              "  - [d.frame_a, bed.frame_b]\n");
    expect_same(text, {"a.phi", "a.w", "d.phi", "d.w", "j.phi_1"}, spatial_four_bar(),
                {"a.phi", "a.w", "d.phi", "d.w", "u.phi_a"});
}

TEST(Assemblies, ConnectingRod2CarriesABody) {
    const std::string text = crank(std::string("  j: {type: ConnectingRod2, length: 0.45}\n  rod_body: ") + kRod +
                                       "  lever: {type: FixedTranslation, r: [0, 0.25, 0]}\n  rocker: " + kRocker +
                                       "  d: {type: Revolute, n: [1, 0, 0], guess: {phi: 0.2}}\n",
                                   "  - [crank.frame_b, j.frame_a]\n"
                                   "  - [j.frame_c, rod_body]\n"
                                   "  - [lever.frame_b, j.frame_b]\n"
                                   "  - [lever.frame_a, d.frame_b, rocker]\n"
                                   "  - [d.frame_a, bed.frame_b]\n");
    expect_same(text, {"a.phi", "a.w", "d.phi", "d.w", "j.frame_a.f[1]"}, spatial_four_bar(),
                {"a.phi", "a.w", "d.phi", "d.w", "u.frame_a.f[1]"});
}

// Its y-axis is across n_a, its x-axis leads from one end to the other.
TEST(Assemblies, TheFrameOfConnectingRod2FollowsFrameA) {
    const std::string text = crank(
        "  j: {type: ConnectingRod2, length: 0.45, n_a: [1, 2, 3]}\n  d: {type: Revolute, n: [1, 0, 0], guess: {phi: "
        "0.2}}\n  rocker: {type: BodyShape, r: [0, 0.25, 0], r_CM: [0, 0.12, 0], m: 0.7, I_11: 4e-3, I_33: 4e-3}\n",
        "  - [crank.frame_b, j.frame_a]\n"
        "  - [rocker.frame_b, j.frame_b]\n"
        "  - [rocker.frame_a, d.frame_b]\n"
        "  - [d.frame_a, bed.frame_b]\n");
    Names names;
    for (int i = 1; i <= 3; ++i) {
        names.push_back(fmt::format("j.frame_a.x[{}]", i));
        names.push_back(fmt::format("j.frame_b.x[{}]", i));
        names.push_back(fmt::format("j.frame_c.R[1,{}]", i));
        names.push_back(fmt::format("j.frame_c.R[2,{}]", i));
    }
    names.emplace_back("a.phi");
    for (const auto& r : rows_of(text, 0.5, names, 0.05)) {
        const double c = std::cos(r[12]), s = std::sin(r[12]);
        const double n[3] = {c - 2 * s, s + 2 * c, 3.0};
        double across = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
            EXPECT_NEAR(r[4 * i] + 0.45 * r[4 * i + 2], r[4 * i + 1], 1e-8);
            across += n[i] * r[4 * i + 3];
        }
        EXPECT_NEAR(across, 0.0, 1e-8);
        // y along n x r, not against it: with z = x cross y, z . n > 0.
        EXPECT_GT(n[2] * (r[2] * r[7] - r[6] * r[3]) + n[0] * (r[6] * r[11] - r[10] * r[7]) +
                      n[1] * (r[10] * r[3] - r[2] * r[11]),
                  0.0);
    }
}

std::string spatial_slider(bool universal) {
    const std::string ends =
        "  guide: {type: Prismatic, n: [1, 0, 0], guess: {s: 0.2}}\n"
        "  head: {type: FixedTranslation, r: [0, 0.02, 0]}\n"
        "  slider: {type: Body, m: 0.7}\n";
    const std::string to_slider =
        "  - [ball.frame_b, head.frame_b]\n"
        "  - [head.frame_a, guide.frame_b, slider]\n"
        "  - [guide.frame_a, bed.frame_b]\n";
    if (universal)
        return crank(
            "  u: {type: Universal, n_a: [0, 0, 1], n_b: [0, 1, 0]}\n"
            "  rod: {type: FixedTranslation, r: [0.45, 0, 0]}\n"
            "  rod_body: " +
                std::string(kRod) + "  ball: {type: Spherical}\n" + ends,
            "  - [crank.frame_b, u.frame_a]\n"
            "  - [u.frame_b, rod.frame_a, rod_body]\n"
            "  - [rod.frame_b, ball.frame_a]\n" +
                to_slider);
    return crank(
        "  u: {type: Universal, n_a: [0, 0, 1], n_b: [0, 1, 0]}\n"
        "  half: {type: FixedTranslation, r: [0.225, 0, 0]}\n"
        "  mass: {type: PointMass, m: 0.3}\n"
        "  rest: {type: FixedTranslation, r: [0.225, 0, 0]}\n"
        "  ball: {type: Spherical}\n" +
            ends,
        "  - [crank.frame_b, u.frame_a]\n"
        "  - [u.frame_b, half.frame_a]\n"
        "  - [half.frame_b, mass, rest.frame_a]\n"
        "  - [rest.frame_b, ball.frame_a]\n" +
            to_slider);
}

TEST(Assemblies, JointUspIsItsJoints) {
    expect_same(with_usp(), {"a.phi", "a.w", "j.s", "j.v", "j.a"}, spatial_slider(true),
                {"a.phi", "a.w", "guide.s", "guide.v", "guide.a"});
}

TEST(Assemblies, JointSspIsItsJoints) {
    expect_same(with_ssp(0.3), {"a.phi", "a.w", "j.s", "j.v", "j.a"}, spatial_slider(false),
                {"a.phi", "a.w", "guide.s", "guide.v", "guide.a"});
}

TEST(Assemblies, JointSsrIsItsJoints) {
    const std::string plain = crank(std::string("  u: {type: Universal, n_a: [0, 0, 1], n_b: [0, 1, 0]}\n"
                                                "  half: {type: FixedTranslation, r: [0.225, 0, 0]}\n"
                                                "  mass: {type: PointMass, m: 0.3}\n"
                                                "  rest: {type: FixedTranslation, r: [0.225, 0, 0]}\n"
                                                "  ball: {type: Spherical}\n"
                                                "  lever: {type: FixedTranslation, r: [0, 0.25, 0]}\n"
                                                "  rocker: ") +
                                        kRocker + "  d: {type: Revolute, n: [1, 0, 0], guess: {phi: 0.2}}\n",
                                    "  - [crank.frame_b, u.frame_a]\n"
                                    "  - [u.frame_b, half.frame_a]\n"
                                    "  - [half.frame_b, mass, rest.frame_a]\n"
                                    "  - [rest.frame_b, ball.frame_a]\n"
                                    "  - [ball.frame_b, lever.frame_b]\n"
                                    "  - [lever.frame_a, d.frame_b, rocker]\n"
                                    "  - [d.frame_a, bed.frame_b]\n");
    expect_same(with_ssr(0.3), {"a.phi", "a.w", "j.phi", "j.w", "j.a"}, plain, {"a.phi", "a.w", "d.phi", "d.w", "d.a"});
}

TEST(Assemblies, SphericalSphericalIsItsRodAndMass) {
    const std::string rocker =
        "  rocker: {type: BodyShape, r: [0, 0.25, 0], r_CM: [0, 0.12, 0], m: 0.7, I_11: 4e-3, I_22: 1e-3, I_33: 4e-3}\n"
        "  d: {type: Revolute, n: [1, 0, 0], guess: {phi: 0.2}}\n";
    const std::string text = crank("  j: {type: SphericalSpherical, length: 0.45, m: 0.3}\n" + rocker,
                                   "  - [crank.frame_b, j.frame_a]\n"
                                   "  - [rocker.frame_b, j.frame_b]\n"
                                   "  - [rocker.frame_a, d.frame_b]\n"
                                   "  - [d.frame_a, bed.frame_b]\n");
    expect_same(text, {"a.phi", "a.w", "d.phi", "d.w", "j.f_rod"}, with_ssr(0.3),
                {"a.phi", "a.w", "j.phi", "j.w", "j.f_rod"});
}

/// A strut from the ground to the crank, of two heavy parts, with a spring.
TEST(Assemblies, JointUpsIsItsJoints) {
    const std::string parts =
        "  lower: {type: Body, r_CM: [0.1, 0, 0], m: 0.3, I_11: 1e-3, I_22: 2e-3, I_33: 3e-3}\n"
        "  upper: {type: Body, r_CM: [-0.1, 0, 0], m: 0.2, I_11: 1e-3, I_22: 2e-3, I_33: 3e-3}\n"
        "  spring: {type: C, C: 2e-3}\n";
    const std::string text =
        crank("  j: {type: JointUPS, n1_a: [0, 0, 1], nAxis_ia: [-1, 0, 0], s_offset: 0.1, guess: {s: 0.1}}\n" + parts,
              "  - [bed.frame_b, j.frame_a]\n"
              "  - [crank.frame_b, j.frame_b]\n"
              "  - [j.frame_ia, lower]\n"
              "  - [j.frame_ib, upper]\n") +
        "bonds: [j.axis -> spring]\n";
    const std::string plain =
        crank(
            "  u: {type: Universal, n_a: [0, 0, 1], n_b: [0, -1, 0]}\n"
            "  s: {type: Prismatic, n: [-1, 0, 0], offset: 0.1, guess: {s: 0.1}}\n  ball: {type: Spherical}\n" +
                parts,
            "  - [bed.frame_b, u.frame_a]\n"
            "  - [u.frame_b, s.frame_a, lower]\n"
            "  - [s.frame_b, upper, ball.frame_a]\n"
            "  - [ball.frame_b, crank.frame_b]\n") +
        "bonds: [s.axis -> spring]\n";
    expect_same(text, {"a.phi", "a.w", "j.s", "j.v", "j.phi_1", "j.phi_2"}, plain,
                {"a.phi", "a.w", "s.s", "s.v", "u.phi_a", "u.phi_b"});
}

// ---- in a plane --------------------------------------------------------------------------------------------------

TEST(Assemblies, JointRrrIsItsJoints) {
    const std::string plain = in_plane(crank(std::string("  b: {type: Revolute, guess: {phi: 0.5}}\n"
                                                         "  rod: {type: FixedTranslation, r: [0.35, 0, 0]}\n"
                                                         "  rod_body: ") +
                                                 kRod +
                                                 "  c: {type: Revolute}\n"
                                                 "  lever: {type: FixedTranslation, r: [0, 0.25, 0]}\n"
                                                 "  rocker: " +
                                                 kRocker + "  d: {type: Revolute, guess: {phi: 0.1}}\n",
                                             "  - [crank.frame_b, b.frame_a]\n"
                                             "  - [b.frame_b, rod.frame_a, rod_body]\n"
                                             "  - [rod.frame_b, c.frame_a]\n"
                                             "  - [c.frame_b, lever.frame_b]\n"
                                             "  - [lever.frame_a, d.frame_b, rocker]\n"
                                             "  - [d.frame_a, bed.frame_b]\n"));
    expect_same(with_rrr("", "phi_a: 0.5, phi: 0.1"), {"a.phi", "a.w", "j.phi", "j.w", "j.phi_a", "j.frame_b.f[1]"},
                plain, {"a.phi", "a.w", "d.phi", "d.w", "b.phi", "d.frame_a.f[1]"});
}

TEST(Assemblies, JointRrpIsItsJoints) {
    const std::string plain = in_plane(crank(std::string("  b: {type: Revolute}\n"
                                                         "  rod: {type: FixedTranslation, r: [0.4, 0, 0]}\n"
                                                         "  rod_body: ") +
                                                 kRod +
                                                 "  c: {type: Revolute}\n"
                                                 "  head: {type: FixedTranslation, r: [0, 0.02, 0]}\n"
                                                 "  slider: {type: Body, m: 0.7}\n"
                                                 "  guide: {type: Prismatic, n: [1, 0, 0], guess: {s: 0.2}}\n",
                                             "  - [crank.frame_b, b.frame_a]\n"
                                             "  - [b.frame_b, rod.frame_a, rod_body]\n"
                                             "  - [rod.frame_b, c.frame_a]\n"
                                             "  - [c.frame_b, head.frame_b]\n"
                                             "  - [head.frame_a, guide.frame_b, slider]\n"
                                             "  - [guide.frame_a, bed.frame_b]\n"));
    expect_same(with_rrp(), {"a.phi", "a.w", "j.s", "j.v", "j.phi_a"}, plain,
                {"a.phi", "a.w", "guide.s", "guide.v", "b.phi"});
}

// ---- closed forms --------------------------------------------------------------------------------------------------

constexpr double kCrank = 0.1;

/// The angle of a lever r about x at (0.3, 0, height) whose end has the distance L to the end of the crank; `side`: +1
/// or -1.
double rocker_angle(double phi, double height, double lever, double L, int side) {
    const double x = kCrank * std::cos(phi) - 0.3, y = kCrank * std::sin(phi), z = -height;
    // |(-x, lever cos - y, lever sin - z)|^2 = L^2
    const double A = -2 * lever * y, B = -2 * lever * z, C = x * x + y * y + z * z + lever * lever - L * L;
    const double k = std::sqrt(A * A + B * B - C * C);
    return std::atan2(-B * C + side * A * k, -A * C - side * B * k);
}

void expect_rocker(const std::string& text, int side) {
    for (const auto& r : rows_of(text, 1.0, {"a.phi", "j.phi"}, 0.02))
        ASSERT_NEAR(std::remainder(r[1] - rocker_angle(r[0], 0.2, 0.25, 0.45, side), 2 * std::numbers::pi), 0.0, 1e-7);
}

/// The side of the closed form that is nearer to an angle at the start.
int side_near(double phi) {
    const auto distance = [&](int side) {
        return std::abs(std::remainder(rocker_angle(0.3, 0.2, 0.25, 0.45, side) - phi, 2 * std::numbers::pi));
    };
    return distance(1) < distance(-1) ? 1 : -1;
}

TEST(Assemblies, RodAndRockerMeetWhereSpheresAndCirclesDo) {
    expect_rocker(with_usr(), side_near(0.2));
    expect_rocker(with_ssr(0.3), side_near(0.2));
}

// The other way of bending, from the guess alone, and kept over many turns of the crank.
TEST(Assemblies, TheGuessDecidesTheBranchAndItIsKept) {
    const double other = rocker_angle(0.3, 0.2, 0.25, 0.45, -side_near(0.2));
    expect_rocker(with_ssr(0.0, other + 0.2), -side_near(0.2));
    const auto ssp = rows_of(with_ssp(0.0, -0.7), 1.0, {"a.phi", "j.s"}, 0.02);
    for (const auto& r : ssp) {
        const double y = kCrank * std::sin(r[0]) - 0.02, x = kCrank * std::cos(r[0]) - 0.3;
        EXPECT_NEAR(r[1], x - std::sqrt(0.2025 - y * y - 0.04), 1e-8);
    }
}

TEST(Assemblies, RodAndSliderMeetWhereSphereAndLineDo) {
    for (const std::string& text : {with_usp(), with_ssp(0.3)}) {
        for (const auto& r : rows_of(text, 1.0, {"a.phi", "j.s"}, 0.02)) {
            const double y = kCrank * std::sin(r[0]) - 0.02, x = kCrank * std::cos(r[0]) - 0.3;
            EXPECT_NEAR(r[1], x + std::sqrt(0.2025 - y * y - 0.04), 1e-8);
        }
    }
    for (const auto& r : rows_of(with_rrp(), 1.0, {"a.phi", "j.s"}, 0.02)) {
        const double y = kCrank * std::sin(r[0]) - 0.02, x = kCrank * std::cos(r[0]) - 0.3;
        EXPECT_NEAR(r[1], x + std::sqrt(0.16 - y * y), 1e-8);
    }
}

TEST(Assemblies, TheDyadsJointIsTheMeetingOfTwoCircles) {
    const auto rows = rows_of(with_rrr("", "phi_a: 0.5, phi: 0.1"), 1.0, {"a.phi", "j.phi", "j.phi_a"}, 0.02);
    for (const auto& r : rows) {
        const double x = 0.3 - kCrank * std::cos(r[0]), y = -kCrank * std::sin(r[0]);
        const double d = std::hypot(x, y), along = (0.35 * 0.35 - 0.25 * 0.25 + d * d) / (2 * d);
        const double high = std::sqrt(0.35 * 0.35 - along * along);
        const double px = (along * x - high * y) / d, py = (along * y + high * x) / d;
        const double rod = std::atan2(py, px), lever = std::atan2(py - y, px - x);
        EXPECT_NEAR(std::remainder(r[2] + r[0] - rod, 2 * std::numbers::pi), 0.0, 1e-7);
        EXPECT_NEAR(std::remainder(r[1] + std::numbers::pi / 2 - lever, 2 * std::numbers::pi), 0.0, 1e-7);
    }
}

// ---- power and energy --------------------------------------------------------------------------------------------

/// Power into an assembly over its frames and the driven joint.
void expect_no_power(const std::string& text, const Names& frames, const Names& ports = {}) {
    Names names;
    for (const std::string& f : frames) {
        for (const auto& [effort, flow] : {std::pair("f", "v"), {"t", "w"}}) {
            for (int i = 1; i <= 3; ++i) {
                names.push_back(fmt::format("j.{}.{}[{}]", f, effort, i));
                names.push_back(fmt::format("j.{}.{}[{}]", f, flow, i));
            }
        }
    }
    for (const std::string& p : ports) {
        names.push_back("j." + p + ".e");
        names.push_back("j." + p + ".f");
    }
    double largest = 0.0;
    for (const auto& r : rows_of(text, 0.5, names, 0.05)) {
        double sum = 0.0, size = 0.0;
        for (std::size_t k = 0; k < r.size(); k += 2) {
            sum += r[k] * r[k + 1];
            size += std::abs(r[k] * r[k + 1]);
        }
        EXPECT_NEAR(sum, 0.0, 1e-9 * std::max(1.0, size));
        largest = std::max(largest, size);
    }
    EXPECT_GT(largest, 0.1);
}

TEST(Assemblies, TakeNoPower) {
    expect_no_power(with_usr(), {"frame_a", "frame_b", "frame_ia", "frame_ib"});
    expect_no_power(with_usp(), {"frame_a", "frame_b", "frame_ia", "frame_ib"});
    expect_no_power(with_ssr(0.0), {"frame_a", "frame_b", "frame_ib"});
    expect_no_power(with_ssp(0.0), {"frame_a", "frame_b", "frame_ib"});
    expect_no_power(with_rrr("", "phi_a: 0.5, phi: 0.1"), {"frame_a", "frame_b", "frame_ia", "frame_ib"});
    expect_no_power(with_rrp(), {"frame_a", "frame_b", "frame_ia", "frame_ib"});
}

/// Forces and moments on a part without mass, at its frames.
void expect_balance(const std::string& text, const Names& frames) {
    Names names;
    for (const std::string& f : frames) {
        for (const char* vector : {"f", "t", "x"}) {
            for (int i = 1; i <= 3; ++i) names.push_back(fmt::format("j.{}.{}[{}]", f, vector, i));
        }
        for (int i = 1; i <= 3; ++i) {
            for (int j = 1; j <= 3; ++j) names.push_back(fmt::format("j.{}.R[{},{}]", f, i, j));
        }
    }
    for (const auto& r : rows_of(text, 0.1, names, 0.05)) {
        std::array<double, 6> sum{};
        double size = 1.0;
        for (std::size_t at = 0; at < r.size(); at += 18) {
            for (std::size_t k = 0; k < 3; ++k) {
                const std::size_t i = (k + 1) % 3, j = (k + 2) % 3;
                sum[k] += r[at + k];
                sum[3 + k] += r[at + 6 + i] * r[at + j] - r[at + 6 + j] * r[at + i];
                for (std::size_t row = 0; row < 3; ++row) sum[3 + k] += r[at + 9 + 3 * row + k] * r[at + 3 + row];
                size = std::max(size, std::abs(r[at + k]));
            }
        }
        for (const double s : sum) EXPECT_NEAR(s, 0.0, 1e-8 * size) << text;
    }
}

// On a foot that stands still, and on one that moves and turns.
TEST(Assemblies, PassOnForcesAndMoments) {
    const std::string planar = with_rrr("", "phi_a: 0.5, phi: 0.1");
    for (const bool moves : {false, true}) {
        const auto on_foot = [&](std::string text, bool in_space) {
            if (!moves) return text;
            const std::size_t bed = text.find("  bed:");
            text.insert(bed, std::string("  lift: {type: Prismatic, n: [0, 1, 0]}\n  swing: {type: Revolute, n: ") +
                                 (in_space ? "[1, 2, 2]" : "[0, 0, 1]") +
                                 "}\n  heavy: {type: Body, m: 3, I_11: 0.1, I_22: 0.1, I_33: 0.1}\n");
            const std::string foot = ", bed.frame_a]";
            return text.replace(text.find(foot), foot.size(),
                                ", lift.frame_a]\n  - [lift.frame_b, swing.frame_a]\n  - [swing.frame_b, heavy, "
                                "bed.frame_a]");
        };
        const Names crossed{"frame_a", "frame_b", "frame_ia", "frame_ib"}, plain{"frame_a", "frame_b", "frame_ib"};
        expect_balance(on_foot(with_usr(), true), crossed);
        expect_balance(on_foot(with_usp(), true), crossed);
        expect_balance(on_foot(with_ssr(0.0), true), plain);
        expect_balance(on_foot(with_ssp(0.0), true), plain);
        expect_balance(on_foot(with_rrp(), false), crossed);
        expect_balance(on_foot(planar, false), crossed);
    }
}

TEST(Assemblies, KeepEnergyWithBodiesOnAllTheirFrames) {
    const std::string middle =
        "  middle: {type: Body, r_CM: [0.02, 0.01, 0.03], m: 0.3, I_11: 1e-3, I_22: 2e-3, I_33: 2e-3}\n";
    const std::string at = "  - [j.frame_im, middle]\n";
    std::string planar = with_rrr("", "phi_a: 0.5, phi: 0.1");
    for (std::string text : {with_usr(), with_usp(), with_ssr(0.3), with_ssp(0.3), planar, with_rrp()}) {
        text.insert(text.find("connect:"), middle);
        Pipeline p(text + at);
        const auto balance = test::audited(p, {.stop = 1.0, .tolerance = 1e-9});
        EXPECT_NEAR(balance.imbalance, 0.0, 1e-6 * balance.moved) << text;
    }
}

}  // namespace
}  // namespace bondgraph
