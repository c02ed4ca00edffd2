// Bodies that roll on a plane without slipping. The point of contact is at rest, so that the velocity of the centre
// follows from the angular velocity by a lever from there; only positions along the plane are states of their own.

#include "converters/frames.hpp"
#include "mechanics3d/bodies.hpp"
#include "mechanics3d/free_orientation.hpp"
#include "mechanics3d/joints.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/two_ports.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

constexpr const char* kWheelSource =
    "Neimark, Fufaev: Dynamics of Nonholonomic Systems, 1972; Zimmer, Cellier: The Modelica Multi-bond Graph Library, "
    "Modelica 2006";

const Vec3 kAlongX = vec3(1.0, 0.0, 0.0);
const Vec3 kAlongY = vec3(0.0, 1.0, 0.0);
const Vec3 kAlongZ = vec3(0.0, 0.0, 1.0);

/// Orientation of the plane: its rows are the directions of x and y and the normal, in the world.
Mat3 plane_of(const LawContext& k) {
    const Mat3 about = from_two_axes(vector_or(k, "n", kAlongY), vector_or(k, "n_x", kAlongX));
    Mat3 axes;
    axes.row(0) = about.row(1);
    axes.row(1) = about.row(2);
    axes.row(2) = about.row(0);
    return axes;
}

/// From the point of contact to the centre, in the body, and its rate there.
struct Arm {
    Vec3 r;
    Vec3 rate;
};

/// `normal`: that of the plane, in the body; `w`: the angular velocity of the body.
using ArmOf = Arm (*)(const LawContext& k, const Vec3& normal, const Vec3& w);

Vec3 across_axis(const Vec3& a) { return vec3(a(0), 0.0, a(2)); }

Arm wheel_arm(const LawContext& k, const Vec3& normal, const Vec3& w) {
    const Expr radius = k.scalar("radius");
    const Vec3 u = across_axis(normal);
    const Vec3 du = across_axis(cross(normal, w));
    const Expr length = expression::sqrt(dot(u, u));
    const Vec3 turned = scaled(Expr(1.0) / length, du) - scaled(dot(u, du) / (length * length * length), u);
    return {scaled(radius / length, u), scaled(radius, turned)};
}

Arm marble_arm(const LawContext& k, const Vec3& normal, const Vec3& w) {
    return {scaled(k.scalar("radius"), normal), scaled(k.scalar("radius"), cross(normal, w))};
}

Vec3 normal_in_body(const LawContext& k, const Mat3& R) { return R * Vec3(plane_of(k).row(2).transpose()); }

Vec3 angular_velocity(const LawContext& k) { return Vec3(k.part("w").flow(0)); }

template <ArmOf arm>
Arm arm_now(const LawContext& k) {
    return arm(k, normal_in_body(k, pose_of(k, "frame_a").R), angular_velocity(k));
}

/// Rates of the angles → angular velocity of the body.
ExprMatrix angle_map(const LawContext& k) {
    ExprMatrix H = ExprMatrix::Zero(3, 3);
    for (const Step& s : orientation_steps(true, 0)) H = s.P(k) * H + s.moved[0].H(k);
    return H;
}

// The states of orientation, whose rates are the coordinates.
void add_rotation(PartsBuilder& b, ChainBuilder& chain, const PartEnd& turning) {
    const bool angles = wants_angles(b);
    if (angles) {
        b.state("der_angles", 3, "rad/s");
        chain.coordinates({{"rates", 3, "rotational"}});
        const PartEnd map = b.add("map", b.type("TF"), {{"m", angle_map}});
        b.direct(map, true);
        b.bond(chain.rates(0), PartsBuilder::port(map, "p1"));
        b.bond(PartsBuilder::port(map, "p2"), turning);
    } else {
        b.state("w", 3, "rad/s");
        b.bond(turning, b.own_port("w_rate", PortDirection::in));
    }
    b.state("x", 1, "m");
    b.state("y", 1, "m");
    orientation_state(b, angles);
}

