// What everything else stands on: World with its gravity, and Fixed.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "bondgraph/expression/derivative.hpp"
#include "converters/frames.hpp"
#include "mechanics3d/chain.hpp"
#include "mechanics3d/gravity.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

enum Gravity : std::size_t { kUniform, kPoint, kNone, kField };

void build_root(PartsBuilder& b) {
    const auto zero = [](const LawContext&) { return ExprMatrix(ExprMatrix::Zero(3, 1)); };
    b.attach("frame_b", "trans", b.add("trans", b.type("Sf"), {{"f", zero}}));
    b.attach("frame_b", "rot", b.add("rot", b.type("Sf"), {{"f", zero}}));
}

void build_world(PartsBuilder& b) {
    build_root(b);
    b.variable("x", 3, "m");  // stands for the position in an expression of the field
}

void world_law(LawContext& k) {
    give_pose(k, "frame_b", {vec3(0.0, 0.0, 0.0), identity()});
    k.equations(k.slot("x"), vec3(0.0, 0.0, 0.0));
}

void fixed_law(LawContext& k) { give_pose(k, "frame_b", {vector_or(k, "r", vec3(0.0, 0.0, 0.0)), identity()}); }

// All bodies ask one World for gravity.
void check_single_world(const LawContext& k, Diagnostics& d) {
    const Element& first = k.first_of(kWorld)->element();
    if (first.name == k.element().name) return;
    d.error("BG-F007", k.element().position,
            fmt::format("'{}' is a second World: the model has '{}'", k.element().name, first.name),
            {{"where", fmt::format("'{}' stands in line {}", first.name, first.position.line)},
             {"because", "there is one inertial system, and one gravity for all bodies"},
             {"try", "connect to the one World as often as you like, or use Fixed for another place in it"}});
}

// What the other kinds of gravity are made of is not looked at.
void check_gravity(const LawContext& k, Diagnostics& d) {
    const std::size_t kind = k.has("field") ? std::size_t{kField} : choice(k, "gravity");
    constexpr std::array kKinds{"gravity: uniform", "gravity: point", "gravity: none", "a field"};
    constexpr std::array<std::pair<const char*, std::size_t>, 4> kBelongs{
        {{"g", kUniform}, {"n", kUniform}, {"mue", kPoint}, {"gravity", kNone}}};
    for (const auto& [parameter, belongs] : kBelongs) {
        const bool without_effect = parameter == std::string_view("gravity") ? kind == kField : kind != belongs;
        if (!without_effect || !is_given(k, parameter)) continue;
        const std::string remove = "remove it";
        d.warning("BG-F010", place_of(k, parameter),
                  fmt::format("'{}' of '{}' has no effect with {}", parameter, k.element().name, kKinds[kind]),
                  {{"try", kind == kField ? remove + ", or 'field'"
                                          : fmt::format("{}, or give {}", remove, kKinds[belongs])}});
    }
}

// The axes, and gravity where it is the same everywhere.
std::vector<Shape3D> world_shape(const LawContext& k) {
    constexpr double kAxis = 3.0 * kShapeSize;
    const Vec3 origin = vec3(0.0, 0.0, 0.0);
    std::vector<Shape3D> arrows;
    for (const Vec3& axis : {vec3(kAxis, 0.0, 0.0), vec3(0.0, kAxis, 0.0), vec3(0.0, 0.0, kAxis)})
        arrows.push_back(nominal(arrow_from("", origin, axis)));
    if (const auto g = uniform_gravity(k)) arrows.push_back(arrow_from("acceleration", origin, *g));
    return arrows;
}

PortCausality gravity_effort_out(const Element&, std::size_t, std::size_t) { return PortCausality::effort_out; }

}  // namespace

std::optional<Vec3> uniform_gravity(const LawContext& world) {
    if (world.has("field")) {
        const auto x = world.slot("x");
        const Vec3 field = vector_or(world, "field", x);
        for (const Expr& component : field) {
            if (std::any_of(x.begin(), x.end(), [&](const Expr& place) { return depends_on(component, place); }))
                return std::nullopt;
        }
        return field;
    }
    if (choice(world, "gravity") != kUniform) return std::nullopt;
    return scaled(world.scalar("g"), unit_or(world, "n", vec3(0.0, -1.0, 0.0)));
}

