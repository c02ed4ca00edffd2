// Constraint joints: conditions on the position of frame_b against frame_a, both of which follow from elsewhere.
//
// With r = R_a (x_b - x_a) and S = R_b R_a^T, each condition has a force along the direction in which it forbids
// motion, so that constraints do no work. Their velocities and accelerations follow from the positions by index
// reduction.

#include <algorithm>

#include "converters/frames.hpp"
#include "mechanics3d/free_orientation.hpp"
#include "mechanics3d/hold.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/shapes.hpp"
#include "mechanics3d/two_ports.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

Vec3 offset_in_a(const LawContext& k) {
    const Pose a = pose_of(k, "frame_a");
    return a.R * Vec3(pose_of(k, "frame_b").x - a.x);
}

/// Seen in frame_a.
Vec3 offset_rate(const LawContext& k) {
    const Vec3 relative = k.part("v_b").flow(0) - k.part("v").flow(0);
    return pose_of(k, "frame_a").R * relative - cross(Vec3(k.part("w").flow(0)), offset_in_a(k));
}

/// Of frame_b against frame_a.
Mat3 orientation_against_a(const LawContext& k) {
    return pose_of(k, "frame_b").R * pose_of(k, "frame_a").R.transpose();
}

Expr trace(const Mat3& S) { return S(0, 0) + S(1, 1) + S(2, 2); }

/// A condition on the orientation, and the torque that holds it, in frame_a.
struct Turn {
    Expr value;
    Vec3 along;
};

/// What a constraint joint forbids.
struct Cut {
    std::size_t forces = 3;
    std::size_t torques = 0;
    /// Directions of the forces, in frame_a; null: all, so that both origins are one point.
    std::function<std::vector<Vec3>(const LawContext&)> axes = {};
    /// As many conditions as torques; null where all are forbidden.
    std::function<std::vector<Turn>(const LawContext&)> turns = {};
    std::function<Expr(const LawContext&)> upright = {};
    /// What the rest of a loop in a plane across this direction keeps as it is: the offset along it, and the direction
    /// itself as frame_b sees it.
    std::function<Vec3(const LawContext&)> normal = {};
};

/// The axis of a turn times the sine of its angle: where the axis is given, as in a plane, always the same combination
/// of these vanishes.
Vec3 turned_by(const LawContext& k) {
    const Mat3 S = orientation_against_a(k);
    return scaled(Expr(0.5), vec3(S(1, 2) - S(2, 1), S(2, 0) - S(0, 2), S(0, 1) - S(1, 0)));
}

void hold_position(PartsBuilder& b, ChainBuilder& chain, const Cut& cut) {
    // Where the origins are no one point, forces act at that of frame_b.
    if (cut.axes && cut.forces > 0) chain.step({.kind = Step::Kind::translate, .d = offset_in_a, .dd = offset_rate});
    const PartEnd moved = b.junction1("v_b", 3, "translational");
    b.attach("frame_b", "trans", moved);
    if (cut.forces == 0) return;
    const PartEnd relative = b.junction0("v_rel", 3, "translational");
    b.bond(moved, relative);
    b.bond(relative, chain.velocity());
    // Resolved in frame_a, so that a condition that others imply stays the same one however the whole turns.
    if (!cut.axes)
        return add_hold(b, relative, "force", "translational", 3,
                        [](const LawContext& k) { return ExprMatrix(pose_of(k, "frame_a").R); },
                        {{"position", [](const LawContext& k) { return ExprMatrix(offset_in_a(k)); }}});
    const auto position = [axes = cut.axes](const LawContext& k) {
        std::vector<Expr> values;
        const Vec3 r = offset_in_a(k);
        for (const Vec3& p : axes(k)) values.push_back(dot(p, r));
        return column(values);
    };
    const auto map = [axes = cut.axes](const LawContext& k) {
        return ExprMatrix(rows(axes(k)) * ExprMatrix(pose_of(k, "frame_a").R));
    };
    std::vector<PartParameter> conditions{{"position", position}};
    if (cut.normal)
        conditions.push_back({"assumed", [normal = cut.normal](const LawContext& k) {
                                  const Vec3 n = normal(k);
                                  const Vec3 seen = orientation_against_a(k) * n;
                                  return column({dot(n, offset_in_a(k)), seen(0), seen(1), seen(2)});
                              }});
    add_hold(b, relative, "force", "translational", cut.forces, map, std::move(conditions));
}

