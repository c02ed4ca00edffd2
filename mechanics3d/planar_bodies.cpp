// What joints of the plane stand on and carry: fixed frames, massless rods, bodies.

#include "converters/frames.hpp"
#include "mechanics3d/bodies.hpp"
#include "mechanics3d/gravity.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/planar.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

const Vec2 kOrigin = vec2(0.0, 0.0);

ExprMatrix planar_scalar(Expr e) { return ExprMatrix::Constant(1, 1, e); }

// ---- PlanarFixed, PlanarRod -------------------------------------------------------------------------------------

void build_fixed(PartsBuilder& b) { hold_planar_frame(b, "frame_b"); }

void planar_fixed_law(LawContext& k) {
    give_planar_pose(k, "frame_b", {planar_vector_or(k, "r", kOrigin), scalar_or(k, "angle", 0.0)});
}

PlanarStep translation(const char* arm) {
    return {.r = [arm](const LawContext& k) { return planar_vector_or(k, arm, kOrigin); }};
}

void build_planar_rod(PartsBuilder& b) {
    PlanarChain chain(b);
    chain.step(translation("r"));
    chain.end_at("frame_b");
}

void planar_rod_law(LawContext& k) { planar_chain_law(k, {translation("r")}); }

// ---- bodies -----------------------------------------------------------------------------------------------------

// States of free motion, where nothing carries the body.
void free_motion(PartsBuilder& b, PlanarChain& chain, bool rotates) {
    b.state("v", 2, "m/s");
    b.bond(chain.velocity(), b.own_port("v_rate", PortDirection::in));
    if (rotates) {
        b.state("w", 1, "rad/s");
        b.bond(chain.angular_velocity(), b.own_port("w_rate", PortDirection::in));
    } else {
        const auto zero = [](const LawContext&) { return planar_scalar(0.0); };
        b.bond(b.add("orientation", b.type("Sf"), {{"f", zero}}), chain.angular_velocity());
    }
    b.state("x", 2, "m");
    if (rotates) b.state("phi", 1, "");
}

// Gravity is that of World at z = 0, as far as it acts in the plane.
Vec3 in_space(const Vec2& x) { return vec3(x(0), x(1), 0.0); }

Vec2 planar_centre_of(const LawContext& k) {
    const PlanarPose a = planar_pose_of(k, "frame_a");
    if (!k.has("r_CM")) return a.x;
    return a.x + in_world(a.phi, planar_vector_or(k, "r_CM", kOrigin));
}

ExprMatrix weight_of(const LawContext& k) {
    const Vec3 g = gravity(k, in_space(planar_centre_of(k)));
    return scaled(-k.scalar("m"), vec2(g(0), g(1)));
}

ExprMatrix energy_of_weight(const LawContext& k) {
    const auto U = potential_energy(k, k.scalar("m"), in_space(planar_centre_of(k)));
    return U ? planar_scalar(*U) : ExprMatrix();
}

void add_mass(PartsBuilder& b, PlanarChain& chain) {
    const PartEnd velocity = chain.velocity();
    b.bond(velocity,
           b.add("mass", b.type("I"), {{"I", [](const LawContext& k) { return planar_scalar(k.scalar("m")); }}}));
    b.bond(velocity, b.add("weight", kPotential, {{"e", weight_of}, {"U", energy_of_weight}}));
}

void build_planar_body(PartsBuilder& b) {
    PlanarChain chain(b);
    if (b.root()) free_motion(b, chain, true);
    if (b.has("J")) {
        const auto J = [](const LawContext& k) { return planar_scalar(k.scalar("J")); };
        b.bond(chain.angular_velocity(), b.add("inertia", b.type("I"), {{"I", J}}));
    }
    if (b.has("r_CM")) chain.step(translation("r_CM"));
    add_mass(b, chain);
}

void build_planar_point_mass(PartsBuilder& b) {
    PlanarChain chain(b);
    // It can't be turned, but what hangs on it can.
    if (b.root()) free_motion(b, chain, b.exchanges_power("frame_a", "torque"));
    add_mass(b, chain);
}

void planar_body_law(LawContext& k) {
    if (!k.element().root) return;
    const bool rotates = k.element().slot("phi") != nullptr;
    coordinate_law(k, 0, "v");
    k.equations(k.derivative("x"), k.slot("v"));
    if (rotates) {
        coordinate_law(k, 1, "w");
        k.equations(k.derivative("phi"), k.slot("w"));
    }
    give_planar_pose(k, "frame_a", {Vec2(k.slot("x")), rotates ? k.slot("phi")(0) : Expr(0.0)});
}

