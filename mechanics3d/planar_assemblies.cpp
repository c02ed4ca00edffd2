// Assemblies of joints and rods for loops that move in a plane: two rods between revolute joints with parallel axes,
// the last of which may be a prismatic joint across them.
//
// Only the two conditions in the plane hold the rods together. What would keep them in it the rest of the loop does;
// no force across the plane and no torque in it is transmitted.

#include "mechanics3d/assembly_joint.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;

namespace {

Vec3 axis_in_a(const LawContext& k) { return unit_or(k, "n_a", kZ); }
/// In frame_b the axes have the components they have in frame_a, if nothing else is said.
Vec3 axis_in_b(const LawContext& k) { return k.has("n_b") ? unit_or(k, "n_b", kZ) : axis_in_a(k); }
Vec3 slide_in_b(const LawContext& k) { return unit_or(k, "n_b", kMinusX); }

Leg first_leg() {
    return {"frame_a", {{"frame_ia", {turn_about(0, axis_in_a, "phi_a", "w_a")}}, {nullptr, {rod_along("rRod1_ia")}}}};
}
Leg last_leg(const Step& joint) { return {"frame_b", {{"frame_ib", {joint}}, {"frame_im", {rod_along("rRod2_ib")}}}}; }

Vec3 axis_in_world(const LawContext& k, const char* frame, const Vec3& n) {
    return pose_of(k, frame).R.transpose() * n;
}

Meeting in_plane() { return {.kind = Meeting::Kind::in_plane, .normal = axis_in_a}; }

const Freedom kFirst{"phi_a", "w_a", "a_a", "axis_a"};
const AssemblyTable kRrr{
    {kFirst, {"phi", "w", "a", "axis"}},
    true,
    [] {
        return std::array<Leg, 2>{first_leg(), last_leg(turn_about(1, axis_in_b, "phi", "w", "phi_offset"))};
    },
    in_plane};
const AssemblyTable kRrp{
    {kFirst, {"s", "v", "a", "axis", false}},
    true,
    [] {
        return std::array<Leg, 2>{first_leg(), last_leg(slide_along(1, slide_in_b, "s", "v", "s_offset"))};
    },
    in_plane};

// ---- what only the loop around can see to ------------------------------------------------------------------------

/// Square of the sine or cosine of an angle that counts as 0: what tolerances of a start leave.
constexpr double kAside = 1e-10;

Expr rrr_aside(LawContext& k) {
    const Vec3 aside = cross(axis_in_world(k, "frame_a", axis_in_a(k)), axis_in_world(k, "frame_b", axis_in_b(k)));
    return dot(aside, aside) - Expr(kAside);
}
Expr rrp_aside(LawContext& k) {
    const Expr along = dot(axis_in_world(k, "frame_a", axis_in_a(k)), axis_in_world(k, "frame_b", slide_in_b(k)));
    return along * along - Expr(kAside);
}

// ---- positions at the ends of reach ------------------------------------------------------------------------------

/// Unit vector along rod 1, in the world.
Vec3 rod_1(const LawContext& k) { return axis_in_world(k, "frame_ia", unit_or(k, "rRod1_ia", kX)); }

SingularPosition in_line(const Expr& distance, std::string_view says) {
    return {.distance = distance,
            .what = "the rods",
            .remedy = "keep away from this position: change lengths or the way of the drive",
            .barrier = {},
            .says = says};
}

std::optional<SingularPosition> rrr_singular(const LawContext& k) {
    const Vec3 rod_2 = axis_in_world(k, "frame_ib", unit_or(k, "rRod2_ib", kX));
    return in_line(dot(axis_in_world(k, "frame_a", axis_in_a(k)), cross(rod_1(k), rod_2)),
                   "lie in line: two ways of bending meet there");
}
std::optional<SingularPosition> rrp_singular(const LawContext& k) {
    return in_line(dot(axis_in_world(k, "frame_b", slide_in_b(k)), rod_1(k)),
                   "are at the end of their reach: rod 1 stands across the slide");
}

// ---- parameters, checks, shapes ---------------------------------------------------------------------------------

std::vector<ParameterSpec> rods() {
    return {rod_vector("rRod1_ia", "rod 1: from frame_a to the joint in the middle, in frame_ia"),
            rod_vector("rRod2_ib", "rod 2: from frame_ib to the joint in the middle, in frame_ib")};
}

void check_first(const LawContext& k, Diagnostics& d) {
    check_direction(k, "n_a", d);
    check_direction(k, "n_b", d);
    check_rod(k, "rRod1_ia", d);
    check_not_parallel(k, "n_a", kZ, "rRod1_ia", kX, "rod 1 has no length in the plane: turning moves nothing", d);
}

std::vector<Shape3D> rods_shapes(const LawContext& k) {
    constexpr double kThick = kShapeSize / 2.0;
    const auto pin = [&](const char* frame, const Vec3& axis) {
        return nominal(shape_about(k, "cylinder", frame, axis, kShapeSize, kShapeSize));
    };
    std::vector<Shape3D> shapes{pin("frame_a", axis_in_a(k))};
    const auto rod = [&](const char* frame, const char* parameter) {
        const Vec3 r = vector_or(k, parameter, vec3(0.0, 0.0, 0.0));
        if (std::ranges::all_of(r, [](const Expr& x) { return x.is_constant(0.0); })) return;
        shapes.push_back(of_nominal_thickness(
            shape_along(k, "cylinder", frame, vec3(0.0, 0.0, 0.0), r, expression::sqrt(dot(r, r)), kThick, kThick)));
    };
    rod("frame_ia", "rRod1_ia");
    rod("frame_ib", "rRod2_ib");
    if (k.element().slot("phi") != nullptr) {
        shapes.push_back(pin("frame_im", axis_in_b(k)));
        shapes.push_back(pin("frame_b", axis_in_b(k)));
    } else {
        shapes.push_back(of_nominal_thickness(shape_between(k, "box", kThick, "frame_b", "frame_ib")));
    }
    return shapes;
}

void add_frames(ComponentType& t, std::string_view joint, std::string_view same) {
    t.connectors.push_back(extra_frame("frame_ia", "on rod 1, at frame_a"));
    t.connectors.push_back(extra_frame("frame_ib", joint));
    t.connectors.push_back(extra_frame("frame_im", "on rod 2, at the joint in the middle"));
    t.paths = {{0, 2, {"x"}}, {1, 3, {same}}, {3, 4, {"R"}}};
    t.shapes = rods_shapes;
}

}  // namespace

