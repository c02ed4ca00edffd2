// Parts of 1-D drive trains mounted on a frame that moves: a rotor with its gyroscopic torque, the housing's speed as a
// flange, gears with axes in different directions.

#include "converters/frames.hpp"
#include "mechanics3d/joints.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/two_ports.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

constexpr const char* kMountedSource =
    "Schweiger, Otter: Modelling 3-D Mechanical Effects of 1-D Powertrains, Modelica 2003; Bos: Modelling Multibody "
    "Systems in Terms of Multibond Graphs, 1986";

const Vec3 kDirectionX = vec3(1.0, 0.0, 0.0);

Vec3 direction_or_x(const LawContext& k, std::string_view parameter) { return unit_or(k, parameter, kDirectionX); }

// The angular momentum h of a rotor turns with the frame it is mounted on; the torque for that takes no power.
void spin_law(LawContext& k) {
    const Vec3 w = k.flow(0);
    k.equations(k.effort(0), cross(w, Vec3(k.vector("h", 3))));
}

PortCausality housing_effort_out(const Element&, std::size_t, std::size_t) { return PortCausality::effort_out; }

}  // namespace

const ComponentType kSpinGyrator{
    .name = "spin",
    .structure = Structure::border,  // one-way and without power, as a sensor
    .summary = "Modulated gyrator: the gyroscopic torque of a rotor on its bearings.",
    .law_text = "e = f × h",
    .ports = {{"p", PortDirection::in, "takes no power", "rotational"}},
    .parameters = {{.name = "h", .doc = "angular momentum of the rotor"}},
    .causality = housing_effort_out,
    .law = spin_law,
    .source = kMountedSource,
};

