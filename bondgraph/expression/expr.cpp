#include "bondgraph/expression/expr.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <string>
#include <utility>

#include "bondgraph/expression/local_index.hpp"
#include "bondgraph/expression/operations.hpp"

namespace bondgraph::expression {

double evaluate_op(Op op, double a, double b, double c) {
    if (op == Op::if_else) return a != 0.0 ? b : c;
    const auto value = operation(op).value;
    if (value == nullptr) throw std::logic_error("evaluate_op: not an operation on numbers alone");
    return value(a, b);
}

std::string_view op_name(Op op) { return operation(op).name; }

// ---- nodes

double Node::number() const {
    return std::bit_cast<double>(static_cast<std::uint64_t>(a) | static_cast<std::uint64_t>(b) << 32U);
}

std::span<const std::uint32_t> Node::operands() const {
    const std::size_t count = static_cast<std::size_t>(operand_count(op));
    return {op >= Op::table1 ? &b : &a, count};
}

// ---- handles

bool Expr::is_constant() const { return is_literal() || (*graph_)[node_].op == Op::constant; }

double Expr::constant() const { return is_literal() ? literal_ : (*graph_)[node_].number(); }

bool same(Expr a, Expr b) {
    if (!a.is_literal() && !b.is_literal()) return a.graph_ == b.graph_ && a.node_ == b.node_;
    return a.is_constant() && b.is_constant() && a.constant() == b.constant();
}

Expr apply(Op op, Expr a) {
    if (a.is_literal()) return evaluate_op(op, a.literal());
    return a.graph()->make(op, a);
}

Expr apply(Op op, Expr a, Expr b) {
    if (a.is_literal() && b.is_literal()) return evaluate_op(op, a.literal(), b.literal());
    return (a.is_literal() ? b : a).graph()->make(op, a, b);
}

Expr if_else(Expr condition, Expr yes, Expr no) {
    for (const Expr e : {condition, yes, no}) {
        if (!e.is_literal()) return e.graph()->make(Op::if_else, condition, yes, no);
    }
    return condition.literal() != 0.0 ? yes : no;
}

Expr operator+(Expr a, Expr b) { return apply(Op::add, a, b); }
Expr operator-(Expr a, Expr b) { return apply(Op::subtract, a, b); }
Expr operator*(Expr a, Expr b) { return apply(Op::multiply, a, b); }
Expr operator/(Expr a, Expr b) { return apply(Op::divide, a, b); }
Expr operator-(Expr a) { return apply(Op::negate, a); }
Expr& Expr::operator+=(Expr other) { return *this = *this + other; }
Expr& Expr::operator-=(Expr other) { return *this = *this - other; }
Expr& Expr::operator*=(Expr other) { return *this = *this * other; }
Expr& Expr::operator/=(Expr other) { return *this = *this / other; }

Expr sqrt(Expr a) { return apply(Op::sqrt, a); }
Expr exp(Expr a) { return apply(Op::exp, a); }
Expr log(Expr a) { return apply(Op::log, a); }
Expr sin(Expr a) { return apply(Op::sin, a); }
Expr cos(Expr a) { return apply(Op::cos, a); }
Expr tan(Expr a) { return apply(Op::tan, a); }
Expr sinh(Expr a) { return apply(Op::sinh, a); }
Expr cosh(Expr a) { return apply(Op::cosh, a); }
Expr abs(Expr a) { return apply(Op::abs, a); }
Expr sign(Expr a) { return apply(Op::sign, a); }
Expr pow(Expr a, Expr b) { return apply(Op::power, a, b); }
Expr atan2(Expr y, Expr x) { return apply(Op::atan2, y, x); }
Expr min(Expr a, Expr b) { return apply(Op::min, a, b); }
Expr max(Expr a, Expr b) { return apply(Op::max, a, b); }

// ---- the arena

namespace {

std::size_t hash_of(const Node& node) {
    std::uint64_t h = static_cast<std::uint64_t>(node.op) * 0x9E3779B97F4A7C15U;
    for (const std::uint32_t word : {node.a, node.b, node.c}) {
        h = (h ^ word) * 0xD6E8FEB86659FD93U;
        h ^= h >> 32U;
    }
    return static_cast<std::size_t>(h);
}

}  // namespace

Graph::Graph() : slots_(64, kNoNode) {}

Graph::Graph(std::vector<Node> nodes, Tables tables) : nodes_(std::move(nodes)), tables_(std::move(tables)) {
    const auto refuse = [] { throw std::invalid_argument("these nodes are no expression graph"); };
    if (nodes_.size() >= kNoNode) refuse();
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        const Node& node = nodes_[i];
        if (node.op > Op::table2_slope_y) refuse();
        for (const std::uint32_t operand : node.operands()) {
            if (operand >= i) refuse();
        }
        if (node.op >= Op::table1 && node.a >= (node.op < Op::table2 ? tables_.one.size() : tables_.two.size()))
            refuse();
    }
    make_index(std::bit_ceil(std::max<std::size_t>(64, nodes_.size() * 2)));
}