template <ArmOf arm>
void build_rolling(PartsBuilder& b, const MassProperties& mass, bool inertia) {
    ChainBuilder chain(b);
    const PartEnd turning = chain.angular_velocity();
    add_rotation(b, chain, turning);
    const PartEnd contact = b.add("contact", kLever,
                                  {{"r", [](const LawContext& k) { return ExprMatrix(arm_now<arm>(k).r); }},
                                   {"R", [](const LawContext& k) { return ExprMatrix(pose_of(k, "frame_a").R); }},
                                   {"dr", [](const LawContext& k) { return ExprMatrix(arm_now<arm>(k).rate); }}});
    b.direct(contact, true);
    b.bond(turning, PartsBuilder::port(contact, "p1"));
    b.bond(PartsBuilder::port(contact, "p2"), chain.velocity());
    if (b.has("m")) add_mass(b, chain, mass, false, inertia);
}

template <ArmOf arm>
void rolling_law(LawContext& k) {
    coordinate_law(k, 0, uses_angles(k) ? "der_angles" : "w");
    orientation_law(k);
    const Mat3 plane = plane_of(k);
    const Vec3 along = plane * Vec3(k.part("v").flow(0));
    k.equations(k.derivative("x"), along.segment(0, 1));
    k.equations(k.derivative("y"), along.segment(1, 1));
    const Mat3 R = free_orientation(k);  // against the plane
    const Expr height = dot(arm(k, Vec3(R.col(2)), kAlongX).r, Vec3(R.col(2)));
    give_pose(k, "frame_a", {plane.transpose() * vec3(k.slot("x")(0), k.slot("y")(0), height), Mat3(R * plane)});
}

Expr mass_of(const LawContext& k) { return k.scalar("m"); }

Mat3 wheel_inertia(const LawContext& k) {
    Mat3 J = Mat3::Zero();
    const Expr across = scalar_or(k, "I_long", 0.0);
    J.diagonal() << across, scalar_or(k, "I_axis", 0.0), across;
    return J;
}

Mat3 marble_inertia(const LawContext& k) {
    const Expr solid = Expr(0.4) * k.scalar("m") * k.scalar("radius") * k.scalar("radius");
    Mat3 J = Mat3::Zero();
    J.diagonal().setConstant(k.has("J") ? k.scalar("J") : solid);
    return J;
}

void build_wheel(PartsBuilder& b) {
    build_rolling<wheel_arm>(b, {.m = mass_of, .inertia = wheel_inertia}, b.has("I_axis") || b.has("I_long"));
}
void build_marble(PartsBuilder& b) { build_rolling<marble_arm>(b, {.m = mass_of, .inertia = marble_inertia}, true); }

std::optional<SingularPosition> lies_flat(const LawContext& k) {
    const Vec3 u = across_axis(Vec3(free_orientation(k).col(2)));
    const auto angles = gimbal_lock(k);
    return SingularPosition{angles ? dot(u, u) * angles->distance : dot(u, u), "the lean and the contact point",
                            "stop before the wheel lies flat on the plane", ExprMatrix(u)};
}

void check_plane(const LawContext& k, Diagnostics& d) {
    if (k.has("m")) check_world(k, d);
    for (const char* n : {"n", "n_x"}) check_direction(k, n, d);
    check_not_parallel(k, "n", kAlongY, "n_x", kAlongX, "n_x has no part in the plane", d);
    check_sequence(k, d);
}

ParameterSpec radius() {
    return {.name = "radius",
            .doc = "radius",
            .shape = Shape::scalar,
            .minimum = 0.0,
            .exclusive_minimum = true,
            .unit = "m"};
}

ParameterSpec optional_moment(std::string_view name, std::string_view doc) {
    return {.name = name, .doc = doc, .shape = Shape::scalar, .minimum = 0.0, .unit = "kg.m2", .required = false};
}

ParameterSpec optional_mass(std::string_view doc) {
    ParameterSpec m = mass_parameter();
    m.doc = doc;
    m.required = false;
    return m;
}

