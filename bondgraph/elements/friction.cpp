// Dry friction: sticking is a mode of its own, in which the flow is exactly zero and the effort whatever that takes.

#include "bondgraph/elements/types.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::elements {

using namespace model;
using expression::apply;
using expression::Expr;
using expression::if_else;
using expression::Op;

namespace {

constexpr const char* kOtter =
    "Otter, Elmqvist, Mattsson: Hybrid modeling in Modelica based on the synchronous data "
    "flow principle, CACSD 1999";

// Values of `mode`. Free is also where a run starts from: it demands nothing of the flows.
constexpr double kBackward = -1.0;
constexpr double kStuck = 0.0;
constexpr double kForward = 1.0;
constexpr double kNoFriction = 2.0;

/// A parameter that is a number or a table of a positive speed; between its points and beyond them straight.
Expr curve(const LawContext& k, std::string_view parameter, Expr speed) {
    const Quantity& q = *k.element().parameter(parameter);
    if (q.value.cols() < 2) return q.value(0, 0);
    if (q.value.rows() < 2) return q.value(0, 1);
    expression::Table1 table;
    table.extrapolation = expression::Extrapolation::linear;
    for (Eigen::Index i = 0; i < q.value.rows(); ++i) {
        table.x.push_back(q.value(i, 0).constant());
        table.y.push_back(q.value(i, 1).constant());
    }
    auto& graph = k.expressions();
    return graph.table1(graph.add_table(std::move(table)), speed);
}

/// Efforts without sign: of sliding at the present speed, and above which it stops sticking.
struct Levels {
    Expr kinetic;
    Expr breakaway;
};

/// What two kinds of friction have in common.
struct Sliding {
    Levels forward;
    Levels backward;
    Expr viscous;
    Expr load;  ///< it rubs where this is positive
};

Expr speed(const LawContext& k) { return k.discrete("mode") * k.flow(0)(0); }

Sliding sliding(const LawContext& k);

/// Where several are stuck at the same flow, their efforts are undetermined but for their sum. All are taken to be
/// equally far from breaking loose: the first holds the flow, the others follow its effort.
struct Together {
    Expr held = 0.0;      ///< whether another one before this holds the flow
    Expr beside = 0.0;    ///< whether any other one is stuck
    Expr share = 0.0;     ///< held: the effort of this one
    Expr forward = 0.0;   ///< held: how far the holder is beyond breaking loose forwards,
    Expr backward = 0.0;  ///< and backwards
};

/// `own` in proportion to the holder's; one without friction holds nothing.
Expr in_proportion(Expr own, Expr holders) {
    if (holders.is_constant(0.0)) return 0.0;
    if (holders.is_constant()) return own / holders;
    const Expr rubs = apply(Op::greater, holders, 0.0);
    return if_else(rubs, own / if_else(rubs, holders, 1.0), 0.0);
}

Together together(const LawContext& k, const Sliding& own) {
    Together all;
    const std::vector<LawContext::Companion> others = k.companions();
    for (auto next = others.rbegin(); next != others.rend(); ++next) {  // the first that is stuck counts
        const LawContext::Companion& other = *next;
        const Expr stuck = apply(Op::equal, other.context.discrete("mode"), kStuck);
        all.beside = if_else(stuck, 1.0, all.beside);
        if (!other.first) continue;
        const Sliding its = sliding(other.context);
        const Expr e = other.context.effort(0)(0);
        const bool alike = other.sense > 0;  // else what is forward for one is backward for the other
        const Levels& with = alike ? own.forward : own.backward;
        const Levels& against = alike ? own.backward : own.forward;
        const Expr ahead = in_proportion(with.breakaway, its.forward.breakaway);
        const Expr behind = in_proportion(against.breakaway, its.backward.breakaway);
        const Expr share = ahead == behind ? ahead * e : if_else(apply(Op::greater, e, 0.0), ahead, behind) * e;
        const Expr beyond = e - its.forward.breakaway;
        const Expr below = -e - its.backward.breakaway;
        all.held = if_else(stuck, 1.0, all.held);
        all.share = if_else(stuck, alike ? share : -share, all.share);
        all.forward = if_else(stuck, alike ? beyond : below, all.forward);
        all.backward = if_else(stuck, alike ? below : beyond, all.backward);
    }
    return all;
}

void friction_law(LawContext& k) {
    const Sliding s = sliding(k);
    const Together others = together(k, s);
    const Expr e = k.effort(0)(0);
    const Expr f = k.flow(0)(0);
    const Expr mode = k.discrete("mode");
    const auto is = [&](double value) { return apply(Op::equal, mode, value); };
    const Expr dry = if_else(is(kForward), s.forward.kinetic, -s.backward.kinetic);
    const Expr rubs = if_else(is(kNoFriction), 0.0, dry);
    const Expr rests = if_else(others.held, e - others.share, f);
    k.equation(if_else(is(kStuck), rests, e - (rubs + s.viscous * f)), 0.0);
    // One relation each way, of what ends the present mode: sliding, the flow; sticking, the effort. What is stuck
    // together breaks loose together, and nothing slides where another one holds the flow.
    const auto leaves = [&](Expr held_beyond, Expr beyond, double other_way, Expr flow) {
        const Expr slides = if_else(others.beside, -1.0, if_else(is(other_way), -1.0, flow));
        return if_else(is(kStuck), if_else(others.held, held_beyond, beyond), slides);
    };
    const Expr ahead = leaves(others.forward, e - s.forward.breakaway, kBackward, f);
    const Expr behind = leaves(others.backward, -e - s.backward.breakaway, kForward, -f);
    const Expr moving =
        if_else(apply(Op::greater, ahead, 0.0), kForward, if_else(apply(Op::greater, behind, 0.0), kBackward, kStuck));
    // Without a level nothing sticks, and both ways are the same.
    const bool never = s.forward.breakaway.is_constant(0.0) && s.backward.breakaway.is_constant(0.0);
    k.update("mode", if_else(apply(Op::greater, s.load, 0.0), never ? Expr(kForward) : moving, kNoFriction));
}

bool is_viscous(const Element& e) {
    const Quantity* viscous = e.parameter("R");
    return viscous != nullptr && !viscous->value(0, 0).is_constant(0.0);
}

// A fixed level slides at an effort that no flow follows from.
bool constant_effort(const Element& e) {
    const auto given = [&](std::string_view name) { return e.parameter(name) != nullptr; };
    return given("level") && !given("fade") && !is_viscous(e);
}

PortCausality friction_causality(const Element& e, std::size_t, std::size_t, std::span<const double> modes) {
    if (modes[0] == kStuck) return PortCausality::flow_out;
    const bool constant = modes[0] == kNoFriction ? !is_viscous(e) : constant_effort(e);
    return constant ? PortCausality::effort_out : PortCausality::likes_effort_out;
}

// Coulomb friction, falling from the static level with the speed where `fade` is given, or any table.
Sliding dry_sliding(const LawContext& k) {
    const Expr load = k.scalar("load");
    const Expr at_rest = k.has("level") ? k.scalar("level") : curve(k, "stribeck", 0.0);
    const Expr breakaway = k.has("static") ? k.scalar("static") : at_rest;
    Expr kinetic = at_rest;
    if (k.has("stribeck")) {
        kinetic = curve(k, "stribeck", speed(k));
    } else if (k.has("fade")) {
        kinetic = at_rest + (breakaway - at_rest) * expression::exp(-speed(k) / k.scalar("fade"));
    }
    const Levels forward{load * kinetic, load * breakaway};
    Levels backward = forward;
    if (k.has("backward")) backward.kinetic = backward.breakaway = load * k.scalar("backward");
    return {forward, backward, k.scalar("R"), load};
}

Expr contact_force(const LawContext& k) { return k.scalar("cgeo") * k.scalar("fn_max") * k.scalar("engagement"); }

Sliding clutch_sliding(const LawContext& k) {
    const Expr force = contact_force(k);
    const Levels levels{force * curve(k, "mu", speed(k)), force * k.scalar("peak") * curve(k, "mu", 0.0)};
    return {levels, levels, 0.0, force};
}

Sliding sliding(const LawContext& k) { return k.has("fn_max") ? clutch_sliding(k) : dry_sliding(k); }

PortCausality clutch_causality(const Element& e, std::size_t, std::size_t, std::span<const double> modes) {
    if (modes[0] == kStuck) return PortCausality::flow_out;
    if (modes[0] == kNoFriction || e.parameter("mu")->value.rows() < 2) return PortCausality::effort_out;
    return PortCausality::likes_effort_out;
}

// A diode whose knee is the friction of the engaged clutch.
void one_way_clutch_law(LawContext& k) {
    const Expr e = k.effort(0)(0);
    const Expr f = k.flow(0)(0);
    const Expr sliding = k.discrete("sliding");
    const Expr force = k.has("fn_max") ? expression::max(contact_force(k), 0.0) : Expr(0.0);
    k.equation(if_else(sliding, e - force * curve(k, "mu", f), f), 0.0);
    const Expr beyond = if_else(sliding, f, e - force * k.scalar("peak") * curve(k, "mu", 0.0));
    k.update("sliding", apply(Op::greater, beyond, 0.0));
}

PortCausality one_way_causality(const Element& e, std::size_t, std::size_t, std::span<const double> modes) {
    if (modes[0] == 0.0) return PortCausality::flow_out;
    const bool constant = e.parameter("fn_max") == nullptr || e.parameter("mu")->value.rows() < 2;
    return constant ? PortCausality::effort_out : PortCausality::likes_effort_out;
}

ParameterSpec factor(std::string_view name, std::string_view doc, double value) {
    return {.name = name, .doc = doc, .shape = Shape::scalar, .default_value = value, .required = false};
}

ParameterSpec level(std::string_view name, std::string_view doc) {
    return {.name = name, .doc = doc, .shape = Shape::scalar, .dimension = {.e = 1}, .minimum = 0.0, .required = false};
}

std::vector<ParameterSpec> friction_parameters() {
    ParameterSpec coulomb = level("level", "effort of sliding (Coulomb)");
    coulomb.group = 1;
    coulomb.required = true;
    return {
        coulomb,
        {.name = "stribeck",
         .doc = "effort of sliding over flow: rows [f, e] from f = 0 on, straight beyond the last",
         .shape = Shape::table,
         .group = 1},
        level("static", "effort at which it breaks loose, not below that of sliding; default: the same"),
        level("backward", "effort of sliding and breaking loose for f < 0, where it differs"),
        {.name = "fade",
         .doc = "flow over which the level falls from static to sliding by a factor of e (Stribeck)",
         .shape = Shape::scalar,
         .dimension = {.f = 1},
         .minimum = 0.0,
         .exclusive_minimum = true,
         .required = false},
        {.name = "R",
         .doc = "viscous part",
         .shape = Shape::scalar,
         .dimension = {.e = 1, .f = -1},
         .minimum = 0.0,
         .default_value = 0.0,
         .required = false},
        factor("load",
               "factor on the levels, for example a signal of the normal force; where not positive, only the viscous "
               "part is left",
               1.0)};
}

std::vector<ParameterSpec> clutch_parameters(bool optional) {
    return {
        {.name = "fn_max",
         .doc = optional ? "normal force at engagement 1; without it there is no friction"
                         : "normal force at engagement 1",
         .shape = Shape::scalar,
         .minimum = 0.0,
         .required = !optional},
        factor("engagement", "share of fn_max that presses, for example a signal; free where not positive", 1.0),
        {.name = "mu",
         .doc = "coefficient of friction: a number, or rows [f, mu] from f = 0 on, straight beyond the last",
         .shape = Shape::table,
         .default_value = 0.5,
         .required = false},
        {.name = "peak",
         .doc = "coefficient at breaking loose over that at the slowest sliding",
         .shape = Shape::scalar,
         .minimum = 1.0,
         .default_value = 1.0,
         .required = false},
        factor("cgeo", "effort per friction force: radius times number of faces for discs, 1 for a sliding body", 1.0)};
}

const DiscreteSpec kMode{.name = "mode",
                         .doc = "1 sliding forward, −1 backward, 0 stuck, 2 free",
                         .type = ValueType::integer,
                         .structural = every_mode,
                         .start = kNoFriction,
                         .reacts_to_impulse = true};
const std::vector<PortSpec> kFrictionPort{{"p", PortDirection::in, "dissipates power"}};

}  // namespace

