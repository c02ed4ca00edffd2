// Bodies between two frames: BodyShape with given mass and inertia, BodyBox and BodyCylinder from dimensions.

#include <fmt/format.h>

#include <numbers>

#include "converters/frames.hpp"
#include "mechanics3d/bodies.hpp"
#include "mechanics3d/free_orientation.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;

namespace {

constexpr const char* kShapeSource =
    "Zimmer, Cellier: The Modelica Multi-bond Graph Library, Modelica 2006; moments of inertia: any book of mechanics";
constexpr double kSteel = 7700.0;  ///< kg/m3

Vec3 rod_of(const LawContext& k) { return vector_or(k, "r", vec3(0.0, 0.0, 0.0)); }

Vec3 along_of(const LawContext& k) {
    const Vec3 r = k.has("lengthDirection") ? vector_or(k, "lengthDirection", rod_of(k)) : rod_of(k);
    const Expr length = expression::sqrt(dot(r, r));
    return vec3(r(0) / length, r(1) / length, r(2) / length);
}

Expr length_of(const LawContext& k) {
    if (k.has("length")) return k.scalar("length");
    const Vec3 r = rod_of(k);
    return expression::sqrt(dot(r, r));
}

// The shape lies along the length direction with its middle at half the length.
Vec3 middle_of(const LawContext& k) { return scaled(Expr(0.5) * length_of(k), along_of(k)); }

/// Mass of a full and of a hollow part, and the principal moments in axes [length, width, height].
struct Solid {
    Expr m;
    Vec3 moments;
};

Solid box(Expr density, Expr l, Expr w, Expr h) {
    const Expr m = density * l * w * h;
    const Expr c = m / Expr(12.0);
    return {m, vec3(c * (w * w + h * h), c * (l * l + h * h), c * (l * l + w * w))};
}

Solid cylinder(Expr density, Expr l, Expr d) {
    const Expr r2 = d * d / Expr(4.0);
    const Expr m = density * Expr(std::numbers::pi) * r2 * l;
    const Expr across = m * (Expr(3.0) * r2 + l * l) / Expr(12.0);
    return {m, vec3(m * r2 / Expr(2.0), across, across)};
}

Solid without(const Solid& full, const Solid& hole) {
    return {full.m - hole.m, vec3(full.moments(0) - hole.moments(0), full.moments(1) - hole.moments(1),
                                  full.moments(2) - hole.moments(2))};
}

struct Section {
    Expr width, height;
};
Section outside_of(const LawContext& k) {
    const Expr w = k.scalar("width");
    return {w, k.has("height") ? k.scalar("height") : w};
}
Section hole_of(const LawContext& k) {
    const Expr w = scalar_or(k, "innerWidth", 0.0);
    return {w, k.has("innerHeight") ? k.scalar("innerHeight") : w};
}

Solid box_of(const LawContext& k) {
    const Expr density = k.scalar("density");
    const Expr l = length_of(k);
    const auto [w, h] = outside_of(k);
    const auto [wi, hi] = hole_of(k);
    return without(box(density, l, w, h), box(density, l, wi, hi));
}

Solid cylinder_of(const LawContext& k) {
    const Expr density = k.scalar("density");
    const Expr l = length_of(k);
    return without(cylinder(density, l, k.scalar("diameter")),
                   cylinder(density, l, scalar_or(k, "innerDiameter", 0.0)));
}

Vec3 across_of(const LawContext& k) {
    if (k.has("widthDirection")) return vector_or(k, "widthDirection", vec3(0.0, 1.0, 0.0));
    // Any direction not along the length: the y-axis, or the x-axis for parts along y.
    const Vec3 along = along_of(k);
    const bool along_y = along(1).is_constant() && std::abs(along(1).constant()) > 0.999;
    return along_y ? vec3(1.0, 0.0, 0.0) : vec3(0.0, 1.0, 0.0);
}

template <Solid (*solid)(const LawContext&)>
Mat3 inertia_in_frame(const LawContext& k) {
    const Mat3 axes = from_two_axes(along_of(k), across_of(k));
    const Vec3 moments = solid(k).moments;
    Mat3 J = Mat3::Zero();
    for (Eigen::Index n = 0; n < 3; ++n) {
        for (Eigen::Index i = 0; i < 3; ++i) {
            for (Eigen::Index j = 0; j < 3; ++j) J(i, j) += axes(n, i) * moments(n) * axes(n, j);
        }
    }
    return J;
}

void build(PartsBuilder& b, const MassProperties& properties, bool off_centre, bool inertia) {
    ChainBuilder rod = begin_body(b, true);
    ChainBuilder mass = rod.branch("cm_");
    rod.step({.kind = Step::Kind::translate, .d = rod_of});
    rod.end_at("frame_b");
    add_mass(b, mass, properties, off_centre, inertia);
}

void build_shape(PartsBuilder& b) { build(b, given_properties(), b.has("r_CM"), has_inertia(b)); }

template <Solid (*solid)(const LawContext&)>
void build_solid(PartsBuilder& b) {
    build(
        b,
        {.m = [](const LawContext& k) { return solid(k).m; }, .centre = middle_of, .inertia = inertia_in_frame<solid>},
        true, true);
}

void shaped_body_law(LawContext& k) {
    body_law(k);
    const std::vector<Step> rod{{.kind = Step::Kind::translate, .d = rod_of}};
    if (k.element().root)
        give_pose(k, "frame_b", through(rod, k, pose_of(k, "frame_a"), false));
    else
        chain_law(k, rod);
}

ComponentType body_type(std::string_view name, void (*builder)(PartsBuilder&)) {
    ComponentType t;
    t.name = name;
    t.structure = Structure::border;
    t.start_aliases = {angles_alias()};
    t.causality = coordinate_causality;
    t.law = shaped_body_law;
    t.source = kShapeSource;
    t.connectors = {{"frame_a", &converters::kFrame, "one end"},
                    {"frame_b", &converters::kFrame, "the other end, at r", PortDirection::out}};
    t.paths = {{0, 1, {"R"}}};
    t.free_rates = true;
    t.root = RootKind::if_needed;
    t.build = builder;
    t.shapes = mass_shape;
    t.states = free_body_states();
    return t;
}

ParameterSpec length(std::string_view name, std::string_view doc, bool required = false) {
    return {.name = name, .doc = doc, .shape = Shape::scalar, .minimum = 0.0, .unit = "m", .required = required};
}

/// A length along nothing: neither r nor a direction tells where to.
void check_has_direction(const LawContext& k, Diagnostics& d) {
    if (k.has("r") || k.has("lengthDirection") || !k.has("length")) return;
    d.error("BG-F005", k.element().position, fmt::format("'{}' has a length, but no direction of it", k.element().name),
            {{"try", "give 'r', from frame_a to frame_b, or 'lengthDirection'"}});
}

template <Solid (*solid)(const LawContext&)>
void check_solid(const LawContext& k, Diagnostics& d) {
    check_world(k, d);
    check_vector(k, "r", d);
    check_direction(k, "lengthDirection", d);
    check_direction(k, "widthDirection", d);
    const std::size_t errors = d.error_count();
    check_has_direction(k, d);
    if (!d.has_errors() && d.error_count() == errors) check_mass(k, solid(k).m, d);
}

/// A hole that is wider than the box and lower leaves a mass, but moments of inertia of no body.
void check_box(const LawContext& k, Diagnostics& d) {
    check_solid<box_of>(k, d);
    const Section outside = outside_of(k);
    const Section hole = hole_of(k);
    for (const Expr size : {outside.width, outside.height, hole.width, hole.height}) {
        if (!size.is_constant()) return;
    }
    const bool inside =
        hole.width.constant() <= outside.width.constant() && hole.height.constant() <= outside.height.constant();
    if (inside || d.has_errors()) return;
    d.error("BG-F005", k.element().position,
            fmt::format("the hole of '{}' is {:.6g} m by {:.6g} m, the box around it {:.6g} m by {:.6g} m",
                        k.element().name, hole.width.constant(), hole.height.constant(), outside.width.constant(),
                        outside.height.constant()),
            {{"because", "innerHeight is as innerWidth, and height as width, where they are not given"},
             {"try", "give inner dimensions that are smaller than the outer ones"}});
}

}  // namespace