void hold_orientation(PartsBuilder& b, const PartEnd& turning, const Cut& cut) {
    const PartEnd turned = b.junction1("w_b", 3, "rotational");
    b.attach("frame_b", "rot", turned);
    if (cut.torques == 0) return;
    const PartEnd relative = b.junction0("w_rel", 3, "rotational");
    std::vector<PartParameter> conditions;
    if (cut.upright)
        conditions.push_back(
            {"upright", [upright = cut.upright](const LawContext& k) { return column({upright(k)}); }});
    if (!cut.turns) {
        // Both frames are parallel: what is resolved in one is resolved in the other.
        b.bond(turned, relative);
        b.bond(relative, turning);
        conditions.push_back({"position", [](const LawContext& k) { return ExprMatrix(turned_by(k)); }});
        return add_hold(b, relative, "torque", "rotational", 3, {}, std::move(conditions));
    }
    const auto into_a = [](const LawContext& k) { return ExprMatrix(orientation_against_a(k).transpose()); };
    const std::string near = b.local_name(turning);
    const PartEnd turn =
        b.add("turn_b", kTurn,
              {{"P", into_a}, {"w", [=](const LawContext& k) {
                                   return ExprMatrix(k.part(near).flow(0) - into_a(k) * k.part("w_b").flow(0));
                               }}});
    b.direct(turn, true);
    b.bond(turned, PartsBuilder::port(turn, "p1"));
    b.bond(PartsBuilder::port(turn, "p2"), relative);
    b.bond(relative, turning);
    conditions.push_back({"position", [turns = cut.turns](const LawContext& k) {
                              std::vector<Expr> values;
                              for (const Turn& t : turns(k)) values.push_back(t.value);
                              return column(values);
                          }});
    const auto map = [turns = cut.turns](const LawContext& k) {
        std::vector<Vec3> axes;
        for (const Turn& t : turns(k)) axes.push_back(t.along);
        return rows(axes);
    };
    add_hold(b, relative, "torque", "rotational", cut.torques, map, std::move(conditions));
}

void build_cut(PartsBuilder& b, const Cut& cut) {
    ChainBuilder chain(b);
    const PartEnd turning = chain.angular_velocity();
    chain.velocity();
    hold_position(b, chain, cut);
    hold_orientation(b, turning, cut);
}

void cut_law(LawContext&) {}

ComponentType cut_type(std::string_view name, void (*builder)(PartsBuilder&)) {
    ComponentType t;
    t.name = name;
    t.structure = Structure::block;
    t.law = cut_law;
    t.source = kCutSource;
    t.connectors = {{"frame_a", &converters::kFrame, "the side conditions are resolved in"},
                    {"frame_b", &converters::kFrame, "the other side", PortDirection::out}};
    t.build = builder;
    t.shapes = ball_shape;
    return t;
}

// ---- directions -------------------------------------------------------------------------------------------------

Vec3 axis(int number) { return vec3(number == 0 ? 1.0 : 0.0, number == 1 ? 1.0 : 0.0, number == 2 ? 1.0 : 0.0); }

Vec3 axis_z(const LawContext& k) { return unit_or(k, "n", axis(2)); }
Vec3 axis_x(const LawContext& k) { return unit_or(k, "n", axis(0)); }

std::vector<Turn> about_axis(const LawContext& k, const Vec3& n) {
    const auto [p, q] = across(n);
    const Vec3 turned = orientation_against_a(k).transpose() * n;
    return {{dot(p, turned), q}, {dot(q, turned), p}};
}

Expr same_way(const LawContext& k, const Vec3& n) { return dot(n, orientation_against_a(k).transpose() * n); }
Expr not_turned_over(const LawContext& k) { return trace(orientation_against_a(k)); }

