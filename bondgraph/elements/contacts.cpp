// Contacts: play and stops, elastic or rigid. Their displacement q = ∫f is a state.

#include "bondgraph/elements/types.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::elements {

using namespace model;
using expression::apply;
using expression::Expr;
using expression::if_else;
using expression::max;
using expression::min;
using expression::Op;

namespace {

const DimensionRule kDisplacement{.f = 1, .s = 1};
const std::vector<StateSpec> kStates{{"q", "displacement (time integral of the flow)", kDisplacement, ""}};
const std::vector<PortSpec> kPort{{"p", PortDirection::in, "power in"}};

Expr energy_of(Expr stiffness, Expr depth, Expr exponent) {
    const Expr n = exponent + 1.0;
    return stiffness * expression::pow(max(depth, 0.0), n) / n;
}

// ---- elastic --------------------------------------------------------------------------------------------------------

/// Effort of one side of a backlash at the depth of its contact. The damper gives at most as much as the spring, and
/// both together never pull: the effort rises from zero at the first touch, and one relation tells when it vanishes.
Expr side(Expr spring, Expr damper) {
    const Expr effort = spring + min(spring, damper);
    return if_else(apply(Op::greater, effort, 0.0), effort, 0.0);
}

void backlash_law(LawContext& k) {
    const Expr q = k.slot("q")(0) - k.scalar("q0");
    const Expr f = k.flow(0)(0);
    const Expr half = Expr(0.5) * k.scalar("b");
    const Expr stiffness = k.scalar("K");
    const Expr damper = k.scalar("R") * f;
    k.equation(k.derivative("q")(0), f);
    k.equation(k.effort(0)(0), side(stiffness * (q - half), damper) - side(stiffness * (-q - half), -damper));
}

std::optional<Expr> backlash_energy(LawContext& k) {
    const Expr q = k.slot("q")(0) - k.scalar("q0");
    return energy_of(k.scalar("K"), expression::abs(q) - Expr(0.5) * k.scalar("b"), 1.0);
}

Expr stop_depth(const LawContext& k) { return k.scalar("q0") - k.slot("q")(0); }

void elastic_stop_law(LawContext& k) {
    const Expr f = k.flow(0)(0);
    const Expr depth = stop_depth(k);
    const Expr spring = k.scalar("K") * expression::pow(max(depth, 0.0), k.scalar("n"));
    const Expr damper = min(max(-k.scalar("R") * f, -spring), spring);
    k.equation(k.derivative("q")(0), f);
    k.equation(k.effort(0)(0), if_else(apply(Op::greater, depth, 0.0), -(spring + damper), 0.0));
}

std::optional<Expr> elastic_stop_energy(LawContext& k) {
    return energy_of(k.scalar("K"), stop_depth(k), k.scalar("n"));
}

// ---- rigid ----------------------------------------------------------------------------------------------------------

// Values of `mode`: the sign tells the stop, 1 is the instant of the impact, 2 contact that lasts.
constexpr double kFree = 0.0;
constexpr double kImpact = 1.0;
constexpr double kRest = 2.0;
/// An impact that leaves no more than this share of the fastest one so far ends at rest, or bounces would have no end.
constexpr double kSlowest = 1e-6;

Expr fastest_impact(const LawContext& k) { return max(k.previous("fastest"), expression::abs(k.previous("before"))); }

struct StopSide {
    double sign;  ///< +1 upper, −1 lower
    Expr limit;
    Expr overlap;   ///< beyond the limit where positive
    Expr approach;  ///< flow towards the limit
    Expr pressure;  ///< effort pressing on the limit
};

/// Reaching a limit counts on the way towards it only: the smaller of overlap and speed of approach becomes positive
/// there, and negative as soon as the impact has reversed the flow.
Expr hits(const LawContext& k, const StopSide& s) {
    const Expr free = apply(Op::equal, k.previous("mode"), kFree);
    const Expr hit = apply(Op::greater_equal, if_else(free, min(s.overlap, s.approach), -1.0), 0.0);
    return apply(Op::logical_and, free, hit);
}

/// Whether the limit has been moved away from what rests on it since the last event, by a run that sets it.
Expr recedes(const LawContext& k, const StopSide& s) {
    if (!k.of_parameters(s.limit)) return 0.0;
    return apply(Op::greater, s.sign * (s.limit - k.previous("place")), 0.0);
}

/// What `mode` becomes on account of one side, from what it was before this round of the event: an impact is one round,
/// in which the flows jump.
Expr side_mode(const LawContext& k, const StopSide& s, Expr otherwise) {
    const Expr mode = k.previous("mode");
    const auto was = [&](double value) { return apply(Op::equal, mode, s.sign * value); };
    const Expr pressed = apply(Op::greater, if_else(was(kRest), s.pressure, 1.0), 0.0);
    const Expr stays = if_else(recedes(k, s), 0.0, pressed);
    // After the impact only: where the flow passes this level otherwise is no event.
    const Expr level = max(k.scalar("rest"), kSlowest * fastest_impact(k));
    const Expr slow = apply(Op::no_event, apply(Op::less_equal, expression::abs(k.flow(0)(0)), level));
    return if_else(
        was(kImpact), if_else(slow, s.sign * kRest, kFree),
        if_else(was(kRest), if_else(stays, s.sign * kRest, kFree), if_else(hits(k, s), s.sign * kImpact, otherwise)));
}

void end_stop_law(LawContext& k) {
    const Expr e = k.effort(0)(0);
    const Expr f = k.flow(0)(0);
    const Expr q = k.slot("q")(0);
    const auto in = [&](double value) { return apply(Op::equal, k.discrete("mode"), value); };
    const Expr impact = apply(Op::logical_or, in(kImpact), in(-kImpact));
    k.equation(k.derivative("q")(0), f);
    k.equation(if_else(in(kFree), e, if_else(impact, f + k.scalar("restitution") * k.discrete("before"), f)), 0.0);
    Expr next = kFree;
    Expr hit = 0.0;
    Expr place = 0.0;
    const auto side = [&](const StopSide& s) {
        next = side_mode(k, s, next);
        hit = apply(Op::logical_or, hit, hits(k, s));
        if (k.of_parameters(s.limit)) place = if_else(in(s.sign * kRest), s.limit, place);
    };
    if (k.has("lower")) side({-1.0, k.scalar("lower"), k.scalar("lower") - q, -f, -e});
    if (k.has("upper")) side({1.0, k.scalar("upper"), q - k.scalar("upper"), f, e});
    k.update("mode", next);
    k.update("place", place);
    // During an impact the flow follows from what it was before, which must not follow from the flow then. At other
    // events nothing changes.
    k.update("before", if_else(apply(Op::logical_and, in(kFree), hit), f, k.discrete("before")));
    const Expr was_impact = apply(Op::equal, expression::abs(k.previous("mode")), kImpact);
    k.update("fastest", if_else(was_impact, fastest_impact(k), k.previous("fastest")));
}

// A start beyond a limit, or at rest away from it. What rounding leaves of a limit is no gap.
Expr end_stop_excess(LawContext& k) {
    constexpr double kRounding = 1e-9;
    constexpr double kAtZero = 1e-12;
    const Expr mode = k.discrete("mode");
    const auto beyond = [&](double sign, Expr limit) {
        const Expr overlap = sign * (k.slot("q")(0) - limit);
        const Expr rests = apply(Op::equal, mode, sign * kRest);
        return if_else(rests, expression::abs(overlap), overlap) - (kRounding * expression::abs(limit) + kAtZero);
    };
    Expr excess = -1.0;
    if (k.has("lower")) excess = max(excess, beyond(-1.0, k.scalar("lower")));
    if (k.has("upper")) excess = max(excess, beyond(1.0, k.scalar("upper")));
    return excess;
}

PortCausality end_stop_causality(const Element&, std::size_t, std::size_t, std::span<const double> modes) {
    return modes[0] == kFree ? PortCausality::effort_out : PortCausality::flow_out;
}

ParameterSpec stiffness() {
    return {.name = "K",
            .doc = "stiffness of the contact",
            .shape = Shape::scalar,
            .dimension = {.e = 1, .f = -1, .s = -1},
            .minimum = 0.0,
            .exclusive_minimum = true};
}

ParameterSpec damping() {
    return {.name = "R",
            .doc = "damping of the contact",
            .shape = Shape::scalar,
            .dimension = {.e = 1, .f = -1},
            .minimum = 0.0,
            .default_value = 0.0,
            .required = false};
}

ParameterSpec place(std::string_view name, std::string_view doc, std::optional<double> value) {
    return {.name = name,
            .doc = doc,
            .shape = Shape::scalar,
            .dimension = kDisplacement,
            .default_value = value,
            .required = false};
}

}  // namespace