std::vector<ParameterSpec> plane_parameters() {
    return {direction("n", "normal of the plane, which contains the origin of the world; [0, 1, 0] by default"),
            direction("n_x", "direction of x: its part along the plane; [1, 0, 0] by default")};
}

std::vector<ParameterSpec> rolling_parameters(std::vector<ParameterSpec> first) {
    for (const ParameterSpec& p : plane_parameters()) first.push_back(p);
    for (const ParameterSpec& p : orientation_parameters()) {
        if (p.name != "locked") first.push_back(p);
    }
    return first;
}

std::vector<StateSpec> rolling_states() {
    return {{"x", "position of the centre along the plane", {}, "", "m"},
            {"y", "position of the centre along n x n_x", {}, "", "m"},
            {"q", "orientation against the plane's axes (n_x, n x n_x, n), as a quaternion", {}, ""},
            {"w", "angular velocity, in the frame", {}, "", "rad/s"},
            {"angles", "with orientation: angles, in place of q", {}, "", "rad"},
            {"der_angles", "their rates, in place of w", {}, "", "rad/s"}};
}

ComponentType rolling_type(std::string_view name, std::string_view frame, void (*builder)(PartsBuilder&),
                           void (*laws)(LawContext&)) {
    ComponentType t;
    t.name = name;
    t.structure = Structure::border;
    t.states = rolling_states();
    t.start_aliases = {angles_alias()};
    t.causality = coordinate_causality;
    t.law = laws;
    t.source = kWheelSource;
    t.connectors = {{"frame_a", &converters::kFrame, frame}};
    t.free_rates = true;
    t.root = RootKind::always;
    t.build = builder;
    t.check = check_plane;
    return t;
}

// A thin wheel about y of a frame; the frame turns with it.
Shape3D wheel_at(const LawContext& k, std::string_view connector) {
    const Expr radius = k.scalar("radius");
    return shape_about(k, "cylinder", connector, kAlongY, Expr(0.1) * radius, Expr(2.0) * radius);
}

std::vector<Shape3D> wheel_shape(const LawContext& k) { return {wheel_at(k, "frame_a")}; }

std::vector<Shape3D> marble_shape(const LawContext& k) {
    const Expr diameter = Expr(2.0) * k.scalar("radius");
    return {shape_about(k, "sphere", "frame_a", kAlongX, diameter, diameter)};
}

std::vector<Shape3D> wheel_set_shape(const LawContext& k) {
    const Expr axle = Expr(0.1) * k.scalar("radius");
    return {shape_about(k, "cylinder", "frame_middle", kAlongY, k.scalar("track"), axle), wheel_at(k, "frame_1"),
            wheel_at(k, "frame_2")};
}

// ---- two wheels on one axle
// ------------------------------------------------------------------------------------------

Expr half_radius(const LawContext& k) { return k.scalar("radius") / 2.0; }
Expr turn_per_angle(const LawContext& k) { return k.scalar("radius") / k.scalar("track"); }

// Wheel 1 is on the left, at +y of the axle.
std::vector<Step> wheel_steps(std::size_t wheel) {
    const double side = wheel == 0 ? 0.5 : -0.5;
    Step out{.kind = Step::Kind::translate,
             .d = [=](const LawContext& k) { return scaled(Expr(side) * k.scalar("track"), kAlongY); }};
    Step turn = turn_about(
        wheel, [](const LawContext&) { return kAlongY; }, wheel == 0 ? "theta_1" : "theta_2",
        wheel == 0 ? "w_1" : "w_2");
    return {out, turn};
}

