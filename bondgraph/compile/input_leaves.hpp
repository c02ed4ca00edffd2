#pragma once

#include <span>

#include "bondgraph/expression/expr.hpp"

namespace bondgraph::compile {

/// The parameter leaves that expressions of a model with so many perturbed sources may hold: leaf i + k·inputs is the
/// k-th derivative of the perturbation of source i, up to the highest that occurs, at least the first. None without
/// inputs.
std::size_t input_leaf_count(const expression::Graph& graph, std::span<const expression::Expr> outputs,
                             std::size_t inputs);

}  // namespace bondgraph::compile
