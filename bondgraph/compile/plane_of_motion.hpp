#pragma once

#include "bondgraph/compile/assembly.hpp"

namespace bondgraph::compile {

/// What a constraint joint for loops in a plane leaves to the rest of its loop: to keep it in that plane.
struct AssumedStill {
    model::ElementId part;
    std::vector<Expr> values;  ///< in coordinates, in m or directions: what must not change
};

/// Throws ModelError BG-I008 where the loops of a mechanism, in the position found, can move so that what their joints
/// assume to stand still does not.
void refuse_other_motions(const AssemblyProblem& problem, const Assembly& assembly,
                          const std::vector<AssumedStill>& assumed);

}  // namespace bondgraph::compile
