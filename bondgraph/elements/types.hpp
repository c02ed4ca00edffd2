#pragma once

#include "bondgraph/model/component_type.hpp"

namespace bondgraph::elements {

using model::ComponentType;

/// The work that most elements follow.
inline constexpr const char* kKarnopp = "Karnopp, Margolis, Rosenberg: System Dynamics, 5th ed., chapter 3";

/// Whose modes always change the structure.
inline bool every_mode(const model::Element&) { return true; }

/// Causality of types with only one.
inline model::PortCausality always_effort_out(const model::Element&, std::size_t, std::size_t) {
    return model::PortCausality::effort_out;
}
inline model::PortCausality always_flow_out(const model::Element&, std::size_t, std::size_t) {
    return model::PortCausality::flow_out;
}

// Junctions and two-ports.
extern const ComponentType kJunction0, kJunction1, kTransformer, kGyrator, kSymplecticGyrator;
// Sources.
extern const ComponentType kEffortSource, kFlowSource, kResidualEffort, kResidualFlow;
// One-ports and fields.
extern const ComponentType kResistor, kCompliance, kInertia;
extern const ComponentType kResistiveField, kCompliantField, kInertialField, kMixedField, kThermalResistor;
// Elements with events.
extern const ComponentType kSwitch, kDiode, kThyristor, kGateTurnOff, kCheckValve, kLock, kArcSwitch;
extern const ComponentType kFriction, kClutch, kOneWayClutch, kBacklash, kElasticStop, kEndStop;
// Sensors and wiring.
extern const ComponentType kEffortSensor, kFlowSensor, kMomentumSensor, kDisplacementSensor, kPowerSensor;
extern const ComponentType kCompose, kDecompose, kPermute;
// Signals.
extern const ComponentType kConstant, kStep, kRamp, kSine, kTimeTable, kGain, kSum, kProduct, kIntegrator;
extern const ComponentType kGreater, kRelay, kSampleHold, kPulse;
extern const ComponentType kDelay;

/// The same type under another name.
ComponentType alias(std::string_view name, const ComponentType& type);

}  // namespace bondgraph::elements
