#pragma once

#include <optional>

#include "bondgraph/equivalence/compare.hpp"

namespace bondgraph::equivalence {

/// Which element first stands among other neighbours, numbers and signs left aside: in terms of what it has in common
/// with whom. Nothing where refinement tells no element from those of the reference.
std::optional<Difference> by_attachment(const NormalForm& mine, const NormalForm& reference);

}  // namespace bondgraph::equivalence
