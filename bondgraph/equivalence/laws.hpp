#pragma once

#include <optional>

#include "bondgraph/equivalence/compare.hpp"

namespace bondgraph::equivalence {

/// Where elements are joined alike: which of them has another law, modulation or signal than those of the reference
/// that could take its place, then which has other numbers in it. Signs are left aside.
std::optional<Difference> by_laws(const NormalForm& mine, const NormalForm& reference);

}  // namespace bondgraph::equivalence
