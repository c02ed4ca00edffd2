// Detectors (ideal sensors: they take no power) and the wiring between scalar bonds and multibonds.

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "bondgraph/elements/types.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::elements {

using namespace model;
using expression::Expr;
using expression::ExprVector;

namespace {

constexpr const char* kOwn = "definition";

ExprVector zero(std::size_t n) { return ExprVector::Constant(static_cast<Eigen::Index>(n), Expr(0.0)); }

void effort_sensor(LawContext& k) {
    k.equations(k.flow(0), zero(k.size(0)));
    k.equations(k.slot("y"), k.effort(0));
}

void flow_sensor(LawContext& k) {
    k.equations(k.effort(0), zero(k.size(0)));
    k.equations(k.slot("y"), k.flow(0));
}

// Power leaves as it came only where each component has one place.
void check_order(const LawContext& k, Diagnostics& diagnostics) {
    std::vector<int> numbers = k.element().integers;
    std::sort(numbers.begin(), numbers.end());
    std::vector<int> wanted(k.size(0));
    std::iota(wanted.begin(), wanted.end(), 1);
    if (numbers == wanted) return;
    const auto n = wanted.size();
    diagnostics.error("BG-M013", k.element().parameter_positions[0],
                      n == 1
                          ? fmt::format("'order' of '{}' must be [1]: its bonds have one component", k.element().name)
                          : fmt::format("'order' of '{}' must hold each number from 1 to {} once: its bonds have {} "
                                        "components",
                                        k.element().name, n, n));
}

void momentum_sensor(LawContext& k) {
    k.equations(k.flow(0), zero(k.size(0)));
    k.equations(k.derivative("y"), k.effort(0));
}

void displacement_sensor(LawContext& k) {
    k.equations(k.effort(0), zero(k.size(0)));
    k.equations(k.derivative("y"), k.flow(0));
}

const std::vector<PortSpec> kProbe{{"p", PortDirection::in, "takes no power"}};

// Ports p1 … pn on one side, p on the other: component by component the same effort and flow.
void join_law(LawContext& k) {
    ExprVector efforts(static_cast<Eigen::Index>(k.size(0)));
    ExprVector flows(efforts.size());
    Eigen::Index at = 0;
    for (std::size_t port = 1; port < k.port_count(); ++port) {
        for (std::size_t i = 0; i < k.size(port); ++i, ++at) {
            efforts(at) = k.effort(port)(static_cast<Eigen::Index>(i));
            flows(at) = k.flow(port)(static_cast<Eigen::Index>(i));
        }
    }
    k.equations(k.effort(0), efforts);
    k.equations(k.flow(0), flows);
}

}  // namespace

const ComponentType kEffortSensor{
    .name = "De",
    .structure = Structure::border,
    .summary = "Effort detector: voltmeter, pressure gauge. Its flow is zero.",
    .law_text = "y = e,  f = 0",
    .example = "voltmeter: {type: De}",
    .ports = kProbe,
    .outputs = {{.name = "y", .doc = "the effort", .dimension = {.e = 1}}},
    .causality = always_flow_out,
    .law = effort_sensor,
    .source = kOwn,
};

const ComponentType kFlowSensor{
    .name = "Df",
    .structure = Structure::border,
    .summary = "Flow detector: ammeter, tachometer. Its effort is zero.",
    .law_text = "y = f,  e = 0",
    .example = "tacho: {type: Df}",
    .ports = kProbe,
    .outputs = {{.name = "y", .doc = "the flow", .dimension = {.f = 1}}},
    .causality = always_effort_out,
    .law = flow_sensor,
    .source = kOwn,
};

const ComponentType kMomentumSensor{
    .name = "Dp",
    .structure = Structure::border,
    .summary = "Momentum detector: the time integral of the effort.",
    .law_text = "dy/dt = e,  f = 0",
    .example = "impulse: {type: Dp}",
    .ports = kProbe,
    .outputs = {{.name = "y", .doc = "∫ e dt", .dimension = {.e = 1, .s = 1}, .state = true}},
    .causality = always_flow_out,
    .law = momentum_sensor,
    .source = kOwn,
};

const ComponentType kDisplacementSensor{
    .name = "Dq",
    .structure = Structure::border,
    .summary = "Displacement detector: position, angle, charge, volume; the time integral of the flow.",
    .law_text = "dy/dt = f,  e = 0",
    .example = "angle: {type: Dq, initial: {y: 10 deg}}",
    .ports = kProbe,
    .outputs = {{.name = "y", .doc = "∫ f dt", .dimension = {.f = 1, .s = 1}, .state = true}},
    .causality = always_effort_out,
    .law = displacement_sensor,
    .source = kOwn,
};

const ComponentType kPowerSensor{
    .name = "Power",
    .structure = Structure::wiring,
    .summary = "Power detector: stands in a bond and reads e·f; effort and flow pass unchanged.",
    .law_text = "e1 = e2,  f1 = f2,  y = e·f",
    .example = "meter: {type: Power}",
    .ports = {{"p1", PortDirection::in, "power in"}, {"p2", PortDirection::out, "the same power out"}},
    .outputs = {{.name = "y", .doc = "power", .dimension = {.e = 1, .f = 1}, .single = true}},
    .law =
        [](LawContext& k) {
            k.equations(k.effort(0), k.effort(1));
            k.equations(k.flow(1), k.flow(0));
            Expr sum = 0.0;
            for (Eigen::Index i = 0; i < k.effort(0).size(); ++i) sum += k.effort(0)(i) * k.flow(0)(i);
            k.equation(k.slot("y")(0), sum);
        },
    .source = kOwn,
};

const ComponentType kCompose{
    .name = "Compose",
    .structure = Structure::wiring,
    .summary = "Scalar bonds (or multibonds) p1 … pn joined into one multibond p, in order.",
    .law_text = "p.e = (p1.e, p2.e, …),  p.f = (p1.f, p2.f, …)",
    .example = "join: {type: Compose}",
    .pattern = PortPattern::compose,
    .law = join_law,
    .source = kOwn,
};

const ComponentType kDecompose{
    .name = "Decompose",
    .structure = Structure::wiring,
    .summary = "A multibond p split into scalar bonds p1 … pn, in order.",
    .law_text = "p.e = (p1.e, p2.e, …),  p.f = (p1.f, p2.f, …)",
    .example = "split: {type: Decompose}",
    .pattern = PortPattern::decompose,
    .law = join_law,
    .source = kOwn,
};

const ComponentType kPermute{
    .name = "Permute",
    .structure = Structure::wiring,
    .summary = "A multibond with its components in another order.",
    .law_text = "p2.e[i] = p1.e[order[i]],  p2.f[i] = p1.f[order[i]]",
    .example = "swap: {type: Permute, order: [2, 1]}",
    .ports = {{"p1", PortDirection::in, "power in"}, {"p2", PortDirection::out, "the same power out"}},
    .parameters = {{.name = "order",
                    .doc = "for each component of p2 the component of p1",
                    .kind = ParameterKind::integers}},
    .law =
        [](LawContext& k) {
            for (std::size_t i = 0; i < k.size(1); ++i) {
                const auto from = static_cast<Eigen::Index>(k.element().integers[i]) - 1;
                const auto to = static_cast<Eigen::Index>(i);
                k.equation(k.effort(1)(to), k.effort(0)(from));
                k.equation(k.flow(1)(to), k.flow(0)(from));
            }
        },
    .source = kOwn,
    .check = check_order,
};

}  // namespace bondgraph::elements
