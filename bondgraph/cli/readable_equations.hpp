#pragma once

#include <string>
#include <vector>

#include "bondgraph/compile/sorted_system.hpp"
#include "bondgraph/expression/print.hpp"

namespace bondgraph::cli {

/// One equation for readers: explicit ones define `variable`; implicit ones are `residual` = 0 for the unknown
/// `variable`.
struct ReadableEquation {
    model::VariableId variable;
    expression::Expr value;
    model::ElementId element;
};

/// A sorted system without the assignments that only pass a value (or its negative) on: the junctions' equalities, and
/// efforts and flows that are states. What they define is replaced by what it equals.
struct ReadableSystem {
    std::vector<ReadableEquation> assignments;  ///< in the order of computation
    std::vector<ReadableEquation> states;       ///< der(variable) = value
    std::vector<ReadableEquation> implicit;     ///< 0 = value
};

ReadableSystem without_aliases(const compile::SortedSystem& system);

/// The expression with the system's names.
std::string equation_text(const compile::SortedSystem& system, expression::Expr e, expression::PrintStyle style);
/// The name of a variable, or of the derivative that stands for one.
std::string variable_text(const compile::SortedSystem& system, model::VariableId id, expression::PrintStyle style);
std::string derivative_text(const compile::SortedSystem& system, model::VariableId id, expression::PrintStyle style);

}  // namespace bondgraph::cli
