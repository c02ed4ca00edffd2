#pragma once

#include "bondgraph/compile/assembly.hpp"

namespace bondgraph::compile {

/// The rows of locks that hold what the loops of a mechanism, other locks and sources of flow hold already: as many as
/// there are too many, the last by their names. Rows are equations of the problem's system. `needed`: per condition of
/// the loops, whether it stays.
std::vector<std::uint32_t> locks_too_many(const AssemblyProblem& problem, const Assembly& assembly,
                                          const std::vector<bool>& needed);

}  // namespace bondgraph::compile
