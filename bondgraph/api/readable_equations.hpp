#pragma once

#include <span>
#include <string>
#include <vector>

#include "bondgraph/analysis/symbols.hpp"
#include "bondgraph/compile/compiled_model.hpp"
#include "bondgraph/expression/print.hpp"

namespace bondgraph::api {

/// One equation for readers: explicit ones define `variable`; implicit ones are `residual` = 0 for the unknown
/// `variable`.
struct ReadableEquation {
    model::VariableId variable;
    expression::Expr value;
    model::ElementId element;
    bool rate = false;  ///< an implicit equation whose unknown is the derivative of `variable`
};

/// What is done as a condition becomes true.
struct ReadableWhen {
    struct Action {
        std::string target;
        expression::Expr value;
    };
    expression::Expr condition;
    std::vector<Action> reinit;
    std::vector<Action> set;
    model::ElementId element;  ///< whose type says so; not valid for the model itself
};

/// A sorted system without the assignments that only pass a value (or its negative) on: the junctions' equalities, and
/// efforts and flows that are states. What they define is replaced by what it equals. Relations and discrete variables
/// stand as they were written, not as the values that are held between events.
struct ReadableSystem {
    std::vector<ReadableEquation> assignments;  ///< in the order of computation
    std::vector<ReadableEquation> states;       ///< der(variable) = value
    std::vector<ReadableEquation> implicit;     ///< 0 = value
    std::vector<ReadableEquation> updates;      ///< of discrete variables: what they become at an event
    std::vector<ReadableWhen> whens;
};

ReadableSystem without_aliases(const compile::SortedSystem& system);

/// Without the equations inside wrapped components (joints, bodies): what the others say of their variables is said in
/// states and unknowns instead.
ReadableSystem collapsed(ReadableSystem system, const compile::CompiledModel& model);

/// The expression with the system's names, and those of parameters that stand by name.
std::string equation_text(const compile::SortedSystem& system, expression::Expr e, expression::PrintStyle style,
                          std::span<const analysis::Symbol> parameters = {});
/// The name of a variable, or of the derivative that stands for one.
std::string variable_text(const compile::SortedSystem& system, model::VariableId id, expression::PrintStyle style);
std::string derivative_text(const compile::SortedSystem& system, model::VariableId id, expression::PrintStyle style);

}  // namespace bondgraph::api
