#pragma once

#include <functional>

#include "bondgraph/model/bond_graph.hpp"

namespace bondgraph::model {

/// Shows every expression of a bond graph to `visit`, which may put another one in its place: values of parameters and
/// inputs, given equations, starts, events, bounds, shapes, energies, signals of connectors.
void for_each_expression(BondGraph& graph, const std::function<void(expression::Expr&)>& visit);

/// The same graph with expressions of its own.
BondGraph copy_of(const BondGraph& graph);

}  // namespace bondgraph::model
