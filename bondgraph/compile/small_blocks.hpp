#pragma once

#include <map>
#include <optional>
#include <span>
#include <vector>

#include "bondgraph/compile/closed_forms.hpp"
#include "bondgraph/compile/reduce.hpp"
#include "bondgraph/compile/redundancy.hpp"

namespace bondgraph::compile {

/// Linear equations that need each other's results, with coefficients that vary: the forces that hold a loop closed.
/// Few of them are solved by symbols, by Cramer's rule, so that they are no unknowns of whoever integrates.
///
/// Solved by symbols is what stays regular wherever a mechanism goes: blocks whose determinant is a number or, but for
/// a constant factor and in neighbouring positions too, that of rates at a place of which the positions have closed
/// forms (these exist only where rods never come to lie in line; the matrix of forces is the transpose where rows are
/// the balances of what depends), or keeps its sign and size wherever the coordinates without closed forms are. Near a
/// singular position a quotient loses what an iteration keeps, and other forces (by balances of what the states move)
/// have poles where a link doesn't turn for an instant: these are left alone.
class SmallBlocks {
   public:
    /// Minors are shared; more of them than of four equations cost more than they save.
    static constexpr std::size_t kLargest = 4;

    /// All must outlive it.
    SmallBlocks(const ReducedSystem& system, Surroundings& surroundings, const ClosedForms& forms);

    /// Equations that determine these unknowns wherever the mechanism goes: rates where positions have closed forms.
    void stays_regular(std::span<const Expr> residuals, std::span<const Expr> unknowns);
    /// `between`: members of a block in an order in which they follow from `torn`, the others; what they need apart
    /// from each other is solved already. True where all of `torn` have become explicit, to be computed first.
    bool solve(std::vector<Assignment>& assignments, std::span<const std::uint32_t> between,
               std::span<const std::uint32_t> torn);
    /// An assignment that needs nothing else any more.
    void solved(const Assignment& assignment);

   private:
    struct Linear {
        expression::ExprMatrix matrix;
        std::vector<Expr> rest;
    };
    [[nodiscard]] std::optional<Linear> linear(const std::vector<Assignment>& assignments,
                                               std::span<const std::uint32_t> between,
                                               std::span<const std::uint32_t> torn) const;
    [[nodiscard]] bool is_regular(Expr determinant);
    [[nodiscard]] std::vector<double> at_neighbours(Expr e);
    [[nodiscard]] std::optional<Expr> in_open_variables(Expr e);

    const ReducedSystem& s_;
    Surroundings& surroundings_;
    const ClosedForms& forms_;
    expression::Graph& graph_;
    std::vector<std::optional<Expr>> value_;  ///< of variables that are solved for, as solved
    std::map<std::uint32_t, Expr> in_open_;   ///< the same in variables that are not
    struct Determinant {
        Expr value;
        std::vector<double> at_neighbours = {};  ///< found when first asked for
    };
    std::vector<Determinant> determinants_;  ///< that stay regular
};

}  // namespace bondgraph::compile
