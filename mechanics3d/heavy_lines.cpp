// Line forces whose line carries point masses.

#include "converters/frames.hpp"
#include "mechanics3d/chain.hpp"
#include "mechanics3d/line.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/point_mass.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

struct Ends {
    PartEnd a;
    PartEnd b;
};

Ends attach_ends(PartsBuilder& b) {
    const Ends ends{b.junction1("v_a", 3, "translational"), b.junction1("v_b", 3, "translational")};
    b.attach("frame_a", "trans", ends.a);
    b.attach("frame_b", "trans", ends.b);
    return ends;
}

// A mass at a fixed fraction of the way from frame_a to frame_b moves with both ends.
void build_one_mass(PartsBuilder& b) {
    line_variables(b);
    const Ends ends = attach_ends(b);
    build_line(b, ends.a, ends.b);
    if (!b.has("m")) return;
    const ScalarOf fraction = [](const LawContext& k) { return scalar_or(k, "lengthFraction", 0.5); };
    add_mass_between(
        b, ends.a, ends.b, fraction, [](const LawContext& k) { return k.scalar("m"); },
        [=](const LawContext& k) {
            const Line line = line_of(k);
            return Vec3(pose_of(k, "frame_a").x + scaled(fraction(k), line.between));
        });
}

// A mass at a fixed distance from a frame along the line: the velocity along the line is the frame's, across it is
// shared in proportion to the distances.
void add_at_distance(PartsBuilder& b, const Ends& ends, const char* name, const char* mass, const char* distance,
                     bool from_b) {
    const auto map = [=](const LawContext& k, bool near) {
        const Line line = line_of(k);
        const Expr f = k.scalar(distance) / line.length;
        ExprMatrix across(3, 3);
        for (Eigen::Index i = 0; i < 3; ++i) {
            for (Eigen::Index j = 0; j < 3; ++j)
                across(i, j) = Expr(i == j ? 1.0 : 0.0) - line.along(i) * line.along(j);
        }
        ExprMatrix m(3, 3);
        for (Eigen::Index i = 0; i < 3; ++i) {
            for (Eigen::Index j = 0; j < 3; ++j)
                m(i, j) = near ? Expr(i == j ? 1.0 : 0.0) - f * across(i, j) : f * across(i, j);
        }
        return m;
    };
    const PartEnd sum = b.junction0(std::string(name) + "_sum", 3, "translational");
    const auto share = [&](const std::string& part, const PartEnd& end, bool near) {
        const PartEnd tf = b.add(part, b.type("TF"), {{"m", [=](const LawContext& k) { return map(k, near); }}});
        b.direct(tf, true);
        b.bond(end, PartsBuilder::port(tf, "p1"));
        b.bond(PartsBuilder::port(tf, "p2"), sum);
    };
    share(std::string(name) + "_near", from_b ? ends.b : ends.a, true);
    share(std::string(name) + "_far", from_b ? ends.a : ends.b, false);
    const PartEnd velocity = b.junction1(std::string(name) + "_v", 3, "translational");
    b.bond(sum, velocity);
    add_point_mass(
        b, velocity, [mass](const LawContext& k) { return k.scalar(mass); },
        [=](const LawContext& k) {
            const Line line = line_of(k);
            const Expr d = from_b ? -k.scalar(distance) : k.scalar(distance);
            return Vec3(pose_of(k, from_b ? "frame_b" : "frame_a").x + scaled(d, line.along));
        });
}

void build_two_masses(PartsBuilder& b) {
    line_variables(b);
    const Ends ends = attach_ends(b);
    build_line(b, ends.a, ends.b);
    if (b.has("m_a")) add_at_distance(b, ends, "a", "m_a", "L_a", false);
    if (b.has("m_b")) add_at_distance(b, ends, "b", "m_b", "L_b", true);
}

ComponentType heavy_type(std::string_view name, void (*builder)(PartsBuilder&)) {
    ComponentType t;
    t.name = name;
    t.structure = Structure::block;
    t.law = [](LawContext& k) { line_law(k, line_of(k).length); };
    t.source = kMultibondLibrary;
    t.connectors = {{"frame_a", &converters::kFrame, "one end"},
                    {"frame_b", &converters::kFrame, "the other end", PortDirection::out}};
    t.ports = {{.name = "line",
                .doc = "rate of the length; what takes power here (spring, damper) pulls, a source pushes",
                .domain = "translational",
                .connector = &converters::kTranslationalFlange}};
    t.states = line_states();
    t.build = builder;
    t.singular = [](const LawContext& k) -> std::optional<SingularPosition> {
        return line_without_direction(line_of(k).length);
    };
    t.shapes = line_shape;
    return t;
}

ParameterSpec optional_mass(std::string_view name, std::string_view doc) {
    return {.name = name, .doc = doc, .shape = Shape::scalar, .minimum = 0.0, .unit = "kg", .required = false};
}

}  // namespace

const ComponentType kLineForceWithMass = [] {
    ComponentType t = heavy_type("LineForceWithMass", build_one_mass);
    t.summary = "LineForce with a point mass at a fixed fraction of the way between the frames.";
    t.law_text =
        "line.f = ds/dt, an element that takes power from the port has the tension as its effort;  m at x_a + "
        "lengthFraction (x_b - x_a)";
    t.example = "cable: {type: LineForceWithMass, m: 2 kg, lengthFraction: 0.5}";
    t.parameters = {optional_mass("m", "point mass"),
                    {.name = "lengthFraction",
                     .doc = "where the mass is: 0 at frame_a, 1 at frame_b",
                     .shape = Shape::scalar,
                     .default_value = 0.5,
                     .required = false}};
    t.driven = &kDrivenLineForceWithMass;
    return t;
}();

const ComponentType kDrivenLineForceWithMass = driven_line(kLineForceWithMass);

const ComponentType kLineForceWithTwoMasses = [] {
    ComponentType t = heavy_type("LineForceWithTwoMasses", build_two_masses);
    t.summary = "LineForce with a point mass at a fixed distance from each frame, as in a cylinder and its piston.";
    t.law_text =
        "line.f = ds/dt, an element that takes power from the port has the tension as its effort;  m_a at L_a from "
        "frame_a, m_b at L_b from frame_b, on the line";
    t.example = "cylinder: {type: LineForceWithTwoMasses, m_a: 5 kg, L_a: 0.2 m, m_b: 3 kg, L_b: 0.2 m}";
    t.parameters = {optional_mass("m_a", "point mass near frame_a"), number("L_a", "its distance", "m", 0.0),
                    optional_mass("m_b", "point mass near frame_b"), number("L_b", "its distance", "m", 0.0)};
    t.driven = &kDrivenLineForceWithTwoMasses;
    return t;
}();

const ComponentType kDrivenLineForceWithTwoMasses = driven_line(kLineForceWithTwoMasses);

}  // namespace bondgraph::mechanics3d
