#include "mechanics3d/two_ports.hpp"

#include "bondgraph/model/law_context.hpp"
#include "mechanics3d/orientation.hpp"
#include "mechanics3d/types.hpp"

namespace bondgraph::mechanics3d {

using namespace model;
using expression::ExprMatrix;
using expression::ExprVector;

namespace {

ExprMatrix value(const LawContext& k, std::string_view name) { return k.element().parameter(name)->value; }

void lever_law(LawContext& k) {
    const Vec3 r = value(k, "r");
    const Mat3 R = value(k, "R");
    const Vec3 w = k.flow(0);
    const Vec3 across = cross(w, r);
    k.equations(k.flow(1), R.transpose() * across);
    k.equations(k.effort(0), cross(r, R * Vec3(k.effort(1))));
    Vec3 rate = cross(k.der(w), r) + cross(w, across);
    if (k.has("dr")) rate += cross(w, value(k, "dr"));
    k.rates(k.flow(1), R.transpose() * rate);
}

void turn_law(LawContext& k) {
    const Mat3 P = value(k, "P");
    const Vec3 near = k.flow(0);
    const Vec3 far = k.flow(1);
    const bool forward = k.element().directed.value_or(true);
    if (forward) {
        k.equations(k.flow(1), P * near);
        k.equations(k.effort(0), P.transpose() * Vec3(k.effort(1)));
    } else {
        k.equations(k.flow(0), P.transpose() * far);
        k.equations(k.effort(1), P * Vec3(k.effort(0)));
    }
    Vec3 turning = vec3(0.0, 0.0, 0.0);
    if (k.has("w")) turning = cross(far, Vec3(value(k, "w")));
    if (forward)
        k.rates(k.flow(1), P * Vec3(k.der(near)) + turning);
    else
        k.rates(k.flow(0), P.transpose() * (Vec3(k.der(far)) - turning));
}

void slide_law(LawContext& k) {
    const ExprMatrix H = value(k, "H");
    const Mat3 R = value(k, "R");
    const ExprVector q = k.flow(0);
    const Vec3 moved = H * q;
    k.equations(k.flow(1), R.transpose() * moved);
    k.equations(k.effort(0), H.transpose() * (R * Vec3(k.effort(1))));
    Vec3 rate = H * k.der(q) + cross(Vec3(value(k, "w")), moved);
    if (k.has("b")) rate += value(k, "b");
    k.rates(k.flow(1), R.transpose() * rate);
}

void euler_law(LawContext& k) {
    const Vec3 w = k.flow(0);
    k.equations(k.effort(0), cross(w, Mat3(value(k, "J")) * w));
}

PortCausality euler_effort_out(const Element&, std::size_t, std::size_t) { return PortCausality::effort_out; }

ParameterSpec matrix(std::string_view name, std::string_view doc, bool required = true) {
    return {.name = name, .doc = doc, .required = required};
}

}  // namespace

const ComponentType kLever{
    .name = "lever",
    .structure = Structure::transformer,
    .symbol = "MTF",
    .summary = "Modulated transformer from rotation to translation by an arm r.",
    .law_text = "f2 = Rᵀ (f1 × r),  e1 = r × (R e2)",
    .ports = {{"p1", PortDirection::in, "rotation, in the frame", "rotational"},
              {"p2", PortDirection::out, "translation, in the world", "translational"}},
    .parameters = {matrix("r", "arm, in the frame"), matrix("R", "orientation of the frame"),
                   matrix("dr", "rate of the arm", false)},
    .law = lever_law,
    .source = kBos,
};

const ComponentType kTurn{
    .name = "turn",
    .structure = Structure::transformer,
    .symbol = "MTF",
    .summary = "Modulated transformer between two frames' coordinates.",
    .law_text = "f2 = P f1,  e1 = Pᵀ e2",
    .ports = {{"p1", PortDirection::in, "rotation, in the first frame", "rotational"},
              {"p2", PortDirection::out, "rotation, in the second frame", "rotational"}},
    .parameters = {matrix("P", "relative orientation"), matrix("w", "relative angular velocity, in the second", false)},
    .law = turn_law,
    .source = kBos,
};

const ComponentType kSlide{
    .name = "slide",
    .structure = Structure::transformer,
    .symbol = "MTF",
    .summary = "Modulated transformer from coordinate rates to a velocity.",
    .law_text = "f2 = Rᵀ H f1,  e1 = Hᵀ R e2",
    .ports = {{"p1", PortDirection::in, "rates of the coordinates"},
              {"p2", PortDirection::out, "translation, in the world", "translational"}},
    .parameters = {matrix("H", "flow map"), matrix("R", "orientation of the frame"),
                   matrix("w", "angular velocity of the frame"), matrix("b", "dH/dt f1", false)},
    .law = slide_law,
    .source = kBos,
};

const ComponentType kEulerGyrator{
    .name = "euler",
    .structure = Structure::border,  // one-way and without power, as a sensor
    .summary = "Euler junction structure: the gyroscopic torque of a turning body.",
    .law_text = "e = f × (J f)",
    .ports = {{"p", PortDirection::in, "takes no power", "rotational"}},
    .parameters = {matrix("J", "inertia about the centre of mass, in the frame")},
    .causality = euler_effort_out,
    .law = euler_law,
    .source = kBos,
};

}  // namespace bondgraph::mechanics3d