Vec3 gravity(const LawContext& component, const Vec3& x) {
    const auto world = component.first_of(kWorld);
    if (!world) return vec3(0.0, 0.0, 0.0);
    if (world->has("field")) {
        // The field is an expression of World's own x.
        const auto own = world->slot("x");
        std::vector<Expr> values;
        for (const Expr& f : vector_or(*world, "field", x)) values.push_back(f);
        const auto moved =
            expression::substitute(component.expressions(), values, [&](std::uint32_t node) -> std::optional<Expr> {
                for (Eigen::Index i = 0; i < 3; ++i) {
                    if (own(i).node() == node) return x(i);
                }
                return std::nullopt;
            });
        return vec3(moved[0], moved[1], moved[2]);
    }
    if (const auto everywhere = uniform_gravity(*world)) return *everywhere;
    if (choice(*world, "gravity") == kNone) return vec3(0.0, 0.0, 0.0);
    const Expr d = expression::sqrt(dot(x, x));
    return scaled(-(world->scalar("mue") / (d * d * d)), x);
}

std::optional<Expr> potential_energy(const LawContext& component, Expr mass, const Vec3& x) {
    const auto world = component.first_of(kWorld);
    if (!world) return Expr(0.0);
    if (world->has("field")) return std::nullopt;
    if (choice(*world, "gravity") == kPoint) return -(mass * world->scalar("mue") / expression::sqrt(dot(x, x)));
    return -(mass * dot(gravity(component, x), x));
}

const ComponentType kPotential{
    .name = "potential",
    .structure = Structure::border,
    .energy = Energy::potential,
    .summary = "A force that has a potential.",
    .law_text = "e = -dU/dx",
    .ports = {{"p", PortDirection::in, "takes up energy"}},
    .parameters = {{.name = "e", .doc = "effort"}, {.name = "U", .doc = "potential energy", .required = false}},
    .causality = gravity_effort_out,
    .law = [](LawContext& k) { k.equations(k.effort(0), k.vector("e", k.size(0))); },
    .stored_energy = [](LawContext& k) -> std::optional<Expr> {
        // A field without a known potential gives none.
        if (!k.has("U") || k.element().parameter("U")->value.size() == 0) return std::nullopt;
        return k.scalar("U");
    },
    .source = "Goldstein: Classical Mechanics, chapter 1",
};

const ComponentType kWorld{
    .name = "World",
    .structure = Structure::block,
    .summary =
        "The inertial system: the root that other frames are fixed to or move against, and gravity for all bodies.",
    .law_text = "x = 0, R = I, v = 0, w = 0;  gravity: g n (uniform), -mue x/|x|^3 (point), or a field of x",
    .example = "world: {type: World, g: 9.81 m/s2, n: [0, -1, 0]}",
    .parameters = {varying(number("g", "acceleration of gravity (uniform)", "m/s2", 9.81)),
                   direction("n", "its direction; [0, -1, 0] by default"),
                   {.name = "gravity",
                    .doc = "uniform, point or none",
                    .kind = ParameterKind::choice,
                    .required = false,
                    .choices = {"uniform", "point", "none"}},
                   varying(number("mue", "gravity constant times the central mass (point)", "m3/s2", 3.986004418e14)),
                   {.name = "field",
                    .doc = "acceleration as an expression of the position x, in place of the others",
                    .shape = Shape::vector,
                    .unit = "m/s2",
                    .required = false,
                    .own_names = true,
                    .may_vary = true}},
    .law = world_law,
    .source = "Zimmer, Cellier: The Modelica Multi-bond Graph Library, Modelica 2006",
    .connectors = {{"frame_b", &converters::kFrame, "the inertial frame", PortDirection::out}},
    .root = RootKind::always,
    .ground = true,
    .build = build_world,
    .check =
        [](const LawContext& k, Diagnostics& d) {
            check_direction(k, "n", d);
            check_vector(k, "field", d);
            check_single_world(k, d);
            check_gravity(k, d);
        },
    .shapes = world_shape,
};

const ComponentType kFixed{
    .name = "Fixed",
    .structure = Structure::block,
    .summary = "A frame fixed in the world at a position.",
    .law_text = "x = r, R = I, v = 0, w = 0",
    .example = "wall: {type: Fixed, r: [1 m, 0, 0]}",
    .parameters = {arm("r", "position in world coordinates")},
    .law = fixed_law,
    .source = "Zimmer, Cellier: The Modelica Multi-bond Graph Library, Modelica 2006",
    .connectors = {{"frame_b", &converters::kFrame, "fixed in the world", PortDirection::out}},
    .root = RootKind::always,
    .build = build_root,
    .check = [](const LawContext& k, Diagnostics& d) { check_vector(k, "r", d); },
    .shapes = fixed_shape,
};

}  // namespace bondgraph::mechanics3d
