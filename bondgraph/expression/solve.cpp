// Solving one equation for one leaf. The side with the leaf is taken apart from the outside, each operation undone on
// the other side, so that solutions read like what one would write by hand (f1 − f2 − f3 = 0 gives f2 = f1 − f3).
// Where the leaf sits in several operands it must enter linearly, or as an odd power law such as x·|x|.

#include <cmath>

#include "bondgraph/expression/derivative.hpp"
#include "bondgraph/expression/local_index.hpp"
#include "bondgraph/expression/operations.hpp"

namespace bondgraph::expression {

namespace {

/// Which nodes of an expression depend on a leaf.
class Dependence {
   public:
    Dependence(const Graph& graph, std::span<const std::uint32_t> roots, std::uint32_t leaf) : graph_(graph) {
        nodes_ = reachable(graph, roots);
        position_ = LocalIndex(nodes_);
        depends_.assign(nodes_.size(), false);
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            depends_[i] = nodes_[i] == leaf;
            for (const std::uint32_t operand : graph[nodes_[i]].operands()) {
                depends_[i] = depends_[i] || depends_[position_[operand]];
            }
        }
    }

    /// Of the nodes of the expression only.
    [[nodiscard]] bool operator()(std::uint32_t node) const { return depends_[position_[node]]; }
    [[nodiscard]] bool operator()(Expr e) const { return (*this)(e.node()); }

    /// Whether the leaf enters root at most linearly, with a coefficient that doesn't depend on it.
    [[nodiscard]] bool is_linear(std::uint32_t root) const {
        for (const std::uint32_t node : reachable(graph_, std::span(&root, 1))) {
            if ((*this)(node) && !keeps_linear(graph_[node])) return false;
        }
        return true;
    }

   private:
    [[nodiscard]] bool keeps_linear(const Node& node) const {
        switch (node.op) {
            case Op::variable:
            case Op::derivative:
            case Op::parameter:
            case Op::held:
            case Op::time:
            case Op::negate:
            case Op::no_event:
            case Op::add:
            case Op::subtract:
                return true;
            case Op::multiply:
                return !(*this)(node.a) || !(*this)(node.b);
            case Op::divide:
                return !(*this)(node.b);
            case Op::smooth:
            case Op::if_else:
                return !(*this)(node.a);
            default:
                return false;
        }
    }

