#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "bondgraph/expression/tape.hpp"

namespace bondgraph::compile {

using expression::Expr;

/// What a model's equations do with time alone (and with values that change at events only): enough to foresee, for any
/// stretch of time, where they jump or bend and how fast they change. See simulation/foresight.hpp.
struct TimeFunctions {
    /// Where a function bends or jumps: where its difference (of a relation, min, max; the argument of abs and sign) is
    /// zero, where its argument is a whole number (floor, ceil), or a point of a table.
    struct Kink {
        enum class At : std::uint8_t { zero, whole_numbers, points } at = At::zero;
        std::vector<double> points;   ///< ascending
        std::uint32_t node = 0;       ///< in the expression graph
        expression::Tape difference;  ///< over [time | held values in the order of `held`]
    };
    std::vector<Kink> kinks;

    /// A sum that depends on time: of terms, and of sums that come before it.
    struct Sum {
        std::vector<std::uint32_t> parts;  ///< indices of terms; from their number on, of sums
        bool enters = false;               ///< enters the equations where other things do
    };
    /// Terms of the sums that depend on time and enter the equations where other things do. Sums share their terms:
    /// each stands here once.
    expression::Tape terms;
    std::vector<Sum> sums;

    std::vector<std::uint32_t> held;  ///< those that occur
};

/// A place where an operation bends or jumps: where `argument` is zero, a whole number, or one of the points of a
/// table.
struct BendingArgument {
    TimeFunctions::Kink::At at = TimeFunctions::Kink::At::zero;
    std::vector<double> points;
    Expr argument;
};

/// Those of one operation, not of what it is made of. `wanted`: whether they are, given a node on whose leaves they
/// depend.
std::vector<BendingArgument> bends_of(expression::Graph& graph, std::uint32_t node,
                                      const std::function<bool(std::uint32_t node)>& wanted);

/// Those in expressions over variables, derivatives, parameters, held values and time, inside noEvent() and smooth() as
/// well (not where noEvent() stands in what is looked at `at_events` only): an instant that is known beforehand costs
/// little, and what is said to be smooth may not be. The `differences` of relations are watched between events as the
/// equations are solved; what is looked at `at_events` only has no terms, for nothing follows from it in between.
TimeFunctions find_time_functions(expression::Graph& graph, std::span<const Expr> equations,
                                  std::span<const Expr> differences, std::span<const Expr> at_events);

/// Whether an expression depends on time, and on nothing else but numbers.
bool follows_time(const expression::Graph& graph, std::uint32_t node);

}  // namespace bondgraph::compile
