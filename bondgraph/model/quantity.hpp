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

namespace bondgraph::model {

/// What is known of a value's dimension: nothing (a parameter given without unit), that it is a pure number
/// (a literal inside an expression; it may stand beside any dimension), or the dimension.
struct Measure {
    enum class Kind : std::uint8_t { any, number, known };
    Kind kind = Kind::any;
    Dimension dimension;

    static Measure of(Dimension d) { return {Kind::known, d}; }
    static Measure number() { return {Kind::number, {}}; }
    [[nodiscard]] bool known() const { return kind == Kind::known; }
};

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
    /// Names to suggest from when lookup fails.
    std::function<std::vector<std::string>()> candidates;
};

/// Evaluates a syntax tree into expressions of `graph`, shapes and dimensions checked.
/// Throws expression::SyntaxError (offset into the text) for unknown names and functions, wrong numbers of arguments,
/// shapes that don't fit, and dimensions that contradict each other.
Quantity evaluate(const expression::Syntax& syntax, std::uint32_t root, expression::Graph& graph,
                  const EvaluationScope& scope);

/// Names of the functions an expression may call, for documentation and suggestions.
std::vector<std::string> function_names();

}  // namespace bondgraph::model
