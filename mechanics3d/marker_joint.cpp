// A revolute joint as a constraint between two markers, frames with a constant rotation each, with results in the axes
// of the joint.

#include <fmt/format.h>

#include <Eigen/LU>
#include <cmath>

#include "converters/frames.hpp"
#include "mechanics3d/chain.hpp"
#include "mechanics3d/hold.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/two_ports.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;
using expression::ExprVector;

namespace {

const Vec3 kMarkerAxis = vec3(0.0, 0.0, 1.0);

/// From a marker's axes into those of the joint there; the parameter has the joint's axes as columns.
Mat3 into_joint(const LawContext& k, const char* rotation) {
    return k.has(rotation) ? Mat3(k.matrix(rotation, 3, 3).transpose()) : identity();
}
Mat3 joint_0(const LawContext& k) { return into_joint(k, "rotation0") * pose_of(k, "frame_a").R; }
Mat3 joint_1(const LawContext& k) { return into_joint(k, "rotation1") * pose_of(k, "frame_b").R; }
/// Rows: the axes of J1, in J0.
Mat3 turned(const LawContext& k) { return joint_1(k) * joint_0(k).transpose(); }

Vec3 displacement(const LawContext& k) { return joint_0(k) * Vec3(pose_of(k, "frame_b").x - pose_of(k, "frame_a").x); }
/// Where the x- and y-axis of J1 may not turn to: out of the plane across the z-axis of J0.
ExprMatrix axes_of_torques(const LawContext& k) {
    const Mat3 S = turned(k);
    return rows({cross(Vec3(S.row(0).transpose()), kMarkerAxis), cross(Vec3(S.row(1).transpose()), kMarkerAxis)});
}

Step into(const char* rotation) {
    return {.kind = Step::Kind::rotate, .P = [=](const LawContext& k) { return into_joint(k, rotation); }};
}

// Names of the junctions behind the constant rotations.
constexpr const char* kV0 = "v1";
constexpr const char* kV1 = "far_v1";
constexpr const char* kW0 = "w1";
constexpr const char* kW1 = "far_w1";

PartEnd between(PartsBuilder& b, const char* name, std::string_view domain, const PartEnd& near, const PartEnd& far) {
    const PartEnd relative = b.junction0(name, 3, domain);
    b.bond(far, relative);
    b.bond(relative, near);
    return relative;
}

void build_marker_joint(PartsBuilder& b) {
    b.state("turn", 1, "");
    for (const auto& [name, unit] : {std::pair("position", "m"),
                                     {"velocity", "m/s"},
                                     {"displacement_local", "m"},
                                     {"velocity_local", "m/s"},
                                     {"rotation", "rad"},
                                     {"angular_velocity_local", "rad/s"},
                                     {"force_local", "N"},
                                     {"torque_local", "N.m"}})
        b.variable(name, 3, unit);
    ChainBuilder near(b);
    ChainBuilder far = near.from("frame_b", "far_");
    near.step(into("rotation0"));
    far.step(into("rotation1"));
    const PartEnd v0 = near.velocity(), v1 = far.velocity();
    const PartEnd w0 = near.angular_velocity(), w1 = far.angular_velocity();
    const std::string active = b.word("active", "true");
    if (active == "false") return;
    const auto into_0 = [](const LawContext& k) { return ExprMatrix(turned(k).transpose()); };
    const PartEnd turn = b.add(
        "turn_b", kTurn, {{"P", into_0}, {"w", [=](const LawContext& k) {
                                              return ExprMatrix(k.part(kW0).flow(0) - into_0(k) * k.part(kW1).flow(0));
                                          }}});
    b.direct(turn, true);
    b.bond(w1, PartsBuilder::port(turn, "p1"));
    const PartEnd moving = between(b, "v_rel", "translational", v0, v1);
    const PartEnd turning = between(b, "w_rel", "rotational", w0, PartsBuilder::port(turn, "p2"));
    const auto axes = [](const LawContext& k) { return ExprMatrix(joint_0(k)); };
    const auto add = [&](const PartEnd& relative, const char* name, std::string_view domain, std::size_t count,
                         const auto& map, std::vector<PartParameter> conditions) {
        if (active != "true")
            conditions.push_back(
                {"active", [](const LawContext& k) { return k.element().parameter("active")->value; }});
        add_hold(b, relative, name, domain, count, map, std::move(conditions));
    };
    add(moving, "force", "translational", 3, axes,
        {{"position", [](const LawContext& k) { return ExprMatrix(displacement(k)); }}});
    const auto out_of_plane = [](const LawContext& k) { return column({turned(k)(0, 2), turned(k)(1, 2)}); };
    add(turning, "torque", "rotational", 2, axes_of_torques,
        {{"position", out_of_plane}, {"upright", [](const LawContext& k) { return column({turned(k)(2, 2)}); }}});
}

/// Turns about x, y and z one after the other that lead from J0 to J1; whole turns about z are counted by `turn`.
Vec3 angles(const LawContext& k) {
    const Mat3 S = turned(k);
    const Expr z = expression::atan2(-S(1, 0), S(0, 0));
    const Expr whole = Expr(2.0 * 3.14159265358979323846);
    const Expr turns =
        apply(expression::Op::no_event, apply(expression::Op::floor, (k.slot("turn")(0) - z) / whole + Expr(0.5)));
    return vec3(expression::atan2(-S(2, 1), S(2, 2)), expression::apply(expression::Op::asin, S(2, 0)),
                z + whole * turns);
}

/// Of what holds the joint together, 0 where nothing does.
ExprVector efforts(const LawContext& k, const std::string& name, Eigen::Index count) {
    const Quantity* active = k.element().parameter("active");
    return active != nullptr && active->value(0, 0).is_constant(0.0) ? ExprVector(ExprVector::Zero(count))
                                                                     : k.part(name).effort(0);
}

void marker_law(LawContext& k) {
    const Mat3 R0 = joint_0(k);
    const Vec3 v0 = k.part(kV0).flow(0);
    const Vec3 velocity = R0 * Vec3(Vec3(k.part(kV1).flow(0)) - v0);
    const Vec3 w = Vec3(turned(k).transpose() * Vec3(k.part(kW1).flow(0))) - Vec3(k.part(kW0).flow(0));
    k.equation(k.derivative("turn")(0), w(2));
    k.equations(k.slot("position"), pose_of(k, "frame_a").x);
    k.equations(k.slot("velocity"), v0);
    k.equations(k.slot("displacement_local"), displacement(k));
    k.equations(k.slot("velocity_local"), velocity);
    k.equations(k.slot("rotation"), angles(k));
    k.equations(k.slot("angular_velocity_local"), w);
    k.equations(k.slot("force_local"), efforts(k, "force", 3));
    k.equations(k.slot("torque_local"), axes_of_torques(k).transpose() * efforts(k, "torque", 2));
}

/// Reports a matrix of known numbers that is no rotation.
void check_rotation(const LawContext& k, const char* parameter, Diagnostics& d) {
    constexpr double kRounded = 1e-6;  // of numbers as people write them
    if (!k.has(parameter)) return;
    const ExprMatrix& R = k.element().parameter(parameter)->value;
    const auto wrong = [&](std::string_view why) {
        d.error("BG-M013", place_of(k, parameter),
                fmt::format("'{}' of '{}' is no rotation", parameter, k.element().name),
                {{"because", std::string(why)},
                 {"try", "give the axes of the joint as columns: [[0, 0, 1], [1, 0, 0], [0, 1, 0]], say"}});
    };
    if (R.rows() != 3 || R.cols() != 3) return wrong("it is no matrix of three rows and columns");
    Eigen::Matrix3d m;
    for (Eigen::Index i = 0; i < 9; ++i) {
        if (!R.data()[i].is_constant()) return;
        m.data()[i] = R.data()[i].constant();
    }
    if (!(m.transpose() * m - Eigen::Matrix3d::Identity()).isZero(kRounded))
        return wrong("its columns aren't perpendicular to each other and of length 1");
    if (m.determinant() < 0.0) wrong("it is mirrored: its third column points against the cross product of the others");
}

ParameterSpec rotation(std::string_view name, std::string_view doc) {
    return {.name = name, .doc = doc, .shape = Shape::matrix, .unit = "1", .required = false};
}

}  // namespace