// Each wheel moves the middle by half its own way and turns the axle about the other wheel.
void add_rolling(PartsBuilder& b, ChainBuilder& middle) {
    const PartEnd sum = b.junction0("v_sum", 3, "translational");
    const PartEnd turned = b.junction0("w_sum", 3, "rotational");
    b.bond(sum, middle.velocity());
    b.bond(turned, middle.angular_velocity());
    for (std::size_t wheel = 0; wheel < 2; ++wheel) {
        const double side = wheel == 0 ? -1.0 : 1.0;
        const std::string number = std::to_string(wheel + 1);
        const auto forward = [](const LawContext& k) { return ExprMatrix(scaled(half_radius(k), kAlongX)); };
        const auto about = [=](const LawContext& k) {
            return ExprMatrix(scaled(Expr(side) * turn_per_angle(k), kAlongZ));
        };
        const PartEnd way = b.add("rolling_" + number, kSlide,
                                  {{"H", forward},
                                   {"R", [](const LawContext& k) { return ExprMatrix(pose_of(k, "frame_middle").R); }},
                                   {"w", [](const LawContext& k) { return ExprMatrix(k.part("w").flow(0)); }}});
        const PartEnd turn = b.add("turning_" + number, b.type("TF"), {{"m", about}});
        for (const PartEnd& part : {way, turn}) {
            b.direct(part, true);
            b.bond(middle.rates(wheel), PartsBuilder::port(part, "p1"));
        }
        b.bond(PartsBuilder::port(way, "p2"), sum);
        b.bond(PartsBuilder::port(turn, "p2"), turned);
    }
}

void build_wheel_set(PartsBuilder& b) {
    for (const char* rate : {"w_1", "w_2"}) b.state(rate, 1, "rad/s");
    for (const char* angle : {"theta_1", "theta_2", "phi"}) b.state(angle, 1, "");
    for (const char* position : {"x", "y"}) b.state(position, 1, "m");
    ChainBuilder middle(b, "frame_middle");
    middle.coordinates({{"axis_1", 1, "rotational"}, {"axis_2", 1, "rotational"}});
    add_rolling(b, middle);
    for (std::size_t wheel = 0; wheel < 2; ++wheel) {
        const char* frame = wheel == 0 ? "frame_1" : "frame_2";
        ChainBuilder chain = middle.branch(wheel == 0 ? "left_" : "right_");
        chain.set_forward(true);
        for (const Step& s : wheel_steps(wheel)) chain.step(s);
        if (b.has("m"))
            add_mass(b, chain, {.m = mass_of, .inertia = wheel_inertia, .connector = frame}, false,
                     b.has("I_axis") || b.has("I_long"));
        chain.end_at(frame);
    }
}

void wheel_set_law(LawContext& k) {
    for (std::size_t wheel = 0; wheel < 2; ++wheel) {
        coordinate_law(k, wheel, wheel == 0 ? "w_1" : "w_2");
        k.equations(k.derivative(wheel == 0 ? "theta_1" : "theta_2"), k.slot(wheel == 0 ? "w_1" : "w_2"));
    }
    const Expr w1 = k.slot("w_1")(0);
    const Expr w2 = k.slot("w_2")(0);
    const Expr phi = k.slot("phi")(0);
    const Expr speed = half_radius(k) * (w1 + w2);
    k.equation(k.derivative("phi")(0), turn_per_angle(k) * (w2 - w1));
    k.equation(k.derivative("x")(0), speed * cos(phi));
    k.equation(k.derivative("y")(0), speed * sin(phi));
    const Mat3 plane = plane_of(k);
    const Vec3 x = plane.transpose() * vec3(k.slot("x")(0), k.slot("y")(0), k.scalar("radius"));
    give_pose(k, "frame_middle", {x, Mat3(planar_rotation(kAlongZ, phi) * plane)});
    const Pose middle = pose_of(k, "frame_middle");
    for (std::size_t wheel = 0; wheel < 2; ++wheel)
        give_pose(k, wheel == 0 ? "frame_1" : "frame_2", through(wheel_steps(wheel), k, middle, false));
}

}  // namespace