const ComponentType kBacklash{
    .name = "Backlash",
    .structure = Structure::border,
    .energy = Energy::dissipated,
    .summary =
        "Elastic backlash: spring and damper that touch after half the gap on either side. The damper never "
        "exceeds the spring and the contact never pulls.",
    .law_text =
        "dq/dt = f;  x = |q − q0| − b/2,  s = sign(q − q0):  e = s·max(0, K x + min(K x, s R f)) for x > 0, "
        "otherwise e = 0",
    .example = "teeth: {type: Backlash, K: 2e4 N.m/rad, R: 50 N.m.s/rad, b: 2 deg}",
    .ports = kPort,
    .parameters = {stiffness(),
                   damping(),
                   {.name = "b",
                    .doc = "whole gap",
                    .shape = Shape::scalar,
                    .dimension = kDisplacement,
                    .minimum = 0.0,
                    .default_value = 0.0,
                    .required = false},
                   place("q0", "displacement at the middle of the gap", 0.0)},
    .states = kStates,
    .relations = true,
    .causality = always_effort_out,
    .law = backlash_law,
    .stored_energy = backlash_energy,
    .source = "Modelica Standard Library 4.0.0, Mechanics.Rotational.Components.ElastoBacklash",
};

const ComponentType kElasticStop{
    .name = "ElasticStop",
    .structure = Structure::border,
    .energy = Energy::dissipated,
    .summary = "Elastic stop: spring and damper that touch when the displacement falls below q0 and never pull.",
    .law_text = "dq/dt = f;  x = q0 − q:  e = −(K xⁿ + d), d = −R f limited to ±K xⁿ, for x > 0, otherwise e = 0",
    .example = "bumper: {type: ElasticStop, K: 1e5 N/m, R: 200 N.s/m, q0: 1 cm, initial: {q: 5 cm}}",
    .ports = kPort,
    .parameters = {stiffness(),
                   damping(),
                   place("q0", "displacement at which it touches", 0.0),
                   {.name = "n",
                    .doc = "exponent of the depth, 1.5 for spheres; where it is not 1, K is a plain number",
                    .shape = Shape::scalar,
                    .minimum = 1.0,
                    .default_value = 1.0,
                    .required = false}},
    .states = kStates,
    .relations = true,
    .causality = always_effort_out,
    .law = elastic_stop_law,
    .stored_energy = elastic_stop_energy,
    .source = "Modelica Standard Library 4.0.0, Mechanics.Translational.Components.ElastoGap",
};