std::vector<Turn> cross_shaped(const LawContext& k, const Vec3& n_a, const Vec3& n_b) {
    const Vec3 turned = orientation_against_a(k).transpose() * n_b;
    return {{dot(n_a, turned), cross(turned, n_a)}};
}

// ---- what each joint forbids ------------------------------------------------------------------------------------

Cut rigid() { return {.torques = 3, .upright = not_turned_over}; }
Cut spherical() { return {}; }
Cut revolute() {
    return {.torques = 2,
            .turns = [](const LawContext& k) { return about_axis(k, axis_z(k)); },
            .upright = [](const LawContext& k) { return same_way(k, axis_z(k)); }};
}
Cut revolute_in_plane() {
    return {.forces = 2,
            .axes =
                [](const LawContext& k) {
                    const auto [p, q] = across(axis_z(k));
                    return std::vector<Vec3>{p, q};
                },
            .normal = axis_z};
}
Cut prismatic() {
    return {.forces = 2,
            .torques = 3,
            .axes =
                [](const LawContext& k) {
                    const auto [p, q] = across(axis_x(k));
                    return std::vector<Vec3>{p, q};
                },
            .upright = not_turned_over};
}
Vec3 loop_normal(const LawContext& k) { return unit_or(k, "n_z", axis(2)); }
Cut prismatic_in_plane() {
    return {.forces = 1,
            .torques = 1,
            .axes =
                [](const LawContext& k) {
                    const Vec3 p = cross(loop_normal(k), axis_x(k));
                    return std::vector<Vec3>{scaled(Expr(1.0) / expression::sqrt(dot(p, p)), p)};
                },
            .turns =
                [](const LawContext& k) {
                    const Vec3 z = loop_normal(k);
                    return std::vector<Turn>{{dot(z, turned_by(k)), z}};
                },
            .upright = not_turned_over,
            .normal = loop_normal};
}
Cut universal() {
    return {.torques = 1, .turns = [](const LawContext& k) {
                return cross_shaped(k, unit_or(k, "n_a", axis(0)), unit_or(k, "n_b", axis(1)));
            }};
}

// ---- shapes -----------------------------------------------------------------------------------------------------

/// From frame_a to frame_b, as far as the one slides along the other.
Shape3D slide_between_frames(const LawContext& k) {
    return of_nominal_thickness(shape_between(k, "box", kShapeSize / 2.0));
}
std::vector<Shape3D> slide_shape(const LawContext& k) { return {slide_between_frames(k)}; }

/// A bar along an axis of each frame.
std::vector<Shape3D> cross_of_bars(const LawContext& k, const Vec3& n_a, const Vec3& n_b) {
    return {nominal(shape_about(k, "cylinder", "frame_a", n_a, kShapeSize, kShapeSize / 2.0)),
            nominal(shape_about(k, "cylinder", "frame_b", n_b, kShapeSize, kShapeSize / 2.0))};
}
std::vector<Shape3D> cross_shape(const LawContext& k) {
    return cross_of_bars(k, unit_or(k, "n_a", axis(0)), unit_or(k, "n_b", axis(1)));
}

/// Of the words x, y, z or rx, ry, rz, the numbers of the axes that are held.
std::vector<int> held_axes(const std::vector<std::string>& words, std::string_view prefix) {
    std::vector<int> axes;
    for (int i = 0; i < 3; ++i) {
        const std::string word = std::string(prefix) + "xyz"[i];
        if (std::ranges::find(words, word) != words.end()) axes.push_back(i);
    }
    return axes;
}

Cut chosen(const std::vector<std::string>& words) {
    const std::vector<int> along = held_axes(words, "");
    const std::vector<int> about = held_axes(words, "r");
    Cut cut{.forces = along.size(), .torques = about.size()};
    if (along.size() < 3)
        cut.axes = [along](const LawContext&) {
            std::vector<Vec3> axes;
            for (const int i : along) axes.push_back(axis(i));
            return axes;
        };
    if (about.size() == 3) {
        cut.upright = not_turned_over;
    } else if (about.size() == 2) {
        const int free = 3 - about[0] - about[1];
        cut.turns = [free](const LawContext& k) { return about_axis(k, axis(free)); };
        cut.upright = [free](const LawContext& k) { return same_way(k, axis(free)); };
    } else if (about.size() == 1) {
        const int held = about[0];
        cut.turns = [held](const LawContext& k) { return cross_shaped(k, axis((held + 1) % 3), axis((held + 2) % 3)); };
    }
    return cut;
}

