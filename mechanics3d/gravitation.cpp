// Gravity between two bodies.

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

constexpr double kGravitationalConstant = 6.67430e-11;  ///< m3/(kg s2), CODATA 2018 and 2022

Expr strength(const LawContext& k) { return k.scalar("G") * k.scalar("m_a") * k.scalar("m_b"); }

void build_gravitation(PartsBuilder& b) {
    line_variables(b);
    b.bond(build_line(b), b.add("attraction", kPotential,
                                {{"e",
                                  [](const LawContext& k) {
                                      const Expr s = k.slot("s")(0);
                                      return ExprMatrix(ExprMatrix::Constant(1, 1, strength(k) / (s * s)));
                                  }},
                                 {"U", [](const LawContext& k) {
                                      return ExprMatrix(ExprMatrix::Constant(1, 1, -strength(k) / k.slot("s")(0)));
                                  }}}));
}

/// 0 where the frames coincide, and next to it where they are going to meet within an instant: the time that the bodies
/// need to fall into each other from here is nothing beside the time of the run. Bodies may be atoms or galaxies, so
/// that no length by itself is a small one.
Expr apart(const LawContext& k) {
    constexpr double kInstant = 1e-8;
    constexpr double kNothing = 1e-36;  // keeps 0/0 away
    const Expr s = line_of(k).length;
    const Expr time = k.expressions().time();
    const Expr pull = k.scalar("G") * (k.scalar("m_a") + k.scalar("m_b"));
    return s * s * s / (s * s * s + Expr(kInstant * kInstant) * pull * time * time + Expr(kNothing));
}

ParameterSpec mass_at(std::string_view name, std::string_view doc) {
    return {.name = name, .doc = doc, .shape = Shape::scalar, .minimum = 0.0, .unit = "kg"};
}

}  // namespace

const ComponentType kGravitation = [] {
    ComponentType t;
    t.name = "Gravitation";
    t.structure = Structure::block;
    t.summary =
        "Gravity between two bodies: point masses, or balls whose density depends on the distance from their centres, "
        "at the origins of two frames. Where these coincide the force is infinite: a run that comes there ends.";
    t.law_text =
        "f = G m_a m_b/s^2, s = |x_b - x_a|; pulls both ends together (f > 0), with the potential energy -G m_a m_b/s";
    t.example = "pull: {type: Gravitation, m_a: 2e6 kg, m_b: 500 kg}";
    t.parameters = {mass_at("m_a", "mass at frame_a that attracts and is attracted; the body there is given its own"),
                    mass_at("m_b", "mass at frame_b"),
                    number("G", "gravitational constant", "m3/(kg.s2)", kGravitationalConstant)};
    t.law = [](LawContext& k) { line_law(k, line_of(k).length); };
    t.source = "Goldstein: Classical Mechanics, chapter 3; G: CODATA recommended values of 2022";
    t.connectors = {{"frame_a", &converters::kFrame, "one body"},
                    {"frame_b", &converters::kFrame, "the other body", PortDirection::out}};
    t.build = build_gravitation;
    t.singular = [](const LawContext& k) -> std::optional<SingularPosition> {
        return SingularPosition{
            .distance = apart(k),
            .what = "the ends",
            .remedy = "start with its ends apart (initial:), and keep bodies from falling into each other",
            .barrier = {},
            .says = "coincide: the attraction is infinite there"};
    };
    return t;
}();

}  // namespace bondgraph::mechanics3d