const ComponentType kJointRRR = [] {
    ComponentType t = assembly_type<kRrr>("JointRRR");
    t.summary =
        "Three revolute joints with parallel axes, joined by two rods, in a loop that moves in the plane across them.";
    t.law_text =
        "p . r = q . r = 0 with r between the ends of the rods, p, q across n_a, R_ia = R(n_a, phi_a) R_a, R_ib = "
        "R(n_b, "
        "phi + phi_offset) R_b;  torque about the axis on rod 2: axis.e";
    t.example =
        "dyad: {type: JointRRR, rRod1_ia: [0.5, 0, 0], rRod2_ib: [-0.4, 0, 0], guess: {phi_a: 20 deg, phi: 40 deg}}";
    t.parameters = {direction("n_a", "axis of all joints, in frame_a; [0, 0, 1] by default"),
                    direction("n_b", "the same axis, in frame_b; n_a by default")};
    for (ParameterSpec& p : rods()) t.parameters.push_back(std::move(p));
    t.parameters.push_back(number("phi_offset", "angle at frame_b at phi = 0", "rad", 0.0));
    t.parameters.push_back(locked());
    add_frames(t, "on rod 2, at frame_b", "x");
    t.check = [](const LawContext& k, Diagnostics& d) {
        check_first(k, d);
        check_rod(k, "rRod2_ib", d);
        check_not_parallel(k, k.has("n_b") ? "n_b" : "n_a", kZ, "rRod2_ib", kX,
                           "rod 2 has no length in the plane: turning moves nothing", d);
    };
    t.singular = rrr_singular;
    t.start_excess = rrr_aside;
    return t;
}();

const ComponentType kJointRRP = [] {
    ComponentType t = assembly_type<kRrp>("JointRRP");
    t.summary =
        "Two revolute joints with parallel axes and a prismatic joint across them, joined by two rods, in a loop that "
        "moves in that plane.";
    t.law_text =
        "p . r = q . r = 0 with r between the ends of the rods, p, q across n_a, R_ia = R(n_a, phi_a) R_a, x_ib = x_b "
        "+ "
        "R_b^T n_b (s + s_offset), R_ib = R_b;  force along n_b on rod 2: axis.e";
    t.example =
        "dyad: {type: JointRRP, rRod1_ia: [0.5, 0, 0], n_b: [-1, 0, 0], rRod2_ib: [0, 0, 0], guess: {phi_a: 0.1, s: "
        "0.3 m}}";
    t.parameters = {direction("n_a", "axis of the revolute joints, in frame_a; [0, 0, 1] by default"),
                    direction("n_b", "axis of the prismatic joint, in frame_b; [-1, 0, 0] by default")};
    for (ParameterSpec& p : rods()) t.parameters.push_back(std::move(p));
    t.parameters.push_back(number("s_offset", "distance at s = 0", "m", 0.0));
    t.parameters.push_back(locked());
    add_frames(t, "on rod 2, at the slider of the prismatic joint", "R");
    t.check = [](const LawContext& k, Diagnostics& d) {
        check_first(k, d);
        check_vector(k, "rRod2_ib", d);  // may be 0: the middle joint sits on the slider
    };
    t.singular = rrp_singular;
    t.start_excess = rrp_aside;
    return t;
}();

}  // namespace bondgraph::mechanics3d
