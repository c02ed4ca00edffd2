#pragma once

#include "mechanics3d/chain.hpp"

namespace bondgraph::mechanics3d {

// Orientation without restraint, by a quaternion (states q, w) or by three angles of a sequence of axes (states angles,
// der_angles). Angles have a singular position in the middle one; quaternions have none.

/// `orientation: quaternion | angles` and `sequence`.
std::vector<model::ParameterSpec> orientation_parameters();
bool wants_angles(const model::PartsBuilder& b);
bool uses_angles(const model::LawContext& k);
/// Adds the position states.
void orientation_state(model::PartsBuilder& b, bool angles);
/// The turns, moved by the coordinates of this index (rates w, or der_angles).
std::vector<Step> orientation_steps(bool angles, std::size_t coordinates);
/// d/dt of the position states.
void orientation_law(model::LawContext& k);
/// The orientation itself.
Mat3 free_orientation(const model::LawContext& k);
/// Reports a sequence of axes that isn't three of 1, 2, 3 (BG-M013), or with two turns about one axis after each other
/// where the angles are states (BG-F008).
void check_sequence(const model::LawContext& k, Diagnostics& diagnostics);
/// Gimbal lock of the angles, where these are used.
std::optional<model::SingularPosition> gimbal_lock(const model::LawContext& k);
/// `initial: {angles: […]}` for a component whose state is q.
model::StartAlias angles_alias();

}  // namespace bondgraph::mechanics3d
