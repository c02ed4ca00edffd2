// Bodies with mass. The multibond graph: at the centre of mass a 1-junction of velocity with the mass and its weight,
// and one of angular velocity with the inertia and the Euler junction structure.

#include "mechanics3d/bodies.hpp"

#include <fmt/format.h>

#include <Eigen/Eigenvalues>

#include "converters/frames.hpp"
#include "mechanics3d/free_orientation.hpp"
#include "mechanics3d/gravity.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/two_ports.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

Mat3 inertia_of(const LawContext& k) {
    const Expr xy = scalar_or(k, "I_21", 0.0);
    const Expr xz = scalar_or(k, "I_31", 0.0);
    const Expr yz = scalar_or(k, "I_32", 0.0);
    Mat3 J;
    J << scalar_or(k, "I_11", 0.0), xy, xz, xy, scalar_or(k, "I_22", 0.0), yz, xz, yz, scalar_or(k, "I_33", 0.0);
    return J;
}

Vec3 centre_of(const LawContext& k) { return vector_or(k, "r_CM", vec3(0.0, 0.0, 0.0)); }

void build_body(PartsBuilder& b) {
    ChainBuilder chain = begin_body(b, true);
    add_mass(b, chain, given_properties(), b.has("r_CM"), has_inertia(b));
}

void build_point_mass(PartsBuilder& b) {
    // Without extension it can't be turned. As a root it stands for the orientation of what hangs on it, which is free.
    ChainBuilder chain = begin_body(b, b.root() && b.exchanges_power("frame_a", "rot"));
    add_mass(b, chain, {.m = [](const LawContext& k) { return k.scalar("m"); }}, false, false);
}

std::vector<StateSpec> point_mass_states() {
    return {{"x", "position, where nothing carries the mass", {}, "", "m"},
            {"v", "velocity, in the world", {}, "", "m/s"},
            {"q", "quaternion of the orientation of what hangs on it (vector part, scalar part)", {}, ""},
            {"w", "angular velocity of that, in the frame", {}, "", "rad/s"}};
}

void build_free_point(PartsBuilder& b) { begin_body(b, b.root() && b.exchanges_power("frame_a", "rot")); }

ParameterSpec moment(std::string_view name, std::string_view doc) {
    return {.name = name, .doc = doc, .shape = Shape::scalar, .unit = "kg.m2", .required = false};
}

}  // namespace

void check_world(const LawContext& k, Diagnostics& diagnostics) {
    const auto told = [](const Diagnostic& d) { return d.code == "BG-F001"; };
    if (k.first_of(kWorld) || std::any_of(diagnostics.items().begin(), diagnostics.items().end(), told)) return;
    diagnostics.error("BG-F001", k.element().position,
                      fmt::format("'{}' needs a World: nothing says what gravity acts on it", k.element().name),
                      {{"try", "add 'world: {type: World}', or with 'gravity: none'"}});
}

const MassProperties& given_properties() {
    static const MassProperties properties{
        .m = [](const LawContext& k) { return k.scalar("m"); }, .centre = centre_of, .inertia = inertia_of};
    return properties;
}

bool has_inertia(const PartsBuilder& b) {
    const auto names = {"I_11", "I_22", "I_33", "I_21", "I_31", "I_32"};
    return std::any_of(names.begin(), names.end(), [&](const char* name) { return b.has(name); });
}

std::vector<StateSpec> free_body_states() {
    return {{"x", "position of frame_a, where nothing carries the body", {}, "", "m"},
            {"v", "velocity of frame_a, in the world", {}, "", "m/s"},
            {"q", "quaternion of its orientation (vector part, scalar part)", {}, ""},
            {"w", "angular velocity, in the body", {}, "", "rad/s"}};
}

void check_mass(const LawContext& k, Expr m, Diagnostics& diagnostics) {
    if (!m.is_constant() || m.constant() > 0.0) return;
    diagnostics.error(
        "BG-F005", k.element().position,
        fmt::format("'{}' has no mass: {:.6g} kg follow from its dimensions", k.element().name, m.constant()),
        {{"try", "give dimensions greater than those of the hole, or use a FixedTranslation"}});
}