namespace {

PortSpec flange(std::string_view name, std::string_view doc) {
    return {.name = name, .doc = doc, .domain = "rotational", .connector = &converters::kFlange};
}

std::vector<ConnectorSpec> housing(std::string_view doc) { return {{"frame_a", &converters::kFrame, doc}}; }

/// A transformer from the angular velocity of a frame to its part along a direction, times a sign.
PartEnd add_along(PartsBuilder& b, const PartEnd& turning, const std::string& name, std::string_view parameter,
                  double sign = 1.0) {
    const auto row = [=, p = std::string(parameter)](const LawContext& k) {
        return ExprMatrix(scaled(sign, direction_or_x(k, p)).transpose());
    };
    const PartEnd along = b.add(name, b.type("TF"), {{"m", row}});
    b.direct(along, true);
    b.bond(turning, PartsBuilder::port(along, "p1"));
    return PartsBuilder::port(along, "p2");
}

std::function<ExprMatrix(const LawContext&)> times(const char* parameter, double factor) {
    return [=](const LawContext& k) { return ExprMatrix::Constant(1, 1, Expr(factor) * k.scalar(parameter)); };
}

// ---- Rotor1D
// ---------------------------------------------------------------------------------------------------------

enum LockedInertia : std::size_t { kInRotor, kInBody };

bool counted_in_body(const PartsBuilder& b) { return b.word("locked_inertia", "rotor") == "body"; }

// What the rotor's angular momentum adds to the momentum of the body it is mounted on.
ExprMatrix angular_momentum(const LawContext& k) {
    const bool in_body = choice(k, "locked_inertia") == kInBody;
    const Expr speed = in_body ? k.slot("w")(0) : k.part("shaft").flow(0)(0);
    return ExprMatrix(scaled(k.scalar("J") * speed, direction_or_x(k, "n")));
}

void build_rotor(PartsBuilder& b) {
    b.state("w", 1, "rad/s");
    b.state("phi", 1, "");
    b.variable("a", 1, "rad/s2");
    ChainBuilder chain(b);
    chain.coordinates({{"axis", 1, "rotational"}});
    const PartEnd turning = chain.angular_velocity();
    const PartEnd carried = b.junction1("carried", 1, "rotational");
    b.bond(add_along(b, turning, "along", "n"), carried);
    const PartEnd sum = b.junction0("w_sum", 1, "rotational");
    b.bond(carried, sum);
    b.bond(chain.rates(0), sum);
    const PartEnd shaft = b.junction1("shaft", 1, "rotational");
    b.bond(sum, shaft);
    b.bond(shaft, b.add("inertia", b.type("I"), {{"I", times("J", 1.0)}}));
    if (counted_in_body(b)) b.bond(carried, b.add("counted", b.type("I"), {{"I", times("J", -1.0)}}));
    b.bond(turning, b.add("gyroscopic", kSpinGyrator, {{"h", angular_momentum}}));
}

void rotor_law(LawContext& k) {
    coordinate_law(k, 0, "w");
    k.equations(k.derivative("phi"), k.slot("w"));
    k.equations(k.slot("a"), k.derivative("w"));
}

std::vector<Shape3D> rotor_shape(const LawContext& k) {
    return {nominal(shape_about(k, "cylinder", "frame_a", direction_or_x(k, "n"), kShapeSize / 2.0, 2.0 * kShapeSize,
                                k.slot("phi")(0)))};
}

// ---- Mounting1D, BevelGear1D
// -----------------------------------------------------------------------------------------

void build_mounting(PartsBuilder& b) {
    ChainBuilder chain(b);
    const PartEnd at = b.junction1("flange", 1, "rotational");
    b.bond(add_along(b, chain.angular_velocity(), "along", "n"), at);
}

void build_bevel_gear(PartsBuilder& b) {
    ChainBuilder chain(b);
    const PartEnd turning = chain.angular_velocity();
    const auto relative = [&](const char* name, const char* shaft, const char* along, const char* n, bool in) {
        const PartEnd sum = b.junction0(name, 1, "rotational");
        const PartEnd at = b.junction1(shaft, 1, "rotational");
        b.bond(in ? at : sum, in ? sum : at);
        b.bond(add_along(b, turning, along, n, in ? -1.0 : 1.0), sum);
        return sum;
    };
    const PartEnd a = relative("w_rel_a", "flange_a", "along_a", "n_a", true);
    const PartEnd far = relative("w_rel_b", "flange_b", "along_b", "n_b", false);
    const auto inverse = [](const LawContext& k) { return ExprMatrix::Constant(1, 1, Expr(1.0) / k.scalar("ratio")); };
    const PartEnd gear = b.add("gear", b.type("TF"), {{"m", inverse}});
    b.bond(a, PartsBuilder::port(gear, "p1"));
    b.bond(PartsBuilder::port(gear, "p2"), far);
}

void no_housing_law(LawContext&) {}

// The pitch cones: their tips meet where the axes do, their flanks touch, and their bases are to each other as the
// ratio. With a positive ratio the second one is on the far side, so that both shafts turn as the law says.
std::vector<Shape3D> bevel_shape(const LawContext& k) {
    const Expr ratio = k.scalar("ratio");
    const Vec3 a = direction_or_x(k, "n_a");
    const Vec3 b = scaled(-sign(ratio), direction_or_x(k, "n_b"));
    const Vec3 normal = cross(a, b);
    const Expr sine = expression::sqrt(dot(normal, normal));
    const auto cone = [&](const Vec3& axis, Expr angle) {
        // Past a right angle the teeth are inside the cone, whose base then is behind the tip.
        const Expr height = Expr(kShapeSize) * cos(angle);
        const Expr diameter = Expr(2.0 * kShapeSize) * sin(angle);
        const Vec3 base = scaled(height, axis);
        return nominal(
            shape_along(k, "cone", "frame_a", base, scaled(-sign(height), axis), abs(height), diameter, diameter));
    };
    return {cone(a, atan2(sine, abs(ratio) + dot(a, b))),
            cone(b, atan2(abs(ratio) * sine, 1.0 + abs(ratio) * dot(a, b)))};
}

// ---- GearConstraint
// --------------------------------------------------------------------------------------------------

Step gear_offset(const char* r) {
    return {.kind = Step::Kind::translate,
            .d = [r](const LawContext& k) { return vector_or(k, r, vec3(0.0, 0.0, 0.0)); }};
}

// A turn about n by `factor` times the coordinate.
Step geared_turn(const char* n, Expr (*factor)(const LawContext&)) {
    Step step{.kind = Step::Kind::rotate};
    step.P = [=](const LawContext& k) { return planar_rotation(direction_or_x(k, n), factor(k) * k.slot("phi_b")(0)); };
    step.w = [=](const LawContext& k) { return scaled(factor(k) * k.slot("w_b")(0), direction_or_x(k, n)); };
    step.moved = {{.coordinates = 0,
                   .H = [=](const LawContext& k) { return ExprMatrix(scaled(factor(k), direction_or_x(k, n))); }}};
    return step;
}

std::vector<Step> gear_side(bool a) {
    if (a) return {gear_offset("r_a"), geared_turn("n_a", [](const LawContext& k) { return k.scalar("ratio"); })};
    return {gear_offset("r_b"), geared_turn("n_b", [](const LawContext&) { return Expr(1.0); })};
}

enum GearFrames : std::size_t { kBearing, kFrameA, kFrameB };

// Whether the signals are computed from this side to the bearing.
bool towards_bearing(const Element& e, std::size_t side) {
    return e.connectors[side].given && !e.connectors[kBearing].given;
}

void build_gear(PartsBuilder& b) {
    b.state("w_b", 1, "rad/s");
    b.state("phi_b", 1, "");
    b.variable("a_b", 1, "rad/s2");
    ChainBuilder start(b, "bearing");
    start.coordinates({{"axis", 1, "rotational"}});
    for (const std::size_t side : {kFrameA, kFrameB}) {
        ChainBuilder chain = start.branch(side == kFrameA ? "a_" : "b_");
        chain.set_forward(!towards_bearing(b.component(), side));
        for (const Step& s : gear_side(side == kFrameA)) chain.step(s);
        chain.end_at(side == kFrameA ? "frame_a" : "frame_b");
    }
}

void gear_law(LawContext& k) {
    coordinate_law(k, 0, "w_b");
    k.equations(k.derivative("phi_b"), k.slot("w_b"));
    k.equations(k.slot("a_b"), k.derivative("w_b"));
    for (const std::size_t side : {kFrameA, kFrameB}) {
        const bool back = towards_bearing(k.element(), side);
        const char* frame = side == kFrameA ? "frame_a" : "frame_b";
        const std::vector<Step> steps = gear_side(side == kFrameA);
        give_pose(k, back ? "bearing" : frame, through(steps, k, pose_of(k, back ? frame : "bearing"), back));
    }
}

void check_gear(const LawContext& k, Diagnostics& d) {
    for (const char* n : {"n_a", "n_b"}) check_direction(k, n, d);
    for (const char* r : {"r_a", "r_b"}) check_vector(k, r, d);
    check_ratio(k, d);
}

// The hinges. Each frame is at its own and turned about its axis, which looks the same from there.
std::vector<Shape3D> gear_shape(const LawContext& k) {
    return {nominal(shape_about(k, "cylinder", "frame_a", direction_or_x(k, "n_a"), kShapeSize, kShapeSize)),
            nominal(shape_about(k, "cylinder", "frame_b", direction_or_x(k, "n_b"), kShapeSize, kShapeSize))};
}

ParameterSpec ratio() { return number("ratio", "turns of a for one turn of b", ""); }

}  // namespace

