#include "mechanics3d/planar.hpp"

#include <fmt/format.h>

#include "converters/frames.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;

Vec2 vec2(Expr x, Expr y) {
    Vec2 v;
    v << x, y;
    return v;
}
Vec2 scaled(Expr factor, const Vec2& a) { return vec2(factor * a(0), factor * a(1)); }
Expr dot(const Vec2& a, const Vec2& b) { return a(0) * b(0) + a(1) * b(1); }
Vec2 perpendicular(const Vec2& a) { return vec2(-a(1), a(0)); }
Vec2 in_world(Expr phi, const Vec2& a) {
    const Expr c = cos(phi);
    const Expr s = sin(phi);
    return vec2(c * a(0) - s * a(1), s * a(0) + c * a(1));
}

Vec2 planar_vector_or(const LawContext& k, std::string_view parameter, const Vec2& otherwise) {
    const Quantity* q = k.element().parameter(parameter);
    return q == nullptr ? otherwise : Vec2(q->value.col(0));
}

void check_planar_vector(const LawContext& k, std::string_view parameter, Diagnostics& diagnostics) {
    const Quantity* q = k.element().parameter(parameter);
    if (q == nullptr || (q->value.rows() == 2 && q->value.cols() == 1)) return;
    diagnostics.error(
        "BG-M020", k.element().position,
        fmt::format("'{}' of '{}' is a list of two values, this has {}", parameter, k.element().name, q->value.size()));
}

void check_planar_direction(const LawContext& k, std::string_view parameter, Diagnostics& diagnostics) {
    const Quantity* q = k.element().parameter(parameter);
    if (q == nullptr) return;
    const std::size_t before = diagnostics.error_count();
    check_planar_vector(k, parameter, diagnostics);
    if (diagnostics.error_count() > before) return;
    const Expr x = q->value(0, 0);
    const Expr y = q->value(1, 0);
    if (!x.is_constant() || !y.is_constant()) {
        diagnostics.error("BG-M020", k.element().position,
                          fmt::format("'{}' of '{}' is a direction of known numbers", parameter, k.element().name));
    } else if (x.constant() == 0.0 && y.constant() == 0.0) {
        diagnostics.error("BG-F002", k.element().position,
                          fmt::format("'{}' of '{}' has length 0: it points nowhere", parameter, k.element().name),
                          {{"try", "give a direction such as [1, 0]"}});
    }
}

PlanarPose planar_pose_of(const LawContext& component, std::string_view connector) {
    return {Vec2(component.signal(connector, "x")), component.signal(connector, "phi")(0, 0)};
}

void give_planar_pose(LawContext& component, std::string_view connector, const PlanarPose& pose) {
    const std::string x = std::string(connector) + ".x";
    const std::string phi = std::string(connector) + ".phi";
    if (component.element().slot(x) != nullptr) component.equations(component.slot(x), pose.x);
    if (component.element().slot(phi) != nullptr) component.equation(component.slot(phi)(0), pose.phi);
}

std::vector<ConnectorSpec> two_planar_frames(std::string_view a, std::string_view b) {
    return {{"frame_a", &converters::kPlanarFrame, a}, {"frame_b", &converters::kPlanarFrame, b, PortDirection::out}};
}

void hold_planar_frame(PartsBuilder& parts, std::string_view connector) {
    for (const ConnectorBond& bond : converters::kPlanarFrame.bonds) {
        const auto zero = [size = static_cast<Eigen::Index>(bond.size)](const LawContext&) {
            return ExprMatrix(ExprMatrix::Zero(size, 1));
        };
        parts.attach(connector, bond.name, parts.add(bond.name, parts.type("Sf"), {{"f", zero}}));
    }
}

// ---- chains -----------------------------------------------------------------------------------------------------

namespace {

// From one origin to the next, in the world, where the frame before stands at the angle phi.
Vec2 arm_of(const PlanarStep& step, const LawContext& k, Expr phi) {
    return step.along ? scaled(step.amount(k), in_world(phi, step.along(k))) : in_world(phi, step.r(k));
}

}  // namespace

PlanarChain::PlanarChain(PartsBuilder& parts)
    : parts_(parts), force_{.end = {}, .connector = "frame_a"}, torque_{.end = {}, .connector = "frame_a"} {
    phi_ = [](const LawContext& k) { return k.signal("frame_a", "phi")(0, 0); };
}

std::string PlanarChain::part(std::string_view name) const {
    return number_ == 0 ? std::string(name) : fmt::format("{}{}", name, number_);
}

void PlanarChain::coordinates(const std::vector<Coordinates>& all) {
    for (const Coordinates& c : all) {
        const PartEnd axis = parts_.junction1(c.name, c.size, c.domain);
        parts_.bond(axis, parts_.own_port(c.name + "_rate", PortDirection::in));
        axes_.push_back(axis);
    }
}

// The lane's end as a junction of a kind; one that is there already is used.
PartEnd PlanarChain::junction(Lane& lane, bool common_flow) {
    const Structure wanted = common_flow ? Structure::junction1 : Structure::junction0;
    if (lane.end && parts_.type_of(*lane.end).structure == wanted) return *lane.end;
    const bool turns = &lane == &torque_;
    const ConnectorBond& bond = converters::kPlanarFrame.bonds[turns ? 1 : 0];
    const std::string name = parts_.unique(part(turns ? (common_flow ? "w" : "w_sum") : (common_flow ? "v" : "v_sum")));
    const PartEnd made =
        common_flow ? parts_.junction1(name, bond.size, bond.domain) : parts_.junction0(name, bond.size, bond.domain);
    if (lane.end)
        parts_.bond(*lane.end, made);
    else
        parts_.attach(lane.connector, bond.name, made);
    lane.end = made;
    return made;
}