/// What the frames may do against each other: slide, and turn in all ways, about an axis, or about two of a cross.
/// Where they may do nothing of that, a ball, as of CutRigid.
std::vector<Shape3D> chosen_shape(const LawContext& k) {
    const std::vector<int> about = held_axes(k.element().words, "r");
    const bool slides = held_axes(k.element().words, "").size() < 3;
    std::vector<Shape3D> shapes;
    if (about.size() == 2)
        shapes = {
            nominal(shape_about(k, "cylinder", "frame_a", axis(3 - about[0] - about[1]), kShapeSize, kShapeSize))};
    else if (about.size() == 1)
        shapes = cross_of_bars(k, axis((about[0] + 1) % 3), axis((about[0] + 2) % 3));
    else if (about.empty() || !slides)
        shapes = ball_shape(k);
    if (slides) shapes.push_back(slide_between_frames(k));
    return shapes;
}

template <Cut (*cut)()>
void build(PartsBuilder& b) {
    build_cut(b, cut());
}

void build_spherical_in_loop(PartsBuilder& b) {
    b.variable("w", 3, "rad/s");
    build_cut(b, spherical());
}

void spherical_in_loop_law(LawContext& k) {
    const Vec3 carried = orientation_against_a(k) * Vec3(k.part("w").flow(0));
    k.equations(k.slot("w"), Vec3(Vec3(k.part("w_b").flow(0)) - carried));
}

void build_chosen(PartsBuilder& b) { build_cut(b, chosen(b.words("holds"))); }

void check_chosen(const LawContext& k, Diagnostics& d) {
    const std::vector<std::string>& words = k.element().words;
    const std::vector<std::string> known{"x", "y", "z", "rx", "ry", "rz"};
    for (const std::string& w : words) {
        if (std::ranges::find(known, w) != known.end()) continue;
        d.error("BG-M013", place_of(k, "holds"),
                "'holds' names directions of '" + k.element().name + "': not '" + w + "'",
                {{"try", "x, y, z (translations along the axes of frame_a) and rx, ry, rz (turns about them)"}});
    }
}

}  // namespace

const ComponentType kCutRigid = [] {
    ComponentType t = cut_type("CutRigid", build<rigid>);
    t.summary =
        "Two frames held together in position and orientation: what an ordinary connection that closes a loop becomes.";
    t.law_text = "x_b = x_a, R_b = R_a: 6 conditions, each with its force or torque";
    t.example = "weld: {type: CutRigid}";
    return t;
}();

const ComponentType kCutSpherical = [] {
    ComponentType t = cut_type("CutSpherical", build<spherical>);
    t.summary = "A ball joint as a constraint: the origins of two frames are one point.";
    t.law_text = "x_b = x_a: 3 conditions, with a force";
    t.example = "ball: {type: CutSpherical}";
    return t;
}();

const ComponentType kSphericalInLoop = [] {
    ComponentType t = cut_type("Spherical", build_spherical_in_loop);
    t.law = spherical_in_loop_law;
    t.parameters = orientation_parameters();
    t.parameters.push_back(locked());
    t.summary = "A spherical joint that closes a loop: the constraint alone, and its angular velocity as a result.";
    t.states = {{"w", "angular velocity of frame_b against frame_a, in frame_b", {}, "", "rad/s"}};
    return t;
}();

const ComponentType kCutRevolute = [] {
    ComponentType t = cut_type("CutRevolute", build<revolute>);
    t.summary =
        "A revolute joint as a constraint: the origins are one point and the axis n is the same in both frames.";
    t.law_text = "x_b = x_a, p . S^T n = q . S^T n = 0 with p, q across n: 5 conditions";
    t.example = "pin: {type: CutRevolute, n: [0, 0, 1]}";
    t.parameters = {direction("n", "axis, the same in both frames; [0, 0, 1] by default")};
    t.check = [](const LawContext& k, Diagnostics& d) { check_direction(k, "n", d); };
    t.shapes = joint_shape;
    return t;
}();

