// Assemblies of joints and rods in space.

#include "mechanics3d/assembly_joint.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;

namespace {

Vec3 line_in_ia(const LawContext& k) { return unit_or(k, "nAxis_ia", kX); }
Vec3 rod_in_ia(const LawContext& k) { return unit_or(k, "rRod1_ia", kX); }
Vec3 turn_axis(const LawContext& k) { return unit_or(k, "n_b", kZ); }
template <const Vec3& by_default>
Vec3 slide_axis(const LawContext& k) {
    return unit_or(k, "n_b", by_default);
}

Step turn(std::size_t coordinate) { return turn_about(coordinate, turn_axis, "phi", "w", "phi_offset"); }
Step slide(std::size_t coordinate, Vec3 (*axis)(const LawContext&)) {
    return slide_along(coordinate, axis, "s", "v", "s_offset");
}

const Freedom kTurnFreedom{"phi", "w", "a", "axis"};
const Freedom kSlideFreedom{"s", "v", "a", "axis", false};

std::vector<Freedom> after_universal(const Freedom& last) {
    std::vector<Freedom> all = universal_freedoms();
    all.push_back(last);
    return all;
}

/// From frame_b over the driven joint and rod 2 to the ball joint.
Leg driven_leg(const Step& joint) {
    return {"frame_b", {{"frame_ib", {joint}}, {"frame_im", {rod_along("rRod2_ib")}}}};
}
Leg universal_leg() {
    return {"frame_a", {{"frame_ia", universal_turns(first_axis, rod_in_ia)}, {nullptr, {rod_along("rRod1_ia")}}}};
}

Expr cross_angle(const LawContext& k) { return universal_angle(k, first_axis(k), rod_in_ia(k)); }
Expr line_angle(const LawContext& k) { return universal_angle(k, first_axis(k), line_in_ia(k)); }
Expr line_length(const LawContext& k) { return k.slot("s")(0) + scalar_or(k, "s_offset", 0.0); }

// With both angles of the universal joint turned over the rod points the same way.
Meeting at_the_ball() { return {.upright = cross_angle}; }
Meeting at_frame_b() {
    // Carried from its far end, nothing asks for its length, which then is 0 while the loop is brought together.
    constexpr double kUnasked = 1e-9;
    return {.upright = [](const LawContext& k) { return min(line_angle(k), line_length(k) + Expr(kUnasked)); }};
}
Meeting at_rod_length() { return {.kind = Meeting::Kind::at_distance, .length = "rod1Length", .mass = "rod1Mass"}; }

const AssemblyTable kUps{after_universal(kSlideFreedom), true,
                         [] {
                             return std::array<Leg, 2>{Leg{"frame_a",
                                                           {{"frame_ia", universal_turns(first_axis, line_in_ia)},
                                                            {"frame_ib", {slide(2, line_in_ia)}}}},
                                                       Leg{"frame_b"}};
                         },
                         at_frame_b};
const AssemblyTable kUsr{after_universal(kTurnFreedom), true,
                         [] {
                             return std::array<Leg, 2>{universal_leg(), driven_leg(turn(2))};
                         },
                         at_the_ball};
const AssemblyTable kUsp{after_universal(kSlideFreedom), true,
                         [] {
                             return std::array<Leg, 2>{universal_leg(), driven_leg(slide(2, slide_axis<kMinusX>))};
                         },
                         at_the_ball};
const AssemblyTable kSsr{{kTurnFreedom},
                         true,
                         [] {
                             return std::array<Leg, 2>{Leg{"frame_a"}, driven_leg(turn(0))};
                         },
                         at_rod_length};
const AssemblyTable kSsp{{kSlideFreedom},
                         true,
                         [] {
                             return std::array<Leg, 2>{Leg{"frame_a"}, driven_leg(slide(0, slide_axis<kZ>))};
                         },
                         at_rod_length};

// ---- positions in which an assembly can't be told from its frames -----------------------------------------------

/// Unit vector from frame_a to the ball joint at the end of rod 2, in the world.
Vec3 rod_direction(const LawContext& k) {
    const Vec3 r = pose_of(k, "frame_im").x - pose_of(k, "frame_a").x;
    return scaled(Expr(1.0) / expression::sqrt(dot(r, r)), r);
}

/// What a push of rod 1 moves of the driven coordinate: 0 at the ends of its reach.
Expr turning_grip(const LawContext& k) {
    const Mat3 R = pose_of(k, "frame_ib").R;
    const Vec3 lever = cross(turn_axis(k), unit_or(k, "rRod2_ib", kX));
    return dot(Vec3(R.transpose() * lever), rod_direction(k));
}
Expr sliding_grip(const LawContext& k, const Vec3& axis) {
    return dot(Vec3(pose_of(k, "frame_b").R.transpose() * axis), rod_direction(k));
}

constexpr const char* kElsewhere = "keep away from this position: change lengths, axes or the way of the drive";
constexpr const char* kReach = "are at the end of their reach: rod 1 can't move the axis there";
constexpr const char* kReachOrAxis =
    "are in a singular position: rod 1 lies along n1_a, or can't move the axis at the end of its reach";

SingularPosition dead(const Expr& distance, std::string_view says) {
    return {.distance = distance, .what = "the joints", .remedy = kElsewhere, .barrier = {}, .says = says};
}

std::optional<SingularPosition> ups_singular(const LawContext& k) {
    // Lengths count in any unit: only what is nothing beside all of them is no length.
    constexpr double kNothing = 1e-12;
    const Expr length = abs(line_length(k));
    return dead(line_angle(k) * length / (length + kNothing),
                "are in a singular position: the line from frame_a to frame_b lies along n1_a, or has no length");
}
std::optional<SingularPosition> usr_singular(const LawContext& k) {
    return dead(cross_angle(k) * turning_grip(k), kReachOrAxis);
}
std::optional<SingularPosition> usp_singular(const LawContext& k) {
    return dead(cross_angle(k) * sliding_grip(k, slide_axis<kMinusX>(k)), kReachOrAxis);
}
std::optional<SingularPosition> ssr_singular(const LawContext& k) { return dead(turning_grip(k), kReach); }
std::optional<SingularPosition> ssp_singular(const LawContext& k) {
    return dead(sliding_grip(k, slide_axis<kZ>(k)), kReach);
}

// ---- parameters, checks, shapes ---------------------------------------------------------------------------------

ParameterSpec first_axis_spec() {
    return direction("n1_a",
                     "first axis of the universal joint, in frame_a; [0, 0, 1] by default. The second is "
                     "perpendicular to it and to the rod");
}
ParameterSpec phi_offset() { return number("phi_offset", "angle at phi = 0", "rad", 0.0); }
ParameterSpec s_offset() { return number("s_offset", "distance at s = 0", "m", 0.0); }
ParameterSpec rod_length() {
    return {.name = "rod1Length",
            .doc = "distance of the two ball joints",
            .shape = Shape::scalar,
            .minimum = 0.0,
            .exclusive_minimum = true,
            .unit = "m"};
}
ParameterSpec rod_mass() {
    return {.name = "rod1Mass",
            .doc = "point mass half-way between the ball joints; none by default",
            .shape = Shape::scalar,
            .minimum = 0.0,
            .unit = "kg",
            .required = false};
}
ParameterSpec rod_1() { return rod_vector("rRod1_ia", "rod 1: from frame_a to the ball joint, in frame_ia"); }
ParameterSpec rod_2() { return rod_vector("rRod2_ib", "rod 2: from frame_ib to the ball joint, in frame_ib"); }

void check_universal(const LawContext& k, const char* rod, Diagnostics& d) {
    check_direction(k, "n1_a", d);
    check_not_parallel(k, "n1_a", kZ, rod, kX,
                       "the second axis of the universal joint is perpendicular to both, and has no direction here", d);
}
void check_turn(const LawContext& k, Diagnostics& d) {
    check_direction(k, "n_b", d);
    check_rod(k, "rRod2_ib", d);
    check_not_parallel(k, "n_b", kZ, "rRod2_ib", kX,
                       "the ball joint at the end of rod 2 lies on the axis: turning moves nothing", d);
}
void check_slide(const LawContext& k, Diagnostics& d) {
    check_direction(k, "n_b", d);
    check_vector(k, "rRod2_ib", d);  // may be 0: the ball joint sits on the slider
}

constexpr double kThick = kShapeSize / 2.0;

void add_rod_shape(std::vector<Shape3D>& shapes, const LawContext& k, const char* frame, const char* rod) {
    const Vec3 r = vector_or(k, rod, vec3(0.0, 0.0, 0.0));
    if (std::ranges::all_of(r, [](const Expr& x) { return x.is_constant(0.0); })) return;
    shapes.push_back(of_nominal_thickness(
        shape_along(k, "cylinder", frame, vec3(0.0, 0.0, 0.0), r, expression::sqrt(dot(r, r)), kThick, kThick)));
}
Shape3D ball_at(const LawContext& k, const char* frame) {
    return nominal(
        shape_along(k, "sphere", frame, vec3(-kShapeSize / 2.0, 0.0, 0.0), kX, kShapeSize, kShapeSize, kShapeSize));
}

std::vector<Shape3D> ups_shapes(const LawContext& k) {
    return {ball_at(k, "frame_a"), ball_at(k, "frame_b"), of_nominal_thickness(shape_between(k, "cylinder", kThick))};
}

std::vector<Shape3D> rods_in_space_shapes(const LawContext& k) {
    std::vector<Shape3D> shapes{ball_at(k, "frame_a"), ball_at(k, "frame_im"),
                                of_nominal_thickness(shape_between(k, "cylinder", kThick, "frame_a", "frame_im"))};
    add_rod_shape(shapes, k, "frame_ib", "rRod2_ib");
    const bool turns = k.element().slot("phi") != nullptr;
    if (turns)
        shapes.push_back(nominal(shape_about(k, "cylinder", "frame_b", turn_axis(k), kShapeSize, kShapeSize)));
    else
        shapes.push_back(of_nominal_thickness(shape_between(k, "box", kThick, "frame_b", "frame_ib")));
    return shapes;
}

/// Connectors of what is driven at frame_b, and how they follow from each other.
void add_driven_side(ComponentType& t, bool turns) {
    const auto ib = static_cast<std::uint8_t>(t.connectors.size());
    t.connectors.push_back(extra_frame(
        "frame_ib", turns ? "on rod 2, at the revolute joint" : "on rod 2, at the slider of the prismatic joint"));
    t.connectors.push_back(extra_frame("frame_im", "on rod 2, at the ball joint"));
    t.paths.push_back({1, ib, {turns ? "x" : "R"}});
    t.paths.push_back({ib, static_cast<std::uint8_t>(ib + 1), {"R"}});
    t.shapes = rods_in_space_shapes;
}
void add_universal_side(ComponentType& t, std::string_view doc) {
    t.connectors.push_back(extra_frame("frame_ia", doc));
    t.paths.push_back({0, static_cast<std::uint8_t>(t.connectors.size() - 1), {"x"}});
}

}  // namespace