void PlanarChain::step(const PlanarStep& step) {
    if (step.angle)
        turn(step);
    else
        translate(step);
    ++number_;
}

void PlanarChain::turn(const PlanarStep& step) {
    parts_.bond(axes_[step.coordinate], junction(torque_, false));
    phi_ = [before = phi_, angle = step.angle](const LawContext& k) { return before(k) + angle(k); };
}

void PlanarChain::translate(const PlanarStep& step) {
    const auto to_next = [step, phi = phi_](const LawContext& k) { return ExprMatrix(arm_of(step, k, phi(k))); };
    const auto along = [step, phi = phi_](const LawContext& k) { return in_world(phi(k), step.along(k)); };
    std::vector<PartParameter> arm{{"d", to_next}};
    if (step.along) {
        arm.push_back(
            {"dd", [along, rate = step.rate](const LawContext& k) { return ExprMatrix(scaled(rate(k), along(k))); }});
    }
    const PartEnd turning = junction(torque_, true);
    const PartEnd sum = junction(force_, false);
    const PartEnd lever = parts_.add(part("lever"), kPlanarLever, std::move(arm));
    parts_.direct(lever, true);
    parts_.bond(turning, PartsBuilder::port(lever, "p1"));
    parts_.bond(PartsBuilder::port(lever, "p2"), sum);
    if (!step.along) return;
    const auto w = [name = parts_.local_name(turning)](const LawContext& k) {
        return ExprMatrix(k.part(name).flow(0));
    };
    const PartEnd slide = parts_.add(part("slide"), kPlanarSlide,
                                     {{"d", [along](const LawContext& k) { return ExprMatrix(along(k)); }}, {"w", w}});
    parts_.direct(slide, true);
    parts_.bond(axes_[step.coordinate], PartsBuilder::port(slide, "p1"));
    parts_.bond(PartsBuilder::port(slide, "p2"), sum);
}

PartEnd PlanarChain::velocity() { return junction(force_, true); }
PartEnd PlanarChain::angular_velocity() { return junction(torque_, true); }

void PlanarChain::end_at(const std::string& connector) {
    if (!torque_.end) junction(torque_, true);
    if (!force_.end) junction(force_, true);
    parts_.attach(connector, "torque", *torque_.end);
    parts_.attach(connector, "force", *force_.end);
}

void planar_chain_law(LawContext& k, const std::vector<PlanarStep>& steps) {
    const bool reversed = k.element().connectors[1].given;
    PlanarPose pose = planar_pose_of(k, reversed ? "frame_b" : "frame_a");
    for (std::size_t n = 0; n < steps.size(); ++n) {
        const PlanarStep& step = steps[reversed ? steps.size() - 1 - n : n];
        if (step.angle) {
            pose.phi = reversed ? pose.phi - step.angle(k) : pose.phi + step.angle(k);
        } else {
            const Vec2 moved = arm_of(step, k, pose.phi);
            pose.x = reversed ? Vec2(pose.x - moved) : Vec2(pose.x + moved);
        }
    }
    give_planar_pose(k, reversed ? "frame_a" : "frame_b", pose);
}

// ---- two-ports --------------------------------------------------------------------------------------------------

namespace {

Vec2 given(const LawContext& k, std::string_view name) { return Vec2(k.element().parameter(name)->value); }

void planar_lever_law(LawContext& k) {
    const Expr w = k.flow(0)(0);
    const Vec2 d = given(k, "d");
    const Vec2 across = perpendicular(d);
    k.equations(k.flow(1), scaled(w, across));
    k.equation(k.effort(0)(0), dot(across, Vec2(k.effort(1))));
    Vec2 rate = scaled(k.der(w), across) - scaled(w * w, d);
    if (k.has("dd")) rate += scaled(w, perpendicular(given(k, "dd")));
    k.rates(k.flow(1), rate);
}

void planar_slide_law(LawContext& k) {
    const Expr q = k.flow(0)(0);
    const Vec2 d = given(k, "d");
    k.equations(k.flow(1), scaled(q, d));
    k.equation(k.effort(0)(0), dot(d, Vec2(k.effort(1))));
    k.rates(k.flow(1), scaled(k.der(q), d) + scaled(k.scalar("w"), perpendicular(scaled(q, d))));
}

}  // namespace

const ComponentType kPlanarLever{
    .name = "planar lever",
    .structure = Structure::transformer,
    .symbol = "MTF",
    .summary = "Modulated transformer from rotation to translation by an arm d in the plane.",
    .law_text = "f2 = f1 [-d_y, d_x],  e1 = d_x e2_y - d_y e2_x",
    .ports = {{"p1", PortDirection::in, "rotation", "rotational"},
              {"p2", PortDirection::out, "translation", "translational"}},
    .parameters = {{.name = "d", .doc = "arm, in the world"},
                   {.name = "dd", .doc = "its rate, seen in the frame", .required = false}},
    .law = planar_lever_law,
    .source = kBos,
};

const ComponentType kPlanarSlide{
    .name = "planar slide",
    .structure = Structure::transformer,
    .symbol = "MTF",
    .summary = "Modulated transformer from the rate of a coordinate to a velocity in the plane.",
    .law_text = "f2 = d f1,  e1 = d . e2",
    .ports = {{"p1", PortDirection::in, "rate of the coordinate"},
              {"p2", PortDirection::out, "translation", "translational"}},
    .parameters = {{.name = "d", .doc = "direction, in the world"},
                   {.name = "w", .doc = "angular velocity of the frame"}},
    .law = planar_slide_law,
    .source = kBos,
};

}  // namespace bondgraph::mechanics3d
