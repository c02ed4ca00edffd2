#include "bondgraph/equivalence/expression_items.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "bondgraph/expression/operations.hpp"

namespace bondgraph::equivalence {

using expression::Expr;
using expression::Node;
using expression::Op;
using expression::Symmetry;

std::uint32_t ExpressionItems::add(std::string kind, bool pinned, std::vector<double> values) {
    form_.items.push_back({.kind = std::move(kind), .values = std::move(values), .pinned = pinned});
    return static_cast<std::uint32_t>(2 * (form_.items.size() - 1));
}

void ExpressionItems::lead(std::uint32_t from, std::uint32_t to, const std::string& label) {
    form_.arcs.push_back({from, to, label});
    form_.arcs.push_back({from ^ 1U, to ^ 1U, label});
}

std::uint32_t ExpressionItems::number(double value) {
    const std::uint32_t v = add("number", false, {value});
    form_.items.back().odd = true;
    return v;
}

std::uint32_t ExpressionItems::vertex(Expr e) { return e.is_constant() ? number(e.constant()) : of_node(e.node()); }

std::uint32_t ExpressionItems::of_node(std::uint32_t node) {
    if (const auto found = known_.find(node); found != known_.end()) return found->second;
    const std::uint32_t v = made(graph_[node]);
    known_.emplace(node, v);
    return v;
}

std::uint32_t ExpressionItems::made(const Node& node) {
    switch (node.op) {
        case Op::constant:
            return number(node.number());
        case Op::time:
        case Op::variable:
        case Op::derivative:
        case Op::parameter:
        case Op::held:
            return leaf_(node);
        case Op::negate:
            return of_node(node.a) ^ 1U;
        case Op::add:
        case Op::subtract:
            return sum(node);
        case Op::multiply:
        case Op::guarded_multiply: {
            std::vector<std::uint32_t> nodes;
            gather_factors(node.a, nodes);
            gather_factors(node.b, nodes);
            // All pairs of signs are written out: a long product is one of two.
            constexpr std::size_t kMostFactors = 5;
            if (nodes.size() > kMostFactors) nodes = {node.a, node.b};
            std::vector<std::uint32_t> factors;
            for (const std::uint32_t n : nodes) factors.push_back(of_node(n));
            return product(factors, std::vector<std::string>(factors.size(), "factor"));
        }
        case Op::divide:
            return product({of_node(node.a), of_node(node.b)}, {"numerator", "denominator"});
        case Op::power:
            return power(node);
        case Op::if_else: {
            const std::uint32_t v = add("choice", false);
            for (const std::uint32_t side : {0U, 1U}) form_.arcs.push_back({v ^ side, of_node(node.a), "condition"});
            lead(v, of_node(node.b), "yes");
            lead(v, of_node(node.c), "no");
            return v;
        }
        case Op::table1:
        case Op::table1_slope:
        case Op::table2:
        case Op::table2_slope_x:
        case Op::table2_slope_y:
            return table(node);
        default:
            return function(node);
    }
}

void ExpressionItems::gather_terms(std::uint32_t node, bool negative, std::vector<std::uint32_t>& vertices) {
    const Node n = graph_[node];
    if (n.op == Op::negate) return gather_terms(n.a, !negative, vertices);
    if (n.op != Op::add && n.op != Op::subtract) {
        vertices.push_back(of_node(node) ^ (negative ? 1U : 0U));
        return;
    }
    gather_terms(n.a, negative, vertices);
    gather_terms(n.b, negative != (n.op == Op::subtract), vertices);
}

std::uint32_t ExpressionItems::sum(const Node& node) {
    std::vector<std::uint32_t> terms;
    gather_terms(node.a, false, terms);
    gather_terms(node.b, node.op == Op::subtract, terms);
    const std::uint32_t v = add("sum", false);
    for (const std::uint32_t t : terms) lead(v, t, "term");
    return v;
}

void ExpressionItems::gather_factors(std::uint32_t node, std::vector<std::uint32_t>& nodes) const {
    const Node& n = graph_[node];
    if (n.op != Op::multiply && n.op != Op::guarded_multiply) {
        nodes.push_back(node);
        return;
    }
    gather_factors(n.a, nodes);
    gather_factors(n.b, nodes);
}

/// Each choice of signs of the factors is a vertex; the product is joined to those with an even number of turned ones,
/// its twin to the others.
std::uint32_t ExpressionItems::product(const std::vector<std::uint32_t>& factors,
                                       const std::vector<std::string>& labels) {
    const std::uint32_t v = add("product", false);
    const std::uint32_t all = (1U << factors.size()) - 1;
    for (std::uint32_t signs = 0; signs < all - signs; ++signs) {
        const std::uint32_t chosen = add("signs", false);
        for (std::size_t k = 0; k < factors.size(); ++k) lead(chosen, factors[k] ^ ((signs >> k) & 1U), labels[k]);
        form_.arcs.push_back({v ^ (std::popcount(signs) % 2U), chosen, "case"});
        form_.arcs.push_back({v ^ (std::popcount(all - signs) % 2U), chosen ^ 1U, "case"});
    }
    return v;
}

std::uint32_t ExpressionItems::power(const Node& node) {
    const Node& exponent = graph_[node.b];
    if (exponent.op != Op::constant || exponent.number() != std::round(exponent.number())) return function(node);
    const bool even = std::fmod(exponent.number(), 2.0) == 0.0;
    const std::uint32_t v = add("power", even, {exponent.number()});
    const std::uint32_t base = of_node(node.a);
    lead(v, base, "base");
    if (even) lead(v, base ^ 1U, "base");
    return v;
}

std::uint32_t ExpressionItems::function(const Node& node) {
    const Symmetry symmetry = expression::operation(node.op).symmetry;
    const std::string name = fmt::format("operation {}", static_cast<int>(node.op));
    const std::uint32_t v = add(name, symmetry != Symmetry::odd);
    std::size_t place = 0;
    for (const std::uint32_t operand : node.operands()) {
        const std::uint32_t a = of_node(operand);
        if (symmetry == Symmetry::odd) {
            lead(v, a, "operand");
            continue;
        }
        // The twin is only the negative of the value: operands stay what they are.
        const std::string label = symmetry == Symmetry::commutative ? "operand" : fmt::format("operand {}", ++place);
        for (const std::uint32_t side : {0U, 1U}) {
            form_.arcs.push_back({v ^ side, a, label});
            if (symmetry == Symmetry::even) form_.arcs.push_back({v ^ side, a ^ 1U, label});
        }
    }
    return v;
}

std::uint32_t ExpressionItems::table(const Node& node) {
    std::vector<double> values;
    const auto take = [&](const std::vector<double>& more) { values.insert(values.end(), more.begin(), more.end()); };
    std::string name = fmt::format("table {}", static_cast<int>(node.op));
    if (node.op == Op::table1 || node.op == Op::table1_slope) {
        const expression::Table1& t = graph_.tables().one[node.a];
        take(t.x);
        take(t.y);
        for (const auto& p : t.polynomials) values.insert(values.end(), p.begin(), p.end());
        name += fmt::format(" {} {}", static_cast<int>(t.extrapolation), t.continuous);
    } else {
        const expression::Table2& t = graph_.tables().two[node.a];
        take(t.x);
        take(t.y);
        take(t.z);
    }
    const std::uint32_t v = add(name, true, std::move(values));
    std::size_t place = 0;
    for (const std::uint32_t operand : node.operands()) {
        const std::string label = fmt::format("operand {}", ++place);
        const std::uint32_t a = of_node(operand);
        for (const std::uint32_t side : {0U, 1U}) form_.arcs.push_back({v ^ side, a, label});
    }
    return v;
}

}  // namespace bondgraph::equivalence
