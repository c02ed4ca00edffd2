#pragma once

#include "bondgraph/model/parts.hpp"
#include "mechanics3d/orientation.hpp"

namespace bondgraph::mechanics3d {

using ScalarOf = std::function<Expr(const model::LawContext&)>;
using VectorOf = std::function<Vec3(const model::LawContext&)>;

/// A mass and its weight at a velocity.
void add_point_mass(model::PartsBuilder& b, const model::PartEnd& velocity, const ScalarOf& m,
                    const VectorOf& position);
/// The same at a fixed fraction of the way between two velocities: it moves with both.
void add_mass_between(model::PartsBuilder& b, const model::PartEnd& near, const model::PartEnd& far,
                      const ScalarOf& fraction, const ScalarOf& m, const VectorOf& position);

}  // namespace bondgraph::mechanics3d
