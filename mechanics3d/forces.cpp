// Forces and torques given by values (numbers, expressions, signals), on one frame or between two.

#include <fmt/format.h>

#include "converters/frames.hpp"
#include "mechanics3d/chain.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/two_ports.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

enum Resolved : std::size_t { kInWorld, kInFrameA, kInFrameB, kInFrameResolve };

const Vec3 kZero = vec3(0.0, 0.0, 0.0);

ParameterSpec load(std::string_view name, std::string_view doc, std::string_view unit) {
    return {.name = name, .doc = doc, .shape = Shape::vector, .unit = unit, .required = false, .may_vary = true};
}

ParameterSpec resolve_two() {
    return {.name = "resolve",
            .doc = "where the components of force and torque are resolved: world, frame_a, frame_b or frame_resolve",
            .kind = ParameterKind::choice,
            .required = false,
            .choices = {"world", "frame_a", "frame_b", "frame_resolve"}};
}

ParameterSpec resolve_one() {
    return {.name = "resolve",
            .doc = "where the components are resolved: world, frame_b or frame_resolve",
            .kind = ParameterKind::choice,
            .required = false,
            .choices = {"world", "frame_b", "frame_resolve"}};
}

// The value in world coordinates.
Vec3 resolved_in_world(const LawContext& k, std::string_view parameter) {
    const Vec3 given = vector_or(k, parameter, kZero);
    const bool one = k.element().connector("frame_a") == nullptr;
    std::size_t where = choice(k, "resolve");
    if (one && where > 0) ++where;  // its choices leave out frame_a
    switch (where) {
        case kInFrameA:
            return pose_of(k, "frame_a").R.transpose() * given;
        case kInFrameB:
            return pose_of(k, "frame_b").R.transpose() * given;
        case kInFrameResolve:
            return pose_of(k, "frame_resolve").R.transpose() * given;
        default:
            return given;
    }
}

ExprMatrix force_in_world(const LawContext& k) { return resolved_in_world(k, "f"); }
ExprMatrix torque_in_b(const LawContext& k) { return pose_of(k, "frame_b").R * resolved_in_world(k, "t"); }

void build_world_load(PartsBuilder& b) {
    if (b.has("f")) b.attach("frame_b", "trans", b.add("force", b.type("Se"), {{"e", force_in_world}}));
    if (b.has("t")) b.attach("frame_b", "rot", b.add("torque", b.type("Se"), {{"e", torque_in_b}}));
}

Step to_frame_b() {
    return {.kind = Step::Kind::translate, .d = [](const LawContext& k) {
                const Pose a = pose_of(k, "frame_a");
                return Vec3(a.R * Vec3(pose_of(k, "frame_b").x - a.x));
            }};
}

// The force works on the velocity of frame_b against the point of frame_a's body that lies there.
void build_force(PartsBuilder& b) {
    ChainBuilder chain(b);
    const PartEnd turning = chain.angular_velocity();
    chain.step(to_frame_b());
    const PartEnd carried = chain.velocity();
    const PartEnd moved = b.junction1("v_b", 3, "translational");
    b.attach("frame_b", "trans", moved);
    const PartEnd between = b.junction0("v_rel", 3, "translational");
    b.bond(between, moved);
    b.bond(carried, between);
    b.bond(b.add("force", b.type("Se"), {{"e", force_in_world}}), between);
    if (!b.has("t")) return;
    const PartEnd turn =
        b.add("turn", kTurn, {{"P", [](const LawContext& k) {
                                   return ExprMatrix(pose_of(k, "frame_b").R * pose_of(k, "frame_a").R.transpose());
                               }}});
    b.direct(turn, true);
    b.bond(turning, PartsBuilder::port(turn, "p1"));
    const PartEnd relative = b.junction0("w_rel", 3, "rotational");
    b.bond(PartsBuilder::port(turn, "p2"), relative);
    const PartEnd turned = b.junction1("w_b", 3, "rotational");
    b.attach("frame_b", "rot", turned);
    b.bond(relative, turned);
    b.bond(b.add("torque", b.type("Se"), {{"e", torque_in_b}}), relative);
}

// What acts at frame_b, and the reaction where there is a frame_a.
std::vector<Shape3D> load_shape(const LawContext& k) {
    const bool reacts = k.element().connector("frame_a") != nullptr;
    std::vector<Shape3D> arrows;
    for (const auto& [parameter, measures] : {std::pair{"f", "force"}, std::pair{"t", "torque"}}) {
        if (!k.has(parameter)) continue;
        const Vec3 value = resolved_in_world(k, parameter);
        arrows.push_back(arrow_at(k, measures, "frame_b", value));
        if (reacts) arrows.push_back(arrow_at(k, measures, "frame_a", scaled(-1.0, value)));
    }
    return arrows;
}