const ComponentType kJointUPS = [] {
    ComponentType t = assembly_type<kUps>("JointUPS");
    t.summary =
        "Universal, prismatic and spherical joint in a row: a telescope between two frames, whose ends follow it in "
        "all directions.";
    t.law_text =
        "R_ia = R(e2, phi_2) R(n1_a, phi_1) R_a with e2 along n1_a x nAxis_ia, x_b = x_a + R_ia^T nAxis_ia (s + "
        "s_offset);  force along the line: axis.e";
    t.example = "telescope: {type: JointUPS, n1_a: [0, 0, 1], nAxis_ia: [1, 0, 0], guess: {s: 0.5 m}}";
    t.parameters = {first_axis_spec(),
                    direction("nAxis_ia", "along the line from frame_a to frame_b, in frame_ia; [1, 0, 0] by default"),
                    s_offset(), locked()};
    add_universal_side(t, "on the part along the line that stays at frame_a");
    t.connectors.push_back(extra_frame("frame_ib", "on the part along the line that slides, at frame_b"));
    t.paths.push_back({2, 3, {"R"}});
    t.check = [](const LawContext& k, Diagnostics& d) {
        check_direction(k, "nAxis_ia", d);
        check_universal(k, "nAxis_ia", d);
    };
    t.singular = ups_singular;
    t.shapes = ups_shapes;
    return t;
}();