void Graph::make_index(std::size_t slot_count) {
    slots_.assign(slot_count, kNoNode);
    const std::size_t mask = slots_.size() - 1;
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
        std::size_t slot = hash_of(nodes_[i]) & mask;
        while (slots_[slot] != kNoNode) slot = (slot + 1) & mask;
        slots_[slot] = i;
    }
}

std::uint32_t Graph::intern(Node node) {
    const std::size_t mask = slots_.size() - 1;
    std::size_t slot = hash_of(node) & mask;
    for (; slots_[slot] != kNoNode; slot = (slot + 1) & mask) {
        if (nodes_[slots_[slot]] == node) return slots_[slot];
    }
    if (nodes_.size() >= kNoNode) throw std::length_error("expression graph is full");
    const auto index = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(node);
    slots_[slot] = index;
    if (nodes_.size() * 2 > slots_.size()) make_index(slots_.size() * 2);
    return index;
}

Expr Graph::constant(double value) {
    if (value == 0.0) value = 0.0;  // one zero, whatever its sign
    const auto bits =
        std::bit_cast<std::uint64_t>(std::isnan(value) ? std::numeric_limits<double>::quiet_NaN() : value);
    return at(intern(
        {.op = Op::constant, .a = static_cast<std::uint32_t>(bits), .b = static_cast<std::uint32_t>(bits >> 32U)}));
}

Expr Graph::time() { return at(intern({.op = Op::time})); }
Expr Graph::variable(std::uint32_t index) { return at(intern({.op = Op::variable, .a = index})); }
Expr Graph::derivative(std::uint32_t index) { return at(intern({.op = Op::derivative, .a = index})); }
Expr Graph::parameter(std::uint32_t index) { return at(intern({.op = Op::parameter, .a = index})); }
Expr Graph::held(std::uint32_t index) { return at(intern({.op = Op::held, .a = index})); }

std::uint32_t Graph::node_of(Expr e) {
    if (e.is_literal()) return constant(e.literal()).node();
    if (e.graph() != this) throw std::logic_error("expressions of two different graphs are mixed");
    return e.node();
}

Expr Graph::make(Op op, Expr a, Expr b, Expr c) {
    const int count = operand_count(op);
    if (count == 0 || op >= Op::table1) throw std::logic_error("Graph::make: leaves and tables have their own makers");
    a = at(node_of(a));
    if (count > 1) b = at(node_of(b));
    if (count > 2) c = at(node_of(c));

    if (op == Op::if_else) {
        if (a.is_constant()) return a.constant() != 0.0 ? b : c;
        if (same(b, c)) return b;
        return at(intern({.op = op, .a = a.node(), .b = b.node(), .c = c.node()}));
    }
    if (a.is_constant() && (count < 2 || b.is_constant())) {
        const double value = evaluate_op(op, a.constant(), count < 2 ? 0.0 : b.constant());
        // What isn't finite stays an operation, so that a later stage can say where it comes from.
        if (std::isfinite(value)) return constant(value);
        return at(intern({.op = op, .a = a.node(), .b = count < 2 ? kNoNode : b.node()}));
    }
    return count < 2 ? simplify_unary(op, a) : simplify_binary(op, a, b);
}

// ---- scans

std::vector<std::uint32_t> reachable(const Graph& graph, std::span<const std::uint32_t> roots) {
    return reachable_until(graph, roots, [](std::uint32_t) { return false; });
}

}  // namespace bondgraph::expression