const ComponentType kRotor1D{
    .name = "Rotor1D",
    .structure = Structure::border,
    .summary =
        "A rotor of a 1-D drive train that spins by phi about the axis n of the frame it is mounted on, with its "
        "gyroscopic torque on that frame. It has no mass and no inertia across its axis: these belong to the "
        "body it is mounted on.",
    .law_text = "J d(w + n.w_a)/dt = axis.e + shaft.e;  t_a = n axis.e + w_a x (n J (w + n.w_a))",
    .example = "rotor: {type: Rotor1D, J: 0.02 kg.m2, n: [1, 0, 0], initial: {phi: 0, w: 3000 rpm}}",
    .ports = {flange("axis", "drives the spin against the frame, which takes the reaction; its flow is w"),
              flange("shaft", "drives the spin from outside the frame; its flow is w + n.w_a")},
    .parameters = {{.name = "J",
                    .doc = "moment of inertia about the axis",
                    .shape = Shape::scalar,
                    .minimum = 0.0,
                    .exclusive_minimum = true,
                    .unit = "kg.m2"},
                   direction("n", "axis, in frame_a; [1, 0, 0] by default"),
                   {.name = "locked_inertia",
                    .doc = "where the inertia J of the rotor at rest against the frame counts: rotor (here), or body "
                           "(it is part of the inertia given for the body it is mounted on)",
                    .kind = ParameterKind::choice,
                    .required = false,
                    .choices = {"rotor", "body"}}},
    .states = {{"phi", "angle against the frame", {}, "", "rad"},
               {"w", "angular velocity against the frame", {}, "", "rad/s"},
               {"a", "acceleration; follows from the states", {}, "", "rad/s2"}},
    .causality = coordinate_causality,
    .law = rotor_law,
    .source = kMountedSource,
    .connectors = housing("carries the bearings of the rotor"),
    .free_rates = true,
    .build = build_rotor,
    .check = [](const LawContext& k, Diagnostics& d) { check_direction(k, "n", d); },
    .shapes = rotor_shape,
};