    const Graph& graph_;
    std::vector<std::uint32_t> nodes_;
    LocalIndex position_;
    std::vector<bool> depends_;
};

/// |u|^exponent, or sign(u)·|u|^exponent if odd, or more generally one factor of such a power law.
struct PowerFactor {
    Expr base;
    double exponent = 1.0;
    bool odd = true;
};

const Node& node_of(Expr e) { return (*e.graph())[e.node()]; }

PowerFactor power_factor(Expr e) {
    Graph& graph = *e.graph();
    const Node node = node_of(e);
    const auto inside_abs = [&](std::uint32_t index) { return graph[index].op == Op::abs; };
    if (node.op == Op::sign) return {graph.at(node.a), 0.0, true};
    if (node.op == Op::abs) return {graph.at(node.a), 1.0, false};
    if (node.op == Op::sqrt && inside_abs(node.a)) return {graph.at(graph[node.a].a), 0.5, false};
    if (node.op == Op::power && graph.at(node.b).is_constant()) {
        const double exponent = graph.at(node.b).constant();
        if (inside_abs(node.a)) return {graph.at(graph[node.a].a), exponent, false};
        if (exponent > 0.0 && exponent == std::floor(exponent)) {
            return {graph.at(node.a), exponent, std::fmod(exponent, 2.0) == 1.0};
        }
    }
    return {e, 1.0, true};
}

/// A product as numerator / denominator · (power law in one unknown).
struct Product {
    Expr numerator{1.0};
    Expr denominator{1.0};
    std::vector<Expr> unknown;
};

/// A root of a number times |u|: that number's root and the root of |u|. Nothing of anything else.
std::optional<std::pair<double, Expr>> scaled_root(Expr root, const Dependence& depends) {
    Graph& graph = *root.graph();
    if (node_of(root).op != Op::sqrt) return {};
    double scale = 1.0;
    Expr inside = graph.at(node_of(root).a);
    for (Node node = node_of(inside); node.op == Op::multiply || node.op == Op::divide; node = node_of(inside)) {
        const bool in_front = depends(node.a);
        const Expr number = graph.at(in_front ? node.b : node.a);
        if (!number.is_constant() || (node.op == Op::divide && !in_front)) return {};
        scale = node.op == Op::divide ? scale / number.constant() : scale * number.constant();
        inside = graph.at(in_front ? node.a : node.b);
    }
    if (node_of(inside).op != Op::abs || scale == 1.0 || !(scale > 0.0) || !std::isfinite(scale)) return {};
    return std::pair{std::sqrt(scale), sqrt(inside)};
}

Product factors(Expr product, const Dependence& depends) {
    Product result;
    std::vector<Expr> open{product};
    while (!open.empty()) {
        const Expr e = open.back();
        open.pop_back();
        Graph& graph = *e.graph();
        const Node node = node_of(e);
        if (!depends(e)) {
            const bool is_inverse = node.op == Op::divide && graph.at(node.a).is_constant(1.0);
            if (is_inverse) {
                result.denominator = result.denominator * graph.at(node.b);
            } else {
                result.numerator = result.numerator * e;
            }
        } else if (node.op == Op::multiply) {
            open.push_back(graph.at(node.b));
            open.push_back(graph.at(node.a));
        } else if (node.op == Op::divide && !depends(node.b)) {
            result.denominator = result.denominator * graph.at(node.b);
            open.push_back(graph.at(node.a));
        } else if (const auto root = scaled_root(e, depends)) {
            result.numerator = result.numerator * root->first;
            result.unknown.push_back(root->second);
        } else {
            result.unknown.push_back(e);
        }
    }
    return result;
}

/// The factors as one odd power of one base, which alone can be undone for all values.
std::optional<PowerFactor> odd_power(const std::vector<Expr>& unknown) {
    PowerFactor result = power_factor(unknown.front());
    for (std::size_t i = 1; i < unknown.size(); ++i) {
        // A base may itself look like a power law (x³ as base of x³·|x³|): compare with the factor as it is, too.
        const PowerFactor next = power_factor(unknown[i]);
        if (!same(next.base, result.base)) return {};
        result.exponent += next.exponent;
        result.odd = result.odd != next.odd;
    }
    if (!result.odd || !(result.exponent > 0.0)) return {};
    return result;
}

/// x from sign(x)·|x|^exponent = y.
Expr odd_root(Expr y, double exponent) {
    if (exponent == 1.0) return y;
    if (exponent == 0.5) return y * abs(y);
    if (exponent == 2.0) return sign(y) * sqrt(abs(y));
    return sign(y) * pow(abs(y), 1.0 / exponent);
}

class Solver {
   public:
    Solver(Graph& graph, Expr leaf, const AllowDivision& allow_division)
        : graph_(graph), leaf_(leaf), allow_division_(allow_division) {}

    /// side = other; only the side depends on the leaf.
    std::optional<Expr> solve(Expr side, Expr other) {
        const std::uint32_t root = side.node();
        const Dependence depends(graph_, std::span(&root, 1), leaf_.node());
        while (!same(side, leaf_)) {
            const std::optional<Equation> next = undo({side, other}, depends);
            if (!next) return solve_linear(side, other, depends);
            side = next->side;
            other = next->other;
        }
        return graph_.at(graph_.node_of(other));
    }

   private:
    struct Equation {
        Expr side;
        Expr other;
    };

    bool may_divide(Expr by) const {
        if (by.is_constant()) return std::isfinite(by.constant()) && by.constant() != 0.0;
        return allow_division_ && allow_division_(by);
    }

    /// The equation without the outermost operation of its left side.
    std::optional<Equation> undo(const Equation& equation, const Dependence& depends) {
        const Node node = node_of(equation.side);
        const Expr y = equation.other;
        const auto operand = [&](std::uint32_t index) { return graph_.at(index); };
        if (const auto inverse = operation(node.op).inverse) return Equation{operand(node.a), inverse(y)};
        switch (node.op) {
            case Op::smooth:
                if (depends(node.a)) return {};
                return Equation{operand(node.b), y};
            case Op::add:
                if (depends(node.a) && depends(node.b)) return {};
                if (depends(node.a)) return Equation{operand(node.a), y - operand(node.b)};
                return Equation{operand(node.b), y - operand(node.a)};
            case Op::subtract:
                if (depends(node.a) && depends(node.b)) return {};
                if (depends(node.a)) return Equation{operand(node.a), y + operand(node.b)};
                return Equation{operand(node.b), operand(node.a) - y};
            case Op::divide:
                if (!depends(node.a) && may_divide(y)) return Equation{operand(node.b), operand(node.a) / y};
                return undo_product(equation, depends);
            case Op::multiply:
            case Op::power:
                return undo_product(equation, depends);
            default:
                return {};
        }
    }

