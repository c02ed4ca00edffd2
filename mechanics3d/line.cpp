#include "mechanics3d/line.hpp"

#include "mechanics3d/chain.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

Line line_of(const LawContext& component) {
    Line line;
    line.between = pose_of(component, "frame_b").x - pose_of(component, "frame_a").x;
    line.length = expression::sqrt(dot(line.between, line.between));
    line.along = scaled(Expr(1.0) / line.length, line.between);
    return line;
}

void line_variables(PartsBuilder& b) {
    b.variable("s", 1, "m");
    b.variable("f", 1, "N");
}

void line_law(LawContext& k, Expr length) {
    k.equation(k.slot("s")(0), length);
    k.equation(k.slot("f")(0), k.part("along").effort(1)(0));
}

SingularPosition line_without_direction(const Expr& length) {
    // Lengths count in any unit: only what is nothing beside all of them is no length.
    constexpr double kNothing = 1e-12;
    return {.distance = length / (length + kNothing),
            .what = "the ends",
            .remedy = "start with its ends apart (initial:), or use a Bushing, whose ends may coincide",
            .barrier = {},
            .says = "coincide: its line has no direction"};
}

PartEnd build_line(PartsBuilder& b, const PartEnd& velocity_a, const PartEnd& velocity_b) {
    const PartEnd between = b.junction0("v_rel", 3, "translational");
    b.bond(velocity_b, between);
    b.bond(between, velocity_a);
    const PartEnd map = b.add("along", b.type("TF"),
                              {{"m", [](const LawContext& k) { return ExprMatrix(line_of(k).along.transpose()); }}});
    b.direct(map, true);
    b.bond(between, PartsBuilder::port(map, "p1"));
    const PartEnd line = b.junction1("line", 1, "translational");
    b.bond(PartsBuilder::port(map, "p2"), line);
    return line;
}

PartEnd build_line(PartsBuilder& b) {
    const PartEnd a = b.junction1("v_a", 3, "translational");
    const PartEnd c = b.junction1("v_b", 3, "translational");
    b.attach("frame_a", "trans", a);
    b.attach("frame_b", "trans", c);
    return build_line(b, a, c);
}

}  // namespace bondgraph::mechanics3d
