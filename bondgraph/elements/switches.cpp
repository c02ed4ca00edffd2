// Switches, diodes and what else lets power through one way or at times. Ideal ones change the structure of the
// equations; with both a resistance when closed and a conductance when open the law is a straight line at all times.

#include "bondgraph/elements/types.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::elements {

using namespace model;
using expression::apply;
using expression::Expr;
using expression::if_else;
using expression::Op;

namespace {

constexpr const char* kSwitches = "Borutzky: Bond Graph Methodology, 2010, chapter 7 (hybrid models)";
constexpr const char* kDiodes =
    "Otter, Elmqvist, Mattsson: Hybrid modeling in Modelica based on the synchronous data flow principle, CACSD 1999";

bool positive(const Element& e, std::string_view parameter) {
    const Quantity* q = e.parameter(parameter);
    return q != nullptr && !q->value(0, 0).is_constant(0.0);
}

Expr given_or(const LawContext& k, std::string_view parameter, double otherwise) {
    return k.has(parameter) ? k.scalar(parameter) : Expr(otherwise);
}

/// The two lines of an element that closes and opens: closed e = knee + resistance·(f − conductance·knee), open
/// f = conductance·e. They meet at e = knee.
struct TwoLines {
    Expr resistance = 0.0;
    Expr conductance = 0.0;
    Expr knee = 0.0;
    bool leaky = false;  ///< neither line is vertical or horizontal
};

Expr corner_flow(const TwoLines& lines) { return lines.conductance * lines.knee; }

void two_lines_law(LawContext& k, const TwoLines& lines, Expr closed) {
    const Expr e = k.effort(0)(0);
    const Expr f = k.flow(0)(0);
    if (lines.leaky) {
        const Expr slope = if_else(closed, lines.resistance, Expr(1.0) / lines.conductance);
        const Expr offset = if_else(closed, lines.knee - lines.resistance * corner_flow(lines), 0.0);
        return k.equation(e, slope * f + offset);
    }
    const Expr when_closed = e - lines.knee - lines.resistance * (f - corner_flow(lines));
    k.equation(if_else(closed, when_closed, f - lines.conductance * e), 0.0);
}

PortCausality two_lines_causality(bool closed, bool resistance, bool conductance) {
    if (closed) return resistance ? PortCausality::free : PortCausality::effort_out;
    return conductance ? PortCausality::free : PortCausality::flow_out;
}

bool leaky(const Element& e) { return positive(e, "Ron") && positive(e, "Goff"); }
bool ideal(const Element& e) { return !leaky(e); }

PortCausality switch_causality(const Element& e, std::size_t, std::size_t, std::span<const double> modes) {
    return two_lines_causality(modes[0] != 0.0, positive(e, "Ron"), positive(e, "Goff"));
}

TwoLines electric_lines(const LawContext& k) {
    return {given_or(k, "Ron", 0.0), given_or(k, "Goff", 0.0), given_or(k, "e_knee", 0.0), leaky(k.element())};
}

void switch_law(LawContext& k) {
    two_lines_law(k, electric_lines(k), k.discrete("closed"));
    k.update("closed", apply(Op::logical_not, k.scalar("open")));
}

/// Where on its two lines a one-way element is: positive on the conducting one. Conducting, it is the flow beyond the
/// corner, blocking, the effort beyond the knee, so that one relation serves both ways.
Expr conducts(const LawContext& k, const TwoLines& lines) {
    const Expr beyond = if_else(k.discrete("on"), k.flow(0)(0) - corner_flow(lines), k.effort(0)(0) - lines.knee);
    return apply(Op::greater, beyond, 0.0);
}

void diode_law(LawContext& k) {
    const TwoLines lines = electric_lines(k);
    two_lines_law(k, lines, k.discrete("on"));
    k.update("on", conducts(k, lines));
}

// Fired, it conducts as a diode does until its flow ends.
void thyristor_law(LawContext& k) {
    const TwoLines lines = electric_lines(k);
    two_lines_law(k, lines, k.discrete("on"));
    const Expr held = apply(Op::logical_or, k.discrete("on"), k.scalar("fire"));
    k.update("on", apply(Op::logical_and, conducts(k, lines), held));
}

void gate_turn_off_law(LawContext& k) {
    const TwoLines lines = electric_lines(k);
    two_lines_law(k, lines, k.discrete("on"));
    k.update("on", apply(Op::logical_and, conducts(k, lines), k.scalar("fire")));
}

bool valve_is_ideal(const Element& e) { return e.parameter("G") == nullptr || !positive(e, "leak"); }

PortCausality valve_causality(const Element& e, std::size_t, std::size_t, std::span<const double> modes) {
    return two_lines_causality(modes[0] != 0.0, e.parameter("G") != nullptr, positive(e, "leak"));
}

void valve_law(LawContext& k) {
    const Expr resistance = k.has("G") ? Expr(1.0) / k.scalar("G") : Expr(0.0);
    const TwoLines lines{resistance, given_or(k, "leak", 0.0), given_or(k, "cracking", 0.0),
                         !valve_is_ideal(k.element())};
    two_lines_law(k, lines, k.discrete("on"));
    k.update("on", conducts(k, lines));
}

void lock_law(LawContext& k) {
    k.equation(if_else(k.discrete("on"), k.flow(0)(0), k.effort(0)(0)), 0.0);
    k.update("on", k.scalar("locked"));
}

PortCausality lock_causality(const Element&, std::size_t, std::size_t, std::span<const double> modes) {
    return modes[0] != 0.0 ? PortCausality::flow_out : PortCausality::effort_out;
}

// Values of an arc switch's `mode`.
constexpr double kOpen = 0.0;
constexpr double kClosed = 1.0;
constexpr double kArc = 2.0;

// Opened, it goes on conducting against the voltage of its arc, which grows until the flow falls below what leaks at
// it.
void arc_switch_law(LawContext& k) {
    const Expr e = k.effort(0)(0);
    const Expr f = k.flow(0)(0);
    const Expr mode = k.discrete("mode");
    const Expr was_closed = apply(Op::equal, k.previous("mode"), kClosed);
    const Expr was_open = apply(Op::equal, k.previous("mode"), kOpen);
    const Expr arc = apply(Op::equal, mode, kArc);
    const Expr grown = k.scalar("V0") + k.scalar("dVdt") * (k.expressions().time() - k.discrete("opened"));
    // Its growth is no event while there is no arc.
    const Expr growing = apply(Op::less, if_else(arc, grown - k.scalar("Vmax"), -1.0), 0.0);
    const Expr voltage = if_else(growing, grown, k.scalar("Vmax"));
    const Expr other = if_else(apply(Op::equal, mode, kClosed), e - k.scalar("Ron") * f, f - k.scalar("Goff") * e);
    k.equation(if_else(arc, e - k.discrete("direction") * voltage, other), 0.0);
    const Expr beyond = if_else(arc, k.discrete("direction") * f - k.scalar("Goff") * voltage,
                                if_else(apply(Op::equal, mode, kClosed), 1.0, -1.0));
    const Expr opening = if_else(was_open, kOpen, if_else(apply(Op::greater, beyond, 0.0), kArc, kOpen));
    k.update("mode", if_else(k.scalar("open"), opening, kClosed));
    k.update("opened", if_else(was_closed, k.expressions().time(), k.previous("opened")));
    k.update("direction", if_else(was_closed, expression::sign(f), k.previous("direction")));
}

PortCausality arc_switch_causality(const Element& e, std::size_t, std::size_t, std::span<const double> modes) {
    if (modes[0] == kArc) return PortCausality::effort_out;
    return two_lines_causality(modes[0] == kClosed, positive(e, "Ron"), positive(e, "Goff"));
}

ParameterSpec condition(std::string_view name, std::string_view doc) {
    return {.name = name, .doc = doc, .shape = Shape::scalar, .condition = true};
}

ParameterSpec optional(std::string_view name, std::string_view doc, DimensionRule dimension) {
    return {
        .name = name, .doc = doc, .shape = Shape::scalar, .dimension = dimension, .minimum = 0.0, .required = false};
}

ParameterSpec with_default(ParameterSpec parameter, double value) {
    parameter.default_value = value;
    return parameter;
}

const ParameterSpec kOnResistance = optional("Ron", "resistance when closed", {.e = 1, .f = -1});
const ParameterSpec kOffConductance = optional("Goff", "conductance when open", {.e = -1, .f = 1});
const ParameterSpec kKnee = optional("e_knee", "effort from which it conducts", {.e = 1});

const DiscreteSpec kConducting{
    .name = "on", .doc = "whether it conducts", .structural = ideal, .reacts_to_impulse = true};
const std::vector<PortSpec> kSwitchPort{{"p", PortDirection::in, "power in"}};
constexpr std::string_view kDiodeLaw =
    "on: e = e_knee + Ron (f − Goff e_knee), until f < Goff e_knee;  off: f = Goff e, until e > e_knee";

}  // namespace