const ComponentType kBodyShape = [] {
    ComponentType t = body_type("BodyShape", build_shape);
    t.summary = "A rigid body between two frames: frame_b lies at r; mass and inertia are given.";
    t.law_text = "x_b = x_a + R_a^T r, R_b = R_a;  m dv_CM/dt = f + m g;  J dw/dt + w x (J w) = t";
    t.example = "link: {type: BodyShape, r: [1 m, 0, 0], m: 2 kg, r_CM: [0.5 m, 0, 0], I_33: 0.17 kg.m2}";
    t.parameters = {arm("r", "from frame_a to frame_b, in frame_a"), mass_parameter(),
                    arm("r_CM", "centre of mass, in frame_a")};
    for (const ParameterSpec& p : inertia_parameters()) t.parameters.push_back(p);
    t.check = [](const LawContext& k, Diagnostics& d) {
        check_world(k, d);
        check_vector(k, "r", d);
        check_vector(k, "r_CM", d);
        check_inertia(k, d);
    };
    return t;
}();

const ComponentType kBodyBox = [] {
    ComponentType t = body_type("BodyBox", build_solid<box_of>);
    t.summary = "A rigid body with the shape of a box, full or hollow: mass and inertia follow from its density.";
    t.law_text = "m = density l (w h - w_i h_i); the law of BodyShape";
    t.example = "link: {type: BodyBox, r: [0.5 m, 0, 0], width: 6 cm}";
    t.parameters = {arm("r", "from frame_a to frame_b, in frame_a"),
                    length("length", "length of the box; |r| by default"),
                    length("width", "width of the box", true),
                    length("height", "height of the box; as its width by default"),
                    length("innerWidth", "width of the hole along the length; 0 by default"),
                    length("innerHeight", "its height; as innerWidth by default"),
                    number("density", "density", "kg/m3", kSteel),
                    direction("lengthDirection", "direction of the length, in frame_a; along r by default"),
                    direction("widthDirection", "direction of the width; across, in the plane with y, by default")};
    t.check = check_box;
    t.shapes = [](const LawContext& k) -> std::vector<Shape3D> {
        const Expr width = k.scalar("width");
        Shape3D drawn = shape_along(k, "box", "frame_a", vec3(0.0, 0.0, 0.0), along_of(k), length_of(k), width,
                                    k.has("height") ? k.scalar("height") : width);
        // Width and height lie where the moments of inertia take them to be.
        drawn.R = from_two_axes(along_of(k), across_of(k)) * pose_of(k, "frame_a").R;
        return {drawn};
    };
    return t;
}();

const ComponentType kBodyCylinder = [] {
    ComponentType t = body_type("BodyCylinder", build_solid<cylinder_of>);
    t.summary = "A rigid body with the shape of a cylinder, full or hollow: mass and inertia follow from its density.";
    t.law_text = "m = density l pi (d^2 - d_i^2)/4; the law of BodyShape";
    t.example = "shaft: {type: BodyCylinder, r: [1 m, 0, 0], diameter: 10 cm}";
    t.parameters = {arm("r", "from frame_a to frame_b, in frame_a"),
                    length("length", "length of the cylinder; |r| by default"),
                    length("diameter", "diameter of the cylinder", true),
                    length("innerDiameter", "diameter of the hole; 0 by default"),
                    number("density", "density", "kg/m3", kSteel),
                    direction("lengthDirection", "direction of the axis, in frame_a; along r by default")};
    t.check = check_solid<cylinder_of>;
    t.shapes = [](const LawContext& k) -> std::vector<Shape3D> {
        const Expr d = k.scalar("diameter");
        return {shape_along(k, "cylinder", "frame_a", vec3(0.0, 0.0, 0.0), along_of(k), length_of(k), d, d)};
    };
    return t;
}();

}  // namespace bondgraph::mechanics3d
