// Sensors: signals from frames. They put no force on what they measure.

#include "converters/frames.hpp"
#include "mechanics3d/chain.hpp"
#include "mechanics3d/line.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

// A one-port without effort, through which a flow is read.
void detect(PartsBuilder& b, const char* connector, const char* bond) {
    b.attach(connector, bond, b.add(std::string(connector) + "_" + bond, b.type("Df")));
}

Vec3 flow_at(const LawContext& k, const char* connector, const char* bond) {
    return Vec3(k.part(std::string(connector) + "_" + bond).flow(0));
}

Vec3 angles_of(const Mat3& R, const LawContext&) {
    // Successive turns about x, y, z: R = Rz Ry Rx.
    return vec3(expression::atan2(-R(2, 1), R(2, 2)), expression::apply(expression::Op::asin, R(2, 0)),
                expression::atan2(-R(1, 0), R(0, 0)));
}

constexpr std::uint32_t kSpace = 3;

void position(PartsBuilder& b) { b.variable("y", kSpace, "m"); }
void velocity(PartsBuilder& b) { b.variable("y", kSpace, "m/s"); }
void angular_velocity(PartsBuilder& b) { b.variable("y", kSpace, "rad/s"); }
void angles(PartsBuilder& b) { b.variable("y", kSpace, "rad"); }
void distance(PartsBuilder& b) { b.variable("y", 1, "m"); }

ComponentType sensor(std::string_view name, std::string_view example, std::string_view summary,
                     std::string_view law_text, int frames, void (*builder)(PartsBuilder&), void (*law)(LawContext&)) {
    ComponentType t;
    t.name = name;
    t.structure = Structure::block;
    t.summary = summary;
    t.law_text = law_text;
    t.example = example;
    t.law = law;
    t.source = kMultibondLibrary;
    t.connectors = {{"frame_a", &converters::kFrame, "measured"}};
    if (frames == 2) t.connectors.push_back({"frame_b", &converters::kFrame, "measured", PortDirection::out});
    t.build = builder;
    return t;
}

Vec3 relative_position(const LawContext& k) {
    const Pose a = pose_of(k, "frame_a");
    return a.R * Vec3(pose_of(k, "frame_b").x - a.x);
}

}  // namespace

const ComponentType kAbsolutePosition =
    sensor("AbsolutePosition", "sensor: {type: AbsolutePosition}", "Position of a frame in world coordinates.", "y = x",
           1, position, [](LawContext& k) { k.equations(k.slot("y"), pose_of(k, "frame_a").x); });

const ComponentType kAbsoluteVelocity = sensor(
    "AbsoluteVelocity", "sensor: {type: AbsoluteVelocity}", "Velocity of a frame's origin in world coordinates.",
    "y = v", 1,
    [](PartsBuilder& b) {
        velocity(b);
        detect(b, "frame_a", "trans");
    },
    [](LawContext& k) { k.equations(k.slot("y"), flow_at(k, "frame_a", "trans")); });

const ComponentType kAbsoluteAngularVelocity = sensor(
    "AbsoluteAngularVelocity", "sensor: {type: AbsoluteAngularVelocity}",
    "Angular velocity of a frame, resolved in it.", "y = w", 1,
    [](PartsBuilder& b) {
        angular_velocity(b);
        detect(b, "frame_a", "rot");
    },
    [](LawContext& k) { k.equations(k.slot("y"), flow_at(k, "frame_a", "rot")); });

const ComponentType kAbsoluteAngles = sensor(
    "AbsoluteAngles", "sensor: {type: AbsoluteAngles}",
    "Angles of a frame: successive turns about its x-, y- and z-axis, from the world.", "R = Rz(y3) Ry(y2) Rx(y1)", 1,
    angles, [](LawContext& k) { k.equations(k.slot("y"), angles_of(pose_of(k, "frame_a").R, k)); });

const ComponentType kRelativePosition = sensor(
    "RelativePosition", "sensor: {type: RelativePosition}", "Position of frame_b against frame_a, resolved in frame_a.",
    "y = R_a (x_b - x_a)", 2, position, [](LawContext& k) { k.equations(k.slot("y"), relative_position(k)); });