void no_law(LawContext&) {}

ComponentType force_type(std::string_view name, bool two, void (*builder)(PartsBuilder&)) {
    ComponentType t;
    t.name = name;
    t.structure = Structure::block;
    t.law = no_law;
    t.source = kMultibondLibrary;
    const ConnectorSpec b{"frame_b", &converters::kFrame, "force and torque act here", PortDirection::out};
    const ConnectorSpec resolve{"frame_resolve", &converters::kFrame,
                                "resolves the components (resolve: frame_resolve)", PortDirection::in, true};
    if (two)
        t.connectors = {{"frame_a", &converters::kFrame, "takes the reaction"}, b, resolve};
    else
        t.connectors = {b, resolve};
    t.build = builder;
    t.shapes = load_shape;
    t.check = [](const LawContext& k, Diagnostics& d) {
        for (const char* name : {"f", "t"}) check_vector(k, name, d);
        const bool to_resolve = choice(k, "resolve") == (k.element().connectors.size() == 3 ? 3U : 2U);
        const bool joined = !k.element().connectors.back().signals.empty();
        if (!to_resolve && joined)
            d.error("BG-F006", place_of(k, "resolve"),
                    fmt::format("frame_resolve of '{}' is connected, but it resolves in {}", k.element().name,
                                k.element().type->parameters.back().choices[choice(k, "resolve")]),
                    {{"because", "its components would be read in another frame than the one connected for them"},
                     {"try", "add resolve: frame_resolve, or remove the connection"}});
        if (!to_resolve || joined) return;
        d.error("BG-F006", k.element().position,
                fmt::format("'{}' resolves in frame_resolve, which is not connected", k.element().name),
                {{"try", "connect it, or choose another 'resolve:'"}});
    };
    return t;
}

}  // namespace

const ComponentType kWorldForce = [] {
    ComponentType t = force_type("WorldForce", false, build_world_load);
    t.summary = "A force from the world on a frame.";
    t.law_text = "f acts on what frame_b is connected to";
    t.example = "push: {type: WorldForce, f: [10 N, 0, 0]}";
    t.parameters = {load("f", "force; may be modulated", "N"), resolve_one()};
    return t;
}();

const ComponentType kWorldTorque = [] {
    ComponentType t = force_type("WorldTorque", false, build_world_load);
    t.summary = "A torque from the world on a frame.";
    t.law_text = "t acts on what frame_b is connected to";
    t.example = "twist: {type: WorldTorque, t: [0, 0, 1 N.m]}";
    t.parameters = {load("t", "torque; may be modulated", "N.m"), resolve_one()};
    return t;
}();

const ComponentType kForce = [] {
    ComponentType t = force_type("Force", true, build_force);
    t.summary =
        "A force between two frames: f acts at frame_b, its reaction at frame_a with the moment that belongs to it.";
    t.law_text = "f_b = f, f_a = -f, t_a = -r x f with r from frame_a to frame_b";
    t.example = "actuator: {type: Force, f: [0, 5 N, 0], resolve: frame_a}";
    t.parameters = {load("f", "force; may be modulated", "N"), resolve_two()};
    return t;
}();

const ComponentType kTorque = [] {
    ComponentType t = force_type("Torque", true, build_force);
    t.summary = "A torque between two frames: t acts at frame_b, its reaction at frame_a.";
    t.law_text = "t_b = t, t_a = -t";
    t.example = "drive: {type: Torque, t: [0, 0, 2 N.m], resolve: frame_b}";
    t.parameters = {load("t", "torque; may be modulated", "N.m"), resolve_two()};
    return t;
}();

const ComponentType kForceAndTorque = [] {
    ComponentType t = force_type("ForceAndTorque", true, build_force);
    t.summary = "Force and torque between two frames.";
    t.law_text = "f_b = f, f_a = -f, t_b = t, t_a = -t - r x f with r from frame_a to frame_b";
    t.example = "thruster: {type: ForceAndTorque, f: [0, 10 N, 0], t: [0, 0, 1 N.m]}";
    t.parameters = {load("f", "force; may be modulated", "N"), load("t", "torque; may be modulated", "N.m"),
                    resolve_two()};
    return t;
}();

}  // namespace bondgraph::mechanics3d
