#pragma once

#include <array>
#include <span>

#include "bondgraph/expression/expr.hpp"

namespace bondgraph::mechanics3d {

using expression::Expr;
using Vec3 = Eigen::Matrix<Expr, 3, 1>;
using Mat3 = Eigen::Matrix<Expr, 3, 3>;
using Vec4 = Eigen::Matrix<Expr, 4, 1>;

// Orientation algebra on expressions. An orientation R takes coordinates from the reference to the rotated frame:
// h_frame = R h_reference; with w the angular velocity of the frame, resolved in the frame, dR/dt = −skew(w) R.

Vec3 vec3(Expr x, Expr y, Expr z);
Mat3 identity();
/// a × b, componentwise, so that zeros vanish.
Vec3 cross(const Vec3& a, const Vec3& b);
Expr dot(const Vec3& a, const Vec3& b);
Mat3 skew(const Vec3& a);
Vec3 scaled(Expr factor, const Vec3& a);

/// Two unit vectors across n and each other; simple directions give simple ones.
std::array<Vec3, 2> across(const Vec3& n);

/// Rotation by angle about the unit vector e: e eᵀ + (I − e eᵀ) cos − skew(e) sin.
Mat3 planar_rotation(const Vec3& e, Expr angle);
/// Rotation about axis 1, 2 or 3 of the frame.
Mat3 axis_rotation(int axis, Expr angle);
/// Successive rotations about own axes, the first first.
Mat3 sequence_rotation(std::span<const int> axes, std::span<const Expr> angles);
/// The frame whose x-axis points along n_x and whose y-axis lies in the plane of n_x and n_y, both given in the
/// reference. n_x and n_y need not have length 1 nor be perpendicular.
Mat3 from_two_axes(const Vec3& n_x, const Vec3& n_y);

/// Orientation of the quaternion q (vector part, then scalar part), evaluated with q/|q|, so that it is orthogonal for
/// every q ≠ 0.
Mat3 quaternion_rotation(const Vec4& q);
/// dq/dt for the angular velocity w, resolved in the rotated frame: ½ Ξ(q) w + rate (1 − q·q) q; the last term draws
/// |q| to 1.
Vec4 quaternion_rate(const Vec4& q, const Vec3& w, double rate);
/// The quaternion of successive rotations about own axes.
Vec4 sequence_quaternion(std::span<const int> axes, std::span<const Expr> angles);

}  // namespace bondgraph::mechanics3d
