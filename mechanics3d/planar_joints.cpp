// Joints of the plane.

#include "converters/frames.hpp"
#include "mechanics3d/joints.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/planar.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;

namespace {

struct PlanarJointTable {
    std::vector<Freedom> freedoms;
    std::vector<PlanarStep> (*steps)();
};

PlanarStep turn_by(std::size_t coordinate, const char* position, const char* offset = nullptr) {
    PlanarStep step{.coordinate = coordinate};
    step.angle = [=](const LawContext& k) {
        const Expr angle = k.slot(position)(0);
        return offset == nullptr ? angle : angle + scalar_or(k, offset, 0.0);
    };
    return step;
}

PlanarStep slide_by(std::size_t coordinate, const PlanarVector& along, const char* position, const char* rate,
                    const char* offset = nullptr) {
    PlanarStep step{.along = along, .coordinate = coordinate};
    step.amount = [=](const LawContext& k) {
        const Expr distance = k.slot(position)(0);
        return offset == nullptr ? distance : distance + scalar_or(k, offset, 0.0);
    };
    step.rate = [=](const LawContext& k) { return k.slot(rate)(0); };
    return step;
}

Vec2 direction_of(const LawContext& k) {
    const Vec2 n = planar_vector_or(k, "n", vec2(1.0, 0.0));
    return scaled(Expr(1.0) / expression::sqrt(dot(n, n)), n);
}

std::vector<PlanarStep> planar_revolute_steps() { return {turn_by(0, "phi", "offset")}; }
std::vector<PlanarStep> planar_prismatic_steps() { return {slide_by(0, direction_of, "s", "v", "offset")}; }
std::vector<PlanarStep> free_steps() {
    const auto x = [](const LawContext&) { return vec2(1.0, 0.0); };
    const auto y = [](const LawContext&) { return vec2(0.0, 1.0); };
    return {slide_by(0, x, "x", "v_x"), slide_by(1, y, "y", "v_y"), turn_by(2, "phi")};
}

const PlanarJointTable kPlanarTurning{{{"phi", "w", "a", "axis"}}, planar_revolute_steps};
const PlanarJointTable kPlanarSliding{{{"s", "v", "a", "axis", false}}, planar_prismatic_steps};
const PlanarJointTable kMovingFreely{
    {{"x", "v_x", "a_x", "axis_x", false}, {"y", "v_y", "a_y", "axis_y", false}, {"phi", "w", "wd", "axis_phi"}},
    free_steps};

template <const PlanarJointTable& joint>
void build(PartsBuilder& b) {
    const std::vector<Coordinates> coordinates = declare_freedoms(b, joint.freedoms);
    PlanarChain chain(b);
    chain.coordinates(coordinates);
    for (const PlanarStep& s : joint.steps()) chain.step(s);
    chain.end_at("frame_b");
    add_support_and_locks(b, coordinates, chain.rates());
}

template <const PlanarJointTable& joint>
void law(LawContext& k) {
    freedom_law(k, joint.freedoms);
    planar_chain_law(k, joint.steps());
}

template <const PlanarJointTable& joint>
ComponentType joint_type(std::string_view name) {
    ComponentType type;
    type.name = name;
    type.structure = Structure::border;
    type.ports = joint_ports(joint.freedoms);
    type.states = joint_states(joint.freedoms);
    type.causality = coordinate_causality;
    type.law = law<joint>;
    type.source = kMultibondLibrary;
    type.connectors = two_planar_frames("the side the coordinates are counted from", "the side that moves");
    type.paths = {{0, 1, {}}};
    type.free_rates = true;
    type.build = build<joint>;
    type.shapes = joint_shape;
    return type;
}

}  // namespace

const ComponentType kPlanarRevolute = [] {
    ComponentType t = joint_type<kPlanarTurning>("PlanarRevolute");
    t.summary = "Revolute joint in the plane: frame_b turns against frame_a by phi, counter-clockwise.";
    t.law_text = "x_b = x_a, phi_b = phi_a + phi + offset;  w_b = w_a + dphi/dt;  t_b = -axis.e";
    t.example = "hinge: {type: PlanarRevolute, initial: {phi: 30 deg, w: 0}}";
    t.parameters = {number("offset", "angle at phi = 0", "rad", 0.0), locked()};
    t.paths = {{0, 1, {"x"}}};
    return t;
}();

const ComponentType kPlanarPrismatic = [] {
    ComponentType t = joint_type<kPlanarSliding>("PlanarPrismatic");
    t.summary = "Prismatic joint in the plane: frame_b slides against frame_a by s along n.";
    t.law_text =
        "x_b = x_a + e (s + offset), phi_b = phi_a;  v_b = v_a + w e' (s + offset) + e ds/dt;  e = T(phi_a) n "
        "in the world, e' = e turned by 90 deg";
    t.example = "slider: {type: PlanarPrismatic, n: [1, 0], initial: {s: 0.1 m, v: 0}}";
    t.parameters = {direction("n", "direction of sliding, in frame_a; [1, 0] by default"),
                    number("offset", "distance at s = 0", "m", 0.0), locked()};
    t.paths = {{0, 1, {"phi"}}};
    t.check = [](const LawContext& k, Diagnostics& d) { check_planar_direction(k, "n", d); };
    return t;
}();

const ComponentType kPlanarFree = [] {
    ComponentType t = joint_type<kMovingFreely>("PlanarFree");
    t.summary = "Free motion in the plane: frame_b moves against frame_a by x and y and turns by phi.";
    t.law_text = "x_b = x_a + T(phi_a) [x, y], phi_b = phi_a + phi;  f_b = 0, t_b = 0 where nothing drives the axes";
    t.example = "flight: {type: PlanarFree, initial: {x: 1 m, v_y: 2 m/s, phi: 30 deg}}";
    t.parameters = {locked()};
    t.shapes = nullptr;  // nothing joins the frames
    return t;
}();

}  // namespace bondgraph::mechanics3d