const ComponentType kEndStop{
    .name = "EndStop",
    .structure = Structure::border,
    .energy = Energy::dissipated,
    .summary =
        "Rigid stop: the displacement stays within its limits. It hits them with a coefficient of restitution "
        "and comes to rest there when it hits slowly.",
    .law_text =
        "dq/dt = f;  between the limits e = 0;  impact: f after = −restitution · f before;  at rest on a limit "
        "f = 0, until it would pull",
    .example = "floor: {type: EndStop, lower: 0 m, restitution: 0.8, initial: {q: 1 m}}",
    .ports = kPort,
    .parameters = {place("lower", "lower limit of q", {}),
                   place("upper", "upper limit of q", {}),
                   {.name = "restitution",
                    .doc = "flow after an impact over flow before, reversed: 1 elastic, 0 inelastic",
                    .shape = Shape::scalar,
                    .minimum = 0.0,
                    .default_value = 0.0,
                    .required = false},
                   {.name = "rest",
                    .doc = "an impact that leaves at most this flow, or 1e-6 of the fastest one so far, ends at rest",
                    .shape = Shape::scalar,
                    .dimension = {.f = 1},
                    .minimum = 0.0,
                    .default_value = 1e-4,
                    .required = false}},
    .states = kStates,
    .discretes = {{.name = "mode",
                   .doc = "0 free, ±1 impact on the upper (lower) limit, ±2 at rest on it",
                   .type = ValueType::integer,
                   .structural = every_mode,
                   .at_events_only = true,
                   .start_values = {kRest, -kRest}},
                  {.name = "place",
                   .doc = "limit on which it rests, where the library may move it",
                   .type = ValueType::real},
                  {.name = "before", .doc = "flow before the last impact", .type = ValueType::real},
                  {.name = "fastest", .doc = "largest |flow| before an impact so far", .type = ValueType::real}},
    .mode_causality = end_stop_causality,
    .law = end_stop_law,
    .ascending = {{"lower", "upper"}},
    .start_excess = end_stop_excess,
    .source = "Brogliato: Nonsmooth Mechanics, 3rd ed., 2016 (Newton's law of impact)",
};

}  // namespace bondgraph::elements
