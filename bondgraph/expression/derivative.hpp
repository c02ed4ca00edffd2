#pragma once

#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "bondgraph/expression/expr.hpp"

namespace bondgraph::expression {

/// Partial derivatives of an operation by each of its node operands at those operands (tables: by the abscissae).
/// Kinks take one side's value (abs and sign: 0 at 0; min, max: the branch that evaluation takes); a relation's is 0.
/// `if_else` has no partials here: its derivative is an if_else of derivatives.
struct Partials {
    Expr a{0.0};
    Expr b{0.0};
};
Partials partials(Graph& graph, std::uint32_t node);

/// Forward mode: d(roots)/d(leaf), one linear scan.
std::vector<Expr> derivative(Graph& graph, std::span<const Expr> roots, Expr leaf);
Expr derivative(Expr root, Expr leaf);

/// Reverse mode: the derivatives of one root by each of `leaves`, one linear scan.
std::vector<Expr> gradient(Expr root, std::span<const Expr> leaves);

/// The total time derivative of each root. `rate` gives the time derivative of a leaf (a variable, a derivative or a
/// parameter; d(time)/dt = 1 is known) or of any node whose derivative is declared; it answers nothing
/// (std::nullopt) for nodes to be expanded by the chain rule. A leaf without an answer counts as constant.
using RateOf = std::function<std::optional<Expr>(std::uint32_t node)>;
std::vector<Expr> time_derivative(Graph& graph, std::span<const Expr> roots, const RateOf& rate);

/// The roots with every node for which `replacement` answers replaced by the answer (everything rebuilt through the
/// simplifier). Nodes are asked before their operands are looked at; an answer is used as it is.
using ReplacementOf = std::function<std::optional<Expr>(std::uint32_t node)>;
std::vector<Expr> substitute(Graph& graph, std::span<const Expr> roots, const ReplacementOf& replacement);

/// Solves lhs = rhs for a leaf that occurs in it: by linearity (coefficient not depending on the leaf), or by undoing
/// operations around its only occurrence that can be undone for all values: sums, products and quotients with a known
/// factor, logarithms, odd powers.
/// Nothing where no solution valid for all values can be written down. A solution may divide by `coefficient`, which is
/// a known non-zero number unless `allow_division` accepts it.
using AllowDivision = std::function<bool(Expr coefficient)>;
std::optional<Expr> solve_for(Graph& graph, Expr lhs, Expr rhs, Expr leaf, const AllowDivision& allow_division);

/// Whether a root of what may pass through zero stands in an expression, as in sign(x)·|x|^(1/3) or sqrt(abs(x)): there
/// its slope is infinite. x·sqrt(abs(x)) is none.
bool is_steep(Graph& graph, Expr e);

}  // namespace bondgraph::expression