const ComponentType kJointRevoluteZ = [] {
    ComponentType t;
    t.name = "JointRevoluteZ";
    t.structure = Structure::border;
    t.law = marker_law;
    t.build = build_marker_joint;
    t.source = "Exudyn, ObjectJointRevoluteZ";
    t.summary =
        "A revolute joint as a constraint between two markers: their origins are one point, and the z-axes of the "
        "joint frames J0 and J1, each with a constant rotation against its marker, are one axis. It has results in J0.";
    t.law_text = "x_b = x_a, z0 . x1 = z0 . y1 = 0: 5 conditions; not active: none, and no force";
    t.example =
        "hinge: {type: JointRevoluteZ, rotation0: [[0, 0, 1], [1, 0, 0], [0, 1, 0]], rotation1: [[0, 0, 1], [1, 0, 0], "
        "[0, 1, 0]]}";
    t.parameters = {
        rotation("rotation0", "columns: axes of J0, in frame_a; no rotation by default"),
        rotation("rotation1", "columns: axes of J1, in frame_b; no rotation by default"),
        {.name = "active",
         .doc = "whether the joint is there: true (by default), false, or a condition that lets it go during the run",
         .shape = Shape::scalar,
         .required = false,
         .condition = true}};
    t.states = {
        {"turn", "angle about z0 since the start", {}, "", "rad"},
        {"position", "result: of marker 0, in the world", {}, "", "m"},
        {"velocity", "result: of marker 0, in the world", {}, "", "m/s"},
        {"displacement_local", "result: from marker 0 to marker 1, in J0; 0 while the joint is there", {}, "", "m"},
        {"velocity_local", "result: velocity of marker 1 less that of marker 0, in J0", {}, "", "m/s"},
        {"rotation",
         "result: turns about x, y and z one after the other from J0 to J1; that about z counts on past a turn",
         {},
         "",
         "rad"},
        {"angular_velocity_local", "result: of J1 against J0, in J0", {}, "", "rad/s"},
        {"force_local", "result: force of the joint on what frame_a is connected to, in J0", {}, "", "N"},
        {"torque_local", "result: torque of the joint on it, in J0; nothing about z", {}, "", "N.m"}};
    t.connectors = {{"frame_a", &converters::kFrame, "marker 0, whose axes results are in"},
                    {"frame_b", &converters::kFrame, "marker 1", PortDirection::out}};
    t.check = [](const LawContext& k, Diagnostics& d) {
        check_rotation(k, "rotation0", d);
        check_rotation(k, "rotation1", d);
    };
    t.shapes = [](const LawContext& k) {
        const Vec3 axis = into_joint(k, "rotation0").row(2).transpose();
        return std::vector<Shape3D>{nominal(shape_about(k, "cylinder", "frame_a", axis, 4.0 * kShapeSize, kShapeSize))};
    };
    return t;
}();

}  // namespace bondgraph::mechanics3d
