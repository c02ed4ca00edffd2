#pragma once

#include "bondgraph/model/component_type.hpp"

namespace bondgraph::converters {

/// A mechanical frame: position x[3] of its origin in world coordinates, orientation R[3,3] (h_frame = R h_world), the
/// translational multibond {force f | velocity v} resolved in the world and the rotational one {torque t | angular
/// velocity w} resolved in the frame. Forces and torques in results act on the component.
extern const model::ConnectorType kFrame;

/// A frame that moves in the x-y plane: position x[2], angle phi (counter-clockwise), and one multibond of size 3
/// {fx, fy, t | vx, vy, w} resolved in the world.
extern const model::ConnectorType kPlanarFrame;

/// Connectors with one scalar bond: connecting them makes a junction.
extern const model::ConnectorType kPin;                  ///< electrical: common voltage
extern const model::ConnectorType kFlange;               ///< rotational: common angular velocity
extern const model::ConnectorType kTranslationalFlange;  ///< translational: common velocity
extern const model::ConnectorType kHydraulicPort;        ///< common pressure
extern const model::ConnectorType kHeatPort;             ///< common temperature, power as heat flow

/// All of them, in the order of the reference.
std::vector<const model::ConnectorType*> connector_types();

}  // namespace bondgraph::converters
