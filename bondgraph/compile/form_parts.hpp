#pragma once

#include <functional>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bondgraph/expression/expr.hpp"

namespace bondgraph::compile {

using expression::Expr;

/// A vector of a plane as a complex number.
struct PlaneVector {
    Expr re = 0.0;
    Expr im = 0.0;
};

PlaneVector operator+(const PlaneVector& a, const PlaneVector& b);
PlaneVector operator-(const PlaneVector& a, const PlaneVector& b);
PlaneVector operator-(const PlaneVector& a);
PlaneVector operator*(const PlaneVector& a, const PlaneVector& b);
/// a times the conjugate of b: a seen from b.
PlaneVector from(const PlaneVector& a, const PlaneVector& b);
PlaneVector over(const PlaneVector& a, Expr by);
Expr square(const PlaneVector& a);

/// Arc tangents, each with the squared length of what it is the angle of.
using Arcs = std::vector<std::pair<Expr, Expr>>;

/// A coordinate as a function of others.
struct SolvedCoordinate {
    Expr value;
    std::optional<PlaneVector> turn = {};  ///< of an angle, its cosine and sine, without any arc functions
    Arcs arcs = {};                        ///< in the value
    double within =
        0.0;  ///< of a displacement: so far at most from the value, it is not on the other side; 0: not told
};

/// What a closed form is judged by: numbers at the point it is made for, at places beside it, and over whole turns.
struct FormJudge {
    /// Expressions at the point first, then at places that are no positions of the mechanism.
    std::function<std::vector<std::vector<double>>(std::span<const Expr>)> anywhere;
    /// Expressions of the other coordinates wherever these may be; nothing where there are too many places.
    std::function<std::vector<std::vector<double>>(std::span<const Expr>)> all_over;
    std::vector<std::uint32_t> others;  ///< coordinates that are known (variables)
};

/// A direction and its angle, but for whole turns.
struct Direction {
    PlaneVector vector;
    Expr angle = 0.0;
};

/// What closed forms are made of: roots that never vanish and angles that go on beyond half turns, wherever the other
/// coordinates are.
class FormParts {
   public:
    /// Both must outlive it.
    FormParts(expression::Graph& graph, const FormJudge& judge) : graph_(graph), judge_(judge) {}

    /// Whether a number is positive wherever the others are, by more than a share of the largest size it is made of.
    [[nodiscard]] bool positive(Expr number, Expr size) const;
    /// The angle of a vector, seen such that it never comes near the cut of the arc tangent: from the plane, from one
    /// of some directions, or from what turns with one of the others.
    [[nodiscard]] std::optional<Expr> angle(const PlaneVector& v, const std::vector<Direction>& seen_from = {});
    /// The direction of a vector that turns with one of the others or stands still, of length 1.
    [[nodiscard]] std::optional<Direction> carried(const PlaneVector& v) const;
    /// The angle of a vector that stays clear of the cut, and the square of its length.
    [[nodiscard]] Expr arc(const PlaneVector& v, Expr squared);
    /// The same where the sign of its first component stays.
    [[nodiscard]] Expr arc_on_side(const PlaneVector& v, double sign, Expr squared);
    [[nodiscard]] const Arcs& arcs() const { return arcs_; }

    static constexpr double kExact = 1e-9;  ///< beside terms of order 1: structure, not chance
    /// Of the largest area of a triangle of rods: nearer to a line, conditions are kept as they are.
    static constexpr double kInLine = 1e-2;

   private:
    [[nodiscard]] std::vector<Direction> turning() const;
    [[nodiscard]] bool goes_on(const std::vector<double>& angles) const;

    expression::Graph& graph_;
    const FormJudge& judge_;
    Arcs arcs_;
};

}  // namespace bondgraph::compile
