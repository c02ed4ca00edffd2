#include "bondgraph/equivalence/expression_items.hpp"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <optional>

#include "bondgraph/expression/operations.hpp"

namespace bondgraph::equivalence {

using expression::Expr;
using expression::Node;
using expression::Op;
using expression::Symmetry;

namespace {

/// Nothing where it varies, is no whole number, or is no power at all.
std::optional<int> whole_exponent(const expression::Graph& graph, const Node& power) {
    constexpr double kMost = 1000.0;
    const Node& exponent = graph[power.b];
    if (exponent.op != Op::constant) return std::nullopt;
    const double n = exponent.number();
    if (n == 0.0 || std::abs(n) > kMost || n != std::round(n)) return std::nullopt;
    return static_cast<int>(n);
}

}  // namespace

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
    const Op op = graph_[node].op;
    std::uint32_t v = 0;
    if (op == Op::add || op == Op::subtract) {
        v = sum(node);
    } else if (op == Op::multiply || op == Op::guarded_multiply || op == Op::divide ||
               (op == Op::power && whole_exponent(graph_, graph_[node]))) {
        Product found;
        gather_factors(node, 1, found);
        v = product(found);
    } else {
        v = made(graph_[node]);
    }
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
        case Op::sqrt:
            return root(node.a, 0.5);
        case Op::power:
            return power(node);
        case Op::abs:
            return even_or_odd(Op::abs, of_node(node.a) & ~1U);
        case Op::sign: {
            const std::uint32_t of = of_node(node.a);
            return even_or_odd(Op::sign, of & ~1U) ^ (of & 1U);
        }
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

void ExpressionItems::gather_terms(std::uint32_t node, bool negative, Sum& sum) {
    const Node n = graph_[node];
    switch (n.op) {
        case Op::constant:
            sum.number += negative ? -n.number() : n.number();
            return;
        case Op::negate:
            return gather_terms(n.a, !negative, sum);
        case Op::add:
        case Op::subtract:
            gather_terms(n.a, negative, sum);
            return gather_terms(n.b, negative != (n.op == Op::subtract), sum);
        default:
            sum.terms.push_back(of_node(node) ^ (negative ? 1U : 0U));
    }
}

std::uint32_t ExpressionItems::sum(std::uint32_t node) {
    Sum found;
    gather_terms(node, false, found);
    if (found.number != 0.0) found.terms.push_back(number(found.number));
    const std::uint32_t v = add("sum", false);
    for (const std::uint32_t t : found.terms) lead(v, t, "term");
    return v;
}

/// A vertex and its twin are one base: what is odd of the twin is the negative.
ExpressionItems::Powers& ExpressionItems::powers_in(Product& product, std::uint32_t vertex) {
    for (Powers& p : product.factors) {
        if (p.vertex / 2 == vertex / 2) return p;
    }
    product.factors.push_back({vertex - vertex % 2});
    return product.factors.back();
}

void ExpressionItems::gather_factors(std::uint32_t node, int exponent, Product& product) {
    const Node n = graph_[node];
    const bool odd = exponent % 2 != 0;
    const auto whole = n.op == Op::power ? whole_exponent(graph_, n) : std::nullopt;
    if (n.op == Op::constant) {
        product.number *= std::pow(n.number(), exponent);
    } else if (n.op == Op::negate) {
        if (odd) product.number = -product.number;
        gather_factors(n.a, exponent, product);
    } else if (n.op == Op::multiply || n.op == Op::guarded_multiply || n.op == Op::divide) {
        gather_factors(n.a, exponent, product);
        gather_factors(n.b, n.op == Op::divide ? -exponent : exponent, product);
    } else if (whole) {
        gather_factors(n.a, exponent * *whole, product);
    } else if (n.op == Op::abs) {
        powers_in(product, of_node(n.a)).absolute += exponent;
    } else if (n.op == Op::sign) {
        const std::uint32_t of = of_node(n.a);
        if (odd && of % 2 == 1) product.number = -product.number;
        powers_in(product, of).signs += exponent;
    } else {
        const std::uint32_t of = of_node(node);
        if (odd && of % 2 == 1) product.number = -product.number;
        powers_in(product, of).exponent += exponent;
    }
}

std::uint32_t ExpressionItems::scaled(std::uint32_t vertex, Expr by, bool divided) {
    Product found;
    if (by.is_constant())
        found.number = divided ? 1.0 / by.constant() : by.constant();
    else
        gather_factors(by.node(), divided ? -1 : 1, found);
    if (vertex % 2 == 1) found.number = -found.number;
    powers_in(found, vertex).exponent += 1;
    return product(found);
}

double ExpressionItems::coefficient(Expr e) {
    if (e.is_constant()) return e.constant();
    Product found;
    gather_factors(e.node(), 1, found);
    return found.number;
}

/// One way to write each: with x^n = |x|^n sign(x)^n all is |x|^N and, or not, sign(x), which is x^N or x^(N-1) |x|.
/// Where the power is gone altogether, so is x but for its sign, which has no value at 0 only.
std::vector<ExpressionItems::Factor> ExpressionItems::factors_of(const Product& product) {
    std::vector<Factor> factors;
    const auto add_factor = [&](std::uint32_t base, int exponent) {
        if (exponent != 0) factors.push_back({integer_power(base, std::abs(exponent)), exponent < 0});
    };
    for (const Powers& p : product.factors) {
        const int whole = p.exponent + p.absolute;
        const bool turns = (p.exponent + p.signs) % 2 != 0;
        if (p.absolute == 0 && p.signs == 0) {
            add_factor(p.vertex, p.exponent);
        } else if (whole == 0) {
            if (turns) factors.push_back({even_or_odd(Op::sign, p.vertex), false});
        } else if ((whole % 2 != 0) == turns) {
            add_factor(p.vertex, whole);
        } else {
            add_factor(p.vertex, whole - 1);
            factors.push_back({even_or_odd(Op::abs, p.vertex), false});
        }
    }
    return factors;
}

std::uint32_t ExpressionItems::product(const Product& product) {
    double number = product.number;
    if (number == 0.0 || std::isnan(number)) return this->number(number);
    const std::vector<Factor> factors = factors_of(product);
    if (factors.empty()) return this->number(number);
    std::vector<Factor> pinned;
    std::vector<Factor> turning;
    for (Factor f : factors) {
        if (!form_.items[f.vertex / 2].pinned) {
            turning.push_back(f);
            continue;
        }
        // A definite sign: of a twin it is that of the number.
        if (f.vertex % 2 == 1) number = -number;
        f.vertex -= f.vertex % 2;
        pinned.push_back(f);
    }
    const std::uint32_t negative = number < 0.0 ? 1U : 0U;
    if (factors.size() == 1 && std::abs(number) == 1.0 && !factors[0].divisor)
        return (pinned.empty() ? turning : pinned)[0].vertex ^ negative;
    const bool definite = turning.empty();
    const std::uint32_t v =
        definite ? add("product", true, {std::abs(number)}) : turning_product(std::abs(number), turning);
    for (const Factor& f : pinned) {
        for (const std::uint32_t side : {0U, 1U}) form_.arcs.push_back({v ^ side, f.vertex, label(f)});
    }
    return v ^ negative;
}

/// Each choice of signs of the factors is a vertex; the product is joined to those with an even number of turned ones,
/// its twin to the others.
std::uint32_t ExpressionItems::turning_product(double number, std::vector<Factor> factors) {
    // All pairs of signs are written out: of a long product the last factors are one.
    constexpr std::size_t kMostFactors = 5;
    if (factors.size() > kMostFactors) {
        std::vector<Factor> last(factors.begin() + kMostFactors - 1, factors.end());
        factors.resize(kMostFactors - 1);
        factors.push_back({turning_product(1.0, std::move(last)), false});
    }
    const std::uint32_t v = add("product", false, {number});
    if (factors.size() == 1) {
        lead(v, factors[0].vertex, label(factors[0]));
        return v;
    }
    const std::uint32_t all = (1U << factors.size()) - 1;
    for (std::uint32_t signs = 0; signs < all - signs; ++signs) {
        const std::uint32_t chosen = add("signs", false);
        for (std::size_t k = 0; k < factors.size(); ++k)
            lead(chosen, factors[k].vertex ^ ((signs >> k) & 1U), label(factors[k]));
        form_.arcs.push_back({v ^ (std::popcount(signs) % 2U), chosen, "case"});
        form_.arcs.push_back({v ^ (std::popcount(all - signs) % 2U), chosen ^ 1U, "case"});
    }
    return v;
}

/// Of what is not negative.
std::uint32_t ExpressionItems::root(std::uint32_t node, double exponent) {
    const std::uint32_t v = add("root", true, {exponent});
    const std::uint32_t base = of_node(node);
    for (const std::uint32_t side : {0U, 1U}) form_.arcs.push_back({v ^ side, base, "base"});
    return v;
}

/// That a factor is there several times; of a base that is no twin.
std::uint32_t ExpressionItems::integer_power(std::uint32_t base, int exponent) {
    if (exponent == 1) return base;
    const auto found = powers_.find({base, exponent});
    if (found != powers_.end()) return found->second;
    const bool even = exponent % 2 == 0;
    const std::uint32_t v = add("power", even, {static_cast<double>(exponent)});
    lead(v, base, "base");
    if (even) lead(v, base ^ 1U, "base");
    powers_.emplace(std::pair{base, exponent}, v);
    return v;
}

/// |x| or sign(x), of a vertex that is no twin.
std::uint32_t ExpressionItems::even_or_odd(Op op, std::uint32_t operand) {
    const auto found = even_odd_.find({operand, op});
    if (found != even_odd_.end()) return found->second;
    const bool even = op == Op::abs;
    const std::uint32_t v = add(fmt::format("operation {}", static_cast<int>(op)), even);
    lead(v, operand, "operand");
    if (even) lead(v, operand ^ 1U, "operand");
    even_odd_.emplace(std::pair{operand, op}, v);
    return v;
}

std::uint32_t ExpressionItems::power(const Node& node) {
    const Node& exponent = graph_[node.b];
    if (exponent.op != Op::constant || whole_exponent(graph_, node)) return function(node);
    return root(node.a, exponent.number());
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
