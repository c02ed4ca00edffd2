// Signals that change at events: comparators, relays, sampling, pulses.

#include "bondgraph/elements/signal_parts.hpp"
#include "bondgraph/elements/types.hpp"

namespace bondgraph::elements {

using namespace model;
using expression::apply;
using expression::Expr;
using expression::if_else;
using expression::Op;

namespace {

// A width or a duration.
ParameterSpec length(std::string_view name, std::string_view doc, double value) {
    ParameterSpec spec = seconds(name, doc, value);
    spec.minimum = 0.0;
    return spec;
}

const ParameterSpec kPeriod{.name = "period",
                            .doc = "time from one instant to the next",
                            .shape = Shape::scalar,
                            .minimum = 0.0,
                            .exclusive_minimum = true,
                            .unit = "s"};

void greater_law(LawContext& k) {
    const Expr above = apply(Op::greater, k.input("u"), k.scalar("threshold"));
    output(k, if_else(above, k.scalar("high"), k.scalar("low")));
}

void relay_law(LawContext& k) {
    const Expr level = if_else(k.discrete("closed"), k.scalar("opens_below"), k.scalar("closes_above"));
    k.update("closed", apply(Op::greater, k.input("u") - level, 0.0));
    output(k, if_else(k.discrete("closed"), k.scalar("high"), k.scalar("low")));
}

void sample_hold_law(LawContext& k) {
    output(k, k.discrete("held"));
    k.update("held", if_else(k.sampling(), k.input("u"), k.previous("held")));
}

// Each period begins at a sampling instant; its number is found from the time, with room for rounding, so that a run
// that begins within a period is in it from the start. Where that number jumps is no event: the sample is.
void pulse_law(LawContext& k) {
    const Expr time = k.expressions().time();
    const Expr start = k.scalar("start");
    const Expr period = k.scalar("period");
    const Expr number = expression::max(apply(Op::floor, (time - start) / period + 1e-9), 0.0);
    k.update("begin", start + period * apply(Op::no_event, number));
    const Expr rising = k.scalar("rising");
    const Expr top = rising + k.scalar("width");
    const Expr falling = k.scalar("falling");
    const Expr phase = time - k.discrete("begin");
    Expr share = if_else(apply(Op::less, phase, top), 1.0, 0.0);
    if (!falling.is_constant(0.0)) {
        const Expr left = (top + falling - phase) / falling;
        share = if_else(apply(Op::less, phase, top), 1.0, if_else(apply(Op::less, phase, top + falling), left, 0.0));
    }
    if (!rising.is_constant(0.0)) share = if_else(apply(Op::less, phase, rising), phase / rising, share);
    const Expr begun = apply(Op::greater_equal, time, start);
    output(k, k.scalar("offset") + if_else(begun, k.scalar("amplitude") * share, 0.0));
}

}  // namespace

const ComponentType kGreater{
    .name = "Greater",
    .summary = "Whether a signal exceeds a threshold.",
    .law_text = "y = high where u > threshold, otherwise low",
    .example = "full: {type: Greater, threshold: 2}",
    .parameters = {number("threshold", "threshold, may be a signal", 0.0), number("high", "output above it", 1.0),
                   number("low", "output below it", 0.0)},
    .inputs = kOneInput,
    .outputs = kOutput,
    .relations = true,
    .law = greater_law,
    .source = kByDefinition,
};

const ComponentType kRelay{
    .name = "Relay",
    .summary = "Relay with hysteresis: closes above one level, opens below another.",
    .law_text = "y = high once u > closes_above, until u < opens_below; then y = low",
    .example = "thermostat: {type: Relay, closes_above: 1, opens_below: -1}",
    .parameters = {number("closes_above", "level of u above which it closes"),
                   number("opens_below", "level of u below which it opens, not above `closes_above`"),
                   number("high", "output when closed", 1.0), number("low", "output when open", 0.0)},
    .inputs = kOneInput,
    .outputs = kOutput,
    .discretes = {{.name = "closed", .doc = "whether it is closed"}},
    .law = relay_law,
    .ascending = {{"opens_below", "closes_above"}},
    .source = kByDefinition,
};

const ComponentType kSampleHold{
    .name = "SampleHold",
    .summary = "Takes its input at equal intervals and holds it in between.",
    .law_text = "y = u(start + k·period) until the next instant; 0 before the first",
    .example = "converter: {type: SampleHold, period: 1 ms}",
    .parameters = {kPeriod, seconds("start", "first instant", 0.0)},
    .inputs = kOneInput,
    .outputs = kOutput,
    .discretes = {{.name = "held", .doc = "value held", .type = ValueType::real}},
    .sampled = true,
    .law = sample_hold_law,
    .source = kByDefinition,
};

const ComponentType kPulse{
    .name = "Pulse",
    .summary = "Train of pulses, rectangular or trapezoidal.",
    .law_text = "y = offset + amplitude·(rises, 1 for width, falls, 0 for the rest of the period), offset before start",
    .example = "gate: {type: Pulse, period: 20 us, width: 8 us}",
    .parameters = {number("amplitude", "height of a pulse", 1.0),
                   kPeriod,
                   {.name = "width", .doc = "time at full height", .shape = Shape::scalar, .minimum = 0.0, .unit = "s"},
                   length("rising", "time of the rise", 0.0),
                   length("falling", "time of the fall", 0.0),
                   seconds("start", "where the first pulse begins", 0.0),
                   number("offset", "value between pulses", 0.0)},
    .outputs = kOutput,
    .discretes = {{.name = "begin", .doc = "where the present period began", .type = ValueType::real}},
    .relations = true,
    .sampled = true,
    .law = pulse_law,
    .ascending = {{"width", "period"}},
    .source = kByDefinition,
};

}  // namespace bondgraph::elements
