#include "mechanics3d/chain.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "mechanics3d/two_ports.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

Pose pose_of(const LawContext& component, std::string_view connector) {
    return {Vec3(component.signal(connector, "x")), Mat3(component.signal(connector, "R"))};
}

void give_pose(LawContext& component, std::string_view connector, const Pose& pose) {
    const std::string x = std::string(connector) + ".x";
    const std::string R = std::string(connector) + ".R";
    if (component.element().slot(x) != nullptr) component.equations(component.slot(x), pose.x);
    if (component.element().slot(R) == nullptr) return;
    const auto variables = component.slot(R);
    for (Eigen::Index i = 0; i < 3; ++i) {
        for (Eigen::Index j = 0; j < 3; ++j) component.equation(variables(3 * i + j), pose.R(i, j));
    }
}

ChainBuilder::ChainBuilder(PartsBuilder& parts, const std::string& connector)
    : parts_(parts), forward_(!parts.reversed()) {
    stand_at(connector);
}

void ChainBuilder::stand_at(const std::string& connector) {
    const bool outward = std::ranges::any_of(parts_.component().type->connectors, [&](const ConnectorSpec& spec) {
        return spec.name == connector && spec.direction == PortDirection::out;
    });
    trans_ = {.end = {}, .connector = connector, .outward = outward};
    rot_ = {.end = {}, .connector = connector, .outward = outward};
    orientation_ = [connector](const LawContext& k) { return Mat3(k.signal(connector, "R")); };
}

std::string ChainBuilder::part(std::string_view name) {
    return number_ == 0 ? fmt::format("{}{}", prefix_, name) : fmt::format("{}{}{}", prefix_, name, number_);
}

void ChainBuilder::coordinates(const std::vector<Coordinates>& all) {
    for (const Coordinates& c : all) {
        const PartEnd axis = parts_.junction1(c.name, c.size, c.domain);
        parts_.bond(axis, parts_.own_port(c.name + "_rate", PortDirection::in));
        axes_.push_back(axis);
        coordinates_.push_back(c);
    }
}

void ChainBuilder::connect(Lane& lane, const PartEnd& to, std::string_view bond) {
    if (lane.end)
        parts_.bond(*lane.end, to);
    else
        parts_.attach(lane.connector, bond, to);
}

// The lane's end as a junction of a kind; one that is there already is used.
PartEnd ChainBuilder::junction(Lane& lane, bool common_flow, std::string_view bond) {
    const bool rot = bond == "rot";
    // The bond at an outward connector leaves its junction: flows there would count against each other.
    if (!lane.end && lane.outward && !common_flow) junction(lane, true, bond);
    if (lane.end && lane.end->port.empty()) {
        const bool is_one = parts_.type_of(*lane.end).structure == Structure::junction1;
        if (is_one == common_flow) return *lane.end;
    }
    const std::string_view domain = rot ? "rotational" : "translational";
    const std::string name = part(rot ? (common_flow ? "w" : "w_sum") : (common_flow ? "v" : "v_sum"));
    const std::string unique = parts_.unique(name);
    const PartEnd made = common_flow ? parts_.junction1(unique, 3, domain) : parts_.junction0(unique, 3, domain);
    connect(lane, made, bond);
    lane.end = made;
    return made;
}

void ChainBuilder::step(const Step& step) {
    if (step.kind == Step::Kind::rotate)
        rotate(step);
    else
        translate(step);
    ++number_;
}

void ChainBuilder::rotate(const Step& step) {
    std::vector<PartParameter> values{{"P", [P = step.P](const LawContext& k) { return ExprMatrix(P(k)); }}};
    if (step.w) values.push_back({"w", [w = step.w](const LawContext& k) { return ExprMatrix(w(k)); }});
    const PartEnd turn = parts_.add(part("turn"), kTurn, std::move(values));
    parts_.direct(turn, forward_);
    connect(rot_, PartsBuilder::port(turn, "p1"), "rot");
    rot_.end = PartsBuilder::port(turn, "p2");
    for (const Step::Moved& moved : step.moved) {
        const PartEnd sum = junction(rot_, false, "rot");
        const PartEnd& axis = axes_[moved.coordinates];
        if (!moved.H) {
            parts_.bond(axis, sum);
            continue;
        }
        const PartEnd map = parts_.add(parts_.unique(part("rate")), parts_.type("TF"), {{"m", moved.H}});
        parts_.direct(map, true);
        parts_.bond(axis, PartsBuilder::port(map, "p1"));
        parts_.bond(PartsBuilder::port(map, "p2"), sum);
    }
    orientation_ = [before = orientation_, P = step.P](const LawContext& k) { return Mat3(P(k) * before(k)); };
}