ParameterSpec mass_parameter() {
    return {
        .name = "m", .doc = "mass", .shape = Shape::scalar, .minimum = 0.0, .exclusive_minimum = true, .unit = "kg"};
}

std::vector<ParameterSpec> inertia_parameters() {
    return {moment("I_11", "moment of inertia about the x-axis through the centre of mass; 0 by default"),
            moment("I_22", "about the y-axis"),
            moment("I_33", "about the z-axis"),
            moment("I_21", "product of inertia (element of the tensor)"),
            moment("I_31", "product of inertia"),
            moment("I_32", "product of inertia")};
}

void check_inertia(const LawContext& k, Diagnostics& diagnostics) {
    Eigen::Matrix3d J;
    const Mat3 given = inertia_of(k);
    for (Eigen::Index i = 0; i < 9; ++i) {
        if (!given.data()[i].is_constant()) return;
        J.data()[i] = given.data()[i].constant();
    }
    const Eigen::Vector3d principal = Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(J).eigenvalues();
    const double rounding = 1e-12 * principal.cwiseAbs().maxCoeff();
    if (principal(0) < -rounding) {
        diagnostics.error(
            "BG-F003", k.element().position,
            fmt::format("the inertia of '{}' is not positive definite: a principal moment is {:.6g} kg.m2",
                        k.element().name, principal(0)),
            {{"because", "turning about that axis would release energy"},
             {"try", "check the signs and magnitudes of I_21, I_31, I_32 against I_11, I_22, I_33"}});
    } else if (principal(0) > 0.0 && principal(0) + principal(1) < principal(2) * (1.0 - 1e-6)) {
        diagnostics.warning(
            "BG-F004", k.element().position,
            fmt::format("no distribution of mass has the inertia of '{}': its principal moments are {:.6g}, {:.6g} "
                        "and {:.6g} kg.m2, and the largest exceeds the sum of the others",
                        k.element().name, principal(0), principal(1), principal(2)));
    }
}

ChainBuilder begin_body(PartsBuilder& b, bool rotates) {
    ChainBuilder chain(b);
    if (!b.root()) return chain;
    const PartEnd velocity = chain.velocity();
    b.state("v", 3, "m/s");
    b.bond(velocity, b.own_port("v_rate", PortDirection::in));
    const PartEnd turning = chain.angular_velocity();
    if (rotates) {
        b.state("w", 3, "rad/s");
        b.bond(turning, b.own_port("w_rate", PortDirection::in));
    } else {
        const auto zero = [](const LawContext&) { return ExprMatrix(ExprMatrix::Zero(3, 1)); };
        b.bond(b.add("orientation", b.type("Sf"), {{"f", zero}}), turning);
    }
    b.state("x", 3, "m");
    if (rotates) orientation_state(b, false);
    return chain;
}

void add_mass(PartsBuilder& b, ChainBuilder& chain, const MassProperties& properties, bool off_centre, bool inertia) {
    const auto orientation = chain.orientation();
    if (inertia) {
        const auto J = [f = properties.inertia](const LawContext& k) { return ExprMatrix(f(k)); };
        const PartEnd turning = chain.angular_velocity();
        b.bond(turning, b.add("inertia", b.type("I"), {{"I", J}}));
        b.bond(turning, b.add("gyroscopic", kEulerGyrator, {{"J", J}}));
    }
    if (off_centre) chain.step({.kind = Step::Kind::translate, .d = properties.centre});
    const auto position = [centre = properties.centre, at = properties.connector, orientation](const LawContext& k) {
        const Pose a = pose_of(k, at);
        return centre ? Vec3(a.x + orientation(k).transpose() * centre(k)) : a.x;
    };
    const PartEnd velocity = chain.velocity();
    b.bond(velocity, b.add("mass", b.type("I"), {{"I", [m = properties.m](const LawContext& k) {
                                                      return ExprMatrix(ExprMatrix::Constant(1, 1, m(k)));
                                                  }}}));
    std::vector<PartParameter> weight{{"e", [m = properties.m, position](const LawContext& k) {
                                           return ExprMatrix(scaled(-m(k), gravity(k, position(k))));
                                       }}};
    weight.push_back({"U", [m = properties.m, position](const LawContext& k) {
                          const auto U = potential_energy(k, m(k), position(k));
                          return U ? ExprMatrix(ExprMatrix::Constant(1, 1, *U)) : ExprMatrix();
                      }});
    b.bond(velocity, b.add("weight", kPotential, std::move(weight)));
}