const ComponentType kRelativeVelocity = sensor(
    "RelativeVelocity", "sensor: {type: RelativeVelocity}", "Rate of the relative position, in frame_a.",
    "y = R_a (v_b - v_a) - w_a x R_a (x_b - x_a)", 2,
    [](PartsBuilder& b) {
        velocity(b);
        detect(b, "frame_a", "trans");
        detect(b, "frame_b", "trans");
        detect(b, "frame_a", "rot");
    },
    [](LawContext& k) {
        const Vec3 v = flow_at(k, "frame_b", "trans") - flow_at(k, "frame_a", "trans");
        const Vec3 seen = pose_of(k, "frame_a").R * v;
        k.equations(k.slot("y"), seen - cross(flow_at(k, "frame_a", "rot"), relative_position(k)));
    });

const ComponentType kRelativeAngularVelocity = sensor(
    "RelativeAngularVelocity", "sensor: {type: RelativeAngularVelocity}",
    "Angular velocity of frame_b against frame_a, resolved in frame_a.", "y = R_a R_b^T w_b - w_a", 2,
    [](PartsBuilder& b) {
        angular_velocity(b);
        detect(b, "frame_a", "rot");
        detect(b, "frame_b", "rot");
    },
    [](LawContext& k) {
        const Vec3 in_world = pose_of(k, "frame_b").R.transpose() * flow_at(k, "frame_b", "rot");
        k.equations(k.slot("y"), pose_of(k, "frame_a").R * in_world - flow_at(k, "frame_a", "rot"));
    });

const ComponentType kRelativeAngles = sensor("RelativeAngles", "sensor: {type: RelativeAngles}",
                                             "Angles of frame_b against frame_a: successive turns about x, y and z.",
                                             "R_b R_a^T = Rz(y3) Ry(y2) Rx(y1)", 2, angles, [](LawContext& k) {
                                                 const Mat3 R =
                                                     pose_of(k, "frame_b").R * pose_of(k, "frame_a").R.transpose();
                                                 k.equations(k.slot("y"), angles_of(R, k));
                                             });

const ComponentType kDistance =
    sensor("Distance", "sensor: {type: Distance}", "Distance between the origins of two frames.", "y = |x_b - x_a|", 2,
           distance, [](LawContext& k) { k.equation(k.slot("y")(0), line_of(k).length); });

namespace {

// Joins two frames rigidly; what passes through is measured.
void build_cut(PartsBuilder& b) {
    b.variable("f", 3, "N");
    b.variable("t", 3, "N.m");
    b.variable("power", 1, "W");
    const PartEnd velocity = b.junction1("v", 3, "translational");
    const PartEnd turning = b.junction1("w", 3, "rotational");
    b.attach("frame_a", "trans", velocity);
    b.attach("frame_a", "rot", turning);
    const PartEnd after_v = b.junction1("v_b", 3, "translational");
    const PartEnd after_w = b.junction1("w_b", 3, "rotational");
    const auto unity = [](const LawContext&) { return ExprMatrix(ExprMatrix::Identity(1, 1)); };
    const PartEnd trans = b.add("trans", b.type("TF"), {{"m", unity}});
    const PartEnd rot = b.add("rot", b.type("TF"), {{"m", unity}});
    b.bond(velocity, PartsBuilder::port(trans, "p1"));
    b.bond(PartsBuilder::port(trans, "p2"), after_v);
    b.bond(turning, PartsBuilder::port(rot, "p1"));
    b.bond(PartsBuilder::port(rot, "p2"), after_w);
    b.attach("frame_b", "trans", after_v);
    b.attach("frame_b", "rot", after_w);
}

void cut_forces_law(LawContext& k) {
    const LawContext trans = k.part("trans");
    const LawContext rot = k.part("rot");
    k.equations(k.slot("f"), trans.effort(0));
    k.equations(k.slot("t"), rot.effort(0));
    k.equation(k.slot("power")(0),
               dot(Vec3(trans.effort(0)), Vec3(trans.flow(0))) + dot(Vec3(rot.effort(0)), Vec3(rot.flow(0))));
}

}  // namespace

const ComponentType kCutForceAndTorque = [] {
    ComponentType t = sensor("CutForceAndTorque", "sensor: {type: CutForceAndTorque}",
                             "Joins two frames rigidly and measures what passes: force f (world), torque t (frame) and "
                             "power from frame_a to frame_b.",
                             "x, R, v, w equal;  f, t act on the side of frame_b", 2, build_cut, cut_forces_law);
    t.paths = {{0, 1, {"x", "R"}}};
    return t;
}();

}  // namespace bondgraph::mechanics3d
