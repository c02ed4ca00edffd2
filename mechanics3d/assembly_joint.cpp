#include "mechanics3d/assembly_joint.hpp"

#include <fmt/format.h>

#include "converters/frames.hpp"
#include "mechanics3d/hold.hpp"
#include "mechanics3d/parameters.hpp"
#include "mechanics3d/point_mass.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

namespace {

const char* frame_of(const Leg& leg, std::size_t place) { return place == 0 ? leg.from : leg.reaches[place - 1].frame; }

/// The place of a leg whose pose comes from elsewhere; those before it are computed from it backwards.
std::size_t given_place(const Element& e, const Leg& leg) {
    for (std::size_t place = 0; place <= leg.reaches.size(); ++place) {
        const char* frame = frame_of(leg, place);
        if (frame != nullptr && e.connector(frame)->given) return place;
    }
    return 0;
}

void lay(PartsBuilder& b, ChainBuilder& chain, const Leg& leg) {
    const std::size_t given = given_place(b.component(), leg);
    for (std::size_t r = 0; r < leg.reaches.size(); ++r) {
        const Reach& reach = leg.reaches[r];
        chain.set_forward(given <= r);
        for (const Step& s : reach.steps) chain.step(s);
        if (reach.frame == nullptr) continue;
        b.attach(reach.frame, "trans", chain.velocity());
        b.attach(reach.frame, "rot", chain.angular_velocity());
    }
    chain.velocity();
    chain.angular_velocity();
}

void give_poses(LawContext& k, const Leg& leg) {
    const std::size_t given = given_place(k.element(), leg);
    for (std::size_t r = 0; r < leg.reaches.size(); ++r) {
        const Reach& reach = leg.reaches[r];
        if (reach.frame == nullptr) continue;
        const char* before = frame_of(leg, r);
        const bool back = r < given;
        const Pose pose = through(reach.steps, k, pose_of(k, back ? reach.frame : before), back);
        give_pose(k, back ? before : reach.frame, pose);
    }
}

using Legs = std::array<Leg, 2>;

/// From the end of the first leg to that of the second, in frame_a.
Vec3 gap_in_a(const LawContext& k, const Legs& legs) {
    return pose_of(k, "frame_a").R * Vec3(end_of(k, legs[1]).x - end_of(k, legs[0]).x);
}

PartEnd relative_velocity(PartsBuilder& b, const PartEnd& near, const PartEnd& far) {
    const PartEnd relative = b.junction0("v_rel", 3, "translational");
    b.bond(far, relative);
    b.bond(relative, near);
    return relative;
}

void meet_in_point(PartsBuilder& b, const PartEnd& near, const PartEnd& far, const Legs& legs, const Meeting& meeting) {
    const auto map = [](const LawContext& k) { return ExprMatrix(pose_of(k, "frame_a").R); };
    const auto position = [legs](const LawContext& k) { return ExprMatrix(gap_in_a(k, legs)); };
    std::vector<PartParameter> conditions{{"position", position}};
    if (meeting.upright)
        conditions.push_back(
            {"upright", [upright = meeting.upright](const LawContext& k) { return column({upright(k)}); }});
    add_hold(b, relative_velocity(b, near, far), "force", "translational", 3, map, std::move(conditions));
}

// Across the plane the ends may be apart: forces act at that of the second leg.
void meet_in_plane(PartsBuilder& b, ChainBuilder& near, const PartEnd& far, const Legs& legs, const Meeting& meeting) {
    const auto between = [legs](const LawContext& k) {
        const Pose end = end_of(k, legs[0]);
        return Vec3(end.R * Vec3(end_of(k, legs[1]).x - end.x));
    };
    const std::string v_near = b.local_name(near.velocity());
    const std::string w_near = b.local_name(near.angular_velocity());
    const std::string v_far = b.local_name(far);
    const auto rate = [=](const LawContext& k) {
        const Vec3 relative = k.part(v_far).flow(0) - k.part(v_near).flow(0);
        return Vec3(end_of(k, legs[0]).R * relative - cross(Vec3(k.part(w_near).flow(0)), between(k)));
    };
    near.step({.kind = Step::Kind::translate, .d = between, .dd = rate});
    const auto axes = [normal = meeting.normal](const LawContext& k) {
        const auto [p, q] = across(normal(k));
        return std::vector<Vec3>{p, q};
    };
    const auto position = [=](const LawContext& k) {
        const Vec3 gap = gap_in_a(k, legs);
        std::vector<Expr> values;
        for (const Vec3& p : axes(k)) values.push_back(dot(p, gap));
        return column(values);
    };
    const auto map = [=](const LawContext& k) {
        return ExprMatrix(rows(axes(k)) * ExprMatrix(pose_of(k, "frame_a").R));
    };
    add_hold(b, relative_velocity(b, near.velocity(), far), "force", "translational", 2, map, {{"position", position}});
}

void meet_at_distance(PartsBuilder& b, const PartEnd& near, const PartEnd& far, const Legs& legs,
                      const Meeting& meeting) {
    const auto between = [legs](const LawContext& k) { return Vec3(end_of(k, legs[1]).x - end_of(k, legs[0]).x); };
    add_rod(b, near, far, between, [length = meeting.length](const LawContext& k) { return k.scalar(length); });
    b.variable("f_rod", 1, "N");
    if (meeting.mass == nullptr || !b.has(meeting.mass)) return;
    add_mass_between(
        b, near, far, [](const LawContext&) { return Expr(0.5); },
        [mass = meeting.mass](const LawContext& k) { return k.scalar(mass); },
        [legs, between](const LawContext& k) { return Vec3(end_of(k, legs[0]).x + scaled(Expr(0.5), between(k))); });
}

void meet(PartsBuilder& b, ChainBuilder& near, ChainBuilder& far, const AssemblyTable& table) {
    const Meeting meeting = table.meeting();
    const Legs legs = table.legs();
    switch (meeting.kind) {
        case Meeting::Kind::in_point:
            return meet_in_point(b, near.velocity(), far.velocity(), legs, meeting);
        case Meeting::Kind::in_plane:
            return meet_in_plane(b, near, far.velocity(), legs, meeting);
        case Meeting::Kind::at_distance:
            return meet_at_distance(b, near.velocity(), far.velocity(), legs, meeting);
    }
}

/// The side of the driven coordinate that stands still, and its lock.
void add_drive(PartsBuilder& b, const Coordinates& driven, const PartEnd& rate) {
    const auto zero = [](const LawContext&) { return ExprMatrix(ExprMatrix::Zero(1, 1)); };
    b.bond(b.add("ground", b.type("Sf"), {{"f", zero}}), b.junction1("bearing", 1, driven.domain));
    add_locks(b, {driven}, {rate});
}

}  // namespace

