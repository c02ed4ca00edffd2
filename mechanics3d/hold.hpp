#pragma once

#include <functional>
#include <string_view>
#include <vector>

#include "bondgraph/model/parts.hpp"
#include "mechanics3d/orientation.hpp"

namespace bondgraph::mechanics3d {

/// Works that constraint joints follow.
inline constexpr const char* kCutSource =
    "Zimmer, Cellier: The Modelica Multi-bond Graph Library, Modelica 2006; Otter, Elmqvist, Cellier: Modeling of "
    "multibody systems with the object-oriented modeling language Dymola, Nonlinear Dynamics 9, 1996";

/// Holds positions: one condition (parameter `position`, a column) for each component of its port, whose efforts are
/// the forces of these constraints. What is `upright` has to be positive in a position that is accepted: conditions on
/// directions hold as well where these point the other way. `gap`: how far a single condition is from being met, where
/// it is no length itself. Bonded to relative velocities, it takes no power.
extern const model::ComponentType kHold;

/// The same, there only while a condition (parameter `active`) is true; otherwise its forces vanish.
extern const model::ComponentType kHoldWhile;

expression::ExprMatrix column(const std::vector<Expr>& values);
expression::ExprMatrix rows(const std::vector<Vec3>& all);

/// A hold named `name`, of kind kHoldWhile where there is a condition `active`, on `count` components of a relative
/// velocity (a 0-junction): those that `map` takes, a matrix from that velocity; null: all of them.
void add_hold(model::PartsBuilder& b, const model::PartEnd& relative, std::string_view name, std::string_view domain,
              std::size_t count, const std::function<expression::ExprMatrix(const model::LawContext&)>& map,
              std::vector<model::PartParameter> conditions);

/// A constant distance between two points with these velocities (1-junctions); `between` leads from the near one to the
/// far one, in the world. The force that holds it is the effort of the part `force`, positive where it pulls the points
/// together.
void add_rod(model::PartsBuilder& b, const model::PartEnd& near, const model::PartEnd& far,
             const std::function<Vec3(const model::LawContext&)>& between,
             const std::function<Expr(const model::LawContext&)>& length);

}  // namespace bondgraph::mechanics3d
