// Sources and residual sinks.

#include "bondgraph/elements/types.hpp"
#include "bondgraph/model/law_context.hpp"

namespace bondgraph::elements {

using namespace model;

namespace {}  // namespace

const ComponentType kEffortSource{
    .name = "Se",
    .structure = Structure::border,
    .energy = Energy::supplied,
    .summary =
        "Effort source: battery, force, torque, pressure, temperature. The value may depend on time and signals.",
    .law_text = "e = given; power flows out",
    .example = "battery: {type: Se, e: 12 V}",
    .ports = {{"p", PortDirection::out, "delivers power"}},
    .parameters = {{.name = "e", .doc = "effort", .shape = Shape::vector, .dimension = {.e = 1}}},
    .causality = always_effort_out,
    .law = [](LawContext& k) { k.equations(k.effort(0), k.vector("e", k.size(0))); },
    .source = "Karnopp, Margolis, Rosenberg: System Dynamics, 5th ed., chapter 3",
};

const ComponentType kFlowSource{
    .name = "Sf",
    .structure = Structure::border,
    .energy = Energy::supplied,
    .summary = "Flow source: current, speed, volume flow, heat flow. The value may depend on time and signals.",
    .law_text = "f = given; power flows out",
    .example = "pump: {type: Sf, f: 10 l/min}",
    .ports = {{"p", PortDirection::out, "delivers power"}},
    .parameters = {{.name = "f", .doc = "flow", .shape = Shape::vector, .dimension = {.f = 1}}},
    .causality = always_flow_out,
    .law = [](LawContext& k) { k.equations(k.flow(0), k.vector("f", k.size(0))); },
    .source = "Karnopp, Margolis, Rosenberg: System Dynamics, 5th ed., chapter 3",
};

const ComponentType kResidualEffort{
    .name = "rSe",
    .structure = Structure::border,
    .energy = Energy::supplied,
    .firmness = Firmness::constraint,
    .summary =
        "Residual effort source: its effort is whatever makes the flow vanish (or equal a signal): a constraint force.",
    .law_text = "f = value (0), e follows; power flows out",
    .example = "lock: {type: rSe}",
    .ports = {{"p", PortDirection::out, "delivers power"}},
    .parameters = {{.name = "f",
                    .doc = "flow to be reached",
                    .shape = Shape::vector,
                    .dimension = {.f = 1},
                    .default_value = 0.0,
                    .required = false}},
    .causality = always_effort_out,
    .law = [](LawContext& k) { k.equations(k.flow(0), k.vector("f", k.size(0))); },
    .source = "Borutzky: Bond Graph Methodology, 2010, section 4.6 (residual sinks)",
};

const ComponentType kResidualFlow{
    .name = "rSf",
    .structure = Structure::border,
    .energy = Energy::supplied,
    .firmness = Firmness::constraint,
    .summary = "Residual flow source: its flow is whatever makes the effort vanish (or equal a signal).",
    .law_text = "e = value (0), f follows; power flows out",
    .example = "free: {type: rSf}",
    .ports = {{"p", PortDirection::out, "delivers power"}},
    .parameters = {{.name = "e",
                    .doc = "effort to be reached",
                    .shape = Shape::vector,
                    .dimension = {.e = 1},
                    .default_value = 0.0,
                    .required = false}},
    .causality = always_flow_out,
    .law = [](LawContext& k) { k.equations(k.effort(0), k.vector("e", k.size(0))); },
    .source = "Borutzky: Bond Graph Methodology, 2010, section 4.6 (residual sinks)",
};

}  // namespace bondgraph::elements
