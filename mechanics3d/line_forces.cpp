// Forces along the line between two frames. Positive tension pulls the frames together; lengths at which the frames
// coincide are singular.

#include "converters/frames.hpp"
#include "mechanics3d/gravity.hpp"
#include "mechanics3d/line.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

ExprMatrix one(Expr e) { return ExprMatrix::Constant(1, 1, e); }

}  // namespace

void add_spring(PartsBuilder& b, const PartEnd& at) {
    const auto stretch = [](const LawContext& k) { return k.slot("s")(0) - k.scalar("s_unstretched"); };
    b.bond(
        at,
        b.add("spring", kPotential,
              {{"e", [=](const LawContext& k) { return one(k.scalar("c") * stretch(k)); }},
               {"U", [=](const LawContext& k) { return one(Expr(0.5) * k.scalar("c") * stretch(k) * stretch(k)); }}}));
}

void add_damper(PartsBuilder& b, const PartEnd& at) {
    b.bond(at, b.add("damper", b.type("R"), {{"R", [](const LawContext& k) { return one(k.scalar("d")); }}}));
}

ParameterSpec stiffness() { return varying(number("c", "stiffness", "N/m")); }
ParameterSpec unstretched() { return varying(number("s_unstretched", "length without force", "m", 0.0)); }
ParameterSpec damping() { return varying(number("d", "damping", "N.s/m")); }

namespace {

void build_spring(PartsBuilder& b) {
    line_variables(b);
    add_spring(b, build_line(b));
}
void build_damper(PartsBuilder& b) {
    line_variables(b);
    add_damper(b, build_line(b));
}
void build_parallel(PartsBuilder& b) {
    line_variables(b);
    const PartEnd line = build_line(b);
    add_spring(b, line);
    add_damper(b, line);
}
// Spring and damper share the force: the damper's length is a state, the spring has the rest.
void build_series(PartsBuilder& b) {
    line_variables(b);
    const PartEnd node = b.junction0("force", 1, "translational");
    b.bond(build_line(b), node);
    const PartEnd spring =
        b.add("spring", b.type("C"), {{"K", [](const LawContext& k) { return one(k.scalar("c")); }}});
    b.keep_state(spring);
    b.bond(node, spring);
    add_damper(b, node);
}
void build_line_force(PartsBuilder& b) {
    line_variables(b);
    build_line(b);
}

void law_of_line(LawContext& k) { line_law(k, line_of(k).length); }

std::vector<ConnectorSpec> two_frames() {
    return {{"frame_a", &converters::kFrame, "one end"},
            {"frame_b", &converters::kFrame, "the other end", PortDirection::out}};
}

ComponentType line_type(std::string_view name, void (*builder)(PartsBuilder&)) {
    ComponentType t;
    t.name = name;
    t.structure = Structure::block;
    t.law = law_of_line;
    t.source = kMultibondLibrary;
    t.connectors = two_frames();
    t.build = builder;
    t.singular = [](const LawContext& k) -> std::optional<SingularPosition> {
        return line_without_direction(line_of(k).length);
    };
    t.shapes = name == "Damper" || name == "LineForce" ? line_shape : spring_shape;
    return t;
}

}  // namespace

const ComponentType kSpring = [] {
    ComponentType t = line_type("Spring", build_spring);
    t.summary = "Linear spring between two frames, along their line.";
    t.law_text = "f = c (s - s_unstretched), s = |x_b - x_a|; pulls both ends together for f > 0";
    t.example = "spring: {type: Spring, c: 100 N/m, s_unstretched: 0.1 m}";
    t.parameters = {stiffness(), unstretched()};
    return t;
}();

const ComponentType kDamper = [] {
    ComponentType t = line_type("Damper", build_damper);
    t.summary = "Linear damper between two frames, along their line.";
    t.law_text = "f = d ds/dt, s = |x_b - x_a|";
    t.example = "damper: {type: Damper, d: 10 N.s/m}";
    t.parameters = {damping()};
    return t;
}();

const ComponentType kSpringDamperParallel = [] {
    ComponentType t = line_type("SpringDamperParallel", build_parallel);
    t.summary = "Linear spring and damper side by side between two frames.";
    t.law_text = "f = c (s - s_unstretched) + d ds/dt, s = |x_b - x_a|";
    t.example = "strut: {type: SpringDamperParallel, c: 1000 N/m, d: 50 N.s/m, s_unstretched: 0.2 m}";
    t.parameters = {stiffness(), unstretched(), damping()};
    return t;
}();

const ComponentType kSpringDamperSeries = [] {
    ComponentType t = line_type("SpringDamperSeries", build_series);
    t.summary = "Linear spring and damper one after the other between two frames.";
    t.law_text = "f = c q = d v_damper, dq/dt + v_damper = ds/dt, s = |x_b - x_a|; the spring's stretch is spring.q";
    t.example = "link: {type: SpringDamperSeries, c: 1000 N/m, d: 50 N.s/m}";
    t.parameters = {stiffness(), damping()};
    t.start_aliases = {};
    return t;
}();

const ComponentType kLineForce = [] {
    ComponentType t = line_type("LineForce", build_line_force);
    t.summary =
        "Force along the line between two frames, given by bond-graph elements on its port: their flow "
        "is ds/dt.";
    t.law_text =
        "line.f = ds/dt, s = |x_b - x_a|; an element that takes power from the port has the tension as its effort. "
        "What "
        "gives the rate (a source of flow, a lock) moves or holds the frames: 1 condition, with the tension as its "
        "force";
    t.example = "actuator: {type: LineForce}";
    t.ports = {{.name = "line",
                .doc = "rate of the length; what takes power here (spring, damper) pulls, a source pushes",
                .domain = "translational",
                .connector = &converters::kTranslationalFlange}};
    t.states = line_states();
    t.driven = &kDrivenLineForce;
    return t;
}();

const ComponentType kDrivenLineForce = driven_line(kLineForce);

}  // namespace bondgraph::mechanics3d