const ComponentType kMounting1D{
    .name = "Mounting1D",
    .structure = Structure::block,
    .summary =
        "The housing of a 1-D drive train mounted on a frame: its angular velocity about the axis n, as a flange.",
    .law_text = "flange.f = n . w_a, t_a = -n flange.e (flange.e: torque on the flange)",
    .example = "stator: {type: Mounting1D, n: [1, 0, 0]}",
    .ports = {flange("flange", "turns with the frame about n")},
    .parameters = {direction("n", "axis, in frame_a; [1, 0, 0] by default")},
    .law = no_housing_law,
    .source = kMountedSource,
    .connectors = housing("takes the torque of the housing"),
    .build = build_mounting,
    .check = [](const LawContext& k, Diagnostics& d) { check_direction(k, "n", d); },
    .shapes = block_shape,
};

const ComponentType kBevelGear1D{
    .name = "BevelGear1D",
    .structure = Structure::block,
    .summary =
        "Bevel gear: a transformer between two shafts of a 1-D drive train whose axes point in different "
        "directions; the frame carries its bearings.",
    .law_text =
        "flange_a.f - n_a.w = ratio (flange_b.f - n_b.w);  ratio tau_a + tau_b = 0, t = -n_a tau_a - n_b tau_b "
        "(torques on the gear)",
    .example = "bevel: {type: BevelGear1D, ratio: 3, n_a: [1, 0, 0], n_b: [0, 1, 0]}",
    .ports = {flange("flange_a", "the shaft along n_a, with its whole angular velocity (a rotor's `shaft`)"),
              flange("flange_b", "the shaft along n_b, likewise")},
    // A ratio between velocities: with a changing one it is a variator.
    .parameters = {varying(ratio()), direction("n_a", "axis of shaft a, in frame_a; [1, 0, 0] by default"),
                   direction("n_b", "axis of shaft b, in frame_a; [1, 0, 0] by default")},
    .law = no_housing_law,
    .source = kMountedSource,
    .connectors = housing("carries the bearings"),
    .build = build_bevel_gear,
    .check =
        [](const LawContext& k, Diagnostics& d) {
            for (const char* n : {"n_a", "n_b"}) check_direction(k, n, d);
            check_ratio(k, d);
        },
    .shapes = bevel_shape,
};

const ComponentType kGearConstraint{
    .name = "GearConstraint",
    .structure = Structure::border,
    .summary =
        "Two hinges in one bearing, joined by an ideal gear: frame_a turns `ratio` times as far about n_a as "
        "frame_b about n_b.",
    .law_text =
        "R_a = R(n_a, ratio phi_b) R_bearing, R_b = R(n_b, phi_b) R_bearing;  ratio (n_a . t_a) + n_b . t_b = 0",
    .example = "gear: {type: GearConstraint, ratio: 10, n_a: [1, 0, 0], n_b: [0, 1, 0], initial: {phi_b: 0, w_b: 0}}",
    .ports = {flange("axis", "drives phi_b against the bearing")},
    .parameters = {ratio(), direction("n_a", "axis of frame_a, in the bearing; [1, 0, 0] by default"),
                   direction("n_b", "axis of frame_b, in the bearing; [1, 0, 0] by default"),
                   arm("r_a", "from the bearing to the hinge of frame_a"),
                   arm("r_b", "from the bearing to the hinge of frame_b")},
    .states = {{"phi_b", "angle of frame_b against the bearing", {}, "", "rad"},
               {"w_b", "angular velocity of frame_b against the bearing", {}, "", "rad/s"},
               {"a_b", "acceleration; follows from the states", {}, "", "rad/s2"}},
    .causality = coordinate_causality,
    .law = gear_law,
    .source = kMountedSource,
    .connectors = {{"bearing", &converters::kFrame, "carries both hinges"},
                   {"frame_a", &converters::kFrame, "turns by ratio phi_b", PortDirection::out},
                   {"frame_b", &converters::kFrame, "turns by phi_b", PortDirection::out}},
    .paths = {{0, 1, {}}, {0, 2, {}}},
    .free_rates = true,
    .build = build_gear,
    .check = check_gear,
    .shapes = gear_shape,
};

}  // namespace bondgraph::mechanics3d
