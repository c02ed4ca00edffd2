#pragma once

#include "bondgraph/model/component_type.hpp"

namespace bondgraph::mechanics3d {

// The modulated transformers of mechanics. They conserve power for any orientation; the derivatives of their flows are
// declared in vector form, so that accelerations cost about as much as velocities.

/// Rotation → translation by an arm r fixed in the frame (parameters r, R, and its rate dr): f2 = Rᵀ (f1 × r),
/// e1 = r × (R e2).
extern const model::ComponentType kLever;
/// Angular velocity into a frame turned by P against the first (parameters P, and w, the relative angular velocity in
/// the second frame): f2 = P f1, e1 = Pᵀ e2.
extern const model::ComponentType kTurn;
/// Coordinate rates → velocity in the world (parameters H, R, the frame's angular velocity w, and b = dH/dt f1):
/// f2 = Rᵀ H f1, e1 = Hᵀ R e2.
extern const model::ComponentType kSlide;
/// The gyroscopic torque of a body with inertia J (parameter J): e = f × (J f); takes no power.
extern const model::ComponentType kEulerGyrator;
/// The gyroscopic torque of a mounted rotor on its bearings (parameter h, its angular momentum): e = f × h; takes no
/// power.
extern const model::ComponentType kSpinGyrator;

}  // namespace bondgraph::mechanics3d