const ComponentType kJointUSR = [] {
    ComponentType t = assembly_type<kUsr>("JointUSR");
    t.summary = "Universal joint, rod 1, ball joint, rod 2 and revolute joint in a row from frame_a to frame_b.";
    t.law_text =
        "x_a + R_ia^T rRod1_ia = x_b + R_ib^T rRod2_ib, R_ib = R(n_b, phi + phi_offset) R_b, R_ia = R(e2, phi_2) "
        "R(n1_a, phi_1) R_a;  torque about n_b on rod 2: axis.e";
    t.example =
        "linkage: {type: JointUSR, n1_a: [0, 0, 1], rRod1_ia: [0.5, 0, 0], n_b: [0, 0, 1], rRod2_ib: [-0.4, 0, 0], "
        "guess: {phi: 0.5}}";
    t.parameters = {first_axis_spec(), direction("n_b", "axis of the revolute joint, in frame_b; [0, 0, 1] by default"),
                    rod_1(),           rod_2(),
                    phi_offset(),      locked()};
    add_universal_side(t, "on rod 1, at the universal joint");
    add_driven_side(t, true);
    t.check = [](const LawContext& k, Diagnostics& d) {
        check_rod(k, "rRod1_ia", d);
        check_universal(k, "rRod1_ia", d);
        check_turn(k, d);
    };
    t.singular = usr_singular;
    return t;
}();

