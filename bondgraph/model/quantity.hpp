#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bondgraph/base/diagnostic.hpp"
#include "bondgraph/base/units.hpp"
#include "bondgraph/expression/expr.hpp"
#include "bondgraph/expression/syntax.hpp"
#include "bondgraph/model/measure.hpp"

namespace bondgraph::model {

/// A value of the model: scalar (1×1), vector (n×1) or matrix, with its dimension as far as known.
struct Quantity {
    expression::ExprMatrix value;
    Measure measure;

    static Quantity scalar(expression::Expr e, Measure m = {}) {
        return {expression::ExprMatrix::Constant(1, 1, e), m};
    }
    [[nodiscard]] bool is_scalar() const { return value.rows() == 1 && value.cols() == 1; }
};

/// How names and calls that depend on the place get their meaning.
struct EvaluationScope {
    /// The quantity of a dotted name, or nothing when the name is unknown there.
    std::function<std::optional<Quantity>(const std::string& name)> lookup;
    /// der(name): the time derivative of a variable; may be empty where der() has no meaning.
    std::function<std::optional<Quantity>(const Quantity& of)> derivative;
    /// pre(x), edge(x), change(x), sample(start, period) with scalar arguments, their number checked; may be empty
    /// where nothing changes at events only. Throws SyntaxError, at the call's offset, for arguments that have none of
    /// these.
    std::function<Quantity(const expression::SyntaxNode& call, const std::vector<Quantity>& arguments)> at_events;
    /// Names to suggest from when lookup fails.
    std::function<std::vector<std::string>()> candidates;
    /// The scope of a model that the names are those of (Flattening::scopes), for messages; none: of no scope alone.
    std::uint32_t number = static_cast<std::uint32_t>(-1);
};

/// What a name stands for whose value is wrong or left out, which has been reported: an expression with it has no value
/// and raises no mistakes for it.
Quantity unknown_quantity();
bool is_unknown(const Quantity& q);

/// Evaluates a syntax tree into expressions of `graph`, shapes and dimensions checked. Nothing where something is
/// wrong: `mistakes` gets an entry (with its offset into the text) for every unknown name and function, wrong number of
/// arguments, shapes that don't fit, and dimensions that contradict each other; what contains a mistake is not judged.
std::optional<Quantity> evaluate(const expression::Syntax& syntax, std::uint32_t root, expression::Graph& graph,
                                 const EvaluationScope& scope, std::vector<expression::SyntaxError>& mistakes);

/// Of these mistakes only unknown names and functions, for places where the sizes of what is named are not known.
void check_names(const expression::Syntax& syntax, const EvaluationScope& scope,
                 std::vector<expression::SyntaxError>& mistakes);

/// Names of the functions an expression may call, for documentation and suggestions.
std::vector<std::string> function_names();

}  // namespace bondgraph::model
