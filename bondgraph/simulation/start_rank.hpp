#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bondgraph/simulation/start_nonlinear.hpp"

namespace bondgraph::simulation {

/// The rows that, in the given order, depend linearly on rows before them: elimination row by row with the largest
/// remaining entry as pivot, rows and columns scaled to one magnitude.
std::vector<std::uint32_t> dependent_rows(const structure::Incidence& pattern, std::span<const double> entries,
                                          std::span<const std::uint32_t> order);

/// The same wherever the unknowns may be: the fewest dependent rows at `start` and at points about it. A place that
/// only happens to be singular (x² at 0) has none. Nothing when the system is too large or has no finite point.
std::optional<std::vector<std::uint32_t>> generically_dependent_rows(const NonlinearSystem& system,
                                                                     std::span<const double> start,
                                                                     std::span<const std::uint32_t> order);

/// Of `columns`, of which the first `first` come before the others, those of the others that some of `rows` need to be
/// independent of the rows before them. `entries` belong to `pattern`.
std::vector<std::uint32_t> columns_beside(const structure::Incidence& pattern, std::span<const double> entries,
                                          std::span<const std::uint32_t> rows, std::span<const std::uint32_t> columns,
                                          std::size_t first);

}  // namespace bondgraph::simulation
