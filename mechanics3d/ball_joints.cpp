// Joints with free orientation: Spherical and FreeMotion. Orientation is a quaternion, or three angles of a sequence.

#include "converters/frames.hpp"
#include "mechanics3d/free_orientation.hpp"
#include "mechanics3d/joints.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

constexpr const char* kBallSource =
    "Zimmer, Cellier: The Modelica Multi-bond Graph Library, Modelica 2006; quaternions: Shuster, A Survey of Attitude "
    "Representations, 1993";

Step free_slide() {
    Step step{.kind = Step::Kind::translate};
    step.d = [](const LawContext& k) { return Vec3(k.slot("r")); };
    step.dd = [](const LawContext& k) { return Vec3(k.slot("v")); };
    step.moved = {{.coordinates = 0}};
    return step;
}

bool has_translation(const LawContext& k) { return k.element().slot("r") != nullptr; }

std::vector<Step> steps_of(const LawContext& k) {
    std::vector<Step> steps;
    if (has_translation(k)) steps.push_back(free_slide());
    for (Step& s : orientation_steps(uses_angles(k), steps.size())) steps.push_back(std::move(s));
    return steps;
}

void build(PartsBuilder& b, bool translation) {
    const bool angles = wants_angles(b);
    std::vector<Coordinates> coordinates;
    if (translation) {
        b.state("v", 3, "m/s");
        coordinates.push_back({"axis_r", 3, "translational"});
    }
    b.state(angles ? "der_angles" : "w", 3, "rad/s");
    coordinates.push_back({"axis_w", 3, "rotational"});
    if (translation) b.state("r", 3, "m");
    orientation_state(b, angles);
    ChainBuilder chain(b);
    chain.coordinates(coordinates);
    if (translation) chain.step(free_slide());
    for (const Step& s : orientation_steps(angles, translation ? 1 : 0)) chain.step(s);
    chain.end_at("frame_b");
    std::vector<PartEnd> rates;
    for (std::size_t k = 0; k < coordinates.size(); ++k) rates.push_back(chain.rates(k));
    add_locks(b, coordinates, rates);
}

void build_spherical(PartsBuilder& b) { build(b, false); }
void build_free(PartsBuilder& b) { build(b, true); }

void law(LawContext& k) {
    std::size_t port = 0;
    if (has_translation(k)) {
        coordinate_law(k, port++, "v");
        k.equations(k.derivative("r"), k.slot("v"));
    }
    coordinate_law(k, port, uses_angles(k) ? "der_angles" : "w");
    orientation_law(k);
    chain_law(k, steps_of(k));
}

ComponentType ball_type(std::string_view name, void (*builder)(PartsBuilder&)) {
    ComponentType t;
    t.name = name;
    t.structure = Structure::border;
    t.parameters = orientation_parameters();
    t.parameters.push_back(locked());
    t.causality = coordinate_causality;
    t.law = law;
    t.source = kBallSource;
    t.connectors = joint_frames();
    t.free_rates = true;
    t.build = builder;
    t.singular = gimbal_lock;
    t.check = check_sequence;
    t.start_aliases = {angles_alias()};
    return t;
}

}  // namespace

const ComponentType kSpherical = [] {
    ComponentType t = ball_type("Spherical", build_spherical);
    t.summary =
        "Spherical joint: frame_b turns freely about the common point. Where it closes a loop and nothing is asked of "
        "its "
        "coordinates, it has none: it holds two points together, as CutSpherical does.";
    t.law_text = "x_b = x_a, R_b = R(q) R_a, dq/dt = 1/2 Xi(q) w;  t_b = 0";
    t.example = "ball: {type: Spherical, initial: {angles: [10 deg, 0, 0], w: [0, 0, 1 rad/s]}}";
    t.states = {{"q", "quaternion of R_b R_a^T (vector part, scalar part)", {}, ""},
                {"w", "angular velocity of frame_b against frame_a, in frame_b", {}, "", "rad/s"},
                {"angles", "with orientation: angles, in place of q", {}, "", "rad"},
                {"der_angles", "their rates, in place of w", {}, "", "rad/s"}};
    t.paths = {{0, 1, {"x"}}};
    t.cut = &kSphericalInLoop;
    t.shapes = ball_shape;
    return t;
}();

const ComponentType kFreeMotion = [] {
    ComponentType t = ball_type("FreeMotion", build_free);
    t.summary = "Free motion: frame_b moves freely against frame_a; no force acts between them.";
    t.law_text = "x_b = x_a + R_a^T r, R_b = R(q) R_a;  f_b = 0, t_b = 0";
    t.example = "free: {type: FreeMotion, initial: {r: [1 m, 0, 0], v: [0, 1 m/s, 0]}}";
    t.states = {{"r", "position of frame_b, in frame_a", {}, "", "m"},
                {"v", "its rate dr/dt", {}, "", "m/s"},
                {"q", "quaternion of R_b R_a^T (vector part, scalar part)", {}, ""},
                {"w", "angular velocity of frame_b against frame_a, in frame_b", {}, "", "rad/s"},
                {"angles", "with orientation: angles, in place of q", {}, "", "rad"},
                {"der_angles", "their rates, in place of w", {}, "", "rad/s"}};
    t.paths = {{0, 1, {}}};
    return t;
}();

}  // namespace bondgraph::mechanics3d