std::vector<StateSpec> free_states(std::string_view phi, std::string_view w) {
    return {{"x", "position of frame_a, where nothing carries the body", {}, "", "m"},
            {"v", "velocity of frame_a", {}, "", "m/s"},
            {"phi", phi, {}, "", "rad"},
            {"w", w, {}, "", "rad/s"}};
}

ComponentType body_type(std::string_view name, std::string_view frame) {
    ComponentType t;
    t.name = name;
    t.structure = Structure::border;
    t.parameters = {mass_parameter()};
    t.causality = coordinate_causality;
    t.law = planar_body_law;
    t.source = "Bos: Modelling Multibody Systems in Terms of Multibond Graphs, 1986";
    t.connectors = {{"frame_a", &converters::kPlanarFrame, frame}};
    t.free_rates = true;
    t.root = RootKind::if_needed;
    t.check = check_world;
    t.shapes = mass_shape;
    return t;
}

}  // namespace

const ComponentType kPlanarFixed{
    .name = "PlanarFixed",
    .structure = Structure::block,
    .summary = "A frame of the plane, fixed in the world at a position and an angle.",
    .law_text = "x = r, phi = angle, v = 0, w = 0",
    .example = "wall: {type: PlanarFixed, r: [1 m, 0], angle: 90 deg}",
    .parameters = {arm("r", "position in the world; [0, 0] by default"),
                   number("angle", "angle of the frame, counter-clockwise", "rad", 0.0)},
    .law = planar_fixed_law,
    .source = kMultibondLibrary,
    .connectors = {{"frame_b", &converters::kPlanarFrame, "fixed in the world", PortDirection::out}},
    .root = RootKind::always,
    .build = build_fixed,
    .check = [](const LawContext& k, Diagnostics& d) { check_planar_vector(k, "r", d); },
    .shapes = fixed_shape,
};

const ComponentType kPlanarRod{
    .name = "PlanarRod",
    .structure = Structure::block,
    .summary = "A rigid massless rod in the plane: frame_b is frame_a moved by r.",
    .law_text = "x_b = x_a + d, phi_b = phi_a;  v_b = v_a + w [-d_y, d_x], d = T(phi_a) r in the world",
    .example = "rod: {type: PlanarRod, r: [1 m, 0]}",
    .parameters = {arm("r", "from frame_a to frame_b, in frame_a")},
    .law = planar_rod_law,
    .source = kMultibondLibrary,
    .connectors = two_planar_frames("one end", "the other end"),
    .paths = {{0, 1, {"phi"}}},
    .build = build_planar_rod,
    .check = [](const LawContext& k, Diagnostics& d) { check_planar_vector(k, "r", d); },
    .shapes = rod_shape,
};

const ComponentType kPlanarBody = [] {
    ComponentType t = body_type("PlanarBody", "fixed in the body");
    t.summary =
        "A rigid body in the plane: mass and inertia at the centre of mass r_CM. One that no joint carries moves "
        "freely, with position x, velocity v, angle phi and angular velocity w as states.";
    t.law_text = "m dv_CM/dt = f + m g;  J dw/dt = t  (about the centre of mass); g of World in x and y";
    t.example = "body: {type: PlanarBody, m: 2 kg, r_CM: [0.5 m, 0], J: 0.1 kg.m2}";
    t.parameters.push_back({.name = "J",
                            .doc = "moment of inertia about the centre of mass; 0 by default",
                            .shape = Shape::scalar,
                            .minimum = 0.0,
                            .unit = "kg.m2",
                            .required = false});
    t.parameters.push_back(arm("r_CM", "centre of mass, in frame_a"));
    t.states = free_states("angle of frame_a, counter-clockwise", "angular velocity");
    t.build = build_planar_body;
    t.check = [](const LawContext& k, Diagnostics& d) {
        check_world(k, d);
        check_planar_vector(k, "r_CM", d);
    };
    return t;
}();

const ComponentType kPlanarPointMass = [] {
    ComponentType t = body_type("PlanarPointMass", "at the mass");
    t.summary =
        "A mass without extension in the plane. One that no joint carries moves freely, with position x and "
        "velocity v as states, and angle phi and angular velocity w where rods or joints hang on it.";
    t.law_text = "m dv/dt = f + m g, t = 0";
    t.example = "ball: {type: PlanarPointMass, m: 1 kg}";
    t.root = RootKind::at_last;
    t.states = free_states("angle of what hangs on it, counter-clockwise", "angular velocity of that");
    t.build = build_planar_point_mass;
    return t;
}();

}  // namespace bondgraph::mechanics3d
