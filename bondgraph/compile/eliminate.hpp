#pragma once

#include <unordered_map>
#include <vector>

#include "bondgraph/compile/reduce.hpp"

namespace bondgraph::compile {

/// Equations after the exact elimination of those with constant coefficients.
struct Elimination {
    struct Remaining {
        Expr residual;  ///< in variables and derivative leaves of the model
        model::ElementId element;
        SourcePosition position;
    };
    std::vector<Assignment> eliminated;
    std::vector<Remaining> equations;
    std::vector<RemovedConstraint> removed;
    std::vector<bool> differentiated;  ///< by variable: its derivative occurs
};

/// Solves the equations Σ integer·variable (+ functions of time) = 0, and those of the junction structure with any
/// constant coefficients, for variables whose derivatives don't occur, and substitutes these in the rest. What is left
/// of such an equation without an unknown is dropped if it is 0 = 0, kept as a constraint if it ties variables that are
/// differentiated. Throws ModelError BG-E004 if it can't be met.
/// `all`: equations with constant coefficients of any element.
Elimination eliminate_exactly(const EquationSystem& system, bool all);

}  // namespace bondgraph::compile
