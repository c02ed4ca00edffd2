// Joints that are sequences of turns about and slides along fixed axes.

#include "mechanics3d/joints.hpp"

#include "converters/frames.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

std::function<Vec3(const LawContext&)> axis_parameter(const char* name, double x, double y, double z) {
    return [=](const LawContext& k) { return unit_or(k, name, vec3(x, y, z)); };
}

const auto kAxisZ = axis_parameter("n", 0.0, 0.0, 1.0);
const auto kAxisX = axis_parameter("n", 1.0, 0.0, 0.0);

// In the plane: x along n_x, made perpendicular to n.
Vec3 plane_normal(const LawContext& k) { return unit_or(k, "n", vec3(0.0, 0.0, 1.0)); }
Mat3 plane_axes(const LawContext& k) {
    const Vec3 n = plane_normal(k);
    const Vec3 given = vector_or(k, "n_x", vec3(1.0, 0.0, 0.0));
    // rows: x, normal, …: the y-axis of the plane is n × x
    const Mat3 about = from_two_axes(n, given);
    Mat3 axes;
    axes.row(0) = about.row(1);
    axes.row(1) = about.row(2);
    axes.row(2) = about.row(0);
    return axes;
}

std::vector<Step> revolute_steps() { return {turn_about(0, kAxisZ, "phi", "w", "offset")}; }
std::vector<Step> prismatic_steps() { return {slide_along(0, kAxisX, "s", "v", "offset")}; }
std::vector<Step> cylindrical_steps() { return {slide_along(0, kAxisX, "s", "v"), turn_about(1, kAxisX, "phi", "w")}; }
std::vector<Step> universal_steps() {
    return {turn_about(0, axis_parameter("n_a", 1.0, 0.0, 0.0), "phi_a", "w_a"),
            turn_about(1, axis_parameter("n_b", 0.0, 1.0, 0.0), "phi_b", "w_b")};
}
std::vector<Step> planar_steps() {
    const auto x = [](const LawContext& k) { return Vec3(plane_axes(k).row(0).transpose()); };
    const auto y = [](const LawContext& k) { return Vec3(plane_axes(k).row(1).transpose()); };
    return {slide_along(0, x, "s_x", "v_x"), slide_along(1, y, "s_y", "v_y"), turn_about(2, plane_normal, "phi", "w")};
}

const JointTable kTurning{{{"phi", "w", "a", "axis"}}, revolute_steps};
const JointTable kSliding{{{"s", "v", "a", "axis", false}}, prismatic_steps};
const JointTable kTurningAndSliding{{{"s", "v", "a", "axis_s", false}, {"phi", "w", "wd", "axis_phi"}},
                                    cylindrical_steps};
const JointTable kTwoTurns{{{"phi_a", "w_a", "a_a", "axis_a"}, {"phi_b", "w_b", "a_b", "axis_b"}}, universal_steps};
const JointTable kInPlane{
    {{"s_x", "v_x", "a_x", "axis_x", false}, {"s_y", "v_y", "a_y", "axis_y", false}, {"phi", "w", "wd", "axis_phi"}},
    planar_steps};

template <const JointTable& joint>
void build(PartsBuilder& b) {
    build_joint(b, joint);
}
template <const JointTable& joint>
void law(LawContext& k) {
    joint_law(k, joint);
}

ComponentType joint_type(std::string_view name, const JointTable& joint, void (*builder)(PartsBuilder&),
                         void (*laws)(LawContext&)) {
    ComponentType type;
    type.name = name;
    type.structure = Structure::border;
    type.ports = joint_ports(joint.freedoms);
    type.states = joint_states(joint.freedoms);
    type.causality = coordinate_causality;
    type.law = laws;
    type.source = kMultibondLibrary;
    type.connectors = joint_frames();
    type.paths = {{0, 1, {}}};
    type.free_rates = true;
    type.build = builder;
    type.shapes = joint_shape;
    return type;
}

template <const JointTable& joint>
ComponentType joint_type(std::string_view name) {
    return joint_type(name, joint, build<joint>, law<joint>);
}

}  // namespace

Step turn_about(std::size_t coordinates, std::function<Vec3(const LawContext&)> axis, const char* position,
                const char* rate, const char* offset) {
    Step step{.kind = Step::Kind::rotate};
    step.P = [=](const LawContext& k) {
        const Expr angle = k.slot(position)(0);
        return planar_rotation(axis(k), offset == nullptr ? angle : angle + scalar_or(k, offset, 0.0));
    };
    step.w = [=](const LawContext& k) { return scaled(k.slot(rate)(0), axis(k)); };
    step.moved = {{.coordinates = coordinates, .H = [axis](const LawContext& k) { return ExprMatrix(axis(k)); }}};
    return step;
}