const ComponentType kCutRevolute2D = [] {
    ComponentType t = cut_type("CutRevolute2D", build<revolute_in_plane>);
    t.summary =
        "A revolute joint as a constraint in a loop that moves in a plane across n: only the two conditions there.";
    t.law_text = "p . r = q . r = 0 with p, q across n: 2 conditions";
    t.example = "pin: {type: CutRevolute2D, n: [0, 0, 1]}";
    t.parameters = {direction("n", "axis, in frame_a; [0, 0, 1] by default")};
    t.check = [](const LawContext& k, Diagnostics& d) { check_direction(k, "n", d); };
    t.shapes = joint_shape;
    return t;
}();

const ComponentType kCutPrismatic = [] {
    ComponentType t = cut_type("CutPrismatic", build<prismatic>);
    t.summary = "A prismatic joint as a constraint: frame_b is parallel to frame_a and lies on the line along n.";
    t.law_text = "p . r = q . r = 0 with p, q across n, R_b = R_a: 5 conditions";
    t.example = "guide: {type: CutPrismatic, n: [1, 0, 0]}";
    t.parameters = {direction("n", "axis of sliding, in frame_a; [1, 0, 0] by default")};
    t.check = [](const LawContext& k, Diagnostics& d) { check_direction(k, "n", d); };
    t.shapes = slide_shape;
    return t;
}();

const ComponentType kCutPrismatic2D = [] {
    ComponentType t = cut_type("CutPrismatic2D", build<prismatic_in_plane>);
    t.summary =
        "A prismatic joint as a constraint in a loop that moves in the plane across n_z: only the two conditions "
        "there.";
    t.law_text = "p . r = 0 with p = n_z x n, no turn about n_z: 2 conditions";
    t.example = "guide: {type: CutPrismatic2D, n: [1, 0, 0], n_z: [0, 0, 1]}";
    t.parameters = {direction("n", "axis of sliding, in frame_a; [1, 0, 0] by default"),
                    direction("n_z", "normal of the plane, in frame_a; [0, 0, 1] by default")};
    t.check = [](const LawContext& k, Diagnostics& d) {
        check_direction(k, "n", d);
        check_direction(k, "n_z", d);
        check_not_parallel(k, "n", axis(0), "n_z", axis(2), "the axis lies in the plane", d);
    };
    t.shapes = slide_shape;
    return t;
}();

const ComponentType kCutUniversal = [] {
    ComponentType t = cut_type("CutUniversal", build<universal>);
    t.summary =
        "A universal joint as a constraint: the origins are one point, and n_a of frame_a is perpendicular to n_b of "
        "frame_b.";
    t.law_text = "x_b = x_a, n_a . S^T n_b = 0: 4 conditions";
    t.example = "cross: {type: CutUniversal, n_a: [1, 0, 0], n_b: [0, 1, 0]}";
    t.parameters = {direction("n_a", "axis of the cross in frame_a; [1, 0, 0] by default"),
                    direction("n_b", "its other axis, in frame_b; [0, 1, 0] by default")};
    t.check = [](const LawContext& k, Diagnostics& d) {
        check_direction(k, "n_a", d);
        check_direction(k, "n_b", d);
    };
    t.shapes = cross_shape;
    return t;
}();

const ComponentType kCutJoint = [] {
    ComponentType t = cut_type("CutJoint", build_chosen);
    t.summary = "A constraint joint of a choice: the directions in which frame_b is held against frame_a.";
    t.law_text =
        "held translations: that component of r = 0; three turns: R_b = R_a; two: the third axis is the same in both "
        "frames; one: the other two axes, one of each frame, are perpendicular";
    t.example = "guide: {type: CutJoint, holds: [x, y, rz]}";
    t.parameters = {{.name = "holds",
                     .doc = "which of x, y, z (along the axes of frame_a) and rx, ry, rz (about them)",
                     .kind = ParameterKind::texts}};
    t.check = check_chosen;
    t.shapes = chosen_shape;
    return t;
}();

}  // namespace bondgraph::mechanics3d