    std::optional<Equation> undo_product(const Equation& equation, const Dependence& depends) {
        const Product product = factors(equation.side, depends);
        const std::optional<PowerFactor> law = odd_power(product.unknown);
        if (!law || same(law->base, equation.side) || !may_divide(product.numerator)) return {};
        const bool is_zero = equation.other.is_constant(0.0);
        const Expr y = is_zero ? Expr(0.0) : equation.other * product.denominator / product.numerator;
        return Equation{law->base, odd_root(y, law->exponent)};
    }

    /// a·leaf + b = other.
    std::optional<Expr> solve_linear(Expr side, Expr other, const Dependence& depends) {
        if (!depends.is_linear(side.node())) return {};
        const Expr a = derivative(side, leaf_);
        if (!may_divide(a)) return {};
        const Expr b = substitute(graph_, std::span(&side, 1), [&](std::uint32_t node) -> std::optional<Expr> {
            if (node == leaf_.node()) return 0.0;
            return {};
        })[0];
        const bool is_negative = a.is_constant() ? a.constant() < 0.0 : node_of(a).op == Op::negate;
        return is_negative ? (b - other) / -a : (other - b) / a;
    }

    Graph& graph_;
    Expr leaf_;
    const AllowDivision& allow_division_;
};

/// The factors of a product, those of its numerator.
std::vector<Expr> numerator_factors(Graph& graph, Expr product) {
    std::vector<Expr> result;
    std::vector<Expr> open{product};
    while (!open.empty()) {
        const Expr e = open.back();
        open.pop_back();
        const Node node = node_of(e);
        if (node.op == Op::multiply) open.push_back(graph.at(node.b));
        if (node.op == Op::multiply || node.op == Op::divide || node.op == Op::negate) {
            open.push_back(graph.at(node.a));
        } else {
            result.push_back(e);
        }
    }
    return result;
}

/// As power_factor(), with roots of a constant times |u| as well, the constant left out.
PowerFactor scaled_power_factor(Graph& graph, Expr e) {
    const Node node = node_of(e);
    if (node.op != Op::sqrt) return power_factor(e);
    std::optional<Expr> inside;
    for (const Expr& factor : numerator_factors(graph, graph.at(node.a))) {
        if (factor.is_constant()) continue;
        if (inside || node_of(factor).op != Op::abs) return power_factor(e);
        inside = graph.at(node_of(factor).a);
    }
    return inside ? PowerFactor{*inside, 0.5, false} : power_factor(e);
}

/// Whether one base has a power between 0 and 1 among these factors.
bool has_root(Graph& graph, const std::vector<Expr>& factors) {
    const auto constant = [&](Expr e) { return graph[e.node()].op == Op::constant; };
    for (const Expr& one : factors) {
        const Expr base = scaled_power_factor(graph, one).base;
        if (constant(base)) continue;
        double exponent = 0.0;
        for (const Expr& other : factors) {
            const PowerFactor factor = scaled_power_factor(graph, other);
            if (same(factor.base, base)) exponent += factor.exponent;
        }
        if (exponent > 0.0 && exponent < 1.0) return true;
    }
    return false;
}

}  // namespace

bool is_steep(Graph& graph, Expr e) {
    if (e.is_literal()) return false;
    std::vector<Expr> open{e};
    LocalIndex seen;
    while (!open.empty()) {
        const Expr product = open.back();
        open.pop_back();
        if (!seen.insert(product.node(), 0)) continue;
        const std::vector<Expr> factors = numerator_factors(graph, product);
        if (has_root(graph, factors)) return true;
        for (const Expr& factor : factors) {
            for (const std::uint32_t operand : node_of(factor).operands()) open.push_back(graph.at(operand));
        }
        const Node node = node_of(product);
        if (node.op == Op::divide) open.push_back(graph.at(node.b));
    }
    return false;
}

std::optional<Expr> solve_for(Graph& graph, Expr lhs, Expr rhs, Expr leaf, const AllowDivision& allow_division) {
    lhs = graph.at(graph.node_of(lhs));
    rhs = graph.at(graph.node_of(rhs));
    const std::uint32_t sides[] = {lhs.node(), rhs.node()};
    const Dependence depends(graph, sides, leaf.node());
    Solver solver(graph, leaf, allow_division);
    if (depends(lhs) && depends(rhs)) {
        const Expr difference = lhs - rhs;
        const std::uint32_t root = difference.node();
        if (!Dependence(graph, std::span(&root, 1), leaf.node())(root)) return {};  // x = x
        return solver.solve(difference, 0.0);
    }
    if (depends(lhs)) return solver.solve(lhs, rhs);
    if (depends(rhs)) return solver.solve(rhs, lhs);
    return {};
}

}  // namespace bondgraph::expression
