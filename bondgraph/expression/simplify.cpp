// The rewriting rules of Graph::make. Each is exact for finite operands up to the sign of zero, so that a simplified
// model computes what was written. Canonical forms are free of: a negation (or a negative number) as an operand of
// + − * /, operands of commutative operations out of order, and neutral or absorbing constants. A rule may call make
// again; that ends, because each rule removes an operation or a sign from below.

#include <cmath>
#include <optional>
#include <utility>

#include "bondgraph/expression/operations.hpp"

namespace bondgraph::expression {

namespace {

using Rule = std::optional<Expr>;  // nothing: no rule applies, the operation is kept

const Node& node(Expr e) { return (*e.graph())[e.node()]; }
bool is(Expr e, Op op) { return node(e).op == op; }
Expr operand(Expr e, int i) { return e.graph()->at(node(e).operands()[static_cast<std::size_t>(i)]); }
bool is_leaf(Expr e) { return operand_count(node(e).op) == 0; }
Expr constant(Expr beside, double value) { return beside.graph()->constant(value); }

/// e = −(result) where e is a negation or a negative number.
Rule without_sign(Expr e) {
    if (is(e, Op::negate)) return operand(e, 0);
    if (e.is_constant() && e.constant() < 0.0) return constant(e, -e.constant());
    return {};
}

bool is_boolean(Expr e) {
    const Op op = node(e).op;
    if (op == Op::no_event) return is_boolean(operand(e, 0));  // never nested, so this goes one level deep
    return (op >= Op::less && op <= Op::logical_or) || op == Op::logical_not || e.is_constant(0.0) ||
           e.is_constant(1.0);
}

/// 1 where e isn't 0, otherwise 0.
Expr truth(Expr e) { return is_boolean(e) ? e : apply(Op::not_equal, e, 0.0); }

Rule simplify_add(Expr a, Expr b) {
    if (a.is_constant(0.0)) return b;
    if (b.is_constant(0.0)) return a;
    if (same(a, b)) return 2.0 * a;
    const Rule positive_a = without_sign(a);
    const Rule positive_b = without_sign(b);
    if (positive_a && positive_b) return -(*positive_a + *positive_b);
    if (positive_b) return a - *positive_b;
    if (positive_a) return b - *positive_a;
    return {};
}

Rule simplify_subtract(Expr a, Expr b) {
    if (same(a, b)) return constant(a, 0.0);
    if (a.is_constant(0.0)) return -b;
    if (b.is_constant(0.0)) return a;
    const Rule positive_a = without_sign(a);
    const Rule positive_b = without_sign(b);
    if (positive_a && positive_b) return *positive_b - *positive_a;
    if (positive_b) return a + *positive_b;
    if (positive_a) return -(*positive_a + b);
    return {};
}

/// The sign of a product, quotient or guarded product in front of it.
Rule pull_sign(Op op, Expr a, Expr b) {
    const Rule positive_a = without_sign(a);
    const Rule positive_b = without_sign(b);
    if (!positive_a && !positive_b) return {};
    const Expr magnitude = apply(op, positive_a.value_or(a), positive_b.value_or(b));
    return positive_a && positive_b ? magnitude : -magnitude;
}

Rule simplify_multiply(Expr a, Expr b) {
    if (a.is_constant(0.0) || b.is_constant(0.0)) return constant(a, 0.0);
    if (a.is_constant(1.0)) return b;
    if (b.is_constant(1.0)) return a;
    return pull_sign(Op::multiply, a, b);
}

Rule simplify_divide(Expr a, Expr b) {
    if (b.is_constant(1.0)) return a;
    return pull_sign(Op::divide, a, b);
}

Rule simplify_guarded_multiply(Expr a, Expr b) {
    if (a.is_constant(0.0)) return constant(a, 0.0);
    const auto finite = [](Expr e) { return e.is_constant() && std::isfinite(e.constant()); };
    if (finite(a) || finite(b)) return a * b;  // nothing to guard: a isn't 0, or b can't be infinite
    return pull_sign(Op::guarded_multiply, a, b);
}

Rule simplify_power(Expr a, Expr b) {
    if (a.is_constant(1.0) || b.is_constant(0.0)) return constant(a, 1.0);
    if (b.is_constant(1.0)) return a;
    if (b.is_constant(2.0)) return a * a;
    if (b.is_constant(0.5)) return sqrt(a);
    if (b.is_constant(-1.0)) return 1.0 / a;
    return {};
}

Rule simplify_relation(Op op, Expr a, Expr b) {
    if (!same(a, b)) return {};
    return constant(a, op == Op::less_equal || op == Op::greater_equal || op == Op::equal ? 1.0 : 0.0);
}

Rule simplify_logical(Op op, Expr a, Expr b) {
    const double absorbing = op == Op::logical_or ? 1.0 : 0.0;
    for (const auto& [e, other] : {std::pair{a, b}, std::pair{b, a}}) {
        if (!e.is_constant()) continue;
        const double value = e.constant() != 0.0 ? 1.0 : 0.0;
        return value == absorbing ? constant(a, absorbing) : truth(other);
    }
    if (same(a, b)) return truth(a);
    return {};
}

Rule simplify_negate(Expr a) {
    if (is(a, Op::negate)) return operand(a, 0);
    if (is(a, Op::subtract)) return operand(a, 1) - operand(a, 0);
    return {};
}

bool has(Op op, Symmetry symmetry) { return operation(op).symmetry == symmetry; }

Rule unary_rule(Op op, Expr a) {
    if (op == Op::negate) return simplify_negate(a);
    if (op == Op::no_event) return is_leaf(a) || is(a, Op::no_event) ? Rule(a) : Rule();
    if (op == Op::logical_not && is(a, Op::logical_not) && is_boolean(operand(a, 0))) return operand(a, 0);
    if (op == Op::abs && is(a, Op::abs)) return a;
    if (is(a, Op::negate)) {
        if (has(op, Symmetry::odd)) return -apply(op, operand(a, 0));
        if (has(op, Symmetry::even)) return apply(op, operand(a, 0));
    }
    return {};
}

Rule binary_rule(Op op, Expr a, Expr b) {
    if (is_relation(op)) return simplify_relation(op, a, b);
    switch (op) {
        case Op::add:
            return simplify_add(a, b);
        case Op::subtract:
            return simplify_subtract(a, b);
        case Op::multiply:
            return simplify_multiply(a, b);
        case Op::divide:
            return simplify_divide(a, b);
        case Op::guarded_multiply:
            return simplify_guarded_multiply(a, b);
        case Op::power:
            return simplify_power(a, b);
        case Op::min:
        case Op::max:
            return same(a, b) ? Rule(a) : Rule();
        case Op::logical_and:
        case Op::logical_or:
            return simplify_logical(op, a, b);
        case Op::smooth:
            return is_leaf(b) ? Rule(b) : Rule();
        default:
            return {};
    }
}

}  // namespace

Expr Graph::simplify_unary(Op op, Expr a) {
    if (const Rule simpler = unary_rule(op, a)) return *simpler;
    return at(intern({.op = op, .a = a.node()}));
}

Expr Graph::simplify_binary(Op op, Expr a, Expr b) {
    if (const Rule simpler = binary_rule(op, a, b)) return *simpler;
    if (has(op, Symmetry::commutative)) {
        // Constants first, as in 2*x; otherwise by age.
        const auto rank = [](Expr e) { return std::pair(!e.is_constant(), e.node()); };
        if (rank(b) < rank(a)) std::swap(a, b);
    }
    return at(intern({.op = op, .a = a.node(), .b = b.node()}));
}

}  // namespace bondgraph::expression