Step slide_along(std::size_t coordinates, std::function<Vec3(const LawContext&)> axis, const char* position,
                 const char* rate, const char* offset) {
    Step step{.kind = Step::Kind::translate};
    step.d = [=](const LawContext& k) {
        const Expr distance = k.slot(position)(0);
        return scaled(offset == nullptr ? distance : distance + scalar_or(k, offset, 0.0), axis(k));
    };
    step.dd = [=](const LawContext& k) { return scaled(k.slot(rate)(0), axis(k)); };
    step.moved = {{.coordinates = coordinates, .H = [axis](const LawContext& k) { return ExprMatrix(axis(k)); }}};
    return step;
}

std::vector<ConnectorSpec> joint_frames() {
    return {{"frame_a", &converters::kFrame, "the side the coordinates are counted from"},
            {"frame_b", &converters::kFrame, "the side that moves", PortDirection::out}};
}

std::vector<StateSpec> joint_states(const std::vector<Freedom>& freedoms) {
    std::vector<StateSpec> states;
    for (const Freedom& f : freedoms) {
        states.push_back({f.position, f.rotation ? "angle" : "distance", {}, "", f.rotation ? "rad" : "m"});
        states.push_back({f.rate, f.rotation ? "angular velocity" : "velocity", {}, "", f.rotation ? "rad/s" : "m/s"});
        states.push_back(
            {f.acceleration, "acceleration; follows from the states", {}, "", f.rotation ? "rad/s2" : "m/s2"});
    }
    return states;
}

std::vector<PortSpec> joint_ports(const std::vector<Freedom>& freedoms) {
    std::vector<PortSpec> ports;
    const auto add = [&](const char* name, std::string_view doc, bool rotation) {
        ports.push_back({.name = name,
                         .doc = doc,
                         .domain = rotation ? "rotational" : "translational",
                         .connector = rotation ? &converters::kFlange : &converters::kTranslationalFlange});
    };
    for (const Freedom& f : freedoms) add(f.axis, "drives the coordinate, against frame_a", f.rotation);
    if (freedoms.size() == 1) add("support", "stands still", freedoms[0].rotation);
    return ports;
}

std::vector<Coordinates> declare_freedoms(PartsBuilder& b, const std::vector<Freedom>& freedoms) {
    for (const Freedom& f : freedoms) b.state(f.rate, 1, f.rotation ? "rad/s" : "m/s");
    for (const Freedom& f : freedoms) b.state(f.position, 1, f.rotation ? "" : "m");
    for (const Freedom& f : freedoms) b.variable(f.acceleration, 1, f.rotation ? "rad/s2" : "m/s2");
    std::vector<Coordinates> coordinates;
    for (const Freedom& f : freedoms) coordinates.push_back({f.axis, 1, f.rotation ? "rotational" : "translational"});
    return coordinates;
}

void add_support_and_locks(PartsBuilder& b, const std::vector<Coordinates>& coordinates,
                           const std::vector<PartEnd>& rates) {
    if (coordinates.size() == 1) {
        const auto zero = [](const LawContext&) { return ExprMatrix(ExprMatrix::Zero(1, 1)); };
        b.bond(b.add("ground", b.type("Sf"), {{"f", zero}}), b.junction1("support", 1, coordinates[0].domain));
    }
    add_locks(b, coordinates, rates);
}

void add_locks(PartsBuilder& b, const std::vector<Coordinates>& coordinates, const std::vector<PartEnd>& rates) {
    if (!b.has("locked")) return;
    const auto lock = [&](const PartEnd& rate) {
        const PartEnd part = b.add(b.unique("lock"), b.type("Lock"));
        b.hand_on(part, "locked");
        b.bond(rate, part);
    };
    for (std::size_t k = 0; k < rates.size(); ++k) {
        if (coordinates[k].size == 1) {
            lock(rates[k]);
            continue;
        }
        const PartEnd split = b.add(b.unique("split"), b.type("Decompose"));
        b.bond(rates[k], PartsBuilder::port(split, "p"));
        constexpr std::array<std::string_view, 3> kScalars{"p1", "p2", "p3"};
        for (std::size_t c = 0; c < coordinates[k].size; ++c) lock(PartsBuilder::port(split, kScalars[c]));
    }
}

void freedom_law(LawContext& k, const std::vector<Freedom>& freedoms) {
    for (std::size_t p = 0; p < freedoms.size(); ++p) {
        const Freedom& f = freedoms[p];
        coordinate_law(k, p, f.rate);
        k.equations(k.derivative(f.position), k.slot(f.rate));
        k.equations(k.slot(f.acceleration), k.derivative(f.rate));
    }
}

void build_joint(PartsBuilder& b, const JointTable& joint) {
    const std::vector<Coordinates> coordinates = declare_freedoms(b, joint.freedoms);
    ChainBuilder chain(b);
    chain.coordinates(coordinates);
    for (const Step& s : joint.steps()) chain.step(s);
    chain.end_at("frame_b");
    std::vector<PartEnd> rates;
    for (std::size_t k = 0; k < coordinates.size(); ++k) rates.push_back(chain.rates(k));
    add_support_and_locks(b, coordinates, rates);
}

