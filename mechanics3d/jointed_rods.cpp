// Rods without mass between two frames, whose ends are ball joints or universal joints.

#include "mechanics3d/assembly_joint.hpp"
#include "mechanics3d/hold.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;

namespace {

Vec3 direction_in_ia(const LawContext& k) { return unit_or(k, "rRod_ia", kX); }

const AssemblyTable kTwoBalls{
    {},
    false,
    [] {
        return std::array<Leg, 2>{Leg{"frame_a"}, Leg{"frame_b"}};
    },
    [] { return Meeting{.kind = Meeting::Kind::at_distance, .length = "length", .mass = "m"}; }};

const AssemblyTable kCrossAndBall{
    universal_freedoms(), false,
    [] {
        return std::array<Leg, 2>{
            Leg{"frame_a",
                {{"frame_ia", universal_turns(first_axis, direction_in_ia)}, {nullptr, {rod_along("rRod_ia")}}}},
            Leg{"frame_b"}};
    },
    [] {
        return Meeting{
            .upright = [](const LawContext& k) { return universal_angle(k, first_axis(k), direction_in_ia(k)); }};
    }};

// The frame on the rod has its x-axis along it and its y-axis across n_a, however frame_a lies.
Vec3 across_a(const LawContext& k) { return unit_or(k, "n_a", kZ); }
Vec3 home(const LawContext& k) { return across(across_a(k))[0]; }
Step into_rod_frame() {
    return {.kind = Step::Kind::rotate, .P = [](const LawContext& k) {
                const Vec3 x = home(k);
                return from_two_axes(x, cross(across_a(k), x));
            }};
}
Step along_rod() {
    return {.kind = Step::Kind::translate, .d = [](const LawContext& k) { return scaled(k.scalar("length"), kX); }};
}
const AssemblyTable kRodWithFrame{
    universal_freedoms(), false,
    [] {
        std::vector<Step> turns = universal_turns(across_a, home);
        turns.push_back(into_rod_frame());
        return std::array<Leg, 2>{Leg{"frame_a", {{"frame_c", turns}, {nullptr, {along_rod()}}}}, Leg{"frame_b"}};
    },
    [] { return Meeting{.upright = [](const LawContext& k) { return universal_angle(k, across_a(k), home(k)); }}; }};

std::optional<SingularPosition> rod_along_axis(const LawContext& k, const Vec3& axis, const Vec3& rod,
                                               std::string_view says) {
    return SingularPosition{.distance = universal_angle(k, axis, rod),
                            .what = "the angles phi_1 and phi_2",
                            .remedy = "choose a first axis that is far from the rod in all positions",
                            .barrier = {},
                            .says = says};
}

ParameterSpec length() {
    return {.name = "length",
            .doc = "length of the rod",
            .shape = Shape::scalar,
            .minimum = 0.0,
            .exclusive_minimum = true,
            .unit = "m"};
}

}  // namespace

const ComponentType kSphericalSpherical = [] {
    ComponentType t = assembly_type<kTwoBalls>("SphericalSpherical");
    t.structure = Structure::block;
    t.causality = nullptr;
    t.free_rates = false;
    t.summary =
        "A rod between two ball joints: the distance of the frames is constant. It may have a point mass in its "
        "middle; with a length that varies, it is a LineForceWithMass.";
    t.law_text =
        "(r . r - length^2) / (2 length) = 0 with r = x_b - x_a: 1 condition, with the force f_rod along the rod, "
        "positive where it is pressed;  m at (x_a + x_b)/2";
    t.example = "rod: {type: SphericalSpherical, length: 0.5 m, m: 0.2 kg}";
    t.parameters = {length(),
                    {.name = "m",
                     .doc = "point mass in the middle; none by default",
                     .shape = Shape::scalar,
                     .minimum = 0.0,
                     .unit = "kg",
                     .required = false}};
    t.shapes = [](const LawContext& k) {
        std::vector<Shape3D> shapes = line_shape(k);
        for (const char* frame : {"frame_a", "frame_b"})
            shapes.push_back(nominal(shape_along(k, "sphere", frame, vec3(-kShapeSize / 2.0, 0.0, 0.0), kX, kShapeSize,
                                                 kShapeSize, kShapeSize)));
        return shapes;
    };
    return t;
}();

const ComponentType kUniversalSpherical = [] {
    ComponentType t = assembly_type<kCrossAndBall>("UniversalSpherical");
    t.summary =
        "A rod with a universal joint at frame_a and a ball joint at frame_b, and a frame on it for bodies. With a "
        "length that varies, it is a JointUPS.";
    t.law_text =
        "x_b = x_a + R_ia^T rRod_ia, R_ia = R(e2, phi_2) R(n1_a, phi_1) R_a with e2 along n1_a x rRod_ia: 3 conditions "
        "for 2 coordinates";
    t.example = "rod: {type: UniversalSpherical, n1_a: [0, 0, 1], rRod_ia: [0.5 m, 0, 0]}";
    t.parameters = {direction("n1_a",
                              "first axis of the universal joint, in frame_a; [0, 0, 1] by default. The second is "
                              "perpendicular to it and to the rod"),
                    rod_vector("rRod_ia", "from frame_a to frame_b, in frame_ia")};
    t.connectors.push_back(extra_frame("frame_ia", "on the rod, at frame_a"));
    t.paths = {{0, 2, {"x"}}};
    t.check = [](const LawContext& k, Diagnostics& d) {
        check_direction(k, "n1_a", d);
        check_rod(k, "rRod_ia", d);
        check_not_parallel(k, "n1_a", kZ, "rRod_ia", kX,
                           "the second axis of the universal joint is perpendicular to both, and has no direction here",
                           d);
    };
    t.singular = [](const LawContext& k) {
        return rod_along_axis(k, first_axis(k), direction_in_ia(k), "are not determined: the rod lies along n1_a");
    };
    t.shapes = line_shape;
    return t;
}();

const ComponentType kConnectingRod2 = [] {
    ComponentType t = assembly_type<kRodWithFrame>("ConnectingRod2");
    t.source = kCutSource;
    t.summary =
        "A rod of constant length between two points, with a frame on it for bodies, whose turn about the rod follows "
        "frame_a.";
    t.law_text =
        "x_b = x_a + R_c^T [length, 0, 0], R_c: x-axis along the rod, y-axis along n_a x r;  the torque about the rod "
        "goes to frame_a";
    t.example = "rod: {type: ConnectingRod2, length: 0.5 m, n_a: [0, 0, 1]}";
    t.parameters = {length(),
                    direction("n_a", "what the y-axis of frame_c is across, in frame_a; [0, 0, 1] by default")};
    t.connectors.push_back(extra_frame("frame_c", "on the rod, at frame_a"));
    t.paths = {{0, 2, {"x"}}};
    t.check = [](const LawContext& k, Diagnostics& d) { check_direction(k, "n_a", d); };
    t.singular = [](const LawContext& k) {
        return rod_along_axis(k, across_a(k), home(k), "are not determined: the rod lies along n_a");
    };
    t.shapes = line_shape;
    return t;
}();

}  // namespace bondgraph::mechanics3d
