// Orientation algebra on expressions against Eigen's geometry.

#include "mechanics3d/orientation.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <random>

namespace bondgraph::mechanics3d {
namespace {

using Numbers = std::mt19937_64;

Eigen::Matrix3d numbers(const Mat3& m) {
    Eigen::Matrix3d result;
    for (Eigen::Index i = 0; i < 9; ++i) result.data()[i] = m.data()[i].constant();
    return result;
}

double uniform(Numbers& random, double low, double high) {
    return std::uniform_real_distribution<double>(low, high)(random);
}

Eigen::Vector3d direction(Numbers& random) {
    Eigen::Vector3d v;
    do v = Eigen::Vector3d(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1));
    while (v.norm() < 0.1);
    return v.normalized();
}

Vec3 expression_of(const Eigen::Vector3d& v) { return vec3(v(0), v(1), v(2)); }

// Orientations here take world coordinates to the frame's; Eigen's rotations turn vectors: they are transposes.
TEST(Orientation, APlanarRotationIsTheTransposeOfEigensAngleAxis) {
    Numbers random(1);
    for (int n = 0; n < 200; ++n) {
        const Eigen::Vector3d e = direction(random);
        const double angle = uniform(random, -7, 7);
        const Eigen::Matrix3d expected = Eigen::AngleAxisd(angle, e).toRotationMatrix().transpose();
        EXPECT_LT((numbers(planar_rotation(expression_of(e), angle)) - expected).cwiseAbs().maxCoeff(), 4e-16 * 8);
    }
}

TEST(Orientation, ASequenceTurnsAboutOwnAxes) {
    Numbers random(2);
    const std::array axes{1, 3, 2};
    for (int n = 0; n < 100; ++n) {
        const std::array<double, 3> angles{uniform(random, -3, 3), uniform(random, -3, 3), uniform(random, -3, 3)};
        Eigen::Matrix3d turned = Eigen::Matrix3d::Identity();
        for (std::size_t k = 0; k < 3; ++k)
            turned = turned * Eigen::AngleAxisd(angles[k], Eigen::Vector3d::Unit(axes[k] - 1)).toRotationMatrix();
        const std::array<Expr, 3> given{angles[0], angles[1], angles[2]};
        EXPECT_LT((numbers(sequence_rotation(axes, given)) - turned.transpose()).cwiseAbs().maxCoeff(), 2e-15);
        const Vec4 q = sequence_quaternion(axes, given);
        EXPECT_LT((numbers(quaternion_rotation(q)) - turned.transpose()).cwiseAbs().maxCoeff(), 4e-15);
    }
}

TEST(Orientation, AQuaternionOfAnyLengthGivesAnOrthogonalOrientation) {
    Numbers random(3);
    for (int n = 0; n < 200; ++n) {
        Eigen::Vector4d q(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1),
                          uniform(random, -1, 1));
        q *= uniform(random, 0.1, 10.0);
        Vec4 given;
        given << q(0), q(1), q(2), q(3);
        const Eigen::Matrix3d R = numbers(quaternion_rotation(given));
        EXPECT_LT((R * R.transpose() - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff(), 4e-15);
        const Eigen::Quaterniond same(q(3), q(0), q(1), q(2));
        EXPECT_LT((R - same.normalized().toRotationMatrix().transpose()).cwiseAbs().maxCoeff(), 4e-15);
    }
}

// dR/dt = −skew(w) R, by central differences of the quaternion's path.
TEST(Orientation, TheQuaternionsRateTurnsWithTheAngularVelocity) {
    Numbers random(4);
    for (int n = 0; n < 50; ++n) {
        const Eigen::Vector3d w = 2.0 * direction(random);
        Eigen::Vector4d q(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1), 0.5);
        q.normalize();
        Vec4 given;
        given << q(0), q(1), q(2), q(3);
        const Vec4 rate = quaternion_rate(given, expression_of(w), 10.0);
        constexpr double kStep = 1e-5;
        const auto moved = [&](double sign) {
            Vec4 at;
            for (Eigen::Index i = 0; i < 4; ++i) at(i) = q(i) + sign * kStep * rate(i).constant();
            return numbers(quaternion_rotation(at));
        };
        const Eigen::Matrix3d slope = (moved(1.0) - moved(-1.0)) / (2.0 * kStep);
        const Eigen::Matrix3d expected = -numbers(skew(expression_of(w))) * numbers(quaternion_rotation(given));
        // The error of the difference is |w|^3 h^2 / 6.
        EXPECT_LT((slope - expected).cwiseAbs().maxCoeff(), 1e-8);
    }
}

TEST(Orientation, TwoAxesNeedNeitherLengthNorRightAngle) {
    const Eigen::Matrix3d R = numbers(from_two_axes(vec3(2.0, 0.0, 0.0), vec3(3.0, 0.5, 0.0)));
    EXPECT_LT((R - Eigen::Matrix3d::Identity()).cwiseAbs().maxCoeff(), 1e-15);
}

TEST(Orientation, ZerosVanishInAPlane) {
    expression::Graph graph;
    const Mat3 R = planar_rotation(vec3(0.0, 0.0, 1.0), graph.variable(0)) *
                   planar_rotation(vec3(0.0, 0.0, 1.0), graph.variable(1));
    EXPECT_TRUE(R(0, 2).is_constant(0.0));
    EXPECT_TRUE(R(2, 2).is_constant(1.0));
    EXPECT_TRUE(same(R(0, 0), R(1, 1)));
    EXPECT_TRUE(same(R(0, 1), -R(1, 0)));
}

}  // namespace
}  // namespace bondgraph::mechanics3d