const ComponentType kSwitch{
    .name = "Sw",
    .structure = Structure::border,
    .energy = Energy::dissipated,
    .summary =
        "Switch, opened and closed by a condition. Ideal, or with a resistance when closed and a conductance "
        "when open; with both its causality is free.",
    .law_text = "open: f = Goff e;  closed: e = Ron f",
    .example = "main: {type: Sw, open: time < 1}",
    .ports = kSwitchPort,
    .parameters = {condition("open", "open where this is true"), kOnResistance, kOffConductance},
    .discretes = {{.name = "closed", .doc = "whether it is closed", .structural = ideal}},
    .mode_causality = switch_causality,
    .law = switch_law,
    .source = kSwitches,
};

const ComponentType kArcSwitch{
    .name = "ArcSwitch",
    .structure = Structure::border,
    .energy = Energy::dissipated,
    .summary = "Switch that draws an arc when it is opened under current.",
    .law_text =
        "closed: e = Ron f;  opened: |e| = min(Vmax, V0 + dVdt·(time since)) in the direction of the flow, until "
        "|f| < Goff |e|;  then f = Goff e",
    .example = "breaker: {type: ArcSwitch, open: time > 1, V0: 30 V, dVdt: 1e4 V/s, Vmax: 60 V}",
    .ports = kSwitchPort,
    .parameters = {condition("open", "open where this is true"),
                   {.name = "V0", .doc = "effort of the arc at first", .shape = Shape::scalar, .dimension = {.e = 1}},
                   {.name = "dVdt", .doc = "its growth", .shape = Shape::scalar, .dimension = {.e = 1, .s = -1}},
                   {.name = "Vmax", .doc = "its limit", .shape = Shape::scalar, .dimension = {.e = 1}},
                   with_default(kOnResistance, 1e-5),
                   with_default(kOffConductance, 1e-5)},
    .discretes =
        {{.name = "mode", .doc = "0 open, 1 closed, 2 arc", .type = ValueType::integer, .structural = every_mode},
         {.name = "opened", .doc = "when it was opened", .type = ValueType::real},
         {.name = "direction", .doc = "sign of the flow then", .type = ValueType::real}},
    .mode_causality = arc_switch_causality,
    .law = arc_switch_law,
    .source = "Modelica Standard Library 4.0.0, Electrical.Analog.Ideal.CloserWithArc",
};