void ChainBuilder::translate(const Step& step) {
    const auto R = [orientation = orientation_](const LawContext& k) { return ExprMatrix(orientation(k)); };
    std::vector<PartParameter> values{{"r", [d = step.d](const LawContext& k) { return ExprMatrix(d(k)); }}, {"R", R}};
    if (step.dd) values.push_back({"dr", [dd = step.dd](const LawContext& k) { return ExprMatrix(dd(k)); }});
    const PartEnd turning = junction(rot_, true, "rot");
    const PartEnd sum = junction(trans_, false, "trans");
    const PartEnd lever = parts_.add(part("lever"), kLever, std::move(values));
    parts_.direct(lever, true);
    parts_.bond(turning, PartsBuilder::port(lever, "p1"));
    parts_.bond(PartsBuilder::port(lever, "p2"), sum);
    for (const Step::Moved& moved : step.moved) {
        const auto size = static_cast<Eigen::Index>(coordinates_[moved.coordinates].size);
        std::vector<PartParameter> map{
            {"H", moved.H ? moved.H : [size](const LawContext&) { return ExprMatrix(ExprMatrix::Identity(3, size)); }},
            {"R", R},
            {"w",
             [name = parts_.local_name(turning)](const LawContext& k) { return ExprMatrix(k.part(name).flow(0)); }}};
        if (moved.bias) map.push_back({"b", [b = moved.bias](const LawContext& k) { return ExprMatrix(b(k)); }});
        const PartEnd slide = parts_.add(parts_.unique(part("slide")), kSlide, std::move(map));
        parts_.direct(slide, true);
        parts_.bond(axes_[moved.coordinates], PartsBuilder::port(slide, "p1"));
        parts_.bond(PartsBuilder::port(slide, "p2"), sum);
    }
}

PartEnd ChainBuilder::velocity() { return junction(trans_, true, "trans"); }
PartEnd ChainBuilder::angular_velocity() { return junction(rot_, true, "rot"); }

ChainBuilder ChainBuilder::branch(const std::string& prefix) {
    velocity();
    angular_velocity();
    ChainBuilder other = *this;
    other.prefix_ = prefix;
    return other;
}

ChainBuilder ChainBuilder::from(const std::string& connector, const std::string& prefix) const {
    ChainBuilder other = *this;
    other.prefix_ = prefix;
    other.number_ = 0;
    other.stand_at(connector);
    return other;
}

void ChainBuilder::end_at(const std::string& connector) {
    if (!rot_.end) junction(rot_, true, "rot");
    if (!trans_.end) junction(trans_, true, "trans");
    parts_.attach(connector, "rot", *rot_.end);
    parts_.attach(connector, "trans", *trans_.end);
}

Pose through(const std::vector<Step>& steps, const LawContext& component, const Pose& given, bool reversed) {
    Pose pose = given;
    for (std::size_t n = 0; n < steps.size(); ++n) {
        const Step& step = steps[reversed ? steps.size() - 1 - n : n];
        if (step.kind == Step::Kind::rotate) {
            const Mat3 P = step.P(component);
            pose.R = reversed ? Mat3(P.transpose() * pose.R) : Mat3(P * pose.R);
        } else {
            const Vec3 moved = pose.R.transpose() * step.d(component);
            pose.x = reversed ? Vec3(pose.x - moved) : Vec3(pose.x + moved);
        }
    }
    return pose;
}

void chain_law(LawContext& component, const std::vector<Step>& steps) {
    const bool reversed = component.element().connectors[1].given;
    const std::string_view near = reversed ? "frame_b" : "frame_a";
    const std::string_view far = reversed ? "frame_a" : "frame_b";
    give_pose(component, far, through(steps, component, pose_of(component, near), reversed));
}

void coordinate_law(LawContext& component, std::size_t port, std::string_view rate) {
    component.equations(component.flow(port), component.slot(rate));
    const auto efforts = component.effort(port);
    for (const Expr& e : efforts) component.equation(e, 0.0);
}

PortCausality coordinate_causality(const Element&, std::size_t, std::size_t) { return PortCausality::prefers_flow_out; }

}  // namespace bondgraph::mechanics3d