const ComponentType kFriction{
    .name = "Friction",
    .structure = Structure::border,
    .energy = Energy::dissipated,
    .summary = "Dry friction with true sticking: Coulomb level or Stribeck curve, plus a viscous part.",
    .law_text =
        "sliding: e = load·kinetic(|f|)·sign(f) + R f;  stuck: f = 0, until |e| > load·static;  "
        "kinetic = level + (static − level)·exp(−|f|/fade), or the table;  load ≤ 0: e = R f",
    .example = "guide: {type: Friction, level: 10 N, static: 14 N, R: 2 N.s/m}",
    .ports = kFrictionPort,
    .parameters = friction_parameters(),
    .discretes = {kMode},
    .mode_causality = friction_causality,
    .rests = kStuck,
    .law = friction_law,
    .ascending = {{"level", "static"}},
    .source = kOtter,
};

const ComponentType kClutch{
    .name = "Clutch",
    .structure = Structure::border,
    .energy = Energy::dissipated,
    .summary =
        "Friction pressed on by a signal. At the 1-junction of the relative speed of two shafts it is a clutch, "
        "at that of one shaft a brake.",
    .law_text =
        "sliding: e = cgeo·fn_max·engagement·mu(|f|)·sign(f);  stuck: f = 0, until "
        "|e| > peak·cgeo·fn_max·engagement·mu(0);  engagement ≤ 0: e = 0",
    .example = "clutch: {type: Clutch, fn_max: 160 N, mu: [[0, 0.5], [50, 0.4]], cgeo: 0.2}",
    .ports = kFrictionPort,
    .parameters = clutch_parameters(false),
    .discretes = {kMode},
    .mode_causality = clutch_causality,
    .rests = kStuck,
    .law = friction_law,
    .source = "Modelica Standard Library 4.0.0, Mechanics.Rotational.Components.Clutch and Brake",
};

const ComponentType kOneWayClutch{
    .name = "OneWayClutch",
    .structure = Structure::border,
    .energy = Energy::dissipated,
    .summary =
        "Freewheel: runs free for f > 0 and never lets f become negative. Pressed on, it rubs when it runs and "
        "sticks up to its friction.",
    .law_text =
        "running: e = cgeo·fn_max·engagement·mu(f), until f < 0;  locked: f = 0, until "
        "e > peak·cgeo·fn_max·engagement·mu(0)",
    .example = "freewheel: {type: OneWayClutch}",
    .ports = kFrictionPort,
    .parameters = clutch_parameters(true),
    .discretes = {{.name = "sliding",
                   .doc = "whether it runs free",
                   .structural = every_mode,
                   .start = 1.0,
                   .reacts_to_impulse = true}},
    .mode_causality = one_way_causality,
    .law = one_way_clutch_law,
    .source = "Modelica Standard Library 4.0.0, Mechanics.Rotational.Components.OneWayClutch",
};

}  // namespace bondgraph::elements