const ComponentType kDiode{
    .name = "D",
    .structure = Structure::border,
    .energy = Energy::dissipated,
    .summary =
        "Diode: conducts for f > 0. Ideal, or with a resistance when conducting, a conductance when blocking "
        "and a knee.",
    .law_text = kDiodeLaw,
    .example = "rectifier: {type: D, e_knee: 0.7 V}",
    .ports = kSwitchPort,
    .parameters = {kOnResistance, kOffConductance, kKnee},
    .discretes = {kConducting},
    .mode_causality = switch_causality,
    .law = diode_law,
    .source = kDiodes,
};

const ComponentType kThyristor{
    .name = "Thyristor",
    .structure = Structure::border,
    .energy = Energy::dissipated,
    .summary = "Thyristor: blocks until it is fired at e > e_knee, then conducts as a diode until its flow ends.",
    .law_text = kDiodeLaw,
    .example = "valve: {type: Thyristor, fire: time > 0.005}",
    .ports = kSwitchPort,
    .parameters = {condition("fire", "fired where this is true"), kOnResistance, kOffConductance, kKnee},
    .discretes = {kConducting},
    .mode_causality = switch_causality,
    .law = thyristor_law,
    .source = "Modelica Standard Library 4.0.0, Electrical.Analog.Ideal.IdealThyristor",
};

