#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/expression/enclosures.hpp"

/// The operations of expressions, a row of meaning each: what a new operation needs is its place in Op and its row.
namespace bondgraph::expression {

/// How a value moves with its operands.
enum class Course : std::uint8_t {
    smooth,   ///< with all derivatives, but where it has none (sqrt at 0)
    bent,     ///< continuous, with jumps of its slope
    stepped,  ///< constant between jumps
    truth     ///< stepped, 0 or 1
};

/// What becomes of f(−x), or of f(y, x).
enum class Symmetry : std::uint8_t { none, odd, even, commutative };

/// Of a function of one operand over an interval of it: bounds of its values and of its first and second derivative. A
/// slope without bounds: nothing is known but the value. Values that are no numbers: it has none anywhere.
struct Bounds {
    Interval value;
    Interval slope;
    Interval bend;
};

struct Operation {
    Op op;
    std::string_view name;  ///< in text ("sin", "+"); empty for leaves
    int operands = 1;       ///< that are nodes
    Course course = Course::smooth;
    Symmetry symmetry = Symmetry::none;
    bool called = false;             ///< users write it as name(…)
    std::string_view tex = {};       ///< LaTeX's command for a function; empty: its name, upright
    std::string_view required = {};  ///< "square root": what there is none of where the value is no number
    /// A slope may be infinite, or no number, where the value is finite.
    bool singular = false;
    /// Of numbers. Null: leaves, if_else and tables.
    double (*value)(double a, double b) = nullptr;
    /// Derivatives by each operand, given the value. Kinks take one side's (abs and sign: 0 at 0). Null: 0.
    std::array<double, 2> (*slopes)(double a, double b, double value) = nullptr;
    /// The same by symbols.
    Partials (*partials)(Expr a, Expr b, Expr value) = nullptr;
    /// Of one operand; null: nothing is known.
    Bounds (*bounds)(Interval a) = nullptr;
    /// The a for which the value is y, where that holds for every y; else null.
    Expr (*inverse)(Expr y) = nullptr;
};

inline constexpr std::size_t kOperationCount = static_cast<std::size_t>(Op::table2_slope_y) + 1;

/// In the order of Op.
extern const std::array<Operation, kOperationCount> kOperations;

inline const Operation& operation(Op op) { return kOperations[static_cast<std::size_t>(op)]; }

inline bool is_stepped(Op op) { return operation(op).course >= Course::stepped; }

}  // namespace bondgraph::expression