void body_law(LawContext& k) {
    if (!k.element().root) return;
    const Element& e = k.element();
    const bool rotates = e.slot("w") != nullptr;
    coordinate_law(k, 0, "v");
    if (rotates) coordinate_law(k, 1, "w");
    k.equations(k.derivative("x"), k.slot("v"));
    Mat3 R = identity();
    if (rotates) {
        orientation_law(k);
        R = free_orientation(k);
    }
    give_pose(k, "frame_a", {Vec3(k.slot("x")), R});
}

const ComponentType kBody{
    .name = "Body",
    .structure = Structure::border,
    .summary =
        "A rigid body: mass and inertia at the centre of mass r_CM. One that no joint carries moves freely, with "
        "position x, velocity v, quaternion q and angular velocity w as states.",
    .law_text = "m dv_CM/dt = f + m g;  J dw/dt + w x (J w) = t  (about the centre of mass, in the frame)",
    .example = "body: {type: Body, m: 2 kg, r_CM: [0.5 m, 0, 0], I_33: 0.1 kg.m2}",
    .parameters =
        [] {
            std::vector<ParameterSpec> all{mass_parameter(), arm("r_CM", "centre of mass, in frame_a")};
            for (const ParameterSpec& p : inertia_parameters()) all.push_back(p);
            return all;
        }(),
    .states = free_body_states(),
    .start_aliases = {angles_alias()},
    .causality = coordinate_causality,
    .law = body_law,
    .source = kBos,
    .connectors = {{"frame_a", &converters::kFrame, "fixed in the body"}},
    .free_rates = true,
    .root = RootKind::if_needed,
    .build = build_body,
    .check =
        [](const LawContext& k, Diagnostics& d) {
            check_world(k, d);
            check_vector(k, "r_CM", d);
            check_inertia(k, d);
        },
    .shapes = mass_shape,
};

const ComponentType kPointMass{
    .name = "PointMass",
    .structure = Structure::border,
    .summary =
        "A mass without extension. One that no joint carries moves freely, with position x and velocity v as states, "
        "and quaternion q and angular velocity w where rods or joints hang on it.",
    .law_text = "m dv/dt = f + m g, t = 0",
    .example = "ball: {type: PointMass, m: 1 kg}",
    .parameters = {mass_parameter()},
    .states = point_mass_states(),
    .start_aliases = {angles_alias()},
    .causality = coordinate_causality,
    .law = body_law,
    .source = kBos,
    .connectors = {{"frame_a", &converters::kFrame, "at the mass"}},
    .free_rates = true,
    .root = RootKind::at_last,
    .build = build_point_mass,
    .check = check_world,
    .shapes = mass_shape,
};

const ComponentType kFreePoint{
    .name = "FreePoint",
    .structure = Structure::border,
    .summary =
        "A point without mass at which springs and other forces meet: its place follows from their balance. Dampers "
        "there need to act in all directions, or in none.",
    .law_text = "0 = f, t = 0",
    .example = "node: {type: FreePoint}",
    .states = {{"x", "position; guess: it where forces balance in several places", {}, "", "m"},
               {"v", "its rate", {}, "", "m/s"}},
    .causality = coordinate_causality,
    .law = body_law,
    .source = kBos,
    .connectors = {{"frame_a", &converters::kFrame, "the point"}},
    .free_rates = true,
    .root = RootKind::at_last,
    .build = build_free_point,
    .shapes = mass_shape,
};

}  // namespace bondgraph::mechanics3d
