#include "mechanics3d/orientation.hpp"

#include <cmath>

namespace bondgraph::mechanics3d {

Vec3 vec3(Expr x, Expr y, Expr z) {
    Vec3 v;
    v << x, y, z;
    return v;
}

Mat3 identity() { return Mat3::Identity(); }

Vec3 cross(const Vec3& a, const Vec3& b) {
    return vec3(a(1) * b(2) - a(2) * b(1), a(2) * b(0) - a(0) * b(2), a(0) * b(1) - a(1) * b(0));
}

Expr dot(const Vec3& a, const Vec3& b) { return a(0) * b(0) + a(1) * b(1) + a(2) * b(2); }

Mat3 skew(const Vec3& a) {
    Mat3 m;
    m << 0.0, -a(2), a(1), a(2), 0.0, -a(0), -a(1), a(0), 0.0;
    return m;
}

Vec3 scaled(Expr factor, const Vec3& a) { return vec3(factor * a(0), factor * a(1), factor * a(2)); }

std::array<Vec3, 2> across(const Vec3& n) {
    int least = 0;  // the axis that n has least of
    for (int i = 1; i < 3; ++i) {
        if (n(i).is_constant() && n(least).is_constant() && std::abs(n(i).constant()) < std::abs(n(least).constant()))
            least = i;
    }
    const Mat3 axes = from_two_axes(n, vec3(least == 0 ? 1.0 : 0.0, least == 1 ? 1.0 : 0.0, least == 2 ? 1.0 : 0.0));
    return {Vec3(axes.row(1).transpose()), Vec3(axes.row(2).transpose())};
}

Mat3 planar_rotation(const Vec3& e, Expr angle) {
    const Expr c = expression::apply(expression::Op::cos, angle);
    const Expr s = expression::apply(expression::Op::sin, angle);
    const Mat3 across = skew(e);
    Mat3 m;
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            const Expr along = e(i) * e(j);
            m(i, j) = along + (Expr(i == j ? 1.0 : 0.0) - along) * c - across(i, j) * s;
        }
    }
    return m;
}

namespace {

Vec3 unit(int axis) { return vec3(axis == 1 ? 1.0 : 0.0, axis == 2 ? 1.0 : 0.0, axis == 3 ? 1.0 : 0.0); }

// First a, then b about a's own axes; both of the form (vector part, scalar part).
Vec4 product(const Vec4& a, const Vec4& b) {
    const Vec3 av = a.head<3>();
    const Vec3 bv = b.head<3>();
    const Vec3 across = cross(av, bv);
    Vec4 q;
    for (int i = 0; i < 3; ++i) q(i) = a(3) * bv(i) + b(3) * av(i) + across(i);
    q(3) = a(3) * b(3) - dot(av, bv);
    return q;
}

}  // namespace

Mat3 axis_rotation(int axis, Expr angle) { return planar_rotation(unit(axis), angle); }

Mat3 sequence_rotation(std::span<const int> axes, std::span<const Expr> angles) {
    Mat3 m = identity();
    for (std::size_t k = 0; k < axes.size(); ++k) m = axis_rotation(axes[k], angles[k]) * m;
    return m;
}

Mat3 from_two_axes(const Vec3& n_x, const Vec3& n_y) {
    const Vec3 x = scaled(Expr(1.0) / expression::sqrt(dot(n_x, n_x)), n_x);
    const Vec3 across = cross(x, n_y);
    const Vec3 z = scaled(Expr(1.0) / expression::sqrt(dot(across, across)), across);
    Mat3 m;
    m.row(0) = x.transpose();
    m.row(1) = cross(z, x).transpose();
    m.row(2) = z.transpose();
    return m;
}

Mat3 quaternion_rotation(const Vec4& q) {
    const Expr s = Expr(2.0) / (q(0) * q(0) + q(1) * q(1) + q(2) * q(2) + q(3) * q(3));
    const Vec3 v = q.head<3>();
    const Vec3 sv = scaled(s, v);
    const Vec3 sw = scaled(q(3), sv);
    Mat3 m;
    const Expr xx = sv(0) * v(0);
    const Expr yy = sv(1) * v(1);
    const Expr zz = sv(2) * v(2);
    const Expr xy = sv(0) * v(1);
    const Expr xz = sv(0) * v(2);
    const Expr yz = sv(1) * v(2);
    m << Expr(1.0) - (yy + zz), xy + sw(2), xz - sw(1),  //
        xy - sw(2), Expr(1.0) - (xx + zz), yz + sw(0),   //
        xz + sw(1), yz - sw(0), Expr(1.0) - (xx + yy);
    return m;
}

Vec4 quaternion_rate(const Vec4& q, const Vec3& w, double rate) {
    const Vec3 v = q.head<3>();
    const Expr restore = Expr(rate) * (Expr(1.0) - (q(0) * q(0) + q(1) * q(1) + q(2) * q(2) + q(3) * q(3)));
    const Vec3 h = scaled(0.5, w);
    const Vec3 across = cross(v, h);
    Vec4 d;
    for (int i = 0; i < 3; ++i) d(i) = q(3) * h(i) + across(i) + restore * q(i);
    d(3) = restore * q(3) - dot(v, h);
    return d;
}

Vec4 sequence_quaternion(std::span<const int> axes, std::span<const Expr> angles) {
    Vec4 q;
    q << 0.0, 0.0, 0.0, 1.0;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        const Expr half = Expr(0.5) * angles[k];
        Vec4 turn;
        turn << 0.0, 0.0, 0.0, expression::apply(expression::Op::cos, half);
        turn(axes[k] - 1) = expression::apply(expression::Op::sin, half);
        q = product(q, turn);
    }
    return q;
}

}  // namespace bondgraph::mechanics3d