const ComponentType kRollingWheel = [] {
    ComponentType t = rolling_type("RollingWheel", "at the centre, its y-axis is that of the wheel", build_wheel,
                                   rolling_law<wheel_arm>);
    t.summary =
        "A thin wheel that rolls on a plane without slipping and may lean and turn; the y-axis of its frame is "
        "its axis.";
    t.law_text =
        "v = w x r (contact at rest), r from the contact to the centre, |r| = radius, perpendicular to the axis "
        "and to the direction of rolling";
    t.example = "wheel: {type: RollingWheel, radius: 0.3 m, m: 2 kg, I_axis: 0.06 kg.m2, I_long: 0.12 kg.m2}";
    t.parameters = rolling_parameters({radius(), optional_mass("mass; none by default"),
                                       optional_moment("I_axis", "moment of inertia about the axis"),
                                       optional_moment("I_long", "moment of inertia about a diameter")});
    t.shapes = wheel_shape;
    t.singular = lies_flat;
    return t;
}();

const ComponentType kMarble = [] {
    ComponentType t =
        rolling_type("Marble", "at the centre, turning with the ball", build_marble, rolling_law<marble_arm>);
    t.summary = "A ball that rolls on a plane without slipping, free to turn about the normal.";
    t.law_text = "v = w x (radius n), n: normal of the plane";
    t.example = "marble: {type: Marble, radius: 1 cm, m: 10 g, initial: {x: 0.1 m, w: [0, 0, -5 rad/s]}}";
    t.parameters = rolling_parameters(
        {radius(), optional_mass("mass; none by default"),
         optional_moment("J", "moment of inertia about the centre; that of a solid ball by default")});
    t.shapes = marble_shape;
    t.singular = gimbal_lock;
    return t;
}();

const ComponentType kRollingWheelSet = [] {
    ComponentType t = rolling_type("RollingWheelSet", "", build_wheel_set, wheel_set_law);
    t.summary =
        "Two upright wheels that turn independently on one axle and roll on a plane without slipping. x of "
        "frame_middle points forward, z along the normal; wheel 1 is on the left, at +y.";
    t.law_text = "v = radius/2 (w_1 + w_2) e_x, dphi/dt = radius/track (w_2 - w_1)";
    t.example =
        "axle: {type: RollingWheelSet, radius: 0.1 m, track: 0.5 m, m: 0.5 kg, I_axis: 0.01 kg.m2, "
        "I_long: 0.02 kg.m2}";
    ParameterSpec track = radius();
    track.name = "track";
    track.doc = "distance between the wheels";
    t.parameters = {radius(), track, optional_mass("mass of each wheel; none by default"),
                    optional_moment("I_axis", "moment of inertia of each wheel about its axis"),
                    optional_moment("I_long", "moment of inertia of each wheel about a diameter")};
    for (const ParameterSpec& p : plane_parameters()) t.parameters.push_back(p);
    t.ports = {{.name = "axis_1",
                .doc = "drives wheel 1 against the axle",
                .domain = "rotational",
                .connector = &converters::kFlange},
               {.name = "axis_2",
                .doc = "drives wheel 2 against the axle",
                .domain = "rotational",
                .connector = &converters::kFlange}};
    t.states = {{"x", "position of the middle along the plane", {}, "", "m"},
                {"y", "position of the middle along n x n_x", {}, "", "m"},
                {"phi", "direction of rolling: angle from n_x about n", {}, "", "rad"},
                {"theta_1", "angle of wheel 1 against the axle", {}, "", "rad"},
                {"theta_2", "angle of wheel 2 against the axle", {}, "", "rad"},
                {"w_1", "angular velocity of wheel 1 against the axle", {}, "", "rad/s"},
                {"w_2", "angular velocity of wheel 2 against the axle", {}, "", "rad/s"}};
    t.start_aliases = {};
    t.connectors = {{"frame_middle", &converters::kFrame, "in the middle of the axle"},
                    {"frame_1", &converters::kFrame, "at the centre of wheel 1, turning with it", PortDirection::out},
                    {"frame_2", &converters::kFrame, "at the centre of wheel 2, turning with it", PortDirection::out}};
    t.paths = {{0, 1, {}}, {0, 2, {}}};
    t.shapes = wheel_set_shape;
    return t;
}();

}  // namespace bondgraph::mechanics3d