void joint_law(LawContext& k, const JointTable& joint) {
    freedom_law(k, joint.freedoms);
    chain_law(k, joint.steps());
}

const ComponentType kRevolute = [] {
    ComponentType t = joint_type<kTurning>("Revolute");
    t.summary = "Revolute joint: frame_b turns against frame_a by phi about the axis n.";
    t.law_text = "x_b = x_a, R_b = R(n, phi + offset) R_a;  w_b = R(n, phi) w_a + n dphi/dt;  n . t_b = -axis.e";
    t.example = "hinge: {type: Revolute, n: [0, 0, 1], initial: {phi: 30 deg, w: 0}}";
    t.parameters = {direction("n", "axis of rotation, the same in both frames; [0, 0, 1] by default"),
                    number("offset", "angle at phi = 0", "rad", 0.0), locked()};
    t.paths = {{0, 1, {"x"}}};
    t.check = [](const LawContext& k, Diagnostics& d) { check_direction(k, "n", d); };
    return t;
}();

const ComponentType kPrismatic = [] {
    ComponentType t = joint_type<kSliding>("Prismatic");
    t.summary = "Prismatic joint: frame_b slides against frame_a by s along the axis n.";
    t.law_text = "x_b = x_a + R_a^T n (s + offset), R_b = R_a;  v_b = v_a + R_a^T (w x n s + n ds/dt)";
    t.example = "slider: {type: Prismatic, n: [1, 0, 0], initial: {s: 0.1 m, v: 0}}";
    t.parameters = {direction("n", "axis of sliding, the same in both frames; [1, 0, 0] by default"),
                    number("offset", "distance at s = 0", "m", 0.0), locked()};
    t.paths = {{0, 1, {"R"}}};
    t.check = [](const LawContext& k, Diagnostics& d) { check_direction(k, "n", d); };
    return t;
}();

const ComponentType kCylindrical = [] {
    ComponentType t = joint_type<kTurningAndSliding>("Cylindrical");
    t.summary = "Cylindrical joint: frame_b slides by s along the axis n and turns by phi about it.";
    t.law_text = "x_b = x_a + R_a^T n s, R_b = R(n, phi) R_a";
    t.example = "sleeve: {type: Cylindrical, n: [1, 0, 0], initial: {s: 0, v: 0, phi: 0, w: 1 rad/s}}";
    t.parameters = {direction("n", "axis, the same in both frames; [1, 0, 0] by default"), locked()};
    t.check = [](const LawContext& k, Diagnostics& d) { check_direction(k, "n", d); };
    return t;
}();

const ComponentType kUniversal = [] {
    ComponentType t = joint_type<kTwoTurns>("Universal");
    t.summary = "Universal joint: a turn by phi_a about n_a, then one by phi_b about n_b of the frame between.";
    t.law_text = "x_b = x_a, R_b = R(n_b, phi_b) R(n_a, phi_a) R_a";
    t.example = "cross: {type: Universal, n_a: [1, 0, 0], n_b: [0, 1, 0]}";
    t.parameters = {direction("n_a", "first axis, in frame_a; [1, 0, 0] by default"),
                    direction("n_b", "second axis, in the turned frame; [0, 1, 0] by default"), locked()};
    t.paths = {{0, 1, {"x"}}};
    t.check = [](const LawContext& k, Diagnostics& d) {
        check_direction(k, "n_a", d);
        check_direction(k, "n_b", d);
        check_not_parallel(k, "n_a", vec3(1.0, 0.0, 0.0), "n_b", vec3(0.0, 1.0, 0.0),
                           "both turns are about one axis: nothing tells phi_a from phi_b", d);
    };
    return t;
}();

const ComponentType kPlanar = [] {
    ComponentType t = joint_type<kInPlane>("Planar");
    t.summary = "Planar joint: frame_b moves by s_x and s_y in the plane perpendicular to n and turns by phi about n.";
    t.law_text = "x_b = x_a + R_a^T (e_x s_x + e_y s_y), R_b = R(n, phi) R_a, with e_y = n x e_x";
    t.example = "table: {type: Planar, n: [0, 0, 1], initial: {s_x: 0, v_x: 1 m/s}}";
    t.parameters = {direction("n", "normal of the plane, in frame_a; [0, 0, 1] by default"),
                    direction("n_x", "direction of s_x, in frame_a: its part in the plane; [1, 0, 0] by default"),
                    locked()};
    t.check = [](const LawContext& k, Diagnostics& d) {
        check_direction(k, "n", d);
        check_direction(k, "n_x", d);
        check_not_parallel(k, "n", vec3(0.0, 0.0, 1.0), "n_x", vec3(1.0, 0.0, 0.0), "n_x has no part in the plane", d);
        check_perpendicular(k, "n_x", "n", vec3(0.0, 0.0, 1.0), d);
    };
    return t;
}();

}  // namespace bondgraph::mechanics3d