const ComponentType kGateTurnOff{
    .name = "GTO",
    .structure = Structure::border,
    .energy = Energy::dissipated,
    .summary = "Gate turn-off thyristor: a diode while it is fired, blocking otherwise.",
    .law_text = kDiodeLaw,
    .example = "chopper: {type: GTO, fire: gate.y > 0.5}",
    .ports = kSwitchPort,
    .parameters = {condition("fire", "may conduct where this is true"), kOnResistance, kOffConductance, kKnee},
    .discretes = {kConducting},
    .mode_causality = switch_causality,
    .law = gate_turn_off_law,
    .source = "Modelica Standard Library 4.0.0, Electrical.Analog.Ideal.IdealGTOThyristor",
};

const ComponentType kCheckValve{
    .name = "CheckValve",
    .structure = Structure::border,
    .energy = Energy::dissipated,
    .summary = "Check valve: lets fluid through for f > 0 once the pressure across it exceeds the cracking pressure.",
    .law_text =
        "open: e = cracking + (f − leak cracking)/G, until f < leak cracking;  "
        "shut: f = leak e, until e > cracking",
    .example = "suction: {type: CheckValve, cracking: 0.1 bar, G: 2e-8 m3/(s.Pa)}",
    .ports = {{"p", PortDirection::in, "power in", "hydraulic"}},
    .parameters = {optional("cracking", "pressure from which it opens", {.e = 1}),
                   {.name = "G",
                    .doc = "conductance when open; without it, it opens without loss",
                    .shape = Shape::scalar,
                    .dimension = {.e = -1, .f = 1},
                    .minimum = 0.0,
                    .exclusive_minimum = true,
                    .required = false},
                   optional("leak", "conductance when shut", {.e = -1, .f = 1})},
    .discretes = {{.name = "on", .doc = "whether it is open", .structural = valve_is_ideal, .reacts_to_impulse = true}},
    .mode_causality = valve_causality,
    .law = valve_law,
    .source = kDiodes,
};

const ComponentType kLock{
    .name = "Lock",
    .structure = Structure::border,
    .energy = Energy::dissipated,
    .summary =
        "Lock: holds still what it is bonded to while locked (at a 1-junction of a relative speed, joins two "
        "bodies). Locking while moving is an inelastic impact.",
    .law_text = "locked: f = 0;  otherwise e = 0",
    .example = "pawl: {type: Lock, locked: time > 2}",
    .ports = kSwitchPort,
    .parameters = {condition("locked", "locked where this is true")},
    .discretes = {{.name = "on", .doc = "whether it is locked", .structural = every_mode}},
    .mode_causality = lock_causality,
    .law = lock_law,
    .source = kSwitches,
    .may_idle = true,
};

}  // namespace bondgraph::elements
