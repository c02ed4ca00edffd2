#pragma once

#include <Eigen/SparseCore>
#include <functional>
#include <span>
#include <vector>

#include "bondgraph/structure/incidence.hpp"
#include "bondgraph/structure/matching.hpp"

namespace bondgraph::structure {

/// The Jacobian of some rows by all columns at the point of interest, in the order of `rows`.
using RowJacobian = std::function<Eigen::SparseMatrix<double, Eigen::RowMajor>(std::span<const std::uint32_t> rows)>;

/// Some columns are rates, which are given to whoever computes the others: these must follow from the rows that are not
/// matched with rates. Structure doesn't see numbers that cancel (a force and an inertia that stand in every row of a
/// loop as one difference). Where a block of the other columns is singular at the point, rows matched with rates take
/// the place of rows that depend on others, so that the rest is regular. `matching` is perfect; it is returned as it is
/// where nothing has to change or nothing helps. A row may then be paired with a rate that it doesn't name, if the rate
/// reaches it through other columns only. Pairs of `preferred` are taken where that is possible.
Matching with_regular_rest(const Incidence& rows, const Incidence& preferred, Matching matching,
                           const std::vector<bool>& rate, const RowJacobian& jacobian);

}  // namespace bondgraph::structure
