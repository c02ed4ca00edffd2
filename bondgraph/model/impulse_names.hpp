#pragma once

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::model {

/// "R1.e.impulse", "hinge.axis.torque.impulse", "n->m.f.impulse[2]": what jumps of the states have made of the time
/// integral of an effort or flow, added up since the start. `value` is that effort or flow, a sum of variables of
/// bonds, to be read with their impulses in their stead. Nothing where the name means none.
std::optional<ResolvedName> resolve_impulse(const BondGraph& graph, const std::string& name);

/// A result by its name, be it a variable's or an impulse's.
std::optional<ResolvedName> resolve_result(const BondGraph& graph, const std::string& name);

}  // namespace bondgraph::model
