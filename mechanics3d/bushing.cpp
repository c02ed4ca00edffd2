// An elastic bearing between two frames.

#include "converters/frames.hpp"
#include "mechanics3d/chain.hpp"
#include "mechanics3d/gravity.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/two_ports.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

using DeformationOf = Vec3 (*)(const LawContext&);

Vec3 offset(const LawContext& k) {
    const Pose a = pose_of(k, "frame_a");
    return a.R * Vec3(pose_of(k, "frame_b").x - a.x);
}

// Of frame_b against frame_a.
Mat3 relative_orientation(const LawContext& k) { return pose_of(k, "frame_b").R * pose_of(k, "frame_a").R.transpose(); }

// Successive turns about x, y, z.
Vec3 angles_of(const LawContext& k) {
    const Mat3 S = relative_orientation(k);
    return vec3(atan2(-S(2, 1), S(2, 2)), atan2(S(2, 0), expression::sqrt(S(0, 0) * S(0, 0) + S(1, 0) * S(1, 0))),
                atan2(-S(1, 0), S(0, 0)));
}

// Relative angular velocity in frame_b → rates of the angles.
ExprMatrix angle_rates(const LawContext& k) {
    const auto phi = k.slot("phi");
    const Expr c = cos(phi(2)), s = sin(phi(2)), slope = tan(phi(1)), along = cos(phi(1));
    ExprMatrix m(3, 3);
    m << c / along, -s / along, 0.0, s, c, 0.0, -(slope * c), slope * s, 1.0;
    return m;
}

ExprMatrix diagonal(const LawContext& k, const char* parameter) { return k.matrix(parameter, 3, 3); }

Vec3 stretch(const LawContext& k) { return Vec3(k.slot("r")) - vector_or(k, "r_0", vec3(0.0, 0.0, 0.0)); }
Vec3 twist(const LawContext& k) { return Vec3(k.slot("phi")); }

// Spring and damper where the deformation's rate is the common flow.
void add_elasticity(PartsBuilder& b, const PartEnd& at, const char* c, const char* d, DeformationOf deformation) {
    const auto force = [=](const LawContext& k) { return ExprMatrix(diagonal(k, c) * deformation(k)); };
    const auto energy = [=](const LawContext& k) {
        const Vec3 u = deformation(k);
        return ExprMatrix(Expr(0.5) * (u.transpose() * (diagonal(k, c) * u)));
    };
    if (b.has(c)) b.bond(at, b.add(b.unique("spring"), kPotential, {{"e", force}, {"U", energy}}));
    if (b.has(d))
        b.bond(at,
               b.add(b.unique("damper"), b.type("R"), {{"R", [=](const LawContext& k) { return diagonal(k, d); }}}));
}

// A transformer into the coordinates of the deformation, and the 1-junction of their rates.
PartEnd add_rates(PartsBuilder& b, const PartEnd& relative, const char* name, const char* domain,
                  std::function<ExprMatrix(const LawContext&)> map) {
    const PartEnd transformer = b.add(std::string("into_") + name, b.type("TF"), {{"m", std::move(map)}});
    b.direct(transformer, true);
    b.bond(relative, PartsBuilder::port(transformer, "p1"));
    const PartEnd rates = b.junction1(name, 3, domain);
    b.bond(PartsBuilder::port(transformer, "p2"), rates);
    return rates;
}

void build_translation(PartsBuilder& b, ChainBuilder& chain) {
    chain.step({.kind = Step::Kind::translate, .d = offset, .dd = [](const LawContext& k) {
                    return Vec3(k.part("r_rate").flow(0));
                }});
    const PartEnd moved = b.junction1("v_b", 3, "translational");
    b.attach("frame_b", "trans", moved);
    const PartEnd relative = b.junction0("v_rel", 3, "translational");
    b.bond(moved, relative);
    b.bond(relative, chain.velocity());
    const PartEnd rates = add_rates(b, relative, "r_rate", "translational",
                                    [](const LawContext& k) { return ExprMatrix(pose_of(k, "frame_a").R); });
    add_elasticity(b, rates, "c", "d", stretch);
}

void build_rotation(PartsBuilder& b, const PartEnd& turning) {
    const PartEnd turned = b.junction1("w_b", 3, "rotational");
    b.attach("frame_b", "rot", turned);
    const PartEnd relative = b.junction0("w_rel", 3, "rotational");
    b.bond(turned, relative);
    const std::string near = b.local_name(turning);
    const auto back = [](const LawContext& k) { return ExprMatrix(relative_orientation(k).transpose()); };
    const PartEnd turn = b.add(
        "turn", kTurn, {{"P", back}, {"w", [=](const LawContext& k) {
                                          return ExprMatrix(k.part(near).flow(0) - back(k) * k.part("w_b").flow(0));
                                      }}});
    b.direct(turn, false);
    b.bond(relative, PartsBuilder::port(turn, "p1"));
    b.bond(PartsBuilder::port(turn, "p2"), turning);
    const PartEnd rates = add_rates(b, relative, "phi_rate", "rotational", angle_rates);
    add_elasticity(b, rates, "c_phi", "d_phi", twist);
}

void build_bushing(PartsBuilder& b) {
    b.variable("r", 3, "m");
    b.variable("phi", 3, "");
    ChainBuilder chain(b);
    const PartEnd turning = chain.angular_velocity();
    build_translation(b, chain);
    build_rotation(b, turning);
}

void bushing_law(LawContext& k) {
    k.equations(k.slot("r"), offset(k));
    k.equations(k.slot("phi"), angles_of(k));
}

ParameterSpec three(std::string_view name, std::string_view doc, std::string_view unit) {
    return {.name = name, .doc = doc, .shape = Shape::matrix, .unit = unit, .required = false, .may_vary = true};
}

}  // namespace

const ComponentType kBushing{
    .name = "Bushing",
    .structure = Structure::block,
    .summary =
        "An elastic bearing between two frames: stiffness and damping along the axes of frame_a and against "
        "successive turns about x, y and z. Meant for small angles; the middle one stays below 90 degrees.",
    .law_text =
        "f = c (r - r_0) + d dr/dt in frame_a, moments of the angles: c_phi phi + d_phi dphi/dt; "
        "r = R_a (x_b - x_a), R_b R_a^T = R_z(phi_3) R_y(phi_2) R_x(phi_1)",
    .example = "mount: {type: Bushing, c: [2e5 N/m, 2e5 N/m, 5e4 N/m], d: 300 N.s/m, c_phi: 500 N.m, d_phi: 2 N.m.s}",
    .parameters = {three("c", "stiffness: one for all axes, one for each, or a symmetric matrix", "N/m"),
                   three("d", "damping, likewise", "N.s/m"), three("c_phi", "stiffness against turns, likewise", "N.m"),
                   three("d_phi", "damping of turns, likewise", "N.m.s"),
                   varying(arm("r_0", "position of frame_b in frame_a without force"))},
    .law = bushing_law,
    .source = "Shabana: Dynamics of Multibody Systems, chapter 3",
    .connectors = {{"frame_a", &converters::kFrame, "its axes are those of the bearing"},
                   {"frame_b", &converters::kFrame, "the other side", PortDirection::out}},
    .build = build_bushing,
    .check = [](const LawContext& k, Diagnostics& d) { check_vector(k, "r_0", d); },
    .shapes = block_shape,
    .singular = [](const LawContext& k) -> std::optional<SingularPosition> {
        return SingularPosition{cos(k.slot("phi")(1)), "the angles of the bearing", "a joint in its place"};
    },
};

}  // namespace bondgraph::mechanics3d
