// Forces in the plane: springs and dampers along the line between two frames, forces from the world.

#include "converters/frames.hpp"
#include "mechanics3d/line.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/planar.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

// ---- along a line -----------------------------------------------------------------------------------------------

Vec2 between(const LawContext& k) { return planar_pose_of(k, "frame_b").x - planar_pose_of(k, "frame_a").x; }

Expr length(const LawContext& k) {
    const Vec2 r = between(k);
    return expression::sqrt(dot(r, r));
}

ExprMatrix along(const LawContext& k) { return scaled(Expr(1.0) / length(k), between(k)).transpose(); }

// The 1-junction whose flow is ds/dt and whose effort is the tension.
PartEnd build_line(PartsBuilder& b) {
    line_variables(b);
    const PartEnd velocity_a = b.junction1("v_a", 2, "translational");
    const PartEnd velocity_b = b.junction1("v_b", 2, "translational");
    b.attach("frame_a", "force", velocity_a);
    b.attach("frame_b", "force", velocity_b);
    const PartEnd relative = b.junction0("v_rel", 2, "translational");
    b.bond(velocity_b, relative);
    b.bond(relative, velocity_a);
    const PartEnd map = b.add("along", b.type("TF"), {{"m", along}});
    b.direct(map, true);
    b.bond(relative, PartsBuilder::port(map, "p1"));
    const PartEnd line = b.junction1("line", 1, "translational");
    b.bond(PartsBuilder::port(map, "p2"), line);
    return line;
}

void build_planar_spring(PartsBuilder& b) { add_spring(b, build_line(b)); }
void build_planar_damper(PartsBuilder& b) { add_damper(b, build_line(b)); }
void build_both(PartsBuilder& b) {
    const PartEnd line = build_line(b);
    add_spring(b, line);
    add_damper(b, line);
}

void planar_line_law(LawContext& k) { line_law(k, length(k)); }

ComponentType planar_line_type(std::string_view name, void (*builder)(PartsBuilder&)) {
    ComponentType t;
    t.name = name;
    t.structure = Structure::block;
    t.law = planar_line_law;
    t.source = kMultibondLibrary;
    t.connectors = two_planar_frames("one end", "the other end");
    t.build = builder;
    t.singular = [](const LawContext& k) -> std::optional<SingularPosition> {
        return line_without_direction(length(k));
    };
    t.shapes = builder == build_planar_damper ? line_shape : spring_shape;
    return t;
}

// ---- from the world ---------------------------------------------------------------------------------------------

ExprMatrix planar_force_in_world(const LawContext& k) {
    const Vec2 given = planar_vector_or(k, "f", vec2(0.0, 0.0));
    return choice(k, "resolve") == 0 ? given : in_world(planar_pose_of(k, "frame_b").phi, given);
}

ExprMatrix torque(const LawContext& k) { return ExprMatrix::Constant(1, 1, k.scalar("t")); }

void build_world_force(PartsBuilder& b) {
    if (b.has("f")) b.attach("frame_b", "force", b.add("force", b.type("Se"), {{"e", planar_force_in_world}}));
    if (b.has("t")) b.attach("frame_b", "torque", b.add("torque", b.type("Se"), {{"e", torque}}));
}

std::vector<Shape3D> planar_load_shape(const LawContext& k) {
    std::vector<Shape3D> arrows;
    if (k.has("f")) {
        const ExprMatrix f = planar_force_in_world(k);
        arrows.push_back(arrow_at(k, "force", "frame_b", vec3(f(0), f(1), 0.0)));
    }
    if (k.has("t")) arrows.push_back(arrow_at(k, "torque", "frame_b", vec3(0.0, 0.0, k.scalar("t"))));
    return arrows;
}

void no_planar_law(LawContext&) {}

}  // namespace

const ComponentType kPlanarSpring = [] {
    ComponentType t = planar_line_type("PlanarSpring", build_planar_spring);
    t.summary = "Linear spring between two frames of the plane, along their line.";
    t.law_text = "f = c (s - s_unstretched), s = |x_b - x_a|; pulls both ends together for f > 0";
    t.example = "spring: {type: PlanarSpring, c: 100 N/m, s_unstretched: 0.1 m}";
    t.parameters = {stiffness(), unstretched()};
    return t;
}();

const ComponentType kPlanarDamper = [] {
    ComponentType t = planar_line_type("PlanarDamper", build_planar_damper);
    t.summary = "Linear damper between two frames of the plane, along their line.";
    t.law_text = "f = d ds/dt, s = |x_b - x_a|";
    t.example = "damper: {type: PlanarDamper, d: 10 N.s/m}";
    t.parameters = {damping()};
    return t;
}();

const ComponentType kPlanarSpringDamper = [] {
    ComponentType t = planar_line_type("PlanarSpringDamper", build_both);
    t.summary = "Linear spring and damper side by side between two frames of the plane.";
    t.law_text = "f = c (s - s_unstretched) + d ds/dt, s = |x_b - x_a|";
    t.example = "strut: {type: PlanarSpringDamper, c: 1000 N/m, d: 50 N.s/m, s_unstretched: 0.2 m}";
    t.parameters = {stiffness(), unstretched(), damping()};
    return t;
}();

const ComponentType kPlanarWorldForce{
    .name = "PlanarWorldForce",
    .structure = Structure::block,
    .summary = "A force and a torque from the world on a frame of the plane.",
    .law_text = "f and t act on what frame_b is connected to",
    .example = "push: {type: PlanarWorldForce, f: [10 N, 0], t: 2 N.m}",
    .parameters = {{.name = "f",
                    .doc = "force; may be modulated",
                    .shape = Shape::vector,
                    .unit = "N",
                    .required = false,
                    .may_vary = true},
                   {.name = "t",
                    .doc = "torque, counter-clockwise; may be modulated",
                    .shape = Shape::scalar,
                    .unit = "N.m",
                    .required = false,
                    .may_vary = true},
                   {.name = "resolve",
                    .doc = "where the components of f are resolved: world or frame_b",
                    .kind = ParameterKind::choice,
                    .required = false,
                    .choices = {"world", "frame_b"}}},
    .law = no_planar_law,
    .source = kMultibondLibrary,
    .connectors = {{"frame_b", &converters::kPlanarFrame, "force and torque act here", PortDirection::out}},
    .build = build_world_force,
    .check = [](const LawContext& k, Diagnostics& d) { check_planar_vector(k, "f", d); },
    .shapes = planar_load_shape,
};

}  // namespace bondgraph::mechanics3d