const ComponentType kJointUSP = [] {
    ComponentType t = assembly_type<kUsp>("JointUSP");
    t.summary = "Universal joint, rod 1, ball joint, rod 2 and prismatic joint in a row from frame_a to frame_b.";
    t.law_text =
        "x_a + R_ia^T rRod1_ia = x_b + R_b^T (n_b (s + s_offset) + rRod2_ib), R_ib = R_b, R_ia = R(e2, phi_2) R(n1_a, "
        "phi_1) R_a;  force along n_b on rod 2: axis.e";
    t.example =
        "linkage: {type: JointUSP, n1_a: [0, 0, 1], rRod1_ia: [0.5, 0, 0], n_b: [-1, 0, 0], rRod2_ib: [0, 0.1, 0], "
        "guess: "
        "{s: 0.3 m}}";
    t.parameters = {
        first_axis_spec(), direction("n_b", "axis of the prismatic joint, in frame_b; [-1, 0, 0] by default"),
        rod_1(),           rod_2(),
        s_offset(),        locked()};
    add_universal_side(t, "on rod 1, at the universal joint");
    add_driven_side(t, false);
    t.check = [](const LawContext& k, Diagnostics& d) {
        check_rod(k, "rRod1_ia", d);
        check_universal(k, "rRod1_ia", d);
        check_slide(k, d);
    };
    t.singular = usp_singular;
    return t;
}();

const ComponentType kJointSSR = [] {
    ComponentType t = assembly_type<kSsr>("JointSSR");
    t.summary =
        "Ball joint, rod 1, ball joint, rod 2 and revolute joint in a row from frame_a to frame_b. Rod 1 may have a "
        "point mass.";
    t.law_text =
        "|x_b + R_ib^T rRod2_ib - x_a| = rod1Length, R_ib = R(n_b, phi + phi_offset) R_b;  torque about n_b on rod 2: "
        "axis.e;  f_rod: force in rod 1, positive where it is pressed";
    t.example =
        "linkage: {type: JointSSR, rod1Length: 0.5 m, rod1Mass: 0.2 kg, n_b: [0, 0, 1], rRod2_ib: [0.4, 0, 0], guess: "
        "{phi: 30 deg}}";
    t.parameters = {
        rod_length(), rod_mass(),   direction("n_b", "axis of the revolute joint, in frame_b; [0, 0, 1] by default"),
        rod_2(),      phi_offset(), locked()};
    add_driven_side(t, true);
    t.check = check_turn;
    t.singular = ssr_singular;
    return t;
}();

const ComponentType kJointSSP = [] {
    ComponentType t = assembly_type<kSsp>("JointSSP");
    t.summary =
        "Ball joint, rod 1, ball joint, rod 2 and prismatic joint in a row from frame_a to frame_b. Rod 1 may have a "
        "point mass.";
    t.law_text =
        "|x_b + R_b^T (n_b (s + s_offset) + rRod2_ib) - x_a| = rod1Length, R_ib = R_b;  force along n_b on rod 2: "
        "axis.e;  f_rod: force in rod 1, positive where it is pressed";
    t.example =
        "linkage: {type: JointSSP, rod1Length: 0.5 m, n_b: [0, 0, 1], rRod2_ib: [0.1, 0, 0], guess: {s: 0.3 m}}";
    t.parameters = {
        rod_length(), rod_mass(), direction("n_b", "axis of the prismatic joint, in frame_b; [0, 0, 1] by default"),
        rod_2(),      s_offset(), locked()};
    add_driven_side(t, false);
    t.check = check_slide;
    t.singular = ssp_singular;
    return t;
}();

}  // namespace bondgraph::mechanics3d
