#pragma once

#include "mechanics3d/chain.hpp"

namespace bondgraph::mechanics3d {

/// Mass, centre of mass (in frame_a) and inertia about it, as functions of the component.
struct MassProperties {
    std::function<Expr(const model::LawContext&)> m = {};
    std::function<Vec3(const model::LawContext&)> centre = {};  ///< null: at frame_a
    std::function<Mat3(const model::LawContext&)> inertia = {};
    const char* connector = "frame_a";  ///< where the mass is
};

model::ParameterSpec mass_parameter();
std::vector<model::ParameterSpec> inertia_parameters();
/// Reports an inertia that is not positive definite (BG-F003), warns of one that no mass distribution has (BG-F004).
void check_inertia(const model::LawContext& k, Diagnostics& diagnostics);

/// Reports a body in a model without World (BG-F001), once.
void check_world(const model::LawContext& k, Diagnostics& diagnostics);
/// Reports a mass that is a known number not greater than 0 (BG-F005).
void check_mass(const model::LawContext& k, Expr m, Diagnostics& diagnostics);
/// Mass m, centre r_CM and inertia I_11 … as the component's parameters give them; whether an inertia is given at all.
const MassProperties& given_properties();
bool has_inertia(const model::PartsBuilder& b);
/// The states of a body that moves freely, for its documentation.
std::vector<model::StateSpec> free_body_states();

/// Starts the chain of a component with mass at frame_a: where nothing carries it, with the states of free motion.
ChainBuilder begin_body(model::PartsBuilder& b, bool rotates);
/// Mass, weight, inertia and gyroscopic torque where the chain stands.
void add_mass(model::PartsBuilder& b, ChainBuilder& chain, const MassProperties& properties, bool off_centre,
              bool inertia);
/// The equations of free motion, where the component is a root.
void body_law(model::LawContext& k);

}  // namespace bondgraph::mechanics3d