void build_assembly(PartsBuilder& b, const AssemblyTable& table) {
    const std::vector<Coordinates> coordinates = declare_freedoms(b, table.freedoms);
    ChainBuilder near(b);
    near.coordinates(coordinates);
    ChainBuilder far = near.from("frame_b", "far_");
    const Legs legs = table.legs();
    lay(b, near, legs[0]);
    lay(b, far, legs[1]);
    meet(b, near, far, table);
    if (table.drives) add_drive(b, coordinates.back(), near.rates(coordinates.size() - 1));
}

void assembly_law(LawContext& k, const AssemblyTable& table) {
    freedom_law(k, table.freedoms);
    for (const Leg& leg : table.legs()) give_poses(k, leg);
    // Of a rod that is pressed the force on frame_b points back to frame_a.
    if (table.meeting().kind == Meeting::Kind::at_distance)
        k.equation(k.slot("f_rod")(0), -k.part("force").effort(0)(0));
}

void describe_assembly(ComponentType& t, const AssemblyTable& table) {
    t.structure = Structure::border;
    t.states = joint_states(table.freedoms);
    t.causality = coordinate_causality;
    t.source = kAssemblySource;
    t.free_rates = true;
    t.connectors = {{"frame_a", &converters::kFrame, "one side"},
                    {"frame_b", &converters::kFrame, "the other side", PortDirection::out}};
    if (!table.drives) return;
    const bool rotation = table.freedoms.back().rotation;
    const auto port = [&](std::string_view name, std::string_view doc) {
        t.ports.push_back({.name = name,
                           .doc = doc,
                           .domain = rotation ? "rotational" : "translational",
                           .connector = rotation ? &converters::kFlange : &converters::kTranslationalFlange});
    };
    port("axis", rotation ? "drives phi" : "drives s");
    port("bearing", "stands still");
}

Pose end_of(const LawContext& k, const Leg& leg) {
    Pose pose = pose_of(k, leg.from);
    for (const Reach& reach : leg.reaches)
        pose = reach.frame == nullptr ? through(reach.steps, k, pose, false) : pose_of(k, reach.frame);
    return pose;
}

Step rod_along(const char* parameter) {
    return {.kind = Step::Kind::translate,
            .d = [=](const LawContext& k) { return vector_or(k, parameter, vec3(0.0, 0.0, 0.0)); }};
}

namespace {

Vec3 second_axis(const Vec3& across, const Vec3& rod) {
    const Vec3 n = cross(across, rod);
    return scaled(Expr(1.0) / expression::sqrt(dot(n, n)), n);
}

}  // namespace

std::vector<Step> universal_turns(std::function<Vec3(const LawContext&)> across,
                                  std::function<Vec3(const LawContext&)> rod) {
    const auto second = [across, rod](const LawContext& k) { return second_axis(across(k), rod(k)); };
    return {turn_about(0, across, "phi_1", "w_1"), turn_about(1, second, "phi_2", "w_2")};
}

Vec3 first_axis(const LawContext& k) { return unit_or(k, "n1_a", kZ); }

std::vector<Freedom> universal_freedoms() {
    return {{"phi_1", "w_1", "a_1", "axis_1"}, {"phi_2", "w_2", "a_2", "axis_2"}};
}

Expr universal_angle(const LawContext& k, const Vec3& across, const Vec3& rod) {
    const Vec3 second = second_axis(across, rod);
    const Vec3 now = planar_rotation(second, k.slot("phi_2")(0)).transpose() * rod;
    return dot(second, cross(across, now));
}

ConnectorSpec extra_frame(std::string_view name, std::string_view doc) {
    return {name, &converters::kFrame, doc, PortDirection::out, true};
}

ParameterSpec rod_vector(std::string_view name, std::string_view doc) {
    return {.name = name, .doc = doc, .shape = Shape::vector, .unit = "m"};
}

void check_rod(const LawContext& k, std::string_view parameter, Diagnostics& d) {
    const std::size_t before = d.error_count();
    check_vector(k, parameter, d);
    if (d.error_count() > before) return;
    const Vec3 r = vector_or(k, parameter, vec3(0.0, 0.0, 0.0));
    for (const Expr& x : r) {
        if (!x.is_constant(0.0)) return;
    }
    d.error("BG-F002", place_of(k, parameter),
            fmt::format("the rod '{}' of '{}' has length 0", parameter, k.element().name),
            {{"because", "both of its ends are one point: nothing is between the joints there"},
             {"try", "give the vector from one joint to the other, such as [0.2 m, 0, 0]"}});
}

}  // namespace bondgraph::mechanics3d
