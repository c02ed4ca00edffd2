// Signal parts: the few that drive and modulate a graph. They carry no power.

#include "bondgraph/elements/signal_parts.hpp"
#include "bondgraph/elements/types.hpp"

namespace bondgraph::elements {

using namespace model;
using expression::Expr;
using expression::Op;

namespace {

const std::vector<SignalSpec> kManyInputs{{.name = "u", .doc = "inputs u1, u2, …", .many = true}};

void step_law(LawContext& k) {
    const Expr after = expression::apply(Op::greater_equal, k.expressions().time(), k.scalar("start"));
    output(k, k.scalar("offset") + expression::if_else(after, k.scalar("height"), 0.0));
}

// Continuous, with a kink at both ends: smooth of order 0.
void ramp_law(LawContext& k) {
    const Expr t = k.expressions().time() - k.scalar("start");
    const Expr share = expression::min(expression::max(t / k.scalar("duration"), 0.0), 1.0);
    output(k, k.scalar("offset") + k.scalar("height") * share);
}

void sine_law(LawContext& k) {
    const Expr t = k.expressions().time() - k.scalar("start");
    const Expr angle = Expr(2 * 3.14159265358979323846) * k.scalar("frequency") * t + k.scalar("phase");
    const Expr wave = k.scalar("amplitude") * expression::sin(angle);
    const Expr started = expression::apply(Op::greater_equal, k.expressions().time(), k.scalar("start"));
    const bool always = k.scalar("start").is_constant(0.0);
    output(k, k.scalar("offset") +
                  (always ? wave
                          : expression::if_else(started, wave,
                                                k.scalar("amplitude") * expression::sin(k.scalar("phase")))));
}

void time_table_law(LawContext& k) {
    const Quantity& q = *k.element().parameter("table");
    expression::Table1 table;
    for (Eigen::Index i = 0; i < q.value.rows(); ++i) {
        table.x.push_back(q.value(i, 0).constant());
        table.y.push_back(q.value(i, 1).constant());
    }
    auto& graph = k.expressions();
    output(k, k.scalar("offset") + graph.table1(graph.add_table(std::move(table)), graph.time()));
}

void sum_law(LawContext& k) {
    const auto u = k.inputs();
    const auto gains = k.vector("k", u.size());
    Expr sum = 0.0;
    for (std::size_t i = 0; i < u.size(); ++i) sum += gains(static_cast<Eigen::Index>(i)) * u[i];
    output(k, sum);
}

void product_law(LawContext& k) {
    Expr product = 1.0;
    for (const Expr& u : k.inputs()) product *= u;
    output(k, product);
}

}  // namespace

const ComponentType kConstant{
    .name = "Constant",
    .summary = "A constant signal.",
    .law_text = "y = k",
    .example = "set: {type: Constant, k: 2}",
    .parameters = {number("k", "value")},
    .outputs = kOutput,
    .law = [](LawContext& k) { output(k, k.scalar("k")); },
    .source = kByDefinition,
};

const ComponentType kStep{
    .name = "Step",
    .summary = "A step at a time.",
    .law_text = "y = offset + (time >= start ? height : 0)",
    .example = "on: {type: Step, height: 12 V, start: 1 s}",
    .parameters = {number("height", "height of the step", 1.0), seconds("start", "time of the step", 0.0),
                   number("offset", "value before", 0.0)},
    .outputs = kOutput,
    .law = step_law,
    .source = kByDefinition,
};

const ComponentType kRamp{
    .name = "Ramp",
    .summary = "A ramp from a time on, for a duration.",
    .law_text = "y = offset + height·(time − start)/duration, held at both ends",
    .example = "up: {type: Ramp, height: 5, start: 1 s, duration: 2 s}",
    .parameters = {number("height", "height of the ramp", 1.0),
                   seconds("start", "where it begins", 0.0),
                   {.name = "duration",
                    .doc = "how long it rises",
                    .shape = Shape::scalar,
                    .minimum = 0.0,
                    .exclusive_minimum = true,
                    .default_value = 1.0,
                    .unit = "s",
                    .required = false},
                   number("offset", "value before", 0.0)},
    .outputs = kOutput,
    .law = ramp_law,
    .source = kByDefinition,
};

const ComponentType kSine{
    .name = "Sine",
    .summary = "A sine wave.",
    .law_text = "y = offset + amplitude·sin(2π·frequency·(time − start) + phase); before start as at start",
    .example = "wave: {type: Sine, amplitude: 10 V, frequency: 50 Hz}",
    .parameters = {number("amplitude", "amplitude", 1.0),
                   {.name = "frequency",
                    .doc = "periods per second",
                    .shape = Shape::scalar,
                    .default_value = 1.0,
                    .unit = "Hz",
                    .required = false},
                   {.name = "phase",
                    .doc = "phase",
                    .shape = Shape::scalar,
                    .default_value = 0.0,
                    .unit = "rad",
                    .required = false},
                   number("offset", "mean value", 0.0),
                   seconds("start", "where it begins", 0.0)},
    .outputs = kOutput,
    .law = sine_law,
    .source = kByDefinition,
};

const ComponentType kTimeTable{
    .name = "TimeTable",
    .summary = "Straight lines between points in time, held beyond the first and last.",
    .law_text = "y = interpolate(time; table)",
    .example = "drive: {type: TimeTable, table: [[0, 0], [1, 5], [2, 0]]}",
    .parameters =
        {{.name = "table", .doc = "rows [time, value] with increasing time", .shape = Shape::table, .over_time = true},
         number("offset", "added to the table", 0.0)},
    .outputs = kOutput,
    .law = time_table_law,
    .source = kByDefinition,
};

const ComponentType kGain{
    .name = "Gain",
    .summary = "A signal times a factor.",
    .law_text = "y = k u",
    .example = "amplifier: {type: Gain, k: 10}",
    .parameters = {number("k", "factor")},
    .inputs = kOneInput,
    .outputs = kOutput,
    .law = [](LawContext& k) { output(k, k.scalar("k") * k.input("u")); },
    .source = kByDefinition,
    .proportional = true,
};

const ComponentType kSum{
    .name = "Sum",
    .summary = "Weighted sum of the inputs u1, u2, …",
    .law_text = "y = k1 u1 + k2 u2 + …",
    .example = "error: {type: Sum, k: [1, -1]}",
    .parameters = {{.name = "k",
                    .doc = "weight of every input, or one for all",
                    .shape = Shape::vector,
                    .default_value = 1.0,
                    .required = false}},
    .inputs = kManyInputs,
    .outputs = kOutput,
    .law = sum_law,
    .source = kByDefinition,
};

const ComponentType kProduct{
    .name = "Product",
    .summary = "Product of the inputs u1, u2, …",
    .law_text = "y = u1 u2 …",
    .example = "mixer: {type: Product}",
    .inputs = kManyInputs,
    .outputs = kOutput,
    .law = product_law,
    .source = kByDefinition,
};

const ComponentType kIntegrator{
    .name = "Integrator",
    .summary = "Time integral of a signal.",
    .law_text = "dy/dt = k u",
    .example = "integral: {type: Integrator, initial: {y: 0}}",
    .parameters = {number("k", "factor", 1.0)},
    .inputs = kOneInput,
    .outputs = {{.name = "y", .doc = "output", .state = true}},
    .law = [](LawContext& k) { k.equation(k.derivative("y")(0), k.scalar("k") * k.input("u")); },
    .source = kByDefinition,
};

}  // namespace bondgraph::elements
