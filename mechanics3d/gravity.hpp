#pragma once

#include "bondgraph/model/law_context.hpp"
#include "mechanics3d/orientation.hpp"

namespace bondgraph::mechanics3d {

/// The acceleration of gravity at a position, as the model's World gives it; 0 without a World.
Vec3 gravity(const model::LawContext& component, const Vec3& x);
/// The acceleration of gravity of a World where it is the same everywhere, whatever way that is written.
std::optional<Vec3> uniform_gravity(const model::LawContext& world);
/// The potential energy of a mass there, or nothing where World gives a field without a known potential.
std::optional<Expr> potential_energy(const model::LawContext& component, Expr mass, const Vec3& x);

/// A one-port whose force (parameter e, into it) has a potential (parameter U): gravity, springs between frames.
extern const model::ComponentType kPotential;

}  // namespace bondgraph::mechanics3d
